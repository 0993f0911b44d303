//! The command lines of `ptxas` and `nvlink`, as clang and clang-nvlink-wrapper write them.

use crate::{Module, carrier, link, scan};
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// Options of both tools that have a value in the next argument; all others are flags.
const WITH_VALUE: [&str; 14] = [
    "-arch",
    "--arch",
    "--gpu-name",
    "-gpu-name",
    "-o",
    "--output-file",
    "-output-file",
    "-maxrregcount",
    "--maxrregcount",
    "--opt-level",
    "-L",
    "--library-path",
    "-m",
    "--machine",
];
const OUTPUT: [&str; 3] = ["-o", "--output-file", "-output-file"];

/// What a command line asks for. Options about machine code mean nothing here: there is none.
#[derive(Debug, PartialEq, Eq)]
struct Job {
    output: PathBuf,
    inputs: Vec<PathBuf>,
}

impl Job {
    fn parse(arguments: &[OsString], default_output: &str) -> Result<Self> {
        let mut job = Self { output: default_output.into(), inputs: vec![] };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let is = |option: &&str| argument == OsStr::new(option);
            if WITH_VALUE.iter().any(is) {
                let Some(value) = rest.next() else { bail!("{} needs a value", argument.display()) };
                if OUTPUT.iter().any(is) {
                    job.output = value.into();
                }
            } else if !argument.to_string_lossy().starts_with('-') {
                job.inputs.push(argument.into());
            }
        }
        if job.inputs.is_empty() {
            bail!("no input files");
        }
        Ok(job)
    }
}

/// `ptxas`: the PTX text of one file, put where the linker and the tools of LLVM look for code.
///
/// # Errors
/// A file cannot be read or written, or is not PTX.
pub fn ptxas(arguments: &[OsString]) -> Result<()> {
    let job = Job::parse(arguments, "elf.o")?;
    let [input] = &job.inputs[..] else { bail!("more than one input file") };
    let text = fs::read_to_string(input).with_context(|| format!("cannot read {}", input.display()))?;
    let module = Module::parse(&input.display().to_string(), with_valid_names(text)?)?;
    save(&job.output, &carrier::write(&module, carrier::Use::Link)?)
}

/// flang 22 names the lock of a critical section `.gomp_critical_user_NAME.var`, and PTX allows no dot in a name. Here it
/// gets the name that clang gives it, by which files of both languages have one lock.
fn with_valid_names(text: String) -> Result<String> {
    const LOCK: &str = ".gomp_critical_user_";
    if !text.contains(LOCK) {
        return Ok(text);
    }
    let (mut valid, mut end) = (String::with_capacity(text.len()), 0);
    for place in scan::tokens(&text)?.into_iter().map(|token| token.place) {
        let word = &text[place.clone()];
        // A dot begins a word for PTX, and here what stands right behind a name belongs to it.
        let (from, to) = match word.starts_with(LOCK) {
            true => (LOCK, LOCK.replace('.', "_")),
            false if end > 0 && end == place.start && word.starts_with('.') => (".", "$".into()),
            false => continue,
        };
        valid += &text[end..place.start];
        valid += &word.replacen(from, &to, 1);
        end = place.end;
    }
    Ok(valid + &text[end..])
}

/// The environment variable that says what `nvlink` writes.
pub const IMAGE: &str = "OMPTARGET_IMAGE";

/// What `nvlink` writes: PTX text, which every driver compiles, or an ELF file with the text in it. LLVM's libomptarget
/// takes no other image than ELF, and no driver but the SIMT device knows this one.
fn wants_elf(image: Option<&OsStr>) -> Result<bool> {
    match image.map(|word| word.to_string_lossy()).as_deref() {
        None | Some("" | "ptx") => Ok(false),
        Some("elf") => Ok(true),
        Some(other) => bail!("{IMAGE}={other} is not understood: give ptx or elf"),
    }
}

/// `nvlink`: the texts of all files as one PTX module.
///
/// # Errors
/// A file cannot be read or written, carries no PTX, or a symbol has no definition, or several.
pub fn nvlink(arguments: &[OsString]) -> Result<()> {
    let elf = wants_elf(std::env::var_os(IMAGE).as_deref())?;
    let job = Job::parse(arguments, "a.out")?;
    let modules = job.inputs.iter().map(|input| load(input)).collect::<Result<Vec<_>>>()?;
    let text = link(&modules)?;
    if elf {
        let module = Module::parse(&job.output.display().to_string(), text)?;
        return save(&job.output, &carrier::write(&module, carrier::Use::Load)?);
    }
    save(&job.output, text.as_bytes())
}

fn load(input: &Path) -> Result<Module> {
    let name = input.display().to_string();
    let file = fs::read(input).with_context(|| format!("cannot read {name}"))?;
    let Some(text) = carrier::read(&file) else {
        bail!(
            "'{name}' is machine code of a CUDA toolkit and not PTX: compile it with the same --cuda-path, or link with \
             that of the toolkit"
        );
    };
    Module::parse(&name, text)
}

fn save(path: &Path, contents: &[u8]) -> Result<()> {
    fs::write(path, contents).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(line: &str) -> Result<Job> {
        Job::parse(&line.split(' ').map(OsString::from).collect::<Vec<_>>(), "a.out")
    }

    #[test]
    fn command_lines_of_clang() {
        let expected = |output: &str, inputs: &[&str]| Job {
            output: output.into(),
            inputs: inputs.iter().map(PathBuf::from).collect(),
        };
        let ptxas =
            "-m64 -g --dont-merge-basicblocks --return-at-end -v --gpu-name sm_90 --output-file a.o a.s -c";
        assert_eq!(job(ptxas).unwrap(), expected("a.o", &["a.s"]));
        assert_eq!(job("-m64 -c a.s -O3 -arch sm_90 -o a.cubin").unwrap(), expected("a.cubin", &["a.s"]));
        let nvlink = "-o a.img -v -arch sm_90 -L /lib -L/more a.cubin b.cubin";
        assert_eq!(job(nvlink).unwrap(), expected("a.img", &["a.cubin", "b.cubin"]));
    }

    #[test]
    fn locks_of_flang_get_the_names_of_clang() {
        let text = "// é\n.common .global .b8 .gomp_critical_user_a.var[32];\nmov %r, .gomp_critical_user_.var; \"x.y\"";
        assert_eq!(
            with_valid_names(text.to_owned()).unwrap(),
            "// é\n.common .global .b8 _gomp_critical_user_a$var[32];\nmov %r, _gomp_critical_user_$var; \"x.y\""
        );
        assert_eq!(with_valid_names("a.b".to_owned()).unwrap(), "a.b");
    }

    #[test]
    fn the_image_is_text_unless_elf_is_wanted() {
        let wants = |image: &str| wants_elf(Some(OsStr::new(image)));
        assert!(!wants_elf(None).unwrap() && !wants("").unwrap() && !wants("ptx").unwrap());
        assert!(wants("elf").unwrap());
        assert_eq!(
            wants("cubin").unwrap_err().to_string(),
            "OMPTARGET_IMAGE=cubin is not understood: give ptx or elf"
        );
    }

    #[test]
    fn command_lines_that_lack_something() {
        assert_eq!(job("-arch sm_90").unwrap_err().to_string(), "no input files");
        assert_eq!(job("a.cubin -o").unwrap_err().to_string(), "-o needs a value");
    }
}
