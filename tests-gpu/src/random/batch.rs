//! Files of random programs: which there are, how they are compiled, and what is done about a wrong one.

use super::emit::{self, PART, PARTS, fortran};
use super::generate::{self, Avoid, Profile};
use super::program::Language;
use crate::cases::{KEEP_GENERIC, STATE_MACHINE};
use crate::run::{succeeds, under_seeds};
use crate::{Dist, Run, dist};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs of a run, without [`COUNT_VARIABLE`].
const PROGRAMS: u64 = 500;
/// The same of those that are mostly serial code.
const SERIAL_PROGRAMS: u64 = 320;
/// The same of those in Fortran.
const FORTRAN_PROGRAMS: u64 = 60;
/// The seed, without [`SEED_VARIABLE`].
const SEED: u64 = 1;
/// The variable with another seed.
const SEED_VARIABLE: &str = "OMPTARGET_RANDOM_SEED";
/// The variable with another number of programs.
const COUNT_VARIABLE: &str = "OMPTARGET_RANDOM_COUNT";
/// Seeds of the interpreter's scheduler that each file runs under.
const SCHEDULES: u32 = 3;
/// The same with the checkers of races and barriers on.
const CHECKED_SCHEDULES: u32 = 16;

/// A compilation that takes longer is ended: far more than any needs.
const BUILD_SECONDS: &str = "300";

/// A way to compile.
struct Variant {
    name: &'static str,
    options: &'static [&'static [&'static str]],
    language: Language,
    profile: Profile,
    avoid: Avoid,
    /// Programs in a file: one where openmp-opt's time grows faster than their number.
    together: u64,
    /// Files of this variant in each round of files.
    share: u32,
    /// The options of the link, if the program's parts are compiled apart.
    link: Option<&'static [&'static [&'static str]]>,
}

impl Variant {
    /// The compiler among the driver's commands.
    fn command(&self) -> &'static str {
        match self.language {
            Language::C => "cc",
            Language::Fortran => "fc",
        }
    }

    fn extension(&self) -> &'static str {
        match self.language {
            Language::C => ".c",
            Language::Fortran => ".f90",
        }
    }
}

const NOTHING: Avoid = Avoid {
    serial_changes: false,
    many_regions: false,
    own_atomics: false,
    lone_regions: false,
    constant_arrays: false,
};

/// What programs without the passes must avoid.
const OF_STOCK: Avoid = Avoid {
    serial_changes: true,
    many_regions: true,
    own_atomics: true,
    lone_regions: true,
    constant_arrays: true,
};

/// openmp-opt takes minutes for some of them when it runs once more at the link: its analyses ask each other again and again
/// (`openmp-opt-max-iterations`).
const LINK_FAST: &[&str] = &["-Xoffload-linker", "-mllvm=-openmp-opt-disable"];

/// clang's default mode: no file is optimised with others.
const NO_LTO: &[&str] = &["-fno-offload-lto"];

/// With lines, for debuggers: clang gives kernels and regions functions of their own for them.
const LINES: &[&str] = &["-g"];

/// Without the passes.
const PLAIN: &[&str] = &["-fno-omptarget-opt"];

/// Most are compiled with -O1 and not optimised for the host: the files are large, and -O2 takes three times as long.
const FAST: &[&str] = &["-O1", "-Xarch_host", "-O0"];

/// A variant in C, of all constructs in each other.
const CONSTRUCTS: Variant = Variant {
    name: "",
    options: &[],
    language: Language::C,
    profile: Profile::Constructs,
    avoid: NOTHING,
    together: 1,
    share: 1,
    link: None,
};

/// A variant in C, of mostly serial code.
const SERIAL: Variant = Variant { profile: Profile::Serial, together: 20, ..CONSTRUCTS };

const SERIAL_VARIANTS: [Variant; 8] = [
    // As users do it: with these passes once more at the link, and openmp-opt behind them.
    Variant { name: "linked", options: &[FAST], ..SERIAL },
    Variant { name: "debug", options: &[FAST, LINES], ..SERIAL },
    Variant { name: "passes", options: &[FAST, LINK_FAST], share: 6, ..SERIAL },
    Variant { name: "passes-O2", options: &[&["-O2"], LINK_FAST], share: 3, ..SERIAL },
    Variant { name: "parts", options: &[FAST], link: Some(&[FAST]), share: 2, ..SERIAL },
    // What a link does not optimise has to be right by what is known of each file alone.
    Variant {
        name: "parts-link-O0",
        options: &[&["-O2", "-Xarch_host", "-O0"]],
        link: Some(&[&["-O0"]]),
        ..SERIAL
    },
    Variant { name: "serial-no-lto", options: &[FAST, NO_LTO], ..SERIAL },
    Variant { name: "serial", options: &[FAST, KEEP_GENERIC], ..SERIAL },
];

