//! Builds the device runtime and hands its files to the command line.
fn main() {}
