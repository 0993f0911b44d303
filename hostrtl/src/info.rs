//! Messages: prefixes, `LIBOMPTARGET_INFO` and the one place that writes to standard error.
//!
//! The texts are LLVM's to the letter, its slips included, since tools match them.

use crate::arrays::Argument;
use crate::device::DevicePtr;
use crate::location::Location;
use crate::register::{self, Library};
use crate::table::{Entry, Table};
use abi::entry::EntryFlags;
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// Bits of `LIBOMPTARGET_INFO`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct InfoFlags(pub u32);

impl InfoFlags {
    /// Arguments of each kernel and data region.
    pub const KERNEL_ARGUMENTS: u32 = 0x1;
    /// A mapping that exists already.
    pub const MAPPING_EXISTS: u32 = 0x2;
    /// The mapping table, when a region failed.
    pub const DUMP_TABLE: u32 = 0x4;
    /// A mapping made or removed.
    pub const MAPPING_CHANGED: u32 = 0x8;
    /// Kernel launches, and the device at its first use.
    pub const KERNEL_LAUNCH: u32 = 0x10;
    /// Transfers between host and device.
    pub const DATA_TRANSFER: u32 = 0x20;
    /// Mapped variables without a counterpart on the device.
    pub const EMPTY_MAPPING: u32 = 0x40;

    /// Whether `bit` is set.
    pub const fn has(self, bit: u32) -> bool {
        self.0 & bit != 0
    }
}

/// The bits as they are now: a program may change them while it runs.
#[derive(Debug, Default)]
pub struct InfoLevel(AtomicU32);

impl InfoLevel {
    /// Starts with `flags`.
    pub const fn new(flags: InfoFlags) -> Self {
        Self(AtomicU32::new(flags.0))
    }

    /// The bits.
    pub fn get(&self) -> InfoFlags {
        InfoFlags(self.0.load(Ordering::Relaxed))
    }

    /// Changes the bits.
    pub fn set(&self, flags: InfoFlags) {
        self.0.store(flags.0, Ordering::Relaxed);
    }

    /// Whether `bit` is set.
    pub fn has(&self, bit: u32) -> bool {
        self.get().has(bit)
    }
}

/// Writes one line to standard error in one go, so that lines of several threads do not mix.
pub fn write_line(line: fmt::Arguments<'_>) {
    #[cfg(test)]
    captured::push(line.to_string());
    #[cfg(not(test))]
    {
        use std::io::Write;
        // Nobody can be told when standard error is closed.
        let _ = std::io::stderr().lock().write_all(format!("{line}\n").as_bytes());
    }
}

/// Prints on standard output, behind what the program has printed there.
pub fn write_output(text: &str) {
    use std::io::Write;
    let mut output = std::io::stdout().lock();
    // SAFETY: only flushes the C library's streams.
    unsafe { libc::fflush(core::ptr::null_mut()) };
    // Nobody can be told when standard output is closed.
    let _ = output.write_all(text.as_bytes()).and_then(|()| output.flush());
}

/// `omptarget message:`: something the program did that OpenMP forbids.
pub fn message(text: impl fmt::Display) {
    write_line(format_args!("omptarget message: {text}"));
}

/// `omptarget error:`: something that failed.
pub fn error(text: impl fmt::Display) {
    write_line(format_args!("omptarget error: {text}"));
}

/// `omptarget device <id> info:`.
pub fn device_info(device: i32, text: impl fmt::Display) {
    write_line(format_args!("omptarget device {device} info: {text}"));
}

fn copied_to_device(host: usize, target: DevicePtr, size: usize, name: &str) -> String {
    format!(
        "Copying data from host to device, HstPtr={host:#018x}, TgtPtr={:#018x}, Size={size}, Name={name}",
        target.0
    )
}

/// The line of a copy to the device.
pub fn copy_to_device(device: i32, host: usize, target: DevicePtr, size: usize, name: &str) {
    device_info(device, copied_to_device(host, target, size, name));
}

/// The line of the copy of a launch environment; it carries the name of LLVM's plugin layer, and the size of LLVM's structure.
pub fn copy_launch_environment(device: i32, host: usize, target: DevicePtr) {
    let size = size_of::<abi::kernel::KernelLaunchEnvironment>();
    let text = copied_to_device(host, target, size, "KernelLaunchEnv");
    write_line(format_args!("\"PluginInterface\" device {device} info: {text}"));
}

/// The line of one launch; it carries the name of LLVM's plugin layer, which tools expect.
pub fn kernel_launch(device: i32, kernel: &str, grid: [u32; 3], block: [u32; 3], mode: &str) {
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    write_line(format_args!(
        "\"PluginInterface\" device {device} info: Launching kernel {kernel} with [{gx},{gy},{gz}] blocks and \
         [{bx},{by},{bz}] threads in {mode} mode"
    ));
}

/// `<region> at <file>:<line>:<column> with <n> arguments:` and a line for each argument.
pub fn region_arguments<'a>(
    device: i32,
    region: &str,
    location: Location<'_>,
    arguments: impl ExactSizeIterator<Item = Argument<'a>>,
) {
    device_info(
        device,
        format_args!(
            "{region} at {}:{}:{} with {} arguments:",
            location.file(),
            location.line(),
            location.column(),
            arguments.len()
        ),
    );
    for argument in arguments {
        let implicit = if argument.kind.is_implicit() { "(implicit)" } else { "" };
        device_info(
            device,
            format_args!("{}({})[{}] {implicit}", kind_name(&argument), argument.name.name(), argument.size),
        );
    }
}

