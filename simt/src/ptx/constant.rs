//! Integer constant expressions in initialisers and operands (PTX ISA 9.0, 4.5.4 to 4.5.6): C's operators on 64 bits, signed
//! unless an operand is not. There is no remainder: `%` begins the name of a register, and is refused.

use super::error;
use super::lex::{Lexer, Token};
use crate::code::LANES;
use crate::report::Report;

/// A value: its bits, and whether it is of type `.u64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Value {
    pub bits: u64,
    pub unsigned: bool,
}

impl Value {
    /// The value of a literal.
    pub fn literal(bits: u64) -> Self {
        Self { bits, unsigned: bits > i64::MAX as u64 }
    }

    fn signed(bits: i64) -> Self {
        Self { bits: bits as u64, unsigned: false }
    }

    /// Whether it is below zero.
    pub fn negative(self) -> bool {
        !self.unsigned && (self.bits as i64) < 0
    }
}

/// Operators with two operands, and how tightly they bind.
const OPERATORS: &[(&str, u8)] = &[
    ("*", 10),
    ("/", 10),
    ("+", 9),
    ("-", 9),
    ("<<", 8),
    (">>", 8),
    ("<=", 7),
    (">=", 7),
    ("<", 7),
    (">", 7),
    ("==", 6),
    ("!=", 6),
    ("&&", 2),
    ("&", 5),
    ("^", 4),
    ("||", 1),
    ("|", 3),
];

/// The number of lanes of a warp, which stands where an integer may.
pub(super) const WARP_SIZE: &str = "WARP_SZ";

/// Parentheses and signs inside each other at most.
const MOST_NESTED: u32 = 100;

/// Reads an expression.
pub(super) fn expression(lexer: &mut Lexer<'_>) -> Result<Value, Report> {
    ternary(lexer, 0)
}

/// Reads an expression of which the first sign (`-`, `+`, `!`, `~`) has been taken.
pub(super) fn after_sign(lexer: &mut Lexer<'_>, sign: u8) -> Result<Value, Report> {
    let first = unary(lexer, 0)?;
    rest(lexer, with_sign(sign, first))
}

/// Reads what may follow a first operand.
pub(super) fn rest(lexer: &mut Lexer<'_>, first: Value) -> Result<Value, Report> {
    let condition = operators(lexer, first, 0, 0)?;
    choice(lexer, condition, 0)
}

fn ternary(lexer: &mut Lexer<'_>, depth: u32) -> Result<Value, Report> {
    if depth == MOST_NESTED {
        return Err(error(lexer.line, "an expression that is nested too deep"));
    }
    let first = unary(lexer, depth)?;
    let condition = operators(lexer, first, 0, depth)?;
    choice(lexer, condition, depth)
}

/// `? a : b` behind a condition.
fn choice(lexer: &mut Lexer<'_>, condition: Value, depth: u32) -> Result<Value, Report> {
    if !lexer.eat(b'?')? {
        return Ok(condition);
    }
    let yes = ternary(lexer, depth + 1)?;
    lexer.expect(b':')?;
    let no = ternary(lexer, depth + 1)?;
    let bits = if condition.bits != 0 { yes.bits } else { no.bits };
    Ok(Value { bits, unsigned: yes.unsigned || no.unsigned })
}

fn unary(lexer: &mut Lexer<'_>, depth: u32) -> Result<Value, Report> {
    if depth == MOST_NESTED {
        return Err(error(lexer.line, "an expression that is nested too deep"));
    }
    if lexer.eat_word(WARP_SIZE)? {
        return Ok(Value::signed(LANES as i64));
    }
    let Token::Punct(sign @ (b'-' | b'+' | b'!' | b'~' | b'(')) = lexer.token else {
        return Ok(Value::literal(lexer.int()?));
    };
    lexer.advance()?;
    if sign == b'(' {
        return parenthesis(lexer, depth + 1);
    }
    Ok(with_sign(sign, unary(lexer, depth + 1)?))
}

/// What follows a `(`: an expression and `)`, or `.u64)` or `.s64)` and an operand that is taken for that.
fn parenthesis(lexer: &mut Lexer<'_>, depth: u32) -> Result<Value, Report> {
    if let Token::Word(ty @ (".u64" | ".s64")) = lexer.token {
        lexer.advance()?;
        lexer.expect(b')')?;
        return Ok(Value { unsigned: ty == ".u64", ..unary(lexer, depth)? });
    }
    let value = ternary(lexer, depth)?;
    lexer.expect(b')')?;
    Ok(value)
}

