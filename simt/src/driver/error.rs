//! Result codes: their names, their texts, and which of them a client of CUDA 11.4 knows.

use super::types::{c_char, c_void};
use crate::report::{Report, ReportKind};
use std::ffi::CStr;
use std::fmt;

/// `CUresult`: a plain number, because a driver may return codes that are younger than any list.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CUresult(
    /// The code.
    pub u32,
);

/// What the functions behind the entry points return.
pub type CuResult<T = ()> = Result<T, CUresult>;

/// Name and text of one code.
struct Text {
    name: &'static CStr,
    text: &'static CStr,
}

macro_rules! codes {
    (cuda_11_4 { $($old:ident = $old_code:literal, $old_text:literal;)* }
     later { $($new:ident = $new_code:literal, $new_text:literal;)* }) => {
        #[allow(missing_docs)] // the names are the header's, without CUDA_ERROR_; the texts say the rest
        impl CUresult {
            pub const SUCCESS: Self = Self(0);
            $(pub const $old: Self = Self($old_code);)*
            $(pub const $new: Self = Self($new_code);)*

            /// Whether the code is in the header of CUDA 11.4, which the enumeration of cust 0.3.2 is made from.
            pub const fn in_cuda_11_4(self) -> bool {
                matches!(self.0, 0 $(| $old_code)*)
            }

            fn lookup(self) -> Option<Text> {
                // concat! gives a str; the terminator is part of it.
                const fn c(bytes: &'static str) -> &'static CStr {
                    match CStr::from_bytes_with_nul(bytes.as_bytes()) {
                        Ok(text) => text,
                        Err(_) => panic!("a text holds a NUL"),
                    }
                }
                Some(match self.0 {
                    0 => Text { name: c"CUDA_SUCCESS", text: c"no error" },
                    $($old_code => Text {
                        name: const { c(concat!("CUDA_ERROR_", stringify!($old), "\0")) },
                        text: const { c(concat!($old_text, "\0")) },
                    },)*
                    $($new_code => Text {
                        name: const { c(concat!("CUDA_ERROR_", stringify!($new), "\0")) },
                        text: const { c(concat!($new_text, "\0")) },
                    },)*
                    _ => return None,
                })
            }
        }

        #[cfg(test)]
        const ALL: &[CUresult] = &[CUresult::SUCCESS, $(CUresult::$old,)* $(CUresult::$new,)*];
    };
}

codes! {
    cuda_11_4 {
        INVALID_VALUE = 1, "invalid argument";
        OUT_OF_MEMORY = 2, "out of memory";
        NOT_INITIALIZED = 3, "the driver has not been initialised";
        DEINITIALIZED = 4, "the driver is shutting down";
        PROFILER_DISABLED = 5, "profiling is off while an outer profiler runs";
        PROFILER_NOT_INITIALIZED = 6, "profiler is not initialised";
        PROFILER_ALREADY_STARTED = 7, "profiler has already been started";
        PROFILER_ALREADY_STOPPED = 8, "profiler has already been stopped";
        STUB_LIBRARY = 34, "the driver library is a stub";
        NO_DEVICE = 100, "no CUDA-capable device is detected";
        INVALID_DEVICE = 101, "invalid device number";
        DEVICE_NOT_LICENSED = 102, "the device has no licence";
        INVALID_IMAGE = 200, "the device image is invalid";
        INVALID_CONTEXT = 201, "no context, or an invalid one";
        CONTEXT_ALREADY_CURRENT = 202, "the context is already current";
        MAP_FAILED = 205, "mapping failed";
        UNMAP_FAILED = 206, "unmapping failed";
        ARRAY_IS_MAPPED = 207, "the array is mapped";
        ALREADY_MAPPED = 208, "the resource is already mapped";
        NO_BINARY_FOR_GPU = 209, "no kernel image can be executed on the device";
        ALREADY_ACQUIRED = 210, "the resource has already been acquired";
        NOT_MAPPED = 211, "the resource is not mapped";
        NOT_MAPPED_AS_ARRAY = 212, "the resource is not mapped as an array";
        NOT_MAPPED_AS_POINTER = 213, "the resource is not mapped as a pointer";
        ECC_UNCORRECTABLE = 214, "uncorrectable memory error";
        UNSUPPORTED_LIMIT = 215, "the device does not support this limit";
        CONTEXT_ALREADY_IN_USE = 216, "the context is in use by another thread";
        PEER_ACCESS_UNSUPPORTED = 217, "the devices cannot access each other's memory";
        INVALID_PTX = 218, "the PTX cannot be compiled";
        INVALID_GRAPHICS_CONTEXT = 219, "invalid graphics context";
        NVLINK_UNCORRECTABLE = 220, "uncorrectable NVLink error";
        JIT_COMPILER_NOT_FOUND = 221, "the PTX compiler library cannot be found";
        UNSUPPORTED_PTX_VERSION = 222, "the PTX is of a version that the driver does not know";
        JIT_COMPILATION_DISABLED = 223, "compilation of PTX is switched off";
        UNSUPPORTED_EXEC_AFFINITY = 224, "the device does not support this affinity";
        INVALID_SOURCE = 300, "the kernel source is invalid";
        FILE_NOT_FOUND = 301, "file not found";
        SHARED_OBJECT_SYMBOL_NOT_FOUND = 302, "the driver library lacks this function";
        SHARED_OBJECT_INIT_FAILED = 303, "a shared library (of the driver) cannot be opened";
        OPERATING_SYSTEM = 304, "a call of the operating system failed";
        INVALID_HANDLE = 400, "invalid handle";
        ILLEGAL_STATE = 401, "a resource is not in the state that the operation needs";
        NOT_FOUND = 500, "the named symbol was not found";
        NOT_READY = 600, "the work is not finished";
        ILLEGAL_ADDRESS = 700, "a kernel accessed an illegal address";
        LAUNCH_OUT_OF_RESOURCES = 701, "the launch asks for more resources than there are";
        LAUNCH_TIMEOUT = 702, "the kernel did not come to an end";
        LAUNCH_INCOMPATIBLE_TEXTURING = 703, "the launch has an incompatible texturing mode";
        PEER_ACCESS_ALREADY_ENABLED = 704, "peer access is already on";
        PEER_ACCESS_NOT_ENABLED = 705, "peer access is not on";
        PRIMARY_CONTEXT_ACTIVE = 708, "the primary context is already active";
        CONTEXT_IS_DESTROYED = 709, "the context has been destroyed";
        ASSERT = 710, "an assertion failed in a kernel";
        TOO_MANY_PEERS = 711, "too many peers";
        HOST_MEMORY_ALREADY_REGISTERED = 712, "the host memory is already registered";
        HOST_MEMORY_NOT_REGISTERED = 713, "the host memory is not registered";
        HARDWARE_STACK_ERROR = 714, "stack error in a kernel";
        ILLEGAL_INSTRUCTION = 715, "illegal instruction in a kernel";
        MISALIGNED_ADDRESS = 716, "a kernel accessed a misaligned address";
        INVALID_ADDRESS_SPACE = 717, "an address is not in the address space of the operation";
        INVALID_PC = 718, "a kernel jumped to an invalid address";
        LAUNCH_FAILED = 719, "the kernel failed";
        COOPERATIVE_LAUNCH_TOO_LARGE = 720, "the cooperative launch is too large";
        NOT_PERMITTED = 800, "the operation is not permitted here";
        NOT_SUPPORTED = 801, "the operation is not supported";
        SYSTEM_NOT_READY = 802, "the system is not ready";
        SYSTEM_DRIVER_MISMATCH = 803, "kernel driver and driver library do not match";
        COMPAT_NOT_SUPPORTED_ON_DEVICE = 804, "the device does not support the compatibility library";
        MPS_CONNECTION_FAILED = 805, "no connection to the MPS server";
        MPS_RPC_FAILURE = 806, "a call of the MPS server failed";
        MPS_SERVER_NOT_READY = 807, "the MPS server is not ready";
        MPS_MAX_CLIENTS_REACHED = 808, "the MPS server has too many clients";
        MPS_MAX_CONNECTIONS_REACHED = 809, "the MPS server has too many connections";
        STREAM_CAPTURE_UNSUPPORTED = 900, "the operation cannot be captured";
        STREAM_CAPTURE_INVALIDATED = 901, "an error made the capture invalid";
        STREAM_CAPTURE_MERGE = 902, "the operation would merge two captures";
        STREAM_CAPTURE_UNMATCHED = 903, "the capture was not begun in this stream";
        STREAM_CAPTURE_UNJOINED = 904, "the capture has a fork that was not joined";
        STREAM_CAPTURE_ISOLATION = 905, "the operation crosses the border of the capture";
        STREAM_CAPTURE_IMPLICIT = 906, "the operation depends on the default stream";
        CAPTURED_EVENT = 907, "the event was recorded in a capturing stream";
        STREAM_CAPTURE_WRONG_THREAD = 908, "the capture was begun by another thread";
        TIMEOUT = 909, "time out";
        GRAPH_EXEC_UPDATE_FAILURE = 910, "the executable graph cannot be updated this way";
        EXTERNAL_DEVICE = 911, "error of a device outside of the GPU";
        UNKNOWN = 999, "unknown error";
    }
    later {
        CALL_REQUIRES_NEWER_DRIVER = 36, "the call needs a newer driver";
        DEVICE_UNAVAILABLE = 46, "the device is busy or unavailable";
        UNSUPPORTED_DEVSIDE_SYNC = 225, "the code synchronises on the device, which is not supported";
        CONTAINED = 226, "a contained memory error";
        LOSSY_QUERY = 402, "the query would lose information";
        TENSOR_MEMORY_LEAK = 721, "a kernel ended without freeing tensor memory";
        MPS_CLIENT_TERMINATED = 810, "the MPS client has been ended by the server";
        CDP_NOT_SUPPORTED = 811, "dynamic parallelism is not supported";
        CDP_VERSION_MISMATCH = 812, "unsupported version of dynamic parallelism";
        INVALID_CLUSTER_SIZE = 912, "invalid cluster size";
        FUNCTION_NOT_LOADED = 913, "the function is not loaded";
        INVALID_RESOURCE_TYPE = 914, "invalid resource type";
        INVALID_RESOURCE_CONFIGURATION = 915, "invalid resource configuration";
        KEY_ROTATION = 916, "a key rotation is under way";
        STREAM_DETACHED = 917, "the stream has been detached";
    }
}

impl CUresult {
    /// Name in the header, such as `CUDA_ERROR_INVALID_VALUE`; `None` for a code that is not listed.
    pub fn name(self) -> Option<&'static CStr> {
        self.lookup().map(|entry| entry.name)
    }

    /// One phrase on what it means; `None` for a code that is not listed.
    pub fn text(self) -> Option<&'static CStr> {
        self.lookup().map(|entry| entry.text)
    }
}

