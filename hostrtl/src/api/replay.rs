//! Running a recorded kernel again ([`crate::record`]): what LLVM's tool `llvm-omp-kernel-replay` calls.

use super::llvm::{Place, place};
use super::tgt::{self, Packet};
use super::{FAIL, SUCCESS, refuse};
use crate::arrays::RawArrays;
use crate::device::{AllocKind, DeviceError, DevicePtr, ImageHandle};
use crate::error::{Error, Result};
use crate::info;
use crate::launch::Request;
use crate::location::Location;
use crate::lock;
use crate::offload::OffloadDevice;
use crate::record::recorded::{self, RecordedLaunch};
use crate::region::Region;
use crate::runtime::runtime;
use crate::sync::Mutex;
use abi::ident::Ident;
use abi::kernel::DynGroupprivateFallback;
use abi::map::MapType;
use abi::mode::ExecMode;
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
            info::message(format_args!(
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

/// Puts the recorded memory and variables back and runs the kernel, with grid, block and shared memory as recorded where the
/// call has no place for them; with the output saved, as `<kernel>.replay.output`.
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
        Ok(()) => SUCCESS,
        Err(error) => {
            error.report();
            FAIL
        }
    }
}

/// # Safety
/// As for [`replay`].
unsafe fn run(
    device: &'static OffloadDevice,
    block: Block,
    size: usize,
    replay: &Replay,
    arguments: &mut [*mut c_void],
) -> Result<()> {
    let (runtime, host) = (runtime(), replay.host as usize);
    // SAFETY: an ident of a compiler, or null.
    let location = unsafe { Location::from_ident(replay.ident) };
    let kernel = device.kernel(runtime.registry(), host, location)?;
    let mut region = Region::start(device, location)?;
    if size > 0 {
        // SAFETY: `size` bytes, which live until the region has waited.
        unsafe { region.submit(block.address, replay.memory as usize, size, Default::default())? };
    }
    restore_globals(&mut region, device.image_of(runtime.registry(), host)?.0, &kernel.name)?;
    region.finish()?;

    // The recorded values as they are: literals.
    let sizes = vec![8_i64; arguments.len()];
    let kinds = vec![(MapType::LITERAL.0 | MapType::TARGET_PARAM.0) as i64; arguments.len()];
    let exact = file(&kernel.name, ".json").and_then(|json| RecordedLaunch::read(&json));
    if exact.is_none() {
        info::message(format_args!(
            "{}.json in the current folder does not say how the kernel was launched: it gets one dimension and no dynamic \
             shared memory",
            kernel.name
        ));
    }
    let RecordedLaunch { grid: [_, grid @ ..], block: [_, threads @ ..], shared_memory } =
        exact.unwrap_or(RecordedLaunch::PLAIN);
    let in_x = |count: i32| u32::try_from(count).unwrap_or(0);
    let packet = Packet {
        arrays: RawArrays {
            count: arguments.len() as i32,
            bases: arguments.as_mut_ptr(),
            begins: arguments.as_mut_ptr(),
            sizes: sizes.as_ptr(),
            kinds: kinds.as_ptr(),
            names: null(),
            mappers: null(),
        },
        request: Request {
            num_teams: [in_x(replay.teams), grid[0], grid[1]],
            thread_limit: [in_x(replay.thread_limit), threads[0], threads[1]],
            trip_count: replay.trip_count,
        },
        shared_memory,
        fallback: DynGroupprivateFallback::default(),
        // Every launch makes it anew; a kernel without an environment has what was recorded.
        hidden_parameter: kernel.configuration.exec_mode != ExecMode::BARE,
        nowait: false,
    };
    // SAFETY: complete arrays; literals are not read through.
    unsafe { tgt::start_kernel(runtime, device, location, host, &packet) }?.finish()?;
    if block.save_output {
        let mut output = vec![0_u8; size];
        let mut region = Region::start(device, location)?;
        region.read(block.address, &mut output)?;
        region.finish()?;
        let path = format!("{}.replay.output", kernel.name);
        std::fs::write(&path, output).map_err(|error| failed(format!("{path}: {error}")))?;
    }
    Ok(())
}

/// A file of the recording, which lie in the current folder, as LLVM's tool has it.
fn file(kernel: &str, suffix: &str) -> Option<Vec<u8>> {
    std::fs::read(format!("{kernel}{suffix}")).ok()
}

/// Gives the program's variables their values before the recorded launch.
fn restore_globals(region: &mut Region<'_>, image: ImageHandle, kernel: &str) -> Result<()> {
    let Some(file) = file(kernel, ".globals") else {
        info::message(format_args!(
            "{kernel}.globals is not in the current folder: the program's variables have their first values"
        ));
        return Ok(());
    };
    let globals = recorded::globals(&file).ok_or_else(|| failed(format!("{kernel}.globals is cut off")))?;
    for (name, contents) in globals {
        match region.device.device.global(image, &name)? {
            Some((address, size)) if size == contents.len() => {
                region.submit_owned(address, contents.into())?;
            }
            _ => {
                let text = format!("the image has no variable {name:?} of {} bytes", contents.len());
                return Err(failed(text));
            }
        }
    }
    Ok(())
}

fn failed(text: String) -> Error {
    Error::Device(DeviceError { call: "__tgt_target_kernel_replay".into(), text })
}
