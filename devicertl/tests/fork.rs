//! Regions in the form of host code: pushed clauses, `__kmpc_fork_call_if`, regions between two calls.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    arch::{Arg, Code, WARP},
    fork::*,
    query::*,
};
use kernels::{Kernel, region};
use machine::{launch, mallocs};
use std::{
    ptr::{null, null_mut},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
};

/// What the threads of a test note; one test at a time.
static TEST: Mutex<()> = Mutex::new(());
static RAN: AtomicU32 = AtomicU32::new(0);

/// Threads that ran since the last call.
fn ran() -> u32 {
    RAN.swap(0, SeqCst)
}

/// A kernel in each mode, and the threads of its block and of its largest team.
fn kernels() -> [(Kernel, u32, u32); 2] {
    [(Kernel::new(ExecMode::SPMD), 64, 64), (Kernel::new(ExecMode::GENERIC), 96 + WARP, 96)]
}

regions! {
    counts / counts_wrapper(_arg) {
        RAN.fetch_add(1, SeqCst);
    }
    inside / inside_wrapper(_arg) {
        // For the region of this thread, and for one only.
        __kmpc_push_num_threads(null(), 0, 1);
        region(true, -1, alone, null(), null_mut());
        assert_eq!(omp_get_level(), 1);
    }
    alone / alone_wrapper(_arg) {
        assert_eq!((omp_get_num_threads(), omp_get_thread_num()), (1, 0));
        RAN.fetch_add(1, SeqCst);
    }
    between / between_wrapper(_arg) {
        let thread = omp_get_thread_num();
        __kmpc_serialized_parallel(null(), thread);
        assert_eq!((omp_get_level(), omp_get_num_threads(), omp_get_thread_num()), (2, 1, 0));
        assert_eq!(omp_get_ancestor_thread_num(1), thread);
        omp_set_num_threads(7);
        RAN.fetch_add(1, SeqCst);
        __kmpc_end_serialized_parallel(null(), thread);
        assert_eq!((omp_get_level(), omp_get_thread_num()), (1, thread));
    }
}

fn all(threads: i32) {
    region(true, threads, counts, counts_wrapper as Code, null_mut());
}

#[test]
fn a_push_is_for_one_region() {
    let _test = TEST.lock();
    for (kernel, block, most) in kernels() {
        for (pushed, clause, wanted) in
            [(5, -1, 5), (1, -1, 1), (33, -1, 33), (5000, -1, most), (0, -1, most), (5, 9, 9), (-2, -1, most)]
        {
            launch(1, block, || {
                kernel.run(|| {
                    __kmpc_push_num_threads(null(), 0, pushed);
                    assert_eq!(omp_get_max_threads(), most as i32, "nthreads-var is another's");
                    all(clause);
                })
            });
            assert_eq!(ran(), wanted, "push {pushed}, clause {clause}");
            launch(1, block, || {
                kernel.run(|| {
                    __kmpc_push_num_threads(null(), 0, pushed);
                    all(clause);
                    all(-1);
                })
            });
            assert_eq!(ran(), wanted + most, "push {pushed}, clause {clause}");
        }
    }
}

#[test]
fn a_push_inside_a_region_is_for_its_thread() {
    let _test = TEST.lock();
    for (kernel, block, most) in kernels() {
        launch(1, block, || {
            kernel.run(|| {
                region(true, -1, inside, inside_wrapper as Code, null_mut());
                all(-1);
            })
        });
        assert_eq!(ran(), 2 * most);
    }
}

#[test]
fn a_strict_push_that_holds() {
    let _test = TEST.lock();
    for (kernel, block, most) in kernels() {
        launch(1, block, || {
            kernel.run(|| {
                // SAFETY: no location and no message.
                unsafe { __kmpc_push_num_threads_strict(null(), 0, most as i32, 2, null()) };
                all(-1);
                // A warning, and as many threads as there are.
                // SAFETY: as above.
                unsafe { __kmpc_push_num_threads_strict(null(), 0, most as i32 + 1, 1, null()) };
                all(-1);
            })
        });
        assert_eq!(ran(), 2 * most);
        assert!(
            machine::WARNING.lock().unwrap().ends_with("num_threads(strict): the team cannot be so large")
        );
    }
}

extern "C" fn forked(_gtid: *mut i32, _btid: *mut i32, value: Arg) {
    RAN.fetch_add(value as u32, SeqCst);
}

extern "C" fn forked_without_argument(gtid: *mut i32, _btid: *mut i32) {
    // SAFETY: the number of the thread.
    assert_eq!(unsafe { *gtid }, omp_get_thread_num());
    RAN.fetch_add(1, SeqCst);
}

#[test]
fn fork_call_is_a_region() {
    let _test = TEST.lock();
    for (kernel, block, most) in kernels() {
        // SAFETY: regions with these arguments.
        let fork = |condition| unsafe {
            __kmpc_fork_call_if(null(), 1, forked as Code, condition, 3 as Arg);
        };
        // SAFETY: as above.
        let fork_2 = || unsafe {
            __kmpc_fork_call_if(null(), 0, forked_without_argument as Code, 1, null_mut());
        };
        let before = mallocs();
        launch(1, block, || {
            kernel.run(|| {
                fork(1);
                __kmpc_push_num_threads(null(), 0, 2);
                fork(1);
                fork_2();
                assert_eq!(omp_get_level(), 0);
            })
        });
        assert_eq!(ran(), 3 * most + 3 * 2 + most);
        assert_eq!(mallocs(), before, "the arguments are in shared memory");
        // One thread for each thread that comes.
        launch(1, block, || kernel.run(|| fork(0)));
        assert_eq!(ran(), if block == most { 3 * most } else { 3 });
    }
}

#[test]
fn fork_call_has_one_thread_where_the_compiler_took_the_worker_loop() {
    let _test = TEST.lock();
    let kernel = Kernel::new(ExecMode::GENERIC).without_loop();
    launch(1, 96 + WARP, || {
        kernel.run(|| {
            // SAFETY: a region without arguments.
            unsafe { __kmpc_fork_call_if(null(), 0, forked_without_argument as Code, 1, null_mut()) };
        })
    });
    assert_eq!(ran(), 1);
}

#[test]
fn a_region_between_two_calls() {
    let _test = TEST.lock();
    for (kernel, block, most) in kernels() {
        launch(1, block, || {
            kernel.run(|| {
                __kmpc_push_num_threads(null(), 0, 3);
                __kmpc_serialized_parallel(null(), 0);
                assert_eq!((omp_get_level(), omp_get_num_threads(), omp_in_parallel()), (1, 1, 0));
                __kmpc_end_serialized_parallel(null(), 0);
                assert_eq!(omp_get_level(), 0);
                region(true, -1, between, between_wrapper as Code, null_mut());
                assert_eq!(omp_get_max_threads(), most as i32);
            })
        });
        // In an SPMD kernel the push stays: other threads may still have to read it.
        assert_eq!(ran(), if block == most { 3 } else { most });
    }
}
