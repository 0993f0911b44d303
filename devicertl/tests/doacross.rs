//! Loops with dependences between iterations: bounds of the nest, every sink waits for its source, nothing stays on the
//! heap.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    arch::Code,
    query::{omp_get_num_threads, omp_get_thread_num},
    worksharing::doacross::*,
};
use kernels::{Kernel, region};
use std::{
    ptr::{null, null_mut},
    sync::atomic::{AtomicU32, Ordering::Relaxed, Ordering::SeqCst},
};

#[test]
fn numbers_of_iterations() {
    let of = |lower, upper, step| Dimension { lower, upper, step };
    let up = of(-3, 7, 2);
    assert_eq!([-5, -3, -1, 7, 9].map(|value| up.index(value)), [None, Some(0), Some(1), Some(5), None]);
    assert_eq!(up.places(), 6);
    let down = of(10, -10, -4);
    assert_eq!([14, 10, 6, -10, -14].map(|value| down.index(value)), [None, Some(0), Some(1), Some(5), None]);
    assert_eq!(of(i64::MIN, i64::MAX, 1 << 32).index(i64::MAX), Some((1 << 32) - 1));
    assert_eq!(of(5, 1, 1).places(), 1, "an empty loop has a place for one bit");
    // clang passes the number of iterations as the last value: that one does not exist.
    assert_eq!(
        [-1, 0, 9, 10, 11].map(|value| of(0, 10, 1).excludes(value)),
        [true, false, false, true, true]
    );
    assert_eq!([1, 10, 11].map(|value| of(1, 10, 1).excludes(value)), [false, false, true]);
}

const ROWS: i64 = 13;
const COLUMNS: i64 = 9;
/// For each nest and iteration whether its source was reached.
static DONE: [[AtomicU32; (ROWS * COLUMNS) as usize]; 5] =
    [const { [const { AtomicU32::new(0) }; (ROWS * COLUMNS) as usize] }; 5];

regions! {
    // Rows are dealt out one by one. Row 0 is at the top and values go down by 2.
    nests / nests_wrapper(_arg) {
        let (me, of) = (omp_get_thread_num() as i64, omp_get_num_threads() as i64);
        let bounds = [
            Dimension { lower: 2 * ROWS, upper: 2, step: -2 },
            Dimension { lower: 0, upper: COLUMNS, step: 1 },
        ];
        for done in &DONE {
            let cell = |row: i64, column: i64| &done[(row * COLUMNS + column) as usize];
            // SAFETY: the calls of a compiler, with a value for each loop.
            unsafe {
                __kmpc_doacross_init(null(), 0, 2, bounds.as_ptr());
                for row in (me..ROWS).step_by(of as usize) {
                    for column in 0..COLUMNS {
                        let value = 2 * (ROWS - row);
                        // Above, above to the right, and to the left.
                        for (sink, row, column) in [
                            ([value + 2, column], row - 1, column),
                            ([value + 2, column + 1], row - 1, column + 1),
                            ([value, column - 1], row, column - 1),
                        ] {
                            __kmpc_doacross_wait(null(), 0, sink.as_ptr());
                            if row >= 0 && (0..COLUMNS).contains(&column) {
                                assert_eq!(cell(row, column).load(Relaxed), 1, "{row} {column}");
                            }
                        }
                        cell(row, column).store(1, Relaxed);
                        __kmpc_doacross_post(null(), 0, [value, column].as_ptr());
                    }
                }
                __kmpc_doacross_fini(null(), 0);
            }
        }
    }
}

#[test]
fn sinks_wait_for_their_sources() {
    for (mode, block, threads) in
        [(ExecMode::SPMD, 40, -1), (ExecMode::GENERIC, 96, 7), (ExecMode::GENERIC, 64, 1)]
    {
        let kernel = Kernel::new(mode);
        // The machine reports what stays on the heap.
        machine::launch(1, block, || {
            kernel.run(|| region(true, threads, nests, nests_wrapper as Code, null_mut()))
        });
        for done in DONE.iter().flatten() {
            assert_eq!(done.swap(0, SeqCst), 1);
        }
    }
}
