//! Atomic operations (PTX ISA 9.0, 9.7.13.5 and 9.7.13.6): the host's own, lane after lane, so that CTAs on several OS threads agree.
//!
//! All of them order as acquire and release, whatever the form asks for; scopes make no difference.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, Ordering};

use super::fault::Fault;
use super::lanes::{Lanes, by_width, lanes_of};
use super::memory::get_lane;
use super::soft;
use super::spaces::{Spaces, Spot, spot};
use crate::code::{AtomOp, Float, Int, LANES, Op, Reg, Round, Space, Src, Width};
use crate::report::ReportKind;
use portable_atomic::AtomicU128;

/// What is atomically done to the bits of an element; `None` if nothing is written.
type Update<'a> = &'a dyn Fn(u64) -> Option<u64>;

/// Reads, updates and writes an element; returns the old bits.
///
/// # Safety
/// `p` is aligned to the width, and mapped.
#[inline(always)]
unsafe fn update(p: *mut u8, width: Width, f: Update<'_>) -> u64 {
    macro_rules! by {
        ($A:ty, $T:ty) => {{
            // SAFETY: by the caller's promise; all accesses to the memory are atomic or volatile.
            let cell = unsafe { <$A>::from_ptr(p.cast()) };
            let result = cell
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |old| f(old.into()).map(|new| new as $T));
            match result {
                Ok(old) | Err(old) => old.into(),
            }
        }};
    }
    match width {
        Width::W8 | Width::W16 => by!(AtomicU16, u16),
        Width::W32 => by!(AtomicU32, u32),
        Width::W64 => by!(AtomicU64, u64),
    }
}

/// The new value of an element.
#[inline(always)]
fn apply(op: AtomOp, flush: bool, old: u64, value: u64) -> u64 {
    let number = |bits: u64, ty: Int| super::moves::extend(bits, ty);
    match op {
        AtomOp::Add(_) => old.wrapping_add(value),
        AtomOp::Min(ty) | AtomOp::Max(ty) => {
            let (a, b) = (number(old, ty), number(value, ty));
            let less = if ty.signed { (a as i64) < b as i64 } else { a < b };
            if less == matches!(op, AtomOp::Min(_)) { old } else { value }
        }
        AtomOp::Inc => {
            if old >= value {
                0
            } else {
                old + 1
            }
        }
        AtomOp::Dec => {
            if old == 0 || old > value {
                value
            } else {
                old - 1
            }
        }
        AtomOp::And(_) => old & value,
        AtomOp::Or(_) => old | value,
        AtomOp::Xor(_) => old ^ value,
        AtomOp::Exchange(_) => value,
        AtomOp::FloatAdd(Float::F32) => {
            let get = |bits: u64| {
                let bits = if flush { soft::flush(Float::F32, bits) } else { bits };
                f32::from_bits(bits as u32)
            };
            let sum = super::float::canonical(get(old) + get(value)).to_bits().into();
            if flush { soft::flush(Float::F32, sum) } else { sum }
        }
        AtomOp::FloatAdd(Float::F64) => (f64::from_bits(old) + f64::from_bits(value)).to_bits(),
        AtomOp::FloatAdd(ty) => soft::add(ty, old, value, Round::Nearest),
        AtomOp::FloatMin(ty) => soft::extremum(ty, old, value, false, false),
        AtomOp::FloatMax(ty) => soft::extremum(ty, old, value, true, false),
        AtomOp::PackedAdd(ty) => halves(AtomOp::FloatAdd(ty), old, value),
        AtomOp::PackedMin(ty) => halves(AtomOp::FloatMin(ty), old, value),
        AtomOp::PackedMax(ty) => halves(AtomOp::FloatMax(ty), old, value),
    }
}

/// Does an operation on both numbers of 16 bits. They are updated at once, which is more than the manual promises.
fn halves(op: AtomOp, old: u64, value: u64) -> u64 {
    apply(op, false, old & 0xffff, value & 0xffff) | apply(op, false, old >> 16, value >> 16) << 16
}

/// Executes an atomic operation (PTX ISA 9.0, 9.7.13.5). The access is checked as a load or store is.
///
/// # Errors
/// An access that is not allowed; lanes before the failing one have done theirs.
///
/// # Safety
/// The operands belong to the function of the frame that `l` points to, the mask is not empty, and `s` is that of the
/// frame.
#[inline(always)]
pub unsafe fn execute(l: &Lanes, s: &Spaces<'_>, op: &Op) -> Result<(), Box<Fault>> {
    // SAFETY: operands by the caller's promise.
    unsafe {
        match *op {
            Op::Atom { op, space, dst, address, offset, value, .. } => {
                let width = op.width();
                each(l, s, width, dst, Target { space, address, offset, partial: false }, |i, p| {
                    let value = get_lane(l, width, value, i);
                    // Global memory adds f32 without subnormal numbers.
                    let flush = s.memory.contains(p as u64);
                    match (op, width) {
                        (AtomOp::Add(_), Width::W32) => {
                            AtomicU32::from_ptr(p.cast()).fetch_add(value as u32, Ordering::SeqCst).into()
                        }
                        (AtomOp::Add(_), Width::W64) => {
                            AtomicU64::from_ptr(p.cast()).fetch_add(value, Ordering::SeqCst)
                        }
                        _ => update(p, width, &|old| Some(apply(op, flush, old, value))),
                    }
                })
            }
            Op::Cas { width, space, dst, address, offset, compare, value, .. } => {
                let target = Target { space, address, offset, partial: width == Width::W32 };
                each(l, s, width, dst, target, |i, p| {
                    let compare = get_lane(l, width, compare, i);
                    let value = get_lane(l, width, value, i);
                    update(p, width, &|old| (old == compare).then_some(value))
                })
            }
            Op::Atom128 { space, dst, address, offset, compare, value, .. } => {
                each128(l, s, space, dst, (address, offset), compare, value)
            }
            // The caller gives nothing else.
            _ => Ok(()),
        }
    }
}

