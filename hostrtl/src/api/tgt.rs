//! What compiled code calls: registration, data constructs and kernel launches.

use super::{FAIL, SUCCESS};
use crate::arrays::{Arrays, RawArrays};
use crate::error::{Error, Result};
use crate::info::{self, InfoFlags};
use crate::launch::{self, Request};
use crate::location::Location;
use crate::offload::OffloadDevice;
use crate::region::Region;
use crate::runtime::{LIBRARY, Runtime, fatal, runtime};
use crate::tool::{self, Launched, Work};
use abi::entry::BinaryDescriptor;
use abi::ident::Ident;
use abi::kernel::KernelArguments;
use core::ffi::c_void;

/// Teams argument of a launch that is no `teams` region.
const NOT_TEAMS: i32 = -1;

/// `__tgt_register_lib`.
///
/// # Safety
/// `descriptor` is null or valid, with all it points to, until it is unregistered.
pub unsafe fn register_lib(descriptor: *const BinaryDescriptor) {
    if !descriptor.is_null() {
        tool::ompt::connect();
        // SAFETY: the contract of this function.
        unsafe { runtime().register(descriptor) };
    }
}

/// `__tgt_unregister_lib`. Runs from an exit handler; the driver may be gone already.
pub fn unregister_lib(descriptor: *const BinaryDescriptor) {
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

/// `__tgt_target_data_{begin,end,update}_mapper`, and their `nowait` forms: running at once is a legal schedule of the
/// target task that libomp has made of the construct.
///
/// # Safety
/// `ident` and the arrays are as the compiler makes them: see [`Location::from_ident`] and [`RawArrays::view`].
pub unsafe fn data(construct: DataConstruct, ident: *const Ident, device: i64, arrays: RawArrays) {
    // SAFETY: the contract of this function.
    let location = unsafe { Location::from_ident(ident) };
    let runtime = runtime();
    let Some(device) = runtime.select(device, location) else { return };
    // SAFETY: the contract of this function.
    let mut maps = unsafe { arrays.view() };
    let scope = tool::begin(device.id, || Work::Construct(construct.for_tools(), location));
    let outcome = run_data(construct, device, location, &mut maps);
    drop(scope);
    match outcome {
        Ok(()) => runtime.succeed(location),
        Err(error) => runtime.fail(&error, location),
    }
}

pub(crate) fn run_data(
    construct: DataConstruct,
    device: &OffloadDevice,
    location: Location<'_>,
    maps: &mut Arrays<'_>,
) -> Result<()> {
    print_arguments(device, construct.description(), location, maps);
    let mut region = Region::start(device, location)?;
    match construct {
        DataConstruct::Begin => region.begin(maps)?,
        DataConstruct::End => region.end(maps)?,
        DataConstruct::Update => region.update(maps)?,
    }
    region.finish()
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
    /// The kernel's first parameter is the launch environment.
    pub hidden_parameter: bool,
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
                hidden_parameter,
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
        Ok(Self { arrays, request, shared_memory: 0, hidden_parameter })
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
        unsafe { run_kernel(runtime, device, location, host as usize, &packet) }
    });
    drop(scope);
    match outcome {
        Ok(()) => {
            runtime.succeed(location);
            SUCCESS
        }
        Err(error) => runtime.fail(&error, location),
    }
}

/// # Safety
/// The packet's arrays are as [`RawArrays::view`] demands.
pub(crate) unsafe fn run_kernel(
    runtime: &Runtime,
    device: &OffloadDevice,
    location: Location<'_>,
    host: usize,
    packet: &Packet,
) -> Result<()> {
    // SAFETY: the contract of this function.
    let mut maps = unsafe { packet.arrays.view() };
    print_arguments(device, "Entering OpenMP kernel", location, &maps);
    let kernel = device.kernel(runtime.registry(), host, location)?;
    let mut region = Region::start(device, location)?;
    region.begin_and(&mut maps, |region, table, maps| {
        region.build_arguments(table, maps, &kernel, packet.hidden_parameter)
    })?;
    region.send_packed()?;

    let shape = launch::shape(&device.limits, &kernel.bounds(), &packet.request);
    if device.info.has(InfoFlags::KERNEL_LAUNCH) {
        let mode = kernel.configuration.exec_mode.name();
        info::kernel_launch(device.id, &kernel.name, shape.grid, shape.block, mode);
    }
    let failed = |cause| Error::Kernel { kernel: kernel.name.clone(), location: location.to_string(), cause };
    let shared_memory = packet.shared_memory.max(device.shared_memory);
    let scope = tool::begin(device.id, || {
        Work::Launch(Launched {
            device: device.device.as_ref(),
            kernel: &kernel,
            location,
            shape,
            requested_teams: packet.request.num_teams[0],
            shared_memory,
        })
    });
    region.launch(kernel.function, shape, shared_memory).map_err(failed)?;
    if scope.waits() {
        region.synchronize().map_err(failed)?;
    }
    drop(scope);

    // Copies to the host wait for the kernel, so an error of the kernel may come out here.
    region.end_of_own(&maps).map_err(|error| match error {
        Error::Device(cause) => failed(cause),
        other => other,
    })?;
    region.finish().map_err(|error| match error {
        Error::Device(cause) => failed(cause),
        other => other,
    })
}

/// `__tgt_target_nowait_query`. Every target task is complete when its entry point returns, so there is never a handle
/// to ask about.
///
/// # Safety
/// `handle` is null or valid for reads.
pub unsafe fn target_nowait_query(handle: *const *const c_void) {
    // SAFETY: not null, so valid for reads by the contract.
    if handle.is_null() || unsafe { (*handle).is_null() } {
        fatal(
            "Receive an invalid async handle from the current OpenMP task. Is this a target nowait region?",
        );
    }
}

/// `__tgt_register_requires`, gone since LLVM 19: requirements come as entries.
pub fn register_requires() {
    info::message(
        "The void __tgt_register_requires(int64_t) function has been removed. Old OpenMP requirements will not be handled",
    );
}

/// `ompx_dump_mapping_tables`.
pub fn dump_mapping_tables() {
    runtime().dump_tables(Location::from_text(LIBRARY));
}

#[cfg(test)]
mod tests;
