//! What compiled code calls: registration, data constructs and kernel launches.

use super::{FAIL, SUCCESS};
use crate::args::Hidden;
use crate::arrays::{Arrays, RawArrays};
use crate::error::{Error, Result};
use crate::group_memory;
use crate::info::{self, InfoFlags};
use crate::kernel::Kernel;
use crate::launch::{self, Request, Shape};
use crate::libomp;
use crate::location::Location;
use crate::lock;
use crate::nowait::{self, Unfinished};
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::runtime::{LIBRARY, Runtime, fatal, runtime};
use crate::tool::{self, Launched, Work};
use abi::entry::BinaryDescriptor;
use abi::ident::Ident;
use abi::kernel::{DynGroupprivateFallback, KernelArguments};
use core::ffi::c_void;

/// Teams argument of a launch that is no `teams` region.
const NOT_TEAMS: i32 = -1;

/// `__tgt_register_lib`.
///
/// # Safety
/// `descriptor` is null or valid, with all it points to, until it is unregistered.
pub unsafe fn register_lib(descriptor: *const BinaryDescriptor) {
    if !descriptor.is_null() {
        // SAFETY: the contract of this function.
        unsafe { runtime().register(descriptor) };
        // Second, because libomp asks for the number of devices meanwhile, which depends on what is registered.
        tool::ompt::connect();
    }
}

/// `__tgt_unregister_lib`. Runs from an exit handler; the driver may be gone already.
///
/// Target tasks (`nowait`) that nobody has waited for end first, while their code and kernels are there: behind the program
/// stands the barrier of the implicit parallel region (OpenMP 5.2, 1.2.2), at which tasks end.
pub fn unregister_lib(descriptor: *const BinaryDescriptor) {
    libomp::finish_tasks();
    runtime().unregister(descriptor);
}

/// The three data constructs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataConstruct {
    /// `target enter data`, and `target data` at its begin.
    Begin,
    /// `target exit data`, and `target data` at its end.
    End,
    /// `target update`.
    Update,
}

impl DataConstruct {
    const fn for_tools(self) -> tool::Construct {
        match self {
            Self::Begin => tool::Construct::EnterData,
            Self::End => tool::Construct::ExitData,
            Self::Update => tool::Construct::Update,
        }
    }

    /// LLVM's words for `LIBOMPTARGET_INFO`.
    const fn description(self) -> &'static str {
        match self {
            Self::Begin => "Entering OpenMP data region with being_mapper",
            Self::End => "Exiting OpenMP data region with end_mapper",
            Self::Update => "Updating data within the OpenMP data region with update_mapper",
        }
    }
}

/// `__tgt_target_data_{begin,end,update}_mapper`, and their `nowait` forms, which run in a target task of libomp.
///
/// # Safety
/// `ident` and the arrays are as the compiler makes them: see [`Location::from_ident`] and [`RawArrays::view`]. The text
/// of `ident` stays for ever.
pub unsafe fn data(
    construct: DataConstruct,
    ident: *const Ident,
    device: i64,
    arrays: RawArrays,
    nowait: bool,
) {
    // SAFETY: the contract of this function.
    let location = unsafe { Location::from_ident(ident) };
    let runtime = runtime();
    let Some(device) = runtime.select(device, location) else { return };
    // SAFETY: the contract of this function.
    let mut maps = unsafe { arrays.view() };
    let scope = tool::begin(device.id, || Work::Construct(construct.for_tools(), location));
    let outcome = start_data(construct, device, location, &mut maps)
        .and_then(|region| nowait::finish(Unfinished { region, kernel: None }, nowait));
    drop(scope);
    match outcome {
        Ok(()) => runtime.succeed(location),
        Err(_) if runtime.has_ended() => {}
        Err(error) => runtime.fail(&error, location),
    }
}

/// Runs a construct to its end.
#[cfg(test)]
pub(crate) fn run_data(
    construct: DataConstruct,
    device: &OffloadDevice,
    location: Location<'_>,
    maps: &mut Arrays<'_>,
) -> Result<()> {
    start_data(construct, device, location, maps)?.finish()
}

/// All of a construct but waiting for the device, and what comes behind that.
fn start_data<'d>(
    construct: DataConstruct,
    device: &'d OffloadDevice,
    location: Location<'d>,
    maps: &mut Arrays<'_>,
) -> Result<Region<'d>> {
    print_arguments(device, construct.description(), location, maps);
    let mut region = Region::start(device, location)?;
    match construct {
        DataConstruct::Begin => region.begin(maps)?,
        DataConstruct::End => region.end(maps)?,
        DataConstruct::Update => region.update(maps)?,
    }
    Ok(region)
}

