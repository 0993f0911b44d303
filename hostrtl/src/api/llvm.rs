//! LLVM's extensions: memory of a given kind.

use crate::device::{AllocKind, DevicePtr};
use crate::error::Result;
use crate::info::{self, InfoFlags};
use crate::offload::OffloadDevice;
use crate::runtime::{Runtime, runtime};
use crate::tool::{self, Work, allocations};
use core::ffi::{CStr, c_int, c_void};
use core::ptr::null_mut;

/// `llvm_omp_target_alloc_{device,host,shared}`, and `omp_target_alloc` with [`AllocKind::Device`]: null on failure.
/// Memory for the initial device is plain memory of the host.
pub fn alloc(bytes: usize, device: c_int, kind: AllocKind) -> *mut c_void {
    if bytes == 0 {
        return null_mut();
    }
    match place(device) {
        // SAFETY: malloc has no preconditions.
        Place::Host => unsafe { libc::malloc(bytes) },
        Place::Device(offload) => {
            let mut scope = tool::begin(offload.id, || Work::Allocate { host: 0, bytes });
            match offload.memory.alloc_apart(offload.device.as_ref(), bytes, kind) {
                Ok(address) => {
                    scope.allocated(address);
                    allocations::allocated(address.0, bytes);
                    address.0 as *mut c_void
                }
                Err(error) => {
                    info::error(error);
                    null_mut()
                }
            }
        }
        Place::Nowhere => null_mut(),
    }
}

/// `llvm_omp_target_free_{device,host,shared}` and `omp_target_free`.
///
/// # Safety
/// `address` is null or came from [`alloc`] with the same device and kind.
pub unsafe fn free(address: *mut c_void, device: c_int, kind: AllocKind) {
    if address.is_null() {
        return;
    }
    match place(device) {
        // SAFETY: it came from malloc, by the contract.
        Place::Host => unsafe { libc::free(address) },
        Place::Device(offload) => {
            let _scope = tool::begin(offload.id, || Work::Free(DevicePtr(address as u64)));
            match offload.device.free(DevicePtr(address as u64), kind) {
                Ok(()) => allocations::freed(address as u64),
                Err(error) => {
                    info::error(error);
                    info::error(allocations::explain(address as u64));
                }
            }
        }
        Place::Nowhere => {}
    }
}

/// `llvm_omp_target_lock_mem`: page-locks memory of the host. The result is its address for kernels; null on failure.
pub fn lock_mem(address: *mut c_void, bytes: usize, device: c_int) -> *mut c_void {
    if address.is_null() || bytes == 0 {
        return null_mut();
    }
    match place(device) {
        Place::Host => address,
        Place::Device(offload) => match offload.device.foreign().map(|own| own.lock(address as usize, bytes))
        {
            Some(Ok(mapped)) => mapped.0 as *mut c_void,
            Some(Err(error)) => {
                info::error(error);
                null_mut()
            }
            // A device in the host's own memory.
            None => address,
        },
        Place::Nowhere => null_mut(),
    }
}

/// `llvm_omp_target_unlock_mem`.
pub fn unlock_mem(address: *mut c_void, device: c_int) {
    if address.is_null() {
        return;
    }
    if let Place::Device(offload) = place(device)
        && let Some(Err(error)) = offload.device.foreign().map(|own| own.unlock(address as usize))
    {
        info::error(error);
    }
}

/// `__tgt_set_info_flag`: the bits of `LIBOMPTARGET_INFO` from now on.
pub fn set_info_flag(flags: u32) {
    runtime().set_info(InfoFlags(flags));
}

/// `__tgt_print_device_info`: what the device is, on standard output. Gives 1, or 0 when there is no such device.
pub fn print_device_info(device: i64) -> c_int {
    let number = c_int::try_from(device).unwrap_or(c_int::MAX);
    let Place::Device(offload) = place(number) else { return 0 };
    let properties = offload.device.properties();
    let mut lines = vec![
        ("name", properties.name.clone()),
        ("interface", properties.backend.to_string()),
        ("architecture", properties.arch.to_string()),
        ("threads of a block", properties.max_threads.to_string()),
        ("blocks", properties.max_blocks.to_string()),
        ("threads at once", properties.hardware_parallelism.to_string()),
    ];
    if let Ok(Some((free, total))) = offload.device.memory() {
        lines.push(("memory in bytes", format!("{free} of {total} free")));
    }
    // SAFETY: a C string of the runtime.
    let uid = unsafe { CStr::from_ptr(super::omp::get_uid_from_device(number)) };
    lines.push(("identity", uid.to_string_lossy().into_owned()));
    let text: String = lines.iter().map(|(what, value)| format!("    {what}: {value}\n")).collect();
    info::write_output(&format!("Device ({device}):\n{text}"));
    1
}

/// Where a device number leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'d> {
    /// The initial device.
    Host,
    /// A device, ready for this thread.
    Device(&'d OffloadDevice),
    /// No device of this number, or one that failed; that has been told.
    Nowhere,
}

/// `omp_initial_device` (OpenMP 5.2, 18.1).
const INITIAL_DEVICE: c_int = -1;

/// The place of a device number of an API call. Unlike constructs, calls report failures by their result.
pub(crate) fn place(number: c_int) -> Place<'static> {
    place_with(number, Runtime::prepare)
}

/// The place of a device number of a call that only asks the mapping table.
pub(crate) fn place_of_table(number: c_int) -> Place<'static> {
    place_with(number, Runtime::prepare_table)
}

fn place_with(number: c_int, prepare: impl Fn(&Runtime, &OffloadDevice) -> Result<()>) -> Place<'static> {
    if number == INITIAL_DEVICE {
        return Place::Host;
    }
    let runtime = runtime();
    let usable = runtime.usable_devices();
    match usize::try_from(number) {
        Ok(number) if number == usable => Place::Host,
        Ok(number) if number < usable => {
            let device = &runtime.devices()[number];
            match prepare(runtime, device) {
                Ok(()) => Place::Device(device),
                Err(error) => {
                    error.report();
                    Place::Nowhere
                }
            }
        }
        _ => {
            info::error(format_args!(
                "device number '{number}' out of range, only {usable} devices available"
            ));
            Place::Nowhere
        }
    }
}
