//! The state behind the entry points: one device, a table of everything that has a handle ([`super::object`]), the contexts
//! of the threads.

use super::error::{CUresult, CuResult, refused, say};
use super::object::{Allocation, Context, Handle, Kind, MemoryKind, Object, Pool, Stream};
use super::order::StreamOrder;
use super::types::{CU_STREAM_LEGACY, CU_STREAM_PER_THREAD, CUdevice, CUstream, c_int};
use crate::device::Device;
use crate::stats::StatsFile;
use slotmap::{DefaultKey, SlotMap};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What the lock of the driver guards.
pub(super) struct State {
    objects: SlotMap<DefaultKey, Object>,
    /// The primary context of each device.
    pub(super) primary: Vec<Primary>,
    /// The memory pool.
    pub(super) pool: Handle,
    /// Live allocations by device address.
    pub(super) allocations: BTreeMap<u64, Allocation>,
    /// Registered host memory: bytes by start address, and whose it is.
    pub(super) registered: BTreeMap<u64, (u64, Handle)>,
    last_id: u64,
}

impl State {
    /// Adds an object and gives its handle.
    pub(super) fn insert(&mut self, object: Object) -> Handle {
        Handle(self.objects.insert(object))
    }

    /// The object that a handle names.
    ///
    /// # Errors
    /// [`Kind::INVALID`]
    pub(super) fn get<T: Kind>(&self, handle: Handle) -> CuResult<&T> {
        self.objects.get(handle.0).and_then(T::of).ok_or(T::INVALID)
    }

    /// As [`State::get`], to change it.
    pub(super) fn get_mut<T: Kind>(&mut self, handle: Handle) -> CuResult<&mut T> {
        self.objects.get_mut(handle.0).and_then(T::of_mut).ok_or(T::INVALID)
    }

    /// Takes an object of the kind `T` out of the table.
    pub(super) fn remove<T: Kind>(&mut self, handle: Handle) -> CuResult<Object> {
        self.get::<T>(handle)?;
        self.objects.remove(handle.0).ok_or(T::INVALID)
    }

    /// Whether a context is fit for work.
    ///
    /// # Errors
    /// It is none, it has been destroyed, or a kernel failed in it.
    pub(super) fn usable(&self, context: Handle) -> CuResult<&Context> {
        let context = self.get::<Context>(context)?;
        match context.error {
            _ if !context.active => Err(CUresult::CONTEXT_IS_DESTROYED),
            Some(error) => Err(error),
            None => Ok(context),
        }
    }

    /// Notes an allocation.
    pub(super) fn note(&mut self, address: u64, context: Handle, bytes: u64, kind: MemoryKind) {
        self.last_id += 1;
        self.allocations.insert(address, Allocation { context, bytes, kind, id: self.last_id });
    }

    /// The noted allocation that holds an address, with its start.
    pub(super) fn allocation(&self, address: u64) -> Option<(u64, Allocation)> {
        let (&start, &found) = self.allocations.range(..=address).next_back()?;
        (address - start < found.bytes).then_some((start, found))
    }

    /// What holds an address, with its start: an allocation, a variable of a module, or registered memory of the host.
    pub(super) fn holder(&self, address: u64) -> Option<(u64, Allocation)> {
        self.allocation(address).or_else(|| self.variable(address)).or_else(|| self.registered(address))
    }

    /// The variable of a module that holds an address.
    fn variable(&self, address: u64) -> Option<(u64, Allocation)> {
        self.objects.values().find_map(|object| {
            let Object::Module(module) = object else { return None };
            let (start, bytes) = module.module.variable_at(address)?;
            Some((start, Allocation { context: module.context, bytes, kind: MemoryKind::Device, id: 0 }))
        })
    }

    /// The registered memory of the host that holds an address.
    fn registered(&self, address: u64) -> Option<(u64, Allocation)> {
        let (&start, &(bytes, context)) = self.registered.range(..=address).next_back()?;
        let kind = MemoryKind::Registered;
        (address - start < bytes).then_some((start, Allocation { context, bytes, kind, id: 0 }))
    }

