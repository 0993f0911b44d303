//! The table has what the known clients need; names lead to functions; the device answers about itself.

use super::*;
use std::collections::HashSet;
use std::ffi::CStr;

/// Names that a client links or resolves, without `cu`.
const CLIENTS: [(&str, &str); 5] = [
    (
        "libomptarget of LLVM 19",
        "CtxEnablePeerAccess CtxGetDevice CtxGetLimit CtxSetCurrent CtxSetLimit DeviceCanAccessPeer DeviceGet \
         DeviceGetAttribute DeviceGetCount DeviceGetName DevicePrimaryCtxGetState DevicePrimaryCtxRelease_v2 \
         DevicePrimaryCtxRetain DevicePrimaryCtxSetFlags_v2 DeviceTotalMem_v2 DriverGetVersion EventCreate \
         EventDestroy EventRecord EventSynchronize FuncGetAttribute GetErrorString Init LaunchKernel MemAllocAsync \
         MemAllocHost_v2 MemAllocManaged MemAlloc_v2 MemFreeAsync MemFreeHost MemFree_v2 MemcpyDtoDAsync_v2 \
         MemcpyDtoHAsync_v2 MemcpyDtoH_v2 MemcpyHtoDAsync_v2 MemcpyHtoD_v2 MemcpyPeerAsync ModuleGetFunction \
         ModuleGetGlobal_v2 ModuleLoadDataEx ModuleUnload StreamCreate StreamDestroy_v2 StreamQuery \
         StreamSynchronize StreamWaitEvent",
    ),
    (
        "libomptarget of LLVM 22, on top of 19",
        "DeviceGetUuid EventQuery FuncGetParamInfo FuncSetAttribute LaunchHostFunc MemsetD8Async MemsetD16Async \
         MemsetD32Async MemsetD2D8Async MemsetD2D16Async MemsetD2D32Async OccupancyMaxPotentialBlockSize \
         StreamAddCallback",
    ),
    (
        "cust 0.3.2",
        "Array3DCreate_v2 Array3DGetDescriptor_v2 ArrayDestroy CtxCreate_v2 CtxDestroy_v2 CtxGetApiVersion \
         CtxGetCacheConfig CtxGetCurrent CtxGetDevice CtxGetFlags CtxGetLimit CtxGetSharedMemConfig \
         CtxGetStreamPriorityRange CtxPopCurrent_v2 CtxPushCurrent_v2 CtxSetCacheConfig CtxSetCurrent CtxSetLimit \
         CtxSetSharedMemConfig CtxSynchronize DestroyExternalMemory DeviceGet DeviceGetAttribute DeviceGetCount \
         DeviceGetName DevicePrimaryCtxRelease_v2 DevicePrimaryCtxReset_v2 DevicePrimaryCtxRetain \
         DevicePrimaryCtxSetFlags_v2 DeviceTotalMem_v2 DriverGetVersion EventCreate EventDestroy_v2 \
         EventElapsedTime EventQuery EventRecord EventSynchronize ExternalMemoryGetMappedBuffer FuncGetAttribute \
         FuncSetCacheConfig FuncSetSharedMemConfig GetErrorString GraphAddKernelNode GraphCreate \
         GraphDebugDotPrint GraphDestroy GraphGetEdges GraphGetNodes GraphKernelNodeGetParams GraphNodeGetType \
         ImportExternalMemory Init LaunchHostFunc LaunchKernel LinkAddData_v2 LinkComplete LinkCreate_v2 \
         LinkDestroy MemAdvise MemAllocAsync MemAllocHost_v2 MemAllocManaged MemAlloc_v2 MemFreeAsync MemFreeHost \
         MemFree_v2 MemGetInfo_v2 MemPrefetchAsync Memcpy2D_v2 MemcpyAtoH_v2 MemcpyDtoDAsync_v2 MemcpyDtoD_v2 \
         MemcpyDtoHAsync_v2 MemcpyDtoH_v2 MemcpyHtoA_v2 MemcpyHtoDAsync_v2 MemcpyHtoD_v2 MemsetD16Async \
         MemsetD16_v2 MemsetD32Async MemsetD32_v2 MemsetD8Async MemsetD8_v2 ModuleGetFunction ModuleGetGlobal_v2 \
         ModuleLoad ModuleLoadData ModuleLoadDataEx ModuleUnload OccupancyAvailableDynamicSMemPerBlock \
         OccupancyMaxActiveBlocksPerMultiprocessor OccupancyMaxPotentialBlockSize StreamCreateWithPriority \
         StreamDestroy_v2 StreamGetFlags StreamGetPriority StreamSynchronize StreamWaitEvent SurfObjectCreate \
         SurfObjectDestroy SurfObjectGetResourceDesc TexObjectCreate TexObjectDestroy TexObjectGetResourceDesc \
         TexObjectGetResourceViewDesc",
    ),
    (
        "cudarc 0.19.10",
        "CtxCreate_v3 CtxCreate_v4 CtxDestroy_v2 CtxGetCacheConfig CtxGetCurrent CtxGetLimit \
         CtxGetStreamPriorityRange CtxSetCacheConfig CtxSetCurrent CtxSetFlags CtxSetLimit CtxSynchronize \
         DestroyExternalMemory DeviceGet DeviceGetAttribute DeviceGetCount DeviceGetDefaultMemPool \
         DeviceGetMemPool DeviceGetName DeviceGetUuid DeviceGetUuid_v2 DevicePrimaryCtxRelease_v2 \
         DevicePrimaryCtxRetain DeviceSetMemPool DeviceTotalMem_v2 EventCreate EventDestroy_v2 \
         EventElapsedTime EventElapsedTime_v2 EventQuery EventRecord EventSynchronize \
         ExternalMemoryGetMappedBuffer FuncGetAttribute FuncSetAttribute FuncSetCacheConfig GetErrorName \
         GetErrorString GraphDestroy GraphExecDestroy GraphInstantiateWithFlags GraphLaunch GraphUpload \
         ImportExternalMemory Init LaunchCooperativeKernel LaunchHostFunc LaunchKernel MemAdvise_v2 \
         MemAllocAsync MemAllocFromPoolAsync MemAllocManaged MemAlloc_v2 MemFreeAsync MemFreeHost MemFree_v2 \
         MemGetInfo_v2 MemHostAlloc MemPoolCreate MemPoolDestroy MemPoolGetAttribute MemPoolSetAttribute \
         MemPoolTrimTo MemPrefetchAsync_v2 MemcpyDtoDAsync_v2 MemcpyDtoD_v2 MemcpyDtoHAsync_v2 MemcpyDtoH_v2 \
         MemcpyHtoDAsync_v2 MemcpyHtoD_v2 MemcpyPeerAsync MemsetD8Async MemsetD8_v2 ModuleGetFunction \
         ModuleGetGlobal_v2 ModuleLoad ModuleLoadData ModuleUnload OccupancyAvailableDynamicSMemPerBlock \
         OccupancyMaxActiveBlocksPerMultiprocessor OccupancyMaxActiveBlocksPerMultiprocessorWithFlags \
         OccupancyMaxActiveClusters OccupancyMaxPotentialBlockSize OccupancyMaxPotentialBlockSizeWithFlags \
         OccupancyMaxPotentialClusterSize ProfilerStart ProfilerStop StreamAttachMemAsync \
         StreamBeginCapture_v2 StreamCreate StreamCreateWithPriority StreamDestroy_v2 StreamEndCapture \
         StreamIsCapturing StreamSynchronize StreamWaitEvent",
    ),
    (
        "a host runtime over cust's bindings",
        "CtxEnablePeerAccess DeviceCanAccessPeer DeviceGetDefaultMemPool DeviceGetUuid_v2 DevicePrimaryCtxGetState \
         FuncSetAttribute GetErrorName GetProcAddress LaunchCooperativeKernel MemHostAlloc \
         MemHostGetDevicePointer_v2 MemHostRegister_v2 MemHostUnregister MemPoolSetAttribute MemPoolTrimTo \
         MemcpyPeerAsync PointerGetAttribute StreamCreate StreamQuery",
    ),
];

