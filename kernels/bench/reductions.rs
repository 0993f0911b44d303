//! The reductions of `reductions.c` in kernels of Rust, with functions in the place of those that clang writes for the runtime's
//! `__kmpc_nvptx_parallel_reduce_nowait_v2` and `__kmpc_nvptx_teams_reduce_nowait_v2`; and beside them a reduction by hand, which
//! needs no runtime, as the yardstick of both.
#![no_std]
#![allow(internal_features, reason = "that of the intrinsic functions")]
#![feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics)]

#[macro_use]
#[path = "shared/frame.rs"]
mod frame;
#[macro_use]
#[path = "shared/numbers.rs"]
mod numbers;

use core::mem::MaybeUninit;
use frame::*;
use numbers::*;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    safe fn from_lane_above(lanes: u32, value: u32, offset: u32, limits: u32) -> u32;
    fn __kmpc_shuffle_int32(value: u32, offset: i16, width: i16) -> u32;
    fn __kmpc_shuffle_int64(value: u64, offset: i16, width: i16) -> u64;
    fn __kmpc_get_dynamic_shared() -> *mut c_void;
    fn __kmpc_for_static_init_8u(
        location: Location,
        number: i32,
        schedule: i32,
        last: *mut i32,
        lower: *mut u64,
        upper: *mut u64,
        stride: *mut i64,
        step: i64,
        chunk: i64,
    );
    fn __kmpc_nvptx_parallel_reduce_nowait_v2(
        location: Location,
        bytes: u64,
        list: *mut c_void,
        shuffle: Code,
        copy: Code,
    ) -> i32;
    fn __kmpc_reduction_get_fixed_buffer() -> *mut c_void;
    fn __kmpc_nvptx_teams_reduce_nowait_v2(
        location: Location,
        buffer: *mut c_void,
        records: u32,
        bytes: u64,
        list: *mut c_void,
        shuffle: Code,
        copy: Code,
        put: Code,
        put_reduce: Code,
        get: Code,
        get_reduce: Code,
    ) -> i32;
}

const WARP: u32 = 32;
const ALL_LANES: u32 = u32::MAX;
/// A loop in chunks of this size (`kmp.h`: `sched_type`).
const STATIC_CHUNKED: i32 = 33;

/// What the compiler calls a reduce list: the address of this thread's value.
type List<V> = *const *mut V;

/// A value, word by word through `shuffle`.
#[inline(always)]
unsafe fn shuffled<V: Copy, W: Copy>(value: V, shuffle: impl Fn(W) -> W) -> V {
    let mut result = MaybeUninit::<V>::uninit();
    let (from, to) = ((&raw const value).cast::<W>(), result.as_mut_ptr().cast::<W>());
    let mut i = 0;
    while i < size_of::<V>() / size_of::<W>() {
        // SAFETY: the values are whole words, as the caller promises.
        unsafe { to.add(i).write(shuffle(from.add(i).read())) };
        i += 1;
    }
    // SAFETY: all words have been written.
    unsafe { result.assume_init() }
}

/// Gets the value of the lane `offset` above, and reduces it or takes it as `algorithm` says: 0 for a whole warp, 1 for the first lanes of
/// one, 2 for lanes apart from each other.
extern "C" fn shuffle_and_reduce<R: Reduction>(list: List<R::Value>, lane: i16, offset: i16, algorithm: i16) {
    // SAFETY: the runtime hands over the list of this thread; all lanes that take part come here.
    unsafe {
        let mine = *list;
        let other = if size_of::<R::Value>() % size_of::<u64>() == 0 {
            shuffled(*mine, |word| __kmpc_shuffle_int64(word, offset, WARP as i16))
        } else {
            shuffled(*mine, |word| __kmpc_shuffle_int32(word, offset, WARP as i16))
        };
        if algorithm == 0 || algorithm == 1 && lane < offset || algorithm == 2 && lane % 2 == 0 && offset > 0
        {
            R::combine(&mut *mine, other);
        }
        if algorithm == 1 && lane >= offset {
            *mine = other;
        }
    }
}

/// Shared memory with a value for each warp, which the launch brings.
#[inline(always)]
fn of_warps<V>() -> *mut V {
    // SAFETY: an address of the block.
    unsafe { __kmpc_get_dynamic_shared().cast() }
}

