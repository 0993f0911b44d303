//! Nested teams: who is in them, what they are told, and when a region has to run on its thread alone.

mod kernels;
mod machine;

use abi::mode::ExecMode;
use devicertl::{
    arch::{Arg, BARRIER_IDLE, Code, WARP, tid},
    memory::{__kmpc_alloc_shared, __kmpc_free_shared},
    query::*,
    reduction::__kmpc_nvptx_parallel_reduce_nowait_v2,
    sync::*,
    warp::{__kmpc_shuffle_int32, __kmpc_shuffle_int64},
    worksharing::Share,
};
use kernels::{Kernel, region};
use machine::{launch, local_address, opened, pool_is_free};
use std::{
    ptr::{null, null_mut},
    sync::{
        Mutex,
        atomic::{AtomicI32, AtomicI64, AtomicU32, AtomicU64, Ordering::SeqCst},
    },
};

/// Threads of the outer teams.
const OUTER: usize = 8;
/// Workers of a block.
const WORKERS: u32 = 64;

/// What the inner team of one outer thread notes.
#[derive(Default)]
struct Notes {
    size: AtomicI32,
    members: AtomicU64,
    arrived: AtomicI32,
    singles: AtomicU32,
    sum: AtomicI64,
}

impl Notes {
    const fn new() -> Self {
        Self {
            size: AtomicI32::new(0),
            members: AtomicU64::new(0),
            arrived: AtomicI32::new(0),
            singles: AtomicU32::new(0),
            sum: AtomicI64::new(0),
        }
    }

    /// The size of the inner team, after all was as it should be.
    #[track_caller]
    fn taken(&self) -> i32 {
        let size = self.size.swap(0, SeqCst);
        assert_eq!(self.members.swap(0, SeqCst).count_ones() as i32, size);
        assert_eq!((self.arrived.swap(0, SeqCst), self.singles.swap(0, SeqCst)), (3 * size, 1));
        let members = i64::from(size);
        assert_eq!(self.sum.swap(0, SeqCst), members * (members - 1) / 2 + 1000 * members);
        size
    }
}

static TEST: Mutex<()> = Mutex::new(());
static NOTES: [Notes; OUTER] = [const { Notes::new() }; OUTER];
static WANTED: AtomicI32 = AtomicI32::new(0);
static COUNT: AtomicU32 = AtomicU32::new(0);

fn start() -> impl Drop {
    let guard = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    COUNT.store(0, SeqCst);
    guard
}

/// A reduce list of two sums.
struct List(i64, i32);

extern "C" fn shuffle(list: Arg, lane: i16, offset: i16, algorithm: i16) {
    // SAFETY: the list of this thread.
    let list = unsafe { &mut *list.cast::<List>() };
    let other = List(
        __kmpc_shuffle_int64(list.0, offset, WARP as i16),
        __kmpc_shuffle_int32(list.1, offset, WARP as i16),
    );
    if algorithm == 0 || (algorithm == 1 && lane < offset) {
        *list = List(list.0 + other.0, list.1 + other.1);
    } else if algorithm == 1 {
        *list = other;
    }
}

regions! {
    member / member_wrapper(up) {
        let (up, notes) = (up as i32, &NOTES[up as usize]);
        let (me, size) = (omp_get_thread_num(), omp_get_num_threads());
        assert_eq!(omp_get_level(), 2);
        assert_eq!(omp_get_active_level(), 1 + (size > 1) as i32);
        assert_eq!((omp_get_ancestor_thread_num(1), omp_get_team_size(1)), (up, OUTER as i32));
        assert_eq!((omp_get_ancestor_thread_num(2), omp_get_team_size(2)), (me, size));
        assert_eq!((omp_get_ancestor_thread_num(0), omp_get_team_size(0), omp_get_team_size(3)), (0, 1, -1));
        assert_eq!(Share::threads(), Share { id: me as u32, of: size as u32 });
        assert_eq!(notes.members.fetch_or(1u64 << me, SeqCst) & 1 << me, 0, "thread {me} is there twice");
        for round in 1..=3 {
            notes.arrived.fetch_add(1, SeqCst);
            __kmpc_barrier(null(), me);
            assert_eq!(notes.arrived.load(SeqCst), round * size);
            __kmpc_barrier(null(), me);
        }
        if __kmpc_single(null(), me) != 0 {
            notes.singles.fetch_add(1, SeqCst);
            notes.size.store(size, SeqCst);
        }
        // Twice, and with nothing between the two.
        for last in [false, true] {
            let mut list = List(1000, me);
            let address = (&raw mut list).cast();
            // SAFETY: a function of this type; the other one is not called for a nested team.
            let won = unsafe {
                __kmpc_nvptx_parallel_reduce_nowait_v2(null(), 12, address, shuffle as Code, null())
            };
            assert_eq!(won, (me == 0) as i32);
            if won == 1 && last {
                notes.sum.store(list.0 + i64::from(list.1), SeqCst);
            }
        }
    }
    outer / outer_wrapper(arg) {
        let me = omp_get_thread_num();
        assert_eq!((omp_get_level(), omp_get_num_threads()), (1, OUTER as i32));
        // Only some of them at first, so that there are threads for all they want.
        if arg.is_null() || me < 2 {
            region(true, WANTED.load(SeqCst), member, null(), me as usize as Arg);
        }
        assert_eq!((omp_get_level(), omp_get_thread_num()), (1, me));
        __kmpc_barrier(null(), me);
    }
}

