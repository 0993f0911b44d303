//! Compiles the few lines of C++ for what LLVM's C interface lacks, the plugin's among them, and links the programs and
//! tests of this package with LLVM. The library itself names no LLVM library: a plugin takes LLVM's functions from the
//! compiler it is loaded by.

use std::path::{Path, PathBuf};
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
        .file(together(&[
            "ir",
            "aggregates",
            "blocks",
            "constants",
            "gotos",
            "initial_values",
            "large",
            "plugin",
        ]))
        .include("cpp")
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

/// A file that includes the sources of these names: LLVM's headers, which take most of the time, are read once.
fn together(names: &[&str]) -> PathBuf {
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let file = Path::new(&out).join("together.cc");
    let text: String = names.iter().map(|name| format!("#include \"{name}.cc\"\n")).collect();
    std::fs::write(&file, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", file.display()));
    file
}
