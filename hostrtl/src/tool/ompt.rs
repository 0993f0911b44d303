//! OMPT, the tools interface (OpenMP 6.0, part 5): callbacks about constructs and devices for a tool that libomp found.
//!
//! libomp starts the tool and keeps its callbacks. This library introduces itself to libomp by `ompt_libomp_connect` and
//! takes over the callbacks that it is to call. Which callback comes when, with what arguments, follows LLVM 22, the
//! direction of LLVM 19 (`ompt_libomptarget_connect`) included.

mod connection;

pub use connection::{StartToolResult, connect, libomptarget_connect};

use super::{Construct, Copied, Exchanged, Work};
use crate::device::DevicePtr;
use crate::runtime::runtime;
use connection::{Data, GetData, callbacks, connection};
use core::cell::RefCell;
use core::ffi::{c_int, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU64, Ordering};
use std::ffi::CString;

/// `ompt_scope_endpoint_t`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    Begin = 1,
    End = 2,
}

/// `ompt_target_data_op_t`.
#[derive(Clone, Copy)]
enum DataOperation {
    Alloc = 1,
    ToDevice = 2,
    FromDevice = 3,
    Delete = 4,
    Associate = 5,
    Disassociate = 6,
}

/// No device (omp.h: `omp_initial_device`): LLVM gives it where a deletion has no destination.
const INITIAL_DEVICE: c_int = -1;

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

