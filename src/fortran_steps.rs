//! flang's steps apart: a source for the device alone; the same for the host alone, around an image that is there; the link.
//! In one command flang 22 has no options that are for the device and not for the host, which complex numbers need, and no
//! `-foffload-lto`. With that one the image is bitcode, and the device linker sees all files together, as with clang.

use crate::{architecture, cc};
use anyhow::{Context, Result};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Ours: the objects hold bitcode of the device, or machine code. The last one counts.
const OPTIONS: [&str; 2] = ["-foffload-lto", "-fno-offload-lto"];

/// Asks for device code and nothing else.
const DEVICE_ONLY: &str = "--offload-device-only";

/// With these flang is asked for something else than objects and programs.
const OTHER_OUTPUT: [&str; 8] =
    ["-S", "-E", "-emit-llvm", "-fsyntax-only", "-###", DEVICE_ONLY, "--offload-host-only", "-fno-openmp"];

/// What is for the device alone, where flang 22 lowers no complex numbers ("not yet implemented: handle complex return types"): its own
/// code for their functions, in the place of calls of a library, quotients in place as well, and functions that take and return
/// complex numbers, texts and structures as they are. What the user says of quotients comes behind it.
const FOR_DEVICE: [&str; 5] =
    ["-fcomplex-arithmetic=improved", "-mllvm", "-force-mlir-complex", "-mllvm", "-disable-target-rewrite"];

/// Options whose value is the next word.
const WITH_VALUE: [&str; 18] = [
    "-o",
    "-I",
    "-J",
    "-module-dir",
    "-D",
    "-U",
    "-L",
    "-l",
    "-T",
    "-u",
    "-x",
    "-z",
    "-Xflang",
    "-Xlinker",
    "-Xoffload-linker",
    cc::FOR_NVIDIA_LINKER,
    "-mllvm",
    "-mmlir",
];

/// Names of Fortran sources end in these.
const SOURCES: [&str; 9] = ["f", "for", "ftn", "fpp", "f77", "f90", "f95", "f03", "f08"];

/// Options begin in these that a compilation alone would call unused, and so are inputs with the names below.
const LINKING: [&str; 6] = ["-l", "-L", "-u", "-Wl,", "-Xlinker", "-Xoffload-linker"];
const OBJECTS: [&str; 3] = ["o", "a", "so"];

/// Whether an argument is ours, and not for flang.
pub fn is_about_lto(argument: &OsStr) -> bool {
    OPTIONS.iter().any(|option| argument == *option)
}

/// Whether there is to be device LTO: as the user says, else where the passes run, which LLVM's own openmp-opt needs at the link:
/// alone it makes flang's kernels wrong. Not by itself at `-O0`, where the link would not optimise the runtime either.
pub fn is_wanted(user: &[OsString], passes: bool) -> bool {
    let otherwise = passes && optimisation(user) != Some('0');
    user.iter().rfind(|argument| is_about_lto(argument)).map_or(otherwise, |last| *last == OPTIONS[0])
}

/// The level of optimisation that the user names last, as the device linker knows it.
pub fn optimisation(user: &[OsString]) -> Option<char> {
    user.iter().rev().find_map(|argument| match argument.to_str()?.strip_prefix("-O")? {
        "" => Some('1'),
        "fast" => Some('3'),
        level => level.chars().next().filter(|level| ('0'..='3').contains(level)),
    })
}

/// The words of a command line, each option together with its value.
fn with_values(arguments: &[OsString]) -> impl Iterator<Item = &[OsString]> {
    let mut rest = arguments;
    std::iter::from_fn(move || {
        let first = rest.first()?;
        let pair = WITH_VALUE.iter().any(|option| first == *option) && rest.len() > 1;
        let (word, others) = rest.split_at(if pair { 2 } else { 1 });
        rest = others;
        Some(word)
    })
}

/// The words of a command line that are neither options nor values of options.
pub fn inputs(arguments: &[OsString]) -> impl Iterator<Item = &Path> {
    let first = with_values(arguments).map(|word| &word[0]);
    first.filter(|word| !word.to_string_lossy().starts_with('-')).map(Path::new)
}

