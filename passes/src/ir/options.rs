//! LLVM's own command line options: the knobs of `openmp-opt` are read where LLVM keeps them.

use super::sys::error_handling::LLVMInstallFatalErrorHandler;
use super::{c_string, shim};
use std::ffi::{CStr, CString, c_char};

/// The value of an option that is true or false; none if this LLVM has no such option.
pub fn bool_option(name: &str) -> Option<bool> {
    let (name, mut value) = (c_string(name), 0);
    (llvm!(shim::omptarget_ir_get_bool_option(name.as_ptr(), &mut value)) != 0).then_some(value != 0)
}

/// Whether this LLVM has an option of that name, of whatever type.
pub fn has_option(name: &str) -> bool {
    let name = c_string(name);
    llvm!(shim::omptarget_ir_has_option(name.as_ptr())) != 0
}

/// Sets an option that is true or false.
pub fn set_bool_option(name: &str, value: bool) {
    let name = c_string(name);
    llvm!(shim::omptarget_ir_set_bool_option(name.as_ptr(), value.into()));
}

/// Sets an option that is a number, unless the user has, or this LLVM has no such option.
pub fn set_unsigned_option(name: &str, value: u32) {
    let name = c_string(name);
    llvm!(shim::omptarget_ir_set_unsigned_option(name.as_ptr(), value));
}

/// The value of an option that is a number; none if this LLVM has no such option.
pub fn unsigned_option(name: &str) -> Option<u32> {
    let (name, mut value) = (c_string(name), 0);
    (llvm!(shim::omptarget_ir_get_unsigned_option(name.as_ptr(), &mut value)) != 0).then_some(value)
}

/// Lets LLVM read options, in the form `-name` or `-name=value`. False if one is wrong: LLVM has printed a message.
pub fn parse_options(program: &str, options: &[String]) -> bool {
    let texts: Vec<CString> =
        std::iter::once(program).chain(options.iter().map(String::as_str)).map(c_string).collect();
    let raw: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
    llvm!(shim::omptarget_ir_parse_options(raw.len() as i32, raw.as_ptr())) != 0
}

/// Ends the program with exit status 1 and a message where LLVM would abort: it does so for some broken input.
pub fn exit_on_fatal_error() {
    llvm!(LLVMInstallFatalErrorHandler(Some(fatal_error)));
}

extern "C" fn fatal_error(reason: *const c_char) {
    // SAFETY: LLVM gives a string that ends with a zero.
    let reason = unsafe { CStr::from_ptr(reason) };
    eprintln!("error: LLVM: {}", reason.to_string_lossy());
    std::process::exit(1);
}
