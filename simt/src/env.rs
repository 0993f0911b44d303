//! The environment variables of the device.

use std::fs::File;
use std::num::NonZero;
use std::time::Duration;

use crate::check::Checks;
use crate::device::DeviceConfig;
use crate::limit::Limits;
use crate::report::{Report, ReportKind};
use crate::schedule::Schedule;
use crate::weak::MemoryModel;

/// Seed of the scheduler: the same seed gives the same run.
pub const SEED: &str = "OMPTARGET_SIMT_SEED";
/// Order of the warps: `fair`, `random` or `pct`. Without it `random` if there is a seed, else `fair`.
pub const SCHEDULE: &str = "OMPTARGET_SIMT_SCHEDULE";
/// With `pct`: ordering constraints that a bug needs to show ([`Schedule::DEPTH`] without it).
pub const PCT_DEPTH: &str = "OMPTARGET_SIMT_PCT_DEPTH";
/// With `pct`: accesses to memory of a CTA's warps, about.
pub const PCT_STEPS: &str = "OMPTARGET_SIMT_PCT_STEPS";
/// How memory behaves: `sc`, which it does without it, or `weak` ([`MemoryModel`]).
pub const MEMORY_MODEL: &str = "OMPTARGET_SIMT_MEMORY_MODEL";
/// What a launch may use: a number of instructions of warps, a time (`30s`), or both with a comma. Without it anything.
pub const LIMIT: &str = "OMPTARGET_SIMT_LIMIT";
/// Checkers to run under, with commas: names of [`crate::check::CHECKS`].
pub const CHECK: &str = "OMPTARGET_SIMT_CHECK";
/// File that a page about the launches is written to.
pub const REPORT: &str = "OMPTARGET_SIMT_REPORT";
/// File that a line of JSON is added to for each launch: kernel, shape, instructions, barriers, time.
pub const STATS: &str = "OMPTARGET_SIMT_STATS";
/// Number of OS threads. Without it 1 if there is a seed or an order other than `fair`, else what the host has.
pub const THREADS: &str = "OMPTARGET_SIMT_THREADS";
/// Bytes of device memory, a number with an optional unit ([`bytes`]).
pub const MEMORY: &str = "OMPTARGET_SIMT_MEMORY";
/// Number of devices of the driver, which share one memory. Without it 1.
pub const DEVICES: &str = "OMPTARGET_SIMT_DEVICES";

/// `shared`: kernels reach the memory of the host program, as on a GPU with access to pageable memory.
pub const HOST_MEMORY: &str = "OMPTARGET_SIMT_HOST_MEMORY";

/// File that gets each finding as a line of JSON.
pub const CHECK_JSON: &str = "OMPTARGET_SIMT_CHECK_JSON";

/// The checkers that are asked for, and the file for their findings.
///
/// # Errors
/// An unknown name, or a file that cannot be made.
pub fn checks(get: impl Fn(&str) -> Option<String>) -> Result<(Checks, Option<File>), Report> {
    let checks = Checks::parse(&get(CHECK).unwrap_or_default())
        .map_err(|report| Report::new(report.kind, format!("{CHECK}: {}", report.message)))?;
    let path = get(CHECK_JSON).filter(|path| !path.is_empty() && !checks.is_empty());
    let open = |path: String| {
        File::create(&path).map_err(|error| {
            Report::new(
                ReportKind::InvalidArgument,
                format!("{CHECK_JSON}={path} cannot be written: {error}"),
            )
        })
    };
    Ok((checks, path.map(open).transpose()?))
}

