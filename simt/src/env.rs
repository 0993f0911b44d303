//! The environment variables of the device.

use std::num::NonZero;

use crate::device::DeviceConfig;
use crate::report::{Report, ReportKind};

/// Seed of the scheduler.
pub const SEED: &str = "OMPTARGET_SIMT_SEED";
/// Number of OS threads.
pub const THREADS: &str = "OMPTARGET_SIMT_THREADS";
/// Bytes of device memory.
pub const MEMORY: &str = "OMPTARGET_SIMT_MEMORY";

const DEFAULT_MEMORY: u64 = 8 << 30;

/// See [`DeviceConfig::from_env`]; `get` looks a variable up.
pub fn config(get: impl Fn(&str) -> Option<String>) -> Result<DeviceConfig, Report> {
    let number = |name: &str, least: u64| match get(name).as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => match text.parse::<u64>() {
            Ok(n) if n >= least => Ok(Some(n)),
            _ => Err(Report::new(
                ReportKind::InvalidArgument,
                format!("{name}={text} is not understood: give a decimal number of at least {least}"),
            )),
        },
    };
    let seed = number(SEED, 0)?;
    let threads = match (number(THREADS, 1)?, seed) {
        (Some(n), _) => usize::try_from(n).unwrap_or(usize::MAX),
        (None, Some(_)) => 1,
        (None, None) => std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    let memory_bytes = number(MEMORY, 1 << 20)?.unwrap_or(DEFAULT_MEMORY);
    Ok(DeviceConfig { memory_bytes, seed, threads, compute_capability: (9, 0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Result<DeviceConfig, Report> {
        config(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
    }

    #[test]
    fn a_seed_means_one_thread_unless_threads_are_given() {
        assert_eq!(with(&[(SEED, "7")]).unwrap().threads, 1);
        assert_eq!(with(&[(SEED, "7"), (THREADS, "3")]).unwrap().threads, 3);
        assert_eq!(with(&[(SEED, " 7 ")]).unwrap().seed, Some(7));
        assert!(with(&[]).unwrap().threads >= 1);
        assert_eq!(with(&[]).unwrap().memory_bytes, 8 << 30);
    }

    #[test]
    fn what_is_no_number_is_refused_by_name() {
        for (name, value) in [(SEED, "x"), (THREADS, "0"), (MEMORY, "-1"), (MEMORY, "8G")] {
            let report = with(&[(name, value)]).unwrap_err();
            assert_eq!(report.kind, ReportKind::InvalidArgument);
            assert!(report.message.contains(name) && report.message.contains(value), "{report}");
        }
    }
}
