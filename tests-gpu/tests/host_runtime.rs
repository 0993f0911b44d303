//! Host runtime: a CUDA source that clang-22 compiles with `-foffload-via-llvm`, and a program on several devices.

use std::process::Command;
use tests_gpu::{Dist, Run, build::source};

#[test]
fn kernels_of_a_cuda_source() {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let program = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("square");
    let path = std::env::var("PATH").unwrap();
    let folder = |below: &str| dist.folder().join(below).display().to_string();
    let output = Command::new("clang++-22")
        .env("PATH", format!("/usr/lib/llvm-22/bin:{}:{path}", folder("cuda/bin")))
        .args(["-foffload-via-llvm", "--offload-arch=sm_90", "-O2"])
        .arg(format!("--cuda-path={}", folder("cuda")))
        .args(["-Xoffload-linker", &format!("-L{}", folder("lib/nvptx64-nvidia-cuda"))])
        .args([format!("-L{}", folder("lib")), format!("-Wl,-rpath,{}", folder("lib"))])
        .arg(source("host/square.cu"))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let outcome = Run::on_device().of(&program).and_then(|outcome| outcome.successful());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(outcome.stdout, "passed\n");
}

#[test]
fn several_devices() {
    let dist = Dist::find().unwrap_or_else(|error| panic!("{error:#}"));
    let program = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("devices");
    let output = Command::new(dist.driver())
        .args(["cc", "-O2"])
        .arg(source("host/devices.c"))
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = Run::on_device().with("OMPTARGET_DEVICE", "simt").with("OMPTARGET_SIMT_DEVICES", 3);
    let outcome = run.of(&program).and_then(|outcome| outcome.successful());
    let outcome = outcome.unwrap_or_else(|error| panic!("{error:#}"));
    assert!(outcome.stderr.contains("3 devices"), "{outcome}");
}
