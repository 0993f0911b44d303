//! Explicit tasks: memory, parts of loops, dependences, events, groups. Calls are written as compilers do.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    arch::{Code, WARP},
    query::*,
    sync::__kmpc_barrier,
    tasking::{
        blocks, deferred::*, dependence::*, group, group::*, query::*, reduction::*, task::*, taskloop::*,
        wait::*,
    },
};
use kernels::{Kernel, region};
use machine::{launch, mallocs};
use std::{
    ptr::{null, null_mut},
    sync::{
        Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering::SeqCst},
    },
};

static TEST: Mutex<()> = Mutex::new(());
static RAN: AtomicU32 = AtomicU32::new(0);
static SUM: AtomicU64 = AtomicU64::new(0);
static EVENTS: [AtomicU64; 64] = [const { AtomicU64::new(0) }; 64];

fn start() -> impl Drop {
    let guard = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    RAN.store(0, SeqCst);
    SUM.store(0, SeqCst);
    for event in &EVENTS {
        event.store(0, SeqCst);
    }
    guard
}

const TIED: i32 = 1;
const FINAL: i32 = 2;
const DESTRUCTORS: i32 = 8;
const IN: u8 = 1;
const OUT: u8 = 3;

/// What the tasks of these tests look like: the public part, then a value.
#[repr(C)]
struct Plain {
    shareds: *mut u8,
    routine: Code,
    part: i32,
    destructors: Code,
    priority: u64,
    lower: u64,
    upper: u64,
    value: u64,
}

type Routine = extern "C" fn(i32, *mut Plain) -> i32;

fn new_task(flags: i32, routine: Routine, value: u64) -> *mut Plain {
    let task = __kmpc_omp_task_alloc(null(), 0, flags, size_of::<Plain>() as u64, 16, routine as Code);
    assert_eq!(task as usize % 16, 0);
    let task = task.cast::<Plain>();
    // SAFETY: a task of the right size.
    unsafe {
        (*task).value = value;
        (*task).shareds.cast::<u64>().write(value);
        assert_eq!((*task).part, 0);
    }
    task
}

/// `task` with these dependences; with a number of an event it is detachable.
fn task(flags: i32, routine: Routine, value: u64, dependences: &[(u64, u8)], event: Option<usize>) {
    let task = new_task(flags, routine, value).cast::<Public>();
    let list: Vec<_> =
        dependences.iter().map(|&(address, kind)| Dependence { address, bytes: 8, kind }).collect();
    // SAFETY: a new task; the list lives during the call.
    unsafe {
        if let Some(event) = event {
            EVENTS[event].store(__kmpc_task_allow_completion_event(null(), 0, task) as u64, SeqCst);
        }
        if list.is_empty() {
            __kmpc_omp_task(null(), 0, task);
        } else {
            // Both lists are used: the runtime must read both.
            let (first, second) = list.split_at(list.len() / 2);
            let (n, m) = (first.len() as i32, second.len() as i32);
            __kmpc_omp_task_with_deps(null(), 0, task, n, first.as_ptr(), m, second.as_ptr());
        }
    }
}

fn fulfil(event: usize) {
    // SAFETY: an event that was not fulfilled yet.
    unsafe { omp_fulfill_event(EVENTS[event].load(SeqCst)) }
}

/// Notes a digit.
fn note(digit: u64) {
    SUM.store(SUM.load(SeqCst) * 10 + digit, SeqCst);
}

extern "C" fn notes(_gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: a task of this file.
    unsafe {
        assert_eq!((*task).shareds.cast::<u64>().read(), (*task).value);
        note((*task).value);
    }
    0
}

#[track_caller]
fn noted(digits: u64) {
    assert_eq!(SUM.swap(0, SeqCst), digits);
}

/// Runs `body` in the serial part of a generic kernel.
fn serial(body: impl Fn() + Sync) {
    let kernel = Kernel::new(ExecMode::GENERIC);
    launch(1, 64, || kernel.run(&body));
}

