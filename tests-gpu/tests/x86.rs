//! Programs for this CPU as device (`-fopenmp-targets=x86_64-pc-linux-gnu`): the output is that of a run on the host, and
//! that on LLVM's libomptarget with its plugin for the host; and what only such devices show.
//!
//! Host code generation makes teams of as many threads as the machine has processors, so programs that count threads are
//! none for this table.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::Command;
use tests_gpu::stand_in::Host;
use tests_gpu::{Case, Dist, Outcome, Route, Run, build, program};

const O2: &[&[&str]] = &[&["-O2"]];

const PROGRAMS: &[&str] = &[
    "saxpy_reduce.c",
    "generic.c",
    "features/async.c",
    "features/classes.cpp",
    "features/declare_target.c",
    "features/firstprivate.c",
    "features/function_pointers.c",
    "features/if_clause.c",
    "features/indirect.c",
    "features/map_struct.c",
    "features/map_types.c",
    "features/memory_api.c",
    "features/printf.c",
    "features/reduction_forms.c",
    "features/unified_shared_memory.c",
];

fn main() {
    let mut trials: Vec<Trial> =
        PROGRAMS.iter().map(|source| Trial::test(*source, || as_elsewhere(source))).collect();
    trials.push(Trial::test("features/constants.c", constants));
    trials.push(Trial::test("x86/places.cpp", places));
    trials.push(Trial::test("x86/copies.c", copies));
    trials.push(Trial::test("x86/fault.c", fault));
    trials.push(Trial::test("x86/full.c", full));
    trials.push(Trial::test("x86/overlap.c", overlap));
    trials.push(Trial::test("x86/tool.c", tool));
    trials.push(Trial::test("x86/shared_counter.c", shared_counter));
    trials.push(Trial::test("x86/loads_at_once.c", loads_at_once));
    trials.push(Trial::test("both_kinds", both_kinds));
    trials.push(Trial::test("x86/same_array.c", same_array));
    trials.push(Trial::test("x86/device.c", identity_and_memory));
    trials.push(Trial::test("bitcode", bitcode));
    trials.push(Trial::test("host_bitcode", host_bitcode));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

const fn case(source: &'static str) -> Case {
    Case::new(source, Route::HostCpu, "x86", O2)
}

fn devices(count: u32) -> Run {
    Run::on_device().with("OMPTARGET_X86_DEVICES", count)
}

fn launched_on_this_cpu(outcome: &Outcome) -> bool {
    outcome.stderr.contains("x86-64 CPU (x86-64, in this process)") && !outcome.launches().is_empty()
}

fn as_elsewhere(source: &'static str) -> Result<(), Failed> {
    let program = program(&case(source))?;
    let device = as_on_the_host(&program)?;
    let llvm = Host::Llvm22.on_host_cpu().of(&program)?.successful()?;
    if llvm.launches().len() != device.launches().len() || llvm.stdout != device.stdout {
        return Err(format!("not as on LLVM's libomptarget\n{device}\nLLVM's\n{llvm}").into());
    }
    Ok(())
}

/// What a program did that this CPU as device ran, if the output is that of a run on the host.
fn as_on_the_host(program: &Path) -> Result<Outcome, Failed> {
    let host = Run::on_host().of(program)?.successful()?;
    let device = devices(1).of(program)?.successful()?;
    if !launched_on_this_cpu(&device) || host.stdout != device.stdout {
        return Err(format!("not as on the host\n{device}\non the host\n{host}").into());
    }
    Ok(device)
}

/// LLVM's libomptarget copies to the constants, which ends the program.
fn constants() -> Result<(), Failed> {
    as_on_the_host(&program(&case("features/constants.c"))?).map(|_| ())
}

/// The program checks what it prints.
fn places() -> Result<(), Failed> {
    let outcome = devices(3).of(&program(&case("x86/places.cpp"))?)?.successful()?;
    match outcome.stdout.lines().count() {
        6 => Ok(()),
        _ => Err(format!("three devices print two lines each\n{outcome}").into()),
    }
}

/// On one thread for target tasks, where LLVM's plugin waits for ever.
fn overlap() -> Result<(), Failed> {
    let run = devices(1).with("LIBOMP_NUM_HIDDEN_HELPER_THREADS", 1);
    let outcome = run.of(&program(&case("x86/overlap.c"))?)?.successful()?;
    if outcome.stdout != "42 43\n" || outcome.launches().len() != 3 {
        return Err(outcome.to_string().into());
    }
    Ok(())
}

fn shared_counter() -> Result<(), Failed> {
    let outcome = devices(1).with("LIBOMPTARGET_INFO", 0).of(&program(&case("x86/shared_counter.c"))?)?;
    if outcome.stdout != "lost 0, 0\n" {
        return Err(outcome.to_string().into());
    }
    Ok(())
}

/// LLVM's libomptarget never ends with it.
fn loads_at_once() -> Result<(), Failed> {
    let built = |name, options| program(&Case::new("x86/loads_at_once.c", Route::HostCpu, name, options));
    let library = |name| built(name, &[&["-O2", "-shared", "-fPIC", "-DLIBRARY"]]);
    let libraries = [library("first")?, library("second")?, library("third")?];
    let libraries = libraries.map(|file| file.display().to_string());
    let run = libraries.iter().fold(devices(1), |run, file| run.argument(file));
    let outcome = run.of(&built("x86", &[&["-O2", "-rdynamic"]])?)?.successful()?;
    let expected = "the program: 2\nthe first library: 4\nthe second library: 6\nthe third library: 8\n";
    if outcome.stdout != expected || outcome.launches().len() != 4 {
        return Err(outcome.to_string().into());
    }
    Ok(())
}

/// Identities are LLVM's; its plugin calls nothing accessible, not even memory of the device.
fn identity_and_memory() -> Result<(), Failed> {
    let program = program(&case("x86/device.c"))?;
    let outcome = devices(2).of(&program)?.successful()?;
    let expected = "0 x86_64-0\n1 x86_64-1\nblock 1, inside 1, beyond 0\n\
                    global 1, its original 0, the stack 0, nothing 0\nfreed 0\ninterop 0\n";
    let llvm = Host::Llvm22.on_host_cpu().of(&program)?.successful()?;
    if outcome.stdout != expected || !llvm.stdout.starts_with("0 x86_64-0\n1 x86_64-1\n") {
        return Err(format!("{outcome}\nLLVM's\n{llvm}").into());
    }
    Ok(())
}

/// `LIBOMPTARGET_MAP_FORCE_ATOMIC`
fn same_array() -> Result<(), Failed> {
    let program = program(&case("x86/same_array.c"))?;
    for (value, expected) in [("true", "there"), ("false", "missing")] {
        let run = devices(1).with("LIBOMPTARGET_MAP_FORCE_ATOMIC", value);
        let outcome = run.of(&program)?.successful()?;
        if outcome.stdout != format!("kernels side by side, data {expected}\n") {
            return Err(format!("with {value}\n{outcome}").into());
        }
    }
    Ok(())
}

fn copies() -> Result<(), Failed> {
    let program = program(&case("x86/copies.c"))?;
    for count in [1, 2] {
        let outcome = devices(count).of(&program)?.successful()?;
        if outcome.stdout != format!("{count} devices, wrong: 0\n") {
            return Err(outcome.to_string().into());
        }
    }
    Ok(())
}

/// The images of a program with a tool decide about the devices, as without one.
fn tool() -> Result<(), Failed> {
    let program = program(&case("x86/tool.c"))?;
    let outcome = Run::on_device().with("OMPTARGET_DEVICE", "auto").of(&program)?.successful()?;
    if outcome.stdout != "tool, initial device 1\nx 1\n" || !launched_on_this_cpu(&outcome) {
        return Err(outcome.to_string().into());
    }
    Ok(())
}

/// The message names the kernel, wherever in it the fault was.
fn fault() -> Result<(), Failed> {
    let program = program(&case("x86/fault.c"))?;
    for run in [devices(1), devices(1).argument("in a region")] {
        let outcome = run.of(&program)?;
        let told = outcome.stderr.lines().any(|line| {
            line.starts_with("omptarget error: kernel '__omp_offloading_")
                && line.contains("segmentation fault at address 0x000000000000000c")
        });
        if outcome.status.success() || !told || outcome.stdout != "before\n" {
            return Err(outcome.to_string().into());
        }
    }
    Ok(())
}

/// The message says how much there is, and what is mapped.
fn full() -> Result<(), Failed> {
    let outcome = devices(1).of(&program(&case("x86/full.c"))?)?;
    let told = [
        "out of memory (35184372088832 bytes): ",
        " are free\n",
        "mapped by other constructs: 1 variables, 4000 bytes in all",
    ];
    if outcome.stdout != "before\n" || !told.iter().all(|text| outcome.stderr.contains(text)) {
        return Err(outcome.to_string().into());
    }
    Ok(())
}

/// A program with images of both kinds has a GPU, or what stands for one, and this CPU.
fn both_kinds() -> Result<(), Failed> {
    let program = program(&Case::new("x86/copies.c", Route::GpuAndHostCpu, "both", O2))?;
    let outcome = Run::on_device().with("OMPTARGET_DEVICE", "auto").of(&program)?.successful()?;
    let modes = outcome.modes();
    if modes != ["Generic", "SPMD"] || !outcome.stdout.ends_with("devices, wrong: 0\n") {
        return Err(format!("expected one launch in each mode\n{outcome}").into());
    }
    let cpu = devices(2).with("OMPTARGET_DEVICE", "x86").of(&program)?.successful()?;
    if !launched_on_this_cpu(&cpu) || cpu.stdout != "2 devices, wrong: 0\n" {
        return Err(cpu.to_string().into());
    }
    Ok(())
}

/// An image of LLVM bitcode is compiled when it is loaded; the library says so when it cannot be.
fn bitcode() -> Result<(), Failed> {
    let options: &[&[&str]] = &[&["-O2", "-fopenmp-target-jit"]];
    let program = program(&Case::new("saxpy_reduce.c", Route::Clang, "jit", options))?;
    let host = Run::on_host().of(&program)?.successful()?;
    let device = Run::on_device().of(&program)?.successful()?;
    if device.stdout != host.stdout || device.launches().is_empty() {
        return Err(format!("the output differs from that on the host\n{device}\non the host\n{host}").into());
    }
    jit_variables(&Run::on_device, &program, &host.stdout, "expected `.version`: this is no PTX")
}

/// What is written before and behind `opt` is the program's code, and runs in the place of the image; so does an object.
fn jit_variables(run: &dyn Fn() -> Run, program: &Path, expected: &str, refusal: &str) -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let file = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(file("object"), "no code")?;
    for (variables, told) in [
        (&[("PRE_OPT_IR_MODULE", file("before.ll")), ("POST_OPT_IR_MODULE", file("after.ll"))][..], None),
        (&[("REPLACEMENT_MODULE", file("before.ll")), ("OPT_LEVEL", "1".into())], None),
        (&[("REPLACEMENT_MODULE", file("after.ll")), ("SKIP_OPT", "true".into())], None),
        (&[("REPLACEMENT_MODULE", file("none"))], Some("cannot read LIBOMPTARGET_JIT_REPLACEMENT_MODULE=")),
        // Who has to load it says so.
        (&[("REPLACEMENT_OBJECT", file("object"))], Some(refusal)),
    ] {
        let with =
            |run: Run, (name, value): &(&str, String)| run.with(&format!("LIBOMPTARGET_JIT_{name}"), value);
        let outcome = variables.iter().fold(run(), with).of(program)?;
        let right = match told {
            None => outcome.status.success() && outcome.stdout == expected && !outcome.launches().is_empty(),
            Some(text) => !outcome.status.success() && outcome.stderr.contains(text),
        };
        if !right {
            return Err(format!("{variables:?}\n{outcome}").into());
        }
    }
    for name in ["before.ll", "after.ll"] {
        let text = std::fs::read_to_string(file(name))?;
        if !text.contains("@__omp_offloading_") {
            return Err(format!("{name} has no kernel:\n{text}").into());
        }
    }
    Ok(())
}