/// One word of a command line, or an option and its value.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Word<'a> {
    /// A Fortran source.
    Source(&'a OsString),
    /// `-o` and the file.
    Output(&'a OsString),
    /// `-c`.
    CompileOnly,
    /// `--offload-arch=`.
    Architectures(&'a OsString),
    /// An input or library of the linker.
    ForLinker(&'a [OsString]),
    /// All others.
    Other(&'a [OsString]),
}

/// A command line of flang that makes objects, or a program of them.
struct Work<'a> {
    words: Vec<Word<'a>>,
    architectures: Vec<String>,
    /// Whether images are bitcode.
    lto: bool,
}

impl<'a> Work<'a> {
    /// Of flang's arguments; none if there is nothing that could be compiled in this way.
    fn of(arguments: &'a [OsString], lto: bool) -> Option<Self> {
        if arguments.iter().any(|argument| OTHER_OUTPUT.iter().any(|option| argument == *option)) {
            return None;
        }
        let words = with_values(arguments).map(Word::of).collect();
        let work = Self { words, architectures: architecture::named(arguments), lto };
        let sources = work.sources().count();
        // flang says itself what it thinks of one name for several objects.
        let ambiguous = sources > 1 && work.is_compile_only() && work.output().is_some();
        (sources > 0 && !ambiguous && !work.architectures.is_empty()).then_some(work)
    }

    fn sources(&self) -> impl Iterator<Item = &'a OsString> {
        self.words.iter().filter_map(|word| match word {
            Word::Source(source) => Some(*source),
            _ => None,
        })
    }

    fn output(&self) -> Option<&'a OsString> {
        self.words.iter().rev().find_map(|word| match word {
            Word::Output(file) => Some(*file),
            _ => None,
        })
    }

    fn is_compile_only(&self) -> bool {
        self.words.contains(&Word::CompileOnly)
    }

    /// The options of a compilation of one source to `output`, for the device's `architecture` or for the host.
    fn compile(&self, architecture: Option<&str>, source: &OsString, output: &Path) -> Vec<OsString> {
        let mut all = Vec::new();
        if architecture.is_some() {
            all.extend(FOR_DEVICE.map(OsString::from));
        }
        for word in &self.words {
            match word {
                Word::Other(words) => all.extend_from_slice(words),
                Word::Architectures(list) if architecture.is_none() => all.push((*list).clone()),
                _ => {}
            }
        }
        match architecture {
            Some(name) => {
                all.push(format!("--offload-arch={name}").into());
                all.push(DEVICE_ONLY.into());
                all.extend(self.lto.then(|| "-emit-llvm".into()));
            }
            None => all.push("--offload-host-only".into()),
        }
        all.extend(["-c".into(), source.clone(), "-o".into(), output.into()]);
        all
    }

    /// The options of the link, with an object in the place of each source.
    fn link(&self, objects: &[PathBuf]) -> Vec<OsString> {
        let mut objects = objects.iter();
        let mut all = Vec::new();
        for word in &self.words {
            match word {
                Word::Source(_) => all.extend(objects.next().map(OsString::from)),
                Word::Output(file) => all.extend(["-o".into(), (*file).clone()]),
                Word::Architectures(list) => all.push((*list).clone()),
                Word::ForLinker(words) | Word::Other(words) => all.extend_from_slice(words),
                Word::CompileOnly => {}
            }
        }
        // Folders of modules and their like were for the compilations.
        all.push("-Qunused-arguments".into());
        all
    }
}

impl<'a> Word<'a> {
    fn of(words: &'a [OsString]) -> Self {
        let first = words[0].to_string_lossy();
        if first == "-o" && words.len() == 2 {
            return Self::Output(&words[1]);
        }
        if first == "-c" {
            return Self::CompileOnly;
        }
        if first.starts_with("--offload-arch=") {
            return Self::Architectures(&words[0]);
        }
        let extension = Path::new(&words[0]).extension().and_then(OsStr::to_str).unwrap_or_default();
        match first.starts_with('-') {
            true if LINKING.iter().any(|option| first.starts_with(option)) => Self::ForLinker(words),
            true => Self::Other(words),
            false if SOURCES.contains(&&*extension.to_lowercase()) => Self::Source(&words[0]),
            false if OBJECTS.contains(&extension) => Self::ForLinker(words),
            false => Self::Other(words),
        }
    }
}

/// Does what flang's `arguments` ask for step by step, with device LTO or without; or in one, where there are no such steps.
/// `first` are folders in front of the PATH.
///
/// # Errors
/// A program of LLVM's cannot be started.
pub fn run(flang: &Path, arguments: &[OsString], first: &[&Path], lto: bool) -> Result<ExitCode> {
    let Some(work) = Work::of(arguments, lto) else {
        if !arguments.iter().any(|argument| argument == DEVICE_ONLY) {
            return cc::execute(flang, arguments, first);
        }
        let arguments: Vec<_> =
            FOR_DEVICE.map(OsString::from).into_iter().chain(arguments.to_vec()).collect();
        return cc::execute(flang, &arguments, first);
    };
    let scratch =
        tempfile::Builder::new().prefix("omptarget-fc-").tempdir().context("cannot make a folder")?;
    let mut objects = Vec::new();
    for (number, source) in work.sources().enumerate() {
        let folder = scratch.path().join(number.to_string());
        std::fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let packed = folder.join("device");
        let mut pack: Vec<OsString> = vec!["-o".into(), packed.clone().into()];
        for name in &work.architectures {
            let image = folder.join(format!("{name}.{}", if lto { "bc" } else { "o" }));
            let code = cc::execute(flang, &work.compile(Some(name), source, &image), first)?;
            if code != ExitCode::SUCCESS {
                return Ok(code);
            }
            let mut image = cc::joined("--image=file=", image.as_os_str());
            image.push(format!(",triple=nvptx64-nvidia-cuda,arch={name},kind=openmp"));
            pack.push(image);
        }
        let packer = cc::llvm_folder(flang).join("llvm-offload-binary");
        let code = cc::execute(&packer, &pack, first).context("it is part of LLVM 22, beside flang")?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
        // The linker tells device code by the name of its object.
        let name = Path::new(source).with_extension("o");
        let name = name.file_name().unwrap_or_default();
        let object = match work.output().filter(|_| work.is_compile_only()) {
            Some(file) => file.into(),
            None if work.is_compile_only() => name.into(),
            None => folder.join(name),
        };
        let mut host = work.compile(None, source, &object);
        host.extend(["-Xflang".into(), cc::joined("-fembed-offload-object=", packed.as_os_str())]);
        let code = cc::execute(flang, &host, first)?;
        if code != ExitCode::SUCCESS {
            return Ok(code);
        }
        objects.push(object);
    }
    if work.is_compile_only() {
        return Ok(ExitCode::SUCCESS);
    }
    cc::execute(flang, &work.link(&objects), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    fn text(words: Vec<OsString>) -> String {
        words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_last_word_counts_and_else_the_passes() {
        let wanted = |line: &str| is_wanted(&words(line), true);
        assert!(wanted("a.f90") && !wanted("-fno-offload-lto a.f90"));
        assert!(wanted("-O2 a.f90") && !wanted("-O0 a.f90") && wanted("-O0 -foffload-lto a.f90"));
        assert!(wanted("-fno-offload-lto -foffload-lto a.f90"));
        assert!(!is_wanted(&words("a.f90"), false) && is_wanted(&words("-foffload-lto a.f90"), false));
    }

    #[test]
    fn the_device_linker_optimises_as_flang_does() {
        let level = |line: &str| optimisation(&words(line));
        assert_eq!(level("-O2 -O0 a.f90"), Some('0'));
        assert_eq!([level("-O a.f90"), level("-Ofast"), level("-o a")], [Some('1'), Some('3'), None]);
    }

    #[test]
    fn a_source_is_compiled_for_the_device_and_for_the_host() {
        let line = words("--offload-arch=sm_80,sm_90 -O2 -I h -Xlinker x.a a.F90 b.o -lm -o a");
        let work = Work::of(&line, true).unwrap();
        let source = work.sources().next().unwrap();
        let complex = FOR_DEVICE.join(" ");
        assert_eq!(
            text(work.compile(Some("sm_80"), source, Path::new("t.bc"))),
            format!(
                "{complex} -O2 -I h --offload-arch=sm_80 --offload-device-only -emit-llvm -c a.F90 -o t.bc"
            )
        );
        let machine_code = Work::of(&line, false).unwrap();
        assert_eq!(
            text(machine_code.compile(Some("sm_80"), source, Path::new("t.o"))),
            format!("{complex} -O2 -I h --offload-arch=sm_80 --offload-device-only -c a.F90 -o t.o")
        );
        assert_eq!(
            text(work.compile(None, source, Path::new("t.o"))),
            "--offload-arch=sm_80,sm_90 -O2 -I h --offload-host-only -c a.F90 -o t.o"
        );
        assert_eq!(
            text(work.link(&["t.o".into()])),
            "--offload-arch=sm_80,sm_90 -O2 -I h -Xlinker x.a t.o b.o -lm -o a -Qunused-arguments"
        );
    }

    #[test]
    fn inputs_are_no_options_and_no_values() {
        let line = words("-O2 -o a.c b.f90 -I c.c d.c -lm");
        assert_eq!(inputs(&line).collect::<Vec<_>>(), [Path::new("b.f90"), Path::new("d.c")]);
    }

    #[test]
    fn what_makes_no_object_is_left_to_flang() {
        for line in ["-S a.f90", "a.o -o a", "-c a.f90 b.f90 -o a.o", "-fsyntax-only a.f90", "-### a.f90"] {
            assert!(Work::of(&words(&format!("--offload-arch=sm_90 {line}")), true).is_none(), "{line}");
        }
        assert!(Work::of(&words("--offload-arch=sm_90 -c a.f90 b.f90"), true).is_some());
    }
}
