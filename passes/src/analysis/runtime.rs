//! What is known about functions by their names: the OpenMP runtime, the C and C++ libraries, NVIDIA's math.

use crate::ir::{Function, Inst, Type, Value};
use abi::table::library;

/// What a call of a function means for code outside of parallel regions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    /// `__kmpc_parallel_51` and `_60`, and their older forms.
    Parallel,
    /// `__kmpc_target_init`.
    Init,
    /// `__kmpc_target_deinit`.
    Deinit,
    /// The number of the thread: every thread of a converted kernel passes its own on to the runtime.
    ThreadNumber,
    /// The same for all threads of a team, and nothing but a question.
    Uniform,
    /// The same, and outside of regions always this number.
    Serial(u64),
    /// The share of a team in a loop: gives all threads of a team the same, and writes only to its arguments.
    TeamShare,
    /// Nothing to do in serial code.
    Nothing,
    /// A barrier or a flush: for the thread of serial code it ends the tasks, and orders its memory for other teams.
    Order,
    /// Changes what the next region reads before its first barrier.
    SetsState,
    /// Any other function that reaches no parallel region of the program.
    Leaf,
}

/// What is known about a function by its name. A program may give functions of its own the names of a library's: what is defined
/// here says itself what it does.
pub fn known(function: Function) -> Option<Known> {
    let name = function.name();
    named(&name).or_else(|| (function.is_declaration() && library_has(&name)).then_some(Known::Leaf))
}

/// The same about the function that a call names; `None` if it names none.
pub fn known_call(call: Inst) -> Option<Known> {
    known(call.callee()?)
}

/// Whether a call gives a thread or a team its share of a loop, without any state of the team.
pub fn gives_share(call: Inst) -> bool {
    call.callee_name().starts_with("__kmpc_for_static_init_") || known_call(call) == Some(Known::TeamShare)
}

/// What is known about a function of a name that no program gives to its own.
fn named(name: &str) -> Option<Known> {
    let known = match name {
        "__kmpc_target_init" => Known::Init,
        "__kmpc_target_deinit" => Known::Deinit,
        "__kmpc_global_thread_num" => Known::ThreadNumber,
        "__kmpc_get_hardware_num_threads_in_block"
        | "__kmpc_get_hardware_num_blocks"
        | "__kmpc_get_warp_size"
        | "omp_get_team_num"
        | "omp_get_num_teams"
        | "omp_get_num_devices"
        | "omp_get_device_num"
        | "omp_get_initial_device"
        | "omp_is_initial_device" => Known::Uniform,
        "omp_get_thread_num" | "omp_get_level" | "omp_in_parallel" | "omp_get_active_level" => {
            Known::Serial(0)
        }
        "omp_get_num_threads" => Known::Serial(1),
        // How old compilers gave workers a region.
        "__kmpc_kernel_prepare_parallel" => Known::Parallel,
        "__kmpc_distribute_static_fini" | "__kmpc_barrier_simple_spmd" | "__kmpc_barrier_simple_generic" => {
            Known::Nothing
        }
        "__kmpc_barrier" | "__kmpc_flush" => Known::Order,
        "__kmpc_alloc_shared" | "__kmpc_free_shared" | "omp_get_wtime" | "omp_get_wtick" => Known::Leaf,
        _ if name.starts_with("__kmpc_parallel_5") || name.starts_with("__kmpc_parallel_6") => {
            Known::Parallel
        }
        _ if name.starts_with("__kmpc_distribute_static_init") => Known::TeamShare,
        _ if calls_back(name) => return None,
        _ if runtime_has(name) => Known::SetsState,
        _ if name.starts_with("llvm.") || name.starts_with("__nv_") => Known::Leaf,
        _ => return None,
    };
    Some(known)
}

/// Functions of the runtime that call a function of the program, which may hold a parallel region. Tasks do too, but
/// regions in tasks are serial.
pub fn calls_back(name: &str) -> bool {
    name.contains("_static_loop_") || name.starts_with("__kmpc_fork_") || name == "__kmpc_parallel_spmd"
}

