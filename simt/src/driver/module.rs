//! Modules: images into the device, and what is in them by name.

use super::error::{CUresult, CuResult, put, put_if_wanted, say, text};
use super::jit::Options;
use super::object::{FunctionObject, Handle, ModuleObject, Object};
use super::state::{Driver, driver};
use super::types::{CUdeviceptr, CUfunction, CUmodule, c_char, c_int, c_uint, c_void};
use crate::ReportKind;
use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

/// The PTX of an image, or why there is none.
pub(super) fn read_image(driver: &Driver, image: &[u8]) -> Result<String, (CUresult, String)> {
    let (major, minor) = driver.device.config().compute_capability;
    crate::image::ptx(image, major * 10 + minor).map_err(|refusal| {
        let code = if refusal.is_image { CUresult::NO_BINARY_FOR_GPU } else { CUresult::INVALID_IMAGE };
        (code, refusal.message)
    })
}

/// Reads an image into a module of the current context.
fn load_image(driver: &Driver, context: Handle, image: &[u8]) -> Result<ModuleObject, (CUresult, String)> {
    let module = driver.device.load(&read_image(driver, image)?).map_err(|report| {
        let code = match report.kind {
            ReportKind::OutOfMemory => CUresult::OUT_OF_MEMORY,
            _ => CUresult::INVALID_PTX,
        };
        (code, report.to_string())
    })?;
    Ok(ModuleObject { context, module: Arc::new(module), functions: HashMap::new() })
}

/// `cuModuleLoadData`, `cuModuleLoadDataEx`. The reason of a failure goes to the error log buffer if there is one among
/// the options, for the caller to print, else to standard error.
pub(super) unsafe fn load(
    module: *mut CUmodule,
    image: *const c_void,
    count: c_uint,
    options: *mut c_int,
    values: *mut *mut c_void,
) -> CuResult {
    // SAFETY: arrays of `count` elements, as the API demands.
    let options = unsafe { Options::new(count, options, values)? };
    if image.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: not null, so an image, as the API demands.
    let image = unsafe { crate::image::at(image.cast()) };
    // SAFETY: null or valid, as the API demands.
    unsafe { load_bytes(module, image, &options) }
}

/// # Safety
/// `module` is null or valid.
unsafe fn load_bytes(module: *mut CUmodule, image: &[u8], options: &Options) -> CuResult {
    if module.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let driver = driver()?;
    let context = driver.current()?;
    match load_image(driver, context, image) {
        Ok(object) => {
            options.answer("the PTX has been read; the SIMT device runs it as it is", "");
            let handle = driver.state().insert(Object::Module(object));
            // SAFETY: not null, so valid, by the contract.
            unsafe { put(module, handle.to_c()) }
        }
        Err((code, message)) => {
            options.answer("", &message);
            Err(code)
        }
    }
}

/// `cuModuleLoad`: an image in a file.
pub(super) unsafe fn load_file(module: *mut CUmodule, path: *const c_char) -> CuResult {
    // SAFETY: null or a C string, as the API demands.
    let path = unsafe { text(path)? };
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
    let image = std::fs::read(path).map_err(|error| {
        say(format_args!("cannot read the module {}: {error}", path.display()));
        CUresult::FILE_NOT_FOUND
    })?;
    // SAFETY: there are no options; the module is null or valid, as the API demands.
    unsafe { load_bytes(module, &image, &Options::new(0, std::ptr::null(), std::ptr::null_mut())?) }
}

/// `cuModuleGetLoadingMode`: kernels are read with their module.
pub(super) unsafe fn loading_mode(mode: *mut c_int) -> CuResult {
    const EAGER: c_int = 1;
    driver()?;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(mode, EAGER) }
}

/// `cuModuleUnload`: its kernels' handles become invalid, its variables' memory is freed.
pub(super) fn unload(module: CUmodule) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let handle = Handle::from_c(module);
    let context = driver.state().get::<ModuleObject>(handle)?.context;
    driver.drain(context)?;
    let removed = {
        let mut state = driver.state();
        state.remove_functions_of(handle);
        state.remove::<ModuleObject>(handle)?
    };
    drop(removed);
    Ok(())
}

/// `cuModuleGetFunction`: the same handle each time.
pub(super) unsafe fn function(function: *mut CUfunction, module: CUmodule, name: *const c_char) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    // SAFETY: null or a C string, as the API demands.
    let name = unsafe { text(name)? }.to_str().map_err(|_| CUresult::NOT_FOUND)?;
    let module_handle = Handle::from_c(module);
    let mut state = driver.state();
    let module = state.get::<ModuleObject>(module_handle)?;
    let handle = match module.functions.get(name) {
        Some(&handle) => handle,
        None => {
            let context = module.context;
            let kernel = module.module.function(name).ok_or(CUresult::NOT_FOUND)?;
            let object = FunctionObject::new(context, module_handle, kernel);
            let handle = state.insert(Object::Function(object));
            state.get_mut::<ModuleObject>(module_handle)?.functions.insert(name.to_owned(), handle);
            handle
        }
    };
    // SAFETY: null or valid, as the API demands.
    unsafe { put(function, handle.to_c()) }
}

/// `cuModuleGetGlobal`: the caller may leave out either result.
pub(super) unsafe fn global(
    address: *mut CUdeviceptr,
    bytes: *mut usize,
    module: CUmodule,
    name: *const c_char,
) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    // SAFETY: null or a C string, as the API demands.
    let name = unsafe { text(name)? }.to_str().map_err(|_| CUresult::NOT_FOUND)?;
    let state = driver.state();
    let module = state.get::<ModuleObject>(Handle::from_c(module))?;
    let (at, size) = module.module.global(name).ok_or(CUresult::NOT_FOUND)?;
    // SAFETY: null or valid, as the API demands.
    unsafe {
        put_if_wanted(address, at);
        put_if_wanted(bytes, size as usize);
    }
    Ok(())
}
