//! The machine below the runtime, on the host: one OS thread for each device thread, one block at a time.
//!
//! Shared memory is filled with garbage when a block starts. Barriers count threads; a block in which every thread
//! waits at a barrier that cannot open is reported at once. Warps do not run in lock step, which the runtime must
//! not need. What the hardware forbids is an error: a counted barrier of other than whole warps, a warp operation
//! whose mask names lanes that are not there or leaves out the caller.

#![allow(static_mut_refs, unsafe_op_in_unsafe_fn, dead_code)]
#![allow(clippy::undocumented_unsafe_blocks, reason = "stands for hardware: callers pass what they have")]

mod math;

use devicertl::arch::{Arg, Code, Element, WARP};
use std::{
    alloc::Layout,
    cell::Cell,
    collections::{BTreeMap, HashMap},
    ffi::{CStr, CString, c_char},
    mem::{MaybeUninit, transmute},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Condvar, Mutex, MutexGuard,
        atomic::{
            AtomicBool, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
            Ordering::{Relaxed, SeqCst},
        },
    },
};

macro_rules! define {
    ($($name:ident: $ty:ty;)*) => {
        $(
            #[unsafe(export_name = concat!("__devrtl_shared_", stringify!($name)))]
            static mut $name: MaybeUninit<$ty> = MaybeUninit::uninit();
        )*
        /// Shared memory holds anything when a block starts.
        unsafe fn poison_shared() {
            $( (&raw mut $name).cast::<u8>().write_bytes(0xA5, size_of::<$ty>()); )*
        }
    };
}
devicertl::for_shared_variables!(define);

#[unsafe(no_mangle)]
static __omp_rtl_assume_no_thread_state: i32 = 0;
#[unsafe(no_mangle)]
static __omptarget_lone_barriers: AtomicU32 = AtomicU32::new(0);
#[unsafe(no_mangle)]
static __omptarget_lone_regions: AtomicU32 = AtomicU32::new(0);
/// All checks; the device environment says which are on.
#[unsafe(no_mangle)]
static __omp_rtl_debug_kind: u32 = !0;
#[unsafe(no_mangle)]
static __omp_rtl_assume_no_nested_parallelism: i32 = 0;
#[unsafe(no_mangle)]
static mut __omp_rtl_device_environment: abi::device::DeviceEnvironment = abi::device::DeviceEnvironment {
    device_debug_kind: devicertl::debug::CHECKS,
    num_devices: 3,
    device_num: 1,
    dynamic_mem_size: 0,
    clock_frequency: 1_000_000_000,
    indirect_call_table: 0,
    indirect_call_table_size: 0,
    hardware_parallelism: 0,
};

/// Changes the environment of the device, as the host does before any kernel runs.
pub fn set_environment(change: impl FnOnce(&mut abi::device::DeviceEnvironment)) {
    let _one = ONE_LAUNCH.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    unsafe { change(&mut __omp_rtl_device_environment) }
}
thread_local! { static TID: Cell<u32> = const { Cell::new(0) }; }
thread_local! { static LAUNCHED: Cell<bool> = const { Cell::new(false) }; }
/// Whether the compiler knows the values of questions behind its optimisations, of what is launched.
pub static KNOWS: AtomicBool = AtomicBool::new(false);
static NTID: AtomicU32 = AtomicU32::new(1);
static CTAID: AtomicU32 = AtomicU32::new(0);
static NCTAID: AtomicU32 = AtomicU32::new(1);

/// A place where threads wait for each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// Barrier `id` of the block.
    Block(u32),
    /// Barrier of lanes of a warp.
    Warp(u32, u32),
}

#[derive(Default)]
struct Meeting {
    arrived: u32,
    /// 0 means all threads of the block that have not left.
    needed: u32,
    round: u64,
}

#[derive(Default)]
struct Block {
    live: u32,
    waiting: u32,
    meetings: BTreeMap<Place, Meeting>,
    opened: BTreeMap<u32, u32>,
    exchange: HashMap<u32, u64>,
}

static BLOCK: Mutex<Option<Block>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();

type Guard = MutexGuard<'static, Option<Block>>;

