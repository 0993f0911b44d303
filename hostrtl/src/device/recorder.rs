//! A device for tests: memory of its own, and a list of the calls it got.

use super::{
    AllocKind, Backend, Device, DeviceError, DevicePtr, DeviceResult, EventHandle, FunctionHandle,
    ImageHandle, Launch, Properties, QueueHandle,
};
use crate::image::{Arch, ImageKind};
use core::ffi::CStr;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Apart from the runtime's function, whose calls are counted.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap()
}

/// A symbol of the one image that every `load` gives.
#[derive(Clone, Debug)]
pub enum Symbol {
    /// A global with these contents.
    Global(Vec<u8>),
    /// A kernel with this bound of threads.
    Kernel(u32),
}

/// What a launch does to the memory.
pub type KernelBody = Box<dyn Fn(&Recorder, &[u64]) + Send + Sync>;

/// The device. Clones are the same device.
#[derive(Clone)]
pub struct Recorder {
    properties: Properties,
    state: Arc<Mutex<State>>,
    body: Arc<Mutex<Option<Arc<KernelBody>>>>,
}

#[derive(Default)]
struct State {
    calls: Vec<String>,
    blocks: BTreeMap<u64, Vec<u8>>,
    next: u64,
    memory_limit: Option<usize>,
    /// What it says that it has.
    memory: Option<u64>,
    symbols: BTreeMap<String, Symbol>,
    globals: BTreeMap<String, u64>,
    handles: usize,
    failing: Option<&'static str>,
    /// The call that fails, counted down to 0; it is the next one at 1.
    failing_call: usize,
    /// Copies to the device let other threads go first.
    dawdling: bool,
    /// Calls are not written down.
    quiet: bool,
    /// Queues say that they have work left.
    busy: bool,
}

impl Recorder {
    pub fn new() -> Self {
        Self {
            properties: Properties {
                name: "recorder".into(),
                backend: Backend::Cuda { driver_version: 13000 },
                arch: Arch::from_sm(90),
                max_threads: 1024,
                max_blocks: i32::MAX as u32,
                hardware_parallelism: 132 * 2048,
                shared_memory: 227 << 10,
            },
            state: Arc::new(Mutex::new(State { next: 0xd000_0000_0000, ..State::default() })),
            body: Arc::default(),
        }
    }

    /// A device that says how many bytes of memory it has.
    pub fn with_memory(self, bytes: u64) -> Self {
        lock(&self.state).memory = Some(bytes);
        self
    }

    pub fn with_symbol(self, name: &str, symbol: Symbol) -> Self {
        lock(&self.state).symbols.insert(name.to_owned(), symbol);
        self
    }

    pub fn on_launch(&self, body: impl Fn(&Recorder, &[u64]) + Send + Sync + 'static) {
        *lock(&self.body) = Some(Arc::new(Box::new(body)));
    }

    /// Fails the next call of this name and all later ones.
    pub fn fail(&self, call: &'static str) {
        lock(&self.state).failing = Some(call);
    }

    /// Fails the Nth call from now, once; 0 fails none.
    pub fn fail_call(&self, number: usize) {
        lock(&self.state).failing_call = number;
    }

    /// Takes its time for copies to the device.
    #[cfg(not(feature = "shuttle"))]
    pub fn dawdle(&self) {
        lock(&self.state).dawdling = true;
    }

    /// Whether the following work is not written down, which would allocate.
    pub fn be_quiet(&self, quiet: bool) {
        lock(&self.state).quiet = quiet;
    }

    /// Whether queues say that they have work left.
    pub fn set_busy(&self, busy: bool) {
        lock(&self.state).busy = busy;
    }

    pub fn limit_memory(&self, bytes: usize) {
        lock(&self.state).memory_limit = Some(bytes);
    }

