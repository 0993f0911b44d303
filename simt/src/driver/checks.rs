//! Checkers in a program that uses the driver: on by environment, told on standard error, seen in the exit status.

use super::error::say;
use super::state::existing;
use super::types::{c_int, c_void};
use crate::check;
use crate::device::{Device, DeviceConfig};
use crate::report::Report;
use std::sync::OnceLock;

unsafe extern "C" {
    /// As `atexit`, but the function gets the status that the program ends with.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
    fn fflush(stream: *mut c_void) -> c_int;
}

/// The device as the environment wants it.
///
/// # Errors
/// A variable that is not understood, or no room.
pub(super) fn device() -> Result<Device, Report> {
    let config = DeviceConfig::from_env()?;
    let (checks, json) = crate::env::checks(|name| std::env::var(name).ok())?;
    let device = Device::new(config)?;
    if !checks.is_empty() {
        device.check(checks)?;
        device.findings().echo(json);
        // SAFETY: the function is of the form that `on_exit` asks for. Without it the findings are told all the same.
        unsafe { on_exit(at_exit, std::ptr::null_mut()) };
    }
    Ok(device)
}

/// The status that the program ends with, once it ends.
static STATUS: OnceLock<c_int> = OnceLock::new();

/// Runs when the program ends, but before those functions that were registered earlier: kernels may still run, the destructors of a device's
/// objects for one.
extern "C" fn at_exit(status: c_int, _: *mut c_void) {
    let _ = STATUS.set(status);
}

/// What is left to do behind all functions that were registered for the end of the program.
#[used]
#[unsafe(link_section = ".fini_array")]
static AT_END: extern "C" fn() = at_end;

/// Tells what is known at the end of the program, and ends it with [`check::EXIT_STATUS`] if there were findings and
/// all else went well.
extern "C" fn at_end() {
    let Some(status) = STATUS.get() else { return };
    if let Some(device) = existing() {
        device.finish();
    }
    let findings = check::count();
    if findings > 0 {
        say(format_args!("{findings} finding{}", if findings == 1 { "" } else { "s" }));
        if *status == 0 {
            // SAFETY: both may be called at any time; what else is registered to run at the end is given up.
            unsafe {
                fflush(std::ptr::null_mut());
                libc::_exit(check::EXIT_STATUS);
            }
        }
    }
}
