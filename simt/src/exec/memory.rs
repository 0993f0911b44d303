//! Loads and stores in all spaces (PTX ISA 9.0, 9.7.9.8 to 9.7.9.11; spaces 5.1, alignment of addresses 6.4.1).
//!
//! Every access is checked: aligned to its size, and inside one live allocation (global), the CTA's static and dynamic
//! shared memory, or the part of the lane's stack that is in use (local): [`Spaces`].

#![allow(clippy::needless_range_loop, reason = "loops over lanes index several arrays")]
#![allow(clippy::useless_conversion, reason = "one body serves all widths")]

use std::sync::atomic::{Ordering, fence};

use super::bulk::{Bulk, read, write};
use super::fault::Fault;
use super::lanes::{Lanes, by_width, lanes_of, uniform};
use super::moves::extend;
use super::spaces::{LocalRow, Spaces};
use crate::code::{Access, LANES, Op, Order, Reg, Src, Width};

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
    let Access { space, element, register, for_cas, .. } = access;
    let bytes = u64::from(element.width.bytes());
    let resolve = |at, lane| match s.resolve(space, at, bytes, lane) {
        None if for_cas => s.partial_word(space, at, bytes),
        place => place,
    };
    // SAFETY: operands by the caller's promise, addresses as resolved.
    unsafe {
        let first = l.mask.trailing_zeros() as usize & 31;
        let start = l.lane::<u64>(address, first).wrapping_add_signed(offset.into());
        match pattern(&*l.source(address).cast(), l.mask, bytes) {
            Pattern::Same => {
                if let Some((row, byte)) = s.local_row(space, start, bytes) {
                    load_row(l, access, dst, &*row, byte);
                } else if let Some(p) = resolve(start, first) {
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
                    let Some(p) = resolve(at, i) else {
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