fn with_sign(sign: u8, value: Value) -> Value {
    match sign {
        // The least number is written as the negative of what does not fit.
        b'-' => Value { bits: value.bits.wrapping_neg(), unsigned: value.unsigned && value.bits != 1 << 63 },
        b'!' => Value::signed((value.bits == 0).into()),
        b'~' => Value { bits: !value.bits, unsigned: true },
        _ => value,
    }
}

/// Reads operators that bind at least as tightly as `least`, with their right operands.
fn operators(lexer: &mut Lexer<'_>, first: Value, least: u8, depth: u32) -> Result<Value, Report> {
    let mut left = first;
    while let Some((operator, binds)) = operator(lexer) {
        if binds < least {
            break;
        }
        for _ in operator.bytes() {
            lexer.advance()?;
        }
        let line = lexer.line;
        let right = unary(lexer, depth + 1)?;
        let right = operators(lexer, right, binds + 1, depth + 1)?;
        left = apply(operator, left, right).ok_or_else(|| error(line, "division by zero"))?;
    }
    Ok(left)
}

/// The operator that stands next.
fn operator(lexer: &Lexer<'_>) -> Option<(&'static str, u8)> {
    let Token::Punct(_) = lexer.token else { return None };
    let text = lexer.remaining();
    let starts = |&&(name, _): &&(&str, u8)| text.starts_with(name);
    OPERATORS.iter().filter(starts).max_by_key(|(name, _)| name.len()).copied()
}

/// `None`: division by zero.
fn apply(operator: &str, a: Value, b: Value) -> Option<Value> {
    let unsigned = a.unsigned || b.unsigned;
    let (x, y) = (a.bits as i64, b.bits as i64);
    let same = |bits: u64| Value { bits, unsigned };
    let whether = |holds: bool| Value::signed(holds.into());
    let order = if unsigned { a.bits.cmp(&b.bits) } else { x.cmp(&y) };
    Some(match operator {
        "*" => same(a.bits.wrapping_mul(b.bits)),
        "+" => same(a.bits.wrapping_add(b.bits)),
        "-" => same(a.bits.wrapping_sub(b.bits)),
        "/" if unsigned => same(a.bits.checked_div(b.bits)?),
        "/" if y == 0 => return None,
        "/" => same(x.wrapping_div(y) as u64),
        "<<" => Value { bits: a.bits.checked_shl(shift(b)).unwrap_or(0), unsigned: a.unsigned },
        ">>" if a.unsigned => Value { bits: a.bits.checked_shr(shift(b)).unwrap_or(0), unsigned: true },
        ">>" => Value::signed(x >> shift(b).min(63)),
        "<" => whether(order.is_lt()),
        "<=" => whether(order.is_le()),
        ">" => whether(order.is_gt()),
        ">=" => whether(order.is_ge()),
        "==" => whether(a.bits == b.bits),
        "!=" => whether(a.bits != b.bits),
        "&" => Value { bits: a.bits & b.bits, unsigned: true },
        "^" => Value { bits: a.bits ^ b.bits, unsigned: true },
        "|" => Value { bits: a.bits | b.bits, unsigned: true },
        "&&" => whether(a.bits != 0 && b.bits != 0),
        _ => whether(a.bits != 0 || b.bits != 0),
    })
}

/// An amount to shift by.
fn shift(value: Value) -> u32 {
    u32::try_from(value.bits).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<u64, Report> {
        let mut lexer = Lexer::new(text)?;
        let value = expression(&mut lexer)?;
        assert_eq!(lexer.token, Token::End, "{text}");
        Ok(value.bits)
    }

    #[test]
    fn operators_bind_as_in_c() {
        let minus = |n: u64| n.wrapping_neg();
        for (text, expected) in [
            ("3+4*2", 11),
            ("(3+4)*2", 14),
            ("10-2-3", 5),
            ("1<<4|1", 17),
            ("-7/2", minus(3)),
            ("-8>>1", minus(4)),
            ("0x8000000000000000>>63", 1),
            ("~0&0xff", 255),
            ("!5+!0", 1),
            ("1?2:3", 2),
            ("0?2:4>3?5:6", 5),
            ("2<3==1", 1),
            ("1||0&&0", 1),
            ("-1<0", 1),
            ("-1<0xffffffffffffffff", 0),
            ("6^3&1", 7),
            ("1<<64", 0),
            ("- -5", 5),
            ("-9223372036854775808<0", 1),
            ("3>=3 != 0", 1),
            ("2*WARP_SZ-1", 63),
            ("(.s64)0x8000000000000000>>63", minus(1)),
            ("(.u64)-1>1", 1),
        ] {
            assert_eq!(value(text).unwrap(), expected, "{text}");
        }
        assert!(value("1/0").is_err() && value("1/(2-2)").is_err() && value("1+").is_err());
        assert!(value(&"(".repeat(5000)).is_err() && value(&"-".repeat(5000)).is_err());
    }
}
