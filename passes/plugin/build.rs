//! Compiles the C++ half: a pass is registered through `std::function`.

use std::path::Path;
use std::process::Command;

fn main() {
    let version = if std::env::var_os("CARGO_FEATURE_LLVM19").is_some() { "19" } else { "22" };
    let prefix = std::env::var("OMPTARGET_LLVM").unwrap_or_else(|_| format!("/usr/lib/llvm-{version}"));
    println!("cargo:rerun-if-env-changed=OMPTARGET_LLVM");
    println!("cargo:rerun-if-changed=cpp");
    let config = Path::new(&prefix).join("bin/llvm-config");
    let flags = Command::new(&config).arg("--cxxflags").output().unwrap_or_else(|error| {
        panic!("cannot run {}: {error} (`cargo xtask setup` installs LLVM)", config.display())
    });
    let mut cpp = cc::Build::new();
    cpp.cpp(true).file("cpp/plugin.cc").warnings(false).opt_level(1).debug(false).flag("-fno-rtti");
    let clang = Path::new("/usr/lib/llvm-22/bin/clang++");
    if clang.exists() {
        cpp.compiler(clang);
    }
    for flag in String::from_utf8_lossy(&flags.stdout).split_whitespace() {
        cpp.flag(flag);
    }
    cpp.compile("passes-plugin");
}
