//! What the host runtime tells on request: the kernel trace, the profile, lines of each operation, the environment
//! variables one by one, `omptarget info`, and `omptarget opt` as it is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tests_gpu::stand_in::Host;
use tests_gpu::{Case, Dist, Outcome, Route, Run, dist, program};

const DEBUG: &[&[&str]] = &[&["-O2", "-g", "-fopenmp-version=51"]];

fn build(source: &'static str, route: Route) -> PathBuf {
    let variant = match route {
        Route::Elf => "tools-elf",
        Route::Plain => "tools-plain",
        _ => "tools",
    };
    program(&Case::new(source, route, variant, DEBUG)).unwrap_or_else(|error| panic!("{error:#}"))
}

fn constructs() -> PathBuf {
    build("tools/constructs.c", Route::Omptarget)
}

#[track_caller]
fn run(run: Run, program: &Path) -> Outcome {
    let outcome = run.of(program).unwrap_or_else(|error| panic!("{error:#}"));
    assert!(outcome.status.success(), "{outcome}");
    outcome
}

fn scratch(name: &str) -> PathBuf {
    let file = dist::target().join("tests-gpu").join(name);
    let _ = std::fs::remove_file(&file);
    file
}

fn a_line_for_each_launch() {
    let outcome = run(Run::on_device().with("LIBOMPTARGET_KERNEL_TRACE", 1), &constructs());
    let lines: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains(" kernel: ")).collect();
    assert_eq!(lines.len(), outcome.launches().len(), "{outcome}");
    let first = lines[0];
    for part in [
        "omptarget device 0 kernel: main, line 17 at constructs.c:17:1, grid [2,1,1], block [",
        " registers, shared ",
        "+0 bytes, SPMD, ",
        " us",
    ] {
        assert!(first.contains(part), "no '{part}'\n{outcome}");
    }
    let time: f64 = first.rsplit(", ").next().unwrap().trim_end_matches(" us").parse().unwrap();
    assert!(time > 0.0, "{outcome}");
}

fn a_line_for_each_operation() {
    let outcome = run(Run::on_device().with("LIBOMPTARGET_DEBUG", 1), &constructs());
    for part in [
        "debug: begin target enter data at constructs.c:16:1",
        "debug: allocate 400 bytes for host 0x",
        "debug: copy to device 400 bytes, host 0x",
        "debug: launch main, line 17 at constructs.c:17:1, grid [2,1,1]",
        "debug: associate 400 bytes",
        "debug: end target update at constructs.c:24:1",
    ] {
        assert!(outcome.stderr.contains(part), "no '{part}'\n{outcome}");
    }
}

/// One event of the profile.
struct Event {
    name: String,
    thread: i64,
    begin: f64,
    end: f64,
    details: serde_json::Value,
}

fn events(file: &Path) -> Vec<Event> {
    let text = std::fs::read_to_string(file).expect("the profile is written");
    let trace: serde_json::Value = serde_json::from_str(&text).expect("the profile is JSON");
    let events = trace["traceEvents"].as_array().expect("there are events");
    let event = |event: &serde_json::Value| {
        assert_eq!(event["ph"], "X");
        let number = |key: &str| event[key].as_f64().unwrap_or_else(|| panic!("no {key} in {event}"));
        Event {
            name: event["name"].as_str().expect("a name").into(),
            thread: event["tid"].as_i64().expect("a thread"),
            begin: number("ts"),
            end: number("ts") + number("dur"),
            details: event["args"].clone(),
        }
    };
    events.iter().map(event).collect()
}

fn a_profile_for_viewers() {
    let file = scratch("profile.json");
    let profiled = Run::on_device().with("LIBOMPTARGET_PROFILE", file.display());
    let outcome = run(profiled.clone(), &constructs());
    let all = events(&file);
    let count = |name: &str| all.iter().filter(|event| event.name == name).count();
    assert_eq!(count("target"), outcome.launches().len(), "{outcome}");
    assert_eq!((count("target enter data"), count("target exit data"), count("target update")), (4, 4, 2));
    assert!(count("map") > 0 && count("unmap") > 0 && count("wait") > 0 && count("free") > 0);
    let to_device = all.iter().filter(|event| event.name == "copy to device");
    assert!(to_device.clone().any(|event| event.details["bytes"] == 400 && event.details["name"] == "a"));
    let launch = all.iter().find(|event| event.name == "launch main, line 17").expect("the launch");
    assert_eq!(launch.details["grid"][0], 2);
    assert_eq!(launch.details["location"], "constructs.c:17:1");
    // In each thread an event lies inside of another or beside it, within what a number of microseconds can tell.
    for a in &all {
        for b in all.iter().filter(|b| b.thread == a.thread) {
            let beside = b.end <= a.begin + 0.01 || a.end <= b.begin + 0.01;
            let inside = |a: &Event, b: &Event| a.begin >= b.begin - 0.01 && a.end <= b.end + 0.01;
            assert!(beside || inside(a, b) || inside(b, a), "{} and {} cross", a.name, b.name);
        }
    }
    // Every launch belongs to a construct.
    for launch in all.iter().filter(|event| event.name.starts_with("launch")) {
        let inside =
            |t: &&Event| t.thread == launch.thread && t.begin <= launch.begin && launch.end <= t.end + 0.01;
        assert!(all.iter().filter(|event| event.name == "target").any(|t| inside(&t)), "{}", launch.name);
    }
    // What is shorter than a minute is left out on request.
    run(profiled.with("LIBOMPTARGET_PROFILE_GRANULARITY", 60_000_000), &constructs());
    assert!(events(&file).is_empty());
}

