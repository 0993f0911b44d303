//! Initialisation, the devices, and what it answers about itself.

use super::error::{CUresult, CuResult, put, put_if_wanted, text};
use super::per_thread;
use super::state::{Driver, check_device, driver, initialize};
use super::types::{CUdevice, CUuuid, c_char, c_int, c_uint, c_void};
use crate::device::{MAX_BLOCK, MAX_GRID, MAX_SHARED, MAX_STATIC_SHARED, MAX_THREADS};
use crate::host_memory;

/// Driver version: CUDA 13.0.
const DRIVER_VERSION: c_int = 13000;
/// Name of the device.
pub(super) const NAME: &str = "SIMT device (CPU)";
/// `SIMT` and a random rest, in the form of a version 4 identifier: the same in every process, as a GPU's is. The last byte
/// counts devices.
const UUID: [u8; 16] =
    [b'S', b'I', b'M', b'T', 0x6f, 0x70, 0x45, 0x2d, 0x9b, 0x1c, 0x5a, 0xe0, 0x33, 0x84, 0xd1, 0x07];

/// Multiprocessors that the device reports.
pub(super) const MULTIPROCESSORS: c_int = 4;
/// Threads of a warp.
pub(super) const WARP: u32 = 32;
/// Bytes of shared memory of a multiprocessor.
pub(super) const SHARED_PER_MULTIPROCESSOR: u32 = 228 << 10;
/// Bytes of shared memory that the system keeps of each block.
pub(super) const SHARED_RESERVED: u32 = 1 << 10;
/// Threads of a multiprocessor.
pub(super) const THREADS_PER_MULTIPROCESSOR: u32 = 2048;
/// Blocks of a multiprocessor.
pub(super) const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;

/// First number behind the device attributes of CUDA 13.0.
const ATTRIBUTES_END: c_int = 149;

/// `cuInit`
pub(super) fn init(flags: c_uint) -> CuResult {
    if flags != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    initialize()
}

/// `cuDriverGetVersion`, which needs no `cuInit`.
pub(super) unsafe fn driver_version(version: *mut c_int) -> CuResult {
    // SAFETY: null or valid, as the API demands.
    unsafe { put(version, DRIVER_VERSION) }
}

/// `cuDeviceGetCount`
pub(super) unsafe fn count(count: *mut c_int) -> CuResult {
    let devices = driver()?.devices;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(count, devices) }
}

/// `cuDeviceGet`
pub(super) unsafe fn get(device: *mut CUdevice, ordinal: c_int) -> CuResult {
    driver()?;
    check_device(ordinal)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(device, ordinal) }
}

/// `cuDeviceGetName`: cut to `bytes` bytes, the terminator included.
pub(super) unsafe fn name(to: *mut c_char, bytes: c_int, device: CUdevice) -> CuResult {
    driver()?;
    check_device(device)?;
    // SAFETY: the caller has `bytes` bytes there, or null.
    unsafe { put_cut(to, bytes, NAME) }
}

/// Writes a text, cut to `bytes` bytes with its terminator.
///
/// # Safety
/// `to` is null or has `bytes` bytes.
unsafe fn put_cut(to: *mut c_char, bytes: c_int, text: &str) -> CuResult {
    if to.is_null() || bytes <= 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    let length = text.len().min(bytes as usize - 1);
    // SAFETY: the caller has `bytes` bytes there, and `length` is less.
    unsafe {
        to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), length);
        to.add(length).write(0);
    }
    Ok(())
}

/// `cuDeviceGetUuid`
pub(super) unsafe fn uuid(uuid: *mut CUuuid, device: CUdevice) -> CuResult {
    driver()?;
    check_device(device)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(uuid, CUuuid { bytes: uuid_of(device) }) }
}

const fn uuid_of(device: CUdevice) -> [u8; 16] {
    let mut bytes = UUID;
    bytes[15] = bytes[15].wrapping_add(device as u8);
    bytes
}

