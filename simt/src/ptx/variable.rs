//! Variable declarations and their initialisers.

use super::constant::{self, Value};
use super::error;
use super::lex::{Lexer, Token};
use super::signature::alignment;
use super::types::{Kind, Type};
use crate::code::Width;
use crate::report::Report;

/// State space of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum VariableSpace {
    Global,
    Const,
    Shared,
    Local,
}

impl VariableSpace {
    /// The space of a directive.
    pub fn directive(word: &str) -> Option<Self> {
        Some(match word {
            ".global" => Self::Global,
            ".const" => Self::Const,
            ".shared" => Self::Shared,
            ".local" => Self::Local,
            _ => return None,
        })
    }
}

/// Linkage directives before a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Linkage {
    pub external: bool,
    pub visible: bool,
    pub weak: bool,
    pub common: bool,
}

impl Linkage {
    /// Reads the linkage directives at the current token.
    pub fn read(lexer: &mut Lexer<'_>) -> Result<Self, Report> {
        let mut linkage = Self::default();
        while let Token::Word(word) = lexer.token {
            match word {
                ".extern" => linkage.external = true,
                ".visible" => linkage.visible = true,
                ".weak" => linkage.weak = true,
                ".common" => linkage.common = true,
                _ => break,
            }
            lexer.advance()?;
        }
        Ok(linkage)
    }
}

/// A symbol address in an initialiser.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relocation<'a> {
    pub symbol: &'a str,
    pub line: u32,
    /// Byte offset in the variable, and bytes written.
    pub at: u64,
    pub bytes: u32,
    /// Right shift of the address before its low `bytes` bytes are taken.
    pub shift: u32,
    /// `generic(...)`.
    pub generic: bool,
    pub addend: i64,
}

/// A variable as declared.
#[derive(Debug)]
pub(super) struct Declared<'a> {
    pub name: &'a str,
    pub line: u32,
    pub space: VariableSpace,
    pub linkage: Linkage,
    pub size: u64,
    pub align: u32,
    /// Bytes of an element; `None`: it is no array of one dimension.
    pub element: Option<u64>,
    /// `name[]` without initialiser.
    pub unsized_array: bool,
    /// Initial bytes; short or empty: the rest is zero.
    pub init: Vec<u8>,
    pub relocations: Vec<Relocation<'a>>,
}

/// Reads the rest of a declaration after its space directive, to the `;`: one variable or several.
pub(super) fn variables<'a>(
    lexer: &mut Lexer<'a>,
    space: VariableSpace,
    linkage: Linkage,
) -> Result<Vec<Declared<'a>>, Report> {
    let shared = Shared::read(lexer, space, linkage)?;
    let mut all = vec![variable(lexer, &shared)?];
    while lexer.eat(b',')? {
        all.push(variable(lexer, &shared)?);
    }
    lexer.expect(b';')?;
    Ok(all)
}

/// What all variables of a declaration share.
struct Shared {
    space: VariableSpace,
    linkage: Linkage,
    ty: Type,
    /// Elements of a vector, or 1.
    lanes: u64,
    align: Option<u32>,
}

impl Shared {
    /// Reads alignment, attributes and type, the alignment also behind the type.
    fn read(lexer: &mut Lexer<'_>, space: VariableSpace, linkage: Linkage) -> Result<Self, Report> {
        let (mut align, mut lanes) = (None, 1);
        let ty = loop {
            align = alignment(lexer)?.or(align);
            let line = lexer.line;
            match lexer.word_token()? {
                ".v2" => lanes = 2,
                ".v4" => lanes = 4,
                ".attribute" => managed(lexer, space)?,
                word => {
                    let unknown = || error(line, format!("unknown variable type or attribute `{word}`"));
                    break Type::directive(word).ok_or_else(unknown)?;
                }
            }
        };
        align = alignment(lexer)?.or(align);
        Ok(Self { space, linkage, ty, lanes, align })
    }
}

