//! The lexer: PTX text to tokens, each with its line, without copying.

use super::error;
use crate::report::Report;

/// A token. Words and strings borrow from the text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Token<'a> {
    /// Identifier, register, directive or its modifier, opcode with all its modifiers: `%r1`, `.reg`, `.b32`, `add.rn.f32`.
    Word(&'a str),
    /// Integer literal.
    Int(u64),
    /// `0fXXXXXXXX`.
    F32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal fraction.
    F64(u64),
    /// String literal, without quotes and unescaped.
    Text(&'a str),
    /// Any other character.
    Punct(u8),
    /// End of the text.
    End,
}

/// The text and the current token.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Where the next token is looked for, and the line there.
    cursor: usize,
    cursor_line: u32,
    /// Current token.
    pub token: Token<'a>,
    /// Its line, from 1.
    pub line: u32,
    /// Its byte offset.
    pub start: usize,
}

/// Bytes that continue a word; the ones that start it are these without the digits.
const fn word_table() -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let c = byte as u8;
        table[byte] = c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'%' | b'.');
        byte += 1;
    }
    table
}
static IN_WORD: [bool; 256] = word_table();

impl<'a> Lexer<'a> {
    /// A lexer at the first token. A NUL ends the text, since drivers get it as a C string.
    pub fn new(text: &'a str) -> Result<Self, Report> {
        let text = text.split('\0').next().unwrap_or(text);
        let mut lexer = Self { text, cursor: 0, cursor_line: 1, token: Token::End, line: 1, start: 0 };
        lexer.advance()?;
        Ok(lexer)
    }

    /// The text from a byte offset to the next `;`, with white space shortened: for messages.
    pub fn statement(&self, start: usize) -> String {
        let rest = &self.text[start..];
        let length = rest.find(';').map_or(rest.len(), |at| at + 1);
        let words = rest[..length].split_whitespace();
        let mut short = words
            .fold(String::new(), |text, word| if text.is_empty() { word.into() } else { text + " " + word });
        if let Some((cut, _)) = short.char_indices().nth(160) {
            short.truncate(cut);
            short.push_str("...");
        }
        short
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) -> Result<(), Report> {
        loop {
            match self.byte(self.cursor) {
                b'\n' => {
                    self.cursor_line += 1;
                    self.cursor += 1;
                }
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => self.cursor += 1,
                b'/' if self.byte(self.cursor + 1) == b'/' => {
                    let rest = &self.text.as_bytes()[self.cursor..];
                    self.cursor += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
                }
                b'/' if self.byte(self.cursor + 1) == b'*' => {
                    let Some(length) = self.text[self.cursor + 2..].find("*/") else {
                        return Err(error(self.cursor_line, "comment without end"));
                    };
                    let end = self.cursor + 2 + length + 2;
                    self.cursor_line += newlines(&self.text[self.cursor..end]);
                    self.cursor = end;
                }
                _ => return Ok(()),
            }
        }
    }

    /// Goes to the next token.
    pub fn advance(&mut self) -> Result<(), Report> {
        self.skip_blank()?;
        self.line = self.cursor_line;
        self.start = self.cursor;
        let first = self.byte(self.cursor);
        // `.5` is a number, too.
        let fraction = first == b'.' && self.byte(self.cursor + 1).is_ascii_digit();
        self.token = if first.is_ascii_digit() || fraction {
            self.number()?
        } else if IN_WORD[usize::from(first)] {
            Token::Word(self.word())
        } else if first == b'"' {
            self.string()?
        } else if self.cursor == self.text.len() {
            Token::End
        } else {
            // A character of several bytes cannot be cut: no rule accepts it, so its first byte may stand for it.
            self.cursor += self.text[self.cursor..].chars().next().map_or(1, char::len_utf8);
            Token::Punct(first)
        };
        Ok(())
    }

