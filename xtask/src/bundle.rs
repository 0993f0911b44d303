//! `cargo xtask gpu-bundle`: a folder that runs programs and benches on a machine with nothing but a GPU driver.

mod kept;
mod measured;
mod programs;

use crate::{dist, process, setup};
use anyhow::{Context, Result, ensure};
use devicertl_build::toolchain::Llvm;
use kept::Kept;
use programs::{Work, build_all, math_programs, rex_clients};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tests_gpu::bundle::{
    self, CALIBRATION, COMMIT, CONTENTS, EXECUTABLES, LEFT_OUT, LIBRARIES, PROGRAMS, RUN, UNPACK,
};
use tests_gpu::{BENCH, Dist};

/// Most bytes of a bundle.
const LIMIT: u64 = 64 << 20;

/// Finds again what stands in a program before, and takes half a minute. gzip, which looks back 32 KiB, makes twice as much.
const COMPRESSOR: &str = "zstd -T0 -15 --long=27";

/// Libraries that a machine has, and that have to be of one kind with its loader or its driver.
const OF_THE_MACHINE: &[&str] = &[
    "libc.so",
    "libm.so",
    "libdl.so",
    "libpthread.so",
    "librt.so",
    "ld-linux",
    "linux-vdso",
    // part of NVIDIA's driver
    "libnvidia-ml.so",
];

/// Makes the bundle in the folder `out`, which is replaced, of the programs that `only` chooses. `fetched` is the folder
/// with checkouts of the programs that are not part of this project.
///
/// # Errors
/// Something cannot be built, a host run fails, or the bundle is too large to carry.
pub fn run(out: &Path, only: Option<&str>, fetched: Option<&Path>) -> Result<()> {
    setup::run()?;
    let dist = dist::run()?;
    process::run(process::cargo().args([
        "build",
        "--release",
        "--quiet",
        "--package",
        "tests-gpu",
        "--bin",
        "bundle-runner",
        "--bin",
        "calibrate",
        "--bin",
        UNPACK,
    ]))?;
    if out.exists() {
        fs::remove_dir_all(out).with_context(|| format!("cannot empty {}", out.display()))?;
    }
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let contents = tempfile::tempdir().context("cannot make a temporary folder")?;
    let folder = contents.path();
    for name in ["bin", LIBRARIES] {
        fs::create_dir_all(folder.join(name))
            .with_context(|| format!("cannot make {name} in {}", folder.display()))?;
    }
    for program in EXECUTABLES {
        let file = folder.join("bin").join(program);
        copy_stripped(&process::target().join("release").join(program), &file)?;
    }
    let mut expect = Command::new(folder.join("bin/calibrate"));
    process::run(expect.arg("--expect").arg(folder.join(CALIBRATION)))?;

    let left_out = LeftOut::default();
    if let Err(error) = setup::TOOLKIT.install() {
        eprintln!("xtask: no nvcc of PyPI ({error:#}): one on the PATH is taken");
    }
    let mut kinds: Vec<(&str, Vec<String>)> = vec![("ptx", Vec::new())];
    if setup::assembler_folder().join("ptxas").exists() {
        kinds.push(("cubin", vec![format!("--cuda-path={}", cuda_folder(&dist)?.display())]));
    } else {
        left_out.add("cubin: there is no ptxas".to_owned());
    }
    let dist = Dist::find_in(&dist)?;
    let kept = Kept::open(process::target().join("gpu-bundle-programs"), &dist)?;
    let mut work = vec![];
    for (image, options) in &kinds {
        let folder = folder.join(image);
        let cases = bundle::cases(image, only).into_iter().chain([BENCH]);
        work.extend(cases.map(|case| Work { image, case, options, folder: folder.clone() }));
    }
    let mut programs = build_all(&dist, &work, &kept)?;
    programs.retain(|program| program.name != BENCH.name());
    for (image, _) in &kinds {
        programs.extend(rex_clients(&dist, image, only, &folder.join(image))?);
    }
    programs.extend(math_programs(&dist, &kinds, only, folder)?);
    let host_tests = programs::host_tests(only, &folder.join("ptx"))?;
    let files_of_tests: Vec<PathBuf> =
        host_tests.iter().map(|test| folder.join("ptx").join(&test.name)).collect();
    programs.extend(host_tests);
    let whole = measured::whole_programs(&dist, only, fetched, folder, &left_out, &kept)?;
    let hosts = measured::host_runtimes(
        &dist,
        kinds.get(1).map(|(_, options)| options.as_slice()),
        folder,
        &left_out,
    )?;
    let benches = measured::device_benches(&dist, only, folder, &left_out, &kept)?;
    let count = programs.len() + whole.len() + benches.len();
    ensure!(count > 0, "no program's name contains any of {}", only.unwrap_or_default());
    fs::write(folder.join(PROGRAMS), serde_json::to_string(&programs)?)?;
    let files = work
        .iter()
        .map(|one| one.folder.join(one.case.name()))
        .chain(files_of_tests)
        .chain(whole)
        .chain(hosts)
        .chain(benches);
    for (name, file) in libraries(&dist, files.collect())? {
        copy(&file, &folder.join(LIBRARIES).join(name))?;
    }
    fs::write(folder.join(COMMIT), commit()?)?;
    fs::write(folder.join(LEFT_OUT), serde_json::to_string(&left_out.lines())?)?;
    let mut pack = Command::new("tar");
    pack.args(["-I", COMPRESSOR, "-cf"]).arg(out.join(CONTENTS)).arg("-C").arg(folder).arg(".");
    process::run(&mut pack)?;
    copy_stripped(&process::target().join("release").join(UNPACK), &out.join(UNPACK))?;
    let run = out.join("run.sh");
    fs::write(&run, RUN)?;
    fs::set_permissions(&run, fs::Permissions::from_mode(0o755))?;

    let bytes = fs::metadata(out.join(CONTENTS))?.len() + fs::metadata(out.join(UNPACK))?.len();
    ensure!(bytes < LIMIT, "the bundle has {bytes} bytes; more than {LIMIT} cannot be carried");
    println!("{}: {} programs, {:.1} MiB", run.display(), count, bytes as f64 / (1 << 20) as f64);
    Ok(())
}

