//! `vsnprintf` and `vfprintf`, over which the functions with arguments of their own are (`devicertl/build/src/library.rs`).
//!
//! All conversions of C but those of wide characters; `long double` is `double` on the device. Digits are exact, as glibc's are: they are
//! `core`'s.

use super::strings::length;
use core::ffi::c_int;
use core::fmt::{self, Write};

/// Arguments as clang lays them out for NVPTX: one behind the other, each aligned to its size.
struct Arguments(*const u8);

impl Arguments {
    /// # Safety
    /// The next argument is a `T`.
    unsafe fn next<T: Copy>(&mut self) -> T {
        let at = self.0.wrapping_add(self.0.align_offset(align_of::<T>())).cast::<T>();
        self.0 = at.wrapping_add(1).cast();
        // SAFETY: the caller's.
        unsafe { at.read() }
    }
}

/// The rest of a format.
struct Format(*const u8);

impl Format {
    fn peek(&self) -> u8 {
        // SAFETY: a C string, of which the null is not passed.
        unsafe { self.0.read() }
    }

    fn pass(&mut self) {
        if self.peek() != 0 {
            self.0 = self.0.wrapping_add(1);
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.peek() == byte;
        if taken {
            self.pass();
        }
        taken
    }

    /// A number, or the argument that a `*` stands for; 0 if there is none.
    ///
    /// # Safety
    /// The arguments are those that the format names.
    unsafe fn number(&mut self, arguments: &mut Arguments) -> c_int {
        if self.take(b'*') {
            // SAFETY: `*` takes an int.
            return unsafe { arguments.next() };
        }
        let mut value: c_int = 0;
        while self.peek().is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add((self.peek() - b'0').into());
            self.pass();
        }
        value
    }
}

/// The size of an integer argument.
#[derive(Clone, Copy, Default)]
enum Size {
    Char,
    Short,
    #[default]
    Int,
    Long,
}

/// What stands between `%` and the letter.
#[derive(Clone, Copy, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    size: Size,
}

impl Spec {
    /// Reads one; the letter is next then.
    ///
    /// # Safety
    /// The arguments are those that the format names.
    unsafe fn read(format: &mut Format, arguments: &mut Arguments) -> Self {
        let mut spec = Self::default();
        loop {
            match format.peek() {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            format.pass();
        }
        // SAFETY: the caller's.
        let width = unsafe { format.number(arguments) };
        spec.left |= width < 0;
        spec.width = width.unsigned_abs() as usize;
        if format.take(b'.') {
            // SAFETY: the caller's.
            spec.precision = usize::try_from(unsafe { format.number(arguments) }).ok();
        }
        loop {
            spec.size = match (format.peek(), spec.size) {
                (b'h', Size::Short) => Size::Char,
                (b'h', _) => Size::Short,
                (b'l' | b'q' | b'j' | b'z' | b't' | b'L', _) => Size::Long,
                _ => return spec,
            };
            format.pass();
        }
    }

    /// What stands for the sign of a number.
    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (.., true) => b" ",
            _ => b"",
        }
    }
}

/// Where the text goes; what does not fit is counted.
struct Output {
    to: *mut u8,
    capacity: usize,
    written: usize,
}

impl Output {
    fn put(&mut self, byte: u8) {
        if self.written < self.capacity {
            // SAFETY: below the capacity that the caller has given; the address may be above the highest for `vsprintf`.
            unsafe { self.to.wrapping_add(self.written).write(byte) };
        }
        self.written += 1;
    }

    fn repeat(&mut self, byte: u8, count: usize) {
        (0..count).for_each(|_| self.put(byte));
    }

    fn text(&mut self, text: &[u8]) {
        text.iter().for_each(|byte| self.put(*byte));
    }

    /// A prefix and what follows it, in the width of `spec`; `zeros` stand between them, if they are wanted.
    fn padded(&mut self, spec: &Spec, prefix: &[u8], zeros: bool, body: impl Fn(&mut dyn FnMut(u8))) {
        let mut length = prefix.len();
        body(&mut |_| length += 1);
        let padding = spec.width.saturating_sub(length);
        if !spec.left && !zeros {
            self.repeat(b' ', padding);
        }
        self.text(prefix);
        if !spec.left && zeros {
            self.repeat(b'0', padding);
        }
        body(&mut |byte| self.put(byte));
        if spec.left {
            self.repeat(b' ', padding);
        }
    }

