//! `LIBOMPTARGET_PROFILE`: a trace of all work in the trace event format of Chrome, which Perfetto opens too.

use super::{Copied, Exchanged, Work};
use crate::info;
use crate::lock;
use crate::sync::Mutex;
use core::time::Duration;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::OnceLock;
use std::time::Instant;

static PROFILE: OnceLock<Profile> = OnceLock::new();

struct Profile {
    file: String,
    /// What takes less is left out.
    granularity: Duration,
    start: Instant,
    events: Mutex<Vec<Value>>,
}

/// Starts a trace, to be written to `file` at exit.
pub fn start(file: &str, granularity_microseconds: u64) {
    PROFILE.get_or_init(|| {
        // Registered before the program's own unregistration, and so run after it.
        // SAFETY: the function may run at any time; this library stays loaded until the process ends.
        unsafe { libc::atexit(write_at_exit) };
        Profile {
            file: file.to_owned(),
            granularity: Duration::from_micros(granularity_microseconds),
            start: Instant::now(),
            events: Mutex::default(),
        }
    });
}

extern "C" fn write_at_exit() {
    write();
}

/// Adds a piece of work.
pub fn record(device: i32, work: &Work<'_>, start: Instant, time: Duration) {
    let Some(profile) = PROFILE.get().filter(|profile| time >= profile.granularity) else { return };
    let since = start.saturating_duration_since(profile.start);
    // SAFETY: has no preconditions.
    let thread = unsafe { libc::gettid() };
    let event = event(device, work, since, time, thread);
    lock(&profile.events).push(event);
}

fn event(device: i32, work: &Work<'_>, start: Duration, time: Duration, thread: i32) -> Value {
    let (name, category, mut details) = describe(work);
    details["device"] = json!(device);
    let microseconds = |time: Duration| time.as_nanos() as f64 / 1000.0;
    json!({
        "name": name,
        "cat": category,
        "ph": "X",
        "ts": microseconds(start),
        "dur": microseconds(time),
        "pid": std::process::id(),
        "tid": thread,
        "args": details,
    })
}

/// Name, category and details.
fn describe(work: &Work<'_>) -> (String, &'static str, Value) {
    let hex = |address: u64| format!("{address:#x}");
    let copied = |copied: &Copied<'_>| {
        json!({
            "bytes": copied.bytes,
            "name": copied.name.name(),
            "host": hex(copied.host as u64),
            "address": hex(copied.device.0),
        })
    };
    match work {
        Work::Construct(construct, location) => {
            (construct.to_string(), "construct", json!({ "location": location.to_string() }))
        }
        Work::Map => ("map".into(), "map", json!({})),
        Work::Unmap => ("unmap".into(), "map", json!({})),
        Work::Allocate { host, bytes } => {
            ("allocate".into(), "memory", json!({ "bytes": bytes, "host": hex(*host as u64) }))
        }
        Work::Free(address) => ("free".into(), "memory", json!({ "address": hex(address.0) })),
        Work::ToDevice(copy) => ("copy to device".into(), "copy", copied(copy)),
        Work::FromDevice(copy) => ("copy from device".into(), "copy", copied(copy)),
        Work::OnDevices(Exchanged { from, to, bytes }) => (
            "copy on devices".into(),
            "copy",
            json!({
                "bytes": bytes,
                "from device": from.0,
                "from": hex(from.1.0),
                "to device": to.0,
                "to": hex(to.1.0),
            }),
        ),
        Work::Launch(launched) => (
            format!("launch {}", super::trace::readable(&launched.kernel.name)),
            "launch",
            json!({
                "kernel": launched.kernel.name,
                "location": launched.location.to_string(),
                "grid": launched.shape.grid,
                "block": launched.shape.block,
                "shared": launched.shared_memory,
            }),
        ),
        Work::Wait => ("wait".into(), "wait", json!({})),
        Work::Associate(copy) => ("associate".into(), "memory", copied(copy)),
        Work::Disassociate { host } => {
            ("disassociate".into(), "memory", json!({ "host": hex(*host as u64) }))
        }
    }
}

/// Writes the file. A later call writes it anew, with what has come in between.
pub fn write() {
    let Some(profile) = PROFILE.get() else { return };
    let events = lock(&profile.events);
    let trace = json!({ "displayTimeUnit": "ns", "traceEvents": *events });
    let written = File::create(&profile.file).and_then(|file| {
        let mut file = BufWriter::new(file);
        serde_json::to_writer(&mut file, &trace)?;
        file.flush()
    });
    if let Err(error) = written {
        info::error(format_args!("LIBOMPTARGET_PROFILE: cannot write {}: {error}", profile.file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DevicePtr;
    use crate::location::MapName;

    #[test]
    fn an_event_is_what_viewers_expect() {
        let copy = Copied {
            host: 0x10,
            device: DevicePtr(0x20),
            bytes: 400,
            name: MapName::from_text(c";a[0:100];f.c;1;2;;"),
        };
        let event = event(1, &Work::ToDevice(copy), Duration::from_nanos(1500), Duration::from_micros(2), 77);
        assert_eq!((&event["name"], &event["ph"]), (&json!("copy to device"), &json!("X")));
        assert_eq!((&event["ts"], &event["dur"], &event["tid"]), (&json!(1.5), &json!(2.0), &json!(77)));
        assert_eq!(event["args"]["bytes"], 400);
        assert_eq!(event["args"]["name"], "a[0:100]");
        assert_eq!(event["args"]["device"], 1);
    }
}
