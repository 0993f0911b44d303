//! Kernels: their attributes, and launches with both forms of arguments.

use super::context::{check_cache, check_shared_config};
use super::error::{CUresult, CuResult, fatal, put, put_if_wanted, refused, say};
use super::object::{Context, FunctionObject, Handle};
use super::state::driver;
use super::types::{
    CUfunction, CUlaunchAttribute, CUlaunchConfig, CUmodule, CUstream, c_char, c_int, c_void,
};
use crate::device::{Function, LaunchConfig, MAX_SHARED, MAX_STATIC_SHARED};
use std::ffi::CString;
use std::time::Instant;

/// `CUfunction_attribute` that can be set: bytes of dynamic shared memory that a launch may ask for.
const MAX_DYNAMIC_SHARED: c_int = 8;
/// `CUfunction_attribute` that can be set: share of the L1 cache used as shared memory, in percent; a hint.
const SHARED_CARVEOUT: c_int = 9;

impl FunctionObject {
    /// A kernel with its attributes as the module says.
    pub(super) fn new(context: Handle, module: Handle, function: Function) -> Self {
        let max_dynamic_shared = MAX_STATIC_SHARED.saturating_sub(function.attributes().shared_bytes);
        // A name of PTX holds no NUL.
        let name = CString::new(function.name()).unwrap_or_default();
        Self { context, module, function, name, max_dynamic_shared, carveout: -1 }
    }
}

// ---- Attributes

