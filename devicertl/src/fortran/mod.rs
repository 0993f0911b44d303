//! Functions of the Fortran runtime, which flang calls for intrinsic procedures that it does not write out: without optimisation
//! most that have arrays, with it some (`docs/device-runtime.md`).
//!
//! LLVM's Fortran runtime is for hosts. One for devices may take the place of these functions, which are weak. Each thread
//! that calls one does all of it. A number of any kind is handled in 64 bits ([`number`]), so that there is one loop for all kinds.
//! Complex numbers are missing: flang 22 itself compiles none of their operations for a device.

pub mod allocate;
pub mod assign;
pub mod construct;
pub mod decimal;
pub mod derived;
pub mod descriptor;
pub mod inquire;
mod letters;
pub mod locate;
pub mod model;
pub mod number;
pub mod output;
pub mod product;
pub mod program;
pub mod random;
pub mod reduce;
pub mod temporaries;
pub mod text;
pub mod transform;

use crate::arch;
use core::ffi::c_char;
use descriptor::Descriptor;

/// What a function makes.
type Out = *mut Descriptor;
/// What it gets, or null.
type In = *const Descriptor;
/// The source that calls it, a text that ends with a zero.
type File = *const c_char;

/// Functions with flang's names.
macro_rules! fortran {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The arguments must be flang's.
        #[cfg_attr(target_arch = "nvptx64", unsafe(no_mangle))]
        #[allow(non_snake_case, reason = "flang's name")]
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            #[allow(unused_unsafe, reason = "some do nothing that needs it")]
            // SAFETY: as the caller promises.
            unsafe { $body }
        }
    )* };
}
use fortran;

/// Ends the program: the arguments are not what these functions take.
#[cold]
fn refuse() -> ! {
    arch::fail(arch::Failure::FortranArrays)
}