fn print_arguments(device: &OffloadDevice, region: &str, location: Location<'_>, maps: &Arrays<'_>) {
    if device.info.has(InfoFlags::KERNEL_ARGUMENTS) {
        info::region_arguments(device.id, region, location, maps.iter());
    }
}

/// A launch packet brought to one form.
#[derive(Debug)]
pub(crate) struct Packet {
    pub arrays: RawArrays,
    pub request: Request,
    pub shared_memory: u32,
    /// What to do where there is not as much.
    pub fallback: DynGroupprivateFallback,
    /// The kernel's first parameter is the launch environment.
    pub hidden_parameter: bool,
    /// The construct has the clause.
    pub nowait: bool,
}

impl Packet {
    /// Reads a packet of any version; `teams` and `thread_limit` are the call's own arguments, of which -1 means that
    /// there is none.
    ///
    /// # Safety
    /// `packet` points to a packet of the version that its first field says.
    pub(crate) unsafe fn read(packet: *const KernelArguments, teams: i32, thread_limit: i32) -> Result<Self> {
        // SAFETY: the first field of every version.
        let version = unsafe { (&raw const (*packet).version).read() };
        if version > KernelArguments::VERSION {
            return Err(Error::PacketVersion(version));
        }
        let positive = |value: i32| u32::try_from(value).unwrap_or(0);
        let hidden_parameter = version == KernelArguments::VERSION;
        if hidden_parameter {
            // SAFETY: a complete packet, since it has the version of this structure.
            let packet = unsafe { &*packet };
            let mut request = Request {
                num_teams: packet.num_teams,
                thread_limit: packet.thread_limit,
                trip_count: packet.trip_count,
            };
            if teams == NOT_TEAMS {
                request.num_teams[0] = 1;
            }
            return Ok(Self {
                arrays: RawArrays::of_packet(packet),
                request,
                shared_memory: packet.dyn_cgroup_mem,
                fallback: packet.fallback(),
                hidden_parameter,
                nowait: packet.flags & KernelArguments::NO_WAIT != 0,
            });
        }
        // Older packets may end behind the trip count.
        // SAFETY: every version has the fields up to the trip count.
        let (arrays, trip_count) = unsafe {
            let arrays = RawArrays {
                count: (&raw const (*packet).num_args).read().try_into().unwrap_or(i32::MAX),
                bases: (&raw const (*packet).arg_base_ptrs).read().cast_mut(),
                begins: (&raw const (*packet).arg_ptrs).read().cast_mut(),
                sizes: (&raw const (*packet).arg_sizes).read(),
                kinds: (&raw const (*packet).arg_types).read(),
                names: (&raw const (*packet).arg_names).read(),
                mappers: (&raw const (*packet).arg_mappers).read(),
            };
            (arrays, (&raw const (*packet).trip_count).read())
        };
        let num_teams = if teams == NOT_TEAMS { 1 } else { positive(teams) };
        let request = Request {
            num_teams: [num_teams, 1, 1],
            thread_limit: [positive(thread_limit), 1, 1],
            trip_count,
        };
        let fallback = DynGroupprivateFallback::default();
        Ok(Self { arrays, request, shared_memory: 0, fallback, hidden_parameter, nowait: false })
    }
}

/// `__tgt_target_kernel` and its `nowait` form. Gives [`SUCCESS`], or [`FAIL`] for the host to do the work.
///
/// # Safety
/// `ident`, `packet` and the arrays are as the compiler makes them: see [`Location::from_ident`] and
/// [`RawArrays::view`].
pub unsafe fn target_kernel(
    ident: *const Ident,
    device: i64,
    teams: i32,
    thread_limit: i32,
    host: *const c_void,
    packet: *const KernelArguments,
) -> i32 {
    // SAFETY: the contract of this function.
    let location = unsafe { Location::from_ident(ident) };
    let runtime = runtime();
    let Some(device) = runtime.select(device, location) else { return FAIL };
    let scope = tool::begin(device.id, || Work::Construct(tool::Construct::Target, location));
    // SAFETY: the contract of this function.
    let outcome = unsafe { Packet::read(packet, teams, thread_limit) }.and_then(|packet| {
        // SAFETY: the contract of this function.
        let unfinished = unsafe { start_kernel(runtime, device, location, host as usize, &packet) }?;
        nowait::finish(unfinished, packet.nowait)
    });
    drop(scope);
    match outcome {
        Ok(()) => {
            runtime.succeed(location);
            SUCCESS
        }
        // What is left of the program runs on the host.
        Err(Error::Unloaded) => FAIL,
        Err(_) if runtime.has_ended() => FAIL,
        Err(error) => runtime.fail(&error, location),
    }
}

