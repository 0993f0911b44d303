//! Calibration: one tiny kernel for each instruction form, and for the rules of barriers and warps, whose results on a GPU and
//! on the embedded device can be compared.
//!
//! A kernel of a form fills all registers from a table of edge values and random ones, executes the instruction once in each
//! thread, and stores the destination and a hash of everything else that the instruction could have changed: the other
//! registers, predicates, and 32 bytes of memory. Forms without a result that is defined by the manual (special
//! registers, address windows, hints, control) have none.

use crate::{Device, DeviceConfig, LaunchConfig, Report, ReportKind};

mod rules;

use std::collections::HashSet;
use std::sync::LazyLock;

/// The instruction forms beyond those that compilers were seen to emit, as patterns (see the first lines of the file).
const PATTERNS: &str = include_str!("calibrate/forms.txt");

/// Threads of each kernel.
pub const THREADS: u32 = 128;
/// Words of input of a thread: one unused, then one for each register number.
const WORDS: u64 = 9;
/// Bytes of memory of a thread.
const SLOT: u64 = 32;
/// Versions of PTX to try, best first: the forms' own, and what older drivers take.
pub const VERSIONS: [&str; 4] = ["9.0", "8.7", "8.5", "7.8"];

/// A kernel `k` with three parameters: the inputs, the threads' memory, and room for two words a thread.
pub struct Probe {
    /// The instruction, or what the rule is.
    pub name: String,
    /// The kernel, without the directives at the head.
    pub ptx: String,
    /// Threads of the block in each dimension; [`THREADS`] in all.
    pub block: [u32; 3],
    /// Bits of the result's floating-point type if the instruction approximates.
    pub approximate: Option<u32>,
}

/// How two runs of a probe differ.
#[derive(Debug)]
pub struct Difference {
    /// Threads whose results differ.
    pub threads: usize,
    /// The largest difference in units of the last place, where only approximated results differ.
    pub ulp: Option<u64>,
    /// The first of them, with both results.
    pub example: String,
}

impl Probe {
    /// The module with this kernel, for a target such as `sm_90`.
    pub fn module(&self, version: &str, target: &str) -> String {
        format!(".version {version}\n.target {target}\n.address_size 64\n{}", self.ptx)
    }

    /// What the embedded device computes.
    ///
    /// # Errors
    /// The kernel fails.
    pub fn on_simt(&self) -> Result<Vec<u64>, Report> {
        let device =
            Device::new(DeviceConfig { memory_bytes: 64 << 20, threads: 1, ..DeviceConfig::default() })?;
        let module = device.load(&self.module(VERSIONS[0], "sm_90"))?;
        let inputs: Vec<u8> = inputs().iter().flat_map(|word| word.to_le_bytes()).collect();
        let [from, memory] = [&inputs[..], slots()].map(|bytes| (device.alloc(bytes.len() as u64), bytes));
        let to = device.alloc(u64::from(THREADS) * 16)?;
        let mut parameters = vec![];
        for (address, bytes) in [from, memory] {
            let address = address?;
            device.write(address, bytes)?;
            parameters.extend(address.to_le_bytes());
        }
        parameters.extend(to.to_le_bytes());
        let shape = LaunchConfig { grid: [1; 3], block: self.block, dynamic_shared: 0 };
        let missing = || Report::new(ReportKind::UndefinedSymbol, "a probe without a kernel");
        device.launch(&module.function("k").ok_or_else(missing)?, shape, &parameters)?;
        let mut results = vec![0; THREADS as usize * 16];
        device.read(to, &mut results)?;
        Ok(words(&results))
    }

    /// Compares two results.
    pub fn compare(&self, expected: &[u64], found: &[u64]) -> Option<Difference> {
        let differ = |(a, b): &(&[u64], &[u64])| a != b;
        let pairs = || expected.chunks(2).zip(found.chunks(2));
        let threads = pairs().filter(differ).count() + expected.len().abs_diff(found.len()) / 2;
        let thread = pairs().position(|pair| differ(&pair));
        if threads == 0 {
            return None;
        }
        let distances = pairs().filter(differ).map(|(a, b)| match self.approximate {
            Some(bits) if a[1] == b[1] => distance(a[0], b[0], bits),
            _ => None,
        });
        let example = thread.map_or("different lengths".into(), |thread| {
            let at = 2 * thread..2 * thread + 2;
            let all = inputs();
            let own = thread * WORDS as usize;
            format!(
                "thread {thread}, inputs {:x?}: {:x?} instead of {:x?}",
                &all[own + 1..own + 5],
                &found[at.clone()],
                &expected[at]
            )
        });
        Some(Difference {
            threads,
            ulp: distances.collect::<Option<Vec<u64>>>().and_then(|all| all.into_iter().max()),
            example,
        })
    }
}

