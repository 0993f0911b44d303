//! `cargo fuzz run ptx`.

#![no_main]

#[path = "../inputs.rs"]
#[allow(dead_code)] // each target uses its own
mod inputs;

libfuzzer_sys::fuzz_target!(|data: &[u8]| inputs::ptx(data));
