//! `omptarget run`: runs a program on the SIMT device, once or under many schedules.
//!
//! It only sets the environment variables of [`simt::env`], so everything works without it as well.

use anyhow::{Context, Result, anyhow};
use clap::Args;
use simt::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus, Output, Stdio};

/// Which device the runtime takes.
const DEVICE: &str = "OMPTARGET_DEVICE";
/// What happens to target regions that cannot run on it.
const OFFLOAD: &str = "OMP_TARGET_OFFLOAD";
/// With `--seeds`, the limit of a launch unless the user gives one: a schedule may be one under which it never ends.
const LIMIT_OF_SEEDS: &str = "60s";

/// Options of `omptarget run`.
#[derive(Args)]
pub struct Options {
    /// Seed of the scheduler: the same seed gives the same run.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Run the program N times, with N seeds, and stop at the first run that fails or prints something else than the
    /// first one. Standard input is empty.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,
    /// Order in which warps run: round robin, at random, or by random priorities (PCT). With --seeds both of the
    /// latter in turn.
    #[arg(long, value_parser = ["fair", "random", "pct"])]
    schedule: Option<String>,
    /// With pct: ordering constraints that a bug needs to show.
    #[arg(long, value_name = "D")]
    depth: Option<u64>,
    /// How memory behaves: as if every access were seen by all at once (sc), or as weakly as PTX allows, so that missing
    /// fences and flushes give wrong results.
    #[arg(long, value_parser = ["sc", "weak"])]
    memory_model: Option<String>,
    /// With --seeds: runs may print different things.
    #[arg(long, requires = "seeds")]
    allow_different_output: bool,
    /// Checkers to run under, with commas; `all` for all of them. With findings the exit status is 66 if the program's is 0.
    #[arg(long, value_name = "LIST", value_parser = checkers)]
    check: Option<String>,
    /// Write a page about what the kernels did.
    #[arg(long, value_name = "FILE.html", conflicts_with = "seeds")]
    report: Option<PathBuf>,
    /// OS threads that teams run on.
    #[arg(long, value_name = "N")]
    threads: Option<u64>,
    /// Bytes of device memory; K, M and G stand for powers of 1024.
    #[arg(long, value_name = "BYTES")]
    memory: Option<String>,
    /// Stop a launch after that many instructions of warps, or after some time as in `30s`; or both, with a comma.
    #[arg(long, value_name = "INSTRUCTIONS|SECONDSs")]
    limit: Option<String>,
    /// The program and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    command: Vec<OsString>,
}

/// Names of checkers, as they are.
fn checkers(text: &str) -> Result<String> {
    simt::check::Checks::parse(text).map_err(|report| anyhow!("{report}"))?;
    Ok(text.to_owned())
}

/// Runs what `options` say. A single run replaces this process.
///
/// # Errors
/// The program cannot be started, or an option is not understood.
pub fn run(options: &Options) -> Result<ExitCode> {
    match options.seeds {
        Some(count) => search(options, count),
        None => {
            let mut command = options.prepare(&options.one())?;
            Err(command.exec()).with_context(|| options.cannot_start())
        }
    }
}

/// The scheduler of one run.
#[derive(Clone, Default)]
struct Order {
    schedule: Option<String>,
    seed: Option<u64>,
}

impl Options {
    fn one(&self) -> Order {
        Order { schedule: self.schedule.clone(), seed: self.seed }
    }

    /// The order of run `index` of several.
    fn nth(&self, index: u64) -> Order {
        let in_turn = if index.is_multiple_of(2) { "random" } else { "pct" };
        let schedule = self.schedule.clone().unwrap_or_else(|| in_turn.to_owned());
        Order { schedule: Some(schedule), seed: Some(self.seed.unwrap_or(0).wrapping_add(index)) }
    }

    fn program(&self) -> &OsStr {
        &self.command[0]
    }

    fn cannot_start(&self) -> String {
        let name = self.program().to_string_lossy();
        let hint = if !name.contains('/') && PathBuf::from(self.program()).is_file() {
            format!("; the file of that name in this folder is ./{name}")
        } else {
            String::new()
        };
        format!("cannot run {name}{hint}")
    }