/// Reads `(.managed)`. The host reaches each variable in device memory, so there is nothing to do for it.
fn managed(lexer: &mut Lexer<'_>, space: VariableSpace) -> Result<(), Report> {
    lexer.expect(b'(')?;
    if space != VariableSpace::Global || !lexer.eat_word(".managed")? {
        return Err(lexer.unexpected("`.global` and `.managed`, the one attribute that is known"));
    }
    lexer.expect(b')')
}

/// Reads the name of a variable, its dimensions and its initialiser.
fn variable<'a>(lexer: &mut Lexer<'a>, shared: &Shared) -> Result<Declared<'a>, Report> {
    let &Shared { space, linkage, ty, lanes, align } = shared;
    let (name, line) = (lexer.new_name()?, lexer.line);
    let element = u64::from(ty.width.bytes()) * lanes;
    // The first dimension may be left open: the initialiser or, for dynamic shared memory, the launch decides.
    let (mut count, mut open) = (1u64, false);
    let mut first = true;
    let mut dimensions = vec![];
    while lexer.eat(b'[')? {
        if first && lexer.at(b']') {
            open = true;
        } else {
            let dimension = lexer.int()?;
            if !first {
                dimensions.push(dimension);
            }
            count =
                count.checked_mul(dimension).ok_or_else(|| error(line, format!("`{name}` is too large")))?;
        }
        lexer.expect(b']')?;
        first = false;
    }
    let one_dimension = !first && dimensions.is_empty();
    let mut declared = Declared {
        name,
        line,
        space,
        linkage,
        size: count.checked_mul(element).ok_or_else(|| error(line, format!("`{name}` is too large")))?,
        align: align.unwrap_or(element as u32),
        element: one_dimension.then_some(element),
        unsized_array: false,
        init: vec![],
        relocations: vec![],
    };
    if lexer.eat(b'=')? {
        if !matches!(space, VariableSpace::Global | VariableSpace::Const) {
            return Err(error(
                line,
                format!("`{name}`: only global and constant variables can be initialised"),
            ));
        }
        // Bytes of what each list in braces stands for, from the second one inwards.
        if lanes > 1 {
            dimensions.push(lanes);
        }
        let mut sizes = vec![];
        let mut size = u64::from(ty.width.bytes());
        for dimension in dimensions.iter().rev() {
            // What does not fit 64 bits has been refused.
            size = size.saturating_mul(*dimension);
            sizes.insert(0, size);
        }
        initializer(lexer, ty, &mut declared, &sizes, 0)?;
        let given = declared.init.len() as u64;
        if open {
            declared.size = declared.size * given.div_ceil(declared.size.max(1));
        } else if given > declared.size {
            return Err(error(
                line,
                format!("`{name}` has {} bytes, its initialiser {given}", declared.size),
            ));
        }
    } else if open {
        declared.unsized_array = true;
        declared.size = 0;
    }
    Ok(declared)
}

/// Braces in braces of an initialiser at most.
const MOST_BRACES: u32 = 100;
/// Bytes that a list inside of another one leaves out at most, so that a short text does not take much memory.
const MOST_LEFT_OUT: u64 = 4 << 10;

