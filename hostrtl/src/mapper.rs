//! User-defined mappers: the program's function describes the parts of an object through two entry points.

use crate::arrays::{Argument, MapperFunction, OwnedArrays};
use abi::map::MapType;
use core::ffi::c_void;

/// Runs a mapper and gives the parts that it pushed.
///
/// # Safety
/// `mapper` is the program's mapper function for `map`.
pub unsafe fn components(mapper: MapperFunction, map: &Argument<'_>) -> OwnedArrays {
    let mut parts = OwnedArrays::default();
    // SAFETY: the contract. The handle is `parts`, which the function hands to the two entry points below.
    unsafe {
        mapper(
            (&raw mut parts).cast(),
            map.base as *mut c_void,
            map.begin as *mut c_void,
            map.size as i64,
            map.kind.0 as i64,
            map.name.as_ptr(),
        );
    }
    // clang hands `delete` on to the whole array alone, but the parts are to go as well (OpenMP 5.2, 5.8.8).
    if map.kind.is_delete() {
        parts.make_delete();
    }
    parts
}

/// Number of parts that were pushed to a mapper's handle.
///
/// # Safety
/// `handle` is the one that a mapper function got.
pub unsafe fn count(handle: *const c_void) -> i64 {
    // SAFETY: such a handle is an `OwnedArrays` that `components` keeps alive.
    unsafe { &*handle.cast::<OwnedArrays>() }.len() as i64
}

/// Adds a part to a mapper's handle.
///
/// # Safety
/// `handle` is the one that a mapper function got, `name` null or a C string.
pub unsafe fn push(
    handle: *mut c_void,
    base: *mut c_void,
    begin: *mut c_void,
    size: i64,
    kind: i64,
    name: *const c_void,
) {
    // SAFETY: such a handle is an `OwnedArrays` that only this call uses now.
    let parts = unsafe { &mut *handle.cast::<OwnedArrays>() };
    parts.push(base as usize, begin as usize, size, MapType(kind as u64), name);
}
