//! Kernels of CUDA sources that clang compiles with `-foffload-via-llvm`: a launch `kernel<<<grid, block>>>(...)` pushes
//! its configuration, and a stub with the arguments pops it and launches.

use super::tgt::launch_kernel;
use super::{SUCCESS, refuse};
use crate::device::{Launch, QueueHandle};
use crate::error::Result;
use crate::launch::Shape;
use crate::location::Location;
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::runtime::runtime;
use core::cell::Cell;
use core::ffi::{c_uint, c_void};
use core::ptr::null_mut;

/// CUDA's `dim3`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Dim3 {
    pub x: c_uint,
    pub y: c_uint,
    pub z: c_uint,
}

/// What stands between `<<<` and `>>>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block.
    pub block: Dim3,
    /// Bytes of dynamic shared memory.
    pub shared_memory: usize,
    /// A stream of the CUDA driver; null for the runtime to wait for the kernel.
    pub stream: *mut c_void,
}

/// The arguments of a kernel, as clang's stub lays them out.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Parameters {
    /// Bytes of the buffer.
    pub size: usize,
    /// The kernel's parameters as they lie in memory.
    pub buffer: *const c_void,
    /// Not used.
    pub pointers: *mut *mut c_void,
}

thread_local! {
    static PUSHED: Cell<Configuration> = const {
        let one = Dim3 { x: 1, y: 1, z: 1 };
        Cell::new(Configuration { grid: one, block: one, shared_memory: 0, stream: null_mut() })
    };
}

/// `__llvmPushCallConfiguration`
pub fn push(configuration: Configuration) {
    PUSHED.set(configuration);
}

/// `__llvmPopCallConfiguration`: what this thread pushed last.
pub fn pop() -> Configuration {
    PUSHED.get()
}

/// `llvmLaunchKernel`: runs a kernel on the first device, `stub` being the function that stands for it on the host. A failure ends the
/// process, as that of a target region does.
///
/// # Safety
/// `parameters` is null or as clang's stub makes it; the configuration's stream is null or one of the CUDA driver.
pub unsafe fn launch(
    stub: *const c_void,
    configuration: Configuration,
    parameters: *const Parameters,
) -> i32 {
    let runtime = runtime();
    let Some(device) = runtime.select(0, Location::default()) else {
        return refuse("llvmLaunchKernel", "offloading is disabled, and there is no version for the host");
    };
    let Ok(shared_memory) = u32::try_from(configuration.shared_memory) else {
        return refuse("llvmLaunchKernel", "no device has so much dynamic shared memory");
    };
    // SAFETY: the contract of this function.
    let arguments = unsafe { slots(parameters) };
    match run(device, stub as usize, configuration, shared_memory, arguments) {
        Ok(()) => SUCCESS,
        Err(error) => runtime.fail(&error, Location::default()),
    }
}

/// The parameters in slots of 8 bytes, the last one filled up.
///
/// # Safety
/// As for [`launch`].
unsafe fn slots(parameters: *const Parameters) -> Vec<u64> {
    if parameters.is_null() {
        return Vec::new();
    }
    // SAFETY: not null.
    let Parameters { size, buffer, .. } = unsafe { *parameters };
    let mut slots = vec![0_u64; size.div_ceil(8)];
    if !buffer.is_null() {
        // SAFETY: the buffer has `size` bytes, and the slots at least as many.
        unsafe { core::ptr::copy_nonoverlapping(buffer.cast::<u8>(), slots.as_mut_ptr().cast(), size) };
    }
    slots
}

fn run(
    device: &OffloadDevice,
    stub: usize,
    configuration: Configuration,
    shared_memory: u32,
    arguments: Vec<u64>,
) -> Result<()> {
    let kernel = device.kernel(runtime().registry(), stub, Location::default())?;
    // clang's `dim3` is 0 where CUDA's is 1.
    let dimensions = |size: Dim3| [size.x, size.y, size.z].map(|dimension| dimension.max(1));
    let shape = Shape { grid: dimensions(configuration.grid), block: dimensions(configuration.block) };
    let failed = |cause| kernel.failed(Location::default(), cause);
    if !configuration.stream.is_null() {
        let launch =
            Launch { function: kernel.function, grid: shape.grid, block: shape.block, shared_memory };
        let stream = QueueHandle(configuration.stream as usize);
        return device.device.launch(stream, &launch, &arguments).map_err(failed);
    }
    let mut region = Region::start(device, Location::default())?;
    region.queue().arguments = arguments;
    launch_kernel(&mut region, &kernel, shape, shape.grid[0], shared_memory)?;
    region.synchronize().map_err(failed)?;
    region.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::ptr::null;

    #[test]
    fn every_thread_has_a_configuration_of_its_own() {
        let size = |x| Dim3 { x, y: 2, z: 3 };
        let mine = Configuration { grid: size(4), block: size(5), shared_memory: 6, stream: null_mut() };
        push(mine);
        std::thread::spawn(|| assert_eq!(pop().grid, Dim3 { x: 1, y: 1, z: 1 })).join().unwrap();
        assert_eq!(pop(), mine);
    }

    #[test]
    fn parameters_are_filled_up_to_whole_slots() {
        let bytes = [1_u8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0];
        let parameters = Parameters { size: 12, buffer: bytes.as_ptr().cast(), pointers: null_mut() };
        // SAFETY: a buffer of 12 bytes, no parameters at all.
        unsafe {
            assert_eq!(slots(&parameters), [1, 2]);
            assert!(slots(null()).is_empty());
        }
    }
}
