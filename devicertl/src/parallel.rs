//! Parallel regions.
//!
//! SPMD: two aligned barriers a region, `PAR = region; body; PAR = serial` with one barrier before each store. After
//! the first nobody reads the serial state any more, after the second nobody reads the region's. Every thread writes
//! the same value and reads its own write.
//!
//! Generic: the main thread publishes the region and passes the two barriers of the worker loop.
//!
//! One with `if(0)` is a team of one: a worker in a generic kernel, else its thread. Where no worker could run a region, the
//! main thread does.
//!
//! A region inside another one is run by idle workers too, if there are any ([`nested`]), else by its thread alone (OpenMP
//! 5.2, 10.1.1: max-active-levels-var is reached, or the implementation chooses where fewer threads are available than asked
//! for).

use crate::{
    arch::{self, Arg, Code},
    config, debug, fork, memory, nested, state,
    state::{RegionNumber, par},
    sync,
};
use abi::ident::Ident;
use core::{
    mem::MaybeUninit,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Threads of a new team of the kernel: the clause, else the ICV of the initial task, within what the block has; and whether
/// fewer were asked for than there are.
#[inline(always)]
fn team_threads(clause: i32, spmd: bool) -> (u32, bool) {
    let most = state::most_threads(spmd);
    let wanted = match clause {
        // OpenMP 5.2, 10.1.1: no active region.
        _ if state::team_max_active() == 0 => 1,
        ..0 => state::team_nthreads(),
        _ => clause as u32,
    };
    // Not in one test with `wanted > most`: of that LLVM makes `wanted - 1 < most`, which openmp-opt does not fold once
    // `wanted` is known.
    let (granted, small) = if wanted == 0 { (most, false) } else { (wanted.min(most), wanted < most) };
    // Before Volta the lanes of a warp cannot wait apart: teams of the worker loop are whole warps there.
    let whole_warps = !spmd && arch::cuda_arch() < arch::ARCH_VOLTA;
    (if whole_warps { granted & !(arch::WARP - 1) } else { granted }, small)
}

/// Threads that a region which asks for `threads` gets at most, in serial code or inside other regions.
pub fn most_granted(threads: i32, serial: bool) -> u32 {
    let spmd = state::is_spmd();
    if serial {
        team_threads(threads, spmd).0.max(1)
    } else if spmd || !may_nest() || par::active_levels(state::current_par()) >= state::max_active() {
        1
    } else {
        nested::wanted(threads)
    }
}

/// `num_threads(strict: n)` shall end the program if the team cannot have `n` threads (OpenMP 6.0, `num_threads` clause).
#[inline(always)]
pub fn check_strict(strict: i32, clause: i32, granted: u32) {
    if strict != 0 && clause > 0 && granted != clause as u32 {
        arch::fail(arch::Failure::StrictTeam)
    }
}

/// # Safety
/// `code` must be a region with `count` arguments.
#[inline(always)]
unsafe fn call_region(number: i32, code: Code, args: *const Arg, count: u64) {
    let (mut gtid, mut btid) = (number, 0);
    // SAFETY: as the caller promises.
    unsafe { arch::call_region(code, &raw mut gtid, &raw mut btid, args, count) }
}

/// A team's size as the state has it, and as a region is told.
#[inline(always)]
fn size_of(threads: u32, full: bool) -> u32 {
    if full { state::ALL_THREADS } else { threads }
}

/// Writes the state of a region of `threads` threads, of which the program has asked for few if it is `small`; whether these
/// are all that there can be. The store of `PAR` must be unconditional and stand in the block of the barrier before it; that
/// of the size is rare, and where the compiler sees that it never happens, all reads of the size fold.
#[inline(always)]
fn begin_region((threads, small): (u32, bool), par: u32, spmd: bool) -> bool {
    state::set_team_par(par);
    fork::begin_region();
    // Here and not where the region ends, which the compiler may know not to be reached.
    if small {
        state::note_small_team()
    }
    let full = threads == state::most_threads(spmd);
    state::set_team_size(size_of(threads, full));
    if !full && spmd {
        state::set_partial(1)
    }
    full
}

/// Writes the state of serial code, behind the barrier that ends a region.
#[inline(always)]
fn end_region(full: bool) {
    state::set_team_par(par::SERIAL);
    if !full {
        state::set_team_size(state::ALL_THREADS)
    }
    sync::cancel::end_region();
}

/// What a call of a parallel region has.
pub(crate) struct Region {
    pub if_clause: i32,
    pub num_threads: i32,
    pub strict: i32,
    pub code: Code,
    pub wrapper: Code,
    pub args: *mut Arg,
    pub count: u64,
}

impl Region {
    /// # Safety
    /// The fields must be what a compiler passes.
    #[inline(always)]
    pub unsafe fn run(self) {
        let tid = arch::tid();
        let tasks = state::task_word();
        // 0 where nothing can be around the region: see `in_task`.
        let unseen = tasks != 0 || state::loop_bodies() != 0 || fork::may_be_serialised();
        let possible = may_nest() || unseen;
        let level = if possible { level(tid) } else { 0 };
        // SAFETY: as the caller promises.
        unsafe {
            let alone = level != 0 || in_task(tasks) || (self.if_clause == 0 && state::is_spmd());
            if alone {
                // Not just 1: openmp-opt looks at the stores of a kernel without knowing which of them are never reached,
                // and finds this value to be 0 in kernels that have none of the reasons to come here.
                state::set_has_own(if self.if_clause == 0 { 1 } else { may_nest_word() | unseen as u32 });
            }
            if !state::is_spmd() {
                return if alone { self.run_inner(level) } else { self.run_generic() };
            }
            // All threads come here from code outside of regions: the initial thread runs the region, once. In a kernel that
            // our passes have converted it may come alone, and in a task of serial code it does. Else the others wait for it:
            // they have read the `if` clause before the first barrier, and read the next one behind the second.
            let outside = alone && level == 0 && par::level(state::current_par()) == 0;
            let lone = state::has_serial_code() && (in_task(tasks) || config::lone_regions());
            let meet = outside && !lone;
            if meet {
                arch::syncthreads_aligned()
            }
            if !outside || tid == 0 {
                self.run_spmd(tid, alone)
            }
            if meet {
                arch::syncthreads_aligned()
            }
        }
    }

    /// A region of all threads of an SPMD kernel, or of this thread alone. The compiler has its code once for both.
    ///
    /// openmp-opt must not know everything that reads the arguments of a region inside another one. clang says of each
    /// region that it does not recurse, so LLVM takes the function that starts regions, which only they and kernels call, for
    /// one that does not either (`AANoRecurseFunction::updateImpl`), though it runs again in each region inside another one.
    /// Then a variable of the outer region, if that is inlined into this function, is dead to it in the inner one, and its
    /// value of before is read behind the inner one.
    ///
    /// # Safety
    /// As for [`Region::run`].
    #[inline(always)]
    unsafe fn run_spmd(self, tid: u32, alone: bool) {
        let (mut takes_part, mut full, mut args, mut number) = (true, true, self.args, RegionNumber::NONE);
        if alone {
            args = arch::any_args(args);
            state::serial_region(true);
        } else {
            let team = team_threads(self.num_threads, true);
            check_strict(self.strict, self.num_threads, team.0);
            arch::syncthreads_aligned();
            full = begin_region(team, par::ACTIVE1, true);
            takes_part = full || tid < team.0;
            number = RegionNumber::of_team(size_of(team.0, full));
        }
        if takes_part {
            // SAFETY: as the caller promises.
            unsafe { call_region(number.to_pass(), self.code, args, self.count) };
            if alone {
                return state::serial_region(false);
            }
            state::pop_own();
        }
        arch::syncthreads_aligned();
        end_region(full);
    }

    /// # Safety
    /// As for [`Region::run`].
    #[inline(always)]
    unsafe fn run_generic(self) {
        let clause = if self.if_clause == 0 { 1 } else { self.num_threads };
        let team = team_threads(clause, false);
        let threads = team.0;
        check_strict(self.strict, clause, if threads == 0 { 1 } else { threads });
        // SAFETY: as the caller promises.
        unsafe {
            let mut shared = core::ptr::null_mut();
            if self.count != 0 {
                shared = memory::begin_sharing(self.count);
                copy_args(shared, self.args, self.count);
            }
            if self.wrapper.is_null() {
                ALONE.store(1, Relaxed)
            }
            // A block of one warp has no worker. flang passes no wrapper in a generic kernel, and arguments that lie on the
            // main thread's stack, where no worker can read them: one thread is what such a region can have.
            if self.wrapper.is_null() || (threads == 0 && may_lack_workers()) {
                // A region inside this one has: see `run`.
                state::set_has_own(may_nest_word());
                run_alone(arch::any_code(self.code), shared, self.count)
            } else {
                if threads == 0 {
                    arch::trap()
                }
                let full = begin_region(team, if threads == 1 { par::LEVEL1 } else { par::ACTIVE1 }, false);
                if may_nest() && state::has_small_teams() {
                    nested::begin_outer(threads, state::most_threads(false) - threads);
                }
                state::set_region(self.wrapper);
                arch::barrier(arch::BARRIER_REGION);
                arch::barrier(arch::BARRIER_REGION);
                state::set_region(core::ptr::null());
                end_region(full);
            }
            if self.count != 0 {
                memory::end_sharing(shared, self.count);
            }
        }
    }

    /// A region inside another one, or in a task of serial code, in a generic kernel.
    ///
    /// # Safety
    /// As for [`Region::run`].
    #[inline(always)]
    unsafe fn run_inner(self, level: u32) {
        // SAFETY: as the caller promises.
        unsafe {
            if may_nest() && level == 0 {
                return run_alone(arch::any_code(self.code), self.args, self.count);
            }
            // openmp-opt does not see at first which region it is. It would follow every known way from a region into
            // those inside, and back to here, for each read of the state: programs with some compiled several times as
            // long.
            let code = arch::any_code(self.code);
            if may_nest() {
                // Of several sizes: the compiler drops those that are not used.
                let (mut two, mut four, mut eight) =
                    (MaybeUninit::uninit(), MaybeUninit::uninit(), MaybeUninit::uninit());
                let args = copy_if_few(
                    two.as_mut_ptr(),
                    four.as_mut_ptr(),
                    eight.as_mut_ptr(),
                    self.args,
                    self.count,
                );
                let num_threads = if self.if_clause == 0 { 1 } else { self.num_threads };
                nested::run(
                    arch::beside(code, nested::run as *const () as Code),
                    arch::region_invoker(self.count),
                    args,
                    self.count,
                    num_threads,
                    self.strict,
                )
            } else {
                self.run_serial(code)
            }
        }
    }

    /// A region of one thread on any thread.
    ///
    /// # Safety
    /// As for [`Region::run`], with `code` for its code.
    #[inline(always)]
    unsafe fn run_serial(self, code: Code) {
        state::serial_region(true);
        let code = unknown(code);
        // It reads its number only: in a place for all threads that costs no stack.
        let number = (&raw const NUMBER).cast_mut();
        // SAFETY: as the caller promises.
        unsafe { arch::call_region(code, number, number, self.args, self.count) };
        state::serial_region(false);
    }
}

/// `code` as a function of which the compiler does not know which it is: it is not inlined a second time.
#[inline(always)]
fn unknown(code: Code) -> Code {
    core::ptr::without_provenance(arch::opaque_64(code.addr() as u64) as usize)
}

/// The number in its team of a thread alone.
static NUMBER: i32 = 0;

/// Regions without a wrapper write 1, and nobody else writes it.
static ALONE: AtomicU32 = AtomicU32::new(0);

/// The level of this thread, as far as a region that it meets has to know. (A number and not whether it is 0, of which
/// openmp-opt would not fold what it folds of the number.) The workers of a generic kernel run nothing but regions, and LLVM's
/// ordinary passes know of the main thread's code that it is that thread's, openmp-opt that the level there is 0. What the
/// main thread runs of regions in a block without workers [`run_alone`] finds out.
#[inline(always)]
fn level(tid: u32) -> u32 {
    if state::is_spmd() || fork::may_be_serialised() {
        return par::level(state::current_par());
    }
    // It runs regions without a wrapper, too.
    if tid != state::generic_main() || state::marked(&ALONE) { par::level(state::team_par()) } else { 0 }
}

/// A region that the main thread of a generic kernel runs, maybe inside another one. Rare, so out of line, where it is
/// compiled for one thread, and a region of which the compiler does not know which it is: it would put all regions with as
/// many arguments here.
///
/// # Safety
/// `code` must be a region with `count` arguments.
#[cold]
#[inline(never)]
unsafe fn run_alone(code: Code, args: *const Arg, count: u64) {
    let inner = par::level(state::team_par()) != 0;
    if inner {
        state::serial_region(true);
        // SAFETY: as the caller promises.
        unsafe { call_region(0, unknown(code), args, count) };
        return state::serial_region(false);
    }
    state::set_team_par(par::LEVEL1);
    if may_nest() && state::has_small_teams() {
        nested::begin_outer(1, 0);
    }
    // SAFETY: as the caller promises.
    unsafe { call_region(0, unknown(code), args, count) };
    state::pop_own();
    state::set_team_par(par::SERIAL);
}

/// The arguments of a region, copied if the compiler knows that there are few: then they need no memory where the region is
/// not inside another one.
///
/// # Safety
/// There must be `count` arguments, and the copies must live as long as the result is used.
#[inline(always)]
unsafe fn copy_if_few(
    two: *mut [Arg; 2],
    four: *mut [Arg; 4],
    eight: *mut [Arg; 8],
    args: *const Arg,
    count: u64,
) -> *const Arg {
    if !arch::is_constant(count as u32) || count > 8 {
        return args;
    }
    let copy = if count <= 2 {
        two.cast()
    } else if count <= 4 {
        four.cast()
    } else {
        eight.cast()
    };
    // SAFETY: as the caller promises; a copy with as many places.
    unsafe { copy_args(copy, args, count) }
    copy
}

/// Whether a region may be inside another one. openmp-opt rewrites the constant of the kernel and folds this.
#[inline(always)]
pub(crate) fn may_nest() -> bool {
    config::nested_parallelism() && may_nest_word() != 0
}

/// What the compiler says about it.
#[inline(always)]
fn may_nest_word() -> u32 {
    // SAFETY: the compiler's constant for this kernel.
    unsafe { (*state::kernel_env()).configuration.may_use_nested_parallelism.into() }
}

/// Whether a generic kernel may run in a block of one warp, where nobody but the main thread can run a region: hosts give it
/// more unless the program bounds the block, which the compiler says in the kernel's constant.
#[inline(always)]
fn may_lack_workers() -> bool {
    // SAFETY: the compiler's constant for this kernel.
    let most = unsafe { (*state::kernel_env()).configuration.max_threads };
    most > 0 && most <= arch::WARP as i32
}

/// Whether a region at level 0 is inside an explicit task. In two kinds of tasks regions have one thread:
///
/// * In a task of serial code. clang leaves a task's variables on the stack of its thread, where other threads cannot
///   reach them: the task's regions have one thread (OpenMP 5.2, 10.1.1). In a converted kernel, too, where no other
///   thread asks before the initial thread has left its tasks: a barrier follows serial code with tasks.
/// * In a task inside a region that openmp-opt has not looked into, so its word about the kernel is wrong. There the
///   level is not 0.
#[inline(always)]
fn in_task(tasks: u32) -> bool {
    tasks & !state::tasks::UNSEEN_REGIONS != 0
}

/// Straight-line for the first eight: openmp-opt runs before loops are unrolled, and a loop over all would keep the
/// whole area of the arguments in every generic kernel.
///
/// # Safety
/// Both must have `count` elements.
#[inline(always)]
unsafe fn copy_args(to: *mut Arg, from: *const Arg, count: u64) {
    macro_rules! first {
        ($($i:literal)*) => { $(
            if count > $i {
                // SAFETY: an element of both.
                unsafe { to.add($i).write(from.add($i).read()) }
            }
        )* };
    }
    first!(0 1 2 3 4 5 6 7);
    let mut i = 8;
    while i < count {
        // SAFETY: an element of both.
        unsafe { to.add(i as usize).write(from.add(i as usize).read()) }
        i += 1;
    }
}

/// LLVM 21 and older.
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_parallel_51(
    loc: *const Ident,
    _gtid: i32,
    if_clause: i32,
    num_threads: i32,
    _proc_bind: i32,
    code: Code,
    wrapper: Code,
    // Not known to LLVM to be initialised, or it would see through `any_args`.
    args: MaybeUninit<*mut Arg>,
    count: i64,
) {
    debug::region(loc, num_threads);
    let count = count as u64;
    // SAFETY: the compiler passes an array, or null.
    let args = unsafe { args.assume_init() };
    let (num_threads, strict) = fork::clauses(num_threads, 0);
    // SAFETY: the compiler passes what it wrote for this region.
    unsafe { Region { if_clause, num_threads, strict, code, wrapper, args, count }.run() }
}

/// LLVM 22 and newer.
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_parallel_60(
    loc: *const Ident,
    _gtid: i32,
    if_clause: i32,
    num_threads: i32,
    _proc_bind: i32,
    code: Code,
    wrapper: Code,
    // As above.
    args: MaybeUninit<*mut Arg>,
    count: i64,
    strict: i32,
) {
    debug::region(loc, num_threads);
    let count = count as u64;
    // SAFETY: the compiler passes an array, or null.
    let args = unsafe { args.assume_init() };
    let (num_threads, strict) = fork::clauses(num_threads, strict);
    // SAFETY: the compiler passes what it wrote for this region.
    unsafe { Region { if_clause, num_threads, strict, code, wrapper, args, count }.run() }
}

/// A region of an SPMD kernel; openmp-opt calls it.
#[unsafe(no_mangle)]
#[inline(always)]
pub unsafe extern "C" fn __kmpc_parallel_spmd(
    _loc: *const Ident,
    num_threads: i32,
    code: Code,
    args: *mut Arg,
    count: i64,
) {
    let wrapper = core::ptr::null();
    let (num_threads, strict) = fork::clauses(num_threads, 0);
    let region = Region { if_clause: 1, num_threads, strict, code, wrapper, args, count: count as u64 };
    // SAFETY: the compiler passes what it wrote for this region.
    unsafe { region.run_spmd(arch::tid(), false) }
}

/// What a worker shall run, and whether it takes part; null ends the kernel.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn __kmpc_kernel_parallel(out: *mut Code) -> bool {
    let region = state::region();
    // SAFETY: the caller's variable.
    unsafe { out.write(region) };
    if region.is_null() {
        return false;
    }
    let takes_part = !state::has_small_teams() || arch::tid() < state::team_threads();
    if may_nest() && !takes_part {
        nested::serve()
    }
    takes_part
}

/// A worker has run its part of a region.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __kmpc_kernel_end_parallel() {
    state::pop_own();
    if may_nest() && state::has_small_teams() && state::team_size() != state::ALL_THREADS {
        nested::leave_outer()
    }
}

/// Level of the parallel region; 0 is serial code.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_parallel_level(_loc: *const Ident, _gtid: i32) -> i16 {
    par::level(state::current_par()) as i16
}
