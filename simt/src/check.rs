//! The checkers: which there are, and what they have found.
//!
//! A finding does not stop the kernel. It is told once for each pair of source places, as text on standard error and, if
//! asked for, as a line of JSON; a program that ends well in spite of findings exits with [`EXIT_STATUS`].

mod barrier;
mod leak;
mod race;
mod undefined;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::code::{LANES, Variable};
use crate::exec::spaces::Spot;
use crate::exec::{Launch, place};
use crate::report::{Report, ReportKind};
use crate::watch::At;

/// Exit status of a program that ended with status 0 and with findings.
pub const EXIT_STATUS: i32 = 66;

/// A checker.
#[derive(Debug)]
pub struct Check {
    /// Its name in `OMPTARGET_SIMT_CHECK`.
    pub name: &'static str,
    /// What it finds, in one line.
    pub about: &'static str,
    /// Whether `all` includes it.
    pub in_all: bool,
}

/// All checkers.
pub const CHECKS: &[Check] = &[
    Check { name: "race", about: "data races on shared and global memory", in_all: true },
    Check {
        name: "same-value",
        about: "races too whose store writes the value that is there already (not part of all)",
        in_all: false,
    },
    Check {
        name: "barrier",
        about: "threads of one warp that pass a barrier at different instructions",
        in_all: true,
    },
    Check {
        name: "warp",
        about: "uses of what a shuffle reads from a lane that takes no part",
        in_all: true,
    },
    Check {
        name: "runtime",
        about: "what the others find on variables of the device runtime (not part of all)",
        in_all: false,
    },
    Check {
        name: "uninit",
        about: "uses of shared, local or heap memory that nobody has written",
        in_all: true,
    },
    Check {
        name: "leak",
        about: "memory that a kernel allocates and that nobody can free when it ends, or has freed when the program ends",
        in_all: true,
    },
];

const RACE: u32 = 0;
const SAME_VALUE: u32 = 1;
const BARRIER: u32 = 2;
const WARP: u32 = 3;
const RUNTIME: u32 = 4;
const UNINIT: u32 = 5;
const LEAK: u32 = 6;

/// A choice of checkers.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Checks(u32);

impl Checks {
    /// Reads names separated by commas, or `all`; nothing and `none` are no checker.
    ///
    /// # Errors
    /// A name that is not in [`CHECKS`].
    pub fn parse(text: &str) -> Result<Self, Report> {
        let mut checks = 0;
        for name in text.split(',').map(str::trim).filter(|name| !matches!(*name, "" | "none")) {
            if name == "all" {
                checks |= CHECKS.iter().enumerate().fold(0, |all, (k, c)| all | u32::from(c.in_all) << k);
            } else if let Some(k) = CHECKS.iter().position(|check| check.name == name) {
                checks |= 1 << k;
            } else {
                let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
                return Err(Report::new(
                    ReportKind::InvalidArgument,
                    format!("there is no checker {name:?}: there are {} and all", names.join(", ")),
                ));
            }
        }
        Ok(Self(checks))
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    fn has(self, check: u32) -> bool {
        self.0 >> check & 1 != 0
    }
}

/// What one thread did, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// What: "store of 4 bytes".
    pub what: String,
    /// Team (CTA), x, y, z.
    pub team: [u32; 3],
    /// Thread in the team.
    pub thread: [u32; 3],
    /// Where.
    pub place: Place,
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Function in PTX.
    pub function: String,
    /// Line of the PTX.
    pub ptx_line: u32,
    /// File, line and column (0: unknown), if the PTX has them.
    pub source: Option<(String, u32, u32)>,
    /// Where the code was inlined, if it was.
    pub inlined_at: Option<(String, u32, u32)>,
}

/// What a checker has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Name of the checker.
    pub check: &'static str,
    /// One sentence.
    pub message: String,
    /// Kernel.
    pub kernel: String,
    /// Variable or allocation, with the offset in it.
    pub object: Option<String>,
    /// What was done; the later one first.
    pub actions: Vec<Action>,
}

fn source_text(source: &(String, u32, u32)) -> String {
    match source {
        (file, line, 0) => format!("{file}:{line}"),
        (file, line, column) => format!("{file}:{line}:{column}"),
    }
}

