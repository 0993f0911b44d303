//! Loads and stores in all spaces (PTX ISA 9.0, 9.7.9.8 to 9.7.9.11; spaces 5.1, alignment of addresses 6.4.1).
//!
//! Every access is checked: aligned to its size, and inside one live allocation (global), the CTA's static and dynamic
//! shared memory, or the part of the lane's stack that is in use (local).
//!
//! Local memory is interleaved: row `r` holds bytes `8r..8r + 8` of all 32 lanes, so that the common access of all lanes to
//! the same variable is one access to a row.
//!
//! Device and shared memory are accessed by relaxed atomics, or, where 32 consecutive elements are accessed at once, by
//! vector instructions that the compiler does not look into ([`Bulk`]): CTAs on other OS threads may access the same
//! bytes.

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]
#![allow(clippy::useless_conversion, reason = "one body serves all widths")]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering, fence};

use super::fault::Fault;
use super::lanes::{Lanes, by_width, lanes_of, uniform};
use super::moves::extend;
use crate::code::{
    Access, FUNCTION_WINDOW, LANES, LOCAL_WINDOW, Op, Order, Reg, SHARED_WINDOW, Space, Src, WINDOW_SHIFT,
    Width,
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
        Space::Shared => Spot::Shared(address),
        Space::Local => Spot::Local(address),
        Space::Generic if address >> WINDOW_SHIFT == SHARED_WINDOW >> WINDOW_SHIFT => {
            Spot::Shared(address - SHARED_WINDOW)
        }
        Space::Generic if address >> WINDOW_SHIFT == LOCAL_WINDOW >> WINDOW_SHIFT => {
            Spot::Local(address - LOCAL_WINDOW)
        }
        Space::Generic | Space::Global | Space::Const | Space::Param => Spot::Global(address),
    }
}

/// How 32 consecutive elements are copied to or from memory that other threads may access: each element by one access of
/// the machine, which the compiler knows nothing about. A tier does that in its own vector width, as vectors that are
/// written in parts and read as a whole at once are slow.
pub trait Bulk {
    /// Copies 32 elements of `width`.
    ///
    /// # Safety
    /// Both sides have room for the elements and are aligned to them; the host has the tier.
    unsafe fn copy(to: *mut u8, from: *const u8, width: Width);
}

/// Element by element.
pub struct Scalar;

