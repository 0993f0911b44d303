//! What the finished files must define, no more and no less.
//!
//! The lists are text files in `devicertl/expected`, one symbol a line, `#` starts a comment. They are written by
//! hand on purpose: a symbol that appears or disappears is a decision.

use anyhow::{Context, Result};
use std::{collections::BTreeSet, path::Path};

/// Symbols of the files.
#[derive(Clone, Debug)]
pub struct Exports {
    /// Functions of the runtime.
    pub runtime: BTreeSet<String>,
    /// Math functions.
    pub math: BTreeSet<String>,
}

impl Exports {
    /// Reads the lists below `root`.
    ///
    /// # Errors
    /// When a list cannot be read.
    pub fn read(root: &Path) -> Result<Self> {
        let list = |name: &str| -> Result<BTreeSet<String>> {
            let path = root.join("expected").join(name);
            let text =
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            Ok(parse(&text))
        };
        Ok(Self { runtime: list("runtime.txt")?, math: list("math.txt")? })
    }

    /// Whether the runtime or the math functions must define `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.runtime.contains(name) || self.math.contains(name)
    }
}

fn parse(text: &str) -> BTreeSet<String> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or("").trim())
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Global variables that the runtime defines for compiler and host.
pub const GLOBALS: [&str; 7] = [
    "__dso_handle",
    "__omp_rtl_assume_no_nested_parallelism",
    "__omp_rtl_assume_no_thread_state",
    "__omp_rtl_debug_kind",
    abi::device::DEVICE_ENVIRONMENT_SYMBOL,
    abi::attribute::LONE_BARRIERS,
    abi::attribute::LONE_REGIONS,
];

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn comments_and_blank_lines() {
        let list = parse("# head\n\n omp_a  # why\nomp_b\n");
        assert_eq!(list.into_iter().collect::<Vec<_>>(), ["omp_a", "omp_b"]);
    }
}
