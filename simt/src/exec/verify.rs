//! Checks decoded code before it is ever run: every operand lies in its file, every target in its function.
//!
//! The execution accesses registers, constants and predicates without bounds checks; this pass is what makes that sound,
//! whatever the decoder does. A finding here is a defect of the decoder, not of the PTX.

use crate::code::{
    BarrierKind, CallTarget, Function, FunctionKind, LANES, Module, Op, Pred, Reg, Slot, Src, Width,
};
use crate::report::{Report, ReportKind};

/// Checks all functions of a module.
///
/// # Errors
/// The first operation whose operands do not fit, with its PTX line.
pub fn module(module: &Module) -> Result<(), Report> {
    for function in &module.functions {
        let fail = |pc: usize, why: &str| {
            let line = function.lines.get(pc).copied().unwrap_or(function.line);
            Report::new(
                ReportKind::InvalidPtx,
                format!("line {line}: {} was decoded wrongly, a defect of the device: {why}", function.name),
            )
        };
        let has_body = matches!(function.kind, FunctionKind::Entry | FunctionKind::Device);
        if has_body == function.code.is_empty() {
            return Err(fail(0, "a body where none belongs, or none"));
        }
        if !has_body {
            continue;
        }
        let words = u64::from(function.param_words) + u64::from(function.return_words);
        if words * 8 * LANES as u64 > function.register_bytes.into()
            || !function.register_bytes.is_multiple_of(64)
        {
            return Err(fail(0, "parameters outside of the register file"));
        }
        if function.predicates < 2 || function.lines.len() != function.code.len() {
            return Err(fail(0, "files of the wrong size"));
        }
        for (pc, inst) in function.code.iter().enumerate() {
            let mut check = Check { module, function, bad: None };
            check.pred(inst.guard.pred());
            check.op(&inst.op);
            let falls_through = !matches!(
                inst.op,
                Op::Return
                    | Op::Exit
                    | Op::Trap
                    | Op::Breakpoint
                    | Op::Branch { .. }
                    | Op::BranchTable { .. }
            ) || inst.guard != crate::code::Guard::ALWAYS;
            if falls_through && pc + 1 == function.code.len() {
                check.bad = Some("the last instruction falls through");
            }
            if let Some(why) = check.bad {
                return Err(fail(pc, why));
            }
        }
    }
    Ok(())
}

struct Check<'a> {
    module: &'a Module,
    function: &'a Function,
    bad: Option<&'static str>,
}

/// The width of twice as many bits.
fn double(width: Width) -> Width {
    match width {
        Width::W8 | Width::W16 => Width::W32,
        _ => Width::W64,
    }
}