impl fmt::Debug for CUresult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{} ({})", name.to_string_lossy(), self.0),
            None => write!(f, "CUresult({})", self.0),
        }
    }
}

impl From<CuResult> for CUresult {
    fn from(result: CuResult) -> Self {
        result.err().unwrap_or(Self::SUCCESS)
    }
}

/// Writes a report to standard error, whole, after the prefix that all messages of the device have.
pub(super) fn say(message: impl fmt::Display) {
    eprintln!("omptarget simt: {message}");
}

/// Code for a failed call of the host that ran nothing on the device. The report goes to standard error, but for
/// memory that ran out: callers probe for that, and the code says all.
pub(super) fn refused(report: &Report) -> CUresult {
    if report.kind == ReportKind::OutOfMemory {
        return CUresult::OUT_OF_MEMORY;
    }
    say(report);
    match report.kind {
        ReportKind::InvalidPtx | ReportKind::UndefinedSymbol => CUresult::INVALID_PTX,
        _ => CUresult::INVALID_VALUE,
    }
}

/// Code for a kernel that failed while it ran: these leave the context unusable, as on a GPU. `None` for a launch that
/// was refused before anything ran.
pub(super) fn fatal(kind: ReportKind) -> Option<CUresult> {
    Some(match kind {
        ReportKind::InvalidArgument
        | ReportKind::OutOfMemory
        | ReportKind::InvalidPtx
        | ReportKind::UndefinedSymbol => return None,
        ReportKind::OutOfBounds => CUresult::ILLEGAL_ADDRESS,
        ReportKind::Misaligned => CUresult::MISALIGNED_ADDRESS,
        ReportKind::AddressSpace => CUresult::INVALID_ADDRESS_SPACE,
        ReportKind::Deadlock | ReportKind::Limit => CUresult::LAUNCH_TIMEOUT,
        ReportKind::Assert => CUresult::ASSERT,
        ReportKind::Barrier | ReportKind::WarpOperation | ReportKind::Trap | ReportKind::Execution => {
            CUresult::LAUNCH_FAILED
        }
    })
}

