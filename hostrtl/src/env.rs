//! Environment variables of the host runtime, read once. [`variables`] is the list of all of them.
//!
//! Names and defaults are LLVM's; `OMPTARGET_DEVICE` is ours. A value that cannot be read is reported and ignored,
//! except for `OMPTARGET_DEVICE`: a program that asks for a device by a wrong name must not run somewhere else. A
//! variable of LLVM's without effect here is reported too.

mod reader;
pub mod variables;

use crate::info::InfoFlags;
use crate::jit;
use crate::record::Recording;
use reader::Reader;

/// Value of `OMPTARGET_DEVICE`: which kind of device target regions run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DeviceChoice {
    /// The GPU when there is one, else the SIMT device.
    #[default]
    Auto,
    /// The GPU, through the CUDA driver.
    Cuda,
    /// The embedded SIMT device.
    Simt,
    /// This CPU, with images for x86-64.
    X86,
    /// No device: target regions run on the host.
    None,
}

impl DeviceChoice {
    const NAMES: [(&'static str, Self); 5] = [
        ("auto", Self::Auto),
        ("cuda", Self::Cuda),
        ("simt", Self::Simt),
        ("x86", Self::X86),
        ("none", Self::None),
    ];

    fn parse(text: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(name, _)| *name == text).map(|(_, choice)| *choice)
    }
}

/// What `OMP_TARGET_OFFLOAD` says (OpenMP 5.2, 21.2.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum OffloadKind {
    /// No offloading.
    Disabled,
    /// Offload where there is a device.
    #[default]
    Default,
    /// A target region that cannot run on its device ends the program.
    Mandatory,
}

impl OffloadKind {
    fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "disabled" => Some(Self::Disabled),
            "default" => Some(Self::Default),
            "mandatory" => Some(Self::Mandatory),
            _ => None,
        }
    }
}

/// What `LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS` says about memory of the program while it is mapped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LockMapped {
    /// It stays as it is.
    #[default]
    Off,
    /// It is page-locked where the driver can do so.
    Try,
    /// A map of memory that cannot be page-locked fails.
    Mandatory,
}

impl LockMapped {
    fn parse(text: &str) -> Option<Self> {
        match reader::switch(text) {
            Some(true) => Some(Self::Try),
            Some(false) => Some(Self::Off),
            None => text.eq_ignore_ascii_case("mandatory").then_some(Self::Mandatory),
        }
    }
}

/// `OMPTARGET_PTX`: how the driver compiles images of PTX.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PtxChoice {
    /// The driver's linker where a whole program would take long.
    #[default]
    Auto,
    /// As a whole program.
    Whole,
    /// By the driver's linker.
    Linked,
}

impl PtxChoice {
    fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "auto" => Some(Self::Auto),
            "whole" => Some(Self::Whole),
            "linked" => Some(Self::Linked),
            _ => None,
        }
    }
}

/// How often a thread asks in vain whether a `nowait` construct is done before it waits for it (LLVM: `ExponentialBackoff`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryCount {
    /// `OMPTARGET_QUERY_COUNT_MAX`: most questions that are counted.
    pub max: u32,
    /// `OMPTARGET_QUERY_COUNT_THRESHOLD`: behind more than so many a thread waits.
    pub threshold: u32,
    /// `OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR`: what the count is multiplied by when a construct is done.
    pub backoff_factor: f32,
}

impl Default for QueryCount {
    fn default() -> Self {
        Self { max: 10, threshold: 5, backoff_factor: 0.5 }
    }
}

