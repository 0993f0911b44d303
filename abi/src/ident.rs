//! `ident_t`: where in the source a runtime call stands.

use crate::assert_layout;
use core::ffi::c_char;

/// Source location record that compilers pass as the first argument of most runtime calls (`kmp.h`: `ident_t`).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Ident {
    /// Unused by offloading.
    pub reserved_1: i32,
    /// `KMP_IDENT_*` bits.
    pub flags: i32,
    /// Unused by offloading.
    pub reserved_2: i32,
    /// Length of the text at `psource` in bytes.
    pub reserved_3: i32,
    /// `;file;function;line;column;;`, NUL-terminated, or null.
    pub psource: *const c_char,
}
assert_layout!(Ident, size 24, reserved_1 @ 0, flags @ 4, reserved_2 @ 8, reserved_3 @ 12, psource @ 16);

/// The text of an unknown location.
pub const UNKNOWN_LOCATION: &str = ";unknown;unknown;0;0;;";
