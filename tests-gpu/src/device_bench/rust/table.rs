//! The kernels in Rust of each bench: how they are launched, and what their figures are.

use super::generic_size;
use std::ffi::CStr;

/// The kernels of one bench.
pub struct Kernels {
    /// The bench, which is the group of the figures, too.
    pub bench: &'static str,
    /// A kernel that is launched before all others, by one thread.
    pub before: Option<&'static CStr>,
    /// The others.
    pub rows: &'static [Row],
}

/// A kernel; its symbol is the name of its figures.
#[derive(Clone, Copy)]
pub struct Row {
    /// The symbol.
    pub name: &'static str,
    /// It is a generic kernel: its main thread has a warp for itself.
    pub generic: bool,
    /// A repeat is one of each thread's, one after the other: so many count as one.
    pub by_each_thread: bool,
    /// Whether it is timed on the host, launch after launch.
    pub on_host: bool,
    /// What it is launched with.
    pub arguments: &'static [Argument],
}

/// What a kernel is told besides its sizes, and which parameter of the figure says so.
#[derive(Clone, Copy)]
pub enum Argument {
    /// The threads of its region, all that there are.
    All,
    /// The threads of a region that may leave threads idle, with this parameter and its value.
    Part(&'static str, &'static str, fn(u32) -> u32),
    /// Bytes, with a parameter of that name.
    Bytes(u64),
}

impl Argument {
    /// Its number for a launch of `threads` threads for the region.
    pub fn of(self, threads: u32) -> u64 {
        match self {
            Self::All => threads.into(),
            Self::Part(.., size) => size(threads).into(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Name and value of the parameter.
    pub fn parameter(self) -> Option<(&'static str, String)> {
        match self {
            Self::All => None,
            Self::Part(name, word, _) => Some((name, word.to_owned())),
            Self::Bytes(bytes) => Some(("bytes", bytes.to_string())),
        }
    }
}

const ALL: &[Argument] = &[Argument::All];
const BYTES: &[Argument] = &[Argument::Bytes(8), Argument::Bytes(64), Argument::Bytes(1024)];
/// As in `barriers.c`.
const PARTS: &[Argument] = &[
    Argument::All,
    Argument::Part("team", "half", |threads| threads / 2),
    Argument::Part("team", "all_but_one", |threads| generic_size(threads) - 1),
];
/// As in `nested.c`.
const OUTER: &[Argument] =
    &[Argument::Part("outer", "all", generic_size), Argument::Part("outer", "2", |_threads| 2)];

const fn spmd(name: &'static str) -> Row {
    Row { name, generic: false, by_each_thread: false, on_host: false, arguments: ALL }
}

const fn generic(name: &'static str) -> Row {
    Row { generic: true, ..spmd(name) }
}

const fn by_each_thread(name: &'static str) -> Row {
    Row { by_each_thread: true, ..spmd(name) }
}

const fn on_host(row: Row) -> Row {
    Row { on_host: true, ..row }
}

const fn with(arguments: &'static [Argument], row: Row) -> Row {
    Row { arguments, ..row }
}

macro_rules! regions {
    ($row:ident) => {
        &[
            $row("empty"),
            $row("shared_1"),
            $row("shared_2"),
            $row("shared_4"),
            $row("shared_8"),
            $row("shared_16"),
            $row("shared_32"),
            $row("shared_64"),
        ]
    };
}

const fn kernels(bench: &'static str, rows: &'static [Row]) -> Kernels {
    Kernels { bench, before: None, rows }
}

/// All of them, but for the reductions, which have inputs.
pub const KERNELS: &[Kernels] = &[
    kernels(
        "barriers",
        &[
            spmd("empty_loop"),
            spmd("bar_sync"),
            spmd("simple_spmd"),
            spmd("simple_generic"),
            spmd("kmpc_barrier_spmd"),
            with(PARTS, generic("kmpc_barrier_generic")),
        ],
    ),
    kernels("parallel-runtime", regions!(generic)),
    kernels("parallel-machine", regions!(generic)),
    kernels("parallel-spmd", regions!(spmd)),
    kernels("launch", &[on_host(spmd("bare")), on_host(spmd("spmd")), on_host(generic("generic"))]),
    Kernels {
        bench: "sync",
        before: Some(c"init_lock"),
        rows: &[
            spmd("barrier"),
            spmd("single"),
            spmd("masked"),
            by_each_thread("atomic"),
            by_each_thread("critical"),
            by_each_thread("lock"),
            by_each_thread("ordered"),
        ],
    },
    kernels(
        "loops",
        &[
            spmd("static"),
            spmd("static_1"),
            spmd("static_8"),
            spmd("dynamic_1"),
            spmd("dynamic_8"),
            spmd("guided_1"),
            spmd("guided_8"),
        ],
    ),
    kernels("memory", &[with(BYTES, spmd("by_all_threads")), with(BYTES, generic("by_main_thread"))]),
    kernels("tasks", &[spmd("task"), spmd("undeferred"), spmd("taskgroup"), spmd("taskloop")]),
    kernels("nested", &[with(OUTER, generic("empty")), with(OUTER, generic("barrier"))]),
];