#[test]
fn every_name_that_a_client_needs_is_there() {
    for (client, names) in CLIENTS {
        for name in names.split_whitespace() {
            assert!(find(&format!("cu{name}")).is_some(), "cu{name}, for {client}");
        }
    }
    let counts = CLIENTS.map(|(_, names)| names.split_whitespace().count());
    assert_eq!(counts, [46, 13, 105, 96, 19]);
}

#[test]
fn names_are_listed_once_and_lead_to_different_functions() {
    let names: HashSet<_> = NAMES.iter().collect();
    assert_eq!(names.len(), NAMES.len());
    assert!(NAMES.iter().all(|name| find(name).is_some()));
    assert_eq!(find("cuInit"), Some(cuInit as *const c_void));
    assert_eq!(find("cuinit"), None);
}

#[test]
fn proc_address_gives_the_newest_form_that_the_client_knows() {
    ok!(cuInit(0));
    let find_for = |name: &CStr, version| {
        let (mut found, mut status) = (null_mut(), -1);
        let code = cu!(cuGetProcAddress_v2(name.as_ptr(), &mut found, version, 0, &mut status));
        (code, found.cast_const(), status)
    };
    for (name, version, entry) in [
        (c"cuMemAlloc", 12000, cuMemAlloc_v2 as *const c_void),
        (c"cuMemAlloc_v2", 12000, cuMemAlloc_v2 as *const c_void),
        (c"cuCtxCreate", 11000, cuCtxCreate_v2 as *const c_void),
        (c"cuCtxCreate", 12000, cuCtxCreate_v3 as *const c_void),
        (c"cuCtxCreate", 13000, cuCtxCreate_v4 as *const c_void),
        (c"cuMemAdvise", 12010, cuMemAdvise as *const c_void),
        (c"cuMemAdvise", 12020, cuMemAdvise_v2 as *const c_void),
    ] {
        assert_eq!(find_for(name, version), (CUresult::SUCCESS, entry, 0), "{name:?} for {version}");
    }
    assert_eq!(find_for(c"cuLaunchKernelEx", 11000), (CUresult::NOT_FOUND, std::ptr::null(), 2));
    assert_eq!(find_for(c"cuNothing", 13000), (CUresult::NOT_FOUND, std::ptr::null(), 1));
    let mut found = null_mut();
    ok!(cuGetProcAddress(c"cuInit".as_ptr(), &mut found, 11030, 0));
    assert_eq!(found.cast_const(), cuInit as *const c_void);
    fails!(INVALID_VALUE, cuGetProcAddress(std::ptr::null(), &mut found, 11030, 0));
    fails!(INVALID_VALUE, cuGetProcAddress(c"cuInit".as_ptr(), &mut found, 11030, 3));
}

