//! The end of the program, and clocks (Fortran 2018, 11.4 and 16.9).

use super::{File, fortran, letters::Letters};
use crate::{arch, libc, query};

/// Bytes for the text of a message, with the zero at its end.
const TEXT: usize = 256;

/// Ends the program with a text; the place is not known.
///
/// # Safety
/// The text must end with a zero, at `end` or before.
unsafe fn stop(text: *const u8, end: usize) -> ! {
    // SAFETY: as the caller promises.
    unsafe {
        let nothing = text.add(end).cast();
        arch::user_error(nothing, 0, nothing, text.cast())
    }
}

fortran! {
    /// `STOP` and `ERROR STOP` with a number: the program ends, with the number in the message. A program on a device has no exit
    /// code of its own.
    fn _FortranAStopStatement(code: i32, is_error: bool, _quiet: bool) {
        let mut text = Letters::new();
        if is_error {
            text.word(b"ERROR \0\0");
        }
        text.word(b"STOP \0\0\0");
        text.integer(code.into());
        stop(text.text.as_ptr(), text.count)
    }
    /// The same with a text.
    fn _FortranAStopStatementText(code: *const u8, bytes: u64, _is_error: bool, _quiet: bool) {
        let mut text = [0u8; TEXT];
        let start = text.as_mut_ptr();
        let end = if bytes < TEXT as u64 { bytes as usize } else { TEXT - 1 };
        libc::copy_up(start, code, end);
        stop(start, end)
    }
    /// `call exit(code)`, which is not of the standard: as `STOP`.
    fn _FortranAExit(code: i32) {
        let mut text = Letters::new();
        text.word(b"EXIT \0\0\0");
        text.integer(code.into());
        stop(text.text.as_ptr(), text.count)
    }
    /// `call abort`, which is not of the standard.
    fn _FortranAAbort() {
        let mut text = Letters::new();
        text.word(b"ABORT\0\0\0");
        stop(text.text.as_ptr(), text.count)
    }
    /// What the compiler has found to be wrong.
    fn _FortranAReportFatalUserError(text: *const u8, file: File, line: i32) {
        let nothing = text.add(libc::length(text)).cast();
        arch::user_error(file, line as u32, nothing, text.cast())
    }
    /// Seconds of a clock.
    fn _FortranACpuTime() -> f64 {
        query::omp_get_wtime()
    }
    /// What `SYSTEM_CLOCK` counts, for an integer of `bytes` bytes: from 0 to its greatest number and again.
    fn _FortranASystemClockCount(bytes: i32) -> i64 {
        let ticks = arch::globaltimer() / (1_000_000_000 / ticks_a_second(bytes));
        (ticks & most_ticks(bytes)) as i64
    }
    /// How often it counts in a second.
    fn _FortranASystemClockCountRate(bytes: i32) -> i64 {
        ticks_a_second(bytes) as i64
    }
    /// Its greatest number.
    fn _FortranASystemClockCountMax(bytes: i32) -> i64 {
        most_ticks(bytes) as i64
    }
}

/// Nanoseconds where they fit, and milliseconds in small integers.
#[inline(always)]
fn ticks_a_second(bytes: i32) -> u64 {
    if bytes >= 8 { 1_000_000_000 } else { 1000 }
}

#[inline(always)]
fn most_ticks(bytes: i32) -> u64 {
    i64::MAX as u64 >> (64 - 8 * bytes.clamp(1, 8) as u32)
}
