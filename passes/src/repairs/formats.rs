//! Formats that CUDA's `vprintf` does not know.
//!
//! It knows the sizes `h`, `l` and `ll` (CUDA C++ Programming Guide, "Formatted Output"); `%zu` is printed as it stands, and behind `%hhd`
//! all values are wrong. C has more, which clang passes on: they become `l`, which is 64 bits on the device, and what is of a
//! `char` is made an `int` of the same value.

use crate::ir::{Builder, Inst, Module, Value};

/// A value of the type `char` among what a format converts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Char {
    /// Where it stands in the values, in bytes.
    offset: u64,
    signed: bool,
}

/// A format in the words of CUDA.
#[derive(PartialEq, Eq, Debug)]
struct Format {
    text: Vec<u8>,
    chars: Vec<Char>,
}

/// Rewrites the formats of a program's calls; whether there were any to rewrite.
pub fn run(module: Module) -> bool {
    let Some(vprintf) = module.function("vprintf") else { return false };
    let mut any = false;
    for call in vprintf.value().using_instructions() {
        let arguments = call.arguments();
        if call.callee() == Some(vprintf) && arguments.len() == 2 {
            any |= rewrite(module, call, arguments[0], arguments[1]);
        }
    }
    any
}

/// Rewrites the format of a call, if it is a constant of the module that needs it.
fn rewrite(module: Module, call: Inst, format: Value, values: Value) -> bool {
    let text = format.strip_casts().as_global().filter(|global| global.is_constant());
    let Some(text) = text.and_then(|global| global.initializer()?.as_text()) else { return false };
    let Some(new) = in_words_of_cuda(&text) else { return false };
    if new.text != text {
        let global = module.add_constant(module.text_constant(&new.text), "omptarget.format");
        call.set_operand(0, global.value());
    }
    let (before, int) = (Builder::before(call), module.int_type(32));
    for Char { offset, signed } in new.chars {
        let place = before.byte_behind(values, before.long(offset));
        let value = before.load(int, place, "").value();
        let low = |value| before.and(value, int.constant(0xff), "");
        let value = if signed {
            before.subtract(low(before.add(value, int.constant(0x80), "")), int.constant(0x80), "")
        } else {
            low(value)
        };
        before.store(value, place);
    }
    true
}

/// A format of C, which ends with a zero, with sizes that CUDA knows; none if it needs no change, or is not understood.
fn in_words_of_cuda(format: &[u8]) -> Option<Format> {
    let end = format.iter().position(|byte| *byte == 0)?;
    let mut new = Format { text: Vec::with_capacity(format.len()), chars: Vec::new() };
    let (mut rest, mut changed, mut offset) = (&format[..end], false, 0_u64);
    let mut place = |bytes: u64| {
        let at = offset.next_multiple_of(bytes);
        offset = at + bytes;
        at
    };
    while let Some(percent) = rest.iter().position(|byte| *byte == b'%') {
        let length = 1 + rest[percent + 1..].iter().position(|byte| !b"-+ #0123456789.*".contains(byte))?;
        let (before, conversion) = rest.split_at(percent + length);
        new.text.extend_from_slice(before);
        for _ in before[percent..].iter().filter(|byte| **byte == b'*') {
            place(4);
        }
        let size = conversion.iter().position(|byte| !b"hljztL".contains(byte))?;
        let (size, kind) = (&conversion[..size], conversion[size]);
        rest = &conversion[size.len() + 1..];
        let is_int = b"diouxX".contains(&kind);
        let known: &[u8] = match size {
            b"j" | b"z" | b"t" if is_int => b"l",
            b"hh" if is_int => b"",
            b"L" | b"l" if b"aAeEfFgG".contains(&kind) => b"",
            size => size,
        };
        changed |= known != size;
        new.text.extend_from_slice(known);
        new.text.push(kind);
        match kind {
            b'%' => {}
            b'c' => {
                place(4);
            }
            b's' | b'p' | b'n' | b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => {
                place(8);
            }
            _ if is_int => {
                let at = place(if known.contains(&b'l') { 8 } else { 4 });
                if size == b"hh" {
                    new.chars.push(Char { offset: at, signed: b"di".contains(&kind) });
                }
            }
            _ => return None,
        }
    }
    new.text.extend_from_slice(rest);
    new.text.push(0);
    changed.then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(format: &str) -> Option<(String, Vec<Char>)> {
        let format = in_words_of_cuda(format!("{format}\0").as_bytes())?;
        let text = String::from_utf8(format.text).unwrap();
        Some((text.strip_suffix('\0').unwrap().to_owned(), format.chars))
    }

    #[test]
    fn sizes_that_cuda_does_not_know() {
        assert_eq!(rewritten("%zu and %-5jd, %+td\n"), Some(("%lu and %-5ld, %+ld\n".into(), vec![])));
        assert_eq!(rewritten("%Lf"), Some(("%f".into(), vec![])));
        let char = |offset, signed| Char { offset, signed };
        assert_eq!(
            rewritten("%s %hhd %hhu"),
            Some(("%s %d %u".into(), vec![char(8, true), char(12, false)]))
        );
        assert_eq!(rewritten("%c%f%*hhx"), Some(("%c%f%*x".into(), vec![char(20, false)])));
    }

    #[test]
    fn what_cuda_knows_stays() {
        for format in ["", "100 %%", "%d %5.3f %s %lld %hd %c %p", "%w", "%", "%5", "%zu %", "%m %zu"] {
            assert_eq!(rewritten(format), None, "{format}");
        }
        assert_eq!(in_words_of_cuda(b"%zu"), None, "no end");
    }
}
