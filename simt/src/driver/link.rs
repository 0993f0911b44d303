//! The linker behind `cuLink*`: joins the PTX of all inputs. Its result is an ELF file that carries the text, which
//! `cuModuleLoadData` reads again.

use super::error::{CUresult, CuResult, put, put_if_wanted, say, text};
use super::jit::Options;
use super::module::read_image;
use super::object::{Handle, LinkObject, Object};
use super::state::driver;
use super::types::{CUhandle, c_char, c_int, c_uint, c_void};
use ptx_link::{Module, carrier};
use std::os::unix::ffi::OsStrExt;

/// `CUjitInputType`: a cubin, PTX, a fat binary and an object with device code are read by what they are; libraries and
/// NVVM code are not.
const READABLE: std::ops::RangeInclusive<c_int> = 0..=3;

/// `cuLinkCreate`: the logs among the options are filled by `cuLinkComplete`.
pub(super) unsafe fn create(
    count: c_uint,
    options: *const c_int,
    values: *mut *mut c_void,
    state: *mut CUhandle,
) -> CuResult {
    let driver = driver()?;
    let context = driver.current()?;
    // SAFETY: arrays of `count` elements that live as long as the linker, as the API demands.
    let options = unsafe { Options::new(count, options, values)? };
    if state.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let object = LinkObject { context, options, inputs: vec![], result: None };
    let handle = driver.state().insert(Object::Link(object));
    // SAFETY: not null, so valid, as the API demands.
    unsafe { put(state, handle.to_c()) }
}

/// `cuLinkAddData`: options of a single input are about machine code.
pub(super) unsafe fn add_data(
    state: CUhandle,
    kind: c_int,
    data: *mut c_void,
    bytes: usize,
    name: *const c_char,
) -> CuResult {
    if data.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: null or a C string, as the API demands.
    let name = match unsafe { text(name) } {
        Ok(name) if !name.is_empty() => name.to_string_lossy().into_owned(),
        _ => "<unnamed input>".to_owned(),
    };
    // SAFETY: `bytes` bytes, as the API demands.
    let data = unsafe { std::slice::from_raw_parts(data.cast::<u8>(), bytes) };
    add(state, kind, name, data)
}

/// `cuLinkAddFile`
pub(super) unsafe fn add_file(state: CUhandle, kind: c_int, path: *const c_char) -> CuResult {
    // SAFETY: null or a C string, as the API demands.
    let path = unsafe { text(path)? };
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()));
    let data = std::fs::read(path).map_err(|error| {
        say(format_args!("cannot read the input {}: {error}", path.display()));
        CUresult::FILE_NOT_FOUND
    })?;
    add(state, kind, path.display().to_string(), &data)
}

fn add(state: CUhandle, kind: c_int, name: String, data: &[u8]) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let input = if READABLE.contains(&kind) {
        read_image(driver, data)
    } else {
        let message = format!("the linker of the SIMT device takes PTX, and the input is of kind {kind}");
        Err((CUresult::NOT_SUPPORTED, message))
    };
    let module = input.and_then(|ptx| {
        Module::parse(&name, ptx).map_err(|error| (CUresult::INVALID_PTX, format!("{error:#}")))
    });
    let mut state_lock = driver.state();
    let linker = state_lock.get_mut::<LinkObject>(Handle::from_c(state))?;
    match module {
        Ok(_) if linker.result.is_some() => Err(CUresult::INVALID_VALUE),
        Ok(module) => {
            linker.inputs.push(module);
            Ok(())
        }
        Err((code, message)) => {
            linker.options.answer("", &format!("{name}: {message}"));
            Err(code)
        }
    }
}

/// `cuLinkComplete`: the result lives as long as the linker.
pub(super) unsafe fn complete(state: CUhandle, image: *mut *mut c_void, bytes: *mut usize) -> CuResult {
    let driver = driver()?;
    driver.current()?;
    let mut state_lock = driver.state();
    let linker = state_lock.get_mut::<LinkObject>(Handle::from_c(state))?;
    if image.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    if linker.result.is_none() {
        let linked = ptx_link::link(&linker.inputs)
            .and_then(|text| carrier::write(&Module::parse("the linked module", text)?, carrier::Use::Load));
        match linked {
            Ok(file) => {
                let info = format!("linked {} inputs to one PTX module", linker.inputs.len());
                linker.options.answer(&info, "");
                linker.result = Some(file.into_boxed_slice());
            }
            Err(error) => {
                linker.options.answer("", &format!("{error:#}"));
                return Err(CUresult::INVALID_PTX);
            }
        }
    }
    let Some(result) = &mut linker.result else { return Err(CUresult::INVALID_VALUE) };
    // SAFETY: not null, so valid, as the API demands; the size may be left out.
    unsafe {
        put_if_wanted(bytes, result.len());
        put(image, result.as_mut_ptr().cast())
    }
}

/// `cuLinkDestroy`
pub(super) fn destroy(state: CUhandle) -> CuResult {
    driver()?.state().remove::<LinkObject>(Handle::from_c(state)).map(|_| ())
}