fn a_profile_of_a_program_that_fails() {
    let file = scratch("profile-of-failure.json");
    let failing = build("bad/not_present.c", Route::Omptarget);
    let outcome = Run::on_device().with("LIBOMPTARGET_PROFILE", file.display()).of(&failing).unwrap();
    assert!(!outcome.status.success(), "{outcome}");
    assert!(events(&file).iter().any(|event| event.name == "target"));
}

/// The first launch of the program with a variable set.
fn first_launch(variable: &str, value: &str) -> ([u32; 3], [u32; 3]) {
    let outcome = run(Run::on_device().with(variable, value), &build("tools/loops.c", Route::Plain));
    assert_eq!(outcome.stdout, "sum 819200\n", "{outcome}");
    let launch = outcome.launches().swap_remove(0);
    (launch.grid, launch.block)
}

fn variables_that_shape_launches() {
    // 204800 iterations: two for each of 3200 teams of 32 threads. (The passes give a reduction fewer teams.)
    for (variable, value, grid, block) in [
        ("NOTHING", "", 3200, 64),
        ("OMP_NUM_TEAMS", "7", 7, 64),
        ("OMP_TEAM_LIMIT", "9", 9, 64),
        ("OMP_TEAMS_THREAD_LIMIT", "32", 3200, 32),
        ("LIBOMPTARGET_REUSE_BLOCKS_FOR_HIGH_TRIP_COUNT", "false", 3200, 64),
        ("LIBOMPTARGET_MIN_THREADS_FOR_LOW_TRIP_COUNT", "128", 1600, 128),
    ] {
        let expected = ([grid, 1, 1], [block, 1, 1]);
        assert_eq!(first_launch(variable, value), expected, "{variable}={value}");
    }
}

/// Where each thread has an iteration, in the passes' form of the loop; with several a thread, the teams are as many as run at once, or a multiple.
fn long_loops_have_large_teams() {
    let launch = |route, variable, value: &str| {
        let outcome = run(Run::on_device().with(variable, value), &build("tools/long_loop.c", route));
        assert_eq!(outcome.stdout, "sum 2460003\n", "{outcome}");
        let launch = outcome.launches().swap_remove(0);
        (launch.grid[0], launch.block[0])
    };
    assert_eq!(launch(Route::Omptarget, "NOTHING", ""), (3204, 256));
    assert_eq!(launch(Route::Omptarget, "OMP_TEAMS_THREAD_LIMIT", "128"), (6407, 128));
    assert_eq!(launch(Route::Omptarget, "OMP_TEAMS_THREAD_LIMIT", "200"), (6407, 128));
    assert_eq!(launch(Route::Omptarget, "OMP_NUM_TEAMS", "5"), (5, 256));
    assert_eq!(launch(Route::Plain, "NOTHING", ""), (3200, 128));
}

/// The main thread of a generic kernel is no thread of the team that workers form.
fn a_limit_of_threads_counts_those_of_a_region() {
    let options: &[&[&str]] = &[&["-O0"]];
    let program = program(&Case::new("tools/team_size.c", Route::Omptarget, "O0", options))
        .unwrap_or_else(|error| panic!("{error:#}"));
    for (limit, block) in [(16, 48), (1, 33), (64, 96)] {
        let outcome = run(Run::on_device().with("OMP_TEAMS_THREAD_LIMIT", limit), &program);
        assert_eq!(outcome.stdout, format!("{limit} threads, {limit} of them counted\n"), "{outcome}");
        assert_eq!(outcome.launches()[0].block, [block, 1, 1], "{outcome}");
        assert_eq!(outcome.modes(), ["Generic"], "{outcome}");
    }
}

