//! What C asks of a process: its end, its time, and the number of the last error.

use core::ffi::{CStr, c_int, c_long};

/// Ends the kernel as a failed assertion does; the host says `why`.
pub(crate) fn end(why: &'static CStr) -> ! {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            fn __assertfail(
                message: *const i8,
                file: *const i8,
                line: u32,
                function: *const i8,
                char_bytes: usize,
            ) -> !;
        }
        let library = c"C library".as_ptr().cast();
        // SAFETY: C strings, of characters of 1 byte.
        unsafe { __assertfail(why.as_ptr().cast(), library, 0, library, 1) }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("{why:?}")
}

/// `errno`: one for all threads of the device, as no memory there is a thread's own and has a name. It is set, never cleared.
static ERROR: core::sync::atomic::AtomicI32 = core::sync::atomic::AtomicI32::new(0);

/// Sets `errno` to `ERANGE` of Linux.
pub(crate) fn out_of_range() {
    ERROR.store(34, core::sync::atomic::Ordering::Relaxed);
}

/// Seconds of a clock that all threads of the device share.
fn seconds() -> f64 {
    #[cfg(target_arch = "nvptx64")]
    {
        unsafe extern "C" {
            safe fn omp_get_wtime() -> f64;
        }
        omp_get_wtime()
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("no clock of a device")
}

super::c_functions! {
    /// Microseconds, as `CLOCKS_PER_SEC` of POSIX has it, of time and not of work: a thread does not know how long it waited.
    fn clock() -> c_long { (seconds() * 1e6) as c_long }
    /// `errno` of the device.
    fn __errno_location() -> *mut c_int { ERROR.as_ptr() }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn exit(_code: c_int) { end(c"exit was called in device code") }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn end_at_once as "_Exit" (_code: c_int) { end(c"_Exit was called in device code") }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn end_at_once_too as "_exit" (_code: c_int) { end(c"_exit was called in device code") }
}
