//! The loop that executes a group: fetch, guard (PTX ISA 9.0, 9.3), branch, call, return, exit (9.7.12), `trap`, `brkpt`,
//! `nanosleep` (9.7.19); the rest goes to its own files ([`super::slice`], [`super::steer`] and those of operations).

use std::sync::atomic::{Ordering, fence};

use super::call::{self, Callee};
use super::fault::Fault;
use super::group::{Group, State};
use super::lanes::lanes_of;
use super::slice::{Outcome, Slice, waiting_cost};
use super::spaces::Spaces;
use super::steer::{barrier_operands, branch_targets, moves_group};
use super::warp::Warp;
use super::{CtaState, Launch, special, warpop};
use crate::code::{Guard, Op};
use crate::report::ReportKind;
use crate::watch::{self, At, Watch};

/// Runs a group until it stops. When it returns, `group` says where it stands, at an error where that happened.
///
/// # Errors
/// What the kernel did wrong.
pub fn run<W: Watch>(
    launch: &Launch<'_>,
    cta: &mut CtaState,
    warp: &mut Warp,
    group: &mut Group,
    slice: &mut Slice,
    watch: &mut W,
) -> Result<Outcome, Box<Fault>> {
    let base = Spaces {
        memory: launch.memory,
        shared: cta.shared.as_mut_ptr().cast(),
        shared_bytes: cta.shared_bytes,
        local: std::ptr::null_mut(),
        local_end: 0,
    };
    let mut executed = 0u64;
    let mut threads = 0u64;
    let result =
        Run { launch, cta, warp, base: &base, executed: &mut executed, threads: &mut threads, watch }
            .run(group, slice);
    cta.warp_instructions += executed;
    cta.thread_instructions += threads;
    slice.instructions = slice.instructions.saturating_sub(executed);
    result
}

struct Run<'a, 'm, W> {
    launch: &'a Launch<'m>,
    cta: &'a CtaState,
    warp: &'a mut Warp,
    base: &'a Spaces<'m>,
    executed: &'a mut u64,
    threads: &'a mut u64,
    watch: &'a mut W,
}

