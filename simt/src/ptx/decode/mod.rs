//! Instructions by their exact form: one module for each family.
//!
//! A decoder takes the modifiers in the order that PTX fixes, refuses what is left over, then reads the operands.

mod address;
mod advice;
mod atomic;
mod compare;
mod control;
mod convert;
mod float;
mod int;
mod memory;
mod moves;
mod packed;
mod param;
mod video;
mod warp;

pub(super) use param::{from_word, load_from_local as param_load_from_local, to_word};

use super::body::Body;
use super::operand::Fault;
use super::types::Type;

/// The modifiers of an opcode that are not taken yet, each with its dot.
#[derive(Clone, Copy)]
struct Form<'a> {
    rest: &'a str,
}

impl<'a> Form<'a> {
    /// The next modifier.
    fn peek(self) -> Option<&'a str> {
        let rest = self.rest.strip_prefix('.')?;
        Some(rest.split('.').next().unwrap_or(rest))
    }

    fn skip(&mut self, word: &str) {
        self.rest = &self.rest[word.len() + 1..];
    }

    /// Takes this modifier if it is the next one.
    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        if found {
            self.skip(word);
        }
        found
    }

    /// Takes the next modifier if the table has it.
    fn pick<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        let word = self.peek()?;
        let (_, value) = table.iter().find(|(name, _)| *name == word)?;
        self.skip(word);
        Some(*value)
    }

    /// Takes the next modifier, which the table must have.
    fn must<T: Copy>(&mut self, table: &[(&str, T)]) -> Result<T, Fault> {
        self.pick(table).ok_or(Fault::Form)
    }

    /// Takes a type.
    fn ty(&mut self) -> Result<Type, Fault> {
        let word = self.peek().ok_or(Fault::Form)?;
        let ty = Type::parse(word).ok_or(Fault::Form)?;
        self.skip(word);
        Ok(ty)
    }

    /// Takes a type that is the last modifier and satisfies the condition.
    fn last_ty(&mut self, allowed: impl Fn(Type) -> bool) -> Result<Type, Fault> {
        let ty = self.ty()?;
        self.end()?;
        if allowed(ty) { Ok(ty) } else { Err(Fault::Form) }
    }

    /// Nothing may be left.
    fn end(self) -> Result<(), Fault> {
        if self.rest.is_empty() { Ok(()) } else { Err(Fault::Form) }
    }

    /// Whether the form has one of these modifiers.
    fn has_any(self, words: &[&str]) -> bool {
        self.rest.split('.').any(|word| words.contains(&word))
    }

    /// What the last modifier is.
    fn ends_with(self) -> Ending {
        match self.rest.rsplit('.').next() {
            Some("pred") => Ending::Predicate,
            Some("f16x2" | "bf16x2" | "f32x2" | "u16x2" | "s16x2") => Ending::Packed,
            Some(word) if Type::parse(word).is_some_and(|ty| ty.float().is_some()) => Ending::Float,
            _ => Ending::Other,
        }
    }
}

/// What the last modifier says about the family of an arithmetic instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Float,
    Packed,
    Predicate,
    Other,
}

/// Decodes an instruction whose opcode, with modifiers, has just been taken.
pub(super) fn instruction(body: &mut Body<'_, '_>, opcode: &str) -> Result<(), Fault> {
    let (base, rest) = opcode.split_at(opcode.find('.').unwrap_or(opcode.len()));
    let form = Form { rest };
    match (base, form.ends_with()) {
        ("mov", _) => moves::mov(body, form),
        ("ld", _) => memory::load(body, form),
        ("st", _) => memory::store(body, form),
        ("ldu", _) => memory::load_uniform(body, form),
        ("prefetch" | "prefetchu" | "applypriority" | "discard", _) => advice::advise(body, base, form),
        ("createpolicy", _) => advice::policy(body, form),
        ("cvt", _) => convert::cvt(body, form),
        ("cvta", _) => address::cvta(body, form),
        ("setp", _) => compare::setp(body, form),
        ("set", _) => compare::set(body, form),
        ("selp", _) => compare::selp(body, form),
        ("slct", _) => compare::slct(body, form),
        ("bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt", _) => control::control(body, base, form),
        ("atom", _) => atomic::atom(body, form, true),
        ("red", _) => atomic::atom(body, form, false),
        ("membar" | "fence", _) => atomic::fence(body, base, form),
        ("isspacep", _) => address::isspacep(body, form),
        ("bar" | "barrier", _) => warp::barrier(body, base, form),
        ("shfl", _) => warp::shfl(body, form),
        ("vote", _) => warp::vote(body, form),
        ("activemask", _) => warp::activemask(body, form),
        ("match", _) => warp::matching(body, form),
        ("redux", _) => warp::redux(body, form),
        ("elect", _) => warp::elect(body, form),
        ("nanosleep", _) => warp::nanosleep(body, form),
        ("alloca" | "stacksave" | "stackrestore", _) => warp::stack(body, base, form),
        ("griddepcontrol" | "pmevent", _) => control::hint(body, base, form),
        ("and" | "or" | "xor" | "not", Ending::Predicate) => compare::logic(body, base, form),
        _ if base.starts_with('v') => video::video(body, base, form),
        (_, Ending::Packed) => packed::arithmetic(body, base, form),
        (_, Ending::Float) => float::arithmetic(body, base, form),
        _ => int::arithmetic(body, base, form),
    }
}
