//! Static schedules: every iteration exactly once, `last` where the last iteration is, chunks in turn.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use abi::schedule as kind;
use devicertl::{
    arch::{Arg, Code},
    query::omp_get_num_threads,
    worksharing::{Share, callback::*, static_},
};
use kernels::{Kernel, region};
use std::{
    ptr::{null, null_mut},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
};

/// Schedules without a chunk size of the compiler's default kinds (`schedule(static)`, `dist_schedule(static)`).
const WITHOUT_CHUNK: [i32; 2] = [34, 92];
const WITH_CHUNK: [i32; 4] = [
    kind::STATIC_CHUNK,
    kind::STATIC_BALANCED_CHUNK,
    kind::ORDERED_STATIC_CHUNK,
    kind::DISTRIBUTE_STATIC_CHUNK | 1 << 30,
];

macro_rules! every_iteration_once {
    ($($test:ident: $t:ident, bounds $bounds:expr;)*) => { $(
        #[test]
        fn $test() {
            for (lower, upper) in $bounds {
                for of in [1, 2, 3, 7, 32, 100] {
                    for schedule in WITHOUT_CHUNK {
                        cover(schedule, lower, upper, 1, 0, of);
                    }
                    for schedule in WITH_CHUNK {
                        for chunk in [1, 2, 5, 64, $t::MAX] {
                            cover(schedule, lower, upper, 1, chunk, of);
                        }
                    }
                }
            }

            /// Runs the loop as a compiler's code does, in wide numbers, and compares.
            fn cover(schedule: i32, lower: $t, upper: $t, step: $t, chunk: $t, of: u32) {
                let what = format!("{lower}..={upper} step {step} schedule {schedule} chunk {chunk} of {of}");
                let mut all = Vec::new();
                let mut last = Vec::new();
                for id in 0..of {
                    let part = static_::$t::of_loop(schedule, lower, upper, step, chunk, Share { id, of });
                    if part.last {
                        last.push(id);
                    }
                    let (mut from, mut to) = (part.lower as i128, part.upper as i128);
                    let mut mine = Vec::new();
                    while from <= to.min(upper as i128) {
                        mine.extend((from..=to.min(upper as i128)).step_by(step as usize));
                        from += part.stride as i128;
                        to += part.stride as i128;
                        assert!(mine.len() <= 2000, "{what}");
                    }
                    // The loop of `distribute parallel for` compares with the end of the whole loop.
                    assert!(!mine.is_empty() || part.lower > upper || lower > upper, "{what}: {part:?}");
                    assert_eq!(part.last, mine.contains(&(upper as i128)), "{what} id {id}");
                    all.extend(mine);
                }
                all.sort_unstable();
                let wanted: Vec<_> = (lower as i128..=upper as i128).step_by(step as usize).collect();
                assert_eq!(all, wanted, "{what}");
                assert_eq!(last.len(), (lower <= upper) as usize, "{what}");
            }
        }
    )* };
}
every_iteration_once! {
    signed_32: i32, bounds [(0, 0), (0, 6), (0, 99), (11, 310), (-5, 70), (3, 2), (i32::MIN, i32::MIN + 9),
        (i32::MAX - 40, i32::MAX - 1)];
    unsigned_32: u32, bounds [(0, 0), (0, 6), (0, 99), (11, 310), (3, 2), (u32::MAX - 40, u32::MAX - 1)];
    signed_64: i64, bounds [(0, 0), (0, 6), (0, 99), (-5, 70), (3, 2), (i64::MIN, i64::MIN + 9),
        (i64::MAX - 40, i64::MAX - 1)];
    unsigned_64: u64, bounds [(0, 0), (0, 6), (0, 99), (3, 2), (u64::MAX - 40, u64::MAX - 1)];
}

#[test]
fn chunks_go_round_in_order() {
    for id in 0..4 {
        let part = static_::i32::of_loop(kind::STATIC_CHUNK, 10, 109, 1, 8, Share { id, of: 4 });
        assert_eq!((part.lower, part.upper, part.stride), (10 + 8 * id as i32, 17 + 8 * id as i32, 32));
        // The last iteration is in chunk 12, the first of the fourth round.
        assert_eq!(part.last, id == 0);
    }
}

#[test]
fn blocks_differ_by_one_iteration_at_most() {
    let sizes: Vec<_> = (0..7)
        .map(|id| static_::u32::of_loop(34, 0, 99, 1, 0, Share { id, of: 7 }))
        .map(|part| part.upper - part.lower + 1)
        .collect();
    assert_eq!(sizes, [15, 15, 14, 14, 14, 14, 14]);
}

#[test]
fn a_balanced_chunk_is_a_multiple_of_the_chunk_size() {
    let part = static_::i32::of_loop(kind::STATIC_BALANCED_CHUNK, 0, 99, 1, 8, Share { id: 1, of: 3 });
    // 100 / 3 rounds up to 34, and that to 40.
    assert_eq!((part.lower, part.upper), (40, 79));
}