    fn integer(&mut self, spec: &Spec, prefix: &[u8], value: u64, base: u64, upper: bool) {
        let mut digits = [0; 22];
        let (mut first, mut rest) = (digits.len(), value);
        while rest != 0 {
            first -= 1;
            let digit = char::from_digit((rest % base) as u32, base as u32).unwrap_or('0') as u8;
            digits[first] = if upper { digit.to_ascii_uppercase() } else { digit };
            rest /= base;
        }
        let count = digits.len() - first;
        let mut least = spec.precision.unwrap_or(1);
        if base == 8 && spec.alternate {
            least = least.max(count + 1);
        }
        self.padded(spec, prefix, spec.zero && spec.precision.is_none(), |put| {
            (count..least).for_each(|_| put(b'0'));
            digits[first..].iter().for_each(|byte| put(*byte));
        });
    }

    fn float(&mut self, spec: &Spec, value: f64, letter: u8) {
        let sign = spec.sign(value.is_sign_negative());
        let (kind, upper, value) = (letter.to_ascii_lowercase(), letter.is_ascii_uppercase(), value.abs());
        if !value.is_finite() {
            let text: &[u8; 3] = if value.is_nan() { b"nan" } else { b"inf" };
            return self.padded(spec, sign, false, |put| {
                text.iter().for_each(|byte| put(if upper { byte.to_ascii_uppercase() } else { *byte }));
            });
        }
        if kind == b'a' {
            let (mut prefix, signs) = ([0; 3], sign.len());
            prefix[..signs].copy_from_slice(sign);
            prefix[signs..signs + 2].copy_from_slice(if upper { b"0X" } else { b"0x" });
            let prefix = &prefix[..signs + 2];
            return self.padded(spec, prefix, spec.zero, |put| hexadecimal(spec, value, upper, put));
        }
        // The most that `core` takes.
        let precision = spec.precision.unwrap_or(6).min(u16::MAX.into());
        let (style, precision) = match kind {
            b'g' => {
                let digits = precision.max(1);
                let exponent = exponent(value, digits - 1);
                let fixed = (-4..digits as i32).contains(&exponent);
                if fixed {
                    (Style::Fixed, (digits as i32 - 1 - exponent) as usize)
                } else {
                    (Style::Exponent, digits - 1)
                }
            }
            b'e' => (Style::Exponent, precision),
            _ => (Style::Fixed, precision),
        };
        let trim = kind == b'g' && !spec.alternate;
        self.padded(spec, sign, spec.zero, |put| {
            let mut digits = Digits { put, upper, trim, point: spec.alternate, held: None, exponent: None };
            let _ = match style {
                Style::Fixed => write!(digits, "{value:.precision$}"),
                Style::Exponent => write!(digits, "{value:.precision$e}"),
            };
            digits.finish();
        });
    }
}

enum Style {
    Fixed,
    Exponent,
}

/// The exponent of ten of `value` rounded to one digit and `precision` more.
fn exponent(value: f64, precision: usize) -> i32 {
    let mut ignored = |_| ();
    let mut digits =
        Digits { put: &mut ignored, upper: false, trim: false, point: false, held: None, exponent: None };
    let _ = write!(digits, "{value:.precision$e}");
    digits.exponent.map_or(0, |(negative, power)| if negative { -power } else { power })
}

/// Turns `core`'s digits into C's.
struct Digits<'a> {
    put: &'a mut dyn FnMut(u8),
    upper: bool,
    /// Without zeros at the end of the fraction.
    trim: bool,
    /// A point is to stand there, with nothing behind it too.
    point: bool,
    /// Zeros since the last other digit of the fraction, or since the point, if there was none.
    held: Option<(bool, usize)>,
    /// Whether it is negative, and its number.
    exponent: Option<(bool, i32)>,
}

impl Digits<'_> {
    fn byte(&mut self, byte: u8) {
        if let Some((negative, power)) = &mut self.exponent {
            match byte {
                b'-' => *negative = true,
                _ => *power = *power * 10 + i32::from(byte - b'0'),
            }
            return;
        }
        match (byte, &mut self.held) {
            (b'e', _) => self.exponent = Some((false, 0)),
            (b'.', _) if self.trim => self.held = Some((true, 0)),
            (b'0', Some((_, zeros))) => *zeros += 1,
            (_, held) => {
                let (point, zeros) = held.unwrap_or_default();
                if point {
                    (self.put)(b'.');
                }
                (0..zeros).for_each(|_| (self.put)(b'0'));
                if held.is_some() {
                    *held = Some((false, 0));
                }
                self.point &= byte != b'.';
                (self.put)(byte);
            }
        }
    }

    fn finish(&mut self) {
        if self.point {
            (self.put)(b'.');
        }
        let Some((negative, power)) = self.exponent else { return };
        (self.put)(if self.upper { b'E' } else { b'e' });
        (self.put)(if negative { b'-' } else { b'+' });
        for unit in [100, 10, 1] {
            if unit < 100 || power >= 100 {
                (self.put)(b'0' + (power / unit % 10) as u8);
            }
        }
    }
}