/// The same on this CPU. `-fopenmp-target-jit` would need lld here, so the parts are put together by hand.
fn host_bitcode() -> Result<(), Failed> {
    let (dist, folder) = (Dist::find()?, tempfile::tempdir()?);
    let source = build::source("saxpy_reduce.c").display().to_string();
    let library = dist.folder().join("lib").display().to_string();
    let options = ["-O2", "-fopenmp", "-fopenmp-targets=x86_64-pc-linux-gnu", &source];
    let steps: [(&str, &[&str]); 5] = [
        ("clang", &["--offload-device-only", "-emit-llvm", "-c", "-o", "image.bc"]),
        ("clang", &["--offload-host-only", "-c", "-o", "host.o"]),
        (
            "llvm-offload-wrapper",
            &["--kind=openmp", "--triple=x86_64-pc-linux-gnu", "image.bc", "-o", "wrap.bc"],
        ),
        ("clang", &["-c", "wrap.bc", "-o", "wrap.o"]),
        ("clang", &["-fopenmp", "host.o", "wrap.o", "-lomptarget", "-lm", "-o", "program", "-L", &library]),
    ];
    for (step, (tool, arguments)) in steps.iter().enumerate() {
        let mut command = Command::new(Path::new(build::LLVM_FOLDER).join(tool));
        command.current_dir(&folder).args(*arguments).args(if step < 2 { &options[..] } else { &[] });
        if step + 1 == steps.len() {
            command.arg(format!("-Wl,-rpath,{library}"));
        }
        let output = command.output()?;
        if !output.status.success() {
            return Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)).into());
        }
    }
    let program = folder.path().join("program");
    let host = Run::on_host().of(&program)?.successful()?;
    let device = devices(1).of(&program)?.successful()?;
    if device.stdout != host.stdout || !launched_on_this_cpu(&device) {
        return Err(format!("the output differs from that on the host\n{device}\non the host\n{host}").into());
    }
    jit_variables(&|| devices(1), &program, &host.stdout, "file too short")?;
    told_by_info(&dist, &program)?;
    let stripped = folder.path().join("stripped");
    let strip = Command::new(Path::new(build::LLVM_FOLDER).join("llvm-strip"))
        .arg(&program)
        .arg("-o")
        .arg(&stripped)
        .status()?;
    if !strip.success() {
        return Err("llvm-strip failed".into());
    }
    told_by_info(&dist, &stripped)
}

/// The image has no record around it, unlike those of clang-linker-wrapper.
fn told_by_info(dist: &Dist, program: &Path) -> Result<(), Failed> {
    let info = Command::new(dist.driver())
        .args(["info", "--json"])
        .arg(program)
        .env("OMPTARGET_DEVICE", "x86")
        .output()?;
    let told: serde_json::Value = serde_json::from_slice(&info.stdout)?;
    let images = told["images"].as_array().map_or(&[][..], Vec::as_slice);
    if images.len() != 1
        || images[0]["kind"] != "LLVM bitcode for x86_64"
        || images[0]["runs_on"] != serde_json::json!([0])
    {
        return Err(format!("not the one image of {}: {told:#}", program.display()).into());
    }
    Ok(())
}