fn block(guard: &mut Guard) -> &mut Block {
    guard.as_mut().expect("a block runs")
}

/// Opens whatever has all its threads; reports a block in which nobody can go on.
fn settle(guard: &mut Guard) {
    let block = block(guard);
    let live = block.live;
    for (place, meeting) in &mut block.meetings {
        let needed = if meeting.needed == 0 { live } else { meeting.needed };
        if meeting.arrived != 0 && meeting.arrived >= needed {
            block.waiting -= meeting.arrived;
            meeting.arrived = 0;
            meeting.round += 1;
            if let Place::Block(id) = place {
                *block.opened.entry(*id).or_default() += 1;
            }
        }
    }
    CHANGED.notify_all();
    if live != 0 && block.waiting == live {
        let stuck: Vec<_> =
            block.meetings.iter().filter(|(_, m)| m.arrived != 0).map(|(p, m)| (p, m.arrived)).collect();
        eprintln!("deadlock: {live} threads live, waiting: {stuck:?}");
        std::process::abort();
    }
}

fn meet(place: Place, needed: u32) {
    let mut guard = BLOCK.lock().unwrap();
    let block = block(&mut guard);
    block.waiting += 1;
    let meeting = block.meetings.entry(place).or_default();
    assert!(meeting.arrived == 0 || meeting.needed == needed, "threads disagree about {place:?}");
    meeting.arrived += 1;
    meeting.needed = needed;
    let round = meeting.round;
    settle(&mut guard);
    while guard.as_ref().unwrap().meetings[&place].round == round {
        guard = CHANGED.wait(guard).unwrap();
    }
}

fn warp() -> u32 {
    TID.get() / WARP
}

fn meet_lanes(mask: u32) {
    let lanes_there = NTID.load(SeqCst) - warp() * WARP;
    let there = if lanes_there >= WARP { !0 } else { (1 << lanes_there) - 1 };
    assert_ne!(mask & 1 << (TID.get() % WARP), 0, "the mask leaves out the caller");
    // A whole-warp mask in a block that ends inside the warp is allowed: lanes that do not exist count as arrived.
    assert!(mask == !0 || mask & !there == 0, "mask {mask:x} names lanes that are not there");
    meet(Place::Warp(warp(), mask), (mask & there).count_ones());
}

/// Exchanges values between the lanes of `mask`: the value of thread `from`, which must be in the mask or is the
/// caller.
fn exchange(mask: u32, value: u64, from: u32) -> u64 {
    block(&mut BLOCK.lock().unwrap()).exchange.insert(TID.get(), value);
    meet_lanes(mask);
    let got = block(&mut BLOCK.lock().unwrap()).exchange.get(&from).copied().unwrap_or(0xBAD);
    meet_lanes(mask);
    got
}

static HEAP: Mutex<BTreeMap<usize, Layout>> = Mutex::new(BTreeMap::new());
static MALLOCS: AtomicU32 = AtomicU32::new(0);

/// Pieces of the device heap in use.
pub fn heap_in_use() -> usize {
    HEAP.lock().unwrap().len()
}

/// Calls of `malloc` so far.
pub fn mallocs() -> u32 {
    MALLOCS.load(SeqCst)
}

/// How often barrier `id` of the block opened in the last launch.
pub fn opened(id: u32) -> u32 {
    BLOCK.lock().unwrap().as_ref().and_then(|block| block.opened.get(&id).copied()).unwrap_or(0)
}

/// A place in the memory of the caller alone, as an argument that nobody may follow.
pub fn local_address() -> Arg {
    let mut here = 0u8;
    (&raw mut here).cast()
}

/// Whether the whole pool of `__kmpc_alloc_shared` is free again.
pub fn pool_is_free() -> bool {
    unsafe { (&raw const POOL_USED).cast::<u64>().read() == 0 }
}

/// Bytes of a thread's stack.
const STACK: usize = 256 << 10;
static mut ATOMIC_LOCKS: [u32; 256] = [0; 256];

static ONE_LAUNCH: Mutex<()> = Mutex::new(());