    /// Takes out everything that belongs to a context: the objects, and the addresses of its memory.
    pub(super) fn strip(&mut self, context: Handle) -> (Vec<Object>, Vec<u64>) {
        let owned = |object: &Object| match object {
            Object::Context(_) | Object::Pool(_) => false,
            Object::Module(o) => o.context == context,
            Object::Function(o) => o.context == context,
            Object::Stream(o) => o.context == context,
            Object::Event(o) => o.context == context,
            Object::Link(o) => o.context == context,
        };
        let keys: Vec<DefaultKey> =
            self.objects.iter().filter(|(_, object)| owned(object)).map(|(key, _)| key).collect();
        let objects = keys.into_iter().filter_map(|key| self.objects.remove(key)).collect();
        self.registered.retain(|_, (_, owner)| *owner != context);
        (objects, self.allocations.extract_if(.., |_, a| a.context == context).map(|(at, _)| at).collect())
    }

    /// Takes out the handles of a module's kernels.
    pub(super) fn remove_functions_of(&mut self, module: Handle) {
        self.objects.retain(|_, object| !matches!(object, Object::Function(f) if f.module == module));
    }

    /// The locks of all streams of a context.
    fn stream_locks(&self, context: Handle) -> Vec<Arc<Mutex<()>>> {
        let streams = self.objects.values().filter_map(Stream::of);
        streams.filter(|stream| stream.context == context).map(|stream| stream.lock.clone()).collect()
    }
}

/// The primary context of a device.
#[derive(Clone, Copy)]
pub(super) struct Primary {
    pub(super) context: Handle,
    /// How often it is retained.
    pub(super) retained: u64,
}

/// The driver after `cuInit`.
pub(super) struct Driver {
    /// Number of devices. They are one machine with one memory: what belongs to a device is in its contexts.
    pub(super) devices: c_int,
    /// The device.
    pub(super) device: Device,
    /// Where launches are noted.
    pub(super) stats: Option<StatsFile>,
    state: Mutex<State>,
}

thread_local! {
    /// The contexts of the thread; the last one is current.
    static CURRENT: RefCell<Vec<Handle>> = const { RefCell::new(Vec::new()) };
    /// Whether the thread runs a host function of a stream, which must not call the driver.
    static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
}

static DRIVER: OnceLock<CuResult<Driver>> = OnceLock::new();

/// Makes the device from the environment, once.
///
/// # Errors
/// `INVALID_VALUE`: a variable cannot be read. `OUT_OF_MEMORY`: the host cannot give the memory.
pub(super) fn initialize() -> CuResult {
    DRIVER.get_or_init(Driver::from_env).as_ref().map(|_| ()).map_err(|&error| error)
}

/// The driver.
///
/// # Errors
/// `NOT_INITIALIZED` before `cuInit`; `NOT_PERMITTED` inside a host function of a stream.
pub(super) fn driver() -> CuResult<&'static Driver> {
    if IN_HOST_FUNCTION.get() {
        return Err(CUresult::NOT_PERMITTED);
    }
    match DRIVER.get() {
        Some(Ok(driver)) => Ok(driver),
        Some(Err(error)) => Err(*error),
        None => Err(CUresult::NOT_INITIALIZED),
    }
}

/// The device, if it was made; also while the program ends.
pub(super) fn existing() -> Option<&'static Device> {
    DRIVER.get()?.as_ref().ok().map(|driver| &driver.device)
}

/// Runs a host function of a stream: until it ends the thread may not call the driver.
pub(super) fn host_function(run: impl FnOnce()) {
    IN_HOST_FUNCTION.set(true);
    run();
    IN_HOST_FUNCTION.set(false);
}

/// The stack of contexts of this thread.
///
/// Exit handlers, where programs unload their modules, run after the main thread's data is gone: they share one stack.
pub(super) fn with_stack<R>(work: impl FnOnce(&mut Vec<Handle>) -> R) -> R {
    static AT_EXIT: Mutex<Vec<Handle>> = Mutex::new(Vec::new());
    let mut work = Some(work);
    let mut once = |stack: &mut Vec<Handle>| work.take().map(|work| work(stack));
    let done = CURRENT.try_with(|stack| once(&mut stack.borrow_mut())).ok().flatten();
    let done = done.or_else(|| once(&mut AT_EXIT.lock().unwrap_or_else(PoisonError::into_inner)));
    done.expect("the work is done on one of the two stacks")
}

/// The current context, whatever state it is in.
///
/// # Errors
/// `INVALID_CONTEXT`: there is none.
pub(super) fn current_of_thread() -> CuResult<Handle> {
    with_stack(|stack| stack.last().copied()).ok_or(CUresult::INVALID_CONTEXT)
}

/// # Errors
/// `INVALID_DEVICE`: there is no such device. `NOT_INITIALIZED` before `cuInit`.
pub(super) fn check_device(device: CUdevice) -> CuResult {
    if (0..driver()?.devices).contains(&device) { Ok(()) } else { Err(CUresult::INVALID_DEVICE) }
}