#[test]
fn unsupported_entries_say_so() {
    fails!(NOT_SUPPORTED, cuGraphCreate(null_mut(), 0));
    fails!(NOT_SUPPORTED, cuTexObjectDestroy(1));
    fails!(NOT_SUPPORTED, cuProfilerStart());
}

#[test]
fn the_device_tells_its_name_cut_to_the_room() {
    ok!(cuInit(0));
    let mut name: [c_char; 64] = [1; 64];
    ok!(cuDeviceGetName(name.as_mut_ptr(), 64, 0));
    // SAFETY: the entry has terminated the text.
    assert_eq!(unsafe { CStr::from_ptr(name.as_ptr()) }, c"SIMT device (CPU)");
    ok!(cuDeviceGetName(name.as_mut_ptr(), 5, 0));
    // SAFETY: as above.
    assert_eq!(unsafe { CStr::from_ptr(name.as_ptr()) }, c"SIMT");
    fails!(INVALID_VALUE, cuDeviceGetName(name.as_mut_ptr(), 0, 0));
    fails!(INVALID_VALUE, cuDeviceGetName(null_mut(), 5, 0));
    fails!(INVALID_DEVICE, cuDeviceGetName(name.as_mut_ptr(), 5, 1));
}

#[test]
fn the_device_tells_its_attributes() {
    ok!(cuInit(0));
    let attribute = |number| {
        let mut value = -1;
        let code = cu!(cuDeviceGetAttribute(&mut value, number, 0));
        (code == CUresult::SUCCESS).then_some(value)
    };
    for (number, value) in [
        (1, 1024),
        (2, 1024),
        (4, 64),
        (5, i32::MAX),
        (6, 65535),
        (8, 48 << 10),
        (10, 32),
        (16, 4),
        (39, 2048),
        (75, 9),
        (76, 0),
        (95, 0),
        (115, 1),
    ] {
        assert_eq!(attribute(number), Some(value), "attribute {number}");
    }
    assert_eq!((attribute(0), attribute(-5), attribute(1000)), (None, None, None));
    let (mut count, mut device, mut version, mut bytes) = (0, -1, 0, 0);
    ok!(cuDeviceGetCount(&mut count));
    ok!(cuDeviceGet(&mut device, 0));
    ok!(cuDriverGetVersion(&mut version));
    ok!(cuDeviceTotalMem_v2(&mut bytes, 0));
    assert_eq!((count, device, version), (1, 0, 13000));
    assert!(bytes >= 1 << 20);
    for device in [-1, 1] {
        fails!(INVALID_DEVICE, cuDeviceGet(&mut count, device));
        fails!(INVALID_DEVICE, cuDeviceGetAttribute(&mut count, 10, device));
    }
    let (mut a, mut b) = (CUuuid { bytes: [0; 16] }, CUuuid { bytes: [1; 16] });
    ok!(cuDeviceGetUuid(&mut a, 0));
    ok!(cuDeviceGetUuid_v2(&mut b, 0));
    assert_eq!(a, b);
    assert_eq!((a.bytes[6] >> 4, a.bytes[8] >> 6), (4, 2), "version and variant of a random identifier");
    fails!(INVALID_VALUE, cuInit(1));
}

