//! What `-fopenmp-target-debug` adds: checks that end the program with a message, notices, and a trace.
//!
//! clang defines the bits that a program is compiled for as a constant, so without the option all of this folds away.
//! The environment variable `LIBOMPTARGET_DEVICE_RTL_DEBUG` selects among them at run time.

use crate::{
    arch::{self, Failure},
    config, state,
};
use abi::ident::Ident;
use core::mem::MaybeUninit;

/// Bit of the checks (`-fopenmp-target-debug` alone).
pub const CHECKS: u32 = 1;
/// Bit of the trace of kernels and regions.
pub const TRACE: u32 = 2;
/// Bit of notices about what is right and slow.
pub const NOTICES: u32 = 4;

/// Ends the program if `holds` does not. `place` is the source location or null, `value` what stands for `#` in the
/// text.
#[inline(always)]
pub fn check(why: Failure, place: *const Ident, value: i64, holds: impl FnOnce() -> bool) {
    if config::debug(CHECKS) && !holds() {
        fail(why, place, value)
    }
}

/// A parallel region with this `num_threads` clause starts; -1 if it has none.
#[inline(always)]
pub fn region(place: *const Ident, num_threads: i32) {
    check(Failure::NumThreads, place, num_threads.into(), || num_threads == -1 || num_threads > 0);
    if config::debug(TRACE) {
        // Serial code of an SPMD kernel is run by all threads.
        let serial = state::par::level(state::current_par()) == 0 && state::is_spmd();
        if !serial || arch::tid() == 0 {
            print(Failure::TraceRegion, num_threads.into())
        }
    }
}

/// The team's first thread starts a kernel.
#[inline(always)]
pub fn kernel() {
    notice(TRACE, Failure::TraceKernel, arch::ntid().into())
}

/// Prints a text if those of `kind` are wanted.
#[inline(always)]
pub fn notice(kind: u32, what: Failure, value: i64) {
    if config::debug(kind) {
        print(what, value)
    }
}

/// A text that is put together: cut off where the place for it ends, and always with a null at the end.
struct Text {
    next: *mut u8,
    /// The last byte, for the null.
    last: *mut u8,
}

impl Text {
    fn new<const BYTES: usize>(place: *mut [u8; BYTES]) -> Self {
        let next = place.cast::<u8>();
        Self { next, last: next.wrapping_add(BYTES - 1) }
    }

    fn push(&mut self, byte: u8) {
        if self.next != self.last {
            // SAFETY: inside the place.
            unsafe { self.next.write(byte) };
            self.next = self.next.wrapping_add(1);
        }
    }

    fn number(&mut self, value: i64) {
        if value < 0 {
            self.push(b'-');
        }
        let mut rest = value.unsigned_abs();
        let mut unit = 1u64;
        while rest / 10 >= unit {
            unit *= 10;
        }
        while unit != 0 {
            let digit = rest.checked_div(unit).unwrap_or(0);
            self.push(b'0' + digit as u8);
            rest -= digit * unit;
            unit /= 10;
        }
    }

    /// The text of a failure, with `value` for each `#`.
    fn filled(&mut self, what: Failure, value: i64) {
        let mut at = arch::failure_text(what);
        // SAFETY: a string of the prelude, which goes on until its null.
        while let byte @ 1.. = unsafe { at.read() } {
            if byte == b'#' {
                self.number(value)
            } else {
                self.push(byte)
            }
            at = at.wrapping_add(1);
        }
    }

    /// The text from `from` to the next `;` or the end; what follows.
    ///
    /// # Safety
    /// `from` must be a string that ends with a null.
    unsafe fn field(&mut self, mut from: *const u8) -> *const u8 {
        loop {
            // SAFETY: the string goes on until its null.
            let byte = unsafe { from.read() };
            if byte == 0 {
                return from;
            }
            from = from.wrapping_add(1);
            if byte == b';' {
                return from;
            }
            self.push(byte);
        }
    }

    fn end(self) {
        // SAFETY: the last byte of the place at most.
        unsafe { self.next.write(0) }
    }
}

/// What the driver prints for a failed assertion. It may read the texts when the kernel is gone, so they are in global
/// memory. The prelude defines it with this layout.
#[repr(C)]
struct Report {
    /// Not 0 once a thread writes.
    taken: u32,
    line: u32,
    text: [u8; 256],
    file: [u8; 192],
    function: [u8; 128],
}

/// Ends the program; see [`check`].
#[cold]
#[inline(never)]
pub(crate) fn fail(why: Failure, place: *const Ident, value: i64) -> ! {
    let report = arch::report().cast::<Report>();
    // SAFETY: the prelude's variable, which is this thread's after the exchange. The location is a compiler's.
    unsafe {
        if arch::device_cas_u32(&raw mut (*report).taken, 0, 1) != 0 {
            // Another thread is about to end the program.
            loop {
                arch::backoff(1000);
            }
        }
        let mut text = Text::new(&raw mut (*report).text);
        text.filled(why, value);
        text.end();
        let mut file = Text::new(&raw mut (*report).file);
        let mut function = Text::new(&raw mut (*report).function);
        let source = if place.is_null() { core::ptr::null() } else { (*place).psource.cast::<u8>() };
        if source.is_null() {
            file.filled(Failure::Runtime, 0);
            function.filled(Failure::Runtime, 0);
        } else {
            // `;file;function;line;column;;`
            let mut at = function.field(file.field(source.add(1)));
            let mut line = 0u32;
            while let digit @ b'0'..=b'9' = at.read() {
                line = line.wrapping_mul(10).wrapping_add((digit - b'0') as u32);
                at = at.add(1);
            }
            (&raw mut (*report).line).write(line);
        }
        file.end();
        function.end();
        arch::fail_with(report.cast())
    }
}

#[cold]
#[inline(never)]
fn print(what: Failure, value: i64) {
    let mut place = MaybeUninit::<[u8; 128]>::uninit();
    let mut text = Text::new(place.as_mut_ptr());
    text.filled(what, value);
    text.end();
    arch::print_notice(place.as_ptr().cast());
}