/// Runs `kernel` with all threads of `blocks` blocks, one block after the other. Launches exclude each other.
pub fn launch(blocks: u32, threads: u32, kernel: impl Fn() + Sync) {
    let _one = ONE_LAUNCH.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let in_use = heap_in_use();
    NTID.store(threads, SeqCst);
    NCTAID.store(blocks, SeqCst);
    let mut opened = BTreeMap::new();
    for number in 0..blocks {
        CTAID.store(number, SeqCst);
        unsafe { poison_shared() };
        *BLOCK.lock().unwrap() = Some(Block { live: threads, opened, ..Block::default() });
        std::thread::scope(|scope| {
            for tid in 0..threads {
                let kernel = &kernel;
                std::thread::Builder::new()
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || {
                        TID.set(tid);
                        LAUNCHED.set(true);
                        // The other threads would wait for ever for one that has failed.
                        if catch_unwind(AssertUnwindSafe(kernel)).is_err() {
                            std::process::abort();
                        }
                        let mut guard = BLOCK.lock().unwrap();
                        block(&mut guard).live -= 1;
                        settle(&mut guard);
                    })
                    .unwrap();
            }
        });
        opened = std::mem::take(&mut BLOCK.lock().unwrap().as_mut().unwrap().opened);
    }
    BLOCK.lock().unwrap().as_mut().unwrap().opened = opened;
    assert_eq!(heap_in_use(), in_use, "a kernel leaves nothing on the heap");
}

/// A macro with the type of an element.
macro_rules! combined {
    ($ty:expr, $call:ident) => {
        match $ty {
            Element::I8 => $call!(i8),
            Element::I16 => $call!(i16),
            Element::I32 => $call!(i32),
            Element::I64 => $call!(i64),
            Element::F32 => $call!(f32),
            Element::F64 => $call!(f64),
            Element::ComplexF32 => $call!([f32; 2]),
            Element::ComplexF64 => $call!([f64; 2]),
        }
    };
}

