//! Reductions over threads and teams, with functions as clang writes them.

mod kernels;
mod machine;

use abi::{kernel::KernelLaunchEnvironment, mode::ExecMode};
use devicertl::{
    arch::{Arg, Code, WARP, tid},
    query::omp_get_thread_num,
    reduction::*,
    sync::__kmpc_barrier,
    warp::{__kmpc_shuffle_int32, __kmpc_shuffle_int64},
};
use kernels::{Kernel, region};
use machine::launch;
use std::{
    ptr::null,
    sync::{
        Mutex,
        atomic::{AtomicI64, AtomicU32, Ordering::SeqCst},
    },
};

static TEST: Mutex<()> = Mutex::new(());
static RESULT: AtomicI64 = AtomicI64::new(0);
static WINNERS: AtomicU32 = AtomicU32::new(0);

/// The reduce list: a sum that is not commutative to the eye of a wrong order, and a maximum.
#[repr(C)]
#[derive(Clone, Copy)]
struct List {
    sum: i64,
    max: i32,
}

fn reduce(into: &mut List, other: List) {
    into.sum += other.sum;
    into.max = into.max.max(other.max);
}

extern "C" fn shuffle(list: Arg, lane: i16, offset: i16, algorithm: i16) {
    // SAFETY: the list of this thread.
    let list = unsafe { &mut *list.cast::<List>() };
    let other = List {
        sum: __kmpc_shuffle_int64(list.sum, offset, WARP as i16),
        max: __kmpc_shuffle_int32(list.max, offset, WARP as i16),
    };
    if algorithm == 0 || (algorithm == 1 && lane < offset) {
        reduce(list, other);
    } else if algorithm == 1 {
        *list = other;
    }
}

static WARPS: [Mutex<Option<List>>; 32] = [const { Mutex::new(None) }; 32];

extern "C" fn copy(list: Arg, warps: i32) {
    // SAFETY: the list of this thread.
    let list = unsafe { &mut *list.cast::<List>() };
    __kmpc_barrier(null(), 0);
    if tid().is_multiple_of(WARP) {
        *WARPS[(tid() / WARP) as usize].lock().unwrap() = Some(*list);
    }
    __kmpc_barrier(null(), 0);
    if (tid() as i32) < warps {
        *list = WARPS[tid() as usize].lock().unwrap().expect("each warp wrote");
    }
}

macro_rules! record_functions {
    ($($name:ident($record:ident, $list:ident) $body:block)*) => { $(
        extern "C" fn $name(buffer: Arg, index: i32, list: Arg) {
            // SAFETY: a record of the buffer, which belongs to this team now.
            let $record = unsafe { &mut *buffer.cast::<List>().add(index as usize) };
            // SAFETY: the list of this thread.
            let $list = unsafe { &mut *list.cast::<List>() };
            $body
        }
    )* };
}
record_functions! {
    put(record, list) { *record = *list; }
    put_reduce(record, list) { reduce(record, *list); }
    get(record, list) { *list = *record; }
    get_reduce(record, list) { reduce(list, *record); }
}

regions! {
    over_threads / over_threads_wrapper(_arg) {
        let thread = omp_get_thread_num();
        let mut list = List { sum: 1 << thread.min(40), max: 1000 - thread };
        let list_address = (&raw mut list).cast();
        // SAFETY: functions of the right types.
        let won = unsafe {
            __kmpc_nvptx_parallel_reduce_nowait_v2(null(), 16, list_address, shuffle as Code, copy as Code)
        };
        if won == 1 {
            WINNERS.fetch_add(1, SeqCst);
            assert_eq!(list.max, 1000);
            RESULT.store(list.sum, SeqCst);
        }
    }
}

