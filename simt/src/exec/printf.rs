//! `vprintf` of a kernel: C's formats, formatted by the host's `snprintf`, one conversion at a time.
//!
//! What is accepted is what the CUDA C++ Programming Guide lists ("Formatted Output"): any flags, width, precision and
//! size with any of the letters, where a size that means nothing is left out, as wide characters do not exist on the
//! device; and beside it `j`, `z`, `t` and a precision of `*`. There is no `%n`. The argument buffer is the structure that
//! the compiler lays out: after C's promotions, each argument at its natural alignment. `long double` is `double` on the
//! device.
//!
//! Output goes to the `stdout` of the C library, so that it keeps its order with what the host program prints, and
//! each message is written as a whole.

use std::ffi::{CString, c_char, c_int, c_long, c_longlong};

/// Memory that formats, strings and arguments are read from.
pub trait Source {
    /// What can go wrong in a read.
    type Error;
    /// Reads `to.len()` bytes at the generic address `address`.
    fn read(&mut self, address: u64, to: &mut [u8]) -> Result<(), Self::Error>;
}

/// Why a message could not be formatted.
#[derive(Debug)]
pub enum Error<E> {
    /// An argument, a string or the format cannot be read.
    Memory(E),
    /// The format is not one that the device knows; the text says why.
    Format(String),
}

impl<E> From<E> for Error<E> {
    fn from(error: E) -> Self {
        Self::Memory(error)
    }
}

/// Arguments of a call; what is beyond is printed as it is written.
const MOST_ARGUMENTS: u32 = 32;

/// Length modifier of a conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    None,
    Char,
    Short,
    Long,
    LongLong,
    LongDouble,
}

/// Reads arguments one after the other.
struct Arguments<'a, S> {
    source: &'a mut S,
    next: u64,
    count: u32,
}

impl<S: Source> Arguments<'_, S> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], S::Error> {
        let mut bytes = [0; N];
        if self.count >= MOST_ARGUMENTS {
            // Not there to be read.
            self.count += 1;
            return Ok(bytes);
        }
        let at = self.next.next_multiple_of(N as u64);
        self.source.read(at, &mut bytes)?;
        self.next = at + N as u64;
        self.count += 1;
        Ok(bytes)
    }
    fn int(&mut self) -> Result<i32, S::Error> {
        Ok(i32::from_le_bytes(self.take()?))
    }
    fn long(&mut self) -> Result<i64, S::Error> {
        Ok(i64::from_le_bytes(self.take()?))
    }
}

/// The string at `address` up to its terminator, at most `limit` bytes.
///
/// # Errors
/// A byte before the terminator cannot be read.
pub fn string<S: Source>(source: &mut S, address: u64, limit: usize) -> Result<Vec<u8>, S::Error> {
    let mut text = Vec::new();
    while text.len() < limit {
        let mut byte = [0];
        source.read(address.wrapping_add(text.len() as u64), &mut byte)?;
        if byte[0] == 0 {
            break;
        }
        text.push(byte[0]);
    }
    Ok(text)
}

/// Appends what `snprintf` makes of one value.
macro_rules! append {
    ($out:expr, $spec:expr, $value:expr) => {{
        let spec = CString::new($spec).unwrap_or_default();
        let value = $value;
        // SAFETY: the specification holds one conversion, whose type is that of the value; a length of 0 writes
        // nothing.
        let n = unsafe { libc::snprintf(std::ptr::null_mut(), 0, spec.as_ptr(), value) };
        let n = usize::try_from(n).unwrap_or(0);
        let mut buffer = vec![0u8; n + 1];
        // SAFETY: as above, and the buffer has room for the text and its terminator.
        unsafe { libc::snprintf(buffer.as_mut_ptr().cast::<c_char>(), n + 1, spec.as_ptr(), value) };
        $out.extend_from_slice(&buffer[..n]);
    }};
}