#[test]
fn inner_teams_have_the_threads_that_they_ask_for() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC);
    for wanted in [1, 2, 3, 7, 8, 28] {
        WANTED.store(wanted, SeqCst);
        launch(1, WORKERS + WARP, || {
            kernel.run(|| {
                for _ in 0..3 {
                    region(true, OUTER as i32, outer, outer_wrapper as Code, 1 as Arg);
                    assert_eq!([NOTES[0].taken(), NOTES[1].taken()], [wanted; 2]);
                }
            })
        });
        assert!(pool_is_free());
    }
}

#[test]
fn inner_teams_share_what_there_is() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC);
    for wanted in [-1, 8, 16, 30, 1000] {
        WANTED.store(wanted, SeqCst);
        launch(1, WORKERS + WARP, || {
            kernel.run(|| {
                region(true, OUTER as i32, outer, outer_wrapper as Code, null_mut());
                for notes in &NOTES {
                    let size = notes.taken();
                    match wanted {
                        // Its share of the workers, or what it asks for, which is the same.
                        -1 | 8 => assert_eq!(size, 8),
                        _ => assert!((1..=wanted).contains(&size)),
                    }
                }
            })
        });
    }
}

#[test]
fn an_spmd_kernel_has_no_idle_threads() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::SPMD);
    WANTED.store(8, SeqCst);
    launch(1, 32, || {
        kernel.run(|| {
            assert_eq!(
                (omp_get_supported_active_levels(), omp_get_max_active_levels(), omp_get_nested()),
                (1, 1, 0)
            );
            region(true, OUTER as i32, outer, null(), null_mut());
        })
    });
    assert!(NOTES.iter().all(|notes| notes.taken() == 1));
}

/// Counts the threads of a region inside a region, with an argument that the thread makes which meets it.
fn threads_with(arg: fn() -> Arg, levels: i32) -> u32 {
    static ARG: Mutex<fn() -> Arg> = Mutex::new(null_mut);
    regions! {
        counts / counts_wrapper(_arg) { COUNT.fetch_add(1, SeqCst); }
        passes / passes_wrapper(_arg) {
            if omp_get_thread_num() == 1 {
                let arg = *ARG.lock().unwrap();
                region(true, 5, counts, null(), arg());
            }
        }
    }
    let kernel = Kernel::new(ExecMode::GENERIC);
    launch(1, WORKERS + WARP, || {
        kernel.run(|| {
            *ARG.lock().unwrap() = arg;
            omp_set_max_active_levels(levels);
            region(true, 2, passes, passes_wrapper as Code, null_mut());
        })
    });
    COUNT.swap(0, SeqCst)
}

#[test]
fn what_other_threads_do_not_reach_stays_with_its_thread() {
    let _test = start();
    assert_eq!(threads_with(|| COUNT.as_ptr().cast(), 2), 5);
    assert_eq!(threads_with(null_mut, 2), 5);
    assert_eq!(threads_with(local_address, 2), 1, "a variable of one thread");
    fn variable(value: Arg) -> Arg {
        let variable = __kmpc_alloc_shared(8).cast::<Arg>();
        // SAFETY: memory of this size, which the team keeps to the end.
        unsafe { variable.write(value) };
        variable.cast()
    }
    assert_eq!(threads_with(|| variable(null_mut()), 2), 5);
    assert_eq!(threads_with(|| variable(local_address()), 2), 1, "a variable that holds its address");
    assert_eq!(threads_with(|| variable(variable(local_address())), 2), 1, "a variable that leads there");
    let overflow = || {
        let pieces: Vec<_> = (0..200).map(|_| __kmpc_alloc_shared(16)).collect();
        // SAFETY: of these sizes.
        pieces.iter().for_each(|piece| unsafe { __kmpc_free_shared(*piece, 16) });
        null_mut()
    };
    assert_eq!(threads_with(overflow, 2), 1, "there were variables that are not searched");
    assert_eq!(threads_with(null_mut, 1), 1, "max-active-levels-var");
    assert_eq!(threads_with(null_mut, 0), 0, "the region around it has one thread, and no thread 1");
}