fn next_id() -> u64 {
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// What the tool knows of this thread's construct.
struct Region {
    task_data: *mut Data,
    target_task_data: *mut Data,
    target_data: Data,
    operation: u64,
    /// Where the program called the runtime.
    caller: *const c_void,
    /// Constructs at work, one inside the other.
    depth: u32,
}

thread_local! {
    static REGION: RefCell<Region> = const {
        RefCell::new(Region {
            task_data: null_mut(),
            target_task_data: null_mut(),
            target_data: 0,
            operation: 0,
            caller: core::ptr::null(),
            depth: 0,
        })
    };
}

/// A piece of work begins.
pub fn begin(device: c_int, work: &Work<'_>) {
    if let Work::Construct(construct, _) = work {
        construct_begins(*construct, device);
    } else {
        operation(Endpoint::Begin, device, work, DevicePtr::default());
    }
}

/// A piece of work has ended.
pub fn end(device: c_int, work: &Work<'_>, allocated: DevicePtr) {
    if let Work::Construct(construct, _) = work {
        construct_ends(*construct, device);
    } else {
        operation(Endpoint::End, device, work, allocated);
    }
}

/// `ompt_target_t`.
const fn kind(construct: Construct) -> c_int {
    match construct {
        Construct::Target => 1,
        Construct::EnterData => 2,
        Construct::ExitData => 3,
        Construct::Update => 4,
    }
}

fn construct_begins(construct: Construct, device: c_int) {
    let Some(connection) = connection() else { return };
    // SAFETY: functions of libomp without preconditions.
    let data = |get: Option<GetData>| get.map_or(null_mut(), |get| unsafe { get() });
    REGION.with_borrow_mut(|region| {
        region.depth += 1;
        if region.depth == 1 {
            region.task_data = data(connection.task_data);
            region.target_task_data = data(connection.target_task_data);
            region.target_data = 0;
            region.caller = caller();
        }
    });
    construct_callback(construct, device, Endpoint::Begin);
}

fn construct_ends(construct: Construct, device: c_int) {
    construct_callback(construct, device, Endpoint::End);
    REGION.with_borrow_mut(|region| {
        region.depth = region.depth.saturating_sub(1);
        if region.depth == 0 {
            region.task_data = null_mut();
            region.target_task_data = null_mut();
            region.target_data = 0;
            region.caller = core::ptr::null();
        }
    });
}

fn construct_callback(construct: Construct, device: c_int, endpoint: Endpoint) {
    let Some(callbacks) = callbacks() else { return };
    // The tool may call the runtime: nothing is borrowed while it runs.
    let (task, target_task, mut data, caller) = REGION.with_borrow_mut(|region| {
        if endpoint == Endpoint::Begin && callbacks.target_emi.is_none() {
            region.target_data = next_id();
        }
        (region.task_data, region.target_task_data, region.target_data, region.caller)
    });
    let (kind, endpoint) = (kind(construct), endpoint as c_int);
    if let Some(callback) = callbacks.target_emi {
        // SAFETY: the tool's function; libomp's data live as long as their tasks.
        unsafe { callback(kind, endpoint, device, task, target_task, &mut data, caller) };
        REGION.with_borrow_mut(|region| region.target_data = data);
    } else if let Some(callback) = callbacks.target {
        // SAFETY: as above.
        unsafe { callback(kind, endpoint, device, task, data, caller) };
    }
}

fn operation(endpoint: Endpoint, device: c_int, work: &Work<'_>, allocated: DevicePtr) {
    let address = |number: u64| number as *mut c_void;
    let host = |copied: &Copied<'_>| address(copied.host as u64);
    let (operation, from, to, bytes) = match work {
        Work::Launch(launched) => return submit(endpoint, launched.requested_teams),
        Work::Allocate { host, bytes } => (
            DataOperation::Alloc,
            (address(*host as u64), host_number()),
            (address(allocated.0), device),
            *bytes,
        ),
        Work::Free(block) => {
            (DataOperation::Delete, (address(block.0), device), (null_mut(), INITIAL_DEVICE), 0)
        }
        Work::ToDevice(copy) => (
            DataOperation::ToDevice,
            (host(copy), host_number()),
            (address(copy.device.0), device),
            copy.bytes,
        ),
        Work::FromDevice(copy) => (
            DataOperation::FromDevice,
            (address(copy.device.0), device),
            (host(copy), host_number()),
            copy.bytes,
        ),
        // The specification has no kind for it; LLVM says this.
        Work::OnDevices(Exchanged { from, to, bytes }) => {
            (DataOperation::FromDevice, (address(from.1.0), from.0), (address(to.1.0), to.0), *bytes)
        }
        Work::Associate(copy) => (
            DataOperation::Associate,
            (host(copy), host_number()),
            (address(copy.device.0), device),
            copy.bytes,
        ),
        Work::Disassociate { host } => {
            (DataOperation::Disassociate, (address(*host as u64), host_number()), (null_mut(), device), 0)
        }
        Work::Construct(..) | Work::Map | Work::Unmap | Work::Wait => return,
    };
    data_operation(endpoint, operation, from, to, bytes);
}

/// The host as device number.
fn host_number() -> c_int {
    runtime().usable_devices() as c_int
}

fn data_operation(
    endpoint: Endpoint,
    operation: DataOperation,
    from: (*mut c_void, c_int),
    to: (*mut c_void, c_int),
    bytes: usize,
) {
    let Some(callbacks) = callbacks() else { return };
    let (operation, task, mut data, mut id, caller) = REGION.with_borrow_mut(|region| {
        if endpoint == Endpoint::Begin && callbacks.data_op_emi.is_none() {
            region.operation = next_id();
        }
        let caller = if region.depth == 0 { caller() } else { region.caller };
        (operation as c_int, region.target_task_data, region.target_data, region.operation, caller)
    });
    if let Some(callback) = callbacks.data_op_emi {
        // SAFETY: the tool's function; libomp's data live as long as their tasks.
        unsafe {
            callback(
                endpoint as c_int,
                task,
                &mut data,
                &mut id,
                operation,
                from.0,
                from.1,
                to.0,
                to.1,
                bytes,
                caller,
            );
        }
        keep(data, id);
    } else if let (Some(callback), Endpoint::Begin) = (callbacks.data_op, endpoint) {
        // SAFETY: as above.
        unsafe { callback(data, id, operation, from.0, from.1, to.0, to.1, bytes, caller) };
    }
}

/// What an EMI callback wrote.
fn keep(data: Data, operation: u64) {
    REGION.with_borrow_mut(|region| {
        region.target_data = data;
        region.operation = operation;
    });
}

fn submit(endpoint: Endpoint, teams: u32) {
    let Some(callbacks) = callbacks() else { return };
    let (mut data, mut id) = REGION.with_borrow_mut(|region| {
        if endpoint == Endpoint::Begin && callbacks.submit_emi.is_none() {
            region.operation = next_id();
        }
        (region.target_data, region.operation)
    });
    if let Some(callback) = callbacks.submit_emi {
        // SAFETY: the tool's function.
        unsafe { callback(endpoint as c_int, &mut data, &mut id, teams) };
        keep(data, id);
    } else if let (Some(callback), Endpoint::Begin) = (callbacks.submit, endpoint) {
        // SAFETY: as above.
        unsafe { callback(data, id, teams) };
    }
}

/// A device is ready for use; `kind` is its architecture. Device tracing is not supported, hence no device handle.
pub fn device_initialized(device: c_int, kind: &str) {
    let Some(callback) = callbacks().and_then(|callbacks| callbacks.device_initialize) else { return };
    let kind = CString::new(kind).unwrap_or_default();
    // SAFETY: the tool's function; the text lives during the call.
    unsafe { callback(device, kind.as_ptr(), null_mut(), None, core::ptr::null()) };
}

/// An image has been loaded.
pub fn device_loaded(device: c_int, image: &[u8]) {
    let Some(callback) = callbacks().and_then(|callbacks| callbacks.device_load) else { return };
    let start = image.as_ptr().cast_mut().cast();
    // SAFETY: the tool's function; the image belongs to the program.
    unsafe { callback(device, core::ptr::null(), 0, null_mut(), image.len(), start, null_mut(), 0) };
}

/// An image goes.
pub fn device_unloaded(device: c_int) {
    let Some(callback) = callbacks().and_then(|callbacks| callbacks.device_unload) else { return };
    // SAFETY: the tool's function.
    unsafe { callback(device, 0) };
}

/// A device is used no more.
pub fn device_finalized(device: c_int) {
    let Some(callback) = callbacks().and_then(|callbacks| callbacks.device_finalize) else { return };
    // SAFETY: the tool's function.
    unsafe { callback(device) };
}

/// Where the program called the runtime: the first return address outside of this library.
fn caller() -> *const c_void {
    let mut frames = [null_mut(); 64];
    // SAFETY: a buffer of the length given.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), frames.len() as c_int) };
    let frames = &frames[..usize::try_from(count).unwrap_or(0)];
    let own = object_of(caller as *const c_void);
    frames.iter().copied().find(|frame| object_of(*frame) != own).unwrap_or(null_mut())
}

/// Begin of the program or library that an address of code lies in.
fn object_of(address: *const c_void) -> *mut c_void {
    // SAFETY: plain data, for which all zeros are a value.
    let mut info: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: any address may be asked for; a place for the result.
    unsafe { libc::dladdr(address, &mut info) };
    info.dli_fbase
}