impl Write for Digits<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| self.byte(byte));
        Ok(())
    }
}

/// What `%a` puts behind `0x`.
fn hexadecimal(spec: &Spec, value: f64, upper: bool, put: &mut dyn FnMut(u8)) {
    const FRACTION: u32 = 52;
    let bits = value.to_bits();
    let (field, mut digits) = ((bits >> FRACTION) as i32, bits & ((1 << FRACTION) - 1));
    let mut power = if bits == 0 { 0 } else { field.max(1) - 1023 };
    digits |= u64::from(field != 0) << FRACTION;
    let mut count = (FRACTION / 4) as usize;
    match spec.precision {
        Some(wanted) if wanted < count => {
            let drop = 4 * (count - wanted) as u32;
            let (rest, half) = (digits & ((1 << drop) - 1), 1 << (drop - 1));
            digits >>= drop;
            digits += u64::from(rest > half || rest == half && digits & 1 == 1);
            digits <<= drop;
            count = wanted;
        }
        Some(_) => {}
        None => {
            let zeros = (digits.trailing_zeros().min(FRACTION) / 4) as usize;
            count -= zeros;
        }
    }
    if digits >> (FRACTION + 1) != 0 && field == 0 {
        power += 1;
    }
    let digit = |value: u64| {
        let digit = char::from_digit((value & 15) as u32, 16).unwrap_or('0') as u8;
        if upper { digit.to_ascii_uppercase() } else { digit }
    };
    put(digit(digits >> FRACTION));
    let wanted = spec.precision.unwrap_or(count);
    if wanted > 0 || spec.alternate {
        put(b'.');
    }
    for k in 0..wanted {
        put(if k < count { digit(digits >> (FRACTION - 4 * (k as u32 + 1))) } else { b'0' });
    }
    put(if upper { b'P' } else { b'p' });
    put(if power < 0 { b'-' } else { b'+' });
    let power = power.unsigned_abs();
    for unit in [1000, 100, 10, 1] {
        if power >= unit || unit == 1 {
            put(b'0' + (power / unit % 10) as u8);
        }
    }
}

/// One conversion; nothing for a letter that is none.
///
/// # Safety
/// As of `vsnprintf`.
unsafe fn conversion(output: &mut Output, spec: &Spec, letter: u8, arguments: &mut Arguments) -> Option<()> {
    // SAFETY: the caller's arguments.
    unsafe {
        match letter {
            b'd' | b'i' => {
                let value = match spec.size {
                    Size::Long => arguments.next::<i64>(),
                    Size::Int => arguments.next::<i32>().into(),
                    Size::Short => (arguments.next::<i32>() as i16).into(),
                    Size::Char => (arguments.next::<i32>() as i8).into(),
                };
                output.integer(spec, spec.sign(value < 0), value.unsigned_abs(), 10, false);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = match spec.size {
                    Size::Long => arguments.next::<u64>(),
                    Size::Int => arguments.next::<u32>().into(),
                    Size::Short => (arguments.next::<u32>() as u16).into(),
                    Size::Char => (arguments.next::<u32>() as u8).into(),
                };
                let (base, prefix): (_, &[u8]) = match letter {
                    b'u' => (10, b""),
                    b'o' => (8, b""),
                    _ if !spec.alternate || value == 0 => (16, b""),
                    b'x' => (16, b"0x"),
                    _ => (16, b"0X"),
                };
                output.integer(spec, prefix, value, base, letter == b'X');
            }
            b'c' => {
                let byte = arguments.next::<i32>() as u8;
                output.padded(spec, b"", false, |put| put(byte));
            }
            b's' => {
                let most = spec.precision.unwrap_or(usize::MAX);
                let mut text = arguments.next::<*const u8>();
                if text.is_null() {
                    // As glibc has it: all or nothing.
                    text = if most < 6 { c"" } else { c"(null)" }.as_ptr().cast();
                }
                let text = core::slice::from_raw_parts(text, length(text, most));
                output.padded(spec, b"", false, |put| text.iter().for_each(|byte| put(*byte)));
            }
            b'p' => match arguments.next::<u64>() {
                0 => output.padded(spec, b"(nil)", false, |_| ()),
                address => output.integer(spec, b"0x", address, 16, false),
            },
            b'n' => {
                let (written, to) = (output.written, arguments.next::<*mut u8>());
                match spec.size {
                    Size::Long => to.cast::<i64>().write(written as i64),
                    Size::Int => to.cast::<i32>().write(written as i32),
                    Size::Short => to.cast::<i16>().write(written as i16),
                    Size::Char => to.cast::<i8>().write(written as i8),
                }
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = arguments.next::<f64>();
                output.float(spec, value, letter);
            }
            b'%' => output.put(b'%'),
            _ => return None,
        }
    }
    Some(())
}

