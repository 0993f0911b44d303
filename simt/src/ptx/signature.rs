//! Parameter lists: of functions, entries and call prototypes.

use super::error;
use super::lex::{Lexer, Token};
use super::types::Type;
use crate::code::{Param, Width};
use crate::report::Report;

/// Parameters and return value as declared, with the layout of the parameter area.
#[derive(Clone, Debug, Default)]
pub(super) struct Signature<'a> {
    pub params: Vec<Param>,
    /// Names of `params`, as they stand in the text.
    pub names: Vec<Name<'a>>,
    pub param_bytes: u32,
    pub ret: Option<Param>,
    /// Name of `ret`.
    pub ret_name: Option<Name<'a>>,
}

/// What a function calls a parameter or its return value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name<'a> {
    pub text: &'a str,
    /// `.reg`: the width of the register that it is.
    pub register: Option<Width>,
}

/// 64-bit registers that `bytes` bytes take.
pub(super) fn words(bytes: u32) -> u32 {
    bytes.div_ceil(8)
}

impl<'a> Signature<'a> {
    /// 64-bit registers of the parameter area.
    pub fn param_words(&self) -> u32 {
        words(self.param_bytes)
    }

    /// 64-bit registers of the return value.
    pub fn return_words(&self) -> u32 {
        self.ret.as_ref().map_or(0, |ret| words(ret.size))
    }

    /// Whether the other signature takes the same registers.
    pub fn same_shape(&self, other: &Signature<'_>) -> bool {
        let shape = |s: &Signature<'_>| s.params.iter().map(|p| words(p.size)).collect::<Vec<_>>();
        shape(self) == shape(other) && self.return_words() == other.return_words()
    }

    /// Reads `(return) name (parameters)`, either list optional, and gives the name. `block`: parameters are packed by
    /// their alignment, as in a launch's parameter block, instead of one 64-bit word and more for each.
    pub fn read(lexer: &mut Lexer<'a>, block: bool) -> Result<(&'a str, Self), Report> {
        let mut signature = Self::default();
        if lexer.eat(b'(')? {
            if !lexer.at(b')') {
                let Declaration { name, param } = ParamType::read(lexer, !block)?.named(lexer)?;
                signature.ret = Some(param);
                signature.ret_name = Some(name);
            }
            lexer.expect(b')')?;
        }
        let name = lexer.new_name()?;
        if lexer.eat(b'(')? {
            let mut end = 0u32;
            while !lexer.at(b')') {
                let line = lexer.line;
                let Declaration { name, mut param } = ParamType::read(lexer, !block)?.named(lexer)?;
                let place = |end: u32| {
                    let offset = end.checked_next_multiple_of(if block { param.align } else { 8 })?;
                    let end = offset.checked_add(param.size)?;
                    (end <= MOST_PARAMETER_BYTES).then_some((offset, end))
                };
                let Some((offset, after)) = place(end) else {
                    return Err(error(line, format!("parameters of more than {MOST_PARAMETER_BYTES} bytes")));
                };
                param.offset = offset;
                end = after;
                signature.params.push(param);
                signature.names.push(name);
                if !lexer.eat(b',')? {
                    break;
                }
            }
            lexer.expect(b')')?;
            signature.param_bytes = if block { end } else { end.next_multiple_of(8) };
        }
        Ok((name, signature))
    }
}

/// Bytes of parameters at most. Hardware allows 32,764 for a kernel.
const MOST_PARAMETER_BYTES: u32 = 1 << 20;

/// A parameter as declared, not laid out.
pub(super) struct Declaration<'a> {
    pub name: Name<'a>,
    pub param: Param,
}

/// Type and alignment of a parameter.
pub(super) struct ParamType {
    /// Bytes of an element.
    element: u32,
    align: u32,
    register: Option<Width>,
}

impl ParamType {
    /// Reads `.param [.align n] .type [.ptr [.space] [.align n]]`, or, with `registers`, `.reg .type`.
    pub fn read(lexer: &mut Lexer<'_>, registers: bool) -> Result<Self, Report> {
        if registers && lexer.eat_word(".reg")? {
            return Self::register(lexer);
        }
        if !lexer.eat_word(".param")? {
            return Err(lexer.unexpected("`.param`"));
        }
        let align = alignment(lexer)?.unwrap_or(1);
        let Token::Word(word) = lexer.token else {
            return Err(lexer.unexpected("a type"));
        };
        let element = match Type::directive(word) {
            Some(ty) => ty.width.bytes(),
            None if word == ".b128" => 16,
            None => return Err(error(lexer.line, format!("unknown parameter type `{word}`"))),
        };
        lexer.advance()?;
        if lexer.eat_word(".ptr")? {
            // What it points to; nothing here depends on it.
            for space in [".const", ".global", ".local", ".shared"] {
                lexer.eat_word(space)?;
            }
            alignment(lexer)?;
        }
        Ok(Self { element, align: align.max(element), register: None })
    }

