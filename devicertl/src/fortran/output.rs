//! `PRINT *` and its like: list-directed output (Fortran 2018, 13.10.4), in the form that flang's runtime gives it on a host. A
//! statement becomes one text, which is printed at its end; all units are the standard output.

use super::decimal::Decimal;
use super::descriptor::{Array, Descriptor, TEXT};
use super::number::{Category, Kind};
use super::{fortran, refuse};
use crate::{arch, libc, memory};
use core::ffi::c_char;

/// Letters of a line, as flang's default for hosts is.
const LINE: u64 = 79;
/// Room for the text of a number.
const NUMBER: usize = 32;
/// Bytes for a statement's first text.
const FIRST: u64 = 128;

/// What a number is of its item.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    All,
    Real,
    Imaginary,
}

/// A statement.
pub struct Statement {
    text: *mut u8,
    used: u64,
    room: u64,
    /// Letters in the line.
    column: u64,
    /// The last item was text, which is not set apart from more text.
    behind_text: bool,
}

impl Statement {
    /// Puts letters behind the text.
    ///
    /// # Safety
    /// So many letters.
    unsafe fn put(&mut self, letters: *const u8, count: u64) {
        // One more for the zero at the end.
        if self.used + count >= self.room {
            let room = 2 * self.room + count;
            let text = memory::from_heap(room);
            // SAFETY: the text so far, and its memory.
            unsafe {
                libc::copy_up(text, self.text, self.used as usize);
                arch::free(self.text);
            }
            (self.text, self.room) = (text, room);
        }
        // SAFETY: as the caller promises; there is room.
        unsafe { libc::copy_up(self.text.add(self.used as usize), letters, count as usize) };
        self.used += count;
        self.column += count;
    }

    fn letter(&mut self, letter: u8) {
        // SAFETY: one letter.
        unsafe { self.put(&raw const letter, 1) }
    }

    fn new_line(&mut self) {
        self.letter(b'\n');
        self.column = 0;
    }

    /// Whether so many letters go to the next line.
    fn is_full(&self, letters: u64) -> bool {
        self.column > 0 && self.column + letters > LINE
    }

    /// Sets an item of so many letters apart from the one before it.
    fn set_apart(&mut self, letters: u64, is_text: bool) {
        let blank = self.column == 0 || !(is_text && self.behind_text);
        self.behind_text = false;
        if self.is_full(letters + u64::from(blank)) {
            self.new_line()
        } else if blank {
            self.letter(b' ')
        }
    }

    /// A number and what belongs to it, all in one line.
    fn number(&mut self, part: Part, letters: &Letters) {
        let around = match part {
            Part::All => 1,
            Part::Real => 3,
            Part::Imaginary => 1,
        };
        if self.is_full(letters.count as u64 + around) {
            self.new_line()
        }
        if part != Part::Imaginary {
            self.letter(b' ');
        }
        if part == Part::Real {
            self.letter(b'(');
        }
        // SAFETY: the letters.
        unsafe { self.put(letters.text.as_ptr(), letters.count as u64) };
        if part != Part::All {
            self.letter(if part == Part::Real { b',' } else { b')' });
        }
        self.behind_text = false;
    }

    /// # Safety
    /// So many letters.
    unsafe fn characters(&mut self, letters: *const u8, count: u64) {
        self.set_apart(u64::from(count > 0), true);
        let mut done = 0;
        while done < count {
            let room = LINE.saturating_sub(self.column);
            let part = if count - done < room { count - done } else { room };
            // SAFETY: a part of the letters.
            unsafe { self.put(letters.add(done as usize), part) }
            done += part;
            if done < count {
                self.new_line();
                self.letter(b' ');
            }
        }
        self.behind_text = true;
    }

    fn logical(&mut self, value: bool) {
        self.set_apart(1, false);
        self.letter(if value { b'T' } else { b'F' });
    }