/// `cuGetErrorName`: an unknown code gives a null pointer and `INVALID_VALUE`.
pub(super) unsafe fn get_name(error: CUresult, text: *mut *const c_char) -> CuResult {
    // SAFETY: the caller passes a valid pointer or null.
    unsafe { put_text(error.name(), text) }
}

/// `cuGetErrorString`; as [`get_name`].
pub(super) unsafe fn get_string(error: CUresult, text: *mut *const c_char) -> CuResult {
    // SAFETY: the caller passes a valid pointer or null.
    unsafe { put_text(error.text(), text) }
}

unsafe fn put_text(found: Option<&'static CStr>, to: *mut *const c_char) -> CuResult {
    let pointer = found.map_or(std::ptr::null(), CStr::as_ptr);
    // SAFETY: as the caller of this function promises.
    unsafe { put(to, pointer)? };
    found.map(|_| ()).ok_or(CUresult::INVALID_VALUE)
}

/// Writes a result to where the caller wants it.
///
/// # Safety
/// `to` is null or valid for a write of `T`.
///
/// # Errors
/// [`CUresult::INVALID_VALUE`] for a null pointer.
pub(super) unsafe fn put<T>(to: *mut T, value: T) -> CuResult {
    if to.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so valid by the contract.
    unsafe { to.write(value) };
    Ok(())
}

