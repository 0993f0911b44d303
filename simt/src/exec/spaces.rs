//! The memory that a warp reaches, by spaces (PTX ISA 9.0, 5.1): where an address lies, and whether an access to it is
//! allowed.
//!
//! Local memory is interleaved: row `r` holds bytes `8r..8r + 8` of all 32 lanes, so that the common access of all lanes to
//! the same variable is one access to a row.

use super::bulk::read;
use super::fault::Fault;
use crate::code::{
    FUNCTION_WINDOW, LANES, LOCAL_WINDOW, SHARED_START, SHARED_WINDOW, Space, WINDOW_SHIFT, Width,
};
use crate::mem::{Bytes, Memory};
use crate::report::ReportKind;

/// First address of local memory that is used, so that the address of no variable is 0.
pub const LOCAL_START: u32 = 16;

/// Eight bytes of the local memory of each lane.
pub type LocalRow = [u64; LANES];

/// What a warp can access, as long as it stays in one frame.
pub struct Spaces<'a> {
    /// Device memory.
    pub memory: &'a Memory,
    /// Shared memory of the CTA.
    pub shared: *mut u8,
    /// Its size.
    pub shared_bytes: u64,
    /// Local memory of the warp's lanes.
    pub local: *mut LocalRow,
    /// End of the part of local memory that the frame and its callers use; all rows up to there exist.
    pub local_end: u64,
}

/// An address as the space it lies in and what is left of it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Spot {
    /// Device memory, or no memory at all.
    Global(u64),
    /// Offset in shared memory.
    Shared(u64),
    /// Offset in the lane's local memory.
    Local(u64),
}

/// Where an address lies.
#[inline(always)]
pub fn spot(space: Space, address: u64) -> Spot {
    match space {
        // What lies before the start is no offset that is inside.
        Space::Shared => Spot::Shared(address.wrapping_sub(SHARED_START)),
        Space::Local => Spot::Local(address),
        Space::Generic if address >> WINDOW_SHIFT == SHARED_WINDOW >> WINDOW_SHIFT => {
            Spot::Shared((address - SHARED_WINDOW).wrapping_sub(SHARED_START))
        }
        Space::Generic if address >> WINDOW_SHIFT == LOCAL_WINDOW >> WINDOW_SHIFT => {
            Spot::Local(address - LOCAL_WINDOW)
        }
        Space::Generic | Space::Global | Space::Const | Space::Param => Spot::Global(address),
    }
}

impl Spaces<'_> {
    /// The host address of `bytes` (1, 2, 4 or 8; 16 and 32 outside of local memory) bytes, or none if the access is not
    /// allowed.
    #[inline(always)]
    pub fn resolve(&self, space: Space, address: u64, bytes: u64, lane: usize) -> Option<*mut u8> {
        if address & (bytes - 1) != 0 {
            return None;
        }
        match spot(space, address) {
            Spot::Global(a) => self.memory.allows(a, bytes).then_some(a as *mut u8),
            Spot::Shared(a) => self.shared_range(a, bytes),
            Spot::Local(a) => {
                let end = a.checked_add(bytes)?;
                (a >= LOCAL_START.into() && end <= self.local_end).then(|| {
                    let row = self.local.wrapping_add((a / 8) as usize).cast::<u8>();
                    row.wrapping_add(lane * 8 + (a % 8) as usize)
                })
            }
        }
    }

    /// The host address of a word, or a part of one, whose bytes are not all of its allocation: an atomic operation on one or two bytes
    /// reads and swaps the word around them, which on GPUs is never another allocation's.
    #[cold]
    pub(super) fn partial_word(&self, space: Space, address: u64, bytes: u64) -> Option<*mut u8> {
        match spot(space, address) {
            Spot::Global(a) if bytes <= 4 && a & (bytes - 1) == 0 && self.memory.allows(a & !3, 1) => {
                Some(a as *mut u8)
            }
            _ => None,
        }
    }

    #[inline(always)]
    fn shared_range(&self, offset: u64, bytes: u64) -> Option<*mut u8> {
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.shared_bytes);
        inside.then(|| self.shared.wrapping_add(offset as usize))
    }

    /// The host address of consecutive elements in global or shared memory.
    #[inline(always)]
    pub(super) fn consecutive(
        &self,
        space: Space,
        address: u64,
        element: u64,
        bytes: u64,
    ) -> Option<*mut u8> {
        if address & (element - 1) != 0 {
            return None;
        }
        match spot(space, address) {
            Spot::Global(a) => self.memory.allows_range(a, bytes).then_some(a as *mut u8),
            Spot::Shared(a) => self.shared_range(a, bytes),
            Spot::Local(_) => None,
        }
    }

    /// The row of local memory that an access of all lanes to the same address touches, and the byte in it.
    #[inline(always)]
    pub(super) fn local_row(&self, space: Space, address: u64, bytes: u64) -> Option<(*mut LocalRow, u32)> {
        match spot(space, address) {
            Spot::Local(a)
                if a & (bytes - 1) == 0
                    && a >= LOCAL_START.into()
                    && a.checked_add(bytes).is_some_and(|end| end <= self.local_end) =>
            {
                Some((self.local.wrapping_add((a / 8) as usize), (a % 8) as u32))
            }
            _ => None,
        }
    }

    /// Why an access is not allowed.
    #[cold]
    pub fn explain(&self, what: &str, space: Space, address: u64, bytes: u64, lane: usize) -> Box<Fault> {
        let head = format!("{what} of {} at {address:#x}", Bytes(bytes));
        if address & (bytes - 1) != 0 {
            return Fault::at_lane(
                ReportKind::Misaligned,
                lane,
                format!("{head}, which is not a multiple of {bytes}"),
            );
        }
        let text = match spot(space, address) {
            Spot::Global(a) if a >> WINDOW_SHIFT == FUNCTION_WINDOW >> WINDOW_SHIFT => {
                format!("{head}: the address of a function")
            }
            Spot::Global(a) => format!("{head}: {}", self.memory.describe(a, bytes)),
            Spot::Shared(a) => {
                format!("{head}: byte {} of {} bytes of shared memory", a as i64, self.shared_bytes)
            }
            Spot::Local(a) if a < LOCAL_START.into() => {
                format!("{head}: a null pointer to local memory")
            }
            Spot::Local(a) => format!(
                "{head}: byte {a} of the thread's stack, of which the function and its callers use {}",
                self.local_end
            ),
        };
        Fault::at_lane(ReportKind::OutOfBounds, lane, text)
    }

    /// Reads bytes of any number and alignment at a generic address, for one lane.
    ///
    /// # Errors
    /// One of the bytes may not be accessed.
    pub fn read_bytes(&self, address: u64, to: &mut [u8], lane: usize) -> Result<(), Box<Fault>> {
        for (k, byte) in to.iter_mut().enumerate() {
            let at = address.wrapping_add(k as u64);
            let p = self
                .resolve(Space::Generic, at, 1, lane)
                .ok_or_else(|| self.explain("load", Space::Generic, at, 1, lane))?;
            // SAFETY: `resolve` has checked the address.
            *byte = unsafe { read(p, Width::W8) } as u8;
        }
        Ok(())
    }
}