#[test]
fn entries_with_the_stream_of_the_thread_belong_to_others() {
    for name in per_thread::NAMES {
        let base = name.strip_suffix("_ptsz").or_else(|| name.strip_suffix("_ptds")).expect(name);
        assert!(find(base).is_some() && find(name).is_none(), "{name}");
        assert_ne!(per_thread::find(name), find(base));
    }
    let find_for = |name: &CStr, flags| {
        let mut found = null_mut();
        ok!(cuGetProcAddress(name.as_ptr(), &mut found, 13000, flags));
        found.cast_const()
    };
    let own = [
        (c"cuLaunchKernel", per_thread::cuLaunchKernel_ptsz as *const c_void),
        (c"cuMemcpyHtoD", per_thread::cuMemcpyHtoD_v2_ptds as *const c_void),
        (c"cuMemPrefetchAsync", per_thread::cuMemPrefetchAsync_v2_ptsz as *const c_void),
        (c"cuInit", cuInit as *const c_void),
    ];
    for (name, entry) in own {
        assert_eq!(find_for(name, 2), entry, "{name:?}");
        assert_eq!(find_for(name, 0) == entry, name == c"cuInit", "{name:?}");
    }
    assert_eq!(find_for(c"cuLaunchKernel_ptsz", 0), own[0].1);
}

#[test]
fn a_null_stream_is_that_of_the_thread() {
    let _context = TestContext::new();
    let (address, mut back) = (alloc(8), [0_u8; 8]);
    let (to, from) = (back.as_mut_ptr().cast(), [7_u8; 8]);
    let mut context = null_mut();
    // SAFETY: live variables and device memory of 8 bytes.
    let codes = unsafe {
        [
            per_thread::cuMemcpyHtoD_v2_ptds(address, from.as_ptr().cast(), 8),
            per_thread::cuMemsetD8Async_ptsz(address, 9, 4, null_mut()),
            per_thread::cuMemcpyDtoHAsync_v2_ptsz(to, address, 8, null_mut()),
            per_thread::cuStreamSynchronize_ptsz(null_mut()),
            per_thread::cuStreamGetCtx_ptsz(null_mut(), &mut context),
        ]
    };
    assert_eq!(codes, [CUresult::SUCCESS; 5]);
    assert_eq!(back, [9, 9, 9, 9, 7, 7, 7, 7]);
    assert_eq!(context, _context.0);
}

#[test]
fn the_device_has_a_place_on_the_bus_and_no_undocumented_tables() {
    ok!(cuInit(0));
    let mut text: [c_char; 16] = [1; 16];
    ok!(cuDeviceGetPCIBusId(text.as_mut_ptr(), 16, 0));
    let mut device = -1;
    ok!(cuDeviceGetByPCIBusId(&mut device, text.as_ptr()));
    assert_eq!(device, 0);
    fails!(INVALID_DEVICE, cuDeviceGetByPCIBusId(&mut device, c"0000:01:00.0".as_ptr()));
    let mut table = std::ptr::dangling();
    fails!(NOT_FOUND, cuGetExportTable(&mut table, &CUuuid { bytes: [0; 16] }));
    assert!(table.is_null());
}
