//! `calloc` and `strdup`, over `malloc`, which is the driver's, or that of `blocks.rs`.

use core::ptr::null_mut;

unsafe extern "C" {
    pub(crate) fn malloc(bytes: usize) -> *mut u8;
    pub(crate) fn free(memory: *mut u8);
}

super::c_functions! {
    fn calloc(count: usize, bytes: usize) -> *mut u8 {
        let Some(all) = count.checked_mul(bytes) else { return null_mut() };
        let memory = malloc(all);
        if !memory.is_null() {
            memory.write_bytes(0, all);
        }
        memory
    }
    fn strdup(text: *const u8) -> *mut u8 {
        strndup(text, usize::MAX)
    }
    fn strndup(text: *const u8, most: usize) -> *mut u8 {
        let bytes = super::strings::length(text, most);
        let memory = malloc(bytes + 1);
        if !memory.is_null() {
            memory.copy_from_nonoverlapping(text, bytes);
            memory.add(bytes).write(0);
        }
        memory
    }
}
