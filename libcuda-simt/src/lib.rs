//! `libcuda.so.1` for machines without a GPU: the CUDA driver API on the SIMT device.
//!
//! A program that opens or links the driver library runs on it unchanged if the folder of this library is on its library
//! path. It exports the names of [`simt::driver`] and nothing else, and never looks for a real driver.

#![allow(non_snake_case)] // the names of the C header

mod calls;

use simt::driver::CUresult;
use simt::driver::types::*;

/// Exports every entry of a table under its C name.
macro_rules! exports {
    (
        same_everywhere { $($s_name:ident($($s_arg:ident: $s_type:ty),*) => $s_call:expr;)* }
        supported { $($name:ident($($arg:ident: $type:ty),*) => $call:expr;)* }
        unsupported { $($u_name:ident($($u_arg:ident: $u_type:ty),*);)* }
    ) => {
        $(exports!(@export $s_name($($s_arg: $s_type),*));)*
        $(exports!(@export $name($($arg: $type),*));)*
        $(exports!(@export $u_name($($u_arg: $u_type),*));)*
    };
    (@export $name:ident($($arg:ident: $type:ty),*)) => {
        #[doc = concat!("`", stringify!($name), "` of the CUDA driver API.")]
        ///
        /// # Safety
        /// As the CUDA driver API demands for this function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            // SAFETY: the caller keeps the contract of this function, which is the same.
            calls::call(stringify!($name), || unsafe { entries::$name($($arg),*) })
        }
    };
}

/// The functions behind the names, of both tables.
mod entries {
    pub use simt::driver::per_thread::*;
    pub use simt::driver::*;
}

simt::cu_functions!(exports);
simt::cu_per_thread_functions!(exports);
