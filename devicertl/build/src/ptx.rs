//! What tests and measurements ask of PTX text.

use anyhow::{Context, Result};

/// A module of PTX, as lines without comments.
#[derive(Clone, Debug)]
pub struct Ptx(Vec<String>);

/// Counts of one kernel.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Instructions.
    pub instructions: u32,
    /// `bar.sync` and `barrier.sync`.
    pub barriers: u32,
    /// Calls.
    pub calls: u32,
    /// Shuffles.
    pub shuffles: u32,
}

impl Ptx {
    /// Reads a module.
    pub fn new(text: &str) -> Self {
        Self(text.lines().map(|line| line.split("//").next().unwrap_or("").trim().to_owned()).collect())
    }

    /// The kernels by name, in the order of the text.
    pub fn kernels(&self) -> Vec<(String, Counts)> {
        let heads = self.0.iter().enumerate().filter(|(_, line)| line.contains(".entry "));
        heads.map(|(at, line)| (name_of(line), count(&self.0[at..]))).collect()
    }

    /// Instructions of all kernels and functions.
    pub fn instructions(&self) -> usize {
        self.0.iter().filter(|line| is_instruction(line)).count()
    }

    /// The shared variables that the module declares: name and bytes.
    ///
    /// # Errors
    /// A declaration is none that clang writes.
    pub fn shared(&self) -> Result<Vec<(&str, u32)>> {
        let declarations = self.0.iter().filter(|line| line.contains(".shared ") && line.contains(".align "));
        let declarations = declarations.filter(|line| !line.contains(".extern"));
        declarations.map(|line| name_and_bytes(line).with_context(|| format!("what is {line}"))).collect()
    }

    /// Functions and variables that the module only names.
    pub fn undefined(&self) -> Vec<String> {
        let externs = self.0.iter().filter(|line| line.starts_with(".extern "));
        let words = externs.flat_map(|line| line.split(|c: char| !(c.is_alphanumeric() || c == '_')));
        words
            .filter(|word| word.starts_with("__") || ["malloc", "free", "vprintf"].contains(word))
            .map(str::to_owned)
            .collect()
    }

    /// Device functions that the module defines.
    pub fn functions(&self) -> Vec<String> {
        let heads = self
            .0
            .iter()
            .enumerate()
            .filter(|(_, line)| line.contains(".func ") && !line.contains(".extern"));
        let defined = heads.filter(|(at, _)| {
            self.0[*at..].iter().find(|l| *l == ";" || *l == "{").is_some_and(|l| l == "{")
        });
        defined.map(|(_, line)| name_of(line)).collect()
    }
}

/// Whether a line, without its comment, is an instruction.
fn is_instruction(line: &str) -> bool {
    line.ends_with(';') && !line.starts_with('.')
}

/// Counts from the first `{` to the `}` that belongs to it.
fn count(lines: &[String]) -> Counts {
    let mut counts = Counts::default();
    // Calls stand in brackets of their own.
    let mut depth = 0;
    for line in lines.iter().skip_while(|line| *line != "{") {
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        if depth == 0 {
            break;
        }
        counts.instructions += is_instruction(line) as u32;
        // Predicates stand before the instruction.
        let instruction = line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or("");
        let is = |name: &str| instruction.starts_with(name);
        counts.barriers += (is("bar.sync") || is("barrier")) as u32;
        counts.calls += is("call") as u32;
        counts.shuffles += is("shfl.") as u32;
    }
    counts
}

/// Of `.shared .align 4 .b8 name[12];`.
fn name_and_bytes(declaration: &str) -> Option<(&str, u32)> {
    let (rest, variable) = declaration.trim_end_matches(';').rsplit_once(' ')?;
    let bits: u32 = rest.rsplit_once(|c: char| !c.is_ascii_digit())?.1.parse().ok()?;
    let (name, elements) = match variable.split_once('[') {
        Some((name, elements)) => (name, elements.trim_end_matches(']').parse().ok()?),
        None => (variable, 1),
    };
    Some((name, bits / 8 * elements))
}

/// The name in `.func (.param .b32 func_retval0) name(` or `.entry name(`.
fn name_of(head: &str) -> String {
    let head = head.trim_end_matches(['(', ')', '{']);
    head.rsplit([' ', ')']).next().unwrap_or("").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_stands_in_the_kernel() {
        let text = "\
.extern .func __other
(
)
;
.shared .align 8 .u64 a; // one
.shared .align 16 .b8 b[24];
.extern .shared .align 16 .b8 c[];
.visible .func  (.param .b32 r) f()
{
	bar.sync 	0;
}
.weak .entry k(
	.param .u64 p
)
{
	.reg .b32 	%r<4>;
	bar.sync 	0;
	mov.b64 	{%r1, %r2}, %rd1;
	@%p1 bra 	$L1;
	barrier.sync 	1;
	{ // callseq 0, 0
	call.uni 	f;
	} // callseq 0
	shfl.sync.down.b32 	%r1|%p2, %r2, %r3, 31, -1;
	ret;
}
";
        let ptx = Ptx::new(text);
        let counts = Counts { instructions: 7, barriers: 2, calls: 1, shuffles: 1 };
        assert_eq!(ptx.kernels(), [("k".to_owned(), counts)]);
        assert_eq!(ptx.shared().unwrap(), [("a", 8), ("b", 24)]);
        assert!(Ptx::new(".shared .align 8 .b64 a[n];").shared().is_err());
        assert_eq!(ptx.undefined(), ["__other"]);
        assert_eq!(ptx.functions(), ["f"]);
    }
}
