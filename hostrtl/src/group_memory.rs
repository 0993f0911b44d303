//! Memory of teams whose size a launch says (`dyn_groupprivate`, OpenMP 6.1; `ompx_dyn_cgroup_mem`; LLVM: `prepareBlockMemory`).

use crate::device::{DeviceError, DeviceResult};
use crate::kernel::Kernel;
use crate::offload::OffloadDevice;
use abi::kernel::DynGroupprivateFallback;
use abi::mode::ExecMode;

/// What a launch gives its teams.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GroupMemory {
    /// Bytes of dynamic shared memory.
    pub shared: u32,
    /// Bytes of the device's memory in its place, for each team.
    pub device: u32,
}

/// What a launch gives that asks for `bytes` bytes. Devices without shared memory give none.
pub fn plan(
    device: &OffloadDevice,
    kernel: &Kernel,
    bytes: u32,
    fallback: DynGroupprivateFallback,
) -> DeviceResult<GroupMemory> {
    let enough = GroupMemory { shared: bytes.max(device.shared_memory), device: 0 };
    let limit = device.device.properties().shared_memory;
    if bytes == 0 || limit == 0 {
        return Ok(enough);
    }
    let of_kernel = device.device.attributes(kernel.function)?.static_shared_memory;
    if bytes <= limit.saturating_sub(of_kernel) {
        return Ok(enough);
    }
    let instead = match fallback {
        DynGroupprivateFallback::Null => return Ok(GroupMemory::default()),
        // Such a kernel has no environment to find it by.
        DynGroupprivateFallback::DefaultMem if kernel.configuration.exec_mode == ExecMode::BARE => "",
        DynGroupprivateFallback::DefaultMem => return Ok(GroupMemory { shared: 0, device: bytes }),
        DynGroupprivateFallback::Abort => ", or for 'fallback(default_mem)'",
    };
    Err(DeviceError {
        call: "dyn_groupprivate".into(),
        text: format!(
            "{bytes} bytes of shared memory for each team, beside {of_kernel} of the kernel, are more than the device's {limit}; ask for \
             less{instead}"
        ),
    })
}
