//! The command line. LLVM's own options (the knobs, `-pass-remarks=`) go to LLVM, which reads and checks their values.

use crate::remarks::Format;
use clap::Parser;
use clap::error::ErrorKind;
use std::path::{Path, PathBuf};

/// The knobs of LLVM's openmp-opt, in the order of the user page.
pub const KNOBS: [&str; 20] = [
    "openmp-opt-disable",
    "openmp-opt-disable-spmdization",
    "openmp-opt-disable-deglobalization",
    "openmp-opt-disable-folding",
    "openmp-opt-disable-state-machine-rewrite",
    "openmp-opt-disable-barrier-elimination",
    "openmp-opt-disable-internalization",
    "openmp-opt-enable-merging",
    "openmp-opt-inline-device",
    "openmp-opt-verbose-remarks",
    "openmp-opt-max-iterations",
    "openmp-opt-shared-limit",
    "openmp-opt-print-module-before",
    "openmp-opt-print-module-after",
    "openmp-deduce-icv-values",
    "openmp-print-icv-values",
    "openmp-print-gpu-kernels",
    "openmp-hide-memory-transfer-latency",
    "openmp-ir-builder-optimistic-attributes",
    "openmp-ir-builder-unroll-threshold-factor",
];

/// LLVM's options that print remarks as they are given.
const PRINTING: [&str; 3] = ["pass-remarks", "pass-remarks-analysis", "pass-remarks-missed"];

/// Run OpenMP passes over LLVM IR of device code.
///
/// The names openmp-opt, openmp-opt-postlink and openmp-opt-cgscc mean these passes and not LLVM's; all other names are
/// LLVM's, in the order given. The knobs of LLVM's openmp-opt are taken under their names (-openmp-opt-disable-spmdization,
/// -openmp-opt-shared-limit=0, ...), and -pass-remarks=, -pass-remarks-analysis=, -pass-remarks-missed= as opt has them.
#[derive(Parser)]
#[command(name = "omptarget-opt", version)]
pub struct Arguments {
    /// LLVM IR, as text or bitcode; or a C or C++ source, which clang-22 compiles for sm_90 first.
    pub input: PathBuf,
    /// Where the module goes: text if the name ends with .ll. Without it, or as -, text to the standard output.
    #[arg(short)]
    pub output: Option<PathBuf>,
    /// Write text, whatever the name.
    #[arg(short = 'S')]
    pub text: bool,
    /// The passes, as opt takes them.
    #[arg(long, default_value = "openmp-opt")]
    pub passes: String,
    /// The module is all the code of the device: nothing but its kernels is called from outside.
    #[arg(long)]
    pub whole_program: bool,
    /// Write all remarks in this form.
    #[arg(long, value_enum)]
    remarks_format: Option<Format>,
    /// Write all remarks to this file, as YAML unless --remarks-format says otherwise.
    #[arg(long, value_name = "FILE")]
    remarks_output: Option<PathBuf>,
    /// Tell for each kernel what was done, what was not, and what to change. No module is written unless -o is given.
    #[arg(long)]
    pub explain: bool,
    /// The same as a page with the source. No module is written unless -o is given.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// For clang, if the input is a source.
    #[arg(last = true)]
    pub clang_arguments: Vec<String>,
    /// What LLVM gets.
    #[arg(skip)]
    pub llvm: Vec<String>,
}

impl Arguments {
    /// Of this program. A wrong one ends it with a message.
    pub fn from_command_line(words: Vec<String>) -> Self {
        let (own, llvm) = sort(words).unwrap_or_else(|message| {
            clap::Error::raw(ErrorKind::UnknownArgument, format!("{message}\n")).exit()
        });
        Self { llvm, ..Self::parse_from(own) }
    }

    /// How and where remarks are to be written, if they are; nowhere is the standard error output.
    pub fn remarks(&self) -> Option<(Format, Option<&Path>)> {
        let default = self.remarks_output.is_some().then_some(Format::Yaml);
        Some((self.remarks_format.or(default)?, self.remarks_output.as_deref()))
    }
}

