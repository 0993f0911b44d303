//! What the plugin of LLVM's compilers is made of.

use std::ffi::{c_char, c_void};

/// Where in a compilation the pass of a plugin runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// On a file that is compiled without optimisation.
    Unoptimized,
    /// On a file that is optimised.
    Compile,
    /// On what LLVM is about to optimise.
    Begin,
    /// On what a device link joins.
    Link,
    /// On what a device link joins and does not optimise.
    UnoptimizedLink,
    /// On code that LLVM has optimised, of a file that is not linked or of a device link.
    Optimized,
    /// On what LLVM has optimised.
    End,
}

impl Stage {
    /// From the number that `cpp/plugin.cc` gives.
    ///
    /// # Panics
    /// There is no such stage.
    pub fn from_number(number: u32) -> Self {
        [
            Self::Unoptimized,
            Self::Compile,
            Self::Begin,
            Self::Link,
            Self::UnoptimizedLink,
            Self::Optimized,
            Self::End,
        ][number as usize]
    }
}

/// What LLVM asks a plugin for (`PassPluginLibraryInfo`).
#[repr(C)]
pub struct PluginInfo {
    /// The version of this structure.
    pub api_version: u32,
    /// The plugin's name, as text of C.
    pub name: *const c_char,
    /// Its version, as text of C.
    pub version: *const c_char,
    /// Puts its passes into a `PassBuilder`.
    pub register: unsafe extern "C" fn(*mut c_void),
    /// What it would do in the place of the back end: nothing.
    #[cfg(feature = "llvm22")]
    pub before_code_generation: *const c_void,
}

impl PluginInfo {
    /// That of a plugin with this name.
    pub fn new(name: &'static std::ffi::CStr, register: unsafe extern "C" fn(*mut c_void)) -> Self {
        Self {
            api_version: if cfg!(feature = "llvm22") { 2 } else { 1 },
            name: name.as_ptr(),
            version: concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast(),
            register,
            #[cfg(feature = "llvm22")]
            before_code_generation: std::ptr::null(),
        }
    }
}

unsafe extern "C" {
    /// Puts a pass at the start and the end of the pipelines of a `PassBuilder` and of a device link. The number is a [`Stage`].
    /// `between` is called for each function when openmp-opt has run over a module, often; it says whether it has changed it. `asks`
    /// says of a function whether it may come to one of the runtime.
    pub fn omptarget_passes_register(
        builder: *mut c_void,
        run: unsafe extern "C" fn(*mut c_void, u32) -> bool,
        between: unsafe extern "C" fn(*mut c_void) -> bool,
        asks: unsafe extern "C" fn(*mut c_void) -> bool,
    );
}
