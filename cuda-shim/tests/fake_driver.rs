//! The way to a driver library, with one made for the test: which calls reach it, and what becomes of its codes.
//!
//! The choice is made once in a process, so each case runs this test program again with another environment.

use cuda_shim::{Backend, CUresult, backend};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::null_mut;

/// A driver with two devices (or as many as the environment says) and few functions, one of which returns codes as
/// told.
const SOURCE: &str = r#"
#include <stdlib.h>
static int number(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}
int cuInit(unsigned flags) { return flags ? 1 : number("FAKE_INIT", 0); }
int cuDeviceGetCount(int *count) { *count = number("FAKE_COUNT", 2); return 0; }
int cuCtxSynchronize(void) { return number("FAKE_CODE", 0); }
int cuMemsetD16_v2(unsigned long long to, unsigned short value, unsigned long count) {
    return to == 0x123456789abcULL && value == 0xfedc && count == 7 ? 0 : 1;
}
"#;

/// Builds the library in a folder; the file's name.
fn build(folder: &Path) -> PathBuf {
    let (source, library) = (folder.join("fake.c"), folder.join("libcuda.so.1"));
    std::fs::write(&source, SOURCE).unwrap();
    let status =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status().expect("cc");
    assert!(status.success());
    library
}

/// Runs the case `name` of [`child`] in a process of its own; what it writes.
fn run(name: &str, folder: &Path, environment: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env_remove("OMPTARGET_DEVICE")
        .env("LD_LIBRARY_PATH", folder)
        .env("SHIM_CASE", name)
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{name}: {text}");
    text
}

#[test]
fn with_a_driver_and_devices() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    run("forwarded", folder.path(), &[]);
    run("forwarded", folder.path(), &[("OMPTARGET_DEVICE", "cuda")]);
    run("simt", folder.path(), &[("OMPTARGET_DEVICE", "simt")]);
    for (code, expected) in [("0", "0"), ("719", "719"), ("912", "999"), ("-1", "999")] {
        run("code", folder.path(), &[("FAKE_CODE", code), ("EXPECTED", expected)]);
    }
}

#[test]
fn with_a_driver_and_no_device() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path());
    run("simt", folder.path(), &[("FAKE_COUNT", "0")]);
    run("simt", folder.path(), &[("FAKE_INIT", "100")]);
    let cuda = ("OMPTARGET_DEVICE", "cuda");
    run(
        "unavailable",
        folder.path(),
        &[cuda, ("FAKE_COUNT", "0"), ("EXPECTED", "100"), ("TEXT", "finds no GPU")],
    );
    run(
        "unavailable",
        folder.path(),
        &[cuda, ("FAKE_INIT", "804"), ("EXPECTED", "804"), ("TEXT", "COMPAT_NOT_SUPPORTED_ON_DEVICE (804)")],
    );
    run(
        "unavailable",
        folder.path(),
        &[cuda, ("FAKE_INIT", "47"), ("EXPECTED", "999"), ("TEXT", "CUresult(47)")],
    );
}

#[test]
fn with_a_library_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libcuda.so.1"), "no library").unwrap();
    run("simt", folder.path(), &[]);
    run(
        "unavailable",
        folder.path(),
        &[
            ("OMPTARGET_DEVICE", "cuda"),
            ("EXPECTED", "303"),
            ("TEXT", "OMPTARGET_DEVICE=cuda: libcuda.so.1 cannot be opened: "),
        ],
    );
}

#[test]
fn with_a_setting_of_the_simt_device_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    for variable in ["OMPTARGET_SIMT_SEED", "OMPTARGET_SIMT_THREADS", "OMPTARGET_SIMT_MEMORY"] {
        let text = run("refused", folder.path(), &[("OMPTARGET_DEVICE", "simt"), (variable, "many")]);
        let lines: Vec<_> = text.lines().filter(|line| line.contains("omptarget simt: ")).collect();
        assert!(lines.len() == 1 && lines[0].contains(variable) && lines[0].contains("many"), "{text}");
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap()
}

