//! The device runtime as built: it assembles for every architecture, clang turns kernels into the code that we want
//! in both link modes, and the math functions are there and stay out of the way.

mod assemble;
mod math;
mod quality;
mod toolbox;