    /// An element of an array.
    ///
    /// # Safety
    /// An element of this type.
    unsafe fn element(&mut self, ty: i8, bytes: u64, element: *const u8) {
        /// `CFI_type_float_Complex` and that of `double`.
        const COMPLEX: [i8; 2] = [34, 35];
        /// `CFI_type_Bool`, and `CFI_type_int_least16_t` to 64 bits: logical values.
        const BOOL: i8 = 39;
        const LOGICAL: core::ops::RangeInclusive<i8> = 13..=15;
        // SAFETY: as the caller promises.
        unsafe {
            if ty == TEXT {
                return self.characters(element, bytes);
            }
            if ty == BOOL || LOGICAL.contains(&ty) {
                return self.logical(Kind { category: Category::Logical, bytes }.load(element) != 0);
            }
            if ty == COMPLEX[0] || ty == COMPLEX[1] {
                let part = Kind { category: Category::Real, bytes: bytes / 2 };
                let other = element.add(bytes as usize / 2);
                self.number(Part::Real, &Letters::of(part, part.load(element)));
                return self.number(Part::Imaginary, &Letters::of(part, part.load(other)));
            }
            let Some(kind) = Kind::of_type(ty, bytes) else { refuse() };
            self.number(Part::All, &Letters::of(kind, kind.load(element)));
        }
    }
}

/// The letters of a number.
struct Letters {
    text: [u8; NUMBER],
    count: usize,
}

impl Letters {
    fn put(&mut self, letter: u8) {
        if self.count < NUMBER {
            // SAFETY: below the number of letters.
            unsafe { *self.text.as_mut_ptr().add(self.count) = letter }
            self.count += 1;
        }
    }

    /// Digits, at least so many.
    fn whole(&mut self, value: u64, least: usize) {
        let (mut digits, mut left) = (1, value / 10);
        while left != 0 || digits < least {
            digits += 1;
            left /= 10;
        }
        let (mut place, mut left) = (self.count + digits, value);
        self.count = place;
        while place != self.count - digits {
            place -= 1;
            if place < NUMBER {
                // SAFETY: below the number of letters.
                unsafe { *self.text.as_mut_ptr().add(place) = b'0' + (left % 10) as u8 }
            }
            left /= 10;
        }
    }

    /// That of a number.
    #[inline(never)]
    fn of(kind: Kind, bits: u64) -> Self {
        let mut letters = Self { text: [0; NUMBER], count: 0 };
        if kind.category == Category::Real {
            letters.real(f64::from_bits(bits), kind.bytes);
        } else {
            if (bits as i64) < 0 {
                letters.put(b'-');
            }
            letters.whole((bits as i64).unsigned_abs(), 1);
        }
        letters
    }

    /// A real number of 4 or 8 bytes: as many digits as tell it from others, with an exponent if it is small or large.
    fn real(&mut self, x: f64, bytes: u64) {
        if x.is_nan() {
            self.put(b'N');
            self.put(b'a');
            return self.put(b'N');
        }
        if x.is_sign_negative() {
            self.put(b'-');
        }
        if x.is_infinite() {
            self.put(b'I');
            self.put(b'n');
            return self.put(b'f');
        }
        if x == 0.0 {
            self.put(b'0');
            return self.put(b'.');
        }
        let single = bytes == 4;
        let (bits, mantissa_bits, bias) =
            if single { ((x.abs() as f32).to_bits().into(), 23, 127) } else { (x.abs().to_bits(), 52, 1023) };
        let (exponent, fraction) = ((bits >> mantissa_bits) as i32, bits & ((1 << mantissa_bits) - 1));
        let mantissa = if exponent == 0 { fraction } else { fraction | 1 << mantissa_bits };
        let least = exponent.max(1) - bias - mantissa_bits;
        let decimal = Decimal::shortest(mantissa, least, fraction == 0 && exponent > 1);
        let most = if single { 6 } else { 15 };
        let mut next = 0;
        if (0..=most).contains(&decimal.exponent) {
            while (next as i32) < decimal.exponent {
                self.put(b'0' + decimal.digit(next));
                next += 1;
            }
            self.put(b'.');
            while next < decimal.count {
                self.put(b'0' + decimal.digit(next));
                next += 1;
            }
            return;
        }
        self.put(b'0' + decimal.digit(0));
        self.put(b'.');
        while next + 1 < decimal.count {
            next += 1;
            self.put(b'0' + decimal.digit(next));
        }
        let power = decimal.exponent - 1;
        self.put(b'E');
        self.put(if power < 0 { b'-' } else { b'+' });
        self.whole(power.unsigned_abs().into(), 2);
    }
}

