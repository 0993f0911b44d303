//! Files of random programs: which there are, how they are compiled, and what is done about a wrong one.

use super::emit::{self, fortran};
use super::generate::{self, Avoid, Profile};
use super::program::Language;
use crate::cases::{KEEP_GENERIC, STATE_MACHINE};
use crate::{Dist, Run, dist, run::under_seeds};
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

const SERIAL_VARIANTS: [Variant; 6] = [
    // As users do it: with these passes once more at the link, and openmp-opt behind them.
    Variant {
        name: "linked",
        options: &[FAST],
        language: Language::C,
        profile: Profile::Serial,
        avoid: NOTHING,
        together: 20,
        share: 2,
    },
    Variant {
        name: "debug",
        options: &[FAST, LINES],
        language: Language::C,
        profile: Profile::Serial,
        avoid: NOTHING,
        together: 20,
        share: 1,
    },
    Variant {
        name: "passes",
        options: &[FAST, LINK_FAST],
        language: Language::C,
        profile: Profile::Serial,
        avoid: NOTHING,
        together: 20,
        share: 10,
    },
    Variant {
        name: "passes-O2",
        options: &[&["-O2"], LINK_FAST],
        language: Language::C,
        profile: Profile::Serial,
        avoid: NOTHING,
        together: 20,
        share: 3,
    },
    Variant {
        name: "serial-no-lto",
        options: &[FAST, NO_LTO],
        language: Language::C,
        profile: Profile::Serial,
        avoid: NOTHING,
        together: 20,
        share: 2,
    },
    Variant {
        name: "serial",
        options: &[FAST, KEEP_GENERIC],
        language: Language::C,
        profile: Profile::Serial,
        avoid: NOTHING,
        together: 20,
        share: 1,
    },
];

/// Arithmetic of Fortran may not overflow without it.
const WRAPS: &str = "-fwrapv";

const fn in_fortran(name: &'static str, options: &'static [&'static [&'static str]]) -> Variant {
    Variant {
        name,
        options,
        language: Language::Fortran,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 1,
        share: 1,
    }
}

const FORTRAN_VARIANTS: [Variant; 4] = [
    in_fortran("fortran-O0", &[&["-O0", WRAPS]]),
    in_fortran("fortran-O1", &[&["-O1", WRAPS]]),
    in_fortran("fortran-O2", &[&["-O2", WRAPS]]),
    in_fortran("fortran-no-lto", &[&["-O2", WRAPS], NO_LTO]),
];

const VARIANTS: [Variant; 9] = [
    Variant {
        name: "O2",
        options: &[&["-O2"]],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 1,
        share: 5,
    },
    Variant {
        name: "no-lto",
        options: &[&["-O2"], NO_LTO],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 1,
        share: 3,
    },
    Variant {
        name: "plain",
        options: &[&["-O2"], PLAIN],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: OF_STOCK,
        together: 1,
        share: 2,
    },
    Variant {
        name: "plain-no-lto",
        options: &[&["-O2"], NO_LTO, PLAIN],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: OF_STOCK,
        together: 1,
        share: 1,
    },
    Variant {
        name: "machine",
        options: &[&["-O2"], STATE_MACHINE],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 1,
        share: 1,
    },
    Variant {
        name: "plain-machine",
        options: &[&["-O2"], STATE_MACHINE, PLAIN],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: Avoid { serial_changes: false, ..OF_STOCK },
        together: 1,
        share: 1,
    },
    Variant {
        name: "generic",
        options: &[&["-O2"], KEEP_GENERIC],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 20,
        share: 1,
    },
    Variant {
        name: "debug",
        options: &[&["-O2"], LINES],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 1,
        share: 1,
    },
    Variant {
        name: "O0",
        options: &[&["-O0"]],
        language: Language::C,
        profile: Profile::Constructs,
        avoid: NOTHING,
        together: 20,
        share: 1,
    },
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

/// Whether flang has crashed, and in its own code.
fn flang_crashed(said: &str) -> bool {
    said.contains("flang frontend command failed due to signal") && !said.contains("omptarget-passes.so+")
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

    /// Builds it; none if flang crashes over it each time, without the passes too.
    fn build(&self, folder: &Path) -> Result<Option<PathBuf>> {
        let (source, program) =
            (folder.join(self.name() + self.variant.extension()), folder.join(self.name()));
        fs::write(&source, self.source()).with_context(|| format!("cannot write {}", source.display()))?;
        let mut command = Command::new("timeout");
        command.arg(BUILD_SECONDS).arg(Dist::find()?.driver());
        // No warning says more than that the program is odd.
        command.args([self.variant.command(), "-w"]).args(self.variant.options.iter().copied().flatten());
        if self.variant.language == Language::Fortran {
            // The file of the module, which is not used.
            let modules = folder.join(self.name() + ".modules");
            fs::create_dir_all(&modules).with_context(|| format!("cannot make {}", modules.display()))?;
            command.arg("-J").arg(modules);
        }
        command.arg(&source).arg("-o").arg(&program);
        for tries in 1.. {
            let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
            let said = String::from_utf8_lossy(&output.stderr);
            match (output.status.success(), flang_crashed(&said)) {
                (true, _) if tries <= MOST_TRIES => return Ok(Some(program)),
                (true, _) => bail!("flang crashes with the passes alone: {}", source.display()),
                (false, true) if tries < MOST_TRIES => {}
                (false, true) if tries == MOST_TRIES => drop(command.args(PLAIN)),
                (false, true) => break,
                (false, false) => bail!("{command:?}\n{said}"),
            }
        }
        eprintln!("flang crashes: {}", source.display());
        Ok(None)
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