/// All settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// `OMPTARGET_DEVICE`.
    pub device: DeviceChoice,
    /// `OMP_TARGET_OFFLOAD`; used only where libomp, which parses it too, is not loaded.
    pub offload: OffloadKind,
    /// `LIBOMPTARGET_INFO`.
    pub info: InfoFlags,
    /// `OMPTARGET_X86_DEVICES`: how many devices this CPU is, where it is one.
    pub x86_devices: u32,
    /// `LIBOMPTARGET_STACK_SIZE`: stack of a device thread in bytes.
    pub stack_size: Option<usize>,
    /// `LIBOMPTARGET_HEAP_SIZE`: heap of device `malloc` in bytes.
    pub heap_size: Option<usize>,
    /// `LIBOMPTARGET_SHARED_MEMORY_SIZE`: dynamic shared memory of every kernel in bytes.
    pub shared_memory_size: u32,
    /// `LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT`.
    pub min_threads_for_low_trip_count: u32,
    /// `LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT`.
    pub reuse_blocks_for_high_trip_count: bool,
    /// `LIBOMPTARGET_DEVICE_RTL_DEBUG`: bits of [`abi::device::DeviceEnvironment::device_debug_kind`]. Unset it is all
    /// of them, so that a program does what it was compiled for.
    pub device_debug_kind: u32,
    /// `LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD`: largest block in bytes that is kept for reuse; 0 keeps none. Unset, the
    /// kind of device decides.
    pub memory_manager_threshold: Option<usize>,
    /// `LIBOMPTARGET_NUM_INITIAL_STREAMS`: queues that a device makes when it is opened.
    pub initial_streams: usize,
    /// `LIBOMPTARGET_NUM_INITIAL_EVENTS`: events that a device makes when it is opened.
    pub initial_events: usize,
    /// `LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS`.
    pub lock_mapped: LockMapped,
    /// `LIBOMPTARGET_MAP_FORCE_ATOMIC`: another thread's map of the same data waits for the copy.
    pub map_force_atomic: bool,
    /// `LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS`.
    pub attach_auto_as_always: bool,
    /// `OMPTARGET_QUERY_COUNT_*`.
    pub query_count: QueryCount,
    /// `OMPTARGET_DUMP_OFFLOAD_ENTRIES`: the device whose offload entries are printed.
    pub dump_offload_entries: Option<u32>,
    /// `LIBOMPTARGET_DEBUG` or `LIBOFFLOAD_DEBUG`: each operation of a device is printed.
    pub debug: bool,
    /// `OFFLOAD_TRACK_ALLOCATION_TRACES`: a bad address given to `omp_target_free` is told with what it was.
    pub track_allocations: bool,
    /// `OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES`: launches that an error of the device lists.
    pub tracked_launches: usize,
    /// `LIBOMPTARGET_KERNEL_TRACE`: one line for each launch.
    pub kernel_trace: bool,
    /// `LIBOMPTARGET_PROFILE`: the file for the trace of all constructs, copies and launches.
    pub profile: Option<String>,
    /// `LIBOMPTARGET_PROFILE_GRANULARITY`: microseconds below which something does not get into the trace.
    pub profile_granularity: u64,
    /// `LIBOMPTARGET_RECORD`, `LIBOMPTARGET_RR_DEVMEM_SIZE` and `LIBOMPTARGET_RR_SAVE_OUTPUT`.
    pub recording: Option<Recording>,
    /// `OMPTARGET_PTX`.
    pub ptx: PtxChoice,
    /// `LIBOMPTARGET_JIT_*`.
    pub jit: jit::Options,
    /// `OMP_CANCELLATION`: cancel-var of the devices (OpenMP 5.2, 21.2.6).
    pub cancellation: bool,
    /// Most teams: the least of `OMP_NUM_TEAMS` and `OMP_TEAM_LIMIT`.
    pub max_teams: Option<u32>,
    /// `OMP_TEAMS_THREAD_LIMIT`: most threads of a team.
    pub max_threads: Option<u32>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            device: DeviceChoice::Auto,
            offload: OffloadKind::Default,
            info: InfoFlags::default(),
            x86_devices: 1,
            stack_size: None,
            heap_size: None,
            shared_memory_size: 0,
            min_threads_for_low_trip_count: 32,
            reuse_blocks_for_high_trip_count: true,
            device_debug_kind: u32::MAX,
            memory_manager_threshold: None,
            initial_streams: 1,
            initial_events: 0,
            lock_mapped: LockMapped::Off,
            map_force_atomic: true,
            attach_auto_as_always: false,
            query_count: QueryCount::default(),
            dump_offload_entries: None,
            debug: false,
            track_allocations: false,
            tracked_launches: 0,
            kernel_trace: false,
            profile: None,
            profile_granularity: 0,
            recording: None,
            ptx: PtxChoice::Auto,
            jit: jit::Options::default(),
            cancellation: false,
            max_teams: None,
            max_threads: None,
        }
    }
}

/// `OMPTARGET_DEVICE` names no device kind.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("OMPTARGET_DEVICE='{0}' is not a device kind: use auto, cuda, simt, x86 or none")]
pub struct UnknownDevice(pub String);

