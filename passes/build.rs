//! Compiles the few lines of C++ for what LLVM's C interface lacks, the plugin's among them, and links the programs and
//! tests of this package with LLVM. The library itself names no LLVM library: a plugin takes LLVM's functions from the
//! compiler it is loaded by.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = if std::env::var_os("CARGO_FEATURE_LLVM19").is_some() { "19" } else { "22" };
    let prefix = std::env::var("OMPTARGET_LLVM").unwrap_or_else(|_| format!("/usr/lib/llvm-{version}"));
    println!("cargo:rerun-if-env-changed=OMPTARGET_LLVM");
    println!("cargo:rerun-if-changed=cpp");
    let config = Path::new(&prefix).join("bin/llvm-config");
    let ask = |question: &str| -> String {
        let output = Command::new(&config).arg(question).output().unwrap_or_else(|error| {
            panic!("cannot run {}: {error} (`cargo xtask setup` installs LLVM)", config.display())
        });
        assert!(output.status.success(), "{} {question} failed", config.display());
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let clang = Path::new("/usr/lib/llvm-22/bin/clang++");
    let mut cpp = cc::Build::new();
    cpp.cpp(true)
        .file("cpp/ir.cc")
        .file("cpp/aggregates.cc")
        .file("cpp/constants.cc")
        .file("cpp/gotos.cc")
        .file("cpp/initial_values.cc")
        .file("cpp/large.cc")
        .file("cpp/plugin.cc")
        .warnings(false)
        .opt_level(1)
        .debug(false);
    if clang.exists() {
        cpp.compiler(clang);
    }
    ask("--cxxflags").split_whitespace().for_each(|flag| {
        cpp.flag(flag);
    });
    cpp.flag("-fno-rtti").compile("passes-ir");
    println!("cargo:rustc-link-arg=-L{}", ask("--libdir"));
    println!("cargo:rustc-link-arg=-lLLVM-{version}");
    println!("cargo:rustc-link-arg=-lstdc++");
}
