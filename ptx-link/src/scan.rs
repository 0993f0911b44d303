//! PTX as words and marks with their places. Comments and white space are passed over.

use anyhow::{Result, bail};
use std::ops::Range;

/// What stands at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A directive without its modifiers, each of which is a word, an instruction with them, an identifier or a number.
    Word,
    /// A string with its quotes.
    String,
    /// One character of punctuation.
    Mark(u8),
}

/// One token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it stands in the text.
    pub place: Range<usize>,
}

/// All tokens of `text`.
///
/// # Errors
/// A comment or string has no end.
pub fn tokens(text: &str) -> Result<Vec<Token>> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.');
    let mut tokens = vec![];
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let rest = &text[start..];
        let no_end = |what: &str| anyhow::anyhow!("line {}: {what} without an end", line_of(text, start));
        let kind = match bytes[at] {
            byte if byte.is_ascii_whitespace() || byte == 0 => {
                at += 1;
                continue;
            }
            b'/' if rest.starts_with("//") => {
                at += rest.find('\n').unwrap_or(rest.len());
                continue;
            }
            b'/' if rest.starts_with("/*") => {
                at += rest.find("*/").ok_or_else(|| no_end("comment"))? + 2;
                continue;
            }
            b'"' => {
                let escaped = |end: usize| {
                    bytes[start + 1..end].iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1
                };
                let mut ends = (start + 1..bytes.len()).filter(|&end| bytes[end] == b'"' && !escaped(end));
                at = ends.next().ok_or_else(|| no_end("string"))? + 1;
                Kind::String
            }
            byte if is_word(byte) => {
                at += 1;
                let more = |next: u8| is_word(next) && !(byte == b'.' && next == b'.');
                at += rest.bytes().skip(1).take_while(|&next| more(next)).count();
                Kind::Word
            }
            byte if byte.is_ascii() => {
                at += 1;
                Kind::Mark(byte)
            }
            _ => bail!("line {}: not a character of PTX", line_of(text, start)),
        };
        tokens.push(Token { kind, place: start..at });
    }
    Ok(tokens)
}

/// The line, from 1, that the byte `at` stands in.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).unwrap().iter().map(|token| &text[token.place.clone()]).collect()
    }

    #[test]
    fn words_marks_and_strings() {
        assert_eq!(
            words("@%p1 bra $L_1; // x ; y\n/* { */ ld.u32 %r1, [a+4];"),
            ["@", "%p1", "bra", "$L_1", ";", "ld.u32", "%r1", ",", "[", "a", "+", "4", "]", ";"]
        );
        assert_eq!(words(r#".file 1 "a\"b;c" .x"#), [".file", "1", r#""a\"b;c""#, ".x"]);
        assert_eq!(words(".visible.func f.g"), [".visible", ".func", "f.g"]);
        assert_eq!(words("\"a\\\\\" b"), ["\"a\\\\\"", "b"]);
    }

    #[test]
    fn what_has_no_end_is_an_error_with_its_line() {
        assert_eq!(tokens("a\n/* b").unwrap_err().to_string(), "line 2: comment without an end");
        assert_eq!(tokens("\n\n\"b").unwrap_err().to_string(), "line 3: string without an end");
    }
}
