//! `cargo fuzz run registration`.

#![no_main]

#[path = "../registration.rs"]
#[allow(dead_code)] // the bits of an input's head are for the test that makes some
mod registration;

libfuzzer_sys::fuzz_target!(|data: &[u8]| registration::registration(data));
