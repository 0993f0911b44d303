//! The CUDA driver API over the SIMT device: functions with the names and the C signatures of the driver's.
//!
//! They are not exported as symbols here; cuda-shim does that for cust, libcuda-simt for everybody. All of them may be called from any thread.
//! Every one returns a [`CUresult`]; why a call was refused and how a kernel failed goes to standard error.
//!
//! A panic cannot leave these functions: `extern "C"` ends the process instead.

#![allow(non_snake_case, non_camel_case_types, non_upper_case_globals)] // the names of the C header

mod address;
mod checks;
mod context;
mod copy;
mod device;
mod error;
mod event;
mod jit;
mod launch;
mod link;
mod managed;
mod memory;
mod module;
mod object;
mod occupancy;
mod order;
mod pool;
mod profile;
mod state;
mod stream;
mod table;
#[cfg(test)]
mod tests;
pub mod types;

pub use error::CUresult;

use crate::LaunchConfig;
use object::MemoryKind;
use types::*;

/// The default stream of the context.
const DEFAULT: CUstream = std::ptr::null_mut();

macro_rules! entries {
    (
        same_everywhere { $($s_name:ident($($s_arg:ident: $s_type:ty),*) => $s_call:expr;)* }
        supported { $($name:ident($($arg:ident: $type:ty),*) => $call:expr;)* }
        unsupported { $($u_name:ident($($u_arg:ident: $u_type:ty),*);)* }
    ) => {
        $(entries!(@entry $s_name($($s_arg: $s_type),*) $s_call);)*
        $(entries!(@entry $name($($arg: $type),*) $call);)*
        $(
            #[doc = concat!("`", stringify!($u_name), "`: not supported.")]
            ///
            /// # Safety
            /// Always safe: no argument is looked at.
            pub unsafe extern "C" fn $u_name($(_: $u_type),*) -> CUresult {
                CUresult::NOT_SUPPORTED
            }
        )*

        /// Names of all entries.
        pub const NAMES: &[&str] =
            &[$(stringify!($s_name),)* $(stringify!($name),)* $(stringify!($u_name),)*];

        /// The entry of that name.
        pub fn find(name: &str) -> Option<*const c_void> {
            Some(match name {
                $(stringify!($s_name) => $s_name as *const c_void,)*
                $(stringify!($name) => $name as *const c_void,)*
                $(stringify!($u_name) => $u_name as *const c_void,)*
                _ => return None,
            })
        }
    };
    (@entry $name:ident($($arg:ident: $type:ty),*) $call:expr) => {
        #[doc = concat!("`", stringify!($name), "` of the CUDA driver API.")]
        ///
        /// # Safety
        /// Pointers are null or as the CUDA driver API demands for this function. Handles and device addresses may be
        /// anything.
        #[allow(unused_unsafe)] // some of the functions behind the entries are safe
        pub unsafe extern "C" fn $name($($arg: $type),*) -> CUresult {
            // SAFETY: the caller keeps the contract of this function, which is that of the one behind it.
            unsafe { $call }.into()
        }
    };
}

crate::cu_functions!(entries);

pub mod per_thread;
