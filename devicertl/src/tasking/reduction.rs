//! Reductions over tasks: `taskgroup task_reduction`, `taskloop reduction`, `reduction(task, ...)`.
//!
//! A taskgroup has a list of them. A thread that runs participating tasks gets a copy of each variable when a task first
//! asks for it; the end of the group combines the copies in the order of the threads. With `reduction(task, ...)` each
//! thread of the team has a group of its own and combines into its own variable, which the reduction of the construct
//! then combines with the others'.

use super::{blocks, group, group::Group, record};
use crate::arch::{self, Code};
use abi::ident::Ident;

/// A variable as a compiler describes it (`kmp.h`: `kmp_taskred_input_t`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Input {
    shared: *mut u8,
    original: *mut u8,
    bytes: u64,
    /// `void(copy, original)`; null for zeros.
    init: Code,
    /// `void(copy)`, or null.
    fini: Code,
    /// `void(into, from)`.
    combine: Code,
    /// Whether copies should be made late, as they all are.
    flags: u32,
}

/// As [`Input`], of compilers before clang 9: `init` is `void(copy)` (`kmp.h`: `kmp_task_red_input_t`).
#[repr(C)]
pub struct OldInput {
    shared: *mut u8,
    bytes: u64,
    init: Code,
    fini: Code,
    combine: Code,
    flags: u32,
}

/// A variable of a reduction.
struct Item {
    input: Input,
    old: bool,
    /// In the order of their threads.
    copies: *mut Copy,
}

/// A thread's copy of a variable.
struct Copy {
    thread: u32,
    data: *mut u8,
    next: *mut Copy,
}

/// A reduction; its items follow.
#[repr(C, align(16))]
pub struct Reduction {
    next: *mut Reduction,
    count: u32,
    /// Not 0 while a thread looks for a copy or adds one.
    lock: u32,
}

impl Item {
    fn holds(start: *mut u8, bytes: u64, data: *mut u8) -> bool {
        (data as u64).wrapping_sub(start as u64) < bytes.max(1)
    }

    /// Whether `data` is this variable, or the copy of it that a task of this thread got.
    ///
    /// # Safety
    /// The lock must be held.
    unsafe fn is(&self, copy: *mut Copy, data: *mut u8) -> bool {
        // SAFETY: as the caller promises.
        self.input.shared == data
            || (!copy.is_null() && Self::holds(unsafe { (*copy).data }, self.input.bytes, data))
    }

    /// This thread's copy or null, and the link at which one belongs.
    ///
    /// # Safety
    /// The lock must be held.
    unsafe fn find(&mut self) -> (*mut Copy, *mut *mut Copy) {
        let thread = arch::tid();
        let mut link = &raw mut self.copies;
        // SAFETY: as the caller promises; the copies of the list live.
        unsafe {
            while !(*link).is_null() && (**link).thread < thread {
                link = &raw mut (**link).next;
            }
            let mine = !(*link).is_null() && (**link).thread == thread;
            (if mine { *link } else { core::ptr::null_mut() }, link)
        }
    }

    /// A new copy for this thread.
    ///
    /// # Safety
    /// The lock must be held, `link` be from [`Item::find`], which found none.
    unsafe fn add(&self, link: *mut *mut Copy) -> *mut Copy {
        let copy = blocks::take(size_of::<Copy>() as u64).cast::<Copy>();
        let data = blocks::take(self.input.bytes);
        // SAFETY: new blocks, and the compiler's functions for them.
        unsafe {
            data.write_bytes(0, self.input.bytes as usize);
            if !self.input.init.is_null() {
                if self.old {
                    arch::call_one(self.input.init, data.cast());
                } else {
                    let original =
                        if self.input.original.is_null() { self.input.shared } else { self.input.original };
                    arch::call_two(self.input.init, data.cast(), original.cast());
                }
            }
            copy.write(Copy { thread: arch::tid(), data, next: *link });
            *link = copy;
        }
        copy
    }
}

impl Reduction {
    /// # Safety
    /// `reduction` must live, `index` be below its count.
    unsafe fn item(reduction: *mut Reduction, index: u32) -> *mut Item {
        // SAFETY: the items follow.
        unsafe { reduction.add(1).cast::<Item>().add(index as usize) }
    }

    /// This thread's copy of the variable `data`, or null if it is none of this reduction.
    ///
    /// # Safety
    /// `reduction` must live.
    unsafe fn copy_of(reduction: *mut Reduction, data: *mut u8) -> *mut u8 {
        // SAFETY: as the caller promises; what the lock guards is used while it is held.
        unsafe {
            let lock = &raw mut (*reduction).lock;
            while arch::block_cas_u32(lock, 0, 1) != 0 {
                arch::backoff(64);
            }
            let mut found: *mut u8 = core::ptr::null_mut();
            let mut index = 0;
            while index < (*reduction).count && found.is_null() {
                let item = Self::item(reduction, index);
                let (mut copy, link) = (*item).find();
                if (*item).is(copy, data) {
                    if copy.is_null() {
                        copy = (*item).add(link);
                    }
                    found = (*copy).data;
                }
                index += 1;
            }
            arch::block_store_u32(lock, 0);
            found
        }
    }
}

