//! Whether the sources of a command line have OpenMP directives. Those without have no code for a device.
//!
//! That spares them the second compilation. It also keeps the headers away from them that clang puts in front of all device
//! code: they declare functions of C, which the questions of CMake and autoconf declare in their own way (`char malloc();`).

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};

/// Names of sources end in these.
const SOURCES: [&str; 8] = ["c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP"];

/// Options that ask for something else than code, and that may hide directives.
const OTHERS: [&str; 7] = ["-E", "-M", "-MM", "-", "-x", "-fmodules", "-fcxx-modules"];

/// Options that write files of their own, and begin so; and those of them whose value is the next word.
const WRITES: [&str; 5] = ["-M", "-Wp,-M", "-save-temps", "--save-temps", "-ftime-trace"];
const WITH_VALUE: [&str; 4] = ["-MF", "-MT", "-MQ", "-MJ"];

/// Whether one of the sources has a directive, as far as the preprocessor tells: true where it does not.
pub fn may_be_in_sources(clang: &Path, user: &[OsString]) -> bool {
    let is_source = |word: &&OsString| {
        let extension = Path::new(word).extension().and_then(OsStr::to_str);
        extension.is_some_and(|extension| SOURCES.contains(&extension))
    };
    let is_other = |word: &OsString| OTHERS.iter().any(|other| word == *other);
    let mut sources = user.iter().filter(|word| is_source(word)).peekable();
    if sources.peek().is_none() || user.iter().any(is_other) {
        return true;
    }
    // Most that have some show them without the preprocessor.
    if sources.any(|source| std::fs::read(source).is_ok_and(|text| has_directive(&text))) {
        return true;
    }
    let mut command = Command::new(clang);
    command.arg("-fopenmp").args(without_outputs(user)).args(["--offload-host-only", "-E", "-o", "-"]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.map_or(true, |output| !output.status.success() || has_directive(&output.stdout))
}

/// The command line without what writes files beside the result.
fn without_outputs(user: &[OsString]) -> Vec<&OsString> {
    let mut is_value = false;
    user.iter()
        .filter(|word| {
            let word = word.to_string_lossy();
            let goes = is_value || WRITES.iter().any(|option| word.starts_with(option));
            is_value = !is_value && WITH_VALUE.iter().any(|option| word == *option);
            !goes
        })
        .collect()
}

/// Whether a preprocessed source has a directive, as a pragma or as an attribute of C++.
fn has_directive(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').any(|line| {
        let line = String::from_utf8_lossy(line);
        let mut words = line.trim_start().strip_prefix('#').unwrap_or_default().split_ascii_whitespace();
        let is_pragma =
            words.next() == Some("pragma") && words.next().is_some_and(|word| word.starts_with("omp"));
        is_pragma || line.contains("omp::") || line.contains("using omp")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_in_all_their_forms() {
        for text in [
            "int a;\n#pragma omp target\n",
            "  # pragma  omp parallel for",
            "#pragma ompx fast",
            "[[omp::directive(target)]] { }",
            "[[using omp: directive(target)]] { }",
        ] {
            assert!(has_directive(text.as_bytes()), "{text}");
        }
        for text in
            ["", "# 1 \"omp.h\" 1\nint omp_get_num_devices(void);", "#pragma once", "comp = 1; // omp"]
        {
            assert!(!has_directive(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn nothing_is_written_beside_the_answer() {
        let line = ["-O2", "-MD", "-MT", "a.o", "-MF", "a.d", "-Wp,-MMD,a.d", "-save-temps=obj", "-c", "a.c"];
        let line: Vec<OsString> = line.iter().map(OsString::from).collect();
        assert_eq!(without_outputs(&line), ["-O2", "-c", "a.c"]);
    }
}