impl Driver {
    fn from_env() -> CuResult<Self> {
        let get = |name: &str| std::env::var(name).ok();
        let made = || {
            if crate::env::shares_host_memory(get)? {
                crate::host_memory::share();
            }
            Ok((crate::env::devices(get)?, super::checks::device()?, StatsFile::from_env()?))
        };
        let (devices, device, stats) = made().map_err(|report: crate::Report| {
            say(&report);
            if report.kind == crate::ReportKind::OutOfMemory {
                CUresult::OUT_OF_MEMORY
            } else {
                CUresult::INVALID_VALUE
            }
        })?;
        super::profile::start(&device);
        let mut objects = SlotMap::new();
        let primary = |device| {
            let context = Object::Context(Context::new(device, 0, true));
            Primary { context: Handle(objects.insert(context)), retained: 0 }
        };
        let primary = (0..devices).map(primary).collect();
        let pool = Handle(objects.insert(Object::Pool(Pool { settings: [0, 1, 1, 1, 0] })));
        let state = State {
            objects,
            primary,
            pool,
            allocations: BTreeMap::new(),
            registered: BTreeMap::new(),
            last_id: 0,
        };
        Ok(Self { devices, device, stats, state: Mutex::new(state) })
    }

    /// Locks the state; never held while the device works or a stream is waited for.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current context of this thread, fit for work.
    ///
    /// # Errors
    /// There is none, it has been destroyed, or a kernel failed in it.
    pub(super) fn current(&self) -> CuResult<Handle> {
        let current = current_of_thread()?;
        self.state().usable(current)?;
        Ok(current)
    }

    /// What a stream handle means to the current context.
    ///
    /// # Errors
    /// As [`Driver::current`]; `INVALID_HANDLE` for no stream, or one of another context.
    pub(super) fn stream(&self, stream: CUstream) -> CuResult<StreamOrder> {
        let current = current_of_thread()?;
        let state = self.state();
        let order = state.usable(current)?.order.clone();
        match stream.addr() {
            0 | CU_STREAM_LEGACY => return Ok(StreamOrder::Legacy(order)),
            CU_STREAM_PER_THREAD => return Ok(StreamOrder::PerThread(order)),
            _ => {}
        }
        let stream = state.get::<Stream>(Handle::from_c(stream))?;
        if stream.context != current {
            return Err(CUresult::INVALID_HANDLE);
        }
        Ok(StreamOrder::of(stream, order))
    }

    /// As [`Driver::stream`] for the calls that only wait: to them a stream of its own brings its context, and the thread
    /// needs none (CUDA Driver API, 6.18: they give no `CUDA_ERROR_INVALID_CONTEXT`).
    ///
    /// # Errors
    /// A handle that names no stream, or one of a context that failed.
    pub(super) fn stream_to_wait_for(&self, stream: CUstream) -> CuResult<StreamOrder> {
        if matches!(stream.addr(), 0 | CU_STREAM_LEGACY | CU_STREAM_PER_THREAD) {
            return self.stream(stream);
        }
        let state = self.state();
        let stream = state.get::<Stream>(Handle::from_c(stream))?;
        Ok(StreamOrder::of(stream, state.usable(stream.context)?.order.clone()))
    }

    /// Does `work` on the device as the stream's next operation.
    ///
    /// # Errors
    /// As [`Driver::stream`], and what `work` reports.
    pub(super) fn in_stream<R>(
        &self,
        stream: CUstream,
        work: impl FnOnce(&Device) -> Result<R, crate::Report>,
    ) -> CuResult<R> {
        let order = self.stream(stream)?;
        order.run(|| work(&self.device)).map_err(|report| refused(&report))
    }

    /// Waits until what runs in any stream of the context is done.
    pub(super) fn drain(&self, context: Handle) -> CuResult {
        let (order, streams) = {
            let state = self.state();
            (state.get::<Context>(context)?.order.clone(), state.stream_locks(context))
        };
        StreamOrder::Legacy(order).run(|| {});
        streams.into_iter().for_each(|lock| StreamOrder::NonBlocking(lock).run(|| {}));
        Ok(())
    }

    /// Waits for a context and frees everything that belongs to it.
    pub(super) fn clear(&self, context: Handle) -> CuResult {
        self.drain(context)?;
        let (objects, addresses) = self.state().strip(context);
        drop(objects);
        for address in addresses {
            // A kernel may have freed it, and then there is nothing left to do.
            let _ = self.device.free(address);
        }
        Ok(())
    }
}
