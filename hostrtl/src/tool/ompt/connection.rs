//! The connection to libomp, and through it to the tool: how both find each other, and the callbacks that the tool
//! registered.

use crate::tool::{LISTENERS, OMPT};
use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::OnceLock;

/// `ompt_data_t`: 8 bytes that belong to the tool.
pub(super) type Data = u64;
/// `ompt_interface_fn_t`, to be cast.
pub(super) type Function = unsafe extern "C" fn();
/// `ompt_function_lookup_t`.
type Lookup = unsafe extern "C" fn(*const c_char) -> Option<Function>;
/// `ompt_get_callback_t`.
type GetCallback = unsafe extern "C" fn(c_int, *mut Option<Function>) -> c_int;
/// `ompt_get_task_data_t` of libomp's interface for this library.
pub(super) type GetData = unsafe extern "C" fn() -> *mut Data;

/// `ompt_start_tool_result_t`.
#[repr(C)]
#[derive(Debug)]
pub struct StartToolResult {
    initialize: Option<unsafe extern "C" fn(Lookup, c_int, *mut Data) -> c_int>,
    finalize: Option<unsafe extern "C" fn(*mut Data)>,
    tool_data: Data,
}

macro_rules! callbacks {
    ($($field:ident = $number:literal: fn($($type:ty),*);)+) => {
        /// The tool's callbacks.
        #[derive(Default)]
        pub(super) struct Callbacks {
            $(pub $field: Option<unsafe extern "C" fn($($type),*)>,)+
        }

        impl Callbacks {
            /// # Safety
            /// `get` is libomp's `ompt_get_callback`.
            unsafe fn of(get: GetCallback) -> Self {
                let callback = |number| {
                    let mut callback = None;
                    // SAFETY: the contract; the second argument is a place for the result.
                    unsafe { get(number, &mut callback) };
                    callback
                };
                // SAFETY: the tool registered a function of this type under this number (omp-tools.h).
                unsafe { Self { $($field: core::mem::transmute::<Option<Function>, Option<unsafe extern "C" fn($($type),*)>>(callback($number)),)+ } }
            }
        }
    };
}
callbacks! {
    target = 8: fn(c_int, c_int, c_int, *mut Data, u64, *const c_void);
    data_op = 9: fn(u64, u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, *const c_void);
    submit = 10: fn(u64, u64, c_uint);
    device_initialize = 12: fn(c_int, *const c_char, *mut c_void, Option<Function>, *const c_char);
    device_finalize = 13: fn(c_int);
    device_load = 14: fn(c_int, *const c_char, i64, *mut c_void, usize, *mut c_void, *mut c_void, u64);
    device_unload = 15: fn(c_int, u64);
    target_emi = 33: fn(c_int, c_int, c_int, *mut Data, *mut Data, *mut Data, *const c_void);
    data_op_emi = 34: fn(
        c_int, *mut Data, *mut Data, *mut u64, c_int, *mut c_void, c_int, *mut c_void, c_int, usize, *const c_void
    );
    submit_emi = 35: fn(c_int, *mut Data, *mut u64, c_uint);
}

/// The connection to libomp.
pub(super) struct Connection {
    lookup: Lookup,
    get_callback: GetCallback,
    pub task_data: Option<GetData>,
    pub target_task_data: Option<GetData>,
}

static CONNECTION: OnceLock<Connection> = OnceLock::new();
static CALLBACKS: OnceLock<Callbacks> = OnceLock::new();
/// Introduces this library to libomp, once. Called when a program registers, before anything of the runtime is in use:
/// libomp starts the tool now, and the tool may call the runtime.
pub fn connect() {
    static DONE: AtomicBool = AtomicBool::new(false);
    static mut RESULT: StartToolResult =
        StartToolResult { initialize: Some(initialize), finalize: Some(finalize), tool_data: 0 };
    if DONE.swap(true, Ordering::AcqRel) {
        return;
    }
    // SAFETY: a C string; the default handle searches all loaded libraries.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"ompt_libomp_connect".as_ptr()) };
    type Connect = unsafe extern "C" fn(*mut StartToolResult);
    // SAFETY: libomp defines the name with this type; null becomes `None`.
    let Some(connect) = (unsafe { core::mem::transmute::<*mut c_void, Option<Connect>>(symbol) }) else {
        return;
    };
    // SAFETY: libomp alone uses the structure, which lives for ever.
    unsafe { connect(&raw mut RESULT) };
    let Some(connection) = CONNECTION.get() else { return };
    // SAFETY: `initialize` took the function from libomp.
    CALLBACKS.get_or_init(|| unsafe { Callbacks::of(connection.get_callback) });
    LISTENERS.fetch_or(OMPT, Ordering::Relaxed);
}

/// libomp has a tool.
unsafe extern "C" fn initialize(lookup: Lookup, _initial_device: c_int, _tool_data: *mut Data) -> c_int {
    let find = |name: &CStr| {
        // SAFETY: libomp's lookup, with a C string.
        unsafe { lookup(name.as_ptr()) }
    };
    // SAFETY: libomp's functions of these names have these types.
    let (get_callback, task_data, target_task_data) = unsafe {
        (
            core::mem::transmute::<Option<Function>, Option<GetCallback>>(find(c"ompt_get_callback")),
            core::mem::transmute::<Option<Function>, Option<GetData>>(find(c"ompt_get_task_data")),
            core::mem::transmute::<Option<Function>, Option<GetData>>(find(c"ompt_get_target_task_data")),
        )
    };
    if let Some(get_callback) = get_callback {
        CONNECTION.get_or_init(|| Connection { lookup, get_callback, task_data, target_task_data });
    }
    0
}

/// libomp ends: the tool is not to be called any more.
unsafe extern "C" fn finalize(_tool_data: *mut Data) {
    LISTENERS.fetch_and(!OMPT, Ordering::Relaxed);
}

/// `ompt_libomptarget_connect` of LLVM 19: a library of a kind of device introduces itself. It gets libomp's functions,
/// as far as there is a tool.
///
/// # Safety
/// `result` is null or valid.
pub unsafe fn libomptarget_connect(result: *mut StartToolResult) {
    connect();
    // SAFETY: null or valid by the contract.
    let (Some(result), Some(connection)) = (unsafe { result.as_mut() }, CONNECTION.get()) else { return };
    if let Some(initialize) = result.initialize {
        // SAFETY: the library's function, of the type that the structure says.
        unsafe { initialize(connection.lookup, 0, &raw mut result.tool_data) };
    }
}

/// The tool's callbacks, while there is a tool.
pub(super) fn callbacks() -> Option<&'static Callbacks> {
    CALLBACKS.get().filter(|_| LISTENERS.load(Ordering::Relaxed) & OMPT != 0)
}

/// The connection, when there is a tool.
pub(super) fn connection() -> Option<&'static Connection> {
    CONNECTION.get()
}
