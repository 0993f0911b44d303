//! Tests of the entry points, called as a client calls them. Each test works in a context of its own.

mod context;
mod launch;
mod link;
mod memory;
mod module;
mod stream;
mod table;

use super::types::*;
use super::*;
use std::ptr::null_mut;

/// Calls an entry point.
macro_rules! cu {
    ($entry:ident($($arg:expr),* $(,)?)) => {
        // SAFETY: the tests pass live variables, null, or what an entry point gave; handles may be anything.
        unsafe { $crate::driver::$entry($($arg),*) }
    };
}
use cu;

/// Calls an entry point that must succeed.
macro_rules! ok {
    ($($call:tt)*) => {
        assert_eq!(cu!($($call)*), CUresult::SUCCESS)
    };
}
use ok;

/// Calls an entry point that must fail with a code.
macro_rules! fails {
    ($code:ident, $($call:tt)*) => {
        assert_eq!(cu!($($call)*), CUresult::$code)
    };
}
use fails;

/// A context that is current in the thread that made it, until it is dropped.
struct TestContext(CUcontext);

impl TestContext {
    fn new() -> Self {
        let mut context = null_mut();
        ok!(cuInit(0));
        ok!(cuCtxCreate_v2(&mut context, 0, 0));
        Self(context)
    }
}

impl Drop for TestContext {
    fn drop(&mut self) {
        ok!(cuCtxDestroy_v2(self.0));
    }
}

/// `bytes` bytes of device memory.
fn alloc(bytes: usize) -> CUdeviceptr {
    let mut address = 0;
    ok!(cuMemAlloc_v2(&mut address, bytes));
    address
}

fn write(to: CUdeviceptr, bytes: &[u8]) {
    ok!(cuMemcpyHtoD_v2(to, bytes.as_ptr().cast(), bytes.len()));
}

fn read(from: CUdeviceptr, bytes: usize) -> Vec<u8> {
    let mut to = vec![0; bytes];
    ok!(cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, bytes));
    to
}

/// A new stream.
fn stream(flags: c_uint) -> CUstream {
    let mut stream = null_mut();
    ok!(cuStreamCreate(&mut stream, flags));
    stream
}

/// A new event.
fn event(flags: c_uint) -> CUevent {
    let mut event = null_mut();
    ok!(cuEventCreate(&mut event, flags));
    event
}

/// Handles that name nothing: null, a small number, a plausible number, all ones.
fn wrong_handles() -> [CUhandle; 4] {
    [0, 0x1000, 0x7fff_0000_0001, usize::MAX].map(std::ptr::without_provenance_mut)
}