/// Arithmetic of Fortran may not overflow without it.
const WRAPS: &str = "-fwrapv";

const FORTRAN: Variant = Variant { language: Language::Fortran, ..CONSTRUCTS };

const FORTRAN_VARIANTS: [Variant; 4] = [
    Variant { name: "fortran-O0", options: &[&["-O0", WRAPS]], ..FORTRAN },
    Variant { name: "fortran-O1", options: &[&["-O1", WRAPS]], ..FORTRAN },
    Variant { name: "fortran-O2", options: &[&["-O2", WRAPS]], ..FORTRAN },
    Variant { name: "fortran-no-lto", options: &[&["-O2", WRAPS], NO_LTO], ..FORTRAN },
];

const VARIANTS: [Variant; 9] = [
    Variant { name: "O2", options: &[&["-O2"]], share: 5, ..CONSTRUCTS },
    Variant { name: "no-lto", options: &[&["-O2"], NO_LTO], share: 3, ..CONSTRUCTS },
    Variant { name: "plain", options: &[&["-O2"], PLAIN], avoid: OF_STOCK, share: 2, ..CONSTRUCTS },
    Variant { name: "plain-no-lto", options: &[&["-O2"], NO_LTO, PLAIN], avoid: OF_STOCK, ..CONSTRUCTS },
    Variant { name: "machine", options: &[&["-O2"], STATE_MACHINE], ..CONSTRUCTS },
    Variant {
        name: "plain-machine",
        options: &[&["-O2"], STATE_MACHINE, PLAIN],
        avoid: Avoid { serial_changes: false, ..OF_STOCK },
        ..CONSTRUCTS
    },
    Variant { name: "generic", options: &[&["-O2"], KEEP_GENERIC], together: 20, ..CONSTRUCTS },
    Variant { name: "debug", options: &[&["-O2"], LINES], ..CONSTRUCTS },
    Variant { name: "O0", options: &[&["-O0"]], together: 20, ..CONSTRUCTS },
];

/// A file of programs.
pub struct Batch {
    variant: &'static Variant,
    seed: u64,
    numbers: Vec<u64>,
}

/// The files of this run, as the environment asks.
///
/// # Panics
/// A variable of the environment is no number.
pub fn batches() -> Vec<Batch> {
    let number = |name: &str, otherwise| {
        std::env::var(name).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
    };
    let seed = number(SEED_VARIABLE, SEED);
    let mut batches = Vec::new();
    let kinds = [
        (&VARIANTS[..], PROGRAMS),
        (&SERIAL_VARIANTS[..], SERIAL_PROGRAMS),
        (&FORTRAN_VARIANTS[..], FORTRAN_PROGRAMS),
    ];
    for (variants, programs) in kinds {
        let count = number(COUNT_VARIABLE, programs);
        let round = variants.iter().flat_map(|variant| (0..variant.share).map(move |_| variant));
        let mut next = 0;
        for variant in round.cycle() {
            if next >= count {
                break;
            }
            let numbers: Vec<u64> = (next..count.min(next + variant.together)).collect();
            next += variant.together;
            batches.push(Batch { variant, seed, numbers });
        }
    }
    batches
}

/// flang 22 destroys its own memory over some tasks, and crashes now and then (docs/upstream.md).
const MOST_TRIES: u32 = 12;

/// Whether flang has crashed before LLVM's passes ran, and with them these.
fn flang_crashed(said: &str) -> bool {
    said.contains("flang frontend command failed due to signal")
        && !said.contains("omptarget-passes.so+")
        && !said.contains("llvm::PassManager<")
}

impl Batch {
    /// Its name in test lists.
    pub fn name(&self) -> String {
        let (first, last) = (self.numbers[0], self.numbers[self.numbers.len() - 1]);
        format!("seed_{}.{}.{first:04}-{last:04}", self.seed, self.variant.name)
    }

