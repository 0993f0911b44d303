//! Small kernels written by hand, run through the facade.

mod barriers;
mod control;
mod errors;
mod limits;
mod memory;
mod modules;
mod printing;
mod profile;
#[path = "../common/prologue.rs"]
mod prologue;
mod schedules;
mod warps;

use prologue::PROLOGUE;
use simt::{Device, DeviceConfig, LaunchConfig, LaunchStats, Module, Report, Schedule};

/// A device and one loaded module.
pub struct Bench {
    /// The device.
    pub device: Device,
    /// The module.
    pub module: Module,
}

/// Shape of a launch with one dimension.
pub fn shape(grid: u32, block: u32) -> LaunchConfig {
    LaunchConfig { grid: [grid, 1, 1], block: [block, 1, 1], dynamic_shared: 0 }
}

impl Bench {
    /// `body` without the directives at the head of a module.
    pub fn new(body: &str) -> Self {
        Self::with(body, None, 1)
    }

    /// The same with a scheduler seed and a number of OS threads.
    pub fn with(body: &str, seed: Option<u64>, threads: usize) -> Self {
        let schedule = if seed.is_some() { Schedule::Random } else { Schedule::Fair };
        Self::configured(body, DeviceConfig { seed, schedule, threads, ..DeviceConfig::default() })
    }

    /// The same with any configuration but the size of the memory.
    pub fn configured(body: &str, config: DeviceConfig) -> Self {
        Self::prepared(body, config, |_| ())
    }

    /// The same with a device that is prepared before the module is loaded.
    pub fn prepared(body: &str, config: DeviceConfig, prepare: impl FnOnce(&Device)) -> Self {
        let device = Device::new(DeviceConfig { memory_bytes: 64 << 20, ..config }).unwrap();
        prepare(&device);
        let ptx = format!(".version 7.8\n.target sm_90\n.address_size 64\n{body}");
        let module = device.load(&ptx).unwrap_or_else(|report| panic!("{report}"));
        Self { device, module }
    }

    /// Launches the kernel `k`; the arguments are 64-bit words.
    pub fn try_run(&self, shape: LaunchConfig, args: &[u64]) -> Result<LaunchStats, Report> {
        let block: Vec<u8> = args.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.device.launch(&self.module.function("k").unwrap(), shape, &block)
    }

    /// The same, where nothing may go wrong.
    pub fn run(&self, shape: LaunchConfig, args: &[u64]) -> LaunchStats {
        self.try_run(shape, args).unwrap_or_else(|report| panic!("{report}"))
    }

    /// The report that the launch must end with, as text.
    pub fn fail(&self, shape: LaunchConfig, args: &[u64]) -> Report {
        self.try_run(shape, args).expect_err("the kernel does something wrong")
    }

    /// Device memory that holds these numbers.
    pub fn u32s(&self, values: &[u32]) -> u64 {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        let address = self.device.alloc(bytes.len() as u64).unwrap();
        self.device.write(address, &bytes).unwrap();
        address
    }

    /// Numbers in device memory.
    pub fn read(&self, address: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; count * 4];
        self.device.read(address, &mut bytes).unwrap();
        bytes.chunks(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

/// A kernel whose only parameter is an array of u32; `%rd1` is its address, `%r1` the thread's number in the grid, `%rd2`
/// the address of the thread's element, `%r2` `%tid.x`.
pub fn kernel(declarations: &str, body: &str) -> String {
    format!(
        "{declarations}
         .visible .entry k(.param .u64 p) {{
         .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .f32 %f<8>;
         {PROLOGUE}
         {body}
         ret;
         }}"
    )
}
