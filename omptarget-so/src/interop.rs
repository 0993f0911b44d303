//! Interop objects: the constructs of clang up to 22 and the forms of OpenMP 6.0, and the routines on objects.

use abi::ident::Ident;
use core::ffi::{c_char, c_int, c_void};
use hostrtl::api::interop::{self, Callback, Construct, Dependences, Preference, properties};
use hostrtl::libomp::Dependence;

/// A construct with the clauses of the old forms.
fn construct(thread: i32, nowait: i32) -> Construct {
    Construct { version: 0, flags: if nowait != 0 { Construct::NOWAIT } else { 0 }, thread }
}

fn dependences(count: i32, list: *const Dependence) -> Dependences {
    Dependences { count, list, ..Dependences::NONE }
}

/// The clauses of the forms of OpenMP 6.0; null pointers stand for none.
///
/// # Safety
/// Both pointers are null or valid.
unsafe fn clauses(construct: *const Construct, dependences: *const Dependences) -> (Construct, Dependences) {
    let none = Construct { version: 0, flags: 0, thread: 0 };
    // SAFETY: the contract of this function.
    unsafe {
        (
            construct.as_ref().copied().unwrap_or(none),
            dependences.as_ref().copied().unwrap_or(Dependences::NONE),
        )
    }
}

/// Stores a property's return code where the program wants it.
///
/// # Safety
/// `place` is null or valid for writes.
unsafe fn answer<T>((value, code): (T, c_int), place: *mut c_int) -> T {
    if !place.is_null() {
        // SAFETY: not null.
        unsafe { place.write(code) };
    }
    value
}

export! {
    /// `interop init`
    fn __tgt_interop_init(
        ident: *const Ident, thread: i32, object: *mut *mut c_void, kind: i32, device: i32, count: i32,
        list: *const Dependence, nowait: i32,
    ) {
        let clauses = (construct(thread, nowait), dependences(count, list));
        *object = interop::get(ident, kind, device.into(), (0, core::ptr::null()), clauses.0, clauses.1);
    }
    /// `interop use`
    fn __tgt_interop_use(
        ident: *const Ident, thread: i32, object: *mut *mut c_void, _device: i32, count: i32,
        list: *const Dependence, nowait: i32,
    ) {
        interop::use_object(ident, *object, construct(thread, nowait), dependences(count, list));
    }
    /// `interop destroy`: the variable becomes `omp_interop_none`.
    fn __tgt_interop_destroy(
        ident: *const Ident, thread: i32, object: *mut *mut c_void, _device: i32, count: i32,
        list: *const Dependence, nowait: i32,
    ) {
        interop::release(ident, *object, construct(thread, nowait), dependences(count, list));
        *object = core::ptr::null_mut();
    }
    /// `interop init`, with preferences; also for the runtime's own objects.
    fn __tgt_interop_get(
        ident: *const Ident, kind: i32, device: i64, preference_count: i32, preferences: *const Preference,
        construct: *const Construct, dependences: *const Dependences,
    ) -> *mut c_void {
        let (construct, dependences) = clauses(construct, dependences);
        interop::get(ident, kind, device, (preference_count, preferences), construct, dependences)
    }
    /// `interop use`
    fn __tgt_interop_use60(
        ident: *const Ident, object: *mut c_void, construct: *const Construct, dependences: *const Dependences,
    ) -> c_int {
        let (construct, dependences) = clauses(construct, dependences);
        interop::use_object(ident, object, construct, dependences)
    }
    /// `interop destroy`
    fn __tgt_interop_release(
        ident: *const Ident, object: *mut c_void, construct: *const Construct, dependences: *const Dependences,
    ) -> c_int {
        let (construct, dependences) = clauses(construct, dependences);
        interop::release(ident, object, construct, dependences)
    }
    /// libomp waits for the tasks of a thread; work in the runtime's own objects is part of them.
    fn __tgt_target_sync(_ident: *const Ident, thread: i32, _task: *mut c_void, _event: *mut c_void) {
        interop::target_sync(thread)
    }
    /// A function to call when an object's work is complete.
    fn ompx_interop_add_completion_callback(
        object: *mut c_void, function: Option<Callback>, data: *mut c_void,
    ) -> c_int {
        interop::add_completion_callback(object, function, data)
    }
    /// An integer property.
    fn omp_get_interop_int(object: *const c_void, property: c_int, code: *mut c_int) -> isize {
        answer(properties::int(object, property), code)
    }
    /// A pointer property.
    fn omp_get_interop_ptr(object: *const c_void, property: c_int, code: *mut c_int) -> *mut c_void {
        answer(properties::pointer(object, property), code)
    }
    /// A string property.
    fn omp_get_interop_str(object: *const c_void, property: c_int, code: *mut c_int) -> *const c_char {
        answer(properties::string(object, property), code)
    }
    /// Name of a property.
    fn omp_get_interop_name(_object: *const c_void, property: c_int) -> *const c_char { properties::name(property) }
    /// Type of a property.
    fn omp_get_interop_type_desc(_object: *const c_void, property: c_int) -> *const c_char {
        properties::type_description(property)
    }
    /// Meaning of a return code. LLVM's library lacks it, though libomp forwards to it.
    fn omp_get_interop_rc_desc(_object: *const c_void, code: c_int) -> *const c_char {
        properties::code_description(code)
    }
    /// The same by the name that libomp 22 looks for.
    fn omp_get_interop_rec_desc(_object: *const c_void, code: c_int) -> *const c_char {
        properties::code_description(code)
    }
}