impl Finding {
    /// As text of several lines.
    pub fn text(&self) -> String {
        let mut text = format!("check {}: {}", self.check, self.message);
        if let Some(object) = &self.object {
            let _ = write!(text, "\n  at {object}");
        }
        let _ = write!(text, "\n  in kernel {}", self.kernel);
        for action in &self.actions {
            let ([x, y, z], [a, b, c]) = (action.thread, action.team);
            let place = &action.place;
            let _ = write!(
                text,
                "\n  {} by thread ({x},{y},{z}) of team ({a},{b},{c})\n    in {}, PTX line {}",
                action.what, place.function, place.ptx_line
            );
            if let Some(source) = &place.source {
                let _ = write!(text, " ({}", source_text(source));
                if let Some(outer) = &place.inlined_at {
                    let _ = write!(text, ", inlined at {}", source_text(outer));
                }
                text.push(')');
            }
        }
        text
    }

    /// As one line of JSON.
    pub fn json(&self) -> String {
        let source = |source: &Option<(String, u32, u32)>| match source {
            Some((file, line, column)) => serde_json::json!({"file": file, "line": line, "column": column}),
            None => serde_json::Value::Null,
        };
        let actions: Vec<serde_json::Value> = self
            .actions
            .iter()
            .map(|action| {
                serde_json::json!({
                    "what": action.what,
                    "team": action.team,
                    "thread": action.thread,
                    "function": action.place.function,
                    "ptx_line": action.place.ptx_line,
                    "source": source(&action.place.source),
                    "inlined_at": source(&action.place.inlined_at),
                })
            })
            .collect();
        serde_json::json!({
            "check": self.check,
            "message": self.message,
            "kernel": self.kernel,
            "object": self.object,
            "actions": actions,
        })
        .to_string()
    }
}

/// Findings of the whole process, for the exit status.
static ALL: AtomicUsize = AtomicUsize::new(0);

/// How many findings there have been in this process.
pub fn count() -> usize {
    ALL.load(Ordering::Relaxed)
}

/// What makes two findings the same: the check and the places.
type Identity = (&'static str, Vec<Place>);

/// Findings told in full at most.
const LIMIT: usize = 100;

/// Where findings go.
#[derive(Default)]
struct Inner {
    seen: HashSet<Identity>,
    list: Vec<Finding>,
    echo: bool,
    json: Option<File>,
}

/// Collects the findings of a device; its checkers share it.
#[derive(Clone, Default)]
pub struct Findings(Arc<Mutex<Inner>>);

impl Findings {
    /// Writes each finding to standard error, and to `json` as a line.
    pub fn echo(&self, json: Option<File>) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.echo = true;
        inner.json = json;
    }

    /// Takes a finding, unless there is one with the same places.
    pub fn add(&self, finding: Finding) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut places: Vec<Place> = finding.actions.iter().map(|action| action.place.clone()).collect();
        places.sort();
        if !inner.seen.insert((finding.check, places)) {
            return;
        }
        ALL.fetch_add(1, Ordering::Relaxed);
        if let Some(json) = &mut inner.json {
            // A file that cannot be written to loses lines; the text says all.
            let _ = writeln!(json, "{}", finding.json());
        }
        if inner.echo {
            match inner.list.len() {
                n if n < LIMIT => eprintln!("omptarget simt: {}", finding.text()),
                LIMIT => eprintln!("omptarget simt: more than {LIMIT} findings; the others are not shown"),
                _ => {}
            }
        }
        inner.list.push(finding);
    }

    /// All so far.
    pub fn list(&self) -> Vec<Finding> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).list.clone()
    }
}

/// The observers of a choice of checkers.
///
/// # Errors
/// The host has no address space for shadow memory.
pub(crate) fn observers(
    checks: Checks,
    memory: &crate::mem::Memory,
    findings: &Findings,
) -> Result<Vec<Box<dyn crate::watch::Observer>>, Report> {
    let mut all: Vec<Box<dyn crate::watch::Observer>> = Vec::new();
    if checks.has(RACE) || checks.has(SAME_VALUE) || checks.has(RUNTIME) {
        let (same_value, runtime) = (checks.has(SAME_VALUE), checks.has(RUNTIME));
        all.push(Box::new(race::Race::new(memory, findings.clone(), same_value, runtime)?));
    }
    if checks.has(BARRIER) {
        all.push(Box::new(barrier::Phases::new(findings.clone())));
    }
    if checks.has(UNINIT) || checks.has(WARP) {
        let kinds = undefined::Kinds {
            memory: checks.has(UNINIT),
            shuffles: checks.has(WARP),
            runtime: checks.has(RUNTIME),
        };
        let checker = undefined::Checker::new(memory, findings.clone(), kinds)?;
        all.push(Box::new(checker));
    }
    if checks.has(LEAK) {
        all.push(Box::new(leak::Leaks::new(findings.clone())));
    }
    Ok(all)
}