impl Settings {
    /// The settings that `variable` gives, and a warning for each value that was ignored.
    pub fn read(
        variable: impl Fn(&'static str) -> Option<String>,
    ) -> Result<(Self, Vec<String>), UnknownDevice> {
        let mut reader = Reader { variable, warnings: Vec::new() };
        let defaults = Self::default();
        // To the letter: cuda-shim reads this variable too.
        let device = match (reader.variable)("OMPTARGET_DEVICE") {
            Some(text) if !text.is_empty() => DeviceChoice::parse(&text).ok_or(UnknownDevice(text))?,
            _ => DeviceChoice::Auto,
        };
        let teams = [reader.positive("OMP_NUM_TEAMS"), reader.positive("OMP_TEAM_LIMIT")];
        let settings = Self {
            device,
            offload: reader
                .parsed("OMP_TARGET_OFFLOAD", "disabled, default or mandatory", OffloadKind::parse)
                .unwrap_or_default(),
            info: InfoFlags(
                reader.number("LIBOMPTARGET_INFO", i64::from(i32::MIN), u32::MAX.into()).unwrap_or(0) as u32,
            ),
            x86_devices: reader
                .number("OMPTARGET_X86_DEVICES", 1, 16)
                .map_or(defaults.x86_devices, |count| count as u32),
            stack_size: reader.size("LIBOMPTARGET_STACK_SIZE"),
            heap_size: reader.size("LIBOMPTARGET_HEAP_SIZE"),
            shared_memory_size: reader
                .number("LIBOMPTARGET_SHARED_MEMORY_SIZE", 0, u32::MAX.into())
                .unwrap_or(0) as u32,
            min_threads_for_low_trip_count: reader
                .positive("LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT")
                .unwrap_or(defaults.min_threads_for_low_trip_count),
            reuse_blocks_for_high_trip_count: reader
                .switch("LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT")
                .unwrap_or(defaults.reuse_blocks_for_high_trip_count),
            device_debug_kind: reader
                .number("LIBOMPTARGET_DEVICE_RTL_DEBUG", 0, u32::MAX.into())
                .map_or(defaults.device_debug_kind, |bits| bits as u32),
            recording: {
                let wanted = reader.switch("LIBOMPTARGET_RECORD").unwrap_or(false);
                let size = reader.number("LIBOMPTARGET_RR_DEVMEM_SIZE", 1, 1 << 16);
                let save_output = reader.switch("LIBOMPTARGET_RR_SAVE_OUTPUT").unwrap_or(false);
                let bytes = size.map_or(Recording::DEFAULT_BYTES, |size| (size as usize) << 30);
                wanted.then_some(Recording { bytes, save_output })
            },
            memory_manager_threshold: reader.size("LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD"),
            attach_auto_as_always: reader
                .switch("LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS")
                .unwrap_or(defaults.attach_auto_as_always),
            initial_streams: reader
                .size("LIBOMPTARGET_NUM_INITIAL_STREAMS")
                .unwrap_or(defaults.initial_streams),
            initial_events: reader.size("LIBOMPTARGET_NUM_INITIAL_EVENTS").unwrap_or(defaults.initial_events),
            lock_mapped: reader
                .parsed(
                    "LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS",
                    "true, false or mandatory",
                    LockMapped::parse,
                )
                .unwrap_or_default(),
            map_force_atomic: reader
                .switch("LIBOMPTARGET_MAP_FORCE_ATOMIC")
                .unwrap_or(defaults.map_force_atomic),
            query_count: QueryCount {
                max: reader.positive("OMPTARGET_QUERY_COUNT_MAX").unwrap_or(defaults.query_count.max),
                threshold: reader
                    .positive("OMPTARGET_QUERY_COUNT_THRESHOLD")
                    .unwrap_or(defaults.query_count.threshold),
                backoff_factor: reader
                    .fraction("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR")
                    .unwrap_or(defaults.query_count.backoff_factor),
            },
            dump_offload_entries: reader
                .number("OMPTARGET_DUMP_OFFLOAD_ENTRIES", -1, i32::MAX.into())
                .and_then(|device| u32::try_from(device).ok()),
            debug: ["LIBOMPTARGET_DEBUG", "LIBOFFLOAD_DEBUG"]
                .map(|name| reader.number(name, 0, i32::MAX.into()))
                .into_iter()
                .flatten()
                .any(|level| level > 0),
            track_allocations: reader
                .switch("OFFLOAD_TRACK_ALLOCATION_TRACES")
                .unwrap_or(defaults.track_allocations),
            tracked_launches: reader
                .size("OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES")
                .unwrap_or(defaults.tracked_launches),
            kernel_trace: reader
                .number("LIBOMPTARGET_KERNEL_TRACE", 0, i32::MAX.into())
                .is_some_and(|level| level > 0),
            profile: reader.text("LIBOMPTARGET_PROFILE"),
            profile_granularity: reader
                .number("LIBOMPTARGET_PROFILE_GRANULARITY", 0, i64::MAX)
                .map_or(defaults.profile_granularity, |value| value as u64),
            ptx: reader
                .parsed("OMPTARGET_PTX", "auto, whole or linked", PtxChoice::parse)
                .unwrap_or_default(),
            jit: jit::Options {
                level: reader
                    .number("LIBOMPTARGET_JIT_OPT_LEVEL", 0, 3)
                    .map_or(defaults.jit.level, |level| level as u8),
                skip_opt: reader.switch("LIBOMPTARGET_JIT_SKIP_OPT").unwrap_or(defaults.jit.skip_opt),
                before_opt: reader.text("LIBOMPTARGET_JIT_PRE_OPT_IR_MODULE").map(Into::into),
                after_opt: reader.text("LIBOMPTARGET_JIT_POST_OPT_IR_MODULE").map(Into::into),
                module: reader.text("LIBOMPTARGET_JIT_REPLACEMENT_MODULE").map(Into::into),
                object: reader.text("LIBOMPTARGET_JIT_REPLACEMENT_OBJECT").map(Into::into),
            },
            cancellation: reader.switch("OMP_CANCELLATION").unwrap_or(defaults.cancellation),
            max_teams: teams.into_iter().flatten().min(),
            max_threads: reader.positive("OMP_TEAMS_THREAD_LIMIT"),
        };
        Ok((settings, reader.warnings))
    }

    /// The settings of this process.
    pub fn from_process() -> Result<(Self, Vec<String>), UnknownDevice> {
        let (settings, mut warnings) =
            Self::read(|name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))?;
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        warnings.extend(names.filter_map(|name| variables::complaint(&name)));
        Ok((settings, warnings))
    }
}

#[cfg(test)]
mod tests;
