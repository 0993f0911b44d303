//! Branches, calls, ends.

use super::super::body::{Body, Meaning, Register};
use super::super::module::{Symbol, SymbolId};
use super::super::operand::{Fault, Operand};
use super::super::signature::{Signature, words};
use super::super::types::{U32, U64};
use super::Form;
use super::param::{from_word, to_word};
use crate::code::{CallSite, CallTarget, FunctionId, FunctionKind, Op, Reg, Slot, Src, Width};

/// `bra`, `brx`, `call`, `ret`, `exit`, `trap`, `brkpt`.
pub(super) fn control(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    let table = base == "brx";
    if table && !form.take("idx") {
        return Err(Fault::Form);
    }
    let uniform = matches!(base, "bra" | "brx" | "call" | "ret") && form.take("uni");
    form.end()?;
    match base {
        "bra" => branch(body, uniform),
        "brx" => branch_table(body, uniform),
        "call" => call(body, uniform),
        "ret" => {
            let [] = body.operands()?;
            body.emit_return();
            Ok(())
        }
        "exit" => plain(body, Op::Exit),
        "brkpt" => plain(body, Op::Breakpoint),
        _ => plain(body, Op::Trap),
    }
}

/// `griddepcontrol`: the launches of a stream run one after the other, so there is never anything to wait for. `pmevent`:
/// there are no performance monitors.
pub(super) fn hint(body: &mut Body<'_, '_>, base: &str, mut form: Form<'_>) -> Result<(), Fault> {
    if base == "griddepcontrol" {
        form.must(&[("launch_dependents", ()), ("wait", ())])?;
        form.end()?;
        return plain(body, Op::Hint);
    }
    let limit = if form.take("mask") { 0xffff } else { 15 };
    form.end()?;
    let [event] = body.operands()?;
    match event {
        Operand::Int(event) if event <= limit => {
            body.emit(Op::Hint);
            Ok(())
        }
        _ => Fault::operand(format!("the event is a number up to {limit}")),
    }
}

fn plain(body: &mut Body<'_, '_>, op: Op) -> Result<(), Fault> {
    let [] = body.operands()?;
    body.emit(op);
    Ok(())
}

fn branch(body: &mut Body<'_, '_>, uniform: bool) -> Result<(), Fault> {
    let to = body.builder.lexer.word_token()?;
    let [] = body.operands()?;
    body.emit_branch(to, Op::Branch { target: 0, uniform });
    Ok(())
}

/// `brx.idx index, table`.
fn branch_table(body: &mut Body<'_, '_>, uniform: bool) -> Result<(), Fault> {
    let [index, table] = body.operands()?;
    let Operand::Name(to, 0) = table else {
        return Fault::operand("the second operand names no `.branchtargets`");
    };
    let index = body.src(index, U32)?;
    body.emit_branch(to, Op::BranchTable { table: 0, uniform, index });
    Ok(())
}