/// `cuDeviceTotalMem`
pub(super) unsafe fn total_memory(bytes: *mut usize, device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(bytes, driver.device.memory_info().1 as usize) }
}

/// `cuDeviceGetAttribute`
pub(super) unsafe fn attribute(value: *mut c_int, attribute: c_int, device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    let found = attribute_value(driver, attribute).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(value, found) }
}

/// Value of a `CUdevice_attribute`. Sizes are those of compute capability 9.0; a feature that is not listed is one that
/// the device does not have.
fn attribute_value(driver: &Driver, attribute: c_int) -> Option<c_int> {
    let (major, minor) = driver.device.config().compute_capability;
    Some(match attribute {
        1 => MAX_THREADS as c_int,
        2..=4 => MAX_BLOCK[attribute as usize - 2] as c_int,
        5..=7 => MAX_GRID[attribute as usize - 5] as c_int,
        8 => MAX_STATIC_SHARED as c_int,
        9 => 64 << 10, // constant memory
        10 => WARP as c_int,
        11 => i32::MAX,       // pitch of a copy
        12 | 82 => 64 << 10,  // registers of a block, of a multiprocessor
        13 | 36 => 1_000_000, // clocks, in kHz: the timers count nanoseconds
        14 | 30 | 51 => 512,  // alignments of textures and surfaces
        16 => MULTIPROCESSORS,
        19 | 41 => 1,  // host memory of cuMemHostAlloc is device memory; one address space
        31 => 1,       // kernels of different streams may run at once
        37 => 64,      // bits of the memory bus
        38 => 1 << 20, // bytes of L2 cache
        39 => THREADS_PER_MULTIPROCESSOR as c_int,
        75 => major as c_int,
        76 => minor as c_int,
        79 | 80 => 1, // L1 caches of global and local memory
        81 => SHARED_PER_MULTIPROCESSOR as c_int,
        88 => host_memory::is_shared().into(), // pageable memory of the host
        83 | 86 | 89 | 101 => 1, // managed memory; host atomics on it; both sides at once; directly
        87 => 2,                 // single to double precision throughput
        90 => 1,                 // threads are preempted
        97 => MAX_SHARED as c_int,
        99 => 1, // cuMemHostRegister
        106 => BLOCKS_PER_MULTIPROCESSOR as c_int,
        111 => SHARED_RESERVED as c_int,
        115 => 1, // cuMemAllocAsync
        _ if (1..ATTRIBUTES_END).contains(&attribute) => 0,
        _ => return None,
    })
}

/// Where a device would stand: domain 0, a bus of its own, device 0.
fn pci_bus_id_of(device: CUdevice) -> String {
    format!("0000:{device:02x}:00.0")
}

/// `cuDeviceGetPCIBusId`: cut to `bytes` bytes, the terminator included.
pub(super) unsafe fn pci_bus_id(to: *mut c_char, bytes: c_int, device: CUdevice) -> CuResult {
    driver()?;
    check_device(device)?;
    // SAFETY: the caller has `bytes` bytes there, or null.
    unsafe { put_cut(to, bytes, &pci_bus_id_of(device)) }
}

/// `cuDeviceGetByPCIBusId`: the domain and the function may be left out.
pub(super) unsafe fn by_pci_bus_id(device: *mut CUdevice, text_of: *const c_char) -> CuResult {
    let devices = driver()?.devices;
    // SAFETY: null or a C string, as the API demands.
    let name = unsafe { text(text_of)? }.to_str().map_err(|_| CUresult::INVALID_VALUE)?;
    let is_name = |&device: &CUdevice| {
        let bus = format!("{device:02x}:00");
        name.trim_end_matches(".0").trim_start_matches("0000:") == bus
    };
    let found = (0..devices).find(is_name).ok_or(CUresult::INVALID_DEVICE)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(device, found) }
}

