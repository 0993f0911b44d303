//! PTX on the CPU: the embedded SIMT device.
//!
//! [`Device`] loads PTX text, keeps device memory and runs kernels; [`driver`] puts the CUDA driver API in front of
//! it. What the device does not know it refuses, with the line of the PTX; it never guesses.

mod barrier;
mod cache;
pub mod calibrate;
pub mod check;
pub mod code;
pub mod device;
pub mod driver;
pub mod env;
mod exec;
pub mod host_memory;
pub mod image;
mod limit;
mod mem;
mod profile;
pub mod ptx;
pub mod report;
mod sched;
mod schedule;
mod stats;
mod watch;
mod weak;

pub use device::{Device, DeviceConfig, Function, FunctionAttributes, LaunchConfig, LaunchStats, Module};
pub use limit::Limits;
pub use mem::Heap;
pub use report::{Report, ReportKind};
pub use schedule::Schedule;
pub use weak::MemoryModel;
