//! The end of a body: branch targets, copies of parameters whose address is taken, loads in front of a compare-and-swap, sizes.

use super::super::frame::Frame;
use super::super::module::FunctionFacts;
use super::super::{decode, error};
use super::Body;
use super::scope::{Reference, Referrer};
use crate::code::{Function, Guard, Inst, Op, Src, Width};
use crate::report::Report;

impl<'a> Body<'_, 'a> {
    /// Ends the body: copies of address-taken parameters, branch targets, final return.
    pub(super) fn finish(mut self) -> Result<(Function, FunctionFacts<'a>), Report> {
        self.all_resolved()?;
        self.guard = Guard::ALWAYS;
        self.emit_return();
        let prologue = self.prologue();
        let shift = prologue.len();
        let function = &mut self.function;
        if shift > 0 {
            let branches = function.code.iter_mut().filter_map(|inst| match &mut inst.op {
                Op::Branch { target, .. } => Some(target),
                _ => None,
            });
            let entries = function.tables.iter_mut().flatten();
            branches.chain(entries).for_each(|target| *target += shift as u32);
            function.source.iter_mut().for_each(|span| span.first += shift as u32);
            function.lines.splice(0..0, std::iter::repeat_n(function.line, shift));
            function.code.splice(0..0, prologue);
        }
        mark_loads_for_cas(&mut function.code, &self.frame);
        function.local_bytes = function.local_bytes.next_multiple_of(function.local_align);
        (self.function.register_bytes, self.function.predicates) = self.size()?;
        self.function.constants = self.frame.take_constants();
        Ok((self.function, self.facts))
    }

    /// Labels and tables that something refers to must be there.
    fn all_resolved(&self) -> Result<(), Report> {
        let Some((name, Reference { from, line })) = self.names.unresolved() else { return Ok(()) };
        Err(match from {
            Referrer::Instruction(at) if matches!(self.function.code[at].op, Op::BranchTable { .. }) => {
                error(line, format!("`.branchtargets` of `{name}` is not there"))
            }
            _ => error(line, format!("label `{name}` is not defined")),
        })
    }

    /// See [`Frame::size`].
    pub(super) fn size(&self) -> Result<(u32, u32), Report> {
        let Function { line, name, .. } = &self.function;
        self.frame.size().ok_or_else(|| error(*line, format!("`{name}` has too many registers")))
    }

    /// Instructions that copy the address-taken parameters to local memory. Their `ld.param` become loads from there, so
    /// that they see what is written through the address.
    fn prologue(&mut self) -> Vec<Inst> {
        if self.spilled.iter().all(Option::is_none) {
            return vec![];
        }
        let base = self.frame.registers(Width::W64, 1);
        let always = |op| Inst { guard: Guard::ALWAYS, op };
        let mut prologue = vec![always(Op::LocalAddress { width: Width::W64, dst: base, offset: 0 })];
        for (param, local) in self.function.params.iter().zip(&self.spilled) {
            if let Some(local) = *local {
                prologue.push(always(Op::SpillParam { param: param.offset, local, bytes: param.size }));
            }
        }
        for load in &self.param_loads {
            if let Some(local) = self.spilled[load.param] {
                let op = &mut self.function.code[load.at].op;
                *op = decode::param_load_from_local(*op, base, local + load.byte);
            }
        }
        prologue
    }
}

/// Instructions between a load and its compare-and-swap at most.
const CAS_DISTANCE: usize = 40;

/// Marks plain loads of what a compare-and-swap behind them expects, and that. Compilers write atomic operations that PTX does not have
/// as a loop like that; where the operation is on a part of a word, LLVM may load the other part alone.
fn mark_loads_for_cas(code: &mut [Inst], frame: &Frame) {
    if !code.iter().any(|inst| matches!(inst.op, Op::Cas { .. })) {
        return;
    }
    let symbols = frame.symbols();
    // Addresses as a base and a distance from it.
    let place = |address: Src, offset: i32| match symbols.get(&address) {
        Some(&(symbol, addend)) => (Err(symbol), addend.wrapping_add(offset.into())),
        None => (Ok(address), i64::from(offset)),
    };
    for pc in 0..code.len() {
        let (before, behind) = code.split_at_mut(pc + 1);
        let Op::Load { access, dst, address, offset, .. } = &mut before[pc].op else { continue };
        let (loaded, start) = (access.element.width, place(*address, *offset));
        // What was computed from the loaded value.
        let mut values = vec![Src::reg(*dst)];
        for inst in behind.iter_mut().take(CAS_DISTANCE) {
            if let Op::Cas { width, address, offset, compare, of_load, .. } = &mut inst.op {
                let word = place(*address, *offset);
                let byte = start.1.wrapping_sub(word.1);
                let is_part = word.0 == start.0
                    && (0..=i64::from(width.bytes()) - i64::from(loaded.bytes())).contains(&byte);
                let is_expected = loaded == *width || *width == Width::W32 && values.contains(compare);
                if is_part && is_expected {
                    (access.for_cas, *of_load) = (true, true);
                    break;
                }
            }
            if let Op::Shift { dst, a: one, b: other, .. } | Op::Int2 { dst, a: one, b: other, .. } = inst.op
                && (values.contains(&one) || values.contains(&other))
            {
                values.push(Src::reg(dst));
            }
        }
    }
}
