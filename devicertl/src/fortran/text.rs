//! Text (Fortran 2018, 16.9 and 10.1.5.5): comparisons and what is found in it. Letters are bytes. Places count from 1; 0 where
//! there is none.

use super::descriptor::{Array, Descriptor, establish};
use super::{File, In, Out, fortran};
use crate::libc;

/// What an empty place holds.
const BLANK: u8 = b' ';

/// The order of two texts, the shorter one with blanks at its end: below 0, 0 or above.
///
/// # Safety
/// Texts of so many bytes.
#[inline(always)]
pub(super) unsafe fn compare(a: *const u8, b: *const u8, bytes: u64, others: u64) -> i32 {
    let mut at = 0;
    while at < bytes || at < others {
        // SAFETY: below the lengths.
        let (left, right) = unsafe {
            (
                if at < bytes { a.add(at as usize).read() } else { BLANK },
                if at < others { b.add(at as usize).read() } else { BLANK },
            )
        };
        if left != right {
            return if left < right { -1 } else { 1 };
        }
        at += 1;
    }
    0
}

/// The length without the blanks at the end.
///
/// # Safety
/// A text of so many bytes.
#[inline(always)]
unsafe fn trimmed(text: *const u8, bytes: u64) -> u64 {
    let mut length = bytes;
    // SAFETY: below the length.
    while length != 0 && unsafe { text.add(length as usize - 1).read() } == BLANK {
        length -= 1;
    }
    length
}

/// The first place that `is_it` chooses among `count`, or the last.
#[inline(always)]
fn first_or_last(count: u64, last: bool, is_it: impl Fn(u64) -> bool) -> u64 {
    let mut done = 0;
    while done < count {
        let at = if last { count - 1 - done } else { done };
        if is_it(at) {
            return at + 1;
        }
        done += 1;
    }
    0
}

/// Whether a letter is one of a set.
///
/// # Safety
/// A text of so many bytes.
#[inline(always)]
unsafe fn is_in(letter: u8, set: *const u8, bytes: u64) -> bool {
    // SAFETY: below the length.
    first_or_last(bytes, false, |at| unsafe { set.add(at as usize).read() } == letter) != 0
}

/// Texts whose blanks on one side go to the other.
///
/// # Safety
/// The descriptors must be flang's, of text.
#[inline(never)]
unsafe fn adjusted(result: *mut Descriptor, texts: *const Descriptor, right: bool) {
    // SAFETY: as the caller promises; elements are below their count.
    unsafe {
        let texts = Array::of(texts);
        let bytes = texts.bytes;
        let result = establish(result, bytes, texts.rank, |number| texts.extent(number));
        let (count, mut index) = (result.count(), 0);
        while index < count {
            let (from, to) = (texts.element(index), result.element(index));
            let end = trimmed(from, bytes);
            let mut start = 0;
            while !right && start < end && from.add(start as usize).read() == BLANK {
                start += 1;
            }
            let (kept, shift) = ((end - start) as usize, if right { bytes - end } else { 0 } as usize);
            libc::fill(to, BLANK, shift);
            libc::copy_up(to.add(shift), from.add(start as usize), kept);
            libc::fill(to.add(shift + kept), BLANK, bytes as usize - shift - kept);
            index += 1;
        }
    }
}

fortran! {
    /// The order of two texts.
    fn _FortranACharacterCompareScalar1(a: *const u8, b: *const u8, bytes: u64, others: u64) -> i32 {
        compare(a, b, bytes, others)
    }
    /// Where a part of a text begins.
    fn _FortranAIndex1(text: *const u8, bytes: u64, part: *const u8, length: u64, last: bool) -> u64 {
        if length > bytes {
            return 0;
        }
        let begins = |at: u64| compare(text.add(at as usize), part, length, length) == 0;
        first_or_last(bytes - length + 1, last, begins)
    }
    /// Where a letter of a set is.
    fn _FortranAScan1(text: *const u8, bytes: u64, set: *const u8, length: u64, last: bool) -> u64 {
        first_or_last(bytes, last, |at| is_in(text.add(at as usize).read(), set, length))
    }
    /// Where a letter is that is not in a set.
    fn _FortranAVerify1(text: *const u8, bytes: u64, set: *const u8, length: u64, last: bool) -> u64 {
        first_or_last(bytes, last, |at| !is_in(text.add(at as usize).read(), set, length))
    }
    /// The length without the blanks at the end.
    fn _FortranALenTrim1(text: *const u8, bytes: u64) -> u64 {
        trimmed(text, bytes)
    }
    /// The text without the blanks at its end.
    fn _FortranATrim(result: Out, text: In, _file: File, _line: i32) {
        let length = trimmed((*text).base, (*text).bytes);
        let result = establish(result, length, 0, |_| 0);
        libc::copy_up(result.base, (*text).base, length as usize);
    }
    /// Texts without the blanks at their start, which come behind them.
    fn _FortranAAdjustl(result: Out, texts: In, _file: File, _line: i32) {
        adjusted(result, texts, false)
    }
    /// Texts without the blanks at their end, which come before them.
    fn _FortranAAdjustr(result: Out, texts: In, _file: File, _line: i32) {
        adjusted(result, texts, true)
    }
    /// The text so many times.
    fn _FortranARepeat(result: Out, text: In, count: i64, _file: File, _line: i32) {
        let (bytes, count) = ((*text).bytes, count.max(0) as u64);
        let result = establish(result, bytes.wrapping_mul(count), 0, |_| 0);
        let mut done = 0;
        while done < count {
            libc::copy_up(result.base.add((done * bytes) as usize), (*text).base, bytes as usize);
            done += 1;
        }
    }
    /// Copies a text behind `offset` of another one, as far as there is room; where it ends.
    fn _FortranACharacterAppend1(to: *mut u8, bytes: u64, offset: u64, text: *const u8, length: u64) -> u64 {
        let room = bytes.saturating_sub(offset);
        let length = if length < room { length } else { room };
        libc::copy_up(to.add(offset as usize), text, length as usize);
        offset + length
    }
    /// Fills the end of a text with blanks.
    fn _FortranACharacterPad1(to: *mut u8, bytes: u64, offset: u64) {
        libc::fill(to.add(offset as usize), BLANK, bytes.saturating_sub(offset) as usize)
    }
}
