//! Memory of the host program. A kernel that got a pointer to it is a common mistake, and reports say what it points to;
//! unless the device shares the host's memory, as a GPU with access to pageable memory does (`requires
//! unified_shared_memory`).

use crate::check::Checks;
use crate::env;
use crate::weak::MemoryModel;
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether kernels reach the memory of the host.
static SHARED: AtomicBool = AtomicBool::new(false);
/// Counts launches: what a thread knows about the host's memory holds for one.
static LAUNCHES: AtomicU64 = AtomicU64::new(0);

/// Lets kernels reach the memory of the host from now on. Checkers and the weak memory mode know nothing about it, so a
/// device under them does not: false. So it is with variables that are not understood: they are refused when the device is
/// made.
pub fn share() -> bool {
    let possible = can_share(|name| std::env::var(name).ok());
    SHARED.fetch_or(possible, Ordering::Relaxed);
    possible
}

fn can_share(get: impl Fn(&str) -> Option<String>) -> bool {
    let unchecked = Checks::parse(&get(env::CHECK).unwrap_or_default()).is_ok_and(Checks::is_empty);
    unchecked && env::config(get).is_ok_and(|config| config.memory_model == MemoryModel::Sequential)
}

/// Whether kernels reach the memory of the host.
pub fn is_shared() -> bool {
    SHARED.load(Ordering::Relaxed)
}

/// A launch begins: the program may have freed memory since the last one.
pub fn launch_begins() {
    if is_shared() {
        LAUNCHES.fetch_add(1, Ordering::Relaxed);
    }
}

thread_local! {
    /// Launch, and the ranges of the host's memory that could be read when one was looked for in it.
    static KNOWN: RefCell<(u64, Vec<Range<u64>>)> = const { RefCell::new((0, Vec::new())) };
}

/// Whether the device shares the host's memory and `bytes` bytes at `address` are there. Writing to what the host may only
/// read ends the process, as it does on the host.
#[cold]
pub fn reaches(address: u64, bytes: u64) -> bool {
    let Some(end) = address.checked_add(bytes) else { return false };
    if !is_shared() {
        return false;
    }
    KNOWN.with_borrow_mut(|(launch, ranges)| {
        let inside = |ranges: &[Range<u64>]| {
            let index = ranges.partition_point(|range| range.end <= address);
            ranges.get(index).is_some_and(|range| range.start <= address && end <= range.end)
        };
        let now = LAUNCHES.load(Ordering::Relaxed);
        if *launch == now && inside(ranges) {
            return true;
        }
        // Memory that came since is looked for once more; what went is noticed at the next launch.
        *launch = now;
        *ranges = std::fs::read_to_string("/proc/self/maps").map_or(Vec::new(), |maps| readable(&maps));
        inside(ranges)
    })
}

/// The ranges that may be read, in order, those without a gap joined.
fn readable(maps: &str) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for (range, rest) in maps.lines().filter_map(bounds) {
        match ranges.last_mut() {
            _ if !rest.starts_with('r') => {}
            Some(last) if last.end == range.start => last.end = range.end,
            _ => ranges.push(range),
        }
    }
    ranges
}

/// Bounds of a line of `/proc/self/maps`, and what follows them.
fn bounds(line: &str) -> Option<(Range<u64>, &str)> {
    let number = |text| u64::from_str_radix(text, 16).ok();
    let (range, rest) = line.split_once(' ')?;
    let (start, end) = range.split_once('-')?;
    Some((number(start)?..number(end)?, rest))
}

/// The memory of the host program that holds `address`, in words; `None` if none does, or if the system does not say.
pub fn holder(address: u64) -> Option<String> {
    name(&std::fs::read_to_string("/proc/self/maps").ok()?, address)
}

/// The same from the text of `/proc/self/maps` (proc_pid_maps(5)): `start-end permissions offset device inode  name`.
fn name(maps: &str, address: u64) -> Option<String> {
    let line = maps.lines().find(|line| bounds(line).is_some_and(|(bounds, _)| bounds.contains(&address)))?;
    // A path may hold spaces: all behind the fifth field.
    let name =
        line.split_whitespace().nth(5).map_or("", |first| &line[line.find(first).unwrap_or(line.len())..]);
    Some(match name {
        "[stack]" => "the stack".to_owned(),
        "[heap]" | "" => "the heap or a thread's stack".to_owned(),
        other => format!("variables or code of {other}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAPS: &str = "\
55d0c0000000-55d0c0002000 rw-p 00000000 fe:00 42                         /home/me/my program
55d0c1000000-55d0c1021000 rw-p 00000000 00:00 0                          [heap]
7f0000000000-7f0000100000 rw-p 00000000 00:00 0 
7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                          [stack]
";

    #[test]
    fn the_parts_of_a_program_are_told_apart() {
        for (address, expected) in [
            (0x55d0_c000_0000, Some("variables or code of /home/me/my program")),
            (0x55d0_c000_1fff, Some("variables or code of /home/me/my program")),
            (0x55d0_c000_2000, None),
            (0x55d0_c100_0010, Some("the heap or a thread's stack")),
            (0x7f00_0000_0010, Some("the heap or a thread's stack")),
            (0x7ffd_0000_0010, Some("the stack")),
            (0x10, None),
        ] {
            assert_eq!(name(MAPS, address).as_deref(), expected, "{address:#x}");
        }
    }

    #[test]
    fn checkers_and_the_weak_memory_mode_keep_the_memories_apart() {
        for (name, value, expected) in [
            (env::CHECK, "", true),
            (env::CHECK, "none", true),
            (env::CHECK, "race", false),
            (env::CHECK, "no such checker", false),
            (env::MEMORY_MODEL, "sc", true),
            (env::MEMORY_MODEL, "weak", false),
        ] {
            let can = can_share(|wanted| (wanted == name).then(|| value.to_owned()));
            assert_eq!(can, expected, "{name}={value}");
        }
    }

    #[test]
    fn what_can_be_read_is_joined() {
        let expected: [Range<u64>; 4] = [
            0x55d0_c000_0000..0x55d0_c000_2000,
            0x55d0_c100_0000..0x55d0_c102_1000,
            0x7f00_0000_0000..0x7f00_0010_0000,
            0x7ffd_0000_0000..0x7ffd_0002_1000,
        ];
        assert_eq!(readable(MAPS), expected);
        let more = "1000-2000 r--p 0\n2000-3000 rw-p 0\n3000-4000 ---p 0\n4000-5000 rw-p 0\n";
        assert_eq!(readable(more), [0x1000..0x3000, 0x4000..0x5000]);
    }

    #[test]
    fn a_variable_of_this_program_is_found() {
        let here = 1u8;
        assert!(holder(&raw const here as u64).is_some());
    }
}