/// Copies the values of the first lanes of all warps to the first threads of the team.
extern "C" fn copy_to_first_warp<R: Reduction>(list: List<R::Value>, warps: i32) {
    let thread = thread();
    let values = of_warps::<R::Value>();
    // SAFETY: each warp has a value, and all threads of the block come to the barriers.
    unsafe {
        let mine = *list;
        __kmpc_barrier_simple_spmd(location(), 0);
        if thread % WARP == 0 {
            values.add((thread / WARP) as usize).write(*mine);
        }
        __kmpc_barrier_simple_spmd(location(), 0);
        if thread < warps as u32 {
            *mine = values.add(thread as usize).read();
        }
    }
}

/// Writes the list's value to a record of the buffer.
extern "C" fn put<R: Reduction>(buffer: *mut R::Value, record: i32, list: List<R::Value>) {
    // SAFETY: the runtime names a record that is there.
    unsafe { buffer.add(record as usize).write(**list) }
}

/// Reduces the list's value into a record.
extern "C" fn put_reduce<R: Reduction>(buffer: *mut R::Value, record: i32, list: List<R::Value>) {
    // SAFETY: as above.
    unsafe { R::combine(&mut *buffer.add(record as usize), **list) }
}

/// Reads the list's value from a record.
extern "C" fn get<R: Reduction>(buffer: *mut R::Value, record: i32, list: List<R::Value>) {
    // SAFETY: as above.
    unsafe { **list = buffer.add(record as usize).read() }
}

/// Reduces a record into the list's value.
extern "C" fn get_reduce<R: Reduction>(buffer: *mut R::Value, record: i32, list: List<R::Value>) {
    // SAFETY: as above.
    unsafe { R::combine(&mut **list, buffer.add(record as usize).read()) }
}

/// What the threads of all teams reduce: `n` elements.
struct Work<R: Reduction> {
    data: *const R::Value,
    n: u64,
    result: *mut R::Value,
    cycles: *mut u64,
}

impl<R: Reduction> Work<R> {
    /// Reduces the elements `from`, `from + step`, ...
    #[inline(always)]
    fn own(&self, from: u64, step: u64) -> R::Value {
        let (mut mine, mut i) = (R::START, from);
        while i < self.n {
            // SAFETY: one of the elements.
            R::combine(&mut mine, unsafe { self.data.add(i as usize).read() });
            i += step;
        }
        mine
    }
}

/// Reduces the team's values into one, which it gives to one thread.
#[inline(always)]
unsafe fn reduced_in_team<R: Reduction>(mine: &mut R::Value) -> bool {
    let list = [&raw mut *mine];
    let (shuffle, copy) = (shuffle_and_reduce::<R> as Code, copy_to_first_warp::<R> as Code);
    let (bytes, list) = (size_of::<R::Value>() as u64, (&raw const list).cast_mut().cast());
    // SAFETY: all threads of the team call it, with functions of these types.
    unsafe { __kmpc_nvptx_parallel_reduce_nowait_v2(location(), bytes, list, shuffle, copy) == 1 }
}

/// `for reduction` in a region.
extern "C" fn in_team<R: Reduction>(number: *const i32, _bound: *const i32, work: *const Work<R>) {
    // SAFETY: each thread's own; calls of the runtime by all threads of the region.
    unsafe {
        let (work, number) = (&*work, *number);
        let start = clock();
        let (mut last, mut lower, mut upper, mut stride) = (0, 0, work.n - 1, 1);
        __kmpc_for_static_init_8u(
            location(),
            number,
            STATIC_CHUNKED,
            &mut last,
            &mut lower,
            &mut upper,
            &mut stride,
            1,
            1,
        );
        let mut mine = work.own(lower, stride as u64);
        __kmpc_for_static_fini(location(), number);
        if reduced_in_team::<R>(&mut mine) {
            work.result.write(mine);
        }
        barrier();
        let end = clock();
        if omp_get_thread_num() == 0 {
            work.cycles.write(end.wrapping_sub(start) as u64);
        }
    }
}

/// The part of one team in `teams distribute parallel for reduction`: `result` is each thread's own.
extern "C" fn in_teams<R: Reduction>(_number: *const i32, _bound: *const i32, work: *const Work<R>) {
    // SAFETY: each thread's own; calls of the runtime by all threads of the region.
    unsafe {
        let work = &*work;
        let size = u64::from(threads());
        let first = u64::from(block()) * size + u64::from(thread());
        let mut mine = work.own(first, u64::from(blocks()) * size);
        if reduced_in_team::<R>(&mut mine) {
            work.result.write(mine);
        }
    }
}

