//! Schedules that hand out chunks while the loop runs: every iteration exactly once, chunks as the schedule says and in
//! increasing order, loops one behind the other without barriers, ordered regions in order.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    arch::Code,
    query::{omp_get_num_threads, omp_get_thread_num, omp_set_schedule},
    state,
    sync::__kmpc_barrier,
    worksharing::{
        Share,
        dynamic::*,
        league::*,
        ordered::*,
        schedule::{Kind, Schedule, guided},
        static_,
    },
};
use kernels::{Kernel, region};
use std::{
    ptr::{null, null_mut},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

const STATIC_CHUNK: i32 = 33;
const STATIC: i32 = 34;
const DYNAMIC: i32 = 35;
const GUIDED: i32 = 36;
const RUNTIME: i32 = 37;
const AUTO: i32 = 38;
const TRAPEZOIDAL: i32 = 39;
/// Added to a schedule: the loop has an `ordered` clause.
const ORDERED: i32 = 32;
const MONOTONIC: i32 = 1 << 29;
const NONMONOTONIC: i32 = 1 << 30;

#[test]
fn last_iterations_of_loops() {
    assert_eq!(
        [last_i32(0, 9, 1), last_i32(9, 0, -1), last_i32(0, 9, 4), last_i32(0, 9, 10)],
        [Some(9), Some(9), Some(2), Some(0)]
    );
    assert_eq!(
        [last_i32(1, 0, 1), last_i32(0, 1, -1), last_i32(5, 5, -7), last_i32(0, 9, 0)],
        [None, None, Some(0), None]
    );
    assert_eq!(last_i32(i32::MIN, i32::MAX, 1), Some(u32::MAX));
    assert_eq!(last_i32(i32::MAX, i32::MIN, i32::MIN), Some(1));
    assert_eq!(last_u32(0, u32::MAX, 1), Some(u32::MAX));
    assert_eq!(last_u32(7, u32::MAX, u32::MAX), Some(0));
    assert_eq!(last_i64(i64::MIN, i64::MAX, 1), Some(u64::MAX));
    assert_eq!(last_i64(i64::MIN, i64::MAX, 2), Some((1 << 63) - 1));
    assert_eq!(last_u64(0, u64::MAX, 1), Some(u64::MAX));
    assert_eq!(last_u64(u64::MAX - 3, u64::MAX, 1), Some(3));
}

#[test]
fn schedules_of_compilers() {
    let of = |schedule, chunk| {
        let s = Schedule::new(schedule, chunk, || panic!("run-sched-var is for schedule(runtime)"));
        (s.kind, s.chunk, s.ordered)
    };
    for modifiers in [0, MONOTONIC, NONMONOTONIC] {
        // "Nomerge" schedules are 128 above the others.
        for nomerge in [0, 128] {
            for ordered in [0, ORDERED] {
                let of = |schedule: i32, chunk| {
                    let (kind, chunk, is_ordered) = of((schedule + ordered + nomerge) | modifiers, chunk);
                    assert_eq!(is_ordered, ordered != 0, "{schedule} {nomerge} {ordered}");
                    (kind, chunk)
                };
                assert_eq!(of(STATIC_CHUNK, 5), (Kind::Static, 5));
                assert_eq!(of(STATIC_CHUNK, 0), (Kind::Static, 1));
                assert_eq!(of(STATIC, 5), (Kind::Blocks, 1));
                assert_eq!(of(DYNAMIC, 7), (Kind::Dynamic, 7));
                assert_eq!(of(DYNAMIC, -7), (Kind::Dynamic, 1));
                assert_eq!(of(GUIDED, 7), (Kind::Guided, 7));
                assert_eq!(of(AUTO, 7), (Kind::Dynamic, 1));
                assert_eq!(of(TRAPEZOIDAL, 7), (Kind::Guided, 7));
            }
        }
    }
    assert_eq!(of(DYNAMIC, i64::MAX), (Kind::Dynamic, 1 << 58, false));
}

#[test]
fn run_sched_var() {
    let of = |kind: u32, chunk: i32| {
        let s = Schedule::new(RUNTIME + ORDERED, 1, || kind as u64 | (chunk as u32 as u64) << 32);
        assert!(s.ordered);
        (s.kind, s.chunk)
    };
    for monotonic in [0, 1 << 31] {
        assert_eq!(of(1 | monotonic, 4), (Kind::Static, 4));
        assert_eq!(of(1 | monotonic, 0), (Kind::Blocks, 1));
        assert_eq!(of(2 | monotonic, 6), (Kind::Dynamic, 6));
        assert_eq!(of(2 | monotonic, -1), (Kind::Dynamic, 1));
        assert_eq!(of(3 | monotonic, 9), (Kind::Guided, 9));
        assert_eq!(of(4 | monotonic, 9), (Kind::Dynamic, 1));
        assert_eq!(of(101 | monotonic, 9), (Kind::Guided, 9));
    }
}

#[test]
fn guided_chunks_shrink_to_the_smallest() {
    for threads in [1, 2, 3, 32, 100, 1024] {
        for smallest in [1, 5, 1000] {
            for trips in [1u64, 999, 1_000_000, u64::MAX] {
                let (mut left, mut before, mut chunks) = (trips, u64::MAX, 0);
                while left != 0 {
                    let size = guided(left, threads, smallest);
                    assert!(
                        size <= before && size >= smallest,
                        "{threads} {smallest} {trips}: {before} {size}"
                    );
                    // Proportional to what is left for each thread: between a quarter and a half of it.
                    let share = left / threads as u64;
                    let proportional = size >= share / 4 && (size <= share / 2 || size == smallest);
                    assert!(
                        proportional || size == 1 << 58,
                        "{threads} {smallest} {trips}: {size} of {left}"
                    );
                    (before, left, chunks) = (size, left - left.min(size), chunks + 1);
                }
                assert!(chunks < 4 * threads as u64 * 64 + trips.min(1_000_000) / smallest + 2);
                assert!(trips < 999_999 || before == smallest, "{threads} {smallest} {trips}");
            }
        }
    }
}

/// The chunks of thread `id` of a static loop.
fn chunks_of(id: u32, of: u32, blocks: bool, trips: u64, chunk: u64) -> Vec<(u64, u64)> {
    let mut position = u64::MAX;
    let next = || {
        let (start, size) = assigned(Share { id, of }, blocks, trips, chunk, position)?;
        position = start;
        Some((start, size.min(trips - start)))
    };
    std::iter::from_fn(next).collect()
}

#[test]
fn static_chunks_as_without_dispatch() {
    for of in [1, 2, 3, 32, 100] {
        for trips in [0, 1, 5, 99, 1000] {
            for id in 0..of {
                for (blocks, schedule, chunk) in
                    [(true, 34, 1), (false, 33, 1), (false, 33, 7), (false, 33, 4000)]
                {
                    let part = static_::i64::of_loop(schedule, 0, trips - 1, 1, chunk, Share { id, of });
                    let mut wanted = Vec::new();
                    let (mut from, mut to) = (part.lower, part.upper);
                    while from <= to.min(trips - 1) {
                        let size = to.min(trips - 1) - from + 1;
                        wanted.push((from as u64, size as u64));
                        (from, to) =
                            if blocks { (trips, trips) } else { (from + part.stride, to + part.stride) };
                    }
                    let got = chunks_of(id, of, blocks, trips as u64, chunk as u64);
                    assert_eq!(
                        got, wanted,
                        "{id} of {of}, {trips} iterations, schedule {schedule}, chunk {chunk}"
                    );
                }
            }
        }
    }
    // Chunk numbers and distances beyond 64 bits.
    assert_eq!(chunks_of(3, 4, false, u64::MAX, 1 << 62), [(3 << 62, (1 << 62) - 1)]);
    assert_eq!(chunks_of(5, 1024, false, u64::MAX, 1 << 62), []);
    assert_eq!(chunks_of(1, 2, true, u64::MAX, 1), [(1 << 63, (1 << 63) - 1)]);
}

/// One loop of a test: schedule, bounds, step, chunk.
#[derive(Clone, Copy, Debug, Default)]
struct Loop {
    schedule: i32,
    lower: i64,
    upper: i64,
    step: i64,
    chunk: i64,
    /// Whether the variable has 32 bits, and whether it is unsigned.
    narrow: bool,
    unsigned: bool,
}

/// A chunk that a thread got: which loop, which thread, first and last iteration, whether it was said to be the last.
#[derive(Clone, Copy, Debug)]
struct Got {
    number: usize,
    thread: i32,
    first: i64,
    last: i64,
    is_last: bool,
}

static LOOPS: Mutex<Vec<Loop>> = Mutex::new(Vec::new());
static GOT: Mutex<Vec<Got>> = Mutex::new(Vec::new());

impl Loop {
    /// Runs the loop as a compiler's code does.
    fn run(self, number: usize, mut iteration: impl FnMut(i64)) {
        macro_rules! run {
            ($t:ty, $init:ident, $next:ident, $fini:ident) => {{
                let (lower, upper, step, chunk) =
                    (self.lower as $t, self.upper as $t, self.step as $t, self.chunk as $t);
                $init(null(), 0, self.schedule, lower, upper, step, chunk);
                let (mut last, mut from, mut to, mut stride) = (0, 0 as $t, 0 as $t, 0 as $t);
                // SAFETY: variables of this thread.
                while unsafe { $next(null(), 0, &raw mut last, &raw mut from, &raw mut to, &raw mut stride) }
                    != 0
                {
                    assert_eq!(stride, step);
                    let (first, last_one, is_last) = (from as i64, to as i64, last != 0);
                    let thread = omp_get_thread_num();
                    GOT.lock().unwrap().push(Got { number, thread, first, last: last_one, is_last });
                    let mut i = from;
                    loop {
                        iteration(i as i64);
                        if self.schedule & 64 != 0 {
                            $fini(null(), 0);
                        }
                        if i == to {
                            break;
                        }
                        i = i.wrapping_add(step);
                    }
                }
                __kmpc_dispatch_deinit(null(), 0);
            }};
        }
        match (self.narrow, self.unsigned) {
            (true, false) => {
                run!(i32, __kmpc_dispatch_init_4, __kmpc_dispatch_next_4, __kmpc_dispatch_fini_4)
            }
            (true, true) => {
                run!(u32, __kmpc_dispatch_init_4u, __kmpc_dispatch_next_4u, __kmpc_dispatch_fini_4u)
            }
            (false, false) => {
                run!(i64, __kmpc_dispatch_init_8, __kmpc_dispatch_next_8, __kmpc_dispatch_fini_8)
            }
            (false, true) => {
                run!(u64, __kmpc_dispatch_init_8u, __kmpc_dispatch_next_8u, __kmpc_dispatch_fini_8u)
            }
        }
    }

    /// Its iterations in order, in numbers of 64 bits.
    fn iterations(self) -> Vec<i64> {
        let wide = |v: i64| match (self.narrow, self.unsigned) {
            (true, true) => v as u32 as i128,
            (true, false) => v as i32 as i128,
            (false, true) => v as u64 as i128,
            (false, false) => v as i128,
        };
        let (mut i, upper, step) = (wide(self.lower), wide(self.upper), self.step as i128);
        let mut all = Vec::new();
        while if step > 0 { i <= upper } else { i >= upper } {
            all.push(i as i64);
            i += step;
        }
        all
    }

    /// Checks the chunks that the threads of a team of `threads` got.
    fn check(self, got: &[Got], threads: u32) {
        let iterations = self.iterations();
        let at = |value: i64| {
            iterations.iter().position(|i| *i == value).unwrap_or_else(|| panic!("{value}: {self:?}"))
        };
        let mut chunks: Vec<_> =
            got.iter().map(|g| (at(g.first), at(g.last) + 1, g.thread, g.is_last)).collect();
        // Monotonic: what a thread gets comes in increasing order.
        for thread in 0..threads as i32 {
            let starts: Vec<_> = chunks.iter().filter(|c| c.2 == thread).map(|c| c.0).collect();
            assert!(starts.is_sorted(), "{self:?}: {starts:?}");
        }
        chunks.sort_unstable();
        let mut covered = 0;
        for (start, end, _, is_last) in &chunks {
            assert_eq!(*start, covered, "{self:?}: {chunks:?}");
            assert_eq!(*is_last, *end == iterations.len(), "{self:?}: {chunks:?}");
            covered = *end;
        }
        assert_eq!(covered, iterations.len(), "{self:?}: {chunks:?}");
        let sizes: Vec<_> = chunks.iter().map(|(start, end, ..)| (end - start) as u64).collect();
        let Some((end, inner)) = sizes.split_last() else { return };
        let schedule = Schedule::new(self.schedule, self.chunk, state_of_initial_task);
        if threads > 1 {
            match schedule.kind {
                Kind::Dynamic | Kind::Static => {
                    assert!(
                        inner.iter().all(|s| *s == schedule.chunk) && *end <= schedule.chunk,
                        "{self:?}: {sizes:?}"
                    );
                }
                Kind::Guided => {
                    assert!(inner.is_sorted_by(|a, b| a >= b), "{self:?}: {sizes:?}");
                    assert!(inner.iter().all(|s| *s >= schedule.chunk), "{self:?}: {sizes:?}");
                }
                Kind::Blocks => assert_eq!(sizes.len(), (threads as usize).min(iterations.len())),
            }
        }
    }
}

/// run-sched-var at the start of a kernel: static, chunk 1.
fn state_of_initial_task() -> u64 {
    1 | 1 << 32
}

static BLOCK_THREADS: AtomicU64 = AtomicU64::new(0);

regions! {
    // No barrier in between: threads are in different loops at the same time.
    run_loops / run_loops_wrapper(_arg) {
        let loops = LOOPS.lock().unwrap().clone();
        BLOCK_THREADS.store(omp_get_num_threads() as u64, SeqCst);
        for (number, it) in loops.iter().enumerate() {
            it.run(number, |_| {});
        }
    }
}

/// Runs `loops` one behind the other in a team of `threads` threads, and checks them.
fn run_all(mode: ExecMode, block: u32, threads: i32, loops: &[Loop]) {
    *LOOPS.lock().unwrap() = loops.to_vec();
    let kernel = Kernel::new(mode);
    let mallocs = machine::mallocs();
    machine::launch(1, block, || {
        kernel.run(|| {
            // A smaller team first: its threads have then had more loops than the others.
            region(true, 2, run_loops, run_loops_wrapper as Code, null_mut());
            if devicertl::arch::tid() == 0 || !mode.is_spmd() {
                GOT.lock().unwrap().clear();
            }
            region(true, threads, run_loops, run_loops_wrapper as Code, null_mut());
        })
    });
    assert_eq!(machine::mallocs(), mallocs, "loops take nothing from the heap");
    let got = std::mem::take(&mut *GOT.lock().unwrap());
    for (number, it) in loops.iter().enumerate() {
        let of_this: Vec<_> = got.iter().filter(|g| g.number == number).copied().collect();
        it.check(&of_this, BLOCK_THREADS.load(SeqCst) as u32);
    }
}

static ONE_TEST: Mutex<()> = Mutex::new(());

#[test]
fn every_iteration_once() {
    let _one = ONE_TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut loops = Vec::new();
    for schedule in [STATIC_CHUNK, STATIC, DYNAMIC, GUIDED, RUNTIME, AUTO, DYNAMIC | MONOTONIC] {
        for chunk in [3, 64, i32::MAX as i64] {
            for (lower, upper, step) in
                [(0, 300, 1), (7, 400, 3), (100, -100, -7), (5, 5, 1), (1, 0, 1), (0, 1, -1)]
            {
                loops.push(Loop {
                    schedule,
                    lower,
                    upper,
                    step,
                    chunk,
                    narrow: chunk != 64,
                    unsigned: false,
                });
            }
        }
    }
    // The ends of the types.
    for schedule in [DYNAMIC, GUIDED, STATIC_CHUNK, STATIC] {
        for (lower, upper, step, narrow, unsigned) in [
            (i32::MAX as i64 - 90, i32::MAX as i64, 1, true, false),
            (i32::MIN as i64 + 90, i32::MIN as i64, -3, true, false),
            (i32::MIN as i64, i32::MAX as i64, 1 << 27, true, false),
            (u32::MAX as i64 - 90, u32::MAX as i64, 7, true, true),
            (0, u32::MAX as i64, 1 << 26, true, true),
            (i64::MAX - 90, i64::MAX, 1, false, false),
            (i64::MIN + 90, i64::MIN, -1, false, false),
            (i64::MIN, i64::MAX, 1 << 59, false, false),
            (-91, -1, 1, false, true),
        ] {
            for chunk in [1, 5, if narrow { i32::MAX as i64 } else { i64::MAX }] {
                loops.push(Loop { schedule, lower, upper, step, chunk, narrow, unsigned });
            }
        }
    }
    for (mode, block, threads) in [
        (ExecMode::SPMD, 40, -1),
        (ExecMode::SPMD, 1, -1),
        (ExecMode::GENERIC, 72, -1),
        (ExecMode::GENERIC, 64, 7),
        (ExecMode::GENERIC, 64, 1),
    ] {
        run_all(mode, block, threads, &loops);
    }
}

/// Long loops: the upper bound and the chunk of a dynamic one, the request that the count is set on to as if the threads had made
/// the others before, and how long its chunks then are.
const LONG: [(u64, u64, u32, u64); 6] = [
    // 2^31 chunks, and one more: then a thread gets two at once.
    ((1 << 31) - 1, 1, (1 << 31) - 80, 1),
    (1 << 31, 1, (1 << 30) - 80, 2),
    (u32::MAX as u64, 1, (1 << 31) - 80, 2),
    ((1 << 33) + 5, 3, ((1u64 << 33) / 5) as u32 - 80, 5),
    // All the iterations that there can be, and chunks that are too long to be counted to the end of the loop.
    (u64::MAX, 1, (1 << 31) - 80, 1 << 33),
    (u64::MAX, 1 << 60, 10, 1 << 58),
];

regions! {
    long_loop / long_loop_wrapper(_arg) {
        for (number, (upper, chunk, request, _)) in LONG.into_iter().enumerate() {
            __kmpc_dispatch_init_8u(null(), 0, DYNAMIC, 0, upper, 1, chunk);
            __kmpc_barrier(null(), 0);
            // SAFETY: the loop of this team; the other threads wait.
            unsafe {
                if omp_get_thread_num() == 0 {
                    *state::this_thread().loop_claims() = request;
                }
                __kmpc_barrier(null(), 0);
                let (mut last, mut from, mut to, mut stride) = (0, 0, 0, 0);
                while __kmpc_dispatch_next_8u(null(), 0, &raw mut last, &raw mut from, &raw mut to, &raw mut stride) != 0 {
                    let (thread, is_last) = (omp_get_thread_num(), last != 0);
                    GOT.lock().unwrap().push(Got { number, thread, first: from as i64, last: to as i64, is_last });
                }
            }
            __kmpc_dispatch_deinit(null(), 0);
        }
    }
}

#[test]
fn more_chunks_than_32_bits_count() {
    let _one = ONE_TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    GOT.lock().unwrap().clear();
    let kernel = Kernel::new(ExecMode::SPMD);
    machine::launch(1, 64, || kernel.run(|| region(true, -1, long_loop, null(), null_mut())));
    let got = std::mem::take(&mut *GOT.lock().unwrap());
    for (number, (upper, _, request, size)) in LONG.into_iter().enumerate() {
        let mut of_this: Vec<_> = got
            .iter()
            .filter(|g| g.number == number)
            .map(|g| (g.first as u64, g.last as u64, g.is_last))
            .collect();
        of_this.sort_unstable();
        let mut from = request as u64 * size;
        for (first, last, is_last) in &of_this {
            assert_eq!((*first, *is_last), (from, *last == upper), "loop {number}: {of_this:?}");
            assert!(*last - first == size - 1 || *is_last, "loop {number}: {of_this:?}");
            from = last.wrapping_add(1);
        }
        assert_eq!(from, upper.wrapping_add(1), "loop {number}: {of_this:?}");
    }
}

/// Iterations in the order in which their ordered regions ran. Not locked: the regions exclude each other.
static mut ORDER: Vec<i64> = Vec::new();

regions! {
    run_ordered / run_ordered_wrapper(_arg) {
        let loops = LOOPS.lock().unwrap().clone();
        for (number, it) in loops.iter().enumerate() {
            it.run(number, |i| {
                // Some iterations have no ordered region.
                if i % 3 != 0 {
                    __kmpc_ordered(null(), 0);
                    // SAFETY: one thread at a time.
                    unsafe { (&raw mut ORDER).as_mut_unchecked().push(i) };
                    __kmpc_end_ordered(null(), 0);
                }
            });
            __kmpc_barrier(null(), 0);
            if omp_get_thread_num() == 0 {
                // SAFETY: the others wait.
                let order = unsafe { std::mem::take((&raw mut ORDER).as_mut_unchecked()) };
                let wanted: Vec<_> = it.iterations().into_iter().filter(|i| i % 3 != 0).collect();
                assert_eq!(order, wanted, "{it:?}");
            }
            __kmpc_barrier(null(), 0);
        }
    }
}

#[test]
fn ordered_regions_run_in_the_order_of_the_loop() {
    let _one = ONE_TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let mut loops = Vec::new();
    for schedule in [STATIC_CHUNK, STATIC, DYNAMIC, GUIDED, RUNTIME, AUTO] {
        for (lower, upper, step, chunk) in [(1, 100, 1, 1), (60, -60, -1, 5), (-20, 40, 7, 2), (1, 0, 1, 1)] {
            loops.push(Loop { schedule: schedule + ORDERED, lower, upper, step, chunk, ..Loop::default() });
        }
    }
    *LOOPS.lock().unwrap() = loops;
    for (mode, block, threads) in
        [(ExecMode::SPMD, 40, -1), (ExecMode::GENERIC, 96, 50), (ExecMode::GENERIC, 64, 1)]
    {
        let kernel = Kernel::new(mode);
        machine::launch(1, block, || {
            kernel.run(|| region(true, threads, run_ordered, run_ordered_wrapper as Code, null_mut()))
        });
    }
    GOT.lock().unwrap().clear();
}

static COUNT: AtomicU64 = AtomicU64::new(0);

fn count(schedule: i32, iterations: i64, mut body: impl FnMut(i64)) {
    Loop { schedule, lower: 0, upper: iterations - 1, step: 1, chunk: 2, ..Loop::default() }.run(0, |i| {
        COUNT.fetch_add(1, SeqCst);
        body(i);
    });
}

regions! {
    // A loop of a team whose iterations run regions of one thread with a loop of their own.
    outer / outer_wrapper(_arg) {
        count(GUIDED, 20, |i| region(true, -1, inner, null(), i as usize as *mut _));
    }
    inner / inner_wrapper(address) {
        assert_eq!(omp_get_num_threads(), 1);
        let (mut next, number) = (0, address as usize as i64);
        count(DYNAMIC + ORDERED, number, |i| {
            __kmpc_ordered(null(), 0);
            assert_eq!(i, next);
            next += 1;
            __kmpc_end_ordered(null(), 0);
        });
        assert_eq!(next, number);
    }
    one_thread / one_thread_wrapper(_arg) {
        count(DYNAMIC, 5, |_| {});
    }
}

#[test]
fn teams_of_one_thread() {
    let _one = ONE_TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (mode, block) in [(ExecMode::SPMD, 40), (ExecMode::GENERIC, 72)] {
        let kernel = Kernel::new(mode);
        machine::launch(1, block, || {
            kernel.run(|| region(true, -1, outer, outer_wrapper as Code, null_mut()))
        });
        assert_eq!(COUNT.swap(0, SeqCst), 20 + 19 * 20 / 2);
    }
    // Loops of the initial thread, around regions with loops.
    let kernel = Kernel::new(ExecMode::GENERIC);
    machine::launch(1, 72, || {
        kernel.run(|| {
            count(STATIC_CHUNK, 3, |_| {
                region(true, -1, outer, outer_wrapper as Code, null_mut());
                region(true, 1, one_thread, one_thread_wrapper as Code, null_mut());
                region(false, -1, one_thread, one_thread_wrapper as Code, null_mut());
            })
        })
    });
    assert_eq!(COUNT.swap(0, SeqCst), 3 * (1 + 20 + 19 * 20 / 2 + 5 + 5));
    GOT.lock().unwrap().clear();
}

regions! {
    runtime_loop / runtime_loop_wrapper(_arg) {
        // Each task has its own run-sched-var; all tasks of a team set the same.
        for (number, kind) in [2u32, 3, 1, 2 | 1 << 31].into_iter().enumerate() {
            omp_set_schedule(kind as i32, 6);
            let it = Loop { schedule: RUNTIME, lower: 0, upper: 499, step: 1, chunk: 1, ..Loop::default() };
            it.run(number, |_| {});
        }
    }
}

#[test]
fn schedule_runtime_follows_the_task() {
    let _one = ONE_TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    GOT.lock().unwrap().clear();
    let kernel = Kernel::new(ExecMode::SPMD);
    machine::launch(1, 32, || kernel.run(|| region(true, -1, runtime_loop, null(), null_mut())));
    let got = std::mem::take(&mut *GOT.lock().unwrap());
    for (number, schedule) in [DYNAMIC, GUIDED, STATIC_CHUNK, DYNAMIC].into_iter().enumerate() {
        let of_this: Vec<_> = got.iter().filter(|g| g.number == number).copied().collect();
        let it = Loop { schedule, lower: 0, upper: 499, step: 1, chunk: 6, ..Loop::default() };
        it.check(&of_this, 32);
    }
}

static HITS: [AtomicU64; 400] = [const { AtomicU64::new(0) }; 400];
static LAST: AtomicU64 = AtomicU64::new(0);

fn hit(first: i32, last: i32, step: i32) {
    let mut i = first;
    while if step > 0 { i <= last } else { i >= last } {
        HITS[i as usize].fetch_add(1, SeqCst);
        i += step;
    }
}

regions! {
    // Iterations 10, 13, .. 310 and back, divided among the teams in the same call.
    league / league_wrapper(_arg) {
        for (lower, upper, step) in [(10, 311, 3), (310, 9, -3)] {
            // SAFETY: variables of this thread.
            unsafe {
                for (schedule, chunk) in [(STATIC, 1), (STATIC_CHUNK, 4)] {
                    let (mut last, mut from, mut to, mut team_to, mut stride) = (0, lower, upper, 0, 0);
                    __kmpc_dist_for_static_init_4(
                        null(), 0, schedule, &raw mut last, &raw mut from, &raw mut to, &raw mut team_to, &raw mut stride,
                        step, chunk,
                    );
                    LAST.fetch_add(last as u64, SeqCst);
                    while if step > 0 { from <= team_to } else { from >= team_to } {
                        hit(from, if step > 0 { to.min(team_to) } else { to.max(team_to) }, step);
                        if schedule == STATIC {
                            break;
                        }
                        (from, to) = (from + stride, to + stride);
                    }
                }
                let mut ends_here = 0;
                __kmpc_dist_dispatch_init_4(null(), 0, DYNAMIC, &raw mut ends_here, lower, upper, step, 2);
                let (mut last, mut from, mut to, mut stride) = (0, 0, 0, 0);
                while __kmpc_dispatch_next_4(null(), 0, &raw mut last, &raw mut from, &raw mut to, &raw mut stride) != 0 {
                    assert!(last <= ends_here);
                    LAST.fetch_add(last as u64, SeqCst);
                    hit(from, to, step);
                }
                __kmpc_dispatch_deinit(null(), 0);
                if omp_get_thread_num() == 0 {
                    let (mut last, mut from, mut to, mut stride) = (0, lower, upper, 0);
                    __kmpc_team_static_init_4(
                        null(), 0, &raw mut last, &raw mut from, &raw mut to, &raw mut stride, step, 5,
                    );
                    LAST.fetch_add(last as u64, SeqCst);
                    while if step > 0 { from <= upper } else { from >= upper } {
                        hit(from, if step > 0 { to.min(upper) } else { to.max(upper) }, step);
                        (from, to) = (from + stride, to + stride);
                    }
                }
            }
        }
    }
}

#[test]
fn loops_that_are_divided_among_teams_first() {
    let _one = ONE_TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for teams in [1, 3, 150] {
        let kernel = Kernel::new(ExecMode::SPMD);
        machine::launch(teams, 3, || kernel.run(|| region(true, -1, league, null(), null_mut())));
        for (i, hits) in HITS.iter().enumerate() {
            let wanted = if (10..=310).contains(&i) && i % 3 == 1 { 8 } else { 0 };
            assert_eq!(hits.swap(0, SeqCst), wanted, "iteration {i}, {teams} teams");
        }
        assert_eq!(LAST.swap(0, SeqCst), 8, "{teams} teams");
    }
}