/// What the bundle was to hold and does not, and why: said at once, and by its runner.
#[derive(Default)]
pub struct LeftOut(Mutex<Vec<String>>);

impl LeftOut {
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves out what the line says.
    pub fn add(&self, line: String) {
        eprintln!("xtask: left out: {line}");
        self.lock().push(line);
    }

    /// Leaves out what cannot be made. The bundle tells the first line that says what is wrong; all of them are printed here.
    pub fn add_failed(&self, name: &str, error: &anyhow::Error) {
        eprintln!("xtask: left out: {name}: {error:#}");
        self.lock().push(format!("{name}: {}", first_error(&format!("{error:#}"))));
    }

    fn lines(&self) -> Vec<String> {
        self.lock().clone()
    }
}

/// The line of a compiler's output that tells what is wrong, without the file that it stands in.
fn first_error(text: &str) -> &str {
    let told = |line: &&str| line.contains("error") || line.contains("cannot");
    let line = text.lines().find(told).or_else(|| text.lines().next()).unwrap_or_default();
    line.split(" in '").next().unwrap_or(line)
}

/// The shared libraries that the programs need and that a machine need not have, by name.
fn libraries(dist: &Dist, files: BTreeSet<PathBuf>) -> Result<BTreeMap<String, PathBuf>> {
    let mut libraries = BTreeMap::new();
    // What the runtimes need themselves is among what the programs need.
    for file in files {
        let mut command = Command::new("ldd");
        command
            .arg(&file)
            .env("LD_LIBRARY_PATH", format!("{}:{LLVM_LIBRARIES}", dist.folder().join("lib").display()));
        let output = command.output().context("cannot start ldd")?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            // `	libomp.so.5 => /usr/lib/llvm-22/lib/libomp.so.5 (0x...)`
            let Some((name, place)) = line.trim().split_once(" => ") else { continue };
            if OF_THE_MACHINE.iter().any(|known| name.starts_with(known)) {
                continue;
            }
            ensure!(place != "not found", "{} needs {name}, which is not there", file.display());
            let place = place.split(" (").next().unwrap_or(place);
            libraries.insert(name.to_owned(), fs::canonicalize(place)?);
        }
    }
    Ok(libraries)
}

/// Where Debian has libomp.
const LLVM_LIBRARIES: &str = "/usr/lib/llvm-22/lib";

/// A CUDA folder with the real ptxas and nvlink, and our mathematical functions as libdevice.
fn cuda_folder(dist: &Path) -> Result<PathBuf> {
    let cuda = process::target().join("cuda-assembler");
    let tools = cuda.join("bin");
    for folder in [&tools, &cuda.join("include"), &cuda.join("nvvm/libdevice")] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    for tool in ["ptxas", "nvlink"] {
        let _ = fs::remove_file(tools.join(tool));
        symlink(setup::assembler_folder().join(tool), tools.join(tool))?;
    }
    for file in ["include/cuda.h", "nvvm/libdevice/libdevice.10.bc"] {
        copy(&dist.join("cuda").join(file), &cuda.join(file))?;
    }
    Ok(cuda)
}

fn commit() -> Result<String> {
    let output =
        Command::new("git").args(["describe", "--always", "--dirty"]).current_dir(process::root()).output();
    let text = output.context("cannot start git")?.stdout;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

/// Copies an executable of ours without its symbols: with them they would be a sixth of a whole bundle.
fn copy_stripped(from: &Path, to: &Path) -> Result<()> {
    copy(from, to)?;
    Llvm::find()?.run("llvm-strip", &[to.as_os_str()])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_told_in_one_line() {
        let left_out = LeftOut::default();
        let error = anyhow::anyhow!(
            "exit status: 1: clang a.c\nnvlink error   : no 'f' in '/tmp/a.o'\nclang: error: 1"
        );
        left_out.add_failed("bench a (llvm19)", &error);
        left_out.add("cubin: there is no ptxas".to_owned());
        assert_eq!(
            left_out.lines(),
            ["bench a (llvm19): nvlink error   : no 'f'", "cubin: there is no ptxas"]
        );
        assert_eq!(
            first_error("cannot start nvcc, which is not there"),
            "cannot start nvcc, which is not there"
        );
    }
}
