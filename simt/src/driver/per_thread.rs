//! The entries for programs compiled with `CUDA_API_PER_THREAD_DEFAULT_STREAM`: a null stream is the default stream of the
//! calling thread. Names end in `_ptds` for calls without a stream and in `_ptsz` for calls with one.

use super::types::*;
use super::{CUresult, context, copy, event, launch, managed, memory, stream};
use crate::LaunchConfig;

/// The default stream of the thread.
const OWN: CUstream = std::ptr::without_provenance_mut(CU_STREAM_PER_THREAD);

/// The stream that a handle means here.
fn own(stream: CUstream) -> CUstream {
    if stream.is_null() { OWN } else { stream }
}

/// As [`cu_functions`](crate::cu_functions), the entries of this file.
#[macro_export]
macro_rules! cu_per_thread_functions {
    ($callback:ident) => {
        $callback! {
            same_everywhere {}
            supported {
                // Copies and fills without a stream
                cuMemcpy_ptds(to: CUdeviceptr, from: CUdeviceptr, bytes: usize)
                    => copy::unified(to, from, bytes, OWN);
                cuMemcpyHtoD_v2_ptds(to: CUdeviceptr, from: *const c_void, bytes: usize)
                    => copy::to_device(to, from, bytes, OWN);
                cuMemcpyDtoH_v2_ptds(to: *mut c_void, from: CUdeviceptr, bytes: usize)
                    => copy::to_host(to, from, bytes, OWN);
                cuMemcpyDtoD_v2_ptds(to: CUdeviceptr, from: CUdeviceptr, bytes: usize)
                    => copy::on_device(to, from, bytes, OWN);
                cuMemcpyPeer_ptds(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr,
                    from_context: CUcontext, bytes: usize)
                    => copy::between_contexts(to, to_context, from, from_context, bytes, OWN);
                cuMemcpy2D_v2_ptds(shape: *const CUDA_MEMCPY2D) => copy::copy_2d(shape, OWN);
                cuMemcpy2DUnaligned_v2_ptds(shape: *const CUDA_MEMCPY2D) => copy::copy_2d(shape, OWN);
                cuMemsetD8_v2_ptds(to: CUdeviceptr, value: c_uchar, count: usize)
                    => copy::fill(to, value.to_ne_bytes(), count, OWN);
                cuMemsetD16_v2_ptds(to: CUdeviceptr, value: c_ushort, count: usize)
                    => copy::fill(to, value.to_ne_bytes(), count, OWN);
                cuMemsetD32_v2_ptds(to: CUdeviceptr, value: c_uint, count: usize)
                    => copy::fill(to, value.to_ne_bytes(), count, OWN);
                cuMemsetD2D8_v2_ptds(to: CUdeviceptr, pitch: usize, value: c_uchar, width: usize, height: usize)
                    => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, OWN);
                cuMemsetD2D16_v2_ptds(to: CUdeviceptr, pitch: usize, value: c_ushort, width: usize, height: usize)
                    => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, OWN);
                cuMemsetD2D32_v2_ptds(to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize)
                    => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, OWN);

                // Copies and fills with a stream
                cuMemcpyAsync_ptsz(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream)
                    => copy::unified(to, from, bytes, own(stream));
                cuMemcpyHtoDAsync_v2_ptsz(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream)
                    => copy::to_device(to, from, bytes, own(stream));
                cuMemcpyDtoHAsync_v2_ptsz(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream)
                    => copy::to_host(to, from, bytes, own(stream));
                cuMemcpyDtoDAsync_v2_ptsz(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream)
                    => copy::on_device(to, from, bytes, own(stream));
                cuMemcpyPeerAsync_ptsz(to: CUdeviceptr, to_context: CUcontext, from: CUdeviceptr,
                    from_context: CUcontext, bytes: usize, stream: CUstream)
                    => copy::between_contexts(to, to_context, from, from_context, bytes, own(stream));
                cuMemcpy2DAsync_v2_ptsz(shape: *const CUDA_MEMCPY2D, stream: CUstream)
                    => copy::copy_2d(shape, own(stream));
                cuMemsetD8Async_ptsz(to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream)
                    => copy::fill(to, value.to_ne_bytes(), count, own(stream));
                cuMemsetD16Async_ptsz(to: CUdeviceptr, value: c_ushort, count: usize, stream: CUstream)
                    => copy::fill(to, value.to_ne_bytes(), count, own(stream));
                cuMemsetD32Async_ptsz(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream)
                    => copy::fill(to, value.to_ne_bytes(), count, own(stream));
                cuMemsetD2D8Async_ptsz(to: CUdeviceptr, pitch: usize, value: c_uchar, width: usize, height: usize,
                    stream: CUstream) => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, own(stream));
                cuMemsetD2D16Async_ptsz(to: CUdeviceptr, pitch: usize, value: c_ushort, width: usize, height: usize,
                    stream: CUstream) => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, own(stream));
                cuMemsetD2D32Async_ptsz(to: CUdeviceptr, pitch: usize, value: c_uint, width: usize, height: usize,
                    stream: CUstream) => copy::fill_2d(to, pitch, value.to_ne_bytes(), width, height, own(stream));

                // Allocation and managed memory in a stream
                cuMemAllocAsync_ptsz(to: *mut CUdeviceptr, bytes: usize, stream: CUstream)
                    => memory::alloc(to, bytes, own(stream), super::MemoryKind::Device);
                cuMemAllocFromPoolAsync_ptsz(to: *mut CUdeviceptr, bytes: usize, pool: CUmemoryPool, stream: CUstream)
                    => memory::alloc_from_pool(to, bytes, pool, own(stream));
                cuMemFreeAsync_ptsz(address: CUdeviceptr, stream: CUstream) => memory::free(address, Some(own(stream)));
                cuMemPrefetchAsync_ptsz(address: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream)
                    => managed::prefetch(address, bytes, device, own(stream));
                cuMemPrefetchAsync_v2_ptsz(address: CUdeviceptr, bytes: usize, location: CUmemLocation, flags: c_uint,
                    stream: CUstream) => managed::prefetch_v2(address, bytes, location, flags, own(stream));
                cuStreamAttachMemAsync_ptsz(stream: CUstream, address: CUdeviceptr, bytes: usize, flags: c_uint)
                    => managed::attach(own(stream), address, bytes, flags);

                // Streams, events, launches
                cuStreamGetFlags_ptsz(stream: CUstream, flags: *mut c_uint) => stream::flags(own(stream), flags);
                cuStreamGetPriority_ptsz(stream: CUstream, priority: *mut c_int)
                    => stream::priority(own(stream), priority);
                cuStreamGetCtx_ptsz(stream: CUstream, context: *mut CUcontext)
                    => context::of_stream(own(stream), context);
                cuStreamWaitEvent_ptsz(stream: CUstream, event: CUevent, flags: c_uint)
                    => stream::wait_event(own(stream), event, flags);
                cuStreamAddCallback_ptsz(stream: CUstream, callback: CUstreamCallback, data: *mut c_void,
                    flags: c_uint) => stream::add_callback(own(stream), callback, data, flags);
                cuStreamQuery_ptsz(stream: CUstream) => stream::query(own(stream));
                cuStreamSynchronize_ptsz(stream: CUstream) => stream::synchronize(own(stream));
                cuStreamIsCapturing_ptsz(stream: CUstream, status: *mut c_int)
                    => stream::is_capturing(own(stream), status);
                cuEventRecord_ptsz(event: CUevent, stream: CUstream) => event::record(event, own(stream));
                cuEventRecordWithFlags_ptsz(event: CUevent, stream: CUstream, flags: c_uint)
                    => event::record_with_flags(event, own(stream), flags);
                cuLaunchKernel_ptsz(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint,
                    block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream,
                    params: *mut *mut c_void, extra: *mut *mut c_void)
                    => launch::launch(
                        function,
                        LaunchConfig {
                            grid: [grid_x, grid_y, grid_z],
                            block: [block_x, block_y, block_z],
                            dynamic_shared: shared,
                        },
                        own(stream), params, extra);
                cuLaunchKernelEx_ptsz(config: *const CUlaunchConfig, function: CUfunction, params: *mut *mut c_void,
                    extra: *mut *mut c_void) => launch::launch_ex(config, function, params, extra, own);
                cuLaunchHostFunc_ptsz(stream: CUstream, function: CUhostFn, data: *mut c_void)
                    => stream::launch_host_function(own(stream), function, data);
            }
            unsupported {}
        }
    };
}

crate::cu_per_thread_functions!(entries);