extern "C" fn is_in_task(_gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: a task of this file.
    let depth = unsafe { (*task).value };
    assert_eq!(omp_in_explicit_task(), 1);
    RAN.fetch_add(1, SeqCst);
    if depth != 0 {
        let final_before = omp_in_final();
        self::task(if depth == 3 { FINAL } else { 0 } | TIED, is_in_task, depth - 1, &[], None);
        assert_eq!((omp_in_final(), omp_in_explicit_task()), (final_before, 1));
    }
    assert_eq!(omp_in_final(), (depth < 3) as i32, "depth {depth}");
    0
}

#[test]
fn tasks_know_where_they_are() {
    let _test = start();
    let before = mallocs();
    serial(|| {
        assert_eq!((omp_in_explicit_task(), omp_in_final()), (0, 0));
        task(TIED, is_in_task, 10, &[], None);
        assert_eq!((omp_in_explicit_task(), omp_in_final()), (0, 0));
    });
    assert_eq!((RAN.load(SeqCst), mallocs()), (11, before), "tasks need no heap");
}

extern "C" fn deep(_gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: a task of this file.
    let depth = unsafe { (*task).value };
    RAN.fetch_add(1, SeqCst);
    if depth != 0 {
        self::task(if depth == 50 { FINAL } else { 0 }, deep, depth - 1, &[], None);
    } else {
        assert_eq!((omp_in_explicit_task(), omp_in_final()), (1, 1));
    }
    assert_eq!((omp_in_explicit_task(), omp_in_final()), (1, (depth < 50) as i32));
    0
}

#[test]
fn deep_recursion_goes_on_on_the_heap() {
    let _test = start();
    let before = mallocs();
    serial(|| task(0, deep, 60, &[], None));
    assert_eq!(RAN.load(SeqCst), 61);
    assert!(mallocs() > before, "there are fewer places than this");
}

#[test]
fn blocks_are_found_again_and_are_apart() {
    let _test = start();
    launch(2, 40, || {
        let sizes = [1, 100, 240, 241, 5000];
        let all: Vec<_> = (0..50).map(|i| (blocks::take(sizes[i % 5]), sizes[i % 5])).collect();
        for (i, &(block, bytes)) in all.iter().enumerate() {
            assert_eq!(block as usize % 16, 0);
            // SAFETY: the block has so many bytes.
            unsafe { block.write_bytes(i as u8, bytes as usize) }
        }
        for (i, &(block, bytes)) in all.iter().enumerate() {
            // SAFETY: as above; the block goes.
            unsafe {
                assert!(std::slice::from_raw_parts(block, bytes as usize).iter().all(|b| *b == i as u8));
                blocks::give(block);
            }
        }
    });
}

extern "C" fn in_parts(gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: a task of this file, whose next part a compiler asks for like this.
    unsafe {
        note((*task).part as u64 + 1);
        (*task).part += 1;
        if (*task).part < 4 {
            __kmpc_omp_task(null(), gtid, task.cast());
        }
    }
    0
}

extern "C" fn destroys(_gtid: i32, _task: *mut Plain) -> i32 {
    note(9);
    0
}

#[test]
fn untied_tasks_run_all_their_parts_and_variables_are_destroyed_once() {
    let _test = start();
    serial(|| {
        let with_destructors = || {
            let task = new_task(DESTRUCTORS, in_parts, 0);
            // SAFETY: a new task.
            unsafe { (*task).destructors = destroys as Routine as Code };
            task.cast::<Public>()
        };
        // SAFETY: new tasks.
        unsafe {
            __kmpc_omp_task(null(), 0, with_destructors());
            noted(12349);
            let task = with_destructors();
            __kmpc_omp_task_begin_if0(null(), 0, task);
            in_parts(0, task.cast());
            __kmpc_omp_task_complete_if0(null(), 0, task);
            noted(12349);
        }
        let dependence = [(8, OUT), (16, IN)];
        task(0, in_parts, 0, &dependence, Some(0));
        noted(1234);
        fulfil(0);
    });
}

