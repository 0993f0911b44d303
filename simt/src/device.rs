//! The device as its callers see it: memory, modules, functions, launches.

use crate::report::Report;

/// How a device is set up.
#[derive(Clone, Debug)]
pub struct DeviceConfig {
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Seed of the scheduler: the same seed gives the same run. `None`: warps run round robin.
    pub seed: Option<u64>,
    /// OS threads that CTAs are handed out to; with 1 the run is deterministic.
    pub threads: usize,
    /// Compute capability that the device reports, major and minor.
    pub compute_capability: (u32, u32),
}

impl DeviceConfig {
    /// The default, changed by `OMPTARGET_SIMT_SEED`, `OMPTARGET_SIMT_THREADS` and `OMPTARGET_SIMT_MEMORY` (bytes).
    ///
    /// # Errors
    /// A variable that is no number; the message names it.
    pub fn from_env() -> Result<Self, Report> {
        unimplemented!()
    }
}

/// One device.
pub struct Device {}

/// A loaded PTX module: decoded functions, and its variables in device memory.
pub struct Module {}

/// A kernel of a [`Module`]; keeps the module alive.
#[derive(Clone)]
pub struct Function {}

/// What `cuFuncGetAttribute` asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FunctionAttributes {
    /// Threads of a block that the function may have (`.maxntid`, else 1024).
    pub max_threads_per_block: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Bytes of constant memory of the module.
    pub const_bytes: u32,
    /// Bytes of local memory of a thread.
    pub local_bytes: u32,
    /// Registers of 32 bits that the PTX declares; no allocation is done.
    pub registers: u32,
}

/// Shape of a launch.
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// CTAs in x, y, z.
    pub grid: [u32; 3],
    /// Threads of a CTA in x, y, z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
}

/// What a launch did.
#[derive(Clone, Copy, Debug, Default)]
pub struct LaunchStats {
    /// Instructions executed by warps.
    pub warp_instructions: u64,
    /// The same, counted for each active lane.
    pub thread_instructions: u64,
}

impl Device {
    /// A device with empty memory.
    ///
    /// # Errors
    /// The host cannot give the memory.
    pub fn new(_config: DeviceConfig) -> Result<Self, Report> {
        unimplemented!()
    }
    /// The configuration it was made with.
    pub fn config(&self) -> &DeviceConfig {
        unimplemented!()
    }
    /// Allocates device memory, aligned to 256 bytes. The contents are undefined (filled with a pattern).
    ///
    /// # Errors
    /// [`crate::ReportKind::OutOfMemory`].
    pub fn alloc(&self, _bytes: u64) -> Result<u64, Report> {
        unimplemented!()
    }
    /// Frees what [`Device::alloc`] or the device's `malloc` gave.
    ///
    /// # Errors
    /// The address is not the start of a live allocation.
    pub fn free(&self, _address: u64) -> Result<(), Report> {
        unimplemented!()
    }
    /// Start and size of the live allocation (or module variable block) that holds `address`.
    pub fn allocation(&self, _address: u64) -> Option<(u64, u64)> {
        unimplemented!()
    }
    /// Copies from device memory.
    ///
    /// # Errors
    /// The range is not inside one live allocation.
    pub fn read(&self, _address: u64, _to: &mut [u8]) -> Result<(), Report> {
        unimplemented!()
    }
    /// Copies to device memory.
    ///
    /// # Errors
    /// The range is not inside one live allocation.
    pub fn write(&self, _address: u64, _from: &[u8]) -> Result<(), Report> {
        unimplemented!()
    }
    /// Copies inside device memory.
    ///
    /// # Errors
    /// A range is not inside one live allocation.
    pub fn copy(&self, _to: u64, _from: u64, _bytes: u64) -> Result<(), Report> {
        unimplemented!()
    }
    /// Free and total bytes.
    pub fn memory_info(&self) -> (u64, u64) {
        unimplemented!()
    }
    /// Reads, links and places a PTX module.
    ///
    /// # Errors
    /// Text that cannot be read, an unknown form, a `.target` that the device cannot run; with the PTX line.
    pub fn load(&self, _ptx: &str) -> Result<Module, Report> {
        unimplemented!()
    }
    /// Runs a kernel to its end. `parameters` is the packed parameter block, laid out as [`Function::parameters`] says.
    ///
    /// # Errors
    /// Everything that a kernel can do wrong, and launch shapes that the device or the function does not allow.
    pub fn launch(
        &self,
        _function: &Function,
        _config: LaunchConfig,
        _parameters: &[u8],
    ) -> Result<LaunchStats, Report> {
        unimplemented!()
    }
}

impl Module {
    /// The kernel of that name.
    pub fn function(&self, _name: &str) -> Option<Function> {
        unimplemented!()
    }
    /// Device address and size in bytes of a global or constant variable.
    pub fn global(&self, _name: &str) -> Option<(u64, u64)> {
        unimplemented!()
    }
}

impl Function {
    /// Its name.
    pub fn name(&self) -> &str {
        unimplemented!()
    }
    /// Its attributes.
    pub fn attributes(&self) -> FunctionAttributes {
        unimplemented!()
    }
    /// Offset and size in bytes of each parameter in the parameter block.
    pub fn parameters(&self) -> &[(u32, u32)] {
        unimplemented!()
    }
}
