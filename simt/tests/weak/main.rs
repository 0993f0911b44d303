//! The weak memory mode: litmus tests. What PTX forbids shows under no seed; what it allows, and the mode models, under
//! some. `cargo test -p simt --test weak -- --nocapture` prints under how many.

mod litmus;
mod programs;
#[path = "../common/prologue.rs"]
mod prologue;

use prologue::PROLOGUE;
use simt::{Device, DeviceConfig, LaunchConfig, MemoryModel, Schedule};

/// Seeds of each case.
pub const SEEDS: u64 = 100;

/// Runs the kernel `k` of a text, with an array of `words` zeros of 32 bits as parameter, and returns the array.
pub fn run(ptx: &str, shape: (u32, u32), words: usize, model: MemoryModel, seed: u64) -> Vec<u32> {
    // Every second seed by PCT, as `--seeds` does it.
    let pct = Schedule::Pct { depth: Schedule::DEPTH, steps: None };
    let schedule = if seed.is_multiple_of(2) { Schedule::Random } else { pct };
    let memory_bytes = 1 << 20;
    let config = DeviceConfig {
        memory_bytes,
        seed: Some(seed),
        schedule,
        memory_model: model,
        ..DeviceConfig::default()
    };
    let device = Device::new(config).unwrap();
    let module = device.load(ptx).unwrap_or_else(|report| panic!("{report}\n{ptx}"));
    let mut bytes = vec![0; 4 * words];
    let array = device.alloc(bytes.len() as u64).unwrap();
    device.write(array, &bytes).unwrap();
    let shape = LaunchConfig { grid: [shape.0, 1, 1], block: [shape.1, 1, 1], dynamic_shared: 0 };
    let done = device.launch(&module.function("k").unwrap(), shape, &array.to_le_bytes());
    done.unwrap_or_else(|report| panic!("{report}\n{ptx}"));
    device.read(array, &mut bytes).unwrap();
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

/// A kernel: `%rd1` is the array, `%r2` `%tid.x`, `%r3` `%ctaid.x`, `%r4` `%ntid.x`, `%r1` the thread's number in the grid,
/// `%rd2` the address of its element, `s` an array in shared memory.
pub fn kernel(body: &str) -> String {
    format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[4096];
         .visible .entry k(.param .u64 p) {{
         .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;
         {PROLOGUE}
         {body}
         ret;
         }}"
    )
}
