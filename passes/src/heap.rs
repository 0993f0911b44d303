//! The heap of a program that calls `realloc` or its like: functions of the device's C library stand in the place of the driver's `malloc`
//! and `free`, and call those by other names (`devicertl/library/src/blocks.rs`). Our linker of device code knows of that (`ptx-link/src/resolve.rs`), NVIDIA's does
//! not. Where a link joins all code of the device, it need not: here everybody's calls go where they shall, under names that mean nothing
//! to any linker.

use crate::ir::{Function, Module};

/// The driver's functions.
const OF_THE_DRIVER: [&str; 2] = ["malloc", "free"];

/// What stands in the place of each, in a program that needs that and has no function of its own of these names.
fn wrappers(module: Module) -> Option<[Function; 2]> {
    let defined = |name: &str| module.function(name).filter(|function| !function.is_declaration());
    let wrapper = |name| match defined(name) {
        None => defined(&format!("__omptarget_wrap_{name}")),
        Some(_) => None,
    };
    let [malloc, free] = OF_THE_DRIVER.map(wrapper);
    Some([malloc?, free?])
}

/// Whether [`run`] has something to do.
pub fn is_replaced(module: Module) -> bool {
    wrappers(module).is_some()
}

/// Lets everybody call the functions in the place of the driver's, and those the driver's. For a module that is all the code of the device;
/// whether it was changed.
pub fn run(module: Module) -> bool {
    let Some(wrappers) = wrappers(module) else { return false };
    for (name, wrapper) in OF_THE_DRIVER.into_iter().zip(wrappers) {
        let drivers = module.function(name);
        if let Some(drivers) = drivers {
            drivers.value().replace_all_uses(wrapper.value());
        }
        if let Some(real) = module.function(&format!("__omptarget_real_{name}")) {
            match drivers {
                Some(drivers) => {
                    real.value().replace_all_uses(drivers.value());
                    real.erase();
                }
                None => real.value().set_name(name),
            }
        }
        wrapper.value().set_name(&format!("__omptarget_{name}"));
    }
    true
}