/// Reduces the teams' values, each of the first thread of a team, into one, which it gives to one thread.
#[inline(always)]
unsafe fn reduced_in_league<R: Reduction>(mine: &mut R::Value) -> bool {
    let list = [&raw mut *mine];
    let (bytes, list) = (size_of::<R::Value>() as u64, (&raw const list).cast_mut().cast());
    // SAFETY: all threads call it, with functions of these types and the buffer of the launch.
    unsafe {
        __kmpc_nvptx_teams_reduce_nowait_v2(
            location(),
            __kmpc_reduction_get_fixed_buffer(),
            RECORDS,
            bytes,
            list,
            shuffle_and_reduce::<R> as Code,
            copy_to_first_warp::<R> as Code,
            put::<R> as Code,
            put_reduce::<R> as Code,
            get::<R> as Code,
            get_reduce::<R> as Code,
        ) == 1
    }
}

/// Reduces the values of a warp's lanes into lane 0, by shuffles alone.
#[inline(always)]
fn reduce_warp<R: Reduction>(mine: &mut R::Value) {
    let mut offset = WARP / 2;
    while offset > 0 {
        // SAFETY: values are whole words.
        let other = unsafe { shuffled(*mine, |word| from_lane_above(ALL_LANES, word, offset, WARP - 1)) };
        R::combine(mine, other);
        offset /= 2;
    }
}

/// The block's part of all elements, for thread 0: by shuffles in each warp, and again over the warps' values.
#[inline(always)]
fn by_hand<R: Reduction>(work: &Work<R>) {
    let start = clock();
    let size = u64::from(threads());
    let first = u64::from(block()) * size + u64::from(thread());
    let mut mine = work.own(first, u64::from(blocks()) * size);
    let (warp, lane, values) = (thread() / WARP, thread() % WARP, of_warps::<R::Value>());
    reduce_warp::<R>(&mut mine);
    // SAFETY: each warp has a value; all threads of the block, which are whole warps, come to the barriers.
    unsafe {
        if lane == 0 {
            values.add(warp as usize).write(mine);
        }
        bar_sync(0);
        if warp == 0 {
            mine = if lane < threads() / WARP { values.add(lane as usize).read() } else { R::START };
            reduce_warp::<R>(&mut mine);
        }
        if thread() == 0 {
            work.result.add(block() as usize).write(mine);
        }
        bar_sync(0);
        if thread() == 0 {
            work.cycles.add(block() as usize).write(clock().wrapping_sub(start) as u64);
        }
    }
}

/// Runs a region of all threads with this argument.
#[inline(always)]
fn all_threads<R: Reduction>(region: Code, work: &Work<R>) {
    let mut arguments = [(&raw const *work).cast::<c_void>().cast_mut()];
    parallel(threads() as i32, region, core::ptr::null(), &mut arguments)
}

/// The kernels of one reduction: one that makes an input, and three that reduce one.
macro_rules! kernels {
    ($type:ident $name:literal) => {
        const _: () =
            {
                type Value = <$type as Reduction>::Value;
                const RECORD: usize = size_of::<Value>();

                entry!(concat!($name, "_input"), |_env, data: *mut Value, n: u64, key: u32| {
                    let mut i = u64::from(block()) * u64::from(threads()) + u64::from(thread());
                    while i < n {
                        // SAFETY: one of `n` places.
                        unsafe { data.add(i as usize).write($type::input(key, i)) };
                        i += u64::from(blocks()) * u64::from(threads());
                    }
                });
                entry!(concat!($name, "_team"), |env,
                                                 data: *const Value,
                                                 n: u64,
                                                 result: *mut Value,
                                                 cycles: *mut u64| {
                    let work = Work::<$type> { data, n, result, cycles };
                    in_target!(env, ExecMode::SPMD, 0, all_threads(in_team::<$type> as Code, &work))
                });
                entry!(
                    concat!($name, "_teams"),
                    |env, data: *const Value, n: u64, result: *mut Value, cycles: *mut u64| {
                        in_target!(env, ExecMode::SPMD, RECORD, {
                            let mut mine = $type::START;
                            let work = Work::<$type> { data, n, result: &raw mut mine, cycles };
                            all_threads(in_teams::<$type> as Code, &work);
                            // SAFETY: all threads come here; the one that has the result writes it.
                            unsafe {
                                if reduced_in_league::<$type>(&mut mine) {
                                    result.write(mine);
                                }
                            }
                        })
                    }
                );
                entry!(
                    concat!($name, "_by_hand"),
                    |_env, data: *const Value, n: u64, result: *mut Value, cycles: *mut u64| {
                        by_hand(&Work::<$type> { data, n, result, cycles })
                    }
                );
            };
    };
}

for_reductions!(kernels);
