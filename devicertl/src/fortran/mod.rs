//! Functions of the Fortran runtime, which flang calls for intrinsic procedures that it does not write out: without optimisation
//! most that have arrays, with it some (`docs/device-runtime.md`).
//!
//! LLVM's Fortran runtime is for hosts. One for devices may take the place of these functions, which are weak. Each thread
//! that calls one does all of it. A number of any kind is handled in 64 bits ([`number`]), so that there is one loop for all kinds; complex
//! ones are two of them ([`complex`]).

pub mod allocate;
pub mod assign;
pub mod complex;
pub mod construct;
pub mod decimal;
pub mod derived;
pub mod descriptor;
pub mod inquire;
pub mod kinds;
mod letters;
pub mod locate;
pub mod model;
pub mod number;
pub mod output;
pub mod product;
pub mod program;
pub mod random;
pub mod reduce;
pub mod reduce_by;
pub mod temporaries;
pub mod text;
pub mod transform;

use crate::arch::{self, Failure};
use crate::libc;
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

/// Where the source calls a function.
#[derive(Clone, Copy)]
struct Place {
    file: File,
    line: i32,
}

impl Place {
    /// The compiler does not tell.
    const UNKNOWN: Self = Self { file: core::ptr::null(), line: 0 };
}

/// What the compiler tells of where the source calls a function.
#[inline(always)]
fn at(file: File, line: i32) -> Place {
    Place { file, line }
}

/// Ends the program: the arguments are not what these functions take.
#[inline(always)]
fn refuse(why: Failure, at: Place) -> ! {
    end(arch::failure_text(why), at)
}

/// Ends the program with a text that ends with a zero.
#[cold]
#[inline(never)]
fn end(text: *const u8, Place { file, line }: Place) -> ! {
    let runtime: File = arch::failure_text(Failure::Runtime).cast();
    // SAFETY: texts with a zero at their ends; the function has no name.
    unsafe {
        match file.is_null() {
            true => arch::user_error(runtime, 0, runtime, text.cast()),
            false => arch::user_error(file, line as u32, text.add(libc::length(text)).cast(), text.cast()),
        }
    }
}
