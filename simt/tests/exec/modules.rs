//! Loading: the cache, and what variables of a module hold.

use crate::{kernel, shape};
use simt::{Device, DeviceConfig};

/// Adds 1 to a global variable and stores it.
fn counter() -> String {
    let body =
        "mov.u64 %rd4, count; ld.global.u32 %r5, [%rd4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd4], %r5;
                st.global.u32 [%rd1], %r5;";
    let declarations =
        ".visible .global .b8 zeros[300000]; .global .u32 count = 5; .visible .global .b8 more[7];";
    format!(".version 7.8\n.target sm_90\n.address_size 64\n{}", kernel(declarations, body))
}

#[test]
fn a_module_that_is_loaded_again_is_not_read_again_but_has_variables_of_its_own() {
    let device = Device::new(DeviceConfig { memory_bytes: 64 << 20, ..DeviceConfig::default() }).unwrap();
    let out = device.alloc(4).unwrap();
    let run = |module: &simt::Module| {
        let kernel = module.function("k").unwrap();
        device.launch(&kernel, shape(1, 1), &out.to_le_bytes()).unwrap();
        let mut bytes = [0; 4];
        device.read(out, &mut bytes).unwrap();
        u32::from_le_bytes(bytes)
    };
    let text = counter();
    let first = device.load(&text).unwrap();
    assert_eq!([run(&first), run(&first)], [6, 7]);
    let second = device.load(&text).unwrap();
    assert_eq!([run(&second), run(&first), run(&second)], [6, 8, 7]);
    assert_eq!(device.modules_read(), 1);
    device.load(&text.replace("= 5", "= 6")).unwrap();
    assert_eq!(device.modules_read(), 2);
}

#[test]
fn what_has_no_initial_value_is_zero() {
    let device = Device::new(DeviceConfig { memory_bytes: 64 << 20, ..DeviceConfig::default() }).unwrap();
    // Used memory must not shine through.
    let used = device.alloc(1 << 20).unwrap();
    device.write(used, &vec![0xff; 1 << 20]).unwrap();
    device.free(used).unwrap();
    let module = device.load(&counter()).unwrap();
    for name in ["zeros", "more"] {
        let (address, bytes) = module.global(name).unwrap();
        let mut found = vec![1; bytes as usize];
        device.read(address, &mut found).unwrap();
        assert!(found.iter().all(|&byte| byte == 0), "{name}");
    }
}

#[test]
fn an_alignment_that_the_device_does_not_give_is_refused() {
    let device = Device::new(DeviceConfig { memory_bytes: 1 << 20, ..DeviceConfig::default() }).unwrap();
    let text = ".version 7.8\n.target sm_90\n.address_size 64\n.global .align 512 .u32 a;\n";
    let report = device.load(text).err().unwrap();
    assert!(report.message.contains("aligned to 512 bytes"), "{report}");
}