#[test]
fn dependences_hold_up_as_the_specification_says() {
    use kind::{ALL, MUTEX, SET};
    let table = [
        // The one before, the one behind, whether it waits.
        (IN, IN, false),
        (IN, OUT, true),
        (OUT, IN, true),
        (OUT, OUT, true),
        (SET, SET, false),
        (SET, IN, true),
        (IN, SET, true),
        (SET, OUT, true),
        (OUT, SET, true),
        (MUTEX, IN, true),
        (OUT, MUTEX, true),
        (MUTEX, SET, true),
        (SET, MUTEX, true),
    ];
    let of = |address, kind| Dependence { address, bytes: 4, kind };
    for (first, second, waits) in table {
        for runs in [false, true] {
            assert_eq!(of(8, first).holds_up(&of(8, second), runs), waits, "{first} {second}");
            assert!(!of(8, first).holds_up(&of(16, second), runs), "{first} {second}");
        }
        assert!(of(0, ALL).holds_up(&of(8, second), false) && of(8, first).holds_up(&of(0, ALL), false));
    }
    assert!(of(8, MUTEX).holds_up(&of(8, MUTEX), true) && !of(8, MUTEX).holds_up(&of(8, MUTEX), false));
    assert!(of(0, ALL | OUT).holds_up(&of(0, ALL | OUT), false));
}

#[test]
fn what_hangs_on_an_event_waits_for_it() {
    let _test = start();
    serial(|| {
        let item = Dependence { address: 8, bytes: 8, kind: IN };
        task(TIED, notes, 1, &[(8, OUT)], Some(0));
        task(TIED, notes, 5, &[(8, IN)], None);
        task(TIED, notes, 2, &[(16, IN), (24, OUT)], None);
        task(TIED, notes, 6, &[(16, IN), (8, OUT), (24, IN)], None);
        __kmpc_omp_taskyield(null(), 0, 0);
        note(3);
        fulfil(0);
        note(4);
        // SAFETY: a list of one.
        unsafe { __kmpc_omp_wait_deps(null(), 0, 1, &raw const item, 0, null()) };
        note(7);
        // SAFETY: as above; an empty task behind nothing.
        unsafe { __kmpc_omp_taskwait_deps_51(null(), 0, 1, &raw const item, 0, null(), 1) };
        __kmpc_omp_taskwait(null(), 0);
        noted(1234567);

        // The end of the kernel waits as well.
        task(TIED, notes, 1, &[(8, OUT)], Some(1));
        task(TIED, notes, 2, &[(8, IN)], None);
        fulfil(1);
    });
    noted(12);
}

regions! {
    // Each thread's task hangs on an event that its neighbour fulfils.
    neighbours / neighbours_wrapper(_arg) {
        let (me, threads) = (omp_get_thread_num() as usize, omp_get_num_threads() as usize);
        task(TIED, counts, 1, &[(8, OUT)], Some(me));
        task(TIED, counts, 100, &[(8, IN)], None);
        let next = (me + 1) % threads;
        while EVENTS[next].load(SeqCst) == 0 {
            std::thread::yield_now();
        }
        fulfil(next);
        __kmpc_barrier(null(), me as i32);
        assert_eq!(SUM.load(SeqCst), 101 * threads as u64, "the barrier waits for all tasks");
        __kmpc_barrier(null(), me as i32);
        EVENTS[me].store(0, SeqCst);
        SUM.store(0, SeqCst);
        __kmpc_barrier(null(), me as i32);
        // And the end of the region.
        task(TIED, counts, 1, &[(8, OUT)], Some(me));
        task(TIED, counts, 100, &[(8, IN)], None);
        fulfil(me);
    }
    cancels / cancels_wrapper(_arg) {
        __kmpc_taskgroup(null(), 0);
        for _ in 0..3 {
            task(TIED, counts, 1, &[], None);
        }
        task(TIED, cancels_group, 0, &[], None);
        assert!(group::cancelled());
        for _ in 0..3 {
            task(TIED, counts, 1000, &[], None);
        }
        __kmpc_end_taskgroup(null(), 0);
        assert!(!group::cancelled());
        __kmpc_taskgroup(null(), 0);
        task(TIED, counts, 10, &[], None);
        __kmpc_end_taskgroup(null(), 0);
    }
}

extern "C" fn counts(_gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: a task of this file.
    SUM.fetch_add(unsafe { (*task).value }, SeqCst);
    0
}

