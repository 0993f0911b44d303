//! Parallel regions in the form of host code: clauses that are pushed before the region, `__kmpc_fork_call`, regions
//! of one thread between two calls.
//!
//! clang 22 writes none of it for a device; code generators that know one form only do. So the region of any form
//! asks for pushed clauses, but in a program without a push the compiler knows that there are none ([`any`]).
//!
//! **`__kmpc_fork_call`** is a region of all threads where the runtime's own worker loop runs, in SPMD kernels, and inside
//! of other regions. openmp-opt takes it for a function that starts no region. So where it has removed the worker
//! loop of a generic kernel, or written one that knows the other regions only, the team has one thread
//! (OpenMP 5.2, 10.1.1: the implementation may supply fewer threads than asked for).

use crate::{
    arch::{self, Arg, Code, Failure},
    error, memory,
    parallel::{self, Region},
    state,
    state::par,
};
use abi::ident::Ident;
use core::{
    ffi::c_char,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Not 0 once any thread of the program has pushed clauses. Written there and nowhere else: in a program without a push
/// it is the constant 0, and nothing of it is left in parallel regions, nor hinders the removal of a barrier beside it. What
/// a thread reads concerns what it pushed itself: no order.
static ANY: AtomicU32 = AtomicU32::new(0);

/// Whether this thread can have pushed clauses.
#[inline(always)]
pub fn any() -> bool {
    // SAFETY: a word of the program.
    unsafe { arch::unordered_load_u32(ANY.as_ptr()) != 0 }
}

/// As [`ANY`], of regions of one thread in the form of host code.
static SERIALISED: AtomicU32 = AtomicU32::new(0);

/// Whether this thread can be in a region of one thread in the form of host code.
#[inline(always)]
pub fn may_be_serialised() -> bool {
    // SAFETY: a word of the program.
    unsafe { arch::unordered_load_u32(SERIALISED.as_ptr()) != 0 }
}

/// Pushed clauses in the bits that a thread has for them: the threads, and whether it must be that many.
mod pushed {
    pub const STRICT: u16 = 1 << 15;
    /// More threads than a block can have.
    pub const MOST: u32 = STRICT as u32 - 1;
}

/// Whether this thread's clauses are the team's: in serial code, where a region is met by the initial thread, in an SPMD
/// kernel by all with the same clauses.
#[inline(always)]
fn is_in_serial_code() -> bool {
    state::own().is_null() && par::level(state::team_par()) == 0
}

fn push(threads: i32, strict: u16) {
    if threads <= 0 {
        return;
    }
    ANY.store(1, Relaxed);
    let clauses = (threads as u32).min(pushed::MOST) as u16 | strict;
    if is_in_serial_code() { state::set_team_pushed(clauses.into()) } else { state::set_pushed(clauses) }
}

/// `num_threads` and `strict` of a region that starts: its own clause, else what this thread has pushed for it.
#[inline(always)]
pub fn clauses(num_threads: i32, strict: i32) -> (i32, i32) {
    if !any() {
        return (num_threads, strict);
    }
    let pushed = take();
    if num_threads >= 0 || pushed == 0 {
        return (num_threads, strict);
    }
    ((pushed & !pushed::STRICT).into(), (pushed & pushed::STRICT != 0).into())
}

#[cold]
#[inline(never)]
fn take() -> u16 {
    if is_in_serial_code() {
        let clauses = state::team_pushed();
        // Other threads of an SPMD kernel still have to read it: see `begin_region`.
        if !state::is_spmd() {
            state::set_team_pushed(0)
        }
        return clauses as u16;
    }
    state::take_pushed()
}

/// A region of serial code starts, and every thread has taken its clauses.
#[inline(always)]
pub fn begin_region() {
    if any() {
        state::set_team_pushed(0)
    }
}

/// `num_threads(n)` of the thread's next region.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_push_num_threads(_loc: *const Ident, _gtid: i32, threads: i32) {
    push(threads, 0)
}

/// `num_threads(strict: n)` of the thread's next region, with the clauses `severity` and `message` (OpenMP 6.0). That the
/// team will be too small is known here, unless idle workers decide it: then it is found out when the region
/// starts, and always fatal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_threads_strict(
    loc: *const Ident,
    _gtid: i32,
    threads: i32,
    severity: i32,
    message: *const c_char,
) {
    let serial = is_in_serial_code();
    if threads > 0 && parallel::most_granted(threads, serial) < threads as u32 {
        let message =
            if message.is_null() { arch::failure_text(Failure::StrictTeam).cast() } else { message };
        // SAFETY: the compiler's location and message.
        unsafe { error::report(loc, severity, message) }
        return push(threads, 0);
    }
    push(threads, if serial || severity == error::WARNING { 0 } else { pushed::STRICT })
}

