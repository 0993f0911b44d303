//! Device numbers and identities, and which host memory a device has (OpenMP 5.2, 18.7 and 18.8; 6.0 for the
//! identities).

use super::llvm::{Place, place, place_of_table};
use super::{FAIL, SUCCESS, refuse};
use crate::device::DevicePtr;
use crate::info;
use crate::location::MapName;
use crate::lock;
use crate::offload::OffloadDevice;
use crate::register::Library;
use crate::runtime::runtime;
use crate::table::Lookup;
use crate::tool::{self, Copied, Work};
use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::{null, null_mut};
use std::ffi::CString;
use std::sync::OnceLock;

/// `omp_get_num_devices`. libomp has the same name and forwards to this one.
pub fn get_num_devices() -> c_int {
    runtime().usable_devices() as c_int
}

/// `omp_get_initial_device`, and `omp_get_device_num` of the host: the number behind the last device.
pub fn get_initial_device() -> c_int {
    get_num_devices()
}

/// `omp_target_is_present`: whether the byte at a host address is mapped. Its size is not known, so one byte stands
/// for the whole.
pub fn target_is_present(host: *const c_void, device: c_int) -> c_int {
    if host.is_null() {
        return 0;
    }
    match place_of_table(device) {
        Place::Host => 1,
        Place::Device(offload) => offload.mapped_address(host as usize).is_some().into(),
        Place::Nowhere => 0,
    }
}

/// `omp_get_mapped_ptr`: the device address of a host address, null when it is not mapped.
pub fn get_mapped_ptr(host: *const c_void, device: c_int) -> *mut c_void {
    if host.is_null() {
        return null_mut();
    }
    match place_of_table(device) {
        Place::Host => host.cast_mut(),
        Place::Device(offload) => {
            offload.mapped_address(host as usize).map_or(null_mut(), |address| address.0 as *mut c_void)
        }
        Place::Nowhere => null_mut(),
    }
}

/// `omp_target_is_accessible`: whether a device can access host memory by its own address, without a map. OpenMP 6.0
/// also asks about memory of the device, which is accessible too.
pub fn target_is_accessible(address: *const c_void, bytes: usize, device: c_int) -> c_int {
    if address.is_null() {
        return 0;
    }
    match place(device) {
        Place::Host => 1,
        Place::Device(offload) => {
            (offload.shares_memory() || offload.device.is_accessible(address as usize, bytes)).into()
        }
        Place::Nowhere => 0,
    }
}

/// `omp_get_gprivate_limit` (OpenMP 6.1): most bytes of memory of a team, static and dynamic; 0 for the host and for what is no device.
pub fn get_gprivate_limit(device: c_int) -> usize {
    match place(device) {
        Place::Device(offload) => offload.device.properties().shared_memory as usize,
        Place::Host | Place::Nowhere => 0,
    }
}

/// `omp_invalid_device` of LLVM's header.
const INVALID_DEVICE: c_int = -2;

/// Identity of the initial device, as LLVM gives it.
const HOST_UID: &CStr = c"HOST";

/// Identities of the devices, in LLVM's form: the interface and the device's identity there.
fn uids() -> &'static [CString] {
    static UIDS: OnceLock<Vec<CString>> = OnceLock::new();
    UIDS.get_or_init(|| {
        let mut of_this_cpu = 0;
        let mut uid = |offload: &OffloadDevice| {
            let uuid = offload.device.foreign().map(|own| own.uuid());
            let text = match uuid {
                Some(Ok(uuid)) => {
                    uuid.iter().fold("CUDA-".to_owned(), |text, byte| text + &format!("{byte:02x}"))
                }
                Some(Err(error)) => {
                    info::error(error);
                    format!("{}-{}", offload.device.properties().name, offload.id)
                }
                // There is nothing to tell them apart by but their numbers among themselves.
                None => {
                    of_this_cpu += 1;
                    format!("x86_64-{}", of_this_cpu - 1)
                }
            };
            CString::new(text).unwrap_or_default()
        };
        runtime().devices().iter().map(&mut uid).collect()
    })
}

