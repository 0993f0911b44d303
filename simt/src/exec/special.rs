//! Operations that ask where the thread is: special registers (PTX ISA 9.0, 10), addresses of local variables (9.7.9.4), windows
//! (`isspacep`, 9.7.9.19).

use super::fault::Fault;
use super::lanes::{Lanes, by_width, lanes_of};
use super::spaces::Spaces;
use super::warp::Warp;
use super::{CtaState, Launch};
use crate::code::{
    FUNCTION_WINDOW, LANES, LOCAL_WINDOW, Op, SHARED_WINDOW, Space, Special, Src, WINDOW_SHIFT, Width,
};

/// Multiprocessors that the device says it has; CTAs are spread over them by number for `%smid`.
pub const MULTIPROCESSORS: u32 = 4;

/// Executes an operation of this file; `executed` counts the instructions that the CTA's statistics do not have yet.
///
/// # Errors
/// A parameter does not fit into the thread's local memory.
///
/// # Safety
/// The operands belong to the function of the frame, `l` and `spaces` to the frame.
#[expect(clippy::too_many_arguments, reason = "everything that a thread can ask about itself")]
pub unsafe fn execute(
    launch: &Launch<'_>,
    cta: &CtaState,
    warp: &Warp,
    frame: u32,
    l: &Lanes,
    spaces: &Spaces<'_>,
    op: &Op,
    executed: u64,
) -> Result<(), Box<Fault>> {
    // SAFETY: by the caller's promise.
    unsafe {
        match *op {
            Op::Special { width, dst, special } => {
                let value = special_register(launch, cta, warp, special, executed);
                by_width!(width, T, {
                    let mut r = [0; LANES];
                    for i in 0..LANES {
                        r[i] = value[i] as T;
                    }
                    l.put::<T>(dst, r);
                });
            }
            Op::LocalAddress { width, dst, offset } => {
                let address = warp.frames[frame as usize].local_base + offset;
                match width {
                    Width::W64 => l.put(dst, [u64::from(address); LANES]),
                    _ => l.put(dst, [address; LANES]),
                }
            }
            Op::SpillParam { param, local, bytes } => {
                let base = u64::from(warp.frames[frame as usize].local_base + local);
                for lane in lanes_of(l.mask) {
                    for k in 0..bytes {
                        let from = param + k;
                        let word: u64 = l.lane(Src((from / 8 * 8 * LANES as u32) as i32), lane);
                        let byte = (word >> (8 * (from % 8))) as u8;
                        let at = base + u64::from(k);
                        match spaces.resolve(Space::Local, at, 1, lane) {
                            // Local memory belongs to the warp alone.
                            Some(p) => p.write(byte),
                            None => return Err(spaces.explain("store", Space::Local, at, 1, lane)),
                        }
                    }
                }
            }
            Op::ActiveMask { dst } => l.put(dst, [l.mask; LANES]),
            Op::IsSpace { space, dst, a } => {
                let window = match space {
                    Space::Shared => SHARED_WINDOW,
                    Space::Local => LOCAL_WINDOW,
                    _ => 0,
                } >> WINDOW_SHIFT;
                let addresses: [u64; LANES] = l.get(a);
                let mut inside = 0;
                for (i, address) in addresses.iter().enumerate() {
                    inside |= u32::from(address >> WINDOW_SHIFT == window) << i;
                }
                // Constant variables live in device memory, and parameters in registers.
                let exists = matches!(space, Space::Shared | Space::Local | Space::Global);
                l.put_predicate(dst, if exists { inside } else { 0 });
            }
            // The caller gives nothing else.
            _ => {}
        }
    }
    Ok(())
}

const _: () = assert!(FUNCTION_WINDOW > LOCAL_WINDOW);

/// The value of a special register (PTX ISA 9.0, 10.1 to 10.33).
fn special_register(
    launch: &Launch<'_>,
    cta: &CtaState,
    warp: &Warp,
    special: Special,
    executed: u64,
) -> [u64; LANES] {
    let config = &launch.config;
    let each = |f: &dyn Fn(u32) -> u32| std::array::from_fn(|i| u64::from(f(i as u32)));
    let below = |i: u32| (1u32 << i) - 1;
    let clock = cta.warp_instructions + executed;
    let one = match special {
        Special::Tid(d) => return warp.tid[usize::from(d)].map(u64::from),
        Special::LaneId => return each(&|i| i),
        Special::LaneMaskEq => return each(&|i| 1 << i),
        Special::LaneMaskLt => return each(&below),
        Special::LaneMaskLe => return each(&|i| below(i) | 1 << i),
        Special::LaneMaskGe => return each(&|i| !below(i)),
        Special::LaneMaskGt => return each(&|i| !(below(i) | 1 << i)),
        Special::Ntid(d) => config.block[usize::from(d)].into(),
        Special::Ctaid(d) => cta.id[usize::from(d)].into(),
        Special::Nctaid(d) => config.grid[usize::from(d)].into(),
        Special::WarpId => warp.index.into(),
        Special::NWarpId => config.block.iter().product::<u32>().div_ceil(LANES as u32).into(),
        Special::SmId => cta.linear % u64::from(MULTIPROCESSORS),
        Special::NSmId => MULTIPROCESSORS.into(),
        Special::GridId => launch.grid_id,
        Special::Clock => clock,
        Special::ClockHi => clock >> 32,
        Special::GlobalTimer => launch.nanoseconds(clock),
        Special::GlobalTimerLo => launch.nanoseconds(clock) & 0xffff_ffff,
        Special::GlobalTimerHi => launch.nanoseconds(clock) >> 32,
        Special::DynamicSharedSize => config.dynamic_shared.into(),
        Special::TotalSharedSize => cta.shared_bytes,
        Special::Fixed(value) => value.into(),
    };
    [one; LANES]
}
