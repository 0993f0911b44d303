//! Images of LLVM bitcode (`-fopenmp-target-jit`): compiled by the tools of an installed LLVM when they are loaded.

use crate::image::Capability;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where LLVM's tools are looked for besides the PATH.
const LLVM: &str = "/usr/lib/llvm-22/bin";

/// What the variables `LIBOMPTARGET_JIT_*` say, with LLVM's meanings. Files are those of the last image that was compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// `_OPT_LEVEL`: that of `opt` and of `llc`.
    pub level: u8,
    /// `_SKIP_OPT`: the image goes to `llc` as it is.
    pub skip_opt: bool,
    /// `_PRE_OPT_IR_MODULE`: the file that gets the IR as text before `opt`.
    pub before_opt: Option<PathBuf>,
    /// `_POST_OPT_IR_MODULE`: the file that gets the IR as text for `llc`.
    pub after_opt: Option<PathBuf>,
    /// `_REPLACEMENT_MODULE`: a file of IR, text or bitcode, that is compiled in the place of the image.
    pub module: Option<PathBuf>,
    /// `_REPLACEMENT_OBJECT`: a file that takes the place of what `llc` would write; nothing is compiled.
    pub object: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self { level: 3, skip_opt: false, before_opt: None, after_opt: None, module: None, object: None }
    }
}

impl Options {
    /// Compiles bitcode for a GPU to PTX.
    pub fn ptx(&self, bitcode: &[u8], arch: Capability) -> Result<Vec<u8>, String> {
        let job = Job::new()?;
        self.generate(&job, bitcode, &[&format!("-mcpu={arch}")])?;
        job.read(GENERATED)
    }

    /// Compiles bitcode for this CPU to a shared object.
    pub fn shared_object(&self, bitcode: &[u8]) -> Result<Vec<u8>, String> {
        let job = Job::new()?;
        self.generate(&job, bitcode, &["-relocation-model=pic", "-filetype=obj"])?;
        // The file that replaces the object may be linked already, or be no object at all, as `dlopen` will say.
        let generated = job.read(GENERATED)?;
        if !is_relocatable(&generated) {
            return Ok(generated);
        }
        job.run("ld", &["-shared", GENERATED, "-o", "image"])?;
        job.read("image")
    }

    /// Writes what `llc` makes of the image.
    fn generate(&self, job: &Job, bitcode: &[u8], for_llc: &[&str]) -> Result<(), String> {
        if let Some(object) = &self.object {
            return job.write(GENERATED, &replacement("OBJECT", object)?);
        }
        let mut module = "image.bc";
        match &self.module {
            Some(file) => job.write(module, &replacement("MODULE", file)?)?,
            None => job.write(module, bitcode)?,
        }
        job.dump(module, self.before_opt.as_deref())?;
        let level = format!("-O{}", self.level);
        if !self.skip_opt {
            job.run("opt", &[&level, module, "-o", "optimised.bc"])?;
            module = "optimised.bc";
        }
        job.dump(module, self.after_opt.as_deref())?;
        job.run("llc", &[for_llc, &[&level, module, "-o", GENERATED]].concat())
    }
}

/// The bytes of a file of the user's.
fn replacement(what: &str, file: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(file).map_err(|cause| {
        format!("cannot read LIBOMPTARGET_JIT_REPLACEMENT_{what}={}: {cause}", file.display())
    })
}

/// Whether the linker still has work to do on an ELF file: `e_type` is `ET_REL`.
fn is_relocatable(file: &[u8]) -> bool {
    file.get(16..18) == Some(&[1, 0])
}

/// What `llc` writes.
const GENERATED: &str = "generated";

/// A folder in which tools run.
struct Job(tempfile::TempDir);