/// `%tid` of a thread by its number in the CTA.
fn thread_of(launch: &Launch<'_>, thread: u32) -> [u32; 3] {
    let [x, y, _] = launch.config.block;
    [thread % x, thread / x % y, thread / x / y]
}

/// `%ctaid` of a CTA by its number in the grid.
fn team_of(launch: &Launch<'_>, linear: u64) -> [u32; 3] {
    let [x, y, _] = launch.config.grid.map(u64::from);
    [linear % x, linear / x % y, linear / x / y].map(|n| n as u32)
}

/// What a lane does at the instruction of `at`.
fn action(at: &At<'_, '_>, what: String, lane: usize) -> Action {
    Action {
        what,
        team: at.cta.id,
        thread: thread_of(at.launch, at.warp.index * LANES as u32 + lane as u32),
        place: place_of(at.launch, at.warp.frames[at.frame as usize].function.0, at.pc),
    }
}

/// What names of variables of the device runtime begin with in [`object`].
const OF_RUNTIME: &str = "variable __devrtl_";
/// One of them holds variables of the program: those of serial code that a region shares.
const POOL: &str = "variable __devrtl_shared_POOL";
/// In the mangled name of each function of the device runtime but those that compilers call.
const IN_RUNTIME: &str = "9devicertl";

/// Whether a finding is the device runtime's own affair: it is about a variable of the runtime; or about the program's
/// variables in its pool, but by a function of the runtime, which looks for pointers there.
fn is_of_runtime(object: Option<&str>, actions: &[Action]) -> bool {
    let Some(object) = object.filter(|object| object.contains(OF_RUNTIME)) else { return false };
    // Of several files without device LTO each has a pool of its own, with a number behind the name.
    let in_pool =
        object.split(POOL).nth(1).is_some_and(|rest| rest.starts_with(' ') || rest.starts_with("_$"));
    !in_pool || actions.iter().any(|action| action.place.function.contains(IN_RUNTIME))
}

/// Name of the kernel.
fn kernel_of(launch: &Launch<'_>) -> String {
    launch.module.functions[launch.entry.0 as usize].name.clone()
}

/// What lies at an address: a variable or an allocation, and the offset in it.
fn object(launch: &Launch<'_>, spot: Spot) -> String {
    let module = launch.module;
    let variable = |variables: &[Variable], offset: u64, what: &str| {
        let holds = |v: &&Variable| offset >= v.offset && offset - v.offset < v.size;
        variables
            .iter()
            .find(holds)
            .map(|v| format!("byte {} of {what} variable {} ({} bytes)", offset - v.offset, v.name, v.size))
    };
    match spot {
        Spot::Shared(offset) if offset >= module.shared_bytes.into() => {
            format!("byte {} of dynamic shared memory", offset - u64::from(module.shared_bytes))
        }
        Spot::Shared(offset) => variable(&module.shared, offset, "shared")
            .unwrap_or_else(|| format!("byte {offset} of shared memory")),
        Spot::Global(address) => address
            .checked_sub(launch.base)
            .filter(|&offset| offset < module.global_bytes)
            .and_then(|offset| variable(&module.variables, offset, "global"))
            .unwrap_or_else(|| launch.memory.describe(address, 1)),
        Spot::Local(offset) => format!("byte {offset} of the thread's stack"),
    }
}

/// The place of an instruction.
fn place_of(launch: &Launch<'_>, function: u32, pc: u32) -> Place {
    place::place(launch.module, function, pc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_unknown_ones_refused() {
        assert!(Checks::parse("").unwrap().is_empty() && Checks::parse("none").unwrap().is_empty());
        assert_eq!(Checks::parse(" race, leak").unwrap(), Checks(1 << RACE | 1 << LEAK));
        let all = Checks::parse("all").unwrap();
        assert!(all.has(RACE) && all.has(LEAK) && !all.has(SAME_VALUE));
        let message = Checks::parse("race,rase").unwrap_err().message;
        assert!(
            message.starts_with("there is no checker \"rase\": there are race, same-value, "),
            "{message}"
        );
    }

    #[test]
    fn the_numbers_of_checks_are_those_of_the_table() {
        let names = ["race", "same-value", "barrier", "warp", "runtime", "uninit", "leak"];
        for (number, name) in [RACE, SAME_VALUE, BARRIER, WARP, RUNTIME, UNINIT, LEAK].into_iter().zip(names)
        {
            assert_eq!(CHECKS[number as usize].name, name);
        }
    }
}
