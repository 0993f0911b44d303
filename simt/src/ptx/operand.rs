//! Operands: reading them from the text, and turning them into the sources and destinations of operations.

use super::body::{Body, Local, Meaning, ParamVariable, Register};
use super::constant;
use super::error;
use super::frame::Frame;
use super::lex::Token;
use super::module::{Symbol, SymbolId};
use super::special::special;
use super::types::{B64, Kind, Type};
use super::variable::{VariableSpace, fits, offset};
use crate::code::{Int, Op, Pred, PredOp, Reg, Space, Special, Src, Width};
use crate::report::Report;

/// Why an instruction is refused.
pub(super) enum Fault {
    /// No such opcode with these modifiers.
    Form,
    /// The operands do not fit; the text says how.
    Operand(String),
    /// An error that names its line itself.
    Report(Report),
}

impl Fault {
    /// The message for an instruction.
    pub fn message(&self, opcode: &str, statement: &str) -> String {
        match self {
            Self::Form => format!("unknown instruction form `{opcode}`: {statement}"),
            Self::Operand(text) => format!("{text}: {statement}"),
            Self::Report(report) => {
                // The line is put before again.
                let message =
                    report.message.split_once(": ").map_or(report.message.as_str(), |(_, text)| text);
                format!("{message}: {statement}")
            }
        }
    }

    /// A fault of the operands.
    pub fn operand<T>(text: impl Into<String>) -> Result<T, Self> {
        Err(Self::Operand(text.into()))
    }
}

impl From<Report> for Fault {
    fn from(report: Report) -> Self {
        Self::Report(report)
    }
}

/// An operand as it is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'a> {
    Register(Reg, Width),
    /// A register of 128 bits.
    Quad(Reg),
    Predicate(Pred),
    /// `!p`.
    NotPredicate(Pred),
    /// Special register; the width of its lanes.
    Special(Special, Width),
    /// Integer, modulo 2^64.
    Int(u64),
    F32(u32),
    F64(u64),
    /// Name and offset.
    Name(&'a str, i64),
    /// `name[n]`, an element of an array: its name and byte offset.
    Element(&'a str, i64),
    /// `r.part`, `-r`, `-r.part` in video instructions; the name is empty if there is none.
    Part {
        reg: Reg,
        width: Width,
        name: &'a str,
        negative: bool,
    },
    /// `_`.
    Sink,
    /// `{...}`: range of [`Body::elements`].
    Vector(usize, usize),
    /// `[...]`: index in [`Body::elements`] of the base, and offset.
    Memory(usize, i64),
}

impl Operand<'_> {
    /// An element of an array as its address; others as they are.
    pub fn address_of_element(self) -> Self {
        match self {
            Self::Element(name, offset) => Self::Name(name, offset),
            _ => self,
        }
    }
}

