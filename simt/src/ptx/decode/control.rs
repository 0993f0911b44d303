//! Branches, calls, ends.

use super::super::body::{Body, Meaning, Register};
use super::super::module::{Symbol, SymbolId};
use super::super::operand::{Fault, Operand};
use super::super::signature::{Signature, words};
use super::super::types::{U32, U64};
use super::Form;
use crate::code::{CallSite, CallTarget, FunctionId, FunctionKind, Op, Slot};

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
        "ret" => plain(body, Op::Return),
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
    let mut ret = None;
    if body.builder.lexer.eat(b'(')? {
        ret = Some(slot(body)?);
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
    let mut args = vec![];
    let mut prototype = None;
    if body.builder.lexer.eat(b',')? {
        body.builder.lexer.expect(b'(')?;
        while !body.builder.lexer.at(b')') {
            args.push(slot(body)?);
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
    let target = match (callee, prototype) {
        (Callee::Direct(symbol, id), None) => {
            check(&args, ret, &body.builder.facts[id.0 as usize].signature)?;
            body.facts.mentions.entry(symbol).or_insert(body.line);
            CallTarget::Direct(id)
        }
        (Callee::Indirect(pointer), Some(prototype)) => {
            let Some(signature) = body.prototype(prototype) else {
                return Fault::operand(format!("`{prototype}` is no `.callprototype`"));
            };
            check(&args, ret, signature)?;
            CallTarget::Indirect(body.src(pointer, U64)?)
        }
        (Callee::Direct(..), Some(_)) => return Fault::operand("a direct call needs no prototype"),
        (Callee::Indirect(_), None) => return Fault::operand("an indirect call needs a prototype"),
    };
    let site = body.function.calls.len() as u32;
    body.function.calls.push(CallSite { target, args: args.into(), ret, uniform });
    body.emit(Op::Call { site });
    Ok(())
}

/// Reads the name of an argument or result and finds its registers.
fn slot(body: &mut Body<'_, '_>) -> Result<Slot, Fault> {
    let name = body.builder.lexer.word_token()?;
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