/// The difference of two floating-point numbers in units of the last place, if both are numbers.
fn distance(a: u64, b: u64, bits: u32) -> Option<u64> {
    // Sign and magnitude as integers in order.
    let number = |x: u64| {
        let magnitude = x & (u64::MAX >> (65 - bits));
        let infinity = match bits {
            16 => 0x7c00,
            32 => 0x7f80_0000,
            _ => 0x7ff0_0000_0000_0000,
        };
        let value = magnitude as i64;
        (magnitude <= infinity).then_some(if x >> (bits - 1) & 1 != 0 { -value } else { value })
    };
    Some(number(a)?.abs_diff(number(b)?))
}

/// Bytes as words.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().unwrap_or_default())).collect()
}

/// All instructions that the patterns stand for.
pub fn forms() -> Vec<String> {
    let patterns = PATTERNS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    // Some stand for the same form.
    let mut seen = HashSet::new();
    patterns.flat_map(expand).filter(|form| seen.insert(form.clone())).collect()
}

/// `a(b|c|)d rest` to `abd rest`, `acd rest` and `ad rest`.
fn expand(pattern: &str) -> Vec<String> {
    let end = pattern.find(' ').unwrap_or(pattern.len());
    let brackets =
        pattern[..end].find('(').and_then(|open| Some((open, open + pattern[open..end].find(')')?)));
    let Some((open, close)) = brackets else { return vec![pattern.into()] };
    let choices = pattern[open + 1..close].split('|');
    choices
        .flat_map(|choice| expand(&format!("{}{choice}{}", &pattern[..open], &pattern[close + 1..])))
        .collect()
}

/// The words of all threads, [`WORDS`] each: pairs of edges at first, then random words.
pub fn inputs() -> &'static [u64] {
    static INPUTS: LazyLock<Vec<u64>> = LazyLock::new(make_inputs);
    &INPUTS
}

fn make_inputs() -> Vec<u64> {
    let edges = edges();
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..u64::from(THREADS) * WORDS)
        .map(|n| {
            let word = random();
            if n / WORDS < 96 { edges[(word >> 20) as usize % edges.len()] } else { word }
        })
        .collect()
}

/// Values at the edges of every type, in the low bits.
fn edges() -> Vec<u64> {
    let mut all =
        vec![0, 1, 2, 3, 7, 8, 16, 24, 31, 32, 33, 63, 64, 0x1234_5678_9abc_def0, 0x5aa5_c33c_0ff0_1248];
    for bits in [8, 16, 32, 64] {
        let top = 1u64 << (bits - 1);
        all.extend([top - 1, top, top + 1, u64::MAX >> (64 - bits), top.wrapping_neg()]);
    }
    let floats = [
        0.5,
        1.0,
        1.5,
        2.5,
        3.0,
        100.25,
        65504.0,
        65520.0,
        1e-5,
        6e-8,
        1e10,
        1e-40,
        2147483648.0,
        f64::INFINITY,
    ];
    for x in floats.into_iter().flat_map(|x| [x, -x]).chain([f64::NAN]) {
        all.push(x.to_bits());
        let single = u64::from((x as f32).to_bits());
        // The upper half of an f32 is a bf16.
        all.extend([single, single << 32 | single >> 16]);
    }
    for half in [0x3c00, 0x3c01, 0x4200, 0x7bff, 0x7c00, 0x7e00, 0x0001, 0x03ff, 0x0400, 0x3555] {
        all.extend([half, half | 0x8000, half << 16 | 0xb400]);
    }
    all
}

/// The threads' memory.
pub fn slots() -> &'static [u8] {
    static SLOTS: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let word = |n: u64| inputs()[(n * 5 % 1000) as usize].to_le_bytes();
        (0..u64::from(THREADS) * SLOT / 8).flat_map(word).collect()
    });
    &SLOTS
}

/// Opcodes whose results are in registers.
const VALUES: &str = "abs add addc and bfe bfi bfind bmsk brev clz cnot copysign cos cvt div dp2a dp4a ex2 fma fns lg2 lop3 mad mad24 \
                      madc max min mov mul mul24 neg not or popc prmt rcp rem rsqrt sad selp set setp shf shl shr sin slct sqrt sub \
                      subc szext tanh testp vabsdiff vabsdiff2 vabsdiff4 vadd vadd2 vadd4 vavrg2 vavrg4 vmad vmax vmax2 vmax4 vmin vmin2 vmin4 vset \
                      vset2 vset4 vshl vshr vsub vsub2 vsub4 xor";

