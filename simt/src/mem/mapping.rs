//! Anonymous memory of the host.

use std::ptr::NonNull;

/// An anonymous, zeroed mapping whose pages exist only once they are touched.
pub struct Mapping {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a mapping is plain memory that any thread may use; how it is accessed is the owner's matter.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// `bytes` bytes, at one of the preferred places if it is free.
    pub fn new(bytes: usize, preferred: impl Iterator<Item = u64>) -> Option<Self> {
        let map = |at: u64, flags: i32| {
            // SAFETY: a new anonymous mapping; without MAP_FIXED it replaces none.
            let p = unsafe {
                libc::mmap(
                    at as *mut libc::c_void,
                    bytes,
                    libc::PROT_READ | libc::PROT_WRITE,
                    libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | flags,
                    -1,
                    0,
                )
            };
            (p != libc::MAP_FAILED).then_some(p)
        };
        for at in preferred {
            match map(at, libc::MAP_FIXED_NOREPLACE) {
                Some(p) if p as u64 == at => {
                    return Some(Self { start: NonNull::new(p.cast())?, bytes });
                }
                // A kernel that does not know MAP_FIXED_NOREPLACE took the address as a hint.
                // SAFETY: the mapping was made just now and nothing refers to it.
                Some(p) => unsafe {
                    libc::munmap(p, bytes);
                },
                None => {}
            }
        }
        Some(Self { start: NonNull::new(map(0, 0)?.cast())?, bytes })
    }

    /// Its first byte.
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Makes all of it zero again, and gives the pages back.
    pub fn discard(&mut self) {
        // SAFETY: the mapping is owned, and private pages that are given back read as zero.
        unsafe {
            libc::madvise(self.start.as_ptr().cast(), self.bytes, libc::MADV_DONTNEED);
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned and nothing refers to it any more.
        unsafe {
            libc::munmap(self.start.as_ptr().cast(), self.bytes);
        }
    }
}