extern "C" fn cancels_group(_gtid: i32, _task: *mut Plain) -> i32 {
    // A group inside is not the one that is cancelled.
    __kmpc_taskgroup(null(), 0);
    __kmpc_end_taskgroup(null(), 0);
    group::cancel();
    assert!(group::cancelled());
    0
}

#[test]
fn barriers_and_ends_of_regions_wait_for_tasks() {
    let _test = start();
    for (mode, threads) in [(ExecMode::GENERIC, 64), (ExecMode::SPMD, 40)] {
        let kernel = Kernel::new(mode);
        launch(1, threads, || {
            kernel.run(|| {
                region(true, -1, neighbours, neighbours_wrapper as Code, null_mut());
            })
        });
        let team = if mode == ExecMode::SPMD { 40 } else { 32 };
        assert_eq!(SUM.swap(0, SeqCst), 101 * team);
        start_again();
    }
}

fn start_again() {
    for event in &EVENTS {
        event.store(0, SeqCst);
    }
}

#[test]
fn a_cancelled_group_starts_no_tasks() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(1, 40, || kernel.run(|| region(true, -1, cancels, null(), null_mut())));
    assert_eq!(SUM.load(SeqCst), 13 * 40);
    // Also those that wait.
    SUM.store(0, SeqCst);
    serial(|| {
        __kmpc_taskgroup(null(), 0);
        task(TIED, notes, 1, &[(8, OUT)], Some(0));
        task(TIED, notes, 2, &[(8, IN)], None);
        group::cancel();
        fulfil(0);
        __kmpc_end_taskgroup(null(), 0);
        task(TIED, notes, 3, &[(8, IN)], None);
    });
    noted(13);
}

extern "C" fn waits_in_group(_gtid: i32, _task: *mut Plain) -> i32 {
    task(TIED, notes, 1, &[(8, OUT)], Some(0));
    task(TIED, notes, 4, &[(8, IN)], None);
    note(2);
    0
}

#[test]
fn groups_wait_for_all_that_descends_and_taskwait_for_children() {
    let _test = start();
    serial(|| {
        __kmpc_taskgroup(null(), 0);
        task(TIED, waits_in_group, 0, &[], None);
        __kmpc_omp_taskwait(null(), 0);
        note(3);
        fulfil(0);
        __kmpc_end_taskgroup(null(), 0);
        note(5);
    });
    noted(12345);
}

#[test]
fn loops_are_cut_as_the_clauses_say() {
    let cut = |trips, clause, value, strict| {
        let Cut { tasks, size, larger, last } = Cut::new(trips, clause, value, strict);
        (tasks, size, larger, last)
    };
    assert_eq!(cut(103, 0, 0, false), (1, 103, 0, 103));
    assert_eq!(cut(103, 1, 10, false), (10, 10, 3, 10));
    assert_eq!(cut(103, 1, 10, true), (11, 10, 0, 3));
    assert_eq!(cut(100, 1, 10, true), (10, 10, 0, 10));
    assert_eq!(cut(9, 1, 10, false), (1, 9, 0, 9));
    assert_eq!(cut(9, 1, 10, true), (1, 10, 0, 9));
    assert_eq!(cut(103, 2, 7, false), (7, 14, 5, 14));
    assert_eq!(cut(5, 2, 7, true), (5, 1, 0, 1));
    assert_eq!(cut(u64::MAX, 1, 1 << 62, false), (3, u64::MAX / 3, 0, u64::MAX / 3));
    for (trips, clause, value) in [(1000, 1, 7), (1000, 2, 13), (17, 1, 16), (1, 1, 1)] {
        for strict in [false, true] {
            let c = Cut::new(trips, clause, value, strict);
            let all: u64 = (0..c.tasks)
                .map(|i| if i + 1 == c.tasks { c.last } else { c.size + u64::from(i < c.larger) })
                .sum();
            assert_eq!(all, trips);
        }
    }
}

