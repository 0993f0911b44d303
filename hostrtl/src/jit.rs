//! Images of LLVM bitcode (`-fopenmp-target-jit`): compiled by the tools of an installed LLVM when they are loaded.

use crate::image::Capability;
use std::path::PathBuf;
use std::process::Command;

/// Where LLVM's tools are looked for besides the PATH.
const LLVM: &str = "/usr/lib/llvm-22/bin";

/// Compiles bitcode for a GPU to PTX.
pub fn ptx(bitcode: &[u8], arch: Capability) -> Result<Vec<u8>, String> {
    let job = Job::new(bitcode)?;
    job.optimise()?;
    job.run("llc", &[&format!("-mcpu={arch}"), "-O3", "optimised.bc", "-o", "image"])?;
    job.result()
}

/// Compiles bitcode for this CPU to a shared object.
pub fn shared_object(bitcode: &[u8]) -> Result<Vec<u8>, String> {
    let job = Job::new(bitcode)?;
    job.optimise()?;
    job.run("llc", &["-relocation-model=pic", "-filetype=obj", "-O3", "optimised.bc", "-o", "image.o"])?;
    job.run("ld", &["-shared", "image.o", "-o", "image"])?;
    job.result()
}

/// A folder with the bitcode, in which tools run.
struct Job(tempfile::TempDir);

impl Job {
    fn new(bitcode: &[u8]) -> Result<Self, String> {
        let failed = |cause| format!("cannot write the image for LLVM's tools: {cause}");
        let folder = tempfile::tempdir().map_err(failed)?;
        std::fs::write(folder.path().join("image.bc"), bitcode).map_err(failed)?;
        Ok(Self(folder))
    }

    fn optimise(&self) -> Result<(), String> {
        self.run("opt", &["-O3", "image.bc", "-o", "optimised.bc"])
    }

    fn run(&self, tool: &str, arguments: &[&str]) -> Result<(), String> {
        let program = find(tool, &search_path()).ok_or_else(|| {
            format!(
                "the device image is LLVM bitcode, which takes '{tool}' of LLVM 22 and binutils to compile: install it \
                 (Debian: llvm-22 and binutils), or recompile without -fopenmp-target-jit"
            )
        })?;
        let output = Command::new(&program).current_dir(self.0.path()).args(arguments).output();
        let output = output.map_err(|cause| format!("cannot start {}: {cause}", program.display()))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(format!(
                "{} failed on the device image: {}",
                program.display(),
                String::from_utf8_lossy(&output.stderr).trim()
            )),
        }
    }

    fn result(&self) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.path().join("image"))
            .map_err(|cause| format!("cannot read the compiled image: {cause}"))
    }
}

/// The folders of the PATH, then LLVM's own.
fn search_path() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).chain([PathBuf::from(LLVM)]).collect()
}

/// The tool of LLVM 22, or one without a version in its name.
fn find(tool: &str, folders: &[PathBuf]) -> Option<PathBuf> {
    let named = |name: String| {
        let files = folders.iter().map(move |folder| folder.join(&name));
        files.into_iter().find(|file| file.is_file())
    };
    named(format!("{tool}-22")).or_else(|| named(tool.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const IR: &str = "define void @k(ptr %p) {\n  store i32 7, ptr %p\n  ret void\n}\n";

    /// Bitcode of a target, from text.
    fn bitcode(triple: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let text = folder.path().join("k.ll");
        std::fs::write(&text, format!("target triple = \"{triple}\"\n{IR}")).unwrap();
        let opt = find("opt", &search_path()).unwrap();
        let output = Command::new(opt).arg(&text).arg("-o").arg("-").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    #[test]
    fn bitcode_knows_its_target() {
        use crate::image::ImageKind;
        for (triple, target) in [("nvptx64-nvidia-cuda", "nvptx64"), ("x86_64-pc-linux-gnu", "x86_64")] {
            assert_eq!(ImageKind::of(&bitcode(triple)), ImageKind::Bitcode { target: target.to_owned() });
        }
    }

    #[test]
    fn gpu_bitcode_becomes_ptx_for_the_device() {
        let text = ptx(&bitcode("nvptx64-nvidia-cuda"), Capability::from_sm(80)).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(".target sm_80") && text.contains("k("), "{text}");
    }

    #[test]
    fn host_bitcode_becomes_a_shared_object() {
        let object = shared_object(&bitcode("x86_64-pc-linux-gnu")).unwrap();
        assert_eq!(crate::image::ImageKind::of(&object), crate::image::ImageKind::HostElf);
    }

    #[test]
    fn what_a_tool_refuses_is_told() {
        let error = ptx(b"BC\xc0\xde....", Capability::from_sm(80)).unwrap_err();
        assert!(error.contains("opt") && error.contains("failed on the device image: "), "{error}");
    }

    #[test]
    fn tools_with_the_version_come_first() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_owned()];
        assert_eq!(find("llc", &folders), None);
        std::fs::write(folder.path().join("llc"), "").unwrap();
        assert_eq!(find("llc", &folders), Some(folder.path().join("llc")));
        std::fs::write(folder.path().join("llc-22"), "").unwrap();
        assert_eq!(find("llc", &folders), Some(folder.path().join("llc-22")));
    }
}
