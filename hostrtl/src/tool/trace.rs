//! Lines about the work as it is done: `LIBOMPTARGET_KERNEL_TRACE`, `LIBOMPTARGET_DEBUG`, and the last launches of
//! `OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES`.

use super::{Construct, Copied, Exchanged, Launched, Work};
use crate::device::DevicePtr;
use crate::info::{self, write_line};
use crate::lock;
use crate::sync::Mutex;
use core::ffi::{CStr, c_char, c_int, c_void};
use core::fmt;
use std::collections::VecDeque;
use std::ffi::CString;
use std::sync::OnceLock;
use std::time::Duration;

impl fmt::Display for Construct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Target => "target",
            Self::EnterData => "target enter data",
            Self::ExitData => "target exit data",
            Self::Update => "target update",
        })
    }
}

impl fmt::Display for Work<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copied = |f: &mut fmt::Formatter<'_>, what, Copied { host, device, bytes, name }: Copied<'_>| {
            write!(f, "{what} {bytes} bytes, host {host:#x}, device {:#x}, {}", device.0, name.name())
        };
        match *self {
            Self::Construct(construct, location) => write!(f, "{construct} at {location}"),
            Self::Map => f.write_str("map"),
            Self::Unmap => f.write_str("unmap"),
            Self::Allocate { host, bytes } => write!(f, "allocate {bytes} bytes for host {host:#x}"),
            Self::Free(address) => write!(f, "free {:#x}", address.0),
            Self::ToDevice(copy) => copied(f, "copy to device", copy),
            Self::FromDevice(copy) => copied(f, "copy from device", copy),
            Self::OnDevices(Exchanged { from, to, bytes }) => {
                let ((from_device, from), (to_device, to)) = (from, to);
                write!(
                    f,
                    "copy {bytes} bytes, device {from_device} {:#x} to device {to_device} {:#x}",
                    from.0, to.0
                )
            }
            Self::Launch(launched) => write!(f, "launch {launched}"),
            Self::Wait => f.write_str("wait"),
            Self::Associate(copy) => copied(f, "associate", copy),
            Self::Disassociate { host } => write!(f, "disassociate host {host:#x}"),
        }
    }
}

impl fmt::Display for Launched<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([gx, gy, gz], [bx, by, bz]) = (self.shape.grid, self.shape.block);
        write!(
            f,
            "{} at {}, grid [{gx},{gy},{gz}], block [{bx},{by},{bz}]",
            readable(&self.kernel.name),
            self.location
        )
    }
}

fn line(device: i32, text: impl fmt::Display) {
    write_line(format_args!("omptarget device {device} debug: {text}"));
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}

/// `LIBOMPTARGET_DEBUG`: constructs are announced, since what belongs to them comes before their end.
pub fn begin(device: i32, work: &Work<'_>) {
    if let Work::Construct(..) = work {
        line(device, format_args!("begin {work}"));
    }
}

/// `LIBOMPTARGET_DEBUG`: what has been done.
pub fn end(device: i32, work: &Work<'_>, allocated: DevicePtr, time: Duration) {
    let time = microseconds(time);
    match work {
        Work::Construct(..) => line(device, format_args!("end {work} ({time:.1} us)")),
        Work::Allocate { .. } => {
            line(device, format_args!("{work}: device {:#x} ({time:.1} us)", allocated.0));
        }
        _ => line(device, format_args!("{work} ({time:.1} us)")),
    }
}

/// `LIBOMPTARGET_KERNEL_TRACE`: one launch, which has been waited for.
pub fn kernel(device: i32, launched: &Launched<'_>, time: Duration) {
    let attributes = launched.device.attributes(launched.kernel.function).unwrap_or_default();
    let registers = attributes.registers.map_or("?".to_owned(), |registers| registers.to_string());
    write_line(format_args!(
        "omptarget device {device} kernel: {launched}, {registers} registers, shared {}+{} bytes, {}, {:.1} us",
        attributes.static_shared_memory,
        launched.shared_memory,
        launched.kernel.configuration.exec_mode.name(),
        microseconds(time)
    ));
}

static RECENT: OnceLock<Recent> = OnceLock::new();

struct Recent {
    most: usize,
    launches: Mutex<VecDeque<String>>,
}

/// Keeps the last `most` launches.
pub fn remember_launches(most: usize) {
    RECENT.get_or_init(|| Recent { most, launches: Mutex::default() });
}

/// One more launch.
pub fn remember(device: i32, launched: &Launched<'_>) {
    let Some(recent) = RECENT.get() else { return };
    let mut launches = lock(&recent.launches);
    if launches.len() == recent.most {
        launches.pop_front();
    }
    launches.push_back(format!("device {device}: {launched}"));
}

/// Tells the launches that are kept, the last one first.
pub fn report_launches() {
    let Some(recent) = RECENT.get() else { return };
    for (index, launch) in lock(&recent.launches).iter().rev().enumerate() {
        info::error(format_args!("launch {index} before the error, {launch}"));
    }
}

/// A kernel's symbol for people: `__omp_offloading_<device>_<file>_<function>_l<line>` becomes `function, line n`.
pub fn readable(symbol: &str) -> String {
    let parts = || {
        let rest = symbol.strip_prefix("__omp_offloading_")?;
        let (_, rest) = rest.split_once('_')?;
        let (_, rest) = rest.split_once('_')?;
        let (function, line) = rest.rsplit_once("_l")?;
        line.starts_with(|c: char| c.is_ascii_digit()).then_some((function, line))
    };
    let Some((function, line)) = parts() else { return symbol.to_owned() };
    format!("{}, line {line}", demangled(function).unwrap_or_else(|| function.to_owned()))
}

/// The C++ name of a mangled function, by the C++ library of the program: a program with mangled names has one.
fn demangled(name: &str) -> Option<String> {
    type Demangle = unsafe extern "C" fn(*const c_char, *mut c_char, *mut usize, *mut c_int) -> *mut c_char;
    let name = name.starts_with("_Z").then(|| CString::new(name).ok()).flatten()?;
    // SAFETY: a C string; the default handle searches all loaded libraries.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_demangle".as_ptr()) };
    // SAFETY: the C++ ABI gives the function this type; null becomes `None`.
    let demangle = unsafe { core::mem::transmute::<*mut c_void, Option<Demangle>>(symbol) }?;
    let mut status = 0;
    // SAFETY: a C string; no buffer, so the result comes from malloc.
    let text = unsafe { demangle(name.as_ptr(), core::ptr::null_mut(), core::ptr::null_mut(), &mut status) };
    if text.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string.
    let demangled = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
    // SAFETY: of malloc, by the contract of the function.
    unsafe { libc::free(text.cast()) };
    Some(demangled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_have_readable_names() {
        assert_eq!(readable("__omp_offloading_fe00_98c024_main_l7"), "main, line 7");
        assert_eq!(readable("__omp_offloading_fe00_98c024_a_long_name_l12_1"), "a_long_name, line 12_1");
        for other in ["saxpy", "__omp_offloading_fe00", "__omp_offloading_1_2_f_last"] {
            assert_eq!(readable(other), other);
        }
    }
}
