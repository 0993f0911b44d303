//! Builds the device runtime and hands its files to the command line, which carries them.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    for input in devicertl_build::inputs() {
        println!("cargo:rerun-if-changed={}", input.display());
    }
    for variable in [devicertl_build::toolchain::RUSTC_VARIABLE, devicertl_build::toolchain::LLVM_VARIABLE] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let out = Path::new(&out);
    // <target>/<profile>/build/<package>/out
    let target = out.ancestors().nth(4).unwrap_or(out);
    match devicertl_build::store::build_once(target, &out.join("devicertl")) {
        Ok(outputs) => {
            println!("cargo:rustc-env=OMPTARGET_DEVICE_BC={}", outputs.runtime.display());
            println!("cargo:rustc-env=OMPTARGET_DEVICE_AR={}", outputs.archive.display());
            println!("cargo:rustc-env=OMPTARGET_DEVICE_MATH_BC={}", outputs.math.display());
            println!("cargo:rustc-env=OMPTARGET_DEVICE_PTX={}", outputs.ptx.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("the device runtime cannot be built: {error:#}");
            ExitCode::FAILURE
        }
    }
}