impl Check<'_> {
    fn require(&mut self, holds: bool, why: &'static str) {
        if !holds {
            self.bad.get_or_insert(why);
        }
    }

    fn range(&mut self, offset: u64, width: Width, size: u64) {
        // Registers of 8 bits take 16.
        let bytes = u64::from(width.max(Width::W16).bytes()) * LANES as u64;
        self.require(offset.is_multiple_of(64) && offset + bytes <= size, "an operand outside of its file");
    }

    fn dst(&mut self, width: Width, regs: &[Reg]) {
        regs.iter().for_each(|reg| self.range(reg.0.into(), width, self.function.register_bytes.into()));
    }

    fn src(&mut self, width: Width, sources: &[Src]) {
        for src in sources {
            if src.0 >= 0 {
                self.range(src.0 as u64, width, self.function.register_bytes.into());
            } else {
                self.range(!src.0 as u64, width, self.function.constants.chunks.len() as u64 * 64);
            }
        }
    }

    fn pred(&mut self, pred: Pred) {
        self.require(pred.0 < self.function.predicates, "a predicate outside of its file");
    }

    fn pred_dst(&mut self, pred: Pred) {
        self.pred(pred);
        self.require(pred.0 >= 2, "a constant predicate is written");
    }

    fn slot(&mut self, slot: Slot) {
        let end = u64::from(slot.offset) + u64::from(slot.words) * 8 * LANES as u64;
        self.require(
            slot.offset.is_multiple_of(64) && end <= self.function.register_bytes.into(),
            "a call slot outside of the register file",
        );
    }

    fn target(&mut self, target: u32) {
        self.require((target as usize) < self.function.code.len(), "a branch target outside of the function");
    }

    fn call(&mut self, site: u32) {
        let Some(site) = self.function.calls.get(site as usize) else {
            return self.require(false, "a call site that does not exist");
        };
        site.args.iter().chain(&site.ret).for_each(|slot| self.slot(*slot));
        match site.target {
            CallTarget::Indirect(pointer) => self.src(Width::W64, &[pointer]),
            CallTarget::Direct(id) => match self.module.functions.get(id.0 as usize) {
                None => self.require(false, "a call of a function that does not exist"),
                Some(callee) => {
                    let words = site.args.iter().map(|slot| slot.words).sum::<u32>();
                    // A result may be dropped.
                    let ret = site.ret.map_or(callee.return_words, |slot| slot.words);
                    self.require(
                        (words, ret) == (callee.param_words, callee.return_words)
                            || matches!(callee.kind, FunctionKind::Extern(_) | FunctionKind::Undefined),
                        "a call whose arguments are not those of the callee",
                    );
                    if matches!(callee.kind, FunctionKind::Extern(_)) {
                        self.require(ret <= 1, "a service that returns more than one word");
                    }
                }
            },
        }
    }

    #[expect(clippy::too_many_lines, reason = "one match over all operations")]
    fn op(&mut self, op: &Op) {
        use Width::{W32, W64};
        match *op {
            Op::Mov { width, dst, src } => self.lanes(width, &[dst], &[src]),
            Op::Special { width, dst, .. } => self.dst(width, &[dst]),
            Op::LocalAddress { width, dst, offset } => {
                self.dst(width, &[dst]);
                self.require(offset <= self.function.local_bytes, "a local variable outside of the frame");
            }
            Op::SpillParam { param, local, bytes } => {
                self.require(
                    u64::from(param) + u64::from(bytes) <= u64::from(self.function.param_words) * 8
                        && u64::from(local) + u64::from(bytes) <= self.function.local_bytes.into(),
                    "a parameter outside of its area",
                );
            }
            Op::Pack { width, count, dst, parts } => {
                if let Some(part) = self.part(width, count) {
                    self.dst(width, &[dst]);
                    self.src(part, &parts[..count.into()]);
                }
            }
            Op::Unpack { width, count, parts, src } => {
                if let Some(part) = self.part(width, count) {
                    self.src(width, &[src]);
                    self.dst(part, &parts[..count.into()]);
                }
            }
            Op::Extract { element, register, byte, dst, word } => {
                self.dst(register, &[dst]);
                self.src(W64, &[word]);
                self.word(element.width, register, byte);
            }
            Op::Insert { element, register, byte, word, src } => {
                self.dst(W64, &[word]);
                self.src(register, &[src]);
                self.word(element, register, byte);
            }
            Op::Int1 { width, dst, a, .. } => self.lanes(width, &[dst], &[a]),
            Op::Count { ty, dst, a, .. } => {
                self.dst(W32, &[dst]);
                self.src(ty.width, &[a]);
            }
            Op::Int2 { ty, dst, a, b, .. } => self.lanes(ty.width, &[dst], &[a, b]),
            Op::SatS32 { dst, a, b, .. } => self.lanes(W32, &[dst], &[a, b]),
            Op::Shift { width, dst, a, b, .. } => {
                self.lanes(width, &[dst], &[a]);
                self.src(W32, &[b]);
            }
            Op::MulWide { ty, dst, a, b } => {
                self.dst(double(ty.width), &[dst]);
                self.src(ty.width, &[a, b]);
                self.require(ty.width != W64, "mul.wide of 64 bits");
            }
            Op::Mad { ty, dst, a, b, c, .. } => self.lanes(ty.width, &[dst], &[a, b, c]),
            Op::MadWide { ty, dst, a, b, c } => {
                self.lanes(double(ty.width), &[dst], &[c]);
                self.src(ty.width, &[a, b]);
                self.require(ty.width != W64, "mad.wide of 64 bits");
            }
            Op::Carry { ty, dst, a, b, c, .. } => {
                self.lanes(ty.width, &[dst], &[a, b, c]);
                self.require(ty.width >= W32, "a carry of 16 bits");
            }
            Op::Bfe { ty, dst, a, pos, len } => {
                self.lanes(ty.width, &[dst], &[a]);
                self.src(W32, &[pos, len]);
            }
            Op::Bfi { width, dst, a, b, pos, len } => {
                self.lanes(width, &[dst], &[a, b]);
                self.src(W32, &[pos, len]);
            }
            Op::Prmt { dst, a, b, selector, .. } => self.lanes(W32, &[dst], &[a, b, selector]),
            Op::Funnel { dst, a, b, amount, .. } => self.lanes(W32, &[dst], &[a, b, amount]),
            Op::BitMask { dst, a, b, .. } | Op::Extend { dst, a, b, .. } => self.lanes(W32, &[dst], &[a, b]),
            Op::NthBit { dst, a, base, n } => self.lanes(W32, &[dst], &[a, base, n]),
            Op::Dot { dst, a, b, c, .. } => self.lanes(W32, &[dst], &[a, b, c]),
            Op::Lop3 { dst, a, b, c, .. } => self.lanes(W32, &[dst], &[a, b, c]),
            Op::VideoScalar { dst, a, b, c, .. }
            | Op::VideoMad { dst, a, b, c, .. }
            | Op::VideoSimd { dst, a, b, c, .. } => self.lanes(W32, &[dst], &[a, b, c]),
            Op::Float1 { ty, dst, a, .. } => self.lanes(ty.width(), &[dst], &[a]),
            Op::Float2 { ty, dst, a, b, .. } => self.lanes(ty.width(), &[dst], &[a, b]),
            Op::Fma { ty, dst, a, b, c, .. } => self.lanes(ty.width(), &[dst], &[a, b, c]),
            Op::CompareInt { ty, dst, a, b, .. } => {
                self.pred_dst(dst);
                self.src(ty.width, &[a, b]);
            }
            Op::CompareFloat { ty, dst, a, b, .. } => {
                self.pred_dst(dst);
                self.src(ty.width(), &[a, b]);
            }
            Op::Select { width, dst, a, b, pred } => {
                self.lanes(width, &[dst], &[a, b]);
                self.pred(pred);
            }
            Op::Pred { dst, a, b, .. } => {
                self.pred_dst(dst);
                self.pred(a);
                self.pred(b);
            }
            Op::ConvertInt { to, to_register, from_register, dst, src, .. } => {
                self.dst(to_register, &[dst]);
                self.src(from_register, &[src]);
                self.require(to_register >= to.width, "a conversion wider than its register");
            }
            Op::FloatToInt { from, to_register, dst, src, .. } => {
                self.dst(to_register, &[dst]);
                self.src(from.width(), &[src]);
            }
            Op::IntToFloat { to, from_register, dst, src, .. } => {
                self.dst(to.width(), &[dst]);
                self.src(from_register, &[src]);
            }
            Op::ConvertFloat { to, from, dst, src, .. } => {
                self.dst(to.width(), &[dst]);
                self.src(from.width(), &[src]);
            }
            Op::ToSmall { from, register, dst, src, .. } => {
                self.dst(register, &[dst]);
                self.src(from.width(), &[src]);
            }
            Op::ToSmallRandom { dst, src, random, .. } => {
                self.dst(Width::W16, &[dst]);
                self.src(W32, &[src, random]);
            }
            Op::FromSmall { dst, src, .. } => self.lanes(Width::W16, &[dst], &[src]),
            Op::Load { access, dst, address, .. } => {
                self.dst(access.register, &[dst]);
                self.src(W64, &[address]);
                self.require(access.register >= access.element.width, "an element wider than its register");
            }
            Op::Store { access, src, address, .. } => {
                self.src(access.register, &[src]);
                self.src(W64, &[address]);
                self.require(access.register >= access.element.width, "an element wider than its register");
            }
            Op::LoadVector { access, count, dst, address, .. } => {
                self.src(W64, &[address]);
                self.require(matches!(count, 2 | 4), "a vector that is not of 2 or 4");
                self.dst(access.register, &dst[..usize::from(count).min(4)]);
                self.require(access.register >= access.element.width, "an element wider than its register");
            }
            Op::StoreVector { access, count, src, address, .. } => {
                self.src(W64, &[address]);
                self.require(matches!(count, 2 | 4), "a vector that is not of 2 or 4");
                self.src(access.register, &src[..usize::from(count).min(4)]);
                self.require(access.register >= access.element.width, "an element wider than its register");
            }
            Op::Atom { op, dst, address, value, .. } => {
                self.lanes(op.width(), &[dst], &[value]);
                self.src(W64, &[address]);
                self.require(op.width() != Width::W8, "an atomic operation on bytes");
            }
            Op::Cas { width, dst, address, compare, value, .. } => {
                self.lanes(width, &[dst], &[compare, value]);
                self.src(W64, &[address]);
                self.require(width != Width::W8, "an atomic operation on bytes");
            }
            Op::Atom128 { dst, address, compare, value, .. } => {
                self.src(W64, &[address]);
                let high = |at: i32| if at >= 0 { at + 8 * LANES as i32 } else { at - 8 * LANES as i32 };
                self.dst(W64, &[dst, Reg(dst.0 + 8 * LANES as u32)]);
                for src in compare.into_iter().chain([value]) {
                    self.src(W64, &[src, Src(high(src.0))]);
                }
            }
            Op::IsSpace { dst, a, .. } => {
                self.pred_dst(dst);
                self.src(W64, &[a]);
            }
            Op::Branch { target, .. } => self.target(target),
            Op::BranchTable { table, index, .. } => {
                self.src(W32, &[index]);
                match self.function.tables.get(table as usize) {
                    Some(targets) => targets.iter().for_each(|target| self.target(*target)),
                    None => self.require(false, "a branch table that does not exist"),
                }
            }
            Op::Call { site } => self.call(site),
            Op::Barrier { kind, id, count, .. } => {
                self.src(W32, &[id]);
                self.src(W32, count.as_slice());
                kind.vote().into_iter().for_each(|vote| self.pred(vote));
                match kind {
                    BarrierKind::Sync | BarrierKind::Arrive => {}
                    BarrierKind::Popc { dst, .. } => self.dst(W32, &[dst]),
                    BarrierKind::And { dst, .. } | BarrierKind::Or { dst, .. } => self.pred_dst(dst),
                }
            }
            Op::Match { width, dst, pred, a, mask, .. } => {
                self.lanes(W32, &[dst], &[mask]);
                self.src(width, &[a]);
                self.pred_dst(pred);
            }
            Op::Redux { dst, a, mask, .. } => self.lanes(W32, &[dst], &[a, mask]),
            Op::Elect { dst, leader, mask } => {
                self.lanes(W32, &[dst], &[mask]);
                self.pred_dst(leader);
            }
            Op::StackAlloc { dst, size, align } => {
                self.lanes(W64, &[dst], &[size]);
                self.require(align.is_power_of_two(), "an alignment that is no power of two");
            }
            Op::StackSave { dst } => self.dst(W64, &[dst]),
            Op::StackRestore { a } => self.src(W64, &[a]),
            Op::WarpBarrier { mask } => self.src(W32, &[mask]),
            Op::Shfl { dst, in_range, a, b, clamp, mask, .. } => {
                self.lanes(W32, &[dst], &[a, b, clamp, mask]);
                self.pred_dst(in_range);
            }
            Op::Vote { dst, a, mask, .. } => {
                self.pred_dst(dst);
                self.pred(a);
                self.src(W32, &[mask]);
            }
            Op::Ballot { dst, a, mask } => {
                self.lanes(W32, &[dst], &[mask]);
                self.pred(a);
            }
            Op::ActiveMask { dst } => self.dst(W32, &[dst]),
            Op::NanoSleep { duration } => self.src(W32, &[duration]),
            Op::Fence { .. } | Op::Return | Op::Exit | Op::Trap | Op::Breakpoint | Op::Hint => {}
        }
    }

    fn lanes(&mut self, width: Width, dst: &[Reg], src: &[Src]) {
        self.dst(width, dst);
        self.src(width, src);
    }

    fn part(&mut self, width: Width, count: u8) -> Option<Width> {
        let part = match (width, count) {
            (Width::W64, 2) => Some(Width::W32),
            (Width::W64, 4) | (Width::W32, 2) => Some(Width::W16),
            // The bytes lie in registers of 16 bits.
            (Width::W32, 4) | (Width::W16, 2) => Some(Width::W8),
            _ => None,
        };
        self.require(part.is_some(), "a packing that does not exist");
        part
    }

    fn word(&mut self, element: Width, register: Width, byte: u8) {
        self.require(
            u32::from(byte) + element.bytes() <= 8 && element <= register,
            "a parameter that does not lie in its word",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::function;
    use super::*;
    use crate::code::{Guard, Inst};

    fn verdict(op: Op) -> Option<String> {
        let mut f = function(256);
        f.code = vec![Inst { guard: Guard::ALWAYS, op }, Inst { guard: Guard::ALWAYS, op: Op::Return }];
        f.lines = vec![7, 8];
        let checked = super::module(&Module { functions: vec![f], ..Module::default() });
        checked.err().map(|report| report.message)
    }

    #[test]
    fn operands_inside_pass_and_others_do_not() {
        let mov = |dst, src| Op::Mov { width: Width::W32, dst: Reg(dst), src: Src(src) };
        assert_eq!(verdict(mov(0, 128)), None);
        for op in [mov(192, 0), mov(0, 192), mov(0, 32), mov(0, -1), Op::Branch { target: 2, uniform: false }]
        {
            let message = verdict(op).unwrap();
            assert!(message.starts_with("line 7: f was decoded wrongly"), "{message}");
        }
        assert!(
            verdict(Op::Pred { op: crate::code::PredOp::Or, dst: Pred(1), a: Pred(0), b: Pred(0) }).is_some()
        );
        assert!(verdict(Op::Call { site: 0 }).is_some());
    }

    #[test]
    fn code_must_not_end_in_the_open() {
        let mut f = function(64);
        f.code = vec![Inst {
            guard: Guard::ALWAYS,
            op: Op::Fence { order: crate::code::Order::SeqCst, scope: crate::code::Scope::Sys },
        }];
        f.lines = vec![3];
        let report = super::module(&Module { functions: vec![f], ..Module::default() }).unwrap_err();
        assert!(report.message.contains("falls through"));
    }
}