    /// The variables of a run.
    fn variables(&self, order: &Order) -> Result<Vec<(&'static str, OsString)>> {
        let number = |n: &Option<u64>| n.map(|n| OsString::from(n.to_string()));
        let text = |t: &Option<String>| t.as_ref().map(OsString::from);
        // The program may change its folder before the report is written.
        let report = self.report.as_ref().map(std::path::absolute).transpose()?.map(OsString::from);
        let limit = self.limit.clone().or_else(|| self.seeds.map(|_| LIMIT_OF_SEEDS.to_owned()));
        let all = [
            (env::SEED, number(&order.seed)),
            (env::SCHEDULE, text(&order.schedule)),
            (env::PCT_DEPTH, number(&self.depth)),
            (env::MEMORY_MODEL, text(&self.memory_model)),
            (env::CHECK, text(&self.check)),
            (env::REPORT, report),
            (env::THREADS, number(&self.threads)),
            (env::MEMORY, text(&self.memory)),
            (env::LIMIT, text(&limit)),
        ];
        Ok(all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
    }

    /// The program, ready to start on the device.
    fn prepare(&self, order: &Order) -> Result<Command> {
        let variables = self.variables(order)?;
        // What the device would refuse later, it refuses now.
        env::config(|name| {
            let given = variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.clone());
            given.or_else(|| std::env::var_os(name))?.into_string().ok()
        })
        .map_err(|report| anyhow!("{report}"))?;
        let mut command = Command::new(self.program());
        command.args(&self.command[1..]).env(DEVICE, "simt").envs(variables);
        if std::env::var_os(OFFLOAD).is_none() {
            // A region that silently ran on the host would be no run on the device.
            command.env(OFFLOAD, "MANDATORY");
        }
        Ok(command)
    }

    /// The command that repeats a run.
    fn replay(&self, order: &Order) -> String {
        let mut line = String::from("omptarget run");
        let mut option = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let _ = write!(line, " --{name} {}", crate::cc::quoted(OsStr::new(&value)));
            }
        };
        option("schedule", order.schedule.clone());
        option("seed", order.seed.map(|n| n.to_string()));
        option("depth", self.depth.map(|n| n.to_string()));
        option("memory-model", self.memory_model.clone());
        option("check", self.check.clone());
        option("threads", self.threads.map(|n| n.to_string()));
        option("memory", self.memory.clone());
        option("limit", self.limit.clone());
        for word in &self.command {
            let _ = write!(line, " {}", crate::cc::quoted(word));
        }
        line
    }
}

/// Runs the program under one seed after the other.
fn search(options: &Options, count: u64) -> Result<ExitCode> {
    let mut first: Option<Output> = None;
    for index in 0..count {
        let order = options.nth(index);
        let mut command = options.prepare(&order)?;
        let output = command.stdin(Stdio::null()).output().with_context(|| options.cannot_start())?;
        if first.is_none() {
            show(&output)?;
        }
        let Some(why) = difference(options, first.as_ref(), &output) else {
            first.get_or_insert(output);
            continue;
        };
        if first.is_some() {
            show(&output)?;
        }
        let seed = order.seed.unwrap_or_default();
        eprintln!("omptarget: run {} of {count}, seed {seed}: {why}", index + 1);
        eprintln!("omptarget: to repeat it: {}", options.replay(&order));
        return Ok(code(output.status).unwrap_or(ExitCode::FAILURE));
    }
    eprintln!(
        "omptarget: {count} runs, nothing failed{}",
        if options.allow_different_output { "" } else { ", all print the same" }
    );
    Ok(ExitCode::SUCCESS)
}

/// What is wrong with a run, by itself or compared with the first one.
fn difference(options: &Options, first: Option<&Output>, output: &Output) -> Option<String> {
    if !output.status.success() {
        return Some(format!("the program ended with {}", output.status));
    }
    let first = first.filter(|first| !options.allow_different_output && first.stdout != output.stdout)?;
    let mut lines = first.stdout.split(|&b| b == b'\n').zip(output.stdout.split(|&b| b == b'\n'));
    let text = |line: &[u8]| String::from_utf8_lossy(line).into_owned();
    Some(match lines.position(|(a, b)| a != b) {
        Some(at) => {
            let line =
                |output: &Output| text(output.stdout.split(|&b| b == b'\n').nth(at).unwrap_or_default());
            format!(
                "line {} of the output is \"{}\", in the first run \"{}\"",
                at + 1,
                line(output),
                line(first)
            )
        }
        None => "the output has another number of lines than in the first run".to_owned(),
    })
}