/// Reads an initialiser: an element, or elements and lists in braces (PTX ISA 9.0, 5.4.4). A list inside of another one stands for
/// the first of `sizes` bytes, of which it may leave the last ones out.
fn initializer<'a>(
    lexer: &mut Lexer<'a>,
    ty: Type,
    declared: &mut Declared<'a>,
    sizes: &[u64],
    depth: u32,
) -> Result<(), Report> {
    let line = lexer.line;
    if !lexer.eat(b'{')? {
        return element(lexer, ty, declared);
    }
    if depth == MOST_BRACES {
        return Err(error(line, format!("initialiser of `{}` with too many braces", declared.name)));
    }
    // The outermost braces are those of the variable.
    let (size, inner) = match sizes {
        [size, inner @ ..] if depth > 0 => (Some(*size), inner),
        _ => (None, sizes),
    };
    let start = declared.init.len();
    while !lexer.at(b'}') {
        initializer(lexer, ty, declared, inner, depth + 1)?;
        if !lexer.eat(b',')? {
            break;
        }
    }
    lexer.expect(b'}')?;
    let Some(size) = size else { return Ok(()) };
    let given = (declared.init.len() - start) as u64;
    if given > size {
        let name = declared.name;
        return Err(error(
            line,
            format!("a list of {given} bytes in the initialiser of `{name}`, for {size}"),
        ));
    }
    if size - given > MOST_LEFT_OUT {
        let text =
            format!("a list in the initialiser of `{}` leaves out {} bytes", declared.name, size - given);
        return Err(error(line, format!("{text}: at most {MOST_LEFT_OUT} are possible")));
    }
    declared.init.resize(start + size as usize, 0);
    Ok(())
}

/// Reads one element.
fn element<'a>(lexer: &mut Lexer<'a>, ty: Type, declared: &mut Declared<'a>) -> Result<(), Report> {
    let line = lexer.line;
    let bytes = ty.width.bytes();
    let negative = lexer.eat(b'-')?;
    let bits = match (lexer.token, ty.kind, ty.width) {
        (
            Token::Int(_) | Token::Punct(b'(' | b'!' | b'~' | b'+' | b'-') | Token::Word(constant::WARP_SIZE),
            ..,
        ) => {
            let value = match lexer.token {
                _ if negative => constant::after_sign(lexer, b'-')?,
                Token::Int(bits) => {
                    lexer.advance()?;
                    if lexer.at(b'(') {
                        return masked(lexer, bits, ty, declared);
                    }
                    constant::rest(lexer, Value::literal(bits))?
                }
                _ => constant::expression(lexer)?,
            };
            if ty.kind == Kind::Float {
                return Err(error(line, format!("integer in the initialiser of `{}`", declared.name)));
            }
            if !fits(value.bits, value.negative(), ty.width) {
                return Err(error(line, format!("value does not fit an element of `{}`", declared.name)));
            }
            value.bits
        }
        (Token::F32(bits), _, width @ (Width::W64 | Width::W32)) => {
            lexer.advance()?;
            let bits = if negative { bits ^ 1 << 31 } else { bits };
            if width == Width::W32 { bits.into() } else { f64::from(f32::from_bits(bits)).to_bits() }
        }
        (Token::F64(bits), _, width @ (Width::W64 | Width::W32)) => {
            lexer.advance()?;
            let bits = if negative { bits ^ 1 << 63 } else { bits };
            if width == Width::W64 { bits } else { u64::from((f64::from_bits(bits) as f32).to_bits()) }
        }
        (Token::Word(_), ..) if !negative => {
            if ty.width != Width::W64 {
                return Err(error(
                    line,
                    format!("address in the initialiser of `{}`, which is no .u64", declared.name),
                ));
            }
            return address(lexer, bytes, 0, declared);
        }
        _ => return Err(lexer.unexpected("an initial value")),
    };
    declared.init.extend_from_slice(&bits.to_le_bytes()[..bytes as usize]);
    Ok(())
}

/// Whether an integer literal, given modulo 2^64, is a value of that width, signed or unsigned.
pub(super) fn fits(value: u64, negative: bool, width: Width) -> bool {
    let bits = width.bits();
    if negative {
        bits == 64 || value == 0 || value as i64 >= -1 << (bits - 1) && (value as i64) < 0
    } else {
        bits == 64 || value >> bits == 0
    }
}

