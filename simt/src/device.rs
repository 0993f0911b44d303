//! The device as its callers see it: memory, modules, functions, launches.

mod launch;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cache::Cache;
use crate::check::{self, Checks, Findings};
use crate::code::{self, FunctionId, FunctionKind};
use crate::exec::tier::{self, Tier};
use crate::exec::{Clock, verify};
use crate::limit::Limits;
use crate::mem::{GRANULE, Heap, Memory, Origin};
use crate::profile::Profile;
use crate::report::{Report, ReportKind};
use crate::sched::Worker;
use crate::schedule::Schedule;
use crate::watch::{HostEvent, Observer, On, Watch};
use crate::weak::{MemoryModel, Weak};

/// How a device is set up.
#[derive(Clone, Debug)]
pub struct DeviceConfig {
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Seed of the scheduler: the same seed gives the same run, timers included, if there is one OS thread.
    pub seed: Option<u64>,
    /// The order in which warps run.
    pub schedule: Schedule,
    /// How memory behaves. Launches in the weak mode run one at a time on one OS thread.
    pub memory_model: MemoryModel,
    /// What a launch may use before it is stopped.
    pub limits: Limits,
    /// OS threads that CTAs are handed out to; with 1 the run is deterministic, but a CTA that waits for a later one waits
    /// for ever.
    pub threads: usize,
    /// Compute capability that the device reports, major and minor.
    pub compute_capability: (u32, u32),
}

impl Default for DeviceConfig {
    /// 8 GiB of memory, one OS thread, warps round robin, no limits.
    fn default() -> Self {
        Self {
            memory_bytes: 8 << 30,
            seed: None,
            schedule: Schedule::Fair,
            memory_model: MemoryModel::Sequential,
            limits: Limits::default(),
            threads: 1,
            compute_capability: (9, 0),
        }
    }
}

impl DeviceConfig {
    /// The default, changed by the variables of [`crate::env`].
    ///
    /// # Errors
    /// A variable whose value is not understood; the message names it.
    pub fn from_env() -> Result<Self, Report> {
        crate::env::config(|name| std::env::var(name).ok())
    }
}

/// One device.
pub struct Device {
    config: DeviceConfig,
    memory: Arc<Memory>,
    tier: Tier,
    clock: Clock,
    launches: AtomicU64,
    workers: Mutex<Vec<Worker>>,
    printf: Mutex<Option<Sink>>,
    watch: Mutex<On>,
    /// Whether `watch` has observers or the weak memory mode.
    watched: AtomicBool,
    /// Whether one of them is the profile.
    profiled: AtomicBool,
    /// Modules loaded so far.
    modules: AtomicU64,
    cache: Mutex<Cache>,
    findings: Findings,
}

/// Receives what kernels print, one message at a time.
pub type Sink = Box<dyn FnMut(&[u8]) + Send>;

/// A loaded PTX module: decoded functions, and its variables in device memory.
pub struct Module {
    inner: Arc<Loaded>,
}

/// A kernel of a [`Module`]; keeps the module alive.
#[derive(Clone)]
pub struct Function {
    module: Arc<Loaded>,
    id: FunctionId,
}

struct Loaded {
    code: code::Module,
    /// See [`Launch::module_number`].
    number: u64,
    /// The PTX, if there is a profile.
    text: Option<Box<str>>,
    /// Address of the block of variables; 0 if there are none.
    base: u64,
    /// Offset and size of the parameters of each function.
    parameters: Vec<Box<[(u32, u32)]>>,
    /// See [`Launch::steps`], for each function.
    steps: Vec<AtomicU64>,
    memory: Arc<Memory>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.base != 0 {
            self.memory.free_module(self.base);
        }
    }
}

/// What `cuFuncGetAttribute` asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Threads of a block that the function may have (`.maxntid`, else 1024).
    pub max_threads_per_block: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Bytes of constant memory of the module.
    pub const_bytes: u32,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// Registers of 32 bits that the PTX declares; no allocation is done.
    pub registers: u32,
}

/// Shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// CTAs in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchStats {
    /// Instructions executed by warps.
    pub warp_instructions: u64,
    /// The same, counted for each active lane.
    pub thread_instructions: u64,
    /// Barriers of CTAs (`bar.sync`, `barrier.sync` and their kin) that all their threads came to.
    pub barriers: u64,
}

/// Threads of a block at most.
pub const MAX_THREADS: u32 = 1024;
/// Threads of a block in x, y, z at most.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];
/// CTAs in x, y, z at most.
pub const MAX_GRID: [u32; 3] = [i32::MAX as u32, 65535, 65535];
/// Bytes of static shared memory at most.
pub const MAX_STATIC_SHARED: u32 = 48 << 10;
/// Bytes of shared memory at most, static and dynamic.
pub const MAX_SHARED: u32 = 227 << 10;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn invalid(message: impl Into<String>) -> Report {
    Report::new(ReportKind::InvalidArgument, message)
}

impl Device {
    /// A device with empty memory.
    ///
    /// # Errors
    /// The host cannot give the memory.
    pub fn new(config: DeviceConfig) -> Result<Self, Report> {
        let weak = (config.memory_model == MemoryModel::Weak).then(|| Weak::new(config.seed));
        Ok(Self {
            watched: AtomicBool::new(weak.is_some()),
            watch: Mutex::new(On::new(weak)),
            memory: Arc::new(Memory::new(config.memory_bytes)?),
            config,
            tier: tier::best(),
            clock: Clock::new(),
            launches: AtomicU64::new(0),
            workers: Mutex::default(),
            printf: Mutex::default(),
            profiled: AtomicBool::new(false),
            modules: AtomicU64::new(0),
            cache: Mutex::default(),
            findings: Findings::default(),
        })
    }
    /// The configuration it was made with.
    pub fn config(&self) -> &DeviceConfig {
        &self.config
    }
    /// Sends what kernels print to `sink` from now on; `None`: to the C library's `stdout`.
    pub fn set_printf(&self, sink: Option<Sink>) {
        *lock(&self.printf) = sink;
    }
    /// Allocates device memory, aligned to 256 bytes. The contents are undefined (filled with a pattern). The address is
    /// that of the memory in the host process as well.
    ///
    /// # Errors
    /// [`crate::ReportKind::OutOfMemory`].
    pub fn alloc(&self, bytes: u64) -> Result<u64, Report> {
        let address = self.memory.alloc(bytes, Origin::Host).ok_or_else(|| {
            let (free, total) = self.memory.info();
            Report::new(
                ReportKind::OutOfMemory,
                format!("no room for {bytes} bytes of device memory: {free} of {total} bytes are free"),
            )
        })?;
        self.host(HostEvent::Alloc { address, bytes });
        Ok(address)
    }
    /// Frees what [`Device::alloc`] or the device's `malloc` gave.
    ///
    /// # Errors
    /// The address is not the start of a live allocation.
    pub fn free(&self, address: u64) -> Result<(), Report> {
        self.memory.free(address, None).map_err(invalid)?;
        self.host(HostEvent::Free { address });
        Ok(())
    }
    /// Start and size of the live allocation (or module variable block) that holds `address`.
    pub fn allocation(&self, address: u64) -> Option<(u64, u64)> {
        self.memory.allocation(address)
    }
    /// The heap of the kernels' `malloc`.
    pub fn heap(&self) -> Heap {
        self.memory.heap()
    }
    /// Sets how many bytes the kernels' `malloc` may have in use ([`Heap::DEFAULT`] at first); beyond them it gives null.
    ///
    /// # Errors
    /// A kernel has called `malloc` already, after which CUDA's heap has its size.
    pub fn set_heap_limit(&self, bytes: u64) -> Result<(), Report> {
        let set = self.memory.set_heap_limit(bytes);
        set.then_some(()).ok_or_else(|| invalid("the size of the heap is set after a kernel has used it"))
    }
    /// Copies from device memory.
    ///
    /// # Errors
    /// The range is not inside one live allocation.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), Report> {
        self.memory.read(address, to)
    }
    /// Copies to device memory.
    ///
    /// # Errors
    /// The range is not inside one live allocation.
    pub fn write(&self, address: u64, from: &[u8]) -> Result<(), Report> {
        self.memory.write(address, from)?;
        self.host(HostEvent::Write { address, bytes: from.len() as u64 });
        Ok(())
    }
    /// Copies inside device memory.
    ///
    /// # Errors
    /// A range is not inside one live allocation.
    pub fn copy(&self, to: u64, from: u64, bytes: u64) -> Result<(), Report> {
        self.memory.copy(to, from, bytes)?;
        self.host(HostEvent::Copy { to, from, bytes });
        Ok(())
    }
    /// Free and total bytes.
    pub fn memory_info(&self) -> (u64, u64) {
        self.memory.info()
    }
    /// Reads, links and places a PTX module.
    ///
    /// # Errors
    /// Text that cannot be read, an unknown form, a `.target` that the device cannot run; with the PTX line.
    pub fn load(&self, ptx: &str) -> Result<Module, Report> {
        let read = || {
            let code = crate::ptx::parse(ptx)?;
            verify::module(&code)?;
            Ok(code)
        };
        let decoded = lock(&self.cache).get(ptx, read)?;
        let mut code = code::Module::clone(&decoded);
        let (major, minor) = self.config.compute_capability;
        let own = major * 10 + minor;
        // Suffix a: exactly this architecture; f: this one and later ones of its family.
        let fits = match code.target_suffix {
            Some('a') => code.target == own,
            Some(_) => code.target <= own && code.target / 10 == major,
            None => code.target <= own,
        };
        if !fits {
            let suffix = code.target_suffix.map(String::from).unwrap_or_default();
            return Err(Report::new(
                ReportKind::InvalidPtx,
                format!("the module is for sm_{}{suffix}, and the device is an sm_{own}", code.target),
            ));
        }
        if code.global_align > GRANULE {
            let align = code.global_align;
            return Err(Report::new(
                ReportKind::InvalidPtx,
                format!(
                    "the module has variables aligned to {align} bytes, and the device aligns them to {GRANULE}"
                ),
            ));
        }
        let mut base = 0;
        if code.global_bytes > 0 {
            let name = Origin::Module("the variables of a module".into());
            base = self.memory.alloc(code.global_bytes, name).ok_or_else(|| {
                let bytes = code.global_bytes;
                Report::new(ReportKind::OutOfMemory, format!("no room for {bytes} bytes of module variables"))
            })?;
        }
        let contents = code.place(base);
        let parameters = code
            .functions
            .iter()
            .map(|f| f.params.iter().map(|param| (param.offset, param.size)).collect())
            .collect();
        let steps = code.functions.iter().map(|_| AtomicU64::new(0)).collect();
        let text = self.profiled.load(Ordering::Relaxed).then(|| ptx.into());
        let number = self.modules.fetch_add(1, Ordering::Relaxed);
        let loaded = Loaded { code, number, text, base, parameters, steps, memory: Arc::clone(&self.memory) };
        if base != 0 {
            let bytes = loaded.code.global_bytes;
            const ZEROS: &[u8] = &[0; 64 << 10];
            for start in (0..bytes).step_by(ZEROS.len()) {
                self.memory.write(base + start, &ZEROS[..ZEROS.len().min((bytes - start) as usize)])?;
            }
            for (offset, initial) in contents {
                self.memory.write(base + offset, &initial)?;
            }
            self.host(HostEvent::Alloc { address: base, bytes });
            self.host(HostEvent::Write { address: base, bytes });
        }
        Ok(Module { inner: Arc::new(loaded) })
    }
    /// Texts that [`Device::load`] has read. A text that was loaded before is not read again, as long as it is among the
    /// last 16 MiB.
    pub fn modules_read(&self) -> u64 {
        lock(&self.cache).read()
    }
    /// Counts what kernels do from now on, and writes a page about it to `path` when the device goes, and when a launch
    /// fails. Launches then run one at a time on one OS thread. Modules that are loaded already have no PTX to show.
    pub fn profile(&self, path: PathBuf) {
        self.profiled.store(true, Ordering::Relaxed);
        self.observe(Box::new(Profile::new(path, Arc::clone(&self.memory))));
    }

    /// Switches checkers on, for everything from now on. Launches then run one at a time on one OS thread.
    ///
    /// # Errors
    /// The host has no room for what they remember.
    pub fn check(&self, checks: Checks) -> Result<(), Report> {
        for observer in check::observers(checks, &self.memory, &self.findings)? {
            self.observe(observer);
        }
        Ok(())
    }

    /// What the checkers have found, and where that goes.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Lets the observers tell what they know at the end of the program. Later launches are no longer looked at.
    pub fn finish(&self) {
        lock(&self.watch).each(|o| o.finish());
    }

    /// Adds an observer of everything from now on.
    pub(crate) fn observe(&self, observer: Box<dyn Observer>) {
        lock(&self.watch).add(observer);
        self.watched.store(true, Ordering::Release);
    }

    /// The host may write to device memory on its own from now on: it counts as written.
    pub(crate) fn host_writes(&self, address: u64, bytes: u64) {
        self.host(HostEvent::Write { address, bytes });
    }

    /// Tells the observers what the host does.
    fn host(&self, event: HostEvent) {
        if self.watched.load(Ordering::Acquire) {
            lock(&self.watch).each(|o| o.host(event));
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.finish();
    }
}