impl<W: Watch> Run<'_, '_, W> {
    #[expect(clippy::too_many_lines, reason = "one match over the operations that move the group")]
    fn run(self, group: &mut Group, slice: &mut Slice) -> Result<Outcome, Box<Fault>> {
        let Self { launch, cta, warp, base, executed, threads, watch } = self;
        let module = launch.module;
        let tier = launch.tier;
        let Group { lanes: mut mask, mut pc, mut frame, ran, .. } = *group;
        let mut function = &module.functions[warp.frames[frame as usize].function.0 as usize];
        let mut registers = warp.frames[frame as usize].lanes(function, mask);
        let mut spaces = warp.spaces(frame, base);
        let mut population = u64::from(mask.count_ones());
        let mut stop = warp.meeting(frame, pc);
        let mut waiting = 0;

        /// Writes the position back and returns.
        macro_rules! leave {
            ($outcome:expr) => {{
                *group = Group { lanes: mask, pc, frame, state: State::Ready, ran };
                return $outcome;
            }};
        }
        macro_rules! fail {
            ($fault:expr) => {
                leave!(Err($fault))
            };
        }
        /// Another group of the same frame.
        macro_rules! split {
            ($lanes:expr, $pc:expr) => {{
                warp.add(Group { lanes: $lanes, pc: $pc, frame, state: State::Ready, ran });
                population = u64::from(mask.count_ones());
                stop = warp.meeting(frame, pc);
            }};
        }
        /// The place of the running instruction, for observers.
        macro_rules! at {
            ($lanes:expr) => {
                At {
                    launch,
                    cta,
                    warp: &*warp,
                    frame,
                    pc,
                    lanes: $lanes,
                    registers: &registers,
                    spaces: &spaces,
                }
            };
        }
        /// A backward branch: ends the slice when it is used up.
        macro_rules! backward {
            () => {
                slice.jumps -= 1 + waiting;
                waiting = 0;
                if slice.jumps < 0 {
                    leave!(Ok(Outcome::Preempted));
                }
            };
        }

        loop {
            if pc >= stop {
                if pc > stop {
                    leave!(Ok(Outcome::Regroup));
                }
                mask |= warp.absorb(frame, pc);
                population = u64::from(mask.count_ones());
                stop = warp.meeting(frame, pc);
            }
            if *executed >= slice.instructions {
                leave!(Ok(Outcome::Preempted));
            }
            debug_assert!((pc as usize) < function.code.len());
            // SAFETY: the last instruction of a function never falls through, and branch targets lie inside
            // (`super::verify`).
            let inst = unsafe { function.code.get_unchecked(pc as usize) };
            *executed += 1;
            let mut active = mask;
            if inst.guard == Guard::ALWAYS {
                *threads += population;
            } else {
                // SAFETY: the guard is a predicate of the function (`super::verify`).
                let p = unsafe { registers.predicate(inst.guard.pred()) };
                active &= if inst.guard.negated() { !p } else { p };
                *threads +=
                    u64::from(if matches!(inst.op, Op::Branch { .. }) { mask } else { active }.count_ones());
                if active == 0 {
                    if W::ON && watch.instructions() {
                        watch.each(|o| o.skipped(&at!(mask), inst));
                    }
                    pc += 1;
                    continue;
                }
                if active != mask && moves_group(&inst.op) {
                    let rest = mask & !active;
                    mask = active;
                    split!(rest, pc + 1);
                }
            }
            registers.mask = active;
            if W::ON && watch.instructions() {
                let lanes = if matches!(inst.op, Op::Branch { .. }) { mask } else { active };
                watch.each(|o| o.instruction(&at!(lanes), inst, mask));
            }
            match inst.op {
                Op::Branch { target, .. } => {
                    if active == mask {
                        if target <= pc {
                            pc = target;
                            if stop != u32::MAX || !warp.groups.is_empty() {
                                stop = warp.meeting(frame, pc);
                            }
                            backward!();
                        } else {
                            pc = target;
                        }
                    } else {
                        // The lower of the two instructions goes first.
                        let other = mask & !active;
                        let next = pc + 1;
                        if target < next {
                            mask = active;
                            pc = target;
                            split!(other, next);
                            backward!();
                        } else {
                            mask = other;
                            pc = next;
                            split!(active, target);
                        }
                        if slice.stops_at_splits {
                            leave!(Ok(Outcome::Regroup));
                        }
                    }
                }
                Op::BranchTable { table, index, .. } => {
                    // SAFETY: the operand belongs to the function.
                    let targets = match unsafe {
                        branch_targets(&registers, &function.tables[table as usize], index)
                    } {
                        Ok(targets) => targets,
                        Err(fault) => fail!(fault),
                    };
                    let from = pc;
                    pc = targets[active.trailing_zeros() as usize & 31];
                    for lane in lanes_of(active).filter(|&lane| targets[lane] != pc) {
                        mask &= !(1 << lane);
                        let pc = targets[lane];
                        warp.add(Group { lanes: 1 << lane, pc, frame, state: State::Ready, ran });
                    }
                    if mask != active {
                        leave!(Ok(Outcome::Regroup));
                    }
                    stop = warp.meeting(frame, pc);
                    if pc <= from {
                        backward!();
                    }
                }
                Op::Call { site } => {
                    let site = &function.calls[site as usize];
                    // SAFETY: the site belongs to the function.
                    let callee = match unsafe { call::callee(module, site, &registers) } {
                        Ok(callee) => callee,
                        Err(fault) => fail!(fault),
                    };
                    let Callee { function: id, lanes } = callee;
                    if lanes != mask {
                        // The others call something else, when it is their turn.
                        let rest = mask & !lanes;
                        mask = lanes;
                        registers.mask = lanes;
                        warp.add(Group { lanes: rest, pc, frame, state: State::Ready, ran });
                        population = u64::from(mask.count_ones());
                    }
                    if let Some(service) = call::service(&module.functions[id.0 as usize]) {
                        // SAFETY: the site belongs to the function of the frame, `spaces` to the frame.
                        if let Err(fault) = unsafe { call::serve(&at!(lanes), service, site, watch) } {
                            fail!(fault);
                        }
                        pc += 1;
                        if lanes != active {
                            leave!(Ok(Outcome::Regroup));
                        }
                        continue;
                    }
                    let inner = match call::enter(module, warp, frame, pc, id, mask) {
                        Ok(inner) => inner,
                        Err(fault) => fail!(fault),
                    };
                    if W::ON {
                        watch.each(|o| o.enter(&at!(mask), inner));
                    }
                    frame = inner;
                    pc = 0;
                    function = &module.functions[id.0 as usize];
                    registers = warp.frames[frame as usize].lanes(function, mask);
                    spaces = warp.spaces(frame, base);
                    stop = u32::MAX;
                    slice.jumps -= 1;
                }
                Op::Return => {
                    if W::ON {
                        watch.each(|o| o.leave(&at!(mask)));
                    }
                    let Some((outer, next)) = call::leave(module, warp, frame, mask) else {
                        leave!(Ok(Outcome::Exited));
                    };
                    frame = outer;
                    pc = next;
                    if !warp.groups.is_empty() {
                        leave!(Ok(Outcome::Regroup));
                    }
                    function = &module.functions[warp.frames[frame as usize].function.0 as usize];
                    registers = warp.frames[frame as usize].lanes(function, mask);
                    spaces = warp.spaces(frame, base);
                    stop = u32::MAX;
                }
                Op::Exit => {
                    leave!(Ok(Outcome::Exited));
                }
                Op::Trap => {
                    fail!(Fault::new(ReportKind::Trap, "trap"));
                }
                Op::Breakpoint => {
                    fail!(Fault::new(ReportKind::Trap, "brkpt, and there is no debugger"));
                }
                Op::Hint => pc += 1,
                Op::StackAlloc { .. } | Op::StackSave { .. } | Op::StackRestore { .. } => {
                    // SAFETY: the operands belong to the function of the frame.
                    if let Err(fault) = unsafe { warp.stack(frame, &registers, &inst.op) } {
                        fail!(fault);
                    }
                    spaces = warp.spaces(frame, base);
                    pc += 1;
                }
                Op::Barrier { aligned, id, count, .. } => {
                    // SAFETY: the operands belong to the function.
                    let (id, count) = match unsafe { barrier_operands(&registers, id, count) } {
                        Ok(operands) => operands,
                        Err(fault) => fail!(fault),
                    };
                    let state = State::Arriving { id, count, aligned };
                    *group = Group { lanes: mask, pc, frame, state, ran };
                    return Ok(Outcome::Blocked);
                }
                Op::WarpBarrier { .. }
                | Op::Shfl { .. }
                | Op::Vote { .. }
                | Op::Ballot { .. }
                | Op::Match { .. }
                | Op::Redux { .. }
                | Op::Elect { .. } => {
                    let mut parts = Vec::new();
                    let seen = |lanes| {
                        if W::ON {
                            watch.each(|o| o.warp_operation(launch, cta, warp, &inst.op, lanes));
                        }
                    };
                    // SAFETY: the operands belong to the function.
                    let done = unsafe {
                        warpop::arrive(&registers, &inst.op, tier, warp.live, seen, |lanes, mask| {
                            parts.push((lanes, mask))
                        })
                    };
                    match done {
                        Ok(true) => pc += 1,
                        Ok(false) => {
                            let wait = |&(lanes, mask): &(u32, u32)| Group {
                                lanes,
                                pc,
                                frame,
                                state: State::WarpOperation { mask },
                                ran,
                            };
                            warp.groups.extend(parts[1..].iter().map(wait));
                            *group = wait(&parts[0]);
                            return Ok(Outcome::Blocked);
                        }
                        Err(fault) => fail!(fault),
                    }
                }
                Op::NanoSleep { .. } => {
                    pc += 1;
                    waiting = waiting_cost(&inst.op);
                }
                Op::Fence { order, scope } => {
                    if W::ON {
                        watch.each(|o| o.fence(&at!(active), order, scope));
                    }
                    fence(Ordering::SeqCst);
                    pc += 1;
                }
                Op::Load { .. }
                | Op::Store { .. }
                | Op::LoadVector { .. }
                | Op::StoreVector { .. }
                | Op::Atom { .. }
                | Op::Cas { .. }
                | Op::Atom128 { .. } => {
                    if slice.accesses == 0 {
                        *executed -= 1;
                        *threads -= u64::from(active.count_ones());
                        leave!(Ok(Outcome::Preempted));
                    }
                    slice.accesses -= 1;
                    waiting = waiting.max(waiting_cost(&inst.op));
                    // SAFETY: the operands belong to the function, `spaces` to the frame; `active` is not empty.
                    let done = unsafe {
                        let perform = || tier.access(&registers, &spaces, &inst.op);
                        if W::ON { watch::access(watch, &at!(active), &inst.op, perform) } else { perform() }
                    };
                    if let Err(fault) = done {
                        fail!(fault);
                    }
                    pc += 1;
                }
                Op::Special { .. }
                | Op::LocalAddress { .. }
                | Op::SpillParam { .. }
                | Op::ActiveMask { .. }
                | Op::IsSpace { .. } => {
                    // SAFETY: the operands belong to the function, `spaces` to the frame.
                    let done = unsafe {
                        special::execute(launch, cta, warp, frame, &registers, &spaces, &inst.op, *executed)
                    };
                    if let Err(fault) = done {
                        fail!(fault);
                    }
                    pc += 1;
                }
                _ => {
                    // SAFETY: the operands belong to the function.
                    unsafe { tier.compute(&registers, &inst.op) };
                    pc += 1;
                }
            }
        }
    }
}
