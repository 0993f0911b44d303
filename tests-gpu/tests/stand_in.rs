//! Programs of several makers on the stand-in for the CUDA driver: OpenMP programs on our host runtime, on LLVM's
//! libomptarget 22 and 19 with our device runtime and LLVM's, and a program of Numba; and the driver calls of constructs.

use libtest_mimic::{Arguments, Failed, Trial};
use std::collections::BTreeMap;
use std::process::Command;
use tests_gpu::stand_in::{self, Host};
use tests_gpu::{Case, Dist, Outcome, Route, Run, dist, host, program};

/// A program on a host runtime.
struct OnHost {
    host: Host,
    case: Case,
}

macro_rules! on {
    ($($host:ident $route:ident $source:literal $options:expr;)+) => {
        const PROGRAMS: &[OnHost] = &[$(OnHost {
            host: Host::$host,
            case: Case::new(
                $source,
                Route::$route,
                concat!(stringify!($host), "-", stringify!($route)),
                &[$options],
            ),
        }),+];
    };
}

// LLVM's device runtime gets programs that it is able to run: the others are in the table of `cargo xtask compare`.
on! {
    Ours Clang "saxpy_reduce.c" &["-O2"];
    Ours Elf "generic.c" &["-O2"];
    Ours Clang "host/interop.c" &["-O2", "-ldl"];

    Llvm22 Elf "saxpy_reduce.c" &["-O0"];
    Llvm22 Elf "generic.c" &["-O2"];
    Llvm22 Elf "cg.c" &["-O2", "-lm"];
    Llvm22 Elf "features/atomics.c" &["-O2"];
    Llvm22 Elf "features/classes.cpp" &["-O2"];
    Llvm22 Elf "features/declare_target.c" &["-O2"];
    Llvm22 Elf "features/map_types.c" &["-O2"];
    Llvm22 Elf "features/memory_api.c" &["-O2"];
    Llvm22 Elf "features/printf.c" &["-O2"];
    Llvm22 Elf "features/reduction_forms.c" &["-O2"];
    Llvm22 Elf "features/tasks.c" &["-O2"];

    Llvm22 LlvmDevice "saxpy_reduce.c" &["-O2"];
    Llvm22 LlvmDevice "generic.c" &["-O0"];
    Llvm22 LlvmDevice "cg.c" &["-O2", "-lm"];
    Llvm22 LlvmDevice "features/declare_target.c" &["-O2"];
    Llvm22 LlvmDevice "features/firstprivate.c" &["-O2"];

    Llvm19 Clang19Elf "saxpy_reduce.c" &["-O2"];
    Llvm19 Clang19Elf "generic.c" &["-O0"];
    Llvm19 Clang19Elf "features/math.c" &["-O2", "-lm"];

    Llvm19 Llvm19Device "saxpy_reduce.c" &["-O2"];
    Llvm19 Llvm19Device "generic.c" &["-O2"];
    Llvm19 Llvm19Device "cg.c" &["-O2", "-lm"];
    Llvm19 Llvm19Device "features/firstprivate.c" &["-O2"];
    Llvm19 Llvm19Device "features/reduction_forms.c" &["-O2"];
}

/// Programs of three compilers that run unchanged on LLVM's libomptarget first, and then on ours.
const SAME_BINARY: [OnHost; 3] = [
    OnHost {
        host: Host::Llvm22,
        case: Case::new("saxpy_reduce.c", Route::Elf, "same-clang-22", &[&["-O2"]]),
    },
    OnHost {
        host: Host::Llvm19,
        case: Case::new("saxpy_reduce.c", Route::Clang19Elf, "same-clang-19", &[&["-O2"]]),
    },
    OnHost {
        host: Host::Llvm22,
        case: Case::new("fortran/data.f90", Route::FlangElf, "same-flang-22", &[&["-O2"]]),
    },
];

fn same_binary(on: &OnHost) -> Result<(), Failed> {
    let (program, dist) = (program(&on.case)?, Dist::find()?);
    let llvm = on.host.on_stand_in(&dist).of(&program)?.successful()?;
    let ours = Host::Ours.on_stand_in(&dist).of(&program)?.successful()?;
    let is_ours = |outcome: &Outcome| tests_gpu::launch::device(&outcome.stderr).is_some();
    if is_ours(&llvm) || !is_ours(&ours) {
        return Err(format!("another host runtime ran it\n{llvm}\n{ours}").into());
    }
    if llvm.stdout != ours.stdout {
        return Err(format!("on LLVM's library\n{llvm}\non ours\n{ours}").into());
    }
    Ok(())
}

