//! The list of driver entries: each once, with the widths of the C header. Whoever needs all of them (the entry points
//! here, the forwarders of cuda-shim, a `libcuda.so`) passes a macro to [`cu_functions`](crate::cu_functions).

/// Calls `$callback!` with the whole table.
///
/// - `same_everywhere`: answered from tables of this crate, whatever the device is.
/// - `supported`: an entry, and the call that does it on the SIMT device.
/// - `unsupported`: entries that the SIMT device answers with `CUDA_ERROR_NOT_SUPPORTED`.
///
/// The names of the types are those of [`driver::types`](crate::driver::types), to be imported where the callback is
/// used. The calls behind `=>` are for this crate only.
///
/// Listed is what these clients resolve or link: libomptarget of LLVM 19 and 22, cust 0.3.2, cudarc 0.19, Numba 0.61.
#[macro_export]
macro_rules! cu_functions {
    ($callback:ident) => {
        $callback! {
            same_everywhere {
                cuGetErrorName(error: CUresult, text: *mut *const c_char) => error::get_name(error, text);
                cuGetErrorString(error: CUresult, text: *mut *const c_char) => error::get_string(error, text);
            }
            supported {
                // Driver and device
                cuInit(flags: c_uint) => device::init(flags);
                cuDriverGetVersion(version: *mut c_int) => device::driver_version(version);
                cuGetProcAddress(symbol: *const c_char, function: *mut *mut c_void, version: c_int, flags: u64)
                    => device::proc_address(symbol, function, version, flags, std::ptr::null_mut());
                cuGetProcAddress_v2(symbol: *const c_char, function: *mut *mut c_void, version: c_int, flags: u64,
                    status: *mut c_int) => device::proc_address(symbol, function, version, flags, status);
                cuDeviceGet(device: *mut CUdevice, ordinal: c_int) => device::get(device, ordinal);
                cuDeviceGetCount(count: *mut c_int) => device::count(count);
                cuDeviceGetName(name: *mut c_char, bytes: c_int, device: CUdevice)
                    => device::name(name, bytes, device);
                cuDeviceGetUuid(uuid: *mut CUuuid, device: CUdevice) => device::uuid(uuid, device);
                cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice) => device::uuid(uuid, device);
                cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) => device::total_memory(bytes, device);
                cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice)
                    => device::attribute(value, attribute, device);
                cuDeviceGetPCIBusId(text: *mut c_char, bytes: c_int, device: CUdevice)
                    => device::pci_bus_id(text, bytes, device);
                cuDeviceGetByPCIBusId(device: *mut CUdevice, text: *const c_char)
                    => device::by_pci_bus_id(device, text);
                cuGetExportTable(table: *mut *const c_void, _id: *const CUuuid) => device::export_table(table);
                cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice)
                    => device::can_access_peer(can, device, peer);

                // Contexts
                cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice)
                    => context::primary_retain(context, device);
                cuDevicePrimaryCtxRelease_v2(device: CUdevice) => context::primary_release(device);
                cuDevicePrimaryCtxReset_v2(device: CUdevice) => context::primary_reset(device);
                cuDevicePrimaryCtxGetState(device: CUdevice, flags: *mut c_uint, active: *mut c_int)
                    => context::primary_state(device, flags, active);
                cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint)
                    => context::primary_set_flags(device, flags);
                cuCtxCreate_v2(context: *mut CUcontext, flags: c_uint, device: CUdevice)
                    => context::create(context, flags, device);
                cuCtxCreate_v3(context: *mut CUcontext, parameters: *mut c_void, count: c_int, flags: c_uint,
                    device: CUdevice)
                    => context::create_with_affinity(context, parameters, count, flags, device);
                cuCtxCreate_v4(context: *mut CUcontext, parameters: *mut c_void, flags: c_uint, device: CUdevice)
                    => context::create_with_parameters(context, parameters, flags, device);
                cuCtxDestroy_v2(context: CUcontext) => context::destroy(context);
                cuCtxSetCurrent(context: CUcontext) => context::set_current(context);
                cuCtxGetCurrent(context: *mut CUcontext) => context::get_current(context);
                cuCtxPushCurrent_v2(context: CUcontext) => context::push(context);
                cuCtxPopCurrent_v2(context: *mut CUcontext) => context::pop(context);
                cuCtxGetDevice(device: *mut CUdevice) => context::device(device);
                cuCtxGetApiVersion(context: CUcontext, version: *mut c_uint)
                    => context::api_version(context, version);
                cuCtxGetFlags(flags: *mut c_uint) => context::flags(flags);
                cuCtxSetFlags(flags: c_uint) => context::set_flags(flags);
                cuCtxSynchronize() => context::synchronize();
                cuCtxGetLimit(value: *mut usize, limit: c_int) => context::get_limit(value, limit);
                cuCtxSetLimit(limit: c_int, value: usize) => context::set_limit(limit, value);
                cuCtxGetCacheConfig(config: *mut c_int) => context::cache_config(config);
                cuCtxSetCacheConfig(config: c_int) => context::set_cache_config(config);
                cuCtxGetSharedMemConfig(config: *mut c_int) => context::shared_config(config);
                cuCtxSetSharedMemConfig(config: c_int) => context::set_shared_config(config);
                cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int)
                    => context::stream_priority_range(least, greatest);
                cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint) => context::enable_peer_access(peer, flags);

                // Modules and functions
                cuModuleLoad(module: *mut CUmodule, path: *const c_char) => module::load_file(module, path);
                cuModuleLoadData(module: *mut CUmodule, image: *const c_void)
                    => module::load(module, image, 0, std::ptr::null_mut(), std::ptr::null_mut());
                cuModuleLoadDataEx(module: *mut CUmodule, image: *const c_void, count: c_uint, options: *mut c_int,
                    values: *mut *mut c_void) => module::load(module, image, count, options, values);
                cuModuleLoadFatBinary(module: *mut CUmodule, image: *const c_void)
                    => module::load(module, image, 0, std::ptr::null_mut(), std::ptr::null_mut());
                cuModuleGetLoadingMode(mode: *mut c_int) => module::loading_mode(mode);
                cuModuleUnload(module: CUmodule) => module::unload(module);
                cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char)
                    => module::function(function, module, name);
                cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule,
                    name: *const c_char) => module::global(address, bytes, module, name);
                cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: CUfunction)
                    => launch::attribute(value, attribute, function);
                cuFuncSetAttribute(function: CUfunction, attribute: c_int, value: c_int)
                    => launch::set_attribute(function, attribute, value);
                cuFuncSetCacheConfig(function: CUfunction, config: c_int) => launch::set_cache(function, config);
                cuFuncSetSharedMemConfig(function: CUfunction, config: c_int)
                    => launch::set_shared_config(function, config);
                cuFuncGetModule(module: *mut CUmodule, function: CUfunction) => launch::module_of(module, function);
                cuFuncGetName(name: *mut *const c_char, function: CUfunction) => launch::name_of(name, function);
                cuFuncGetParamInfo(function: CUfunction, index: usize, offset: *mut usize, size: *mut usize)
                    => launch::parameter(function, index, offset, size);

                cuLinkCreate_v2(count: c_uint, options: *mut c_int, values: *mut *mut c_void, state: *mut CUhandle)
                    => link::create(count, options, values, state);
                cuLinkAddData_v2(state: CUhandle, kind: c_int, data: *mut c_void, bytes: usize, name: *const c_char,
                    _count: c_uint, _options: *mut c_int, _values: *mut *mut c_void)
                    => link::add_data(state, kind, data, bytes, name);
                cuLinkAddFile_v2(state: CUhandle, kind: c_int, path: *const c_char, _count: c_uint,
                    _options: *mut c_int, _values: *mut *mut c_void) => link::add_file(state, kind, path);
                cuLinkComplete(state: CUhandle, image: *mut *mut c_void, bytes: *mut usize)
                    => link::complete(state, image, bytes);
                cuLinkDestroy(state: CUhandle) => link::destroy(state);

                // Launches
                cuLaunchKernel(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
                    block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream,
                    params: *mut *mut c_void, extra: *mut *mut c_void)
                    => launch::launch(
                        function,
                        LaunchConfig {
                            grid: [grid_x, grid_y, grid_z],
                            block: [block_x, block_y, block_z],
                            dynamic_shared: shared,
                        },
                        stream, params, extra);
                cuLaunchKernelEx(config: *const CUlaunchConfig, function: CUfunction, params: *mut *mut c_void,
                    extra: *mut *mut c_void)
                    => launch::launch_ex(config, function, params, extra, |stream| stream);
                cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void)
                    => stream::launch_host_function(stream, function, data);
                cuStreamAddCallback(stream: CUstream, callback: CUstreamCallback, data: *mut c_void, flags: c_uint)
                    => stream::add_callback(stream, callback, data, flags);

                // Memory
                cuMemGetInfo_v2(free: *mut usize, total: *mut usize) => memory::info(free, total);
                cuMemAlloc_v2(to: *mut CUdeviceptr, bytes: usize)
                    => memory::alloc(to, bytes, DEFAULT, MemoryKind::Device);
                cuMemAllocAsync(to: *mut CUdeviceptr, bytes: usize, stream: CUstream)
                    => memory::alloc(to, bytes, stream, MemoryKind::Device);
                cuMemAllocFromPoolAsync(to: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream)
                    => memory::alloc_from_pool(to, bytes, pool, stream);
                cuMemAllocManaged(to: *mut CUdeviceptr, bytes: usize, flags: c_uint)
                    => memory::alloc_managed(to, bytes, flags);
                cuMemAllocPitch_v2(to: *mut CUdeviceptr, pitch: *mut usize, width: usize, height: usize,
                    element: c_uint) => memory::alloc_pitch(to, pitch, width, height, element);
                cuMemGetAddressRange_v2(base: *mut CUdeviceptr, bytes: *mut usize, address: CUdeviceptr)
                    => address::address_range(base, bytes, address);
                cuMemAllocHost_v2(to: *mut *mut c_void, bytes: usize) => memory::host_alloc(to, bytes, 0);
                cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, flags: c_uint)
                    => memory::host_alloc(to, bytes, flags);
                cuMemFree_v2(address: CUdeviceptr) => memory::free(address, None);
                cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) => memory::free(address, Some(stream));
                cuMemFreeHost(pointer: *mut c_void) => memory::free_host(pointer);
                cuMemHostGetDevicePointer_v2(to: *mut CUdeviceptr, pointer: *mut c_void, flags: c_uint)
                    => memory::host_device_pointer(to, pointer, flags);
                cuMemHostRegister_v2(pointer: *mut c_void, bytes: usize, flags: c_uint)
                    => memory::host_register(pointer, bytes, flags);
                cuMemHostUnregister(pointer: *mut c_void) => memory::host_unregister(pointer);
                cuMemHostGetFlags(flags: *mut c_uint, pointer: *mut c_void) => memory::host_flags(flags, pointer);
                cuPointerGetAttributes(count: c_uint, attributes: *const c_int, data: *mut *mut c_void,
                    address: CUdeviceptr) => address::pointer_attributes(count, attributes, data, address);
                cuPointerGetAttribute(data: *mut c_void, attribute: c_int, address: CUdeviceptr)
                    => address::pointer_attribute(data, attribute, address);

                // Copies
                cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize)
                    => copy::to_device(to, from, bytes, DEFAULT);
                cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream)
                    => copy::to_device(to, from, bytes, stream);
                cuMemcpyDtoH_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize)
                    => copy::to_host(to, from, bytes, DEFAULT);
                cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream)
                    => copy::to_host(to, from, bytes, stream);
                cuMemcpyDtoD_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize)
                    => copy::on_device(to, from, bytes, DEFAULT);
                cuMemcpyDtoDAsync_v2(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream)
                    => copy::on_device(to, from, bytes, stream);
                cuMemcpy(to: CUdeviceptr, from: CUdeviceptr, bytes: usize)
                    => copy::unified(to, from, bytes, DEFAULT);
                cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream)
                    => copy::unified(to, from, bytes, stream);
                cuMemcpyPeer(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr, from_context: CUcontext,
                    bytes: usize) => copy::between_contexts(to, to_context, from, from_context, bytes, DEFAULT);
                cuMemcpyPeerAsync(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr,
                    from_context: CUcontext, bytes: usize, stream: CUstream)
                    => copy::between_contexts(to, to_context, from, from_context, bytes, stream);
                cuMemcpy2D_v2(shape: *const CUDA_MEMCPY2D) => copy::copy_2d(shape, DEFAULT);
                cuMemcpy2DUnaligned_v2(shape: *const CUDA_MEMCPY2D) => copy::copy_2d(shape, DEFAULT);
                cuMemcpy2DAsync_v2(shape: *const CUDA_MEMCPY2D, stream: CUstream) => copy::copy_2d(shape, stream);

                // Fills
                cuMemsetD8_v2(to: CUdeviceptr, value: c_uchar, count: usize)
                    => copy::fill(to, value.to_ne_bytes(), count, DEFAULT);
                cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream)
                    => copy::fill(to, value.to_ne_bytes(), count, stream);
                cuMemsetD16_v2(to: CUdeviceptr, value: c_ushort, count: usize)
                    => copy::fill(to, value.to_ne_bytes(), count, DEFAULT);
                cuMemsetD16Async(to: CUdeviceptr, value: c_ushort, count: usize, stream: CUstream)
                    => copy::fill(to, value.to_ne_bytes(), count, stream);
                cuMemsetD32_v2(to: CUdeviceptr, value: c_uint, count: usize)
                    => copy::fill(to, value.to_ne_bytes(), count, DEFAULT);
                cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream)
                    => copy::fill(to, value.to_ne_bytes(), count, stream);
                cuMemsetD2D8_v2(to: CUdeviceptr, pitch: usize, value: c_uchar, width: usize, height: usize)
                    => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, DEFAULT);
                cuMemsetD2D16_v2(to: CUdeviceptr, pitch: usize, value: c_ushort, width: usize, height: usize)
                    => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, DEFAULT);
                cuMemsetD2D32_v2(to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize)
                    => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, DEFAULT);
                cuMemsetD2D8Async(to: CUdeviceptr, pitch: usize, value: c_uchar, width: usize, height: usize,
                    stream: CUstream) => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, stream);
                cuMemsetD2D16Async(to: CUdeviceptr, pitch: usize, value: c_ushort, width: usize, height: usize,
                    stream: CUstream) => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, stream);
                cuMemsetD2D32Async(to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize,
                    stream: CUstream) => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, stream);

                // Managed memory and pools
                cuMemAdvise(address: CUdeviceptr, bytes: usize, advice: c_int, device: CUdevice)
                    => managed::advise(address, bytes, advice, device);
                cuMemAdvise_v2(address: CUdeviceptr, bytes: usize, advice: c_int, location: CUmemLocation)
                    => managed::advise(address, bytes, advice, managed::device_of(location));
                cuMemPrefetchAsync(address: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream)
                    => managed::prefetch(address, bytes, device, stream);
                cuMemPrefetchAsync_v2(address: CUdeviceptr, bytes: usize, location: CUmemLocation, flags: c_uint,
                    stream: CUstream)
                    => managed::prefetch_v2(address, bytes, location, flags, stream);
                cuStreamAttachMemAsync(stream: CUstream, address: CUdeviceptr, bytes: usize, flags: c_uint)
                    => managed::attach(stream, address, bytes, flags);
                cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice) => pool::get(pool, device);
                cuDeviceGetMemPool(pool: *mut CUmemoryPool, device: CUdevice) => pool::get(pool, device);
                cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) => pool::set(device, pool);
                cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void)
                    => pool::get_attribute(pool, attribute, value);
                cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: c_int, value: *mut c_void)
                    => pool::set_attribute(pool, attribute, value);
                cuMemPoolTrimTo(pool: CUmemoryPool, _keep: usize) => pool::trim(pool);

                // Streams and events
                cuStreamCreate(stream: *mut CUstream, flags: c_uint) => stream::create(stream, flags);
                cuStreamCreateWithPriority(stream: *mut CUstream, flags: c_uint, _priority: c_int)
                    => stream::create(stream, flags);
                cuStreamDestroy_v2(stream: CUstream) => stream::destroy(stream);
                cuStreamSynchronize(stream: CUstream) => stream::synchronize(stream);
                cuStreamQuery(stream: CUstream) => stream::query(stream);
                cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint)
                    => stream::wait_event(stream, event, flags);
                cuStreamGetFlags(stream: CUstream, flags: *mut c_uint) => stream::flags(stream, flags);
                cuStreamGetPriority(stream: CUstream, priority: *mut c_int) => stream::priority(stream, priority);
                cuStreamGetCtx(stream: CUstream, context: *mut CUcontext) => context::of_stream(stream, context);
                cuStreamIsCapturing(stream: CUstream, status: *mut c_int) => stream::is_capturing(stream, status);
                cuEventCreate(event: *mut CUevent, flags: c_uint) => event::create(event, flags);
                cuEventDestroy(event: CUevent) => event::destroy(event);
                cuEventDestroy_v2(event: CUevent) => event::destroy(event);
                cuEventRecord(event: CUevent, stream: CUstream) => event::record(event, stream);
                cuEventRecordWithFlags(event: CUevent, stream: CUstream, flags: c_uint)
                    => event::record_with_flags(event, stream, flags);
                cuEventQuery(event: CUevent) => event::complete(event);
                cuEventSynchronize(event: CUevent) => event::complete(event);
                cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent)
                    => event::elapsed(milliseconds, start, end);
                cuEventElapsedTime_v2(milliseconds: *mut f32, start: CUevent, end: CUevent)
                    => event::elapsed(milliseconds, start, end);

                // Occupancy
                cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: CUfunction, block: c_int,
                    dynamic: usize) => occupancy::max_blocks(blocks, function, block, dynamic);
                cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks: *mut c_int, function: CUfunction,
                    block: c_int, dynamic: usize, _flags: c_uint)
                    => occupancy::max_blocks(blocks, function, block, dynamic);
                cuOccupancyMaxPotentialBlockSize(grid: *mut c_int, block: *mut c_int, function: CUfunction,
                    dynamic_of: CUoccupancyB2DSize, dynamic: usize, limit: c_int)
                    => occupancy::best_block(grid, block, function, dynamic_of, dynamic, limit);
                cuOccupancyMaxPotentialBlockSizeWithFlags(grid: *mut c_int, block: *mut c_int, function: CUfunction,
                    dynamic_of: CUoccupancyB2DSize, dynamic: usize, limit: c_int, _flags: c_uint)
                    => occupancy::best_block(grid, block, function, dynamic_of, dynamic, limit);
                cuOccupancyAvailableDynamicSMemPerBlock(bytes: *mut usize, function: CUfunction, blocks: c_int,
                    block: c_int) => occupancy::available_shared(bytes, function, blocks, block);
            }
            unsupported {
                // Cooperative launches and clusters: blocks run one after the other
                cuLaunchCooperativeKernel(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
                    block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream,
                    params: *mut *mut c_void);
                cuOccupancyMaxActiveClusters(clusters: *mut c_int, function: CUfunction,
                    config: *const CUlaunchConfig);
                cuOccupancyMaxPotentialClusterSize(size: *mut c_int, function: CUfunction,
                    config: *const CUlaunchConfig);

                // Pools of the client's own
                cuMemPoolCreate(pool: *mut CUmemoryPool, properties: *const c_void);
                cuMemPoolDestroy(pool: CUmemoryPool);

                // Stream capture and graphs
                cuStreamBeginCapture_v2(stream: CUstream, mode: c_int);
                cuStreamEndCapture(stream: CUstream, graph: *mut CUhandle);
                cuGraphAddKernelNode(node: *mut CUhandle, graph: CUhandle, dependencies: *const CUhandle,
                    count: usize, params: *const c_void);
                cuGraphCreate(graph: *mut CUhandle, flags: c_uint);
                cuGraphDebugDotPrint(graph: CUhandle, path: *const c_char, flags: c_uint);
                cuGraphDestroy(graph: CUhandle);
                cuGraphExecDestroy(exec: CUhandle);
                cuGraphGetEdges(graph: CUhandle, from: *mut CUhandle, to: *mut CUhandle, count: *mut usize);
                cuGraphGetNodes(graph: CUhandle, nodes: *mut CUhandle, count: *mut usize);
                cuGraphInstantiateWithFlags(exec: *mut CUhandle, graph: CUhandle, flags: u64);
                cuGraphKernelNodeGetParams(node: CUhandle, params: *mut c_void);
                cuGraphLaunch(exec: CUhandle, stream: CUstream);
                cuGraphNodeGetType(node: CUhandle, kind: *mut c_int);
                cuGraphUpload(exec: CUhandle, stream: CUstream);

                // Arrays, textures, surfaces (but for the four functions that take a float)
                cuArray3DCreate_v2(array: *mut CUhandle, descriptor: *const c_void);
                cuArray3DGetDescriptor_v2(descriptor: *mut c_void, array: CUhandle);
                cuArrayDestroy(array: CUhandle);
                cuMemcpyAtoH_v2(to: *mut c_void, from: CUhandle, offset: usize, bytes: usize);
                cuMemcpyHtoA_v2(to: CUhandle, offset: usize, from: *const c_void, bytes: usize);
                cuSurfObjectCreate(surface: *mut CUobject, resource: *const c_void);
                cuSurfObjectDestroy(surface: CUobject);
                cuSurfObjectGetResourceDesc(resource: *mut c_void, surface: CUobject);
                cuTexObjectCreate(texture: *mut CUobject, resource: *const c_void, descriptor: *const c_void,
                    view: *const c_void);
                cuTexObjectDestroy(texture: CUobject);
                cuTexObjectGetResourceDesc(resource: *mut c_void, texture: CUobject);
                cuTexObjectGetResourceViewDesc(view: *mut c_void, texture: CUobject);

                // Memory of other interfaces
                cuImportExternalMemory(memory: *mut CUhandle, descriptor: *const c_void);
                cuExternalMemoryGetMappedBuffer(address: *mut CUdeviceptr, memory: CUhandle,
                    descriptor: *const c_void);
                cuDestroyExternalMemory(memory: CUhandle);

                // Memory and events of other processes
                cuIpcGetMemHandle(handle: *mut CUipcHandle, address: CUdeviceptr);
                cuIpcOpenMemHandle_v2(address: *mut CUdeviceptr, handle: CUipcHandle, flags: c_uint);
                cuIpcOpenMemHandle(address: *mut CUdeviceptr, handle: CUipcHandle, flags: c_uint);
                cuIpcCloseMemHandle(address: CUdeviceptr);
                cuIpcGetEventHandle(handle: *mut CUipcHandle, event: CUevent);
                cuIpcOpenEventHandle(event: *mut CUevent, handle: CUipcHandle);

                // Profiler
                cuProfilerStart();
                cuProfilerStop();
            }
        }
    };
}
