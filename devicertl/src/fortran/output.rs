//! `PRINT *` and its like: list-directed output (Fortran 2018, 13.10.4), in the form that flang's runtime gives it on a host. A
//! statement becomes one text, which is printed at its end; all units are the standard output. Of a statement that writes to a text, an
//! internal file, each line goes there when it is complete.

use super::descriptor::{Array, TEXT};
use super::letters::Letters;
use super::number::{Category, Kind};
use super::{File, In, Place, assign, at, fortran, refuse};
use crate::{
    arch::{self, Failure},
    libc, memory,
};

/// Letters of a line, as flang's default for hosts is.
const LINE: u64 = 79;
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
    /// Letters that a line has room for.
    line: u64,
    /// Where lines go that are not printed.
    file: Option<InternalFile>,
}

/// A text that is written to, or an array of them, each for a line.
struct InternalFile {
    records: Array,
    /// How many there are, and are written.
    count: u64,
    written: u64,
    at: Place,
}

impl InternalFile {
    /// Writes the next line.
    ///
    /// # Safety
    /// So many letters, as many as the record has room for at most.
    unsafe fn write(&mut self, letters: *const u8, count: u64) {
        if self.written == self.count {
            refuse(Failure::FortranRecord, self.at)
        }
        let (to, bytes) = (self.records.element(self.written), self.records.bytes);
        // SAFETY: as the caller promises; a record.
        unsafe { assign::copy_element(to, bytes, letters, count) };
        self.written += 1;
    }
}

/// A statement begins.
///
/// # Safety
/// The records, if there are any, must live until its end.
unsafe fn begin(line: u64, file: Option<InternalFile>) -> *mut Statement {
    let statement = memory::from_heap(size_of::<Statement>() as u64).cast::<Statement>();
    let text = memory::from_heap(FIRST);
    // SAFETY: memory for it.
    unsafe {
        statement.write(Statement { text, used: 0, room: FIRST, column: 0, behind_text: false, line, file })
    };
    statement
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
        match &mut self.file {
            None => self.letter(b'\n'),
            Some(file) => {
                // SAFETY: the letters so far.
                unsafe { file.write(self.text, self.used) };
                self.used = 0;
            }
        }
        self.column = 0;
    }

    /// Whether so many letters go to the next line.
    fn is_full(&self, letters: u64) -> bool {
        self.column > 0 && self.column + letters > self.line
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

    /// A complex number, whose parts may stand in two lines.
    fn complex(&mut self, part: Kind, real: u64, imaginary: u64) {
        self.number(Part::Real, &Letters::of(part, real));
        self.number(Part::Imaginary, &Letters::of(part, imaginary));
    }

    /// # Safety
    /// So many letters.
    unsafe fn characters(&mut self, letters: *const u8, count: u64) {
        self.set_apart(u64::from(count > 0), true);
        let mut done = 0;
        while done < count {
            let room = self.line.saturating_sub(self.column);
            let part = room.min(count - done);
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
                return self.complex(part, part.load(element), part.load(other));
            }
            let Some(kind) = Kind::of_type(ty, bytes) else { refuse(Failure::FortranKind, Place::UNKNOWN) };
            self.number(Part::All, &Letters::of(kind, kind.load(element)));
        }
    }
}

fortran! {
    /// A statement begins; what the other functions get.
    fn _FortranAioBeginExternalListOutput(_unit: i32, _file: File, _line: i32) -> *mut Statement {
        begin(LINE, None)
    }
    /// One begins that writes to a text of so many letters. It needs no memory of the compiler's.
    fn _FortranAioBeginInternalListOutput(
        to: *mut u8, letters: u64, _scratch: *mut *mut u8, _scratch_bytes: u64, file: File, line: i32,
    ) -> *mut Statement {
        let records = Array::packed(to, letters);
        begin(letters, Some(InternalFile { records, count: 1, written: 0, at: at(file, line) }))
    }
    /// One begins that writes to an array of texts.
    fn _FortranAioBeginInternalArrayListOutput(
        to: In, _scratch: *mut *mut u8, _scratch_bytes: u64, file: File, line: i32,
    ) -> *mut Statement {
        let records = Array::of(to);
        let count = records.count();
        begin(records.bytes, Some(InternalFile { records, count, written: 0, at: at(file, line) }))
    }
    /// It ends, and is printed if it is not written yet; 0: all is well.
    fn _FortranAioEndIoStatement(statement: *mut Statement) -> i32 {
        if (*statement).file.is_some() {
            (*statement).new_line()
        } else {
            (*statement).letter(0);
            arch::print_line((*statement).text);
        }
        arch::free((*statement).text);
        arch::free(statement.cast());
        0
    }
    /// The elements of an array, or a scalar.
    fn _FortranAioOutputDescriptor(statement: *mut Statement, descriptor: In) -> bool {
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
            refuse(Failure::FortranKind, Place::UNKNOWN)
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
            (*statement).complex(part, (real as f64).to_bits(), (imaginary as f64).to_bits());
            true
        }
    )* } };
}
complex_numbers! {
    _FortranAioOutputComplex32 f32;
    _FortranAioOutputComplex64 f64;
}
