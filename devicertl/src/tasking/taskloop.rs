//! `taskloop`: a task for each part of a loop. The parts run one after the other on the thread that meets the loop.

use super::{
    blocks, group,
    task::{self, Public, Task},
};
use crate::arch::{self, Code};
use abi::ident::Ident;

/// How the number of tasks is given.
mod by {
    /// `grainsize`.
    pub const SIZE: i32 = 1;
    /// `num_tasks`.
    pub const COUNT: i32 = 2;
}

/// How a loop is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Number of tasks.
    pub tasks: u64,
    /// Iterations of a task.
    pub size: u64,
    /// How many tasks, the first ones, have one more.
    pub larger: u64,
    /// Iterations of the last task.
    pub last: u64,
}

impl Cut {
    /// Cuts `trips` iterations, at least 1, as the clauses want (OpenMP 5.2, 12.6.1 and 12.6.2).
    pub fn new(trips: u64, clause: i32, value: u64, strict: bool) -> Self {
        let value = value.max(1);
        let tasks = match clause {
            by::SIZE if strict => {
                let tasks = trips.div_ceil(value);
                return Self { tasks, size: value, larger: 0, last: trips - (tasks - 1) * value };
            }
            // At least `value` iterations each, and less than twice as many.
            by::SIZE => (trips / value).max(1),
            by::COUNT => value.min(trips),
            // The implementation's choice: all of them would run here.
            _ => 1,
        };
        let (size, larger) = (trips / tasks, trips % tasks);
        Self { tasks, size, larger, last: size }
    }
}

/// Gives the block of a part back, unless it is null.
///
/// # Safety
/// The part must have run.
unsafe fn give(part: *mut Task) {
    if !part.is_null() {
        // SAFETY: as the caller promises; a task is a block.
        unsafe { blocks::give(part.cast()) }
    }
}

/// What a call of a task loop has.
struct Loop {
    task: *mut Public,
    lower: *mut u64,
    upper: *mut u64,
    step: i64,
    no_group: bool,
    clause: i32,
    value: u64,
    strict: bool,
    copy: Code,
}

impl Loop {
    /// Number of iterations.
    ///
    /// # Safety
    /// The fields must be what a compiler passes.
    unsafe fn trips(&self) -> u64 {
        // SAFETY: as the caller promises.
        let (lower, upper) = unsafe { (self.lower.read(), self.upper.read()) };
        let (span, empty) = if self.step > 0 {
            (upper.wrapping_sub(lower), (upper as i64) < lower as i64)
        } else {
            (lower.wrapping_sub(upper), (upper as i64) > lower as i64)
        };
        if empty { 0 } else { span / self.step.unsigned_abs().max(1) + 1 }
    }

    /// # Safety
    /// The fields must be what a compiler passes.
    #[inline(never)]
    unsafe fn run(&self, gtid: i32) {
        task::may_hide_regions();
        // SAFETY: as the caller promises; bounds have the same place in each copy.
        unsafe {
            if !self.no_group {
                group::begin();
            }
            let pattern = Task::of(self.task);
            let trips = self.trips();
            if trips != 0 {
                let start = self.lower.read();
                let cut = Cut::new(trips, self.clause, self.value, self.strict);
                let (mut number, mut from, mut block) = (0, 0, core::ptr::null_mut());
                while number < cut.tasks {
                    let is_last = number + 1 == cut.tasks;
                    let size = if is_last { cut.last } else { cut.size + u64::from(number < cut.larger) };
                    // Without a function that copies variables, the last part can be the pattern.
                    let part = if is_last && self.copy.is_null() {
                        give(block);
                        pattern
                    } else {
                        task::copy(pattern, block)
                    };
                    let bound = |of: *mut u64| {
                        let at = of.cast::<u8>().offset_from(self.task.cast::<u8>());
                        Task::public(part).cast::<u8>().offset(at).cast::<u64>()
                    };
                    let at = |trip: u64| start.wrapping_add(trip.wrapping_mul(self.step as u64));
                    bound(self.lower).write(at(from));
                    bound(self.upper).write(at(from + size - 1));
                    if !self.copy.is_null() {
                        arch::call_task_copy(
                            self.copy,
                            Task::public(part).cast(),
                            self.task.cast(),
                            is_last as i32,
                        );
                    }
                    block = task::submit_part(gtid, part);
                    from += size;
                    number += 1;
                }
                give(block);
            }
            if trips == 0 || !self.copy.is_null() {
                task::discard(gtid, pattern);
            }
            if !self.no_group {
                group::end();
            }
        }
    }
}

macro_rules! task_loops {
    ($($(#[$attribute:meta])+ $name:ident($($modifier:ident: i32,)?) strict: $strict:expr;)+) => { $(
        $(#[$attribute])+
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _loc: *const Ident,
            gtid: i32,
            task: *mut Public,
            _if_clause: i32,
            lower: *mut u64,
            upper: *mut u64,
            step: i64,
            no_group: i32,
            clause: i32,
            value: u64,
            $($modifier: i32,)?
            copy: Code,
        ) {
            let (no_group, strict) = (no_group != 0, $strict);
            // SAFETY: the compiler's task.
            unsafe { Loop { task, lower, upper, step, no_group, clause, value, strict, copy }.run(gtid) }
        }
    )+ };
}
task_loops! {
    #[allow(missing_docs)]
    __kmpc_taskloop() strict: false;
    /// With the modifier `strict`.
    __kmpc_taskloop_5(modifier: i32,) strict: modifier != 0;
}