macro_rules! machine {
    ($(fn $name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)? $body:block)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? $body
    )* };
}
machine! {
    fn __devrtl_tid() -> u32 { TID.get() }
    fn __devrtl_ntid() -> u32 { NTID.load(SeqCst) }
    fn __devrtl_ctaid() -> u32 { CTAID.load(SeqCst) }
    fn __devrtl_nctaid() -> u32 { NCTAID.load(SeqCst) }
    fn __devrtl_tid_of(d: u32) -> u32 { if d == 0 { TID.get() } else { 0 } }
    fn __devrtl_ctaid_of(d: u32) -> u32 { if d == 0 { CTAID.load(SeqCst) } else { 0 } }
    fn __devrtl_ntid_of(d: u32) -> u32 { if d == 0 { NTID.load(SeqCst) } else { 1 } }
    fn __devrtl_nctaid_of(d: u32) -> u32 { if d == 0 { NCTAID.load(SeqCst) } else { 1 } }
    // Warps do not run in lock step, so no lane has company.
    fn __devrtl_activemask() -> u32 { 1 << (TID.get() % WARP) }
    fn __devrtl_lanes_before() -> u32 { (1 << (TID.get() % WARP)) - 1 }
    fn __devrtl_opaque_32(value: u32) -> u32 { value }
    fn __devrtl_opaque_64(value: u64) -> u64 { value }
    fn __devrtl_beside(value: Code, _function: Code) -> Code { value }
    fn __devrtl_globaltimer() -> u64 { 2_500_000_000 }
    fn __devrtl_cuda_arch() -> u32 { 900 }
    fn __devrtl_is_constant(_value: u32) -> bool { LAUNCHED.get() && KNOWS.load(SeqCst) }
    fn __devrtl_any_code(code: Code) -> Code { code }
    fn __devrtl_any_args(args: *mut Arg) -> *mut Arg { args }
    fn __devrtl_never() -> bool { false }
    fn __devrtl_others_write() {}
    fn __devrtl_show(_memory: *mut u8) {}

    fn __devrtl_syncthreads() { meet(Place::Block(0), 0) }
    fn __devrtl_barrier(id: u32) { meet(Place::Block(id), 0) }
    fn __devrtl_barrier_count(id: u32, threads: u32) {
        assert!(threads != 0 && threads.is_multiple_of(WARP), "a counted barrier is for whole warps");
        meet(Place::Block(id), threads)
    }
    fn __devrtl_syncwarp(mask: u32) { meet_lanes(mask) }
    fn __devrtl_shuffle_down(mask: u32, value: u32, offset: u32, width: u32) -> u32 {
        let tid = TID.get();
        let inside = tid % width + offset < width;
        exchange(mask, value.into(), if inside { tid + offset } else { tid }) as u32
    }
    fn __devrtl_shuffle(mask: u32, value: u32, lane: u32) -> u32 {
        exchange(mask, value.into(), warp() * WARP + lane) as u32
    }
    fn __devrtl_ballot(mask: u32, predicate: bool) -> u32 {
        let first = warp() * WARP;
        block(&mut BLOCK.lock().unwrap()).exchange.insert(TID.get(), predicate.into());
        meet_lanes(mask);
        let vote = |lane: u32| block(&mut BLOCK.lock().unwrap()).exchange.get(&(first + lane)) == Some(&1);
        let votes = (0..WARP).filter(|lane| mask & 1 << lane != 0 && vote(*lane)).fold(0, |all, lane| all | 1 << lane);
        meet_lanes(mask);
        votes
    }
    fn __devrtl_fence_device() { std::sync::atomic::fence(SeqCst) }

    fn __devrtl_block_add_u32(p: *mut u32, v: u32) -> u32 { AtomicU32::from_ptr(p).fetch_add(v, SeqCst) }
    fn __devrtl_block_inc_u32(p: *mut u32) -> u32 { AtomicU32::from_ptr(p).fetch_add(1, SeqCst) }
    fn __devrtl_block_or_u32(p: *mut u32, v: u32) -> u32 { AtomicU32::from_ptr(p).fetch_or(v, SeqCst) }
    fn __devrtl_block_and_u32(p: *mut u32, v: u32) -> u32 { AtomicU32::from_ptr(p).fetch_and(v, SeqCst) }
    fn __devrtl_block_or_u64(p: *mut u64, v: u64) -> u64 { AtomicU64::from_ptr(p).fetch_or(v, SeqCst) }
    fn __devrtl_block_and_u64(p: *mut u64, v: u64) -> u64 { AtomicU64::from_ptr(p).fetch_and(v, SeqCst) }
    fn __devrtl_block_cas_u32(p: *mut u32, old: u32, new: u32) -> u32 {
        AtomicU32::from_ptr(p).compare_exchange(old, new, SeqCst, SeqCst).unwrap_or_else(|now| now)
    }
    fn __devrtl_block_load_u32(p: *mut u32) -> u32 {
        std::thread::yield_now();
        AtomicU32::from_ptr(p).load(SeqCst)
    }
    fn __devrtl_block_store_u32(p: *mut u32, v: u32) { AtomicU32::from_ptr(p).store(v, SeqCst) }
    fn __devrtl_block_read_u32(p: *mut u32) -> u32 { AtomicU32::from_ptr(p).load(Relaxed) }
    fn __devrtl_block_write_u32(p: *mut u32, v: u32) { AtomicU32::from_ptr(p).store(v, Relaxed) }
    fn __devrtl_block_read_u64(p: *mut u64) -> u64 { AtomicU64::from_ptr(p).load(Relaxed) }
    fn __devrtl_block_write_u64(p: *mut u64, v: u64) { AtomicU64::from_ptr(p).store(v, Relaxed) }
    fn __devrtl_block_count_u32(p: *mut u32, v: u32) -> u32 { AtomicU32::from_ptr(p).fetch_add(v, Relaxed) }
    fn __devrtl_block_count_one_u32(p: *mut u32) -> u32 { AtomicU32::from_ptr(p).fetch_add(1, Relaxed) }
    fn __devrtl_block_xor_u32(p: *mut u32, v: u32) { AtomicU32::from_ptr(p).fetch_xor(v, Relaxed); }
    fn __devrtl_block_swap_u64(p: *mut u64, v: u64) -> u64 { AtomicU64::from_ptr(p).swap(v, Relaxed) }
    fn __devrtl_block_cas_u64(p: *mut u64, old: u64, new: u64) -> u64 {
        AtomicU64::from_ptr(p).compare_exchange(old, new, Relaxed, Relaxed).unwrap_or_else(|now| now)
    }
    fn __devrtl_block_load_u64(p: *mut u64) -> u64 {
        std::thread::yield_now();
        AtomicU64::from_ptr(p).load(SeqCst)
    }
    fn __devrtl_block_store_u64(p: *mut u64, v: u64) { AtomicU64::from_ptr(p).store(v, SeqCst) }
    fn __devrtl_device_inc_u32(p: *mut u32, bound: u32) -> u32 {
        let next = |v| Some(if v >= bound { 0 } else { v + 1 });
        AtomicU32::from_ptr(p).fetch_update(SeqCst, SeqCst, next).unwrap()
    }
    fn __devrtl_device_cas_u32(p: *mut u32, old: u32, new: u32) -> u32 {
        AtomicU32::from_ptr(p).compare_exchange(old, new, SeqCst, SeqCst).unwrap_or_else(|now| now)
    }
    fn __devrtl_device_cas_u64(p: *mut u64, old: u64, new: u64) -> u64 {
        AtomicU64::from_ptr(p).compare_exchange(old, new, SeqCst, SeqCst).unwrap_or_else(|now| now)
    }
    fn __devrtl_unordered_load_u32(p: *const u32) -> u32 { AtomicU32::from_ptr(p.cast_mut()).load(SeqCst) }
    fn __devrtl_device_load_u32(p: *mut u32) -> u32 {
        std::thread::yield_now();
        AtomicU32::from_ptr(p).load(SeqCst)
    }
    fn __devrtl_device_store_u32(p: *mut u32, v: u32) { AtomicU32::from_ptr(p).store(v, SeqCst) }
    fn __devrtl_device_add_u64(p: *mut u64, v: u64) -> u64 { AtomicU64::from_ptr(p).fetch_add(v, SeqCst) }
    fn __devrtl_device_store_u64(p: *mut u64, v: u64) { AtomicU64::from_ptr(p).store(v, SeqCst) }
    fn __devrtl_atomic_locks() -> *mut u32 { (&raw mut ATOMIC_LOCKS).cast() }
    fn __devrtl_backoff(_nanoseconds: u32) { std::thread::yield_now() }

    fn __devrtl_clear(memory: *mut u8, bytes: u32) { memory.write_bytes(0, bytes as usize) }
    fn __devrtl_malloc(bytes: u64) -> *mut u8 {
        MALLOCS.fetch_add(1, SeqCst);
        let layout = Layout::from_size_align(bytes.max(1) as usize, 16).unwrap();
        let memory = std::alloc::alloc(layout);
        HEAP.lock().unwrap().insert(memory as usize, layout);
        memory
    }
    fn __devrtl_free(memory: *mut u8) {
        let layout = HEAP.lock().unwrap().remove(&(memory as usize)).expect("what is freed is in use");
        std::alloc::dealloc(memory, layout)
    }
    fn __devrtl_is_shared(address: *const u8) -> bool {
        let start = &raw const POOL as usize;
        (start..start + devicertl::state::POOL_BYTES).contains(&(address as usize))
    }
    fn __devrtl_is_local(address: *const u8) -> bool {
        let here = 0u8;
        (&raw const here as usize).abs_diff(address as usize) < STACK
    }
    fn __devrtl_dynamic_shared() -> *mut u8 { std::ptr::null_mut() }
    fn __devrtl_dynamic_shared_size() -> u32 { 0 }

    fn __devrtl_stamp() -> u64 { 1 }
    fn __devrtl_mark_unit(_launch: *mut abi::kernel::KernelLaunchEnvironment) {}
    fn __devrtl_check_unit() {}
    fn __devrtl_in_own_unit() -> bool { true }
    fn __devrtl_is_set_up() -> bool { true }
    fn __devrtl_is_spmd() -> bool { devicertl::kernel::__kmpc_is_spmd_exec_mode() != 0 }
    fn __devrtl_next_region(out: *mut Code) -> bool { devicertl::parallel::__kmpc_kernel_parallel(out) }
    fn __devrtl_end_of_region() { devicertl::parallel::__kmpc_kernel_end_parallel() }
    fn __devrtl_call_wrapper(f: Code, level: u32, tid: u32) {
        transmute::<Code, extern "C" fn(u16, u32)>(f)(level as u16, tid)
    }
    fn __devrtl_call_region(f: Code, g: *mut i32, b: *mut i32, args: *const Arg, count: u64) {
        let arg = |i: usize| *args.add(i);
        match count {
            0 => transmute::<Code, extern "C" fn(*mut i32, *mut i32)>(f)(g, b),
            1 => transmute::<Code, extern "C" fn(*mut i32, *mut i32, Arg)>(f)(g, b, arg(0)),
            2 => transmute::<Code, extern "C" fn(*mut i32, *mut i32, Arg, Arg)>(f)(g, b, arg(0), arg(1)),
            _ => panic!("regions of these tests have at most two arguments"),
        }
    }
    fn __devrtl_region_invoker(count: u64) -> Code { count as Code }
    fn __devrtl_invoke(invoker: Code, f: Code, number: u32, args: *const Arg) {
        let (mut gtid, mut btid) = (number as i32, 0);
        __devrtl_call_region(f, &raw mut gtid, &raw mut btid, args, invoker as u64)
    }
    fn __devrtl_call_body_32(f: Code, i: u32, a: Arg) { transmute::<Code, extern "C" fn(u32, Arg)>(f)(i, a) }
    fn __devrtl_call_body_64(f: Code, i: u64, a: Arg) { transmute::<Code, extern "C" fn(u64, Arg)>(f)(i, a) }
    fn __devrtl_call_shuffle(f: Code, d: Arg, lane: u32, offset: u32, algorithm: u32) {
        transmute::<Code, extern "C" fn(Arg, i16, i16, i16)>(f)(d, lane as i16, offset as i16, algorithm as i16)
    }
    fn __devrtl_call_copy(f: Code, d: Arg, warps: u32) { transmute::<Code, extern "C" fn(Arg, i32)>(f)(d, warps as i32) }
    fn __devrtl_call_task(f: Code, gtid: i32, task: Arg) -> i32 {
        transmute::<Code, extern "C" fn(i32, Arg) -> i32>(f)(gtid, task)
    }
    fn __devrtl_call_task_copy(f: Code, to: Arg, from: Arg, last: i32) {
        transmute::<Code, extern "C" fn(Arg, Arg, i32)>(f)(to, from, last)
    }
    fn __devrtl_call_one(f: Code, variable: Arg) { transmute::<Code, extern "C" fn(Arg)>(f)(variable) }
    fn __devrtl_call_two(f: Code, first: Arg, second: Arg) {
        transmute::<Code, extern "C" fn(Arg, Arg)>(f)(first, second)
    }
    fn __devrtl_call_record(f: Code, buffer: Arg, record: u32, d: Arg) {
        transmute::<Code, extern "C" fn(Arg, i32, Arg)>(f)(buffer, record as i32, d)
    }
    fn __devrtl_combine_in_memory(f: Code, to: *mut u8, one: *const u8, other: *const u8, _bytes: u64) {
        transmute::<Code, extern "C" fn(*mut u8, *const u8, *const u8)>(f)(to, one, other)
    }
    fn __devrtl_combine_texts(f: Code, to: *mut u8, one: *const u8, other: *const u8, bytes: u64) {
        type Text = (*const u8, u64);
        transmute::<Code, fn(*mut u8, u64, Text, Text)>(f)(to, bytes, (one, bytes), (other, bytes))
    }
    fn __devrtl_combine_references(ty: Element, f: Code, to: *mut u8, one: *const u8, other: *const u8) {
        macro_rules! call {
            ($ty:ty) => {
                to.cast::<$ty>().write(transmute::<Code, fn(*const u8, *const u8) -> $ty>(f)(one, other))
            };
        }
        combined!(ty, call)
    }
    fn __devrtl_combine_values(ty: Element, f: Code, to: *mut u8, one: *const u8, other: *const u8) {
        macro_rules! call {
            ($ty:ty) => {
                to.cast::<$ty>()
                    .write(transmute::<Code, fn($ty, $ty) -> $ty>(f)(one.cast::<$ty>().read(), other.cast::<$ty>().read()))
            };
        }
        combined!(ty, call)
    }
}

