//! Contexts: the primary one, created ones, the stack of each thread, limits.

use super::error::{CUresult, CuResult, put, put_if_wanted};
use super::object::{Context, Handle, Object};
use super::state::{check_device, current_of_thread, driver, with_stack};
use super::types::{CUcontext, CUdevice, CUstream, c_int, c_uint, c_void};
use std::collections::HashSet;
use std::sync::{Arc, RwLock};

/// Bits that flags may have, as of CUDA 13.0.
const FLAGS_MASK: c_uint = 0xff;
/// The bits that say how the host waits: 0, or one of 1, 2 and 4.
const FLAGS_WAIT: c_uint = 7;
/// What `cuCtxGetApiVersion` says of every context.
const API_VERSION: c_uint = 3020;
/// Number of limits.
pub(super) const LIMITS: usize = 7;

mod limit {
    //! `CUlimit`
    pub(super) const STACK_SIZE: usize = 0;
    pub(super) const PRINTF_FIFO_SIZE: usize = 1;
    pub(super) const MALLOC_HEAP_SIZE: usize = 2;
    pub(super) const PENDING_LAUNCH_COUNT: usize = 4;
    pub(super) const MAX_L2_FETCH_GRANULARITY: usize = 5;
    pub(super) const PERSISTING_L2_CACHE_SIZE: usize = 6;
}

impl Context {
    /// A context in which nothing has happened yet.
    pub(super) fn new(device: CUdevice, flags: c_uint, primary: bool) -> Self {
        let mut limits = [0; LIMITS];
        limits[limit::STACK_SIZE] = 1 << 10;
        limits[limit::PRINTF_FIFO_SIZE] = 1 << 20;
        limits[limit::MAX_L2_FETCH_GRANULARITY] = 64;
        Self {
            device,
            flags,
            primary,
            active: !primary,
            error: None,
            limits,
            cache: 0,
            shared_bank: 0,
            peers: HashSet::new(),
            order: Arc::new(RwLock::new(())),
        }
    }
}

fn check_flags(flags: c_uint) -> CuResult {
    if flags & !FLAGS_MASK != 0 || (flags & FLAGS_WAIT).count_ones() > 1 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(())
}

// ---- The primary context

/// `cuDevicePrimaryCtxRetain`
pub(super) unsafe fn primary_retain(context: *mut CUcontext, device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    let mut state = driver.state();
    let primary = &mut state.primary[device as usize];
    // SAFETY: null or valid, as the API demands.
    unsafe { put(context, primary.context.to_c())? };
    primary.retained += 1;
    let primary = primary.context;
    state.get_mut::<Context>(primary)?.active = true;
    Ok(())
}

/// `cuDevicePrimaryCtxRelease`: the last one frees what the context holds. Flags stay.
pub(super) fn primary_release(device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    let last = {
        let mut state = driver.state();
        let primary = &mut state.primary[device as usize];
        primary.retained = primary.retained.checked_sub(1).ok_or(CUresult::INVALID_CONTEXT)?;
        primary.retained == 0
    };
    if last { renew(device, false) } else { Ok(()) }
}

/// `cuDevicePrimaryCtxReset`: frees what the context holds, and a failed kernel is forgotten; who has retained it goes
/// on with it.
pub(super) fn primary_reset(device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    let active = driver.state().primary[device as usize].retained > 0;
    renew(device, active)
}

fn renew(device: CUdevice, active: bool) -> CuResult {
    let driver = driver()?;
    let primary = driver.state().primary[device as usize].context;
    driver.clear(primary)?;
    let mut state = driver.state();
    let context = state.get_mut::<Context>(primary)?;
    *context = Context { active, order: context.order.clone(), ..Context::new(device, context.flags, true) };
    Ok(())
}

/// `cuDevicePrimaryCtxGetState`
pub(super) unsafe fn primary_state(device: CUdevice, flags: *mut c_uint, active: *mut c_int) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    let state = driver.state();
    let primary = state.get::<Context>(state.primary[device as usize].context)?;
    // SAFETY: null or valid, as the API demands.
    unsafe {
        put(flags, primary.flags)?;
        put(active, primary.active.into())
    }
}

/// `cuDevicePrimaryCtxSetFlags`
pub(super) fn primary_set_flags(device: CUdevice, flags: c_uint) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    check_flags(flags)?;
    let mut state = driver.state();
    let primary = state.primary[device as usize].context;
    state.get_mut::<Context>(primary)?.flags = flags;
    Ok(())
}

// ---- Created contexts