/// Formats the message with the format at `format` and the argument buffer at `arguments`. Returns the text and the
/// number of arguments used, which is what `vprintf` of CUDA returns.
///
/// # Errors
/// Memory that cannot be read, or a conversion that the device does not know.
pub fn format<S: Source>(
    source: &mut S,
    format: u64,
    arguments: u64,
) -> Result<(Vec<u8>, u32), Error<S::Error>> {
    let text = string(source, format, usize::MAX)?;
    let mut out = Vec::with_capacity(text.len() + 32);
    let mut args = Arguments { source, next: arguments, count: 0 };
    let mut rest = text.as_slice();
    while let Some(at) = rest.iter().position(|&c| c == b'%') {
        out.extend_from_slice(&rest[..at]);
        let (before, arguments) = (out.len(), (args.next, args.count));
        let next = conversion(&mut out, &rest[at + 1..], &mut args)?;
        if args.count > MOST_ARGUMENTS {
            out.truncate(before);
            out.extend_from_slice(&rest[at..rest.len() - next.len()]);
            (args.next, args.count) = arguments;
        }
        rest = next;
    }
    out.extend_from_slice(rest);
    Ok((out, args.count))
}

/// Formats the conversion that follows a `%` and returns what follows it.
fn conversion<'a, S: Source>(
    out: &mut Vec<u8>,
    mut rest: &'a [u8],
    args: &mut Arguments<'_, S>,
) -> Result<&'a [u8], Error<S::Error>> {
    let all = rest;
    let mut take = |accept: &dyn Fn(u8) -> bool| -> &'a [u8] {
        let n = rest.iter().take_while(|&&c| accept(c)).count();
        let (taken, left) = rest.split_at(n);
        rest = left;
        taken
    };
    let mut spec = vec![b'%'];
    spec.extend_from_slice(take(&|c| b"-+ #0".contains(&c)));
    // Width; a negative one from an argument is the flag '-' and its absolute value, as in C.
    let width = take(&|c| c == b'*' || c.is_ascii_digit());
    match width {
        b"*" => spec.extend_from_slice(args.int()?.to_string().as_bytes()),
        digits => spec.extend_from_slice(digits),
    }
    let mut precision = None;
    if !take(&|c| c == b'.').is_empty() {
        let value = match take(&|c| c == b'*' || c == b'-' || c.is_ascii_digit()) {
            b"*" => i64::from(args.int()?),
            digits => std::str::from_utf8(digits).ok().and_then(|d| d.parse().ok()).unwrap_or(0),
        };
        // A negative precision is none.
        if let Ok(n) = usize::try_from(value) {
            spec.extend_from_slice(format!(".{n}").as_bytes());
            precision = Some(n);
        }
    }
    let length = match take(&|c| b"hlLqjzt".contains(&c)) {
        b"" => Length::None,
        b"hh" => Length::Char,
        b"h" => Length::Short,
        b"l" | b"j" | b"z" | b"t" => Length::Long,
        b"ll" | b"q" => Length::LongLong,
        b"L" => Length::LongDouble,
        other => return Err(unknown(other)),
    };
    let Some((&letter, rest)) = rest.split_first() else { return Err(unknown(all)) };
    let seen = &all[..all.len() - rest.len()];
    match letter {
        b'%' => out.push(b'%'),
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => match length {
            Length::Long | Length::LongLong => {
                spec.extend_from_slice(b"ll");
                spec.push(letter);
                append!(out, spec, args.long()? as c_longlong);
            }
            Length::LongDouble => return Err(unknown(seen)),
            _ => {
                spec.extend_from_slice(match length {
                    Length::Char => b"hh",
                    Length::Short => b"h",
                    _ => b"",
                });
                spec.push(letter);
                append!(out, spec, args.int()? as c_int);
            }
        },
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            spec.push(letter);
            append!(out, spec, f64::from_bits(args.long()? as u64));
        }
        b'c' => {
            spec.push(letter);
            append!(out, spec, args.int()? as c_int);
        }
        b'p' => {
            spec.push(letter);
            append!(out, spec, args.long()? as c_long as *const libc::c_void);
        }
        b's' => {
            spec.push(letter);
            match args.long()? as u64 {
                0 => append!(out, spec, std::ptr::null::<c_char>()),
                address => {
                    let text = string(args.source, address, precision.unwrap_or(usize::MAX))?;
                    let text = CString::new(text).unwrap_or_default();
                    append!(out, spec, text.as_ptr());
                }
            }
        }
        _ => return Err(unknown(seen)),
    }
    Ok(rest)
}