/// The texts of failures, as the device has them.
#[unsafe(no_mangle)]
extern "C" fn __devrtl_failure_text(what: devicertl::arch::Failure) -> *const u8 {
    let texts = include_str!("../../prelude/failures.txt").lines().filter(|line| !line.starts_with('#'));
    let text = texts.clone().nth(what as usize).expect("a text for each failure");
    CString::new(text).unwrap().into_raw().cast()
}
static mut REPORT: [u64; 128] = [0; 128];
#[unsafe(no_mangle)]
extern "C" fn __devrtl_report() -> *mut u8 {
    (&raw mut REPORT).cast()
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __devrtl_fail_with(report: *const u8) -> ! {
    eprintln!("the runtime ended the program: {:?}", CStr::from_ptr(report.add(8).cast()));
    std::process::abort()
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __devrtl_print_notice(text: *const u8) {
    eprintln!("notice: {:?}", CStr::from_ptr(text.cast()));
}

/// Lines that were printed.
pub static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

#[unsafe(no_mangle)]
unsafe extern "C" fn __devrtl_print_line(text: *const u8) -> i32 {
    LINES.lock().unwrap().push(CStr::from_ptr(text.cast()).to_str().unwrap().to_owned());
    1
}

#[unsafe(no_mangle)]
extern "C" fn __devrtl_trap() -> ! {
    eprintln!("a generic kernel without workers");
    std::process::abort()
}

#[unsafe(no_mangle)]
extern "C" fn __devrtl_fail(why: devicertl::arch::Failure) -> ! {
    eprintln!("the runtime ended the program: {why:?}");
    std::process::abort()
}

/// The last warning of the program's own.
pub static WARNING: Mutex<String> = Mutex::new(String::new());

#[unsafe(no_mangle)]
unsafe extern "C" fn __devrtl_user_warning(
    file: *const c_char,
    line: u32,
    column: u32,
    message: *const c_char,
) {
    let text = |p| CStr::from_ptr(p).to_str().unwrap();
    *WARNING.lock().unwrap() = format!("{}:{line}:{column}: {}", text(file), text(message));
}

#[unsafe(no_mangle)]
extern "C" fn __devrtl_root(x: f64) -> f64 {
    x.sqrt()
}
#[unsafe(no_mangle)]
unsafe extern "C" fn __devrtl_user_error(_: *const c_char, _: u32, _: *const c_char, _: *const c_char) -> ! {
    eprintln!("the program ended itself");
    std::process::abort()
}

macro_rules! atomics {
    ($($ty:ty, $atomic:ty, $load:ident $swap:ident $cas:ident;)*) => {
        machine! { $(
            fn $load(p: *mut $ty) -> $ty { <$atomic>::from_ptr(p).load(SeqCst) }
            fn $swap(p: *mut $ty, v: $ty) -> $ty { <$atomic>::from_ptr(p).swap(v, SeqCst) }
            fn $cas(p: *mut $ty, old: $ty, new: $ty) -> $ty {
                <$atomic>::from_ptr(p).compare_exchange(old, new, SeqCst, SeqCst).unwrap_or_else(|now| now)
            }
        )* }
    };
}
atomics! {
    u8, AtomicU8, __devrtl_atomic_load_u8 __devrtl_atomic_swap_u8 __devrtl_atomic_cas_u8;
    u16, AtomicU16, __devrtl_atomic_load_u16 __devrtl_atomic_swap_u16 __devrtl_atomic_cas_u16;
    u32, AtomicU32, __devrtl_atomic_load_u32 __devrtl_atomic_swap_u32 __devrtl_atomic_cas_u32;
    u64, AtomicU64, __devrtl_atomic_load_u64 __devrtl_atomic_swap_u64 __devrtl_atomic_cas_u64;
}