type File = *const c_char;

fortran! {
    /// A statement begins; what the other functions get.
    fn _FortranAioBeginExternalListOutput(_unit: i32, _file: File, _line: i32) -> *mut Statement {
        let statement = memory::from_heap(size_of::<Statement>() as u64).cast::<Statement>();
        let text = memory::from_heap(FIRST);
        statement.write(Statement { text, used: 0, room: FIRST, column: 0, behind_text: false });
        statement
    }
    /// It ends, and is printed; 0: all is well.
    fn _FortranAioEndIoStatement(statement: *mut Statement) -> i32 {
        (*statement).letter(0);
        arch::print_line((*statement).text);
        arch::free((*statement).text);
        arch::free(statement.cast());
        0
    }
    /// The elements of an array, or a scalar.
    fn _FortranAioOutputDescriptor(statement: *mut Statement, descriptor: *const Descriptor) -> bool {
        let array = Array::of(descriptor);
        let (count, mut index) = (array.count(), 0);
        while index < count {
            (*statement).element((*descriptor).ty, array.bytes, array.element(index));
            index += 1;
        }
        true
    }
    /// Text of the default kind.
    fn _FortranAioOutputAscii(statement: *mut Statement, letters: *const u8, count: u64) -> bool {
        (*statement).characters(letters, count);
        true
    }
    /// Text of letters of so many bytes.
    fn _FortranAioOutputCharacter(statement: *mut Statement, letters: *const u8, count: u64, bytes: i32) -> bool {
        if bytes != 1 {
            refuse()
        }
        (*statement).characters(letters, count);
        true
    }
    /// A logical value.
    fn _FortranAioOutputLogical(statement: *mut Statement, value: bool) -> bool {
        (*statement).logical(value);
        true
    }
}

macro_rules! numbers {
    ($($name:ident $ty:ty: $category:ident, $value:ident => $bits:expr;)*) => { fortran! { $(
        /// A number.
        fn $name(statement: *mut Statement, $value: $ty) -> bool {
            let kind = Kind { category: Category::$category, bytes: size_of::<$ty>() as u64 };
            (*statement).number(Part::All, &Letters::of(kind, $bits));
            true
        }
    )* } };
}
numbers! {
    _FortranAioOutputInteger8 i8: Integer, value => value as i64 as u64;
    _FortranAioOutputInteger16 i16: Integer, value => value as i64 as u64;
    _FortranAioOutputInteger32 i32: Integer, value => value as i64 as u64;
    _FortranAioOutputInteger64 i64: Integer, value => value as u64;
    _FortranAioOutputReal32 f32: Real, value => (value as f64).to_bits();
    _FortranAioOutputReal64 f64: Real, value => value.to_bits();
}

macro_rules! complex_numbers {
    ($($name:ident $ty:ty;)*) => { fortran! { $(
        /// A complex number.
        fn $name(statement: *mut Statement, real: $ty, imaginary: $ty) -> bool {
            let part = Kind { category: Category::Real, bytes: size_of::<$ty>() as u64 };
            (*statement).number(Part::Real, &Letters::of(part, (real as f64).to_bits()));
            (*statement).number(Part::Imaginary, &Letters::of(part, (imaginary as f64).to_bits()));
            true
        }
    )* } };
}
complex_numbers! {
    _FortranAioOutputComplex32 f32;
    _FortranAioOutputComplex64 f64;
}