#[test]
fn over_any_number_of_threads() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    // All threads of a block, and some of a larger one.
    type Block = fn(u32) -> u32;
    let blocks: [(ExecMode, Block); 3] =
        [(ExecMode::SPMD, |threads| threads), (ExecMode::SPMD, |_| 128), (ExecMode::GENERIC, |_| 128 + WARP)];
    for (mode, block) in blocks {
        let kernel = Kernel::new(mode);
        for threads in [1_u32, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 96, 97, 128] {
            launch(1, block(threads), || {
                kernel.run(|| {
                    region(
                        true,
                        threads as i32,
                        over_threads,
                        over_threads_wrapper as Code,
                        std::ptr::null_mut(),
                    )
                })
            });
            let wanted = (0..threads).map(|thread| 1i64 << thread.min(40)).sum();
            let found = (RESULT.swap(0, SeqCst), WINNERS.swap(0, SeqCst));
            assert_eq!(found, (wanted, 1), "{} {threads} of {}", mode.name(), block(threads));
        }
    }
}

/// A reduction over teams with a buffer of so many records.
fn over_teams(mode: ExecMode, teams: u32, threads: u32, records: u32) {
    let mut buffer = vec![List { sum: -1, max: -1 }; records as usize];
    let mut env = KernelLaunchEnvironment {
        reduction_count: 0,
        reduction_iteration_count: 0,
        reduction_buffer: buffer.as_mut_ptr() as u64,
    };
    let kernel = Kernel::new(mode).launched_with(&raw mut env);
    let shared_list = Mutex::new(List { sum: 0, max: 0 });
    launch(teams, threads, || {
        kernel.run(|| {
            let team = devicertl::arch::ctaid();
            let mut own = List { sum: 1 << (team % 50), max: team as i32 };
            // In a converted kernel all threads have one list.
            let list = if mode == ExecMode::GENERIC_SPMD {
                *shared_list.lock().unwrap() = own;
                devicertl::arch::syncthreads_aligned();
                std::ptr::from_mut(&mut *shared_list.lock().unwrap())
            } else {
                &raw mut own
            };
            // SAFETY: functions of the right types; one thread at a time uses a list.
            let won = unsafe {
                __kmpc_nvptx_teams_reduce_nowait_v2(
                    null(),
                    __kmpc_reduction_get_fixed_buffer().cast(),
                    records,
                    16,
                    list.cast(),
                    shuffle as Code,
                    copy as Code,
                    put as Code,
                    put_reduce as Code,
                    get as Code,
                    get_reduce as Code,
                )
            };
            if won == 1 {
                WINNERS.fetch_add(1, SeqCst);
                // SAFETY: the list that has the result.
                let list = unsafe { *list };
                assert_eq!(list.max, teams as i32 - 1);
                RESULT.store(list.sum, SeqCst);
            }
        })
    });
    let wanted = (0..teams).map(|team| 1i64 << (team % 50)).sum();
    let what = format!("{} teams {teams} threads {threads} records {records}", mode.name());
    assert_eq!((RESULT.swap(0, SeqCst), WINNERS.swap(0, SeqCst)), (wanted, 1), "{what}");
    let counts = (env.reduction_count, env.reduction_iteration_count);
    assert_eq!(counts, (0, 0), "{what}: ready for another launch");
}

#[test]
fn over_teams_with_a_record_for_each() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for teams in [1, 2, 5, 40] {
        for (mode, threads) in [
            (ExecMode::SPMD, 1),
            (ExecMode::SPMD, 20),
            (ExecMode::SPMD, 70),
            (ExecMode::GENERIC_SPMD, 40),
            (ExecMode::GENERIC, 40),
        ] {
            over_teams(mode, teams, threads, 1024);
        }
    }
}

#[test]
fn over_more_teams_than_records() {
    let _test = TEST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    for (teams, records) in [(5, 4), (8, 4), (17, 4), (9, 1)] {
        over_teams(ExecMode::SPMD, teams, 33, records);
        over_teams(ExecMode::GENERIC, teams, 33, records);
    }
}