    fn source(&self) -> String {
        let &Self { variant: Variant { language, profile, avoid, .. }, seed, ref numbers } = self;
        let programs =
            numbers.iter().map(|number| generate::program(*language, seed, *number, *profile, *avoid));
        let name = self.name();
        match language {
            Language::C => {
                let programs: String =
                    programs.map(|(program, values)| emit::program(&program, &values)).collect();
                format!("// {name}\n{}{programs}{}", emit::HEADER, emit::main_function(numbers))
            }
            Language::Fortran => {
                let programs: String =
                    programs.map(|(program, values)| fortran::program(&program, &values)).collect();
                format!("! {name}\n{}{programs}{}", fortran::HEADER, fortran::main_program(numbers))
            }
        }
    }

    /// Builds it; none if flang crashes over it each time.
    fn build(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let (source, program) =
            (folder.join(self.name() + self.variant.extension()), folder.join(self.name()));
        fs::write(&source, self.source()).with_context(|| format!("cannot write {}", source.display()))?;
        if let Some(link) = self.variant.link {
            self.build_parts(&source, &program, link)?;
            return Ok(Some(program));
        }
        let mut command = self.compiler(self.variant.options)?;
        if self.variant.language == Language::Fortran {
            // The file of the module, which is not used.
            let modules = folder.join(self.name() + ".modules");
            fs::create_dir_all(&modules).with_context(|| format!("cannot make {}", modules.display()))?;
            command.arg("-J").arg(modules);
        }
        command.arg(&source).arg("-o").arg(&program);
        for _ in 0..MOST_TRIES {
            let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
            if output.status.success() {
                return Ok(Some(program));
            }
            let said = String::from_utf8_lossy(&output.stderr);
            if !flang_crashed(&said) {
                bail!("{command:?}\n{said}");
            }
        }
        eprintln!("flang crashes: {}", source.display());
        Ok(None)
    }

    fn compiler(&self, options: &[&[&str]]) -> Result<Command> {
        let mut command = Command::new("timeout");
        command.arg(BUILD_SECONDS).arg(Dist::find()?.driver());
        // No warning says more than that the program is odd.
        command.args([self.variant.command(), "-w"]).args(options.iter().copied().flatten());
        Ok(command)
    }

    /// Compiles the parts of the program apart, and links them.
    fn build_parts(&self, source: &Path, program: &Path, link: &[&[&str]]) -> Result<()> {
        let mut linker = self.compiler(link)?;
        for part in 0..PARTS {
            let object = program.with_added_extension(format!("{part}.o"));
            let mut compiler = self.compiler(self.variant.options)?;
            succeeds(compiler.arg(format!("-D{PART}={part}")).arg("-c").arg(source).arg("-o").arg(&object))?;
            linker.arg(object);
        }
        succeeds(linker.arg("-o").arg(program))
    }

    /// Builds and runs it under several schedules.
    fn run(&self, folder: &Path) -> Result<()> {
        let Some(program) = self.build(folder)? else { return Ok(()) };
        if self.variant.profile == Profile::Serial {
            return under_seeds(&program, CHECKED_SCHEDULES, "race,barrier");
        }
        for seed in 0..SCHEDULES {
            let run = Run::on_device().with("OMPTARGET_SIMT_SEED", seed);
            run.of(&program)?.successful().with_context(|| format!("scheduler seed {seed}"))?;
        }
        Ok(())
    }

    /// Tests it.
    ///
    /// # Errors
    /// A program does not build, does not end, or has a wrong result; the message names a file with this one alone if
    /// it fails alone too.
    pub fn test(&self) -> Result<()> {
        let folder = dist::target().join("tests-gpu/random");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let Err(together) = self.run(&folder) else { return Ok(()) };
        for number in &self.numbers {
            let alone = Self { numbers: vec![*number], ..*self };
            if let Err(error) = alone.run(&folder) {
                let source = folder.join(alone.name() + self.variant.extension());
                let options: Vec<_> = self.variant.options.iter().copied().flatten().collect();
                let (seed, source) = (self.seed, source.display());
                let command = self.variant.command();
                return Err(error.context(format!(
                    "{SEED_VARIABLE}={seed}, program {number}: omptarget {command} {options:?} {source}"
                )));
            }
        }
        Err(together.context("none of its programs fails alone"))
    }
}
