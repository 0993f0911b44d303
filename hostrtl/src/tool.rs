//! What listeners learn of the runtime's work: constructs, and what they make a device do.
//!
//! The runtime opens a [`Scope`] around each piece of work. Listeners are the profile ([`profile`]), the lines of
//! `LIBOMPTARGET_DEBUG` and `LIBOMPTARGET_KERNEL_TRACE` ([`trace`]) and a tool behind OMPT ([`ompt`]). While nobody
//! listens, a scope costs one branch, and what describes the work is not even made.

pub mod allocations;
pub mod ompt;
pub mod profile;
pub mod trace;

use crate::device::{Device, DevicePtr};
use crate::env::Settings;
use crate::kernel::Kernel;
use crate::launch::Shape;
use crate::location::{Location, MapName};
use core::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

/// Bits of who listens.
static LISTENERS: AtomicU32 = AtomicU32::new(0);

const PROFILE: u32 = 1;
const OPERATIONS: u32 = 2;
const KERNELS: u32 = 4;
const RECENT_LAUNCHES: u32 = 8;
const OMPT: u32 = 16;

/// A construct of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construct {
    /// `target`.
    Target,
    /// `target enter data`, or the begin of `target data`.
    EnterData,
    /// `target exit data`, or the end of `target data`.
    ExitData,
    /// `target update`.
    Update,
}

/// A kernel on its way to the device.
#[derive(Clone, Copy, Debug)]
pub struct Launched<'a> {
    /// The device.
    pub device: &'a dyn Device,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// Its construct.
    pub location: Location<'a>,
    /// Grid and block.
    pub shape: Shape,
    /// Teams that the construct asks for; 0 when it does not say.
    pub requested_teams: u32,
    /// Dynamic shared memory in bytes.
    pub shared_memory: u32,
}

/// A piece of work.
#[derive(Clone, Copy, Debug)]
pub enum Work<'a> {
    /// A construct, from its begin to its end.
    Construct(Construct, Location<'a>),
    /// The maps at the begin of a construct.
    Map,
    /// The maps at the end of a construct.
    Unmap,
    /// Device memory for data of the program.
    Allocate {
        /// The data.
        host: usize,
        /// Its size.
        bytes: usize,
    },
    /// The end of such memory.
    Free(DevicePtr),
    /// A copy to the device.
    ToDevice(Copied<'a>),
    /// A copy from the device.
    FromDevice(Copied<'a>),
    /// A copy between two places of device memory.
    OnDevices(Exchanged),
    /// A launch.
    Launch(Launched<'a>),
    /// Waiting for the device.
    Wait,
    /// `omp_target_associate_ptr`.
    Associate(Copied<'a>),
    /// `omp_target_disassociate_ptr`.
    Disassociate {
        /// The host address.
        host: usize,
    },
}

/// Two ranges of the same size.
#[derive(Clone, Copy, Debug)]
pub struct Copied<'a> {
    /// On the host.
    pub host: usize,
    /// On the device.
    pub device: DevicePtr,
    /// Their size.
    pub bytes: usize,
    /// The variable.
    pub name: MapName<'a>,
}

/// Two places of device memory, on the same device or on two.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged {
    /// Number of the device that is read, and the address there.
    pub from: (i32, DevicePtr),
    /// Number of the device that is written, and the address there.
    pub to: (i32, DevicePtr),
    /// Bytes that are copied.
    pub bytes: usize,
}

/// A piece of work that is being done. It ends when this is dropped.
#[derive(Debug)]
pub struct Scope<'a>(Option<Box<Open<'a>>>);

/// A scope that somebody listens to.
#[derive(Debug)]
pub struct Open<'a> {
    listeners: u32,
    device: i32,
    work: Work<'a>,
    /// Of [`Work::Allocate`], once it is known.
    allocated: DevicePtr,
    start: Instant,
}

/// Begins a piece of work on a device.
#[inline]
pub fn begin<'a>(device: i32, work: impl FnOnce() -> Work<'a>) -> Scope<'a> {
    match LISTENERS.load(Ordering::Relaxed) {
        0 => Scope(None),
        listeners => Scope(Some(open(listeners, device, work()))),
    }
}

#[cold]
fn open(listeners: u32, device: i32, work: Work<'_>) -> Box<Open<'_>> {
    let open =
        Box::new(Open { listeners, device, work, allocated: DevicePtr::default(), start: Instant::now() });
    if listeners & OPERATIONS != 0 {
        trace::begin(device, &open.work);
    }
    if let (Work::Launch(launched), true) = (&open.work, listeners & RECENT_LAUNCHES != 0) {
        trace::remember(device, launched);
    }
    if listeners & OMPT != 0 {
        ompt::begin(device, &open.work);
    }
    open
}

impl Scope<'_> {
    /// Tells the address that an allocation gave.
    #[inline]
    pub fn allocated(&mut self, address: DevicePtr) {
        if let Some(open) = &mut self.0 {
            open.allocated = address;
        }
    }

    /// Whether somebody wants to know how long the kernel runs, so that it is to be waited for.
    #[inline]
    pub fn waits(&self) -> bool {
        self.0.as_ref().is_some_and(|open| open.listeners & KERNELS != 0)
    }
}

impl Drop for Scope<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            close(&open);
        }
    }
}

#[cold]
fn close(open: &Open<'_>) {
    let time = open.start.elapsed();
    if open.listeners & OMPT != 0 {
        ompt::end(open.device, &open.work, open.allocated);
    }
    if open.listeners & PROFILE != 0 {
        profile::record(open.device, &open.work, open.start, time);
    }
    if open.listeners & OPERATIONS != 0 {
        trace::end(open.device, &open.work, open.allocated, time);
    }
    if let (Work::Launch(launched), true) = (&open.work, open.listeners & KERNELS != 0) {
        trace::kernel(open.device, launched, time);
    }
}

/// Lets those listen that the environment asks for.
pub fn start(settings: &Settings) {
    let mut listeners = 0;
    if let Some(file) = &settings.profile {
        profile::start(file, settings.profile_granularity);
        listeners |= PROFILE;
    }
    if settings.track_allocations {
        allocations::start();
    }
    if settings.tracked_launches > 0 {
        trace::remember_launches(settings.tracked_launches);
        listeners |= RECENT_LAUNCHES;
    }
    listeners |= if settings.debug { OPERATIONS } else { 0 };
    listeners |= if settings.kernel_trace { KERNELS } else { 0 };
    LISTENERS.fetch_or(listeners, Ordering::Relaxed);
}

/// Writes out what listeners keep, before the process ends by force.
pub fn flush() {
    profile::write();
}
