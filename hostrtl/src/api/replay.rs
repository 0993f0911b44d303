//! Running a recorded kernel again ([`crate::record`]): what LLVM's tool `llvm-omp-kernel-replay` calls.

use super::llvm::{Place, place};
use super::{FAIL, SUCCESS, refuse, tgt};
use crate::device::{AllocKind, DevicePtr};
use crate::error::Result;
use crate::location::Location;
use crate::lock;
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::runtime::runtime;
use crate::sync::Mutex;
use abi::ident::Ident;
use abi::kernel::KernelArguments;
use abi::map::MapType;
use core::ffi::{c_int, c_void};
use core::ptr::null;
use std::collections::BTreeMap;

/// A block of a device for the memory of a recorded kernel.
#[derive(Clone, Copy)]
struct Block {
    address: DevicePtr,
    bytes: usize,
    save_output: bool,
}

/// The blocks by device.
static BLOCKS: Mutex<BTreeMap<i32, Block>> = Mutex::new(BTreeMap::new());

/// `__tgt_activate_record_replay`: makes room for the memory of a recorded kernel. Where it was when it was recorded is
/// best, for pointers inside of it; `distance` says how much lower it is here. Recording is switched on by
/// `LIBOMPTARGET_RECORD`, when a device is opened.
pub fn activate(
    device: i64,
    bytes: u64,
    recorded: *mut c_void,
    is_record: bool,
    save_output: bool,
    distance: &mut u64,
) -> c_int {
    let function = "__tgt_activate_record_replay";
    *distance = 0;
    if is_record {
        return refuse(function, "a device records from its begin, when LIBOMPTARGET_RECORD=1 is set");
    }
    let (Ok(number), Ok(bytes)) = (c_int::try_from(device), usize::try_from(bytes)) else {
        return refuse(function, "there is no such device, or not so much memory");
    };
    let Place::Device(offload) = place(number) else {
        return refuse(function, "needs a device other than the host");
    };
    let address = match offload.device.alloc(bytes, AllocKind::Device) {
        Ok(address) => address,
        Err(error) => return refuse(function, &error.to_string()),
    };
    if !recorded.is_null() {
        *distance = (recorded as u64).wrapping_sub(address.0);
        if *distance != 0 {
            crate::info::message(format_args!(
                "record-Replay cannot assign the requested recorded address ({recorded:p}, {:#x}): pointers inside of the \
                 memory keep the recorded one",
                address.0
            ));
        }
    }
    if let Some(old) = lock(&BLOCKS).insert(offload.id, Block { address, bytes, save_output }) {
        let _ = offload.device.free(old.address, AllocKind::Device);
    }
    SUCCESS
}

/// `__tgt_target_kernel_replay`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // LLVM's names
pub struct Replay {
    pub ident: *const Ident,
    pub device: i64,
    pub host: *const c_void,
    pub memory: *const c_void,
    pub memory_size: i64,
    pub arguments: *const *mut c_void,
    pub offsets: *const isize,
    pub argument_count: i32,
    pub teams: i32,
    pub thread_limit: i32,
    pub trip_count: u64,
}

/// Puts the recorded memory back and runs the kernel; with the output saved, as `<kernel>.replay.output`.
///
/// # Safety
/// The memory has the size, and the two lists the length, that the arguments say.
pub unsafe fn replay(replay: &Replay) -> c_int {
    let function = "__tgt_target_kernel_replay";
    let Some(device) = runtime().select(replay.device, Location::default()) else {
        return refuse(function, "needs a device other than the host");
    };
    let Some(block) = lock(&BLOCKS).get(&device.id).copied() else {
        return refuse(function, "__tgt_activate_record_replay comes first");
    };
    let size = usize::try_from(replay.memory_size).unwrap_or(usize::MAX);
    if size > block.bytes || (size > 0 && replay.memory.is_null()) {
        return refuse(function, "the recorded memory is larger than the block for it, or missing");
    }
    let count = usize::try_from(replay.argument_count).unwrap_or(0);
    if count > 0 && (replay.arguments.is_null() || replay.offsets.is_null()) {
        return refuse(function, "the list of arguments or that of their offsets is missing");
    }
    // SAFETY: the contract of this function; with no arguments the lists are not read.
    let mut arguments: Vec<*mut c_void> = (0..count)
        .map(|index| unsafe {
            (*replay.arguments.add(index)).wrapping_byte_offset(*replay.offsets.add(index))
        })
        .collect();
    // SAFETY: the contract of this function.
    let outcome = unsafe { run(device, block, size, replay, &mut arguments) };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            error.report();
            FAIL
        }
    }
}

/// # Safety
/// As for [`replay`].
unsafe fn run(
    device: &OffloadDevice,
    block: Block,
    size: usize,
    replay: &Replay,
    arguments: &mut [*mut c_void],
) -> Result<c_int> {
    let kernel = device.kernel(runtime().registry(), replay.host as usize, Location::default())?;
    let mut region = Region::start(device, Location::default())?;
    if size > 0 {
        // SAFETY: `size` bytes, which live until the region has waited.
        unsafe { region.submit(block.address, replay.memory as usize, size, Default::default())? };
    }
    region.finish()?;
    // The recorded values as they are: literals.
    let (sizes, kinds) = (
        vec![8_i64; arguments.len()],
        vec![(MapType::LITERAL.0 | MapType::TARGET_PARAM.0) as i64; arguments.len()],
    );
    let is_marked = kernel.configuration.exec_mode != abi::mode::ExecMode::BARE;
    let packet = KernelArguments {
        version: if is_marked { KernelArguments::VERSION } else { 1 },
        num_args: arguments.len() as u32,
        arg_base_ptrs: arguments.as_mut_ptr(),
        arg_ptrs: arguments.as_mut_ptr(),
        arg_sizes: sizes.as_ptr(),
        arg_types: kinds.as_ptr(),
        arg_names: null(),
        arg_mappers: null(),
        trip_count: replay.trip_count,
        flags: 0,
        num_teams: [u32::try_from(replay.teams).unwrap_or(0), 0, 0],
        thread_limit: [u32::try_from(replay.thread_limit).unwrap_or(0), 0, 0],
        dyn_cgroup_mem: 0,
    };
    let (teams, limit) = (replay.teams, replay.thread_limit);
    // SAFETY: a complete packet; literals are not read through.
    let code =
        unsafe { tgt::target_kernel(replay.ident, device.id.into(), teams, limit, replay.host, &packet) };
    if code == SUCCESS && block.save_output {
        let mut output = vec![0_u8; size];
        let mut region = Region::start(device, Location::default())?;
        region.read(block.address, &mut output)?;
        region.finish()?;
        let path = format!("{}.replay.output", kernel.name);
        if let Err(error) = std::fs::write(&path, output) {
            return Ok(refuse("__tgt_target_kernel_replay", &format!("{path}: {error}")));
        }
    }
    Ok(code)
}
