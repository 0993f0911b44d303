//! The profile in a program that uses the driver: on by environment, its page written when the program ends.

use super::state::existing;
use crate::device::Device;

/// Switches the profile on if the environment wants one.
pub(super) fn start(device: &Device) {
    if let Some(path) = std::env::var_os(crate::env::REPORT).filter(|path| !path.is_empty()) {
        device.profile(path.into());
        // SAFETY: the function is of the form that `atexit` asks for. Without it pages of failed launches are left.
        unsafe { libc::atexit(at_exit) };
    }
}

extern "C" fn at_exit() {
    if let Some(device) = existing() {
        device.finish();
    }
}