/// Adds a reduction to the innermost taskgroup, which is described from then on.
///
/// # Safety
/// `input` must give the variables.
unsafe fn start(count: u32, old: bool, input: impl Fn(u32) -> Input) -> *mut Group {
    let record = record::mine_or_new();
    let bytes = size_of::<Reduction>() + count as usize * size_of::<Item>();
    let reduction = blocks::take(bytes as u64).cast::<Reduction>();
    // SAFETY: this thread's record, a new block of the right size.
    unsafe {
        let group = group::innermost(record);
        let mut index = 0;
        while index < count {
            Reduction::item(reduction, index).write(Item {
                input: input(index),
                old,
                copies: core::ptr::null_mut(),
            });
            index += 1;
        }
        reduction.write(Reduction { next: (*group).reductions, count, lock: 0 });
        (*group).reductions = reduction;
        group
    }
}

/// The end of a taskgroup: combines the copies and drops its reductions.
///
/// # Safety
/// The group's tasks must be finished.
pub unsafe fn combine(group: *mut Group) {
    // SAFETY: as the caller promises; the lists are this thread's now.
    unsafe {
        let mut reduction = (*group).reductions;
        while !reduction.is_null() {
            let mut index = 0;
            while index < (*reduction).count {
                let item = Reduction::item(reduction, index);
                let input = (*item).input;
                let mut copy = (*item).copies;
                while !copy.is_null() {
                    let Copy { data, next, .. } = copy.read();
                    arch::call_two(input.combine, input.shared.cast(), data.cast());
                    if !input.fini.is_null() {
                        arch::call_one(input.fini, data.cast());
                    }
                    blocks::give(data);
                    blocks::give(copy.cast());
                    copy = next;
                }
                index += 1;
            }
            let next = (*reduction).next;
            blocks::give(reduction.cast());
            reduction = next;
        }
        (*group).reductions = core::ptr::null_mut();
    }
}

/// `task_reduction` of the taskgroup that has just begun.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_init(_gtid: i32, count: i32, input: *const Input) -> *mut Group {
    // SAFETY: the compiler's list.
    unsafe { start(count as u32, false, |i| input.add(i as usize).read()) }
}

/// As [`__kmpc_taskred_init`], for old compilers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_init(
    _gtid: i32,
    count: i32,
    input: *const OldInput,
) -> *mut Group {
    // SAFETY: the compiler's list.
    unsafe { start(count as u32, true, |i| from_old(input, i)) }
}

/// # Safety
/// `input` must have an item with this index.
unsafe fn from_old(input: *const OldInput, index: u32) -> Input {
    // SAFETY: as the caller promises.
    let OldInput { shared, bytes, init, fini, combine, flags } = unsafe { input.add(index as usize).read() };
    Input { shared, original: core::ptr::null_mut(), bytes, init, fini, combine, flags }
}

/// `reduction(task, ...)`: every thread of the team calls it at the start of the construct, with its own variables.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_taskred_modifier_init(
    _loc: *const Ident,
    _gtid: i32,
    _worksharing: i32,
    count: i32,
    input: *const Input,
) -> *mut Group {
    group::begin();
    // SAFETY: the compiler's list.
    unsafe { start(count as u32, false, |i| input.add(i as usize).read()) }
}

/// As [`__kmpc_taskred_modifier_init`], for old compilers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_modifier_init(
    _loc: *const Ident,
    _gtid: i32,
    _worksharing: i32,
    count: i32,
    input: *const OldInput,
) -> *mut Group {
    group::begin();
    // SAFETY: the compiler's list.
    unsafe { start(count as u32, true, |i| from_old(input, i)) }
}

/// The end of a construct with `reduction(task, ...)`.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_task_reduction_modifier_fini(_loc: *const Ident, _gtid: i32, _worksharing: i32) {
    group::end()
}

/// This thread's copy of `data`, a variable of `group` or of one outside of it; null stands for the current group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_task_reduction_get_th_data(
    _gtid: i32,
    group: *mut Group,
    data: *mut u8,
) -> *mut u8 {
    let mut group = group;
    if group.is_null() {
        let record = record::mine();
        if !record.is_null() {
            // SAFETY: this thread's record.
            group = unsafe { (*record).group };
        }
    }
    // SAFETY: groups live until their tasks are finished.
    unsafe {
        while !group.is_null() {
            let mut reduction = (*group).reductions;
            while !reduction.is_null() {
                let copy = Reduction::copy_of(reduction, data);
                if !copy.is_null() {
                    return copy;
                }
                reduction = (*reduction).next;
            }
            group = (*group).outer;
        }
    }
    // Of no reduction, which no program may do: the variable itself.
    data
}
