//! Stand-ins for NVIDIA's `ptxas` and `nvlink` that keep PTX as text.
//!
//! In its default mode clang assembles the device code of every source file with `ptxas -c`, and
//! clang-nvlink-wrapper links the results with `nvlink`. Here [`tools::ptxas`] puts the text into a relocatable ELF file
//! whose symbol table is that of the text, so that the wrapper finds the archive members that are needed, and
//! [`tools::nvlink`] joins the texts of all files to one PTX module: the image that every driver compiles for the GPU at
//! hand, and that the SIMT device runs.

pub mod carrier;
mod data;
mod join;
mod module;
mod resolve;
mod scan;
pub mod tools;

pub use join::link;
pub use module::Module;
