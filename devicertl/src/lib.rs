//! The OpenMP device runtime.
#![no_std]
