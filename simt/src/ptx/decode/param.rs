//! `ld.param` and `st.param`: parameters and call slots are registers of 64 bits (see [`crate::code`]).

use super::super::body::{Body, Meaning, ParamLoad, ParamVariable};
use super::super::frame::Frame;
use super::super::operand::{Fault, Operand};
use super::super::types::Type;
use super::memory::{finish_load, load_quad, vector_dst, vector_src};
use crate::code::{Access, Int, Op, Order, Reg, Scope, Space, Src, Width};

/// The variable and byte offset in it that `[name+n]` means, checked for `count` elements of this type.
fn place<'a>(
    body: &Body<'_, 'a>,
    operand: Operand<'a>,
    ty: Type,
    count: u8,
) -> Result<Option<(ParamVariable, u32)>, Fault> {
    let Operand::Memory(base, addend) = operand else {
        return Fault::operand("the parameter is not in brackets");
    };
    let Operand::Name(name, more) = body.elements[base] else { return Ok(None) };
    let Some(Meaning::Param(variable)) = body.meaning(name) else {
        return Fault::operand(format!("`{name}` is no parameter"));
    };
    let bytes = i64::from(ty.width.bytes());
    let at = addend.wrapping_add(more);
    if at < 0 || at > i64::from(variable.size) - bytes * i64::from(count) {
        return Fault::operand(format!("access outside of `{name}`, which has {} bytes", variable.size));
    }
    let at = at as u32;
    if !(at + variable.byte).is_multiple_of(ty.width.bytes()) {
        return Fault::operand(format!("misaligned access to `{name}`"));
    }
    Ok(Some((variable, at)))
}

/// Register and byte in it of a byte of the variable.
fn locate(variable: ParamVariable, at: u32) -> (Reg, u8) {
    let byte = variable.byte + at;
    (Reg(variable.register + Frame::word(byte / 8)), (byte % 8) as u8)
}

/// `ld.param[.vN].type`, from a parameter, a call's result, or the address of a parameter. `quad`: 128 bits, as two of the type.
pub(super) fn load(body: &mut Body<'_, '_>, (ty, quad): (Type, bool), count: u8) -> Result<(), Fault> {
    let [d, address] = body.operands()?;
    let count = if quad { 2 } else { count };
    let Some((variable, at)) = place(body, address, ty, count)? else {
        // `mov` gives parameters an address in local memory.
        let access = local_access(ty.int(), ty.width.max(Width::W16));
        return if quad {
            load_quad(body, [d, address], access)
        } else {
            finish_load(body, ty, count, (d, address), access)
        };
    };
    let (dst, register) = if quad {
        let [low, high] = body.quad(d, true)?;
        ([low, high, low, high], Width::W64)
    } else if count == 1 {
        let (dst, register) = body.wide_dst(d, ty.width)?;
        ([dst; 4], register)
    } else {
        vector_dst(body, d, count, ty)?
    };
    for (index, dst) in (0..).zip(dst).take(count.into()) {
        let at = at + index * ty.width.bytes();
        let (word, byte) = locate(variable, at);
        if let Some(param) = variable.own {
            body.param_loads.push(ParamLoad { at: body.function.code.len(), param, byte: at });
        }
        body.emit(take(ty.int(), register, (word, byte), dst));
    }
    Ok(())
}

/// `st.param[.vN].type`, to a call's argument or to the return value.
pub(super) fn store(body: &mut Body<'_, '_>, (ty, quad): (Type, bool), count: u8) -> Result<(), Fault> {
    let [address, value] = body.operands()?;
    let count = if quad { 2 } else { count };
    let (variable, at) = match place(body, address, ty, count)? {
        Some((variable, at)) if variable.own.is_none() => (variable, at),
        _ => return Fault::operand("only arguments of calls and the return value can be stored to"),
    };
    let (src, register) = if quad {
        let [low, high] = body.quad(value, false)?.map(Src::reg);
        ([low, high, low, high], Width::W64)
    } else if count == 1 {
        let (src, register) = body.wide_src(value, ty)?;
        ([src; 4], register)
    } else {
        vector_src(body, value, count, ty)?
    };
    for (index, src) in (0..).zip(src).take(count.into()) {
        let (word, byte) = locate(variable, at + index * ty.width.bytes());
        body.emit(put(ty.width, register, (word, byte), src));
    }
    Ok(())
}

/// Takes an element out of a word.
fn take(element: Int, register: Width, (word, byte): (Reg, u8), dst: Reg) -> Op {
    let word = Src::reg(word);
    match element.width {
        Width::W64 => Op::Mov { width: Width::W64, dst, src: word },
        _ => Op::Extract { element, register, byte, dst, word },
    }
}

/// Puts an element into a word.
fn put(element: Width, register: Width, (word, byte): (Reg, u8), src: Src) -> Op {
    match element {
        Width::W64 => Op::Mov { width: Width::W64, dst: word, src },
        _ => Op::Insert { element, register, byte, word, src },
    }
}

/// Takes a parameter or result that is a register out of its word.
pub(in super::super) fn from_word(width: Width, dst: Reg, word: Reg) -> Op {
    take(Int { width, signed: false }, width, (word, 0), dst)
}

/// Puts a parameter or result that is a register into its word.
pub(in super::super) fn to_word(width: Width, word: Reg, src: Src) -> Op {
    put(width, width, (word, 0), src)
}

fn local_access(element: Int, register: Width) -> Access {
    Access {
        space: Space::Local,
        element,
        register,
        order: Order::Weak,
        scope: Scope::Sys,
        non_coherent: false,
        for_cas: false,
    }
}

/// The load from local memory, `offset` bytes after `base`, that an operation made by [`load`] has to become.
pub(in super::super) fn load_from_local(op: Op, base: Reg, offset: u32) -> Op {
    let (access, dst) = match op {
        Op::Mov { width, dst, .. } => (local_access(Int { width, signed: false }, width), dst),
        Op::Extract { element, register, dst, .. } => (local_access(element, register), dst),
        _ => unreachable!("`load` makes these two"),
    };
    Op::Load { access, dst, address: Src::reg(base), offset: offset as i32 }
}
