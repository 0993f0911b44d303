//! Parallel regions in generic and SPMD kernels: who runs, what the queries say, how many barriers there are.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    arch::{Arg, BARRIER_REGION, Code, WARP, ntid},
    memory::{__kmpc_alloc_shared, __kmpc_free_shared},
    parallel::__kmpc_parallel_level,
    query::*,
    state::{ALL_THREADS, RegionNumber},
    sync::{lock::*, *},
};
use kernels::{Kernel, region};
use machine::{KNOWS, launch, mallocs, opened};
use std::{
    ptr::{null, null_mut},
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
};

/// What the threads of a test note; one test at a time.
static TEST: Mutex<()> = Mutex::new(());
static HITS: [AtomicU32; 256] = [const { AtomicU32::new(0) }; 256];
static SUM: AtomicU32 = AtomicU32::new(0);
static WANTED: AtomicU32 = AtomicU32::new(0);

fn start() -> impl Drop {
    let guard = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for hit in &HITS {
        hit.store(0, SeqCst);
    }
    SUM.store(0, SeqCst);
    KNOWS.store(false, SeqCst);
    guard
}

fn at_level_0() {
    assert_eq!(
        (omp_get_level(), omp_get_thread_num(), omp_get_num_threads(), omp_in_parallel()),
        (0, 0, 1, 0)
    );
    assert_eq!((omp_get_team_size(0), omp_get_team_size(1), omp_get_ancestor_thread_num(0)), (1, -1, 0));
}

regions! {
    // Each thread notes that it ran, and behind a barrier sees that all others have.
    team / team_wrapper(value) {
        let (thread, threads) = (omp_get_thread_num(), omp_get_num_threads());
        assert_eq!(threads, WANTED.load(SeqCst) as i32);
        assert!((0..threads).contains(&thread));
        assert_eq!((omp_get_level(), __kmpc_parallel_level(null(), 0)), (1, 1));
        assert_eq!((omp_in_parallel(), omp_get_active_level()), ((threads > 1) as i32, (threads > 1) as i32));
        assert_eq!((omp_get_ancestor_thread_num(1), omp_get_team_size(1)), (thread, threads));
        assert_eq!((omp_get_ancestor_thread_num(0), omp_get_team_size(0)), (0, 1));
        for round in 1..4 {
            HITS[thread as usize].fetch_add(1, SeqCst);
            __kmpc_barrier(null(), thread);
            for other in &HITS[..threads as usize] {
                assert_eq!(other.load(SeqCst) % 4, round, "a barrier of {threads} threads");
            }
            __kmpc_barrier(null(), thread);
        }
        HITS[thread as usize].fetch_add(1, SeqCst);
        if __kmpc_single(null(), thread) != 0 {
            SUM.fetch_add(value as u32, SeqCst);
        }
    }
}

/// Each of the first `threads` threads ran `regions` regions in each block, no other did.
#[track_caller]
fn ran(threads: u32, regions: u32) {
    for (thread, hit) in HITS.iter().enumerate() {
        let wanted = if thread < threads as usize { 4 * regions } else { 0 };
        assert_eq!(hit.swap(0, SeqCst), wanted, "thread {thread} of {threads}");
    }
}

#[test]
fn a_generic_team_has_the_threads_that_it_asks_for() {
    let _test = start();
    for (kernel, threads) in [1, 2, 7, 31, 32, 33, 40, 64, 95, 96, -1, 500].into_iter().flat_map(|threads| {
        [Kernel::new(ExecMode::GENERIC), Kernel::new(ExecMode::GENERIC).flat()]
            .map(|kernel| (kernel, threads))
    }) {
        let wanted = if threads < 0 { 96 } else { (threads as u32).min(96) };
        WANTED.store(wanted, SeqCst);
        let before = mallocs();
        launch(2, 96 + WARP, || {
            kernel.run(|| {
                at_level_0();
                assert_eq!((omp_get_max_threads(), omp_get_thread_limit()), (96, 96));
                for round in 0..2 {
                    region(true, threads, team, team_wrapper as Code, (round + 1) as Arg);
                    at_level_0();
                }
            })
        });
        ran(wanted, 4);
        assert_eq!(SUM.swap(0, SeqCst), 6);
        assert_eq!(mallocs(), before);
        // Two barriers a region and one at the end, at which the workers learn it.
        assert_eq!(opened(BARRIER_REGION), 2 * 5);
    }
}

