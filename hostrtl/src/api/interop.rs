//! Interop objects (OpenMP 5.2, 14.1): a device's own handles, and for `targetsync` a stream of its own.
//!
//! A program holds the address of an object. Every use looks it up among the living ones, so an address that is none,
//! or no longer one, is an error and nothing worse.

pub mod properties;

use super::llvm::{Place, place};
use super::{FAIL, SUCCESS};
use crate::device::foreign::Handles;
use crate::device::{DeviceResult, QueueHandle};
use crate::libomp::{self, Dependence};
use crate::offload::OffloadDevice;
use crate::policy::Policy;
use crate::runtime::{DEFAULT_DEVICE, fatal, runtime};
use crate::sync::Mutex;
use crate::{info, lock};
use abi::ident::Ident;
use core::ffi::{c_int, c_void};
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Interop types, as clang 22 writes them and LLVM 22's library reads them.
const TARGET: i32 = 1;
const TARGET_SYNC: i32 = 2;

/// The foreign runtimes that a CUDA device stands for (OpenMP Additional Definitions 2.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(i32)]
enum ForeignRuntime {
    Cuda = 1,
    CudaDriver = 2,
}

/// One preference of the `prefer_type` modifier (LLVM: `interop_spec_t`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Preference {
    /// Number of the foreign runtime.
    pub foreign_runtime: i32,
    /// Bit 0: work runs in order, which it does in every stream.
    pub attributes: u32,
    /// Attributes of an implementation. There are none.
    pub own_attributes: i64,
}

/// What a construct says of itself (LLVM: `interop_ctx_t`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Construct {
    /// 0
    pub version: u32,
    /// [`Construct::IMPLICIT`], [`Construct::NOWAIT`]
    pub flags: u32,
    /// libomp's number of this thread.
    pub thread: i32,
}

impl Construct {
    /// Of a `dispatch` construct: the object is the runtime's, and it is used again.
    pub const IMPLICIT: u32 = 1;
    /// The `nowait` clause.
    pub const NOWAIT: u32 = 2;

    const fn has(self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

/// The `depend` clauses of a construct (LLVM: `dep_pack_t`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dependences {
    /// Length of the list.
    pub count: i32,
    /// The dependences.
    pub list: *const Dependence,
    /// Length of the list.
    pub noalias_count: i32,
    /// Dependences on items that have no aliases.
    pub noalias: *const Dependence,
}

impl Dependences {
    /// None.
    pub const NONE: Self = Self { count: 0, list: null(), noalias_count: 0, noalias: null() };

    /// # Safety
    /// The lists are as long as their counts say; `thread` is libomp's number of this thread.
    unsafe fn wait(&self, ident: *const Ident, thread: i32) {
        // SAFETY: the contract of this function.
        unsafe {
            libomp::wait_for(ident, thread, (self.count, self.list), (self.noalias_count, self.noalias));
        }
    }

    /// # Safety
    /// The lists are as long as their counts say.
    unsafe fn all(&self) -> Vec<Dependence> {
        let lists = [(self.count, self.list), (self.noalias_count, self.noalias)];
        let slice = |(count, list): (i32, *const Dependence)| match usize::try_from(count) {
            Ok(length) if length > 0 && !list.is_null() => {
                // SAFETY: the contract of this function.
                unsafe { core::slice::from_raw_parts(list, length) }
            }
            _ => &[],
        };
        lists.map(slice).concat()
    }
}

/// A function of the program that runs when an object's work is complete.
pub type Callback = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// An interop object.
pub struct Interop {
    device: &'static OffloadDevice,
    handles: Handles,
    foreign_runtime: ForeignRuntime,
    is_targetsync: bool,
    /// Its stream: from the start for `targetsync`, else when it is asked for.
    queue: Mutex<Option<QueueHandle>>,
    /// Callbacks, with the program's addresses, which are not ours to touch.
    callbacks: Mutex<Vec<(Callback, usize)>>,
    /// The thread that the runtime made it for.
    owner: Option<i32>,
    /// Given to the program since the last synchronization.
    used: AtomicBool,
}

/// All living objects by the address that the program has.
static LIVING: Mutex<BTreeMap<usize, Arc<Interop>>> = Mutex::new(BTreeMap::new());
/// Streams of objects that are gone.
static IDLE_QUEUES: Mutex<Vec<(i32, QueueHandle)>> = Mutex::new(Vec::new());
/// How many living objects the runtime made by itself.
static IMPLICIT: AtomicUsize = AtomicUsize::new(0);

/// The living object at an address.
fn living(object: *const c_void) -> Option<Arc<Interop>> {
    lock(&LIVING).get(&(object as usize)).cloned()
}

impl Interop {
    fn new(
        device: &'static OffloadDevice,
        kind: i32,
        foreign_runtime: ForeignRuntime,
        owner: Option<i32>,
    ) -> Option<DeviceResult<Self>> {
        let handles = device.device.foreign()?.handles();
        let object = Self {
            device,
            handles,
            foreign_runtime,
            is_targetsync: kind == TARGET_SYNC,
            queue: Mutex::default(),
            callbacks: Mutex::default(),
            owner,
            used: AtomicBool::new(true),
        };
        Some(match object.is_targetsync {
            true => object.stream().map(|_| object),
            false => Ok(object),
        })
    }

