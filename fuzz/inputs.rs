//! What is fuzzed: each function takes any bytes and must come back, without a panic and with little memory. The cargo-fuzz
//! targets beside this file and the test `simt/tests/fuzz.rs` call the same ones.

use simt::{Device, DeviceConfig, LaunchConfig, Limits};

/// Reads bytes as PTX, loads what can be read, and runs its kernels for a moment, on parameters that point nowhere.
pub fn ptx(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    // The linker's rules for a text that is to be run come on top of those for reading it.
    let _ = simt::ptx::parse(text);
    let Ok(module) = simt::ptx::decode(text) else { return };
    let config = DeviceConfig {
        memory_bytes: 16 << 20,
        seed: Some(1),
        limits: Limits { instructions: Some(2_000), time: None },
        ..DeviceConfig::default()
    };
    let device = Device::new(config).expect("16 MiB");
    device.set_printf(Some(Box::new(|_| ())));
    let Ok(loaded) = device.load(text) else { return };
    for function in &module.functions {
        let Some(kernel) = loaded.function(&function.name) else { continue };
        let bytes: u32 = kernel.parameters().iter().map(|(offset, size)| offset + size).max().unwrap_or(0);
        let shape = LaunchConfig { grid: [2, 1, 1], block: [40, 1, 1], dynamic_shared: 64 };
        // Whether that goes well is the kernel's business.
        let _ = device.launch(&kernel, shape, &vec![0; bytes as usize]);
    }
}

/// Reads bytes as an image: an ELF file, a fat binary, or text; the PTX in it as [`ptx`] does.
pub fn image(data: &[u8]) {
    if let Ok(text) = simt::image::ptx(data, 90) {
        ptx(text.as_bytes());
    }
}