    /// Reads the type of a parameter that is a register of 16 to 64 bits.
    fn register(lexer: &mut Lexer<'_>) -> Result<Self, Report> {
        let line = lexer.line;
        let word = lexer.word_token()?;
        let Some(width) = Type::directive(word).map(|ty| ty.width).filter(|width| *width >= Width::W16)
        else {
            return Err(error(line, format!("unknown type `{word}` of a parameter in a register")));
        };
        Ok(Self { element: width.bytes(), align: width.bytes(), register: Some(width) })
    }

    /// Reads `name [\[n\]]` of a parameter of this type.
    pub fn named<'a>(&self, lexer: &mut Lexer<'a>) -> Result<Declaration<'a>, Report> {
        let line = lexer.line;
        let name = lexer.new_name()?;
        let mut size = u64::from(self.element);
        while lexer.eat(b'[')? {
            size = size.saturating_mul(u64::from(lexer.int32()?));
            lexer.expect(b']')?;
        }
        let Some(size) = u32::try_from(size).ok().filter(|size| *size <= MOST_PARAMETER_BYTES) else {
            return Err(error(line, format!("parameter `{name}` of {size} bytes")));
        };
        let param = Param { name: name.into(), offset: 0, size, align: self.align };
        Ok(Declaration { name: Name { text: name, register: self.register }, param })
    }
}

/// Reads `.align n`, if it is there.
pub(super) fn alignment(lexer: &mut Lexer<'_>) -> Result<Option<u32>, Report> {
    if !lexer.eat_word(".align")? {
        return Ok(None);
    }
    let line = lexer.line;
    let align = lexer.int32()?;
    if align.is_power_of_two() {
        Ok(Some(align))
    } else {
        Err(error(line, format!("alignment {align} is no power of two")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, block: bool) -> Signature<'_> {
        Signature::read(&mut Lexer::new(text).unwrap(), block).unwrap().1
    }

    #[test]
    fn entry_parameters_are_packed_by_alignment() {
        let s = read(
            "k(.param .u32 a, .param .u64 .ptr .global .align 8 b, .param .align 2 .b8 c[6], .param .u8 d)",
            true,
        );
        let layout: Vec<_> = s.params.iter().map(|p| (p.offset, p.size, p.align)).collect();
        assert_eq!(layout, [(0, 4, 4), (8, 8, 8), (16, 6, 2), (22, 1, 1)]);
        assert_eq!((s.param_bytes, s.param_words()), (23, 3));
    }

    #[test]
    fn function_parameters_start_a_word_each() {
        let s = read("(.param .b32 r) f(.param .b32 a, .param .align 4 .b8 b[12], .param .b8 c)", false);
        let layout: Vec<_> = s.params.iter().map(|p| p.offset).collect();
        assert_eq!(layout, [0, 8, 24]);
        assert_eq!((s.param_words(), s.return_words()), (4, 1));
    }

    #[test]
    fn shapes_compare_in_words() {
        let shape = |text| read(text, false);
        assert!(shape("f(.param .b32 a)").same_shape(&shape("f(.param .b64 a)")));
        assert!(!shape("f(.param .b32 a)").same_shape(&shape("f()")));
        assert!(!shape("(.param .b32 r) f()").same_shape(&shape("f()")));
    }

    #[test]
    fn odd_types_and_alignments_are_refused() {
        let fail = |text| Signature::read(&mut Lexer::new(text).unwrap(), false).unwrap_err().message;
        assert_eq!(fail("f(.reg .pred a)"), "line 1: unknown type `.pred` of a parameter in a register");
        let entry = Signature::read(&mut Lexer::new("k(.reg .b32 a)").unwrap(), true).unwrap_err().message;
        assert_eq!(entry, "line 1: expected `.param`, found `.reg`");
        assert_eq!(fail("f(.param .align 3 .b8 a[3])"), "line 1: alignment 3 is no power of two");
        assert_eq!(fail("f(.param .b256 a)"), "line 1: unknown parameter type `.b256`");
    }
}
