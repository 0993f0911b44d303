//! `qsort`, `qsort_r` and `bsearch`.

use core::ffi::{c_int, c_void};
use core::ptr::null;

type Compare = unsafe extern "C" fn(*const c_void, *const c_void) -> c_int;

/// The same with a value of the caller's.
type CompareWith = unsafe extern "C" fn(*const c_void, *const c_void, *mut c_void) -> c_int;

/// Elements of the caller's size, at their places, and how two of them compare.
#[derive(Clone, Copy)]
struct Elements<F> {
    first: *mut u8,
    bytes: usize,
    compare: F,
}

/// Fewer elements than this are sorted by insertion, which keeps the order of equal ones.
const FEW: usize = 17;

impl<F: Fn(*const c_void, *const c_void) -> c_int + Copy> Elements<F> {
    fn at(self, k: usize) -> *mut u8 {
        self.first.wrapping_add(k * self.bytes)
    }

    /// Whether element `a` stands before element `b`.
    fn less(self, a: usize, b: usize) -> bool {
        (self.compare)(self.at(a).cast(), self.at(b).cast()) < 0
    }

    unsafe fn swap(self, a: usize, b: usize) {
        let (a, b) = (self.at(a), self.at(b));
        // SAFETY: two different elements.
        unsafe { core::ptr::swap_nonoverlapping(a, b, self.bytes) };
    }

    /// Moves element `root` of a heap of `count` down to its place.
    unsafe fn sift(self, mut root: usize, count: usize) {
        // SAFETY: all are below `count`.
        unsafe {
            while 2 * root + 1 < count {
                let mut child = 2 * root + 1;
                if child + 1 < count && self.less(child, child + 1) {
                    child += 1;
                }
                if !self.less(root, child) {
                    break;
                }
                self.swap(root, child);
                root = child;
            }
        }
    }

    unsafe fn sort(self, count: usize) {
        // SAFETY: all are below `count`.
        unsafe {
            if count < FEW {
                for next in 1..count {
                    let mut at = next;
                    while at > 0 && self.less(at, at - 1) {
                        self.swap(at, at - 1);
                        at -= 1;
                    }
                }
                return;
            }
            // A heap: no memory, no recursion, and never worse than n log n.
            for root in (0..count / 2).rev() {
                self.sift(root, count);
            }
            for last in (1..count).rev() {
                self.swap(0, last);
                self.sift(0, last);
            }
        }
    }
}

super::c_functions! {
    /// Equal elements of 17 and more may change their order, as C allows.
    fn qsort(first: *mut c_void, count: usize, bytes: usize, compare: Compare) {
        // SAFETY: elements, which the caller's function compares.
        let compare = |a: *const c_void, b: *const c_void| unsafe { compare(a, b) };
        Elements { first: first.cast(), bytes, compare }.sort(count)
    }
    /// As `qsort`.
    fn qsort_r(first: *mut c_void, count: usize, bytes: usize, compare: CompareWith, value: *mut c_void) {
        // SAFETY: as above.
        let compare = |a: *const c_void, b: *const c_void| unsafe { compare(a, b, value) };
        Elements { first: first.cast(), bytes, compare }.sort(count)
    }
    fn bsearch(key: *const c_void, first: *const c_void, count: usize, bytes: usize, compare: Compare) -> *const c_void {
        let (mut from, mut to) = (0, count);
        while from < to {
            let middle = from + (to - from) / 2;
            let at = first.wrapping_byte_add(middle * bytes);
            match compare(key, at) {
                0 => return at,
                ..0 => to = middle,
                _ => from = middle + 1,
            }
        }
        null()
    }
}
