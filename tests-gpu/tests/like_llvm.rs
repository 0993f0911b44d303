//! The same programs on LLVM 22's libomptarget and on ours, both on the stand-in driver: what users and tools are told is
//! the same, line by line, but for the differences that a table here gives reasons for.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tests_gpu::stand_in::Host;
use tests_gpu::{Case, Dist, Outcome, Route, Run, dist, program};

const DEBUG: &[&[&str]] = &[&["-O2", "-g", "-fopenmp-version=51"]];

/// Programs of which every line is compared: maps of all kinds, data constructs, updates, `present`, globals, `nowait`,
/// reductions and routines.
const PROGRAMS: [&str; 7] = [
    "tools/constructs.c",
    "features/map_types.c",
    "features/map_struct.c",
    "features/memory_api.c",
    "features/declare_target.c",
    "features/firstprivate.c",
    "features/reduction_forms.c",
];

/// Lines that only one of the two prints, by a part of the line, and why.
const ONLY_LLVM: [(&str, &str); 3] = [
    (
        "CUDA device 0 info: The primary context is inactive",
        "LLVM sets a flag of the context; our waits do not need it",
    ),
    ("Size=48, Name=unknown", "LLVM loads the image within the first construct, we load it before"),
    (
        "Copying data from host to device, HstPtr=PTR, TgtPtr=PTR, Size=40, Name=unknown",
        "its omp_target_memset copies, ours fills",
    ),
];
const ONLY_OURS: [(&str, &str); 4] = [
    ("x86-64 CPU (x86-64, in this process)", "we announce a device at its first use"),
    ("SIMT device (CPU) (sm_90, CUDA driver 13.0)", "we announce a device at its first use"),
    ("Size=48, Name=unknown", "see above"),
    ("omptarget error: No devices: ", "we say why there are none"),
];

fn case(source: &'static str) -> Case {
    Case::new(source, Route::Elf, "like-llvm", DEBUG)
}

fn build(source: &'static str) -> PathBuf {
    program(&case(source)).unwrap_or_else(|error| panic!("{error:#}"))
}

fn run(host: Host, change: impl Fn(Run) -> Run, program: &Path) -> Outcome {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    change(host.on_stand_in(&dist)).of(program).unwrap_or_else(|error| panic!("{error:#}"))
}

/// The lines without addresses and without what only this side prints. Rows of a table of mappings stand in the order of
/// addresses, which differ from run to run: they are sorted. The copies of a construct come last: LLVM makes them between
/// its maps, we make them when all is mapped and the table is free for other threads.
fn lines(text: &str, only_here: &[(&str, &str)]) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(without_addresses).collect();
    lines.retain(|line| !only_here.iter().any(|(part, _)| line.contains(part)));
    for rows in lines.chunk_by_mut(|a, b| is_row(a) && is_row(b)) {
        rows.sort();
    }
    for construct in lines.chunk_by_mut(|_, next| !begins_construct(next)) {
        construct.sort_by_key(|line| line.contains("Copying data").then(|| line.clone()));
    }
    lines
}

fn begins_construct(line: &str) -> bool {
    ["Entering OpenMP", "Exiting OpenMP", "Updating data within"].iter().any(|words| line.contains(words))
}

fn is_row(line: &str) -> bool {
    line.starts_with("omptarget device 0 info: PTR PTR ")
}

fn without_addresses(line: &str) -> String {
    let mut parts = line.split("0x");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        text.push_str("PTR");
        text.push_str(&part[digits..]);
    }
    text
}

/// A copy that belongs to no mapping: LLVM prints the name of a mapping near by.
fn equal(llvm: &str, ours: &str) -> bool {
    let name = |line: &str| line.contains("Copying data").then(|| line.rfind("Name=")).flatten();
    llvm == ours
        || ours.ends_with("Name=unknown")
            && name(llvm).is_some_and(|at| Some(at) == name(ours) && llvm[..at] == ours[..at])
}

#[track_caller]
fn same_lines(llvm: &Outcome, ours: &Outcome, what: &str) {
    let (theirs, mine) = (lines(&llvm.stderr, &ONLY_LLVM), lines(&ours.stderr, &ONLY_OURS));
    for (at, (theirs, mine)) in theirs.iter().zip(&mine).enumerate() {
        assert!(equal(theirs, mine), "{what}, line {}\nLLVM: {theirs}\nours: {mine}\n{llvm}\n{ours}", at + 1);
    }
    assert_eq!(theirs.len(), mine.len(), "{what}: lines\n{llvm}\n{ours}");
}