/// `cuFuncGetAttribute`
pub(super) unsafe fn attribute(value: *mut c_int, attribute: c_int, function: CUfunction) -> CuResult {
    let driver = driver()?;
    let state = driver.state();
    let function = state.get::<FunctionObject>(Handle::from_c(function))?;
    let found = function.function.attributes();
    let (major, minor) = driver.device.config().compute_capability;
    let number = match attribute {
        0 => found.max_threads_per_block,
        1 => found.shared_bytes,
        2 => found.const_bytes,
        3 => found.local_bytes,
        4 => found.registers,
        // Versions of the PTX and of the code made from it: what the device runs.
        5 | 6 => major * 10 + minor,
        MAX_DYNAMIC_SHARED => function.max_dynamic_shared,
        SHARED_CARVEOUT => function.carveout as u32,
        // Caching of globals, and everything about clusters.
        7 | 10..=15 => 0,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    // SAFETY: null or valid, as the API demands.
    unsafe { put(value, number as c_int) }
}

/// `cuFuncSetAttribute`
pub(super) fn set_attribute(function: CUfunction, attribute: c_int, value: c_int) -> CuResult {
    let driver = driver()?;
    let mut state = driver.state();
    let function = state.get_mut::<FunctionObject>(Handle::from_c(function))?;
    match (attribute, u32::try_from(value)) {
        (MAX_DYNAMIC_SHARED, Ok(bytes)) => {
            let fixed = function.function.attributes().shared_bytes;
            if bytes.saturating_add(fixed) > MAX_SHARED {
                return Err(CUresult::INVALID_VALUE);
            }
            function.max_dynamic_shared = bytes;
        }
        (SHARED_CARVEOUT, _) if (-1..=100).contains(&value) => function.carveout = value,
        _ => return Err(CUresult::INVALID_VALUE),
    }
    Ok(())
}

fn check_function(function: CUfunction) -> CuResult {
    driver()?.state().get::<FunctionObject>(Handle::from_c(function)).map(|_| ())
}

/// `cuFuncSetCacheConfig`: a hint.
pub(super) fn set_cache(function: CUfunction, config: c_int) -> CuResult {
    check_function(function)?;
    check_cache(config)
}

/// `cuFuncSetSharedMemConfig`: a hint.
pub(super) fn set_shared_config(function: CUfunction, config: c_int) -> CuResult {
    check_function(function)?;
    check_shared_config(config)
}

/// `cuFuncGetParamInfo`: offset and size of a parameter; `INVALID_VALUE` behind the last one.
pub(super) unsafe fn parameter(
    function: CUfunction,
    index: usize,
    offset: *mut usize,
    size: *mut usize,
) -> CuResult {
    let driver = driver()?;
    let state = driver.state();
    let function = state.get::<FunctionObject>(Handle::from_c(function))?;
    let &(at, bytes) = function.function.parameters().get(index).ok_or(CUresult::INVALID_VALUE)?;
    // SAFETY: null or valid; the size may be left out.
    unsafe {
        put(offset, at as usize)?;
        put_if_wanted(size, bytes as usize);
    }
    Ok(())
}

/// `cuFuncGetModule`
pub(super) unsafe fn module_of(module: *mut CUmodule, function: CUfunction) -> CuResult {
    let driver = driver()?;
    let state = driver.state();
    let found = state.get::<FunctionObject>(Handle::from_c(function))?.module.to_c();
    // SAFETY: null or valid, as the API demands.
    unsafe { put(module, found) }
}

/// `cuFuncGetName`: the text lives as long as the kernel's module.
pub(super) unsafe fn name_of(name: *mut *const c_char, function: CUfunction) -> CuResult {
    let driver = driver()?;
    let state = driver.state();
    let found = state.get::<FunctionObject>(Handle::from_c(function))?.name.as_ptr();
    // SAFETY: null or valid, as the API demands.
    unsafe { put(name, found) }
}

// ---- Launches

/// `cuLaunchKernel`. The kernel runs to its end before the call returns, so this call, not a later one, gives the
/// error of a kernel that failed (as on a GPU with `CUDA_LAUNCH_BLOCKING=1`).
pub(super) unsafe fn launch(
    function: CUfunction,
    config: LaunchConfig,
    stream: CUstream,
    kernel_params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> CuResult {
    let driver = driver()?;
    let context = driver.current()?;
    let order = driver.stream(stream)?;
    let (kernel, max_dynamic_shared) = {
        let state = driver.state();
        let function = state.get::<FunctionObject>(Handle::from_c(function))?;
        if function.context != context {
            return Err(CUresult::INVALID_HANDLE);
        }
        (function.function.clone(), function.max_dynamic_shared)
    };
    let invalid = |message: String| {
        say(format_args!("launch of {}: {message}", kernel.name()));
        CUresult::INVALID_VALUE
    };
    let dynamic_shared = config.dynamic_shared;
    if dynamic_shared > max_dynamic_shared {
        return Err(invalid(format!(
            "{dynamic_shared} bytes of dynamic shared memory; the kernel may have {max_dynamic_shared}, more only \
             after cuFuncSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)"
        )));
    }
    // SAFETY: the arguments are as the API demands for this kernel.
    let parameters =
        unsafe { parameter_block(kernel.parameters(), kernel_params, extra) }.map_err(invalid)?;
    let (result, time) = order.run(|| {
        let started = Instant::now();
        (driver.device.launch(&kernel, config, &parameters), started.elapsed())
    });
    let report = match result {
        Ok(stats) => {
            if let Some(file) = &driver.stats {
                file.add(kernel.name(), &config, &stats, &driver.device.heap(), time);
            }
            return Ok(());
        }
        Err(report) => report,
    };
    let Some(code) = fatal(report.kind) else { return Err(refused(&report)) };
    say(&report);
    driver.state().get_mut::<Context>(context)?.error = Some(code);
    Err(code)
}

/// Keys of `extra`.
const PARAM_END: usize = 0;
const PARAM_BUFFER_POINTER: usize = 1;
const PARAM_BUFFER_SIZE: usize = 2;

/// Packs the arguments: from one pointer for each parameter, or from a buffer that is packed already (which may be
/// longer than the parameters, not shorter).
///
/// # Safety
/// `kernel_params` is null or has a pointer to a value for each parameter; `extra` is null or a list of key and value
/// that ends with `PARAM_END`, whose buffer is as long as it says.
unsafe fn parameter_block(
    parameters: &[(u32, u32)],
    kernel_params: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Result<Vec<u8>, String> {
    let bytes = parameters.iter().map(|(offset, size)| (offset + size) as usize).max().unwrap_or(0);
    let mut block = vec![0_u8; bytes];
    match (kernel_params.is_null(), extra.is_null()) {
        (false, false) => return Err("both kernelParams and extra are given".to_owned()),
        (true, true) if bytes > 0 => {
            return Err(format!("no arguments are given; the kernel has {}", parameters.len()));
        }
        (true, true) => {}
        (false, true) => {
            for (index, &(offset, size)) in parameters.iter().enumerate() {
                // SAFETY: one pointer for each parameter, by the contract.
                let from = unsafe { *kernel_params.add(index) }.cast::<u8>();
                if from.is_null() {
                    return Err(format!("kernelParams[{index}] is null"));
                }
                let to = &mut block[offset as usize..][..size as usize];
                // SAFETY: a value of the parameter's size, by the contract; it need not be aligned.
                unsafe { to.as_mut_ptr().copy_from_nonoverlapping(from, to.len()) };
            }
        }
        (true, false) => {
            // SAFETY: by the contract.
            let (buffer, length) = unsafe { extra_buffer(extra)? };
            if length < bytes || (buffer.is_null() && bytes > 0) {
                return Err(format!("the argument buffer has {length} bytes; the kernel needs {bytes}"));
            }
            if bytes > 0 {
                // SAFETY: the buffer has at least `bytes` bytes.
                unsafe { block.as_mut_ptr().copy_from_nonoverlapping(buffer, bytes) };
            }
        }
    }
    Ok(block)
}

/// Buffer and size out of the list `extra`.
///
/// # Safety
/// As for [`parameter_block`].
unsafe fn extra_buffer(extra: *mut *mut c_void) -> Result<(*const u8, usize), String> {
    let (mut buffer, mut length) = (std::ptr::null(), 0);
    let mut entry = extra;
    loop {
        // SAFETY: the list goes on until its end key.
        let key = unsafe { *entry }.addr();
        if key == PARAM_END {
            return Ok((buffer, length));
        }
        // SAFETY: every other key has a value behind it.
        let value = unsafe { *entry.add(1) };
        match key {
            PARAM_BUFFER_POINTER => buffer = value.cast_const().cast(),
            PARAM_BUFFER_SIZE if value.is_null() => {
                return Err("extra: the pointer to the size is null".to_owned());
            }
            // SAFETY: it points at a size_t.
            PARAM_BUFFER_SIZE => length = unsafe { value.cast::<usize>().read() },
            _ => return Err(format!("extra: the key {key} is not known")),
        }
        // SAFETY: behind key and value the list goes on.
        entry = unsafe { entry.add(2) };
    }
}

/// Why a launch attribute (`CUlaunchAttributeID`) cannot be had; `None`: it is a hint, or asks for what is so anyway.
fn refusal(attribute: &CUlaunchAttribute) -> Option<String> {
    let value = attribute.ints();
    let asks = match attribute.id {
        // Nothing, access policy window, synchronisation policy, preference among cluster shapes, priority, carveout of shared memory.
        0 | 1 | 3 | 5 | 8 | 14 => return None,
        // A launch that may begin before the one in front of it ends: it does not.
        6 => return None,
        2 if value[0] == 0 => return None,
        2 => "a cooperative launch".into(),
        // No clusters, or clusters of one CTA.
        4 if matches!(value[..3], [0 | 1, 0 | 1, 0 | 1]) => return None,
        4 => format!("clusters of {} x {} x {} CTAs", value[0], value[1], value[2]),
        // The domains that the default and the remote one of the kernel are; there is one domain.
        9 if value[0] & 0xffff == 0 => return None,
        10 if value[0] == 0 => return None,
        9 | 10 => "a memory synchronisation domain other than 0".into(),
        id => format!("the launch attribute {id}"),
    };
    Some(asks)
}

/// `cuLaunchKernelEx`: attributes that ask for something that the device does not have are not supported. `meaning` tells which
/// stream the handle of the configuration means.
pub(super) unsafe fn launch_ex(
    config: *const CUlaunchConfig,
    function: CUfunction,
    kernel_params: *mut *mut c_void,
    extra: *mut *mut c_void,
    meaning: impl FnOnce(CUstream) -> CUstream,
) -> CuResult {
    // SAFETY: null or valid, as the API demands.
    let config = unsafe { config.as_ref() }.ok_or(CUresult::INVALID_VALUE)?;
    for index in 0..config.numAttrs as usize {
        if config.attrs.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: an array of `numAttrs` attributes, as the API demands.
        let attribute = unsafe { *config.attrs.add(index) };
        if let Some(asks) = refusal(&attribute) {
            say(format_args!("cuLaunchKernelEx: the SIMT device does not support {asks}"));
            return Err(CUresult::NOT_SUPPORTED);
        }
    }
    let shape = LaunchConfig {
        grid: [config.gridDimX, config.gridDimY, config.gridDimZ],
        block: [config.blockDimX, config.blockDimY, config.blockDimZ],
        dynamic_shared: config.sharedMemBytes,
    };
    // SAFETY: as the API demands.
    unsafe { launch(function, shape, meaning(config.hStream), kernel_params, extra) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [(u32, u32); 3] = [(0, 8), (8, 1), (12, 4)];
    const PACKED: [u8; 16] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 10, 11, 12, 13];

    fn pack(params: *mut *mut c_void, extra: *mut *mut c_void) -> Result<Vec<u8>, String> {
        // SAFETY: the tests pass lists as the function demands.
        unsafe { parameter_block(&PARAMETERS, params, extra) }
    }

    fn key(key: usize) -> *mut c_void {
        std::ptr::without_provenance_mut(key)
    }

    const NULL: *mut *mut c_void = std::ptr::null_mut();

    #[test]
    fn one_pointer_for_each_parameter() {
        let (mut a, mut b, mut c) = (0x0807_0605_0403_0201_u64, 9_u8, 0x0d0c_0b0a_u32);
        let mut params = [(&raw mut a).cast(), (&raw mut b).cast(), (&raw mut c).cast()];
        assert_eq!(pack(params.as_mut_ptr(), NULL).unwrap(), PACKED);
        params[1] = std::ptr::null_mut();
        assert_eq!(pack(params.as_mut_ptr(), NULL).unwrap_err(), "kernelParams[1] is null");
    }

    #[test]
    fn a_packed_buffer_with_the_keys_in_any_order() {
        let mut buffer = PACKED.to_vec();
        buffer.push(99);
        for (length, fits) in [(16, true), (17, true), (15, false)] {
            let mut size: usize = length;
            let (data, size) = (buffer.as_mut_ptr().cast(), (&raw mut size).cast());
            for mut extra in [[key(1), data, key(2), size, key(0)], [key(2), size, key(1), data, key(0)]] {
                assert_eq!(pack(NULL, extra.as_mut_ptr()).ok().as_deref(), fits.then_some(&PACKED[..]));
            }
        }
    }

    #[test]
    fn wrong_lists_are_refused() {
        let mut list = [key(7), key(0), key(0)];
        assert_eq!(pack(NULL, list.as_mut_ptr()).unwrap_err(), "extra: the key 7 is not known");
        let mut end = [key(0)];
        assert_eq!(
            pack(NULL, end.as_mut_ptr()).unwrap_err(),
            "the argument buffer has 0 bytes; the kernel needs 16"
        );
        assert_eq!(pack(NULL, NULL).unwrap_err(), "no arguments are given; the kernel has 3");
        assert!(pack(end.as_mut_ptr(), end.as_mut_ptr()).unwrap_err().starts_with("both"));
        // SAFETY: a kernel without parameters needs no list.
        assert!(unsafe { parameter_block(&[], NULL, NULL) }.unwrap().is_empty());
    }
}