/// All of a target region but waiting for the device, and what comes behind that.
///
/// # Safety
/// The packet's arrays are as [`RawArrays::view`] demands.
pub(crate) unsafe fn start_kernel<'d>(
    runtime: &Runtime,
    device: &'d OffloadDevice,
    location: Location<'d>,
    host: usize,
    packet: &Packet,
) -> Result<Unfinished<'d>> {
    // SAFETY: the contract of this function.
    let mut maps = unsafe { packet.arrays.view() };
    print_arguments(device, "Entering OpenMP kernel", location, &maps);
    let kernel = device.kernel(runtime.registry(), host, location)?;
    let shape = launch::shape(&device.limits, &kernel.bounds(), &packet.request);
    let memory = group_memory::plan(device, &kernel, packet.shared_memory, packet.fallback)
        .map_err(|cause| kernel.failed(location, cause))?;
    let hidden = packet.hidden_parameter.then(|| Hidden {
        reduction_buffer: kernel.reduction_buffer_size(),
        team_memory: memory.device,
        teams: shape.grid.into_iter().map(u64::from).product(),
    });
    let mut region = Region::start(device, location)?;
    let begun =
        region.begin_and(&mut maps, |region, table, maps| region.build_arguments(table, maps, hidden));
    begun.map_err(Error::before_kernel)?;
    region.send_packed()?;
    launch_kernel(&mut region, &kernel, shape, packet.request.num_teams[0], memory.shared)?;

    // Copies to the host wait for the kernel, so an error of the kernel may come out here.
    region.end_of_own(&maps).map_err(|error| kernel.failed_at_end(location, error))?;
    Ok(Unfinished { region, kernel: Some(kernel) })
}

/// Launches a kernel, and tells those who listen. With a kernel trace the kernel has ended behind it.
#[inline]
pub(crate) fn launch_kernel(
    region: &mut Region<'_>,
    kernel: &Kernel,
    shape: Shape,
    requested_teams: u32,
    shared_memory: u32,
) -> Result<()> {
    let (device, location) = (region.device, region.location);
    if device.info.has(InfoFlags::KERNEL_LAUNCH) {
        let mode = kernel.configuration.exec_mode.name();
        info::kernel_launch(device.id, &kernel.name, shape.grid, shape.block, mode);
    }
    let failed = |cause| kernel.failed(location, cause);
    let scope = tool::begin(device.id, || {
        Work::Launch(Launched {
            device: device.device.as_ref(),
            kernel,
            location,
            shape,
            requested_teams,
            shared_memory,
        })
    });
    region.launch(kernel.function, shape, shared_memory).map_err(failed)?;
    if scope.waits() {
        region.synchronize().map_err(failed)?;
    }
    Ok(())
}

/// `__tgt_target_nowait_query`: libomp asks whether a construct that its target task has left to the device is complete.
///
/// # Safety
/// `handle` is null or the place for a handle of a target task, with what the construct of that task left there.
pub unsafe fn target_nowait_query(handle: *mut *mut c_void) {
    // SAFETY: not null, so valid for reads by the contract.
    if handle.is_null() || unsafe { handle.read() }.is_null() {
        fatal(
            "Receive an invalid async handle from the current OpenMP task. Is this a target nowait region?",
        );
    }
    let runtime = runtime();
    // SAFETY: the contract of this function.
    if let Err(error) = unsafe { nowait::query(handle, runtime.query_count()) } {
        runtime.fail(&error, Location::default());
    }
}

/// `__tgt_register_requires`, gone since LLVM 19: requirements come as entries.
pub fn register_requires() {
    info::message(
        "The void __tgt_register_requires(int64_t) function has been removed. Old OpenMP requirements will not be handled",
    );
}

/// `ompx_dump_mapping_tables`: what is mapped on each device, on standard output.
pub fn dump_mapping_tables() {
    for device in runtime().devices() {
        info::mapping_table_to_output(device.id, &lock(&device.table), Location::from_text(LIBRARY));
    }
}

#[cfg(test)]
mod tests;