static LEAVES: AtomicU32 = AtomicU32::new(0);
static SIZES: [AtomicU32; 3] = [const { AtomicU32::new(0) }; 3];

regions! {
    tree / tree_wrapper(_arg) {
        let level = omp_get_level();
        SIZES[level as usize - 1].fetch_add(1, SeqCst);
        for of in 1..=level {
            let (number, size) = (omp_get_ancestor_thread_num(of), omp_get_team_size(of));
            assert!((0..size).contains(&number) && size <= 3, "{number} of {size} at {of}");
        }
        let me = omp_get_thread_num();
        if level < 3 {
            omp_set_num_threads(3);
            region(true, -1, tree, null(), null_mut());
            assert_eq!((omp_get_level(), omp_get_thread_num(), omp_get_max_threads()), (level, me, 3));
        } else {
            LEAVES.fetch_add(1, SeqCst);
        }
        __kmpc_barrier(null(), 0);
    }
}

#[test]
fn teams_in_teams_in_teams() {
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC);
    launch(2, WORKERS + WARP, || {
        kernel.run(|| region(true, 3, tree, tree_wrapper as Code, null_mut()));
    });
    assert_eq!(LEAVES.swap(0, SeqCst), 2 * 27);
    assert_eq!(SIZES.each_ref().map(|size| size.swap(0, SeqCst)), [2 * 3, 2 * 9, 2 * 27]);
}

#[test]
fn a_region_of_one_thread_leaves_the_other_workers_idle() {
    regions! {
        one / one_wrapper(_arg) {
            assert_eq!((omp_get_level(), omp_get_active_level(), omp_get_num_threads()), (1, 0, 1));
            assert_eq!(omp_get_max_threads(), WORKERS as i32);
            region(true, -1, all, null(), null_mut());
        }
        all / all_wrapper(_arg) {
            assert_eq!((omp_get_level(), omp_get_active_level(), omp_in_parallel()), (2, 1, 1));
            assert_eq!((omp_get_num_threads(), omp_get_team_size(1), omp_get_ancestor_thread_num(1)), (WORKERS as i32, 1, 0));
            COUNT.fetch_add(1, SeqCst);
            PLACES[tid() as usize].fetch_add(1, SeqCst);
        }
    }
    static PLACES: [AtomicU32; (WORKERS + WARP) as usize] =
        [const { AtomicU32::new(0) }; (WORKERS + WARP) as usize];
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC);
    for (if_clause, threads) in [(false, -1), (true, 1)] {
        launch(1, WORKERS + WARP, || {
            kernel.run(|| {
                (0..2).for_each(|_| region(if_clause, threads, one, one_wrapper as Code, null_mut()))
            });
        });
        assert_eq!(COUNT.swap(0, SeqCst), 2 * WORKERS);
        // One place in a team, though no barrier keeps a worker that is done from another.
        assert!(PLACES.iter().all(|places| places.swap(0, SeqCst) <= 2));
        assert_eq!(opened(BARRIER_IDLE), 0, "of the two warps of workers one is idle as a whole");
    }
}

/// A warp that is partly in the team looks for itself, and so does one that would wait alone.
#[test]
fn idle_warps_wait_at_a_barrier() {
    const WORKERS: u32 = 4 * WARP;
    regions! {
        all / all_wrapper(_arg) {
            COUNT.fetch_add(1, SeqCst);
        }
    }
    let _test = start();
    let kernel = Kernel::new(ExecMode::GENERIC);
    for (threads, opens) in [(1, 1), (2, 1), (WARP, 1), (2 * WARP, 1), (2 * WARP + 1, 0), (WORKERS, 0)] {
        launch(1, WORKERS + WARP, || {
            kernel.run(|| region(true, threads as i32, all, all_wrapper as Code, null_mut()));
        });
        assert_eq!(COUNT.swap(0, SeqCst), threads);
        assert_eq!(opened(BARRIER_IDLE), opens, "{threads} threads");
    }
}