/// Parts the words for this program from those for LLVM.
fn sort(words: Vec<String>) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut own, mut llvm) = (Vec::new(), Vec::new());
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "--" {
            own.push(word);
            own.extend(words);
            break;
        }
        let option = word.strip_prefix("--").or(word.strip_prefix('-')).filter(|option| option.len() > 1);
        let name = option.map_or("", |option| option.split('=').next().unwrap_or(option));
        if KNOBS.contains(&name) || PRINTING.contains(&name) {
            llvm.push(format!("-{}", option.unwrap_or_default()));
        } else if name.starts_with("openmp-") {
            return Err(format!("unknown option {word}; the knobs are -{}", KNOBS.join(", -")));
        } else if name == "passes" {
            own.push(format!("--{}", option.unwrap_or_default()));
        } else {
            own.push(word);
        }
    }
    Ok((own, llvm))
}

#[cfg(test)]
mod tests {
    use super::*;
    use passes::Settings;

    fn sorted(words: &[&str]) -> Result<(Vec<String>, Vec<String>), String> {
        sort(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn llvm_gets_its_options_with_one_dash_or_two() {
        let (own, llvm) = sorted(&[
            "x",
            "a.ll",
            "--openmp-opt-shared-limit=0",
            "-openmp-opt-disable",
            "-pass-remarks=openmp-opt",
            "-passes=sroa",
            "-o",
            "b.ll",
            "--",
            "-openmp-x",
        ])
        .unwrap();
        assert_eq!(own, ["x", "a.ll", "--passes=sroa", "-o", "b.ll", "--", "-openmp-x"]);
        assert_eq!(llvm, ["-openmp-opt-shared-limit=0", "-openmp-opt-disable", "-pass-remarks=openmp-opt"]);
        assert!(sorted(&["x", "--openmp-opt-everything"]).unwrap_err().contains("--openmp-opt-everything"));
    }

    /// What `opt` prints of its options: names and defaults.
    fn knobs_of_opt() -> Vec<(String, String)> {
        let module = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/host_module.ll");
        let mut opt = std::process::Command::new("/usr/lib/llvm-22/bin/opt");
        let output = opt.args(["-print-all-options", "-disable-output", module]).output();
        let output = output.expect("LLVM 22, which `cargo xtask setup` installs");
        let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        let knob = |line: &str| {
            let (name, rest) = line.trim_start().strip_prefix("--")?.split_once(' ')?;
            let default = rest.split_once("(default: ")?.1.trim_end_matches(')');
            name.starts_with("openmp-").then(|| (name.to_owned(), default.to_owned()))
        };
        said.lines().filter_map(knob).collect()
    }

    #[test]
    fn the_knobs_are_those_of_llvm_with_its_defaults() {
        let theirs = knobs_of_opt();
        let mut names = KNOBS;
        names.sort_unstable();
        assert_eq!(theirs.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), names);
        assert!(KNOBS.iter().all(|knob| passes::ir::has_option(knob)));

        // The user page: a row for those that do something here, the others by name.
        let page = include_str!("../../../../docs/passes.md");
        let mut rows = 0;
        for line in page.lines().filter(|line| line.starts_with("| `openmp-")) {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let name = cells[1].split('`').nth(1).unwrap();
            let default = &theirs.iter().find(|(knob, _)| knob == name).expect(name).1;
            assert_eq!(cells[2], default, "{name}");
            rows += 1;
        }
        assert!(rows > 8, "{rows} rows");
        for knob in KNOBS {
            let short = knob.strip_prefix("openmp-opt").unwrap_or(knob);
            assert!(page.contains(&format!("`{knob}`")) || page.contains(&format!("`{short}`")), "{knob}");
        }
    }

    #[test]
    fn the_passes_have_the_defaults_of_llvm() {
        let Settings { shared_limit, disable, disable_spmdization, disable_deglobalization, .. } =
            Settings::from_llvm();
        let default = |name: &str| knobs_of_opt().into_iter().find(|(knob, _)| knob == name).unwrap().1;
        assert_eq!(default("openmp-opt-shared-limit"), shared_limit.to_string());
        for (name, value) in [
            ("openmp-opt-disable", disable),
            ("openmp-opt-disable-spmdization", disable_spmdization),
            ("openmp-opt-disable-deglobalization", disable_deglobalization),
        ] {
            assert_eq!(default(name), u8::from(value).to_string(), "{name}");
        }
    }
}
