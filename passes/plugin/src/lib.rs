//! The passes as a plugin: `clang -fpass-plugin=`, `opt -load-pass-plugin= -passes=omptarget`, and at the link of the
//! device code `clang-nvlink-wrapper -mllvm -load-pass-plugin=`, where the module is the whole program.
//!
//! They run before everything else. The stock pass `openmp-opt` follows, and from then on leaves kernels generic and
//! variables where they are: what it would do beyond these passes is not always right.

mod device_link;

use passes::{Settings, analysis::kernel::Kernel, ir};
use std::ffi::{c_char, c_void};

/// What LLVM asks a plugin for (`PassPluginLibraryInfo`).
#[repr(C)]
pub struct PluginInfo {
    api_version: u32,
    name: *const c_char,
    version: *const c_char,
    register: unsafe extern "C" fn(*mut c_void),
    #[cfg(feature = "llvm22")]
    before_code_generation: *const c_void,
}

unsafe extern "C" {
    fn omptarget_passes_register(builder: *mut c_void);
}

/// The symbol that LLVM looks for.
#[unsafe(no_mangle)]
pub extern "C" fn llvmGetPassPluginInfo() -> PluginInfo {
    PluginInfo {
        api_version: if cfg!(feature = "llvm22") { 2 } else { 1 },
        name: c"omptarget".as_ptr(),
        version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
        register: omptarget_passes_register,
        #[cfg(feature = "llvm22")]
        before_code_generation: std::ptr::null(),
    }
}

/// Runs the passes over a module; whether they changed it. `whole_program`: it is all the code of the device.
///
/// # Safety
/// `module` is a module that nobody else uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omptarget_passes_run(module: *mut c_void, whole_program: bool) -> bool {
    // SAFETY: as the caller promises.
    let module = unsafe { ir::Module::from_raw(module) };
    let settings = Settings { whole_program: whole_program && is_all(module), ..Settings::from_llvm() };
    match passes::run(module, &settings) {
        Ok(report) => report.changed,
        Err(error) => {
            eprintln!("omptarget: {error}");
            std::process::abort()
        }
    }
}

/// Whether the module is all the code of the device, as a device link promises. If not, the user may want to know why
/// kernels stay generic.
fn is_all(module: ir::Module) -> bool {
    if Kernel::all(module).is_empty() {
        return false;
    }
    let other = device_link::machine_code();
    if let Some(file) = &other {
        eprintln!(
            "omptarget: note: {} is machine code, whose functions the passes cannot see: calls through pointers may \
             lead there, and kernels with such calls stay generic; compile it with -foffload-lto",
            file.file_name().unwrap_or(file.as_os_str()).display()
        );
    }
    other.is_none()
}
