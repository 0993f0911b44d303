//! `omptarget-opt` on the `.ll` files beside this one. What is expected stands in each file, in lines that begin with `;`
//! and a directive:
//!
//! | directive | meaning |
//! |---|---|
//! | `RUN-ARGS: -x --y` | further arguments |
//! | `REMARK: file:1:2: text [OMP120]` | a remark of this form is given; without a place it counts anywhere. Each other remark fails |
//! | `NO-REMARK` | none is given |
//! | `TRIPLE: kernel a b c` | the first bytes of `kernel_kernel_environment` afterwards |
//! | `CHECK: text` | a line of the output that contains this, behind the line of the last CHECK |
//! | `CHECK-NEXT: text` | the line behind that of the last CHECK contains this |
//! | `COUNT: n text` | so many lines of the output contain this |
//! | `NOT: text` | no line does |
//! | `STDERR: text` | the error output contains this |
//! | `UNCHANGED` | the module is the same afterwards |
//! | `ERROR: text` | the tool fails with a message that contains this |
//!
//! A part `<*>` of a text stands for anything. Every output goes through LLVM's verifier and our own.

use libtest_mimic::{Arguments, Failed, Trial};
use std::path::Path;
use std::process::Command;

const TOOL: &str = env!("CARGO_BIN_EXE_omptarget-opt");

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of this file")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ll"))
        .collect();
    files.sort();
    let trial = |path: &std::path::PathBuf| {
        let path = path.clone();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || run(&path))
    };
    libtest_mimic::run(&Arguments::from_args(), files.iter().map(trial).collect()).exit();
}

#[derive(Default)]
struct Expected {
    arguments: Vec<String>,
    remarks: Vec<String>,
    no_remark: bool,
    unchanged: bool,
    error: Option<String>,
    /// The other directives, in order.
    checks: Vec<(String, String)>,
}

fn read(source: &str) -> Result<Expected, Failed> {
    let mut expected = Expected::default();
    for line in source.lines() {
        let Some(line) = line.strip_prefix("; ") else { continue };
        let (directive, text) = line.split_once(": ").unwrap_or((line, ""));
        if directive.is_empty() || !directive.chars().all(|c| c.is_ascii_uppercase() || c == '-') {
            continue;
        }
        let text = text.to_owned();
        match directive {
            "RUN-ARGS" => expected.arguments.extend(text.split(' ').map(str::to_owned)),
            "REMARK" => expected.remarks.push(text),
            "NO-REMARK" => expected.no_remark = true,
            "UNCHANGED" => expected.unchanged = true,
            "ERROR" => expected.error = Some(text),
            "TRIPLE" | "CHECK" | "CHECK-NEXT" | "COUNT" | "NOT" | "STDERR" => {
                expected.checks.push((directive.to_owned(), text));
            }
            _ => return Err(format!("unknown directive {directive}").into()),
        }
    }
    let nothing = expected.checks.is_empty() && expected.remarks.is_empty();
    if nothing && expected.error.is_none() && !expected.unchanged {
        return Err("the file expects nothing".into());
    }
    Ok(expected)
}

fn run(path: &Path) -> Result<(), Failed> {
    let expected = read(&std::fs::read_to_string(path)?)?;
    let folder = tempfile::tempdir()?;
    let remarks = folder.path().join("remarks.json");
    let mut command = Command::new(TOOL);
    command.arg(path).args(&expected.arguments).env("OMPTARGET_VERIFY_PASSES", "1");
    command.arg("--remarks-format=json").arg("--remarks-output").arg(&remarks);
    let output = command.output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if let Some(error) = &expected.error {
        if output.status.code() != Some(1) || !matches(&said, error) {
            return Err(format!("expected the error {error}, got {}:\n{said}", output.status).into());
        }
        return Ok(());
    }
    if !output.status.success() {
        return Err(format!("{}:\n{said}", output.status).into());
    }
    let module = String::from_utf8_lossy(&output.stdout).into_owned();
    check_remarks(&expected, &serde_json::from_slice(&std::fs::read(&remarks)?)?)?;
    if expected.unchanged {
        let same = Command::new(TOOL).arg(path).arg("--passes=").output()?;
        if same.stdout != output.stdout {
            return Err(format!("the module was changed:\n{module}").into());
        }
    }
    check_module(&expected, &module, &said).map_err(|text| format!("{text}\nin\n{module}").into())
}

fn check_remarks(expected: &Expected, given: &serde_json::Value) -> Result<(), Failed> {
    let text = |remark: &serde_json::Value| {
        let word = |name: &str| remark[name].as_str().unwrap_or_default().to_owned();
        let place = match remark["line"].as_u64() {
            Some(line) => format!("{}:{line}:{}: ", word("file"), remark["column"]),
            None => String::new(),
        };
        format!("{place}{} [{}]", word("message"), word("id"))
    };
    let mut given: Vec<String> = given.as_array().into_iter().flatten().map(text).collect();
    if expected.remarks.is_empty() && !expected.no_remark {
        return Ok(());
    }
    for wanted in &expected.remarks {
        let found = given.iter().position(|given| given.ends_with(wanted.as_str()) || matches(given, wanted));
        match found {
            Some(at) => drop(given.remove(at)),
            None => return Err(format!("no remark {wanted}\nbut {given:#?}").into()),
        }
    }
    if given.is_empty() { Ok(()) } else { Err(format!("not expected: {given:#?}").into()) }
}

fn check_module(expected: &Expected, module: &str, said: &str) -> Result<(), String> {
    let lines: Vec<&str> = module.lines().collect();
    let mut next = 0;
    for (directive, text) in &expected.checks {
        let holds = match directive.as_str() {
            "CHECK" => match lines[next..].iter().position(|line| matches(line, text)) {
                Some(at) => {
                    next += at + 1;
                    true
                }
                None => false,
            },
            "CHECK-NEXT" => {
                next += 1;
                lines.get(next - 1).is_some_and(|line| matches(line, text))
            }
            "COUNT" => {
                let (number, text) = text.split_once(' ').unwrap_or((text, ""));
                let found = lines.iter().filter(|line| matches(line, text)).count();
                number.parse() == Ok(found)
            }
            "NOT" => !lines.iter().any(|line| matches(line, text)),
            "STDERR" => matches(said, text),
            _ => {
                let words: Vec<&str> = text.split(' ').collect();
                let [kernel, a, b, c] = words[..] else { return Err(format!("TRIPLE: {text}?")) };
                let start = format!("@{kernel}_kernel_environment = ");
                let bytes = format!("i8 {a}, i8 {b}, i8 {c}");
                lines.iter().any(|line| line.starts_with(&start) && line.contains(&bytes))
            }
        };
        if !holds {
            return Err(format!(
                "{directive}: {text} does not hold{}",
                if said.is_empty() { "" } else { said }
            ));
        }
    }
    Ok(())
}

/// Whether the parts of `pattern` between `<*>` occur in `text` in their order.
fn matches(text: &str, pattern: &str) -> bool {
    let mut rest = text;
    pattern.split("<*>").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}
