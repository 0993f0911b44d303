//! Random OpenMP programs with a known result.
//!
//! A seed and a number make one program: a target region of nested constructs on integers (`generate`), whose result is
//! computed here by one of its schedules (`evaluate`) and compared by the program itself (`emit`, in C or Fortran). Programs of one set of
//! compiler options stand together in a file, where a compilation costs more than they do.

pub mod batch;
mod emit;
mod evaluate;
mod generate;
mod names;
mod program;

pub use batch::{Batch, batches};
