//! How the driver gets an image: machine code as it is, PTX to be compiled.
//!
//! What is loaded as PTX is a whole program for the driver's ptxas, which makes copies of its functions for each kernel that
//! calls them. Where the functions of the runtime are not inlined (`-O0`), that is most of the time: 31 s instead of 1.4 s for
//! `kernels/saxpy_reduce.c`, which has nine kernels, with ptxas 13.0. Given to the driver's linker, each function is compiled once.
//! Not with functions that name themselves in calls, which ptxas compiles wrongly then (docs/upstream.md).

use super::{DeviceError, DeviceResult, check};
use crate::env::PtxChoice;
use crate::image::ptx;
use core::ffi::{CStr, c_uint, c_void};
use core::ptr::null_mut;
use cust::sys;
use cust::sys::CUjit_option_enum::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};

/// Bytes of functions, each counted for each kernel that may call it, that are compiled as a whole program: some 6 s of ptxas. A kernel
/// of an optimised program calls little, and is compiled best together with it.
const MOST_COPIES: usize = 2 << 20;
/// Bytes of a log of errors.
const LOG_BYTES: usize = 8 * 1024;

/// Loads machine code, or whatever the driver makes of it.
pub fn machine_code(image: &[u8]) -> DeviceResult<sys::CUmodule> {
    // SAFETY: no options; the image is complete, and ends with NUL as PTX would have to.
    unsafe { load_data(with_nul(image).as_ptr().cast(), &mut Log::none()) }
}

/// Compiles and loads PTX. `is_gpu` says that the driver is that of a GPU, and so its compiler ptxas.
pub fn ptx(text: &[u8], choice: PtxChoice, is_gpu: bool) -> DeviceResult<sys::CUmodule> {
    let image = with_nul(text);
    let link = match choice {
        PtxChoice::Auto => {
            let text = String::from_utf8_lossy(text);
            is_gpu && ptx::bytes_of_copies(&text) > MOST_COPIES && !ptx::Calls::of(&text).any_recursion()
        }
        PtxChoice::Whole => false,
        PtxChoice::Linked => true,
    };
    if link && let Ok(module) = Linker::new().and_then(|linker| linker.load(&image)) {
        return Ok(module);
    }
    // What the linker refuses, such as functions with more registers than a kernel has, may be right as a whole.
    // SAFETY: the image is complete and ends with NUL.
    unsafe { load_data(image.as_ptr().cast(), &mut Log::new()) }
}

/// PTX has to end with a NUL byte. A cubin does not mind one.
fn with_nul(image: &[u8]) -> Vec<u8> {
    [image, &[0]].concat()
}

/// # Safety
/// `image` must be complete, and end with NUL if it is PTX.
unsafe fn load_data(image: *const c_void, log: &mut Log) -> DeviceResult<sys::CUmodule> {
    let mut module = null_mut();
    // SAFETY: the image as the caller promises; options and values are of the same length and name a buffer of the length given.
    let code = unsafe {
        sys::cuModuleLoadDataEx(
            &mut module,
            image,
            log.count(),
            log.options.as_mut_ptr(),
            log.values.as_mut_ptr(),
        )
    };
    check("cuModuleLoadDataEx", code).map_err(|error| log.explain(error))?;
    Ok(module)
}

/// What the compiler has to say, and the options that ask for it.
struct Log {
    text: Vec<u8>,
    options: Vec<sys::CUjit_option>,
    values: Vec<*mut c_void>,
}

impl Log {
    fn none() -> Self {
        Self { text: Vec::new(), options: Vec::new(), values: Vec::new() }
    }

    fn new() -> Self {
        let mut text = vec![0_u8; LOG_BYTES];
        // The driver reads the second value as a number of 32 bits.
        let values = vec![text.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
        Self { text, options: vec![CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES], values }
    }

    fn count(&self) -> c_uint {
        self.options.len() as c_uint
    }

    fn explain(&self, mut error: DeviceError) -> DeviceError {
        let text = String::from_utf8_lossy(self.text.split(|byte| *byte == 0).next().unwrap_or_default());
        if !text.trim().is_empty() {
            error.text = format!("{}: {}", error.text, text.trim());
        }
        error
    }
}

/// A linker of the driver.
struct Linker(sys::CUlinkState);

impl Linker {
    fn new() -> DeviceResult<Self> {
        let mut state = null_mut();
        // SAFETY: no options, and a place for the result.
        let code = unsafe { sys::cuLinkCreate_v2(0, null_mut(), null_mut(), &mut state) };
        check("cuLinkCreate", code).map(|()| Self(state))
    }

    /// Loads what one module of PTX, which ends with NUL, is linked to.
    fn load(&self, text: &[u8]) -> DeviceResult<sys::CUmodule> {
        const NAME: &CStr = c"omptarget";
        let kind = sys::CUjitInputType_enum::CU_JIT_INPUT_PTX;
        let data = text.as_ptr().cast_mut().cast();
        // SAFETY: a linker of the driver; the text is as long as said and is only read; no options.
        let code = unsafe {
            sys::cuLinkAddData_v2(self.0, kind, data, text.len(), NAME.as_ptr(), 0, null_mut(), null_mut())
        };
        check("cuLinkAddData", code)?;
        let mut image: *mut c_void = null_mut();
        // SAFETY: a linker of the driver, and a place for the result; its size is not asked for.
        check("cuLinkComplete", unsafe { sys::cuLinkComplete(self.0, &mut image, null_mut()) })?;
        // SAFETY: the linker's result, which lives as long as the linker.
        unsafe { load_data(image.cast_const(), &mut Log::none()) }
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: a linker of the driver, which nobody uses any more. It cannot fail then.
        let _ = unsafe { sys::cuLinkDestroy(self.0) };
    }
}