    /// Takes a word, in which `::` may occur (`shared::cta`). The modifiers of an opcode belong to it, those of a directive
    /// (`.reg.b32`) do not.
    fn word(&mut self) -> &'a str {
        let start = self.cursor;
        let directive = self.byte(start) == b'.';
        self.cursor += 1;
        loop {
            let mut byte = self.byte(self.cursor);
            while IN_WORD[usize::from(byte)] && !(directive && byte == b'.') {
                self.cursor += 1;
                byte = self.byte(self.cursor);
            }
            if self.byte(self.cursor) != b':' || self.byte(self.cursor + 1) != b':' {
                return &self.text[start..self.cursor];
            }
            self.cursor += 2;
        }
    }

    fn string(&mut self) -> Result<Token<'a>, Report> {
        let start = self.cursor + 1;
        let mut end = start;
        loop {
            match self.byte(end) {
                b'"' => break,
                b'\\' => end += 2,
                _ => end += 1,
            }
            if end >= self.text.len() {
                return Err(error(self.cursor_line, "string without end"));
            }
        }
        self.cursor_line += newlines(&self.text[start..end]);
        self.cursor = end + 1;
        Ok(Token::Text(&self.text[start..end]))
    }

    /// `123`, `0x1F`, `017`, `0b101`, each with an optional `U`; `0fXXXXXXXX`, `0dXXXXXXXXXXXXXXXX`; `1.5`, `1.0e-3`.
    fn number(&mut self) -> Result<Token<'a>, Report> {
        let start = self.cursor;
        let bytes = self.text.as_bytes();
        let mut end = start;
        while end < bytes.len() && (bytes[end].is_ascii_alphanumeric() || bytes[end] == b'.') {
            let exponent = matches!(bytes[end], b'e' | b'E') && matches!(self.byte(end + 1), b'+' | b'-');
            end += if exponent && self.text[start..end].contains('.') { 2 } else { 1 };
        }
        self.cursor = end;
        let text = &self.text[start..end];
        let bad = || error(self.line, format!("`{text}` is no number"));
        let digits = |digits: &str, radix| u64::from_str_radix(digits, radix).map_err(|_| bad());
        let whole = text.strip_suffix('U').unwrap_or(text);
        Ok(match text.as_bytes() {
            [b'0', b'f' | b'F', hex @ ..] if hex.len() == 8 => Token::F32(digits(&text[2..], 16)? as u32),
            [b'0', b'd' | b'D', hex @ ..] if hex.len() == 16 => Token::F64(digits(&text[2..], 16)?),
            [b'0', b'x' | b'X', ..] => Token::Int(digits(&whole[2..], 16)?),
            [b'0', b'b' | b'B', ..] => Token::Int(digits(&whole[2..], 2)?),
            _ if text.contains('.') => Token::F64(text.parse::<f64>().map_err(|_| bad())?.to_bits()),
            [b'0', _, ..] if whole.len() > 1 => Token::Int(digits(&whole[1..], 8)?),
            _ => Token::Int(digits(whole, 10)?),
        })
    }

    /// The current token as it is written.
    pub fn token_text(&self) -> &'a str {
        &self.text[self.start..self.cursor]
    }

    /// The text from the current token on.
    pub fn remaining(&self) -> &'a str {
        &self.text[self.start..]
    }

    /// Whether a `:` follows the current token.
    pub fn colon_follows(&mut self) -> Result<bool, Report> {
        self.skip_blank()?;
        Ok(self.byte(self.cursor) == b':')
    }

    /// Whether the current token is this character.
    pub fn at(&self, punct: u8) -> bool {
        self.token == Token::Punct(punct)
    }

    /// Takes this character if it is the current token.
    pub fn eat(&mut self, punct: u8) -> Result<bool, Report> {
        let found = self.at(punct);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Takes this word if it is the current token.
    pub fn eat_word(&mut self, word: &str) -> Result<bool, Report> {
        let found = self.token == Token::Word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    /// Takes this character.
    pub fn expect(&mut self, punct: u8) -> Result<(), Report> {
        if self.eat(punct)? { Ok(()) } else { Err(self.unexpected(&format!("`{}`", char::from(punct)))) }
    }

    /// Takes a word.
    pub fn word_token(&mut self) -> Result<&'a str, Report> {
        let Token::Word(word) = self.token else {
            return Err(self.unexpected("a name"));
        };
        self.advance()?;
        Ok(word)
    }

    /// Takes a name that is declared. In one there is no dot, which LLVM writes all the same where the name is of a function or variable that other
    /// modules see, and ptxas refuses.
    pub fn new_name(&mut self) -> Result<&'a str, Report> {
        let line = self.line;
        let name = self.word_token()?;
        if name.contains(['.', ':']) {
            return Err(error(line, format!("`{name}` is no name: PTX has none with a dot or a colon")));
        }
        Ok(name)
    }

    /// Takes a non-negative integer.
    pub fn int(&mut self) -> Result<u64, Report> {
        let Token::Int(value) = self.token else {
            return Err(self.unexpected("a number"));
        };
        self.advance()?;
        Ok(value)
    }

    /// Takes a non-negative integer below 2^32.
    pub fn int32(&mut self) -> Result<u32, Report> {
        let line = self.line;
        let value = self.int()?;
        u32::try_from(value).map_err(|_| error(line, format!("{value} is too large here")))
    }

    /// Takes a string.
    pub fn string_token(&mut self) -> Result<&'a str, Report> {
        let Token::Text(text) = self.token else {
            return Err(self.unexpected("a string"));
        };
        self.advance()?;
        Ok(text)
    }

    /// The error that says what stands where something else should.
    pub fn unexpected(&self, wanted: &str) -> Report {
        let found = match self.token {
            Token::Word(word) => format!("`{word}`"),
            Token::End => "the end of the text".into(),
            Token::Punct(_) => format!("`{}`", self.text[self.start..].chars().next().unwrap_or(' ')),
            _ => format!("`{}`", self.token_text()),
        };
        error(self.line, format!("expected {wanted}, found {found}"))
    }

    /// Skips the block in braces that starts at the current token.
    pub fn skip_block(&mut self) -> Result<(), Report> {
        let line = self.line;
        self.expect(b'{')?;
        let mut depth = 1;
        while depth > 0 {
            match self.token {
                Token::Punct(b'{') => depth += 1,
                Token::Punct(b'}') => depth -= 1,
                Token::End => return Err(error(line, "block without end")),
                _ => {}
            }
            self.advance()?;
        }
        Ok(())
    }
}