fn main() {
    let openmp = PROGRAMS.iter().map(|on| {
        let missing = match on.case.route {
            Route::LlvmDevice => stand_in::llvm_bitcode().is_none(),
            Route::Llvm19Device => stand_in::llvm_19_archive().is_none(),
            _ => false,
        };
        Trial::test(on.case.name(), || as_on_the_host(on)).with_ignored_flag(missing)
    });
    let numba = Trial::test("numba", numba).with_ignored_flag(stand_in::python_package("numba").is_none());
    let calls = DRIVER_CALLS
        .iter()
        .map(|expected| Trial::test(format!("driver_calls/{}", expected.0), || driver_calls(expected)));
    let same = SAME_BINARY
        .iter()
        .map(|on| Trial::test(format!("same_binary/{}", on.case.name()), || same_binary(on)));
    let variables = Trial::test("variables_of_the_driver", variables_of_the_driver);
    let trials = openmp.chain([numba, variables]).chain(calls).chain(same).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Driver calls of one construct that is warm on our host runtime, by the name of the work, and how many LLVM 22 makes.
type DriverCalls = (&'static str, &'static [(&'static str, u64)], u64);
const DRIVER_CALLS: &[DriverCalls] = &[
    ("launch", &[("cuCtxSetCurrent", 1), ("cuLaunchKernel", 1), ("cuStreamSynchronize", 1)], 2),
    ("mapped", &[("cuCtxSetCurrent", 1), ("cuLaunchKernel", 1), ("cuStreamSynchronize", 1)], 6),
    (
        "map_unmap",
        &[
            ("cuCtxSetCurrent", 1),
            ("cuEventRecord", 1),
            ("cuLaunchKernel", 1),
            ("cuMemcpyDtoHAsync_v2", 1),
            ("cuMemcpyHtoDAsync_v2", 1),
            ("cuStreamSynchronize", 1),
        ],
        8,
    ),
    (
        "packed",
        &[
            ("cuCtxSetCurrent", 1),
            ("cuLaunchKernel", 1),
            ("cuMemcpyHtoDAsync_v2", 1),
            ("cuStreamSynchronize", 1),
        ],
        4,
    ),
    ("enter_exit", &[("cuCtxSetCurrent", 2), ("cuMemcpyHtoDAsync_v2", 1), ("cuStreamSynchronize", 1)], 4),
];

/// A construct makes these calls and no others; the other number is what docs and results say about LLVM.
fn driver_calls((name, ours, llvm): &DriverCalls) -> Result<(), Failed> {
    let work = host::WORK.iter().find(|work| work.name == *name).ok_or("no such work")?;
    let (dist, program, folder) = (Dist::find()?, program(&host::BENCH)?, tempfile::tempdir()?);
    let calls = |host| host::calls(host, &dist, &program, work, folder.path());
    let found = calls(Host::Ours)?;
    let expected: BTreeMap<String, u64> =
        ours.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    if found != expected {
        return Err(format!("{found:?} instead of {expected:?}").into());
    }
    let found: u64 = calls(Host::Llvm22)?.values().sum();
    if found != *llvm { Err(format!("LLVM 22 makes {found} calls").into()) } else { Ok(()) }
}

/// `LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS`: what is mapped is page-locked for that time, where the driver agrees; and
/// `LIBOMPTARGET_NUM_INITIAL_EVENTS`.
fn variables_of_the_driver() -> Result<(), Failed> {
    let (dist, folder) = (Dist::find()?, tempfile::tempdir()?);
    let program = program(&Case::new("saxpy_reduce.c", Route::Clang, "Ours-Clang", &[&["-O2"]]))?;
    let expected = Host::Ours.on_host().of(&program)?.successful()?.stdout;
    let refusal = Some("cuMemHostRegister_v2=801");
    for (lock, events, fault, succeeds) in [
        ("false", 0, None, true),
        ("true", 7, None, true),
        ("mandatory", 0, None, true),
        ("true", 0, refusal, true),
        ("mandatory", 0, refusal, false),
    ] {
        let trace = folder.path().join(format!("{lock}-{}", fault.is_some()));
        let mut run = Host::Ours.on_stand_in(&dist).with("OMPTARGET_SIMT_TRACE", trace.display());
        run = run.with("LIBOMPTARGET_LOCK_MAPPED_HOST_BUFFERS", lock);
        run = run.with("LIBOMPTARGET_NUM_INITIAL_EVENTS", events);
        run = fault.into_iter().fold(run, |run, fault| run.with("OMPTARGET_SIMT_FAULT", fault));
        let outcome = run.of(&program)?;
        let trace = std::fs::read_to_string(&trace)?;
        let calls = |name: &str| trace.lines().filter(|line| line.split(' ').nth(1) == Some(name)).count();
        let (locked, unlocked) = (calls("cuMemHostRegister_v2"), calls("cuMemHostUnregister"));
        let as_asked = (locked > 0) == (lock != "false");
        let taken_back = if fault.is_some() { unlocked == 0 } else { unlocked == locked };
        let told = outcome.stdout == expected || outcome.stderr.contains("error in cuMemHostRegister");
        // One is needed anyhow.
        let made = if succeeds { events.max(1) } else { events };
        let right = outcome.status.success() == succeeds && (outcome.stdout == expected) == succeeds;
        if !(as_asked && taken_back && told && right && calls("cuEventCreate") == made) {
            return Err(format!("{lock}, {fault:?}: {locked} locks, {unlocked} unlocks\n{outcome}").into());
        }
    }
    Ok(())
}

/// The output on the stand-in is that on the host, and something was launched by the host runtime that was meant.
fn as_on_the_host(on: &OnHost) -> Result<(), Failed> {
    let program = program(&on.case)?;
    let host = on.host.on_host().of(&program)?.successful()?;
    let device = on.host.on_stand_in(&Dist::find()?).of(&program)?.successful()?;
    if device.stdout != host.stdout {
        return Err(format!("the output differs from that on the host\n{device}\non the host\n{host}").into());
    }
    // LLVM 19 words the rest of the line in another way.
    if !device.stderr.contains("Launching kernel ") {
        return Err(format!("nothing was launched\n{device}").into());
    }
    let ours = tests_gpu::launch::device(&device.stderr).is_some();
    if ours != (on.host == Host::Ours) {
        return Err(format!("another host runtime ran it\n{device}").into());
    }
    Ok(())
}

/// A program of Numba: Python compiled through NVIDIA's libNVVM, linked and loaded by the driver.
fn numba() -> Result<(), Failed> {
    let folder = |name| stand_in::python_package(name).ok_or(format!(".deps/{name} is not there"));
    let home = dist::target().join("tests-gpu/cuda-for-numba");
    let parts = [
        ("nvvm/lib64/libnvvm.so.4", folder("nvcc12")?.join("nvidia/cuda_nvcc/nvvm/lib64/libnvvm.so")),
        ("nvvm/libdevice", folder("nvcc12")?.join("nvidia/cuda_nvcc/nvvm/libdevice")),
        ("lib64/libcudart.so.12", folder("cudart12")?.join("nvidia/cuda_runtime/lib/libcudart.so.12")),
    ];
    let _ = std::fs::remove_dir_all(&home);
    for (name, file) in parts {
        let link = home.join(name);
        std::fs::create_dir_all(link.parent().unwrap_or(&home))?;
        std::os::unix::fs::symlink(file, link)?;
    }
    let run = Run::default()
        .with("CUDA_HOME", home.display())
        .with("PYTHONPATH", folder("numba")?.display())
        .with("LD_LIBRARY_PATH", Dist::find()?.folder().join("lib/simt").display())
        .argument(dist::root().join("tests-gpu/python/numba_cuda.py").display());
    let python = Command::new("sh").args(["-c", "command -v python3"]).output()?;
    let outcome = run.of(String::from_utf8_lossy(&python.stdout).trim().as_ref())?.successful()?;
    if outcome.stdout != "SIMT device (CPU)\npassed\n" {
        return Err(outcome.to_string().into());
    }
    Ok(())
}