/// `cuCtxCreate`: the new context becomes the current one.
pub(super) unsafe fn create(context: *mut CUcontext, flags: c_uint, device: CUdevice) -> CuResult {
    let driver = driver()?;
    check_device(device)?;
    check_flags(flags)?;
    if context.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let handle = driver.state().insert(Object::Context(Context::new(device, flags, false)));
    with_stack(|stack| stack.push(handle));
    // SAFETY: null or valid, as the API demands.
    unsafe { put(context, handle.to_c()) }
}

/// `cuCtxCreate_v3`: with parameters of affinity, of which the device supports none.
pub(super) unsafe fn create_with_affinity(
    context: *mut CUcontext,
    _parameters: *mut c_void,
    count: c_int,
    flags: c_uint,
    device: CUdevice,
) -> CuResult {
    if count != 0 {
        return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY);
    }
    // SAFETY: as the API demands.
    unsafe { create(context, flags, device) }
}

/// `cuCtxCreate_v4`: with parameters of affinity or graphics, of which the device supports none.
pub(super) unsafe fn create_with_parameters(
    context: *mut CUcontext,
    parameters: *mut c_void,
    flags: c_uint,
    device: CUdevice,
) -> CuResult {
    if !parameters.is_null() {
        return Err(CUresult::NOT_SUPPORTED);
    }
    // SAFETY: as the API demands.
    unsafe { create(context, flags, device) }
}

/// `cuCtxDestroy`: not for the primary context.
pub(super) fn destroy(context: CUcontext) -> CuResult {
    let driver = driver()?;
    let handle = Handle::from_c(context);
    if driver.state().get::<Context>(handle)?.primary {
        return Err(CUresult::INVALID_CONTEXT);
    }
    driver.clear(handle)?;
    driver.state().remove::<Context>(handle)?;
    with_stack(|stack| {
        if stack.last() == Some(&handle) {
            stack.pop();
        }
    });
    Ok(())
}

// ---- The stack of the thread

fn existing(context: CUcontext) -> CuResult<Handle> {
    let handle = Handle::from_c(context);
    driver()?.state().get::<Context>(handle)?;
    Ok(handle)
}

/// `cuCtxSetCurrent`: replaces the top of the stack; null removes it.
pub(super) fn set_current(context: CUcontext) -> CuResult {
    driver()?;
    let handle = if context.is_null() { None } else { Some(existing(context)?) };
    with_stack(|stack| {
        stack.pop();
        stack.extend(handle);
    });
    Ok(())
}

/// `cuCtxGetCurrent`: null if there is none.
pub(super) unsafe fn get_current(context: *mut CUcontext) -> CuResult {
    driver()?;
    let current = current_of_thread().map_or(std::ptr::null_mut(), Handle::to_c);
    // SAFETY: null or valid, as the API demands.
    unsafe { put(context, current) }
}

/// `cuCtxPushCurrent`
pub(super) fn push(context: CUcontext) -> CuResult {
    let handle = existing(context)?;
    with_stack(|stack| stack.push(handle));
    Ok(())
}

/// `cuCtxPopCurrent`
pub(super) unsafe fn pop(context: *mut CUcontext) -> CuResult {
    driver()?;
    let popped = with_stack(Vec::pop).ok_or(CUresult::INVALID_CONTEXT)?;
    // SAFETY: null or valid; the API allows null.
    unsafe { put_if_wanted(context, popped.to_c()) };
    Ok(())
}

// ---- What a context is asked

/// `cuCtxGetDevice`
pub(super) unsafe fn device(device: *mut CUdevice) -> CuResult {
    let driver = driver()?;
    let of_current = driver.state().get::<Context>(current_of_thread()?)?.device;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(device, of_current) }
}

/// `cuCtxGetApiVersion`: of the current context if `context` is null.
pub(super) unsafe fn api_version(context: CUcontext, version: *mut c_uint) -> CuResult {
    driver()?;
    if context.is_null() {
        current_of_thread()?;
    } else {
        existing(context)?;
    }
    // SAFETY: null or valid, as the API demands.
    unsafe { put(version, API_VERSION) }
}

/// `cuCtxGetFlags`
pub(super) unsafe fn flags(flags: *mut c_uint) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    let found = driver.state().get::<Context>(current)?.flags;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(flags, found) }
}

/// `cuCtxSetFlags`
pub(super) fn set_flags(flags: c_uint) -> CuResult {
    check_flags(flags)?;
    change(|context| context.flags = flags)
}

/// Changes something of the current context.
fn change(how: impl FnOnce(&mut Context)) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    how(driver.state().get_mut::<Context>(current)?);
    Ok(())
}

