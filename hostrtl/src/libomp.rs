//! What the host runtime asks of libomp. Found at run time, as weak symbols are: a program without libomp still runs.

use crate::env::OffloadKind;
use core::ffi::{CStr, c_int, c_void};
use std::sync::OnceLock;

/// A function of libomp that takes nothing and gives an `int`.
type IntFunction = unsafe extern "C" fn() -> c_int;

struct Import {
    name: &'static CStr,
    address: OnceLock<Option<IntFunction>>,
}

impl Import {
    const fn new(name: &'static CStr) -> Self {
        Self { name, address: OnceLock::new() }
    }

    fn call(&self) -> Option<c_int> {
        let function = self.address.get_or_init(|| {
            // SAFETY: a C string; the default handle searches all loaded libraries.
            let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, self.name.as_ptr()) };
            // SAFETY: libomp declares the names below with this type; null becomes `None`.
            unsafe { core::mem::transmute::<*mut c_void, Option<IntFunction>>(symbol) }
        });
        // SAFETY: these functions may be called at any time, by any thread.
        function.map(|function| unsafe { function() })
    }
}

/// The offload policy that libomp parsed from `OMP_TARGET_OFFLOAD`; `None` without libomp.
pub fn offload_kind() -> Option<OffloadKind> {
    static IMPORT: Import = Import::new(c"__kmpc_get_target_offload");
    IMPORT.call().map(|value| match value {
        0 => OffloadKind::Disabled,
        2 => OffloadKind::Mandatory,
        _ => OffloadKind::Default,
    })
}

/// The default device of this thread; 0 without libomp.
pub fn default_device() -> c_int {
    static IMPORT: Import = Import::new(c"omp_get_default_device");
    IMPORT.call().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_function_is_none_and_a_present_one_is_called() {
        static MISSING: Import = Import::new(c"no_such_function_anywhere");
        assert_eq!(MISSING.call(), None);
        static PRESENT: Import = Import::new(c"getppid");
        assert!(PRESENT.call().is_some_and(|parent| parent > 0));
    }
}