#[test]
fn a_generic_kernel_with_no_warp_to_spare_runs_alone() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC).of_at_most(20);
    WANTED.store(1, SeqCst);
    launch(1, 20, || kernel.run(|| region(true, -1, team, team_wrapper as Code, 1 as Arg)));
    ran(1, 1);
}

#[test]
fn an_spmd_team_has_the_threads_that_it_asks_for() {
    let _test = start();
    for mode in [ExecMode::SPMD, ExecMode::GENERIC_SPMD, ExecMode::SPMD_NO_LOOP] {
        let kernel = Kernel::new(mode);
        for (block, threads) in
            [(96, -1), (96, 1), (96, 2), (96, 31), (96, 32), (96, 50), (96, 64), (40, -1), (40, 33), (1, -1)]
        {
            let wanted = if threads < 0 { block } else { threads as u32 };
            launch(2, block, || {
                kernel.run(|| {
                    at_level_0();
                    WANTED.store(wanted, SeqCst);
                    region(true, threads, team, null(), 1 as Arg);
                    at_level_0();
                    // The next region has all threads again.
                    WANTED.store(block, SeqCst);
                    region(true, -1, team, null(), 1 as Arg);
                    at_level_0();
                })
            });
            for (thread, hit) in HITS.iter().enumerate() {
                let runs = (thread < wanted as usize) as u32 + (thread < block as usize) as u32;
                assert_eq!(hit.swap(0, SeqCst), 8 * runs, "thread {thread} of {wanted} in {block}");
            }
            assert_eq!(SUM.swap(0, SeqCst), 4);
        }
    }
}

/// As clang passes it on: a barrier gets the number of its region, which inside another one is a number of its own.
extern "C" fn told(number: *mut i32, _btid: *mut i32, inner: Arg) {
    // SAFETY: the region's.
    let number = unsafe { *number };
    let size = RegionNumber::of(number).team_size();
    if !inner.is_null() {
        assert_eq!((size, omp_get_num_threads()), (None, 1));
        return __kmpc_barrier(null(), number); // a team of one does not wait
    }
    let (thread, wanted) = (omp_get_thread_num() as usize, WANTED.load(SeqCst));
    let all = if wanted == ntid() { ALL_THREADS } else { wanted };
    assert_eq!(size, Some(all));
    for round in 1..4 {
        HITS[thread].fetch_add(1, SeqCst);
        __kmpc_barrier(null(), number);
        assert!(HITS[..wanted as usize].iter().all(|hit| hit.load(SeqCst) == round));
        if thread.is_multiple_of(3) {
            region(round == 2, -1, told, null(), 1 as Arg);
        }
        __kmpc_barrier(null(), number);
    }
}

#[test]
fn a_barrier_is_told_the_team_of_its_region() {
    let _test = start();
    KNOWS.store(true, SeqCst);
    for (block, threads) in
        [(96, -1), (96, 1), (96, 2), (96, 32), (96, 50), (96, 64), (40, -1), (40, 33), (1, -1)]
    {
        WANTED.store(if threads < 0 { block } else { threads as u32 }, SeqCst);
        let kernel = Kernel::new(ExecMode::SPMD);
        launch(1, block, || kernel.run(|| region(true, threads, told, null(), null_mut())));
        for (thread, hit) in HITS.iter().enumerate() {
            let rounds = if thread < WANTED.load(SeqCst) as usize { 3 } else { 0 };
            assert_eq!(hit.swap(0, SeqCst), rounds, "thread {thread} of {threads} in {block}");
        }
    }
    launch(1, 1, || {
        for number in [0, 1, 1023, -1, i32::MIN, i32::MAX] {
            assert_eq!(RegionNumber::of(number).team_size(), None);
        }
        for size in [ALL_THREADS, 1, 33, 1024] {
            let number = RegionNumber::of(RegionNumber::of_team(size).to_pass());
            assert_eq!((number.team_size(), number.is_of_block()), (Some(size), size == ALL_THREADS));
            KNOWS.store(false, SeqCst);
            assert_eq!(number.team_size(), None, "a question that stays is not asked");
            KNOWS.store(true, SeqCst);
        }
    });
}

regions! { quiet / quiet_wrapper(_arg) { SUM.fetch_add(1, SeqCst); } }