#[test]
fn all_information_about_programs() {
    for source in PROGRAMS {
        let program = build(source);
        let all = |run: Run| run.with("LIBOMPTARGET_INFO", -1);
        let (llvm, ours) = (run(Host::Llvm22, all, &program), run(Host::Ours, all, &program));
        assert!(llvm.status.success() && ours.status.success(), "{source}\n{llvm}\n{ours}");
        assert_eq!(llvm.stdout, ours.stdout, "{source}");
        assert!(llvm.stderr.lines().count() > 50, "{source} says a lot\n{llvm}");
        same_lines(&llvm, &ours, source);
    }
}

/// On the device that is this CPU; LLVM has four of it. Without `nowait`, whose messages come when the host's threads
/// please, and without copies between devices, which LLVM makes by way of the host.
#[test]
fn all_information_on_this_cpu() {
    for source in [
        "features/map_types.c",
        "features/map_struct.c",
        "features/declare_target.c",
        "features/firstprivate.c",
    ] {
        let case = Case::new(source, Route::HostCpu, "like-llvm-cpu", DEBUG);
        let program = program(&case).unwrap_or_else(|error| panic!("{error:#}"));
        let all = Run::on_device().with("LIBOMPTARGET_INFO", -1);
        let of = |run: Run| run.of(&program).unwrap_or_else(|error| panic!("{error:#}"));
        let llvm = of(all.clone().with("LD_LIBRARY_PATH", "/usr/lib/llvm-22/lib"));
        let ours = of(all.with("OMPTARGET_X86_DEVICES", 4));
        assert!(llvm.status.success() && ours.status.success(), "{source}\n{llvm}\n{ours}");
        assert!(llvm.stderr.lines().count() > 50, "{source} says a lot\n{llvm}");
        same_lines(&llvm, &ours, source);
    }
}

#[test]
fn each_bit_alone() {
    let program = build("tools/constructs.c");
    for bit in (0..7).map(|shift| 1 << shift) {
        let one = |run: Run| run.with("LIBOMPTARGET_INFO", bit);
        let (llvm, ours) = (run(Host::Llvm22, one, &program), run(Host::Ours, one, &program));
        same_lines(&llvm, &ours, &format!("bit {bit:#x}"));
    }
}

#[test]
fn pointers_are_attached_always_on_request() {
    let program = build("tools/attach.c");
    let lines_of = |host, always| {
        let asked = |run: Run| {
            run.with("LIBOMPTARGET_INFO", -1).with("LIBOMPTARGET_TREAT_ATTACH_AUTO_AS_ALWAYS", always)
        };
        run(host, asked, &program)
    };
    let (llvm, ours) = (lines_of(Host::Llvm22, 1), lines_of(Host::Ours, 1));
    same_lines(&llvm, &ours, "always");
    let lookups = |outcome: &Outcome| outcome.stderr.matches("(update suppressed)").count();
    assert!(lookups(&ours) > lookups(&lines_of(Host::Ours, 0)), "more pointers are attached\n{ours}");
}

/// On standard output, unlike all else.
#[test]
fn tables_on_request() {
    let program = build("tools/tables.c");
    let of = |host| lines(&run(host, |run| run, &program).stdout, &[]);
    let llvm = of(Host::Llvm22);
    assert!(llvm.len() > 5, "{llvm:?}");
    assert_eq!(llvm, of(Host::Ours));
}

#[test]
fn fatal_errors() {
    let no_device =
        |run: Run| run.with("OMPTARGET_DEVICE", "none").with("LD_LIBRARY_PATH", "/usr/lib/llvm-22/lib");
    let no_device_ours = |run: Run| run.with("OMPTARGET_DEVICE", "none");
    for source in [
        "bad/extension.c",
        "bad/not_present.c",
        "bad/present_extension.c",
        "bad/device_number.c",
        "bad/sum.c",
    ] {
        let program = build(source);
        for info in [0, 4] {
            let told = |run: Run| run.with("LIBOMPTARGET_INFO", info);
            let (llvm, ours) = match source {
                "bad/sum.c" => (
                    run(Host::Llvm22, |run| told(no_device(run)), &program),
                    run(Host::Ours, |run| told(no_device_ours(run)), &program),
                ),
                _ => (run(Host::Llvm22, told, &program), run(Host::Ours, told, &program)),
            };
            assert!(!llvm.status.success(), "{llvm}");
            assert_eq!(llvm.status, ours.status, "{source}\n{llvm}\n{ours}");
            same_lines(&llvm, &ours, source);
        }
    }
}

