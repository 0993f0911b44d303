//! End-to-end tests of compiled OpenMP programs: what the tests, the benches and the task runner share.
//!
//! A [`Case`] is one program of `kernels/` with one command line. It is built once, with the compiler driver of the
//! installation in [`dist`], and run several times: on the host, on the device, under several scheduler seeds. Which
//! device that is decides the environment (`OMPTARGET_DEVICE`), not the test.

pub mod bench;
pub mod build;
pub mod bundle;
pub mod cases;
pub mod device_bench;
pub mod dist;
pub mod driver;
pub mod figures;
pub mod harness;
pub mod host;
pub mod launch;
pub mod math;
pub mod nvcc;
pub mod performance;
pub mod random;
pub mod results;
pub mod rex;
pub mod run;
pub mod shapes;
pub mod stand_in;
pub mod whole;

pub use bench::BENCH;
pub use build::program;
pub use cases::{CASES, Case, Route};
pub use dist::Dist;
pub use launch::Launch;
pub use run::{Outcome, Run, as_on_the_host};