/// What `__kmpc_fork_call` gets: the code of a region and its arguments.
#[repr(C)]
struct Forked {
    code: Code,
    args: *const Arg,
    count: u64,
}

impl Forked {
    /// Runs this thread's part of the region.
    ///
    /// # Safety
    /// The code must be a region with these arguments.
    unsafe fn call(&self) {
        let (mut gtid, mut btid) = (state::thread_num() as i32, 0);
        // SAFETY: as the caller promises.
        unsafe { arch::call_region(self.code, &raw mut gtid, &raw mut btid, self.args, self.count) }
    }
}

/// The code of all regions that `__kmpc_fork_call` starts.
extern "C" fn forked(_gtid: *mut i32, _btid: *mut i32, descriptor: Arg) {
    // SAFETY: a descriptor, which lives until the region ends.
    unsafe { (*descriptor.cast::<Forked>()).call() }
}

/// What the worker loop of a generic kernel calls for it.
extern "C" fn forked_wrapper(_level: u16, _tid: u32) {
    // SAFETY: the one argument of the region is its descriptor.
    unsafe { (*state::args_in_use().read().cast::<Forked>()).call() }
}

/// Starts the region of a descriptor.
///
/// # Safety
/// Other threads must be able to read what it points to, but in SPMD kernels.
unsafe fn run(descriptor: *mut Forked) {
    let mut args = [descriptor.cast()];
    // SAFETY: the compiler's constant for this kernel.
    let runtime_loop = unsafe { (*state::kernel_env()).configuration.use_generic_state_machine != 0 };
    let workers_know = state::is_spmd() || runtime_loop || par::level(state::current_par()) != 0;
    let wrapper = if workers_know { forked_wrapper as Code } else { core::ptr::null() };
    let (num_threads, strict) = clauses(-1, 0);
    let region = Region {
        if_clause: 1,
        num_threads,
        strict,
        code: forked as Code,
        wrapper,
        args: args.as_mut_ptr(),
        count: 1,
    };
    // SAFETY: the code is a region with one argument.
    unsafe { region.run() }
}

/// Runs `code` as a region. `__kmpc_fork_call` in the prelude calls it with the list of its arguments.
///
/// # Safety
/// `code` must be a region with `count` arguments.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn __devrtl_fork(code: Code, args: *const Arg, count: i32) {
    let count = count.max(0) as u64;
    // SAFETY: the arguments are copied to memory of their size.
    unsafe {
        if state::is_spmd() {
            // All threads of the region have a descriptor of their own.
            let mut descriptor = Forked { code, args, count };
            return run(&raw mut descriptor);
        }
        let bytes = size_of::<Forked>() as u64 + count * size_of::<Arg>() as u64;
        let shared = memory::shared(bytes).cast::<Forked>();
        let copy = shared.add(1).cast::<Arg>();
        memory::copy_elements(copy, args, count);
        shared.write(Forked { code, args: copy, count });
        run(shared);
        memory::free_shared(shared.cast(), bytes);
    }
}

/// As `__kmpc_fork_call` with at most one argument if `condition` holds, else a region of this thread alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_fork_call_if(
    loc: *const Ident,
    _count: i32,
    code: Code,
    condition: i32,
    arg: Arg,
) {
    let count = !arg.is_null() as i32;
    // SAFETY: a region with this argument, if it is one.
    unsafe {
        if condition != 0 {
            return __devrtl_fork(code, &raw const arg, count);
        }
        __kmpc_serialized_parallel(loc, 0);
        Forked { code, args: &raw const arg, count: count as u64 }.call();
        __kmpc_end_serialized_parallel(loc, 0);
    }
}

/// A region of the calling thread alone begins.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_serialized_parallel(_loc: *const Ident, _gtid: i32) {
    if any() {
        take();
    }
    SERIALISED.store(1, Relaxed);
    state::set_has_own(1);
    state::serial_region(true)
}

#[allow(missing_docs)]
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_end_serialized_parallel(_loc: *const Ident, _gtid: i32) {
    state::serial_region(false)
}
