//! Functions of the C and C++ libraries that programs call in device code and the device runtime itself does not need.
//!
//! They are members of `libompdevice.a` of their own, which a device link takes if something of them is missing, and weak: a program may
//! bring its own. What an object of the host's libraries looks like in memory is as glibc's and libstdc++'s headers have it, for those are
//! what device code is compiled with. On the host only tests call the functions.
//!
//! Here `core` may be called as anywhere, unlike in the device runtime: a link takes only what it needs.
#![no_std]
#![allow(clippy::missing_safety_doc, reason = "the callers are programs in C and C++")]

pub mod characters;
pub mod complex;
pub mod complex_functions;
pub mod cxx;
pub mod format;
pub mod integers;
pub mod memory;
pub mod numbers;
pub mod order;
pub mod process;
pub mod random;
pub mod strings;
pub mod wide;

/// Functions with C's names on the device, or with the symbol that is given. A function's rules are those of C, or of the file that it
/// stands in.
macro_rules! c_functions {
    ($($(#[$meta:meta])* fn $name:ident $(as $symbol:literal)? ($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => { $(
        $(#[$meta])*
        ///
        /// As the library's function of this name.
        #[cfg_attr(target_arch = "nvptx64", unsafe(export_name = crate::symbol!($name $($symbol)?)))]
        #[allow(unused_unsafe, reason = "some have no rules")]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            // SAFETY: the caller keeps the library's rules for this function.
            unsafe { $body }
        }
    )* };
}
use c_functions;

/// The symbol of a function of [`c_functions`].
#[cfg(target_arch = "nvptx64")]
macro_rules! symbol {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $symbol:literal) => {
        $symbol
    };
}
#[cfg(target_arch = "nvptx64")]
use symbol;

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    process::end(c"panic in a function of the C library")
}