impl Module {
    /// The kernel of that name.
    pub fn function(&self, name: &str) -> Option<Function> {
        let id = *self.inner.code.function_names.get(name)?;
        let is_entry = self.inner.code.functions[id.0 as usize].kind == FunctionKind::Entry;
        is_entry.then(|| Function { module: Arc::clone(&self.inner), id })
    }
    /// Device address and size in bytes of the global or constant variable that holds an address.
    pub fn variable_at(&self, address: u64) -> Option<(u64, u64)> {
        let offset = address.checked_sub(self.inner.base)?;
        // They are laid out in their order.
        let variables = &self.inner.code.variables;
        let after = variables.partition_point(|variable| variable.offset <= offset);
        let variable = variables.get(after.checked_sub(1)?)?;
        (offset - variable.offset < variable.size)
            .then_some((self.inner.base + variable.offset, variable.size))
    }
    /// Device address and size in bytes of a global or constant variable.
    pub fn global(&self, name: &str) -> Option<(u64, u64)> {
        let code = &self.inner.code;
        let variable = &code.variables[*code.variable_names.get(name)?];
        variable.visible.then_some((self.inner.base + variable.offset, variable.size))
    }
}

impl Function {
    fn code(&self) -> &code::Function {
        &self.module.code.functions[self.id.0 as usize]
    }
    /// Its name.
    pub fn name(&self) -> &str {
        &self.code().name
    }
    /// Its attributes.
    pub fn attributes(&self) -> FunctionAttributes {
        let code = self.code();
        FunctionAttributes {
            max_threads_per_block: code
                .max_threads
                .map_or(MAX_THREADS, |most| launch::volume(most).min(MAX_THREADS.into()) as u32),
            shared_bytes: code.shared_bytes,
            const_bytes: u32::try_from(self.module.code.const_bytes).unwrap_or(u32::MAX),
            local_bytes: code.local_bytes,
            registers: code.declared_registers,
        }
    }
    /// Offset and size in bytes of each parameter in the parameter block.
    pub fn parameters(&self) -> &[(u32, u32)] {
        &self.module.parameters[self.id.0 as usize]
    }
}