    /// The calls since the last time.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.state).calls)
    }

    /// How often a call was made.
    pub fn count(&self, call: &str) -> usize {
        let prefix = format!("{call} ");
        lock(&self.state).calls.iter().filter(|line| *line == call || line.starts_with(&prefix)).count()
    }

    /// Blocks that are allocated now.
    pub fn live_blocks(&self) -> usize {
        let state = lock(&self.state);
        state.blocks.len() - state.globals.len()
    }

    pub fn global_address(&self, name: &str) -> DevicePtr {
        DevicePtr(lock(&self.state).globals[name])
    }

    pub fn read(&self, address: DevicePtr, bytes: usize) -> Vec<u8> {
        lock(&self.state).slice(address.0, bytes).to_vec()
    }

    pub fn write(&self, address: DevicePtr, bytes: &[u8]) {
        lock(&self.state).slice(address.0, bytes.len()).copy_from_slice(bytes);
    }

    pub fn read_u64(&self, address: DevicePtr) -> u64 {
        u64::from_le_bytes(self.read(address, 8).try_into().unwrap())
    }

    fn call(&self, name: &'static str, details: impl core::fmt::Display) -> DeviceResult<()> {
        let mut state = lock(&self.state);
        if !state.quiet {
            state.calls.push(format!("{name} {details}").trim_end().to_owned());
        }
        let fails = state.failing_call == 1;
        state.failing_call = state.failing_call.saturating_sub(1);
        if fails {
            return Err(DeviceError { call: name.to_owned(), text: "made to fail once".into() });
        }
        match state.failing {
            Some(failing) if failing == name => {
                Err(DeviceError { call: name.to_owned(), text: "made to fail".into() })
            }
            _ => Ok(()),
        }
    }

    fn handle(&self) -> usize {
        let mut state = lock(&self.state);
        state.handles += 1;
        state.handles
    }
}

impl State {
    /// Panics outside of every block: a test then shows a wrong address of the runtime.
    fn slice(&mut self, address: u64, bytes: usize) -> &mut [u8] {
        let (start, block) = self.blocks.range_mut(..=address).next_back().expect("address below all blocks");
        let offset = (address - start) as usize;
        &mut block[offset..offset + bytes]
    }

    fn add(&mut self, contents: Vec<u8>) -> u64 {
        let address = self.next;
        self.next += (contents.len() as u64).next_multiple_of(256) + 256;
        self.blocks.insert(address, contents);
        address
    }
}

impl Device for Recorder {
    fn properties(&self) -> &Properties {
        &self.properties
    }

    fn bind(&self) -> DeviceResult<()> {
        self.call("bind", "")
    }

    fn share_host_memory(&self) -> DeviceResult<bool> {
        self.call("share_host_memory", "")?;
        Ok(true)
    }

    fn load(&self, image: &[u8], kind: &ImageKind) -> DeviceResult<ImageHandle> {
        self.call("load", format_args!("{} bytes, {kind}", image.len()))?;
        Ok(ImageHandle(self.handle()))
    }

    fn unload(&self, _image: ImageHandle) -> DeviceResult<()> {
        self.call("unload", "")
    }

    fn global(&self, _image: ImageHandle, name: &CStr) -> DeviceResult<Option<(DevicePtr, usize)>> {
        let name = name.to_str().unwrap();
        self.call("global", name)?;
        let mut state = lock(&self.state);
        let Some(Symbol::Global(contents)) = state.symbols.get(name).cloned() else { return Ok(None) };
        let size = contents.len();
        let address = match state.globals.get(name) {
            Some(address) => *address,
            None => {
                let address = state.add(contents);
                state.globals.insert(name.to_owned(), address);
                address
            }
        };
        Ok(Some((DevicePtr(address), size)))
    }

    fn function(&self, _image: ImageHandle, name: &CStr) -> DeviceResult<Option<(FunctionHandle, u32)>> {
        let name = name.to_str().unwrap();
        self.call("function", name)?;
        match lock(&self.state).symbols.get(name) {
            Some(Symbol::Kernel(max_threads)) => Ok(Some((FunctionHandle(7), *max_threads))),
            _ => Ok(None),
        }
    }

