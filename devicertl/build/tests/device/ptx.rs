//! What the tests ask of PTX text.

/// A module of PTX, as lines without comments.
pub struct Ptx(Vec<String>);

/// Counts of one function.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// `bar.sync` and `barrier.sync`.
    pub barriers: usize,
    /// Calls.
    pub calls: usize,
    /// Shuffles.
    pub shuffles: usize,
}

impl Ptx {
    /// Reads a module.
    pub fn new(text: &str) -> Self {
        Self(text.lines().map(|line| line.split("//").next().unwrap_or("").trim().to_owned()).collect())
    }

    /// The kernel's instructions, counted.
    pub fn kernel(&self) -> Counts {
        let mut counts = Counts::default();
        let lines =
            self.0.iter().skip_while(|line| !line.contains(".entry ")).skip_while(|line| *line != "{");
        // Calls stand in brackets of their own.
        let mut depth = 0;
        for line in lines {
            depth += line.starts_with('{') as i32 - line.starts_with('}') as i32;
            if depth == 0 {
                break;
            }
            // Predicates stand before the instruction.
            let instruction = line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or("");
            let is = |name: &str| instruction.starts_with(name);
            counts.barriers += (is("bar.sync") || is("barrier")) as usize;
            counts.calls += (is("call.") || is("call")) as usize;
            counts.shuffles += is("shfl.") as usize;
        }
        counts
    }

    /// Bytes of shared memory that the runtime declares; clang's own buffer for reductions is not counted.
    pub fn shared_bytes(&self) -> usize {
        let declarations = self.0.iter().filter(|line| line.contains(".shared ") && line.contains(".align "));
        declarations
            .filter(|line| !line.contains("__openmp_nvptx_data_transfer") && !line.contains(".extern"))
            .map(|line| {
                let words: Vec<_> = line.trim_end_matches(';').split_whitespace().collect();
                let ty = words[words.len() - 2];
                let bits: usize = ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
                let name = words[words.len() - 1];
                let elements =
                    name.split_once('[').map_or(1, |(_, n)| n.trim_end_matches(']').parse().unwrap());
                bits / 8 * elements
            })
            .sum()
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

/// The name in `.func (.param .b32 func_retval0) name(`.
fn name_of(head: &str) -> String {
    let head = head.trim_end_matches(['(', ')', '{']);
    head.rsplit([' ', ')']).next().unwrap_or("").to_owned()
}

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
	bar.sync 	0;
	@%p1 bra 	$L1;
	barrier.sync 	1;
	{ // callseq 0, 0
	call.uni 	f;
	} // callseq 0
	shfl.sync.down.b32 	%r1|%p2, %r2, %r3, 31, -1;
}
";
    let ptx = Ptx::new(text);
    assert_eq!(ptx.kernel(), Counts { barriers: 2, calls: 1, shuffles: 1 });
    assert_eq!(ptx.shared_bytes(), 32);
    assert_eq!(ptx.undefined(), ["__other"]);
    assert_eq!(ptx.functions(), ["f"]);
}