impl<'a> Body<'_, 'a> {
    /// Reads the operands, of which there must be `N`, and the `;`.
    pub fn operands<const N: usize>(&mut self) -> Result<[Operand<'a>; N], Fault> {
        match self.operands_and_second()? {
            (operands, None) => Ok(operands),
            _ => Fault::operand("this instruction has no second result"),
        }
    }

    /// As [`Self::operands`]; the first one may be two, `a|b`.
    pub fn operands_and_second<const N: usize>(
        &mut self,
    ) -> Result<([Operand<'a>; N], Option<Operand<'a>>), Fault> {
        let (operands, found, second) = self.read_operands()?;
        if found != N {
            return Fault::operand(format!("{N} operands are needed, {found} are given"));
        }
        Ok((operands, second))
    }

    /// Reads one operand or two, and the `;`.
    pub fn one_or_two_operands(&mut self) -> Result<(Operand<'a>, Option<Operand<'a>>), Fault> {
        self.operands_and_more::<1, 2>().map(|([first], second)| (first, second))
    }

    /// Reads `N` operands or one more (`M` is `N + 1`), and the `;`.
    pub fn operands_and_more<const N: usize, const M: usize>(
        &mut self,
    ) -> Result<([Operand<'a>; N], Option<Operand<'a>>), Fault> {
        const { assert!(M == N + 1) };
        match self.read_operands::<M>()? {
            (operands, found, None) if found == N || found == M => {
                Ok((std::array::from_fn(|k| operands[k]), (found == M).then(|| operands[N])))
            }
            _ => Fault::operand(format!("{N} operands or {M} are needed")),
        }
    }

    /// Reads all operands and the `;`: the first `N` of them, how many there are, and what follows a `|`.
    fn read_operands<const N: usize>(
        &mut self,
    ) -> Result<([Operand<'a>; N], usize, Option<Operand<'a>>), Fault> {
        self.elements.clear();
        let mut operands = [Operand::Sink; N];
        let mut second = None;
        let mut found = 0;
        while !self.builder.lexer.at(b';') {
            if found > 0 {
                self.builder.lexer.expect(b',')?;
            }
            let operand = self.operand()?;
            if found == 0 && self.builder.lexer.eat(b'|')? {
                second = Some(self.scalar()?);
            }
            if let Some(place) = operands.get_mut(found) {
                *place = operand;
            }
            found += 1;
        }
        self.builder.lexer.expect(b';')?;
        Ok((operands, found, second))
    }

    fn operand(&mut self) -> Result<Operand<'a>, Report> {
        if self.builder.lexer.eat(b'{')? {
            let first = self.elements.len();
            loop {
                let element = self.scalar()?;
                self.elements.push(element);
                if !self.builder.lexer.eat(b',')? {
                    break;
                }
            }
            self.builder.lexer.expect(b'}')?;
            return Ok(Operand::Vector(first, self.elements.len()));
        }
        if self.builder.lexer.eat(b'[')? {
            let base = self.scalar()?;
            let addend = offset(&mut self.builder.lexer)?;
            self.builder.lexer.expect(b']')?;
            self.elements.push(base);
            return Ok(Operand::Memory(self.elements.len() - 1, addend));
        }
        self.scalar()
    }

    /// An operand that is no vector and no address.
    pub fn scalar(&mut self) -> Result<Operand<'a>, Report> {
        let lexer = &mut self.builder.lexer;
        let sign = match lexer.token {
            Token::Punct(sign @ (b'-' | b'!')) => {
                lexer.advance()?;
                Some(sign)
            }
            _ => None,
        };
        let operand = match (sign, lexer.token) {
            (None | Some(b'-'), Token::F32(bits)) => Operand::F32(bits ^ u32::from(sign.is_some()) << 31),
            (None | Some(b'-'), Token::F64(bits)) => Operand::F64(bits ^ u64::from(sign.is_some()) << 63),
            (_, Token::Word(word)) if word != constant::WARP_SIZE => return self.named_with(sign, word),
            (Some(sign), _) => return Ok(Operand::Int(constant::after_sign(lexer, sign)?.bits)),
            (None, Token::Int(_) | Token::Word(_) | Token::Punct(b'(' | b'~' | b'+')) => {
                return Ok(Operand::Int(constant::expression(lexer)?.bits));
            }
            _ => return Err(lexer.unexpected("an operand")),
        };
        lexer.advance()?;
        Ok(operand)
    }

    /// An operand that starts with a word behind a sign.
    fn named_with(&mut self, sign: Option<u8>, word: &'a str) -> Result<Operand<'a>, Report> {
        let operand = self.named(word)?;
        match (sign, operand) {
            (None, _) => Ok(operand),
            (Some(b'!'), Operand::Predicate(pred)) => Ok(Operand::NotPredicate(pred)),
            (Some(b'!'), _) => Err(error(self.line, format!("`{word}` is no predicate"))),
            (_, Operand::Register(reg, width)) => Ok(Operand::Part { reg, width, name: "", negative: true }),
            (_, Operand::Part { reg, width, name, .. }) => {
                Ok(Operand::Part { reg, width, name, negative: true })
            }
            _ => Err(error(self.line, format!("a minus sign before `{word}`"))),
        }
    }

    /// An operand that starts with a word.
    fn named(&mut self, word: &'a str) -> Result<Operand<'a>, Report> {
        let line = self.builder.lexer.line;
        self.builder.lexer.advance()?;
        Ok(match self.register(word) {
            Some(Register::General(reg, width)) => Operand::Register(reg, width),
            Some(Register::Quad(reg)) => Operand::Quad(reg),
            Some(Register::Predicate(pred)) => Operand::Predicate(pred),
            None if word == "_" => Operand::Sink,
            None if word == "%is_explicit_cluster" => Operand::Predicate(Pred::FALSE),
            None if let Some(part) = self.part(word) => part,
            None if word.starts_with('%') => {
                let (special, width) =
                    special(word).ok_or_else(|| error(line, format!("unknown register `{word}`")))?;
                Operand::Special(special, width)
            }
            None if self.builder.lexer.at(b'[') => self.element(word)?,
            None => Operand::Name(word, offset(&mut self.builder.lexer)?),
        })
    }

    /// `name[n]`, of which the name has been taken.
    fn element(&mut self, name: &'a str) -> Result<Operand<'a>, Report> {
        let line = self.builder.lexer.line;
        self.builder.lexer.expect(b'[')?;
        let index = constant::expression(&mut self.builder.lexer)?.bits as i64;
        self.builder.lexer.expect(b']')?;
        let of = |symbol| match self.builder.symbol(symbol) {
            Symbol::Variable(index) => self.builder.variables[index].element,
            Symbol::Function(_) => None,
        };
        let bytes = match self.meaning(name) {
            Some(Meaning::Local(local)) => local.element,
            Some(Meaning::Symbol(symbol)) => of(symbol),
            Some(_) => None,
            None => of(self.builder.lookup(name, line)?),
        };
        let offset = bytes.and_then(|bytes| index.checked_mul(bytes as i64));
        let offset = offset.ok_or_else(|| error(line, format!("`{name}` is no array of one dimension")))?;
        Ok(Operand::Element(name, offset))
    }

    /// A register with the name of a part of it.
    fn part(&self, word: &'a str) -> Option<Operand<'a>> {
        let (register, name) = word.split_once('.')?;
        match self.register(register)? {
            Register::General(reg, width) => Some(Operand::Part { reg, width, name, negative: false }),
            _ => None,
        }
    }

    /// A source of exactly this type.
    pub fn src(&mut self, operand: Operand<'a>, ty: Type) -> Result<Src, Fault> {
        match operand {
            Operand::Register(reg, width) if width == ty.width => Ok(Src::reg(reg)),
            Operand::Register(_, width) => Fault::operand(format!(
                "register of {} bits where {} are needed",
                width.bits(),
                ty.width.bits()
            )),
            Operand::Special(special, width) if width == ty.width => Ok(self.special(special, width)),
            Operand::Special(_, width) => {
                Fault::operand(format!("special register of {} bits", width.bits()))
            }
            Operand::Int(value) => {
                if ty.kind == Kind::Float && ty.width != Width::W16 {
                    return Fault::operand("integer literal for a floating-point operand");
                }
                if !fits(value, (value as i64) < 0, ty.width) {
                    return Fault::operand(format!("literal does not fit {} bits", ty.width.bits()));
                }
                Ok(self.constant(value, ty.width))
            }
            Operand::F32(bits) => match (ty.kind, ty.width) {
                (Kind::Float | Kind::Bits, Width::W32) => Ok(self.constant(bits.into(), ty.width)),
                (Kind::Float, Width::W64) => {
                    Ok(self.constant(f64::from(f32::from_bits(bits)).to_bits(), ty.width))
                }
                _ => Fault::operand("floating-point literal for an operand of another type"),
            },
            Operand::F64(bits) => match (ty.kind, ty.width) {
                (Kind::Float | Kind::Bits, Width::W64) => Ok(self.constant(bits, ty.width)),
                (Kind::Float, Width::W32) => {
                    Ok(self.constant((f64::from_bits(bits) as f32).to_bits().into(), ty.width))
                }
                _ => Fault::operand("floating-point literal for an operand of another type"),
            },
            Operand::Name(name, addend) => self.name_address(name, addend, ty),
            _ => Fault::operand("an operand is of the wrong kind"),
        }
    }

    /// A special register, read into one for this instruction.
    fn special(&mut self, special: Special, width: Width) -> Src {
        let dst = self.frame.scratch(width);
        self.prepare(Op::Special { width, dst, special });
        Src::reg(dst)
    }

    /// A literal in all lanes. An 8-bit one is held in 16 bits, as in a register.
    pub fn constant(&mut self, value: u64, width: Width) -> Src {
        self.frame.constant(value, width.max(Width::W16))
    }

    /// The address that a name stands for, inside its space.
    fn name_address(&mut self, name: &'a str, addend: i64, ty: Type) -> Result<Src, Fault> {
        if ty.kind == Kind::Float || !matches!(ty.width, Width::W32 | Width::W64) {
            return Fault::operand(format!("`{name}` is an address"));
        }
        match self.meaning(name) {
            Some(Meaning::Local(Local { offset, .. })) => {
                let dst = self.frame.scratch(ty.width);
                let offset = local_offset(offset, addend)?;
                self.prepare(Op::LocalAddress { width: ty.width, dst, offset });
                Ok(Src::reg(dst))
            }
            Some(Meaning::Param(ParamVariable { own: Some(param), .. })) => {
                let dst = self.frame.scratch(ty.width);
                let offset = local_offset(self.spill(param)?, addend)?;
                self.prepare(Op::LocalAddress { width: ty.width, dst, offset });
                Ok(Src::reg(dst))
            }
            Some(Meaning::Param(_)) => Fault::operand(format!("address of `{name}`, which is no parameter")),
            Some(Meaning::Symbol(symbol)) => Ok(self.symbol_address(symbol, addend, ty.width)),
            Some(_) => Fault::operand(format!("`{name}` has no address")),
            None => {
                let symbol = self.builder.lookup(name, self.line)?;
                Ok(self.symbol_address(symbol, addend, ty.width))
            }
        }
    }

    fn symbol_address(&mut self, symbol: SymbolId, addend: i64, width: Width) -> Src {
        self.facts.mentions.entry(symbol).or_insert(self.line);
        let (src, reference) = self.frame.address(symbol, addend, width);
        self.facts.pool.extend(reference);
        src
    }

    /// A source whose register may be wider than the type; the register's width comes as well.
    pub fn wide_src(&mut self, operand: Operand<'a>, ty: Type) -> Result<(Src, Width), Fault> {
        match operand {
            Operand::Register(reg, width) if width >= ty.width => Ok((Src::reg(reg), width)),
            Operand::Special(special, width) if width >= ty.width => {
                Ok((self.special(special, width), width))
            }
            _ => Ok((self.src(operand, ty)?, ty.width.max(Width::W16))),
        }
    }

    /// A destination of exactly this width; `_` becomes a scratch register.
    pub fn dst(&mut self, operand: Operand<'a>, width: Width) -> Result<Reg, Fault> {
        match operand {
            Operand::Register(reg, found) if found == width => Ok(reg),
            Operand::Register(_, found) => Fault::operand(format!(
                "destination register of {} bits where {} are needed",
                found.bits(),
                width.bits()
            )),
            Operand::Sink => Ok(self.frame.scratch(width)),
            _ => Fault::operand("the destination is no register"),
        }
    }

    /// The two halves of a register of 128 bits that is read or, `_` as well, written.
    pub fn quad(&mut self, operand: Operand<'a>, written: bool) -> Result<[Reg; 2], Fault> {
        let reg = match operand {
            Operand::Quad(reg) => reg,
            Operand::Sink if written => self.frame.scratch_quad(),
            _ => return Fault::operand("a register of 128 bits is needed"),
        };
        Ok([reg, Frame::nth(reg, Width::W64, 1)])
    }

    /// A destination register that may be wider than the type.
    pub fn wide_dst(&mut self, operand: Operand<'a>, width: Width) -> Result<(Reg, Width), Fault> {
        match operand {
            Operand::Register(reg, found) if found >= width => Ok((reg, found)),
            _ => Ok((self.dst(operand, width.max(Width::W16))?, width.max(Width::W16))),
        }
    }

    /// A destination predicate; `_` becomes a scratch predicate.
    pub fn pred_dst(&mut self, operand: Operand<'a>) -> Result<Pred, Fault> {
        match operand {
            Operand::Predicate(pred) => Ok(pred),
            Operand::Sink => Ok(self.frame.scratch_predicate(0)),
            _ => Fault::operand("the destination is no predicate"),
        }
    }

    /// A source predicate: `p`, `!p`, or 0 and not 0 as constants.
    pub fn pred_src(&mut self, operand: Operand<'a>) -> Result<Pred, Fault> {
        match operand {
            Operand::Predicate(pred) => Ok(pred),
            Operand::NotPredicate(pred) => {
                let dst = self.frame.scratch_predicate(1);
                self.prepare(Op::Pred { op: PredOp::Xor, dst, a: pred, b: Pred::TRUE });
                Ok(dst)
            }
            Operand::Int(0) => Ok(Pred::FALSE),
            Operand::Int(_) => Ok(Pred::TRUE),
            _ => Fault::operand("an operand is no predicate"),
        }
    }

    /// Address and offset of a memory operand in `space`.
    pub fn address(&mut self, operand: Operand<'a>, space: Space) -> Result<(Src, i32), Fault> {
        let (base, addend) = match operand {
            Operand::Memory(base, addend) => (self.elements[base], addend),
            Operand::Element(..) => (operand.address_of_element(), 0),
            _ => return Fault::operand("the address is not in brackets"),
        };
        match base {
            Operand::Register(reg, Width::W32)
                if matches!(space, Space::Shared | Space::Local | Space::Const) =>
            {
                let dst = self.frame.scratch(Width::W64);
                let (to, from) = (B64.int(), Int { width: Width::W32, signed: false });
                let (to_register, from_register) = (Width::W64, Width::W32);
                let src = Src::reg(reg);
                self.prepare(Op::ConvertInt { to, from, to_register, from_register, sat: false, dst, src });
                Ok((Src::reg(dst), memory_offset(addend)?))
            }
            Operand::Register(..) => Ok((self.src(base, B64)?, memory_offset(addend)?)),
            Operand::Name(name, more) => {
                self.check_space(name, space)?;
                Ok((self.src(Operand::Name(name, more.wrapping_add(addend)), B64)?, 0))
            }
            Operand::Int(value) => Ok((self.constant(value.wrapping_add_signed(addend), Width::W64), 0)),
            _ => Fault::operand("an address is a 64-bit register, a variable or a number"),
        }
    }

    /// Refuses the access to a variable through another space than its own.
    fn check_space(&self, name: &str, space: Space) -> Result<(), Fault> {
        let symbol = match self.meaning(name) {
            Some(Meaning::Local(_) | Meaning::Param(_)) if space == Space::Local => return Ok(()),
            Some(Meaning::Symbol(symbol)) => self.builder.symbol(symbol),
            Some(_) => return Fault::operand(format!("`{name}` is not in this space")),
            None => self.builder.symbol(self.builder.lookup(name, self.line)?),
        };
        let Symbol::Variable(index) = symbol else {
            return Fault::operand(format!("`{name}` is a function"));
        };
        let fits = match self.builder.variables[index].space {
            VariableSpace::Global => matches!(space, Space::Global | Space::Generic),
            VariableSpace::Const => matches!(space, Space::Const | Space::Generic),
            VariableSpace::Shared => space == Space::Shared,
            VariableSpace::Local => space == Space::Local,
        };
        if fits { Ok(()) } else { Fault::operand(format!("`{name}` is not in this space")) }
    }
}

fn memory_offset(offset: i64) -> Result<i32, Fault> {
    i32::try_from(offset).map_err(|_| Fault::Operand(format!("offset {offset} does not fit 32 bits")))
}

/// Byte offset in local memory of a name with an addend.
pub(super) fn local_offset(offset: u32, addend: i64) -> Result<u32, Fault> {
    let sum = i64::from(offset).saturating_add(addend);
    u32::try_from(sum).map_err(|_| Fault::Operand(format!("offset {addend} leaves local memory")))
}