    fn memory(&self) -> DeviceResult<Option<(u64, u64)>> {
        Ok(lock(&self.state).memory.map(|bytes| (bytes, bytes)))
    }

    fn alloc(&self, bytes: usize, kind: AllocKind) -> DeviceResult<DevicePtr> {
        self.call("alloc", format_args!("{bytes} {kind:?}"))?;
        let mut state = lock(&self.state);
        let used: usize = state.blocks.values().map(Vec::len).sum();
        if state.memory_limit.is_some_and(|limit| used + bytes > limit) {
            return Err(DeviceError { call: "alloc".into(), text: format!("out of memory ({bytes} bytes)") });
        }
        Ok(DevicePtr(state.add(vec![0xaa; bytes])))
    }

    fn free(&self, address: DevicePtr, kind: AllocKind) -> DeviceResult<()> {
        self.call("free", format_args!("{kind:?}"))?;
        lock(&self.state).blocks.remove(&address.0).expect("free of an address that is not allocated");
        Ok(())
    }

    fn create_queue(&self) -> DeviceResult<QueueHandle> {
        self.call("create_queue", "")?;
        Ok(QueueHandle(self.handle()))
    }

    unsafe fn submit(
        &self,
        _queue: QueueHandle,
        destination: DevicePtr,
        source: *const u8,
        bytes: usize,
    ) -> DeviceResult<()> {
        self.call("submit", bytes)?;
        let dawdling = lock(&self.state).dawdling;
        if dawdling {
            (0..3).for_each(|_| std::thread::yield_now());
        }
        // SAFETY: valid for reads by the contract of the trait.
        let source = unsafe { core::slice::from_raw_parts(source, bytes) };
        self.write(destination, source);
        Ok(())
    }

    unsafe fn retrieve(
        &self,
        _queue: QueueHandle,
        destination: *mut u8,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        self.call("retrieve", bytes)?;
        let contents = self.read(source, bytes);
        // SAFETY: valid for writes by the contract of the trait; the two are different memory.
        unsafe { core::ptr::copy_nonoverlapping(contents.as_ptr(), destination, bytes) };
        Ok(())
    }

    fn exchange(
        &self,
        _queue: QueueHandle,
        destination: DevicePtr,
        source: DevicePtr,
        bytes: usize,
    ) -> DeviceResult<()> {
        self.call("exchange", bytes)?;
        let contents = self.read(source, bytes);
        self.write(destination, &contents);
        Ok(())
    }

    fn fill(&self, _queue: QueueHandle, destination: DevicePtr, value: u8, bytes: usize) -> DeviceResult<()> {
        self.call("fill", bytes)?;
        self.write(destination, &vec![value; bytes]);
        Ok(())
    }

    fn launch(&self, _queue: QueueHandle, launch: &Launch, arguments: &[u64]) -> DeviceResult<()> {
        self.call("launch", format_args!("{:?} {:?} {}", launch.grid, launch.block, launch.shared_memory))?;
        let body = lock(&self.body).clone();
        if let Some(body) = body {
            body(self, arguments);
        }
        Ok(())
    }

    fn synchronize(&self, _queue: QueueHandle) -> DeviceResult<()> {
        self.call("synchronize", "")
    }

    fn query(&self, _queue: QueueHandle) -> DeviceResult<bool> {
        self.call("query", "")?;
        Ok(!lock(&self.state).busy)
    }

    fn create_event(&self) -> DeviceResult<EventHandle> {
        self.call("create_event", "")?;
        Ok(EventHandle(self.handle()))
    }

    fn record(&self, _queue: QueueHandle, _event: EventHandle) -> DeviceResult<()> {
        self.call("record", "")
    }

    fn wait(&self, _queue: QueueHandle, _event: EventHandle) -> DeviceResult<()> {
        self.call("wait", "")
    }
}