/// Names of the driver calls of a run on the stand-in, under settings.
fn driver_calls(program: &Path, settings: &[(&str, &str)]) -> Vec<String> {
    let name = settings.iter().map(|(variable, value)| format!("-{variable}-{value}")).collect::<String>();
    let trace = scratch(&format!("calls{name}"));
    let on_stand_in = Host::Ours.on_stand_in(&Dist::find().unwrap_or_else(|error| panic!("{error:#}")));
    let traced = on_stand_in.with("OMPTARGET_SIMT_TRACE", trace.display());
    run(settings.iter().fold(traced, |run, (variable, value)| run.with(variable, value)), program);
    let text = std::fs::read_to_string(&trace).expect("the stand-in writes its calls");
    text.lines().filter_map(|line| Some(line.split_whitespace().nth(1)?.to_owned())).collect()
}

fn calls(variable: &str, value: &str) -> Vec<String> {
    driver_calls(&build("tools/constructs.c", Route::Elf), &[(variable, value)])
}

/// What a construct gives back, the next one gets without a driver call.
fn arrays_mapped_again_get_their_block() {
    let program = build("tools/mapped_again.c", Route::Elf);
    let blocks = |settings: &[(&str, &str)]| {
        let calls = driver_calls(&program, settings);
        ["cuMemAlloc_v2", "cuMemFree_v2"].map(|name| calls.iter().filter(|call| *call == name).count())
    };
    let [given, taken] = blocks(&[]);
    assert_eq!(blocks(&[("LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "8192")]), [given + 9, taken + 10]);
    assert_eq!(blocks(&[("LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "65536")]), [given, taken]);
}

/// Not optimised, an image has the runtime's functions, which a driver would compile anew for each kernel.
fn images_of_many_functions_are_linked() {
    let options: &[&[&str]] = &[&["-O0"]];
    let built = |source| program(&Case::new(source, Route::Omptarget, "O0", options)).unwrap();
    let (many_kernels, few_kernels) = (built("saxpy_reduce.c"), built("tools/team_size.c"));
    let loads = |program: &Path, settings: &[(&str, &str)]| -> Vec<String> {
        let is_load = |call: &String| call.starts_with("cuLink") || call == "cuModuleLoadDataEx";
        driver_calls(program, settings).into_iter().filter(is_load).collect()
    };
    let linked =
        ["cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuModuleLoadDataEx", "cuLinkDestroy"];
    let whole = ["cuModuleLoadDataEx"];
    assert_eq!(loads(&many_kernels, &[]), linked);
    assert_eq!(loads(&few_kernels, &[]), whole);
    assert_eq!(loads(&many_kernels, &[("OMPTARGET_PTX", "whole")]), whole);
    assert_eq!(loads(&few_kernels, &[("OMPTARGET_PTX", "linked")]), linked);
    // What the linker refuses is compiled as a whole.
    let refused = loads(&many_kernels, &[("OMPTARGET_SIMT_FAULT", "cuLinkComplete=209")]);
    assert_eq!(
        refused,
        ["cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkComplete", "cuLinkDestroy", "cuModuleLoadDataEx"]
    );
}

fn variables_that_the_driver_sees() {
    let count = |calls: &[String], name: &str| calls.iter().filter(|call| *call == name).count();
    let plain = calls("NOTHING", "");
    for (variable, value, call, more) in [
        ("LIBOMPTARGET_HEAP_SIZE", "1048576", "cuCtxSetLimit", 1),
        ("LIBOMPTARGET_NUM_INITIAL_STREAMS", "6", "cuStreamCreate", 1),
        ("LIBOMPTARGET_MEMORY_MANAGER_THRESHOLD", "0", "cuMemFree_v2", 1),
        ("LIBOMPTARGET_SHARED_MEMORY_SIZE", "65536", "cuFuncSetAttribute", 1),
    ] {
        let with = calls(variable, value);
        assert!(
            count(&with, call) >= count(&plain, call) + more,
            "{variable}={value}: {call} {} times, without {}",
            count(&with, call),
            count(&plain, call)
        );
    }
    // Without it the stack is what the kernels may need, which their image tells.
    let first = |calls: Vec<String>| {
        calls.into_iter().find(|call| ["cuCtxSetLimit", "cuModuleLoadDataEx"].contains(&call.as_str()))
    };
    let with = calls("LIBOMPTARGET_STACK_SIZE", "4096");
    assert_eq!(count(&with, "cuCtxSetLimit"), 1);
    assert_eq!(first(with).as_deref(), Some("cuCtxSetLimit"));
    assert_eq!(first(plain).as_deref(), Some("cuModuleLoadDataEx"));
}

fn variables_without_effect_say_so() {
    let odd =
        [("LIBOMPTARGET_AMDGPU_NUM_HSA_QUEUES", "3"), ("OFFLOAD_TRACE", "1"), ("LIBOMPTARGET_INFOS", "1")];
    for (variable, value) in odd {
        let outcome = run(Run::on_device().with(variable, value), &constructs());
        let told = format!("omptarget message: {variable} has no effect: ");
        assert_eq!(outcome.stderr.matches(&told).count(), 1, "{outcome}");
    }
}

/// In the form that LLVM's own test of it wants; LLVM 22.1.8 prints the headline alone, since its list is empty.
fn offload_entries() {
    let outcome = run(Run::on_device().with("OMPTARGET_DUMP_OFFLOAD_ENTRIES", 0), &constructs());
    let lines = outcome.stderr.lines().skip_while(|line| *line != "Device 0 offload entries:").skip(1);
    let mut entries: Vec<&str> = lines.take_while(|line| line.starts_with("  ")).collect();
    entries.sort_unstable();
    assert_eq!(entries.len(), 5, "{outcome}");
    assert!(
        entries[..4].iter().all(|line| line.starts_with("       kernel: __omp_offloading_")),
        "{outcome}"
    );
    assert_eq!(entries[4], "  global var.: global", "{outcome}");
}

fn info(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let mut command = Command::new(dist.driver());
    command.arg("info").args(arguments).envs(environment.iter().copied());
    let output = command.output().expect("omptarget starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn omptarget_info() {
    let program = constructs();
    let path = program.to_str().expect("a path of text");
    let on_simt = [("OMPTARGET_DEVICE", "simt"), ("LIBOMPTARGET_INFO", "16"), ("OFFLOAD_TRACE", "1")];
    let text = info(&[path], &on_simt);
    for part in [
        "runs on     simt: OMPTARGET_DEVICE is simt",
        "device 0    SIMT device (CPU) (sm_90, simt), ",
        "set         LIBOMPTARGET_INFO=16: what is printed, as bits",
        "wrong       OFFLOAD_TRACE has no effect",
        "image       PTX for sm_90, ",
        "runs on device 0",
        "kernel  main, line 17 (__omp_offloading_",
    ] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
    let json: serde_json::Value = serde_json::from_str(&info(&["--json", path], &on_simt)).expect("JSON");
    assert_eq!(json["devices"][0]["architecture"], "sm_90");
    assert_eq!(json["images"][0]["kernels"].as_array().map(Vec::len), Some(4));
    assert_eq!(json["images"][0]["runs_on"], serde_json::json!([0]));
    // A cubin, or what looks like one, does not run on the interpreter; with the stand-in driver it does.
    let elf = build("tools/constructs.c", Route::Elf);
    let text = info(&[elf.to_str().expect("a path of text")], &[("OMPTARGET_DEVICE", "simt")]);
    assert!(text.contains("runs on no device; the SIMT device runs PTX, not machine code"), "{text}");
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let driver = dist.folder().join("lib/simt").display().to_string();
    let stand_in = [("OMPTARGET_DEVICE", "cuda"), ("LD_LIBRARY_PATH", driver.as_str())];
    let text = info(&[elf.to_str().expect("a path of text")], &stand_in);
    assert!(text.contains("CUDA driver 13.0") && text.contains("lib/simt/libcuda.so.1"), "{text}");
    assert!(text.contains("image       cubin for sm_90") && text.contains("runs on device 0"), "{text}");
    assert!(info(&["/bin/true"], &on_simt).contains("image       none"));
    let none = info(&[], &[("OMPTARGET_DEVICE", "none")]);
    assert!(none.contains("constructs run on the host: OMPTARGET_DEVICE=none"), "{none}");
}

fn omptarget_opt() {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let source = tests_gpu::build::source("spmd/serial_sum_then_parallel.c");
    let mut command = Command::new(dist.driver());
    let output = command.args(["opt", "--explain"]).arg(source).output().expect("omptarget starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for part in ["kernel f, line 5", "generic before, SPMD now", "1 parallel region", "OMP110", "OMP111"] {
        assert!(text.contains(part), "no '{part}' in\n{text}");
    }
}

/// As with `| head`, which ends when it has read enough.
fn output_that_nobody_reads() {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let source = tests_gpu::build::source("spmd/serial_sum_then_parallel.c");
    let source = source.to_str().expect("a path of text");
    for arguments in [&["info"][..], &["info", "--json"], &["opt", source], &["opt", "--explain", source]] {
        let mut command = Command::new(dist.driver());
        let command = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("omptarget starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
    }
}

tests_gpu::trials! {
    a_line_for_each_launch,
    a_line_for_each_operation,
    a_profile_for_viewers,
    a_profile_of_a_program_that_fails,
    variables_that_shape_launches,
    long_loops_have_large_teams,
    a_limit_of_threads_counts_those_of_a_region,
    variables_that_the_driver_sees,
    arrays_mapped_again_get_their_block,
    images_of_many_functions_are_linked,
    variables_without_effect_say_so,
    offload_entries,
    omptarget_info,
    omptarget_opt,
    output_that_nobody_reads,
}