fn newlines(text: &str) -> u32 {
    text.bytes().filter(|&c| c == b'\n').count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Token<'_>, u32)> {
        let mut lexer = Lexer::new(text).unwrap();
        let mut all = vec![];
        while lexer.token != Token::End {
            all.push((lexer.token, lexer.line));
            lexer.advance().unwrap();
        }
        all
    }

    fn one(text: &str) -> Token<'_> {
        let all = tokens(text);
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].0
    }

    #[test]
    fn words_keep_their_modifiers() {
        assert_eq!(one("add.rn.f32"), Token::Word("add.rn.f32"));
        assert_eq!(one("%tid.x"), Token::Word("%tid.x"));
        assert_eq!(one("$L__BB0_1"), Token::Word("$L__BB0_1"));
        assert_eq!(one("ld.shared::cta.u32"), Token::Word("ld.shared::cta.u32"));
        let words = tokens(".visible.func.reg.b32 a.b").into_iter().map(|(token, _)| token);
        assert!(words.eq([".visible", ".func", ".reg", ".b32", "a.b"].map(Token::Word)));
    }

    #[test]
    fn numbers() {
        assert_eq!(one("17"), Token::Int(17));
        assert_eq!(one("0x5A5A5a5aU"), Token::Int(0x5a5a_5a5a));
        assert_eq!(one("18446744073709551615"), Token::Int(u64::MAX));
        assert_eq!(one("017"), Token::Int(15));
        assert_eq!(one("0b101"), Token::Int(5));
        assert_eq!(one("0f3F800000"), Token::F32(1f32.to_bits()));
        assert_eq!(one("0d3FF0000000000000"), Token::F64(1f64.to_bits()));
        assert_eq!(one("1.5"), Token::F64(1.5f64.to_bits()));
        assert_eq!(one("1.5e-3"), Token::F64(1.5e-3f64.to_bits()));
        assert_eq!(one("0"), Token::Int(0));
        let message = Lexer::new("\n 18446744073709551616").err().unwrap().message;
        assert_eq!(message, "line 2: `18446744073709551616` is no number");
    }

    #[test]
    fn lines_count_through_comments_and_strings() {
        let all = tokens("a // x\n/* y\n\n*/ b \"s\n\\\"t\" c");
        assert_eq!(
            all,
            [
                (Token::Word("a"), 1),
                (Token::Word("b"), 4),
                (Token::Text("s\n\\\"t"), 4),
                (Token::Word("c"), 5)
            ]
        );
    }

    #[test]
    fn a_nul_ends_the_text() {
        assert_eq!(tokens("a\0b").len(), 1);
    }

    #[test]
    fn names_that_are_declared_have_no_dots() {
        let declared = |text| Lexer::new(text).and_then(|mut lexer| lexer.new_name().map(str::to_owned));
        assert_eq!(declared("_GLOBAL__sub_I_a_cpp$1;").unwrap(), "_GLOBAL__sub_I_a_cpp$1");
        let error = declared("\n_GLOBAL__sub_I_a.cpp;").unwrap_err();
        assert!(error.message.contains("line 2: `_GLOBAL__sub_I_a.cpp` is no name"), "{error}");
    }

    #[test]
    fn unfinished_comment_and_string_are_errors() {
        assert_eq!(Lexer::new("\n/* x").err().unwrap().message, "line 2: comment without end");
        assert_eq!(Lexer::new("\"x").err().unwrap().message, "line 1: string without end");
    }
}