/// See [`DeviceConfig::from_env`]; `get` looks a variable up.
pub fn config(get: impl Fn(&str) -> Option<String>) -> Result<DeviceConfig, Report> {
    let text = |name: &str| get(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let number = |name: &str, least: u64| {
        let parse = |text: String| match text.parse::<u64>() {
            Ok(n) if n >= least => Ok(n),
            _ => Err(wrong(name, &text, &format!("a decimal number of at least {least}"))),
        };
        text(name).map(parse).transpose()
    };
    let given = number(SEED, 0)?;
    let schedule = match (text(SCHEDULE).as_deref(), given) {
        (Some("fair"), _) | (None, None) => Schedule::Fair,
        (Some("random"), _) | (None, Some(_)) => Schedule::Random,
        (Some("pct"), _) => Schedule::Pct {
            depth: number(PCT_DEPTH, 1)?.map_or(Schedule::DEPTH, |depth| depth.min(1 << 16) as u32),
            steps: number(PCT_STEPS, 1)?,
        },
        (Some(other), _) => return Err(wrong(SCHEDULE, other, "fair, random or pct")),
    };
    let memory_model = match text(MEMORY_MODEL).as_deref() {
        None | Some("sc") => MemoryModel::Sequential,
        Some("weak") => MemoryModel::Weak,
        Some(other) => return Err(wrong(MEMORY_MODEL, other, "sc or weak")),
    };
    let seed = if schedule == Schedule::Fair { given } else { given.or(Some(0)) };
    let threads = match (number(THREADS, 1)?, seed) {
        (Some(n), _) => usize::try_from(n).unwrap_or(usize::MAX),
        (None, Some(_)) => 1,
        (None, None) => std::thread::available_parallelism().map_or(1, NonZero::get),
    };
    let limits = text(LIMIT).map(|text| limits(&text)).transpose()?.unwrap_or_default();
    let default = DeviceConfig::default();
    let memory = |text: String| {
        let enough = bytes(&text).filter(|bytes| *bytes >= 1 << 20);
        enough.ok_or_else(|| wrong(MEMORY, &text, "a number of bytes of at least 1M, as 8589934592 or 8G"))
    };
    let memory_bytes = text(MEMORY).map(memory).transpose()?.unwrap_or(default.memory_bytes);
    Ok(DeviceConfig { memory_bytes, seed, schedule, memory_model, limits, threads, ..default })
}

/// A number of bytes; `K`, `M` and `G` behind it stand for powers of 1024. `None` if it is something else.
pub fn bytes(text: &str) -> Option<u64> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let shift = match unit.to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// The number of devices that is asked for.
///
/// # Errors
/// It is not understood.
pub fn devices(get: impl Fn(&str) -> Option<String>) -> Result<i32, Report> {
    match get(DEVICES).as_deref().map(str::trim) {
        None | Some("") => Ok(1),
        Some(text) => match text.parse() {
            Ok(count) if (1..=MOST_DEVICES).contains(&count) => Ok(count),
            _ => Err(wrong(DEVICES, text, &format!("a decimal number from 1 to {MOST_DEVICES}"))),
        },
    }
}

/// Whether kernels are to reach the memory of the host.
///
/// # Errors
/// It is not understood.
pub fn shares_host_memory(get: impl Fn(&str) -> Option<String>) -> Result<bool, Report> {
    match get(HOST_MEMORY).as_deref().map(str::trim) {
        None | Some("") => Ok(false),
        Some("shared") => Ok(true),
        Some(other) => Err(wrong(HOST_MEMORY, other, "shared, or leave it out")),
    }
}

/// More would only be a mistake.
const MOST_DEVICES: i32 = 64;

/// # Errors
/// The text is neither a number, nor a number of seconds, nor one of each.
fn limits(text: &str) -> Result<Limits, Report> {
    let mut limits = Limits::default();
    for part in text.split(',').map(str::trim) {
        let seconds = part.strip_suffix('s').and_then(|n| n.parse::<f64>().ok());
        let time = seconds.filter(|n| *n > 0.0).and_then(|n| Duration::try_from_secs_f64(n).ok());
        match (part.parse::<u64>(), time) {
            (Ok(n), _) if n > 0 && limits.instructions.is_none() => limits.instructions = Some(n),
            (_, Some(time)) if limits.time.is_none() => limits.time = Some(time),
            _ => {
                return Err(wrong(
                    LIMIT,
                    text,
                    "a number of instructions, seconds as 30s, or both as 1000000,30s",
                ));
            }
        }
    }
    Ok(limits)
}

fn wrong(name: &str, value: &str, wanted: &str) -> Report {
    Report::new(ReportKind::InvalidArgument, format!("{name}={value} is not understood: give {wanted}"))
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
        assert_eq!(with(&[(SCHEDULE, "pct")]).unwrap().threads, 1);
        assert_eq!(with(&[(SEED, "7"), (THREADS, "3")]).unwrap().threads, 3);
        assert_eq!(with(&[(SEED, " 7 ")]).unwrap().seed, Some(7));
        assert!(with(&[]).unwrap().threads >= 1);
        assert_eq!(with(&[]).unwrap().memory_bytes, 8 << 30);
    }

    #[test]
    fn bytes_may_have_a_unit() {
        assert_eq!(with(&[(MEMORY, "3g")]).unwrap().memory_bytes, 3 << 30);
        assert_eq!(bytes("3k"), Some(3072));
        assert_eq!(["12X", "", "G", "99999999999G", "1GG"].map(bytes), [None; 5]);
    }

    #[test]
    fn the_order_follows_from_the_seed_unless_it_is_given() {
        let pct = |depth, steps| Schedule::Pct { depth, steps };
        for (pairs, seed, schedule) in [
            (&[][..], None, Schedule::Fair),
            (&[(SEED, "7")], Some(7), Schedule::Random),
            (&[(SCHEDULE, "random")], Some(0), Schedule::Random),
            (&[(SCHEDULE, "fair"), (SEED, "7")], Some(7), Schedule::Fair),
            (&[(SCHEDULE, "pct"), (SEED, "7")], Some(7), pct(3, None)),
            (&[(SCHEDULE, "pct"), (PCT_DEPTH, "2"), (PCT_STEPS, "500")], Some(0), pct(2, Some(500))),
        ] {
            let config = with(pairs).unwrap();
            assert_eq!((config.seed, config.schedule), (seed, schedule), "{pairs:?}");
        }
    }

    #[test]
    fn memory_is_sequential_unless_it_is_to_be_weak() {
        for (pairs, model) in [
            (&[][..], MemoryModel::Sequential),
            (&[(MEMORY_MODEL, "sc")], MemoryModel::Sequential),
            (&[(MEMORY_MODEL, "weak")], MemoryModel::Weak),
        ] {
            assert_eq!(with(pairs).unwrap().memory_model, model);
        }
    }

    #[test]
    fn limits_are_instructions_and_seconds() {
        let limits = |text| with(&[(LIMIT, text)]).unwrap().limits;
        let seconds = |n| Some(Duration::from_secs_f64(n));
        assert_eq!(limits("1000"), Limits { instructions: Some(1000), time: None });
        assert_eq!(limits("2.5s"), Limits { instructions: None, time: seconds(2.5) });
        assert_eq!(limits("7s, 9"), Limits { instructions: Some(9), time: seconds(7.0) });
        assert_eq!(with(&[]).unwrap().limits, Limits::default());
    }

    #[test]
    fn checkers_are_named_by_the_environment() {
        let checks = |value: &'static str| super::checks(|name| (name == CHECK).then(|| value.to_owned()));
        assert!(checks("").unwrap().0.is_empty());
        assert!(!checks("race").unwrap().0.is_empty());
        assert!(
            checks("race,x").err().unwrap().message.starts_with("OMPTARGET_SIMT_CHECK: there is no checker")
        );
    }

    #[test]
    fn there_is_one_device_unless_more_are_given() {
        let with = |value: Option<&str>| devices(|_| value.map(str::to_owned)).ok();
        assert_eq!([None, Some(""), Some("3")].map(with), [Some(1), Some(1), Some(3)]);
        assert_eq!([Some("0"), Some("65"), Some("two")].map(with), [None; 3]);
    }

    #[test]
    fn memory_of_the_host_is_shared_on_request() {
        let with = |value: Option<&str>| shares_host_memory(|_| value.map(str::to_owned));
        let known = [None, Some(""), Some("shared")].map(|value| with(value).ok());
        assert_eq!(known, [Some(false), Some(false), Some(true)]);
        assert!(with(Some("yes")).unwrap_err().message.contains("OMPTARGET_SIMT_HOST_MEMORY=yes"));
    }

    #[test]
    fn what_is_not_understood_is_refused_by_name() {
        for (name, value) in [
            (SEED, "x"),
            (THREADS, "0"),
            (MEMORY, "-1"),
            (MEMORY, "8T"),
            (MEMORY, "1023k"),
            (SCHEDULE, "pctx"),
            (MEMORY_MODEL, "strong"),
            (LIMIT, "0"),
            (LIMIT, "1,2"),
            (LIMIT, "-1s"),
            (LIMIT, "infs"),
        ] {
            let report = with(&[(name, value)]).unwrap_err();
            assert_eq!(report.kind, ReportKind::InvalidArgument);
            assert!(report.message.contains(name) && report.message.contains(value), "{report}");
        }
        assert!(with(&[(SCHEDULE, "pct"), (PCT_DEPTH, "0")]).is_err());
    }
}
