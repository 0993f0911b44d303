//! Files that the makers' tools write are recognised: PTX, cubins of CUDA 12 and 13, fat binaries, shared objects. NVIDIA's
//! tools are pip packages that `cargo xtask setup` installs if it can; without them their tests say so and are skipped.

use hostrtl::device::Backend;
use hostrtl::image::{Arch, Capability, ImageKind};
use std::path::{Path, PathBuf};
use std::process::Command;

const GPU: Backend = Backend::Cuda { driver_version: 13000 };

fn ptx() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernel.ptx")
}

/// A tool of a pip package.
fn tool(path: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.deps").join(path);
    if !file.is_file() {
        eprintln!("skipped: {} is not there", file.display());
    }
    file.is_file().then_some(file)
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
}

fn assemble(ptxas: &Path, sm: u32, cubin: &Path) -> ImageKind {
    run(Command::new(ptxas).arg(format!("-arch=sm_{sm}")).arg(ptx()).arg("-o").arg(cubin));
    ImageKind::of(&std::fs::read(cubin).unwrap())
}

fn sm(number: u32) -> Capability {
    Capability::from_sm(number)
}

#[test]
fn ptx_text() {
    let kind = ImageKind::of(&std::fs::read(ptx()).unwrap());
    assert_eq!(kind, ImageKind::Ptx { arch: sm(75), exact: false });
}

#[test]
fn shared_objects() {
    let folder = tempfile::tempdir().unwrap();
    let (source, object) = (folder.path().join("k.c"), folder.path().join("k.so"));
    std::fs::write(&source, "void k(void) {}\n").unwrap();
    run(Command::new("cc").args(["-shared", "-fPIC"]).arg(&source).arg("-o").arg(&object));
    let kind = ImageKind::of(&std::fs::read(&object).unwrap());
    assert!(kind.runs_on(Arch::X86_64, Backend::X86) && !kind.runs_on(Arch::from_sm(90), GPU), "{kind}");
}

/// CUDA 12 writes headers of ABI version 7, CUDA 13 of version 8.
#[test]
fn cubins() {
    let folder = tempfile::tempdir().unwrap();
    let cubin = folder.path().join("k.cubin");
    let tools = [("nvcc12/nvidia/cuda_nvcc/bin/ptxas", 7), ("nvidia/nvidia/cu13/bin/ptxas", 8)];
    for (path, abi_version) in tools {
        let Some(ptxas) = tool(path) else { continue };
        for number in [75, 80, 90] {
            assert_eq!(assemble(&ptxas, number, &cubin), ImageKind::Cubin { arch: sm(number) });
            assert_eq!(std::fs::read(&cubin).unwrap()[8], abi_version, "{path}");
        }
    }
}

#[test]
fn fat_binaries() {
    let folder = tempfile::tempdir().unwrap();
    let (cubin, fat) = (folder.path().join("k.cubin"), folder.path().join("k.fatbin"));
    let bin = "nvidia/nvidia/cu13/bin";
    let (Some(ptxas), Some(fatbinary)) = (tool(&format!("{bin}/ptxas")), tool(&format!("{bin}/fatbinary")))
    else {
        return;
    };
    assemble(&ptxas, 90, &cubin);
    let member =
        |kind: &str, sm: u32, file: &Path| format!("--image3=kind={kind},sm={sm},file={}", file.display());
    let mut command = Command::new(fatbinary);
    command.arg(format!("--create={}", fat.display())).arg(member("elf", 90, &cubin)).arg(member(
        "ptx",
        75,
        &ptx(),
    ));
    run(&mut command);
    let kind = ImageKind::of(&std::fs::read(&fat).unwrap());
    let mut names: Vec<String> = match &kind {
        ImageKind::Fatbin(members) => members.iter().map(ToString::to_string).collect(),
        other => panic!("{other}"),
    };
    names.sort();
    assert_eq!(names, ["PTX for sm_75", "cubin for sm_90"]);
    let runs = |number, backend| kind.runs_on(Arch::from_sm(number), backend);
    assert!(runs(90, GPU) && runs(120, GPU) && runs(80, Backend::Simt) && !runs(70, GPU));
}
