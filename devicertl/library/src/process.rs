//! What C asks of a process: its end, its environment, and the number of the last error.

use core::ffi::{CStr, c_int};

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

/// Sets `errno` to one of Linux's numbers.
pub(crate) fn set_error(number: c_int) {
    ERROR.store(number, core::sync::atomic::Ordering::Relaxed);
}

/// Sets `errno` to `ERANGE`.
pub(crate) fn out_of_range() {
    set_error(34);
}

/// Sets `errno` to `EINVAL`.
pub(crate) fn invalid() {
    set_error(22);
}

super::c_functions! {
    /// `errno` of the device.
    fn __errno_location() -> *mut c_int { ERROR.as_ptr() }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn exit(_code: c_int) { end(c"exit was called in device code") }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn end_at_once as "_Exit" (_code: c_int) { end(c"_Exit was called in device code") }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn end_at_once_too as "_exit" (_code: c_int) { end(c"_exit was called in device code") }
    /// A kernel cannot end the program: it fails, as with `abort`.
    fn quick_exit(_code: c_int) { end(c"quick_exit was called in device code") }
    /// Nothing is kept, as with `__cxa_atexit`: a device does not know the end of the program.
    fn atexit(_function: extern "C" fn()) -> c_int { 0 }
    /// A device has no environment.
    fn getenv(_name: *const u8) -> *mut u8 { core::ptr::null_mut() }
}