/// `omp_get_uid_from_device` (OpenMP 6.0): a text that stays valid; null for a number that is no device's.
pub fn get_uid_from_device(device: c_int) -> *const c_char {
    if device == INVALID_DEVICE {
        return null();
    }
    match place(device) {
        Place::Host => HOST_UID.as_ptr(),
        Place::Device(offload) => uids()[offload.id as usize].as_ptr(),
        Place::Nowhere => null(),
    }
}

/// `omp_get_device_from_uid` (OpenMP 6.0); `omp_invalid_device` when no device has this identity.
///
/// # Safety
/// `uid` is null or a C string.
pub unsafe fn get_device_from_uid(uid: *const c_char) -> c_int {
    if uid.is_null() {
        return INVALID_DEVICE;
    }
    // SAFETY: not null, so a C string by the contract.
    let uid = unsafe { CStr::from_ptr(uid) };
    if uid == HOST_UID {
        return get_initial_device();
    }
    let usable = &uids()[..runtime().usable_devices()];
    usable.iter().position(|known| known.as_c_str() == uid).map_or(INVALID_DEVICE, |number| number as c_int)
}

/// `omp_target_associate_ptr`: maps host memory to device memory of the program, until it is disassociated.
pub fn target_associate_ptr(
    host: *const c_void,
    device_address: *const c_void,
    bytes: usize,
    offset: usize,
    device: c_int,
) -> c_int {
    if host.is_null() || device_address.is_null() || bytes == 0 {
        return refuse("omp_target_associate_ptr", "needs two addresses and a size");
    }
    let Place::Device(offload) = place(device) else {
        return refuse("omp_target_associate_ptr", "needs a device other than the host");
    };
    let (host, target) = (host as usize, DevicePtr(device_address as u64).offset(offset));
    let name = MapName::default();
    let _scope = tool::begin(offload.id, || Work::Associate(Copied { host, device: target, bytes, name }));
    let mut table = lock(&offload.table);
    match table.lookup(host, bytes) {
        Lookup::Absent => {
            table.insert_permanent(host, bytes, target);
            SUCCESS
        }
        Lookup::Contained(key) | Lookup::Overlaps(key) => {
            let same = table.get(key).is_some_and(|entry| {
                entry.dynamic_count().is_infinite()
                    && (entry.begin, entry.end) == (host, host + bytes)
                    && entry.device_begin == target
            });
            if same { SUCCESS } else { refuse("omp_target_associate_ptr", "the memory is mapped already") }
        }
    }
}

/// `omp_target_disassociate_ptr`.
pub fn target_disassociate_ptr(host: *const c_void, device: c_int) -> c_int {
    let Place::Device(offload) = place(device) else {
        return refuse("omp_target_disassociate_ptr", "needs a device other than the host");
    };
    let is_global = |library: &Library| {
        library.globals().chain(library.indirect()).any(|entry| entry.address == host as usize)
    };
    if runtime().registry().read().libraries().iter().any(is_global) {
        return refuse("omp_target_disassociate_ptr", "the address is that of a declare target variable");
    }
    let mut table = lock(&offload.table);
    let _scope = tool::begin(offload.id, || Work::Disassociate { host: host as usize });
    let why = match table.get(host as usize) {
        None => "Association not found",
        Some(entry) if !entry.hold_count().is_zero() => {
            "Trying to disassociate a pointer with a non-zero hold reference count"
        }
        Some(entry) if entry.dynamic_count().is_infinite() => {
            table.remove(host as usize);
            return SUCCESS;
        }
        Some(_) => "Trying to disassociate a pointer which was not mapped via omp_target_associate_ptr",
    };
    info::error(why);
    FAIL
}