/// `cuCtxSynchronize`
pub(super) fn synchronize() -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    driver.drain(current)?;
    // A kernel of another thread may have failed meanwhile.
    driver.current().map(|_| ())
}

/// `cuCtxGetLimit`
pub(super) unsafe fn get_limit(value: *mut usize, which: c_int) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    let index = limit_index(which)?;
    let found = match index {
        limit::MALLOC_HEAP_SIZE => usize::try_from(driver.device.heap().limit).unwrap_or(usize::MAX),
        _ => driver.state().get::<Context>(current)?.limits[index],
    };
    // SAFETY: null or valid, as the API demands.
    unsafe { put(value, found) }
}

/// `cuCtxSetLimit`. The size of the heap holds for the device, whose contexts share the heap; it cannot be changed once a kernel
/// has called `malloc`. The others are kept and given back: the stack of a thread has a size of its own, and nothing that is
/// printed is ever overwritten.
pub(super) fn set_limit(which: c_int, value: usize) -> CuResult {
    let index = limit_index(which)?;
    if index == limit::MALLOC_HEAP_SIZE {
        let driver = driver()?;
        driver.current()?;
        return driver.device.set_heap_limit(value as u64).map_err(|_| CUresult::INVALID_VALUE);
    }
    change(|context| context.limits[index] = value)
}

/// Limits 3 and 4 are those of dynamic parallelism, which the device does not have.
fn limit_index(which: c_int) -> CuResult<usize> {
    match usize::try_from(which) {
        Ok(3 | limit::PENDING_LAUNCH_COUNT) => Err(CUresult::UNSUPPORTED_LIMIT),
        Ok(index @ ..=limit::PERSISTING_L2_CACHE_SIZE) => Ok(index),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// `cuCtxGetStreamPriorityRange`: there is one priority.
pub(super) unsafe fn stream_priority_range(least: *mut c_int, greatest: *mut c_int) -> CuResult {
    driver()?.current()?;
    // SAFETY: null or valid; the API allows null.
    unsafe {
        put_if_wanted(least, 0);
        put_if_wanted(greatest, 0);
    }
    Ok(())
}

/// `cuCtxGetCacheConfig`
pub(super) unsafe fn cache_config(config: *mut c_int) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    let found = driver.state().get::<Context>(current)?.cache;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(config, found) }
}

/// `cuCtxSetCacheConfig`: a hint; kept.
pub(super) fn set_cache_config(config: c_int) -> CuResult {
    check_cache(config)?;
    change(|context| context.cache = config)
}

/// `CUfunc_cache` has the values 0 to 3.
pub(super) fn check_cache(config: c_int) -> CuResult {
    if (0..=3).contains(&config) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuCtxGetSharedMemConfig`
pub(super) unsafe fn shared_config(config: *mut c_int) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    let found = driver.state().get::<Context>(current)?.shared_bank;
    // SAFETY: null or valid, as the API demands.
    unsafe { put(config, found) }
}

/// `cuCtxSetSharedMemConfig`: a hint; kept.
pub(super) fn set_shared_config(config: c_int) -> CuResult {
    check_shared_config(config)?;
    change(|context| context.shared_bank = config)
}

/// `CUsharedconfig` has the values 0 to 2.
pub(super) fn check_shared_config(config: c_int) -> CuResult {
    if (0..=2).contains(&config) { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// `cuStreamGetCtx`: the context of a stream; of the default streams the current one.
pub(super) unsafe fn of_stream(stream: CUstream, context: *mut CUcontext) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    driver.stream(stream)?; // none of another context
    // SAFETY: null or valid, as the API demands.
    unsafe { put(context, current.to_c()) }
}

/// `cuCtxEnablePeerAccess`: a context of another device is a peer. All memory is one, so there is nothing to turn on but
/// the answer to the second call.
pub(super) fn enable_peer_access(peer: CUcontext, flags: c_uint) -> CuResult {
    let driver = driver()?;
    let current = driver.current()?;
    let peer = Handle::from_c(peer);
    let mut state = driver.state();
    state.usable(peer)?;
    let peer_device = state.get::<Context>(peer)?.device;
    let context = state.get_mut::<Context>(current)?;
    match flags {
        0 if peer == current => Err(CUresult::INVALID_CONTEXT),
        0 if peer_device == context.device => Err(CUresult::PEER_ACCESS_UNSUPPORTED),
        0 if !context.peers.insert(peer) => Err(CUresult::PEER_ACCESS_ALREADY_ENABLED),
        0 => Ok(()),
        _ => Err(CUresult::INVALID_VALUE),
    }
}