    /// The stream, made when there is none. clang 22 drops `targetsync` where `target` stands too, so every object can
    /// have one.
    fn stream(&self) -> DeviceResult<QueueHandle> {
        let mut queue = lock(&self.queue);
        if let Some(queue) = *queue {
            return Ok(queue);
        }
        let mut idle = lock(&IDLE_QUEUES);
        let pooled = idle.iter().position(|(device, _)| *device == self.device.id);
        let made = match pooled {
            Some(index) => idle.swap_remove(index).1,
            None => {
                self.device.device.bind()?;
                self.device.device.create_queue()?
            }
        };
        *queue = Some(made);
        Ok(made)
    }

    /// Waits for the work in the stream, then tells the program's functions.
    fn synchronize(&self, address: usize) {
        let queue = *lock(&self.queue);
        if let Some(queue) = queue {
            let device = &self.device.device;
            if let Err(error) = device.bind().and_then(|()| device.synchronize(queue)) {
                info::error(error);
                fatal(&format!("Interop sync barrier failed for {address:#x} object"));
            }
        }
        self.used.store(false, Ordering::Relaxed);
        let callbacks = core::mem::take(&mut *lock(&self.callbacks));
        for (function, data) in callbacks {
            // SAFETY: the program gave the function together with its argument.
            unsafe { function(address as *mut c_void, data as *mut c_void) };
        }
    }
}

impl Drop for Interop {
    /// Every object is synchronized before it is dropped, so its stream is idle.
    fn drop(&mut self) {
        if let Some(queue) = lock(&self.queue).take() {
            lock(&IDLE_QUEUES).push((self.device.id, queue));
        }
    }
}

/// The foreign runtime that a program gets: its first wish that can be met, else CUDA.
fn choose(preferences: &[Preference]) -> ForeignRuntime {
    let known = |preference: &Preference| match preference.foreign_runtime {
        1 => Some(ForeignRuntime::Cuda),
        2 => Some(ForeignRuntime::CudaDriver),
        _ => None,
    };
    preferences.iter().find_map(known).unwrap_or(ForeignRuntime::Cuda)
}

/// `__tgt_interop_get`, the `init` clause: null (`omp_interop_none`) when there is no device, or it has no interface of
/// its own.
///
/// # Safety
/// `preferences` has as many elements as it says, and the lists of `dependences` too; the construct's thread is this.
pub unsafe fn get(
    ident: *const Ident,
    kind: i32,
    device: i64,
    (preference_count, preferences): (i32, *const Preference),
    construct: Construct,
    dependences: Dependences,
) -> *mut c_void {
    let runtime = runtime();
    if runtime.policy() == Policy::Disabled {
        return null_mut();
    }
    if kind != TARGET && kind != TARGET_SYNC {
        info::error(format_args!("interop: there is no interop type {kind}; target is 1, targetsync 2"));
        return null_mut();
    }
    let number = match device {
        DEFAULT_DEVICE => libomp::default_device(),
        number => c_int::try_from(number).unwrap_or(c_int::MIN),
    };
    // Work that the program gives to the stream comes after the construct's predecessors.
    // SAFETY: the contract of this function.
    unsafe { dependences.wait(ident, construct.thread) };
    let Place::Device(device) = place(number) else { return null_mut() };
    let wishes = match usize::try_from(preference_count) {
        // SAFETY: as long as it says, by the contract.
        Ok(count) if count > 0 && !preferences.is_null() => unsafe {
            core::slice::from_raw_parts(preferences, count)
        },
        _ => &[],
    };
    let foreign_runtime = choose(wishes);
    let owner = construct.has(Construct::IMPLICIT).then_some(construct.thread);
    if owner.is_some() {
        let fits = |object: &Interop| {
            object.owner == owner
                && object.device.id == device.id
                && object.foreign_runtime == foreign_runtime
                && object.is_targetsync == (kind == TARGET_SYNC)
        };
        if let Some((address, object)) = lock(&LIVING).iter().find(|(_, object)| fits(object)) {
            object.used.store(true, Ordering::Relaxed);
            return *address as *mut c_void;
        }
    }
    match Interop::new(device, kind, foreign_runtime, owner) {
        Some(Ok(object)) => {
            let object = Arc::new(object);
            let address = Arc::as_ptr(&object) as usize;
            IMPLICIT.fetch_add(owner.is_some().into(), Ordering::Relaxed);
            lock(&LIVING).insert(address, object);
            address as *mut c_void
        }
        Some(Err(error)) => {
            info::error(error);
            null_mut()
        }
        None => null_mut(),
    }
}

/// `__tgt_interop_use60`, the `use` clause: waits until the work in the object's stream is complete. With `nowait` a
/// target task waits, on which later tasks may depend.
///
/// # Safety
/// As for [`get`].
pub unsafe fn use_object(
    ident: *const Ident,
    object: *mut c_void,
    construct: Construct,
    dependences: Dependences,
) -> c_int {
    match living(object) {
        // SAFETY: the contract of this function.
        Some(found) => unsafe { complete(ident, object as usize, found, construct, dependences) },
        None => missing("use", object),
    }
}

/// `__tgt_interop_release`, the `destroy` clause: as [`use_object`], and the object is gone.
///
/// # Safety
/// As for [`get`].
pub unsafe fn release(
    ident: *const Ident,
    object: *mut c_void,
    construct: Construct,
    dependences: Dependences,
) -> c_int {
    let removed = lock(&LIVING).remove(&(object as usize));
    match removed {
        Some(found) => {
            IMPLICIT.fetch_sub(found.owner.is_some().into(), Ordering::Relaxed);
            // SAFETY: the contract of this function.
            unsafe { complete(ident, object as usize, found, construct, dependences) }
        }
        None => missing("destroy", object),
    }
}

/// Nothing is done with an object that is none; one that is unknown is told.
fn missing(clause: &str, object: *mut c_void) -> c_int {
    if !object.is_null() {
        info::error(format_args!("interop: {clause}({object:p}): there is no such interop object"));
    }
    FAIL
}

/// # Safety
/// As for [`get`].
unsafe fn complete(
    ident: *const Ident,
    address: usize,
    object: Arc<Interop>,
    construct: Construct,
    dependences: Dependences,
) -> c_int {
    // SAFETY: the contract of this function.
    unsafe { dependences.wait(ident, construct.thread) };
    if construct.has(Construct::NOWAIT) {
        let work = {
            let object = object.clone();
            move || object.synchronize(address)
        };
        // SAFETY: the contract of this function.
        if libomp::target_task(Box::new(work), &unsafe { dependences.all() }) {
            return SUCCESS;
        }
    }
    object.synchronize(address);
    SUCCESS
}

/// `__tgt_target_sync`: libomp calls it where the tasks of a thread have to be complete.
pub fn target_sync(thread: i32) {
    if IMPLICIT.load(Ordering::Relaxed) == 0 {
        return;
    }
    let of_thread = |object: &Interop| object.owner == Some(thread) && object.used.load(Ordering::Relaxed);
    let objects: Vec<_> = lock(&LIVING)
        .iter()
        .filter(|(_, object)| of_thread(object))
        .map(|(address, object)| (*address, object.clone()))
        .collect();
    objects.iter().for_each(|(address, object)| object.synchronize(*address));
}

/// `ompx_interop_add_completion_callback`: `function(object, data)` runs once, when the object's work is complete.
pub fn add_completion_callback(object: *mut c_void, function: Option<Callback>, data: *mut c_void) -> c_int {
    match (living(object), function) {
        (Some(object), Some(function)) => {
            lock(&object.callbacks).push((function, data as usize));
            properties::code::SUCCESS
        }
        _ => properties::code::OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_known_wish_is_met() {
        let wish = |foreign_runtime| Preference { foreign_runtime, attributes: 1, own_attributes: 0 };
        for (wishes, expected) in [
            (&[][..], ForeignRuntime::Cuda),
            (&[wish(5), wish(3)], ForeignRuntime::Cuda),
            (&[wish(5), wish(2), wish(1)], ForeignRuntime::CudaDriver),
            (&[wish(1), wish(2)], ForeignRuntime::Cuda),
        ] {
            assert_eq!(choose(wishes), expected);
        }
    }

    #[test]
    fn layouts_are_those_of_llvm() {
        assert_eq!((size_of::<Preference>(), size_of::<Construct>(), size_of::<Dependences>()), (16, 12, 32));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        let nowhere = 0x10 as *mut c_void;
        let construct = Construct { version: 0, flags: 0, thread: 0 };
        for object in [nowhere, null_mut()] {
            // SAFETY: no dependences.
            unsafe {
                assert_eq!(use_object(null(), object, construct, Dependences::NONE), FAIL);
                assert_eq!(release(null(), object, construct, Dependences::NONE), FAIL);
            }
            assert_eq!(add_completion_callback(object, None, null_mut()), properties::code::OTHER);
        }
    }
}
