//! Modules: PTX text into the device, and what is in it by name.

use super::error::{CUresult, CuResult, put, put_if_wanted, say, text};
use super::state::{FunctionObject, Handle, ModuleObject, Object, driver};
use super::types::{CUdeviceptr, CUfunction, CUmodule, c_char, c_int, c_uint, c_void};
use crate::ReportKind;
use std::collections::HashMap;
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::time::Instant;

/// `CUjit_option`s that are answered; the others tune a compiler that is not there.
mod jit {
    use super::c_int;
    pub(super) const WALL_TIME: c_int = 2;
    pub(super) const INFO_LOG_BUFFER: c_int = 3;
    pub(super) const INFO_LOG_BUFFER_SIZE_BYTES: c_int = 4;
    pub(super) const ERROR_LOG_BUFFER: c_int = 5;
    pub(super) const ERROR_LOG_BUFFER_SIZE_BYTES: c_int = 6;
}

/// What an image is, by its first bytes.
enum Image<'a> {
    /// Text, up to its terminator.
    Text(&'a CStr),
    /// An ELF file for a GPU (`e_machine` 190).
    Cubin,
    /// Any other ELF file.
    OtherElf,
    /// One of the two containers of the CUDA toolkit.
    Fatbin,
}

/// # Safety
/// `image` points at an image as `cuModuleLoadData` takes it: an ELF file, a container, or terminated text.
unsafe fn recognise<'a>(image: *const c_void) -> CuResult<Image<'a>> {
    if image.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let start = image.cast::<u8>();
    // Text may be shorter than a magic number: no byte is read before all bytes in front of it have matched.
    // SAFETY: a byte is read only if those before it are as in the magic number, which holds no terminator.
    let begins = |magic: &[u8]| magic.iter().enumerate().all(|(at, &byte)| unsafe { *start.add(at) } == byte);
    if begins(b"\x7fELF") {
        // SAFETY: an ELF file has a header of at least 52 bytes.
        let machine = unsafe { u16::from_le_bytes([*start.add(18), *start.add(19)]) };
        return Ok(if machine == 190 { Image::Cubin } else { Image::OtherElf });
    }
    if begins(&0x4662_43b1_u32.to_le_bytes()) || begins(&0xba55_ed50_u32.to_le_bytes()) {
        return Ok(Image::Fatbin);
    }
    // SAFETY: what is none of these is terminated text, as the API demands.
    Ok(Image::Text(unsafe { CStr::from_ptr(image.cast()) }))
}

/// Reads an image into a module of the current context.
fn load_image(image: &Image<'_>) -> Result<Handle, (CUresult, String)> {
    let silent = |code| (code, String::new());
    let driver = driver().map_err(silent)?;
    let context = driver.current().map_err(silent)?;
    let refuse = |code, message: &str| Err((code, message.to_owned()));
    let ptx = match image {
        Image::Cubin => {
            return refuse(
                CUresult::NO_BINARY_FOR_GPU,
                "the image is a cubin: machine code of a GPU cannot run on the SIMT device. Build the program so that \
                 the image is PTX (`omptarget cc`, or clang with the --cuda-path of an installation), or run it on a GPU",
            );
        }
        Image::Fatbin => {
            return refuse(
                CUresult::NO_BINARY_FOR_GPU,
                "the image is a fat binary, which the SIMT device does not unpack. Pass the PTX itself",
            );
        }
        Image::OtherElf => {
            return refuse(CUresult::INVALID_IMAGE, "the image is an ELF file, but not for a GPU");
        }
        Image::Text(ptx) => match ptx.to_str() {
            Ok(ptx) => ptx,
            Err(_) => return refuse(CUresult::INVALID_IMAGE, "the image is neither ELF nor text in UTF-8"),
        },
    };
    match driver.device.load(ptx) {
        Ok(module) => {
            let module = ModuleObject { context, module: Arc::new(module), functions: HashMap::new() };
            Ok(driver.state().insert(Object::Module(module)))
        }
        Err(report) => {
            let code = match report.kind {
                ReportKind::OutOfMemory => CUresult::OUT_OF_MEMORY,
                _ => CUresult::INVALID_PTX,
            };
            Err((code, report.to_string()))
        }
    }
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
    if module.is_null() || (count > 0 && (options.is_null() || values.is_null())) {
        return Err(CUresult::INVALID_VALUE);
    }
    let started = Instant::now();
    // SAFETY: an image or null, as the API demands.
    let image = unsafe { recognise(image)? };
    let loaded = load_image(&image);
    let message = loaded.as_ref().err().map_or("", |(_, message)| message.as_str());
    let (options, values) = if count == 0 {
        (&[][..], &mut [][..])
    } else {
        // SAFETY: not null, so arrays of `count` elements, as the API demands.
        unsafe {
            (
                std::slice::from_raw_parts(options, count as usize),
                std::slice::from_raw_parts_mut(values, count as usize),
            )
        }
    };
    // SAFETY: the values belong to the options, as the API demands.
    let logged = unsafe { answer_options(options, values, message, started) };
    if !message.is_empty() && !logged {
        say(message);
    }
    let handle = loaded.map_err(|(code, _)| code)?;
    // SAFETY: not null, so valid, as the API demands.
    unsafe { put(module, handle.to_c()) }
}

/// Writes what options ask for: the logs with their sizes, and the time in milliseconds. Whether there was an error log
/// to write to.
///
/// # Safety
/// Each value is what its option demands; a log buffer has as many bytes as the option for its size says.
unsafe fn answer_options(
    options: &[c_int],
    values: &mut [*mut c_void],
    error: &str,
    started: Instant,
) -> bool {
    let find = |wanted| options.iter().position(|&option| option == wanted);
    if let Some(at) = find(jit::WALL_TIME) {
        let milliseconds = started.elapsed().as_secs_f32() * 1e3;
        values[at] = std::ptr::without_provenance_mut(milliseconds.to_bits() as usize);
    }
    let mut logged = false;
    for (buffer, size, message) in [
        (jit::INFO_LOG_BUFFER, jit::INFO_LOG_BUFFER_SIZE_BYTES, ""),
        (jit::ERROR_LOG_BUFFER, jit::ERROR_LOG_BUFFER_SIZE_BYTES, error),
    ] {
        let (Some(buffer), Some(size)) = (find(buffer), find(size)) else { continue };
        let (to, room) = (values[buffer].cast::<u8>(), values[size].addr() as u32 as usize);
        if to.is_null() || room == 0 {
            continue;
        }
        let length = message.len().min(room - 1);
        // SAFETY: the buffer has `room` bytes, more than `length`.
        unsafe {
            to.copy_from_nonoverlapping(message.as_ptr(), length);
            to.add(length).write(0);
        }
        values[size] = std::ptr::without_provenance_mut(length);
        logged |= options[buffer] == jit::ERROR_LOG_BUFFER;
    }
    logged
}

/// `cuModuleLoad`: an image in a file.
pub(super) unsafe fn load_file(module: *mut CUmodule, path: *const c_char) -> CuResult {
    // SAFETY: null or a C string, as the API demands.
    let path = unsafe { text(path)? };
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
    let mut image = std::fs::read(path).map_err(|error| {
        say(format_args!("cannot read the module {}: {error}", path.display()));
        CUresult::FILE_NOT_FOUND
    })?;
    // Also enough bytes for the header of an ELF file that has been cut off.
    image.extend([0; 64]);
    // SAFETY: the image is terminated.
    unsafe { load(module, image.as_ptr().cast(), 0, std::ptr::null_mut(), std::ptr::null_mut()) }
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
