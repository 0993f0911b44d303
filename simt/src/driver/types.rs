//! C types of the CUDA driver API, with the names and widths that its header gives them.
//!
//! Enumerations are plain integers here: the other side of the ABI may send any value.

pub use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};

pub use super::error::CUresult;

/// Number of a device.
pub type CUdevice = c_int;
/// Device address.
pub type CUdeviceptr = u64;
/// Every opaque handle (context, module, function, stream, event, memory pool, graph, array ...): never dereferenced,
/// always looked up.
pub type CUhandle = *mut c_void;
/// `CUcontext`.
pub type CUcontext = CUhandle;
/// `CUmodule`.
pub type CUmodule = CUhandle;
/// `CUfunction`.
pub type CUfunction = CUhandle;
/// `CUstream`.
pub type CUstream = CUhandle;
/// `CUevent`.
pub type CUevent = CUhandle;
/// `CUmemoryPool`.
pub type CUmemoryPool = CUhandle;
/// `CUtexObject` and `CUsurfObject`, handles that are numbers.
pub type CUobject = c_ulonglong;

/// `CUhostFn`.
pub type CUhostFn = Option<unsafe extern "C" fn(data: *mut c_void)>;
/// `CUstreamCallback`.
pub type CUstreamCallback =
    Option<unsafe extern "C" fn(stream: CUstream, status: CUresult, data: *mut c_void)>;
/// `CUoccupancyB2DSize`: bytes of dynamic shared memory for a block size.
pub type CUoccupancyB2DSize = Option<unsafe extern "C" fn(block: c_int) -> usize>;

/// The default stream, which waits for all blocking streams of its context, as they do for it.
pub const CU_STREAM_LEGACY: usize = 1;
/// The default stream of the calling thread.
pub const CU_STREAM_PER_THREAD: usize = 2;

/// `CUuuid`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CUuuid {
    /// The 16 bytes.
    pub bytes: [u8; 16],
}

/// `CUipcMemHandle` and `CUipcEventHandle`, passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUipcHandle {
    /// Bytes for the driver alone.
    pub reserved: [u8; 64],
}

/// `CUmemLocation`, passed by value.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CUmemLocation {
    /// `CUmemLocationType`: 1 is a device, 2 and above the host.
    pub kind: c_int,
    /// Number of the device.
    pub id: c_int,
}

/// `CU_MEMORYTYPE_HOST`.
pub const MEMORYTYPE_HOST: c_uint = 1;
/// `CU_MEMORYTYPE_DEVICE`.
pub const MEMORYTYPE_DEVICE: c_uint = 2;
/// `CU_MEMORYTYPE_UNIFIED`: the address says what it is.
pub const MEMORYTYPE_UNIFIED: c_uint = 4;

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the header's fields, in its order
pub struct CUDA_MEMCPY2D {
    pub srcXInBytes: usize,
    pub srcY: usize,
    pub srcMemoryType: c_uint,
    pub srcHost: *const c_void,
    pub srcDevice: CUdeviceptr,
    pub srcArray: CUhandle,
    pub srcPitch: usize,
    pub dstXInBytes: usize,
    pub dstY: usize,
    pub dstMemoryType: c_uint,
    pub dstHost: *mut c_void,
    pub dstDevice: CUdeviceptr,
    pub dstArray: CUhandle,
    pub dstPitch: usize,
    pub WidthInBytes: usize,
    pub Height: usize,
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the header's fields, in its order
pub struct CUlaunchConfig {
    pub gridDimX: c_uint,
    pub gridDimY: c_uint,
    pub gridDimZ: c_uint,
    pub blockDimX: c_uint,
    pub blockDimY: c_uint,
    pub blockDimZ: c_uint,
    pub sharedMemBytes: c_uint,
    pub hStream: CUstream,
    pub attrs: *mut CUlaunchAttribute,
    pub numAttrs: c_uint,
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the header's fields, in its order
pub struct CUlaunchAttribute {
    pub id: c_uint,
    pub pad: [u8; 4],
    pub value: [u64; 8],
}

impl CUlaunchAttribute {
    /// The value, as numbers of 32 bits.
    pub fn ints(&self) -> [c_uint; 16] {
        std::array::from_fn(|index| (self.value[index / 2] >> (index % 2 * 32)) as c_uint)
    }
}

const _: () = {
    assert!(size_of::<CUDA_MEMCPY2D>() == 128);
    assert!(size_of::<CUlaunchConfig>() == 56);
    assert!(size_of::<CUlaunchAttribute>() == 72);
};
