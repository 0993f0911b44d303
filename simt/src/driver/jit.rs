//! Options of the calls that take an image: the logs and the time. The others tune a compiler that is not there.

use super::error::{CUresult, CuResult, say};
use super::types::{c_int, c_uint, c_void};
use std::time::Instant;

/// `CUjit_option`s that are answered.
const WALL_TIME: c_int = 2;
const INFO_LOG_BUFFER: c_int = 3;
const INFO_LOG_BUFFER_SIZE_BYTES: c_int = 4;
const ERROR_LOG_BUFFER: c_int = 5;
const ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;

/// A log buffer of the client, and where its length is to be written.
#[derive(Clone, Copy)]
struct Log {
    to: *mut u8,
    room: usize,
    length: *mut *mut c_void,
}

/// What a client wants to be told.
pub(super) struct Options {
    started: Instant,
    wall_time: Option<*mut *mut c_void>,
    info: Option<Log>,
    error: Option<Log>,
}

// SAFETY: the addresses are the client's, who promises that they are valid for the call, or as long as the linker that was
// made with them; they belong to no thread.
unsafe impl Send for Options {}

impl Options {
    /// The options of a call that begins now.
    ///
    /// # Safety
    /// Arrays of `count` elements, as the API demands: a log buffer has as many bytes as the option for its size says, and
    /// both live as long as the options are used.
    pub(super) unsafe fn new(
        count: c_uint,
        options: *const c_int,
        values: *mut *mut c_void,
    ) -> CuResult<Self> {
        if count > 0 && (options.is_null() || values.is_null()) {
            return Err(CUresult::INVALID_VALUE);
        }
        let find = |wanted: c_int| {
            // SAFETY: an array of `count` options, by the contract.
            let at = (0..count as usize).find(|&at| unsafe { *options.add(at) } == wanted)?;
            // SAFETY: as many values as options, by the contract.
            Some(unsafe { values.add(at) })
        };
        let log = |buffer, size| {
            let (buffer, length): (*mut *mut c_void, *mut *mut c_void) = (find(buffer)?, find(size)?);
            // SAFETY: elements of the array of values, by the contract. The size is an unsigned int.
            let (to, room) = unsafe { ((*buffer).cast::<u8>(), (*length).addr() as u32 as usize) };
            (!to.is_null() && room > 0).then_some(Log { to, room, length })
        };
        Ok(Self {
            started: Instant::now(),
            wall_time: find(WALL_TIME),
            info: log(INFO_LOG_BUFFER, INFO_LOG_BUFFER_SIZE_BYTES),
            error: log(ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE_BYTES),
        })
    }

    /// Answers them: the milliseconds since the call began, and the logs. An error that has no log to go to goes to
    /// standard error.
    pub(super) fn answer(&self, info: &str, error: &str) {
        if let Some(to) = self.wall_time {
            let milliseconds = self.started.elapsed().as_secs_f32() * 1e3;
            // SAFETY: an element of the array of values.
            unsafe { to.write(std::ptr::without_provenance_mut(milliseconds.to_bits() as usize)) };
        }
        for (log, message) in [(self.info, info), (self.error, error)] {
            let Some(Log { to, room, length }) = log else { continue };
            let bytes = message.len().min(room - 1);
            // SAFETY: the buffer has `room` bytes, more than are written; the length is an element of the values.
            unsafe {
                to.copy_from_nonoverlapping(message.as_ptr(), bytes);
                to.add(bytes).write(0);
                length.write(std::ptr::without_provenance_mut(bytes));
            }
        }
        if !error.is_empty() && self.error.is_none() {
            say(error);
        }
    }
}