/// Whom a call names.
enum Callee {
    Direct(SymbolId, FunctionId),
    Indirect(Operand<'static>),
}

/// `call[.uni] [(ret),] target[, (args)][, prototype];`
fn call(body: &mut Body<'_, '_>, uniform: bool) -> Result<(), Fault> {
    let mut passed = Passed::default();
    if body.builder.lexer.eat(b'(')? {
        passed.result(body)?;
        body.builder.lexer.expect(b')')?;
        body.builder.lexer.expect(b',')?;
    }
    let name = body.builder.lexer.word_token()?;
    let callee = match body.register(name) {
        Some(Register::General(reg, width)) => Callee::Indirect(Operand::Register(reg, width)),
        Some(_) => return Fault::operand("a predicate or a register of 128 bits is no function"),
        None => {
            let symbol = body.builder.lookup(name, body.line)?;
            let Symbol::Function(id) = body.builder.symbol(symbol) else {
                return Fault::operand(format!("`{name}` is no function"));
            };
            if body.builder.module.functions[id.0 as usize].kind == FunctionKind::Entry {
                return Fault::operand(format!("`{name}` is an entry"));
            }
            Callee::Direct(symbol, id)
        }
    };
    let mut prototype = None;
    if body.builder.lexer.eat(b',')? {
        body.builder.lexer.expect(b'(')?;
        while !body.builder.lexer.at(b')') {
            passed.argument(body)?;
            if !body.builder.lexer.eat(b',')? {
                break;
            }
        }
        body.builder.lexer.expect(b')')?;
        if body.builder.lexer.eat(b',')? {
            prototype = Some(body.builder.lexer.word_token()?);
        }
    }
    let [] = body.operands()?;
    let Passed { args, ret, .. } = &passed;
    let target = match (callee, prototype) {
        (Callee::Direct(symbol, id), None) => {
            check(args, *ret, &body.builder.facts[id.0 as usize].signature)?;
            body.facts.mentions.entry(symbol).or_insert(body.line);
            CallTarget::Direct(id)
        }
        (Callee::Indirect(pointer), Some(prototype)) => {
            let Some(signature) = body.prototype(prototype) else {
                return Fault::operand(format!("`{prototype}` is no `.callprototype`"));
            };
            check(args, *ret, signature)?;
            CallTarget::Indirect(body.src(pointer, U64)?)
        }
        (Callee::Direct(..), Some(_)) => return Fault::operand("a direct call needs no prototype"),
        (Callee::Indirect(_), None) => return Fault::operand("an indirect call needs a prototype"),
    };
    let site = body.function.calls.len() as u32;
    body.function.calls.push(CallSite { target, args: args.as_slice().into(), ret: *ret, uniform });
    body.emit(Op::Call { site });
    passed.finish(body);
    Ok(())
}

/// What a call passes: `.param` variables as they are, registers and numbers in slots of their own.
#[derive(Default)]
struct Passed {
    args: Vec<Slot>,
    ret: Option<Slot>,
    /// Slots that end with the call.
    slots: Vec<u32>,
    /// What takes the result out of its slot.
    take: Option<Op>,
}

impl Passed {
    /// Reads an argument.
    fn argument(&mut self, body: &mut Body<'_, '_>) -> Result<(), Fault> {
        let (width, src) = match body.scalar()? {
            Operand::Name(name, 0) => {
                self.args.push(slot(body, name)?);
                return Ok(());
            }
            Operand::Register(reg, width) => (width, Src::reg(reg)),
            Operand::Int(bits) | Operand::F64(bits) => (Width::W64, body.constant(bits, Width::W64)),
            Operand::F32(bits) => (Width::W32, body.constant(bits.into(), Width::W32)),
            _ => return Fault::operand("an argument is a `.param` variable, a register or a number"),
        };
        let slot = self.slot(body);
        body.prepare(to_word(width, Reg(slot.offset), src));
        self.args.push(slot);
        Ok(())
    }

    /// Reads where the result goes.
    fn result(&mut self, body: &mut Body<'_, '_>) -> Result<(), Fault> {
        match body.scalar()? {
            Operand::Name(name, 0) => self.ret = Some(slot(body, name)?),
            Operand::Sink => {}
            Operand::Register(reg, width) => {
                let slot = self.slot(body);
                self.take = Some(from_word(width, reg, Reg(slot.offset)));
                self.ret = Some(slot);
            }
            _ => return Fault::operand("a result goes to a `.param` variable or a register"),
        }
        Ok(())
    }

    /// A slot for what is no `.param` variable.
    fn slot(&mut self, body: &mut Body<'_, '_>) -> Slot {
        let offset = body.frame.slot(1);
        self.slots.push(offset);
        Slot { offset, words: 1 }
    }

    /// What follows the call.
    fn finish(self, body: &mut Body<'_, '_>) {
        if let Some(take) = self.take {
            body.emit(take);
        }
        self.slots.into_iter().for_each(|slot| body.frame.release_slot(slot, 1));
    }
}

/// The registers of a `.param` variable that is an argument or takes a result.
fn slot(body: &Body<'_, '_>, name: &str) -> Result<Slot, Fault> {
    match body.meaning(name) {
        Some(Meaning::Param(variable)) if variable.byte == 0 => {
            Ok(Slot { offset: variable.register, words: words(variable.size) })
        }
        _ => Fault::operand(format!("`{name}` is no `.param` variable")),
    }
}

/// Arguments and result of a call must take the registers that the callee declares. A result may be dropped.
fn check(args: &[Slot], ret: Option<Slot>, signature: &Signature<'_>) -> Result<(), Fault> {
    let wanted = signature.params.iter().map(|param| words(param.size));
    if !args.iter().map(|arg| arg.words).eq(wanted) {
        let (given, declared) = (args.len(), signature.params.len());
        return Fault::operand(format!(
            "{given} arguments that do not fit the {declared} declared parameters"
        ));
    }
    if ret.is_some_and(|ret| ret.words != signature.return_words()) {
        return Fault::operand("the result does not fit the declared return value");
    }
    Ok(())
}
