//! Of `<wchar.h>` what `std::wstring` calls.

use core::ffi::c_int;
use core::ptr::null;

/// A wide character.
type Wide = i32;

super::c_functions! {
    fn wcslen(text: *const Wide) -> usize {
        let mut at = 0;
        while text.add(at).read() != 0 {
            at += 1;
        }
        at
    }
    fn wmemcpy(to: *mut Wide, from: *const Wide, count: usize) -> *mut Wide {
        to.copy_from_nonoverlapping(from, count);
        to
    }
    fn wmemmove(to: *mut Wide, from: *const Wide, count: usize) -> *mut Wide {
        to.copy_from(from, count);
        to
    }
    fn wmemset(to: *mut Wide, value: Wide, count: usize) -> *mut Wide {
        (0..count).for_each(|at| to.add(at).write(value));
        to
    }
    fn wmemcmp(a: *const Wide, b: *const Wide, count: usize) -> c_int {
        let differ = (0..count).map(|at| a.add(at).read().cmp(&b.add(at).read())).find(|order| order.is_ne());
        differ.map_or(0, |order| order as c_int)
    }
    fn wmemchr(memory: *const Wide, value: Wide, count: usize) -> *const Wide {
        match (0..count).find(|at| memory.add(*at).read() == value) {
            Some(at) => memory.add(at),
            None => null(),
        }
    }
}