/// Iterations that were run; `value` is the copy's, set by `copies`, and of no other part.
extern "C" fn body(_gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: a task of this file.
    let (lower, upper, value) = unsafe {
        let value = (*task).value;
        (*task).value += 100;
        ((*task).lower, (*task).upper, value)
    };
    note(upper.wrapping_sub(lower).wrapping_add(1));
    RAN.fetch_add(value as u32, SeqCst);
    0
}

extern "C" fn copies(to: *mut Plain, from: *mut Plain, last: i32) {
    // SAFETY: tasks of this file.
    unsafe { (*to).value = (*from).value + if last != 0 { 1000 } else { 0 } }
}

/// A task loop of `task` from the first bound to the second; the clause, its value, and whether it is strict.
fn task_loop(
    gtid: i32,
    task: *mut Plain,
    bounds: (u64, u64, i64),
    (clause, value, strict): (i32, u64, i32),
    copy: Code,
) {
    let (lower, upper, step) = bounds;
    // SAFETY: a new task with its bounds.
    unsafe {
        (*task).lower = lower;
        (*task).upper = upper;
        let (low, high) = (&raw mut (*task).lower, &raw mut (*task).upper);
        __kmpc_taskloop_5(null(), gtid, task.cast(), 1, low, high, step, 0, clause, value, strict, copy);
    }
}

#[test]
fn task_loops_run_their_parts() {
    let _test = start();
    serial(|| {
        let run = |lower: u64, upper: u64, step: i64, clause, value, strict, copy: Code, expected, sum| {
            task_loop(0, new_task(TIED, body, 1), (lower, upper, step), (clause, value, strict), copy);
            noted(expected);
            assert_eq!(RAN.swap(0, SeqCst), sum);
        };
        let copy = copies as extern "C" fn(*mut Plain, *mut Plain, i32) as Code;
        run(0, 9, 1, 1, 3, 0, null(), 433, 3);
        run(0, 9, 1, 1, 3, 1, copy, 3331, 1004);
        run(5, 9, 1, 0, 0, 0, copy, 5, 1001);
        // No iteration: as many as -1, and -5.
        run(0, u64::MAX, 1, 1, 3, 0, null(), 0, 0);
        run(0, -6i64 as u64, 1, 1, 3, 0, copy, 0, 0);
    });
}

regions! {
    // Inside a task of a region: its thread alone, one level deeper.
    inside / inside_wrapper(_arg) {
        assert_eq!((omp_get_level(), omp_get_num_threads()), (2, 1));
        RAN.fetch_add(1, SeqCst);
    }
    some_start_tasks / some_start_tasks_wrapper(_arg) {
        let (thread, threads) = (omp_get_thread_num(), omp_get_num_threads());
        if thread % 3 == 1 {
            task_loop(thread, new_task(TIED, starts_region, 0), (0, 3, 1), (2, 4, 0), null());
            task(TIED, starts_region, 0, &[(1, OUT)], None);
        }
        assert_eq!((omp_get_level(), omp_get_num_threads()), (1, threads));
    }
}

extern "C" fn starts_region(_gtid: i32, _task: *mut Plain) -> i32 {
    region(true, -1, inside, inside_wrapper as Code, null_mut());
    0
}

/// openmp-opt sees no region in tasks of these kinds, so the kernel says that none is inside another.
#[test]
fn regions_in_tasks_are_inside_where_the_compiler_does_not_see_them() {
    let _test = start();
    for (mode, threads) in [(ExecMode::SPMD, 64), (ExecMode::GENERIC, 64 + WARP)] {
        let kernel = Kernel::new(mode).flat();
        launch(1, threads, || {
            kernel.run(|| {
                region(true, -1, some_start_tasks, some_start_tasks_wrapper as Code, null_mut());
                assert_eq!((omp_get_level(), omp_get_num_threads()), (0, 1));
            });
        });
        assert_eq!(RAN.swap(0, SeqCst), 21 * 5);
    }
}

