//! Where a forwarder keeps the address of the function behind it, and which codes it lets out.

use crate::CUresult;
use crate::backend::resolve;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// The address behind one forwarder, looked up by the first call.
pub(crate) struct Slot(AtomicPtr<c_void>);

impl Slot {
    pub(crate) const fn new() -> Self {
        Self(AtomicPtr::new(ptr::null_mut()))
    }

    /// The function `name` (with its terminator) of the backend; `simt` is the one of the SIMT device.
    ///
    /// # Errors
    /// What the forwarder has to return: there is no backend, or it lacks the function.
    #[inline]
    pub(crate) fn get(&self, name: &str, simt: *const c_void) -> Result<*const c_void, CUresult> {
        let cached = self.0.load(Ordering::Acquire);
        if cached.is_null() { self.look_up(name, simt) } else { Ok(cached) }
    }

    #[cold]
    fn look_up(&self, name: &str, simt: *const c_void) -> Result<*const c_void, CUresult> {
        let found = resolve(name, simt)?;
        self.0.store(found.cast_mut(), Ordering::Release);
        Ok(found)
    }
}

/// The code, if CUDA 11.4 knows it, else `CUDA_ERROR_UNKNOWN`.
#[inline]
pub(crate) fn known(code: CUresult) -> CUresult {
    if code.in_cuda_11_4() { code } else { CUresult::UNKNOWN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_codes_of_cuda_11_4_get_out() {
        for code in [0, 1, 100, 224, 303, 719, 801, 911, 999] {
            assert_eq!(known(CUresult(code)), CUresult(code));
        }
        for code in [36, 46, 225, 402, 721, 810, 912, 919, 1000, u32::MAX] {
            assert_eq!(known(CUresult(code)), CUresult::UNKNOWN);
        }
    }
}