unsafe extern "C" {
    fn putchar(byte: c_int) -> c_int;
}

/// Writes a text of the device.
///
/// # Safety
/// It must be a C string. CUDA's `vprintf` takes the address of the arguments: on a host this must not be called.
unsafe fn put(text: *const u8) {
    unsafe extern "C" {
        fn vprintf(format: *const u8, arguments: *const u8) -> c_int;
    }
    // SAFETY: the argument is the address of the text, as the format says.
    unsafe { vprintf(c"%s".as_ptr().cast(), (&raw const text).cast()) };
}

super::c_functions! {
    fn vsnprintf(to: *mut u8, bytes: usize, format: *const u8, arguments: *const u8) -> c_int {
        let mut output = Output { to, capacity: bytes.saturating_sub(1), written: 0 };
        let (mut format, mut arguments) = (Format(format), Arguments(arguments));
        while format.peek() != 0 {
            if !format.take(b'%') {
                output.put(format.peek());
                format.pass();
                continue;
            }
            let start = format.0;
            let spec = Spec::read(&mut format, &mut arguments);
            if conversion(&mut output, &spec, format.peek(), &mut arguments).is_some() {
                format.pass();
            } else {
                // As glibc does with what is no conversion.
                output.put(b'%');
                format = Format(start);
            }
        }
        if bytes > 0 {
            to.wrapping_add(output.written.min(output.capacity)).write(0);
        }
        output.written as c_int
    }
    /// CUDA's `vprintf` does not know all of C's formats, so it only gets the text; in one piece, that no other thread's comes between.
    fn vfprintf(_stream: *mut u8, format: *const u8, arguments: *const u8) -> c_int {
        let mut place = [0u8; 256];
        let length = vsnprintf(place.as_mut_ptr(), place.len(), format, arguments);
        let bytes = length as usize + 1;
        if bytes <= place.len() {
            put(place.as_ptr());
            return length;
        }
        let memory = super::memory::malloc(bytes);
        if memory.is_null() {
            return -1;
        }
        vsnprintf(memory, bytes, format, arguments);
        put(memory);
        super::memory::free(memory);
        length
    }
    /// In pieces, between which those of other threads may come.
    fn fwrite(from: *const u8, bytes: usize, count: usize, _stream: *mut u8) -> usize {
        let mut place = [0u8; 256];
        let (mut at, end) = (from, from.wrapping_add(bytes * count));
        while at != end {
            // Only a byte at a time may be 0, as `putchar` writes it.
            let piece = (place.len() - 1).min(end.offset_from_unsigned(at));
            let piece = length(at, piece);
            if piece == 0 {
                putchar(0);
                at = at.add(1);
                continue;
            }
            place.as_mut_ptr().copy_from_nonoverlapping(at, piece);
            place[piece] = 0;
            put(place.as_ptr());
            at = at.add(piece);
        }
        if bytes == 0 { 0 } else { count }
    }
    /// The text is in memory of `malloc`; without any nothing is written to `to`.
    fn vasprintf(to: *mut *mut u8, format: *const u8, arguments: *const u8) -> c_int {
        let length = vsnprintf(core::ptr::null_mut(), 0, format, arguments);
        let bytes = length as usize + 1;
        let memory = super::memory::malloc(bytes);
        if memory.is_null() {
            return -1;
        }
        vsnprintf(memory, bytes, format, arguments);
        to.write(memory);
        length
    }
    fn vsprintf(to: *mut u8, format: *const u8, arguments: *const u8) -> c_int {
        vsnprintf(to, usize::MAX, format, arguments)
    }
}