#[test]
fn an_spmd_region_has_two_barriers() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(1, 64, || kernel.run(|| (0..3).for_each(|_| region(true, -1, quiet, null(), null_mut()))));
    assert_eq!((SUM.load(SeqCst), opened(0)), (3 * 64, 1 + 2 * 3));
}

regions! {
    inner / inner_wrapper(outer_thread) {
        assert_eq!((omp_get_level(), omp_get_thread_num(), omp_get_num_threads()), (2, 0, 1));
        assert_eq!((omp_get_active_level(), omp_in_parallel(), omp_get_max_threads()), (1, 1, 1));
        assert_eq!(omp_get_ancestor_thread_num(1), outer_thread as i32);
        assert_eq!((omp_get_ancestor_thread_num(2), omp_get_team_size(2)), (0, 1));
        assert_eq!(omp_get_team_size(1), WANTED.load(SeqCst) as i32);
        __kmpc_barrier(null(), 0); // a team of one does not wait
        assert_eq!((__kmpc_single(null(), 0), __kmpc_masked(null(), 0, 0), __kmpc_masked(null(), 0, 1)), (1, 1, 0));
        SUM.fetch_add(1, SeqCst);
    }
    outer / outer_wrapper(_arg) {
        let thread = omp_get_thread_num();
        if thread % 3 == 0 {
            region(true, -1, inner, inner_wrapper as Code, thread as Arg);
            region(false, 8, inner, inner_wrapper as Code, thread as Arg);
        }
        assert_eq!((omp_get_level(), omp_get_thread_num()), (1, thread));
        __kmpc_barrier(null(), thread);
    }
}

#[test]
fn nested_regions_have_one_thread_and_later_ones_all() {
    let _test = start();
    for (mode, block, threads) in
        [(ExecMode::SPMD, 64, 64), (ExecMode::GENERIC, 96, 64), (ExecMode::SPMD, 64, 40)]
    {
        let kernel = Kernel::new(mode);
        WANTED.store(threads, SeqCst);
        let before = mallocs();
        launch(1, block, || {
            kernel.run(|| {
                region(true, threads as i32, outer, outer_wrapper as Code, null_mut());
                region(true, threads as i32, outer, outer_wrapper as Code, null_mut());
                region(true, threads as i32, team, team_wrapper as Code, null_mut());
            })
        });
        assert_eq!(SUM.swap(0, SeqCst), 2 * 2 * threads.div_ceil(3));
        ran(threads, 1);
        assert!(
            mallocs() - before <= 1 + 2 * 2 * threads.div_ceil(3),
            "all nested regions share one table, and as the program sets ICVs each has some; launch() checks that all is freed"
        );
    }
}

regions! {
    alone / alone_wrapper(_arg) {
        assert_eq!((omp_get_level(), omp_get_num_threads(), omp_in_parallel()), (1, 1, 0));
        region(false, -1, alone_2, null(), null_mut());
        SUM.fetch_add(1, SeqCst);
    }
    alone_2 / alone_2_wrapper(_arg) {
        assert_eq!((omp_get_level(), omp_get_active_level(), omp_get_thread_num()), (2, 0, 0));
        assert_eq!((omp_get_ancestor_thread_num(1), omp_get_team_size(1)), (0, 1));
        SUM.fetch_add(10, SeqCst);
    }
}

#[test]
fn if_0_runs_once_without_a_barrier() {
    let _test = start();
    for (mode, block) in [(ExecMode::GENERIC, 96), (ExecMode::SPMD, 64)] {
        let kernel = Kernel::new(mode);
        launch(1, block, || kernel.run(|| region(false, -1, alone, alone_wrapper as Code, null_mut())));
        assert_eq!(SUM.swap(0, SeqCst), 11);
    }
    // Guarded serial code: thread 0 comes alone. A barrier would report a deadlock.
    let kernel = Kernel::new(ExecMode::GENERIC_SPMD);
    launch(1, 64, || {
        kernel.run(|| {
            if devicertl::arch::tid() == 0 {
                region(false, -1, alone, null(), null_mut())
            }
        })
    });
    assert_eq!((SUM.swap(0, SeqCst), opened(0)), (11, 1));
}

