//! Math functions under the names of NVIDIA's libdevice, which clang's headers make of the C library's.
//!
//! They are for machines without CUDA and go into a file of their own: with a real libdevice none of it is linked.
//! What the machine computes itself comes from the prelude, the rest from the crate `libm`, which follows musl and
//! CORE-MATH: errors below 1 ulp unless it says otherwise.

pub mod integer;
mod machine;
pub mod real;
pub mod special;