fn kind_name(argument: &Argument<'_>) -> &'static str {
    let kind = argument.kind;
    match () {
        () if kind.is_attach() && kind.is_always() => "attach:always",
        () if kind.is_attach() => "attach",
        () if kind.is_to() && kind.is_from() => "tofrom",
        () if kind.is_to() => "to",
        () if kind.is_from() => "from",
        () if kind.is_private() => "private",
        () if kind.is_literal() => "firstprivate",
        () if argument.size != 0 => "alloc",
        () => "use_address",
    }
}

/// The entries of a program or library, as `OMPTARGET_DUMP_OFFLOAD_ENTRIES` prints them.
pub fn offload_entries(device: i32, library: &Library) {
    write_line(format_args!("Device {device} offload entries:"));
    let row = |kind: &str, entry: &register::Entry| {
        write_line(format_args!("  {kind:>11}: {}", entry.name.to_string_lossy()));
    };
    library.regions().for_each(|entry| row("kernel", entry));
    for entry in library.globals() {
        row(if entry.flags.has(EntryFlags::LINK) { "link" } else { "global var." }, entry);
    }
}

/// The table of mappings of one device, as `LIBOMPTARGET_INFO=4` prints it.
pub fn mapping_table(device: i32, table: &Table, location: Location<'_>) {
    for line in mapping_lines(table, location) {
        device_info(device, line);
    }
}

/// The same on standard output, which is where `ompx_dump_mapping_tables` prints it.
pub fn mapping_table_to_output(device: i32, table: &Table, location: Location<'_>) {
    let lines = mapping_lines(table, location);
    let text: String = lines.iter().map(|line| format!("omptarget device {device} info: {line}\n")).collect();
    write_output(&text);
}

fn mapping_lines(table: &Table, location: Location<'_>) -> Vec<String> {
    if table.is_empty() {
        return vec!["OpenMP Host-Device pointer mappings table empty".to_owned()];
    }
    let mut lines = vec![
        format!(
            "OpenMP Host-Device pointer mappings after block at {}:{}:{}:",
            location.file(),
            location.line(),
            location.column()
        ),
        format!(
            "{:<18} {:<18} {} {} {} {}",
            "Host Ptr", "Target Ptr", "Size (B)", "DynRefCount", "HoldRefCount", "Declaration"
        ),
    ];
    lines.extend(table.entries().map(table_row));
    lines
}

fn table_row(entry: &Entry) -> String {
    format!(
        "{:#018x} {:#018x} {:<8} {:<11} {:<12} {}",
        entry.begin,
        entry.device_begin.0,
        entry.end - entry.begin,
        entry.dynamic_count().to_string(),
        entry.hold_count().to_string(),
        entry.map_name().declaration()
    )
}

/// Lines that the code under test wrote, for each test thread.
#[cfg(test)]
pub(crate) mod captured {
    use std::cell::RefCell;

    thread_local!(static LINES: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) });

    pub fn push(line: String) {
        LINES.with_borrow_mut(|lines| lines.push(line));
    }

    /// What this thread wrote since the last call.
    pub fn take() -> Vec<String> {
        LINES.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::MapName;
    use abi::map::MapType;

    fn argument(kind: u64, size: usize) -> Argument<'static> {
        Argument {
            base: 0,
            begin: 0,
            size,
            kind: MapType(kind),
            name: MapName::from_text(c";x;f.c;1;2;;"),
            mapper: None,
        }
    }

    #[test]
    fn launch_line() {
        kernel_launch(0, "k", [32, 1, 1], [64, 1, 1], "SPMD");
        assert_eq!(
            captured::take(),
            [
                "\"PluginInterface\" device 0 info: Launching kernel k with [32,1,1] blocks and [64,1,1] threads in SPMD mode"
            ]
        );
    }

    #[test]
    fn region_lines() {
        let arguments = [argument(0x223, 8), argument(0x120, 4), argument(0x20, 0)];
        region_arguments(
            1,
            "Entering OpenMP kernel",
            Location::from_text(c";d/f.c;m;9;3;;"),
            arguments.into_iter(),
        );
        assert_eq!(
            captured::take(),
            [
                "omptarget device 1 info: Entering OpenMP kernel at f.c:9:3 with 3 arguments:",
                "omptarget device 1 info: tofrom(x)[8] (implicit)",
                "omptarget device 1 info: firstprivate(x)[4] ",
                "omptarget device 1 info: use_address(x)[0] ",
            ]
        );
    }

    #[test]
    fn every_argument_kind() {
        for (kind, size, name) in [
            (0x4004, 8, "attach:always"),
            (0x4000, 8, "attach"),
            (0x3, 8, "tofrom"),
            (0x1, 8, "to"),
            (0x2, 8, "from"),
            (0x80, 8, "private"),
            (0x100, 8, "firstprivate"),
            (0x20, 8, "alloc"),
            (0x20, 0, "use_address"),
        ] {
            assert_eq!(kind_name(&argument(kind, size)), name);
        }
    }

    #[test]
    fn empty_table() {
        mapping_table(0, &Table::default(), Location::default());
        assert_eq!(
            captured::take(),
            ["omptarget device 0 info: OpenMP Host-Device pointer mappings table empty"]
        );
    }
}
