//! The tasks of `tasks.c` in kernels of Rust: what clang writes for a task is a function, and a record that the runtime allocates and
//! whose variables follow what it knows of itself.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[path = "shared/numbers.rs"]
mod numbers;

use core::sync::atomic::{AtomicU32, Ordering};
use frame::*;

/// What the runtime knows of a task (`kmp.h`: `kmp_task_t`), the part of a loop that it runs if it is one of a taskloop, and its variables.
#[repr(C)]
struct Task {
    shared: *mut c_void,
    routine: Routine,
    part: i32,
    destructors: *const c_void,
    priority: u64,
    lower: u64,
    upper: u64,
    stride: i64,
    last: i32,
    reductions: *mut c_void,
    mine: *mut u32,
}

type Routine = extern "C" fn(number: i32, task: *mut Task) -> i32;

/// Flags of a task: it is not in parts.
const TIED: i32 = 1;
/// How a taskloop is cut: `grainsize`.
const GRAINSIZE: i32 = 1;

unsafe extern "C" {
    fn __kmpc_omp_task_alloc(
        location: Location,
        number: i32,
        flags: i32,
        bytes: usize,
        shared: usize,
        routine: Routine,
    ) -> *mut Task;
    fn __kmpc_omp_task(location: Location, number: i32, task: *mut Task) -> i32;
    fn __kmpc_omp_task_begin_if0(location: Location, number: i32, task: *mut Task);
    fn __kmpc_omp_task_complete_if0(location: Location, number: i32, task: *mut Task);
    fn __kmpc_omp_taskwait(location: Location, number: i32) -> i32;
    fn __kmpc_taskgroup(location: Location, number: i32);
    fn __kmpc_end_taskgroup(location: Location, number: i32);
    fn __kmpc_taskloop(
        location: Location,
        number: i32,
        task: *mut Task,
        if_clause: i32,
        lower: *mut u64,
        upper: *mut u64,
        stride: i64,
        no_group: i32,
        schedule: i32,
        grainsize: u64,
        copy: *const c_void,
    );
}

/// The task: adds a number for each of its iterations to its thread's word.
extern "C" fn add(_number: i32, task: *mut Task) -> i32 {
    // SAFETY: the runtime hands over the task, whose variables were set when it was made.
    unsafe {
        let (mut i, upper) = ((*task).lower, (*task).upper);
        while i <= upper {
            AtomicU32::from_ptr((*task).mine).fetch_add(hash(i as u32), Ordering::Relaxed);
            i += 1;
        }
    }
    0
}

/// A task of these iterations.
#[inline(always)]
unsafe fn new(number: i32, mine: *mut u32, lower: u64, upper: u64) -> *mut Task {
    // SAFETY: the runtime gives as many bytes.
    unsafe {
        let task = __kmpc_omp_task_alloc(location(), number, TIED, size_of::<Task>(), 0, add);
        (*task).mine = mine;
        (*task).lower = lower;
        (*task).upper = upper;
        (*task).stride = 1;
        task
    }
}

/// Each thread makes `repeats` tasks and waits for them.
macro_rules! kernel {
    ($name:literal, |$number:ident, $mine:ident, $repeats:ident| $body:block) => {
        spmd!($name, |launch, $number| {
            let thread = omp_get_thread_num();
            let $mine = launch.of_team().add(thread as usize);
            let $repeats = launch.repeats;
            let mut expected = launch.seed;
            let mut i = 0;
            while i < $repeats {
                expected = expected.wrapping_add(hash(i as u32));
                i += 1;
            }
            $mine.write_volatile(launch.seed);
            barrier();
            let start = clock();
            $body
            barrier();
            let end = clock();
            if thread == 0 {
                launch.took(start, end);
            }
            launch.judge($mine.read_volatile() == expected);
        });
    };
    // With the same for each of the tasks.
    ($name:literal, each |$number:ident, $mine:ident, $i:ident| $body:block, $after:block) => {
        kernel!($name, |$number, $mine, repeats| {
            let mut $i = 0;
            while $i < repeats {
                $body
                $i += 1;
            }
            $after
        });
    };
}

kernel!(
    "task",
    each | number,
    mine,
    i | {
        __kmpc_omp_task(location(), number, new(number, mine, i, i));
    },
    {
        __kmpc_omp_taskwait(location(), number);
    }
);
kernel!(
    "undeferred",
    each | number,
    mine,
    i | {
        let task = new(number, mine, i, i);
        __kmpc_omp_task_begin_if0(location(), number, task);
        add(number, task);
        __kmpc_omp_task_complete_if0(location(), number, task);
    },
    {}
);
kernel!(
    "taskgroup",
    each | number,
    mine,
    i | {
        __kmpc_taskgroup(location(), number);
        __kmpc_omp_task(location(), number, new(number, mine, i, i));
        __kmpc_end_taskgroup(location(), number);
    },
    {}
);
kernel!("taskloop", |number, mine, repeats| {
    __kmpc_taskgroup(location(), number);
    let task = new(number, mine, 0, repeats - 1);
    let (lower, upper) = (&raw mut (*task).lower, &raw mut (*task).upper);
    __kmpc_taskloop(location(), number, task, 1, lower, upper, 1, 1, GRAINSIZE, 1, core::ptr::null());
    __kmpc_end_taskgroup(location(), number);
});