fn show(output: &Output) -> Result<()> {
    std::io::stdout().write_all(&output.stdout).context("cannot write to standard output")?;
    std::io::stderr().write_all(&output.stderr).context("cannot write to standard error")
}

/// The status that a shell would give; none if the program succeeded.
fn code(status: ExitStatus) -> Option<ExitCode> {
    let number = status.code().or_else(|| status.signal().map(|signal| 128 + signal))?;
    (number != 0).then(|| ExitCode::from(u8::try_from(number).unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        options: Options,
    }

    fn options(words: &[&str]) -> Options {
        Words::try_parse_from([&["run"], words].concat()).map(|w| w.options).unwrap_or_else(|e| panic!("{e}"))
    }

    fn variables(options: &Options, order: &Order) -> Vec<String> {
        let all = options.variables(order).unwrap();
        all.into_iter().map(|(name, value)| format!("{name}={}", value.to_string_lossy())).collect()
    }

    #[test]
    fn options_become_variables() {
        let o = options(&[
            "--seed=3",
            "--schedule=pct",
            "--depth=2",
            "--threads=4",
            "--memory=2G",
            "--memory-model=weak",
            "--limit=5s",
            "./a",
            "--seed=9",
        ]);
        assert_eq!(
            variables(&o, &o.one()),
            [
                "OMPTARGET_SIMT_SEED=3",
                "OMPTARGET_SIMT_SCHEDULE=pct",
                "OMPTARGET_SIMT_PCT_DEPTH=2",
                "OMPTARGET_SIMT_MEMORY_MODEL=weak",
                "OMPTARGET_SIMT_THREADS=4",
                "OMPTARGET_SIMT_MEMORY=2G",
                "OMPTARGET_SIMT_LIMIT=5s",
            ]
        );
        assert_eq!(o.command, ["./a", "--seed=9"]);
        assert_eq!(variables(&options(&["a"]), &Order::default()), Vec::<String>::new());
    }

    #[test]
    fn several_runs_take_both_kinds_of_random_order_in_turn_and_have_a_limit() {
        let o = options(&["--seeds=4", "--seed=10", "./a b", "it's"]);
        let third = o.nth(3);
        assert_eq!((third.seed, third.schedule.as_deref()), (Some(13), Some("pct")));
        assert_eq!(o.nth(2).schedule.as_deref(), Some("random"));
        assert!(variables(&o, &third).contains(&"OMPTARGET_SIMT_LIMIT=60s".to_owned()));
        assert_eq!(o.replay(&third), r"omptarget run --schedule pct --seed 13 './a b' 'it'\''s'");
    }

    #[test]
    fn what_the_device_would_refuse_is_refused_before_the_program_starts() {
        for (words, part) in [
            (&["--limit=soon", "a"][..], "OMPTARGET_SIMT_LIMIT=soon"),
            (&["--threads=0", "a"], "THREADS=0"),
            (&["--memory=12X", "a"], "MEMORY=12X"),
        ] {
            let o = options(words);
            let error = o.prepare(&o.one()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(checkers("race").unwrap(), "race");
        assert!(checkers("race,typo").unwrap_err().to_string().contains("typo"));
    }

    #[test]
    fn runs_that_fail_or_print_something_else_are_found() {
        let output = |status: i32, stdout: &str| Output {
            status: ExitStatus::from_raw(status),
            stdout: stdout.into(),
            stderr: Vec::new(),
        };
        let (strict, loose) =
            (options(&["--seeds=2", "a"]), options(&["--seeds=2", "--allow-different-output", "a"]));
        let first = output(0, "1\n2\n");
        assert_eq!(difference(&strict, None, &first), None);
        assert_eq!(difference(&strict, Some(&first), &output(0, "1\n2\n")), None);
        let why = difference(&strict, Some(&first), &output(0, "1\n3\n")).unwrap();
        assert_eq!(why, "line 2 of the output is \"3\", in the first run \"2\"");
        assert_eq!(difference(&loose, Some(&first), &output(0, "1\n3\n")), None);
        assert!(
            difference(&loose, Some(&first), &output(7 << 8, "1\n2\n")).unwrap().contains("exit status: 7")
        );
        assert!(code(ExitStatus::from_raw(0)).is_none());
        assert_eq!(code(ExitStatus::from_raw(7 << 8)), Some(ExitCode::from(7)));
        assert_eq!(code(ExitStatus::from_raw(6)), Some(ExitCode::from(134)));
    }
}