/// [`put`] for results that the caller may not want.
///
/// # Safety
/// As for [`put`].
pub(super) unsafe fn put_if_wanted<T>(to: *mut T, value: T) {
    if !to.is_null() {
        // SAFETY: not null, so valid by the contract.
        unsafe { to.write(value) };
    }
}

/// A C string of the caller; `None` for null.
///
/// # Safety
/// `text` is null or points at a NUL-terminated string that lives long enough.
pub(super) unsafe fn text<'a>(text: *const c_char) -> CuResult<&'a CStr> {
    if text.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: as the caller promises.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// Address of a pointer as the device numbers it: device memory is memory of the host.
pub(super) fn address_of(pointer: *const c_void) -> u64 {
    pointer.addr() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_code_has_one_number_one_name_and_a_text() {
        let numbers: HashSet<u32> = ALL.iter().map(|code| code.0).collect();
        let names: HashSet<_> = ALL.iter().map(|code| code.name().unwrap()).collect();
        assert_eq!(numbers.len(), ALL.len());
        assert_eq!(names.len(), ALL.len());
        assert!(ALL.iter().all(|code| !code.text().unwrap().is_empty()));
    }

    #[test]
    fn names_are_those_of_the_header() {
        assert_eq!(CUresult(0).name().unwrap(), c"CUDA_SUCCESS");
        assert_eq!(CUresult(1).name().unwrap(), c"CUDA_ERROR_INVALID_VALUE");
        assert_eq!(CUresult(719).name().unwrap(), c"CUDA_ERROR_LAUNCH_FAILED");
        assert_eq!(format!("{:?}", CUresult(700)), "CUDA_ERROR_ILLEGAL_ADDRESS (700)");
        assert_eq!(format!("{:?}", CUresult(4711)), "CUresult(4711)");
    }

    #[test]
    fn cuda_11_4_has_86_codes_and_success() {
        assert_eq!(ALL.iter().filter(|code| code.in_cuda_11_4()).count(), 87);
        assert_eq!((0..2000).filter(|&code| CUresult(code).in_cuda_11_4()).count(), 87);
        assert!(!CUresult::FUNCTION_NOT_LOADED.in_cuda_11_4());
    }

    #[test]
    fn an_unknown_code_has_no_text_and_a_null_pointer_is_refused() {
        let mut text = c"".as_ptr();
        // SAFETY: `text` is a live variable; null is allowed.
        unsafe {
            assert_eq!(get_name(CUresult(12345), &mut text), Err(CUresult::INVALID_VALUE));
            assert!(text.is_null());
            assert_eq!(get_string(CUresult(2), &mut text), Ok(()));
            assert_eq!(CStr::from_ptr(text), c"out of memory");
            assert_eq!(get_string(CUresult(2), std::ptr::null_mut()), Err(CUresult::INVALID_VALUE));
        }
    }

    #[test]
    fn what_a_kernel_did_is_fatal_and_what_was_refused_is_not() {
        use ReportKind as K;
        for (kind, code) in [
            (K::OutOfBounds, 700),
            (K::Misaligned, 716),
            (K::AddressSpace, 717),
            (K::Deadlock, 702),
            (K::Limit, 702),
            (K::Assert, 710),
            (K::Trap, 719),
            (K::Barrier, 719),
            (K::WarpOperation, 719),
            (K::Execution, 719),
        ] {
            assert_eq!(fatal(kind), Some(CUresult(code)));
        }
        for (kind, code) in
            [(K::InvalidArgument, 1), (K::OutOfMemory, 2), (K::InvalidPtx, 218), (K::UndefinedSymbol, 218)]
        {
            assert_eq!(fatal(kind), None);
            assert_eq!(refused(&Report::new(kind, "a message of the tests")), CUresult(code));
        }
        assert_eq!(refused(&Report::new(K::OutOfBounds, "a message of the tests")), CUresult(1));
    }
}
