//! What the stand-in does about a call besides answering it: write it down, let it fail, leave a launch out.
//!
//! For tests and benches of host runtimes: which driver calls a launch makes, what becomes of a program when one of them
//! fails, how long the runtime itself takes. Without the variables a call costs one load and one branch more.

use simt::driver::CUresult;
use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// File that a line is added to for each call: the thread's number, the name, and the code if it is not 0.
const TRACE: &str = "OMPTARGET_SIMT_TRACE";
/// A call that is to fail instead of being done: `NAME=CODE`, `NAME:N=CODE` for the Nth call of that name, or `N=CODE`
/// for the Nth call of any name.
const FAULT: &str = "OMPTARGET_SIMT_FAULT";
/// `skip`: launches are accepted and not run.
const LAUNCHES: &str = "OMPTARGET_SIMT_LAUNCHES";

/// What the environment asks for.
struct Calls {
    trace: Option<Mutex<File>>,
    fault: Option<Fault>,
    skip_launches: bool,
    /// Calls until now of the fault's name; of any name if it has none.
    count: AtomicU64,
}

/// A call that is to fail.
#[derive(Debug, PartialEq, Eq)]
struct Fault {
    /// `None`: of any name.
    name: Option<String>,
    /// From 1 on. `None`: every call.
    number: Option<u64>,
    code: u32,
}

impl Fault {
    fn parse(text: &str) -> Option<Self> {
        let (which, code) = text.trim().split_once('=')?;
        let code = code.parse().ok().filter(|code| *code > 0)?;
        let number = |text: &str| text.parse().ok().filter(|number| *number > 0);
        Some(match which.split_once(':') {
            Some((name, n)) => Self { name: Some(name.to_owned()), number: Some(number(n)?), code },
            None => match number(which) {
                Some(n) => Self { name: None, number: Some(n), code },
                None => Self {
                    name: Some(which.to_owned()).filter(|name| name.starts_with("cu")),
                    number: None,
                    code,
                },
            },
        })
        .filter(|fault| fault.name.is_some() || fault.number.is_some())
    }
}

impl Calls {
    /// `None` when the environment asks for nothing.
    fn from(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, String> {
        let get = |name| get(name).filter(|value| !value.is_empty());
        let open = |path: String| {
            let file = File::options().create(true).append(true).open(&path);
            file.map(Mutex::new)
                .map_err(|error| format!("{TRACE}={path}: the file cannot be written: {error}"))
        };
        let fault = |text: String| {
            Fault::parse(&text).ok_or(format!(
                "{FAULT}={text} is not understood: give NAME=CODE, NAME:N=CODE or N=CODE, as in cuMemAlloc_v2:3=2"
            ))
        };
        let skip_launches = match get(LAUNCHES).as_deref() {
            None | Some("run") => false,
            Some("skip") => true,
            Some(other) => return Err(format!("{LAUNCHES}={other} is not understood: give run or skip")),
        };
        let (trace, fault) = (get(TRACE).map(open).transpose()?, get(FAULT).map(fault).transpose()?);
        let calls = Self { trace, fault, skip_launches, count: AtomicU64::new(0) };
        Ok((calls.trace.is_some() || calls.fault.is_some() || skip_launches).then_some(calls))
    }

    /// The code that a call is to fail with.
    fn fault(&self, name: &str) -> Option<u32> {
        let fault = self.fault.as_ref()?;
        if fault.name.as_ref().is_some_and(|wanted| wanted != name) {
            return None;
        }
        let number = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        fault.number.is_none_or(|wanted| wanted == number).then_some(fault.code)
    }

    fn call(&self, name: &str, call: impl FnOnce() -> CUresult) -> CUresult {
        let code = match self.fault(name) {
            Some(code) => CUresult(code),
            None if self.skip_launches && name.starts_with("cuLaunchKernel") => CUresult::SUCCESS,
            None => call(),
        };
        if let Some(file) = &self.trace {
            let thread = THREAD.with(|thread| *thread);
            let line = match code {
                CUresult::SUCCESS => format!("{thread} {name}\n"),
                CUresult(code) => format!("{thread} {name} {code}\n"),
            };
            // A full disk is no reason to end the program.
            let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(line.as_bytes());
        }
        code
    }
}

thread_local! {
    /// Threads are numbered in the order of their first call.
    static THREAD: u64 = {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed)
    };
}

/// Makes a call.
#[inline]
pub(crate) fn call(name: &str, call: impl FnOnce() -> CUresult) -> CUresult {
    static CALLS: OnceLock<Option<Calls>> = OnceLock::new();
    let from_process = || {
        Calls::from(|name| std::env::var(name).ok()).unwrap_or_else(|text| {
            eprintln!("simt: {text}");
            std::process::exit(1)
        })
    };
    match CALLS.get_or_init(from_process) {
        None => call(),
        Some(calls) => calls.call(name, call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults() {
        let fault = |name: Option<&str>, number, code| Fault { name: name.map(str::to_owned), number, code };
        for (text, expected) in [
            ("cuMemAlloc_v2=2", Some(fault(Some("cuMemAlloc_v2"), None, 2))),
            (" cuMemAlloc_v2:3=2", Some(fault(Some("cuMemAlloc_v2"), Some(3), 2))),
            ("7=999", Some(fault(None, Some(7), 999))),
            ("cuMemAlloc_v2:0=2", None),
            ("cuMemAlloc_v2:x=2", None),
            ("cuMemAlloc_v2=0", None),
            ("cuMemAlloc_v2", None),
            ("malloc=2", None),
            ("0=1", None),
            ("=1", None),
        ] {
            assert_eq!(Fault::parse(text), expected, "{text}");
        }
    }

    fn with(name: &str, value: &str) -> Result<Option<Calls>, String> {
        Calls::from(|wanted| (wanted == name).then(|| value.to_owned()))
    }

    #[test]
    fn only_the_call_that_is_meant_fails() {
        let calls = with(FAULT, "cuMemAlloc_v2:2=2").unwrap().unwrap();
        let make = |name| calls.call(name, || CUresult::SUCCESS).0;
        let codes = ["cuMemAlloc_v2", "cuMemFree_v2", "cuMemAlloc_v2", "cuMemAlloc_v2"].map(make);
        assert_eq!(codes, [0, 0, 2, 0]);
        let calls = with(FAULT, "2=700").unwrap().unwrap();
        let make = |name| calls.call(name, || CUresult::SUCCESS).0;
        assert_eq!(["cuInit", "cuMemFree_v2", "cuInit"].map(make), [0, 700, 0]);
    }

    #[test]
    fn launches_are_left_out_and_nothing_else() {
        let calls = with(LAUNCHES, "skip").unwrap().unwrap();
        let failing = || CUresult(1);
        assert_eq!(calls.call("cuLaunchKernel", failing).0, 0);
        assert_eq!(calls.call("cuMemAlloc_v2", failing).0, 1);
        assert!(with(LAUNCHES, "run").unwrap().is_none());
    }

    #[test]
    fn what_is_not_understood_says_so() {
        assert!(with(LAUNCHES, "no").err().unwrap().contains("give run or skip"));
        assert!(with(FAULT, "x").err().unwrap().contains("cuMemAlloc_v2:3=2"));
        assert!(with(TRACE, "/nonexistent/file").err().unwrap().contains("cannot be written"));
        assert!(with("OTHER", "1").unwrap().is_none());
    }
}