/// `cuGetExportTable`: NVIDIA's own libraries ask for tables of undocumented functions, and there is none here.
pub(super) unsafe fn export_table(table: *mut *const c_void) -> CuResult {
    // SAFETY: null or valid, as the API demands.
    unsafe { put(table, std::ptr::null())? };
    Err(CUresult::NOT_FOUND)
}

/// `cuDeviceCanAccessPeer`: all others are peers.
pub(super) unsafe fn can_access_peer(can: *mut c_int, device: CUdevice, peer: CUdevice) -> CuResult {
    driver()?;
    check_device(device)?;
    check_device(peer)?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(can, (device != peer).into()) }
}

/// `cuGetProcAddress`: the newest form of an entry that a client of CUDA `version` knows. The status, if it is wanted,
/// is 0 for found, 1 for no such entry, 2 for an entry that is younger than the client.
pub(super) unsafe fn proc_address(
    symbol: *const c_char,
    function: *mut *mut c_void,
    version: c_int,
    flags: u64,
    status: *mut c_int,
) -> CuResult {
    // SAFETY: null or a C string, as the API demands.
    let symbol = unsafe { text(symbol)? };
    // 0 and 1 ask for entries with the common default stream, 2 for those with a default stream for each thread.
    let own_stream = match flags {
        0 | 1 => false,
        2 => true,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    let found = symbol.to_str().ok().map_or(Err(false), |name| newest(name, version, own_stream));
    let (pointer, state, result) = match found {
        Ok(pointer) => (pointer, 0, Ok(())),
        Err(false) => (std::ptr::null(), 1, Err(CUresult::NOT_FOUND)),
        Err(true) => (std::ptr::null(), 2, Err(CUresult::NOT_FOUND)),
    };
    // SAFETY: null or valid, as the API demands.
    unsafe {
        put_if_wanted(status, state);
        put(function, pointer.cast_mut())?;
    }
    result
}

/// Since which CUDA version the later forms of entries exist; all other forms are as old as any client.
const SINCE: [(&str, c_int); 15] = [
    ("cuCtxCreate_v3", 11040),
    ("cuCtxCreate_v4", 12050),
    ("cuDeviceGetUuid_v2", 11040),
    ("cuEventElapsedTime_v2", 12080),
    ("cuGetProcAddress_v2", 12000),
    ("cuMemAdvise_v2", 12020),
    ("cuMemPrefetchAsync_v2", 12020),
    ("cuMemPrefetchAsync_v2_ptsz", 12020),
    ("cuFuncGetModule", 11000),
    ("cuFuncGetName", 12030),
    ("cuFuncGetParamInfo", 12040),
    ("cuModuleGetLoadingMode", 11070),
    ("cuLaunchKernelEx", 11060),
    ("cuOccupancyMaxActiveClusters", 11070),
    ("cuOccupancyMaxPotentialClusterSize", 11070),
];

/// The newest form, of an entry that has one with the default stream of the thread that one if it is wanted; `Err` says
/// whether there is one that is too young.
fn newest(name: &str, version: c_int, own_stream: bool) -> Result<*const c_void, bool> {
    let forms = ["_v4", "_v3", "_v2", ""].map(|suffix| format!("{name}{suffix}"));
    let known: Vec<_> = forms.iter().filter_map(|form| Some((form, entry(form, own_stream)?))).collect();
    let since = |form: &str| SINCE.iter().find(|(name, _)| *name == form).map_or(0, |(_, since)| *since);
    let fit = known.iter().find(|(form, _)| since(form) <= version);
    fit.map(|(_, pointer)| *pointer).ok_or(!known.is_empty())
}

fn entry(name: &str, own_stream: bool) -> Option<*const c_void> {
    let own = || ["_ptsz", "_ptds"].iter().find_map(|suffix| per_thread::find(&format!("{name}{suffix}")));
    own_stream.then(own).flatten().or_else(|| super::find(name)).or_else(|| per_thread::find(name))
}
