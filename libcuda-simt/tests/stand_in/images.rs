//! Images by NVIDIA's own tools, where they are installed (`OMPTARGET_PTXAS`, set by `cargo xtask test`).

use crate::again::SCALE;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs one of the tools that stand beside ptxas.
fn run(folder: &Path, tool: &str, arguments: &[&str], scratch: &Path) {
    let output = Command::new(folder.join(tool)).args(arguments).current_dir(scratch).output().unwrap();
    assert!(output.status.success(), "{tool} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn fat_binaries_of_all_kinds_are_read_and_machine_code_is_refused() {
    let Some(ptxas) = std::env::var_os("OMPTARGET_PTXAS").map(PathBuf::from) else {
        eprintln!("no OMPTARGET_PTXAS: left out");
        return;
    };
    let tools = ptxas.parent().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let file = |name: &str| std::fs::read(scratch.path().join(name)).unwrap();
    std::fs::write(scratch.path().join("a.ptx"), SCALE).unwrap();
    run(tools, "ptxas", &["-arch", "sm_90", "a.ptx", "-o", "a.cubin"], scratch.path());
    let refusal = simt::image::ptx(&file("a.cubin"), 90).unwrap_err();
    assert!(refusal.is_image && refusal.message.contains("cubin"), "{refusal}");

    let ptx = "--image3=kind=ptx,sm=80,file=a.ptx";
    let cubin = "--image3=kind=elf,sm=90,file=a.cubin";
    for mode in ["none", "speed", "balance", "size", "default"] {
        let mode = format!("--compress-mode={mode}");
        let options = ["--create=a.fatbin", "-64", "--compress-all", &mode, ptx, cubin];
        run(tools, "fatbinary", &options, scratch.path());
        let text = simt::image::ptx(&file("a.fatbin"), 90).unwrap();
        // The tool leaves white space out.
        assert!(text.split_whitespace().eq(SCALE.split_whitespace()), "{mode}: {text}");
        run(
            tools,
            "fatbinary",
            &["--create=b.fatbin", "-64", "--compress-all", &mode, cubin],
            scratch.path(),
        );
        let refusal = simt::image::ptx(&file("b.fatbin"), 90).unwrap_err();
        assert!(refusal.is_image && refusal.message.contains("sm_90"), "{mode}: {refusal}");
    }
}