#[test]
fn other_steps() {
    for (lower, upper, step) in
        [(0, 100, 7), (100, 0, -7), (5, 5, 3), (5, 5, -3), (-50, 49, 10), (3, 2, 2), (2, 3, -2)]
    {
        let wanted: Vec<i32> = if step > 0 {
            (lower..=upper).step_by(step as usize).collect()
        } else {
            (upper..=lower).rev().step_by(-step as usize).collect()
        };
        for (schedule, chunk) in [(34, 0), (kind::STATIC_CHUNK, 1), (kind::STATIC_CHUNK, 3)] {
            let mut all = Vec::new();
            for id in 0..4 {
                let part = static_::i32::of_loop(schedule, lower, upper, step, chunk, Share { id, of: 4 });
                let inside =
                    |i: i32, end: i32| if step > 0 { i <= end && i <= upper } else { i >= end && i >= upper };
                let (mut from, mut to) = (part.lower, part.upper);
                while inside(from, to) {
                    let mut i = from;
                    while inside(i, to) {
                        all.push(i);
                        i += step;
                    }
                    (from, to) = (from + part.stride, to + part.stride);
                }
            }
            all.sort_by_key(|i| wanted.iter().position(|w| w == i));
            assert_eq!(all, wanted, "{lower}..={upper} step {step} schedule {schedule}");
        }
    }
}

/// The short way for chunks of a team's size gives what the general one gives, as far as compilers' loops can tell.
#[test]
fn rows_are_chunks() {
    for (lower, upper) in [(0, 0), (0, 99), (0, 127), (0, 128), (5, 5000), (-300, 77), (10, 9)] {
        for chunk in [2, 32, 96, 128, 1024] {
            for id in 0..5 {
                let share = Share { id, of: 5 };
                let row = static_::i32::rows(lower, upper, chunk, share);
                let general = static_::i32::chunked(lower, upper, chunk, share);
                let what = format!("{lower}..={upper} in chunks of {chunk}, team {id}");
                assert_eq!((row.stride, row.last), (general.stride, general.last), "{what}");
                let iterations =
                    |part: static_::Part<i32>| (part.lower..=part.upper.min(upper)).collect::<Vec<_>>();
                assert_eq!(iterations(row), iterations(general), "{what}");
            }
        }
    }
}

#[test]
fn high_numbers_do_not_overflow() {
    // Chunk 3000 of a million each begins behind the end, and behind the largest i32.
    let part = static_::i32::of_loop(
        kind::DISTRIBUTE_STATIC_CHUNK,
        0,
        1999,
        1,
        1_000_000,
        Share { id: 3000, of: 4000 },
    );
    assert!(part.lower > 1999 && part.stride > 0);
    let part = static_::i64::of_loop(33, 0, i64::MAX - 1, 1, 1 << 40, Share { id: 1 << 30, of: 1 << 31 });
    assert!(part.lower == i64::MAX && part.stride > 0);
}

static HITS: [AtomicU32; 1100] = [const { AtomicU32::new(0) }; 1100];
/// The loop of a test: iterations, chunk of a team, chunk of a thread, whether each thread has one iteration at most.
static LOOP: Mutex<(u32, u32, u32, bool)> = Mutex::new((0, 0, 0, false));

extern "C" fn body_32(iteration: u32, _arg: Arg) {
    HITS[iteration as usize].fetch_add(1, SeqCst);
}

extern "C" fn body_64(iteration: u64, arg: Arg) {
    body_32(iteration as u32, arg)
}

regions! {
    loops / loops_wrapper(_arg) {
        let (trips, block_chunk, chunk, once) = *LOOP.lock().unwrap();
        let threads = omp_get_num_threads() as u32;
        let (body_32, body_64) = (body_32 as Code, body_64 as Code);
        // SAFETY: bodies of the right types.
        unsafe {
            __kmpc_for_static_loop_4u(null(), body_32, null_mut(), trips, threads, chunk, once as i8);
            let (trips, threads, block_chunk, chunk) = (trips as i64, threads as i64, block_chunk as i64, chunk as i64);
            __kmpc_distribute_for_static_loop_8(
                null(), body_64, null_mut(), trips, threads, block_chunk, chunk, once as i8,
            );
        }
    }
}

/// Loops with a function as body, for any chunk sizes: in each team every iteration of `for`, by all teams together
/// every iteration of `distribute` and of `distribute for`.
#[test]
fn callback_loops_run_every_iteration_once() {
    const TEAMS: u32 = 3;
    let kernel = Kernel::new(ExecMode::SPMD);
    let shapes = [
        (1003, 0, 0, false),
        (1003, 0, 1, false),
        (1003, 0, 5, false),
        (1003, 7, 2, false),
        (1003, 64, 3, false),
        (1003, 5000, 5000, false),
        (1, 0, 0, false),
        (0, 4, 4, false),
        (39, 0, 0, true),
    ];
    for (knows, (trips, block_chunk, chunk, once)) in
        [false, true].into_iter().flat_map(|knows| shapes.map(|shape| (knows, shape)))
    {
        machine::KNOWS.store(knows, SeqCst);
        *LOOP.lock().unwrap() = (trips, block_chunk, chunk, once);
        machine::launch(TEAMS, 40, || {
            kernel.run(|| {
                if devicertl::arch::tid() == 0 {
                    // SAFETY: a body of the right type.
                    unsafe {
                        __kmpc_distribute_static_loop_4(
                            null(),
                            body_32 as Code,
                            null_mut(),
                            trips as i32,
                            chunk as i32,
                            0,
                        )
                    };
                }
                region(true, -1, loops, null(), null_mut());
            })
        });
        for (iteration, hits) in HITS.iter().enumerate() {
            let wanted = if iteration < trips as usize { TEAMS + 1 + 1 } else { 0 };
            let what = format!("iteration {iteration} of {trips}, chunks {block_chunk} and {chunk}");
            assert_eq!(hits.swap(0, SeqCst), wanted, "{what}");
        }
    }
}