/// All probes: of the forms, then of the rules.
pub fn probes() -> Vec<Probe> {
    forms().iter().filter_map(|form| probe(form)).chain(rules::probes()).collect()
}

/// The kernel of a form, if it has a result.
fn probe(instruction: &str) -> Option<Probe> {
    let (opcode, operands) = instruction.split_at(instruction.find([' ', ';'])?);
    let base = opcode.split('.').next()?;
    let memory = matches!(base, "ld" | "ldu" | "st" | "atom" | "red") && operands.contains("[%rd9]");
    let value = VALUES.split_whitespace().any(|name| name == base);
    // Registers other than the general ones are special; bytes cannot be filled on all targets.
    let general = operands.split('%').skip(1).all(|name| {
        let letters = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).trim_start();
        ["rs", "rd", "rq", "r", "p"].iter().any(|class| {
            letters.strip_prefix(class).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        })
    });
    if !(value && !operands.contains('[') || memory) || !general {
        return None;
    }
    let approximate =
        (opcode.contains(".approx") || opcode.contains(".full")).then(|| match opcode.rsplit('.').next() {
            Some("f64") => 64,
            Some("f16") => 16,
            _ => 32,
        });
    let quads = operands.contains("%rq");
    let result = destination(operands);
    let mut ptx = ".shared .align 32 .b8 s[4096];\n.const .align 32 .b8 c[32] = {1, 2, 3, 4, 128, 255, 0, 63, 5, 6, 7, 8};\n\
                   .visible .entry k(.param .u64 from, .param .u64 slots, .param .u64 to)\n{\n\
                   .local .align 32 .b8 l[32];\n\
                   .reg .pred %p<10>; .reg .b16 %rs<10>; .reg .b32 %r<10>, %i<4>; .reg .b64 %rd<10>, %x<8>;\n\
                   mov.u32 %i0, %tid.x; ld.param.u64 %x0, [from]; ld.param.u64 %x1, [to]; ld.param.u64 %x4, [slots];\n\
                   mad.wide.u32 %x0, %i0, 72, %x0; mad.wide.u32 %x1, %i0, 16, %x1; mad.wide.u32 %x4, %i0, 32, %x4;\n"
        .to_owned();
    for n in 1..WORDS {
        ptx += &format!(
            "ld.global.b64 %rd{n}, [%x0+{}]; cvt.u32.u64 %r{n}, %rd{n}; cvt.u16.u64 %rs{n}, %rd{n};\n\
             shr.u64 %x2, %rd{n}, {n}; cvt.u32.u64 %i1, %x2; and.b32 %i1, %i1, 1; setp.ne.u32 %p{n}, %i1, 0;\n",
            8 * n
        );
    }
    if quads {
        ptx += ".reg .b128 %rq<4>; mov.b128 %rq1, {%rd1, %rd2}; mov.b128 %rq2, {%rd3, %rd4}; mov.b128 %rq3, {%rd5, %rd6};\n";
    }
    if base == "fns" {
        // A base beyond the word is undefined.
        ptx += "and.b32 %r3, %r3, 31;\n";
    }
    let space = memory.then(|| slot(opcode));
    if let Some((_, prepare)) = space {
        ptx += prepare;
    }
    // The carry of a sum that is known.
    if opcode.starts_with("addc") || opcode.starts_with("subc") || opcode.starts_with("madc") {
        ptx += "add.cc.u32 %i1, %r5, %r6;\n";
    }
    ptx += instruction;
    ptx += "\n";
    if opcode.contains(".cc") {
        ptx += "addc.u32 %r8, %r8, 0;\n";
    }
    if quads {
        ptx += "mov.b128 {%rd7, %rd8}, %rq1;\n";
    }
    ptx += "mov.b64 %x2, 0; mov.b64 %x5, 0;\n";
    let mut mix =
        |load: String| ptx += &format!("{load} xor.b64 %x2, %x2, %x3; mul.lo.u64 %x2, %x2, 0x100000001b3;\n");
    for n in 1..WORDS {
        for (class, load) in [
            ("rd", format!("mov.b64 %x3, %rd{n};")),
            ("r", format!("cvt.u64.u32 %x3, %r{n};")),
            ("rs", format!("cvt.u64.u16 %x3, %rs{n};")),
        ] {
            if result != Some(class) || n > 1 {
                mix(load);
            }
        }
    }
    for n in 1..4 {
        mix(format!("selp.b64 %x3, 1, 0, %p{n};"));
    }
    if let Some((name, _)) = space.filter(|(name, _)| *name != "const") {
        (0..4).for_each(|n| mix(format!("ld{name}.b64 %x3, [%rd9+{}];", 8 * n)));
    }
    match result {
        Some("rd") => ptx += "mov.b64 %x5, %rd1;\n",
        Some("r") => ptx += "cvt.u64.u32 %x5, %r1;\n",
        Some("rs") => ptx += "cvt.u64.u16 %x5, %rs1;\n",
        _ => {}
    }
    // The bundle holds all results: 32 bits of the hash are enough.
    ptx += "shr.u64 %x3, %x2, 32;\nst.global.v2.b64 [%x1], {%x5, %x3};\nret;\n}\n";
    Some(Probe { name: instruction.into(), ptx, block: [THREADS, 1, 1], approximate })
}