fn unknown<E>(what: &[u8]) -> Error<E> {
    let what = String::from_utf8_lossy(what);
    Error::Format(format!("printf: the conversion \"%{what}\" is not one that the device knows"))
}

unsafe extern "C" {
    #[cfg_attr(target_os = "macos", link_name = "__stdoutp")]
    static stdout: *mut libc::FILE;
}

/// Writes a message to the C library's `stdout`.
pub fn print(message: &[u8]) {
    // SAFETY: `stdout` is the C library's stream, valid while the process runs; fwrite locks it for the whole
    // message.
    unsafe {
        libc::fwrite(message.as_ptr().cast(), 1, message.len(), stdout);
    }
}

/// Hands what was printed to the operating system, so that it is not lost if the process is killed.
pub fn flush() {
    // SAFETY: as above.
    unsafe {
        libc::fflush(stdout);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats and arguments at small addresses.
    struct Bytes(Vec<u8>);

    impl Source for Bytes {
        type Error = u64;
        fn read(&mut self, address: u64, to: &mut [u8]) -> Result<(), u64> {
            let at = address as usize;
            to.copy_from_slice(self.0.get(at..at + to.len()).ok_or(address)?);
            Ok(())
        }
    }

    const ARGS: u64 = 256;
    const TEXT: u64 = 512;

    fn run(format: &str, args: &[u8]) -> Result<(String, u32), Error<u64>> {
        let mut bytes = vec![0; 1024];
        bytes[..format.len()].copy_from_slice(format.as_bytes());
        bytes[ARGS as usize..ARGS as usize + args.len()].copy_from_slice(args);
        bytes[TEXT as usize..TEXT as usize + 5].copy_from_slice(b"hello");
        let (text, n) = super::format(&mut Bytes(bytes), 0, ARGS)?;
        Ok((String::from_utf8(text).unwrap(), n))
    }

    /// The same through the host's `snprintf`.
    macro_rules! host {
        ($format:expr, $($value:expr),*) => {{
            let format = CString::new($format).unwrap();
            let mut buffer = vec![0u8; 256];
            // SAFETY: the tests give values of the types that the format names; the buffer is long enough.
            let n = unsafe { libc::snprintf(buffer.as_mut_ptr().cast(), 256, format.as_ptr(), $($value),*) };
            String::from_utf8(buffer[..n as usize].to_vec()).unwrap()
        }};
    }

    #[test]
    fn integers_in_every_shape() {
        for flags in ["", "-", "+", " ", "#", "0", "-+", "+0", "#0", "- "] {
            for width in ["", "1", "12"] {
                for precision in ["", ".", ".0", ".3", ".10"] {
                    for letter in ["d", "i", "u", "x", "X", "o"] {
                        for value in [0i64, 1, -1, 255, -123_456_789, i64::MAX, i64::MIN] {
                            let narrow = value as i32;
                            for length in ["", "h", "hh"] {
                                let f = format!("<%{flags}{width}{precision}{length}{letter}>");
                                let got = run(&f, &narrow.to_le_bytes()).unwrap();
                                assert_eq!(got, (host!(f.as_str(), narrow), 1), "{f}");
                            }
                            for length in ["l", "ll", "z", "j", "t"] {
                                let f = format!("<%{flags}{width}{precision}{length}{letter}>");
                                let got = run(&f, &value.to_le_bytes()).unwrap();
                                assert_eq!(got, (host!(f.as_str(), value), 1), "{f}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn floating_point_in_every_shape() {
        for flags in ["", "-", "+", " ", "#", "0"] {
            for width in ["", "15"] {
                for precision in ["", ".0", ".3", ".17"] {
                    for letter in ["f", "F", "e", "E", "g", "G", "a", "A"] {
                        for value in [0.0, -0.0, 1.5, -1234.5678, 1e-310, f64::INFINITY, f64::NAN] {
                            let f = format!("<%{flags}{width}{precision}{letter}>");
                            let got = run(&f, &value.to_le_bytes()).unwrap();
                            assert_eq!(got, (host!(f.as_str(), value), 1), "{f}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn arguments_lie_at_their_natural_alignment() {
        let mut args = Vec::new();
        args.extend_from_slice(&7i32.to_le_bytes());
        args.extend_from_slice(&[0; 4]);
        args.extend_from_slice(&2.5f64.to_le_bytes());
        args.extend_from_slice(&i32::from(b'x').to_le_bytes());
        args.extend_from_slice(&(-3i32).to_le_bytes());
        args.extend_from_slice(&TEXT.to_le_bytes());
        let got = run("a%db%fc%cd%de%sf%%", &args).unwrap();
        assert_eq!(got, ("a7b2.500000cxd-3ehellof%".to_owned(), 5));
    }

    #[test]
    fn widths_and_precisions_from_arguments() {
        let args: Vec<u8> = [-6i32, 42].iter().flat_map(|n| n.to_le_bytes()).collect();
        assert_eq!(run("<%*d>", &args).unwrap().0, "<42    >");
        let mut args: Vec<u8> = [8i32, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
        args.extend_from_slice(&TEXT.to_le_bytes());
        assert_eq!(run("<%*.*s>", &args).unwrap(), ("<     hel>".to_owned(), 3));
        let mut args: Vec<u8> = (-1i32).to_le_bytes().to_vec();
        args.extend_from_slice(&[0; 4]);
        args.extend_from_slice(&TEXT.to_le_bytes());
        assert_eq!(run("<%.*s>", &args).unwrap().0, "<hello>");
    }

    #[test]
    fn strings_stop_at_the_precision_and_null_is_named() {
        // The five bytes before the end of memory have no terminator.
        let mut bytes = vec![b'%', b'.', b'2', b's', 0, 0, 0, 0];
        bytes.extend_from_slice(&16u64.to_le_bytes());
        bytes.extend_from_slice(b"hello");
        assert_eq!(super::format(&mut Bytes(bytes), 0, 8).unwrap().0, b"he");
        assert_eq!(run("%s", &0u64.to_le_bytes()).unwrap().0, "(null)");
        assert_eq!(run("%p", &0x1234u64.to_le_bytes()).unwrap().0, "0x1234");
    }

    #[test]
    fn sizes_that_mean_nothing_are_left_out() {
        for (format, value, expected) in [
            ("%hf|%lf|%Lf", 1.5f64.to_bits(), "1.500000|1.500000|1.500000"),
            ("%lls|%ls|%hs", TEXT, "hello|hello|hello"),
            ("%hhp|%lp|%p", 0xabc, "0xabc|0xabc|0xabc"),
            ("%-5.1lle|%+#hG|% a", 8f64.to_bits(), "8.0e+00|+8.00000| 0x1p+3"),
        ] {
            let args = [value.to_le_bytes(); 3].concat();
            assert_eq!(run(format, &args).unwrap(), (expected.to_owned(), 3), "{format}");
        }
        let args = [i32::from(b'x').to_le_bytes(); 3].concat();
        assert_eq!(run("%lc%hc%3c%%", &args).unwrap(), ("xx  x%".to_owned(), 3));
    }

    #[test]
    fn arguments_beyond_32_are_left_as_they_are_written() {
        let args: Vec<u8> = (0..40i32).flat_map(|n| n.to_le_bytes()).collect();
        let (text, count) = run(&"%d,".repeat(34), &args).unwrap();
        assert_eq!(count, 32);
        let numbers: String = (0..32).map(|n| format!("{n},")).collect();
        assert_eq!(text, numbers + "%d,%d,");
        let (text, count) = run(&("%d".repeat(31) + "|%*d|%-3d|%%|%s"), &args).unwrap();
        assert!(count == 32 && text.ends_with("30|%*d|31 |%|%s"), "{count} {text}");
    }

    #[test]
    fn what_the_device_does_not_know_is_refused() {
        for bad in ["%n", "%ln", "%k", "%", "%5", "%hhh d", "%Ld", "%m", "%C", "%S"] {
            assert!(matches!(run(bad, &[0; 8]), Err(Error::Format(_))), "{bad}");
        }
        assert!(matches!(super::format(&mut Bytes(vec![b'%', b's', 0]), 0, 8), Err(Error::Memory(8))));
    }
}