/// Reads `(address)` or `(expression)` after a mask such as `0xFF00`: one byte of it.
fn masked<'a>(lexer: &mut Lexer<'a>, mask: u64, ty: Type, declared: &mut Declared<'a>) -> Result<(), Report> {
    let shift = mask.trailing_zeros();
    let line = lexer.line;
    if ty.width != Width::W8 || 0xff_u64.checked_shl(shift) != Some(mask) {
        return Err(error(line, format!("mask {mask:#x} does not select one byte for a .b8 element")));
    }
    lexer.expect(b'(')?;
    if let Token::Word(_) = lexer.token {
        address(lexer, 1, shift, declared)?;
    } else {
        let value = constant::expression(lexer)?;
        declared.init.push((value.bits >> shift) as u8);
    }
    lexer.expect(b')')
}

/// Reads `symbol`, `symbol+n`, `generic(symbol)`, `generic(symbol+n)+n`.
fn address<'a>(
    lexer: &mut Lexer<'a>,
    bytes: u32,
    shift: u32,
    declared: &mut Declared<'a>,
) -> Result<(), Report> {
    let line = lexer.line;
    let word = lexer.word_token()?;
    let generic = word == "generic" && lexer.at(b'(');
    let (symbol, mut addend) = if generic {
        lexer.expect(b'(')?;
        let symbol = lexer.word_token()?;
        let addend = offset(lexer)?;
        lexer.expect(b')')?;
        (symbol, addend)
    } else {
        (word, 0)
    };
    let more = offset(lexer)?;
    addend = addend.checked_add(more).ok_or_else(|| error(line, "offset is too large"))?;
    let at = declared.init.len() as u64;
    declared.relocations.push(Relocation { symbol, line, at, bytes, shift, generic, addend });
    declared.init.extend(std::iter::repeat_n(0, bytes as usize));
    Ok(())
}