/// The host address of what is updated: in global or shared memory. A GPU has no atomic operations on the memory of one thread.
#[inline(always)]
fn place(s: &Spaces<'_>, space: Space, at: u64, bytes: u64, lane: usize) -> Result<*mut u8, Box<Fault>> {
    match s.resolve(space, at, bytes, lane) {
        Some(p) if !matches!(spot(space, at), Spot::Local(_)) => Ok(p),
        None => Err(s.explain("atomic operation", space, at, bytes, lane)),
        Some(_) => Err(Fault::at_lane(
            ReportKind::AddressSpace,
            lane,
            format!(
                "atomic operation at {at:#x}, on the thread's stack: GPUs have them for global and shared memory alone"
            ),
        )),
    }
}

/// What is updated.
struct Target {
    space: Space,
    address: Src,
    offset: i32,
    /// It may be a word that is not all of one allocation.
    partial: bool,
}

/// Does `f` for each lane and writes what it returns. The destination may be one of the sources, as lanes read their
/// own values only.
#[inline(always)]
unsafe fn each(
    l: &Lanes,
    s: &Spaces<'_>,
    width: Width,
    dst: Reg,
    Target { space, address, offset, partial }: Target,
    f: impl Fn(usize, *mut u8) -> u64,
) -> Result<(), Box<Fault>> {
    let bytes = width.bytes().into();
    for i in lanes_of(l.mask) {
        // SAFETY: operands by the caller's promise.
        unsafe {
            let at = l.lane::<u64>(address, i).wrapping_add_signed(offset.into());
            let p = match place(s, space, at, bytes, i) {
                Err(fault) if partial => s.partial_word(space, at, bytes).ok_or(fault)?,
                place => place?,
            };
            let old = f(i, p);
            by_width!(width, T, l.put_lane::<T>(dst, i, old as T));
        }
    }
    Ok(())
}

/// `atom.exch.b128`, `atom.cas.b128`.
#[inline(never)]
unsafe fn each128(
    l: &Lanes,
    s: &Spaces<'_>,
    space: Space,
    dst: Reg,
    (address, offset): (Src, i32),
    compare: Option<Src>,
    value: Src,
) -> Result<(), Box<Fault>> {
    const HALF: i32 = 8 * LANES as i32;
    // The upper half lies behind the lower one, in the register file and, negated, in the pool.
    let upper = |src: Src| Src(if src.0 >= 0 { src.0 + HALF } else { src.0 - HALF });
    for i in lanes_of(l.mask) {
        // SAFETY: operands by the caller's promise, both halves of each.
        unsafe {
            let get =
                |src| u128::from(l.lane::<u64>(upper(src), i)) << 64 | u128::from(l.lane::<u64>(src, i));
            let at = l.lane::<u64>(address, i).wrapping_add_signed(offset.into());
            let p = place(s, space, at, 16, i)?;
            // Where the host has no such instruction a lock takes its place, which orders these operations alone.
            let cell = AtomicU128::from_ptr(p.cast());
            let old = match compare {
                None => cell.swap(get(value), Ordering::SeqCst),
                Some(compare) => {
                    let done =
                        cell.compare_exchange(get(compare), get(value), Ordering::SeqCst, Ordering::SeqCst);
                    done.unwrap_or_else(|old| old)
                }
            };
            l.put_lane(dst, i, old as u64);
            l.put_lane(Reg(dst.0 + HALF as u32), i, (old >> 64) as u64);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const U32: Int = Int { width: Width::W32, signed: false };
    const S32: Int = Int { width: Width::W32, signed: true };

    #[test]
    fn the_values_of_every_operation() {
        let f = |op, old, value| apply(op, false, old, value);
        assert_eq!(f(AtomOp::Min(S32), 0xffff_ffff, 1), 0xffff_ffff);
        assert_eq!(f(AtomOp::Min(U32), 0xffff_ffff, 1), 1);
        assert_eq!(f(AtomOp::Max(S32), 0xffff_ffff, 1), 1);
        assert_eq!(f(AtomOp::Max(U32), 5, 1), 5);
        assert_eq!(f(AtomOp::Inc, 6, 7), 7);
        assert_eq!(f(AtomOp::Inc, 7, 7), 0);
        assert_eq!(f(AtomOp::Dec, 0, 7), 7);
        assert_eq!(f(AtomOp::Dec, 9, 7), 7);
        assert_eq!(f(AtomOp::Dec, 7, 7), 6);
        assert_eq!(f(AtomOp::Exchange(Width::W64), 1, 2), 2);
        assert_eq!(f(AtomOp::FloatAdd(Float::F64), 1f64.to_bits(), 2f64.to_bits()), 3f64.to_bits());
    }

    #[test]
    fn addition_of_f32_flushes_in_global_memory_only() {
        let op = AtomOp::FloatAdd(Float::F32);
        assert_eq!(apply(op, false, 1, 1), 2);
        assert_eq!(apply(op, true, 1, 1), 0);
    }

    #[test]
    fn update_writes_only_when_told() {
        let mut cell = 5u64;
        let p = (&raw mut cell).cast::<u8>();
        // SAFETY: the cell is aligned and alive.
        unsafe {
            assert_eq!(update(p, Width::W64, &|old| (old == 4).then_some(9)), 5);
            assert_eq!(update(p, Width::W64, &|old| (old == 5).then_some(9)), 5);
            assert_eq!(update(p, Width::W64, &|_| None), 9);
        }
    }
}