impl Job {
    fn new() -> Result<Self, String> {
        let folder = tempfile::tempdir();
        folder.map(Self).map_err(|cause| format!("cannot make a folder for LLVM's tools: {cause}"))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        std::fs::write(self.0.path().join(name), bytes)
            .map_err(|cause| format!("cannot write the image for LLVM's tools: {cause}"))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.path().join(name))
            .map_err(|cause| format!("cannot read the compiled image: {cause}"))
    }

    /// Writes a module as text to a file of the user's, if there is one. Without a pass `opt` changes nothing.
    fn dump(&self, module: &str, file: Option<&Path>) -> Result<(), String> {
        let Some(file) = file else { return Ok(()) };
        self.run("opt", &["-S", module, "-o", "module.ll"])?;
        std::fs::write(file, self.read("module.ll")?)
            .map_err(|cause| format!("cannot write the IR of the image to {}: {cause}", file.display()))
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

    use crate::image::ImageKind;

    const IR: &str = "define void @k(ptr %p) {\n  %old = load i32, ptr %p\n  %new = add i32 %old, 0\n  store i32 %new, ptr %p\n  ret void\n}\n";

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
        for (triple, target) in [("nvptx64-nvidia-cuda", "nvptx64"), ("x86_64-pc-linux-gnu", "x86_64")] {
            assert_eq!(ImageKind::of(&bitcode(triple)), ImageKind::Bitcode { target: target.to_owned() });
        }
    }

    fn gpu_ptx(options: &Options) -> Result<String, String> {
        let text = options.ptx(&bitcode("nvptx64-nvidia-cuda"), Capability::from_sm(80))?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn gpu_bitcode_becomes_ptx_for_the_device() {
        let text = gpu_ptx(&Options::default()).unwrap();
        assert!(text.contains(".target sm_80") && text.contains("k("), "{text}");
    }

    #[test]
    fn host_bitcode_becomes_a_shared_object() {
        let object = Options::default().shared_object(&bitcode("x86_64-pc-linux-gnu")).unwrap();
        assert!(is_shared_object(&object));
    }

    fn is_shared_object(file: &[u8]) -> bool {
        const ET_DYN: u8 = 3;
        ImageKind::of(file) == ImageKind::HostElf && file[16] == ET_DYN
    }

    #[test]
    fn what_a_tool_refuses_is_told() {
        let error = Options::default().ptx(b"BC\xc0\xde....", Capability::from_sm(80)).unwrap_err();
        assert!(error.contains("opt") && error.contains("failed on the device image: "), "{error}");
    }

    /// The IR before and behind `opt`, by the level; it is `opt` that removes the addition of 0.
    #[test]
    fn the_level_decides_what_is_optimised() {
        let folder = tempfile::tempdir().unwrap();
        let [before_opt, after_opt] = ["before.ll", "after.ll"].map(|name| folder.path().join(name));
        let files = [before_opt.clone(), after_opt.clone()];
        let options =
            Options { before_opt: Some(before_opt), after_opt: Some(after_opt), ..Options::default() };
        for (level, skip_opt, after) in [(3, false, 0), (1, false, 0), (0, false, 1), (3, true, 1)] {
            gpu_ptx(&Options { level, skip_opt, ..options.clone() }).unwrap();
            let additions =
                files.clone().map(|file| std::fs::read_to_string(file).unwrap().matches("add i32").count());
            assert_eq!(additions, [1, after], "-O{level}, skip_opt: {skip_opt}");
        }
        let unwritable = Options { before_opt: Some("/no/such/folder/a.ll".into()), ..Options::default() };
        let error = gpu_ptx(&unwritable).unwrap_err();
        assert!(error.starts_with("cannot write the IR of the image to /no/such/folder/a.ll: "), "{error}");
    }

    #[test]
    fn files_in_the_place_of_the_module_and_of_the_object() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let options = Options { module: Some(file.clone()), ..Options::default() };
        let text = format!("target triple = \"nvptx64-nvidia-cuda\"\n{}", IR.replace("@k", "@instead"));
        std::fs::write(&file, text).unwrap();
        assert!(gpu_ptx(&options).unwrap().contains("instead("));
        let options = Options { object: Some(file.clone()), ..options };
        std::fs::write(&file, "any text").unwrap();
        assert_eq!(
            gpu_ptx(&options).unwrap(),
            "any text",
            "the object comes first, and nothing looks into it"
        );
        std::fs::remove_file(&file).unwrap();
        let error = gpu_ptx(&options).unwrap_err();
        assert!(error.starts_with("cannot read LIBOMPTARGET_JIT_REPLACEMENT_OBJECT="), "{error}");
        let error = gpu_ptx(&Options { object: None, ..options }).unwrap_err();
        assert!(error.starts_with("cannot read LIBOMPTARGET_JIT_REPLACEMENT_MODULE="), "{error}");
    }

    /// An object that is linked already, and one that is not.
    #[test]
    fn objects_for_this_cpu() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let image = bitcode("x86_64-pc-linux-gnu");
        let job = Job::new().unwrap();
        Options::default().generate(&job, &image, &["-relocation-model=pic", "-filetype=obj"]).unwrap();
        let linked = Options::default().shared_object(&image).unwrap();
        let object = job.read(GENERATED).unwrap();
        assert!(!is_shared_object(&object));
        for bytes in [object, linked] {
            std::fs::write(&file, bytes).unwrap();
            let options = Options { object: Some(file.clone()), ..Options::default() };
            assert!(is_shared_object(&options.shared_object(&[]).unwrap()));
        }
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
