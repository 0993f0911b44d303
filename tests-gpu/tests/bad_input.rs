//! Programs and settings that are wrong: each must give one clear message that names what is wrong, and then a non-zero
//! exit or, where OpenMP prescribes it, the right result from the host.

use std::path::PathBuf;
use tests_gpu::{Case, Outcome, Route, Run, program};

/// Builds `kernels/bad/<name>.c`. With debug information, so that messages can name variables and lines.
fn bad(name: &'static str, variant: &'static str, options: &'static [&'static [&'static str]]) -> PathBuf {
    program(&case(name, variant, options)).unwrap_or_else(|e| panic!("{e:#}"))
}

fn case(name: &'static str, variant: &'static str, options: &'static [&'static [&'static str]]) -> Case {
    Case::new(name, Route::Omptarget, variant, options)
}

fn run(run: Run, program: &std::path::Path) -> Outcome {
    run.of(program).unwrap_or_else(|e| panic!("{e:#}"))
}

const DEBUG: &[&[&str]] = &[&["-O2", "-g"]];

/// The line of the one message that holds all of `words`; the program must have failed.
#[track_caller]
fn failed_with(outcome: &Outcome, words: &[&str]) {
    assert!(!outcome.status.success(), "the program did not fail\n{outcome}");
    message(outcome, words);
}

/// Exactly one line holds all of `words`.
#[track_caller]
fn message(outcome: &Outcome, words: &[&str]) {
    let lines = outcome.stderr.lines().filter(|line| words.iter().all(|word| line.contains(word))).count();
    assert_eq!(lines, 1, "lines with {words:?}\n{outcome}");
}

/// Whether the tests run on the interpreter, as they do unless told otherwise or a GPU is there.
fn on_simt() -> bool {
    let outcome = run(Run::on_device(), &bad("bad/sum.c", "debug", DEBUG));
    let device = tests_gpu::launch::device(&outcome.stderr);
    device.unwrap_or_else(|| panic!("no device is announced\n{outcome}")).contains("simt")
}

fn an_image_for_another_architecture() {
    let program = bad("bad/sum.c", "sm_120", &[&["-O2", "-g", "--offload-arch=sm_120"]]);
    failed_with(&run(Run::on_device(), &program), &["no device image", "sm_120"]);
    // OpenMP's default: the region runs on the host.
    let outcome = run(Run::by_default(), &program);
    assert!(outcome.status.success() && outcome.stdout == "sum 4950\n", "{outcome}");
    assert!(outcome.launches().is_empty(), "{outcome}");
}

fn memory_that_the_device_cannot_share() {
    let program = bad("features/unified_shared_memory.c", "required", DEBUG);
    // Checkers know nothing about memory of the host.
    let on_simt = |run: Run| run.with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_CHECK", "race");
    let outcome = run(on_simt(Run::by_default()), &program);
    message(
        &outcome,
        &["omptarget error", "cannot reach the memory of the program", "unified_shared_memory"],
    );
    assert!(outcome.status.success() && outcome.launches().is_empty(), "the host does the work\n{outcome}");
    failed_with(&run(on_simt(Run::on_device()), &program), &["omptarget error", "cannot reach the memory"]);
}

fn requirements_that_differ() {
    let program = bad("bad/requires.c", "debug", DEBUG);
    let with = |first, second| run(Run::on_device().argument(first).argument(second), &program);
    let same = with(1, 1);
    assert!(same.status.success() && same.stdout == "registered\n", "{same}");
    for (second, clause) in [(2, "reverse_offload"), (4, "unified_address"), (0x10, "dynamic_allocators")] {
        let words =
            format!("omptarget fatal error 2: '#pragma omp requires {clause}' not used consistently!");
        failed_with(&with(1, second), &[&words]);
    }
}

fn an_instruction_that_does_not_exist() {
    let program = bad("bad/unknown_instruction.c", "debug", DEBUG);
    let outcome = run(Run::on_device(), &program);
    let words: &[&str] = if on_simt() { &["omptarget error", "frobnicate", "line"] } else { &["PTX"] };
    failed_with(&outcome, words);
}

fn a_function_that_the_device_lacks() {
    let name = "bad/missing_function.c";
    let linked = case(name, "debug", DEBUG);
    let error = program(&linked).expect_err("the link succeeds").to_string();
    assert!(error.contains("nvlink error   : Undefined reference to 'only_on_the_host' in "), "{error}");
    // An image that no linker has seen.
    let program = bad(name, "unlinked", &[&["-O2", "-g", "-Xoffload-linker", "--lto-emit-asm"]]);
    let outcome = run(Run::on_device(), &program);
    let words: &[&str] = if on_simt() { &["omptarget error", "only_on_the_host", "line"] } else { &["PTX"] };
    failed_with(&outcome, words);
}

fn a_map_of_a_null_pointer() {
    let program = bad("bad/null_map.c", "debug", DEBUG);
    for policy in [Run::on_device(), Run::by_default()] {
        let words = ["cannot map a null pointer", "missing[0:100]", "800 bytes", "null_map.c:8:1"];
        failed_with(&run(policy, &program), &words);
    }
}

fn a_write_out_of_bounds() {
    let program = bad("bad/out_of_bounds.c", "debug", DEBUG);
    let right = run(Run::on_device(), &program);
    assert!(right.status.success() && right.stdout == "last 999\n", "{right}");
    for policy in [Run::on_device(), Run::by_default()] {
        let outcome = run(policy.argument(1u64 << 40), &program);
        assert!(outcome.stdout.is_empty(), "{outcome}");
        failed_with(&outcome, &["omptarget error", "_main_l8'", "out_of_bounds.c:8:1"]);
        if on_simt() {
            message(&outcome, &["store of 4 bytes at 0x", "not near any allocation"]);
            message(&outcome, &["PTX line", "out_of_bounds.c:10:"]);
        }
    }
}

/// The passes cut the code of a kernel into pieces and copy functions: each keeps its lines.
fn a_write_out_of_bounds_in_a_converted_kernel() {
    let name = "bad/serial_out_of_bounds.c";
    const FULL: &[&[&str]] = &[&["-O2", "-g"]];
    const LINES: &[&[&str]] = &[&["-O1", "-gline-tables-only"]];
    for (variant, options) in [("converted", FULL), ("converted-lines", LINES)] {
        let program = bad(name, variant, options);
        let right = run(Run::on_device(), &program);
        assert!(right.status.success() && right.stdout == "last 8048\n", "{right}");
        assert_eq!(right.modes(), ["Generic-SPMD"], "{right}");
        for (place, line) in [(0, 20), (1, 7), (2, 23)] {
            let outcome = run(Run::on_device().argument(place), &program);
            failed_with(&outcome, &["omptarget error", "_main_l18'"]);
            if on_simt() {
                message(&outcome, &["store of 4 bytes at 0x", "not near any allocation"]);
                message(&outcome, &["PTX line", &format!("serial_out_of_bounds.c:{line}:")]);
            }
        }
    }
}

fn a_write_just_behind_an_allocation() {
    // A GPU does not notice; the interpreter knows every allocation to the byte.
    if on_simt() {
        let outcome = run(Run::on_device().argument(1000 - 777), &bad("bad/out_of_bounds.c", "debug", DEBUG));
        failed_with(&outcome, &["omptarget error", "_main_l8'"]);
        message(&outcome, &["store of 4 bytes at 0x", "just past the end of the 4000-byte allocation"]);
    }
}

fn a_pointer_of_the_host_on_the_device() {
    // What a GPU says is an illegal address.
    let outcome = run(Run::on_device(), &bad("bad/host_pointer.c", "debug", DEBUG));
    failed_with(&outcome, &["omptarget error", "_main_l10'"]);
    if on_simt() {
        message(&outcome, &["load of 4 bytes at 0x", "a pointer of the host program, to the heap"]);
        message(&outcome, &["PTX line", "host_pointer.c:13:"]);
    }
}

fn present_data_that_is_not_there() {
    let outcome = run(Run::on_device(), &bad("bad/not_present.c", "debug", DEBUG));
    failed_with(
        &outcome,
        &["device mapping required by 'present' map type modifier does not exist", "(40 bytes)"],
    );
    assert_eq!(outcome.stdout, "before\n", "what was printed before is not lost");
}

fn a_map_that_extends_another() {
    let outcome = run(Run::on_device(), &bad("bad/extension.c", "debug", DEBUG));
    failed_with(&outcome, &["explicit extension not allowed", "(400 bytes)", "(40 bytes)"]);
}

fn more_shared_memory_than_a_team_can_have() {
    let program = bad("bad/dyn_groupprivate.c", "debug", &[&["-O2", "-g", "-fopenmp-version=61"]]);
    let outcome = run(Run::on_device(), &program);
    failed_with(
        &outcome,
        &["dyn_groupprivate.c:7:1", "1048576 bytes of shared memory for each team", "fallback(default_mem)"],
    );
    assert_eq!(outcome.stdout, "before\n", "what was printed before is not lost");
}

fn a_failed_assertion() {
    let program = bad("bad/failed_assertion.c", "debug", DEBUG);
    let right = run(Run::on_device(), &program);
    assert!(right.status.success() && right.stdout == "count 100\n", "{right}");
    let outcome = run(Run::on_device().argument(99), &program);
    assert!(!outcome.status.success(), "{outcome}");
    let everything = format!("{}{}", outcome.stdout, outcome.stderr);
    for word in ["i < limit", "failed_assertion.c", "10"] {
        assert!(everything.contains(word), "no '{word}' in the output\n{outcome}");
    }
}

/// `STOP` on a device ends the program, with its code in the message.
fn a_stop_in_fortran() {
    let case = Case::new("bad/stop.f90", Route::OmptargetFc, "stop", &[&["-O1"]]);
    let program = program(&case).unwrap_or_else(|e| panic!("{e:#}"));
    for (argument, words) in [
        (0, "all is well"),
        (1, "STOP -12"),
        (2, "ERROR STOP 2147483647"),
        (3, "no data for step 3"),
        (4, "EXIT 7"),
        (5, "ABORT"),
    ] {
        let outcome = run(Run::on_device().argument(argument), &program);
        if argument == 0 {
            assert!(outcome.status.success() && outcome.stdout.contains(words), "{outcome}");
        } else {
            failed_with(&outcome, &["Assertion", words]);
        }
    }
}

/// So does what the Fortran runtime cannot do, with the reason and, where the compiler tells it, the place.
fn what_the_fortran_runtime_refuses() {
    let case = Case::new("bad/refused.f90", Route::OmptargetFc, "refused", &[&["-O1"]]);
    let program = program(&case).unwrap_or_else(|e| panic!("{e:#}"));
    let right = run(Run::on_device().argument(0), &program);
    assert!(right.status.success() && right.stdout == "total 6\n", "{right}");
    for (argument, place, words) in [
        (1, "", "the type has FINAL procedures"),
        (2, "refused.f90:66", "the type or a component has an assignment of its own"),
        (3, "refused.f90:71", "an array has not the shape"),
        (4, "refused.f90:76", "a variable is not allocated"),
        (5, "refused.f90:79", "a variable is allocated already"),
    ] {
        failed_with(&run(Run::on_device().argument(argument), &program), &["Assertion", words, place]);
    }
}

/// So does C's `exit`, which no kernel can carry out.
fn an_exit() {
    let program = bad("bad/exit.c", "exit", &[&["-O1"]]);
    let right = run(Run::on_device(), &program);
    assert!(right.status.success() && right.stdout == "all is well\n", "{right}");
    for (argument, name) in [(1, "exit"), (2, "_exit"), (3, "_Exit")] {
        let words = format!("{name} was called in device code");
        failed_with(&run(Run::on_device().argument(argument), &program), &["Assertion", &words]);
    }
}

fn an_error_directive() {
    const VERSION: &[&[&str]] = &[&["-O2", "-g", "-fopenmp-version=51"]];
    let program = bad("bad/error_directive.c", "debug", VERSION);
    let warnings = |outcome: &Outcome| -> Vec<String> {
        let lines = outcome.stdout.lines().filter(|line| line.contains("Warning"));
        lines.map(|line| line.split_once(' ').map_or("", |(_, rest)| rest).to_owned()).collect()
    };
    let right = run(Run::on_device(), &program);
    assert!(right.status.success() && right.stdout.ends_with("ran 101\n"), "{right}");
    let [first, second] = &warnings(&right)[..] else { panic!("two warnings\n{right}") };
    assert!(first.contains("error_directive.c:17:1") && first.contains("take care"), "{right}");
    assert!(second.contains("error_directive.c:25:1"), "{right}");
    // The program ends, with what it printed before.
    for (argument, words) in [(1, &["no way on", "error_directive.c:20"][..]), (2, &["not so many"])] {
        let outcome = run(Run::on_device().argument(argument), &program);
        assert!(!outcome.status.success() && outcome.stdout.starts_with("before\n"), "{outcome}");
        assert!(!outcome.stdout.contains("ran "), "{outcome}");
        assert_eq!(warnings(&outcome).len(), 1, "{outcome}");
        let everything = format!("{}{}", outcome.stdout, outcome.stderr);
        for word in words {
            assert!(everything.contains(word), "no '{word}' in the output\n{outcome}");
        }
    }
}

fn a_trap() {
    let outcome = run(Run::on_device(), &bad("bad/trap.c", "debug", DEBUG));
    failed_with(&outcome, &["omptarget error", "_main_l6'"]);
    assert!(outcome.stdout.is_empty(), "{outcome}");
}

fn a_device_of_an_unknown_kind() {
    let program = bad("bad/sum.c", "debug", DEBUG);
    for policy in [Run::on_device(), Run::by_default()] {
        let outcome = run(policy.with("OMPTARGET_DEVICE", "nonsense"), &program);
        failed_with(&outcome, &["OMPTARGET_DEVICE", "nonsense", "simt", "cuda", "none"]);
        assert!(outcome.stdout.is_empty(), "{outcome}");
    }
}

fn a_gpu_that_is_asked_for() {
    let outcome = run(Run::on_device().with("OMPTARGET_DEVICE", "cuda"), &bad("bad/sum.c", "debug", DEBUG));
    if outcome.status.success() {
        // there is one
        let device = tests_gpu::launch::device(&outcome.stderr).unwrap_or_default();
        assert!(outcome.stdout == "sum 4950\n" && device.contains("CUDA"), "{outcome}");
    } else {
        failed_with(&outcome, &["OMPTARGET_DEVICE=cuda", "libcuda.so.1"]);
        assert!(outcome.stdout.is_empty(), "{outcome}");
    }
}

/// A run on the stand-in driver, whose calls fail as `fault` says.
fn with_fault(fault: &str, program: &std::path::Path) -> Outcome {
    let dist = tests_gpu::Dist::find().unwrap_or_else(|e| panic!("{e:#}"));
    let on_stand_in = tests_gpu::stand_in::Host::Ours.on_stand_in(&dist);
    run(on_stand_in.with("OMPTARGET_SIMT_FAULT", fault), program)
}

fn a_driver_without_a_gpu() {
    let outcome = with_fault("cuInit=100", &bad("bad/sum.c", "debug", DEBUG));
    failed_with(&outcome, &["OMPTARGET_DEVICE=cuda", "cuInit of", "CUDA_ERROR_NO_DEVICE"]);
    assert_eq!(outcome.status.code(), Some(1), "no crash\n{outcome}");
}

fn a_driver_that_is_too_old_for_the_image() {
    let outcome = with_fault("cuModuleLoadDataEx=222", &bad("bad/sum.c", "debug", DEBUG));
    let words = [
        "failed to load images",
        "PTX 7.8",
        "needs a driver of CUDA 11.8 or later",
        "this is the CUDA driver 13.0",
    ];
    failed_with(&outcome, &words);
}

fn more_memory_than_there_is() {
    if !on_simt() {
        return; // a GPU's size is not known here
    }
    let program = bad("bad/out_of_memory.c", "debug", DEBUG);
    let outcome = run(Run::on_device().with("OMPTARGET_SIMT_MEMORY", 64 << 20), &program);
    assert_eq!(outcome.stdout, "before\n", "{outcome}");
    let words = ["omptarget error", "cuMemAlloc", "(2147483648 bytes): ", " of 64.0 MiB are free"];
    failed_with(&outcome, &words);
    // Of the time when it failed, with 32 MiB in use that the construct gave back before this was told.
    let free = outcome.stderr.split("(2147483648 bytes): ").nth(1).and_then(|rest| rest.split(" MiB").next());
    let free: f64 = free.and_then(|free| free.parse().ok()).unwrap_or_else(|| panic!("{outcome}"));
    assert!((20.0..=28.0).contains(&free), "{outcome}");
    message(&outcome, &["device 0: mapped by other constructs: 2 variables, 4198304 bytes in all"]);
    let rows: Vec<&str> = outcome.stderr.lines().filter(|line| line.contains(" bytes  0x")).collect();
    assert!(
        rows.len() == 2
            && rows[0].contains("4194304 bytes")
            && rows[0].contains("many[0:LARGE] at out_of_memory.c:")
    );
    assert!(rows[1].contains("4000 bytes") && rows[1].contains("few at out_of_memory.c:"), "{outcome}");
}

fn a_heap_of_the_device_that_is_full() {
    let program = bad("bad/device_heap.c", "debug", DEBUG);
    let outcome = run(Run::on_device().with("LIBOMPTARGET_HEAP_SIZE", 1 << 20), &program);
    assert!(!outcome.status.success() && outcome.stdout.starts_with("before\n"), "{outcome}");
    let everything = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(everything.contains("the heap of the device is full"), "{outcome}");
    assert!(everything.contains("LIBOMPTARGET_HEAP_SIZE"), "{outcome}");
    let larger = run(Run::on_device(), &program);
    assert!(larger.status.success() && larger.stdout == "before\nsum 1\n", "{larger}");
}

fn a_failed_kernel_names_what_was_mapped_and_the_launches_before() {
    let program = bad("bad/out_of_bounds.c", "debug", DEBUG);
    let tracked = Run::on_device().with("OFFLOAD_TRACK_NUM_KERNEL_LAUNCH_TRACES", 3);
    let outcome = run(tracked.argument(1u64 << 40), &program);
    message(&outcome, &["mapped when the kernel failed: ", "4000 bytes in all"]);
    message(&outcome, &["4000 bytes  0x", " at out_of_bounds.c:"]);
    message(&outcome, &["launch 0 before the error, device 0: main, line 8 at out_of_bounds.c:8:1, grid ["]);
}

fn memory_that_is_freed_twice() {
    if !on_simt() {
        return; // what a driver says to it is its own affair
    }
    let program = bad("bad/double_free.c", "debug", DEBUG);
    message(
        &run(Run::on_device(), &program),
        &["Set OFFLOAD_TRACK_ALLOCATION_TRACES=1 to track allocations."],
    );
    let tracked = run(Run::on_device().with("OFFLOAD_TRACK_ALLOCATION_TRACES", 1), &program);
    message(&tracked, &["has been freed before; it was an allocation of 100 bytes"]);
}

fn no_device_at_all() {
    let program = bad("bad/sum.c", "debug", DEBUG);
    let outcome = run(Run::by_default().with("OMPTARGET_DEVICE", "none"), &program);
    assert!(outcome.status.success() && outcome.stdout == "sum 4950\n", "{outcome}");
    assert!(outcome.launches().is_empty(), "{outcome}");
    let outcome = run(Run::on_device().with("OMPTARGET_DEVICE", "none"), &program);
    failed_with(&outcome, &["failure of target construct while offloading is mandatory"]);
}

fn a_setting_that_is_no_number() {
    let program = bad("bad/sum.c", "debug", DEBUG);
    let outcome = run(Run::on_device().with("LIBOMPTARGET_STACK_SIZE", "plenty"), &program);
    assert!(outcome.status.success() && outcome.stdout == "sum 4950\n", "{outcome}");
    message(&outcome, &["LIBOMPTARGET_STACK_SIZE", "plenty"]);
}

const CHECKED: &[&[&str]] = &[&["-O2", "-g", "-fopenmp-target-debug"]];

/// What the program must print when it makes the mistake with this number.
#[track_caller]
fn mistake(number: u32, words: &[&str]) {
    let program = bad("bad/debug_checks.c", "checked", CHECKED);
    let outcome = run(Run::on_device().argument(number), &program);
    assert!(!outcome.status.success(), "the program did not fail\n{outcome}");
    let everything = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(
        everything.lines().any(|line| words.iter().all(|word| line.contains(word))),
        "{words:?}\n{outcome}"
    );
}

fn checks_of_the_device_runtime() {
    let program = bad("bad/debug_checks.c", "checked", CHECKED);
    let right = run(Run::on_device(), &program);
    assert!(right.status.success() && right.stdout == "4 threads\n", "{right}");
    let off = Run::on_device().with("LIBOMPTARGET_DEVICE_RTL_DEBUG", 0);
    let right = run(off.argument(2), &program);
    assert!(right.status.success() && right.stdout == "4 threads\n", "{right}");
}

fn bad_numbers_of_threads() {
    mistake(1, &["num_threads(0): this is no number of threads", "debug_checks.c:", "main"]);
    mistake(2, &["omp_set_num_threads(-3): this is no number of threads"]);
}

fn memory_that_is_not_in_use() {
    mistake(3, &["omp_free: the memory is not in use"]);
    mistake(4, &["shared memory of 100 bytes", "is given back that is not in use"]);
}

fn misuse_of_locks() {
    mistake(5, &["a lock is used that is not initialised"]);
    mistake(6, &["a thread waits for a lock or critical section that it has itself"]);
    mistake(7, &["a lock is destroyed that is set"]);
    mistake(8, &["a lock is unset that is not set"]);
    mistake(
        9,
        &["a thread waits for a lock or critical section that it has itself", "debug_checks.c:", "again"],
    );
}

fn notices_and_trace_of_the_device_runtime() {
    let options: &[&[&str]] = &[&["-O2", "-g", "-fopenmp-target-debug=7"]];
    let program = bad("bad/debug_checks.c", "traced", options);
    let outcome = run(Run::on_device(), &program);
    assert!(outcome.status.success(), "{outcome}");
    let count = |text: &str| outcome.stdout.lines().filter(|line| line.contains(text)).count();
    assert_eq!(count("OpenMP device runtime: the kernel starts"), 4, "{outcome}");
    assert_eq!(count("a parallel region starts, num_threads(4) (team 0, thread 0)"), 1, "{outcome}");
    let quiet = run(Run::on_device().with("LIBOMPTARGET_DEVICE_RTL_DEBUG", 1), &program);
    assert!(quiet.status.success() && quiet.stdout == "4 threads\n", "{quiet}");
}

tests_gpu::trials! {
    an_image_for_another_architecture,
    memory_that_the_device_cannot_share,
    requirements_that_differ,
    an_instruction_that_does_not_exist,
    a_function_that_the_device_lacks,
    a_map_of_a_null_pointer,
    a_write_out_of_bounds,
    a_write_out_of_bounds_in_a_converted_kernel,
    a_write_just_behind_an_allocation,
    a_pointer_of_the_host_on_the_device,
    present_data_that_is_not_there,
    a_map_that_extends_another,
    more_shared_memory_than_a_team_can_have,
    a_failed_assertion,
    a_stop_in_fortran,
    what_the_fortran_runtime_refuses,
    an_exit,
    an_error_directive,
    a_trap,
    a_device_of_an_unknown_kind,
    a_gpu_that_is_asked_for,
    a_driver_without_a_gpu,
    a_driver_that_is_too_old_for_the_image,
    more_memory_than_there_is,
    a_heap_of_the_device_that_is_full,
    a_failed_kernel_names_what_was_mapped_and_the_launches_before,
    memory_that_is_freed_twice,
    no_device_at_all,
    a_setting_that_is_no_number,
    checks_of_the_device_runtime,
    bad_numbers_of_threads,
    memory_that_is_not_in_use,
    misuse_of_locks,
    notices_and_trace_of_the_device_runtime,
}