/// Whether only OpenMP's runtimes define functions of such a name.
pub fn is_openmp(name: &str) -> bool {
    ["__kmpc_", "omp_", "ompx_"].iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a variable or function of such a name is one of the device runtime's own, which no program names.
pub fn is_inside_runtime(name: &str) -> bool {
    name.starts_with("__devrtl") || name.starts_with("_R")
}

/// Whether the device runtime has an OpenMP function of this name.
fn runtime_has(name: &str) -> bool {
    is_openmp(name) && (abi::table::by_name(name).is_some() || abi::table::device::function(name).is_some())
}

/// Whether the C and C++ libraries have a function of this name that reaches no parallel region.
fn library_has(name: &str) -> bool {
    LIBRARY.binary_search(&name).is_ok() || library::is_leaf(name) || is_math(name)
}

/// Functions of the C and C++ libraries that are the runtime's, the driver's or of clang's headers. Sorted.
const LIBRARY: &[&str] = &[
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdlPv",
    "_ZdlPvm",
    "_Znam",
    "_Znwm",
    "__assert_fail",
    "__assertfail",
    "__llvm_omp_vprintf",
    "__omptarget_real_free",
    "__omptarget_real_malloc",
    "abort",
    "abs",
    "free",
    "labs",
    "llabs",
    "malloc",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "printf",
    "puts",
    "strcmp",
    "strlen",
    "trap",
    "vprintf",
];

/// Functions of `math.h`, without the letter for `float`.
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "copysign",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fdim",
    "floor",
    "fma",
    "fmax",
    "fmin",
    "fmod",
    "frexp",
    "hypot",
    "ilogb",
    "ldexp",
    "lgamma",
    "llrint",
    "llround",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "lrint",
    "lround",
    "modf",
    "nan",
    "nearbyint",
    "nextafter",
    "pow",
    "remainder",
    "remquo",
    "rint",
    "round",
    "scalbln",
    "scalbn",
    "sin",
    "sincos",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

fn is_math(name: &str) -> bool {
    let is = |name| MATH.binary_search(&name).is_ok();
    is(name) || name.strip_suffix('f').is_some_and(is)
}

/// What a user promised about a call (`llvm.assume` of the call or the function).
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct Assumptions {
    /// No parallel region is reached: `omp_no_parallelism`, `omp_no_openmp_constructs`, and below.
    pub no_parallelism: bool,
    /// Nothing of OpenMP is reached: `omp_no_openmp`.
    pub no_openmp: bool,
    /// All threads may execute it: `ompx_spmd_amenable`.
    pub spmd_amenable: bool,
}

impl Assumptions {
    /// What holds for a call in a function of whose calls `self` holds; but `spmd_amenable` is a matter of each call.
    pub fn and(self, call: Self) -> Self {
        Self {
            no_parallelism: self.no_parallelism || call.no_parallelism,
            no_openmp: self.no_openmp || call.no_openmp,
            spmd_amenable: false,
        }
    }
}

/// The promises about a call.
pub fn assumptions(call: Inst) -> Assumptions {
    let mut found = Assumptions::default();
    for text in call.string_attributes("llvm.assume") {
        for word in text.split(',') {
            match word.trim() {
                "omp_no_parallelism" | "omp_no_openmp_constructs" => found.no_parallelism = true,
                "omp_no_openmp" => (found.no_parallelism, found.no_openmp) = (true, true),
                "ompx_spmd_amenable" => found.spmd_amenable = true,
                _ => {}
            }
        }
    }
    found
}

/// The clauses and code of a call of `__kmpc_parallel_*`.
pub struct Parallel {
    /// The call.
    pub call: Inst,
    /// 0: a region of the calling thread alone.
    pub if_clause: Value,
    /// Its code.
    pub code: Value,
}

/// Operand numbers of `__kmpc_parallel_51` and `_60`.
pub mod parallel_operand {
    /// The if clause.
    pub const IF: u32 = 2;
    /// The wanted number of threads, or -1.
    pub const NUM_THREADS: u32 = 3;
    /// The binding of threads to places, or -1.
    pub const PROC_BIND: u32 = 4;
    /// The code.
    pub const CODE: u32 = 5;
    /// What workers of a generic kernel call.
    pub const WRAPPER: u32 = 6;
    /// The array of arguments.
    pub const ARGUMENTS: u32 = 7;
    /// How many they are.
    pub const COUNT: u32 = 8;
    /// Of `_60` only: whether the number of threads is a must.
    pub const STRICT: u32 = 9;
}

/// The parallel region that this instruction starts.
pub fn parallel(inst: Inst) -> Option<Parallel> {
    if !inst.is_call() || known_call(inst) != Some(Known::Parallel) || inst.arguments().len() < 9 {
        return None;
    }
    Some(Parallel {
        call: inst,
        if_clause: inst.operand(parallel_operand::IF),
        code: inst.operand(parallel_operand::CODE),
    })
}

/// The first two parameters of a region's code: where the numbers of the thread stand.
pub const THREAD_PARAMETERS: usize = 2;

/// The code of a region and the types of its arguments, if the two agree.
pub fn region_code(region: Inst) -> Option<(Function, Vec<Type>)> {
    let code = region.operand(parallel_operand::CODE).strip_casts().as_function()?;
    let types: Vec<Type> =
        code.parameters().into_iter().skip(THREAD_PARAMETERS).map(|parameter| parameter.ty()).collect();
    let count = region.operand(parallel_operand::COUNT).as_constant_int()?;
    (!code.is_declaration() && types.len() as u64 == count).then_some((code, types))
}

/// The same for code that nothing else runs.
pub fn own_region_code(region: Inst) -> Option<(Function, Vec<Type>)> {
    region_code(region).filter(|(code, _)| code.value().users() == [region.value()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted() {
        assert!(LIBRARY.is_sorted());
        assert!(MATH.is_sorted());
    }

    #[test]
    fn names_say_what_calls_mean() {
        assert_eq!(named("__kmpc_parallel_60"), Some(Known::Parallel));
        assert_eq!(named("omp_set_num_threads"), Some(Known::SetsState));
        assert_eq!(named("__kmpc_omp_task"), Some(Known::SetsState));
        assert!(library_has("sqrtf") && !library_has("work"));
        assert_eq!(named("__kmpc_distribute_static_loop_4u"), None);
        assert_eq!(named("work"), None);
        assert_eq!(named("omp_my_own_function"), None);
    }
}