impl Bulk for Scalar {
    #[inline(always)]
    unsafe fn copy(to: *mut u8, from: *const u8, width: Width) {
        for i in 0..LANES {
            let at = i * width.bytes() as usize;
            // SAFETY: by the caller's promise.
            unsafe { write(to.add(at), width, read(from.add(at).cast_mut(), width)) };
        }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! vector {
    ($name:ident, $doc:literal, $feature:literal, $bytes:literal, $class:ident, $move:literal) => {
        #[doc = $doc]
        #[cfg(target_arch = "x86_64")]
        pub struct $name;

        #[cfg(target_arch = "x86_64")]
        impl Bulk for $name {
            #[target_feature(enable = $feature)]
            #[inline]
            unsafe fn copy(to: *mut u8, from: *const u8, width: Width) {
                let bytes = LANES * width.bytes() as usize;
                for at in (0..bytes).step_by($bytes) {
                    // SAFETY: by the caller's promise; 32 elements of at least 16 bits are a multiple of the vector.
                    unsafe {
                        std::arch::asm!(
                            concat!($move, " {v}, [{from}]"),
                            concat!($move, " [{to}], {v}"),
                            from = in(reg) from.add(at),
                            to = in(reg) to.add(at),
                            v = out($class) _,
                            options(nostack, preserves_flags)
                        );
                    }
                }
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
vector!(Ymm, "32 bytes at a time.", "avx", 32, ymm_reg, "vmovdqu");
#[cfg(target_arch = "x86_64")]
vector!(Zmm, "64 bytes at a time.", "avx512f", 64, zmm_reg, "vmovdqu64");

/// Reads an element.
///
/// # Safety
/// `p` is aligned to the width, and mapped.
#[inline(always)]
pub unsafe fn read(p: *mut u8, width: Width) -> u64 {
    // SAFETY: by the caller's promise; all accesses to the memory are atomic or volatile.
    unsafe {
        match width {
            Width::W8 => AtomicU8::from_ptr(p).load(Ordering::Relaxed).into(),
            Width::W16 => AtomicU16::from_ptr(p.cast()).load(Ordering::Relaxed).into(),
            Width::W32 => AtomicU32::from_ptr(p.cast()).load(Ordering::Relaxed).into(),
            Width::W64 => AtomicU64::from_ptr(p.cast()).load(Ordering::Relaxed),
        }
    }
}

/// Writes the low bits of `value` to an element.
///
/// # Safety
/// As for [`read`].
#[inline(always)]
pub unsafe fn write(p: *mut u8, width: Width, value: u64) {
    // SAFETY: by the caller's promise; all accesses to the memory are atomic or volatile.
    unsafe {
        match width {
            Width::W8 => AtomicU8::from_ptr(p).store(value as u8, Ordering::Relaxed),
            Width::W16 => AtomicU16::from_ptr(p.cast()).store(value as u16, Ordering::Relaxed),
            Width::W32 => AtomicU32::from_ptr(p.cast()).store(value as u32, Ordering::Relaxed),
            Width::W64 => AtomicU64::from_ptr(p.cast()).store(value, Ordering::Relaxed),
        }
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

    #[inline(always)]
    fn shared_range(&self, offset: u64, bytes: u64) -> Option<*mut u8> {
        let inside = offset.checked_add(bytes).is_some_and(|end| end <= self.shared_bytes);
        inside.then(|| self.shared.wrapping_add(offset as usize))
    }

    /// The host address of consecutive elements in global or shared memory.
    #[inline(always)]
    fn consecutive(&self, space: Space, address: u64, element: u64, bytes: u64) -> Option<*mut u8> {
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
    fn local_row(&self, space: Space, address: u64, bytes: u64) -> Option<(*mut LocalRow, u32)> {
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
                format!("{head}: byte {a} of {} bytes of shared memory", self.shared_bytes)
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

/// How the addresses of the active lanes lie.
enum Pattern {
    /// All equal.
    Same,
    /// Each one element after that of the lane before.
    Consecutive,
    Other,
}

#[inline(always)]
fn pattern(addresses: &[u64; LANES], mask: u32, element: u64) -> Pattern {
    if mask != u32::MAX {
        return if uniform(addresses, mask) { Pattern::Same } else { Pattern::Other };
    }
    let first = addresses[0];
    let shift = element.trailing_zeros();
    // Either all steps are 0 or all are the element.
    let keep = match addresses[1].wrapping_sub(first) {
        0 => 0,
        step if step == element => u64::MAX,
        _ => return Pattern::Other,
    };
    let mut differ = 0;
    for i in 0..LANES {
        differ |= addresses[i].wrapping_sub(first) ^ ((i as u64) << shift & keep);
    }
    match (differ, keep) {
        (0, 0) => Pattern::Same,
        (0, _) => Pattern::Consecutive,
        _ => Pattern::Other,
    }
}

/// Executes an operation of this file.
///
/// # Errors
/// An access that is not allowed; lanes before the failing one may have done theirs.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to, the mask is not empty, and `s` is that of the
/// frame.
#[inline(always)]
pub unsafe fn execute<B: Bulk>(l: &Lanes, s: &Spaces<'_>, op: &Op) -> Result<(), Box<Fault>> {
    // SAFETY: passed on.
    unsafe {
        match *op {
            Op::Load { access, dst, address, offset } => load::<B>(l, s, access, dst, address, offset),
            Op::Store { access, src, address, offset } => store::<B>(l, s, access, src, address, offset),
            Op::LoadVector { access, count, dst, address, offset } => {
                load_vector(l, s, access, &dst[..count.into()], address, offset)
            }
            Op::StoreVector { access, count, src, address, offset } => {
                store_vector(l, s, access, &src[..count.into()], address, offset)
            }
            _ => super::atomic::execute(l, s, op),
        }
    }
}

/// Writes the same value to the lanes of a register.
#[inline(always)]
unsafe fn splat(l: &Lanes, register: Width, dst: Reg, value: u64) {
    // SAFETY: the caller's register has lanes of that width.
    unsafe { by_width!(register, T, l.put::<T>(dst, [value as T; LANES])) }
}

#[inline(always)]
unsafe fn put_lane(l: &Lanes, register: Width, dst: Reg, lane: usize, value: u64) {
    // SAFETY: the caller's register has lanes of that width.
    unsafe { by_width!(register, T, l.put_lane::<T>(dst, lane, value as T)) }
}

/// Gives a lane of a load's destination the element whose low bits `bits` has.
///
/// # Safety
/// The register has lanes of the width that the access names.
pub unsafe fn put_element(l: &Lanes, access: &Access, dst: Reg, lane: usize, bits: u64) {
    // SAFETY: by the caller's promise.
    unsafe { put_lane(l, access.register, dst, lane, extend(bits, access.element)) }
}

/// Reads a lane of a source, zero-extended.
#[inline(always)]
pub unsafe fn get_lane(l: &Lanes, register: Width, src: Src, lane: usize) -> u64 {
    // SAFETY: the caller's operand has lanes of that width.
    unsafe { by_width!(register, T, u64::from(l.lane::<T>(src, lane))) }
}

#[inline(always)]
unsafe fn load<B: Bulk>(
    l: &Lanes,
    s: &Spaces<'_>,
    access: Access,
    dst: Reg,
    address: Src,
    offset: i32,
) -> Result<(), Box<Fault>> {
    let Access { space, element, register, .. } = access;
    let bytes = u64::from(element.width.bytes());
    // SAFETY: operands by the caller's promise, addresses as resolved.
    unsafe {
        let first = l.mask.trailing_zeros() as usize & 31;
        let start = l.lane::<u64>(address, first).wrapping_add_signed(offset.into());
        match pattern(&*l.source(address).cast(), l.mask, bytes) {
            Pattern::Same => {
                if let Some((row, byte)) = s.local_row(space, start, bytes) {
                    load_row(l, access, dst, &*row, byte);
                } else if let Some(p) = s.resolve(space, start, bytes, first) {
                    splat(l, register, dst, extend(read(p, element.width), element));
                } else {
                    return Err(s.explain("load", space, start, bytes, first));
                }
            }
            Pattern::Consecutive if let Some(p) = s.consecutive(space, start, bytes, bytes * 32) => {
                if element.width == register {
                    B::copy(l.registers.add(dst.0 as usize), p, register);
                } else {
                    for i in 0..LANES {
                        let value = read(p.add(i * bytes as usize), element.width);
                        put_lane(l, register, dst, i, extend(value, element));
                    }
                }
            }
            _ => {
                for i in lanes_of(l.mask) {
                    let at = l.lane::<u64>(address, i).wrapping_add_signed(offset.into());
                    let Some(p) = s.resolve(space, at, bytes, i) else {
                        return Err(s.explain("load", space, at, bytes, i));
                    };
                    put_lane(l, register, dst, i, extend(read(p, element.width), element));
                }
            }
        }
    }
    if access.order == Order::Acquire {
        fence(Ordering::Acquire);
    }
    Ok(())
}

#[inline(always)]
unsafe fn load_row(l: &Lanes, access: Access, dst: Reg, row: &LocalRow, byte: u32) {
    // SAFETY: the caller's register has lanes of the width of the access.
    unsafe {
        match (access.element.width, access.register) {
            (Width::W64, _) => l.put(dst, *row),
            (Width::W32, Width::W32) => {
                let mut r = [0u32; LANES];
                for i in 0..LANES {
                    r[i] = (row[i] >> (8 * byte)) as u32;
                }
                l.put(dst, r);
            }
            (_, register) => by_width!(register, T, {
                let mut r = [0; LANES];
                for i in 0..LANES {
                    r[i] = extend(row[i] >> (8 * byte), access.element) as T;
                }
                l.put::<T>(dst, r);
            }),
        }
    }
}

#[inline(always)]
unsafe fn store<B: Bulk>(
    l: &Lanes,
    s: &Spaces<'_>,
    access: Access,
    src: Src,
    address: Src,
    offset: i32,
) -> Result<(), Box<Fault>> {
    let Access { space, element, register, .. } = access;
    let bytes = u64::from(element.width.bytes());
    if access.order == Order::Release {
        fence(Ordering::Release);
    }
    // SAFETY: operands by the caller's promise, addresses as resolved.
    unsafe {
        let first = l.mask.trailing_zeros() as usize & 31;
        let start = l.lane::<u64>(address, first).wrapping_add_signed(offset.into());
        match pattern(&*l.source(address).cast(), l.mask, bytes) {
            Pattern::Same => {
                if let Some((row, byte)) = s.local_row(space, start, bytes) {
                    store_row(l, access, src, &mut *row, byte);
                } else if let Some(p) = s.resolve(space, start, bytes, first) {
                    // One of the lanes wins; here the last.
                    let last = 31 - l.mask.leading_zeros() as usize;
                    write(p, element.width, get_lane(l, register, src, last));
                } else {
                    return Err(s.explain("store", space, start, bytes, first));
                }
            }
            Pattern::Consecutive if let Some(p) = s.consecutive(space, start, bytes, bytes * 32) => {
                if element.width == register {
                    B::copy(p, l.source(src), register);
                } else {
                    for i in 0..LANES {
                        write(p.add(i * bytes as usize), element.width, get_lane(l, register, src, i));
                    }
                }
            }
            _ => {
                for i in lanes_of(l.mask) {
                    let at = l.lane::<u64>(address, i).wrapping_add_signed(offset.into());
                    let Some(p) = s.resolve(space, at, bytes, i) else {
                        return Err(s.explain("store", space, at, bytes, i));
                    };
                    write(p, element.width, get_lane(l, register, src, i));
                }
            }
        }
    }
    Ok(())
}

#[inline(always)]
unsafe fn store_row(l: &Lanes, access: Access, src: Src, row: &mut LocalRow, byte: u32) {
    let field = (u64::MAX >> (64 - access.element.width.bits())) << (8 * byte);
    // SAFETY: the caller's operand has lanes of the width of the access.
    unsafe {
        by_width!(access.register, T, {
            let value = l.get::<T>(src);
            for i in 0..LANES {
                let new = row[i] & !field | u64::from(value[i]) << (8 * byte) & field;
                row[i] = if l.mask >> i & 1 != 0 { new } else { row[i] };
            }
        });
    }
}

/// The lanes one after the other: the host address of each element of a vector access.
#[expect(clippy::too_many_arguments, reason = "an access and what is done with it")]
#[inline(always)]
unsafe fn each_element(
    l: &Lanes,
    s: &Spaces<'_>,
    what: &str,
    access: Access,
    count: usize,
    address: Src,
    offset: i32,
    mut visit: impl FnMut(usize, usize, *mut u8),
) -> Result<(), Box<Fault>> {
    let bytes = u64::from(access.element.width.bytes());
    let total = bytes * count as u64;
    // SAFETY: operands by the caller's promise.
    let addresses = unsafe { l.get::<u64>(address) };
    for i in lanes_of(l.mask) {
        let at = addresses[i].wrapping_add_signed(offset.into());
        if at & (total - 1) != 0 {
            return Err(s.explain(what, access.space, at, total, i));
        }
        for k in 0..count {
            let element = at.wrapping_add(k as u64 * bytes);
            let Some(p) = s.resolve(access.space, element, bytes, i) else {
                return Err(s.explain(what, access.space, element, bytes, i));
            };
            visit(i, k, p);
        }
    }
    Ok(())
}

#[inline(always)]
unsafe fn load_vector(
    l: &Lanes,
    s: &Spaces<'_>,
    access: Access,
    dst: &[Reg],
    address: Src,
    offset: i32,
) -> Result<(), Box<Fault>> {
    let Access { element, register, .. } = access;
    // The destination may hold the address, so nothing is written before everything has been read.
    let mut values = [[0u64; LANES]; 4];
    // SAFETY: operands by the caller's promise, addresses as resolved.
    unsafe {
        each_element(l, s, "load", access, dst.len(), address, offset, |i, k, p| {
            values[k][i] = extend(read(p, element.width), element);
        })?;
        for (k, &dst) in dst.iter().enumerate() {
            by_width!(register, T, {
                let mut r = [0; LANES];
                for i in 0..LANES {
                    r[i] = values[k][i] as T;
                }
                l.put::<T>(dst, r);
            });
        }
    }
    if access.order == Order::Acquire {
        fence(Ordering::Acquire);
    }
    Ok(())
}

#[inline(always)]
unsafe fn store_vector(
    l: &Lanes,
    s: &Spaces<'_>,
    access: Access,
    src: &[Src],
    address: Src,
    offset: i32,
) -> Result<(), Box<Fault>> {
    if access.order == Order::Release {
        fence(Ordering::Release);
    }
    // SAFETY: operands by the caller's promise, addresses as resolved.
    unsafe {
        each_element(l, s, "store", access, src.len(), address, offset, |i, k, p| {
            write(p, access.element.width, get_lane(l, access.register, src[k], i));
        })
    }
}