/// The tool of `kernels/tools`, as a library, made once.
fn tool() -> &'static Path {
    static TOOL: LazyLock<PathBuf> = LazyLock::new(|| {
        let file = dist::target().join("tests-gpu").join("ompt_tool.so");
        let mut clang = Command::new("clang-22");
        clang.args(["-shared", "-fPIC", "-o"]).arg(&file);
        let output =
            clang.arg(dist::root().join("kernels/tools/ompt_tool.c")).output().expect("clang-22 starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        file
    });
    &TOOL
}

/// The connection of LLVM 19's libraries of device kinds.
#[test]
fn a_library_that_asks_for_the_tool() {
    let program = program(&Case::new("tools/ompt_connect.c", Route::Omptarget, "like-llvm", DEBUG))
        .unwrap_or_else(|error| panic!("{error:#}"));
    let of = |run: Run| run.of(&program).unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(of(Run::on_device()).stdout, "x 1\n", "there is no tool");
    let outcome = of(Run::on_device().with("OMP_TOOL_LIBRARIES", tool().display()));
    assert_eq!(outcome.stdout, "connected, callback 1\nx 1\n", "{outcome}");
}

/// Callbacks that differ, by their begin, and why.
const OTHER_CALLBACKS: [(&str, &str); 3] = [
    (
        "ompt device_initialize",
        "LLVM offers tracing on the device, whose functions do nothing; we offer none",
    ),
    ("ompt device_unload", "LLVM has forgotten the tool by then"),
    ("ompt device_finalize", "LLVM has forgotten the tool by then"),
];

/// The callbacks, without ids: LLVM gives `target enter data` none, so that later ones differ. The EMI forms keep the
/// tool's own data.
fn callbacks(outcome: &Outcome) -> Vec<String> {
    let of_tool = outcome.stderr.lines().filter(|line| line.starts_with("ompt "));
    let compared = of_tool.filter(|line| !OTHER_CALLBACKS.iter().any(|(begin, _)| line.starts_with(begin)));
    let mut lines = Vec::new();
    for line in compared {
        let mut words: Vec<&str> = line.split(' ').collect();
        for at in 1..words.len() {
            if ["id", "target", "op"].contains(&words[at - 1]) && !line.contains("_emi") && at > 2 {
                words[at] = "ID";
            }
        }
        lines.push(words.join(" "));
    }
    lines
}

#[test]
fn callbacks_of_a_tool() {
    let (program, tool) = (build("tools/constructs.c"), tool());
    for emi in [false, true] {
        let with_tool = |run: Run| {
            let run = run.with("OMP_TOOL_LIBRARIES", tool.display()).with("LIBOMPTARGET_INFO", 0);
            if emi { run.with("TOOL_EMI", 1) } else { run }
        };
        let (llvm, ours) = (run(Host::Llvm22, with_tool, &program), run(Host::Ours, with_tool, &program));
        let (theirs, mine) = (callbacks(&llvm), callbacks(&ours));
        assert!(theirs.len() > 30, "the tool is called\n{llvm}");
        assert_eq!(theirs, mine);
        for (event, count) in
            [("device_initialize", 1), ("device_load", 1), ("device_unload", 1), ("device_finalize", 1)]
        {
            let found =
                ours.stderr.lines().filter(|line| line.starts_with(&format!("ompt {event} 0"))).count();
            assert_eq!(found, count, "{event}\n{ours}");
        }
    }
    // Every construct and operation has an id of its own.
    let run_ours = run(Host::Ours, |run| run.with("OMP_TOOL_LIBRARIES", tool.display()), &program);
    let ids = |what: &str| -> Vec<u64> {
        let of_kind = run_ours.stderr.lines().filter(|line| line.starts_with("ompt "));
        let id = |line: &str| line.split_once(what)?.1.split(' ').next()?.parse().ok();
        of_kind.filter_map(id).collect()
    };
    let operations = ids(" op ");
    assert!(operations.windows(2).all(|pair| pair[0] < pair[1]), "{run_ours}");
    assert!(ids(" id ").iter().all(|id| *id > 0), "{run_ours}");
}