/// A reduction's variable.
fn input(shared: &mut u64) -> [usize; 7] {
    extern "C" fn init(copy: *mut u64, original: *const u64) {
        // SAFETY: what the runtime passes.
        unsafe {
            assert_eq!(*copy, 0, "a fresh copy");
            assert_eq!(*original, 5);
            *copy = 100;
        }
    }
    extern "C" fn combine(into: *mut u64, from: *const u64) {
        // SAFETY: as above.
        unsafe { *into += *from - 100 }
    }
    extern "C" fn fini(_copy: *mut u64) {
        RAN.fetch_add(1, SeqCst);
    }
    let address = &raw mut *shared as usize;
    [
        address,
        address,
        8,
        init as extern "C" fn(*mut u64, *const u64) as usize,
        fini as extern "C" fn(*mut u64) as usize,
        combine as extern "C" fn(*mut u64, *const u64) as usize,
        0,
    ]
}

extern "C" fn reduces(gtid: i32, task: *mut Plain) -> i32 {
    // SAFETY: the value is the address of the variable.
    unsafe {
        let data = (*task).value as *mut u8;
        let copy = __kmpc_task_reduction_get_th_data(gtid, null_mut(), data);
        assert_ne!(copy, data);
        assert_eq!(__kmpc_task_reduction_get_th_data(gtid, null_mut(), copy), copy, "found by the copy too");
        *copy.cast::<u64>() += 7;
    }
    0
}

#[test]
fn reductions_combine_the_copies_of_tasks() {
    let _test = start();
    serial(|| {
        let (mut shared, mut other) = (5u64, 5u64);
        let address = &raw mut shared as u64;
        let inputs = [input(&mut other), input(&mut shared)];
        __kmpc_taskgroup(null(), 0);
        // SAFETY: a list of two.
        let group = unsafe { __kmpc_taskred_init(0, 2, inputs.as_ptr().cast()) };
        for _ in 0..4 {
            task(TIED, reduces, address, &[], None);
        }
        // A group inside, which has no reduction of its own.
        __kmpc_taskgroup(null(), 0);
        task(TIED, reduces, address, &[], None);
        __kmpc_end_taskgroup(null(), 0);
        // SAFETY: this thread's group.
        unsafe { *__kmpc_task_reduction_get_th_data(0, group, address as *mut u8).cast::<u64>() += 1 };
        assert_eq!(shared, 5);
        __kmpc_end_taskgroup(null(), 0);
        assert_eq!((shared, other, RAN.load(SeqCst)), (5 + 5 * 7 + 1, 5, 1));
    });
}

regions! {
    shares_group / shares_group_wrapper(group) {
        // SAFETY: the group of the thread that called the region, and its variable.
        unsafe {
            let [group, data] = *group.cast::<[*mut u8; 2]>();
            let copy = __kmpc_task_reduction_get_th_data(0, group.cast(), data);
            *copy.cast::<u64>() += 3;
        }
    }
    modifies / modifies_wrapper(_arg) {
        let mut mine = 5u64;
        let inputs = [input(&mut mine)];
        // SAFETY: a list of one.
        unsafe { __kmpc_taskred_modifier_init(null(), 0, 0, 1, inputs.as_ptr().cast()) };
        task(TIED, reduces, &raw mut mine as u64, &[], None);
        task(TIED, reduces, &raw mut mine as u64, &[], None);
        __kmpc_task_reduction_modifier_fini(null(), 0, 0);
        assert_eq!(mine, 5 + 14);
        SUM.fetch_add(mine, SeqCst);
    }
}

#[test]
fn each_thread_has_a_copy() {
    let _test = start();
    serial(|| {
        let mut shared = 5u64;
        let inputs = [input(&mut shared)];
        __kmpc_taskgroup(null(), 0);
        // SAFETY: a list of one.
        let group = unsafe { __kmpc_taskred_init(0, 1, inputs.as_ptr().cast()) };
        let mut arg = [group.cast::<u8>(), (&raw mut shared).cast()];
        region(true, -1, shares_group, shares_group_wrapper as Code, (&raw mut arg).cast());
        __kmpc_end_taskgroup(null(), 0);
        assert_eq!((shared, RAN.load(SeqCst)), (5 + 3 * 32, 32));
    });
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(2, 40, || kernel.run(|| region(true, -1, modifies, null(), null_mut())));
    assert_eq!(SUM.load(SeqCst), 2 * 40 * 19);
}