regions! {
    // An ICV that is set inside a region is that task's own, and gone with it.
    changes_icvs / changes_icvs_wrapper(_arg) {
        // All workers are in the team: a region inside gets none of them.
        assert_eq!(omp_get_max_threads(), 1);
        let thread = omp_get_thread_num();
        if thread % 2 == 1 {
            omp_set_num_threads(thread);
            let (mut kind, mut chunk) = (0, 0);
            omp_set_schedule(2, thread);
            // SAFETY: variables of this thread.
            unsafe { omp_get_schedule(&raw mut kind, &raw mut chunk) };
            assert_eq!((kind, chunk), (2, thread));
            assert_eq!((omp_get_thread_num(), omp_get_level()), (thread, 1));
        }
        __kmpc_barrier(null(), thread);
        let (mut kind, mut chunk) = (0, 0);
        // SAFETY: variables of this thread.
        unsafe { omp_get_schedule(&raw mut kind, &raw mut chunk) };
        assert_eq!((kind, chunk), if thread % 2 == 1 { (2, thread) } else { (1, 1) });
        SUM.fetch_add(1, SeqCst);
    }
}

#[test]
fn icvs_belong_to_their_task() {
    let _test = start();
    for (mode, block) in [(ExecMode::GENERIC, 96), (ExecMode::SPMD, 64)] {
        let kernel = Kernel::new(mode);
        launch(1, block, || {
            kernel.run(|| {
                for _ in 0..2 {
                    region(true, -1, changes_icvs, changes_icvs_wrapper as Code, null_mut());
                    assert_eq!(omp_get_max_threads(), 64);
                }
            })
        });
        assert_eq!(SUM.swap(0, SeqCst), 2 * 64);
    }
    // Set by the initial task, it counts for the next region.
    let kernel = Kernel::new(ExecMode::GENERIC);
    WANTED.store(40, SeqCst);
    launch(1, 96, || {
        kernel.run(|| {
            omp_set_num_threads(40);
            assert_eq!(omp_get_max_threads(), 40);
            region(true, -1, team, team_wrapper as Code, null_mut());
        })
    });
    ran(40, 1);
}

regions! {
    shares / shares_wrapper(address) {
        // SAFETY: the main thread's variable, which outlives the region.
        unsafe { AtomicU32::from_ptr(address.cast()) }.fetch_add(omp_get_thread_num() as u32, SeqCst);
    }
}

#[test]
fn workers_reach_a_variable_of_the_main_thread() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC);
    let before = mallocs();
    launch(1, 96, || {
        kernel.run(|| {
            let local = __kmpc_alloc_shared(4).cast::<u32>();
            // SAFETY: memory of the right size, freed behind its last use.
            unsafe {
                local.write(1000);
                region(true, -1, shares, shares_wrapper as Code, local.cast());
                assert_eq!(local.read(), 1000 + 63 * 64 / 2);
                __kmpc_free_shared(local.cast(), 4);
            }
        })
    });
    assert_eq!(mallocs(), before);
}

regions! {
    counts / counts_wrapper(address) {
        static NAME: [AtomicU32; 8] = [const { AtomicU32::new(0) }; 8];
        let name = NAME.as_ptr().cast_mut().cast::<u32>();
        for _ in 0..20 {
            // SAFETY: inside of the critical section no other thread uses the counter.
            unsafe {
                __kmpc_critical(null(), 0, name);
                let counter = address.cast::<u32>();
                let seen = counter.read_volatile();
                std::thread::yield_now();
                counter.write_volatile(seen + 1);
                __kmpc_end_critical(null(), 0, name);
            }
        }
    }
}

#[test]
fn critical_excludes() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::SPMD);
    let mut counter = 0u32;
    let address = &raw mut counter as usize;
    launch(2, 40, || kernel.run(|| region(true, -1, counts, null(), address as Arg)));
    assert_eq!(counter, 2 * 40 * 20);
}

#[test]
fn what_does_not_depend_on_the_team() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::SPMD);
    launch(3, 8, || {
        kernel.run(|| {
            assert_eq!((omp_get_num_teams(), omp_get_team_num()), (3, devicertl::arch::ctaid() as i32));
            assert_eq!((omp_get_num_devices(), omp_get_device_num(), omp_get_initial_device()), (3, 1, 3));
            assert_eq!((omp_is_initial_device(), omp_get_num_procs(), omp_get_thread_limit()), (0, 8, 8));
            assert_eq!((omp_get_wtime(), omp_get_wtick()), (2.5, 1e-9));
        })
    });
}