/// The class of the destination if it is register 1.
fn destination(operands: &str) -> Option<&'static str> {
    let first = operands.trim_start();
    ["rd", "rs", "r"].into_iter().find(|class| {
        first
            .strip_prefix('%')
            .and_then(|name| name.strip_prefix(class))
            .is_some_and(|rest| rest.starts_with('1'))
    })
}

/// The space of an access, and what makes `%rd9` the address of the thread's 32 bytes in it.
fn slot(opcode: &str) -> (&'static str, &'static str) {
    let has = |name: &str| opcode.split('.').any(|word| word.starts_with(name));
    if has("const") {
        ("const", "mov.u64 %rd9, c;\n")
    } else if has("shared") {
        (
            ".shared",
            "mov.u64 %rd9, s; mad.wide.u32 %rd9, %i0, 32, %rd9;\n\
             st.shared.v2.b64 [%rd9], {%rd5, %rd6}; st.shared.v2.b64 [%rd9+16], {%rd7, %rd8};\n",
        )
    } else if has("local") {
        (
            ".local",
            "mov.u64 %rd9, l; st.local.v2.b64 [%rd9], {%rd5, %rd6}; st.local.v2.b64 [%rd9+16], {%rd7, %rd8};\n",
        )
    } else {
        (".global", "mov.b64 %rd9, %x4;\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_expanded() {
        assert_eq!(expand("a(b|)(c|d) (e|f);"), ["abc (e|f);", "abd (e|f);", "ac (e|f);", "ad (e|f);"]);
        assert_eq!(expand("ret;"), ["ret;"]);
    }

    #[test]
    fn distances_in_units_of_the_last_place() {
        assert_eq!(distance(0x3f80_0000, 0x3f80_0003, 32), Some(3));
        assert_eq!(distance(1, 0x8000_0001, 32), Some(2));
        assert_eq!(distance(0x7fff_ffff, 0x3f80_0000, 32), None);
    }

    #[test]
    fn a_changed_result_is_reported() {
        let probe = probe("rcp.approx.f32 %r1, %r2;").unwrap();
        let right = probe.on_simt().unwrap();
        assert!(probe.compare(&right, &right).is_none());
        let mut wrong = right.clone();
        let thread = (0..128).find(|n| matches!(right[2 * n], 0x3000_0000..0x4000_0000)).unwrap();
        wrong[2 * thread] += 2;
        let difference = probe.compare(&right, &wrong).unwrap();
        assert_eq!((difference.threads, difference.ulp), (1, Some(2)));
        // What an instruction must not change is exact.
        wrong[2 * thread + 1] ^= 1;
        let difference = probe.compare(&right, &wrong).unwrap();
        assert_eq!(difference.ulp, None);
        assert!(
            difference.example.starts_with(&format!("thread {thread}, inputs")),
            "{}",
            difference.example
        );
    }

    /// Every probe runs, and those of two instructions that do different things give different results.
    #[test]
    fn every_probe_runs() {
        let probes = probes();
        assert!(probes.len() > 5000, "{} probes", probes.len());
        let names = ["ld", "st", "atom", "red", "cvt", "fma", "set", "setp", "mov"];
        for name in names {
            assert!(probes.iter().any(|probe| probe.name.starts_with(&format!("{name}."))), "{name}");
        }
        for probe in probes.iter().step_by(7).chain(probes.iter().rev().take(30)) {
            let results = probe.on_simt().unwrap_or_else(|report| panic!("{}: {report}", probe.name));
            assert!(results.iter().any(|word| *word != 0), "{}", probe.name);
        }
        let run = |form: &str| probe(form).unwrap().on_simt().unwrap();
        assert_ne!(run("add.u32 %r1, %r2, %r3;"), run("sub.u32 %r1, %r2, %r3;"));
        assert_ne!(run("red.add.u32 [%rd9], %r2;"), run("red.max.u32 [%rd9], %r2;"));
        assert_ne!(run("st.shared.u8 [%rd9], %rs1;"), run("st.shared.u16 [%rd9], %rs1;"));
    }
}
