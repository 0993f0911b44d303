//! Tests of the settings and of how values are read.

use super::*;

fn read(pairs: &[(&'static str, &str)]) -> Result<(Settings, Vec<String>), UnknownDevice> {
    Settings::read(|name| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()))
}

#[test]
fn cancellation_is_off_unless_asked_for() {
    for (text, on) in [("true", true), ("1", true), ("false", false), ("", false)] {
        assert_eq!(read(&[("OMP_CANCELLATION", text)]).unwrap().0.cancellation, on, "{text}");
    }
}

#[test]
fn nothing_set_gives_the_defaults() {
    assert_eq!(read(&[]).unwrap(), (Settings::default(), vec![]));
}

#[test]
fn every_device_name() {
    for (name, choice) in DeviceChoice::NAMES {
        assert_eq!(read(&[("OMPTARGET_DEVICE", name)]).unwrap().0.device, choice);
    }
    assert_eq!(read(&[("OMPTARGET_DEVICE", "")]).unwrap().0.device, DeviceChoice::Auto);
}

#[test]
fn a_wrong_device_name_is_an_error_that_names_the_valid_ones() {
    let error = read(&[("OMPTARGET_DEVICE", "nonsense")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "OMPTARGET_DEVICE='nonsense' is not a device kind: use auto, cuda, simt, x86 or none"
    );
    assert!(read(&[("OMPTARGET_DEVICE", "CUDA")]).is_err());
}

#[test]
fn numbers() {
    let (settings, warnings) = read(&[
        ("LIBOMPTARGET_INFO", "-1"),
        ("OMPTARGET_X86_DEVICES", "3"),
        ("LIBOMPTARGET_STACK_SIZE", "4096"),
        ("LIBOMPTARGET_HEAP_SIZE", "0x100000"),
        ("LIBOMPTARGET_SHARED_MEMORY_SIZE", "1024"),
        ("LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT", "64"),
        ("LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT", "0"),
        ("LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "0"),
        ("OMP_NUM_TEAMS", "20"),
        ("OMP_TEAM_LIMIT", "10"),
        ("OMP_TEAMS_THREAD_LIMIT", "96"),
        ("LIBOMPTARGET_NUM_INITIAL_STREAMS", "4"),
        ("LIBOMPTARGET_NUM_INITIAL_EVENTS", "5"),
        ("LIBOMPTARGET_MAP_FORCE_ATOMIC", "false"),
        ("OMPTARGET_QUERY_COUNT_MAX", "20"),
        ("OMPTARGET_QUERY_COUNT_THRESHOLD", "2"),
        ("OMPTARGET_QUERY_COUNT_BACKOFF_FACTOR", "0.25"),
        ("OMPTARGET_DUMP_OFFLOAD_ENTRIES", "1"),
        ("LIBOFFLOAD_DEBUG", "2"),
        ("OFFLOAD_TRACK_ALLOCATION_TRACES", "on"),
        ("OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES", "8"),
        ("LIBOMPTARGET_KERNEL_TRACE", "1"),
        ("LIBOMPTARGET_PROFILE", "trace.json"),
        ("LIBOMPTARGET_PROFILE_GRANULARITY", "10"),
        ("LIBOMPTARGET_RECORD", "1"),
        ("LIBOMPTARGET_RR_DEVMEM_SIZE", "3"),
        ("LIBOMPTARGET_RR_SAVE_OUTPUT", "true"),
        ("OMPTARGET_PTX", "linked"),
        ("LIBOMPTARGET_JIT_OPT_LEVEL", "1"),
        ("LIBOMPTARGET_JIT_SKIP_OPT", "true"),
        ("LIBOMPTARGET_JIT_PRE_OPT_IR_MODULE", "before.ll"),
        ("LIBOMPTARGET_JIT_POST_OPT_IR_MODULE", "after.ll"),
        ("LIBOMPTARGET_JIT_REPLACEMENT_MODULE", "module.ll"),
        ("LIBOMPTARGET_JIT_REPLACEMENT_OBJECT", "object"),
    ])
    .unwrap();
    assert_eq!(warnings, Vec::<String>::new());
    assert_eq!(settings.info, InfoFlags(u32::MAX));
    assert_eq!(settings.x86_devices, 3);
    assert_eq!(settings.stack_size, Some(4096));
    assert_eq!(settings.heap_size, Some(1 << 20));
    assert_eq!(settings.shared_memory_size, 1024);
    assert_eq!(settings.min_threads_for_low_trip_count, 64);
    assert!(!settings.reuse_blocks_for_high_trip_count);
    assert_eq!(settings.memory_manager_threshold, Some(0));
    assert_eq!((settings.max_teams, settings.max_threads), (Some(10), Some(96)));
    assert_eq!((settings.initial_streams, settings.initial_events), (4, 5));
    assert!(!settings.map_force_atomic);
    assert_eq!(settings.query_count, QueryCount { max: 20, threshold: 2, backoff_factor: 0.25 });
    assert_eq!(settings.dump_offload_entries, Some(1));
    assert!(settings.debug && settings.track_allocations && settings.kernel_trace);
    assert_eq!(settings.tracked_launches, 8);
    assert_eq!((settings.profile.as_deref(), settings.profile_granularity), (Some("trace.json"), 10));
    assert_eq!(settings.recording, Some(Recording { bytes: 3 << 30, save_output: true }));
    assert_eq!(settings.ptx, PtxChoice::Linked);
    let file = |name: &str| Some(name.into());
    assert_eq!(
        settings.jit,
        jit::Options {
            level: 1,
            skip_opt: true,
            before_opt: file("before.ll"),
            after_opt: file("after.ll"),
            module: file("module.ll"),
            object: file("object"),
        }
    );
}

/// What the reader asks for, the list of variables has, and the other way round.
#[test]
fn every_variable_is_listed() {
    use std::{cell::RefCell, collections::BTreeSet};
    let asked = RefCell::new(BTreeSet::new());
    Settings::read(|name| {
        asked.borrow_mut().insert(name);
        None
    })
    .unwrap();
    let listed: BTreeSet<_> = variables::VARIABLES.iter().map(|variable| variable.name).collect();
    let of_libomp = BTreeSet::from(["OMP_DEFAULT_DEVICE", "OMP_TOOL", "OMP_TOOL_LIBRARIES"]);
    assert_eq!(asked.into_inner(), &listed - &of_libomp);
}

#[test]
fn a_value_that_cannot_be_read_is_ignored_with_a_warning() {
    let (settings, warnings) = read(&[("LIBOMPTARGET_INFO", "lots"), ("OMP_NUM_TEAMS", "0")]).unwrap();
    assert_eq!(settings, Settings::default());
    assert_eq!(
        warnings,
        [
            "OMP_NUM_TEAMS='0' is ignored: it is not a number from 1 to 2147483647",
            "LIBOMPTARGET_INFO='lots' is ignored: it is not a number from -2147483648 to 4294967295",
        ]
    );
}

#[test]
fn mapped_memory_is_locked_on_request() {
    for (text, expected) in [
        ("1", LockMapped::Try),
        ("off", LockMapped::Off),
        ("Mandatory", LockMapped::Mandatory),
        ("maybe", LockMapped::Off),
    ] {
        let (settings, warnings) = read(&[("LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", text)]).unwrap();
        assert_eq!(
            (settings.lock_mapped, warnings.len()),
            (expected, usize::from(text == "maybe")),
            "{text}"
        );
    }
}

#[test]
fn offload_in_any_case() {
    for (text, kind) in [
        ("MANDATORY", OffloadKind::Mandatory),
        ("disabled", OffloadKind::Disabled),
        ("Default", OffloadKind::Default),
    ] {
        assert_eq!(read(&[("OMP_TARGET_OFFLOAD", text)]).unwrap().0.offload, kind);
    }
}