/// Reads a `+` or `-` and what follows it, or nothing: `+4*2`, `-4`, `+-4`.
pub(super) fn offset(lexer: &mut Lexer<'_>) -> Result<i64, Report> {
    let line = lexer.line;
    if !lexer.eat(b'+')? && !lexer.at(b'-') {
        return Ok(0);
    }
    let value = constant::expression(lexer)?;
    if value.unsigned && value.bits > i64::MAX as u64 {
        return Err(error(line, "offset is too large"));
    }
    Ok(value.bits as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Declared<'_>, Report> {
        several(text).map(|mut all| all.remove(0))
    }

    fn several(text: &str) -> Result<Vec<Declared<'_>>, Report> {
        variables(&mut Lexer::new(text).unwrap(), VariableSpace::Global, Linkage::default())
    }

    #[test]
    fn variables_of_one_declaration() {
        let all = several(".align 8 .u32 a = 3, b, c[2] = {1, 2};").unwrap();
        let described: Vec<_> = all.iter().map(|v| (v.name, v.size, v.align, v.init.len())).collect();
        assert_eq!(described, [("a", 4, 8, 4), ("b", 4, 8, 0), ("c", 8, 8, 8)]);
    }

    #[test]
    fn sizes_and_alignments() {
        let get = |text| {
            let v = read(text).unwrap();
            (v.size, v.align, v.init.len())
        };
        assert_eq!(get(".align 8 .b8 a[24];"), (24, 8, 0));
        assert_eq!(get(".u32 a;"), (4, 4, 0));
        assert_eq!(get(".v4 .f32 a[2];"), (32, 16, 0));
        assert_eq!(get(".b16 a[2][3] = {{1, 2}, {3}};"), (12, 2, 12));
        assert_eq!(get(".u32 a[] = {1, 2, 3};"), (12, 4, 12));
        assert_eq!(get(".attribute(.managed) .align 16 .u32 a;"), (4, 16, 0));
    }

    #[test]
    fn values() {
        assert_eq!(read(".s16 a[2] = {-1, 65535};").unwrap().init, [255, 255, 255, 255]);
        assert_eq!(read(".f32 a = 0f3F800000;").unwrap().init, 1f32.to_le_bytes());
        assert_eq!(read(".f64 a = -1.5;").unwrap().init, (-1.5f64).to_le_bytes());
        assert_eq!(read(".f64 a = -0f3FC00000;").unwrap().init, (-1.5f64).to_le_bytes());
        assert_eq!(read(".u32 a = WARP_SZ*2;").unwrap().init, 64u32.to_le_bytes());
        let fail = |text| read(text).unwrap_err().message;
        assert_eq!(fail(".b8 a = 256;"), "line 1: value does not fit an element of `a`");
        assert_eq!(fail(".b8 a[1] = {1, 2};"), "line 1: `a` has 1 bytes, its initialiser 2");
        assert_eq!(fail(".f32 a = 1;"), "line 1: integer in the initialiser of `a`");
        assert_eq!(
            fail(".attribute(.unified) .u32 a;"),
            "line 1: expected `.global` and `.managed`, the one attribute that is known, found `.unified`"
        );
    }

    #[test]
    fn lists_stand_at_their_dimension() {
        let bytes = |text| read(text).unwrap().init;
        assert_eq!(bytes(".b8 a[2][3] = {{1, 2}, {3}};"), [1, 2, 0, 3, 0, 0]);
        assert_eq!(bytes(".b8 a[2][3] = {1, 2, 3, 4};"), [1, 2, 3, 4]);
        assert_eq!(bytes(".b8 a[][2][2] = {{{1}, {2}}, {{3, 4}}};"), [1, 0, 2, 0, 3, 4, 0, 0]);
        assert_eq!(bytes(".v2 .b8 a[2] = {{1}, {2, 3}};"), [1, 0, 2, 3]);
        assert_eq!(bytes(".b16 a[3] = {(1+2)*3, -(4), 1<<9};"), [9, 0, 252, 255, 0, 2]);
        assert_eq!(bytes(".f64 a = .5;"), 0.5f64.to_le_bytes());
        let message = read(".b8 a[2][2] = {{1, 2, 3}, {4}};").unwrap_err().message;
        assert_eq!(message, "line 1: a list of 3 bytes in the initialiser of `a`, for 2");
    }

    #[test]
    fn addresses() {
        let v = read(".u64 a[4] = {generic(x)+8, y-4, generic(z+2), 7};").unwrap();
        let relocations: Vec<_> =
            v.relocations.iter().map(|r| (r.symbol, r.at, r.generic, r.addend)).collect();
        assert_eq!(relocations, [("x", 0, true, 8), ("y", 8, false, -4), ("z", 16, true, 2)]);
        assert_eq!(v.init[24..], 7u64.to_le_bytes());
    }

    #[test]
    fn masked_addresses_are_bytes_of_the_address() {
        let v = read(".b8 a[3] = {1, 0xFF(x), 0xFF00(generic(x)+1)};").unwrap();
        let relocations: Vec<_> = v.relocations.iter().map(|r| (r.at, r.bytes, r.shift, r.addend)).collect();
        assert_eq!(relocations, [(1, 1, 0, 0), (2, 1, 8, 1)]);
        let v = read(".b8 a[3] = {0xFF(1000 + 546), 0xFF00(131187), 0xFF00000000000000(-1)};").unwrap();
        assert_eq!((v.init, v.relocations.len()), (vec![10, 0, 255], 0));
        let message = read(".b8 a = 0xFFF(x);").unwrap_err().message;
        assert_eq!(message, "line 1: mask 0xfff does not select one byte for a .b8 element");
    }

    #[test]
    fn literals_fit_signed_or_unsigned() {
        assert!(fits(255, false, Width::W8) && !fits(256, false, Width::W8));
        assert!(
            fits(128u64.wrapping_neg(), true, Width::W8) && !fits(129u64.wrapping_neg(), true, Width::W8)
        );
        assert!(fits(u64::MAX, false, Width::W64) && fits(1u64 << 63, true, Width::W64));
    }
}
