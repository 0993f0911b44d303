//! The `cu*` symbols that cust links, without CUDA: each forwards to the driver library when that is there and has a
//! GPU, else to the SIMT device in this process.
//!
//! cust declares the driver API as ordinary C functions and asks the linker for `-lcuda`. Linking the real library
//! would keep every program from starting on a machine without the NVIDIA driver. So `-lcuda` is satisfied by an empty
//! linker script (`link/lib64/libcuda.so`, see `.cargo/config.toml`), and the symbols are here.
//!
//! Which device it is, is decided once, by the first call: see [`backend`]. A forwarded call costs one atomic load.
//!
//! The result codes that get out are those of CUDA 11.4, which the `CUresult` enumeration of cust 0.3.2 has variants
//! for; any other code of a newer driver becomes `CUDA_ERROR_UNKNOWN`, since a value outside of a Rust enumeration is
//! undefined behaviour. A function that the driver library lacks gives `CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`.
//!
//! A program that uses cust must also use this crate by name (`use cuda_shim as _;` is enough), or the linker does not
//! see it.

#![allow(non_snake_case)] // the names of the C header

mod backend;
mod slot;

pub use backend::{Backend, backend, share_host_memory, why_no_gpu};
pub use simt::driver::CUresult;

use simt::driver::types::*;

macro_rules! forwarders {
    (
        same_everywhere { $($s_name:ident($($s_arg:ident: $s_type:ty),*) => $s_call:expr;)* }
        supported { $($name:ident($($arg:ident: $type:ty),*) => $call:expr;)* }
        unsupported { $($u_name:ident($($u_arg:ident: $u_type:ty),*);)* }
    ) => {
        $(
            #[doc = concat!("`", stringify!($s_name), "`, answered without the driver, so that it never fails.")]
            ///
            /// # Safety
            /// As the CUDA driver API demands for this function.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $s_name($($s_arg: $s_type),*) -> CUresult {
                // SAFETY: the caller keeps the contract of this function, which is the same.
                unsafe { simt::driver::$s_name($($s_arg),*) }
            }
        )*
        $(forwarders!(@forward $name($($arg: $type),*));)*
        $(forwarders!(@forward $u_name($($u_arg: $u_type),*));)*
    };
    (@forward $name:ident($($arg:ident: $type:ty),*)) => {
        #[doc = concat!("`", stringify!($name), "` of the CUDA driver API.")]
        ///
        /// # Safety
        /// As the CUDA driver API demands for this function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            static SLOT: slot::Slot = slot::Slot::new();
            let name = concat!(stringify!($name), "\0");
            match SLOT.get(name, simt::driver::$name as *const c_void) {
                Ok(address) => {
                    // SAFETY: the address is that of the driver function of this name, whose C signature the table
                    // gives, or of the SIMT device's, which is made from the same table.
                    let function = unsafe {
                        std::mem::transmute::<*const c_void, unsafe extern "C" fn($($type),*) -> CUresult>(address)
                    };
                    // SAFETY: the caller keeps the contract of this function, which is the same.
                    slot::known(unsafe { function($($arg),*) })
                }
                Err(code) => code,
            }
        }
    };
}

simt::cu_functions!(forwarders);

/// Keeps this object file in every link, whatever the order of the libraries.
#[used]
static KEEP: unsafe extern "C" fn(c_uint) -> CUresult = cuInit;
