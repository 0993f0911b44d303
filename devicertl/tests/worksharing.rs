//! Static schedules: every iteration exactly once, `last` where the last iteration is, chunks in turn.

mod kernels;
mod machine;

use devicertl::worksharing::{
    Share,
    static_::{self, kind},
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
    assert!(part.lower > part.upper && part.lower > 1999 && part.stride > 0);
    let part = static_::i64::of_loop(33, 0, i64::MAX - 1, 1, 1 << 40, Share { id: 1 << 30, of: 1 << 31 });
    assert!(part.lower > part.upper && part.stride > 0);
}
