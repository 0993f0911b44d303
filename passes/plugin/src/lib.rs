//! The passes as a plugin: `clang -fpass-plugin=`, `opt -load-pass-plugin= -passes=omptarget`, and at the link of the
//! device code `clang-nvlink-wrapper -mllvm -load-pass-plugin=`, where the module is the whole program.
//!
//! They run before everything else. The stock pass `openmp-opt` follows, and from then on leaves kernels generic and
//! variables where they are: what it would do beyond these passes is not always right.

mod device_link;

use passes::analysis::{kernel::Kernel, reach};
use passes::plugin::{PluginInfo, Stage, omptarget_passes_register};
use passes::remark::{Reason, Remark, Remarks};
use passes::{Settings, heap, ir, last, many_callees, repairs, uncalled};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

/// The symbol that LLVM looks for.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo::new(c"omptarget", register)
}

unsafe extern "C" fn register(builder: *mut c_void) {
    // SAFETY: LLVM calls this with its builder.
    unsafe { omptarget_passes_register(builder, run_on_module, between_runs, may_ask_runtime) }
}

unsafe extern "C" fn run_on_module(module: *mut c_void, stage: u32) -> bool {
    // SAFETY: LLVM gives the pass a module that nobody else uses meanwhile.
    let module = unsafe { ir::Module::from_raw(module) };
    run(module, Stage::from_number(stage)).unwrap_or_else(|error| {
        eprintln!("omptarget: error: {error}");
        match error {
            passes::Error::Fault(_) => std::process::abort(),
            _ => std::process::exit(1),
        }
    })
}

/// The option that keeps LLVM's openmp-opt from running.
const DISABLE: &str = "openmp-opt-disable";

/// Whether it is set, since openmp-opt has run before its turn.
static HAS_RUN: AtomicBool = AtomicBool::new(false);

/// Between openmp-opt's runs: those over functions that call each other, and over the module once more, are to come.
unsafe extern "C" fn between_runs(function: *mut c_void) -> bool {
    if HAS_RUN.swap(false, Ordering::Relaxed) {
        ir::set_bool_option(DISABLE, false);
    }
    // SAFETY: LLVM gives the pass a function that nobody else uses meanwhile.
    let function = unsafe { ir::Function::from_raw(function) };
    repairs::between_runs(function)
}

/// Whether a function may come to one of the runtime.
unsafe extern "C" fn may_ask_runtime(function: *mut c_void) -> bool {
    // SAFETY: a function of a module that nobody else uses meanwhile.
    reach::may_ask_runtime(unsafe { ir::Function::from_raw(function) })
}

/// Gives a program with `realloc` its heap, in a device link that sees all code; machine code would go on calling the driver's functions.
fn replace_heap(module: ir::Module) -> bool {
    heap::is_replaced(module) && device_link::machine_code().is_none() && heap::run(module)
}

/// Runs the passes over a module, or without optimisation what it cannot do without; whether they changed it.
fn run(module: ir::Module, stage: Stage) -> Result<bool, passes::Error> {
    let dropped = matches!(stage, Stage::Link | Stage::UnoptimizedLink) && uncalled::run(module)?;
    match stage {
        Stage::Unoptimized => return repairs::run_unoptimized(module),
        Stage::UnoptimizedLink => {
            return Ok(repairs::join(module) | last::repair(module) | replace_heap(module) | dropped);
        }
        Stage::Begin => return Ok(passes::begin(module, &Settings::from_llvm())),
        // Until then some calls of `free` have another name.
        Stage::End => return Ok(passes::end(module) | replace_heap(module)),
        Stage::Optimized => return Ok(last::run(module, &Settings::from_llvm(), &mut Remarks::default())?),
        Stage::Compile | Stage::Link => {}
    }
    let linked = stage == Stage::Link;
    // A device link promises that the module is all the code of the device.
    let other = if linked && !Kernel::all(module).is_empty() { device_link::machine_code() } else { None };
    let whole_program = linked && other.is_none();
    let report = passes::run(module, &Settings { linked, whole_program, ..Settings::from_llvm() })?;
    if let Some(file) = other
        && report.remarks.given.iter().any(|given| given.remark == Remark::Blocked(Reason::IndirectCall))
    {
        eprintln!(
            "omptarget: note: {} is machine code, whose functions the passes cannot see: kernels with calls through \
             pointers, which may lead there, stay generic; compile it with -foffload-lto",
            file.file_name().unwrap_or(file.as_os_str()).display()
        );
    }
    let settings = Settings::from_llvm();
    let begun = linked && passes::begin(module, &settings);
    let has_run = linked && !settings.disable && many_callees::run(module)?;
    if has_run {
        ir::set_bool_option(DISABLE, true);
        HAS_RUN.store(true, Ordering::Relaxed);
    }
    Ok(report.changed || begun || has_run || dropped)
}