/// What happens in the process of a case; without one there is nothing to do.
#[test]
fn child() {
    match std::env::var("SHIM_CASE").as_deref() {
        Ok("forwarded") => forwarded(),
        Ok("simt") => simt(),
        Ok("code") => {
            // SAFETY: a function without arguments.
            let code = unsafe { cuda_shim::cuCtxSynchronize() };
            assert_eq!(code.0.to_string(), variable("EXPECTED"));
        }
        Ok("unavailable") => unavailable(),
        Ok("refused") => refused(),
        Ok(other) => panic!("no case {other}"),
        Err(_) => {}
    }
}

fn forwarded() {
    let folder = PathBuf::from(variable("LD_LIBRARY_PATH"));
    assert_eq!(*backend(), Backend::Cuda { path: folder.join("libcuda.so.1") });
    let (mut count, mut context) = (0, null_mut());
    // SAFETY: `count` and `context` are live variables; the fake driver looks at no address.
    unsafe {
        assert_eq!(cuda_shim::cuInit(0), CUresult::SUCCESS);
        assert_eq!(cuda_shim::cuInit(1), CUresult::INVALID_VALUE, "arguments arrive");
        assert_eq!(cuda_shim::cuDeviceGetCount(&mut count), CUresult::SUCCESS);
        assert_eq!(count, 2);
        assert_eq!(
            cuda_shim::cuMemsetD16_v2(0x1234_5678_9abc, 0xfedc, 7),
            CUresult::SUCCESS,
            "in their widths"
        );
        for _ in 0..2 {
            let code = cuda_shim::cuCtxGetCurrent(&mut context);
            assert_eq!(code, CUresult::SHARED_OBJECT_SYMBOL_NOT_FOUND, "the fake driver lacks this function");
        }
    }
    texts();
}

fn simt() {
    assert_eq!(*backend(), Backend::Simt);
    let mut count = 0;
    // SAFETY: `count` is a live variable.
    unsafe {
        assert_eq!(cuda_shim::cuDeviceGetCount(&mut count), CUresult::NOT_INITIALIZED);
        assert_eq!(cuda_shim::cuInit(0), CUresult::SUCCESS);
        assert_eq!(cuda_shim::cuDeviceGetCount(&mut count), CUresult::SUCCESS);
    }
    assert_eq!(count, 1);
    texts();
}

fn refused() {
    for _ in 0..2 {
        // SAFETY: no pointer is passed, or null.
        unsafe {
            assert_eq!(cuda_shim::cuInit(0), CUresult::INVALID_VALUE);
            assert_eq!(cuda_shim::cuDeviceGetCount(null_mut()), CUresult::INVALID_VALUE);
        }
    }
}

fn unavailable() {
    let Backend::Unavailable { code, reason } = backend() else { panic!("{:?}", backend()) };
    assert_eq!(code.0.to_string(), variable("EXPECTED"));
    assert!(
        reason.contains(&variable("TEXT")) && reason.ends_with("or use OMPTARGET_DEVICE=simt"),
        "{reason}"
    );
    // SAFETY: no argument is looked at.
    unsafe {
        assert_eq!(cuda_shim::cuInit(0), *code);
        assert_eq!(cuda_shim::cuDeviceGetCount(null_mut()), *code);
        assert_eq!(cuda_shim::cuGraphDestroy(null_mut()), *code);
    }
    texts();
}

/// Codes have names and texts whatever the driver is.
fn texts() {
    let mut text = std::ptr::null();
    // SAFETY: `text` is a live variable.
    unsafe {
        assert_eq!(cuda_shim::cuGetErrorString(CUresult::NO_DEVICE, &mut text), CUresult::SUCCESS);
        assert_eq!(std::ffi::CStr::from_ptr(text), c"no CUDA-capable device is detected");
        assert_eq!(cuda_shim::cuGetErrorName(CUresult::NO_DEVICE, &mut text), CUresult::SUCCESS);
        assert_eq!(std::ffi::CStr::from_ptr(text), c"CUDA_ERROR_NO_DEVICE");
    }
}
