//! Constants that only the host's module has.
//!
//! clang emits variables for the device that a `declare target` names, and copies of `constexpr` arrays. A constant that device code takes the
//! address of otherwise, `const double weights[3]` in a function or the `inline constexpr` object `std::views::iota`, is declared
//! and defined nowhere: the link fails (`docs/upstream.md`). The host's module, which the compiler reads for the names of its kernels,
//! has the value.

use crate::ir::Module;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// clang's and flang's option with the file.
const OPTION: &str = "-fopenmp-host-ir-file-path";

/// Takes over the values; whether there were any.
pub fn run(module: Module) -> bool {
    host_module(std::env::args_os()).is_some_and(|file| module.take_constants(&file))
}

/// The file that a command line names.
fn host_module(arguments: impl IntoIterator<Item = OsString>) -> Option<PathBuf> {
    let mut arguments = arguments.into_iter();
    arguments.find(|argument| argument == OsStr::new(OPTION))?;
    arguments.next().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_behind_the_option_is_the_file() {
        let file = |words: &[&str]| host_module(words.iter().map(OsString::from));
        assert_eq!(file(&["clang", "-cc1", OPTION, "a.bc", "b.c"]), Some("a.bc".into()));
        assert_eq!([file(&["clang", OPTION]), file(&["clang", "a.bc"])], [None, None]);
    }
}
