//! Arithmetic through the whole device: each instruction form is run on edge values and random ones and compared with a
//! reference written here, once for all lanes and once under a guard.
//!
//! Cases write their result to `%h0`, `%r0`, `%d0` (16, 32, 64 bits) or `%p0`; sources 1 to 3 hold the input, cut to the
//! width of the register, and `%p1`, `%p2` its lowest bits.

mod bits;
mod convert;
mod exact;
mod fields;
mod float;
mod half;
mod integer;
mod memory;
mod rounding;
mod small;
mod video;

use simt::{Device, DeviceConfig, LaunchConfig};

/// One input of a thread: the three sources.
type Input = [u64; 3];

/// What a case gives.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Result {
    Bits(u32),
    /// Any NaN equals any other.
    Float(u32),
    /// As `Float`; else with a relative error of at most 2^-20, or an absolute one of 2^-126.
    Near(u32),
    Predicate,
}

/// An instruction and what it must give.
struct Case {
    text: String,
    result: Result,
    expect: Box<dyn Fn(Input) -> u64>,
}

fn case(text: impl Into<String>, result: Result, expect: impl Fn(Input) -> u64 + 'static) -> Case {
    Case { text: text.into(), result, expect: Box::new(expect) }
}

/// Register letter of a width.
fn letter(bits: u32) -> &'static str {
    match bits {
        8 | 16 => "h",
        32 => "r",
        _ => "d",
    }
}

/// The lowest bits of a value.
fn low(value: u64, bits: u32) -> u64 {
    if bits == 64 { value } else { value & ((1 << bits) - 1) }
}

/// The lowest bits as a number in two's complement.
fn signed(value: u64, bits: u32) -> i128 {
    i128::from((value << (64 - bits)) as i64 >> (64 - bits))
}

/// The lowest bits as a number of a type: `s32`, `u8`.
fn number(ty: &str, value: u64) -> i128 {
    let bits = width(ty);
    if ty.starts_with('s') { signed(value, bits) } else { i128::from(low(value, bits)) }
}

/// Bits of a type.
fn width(ty: &str) -> u32 {
    ty[1..].parse().unwrap()
}

/// Random numbers, the same in each run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// All pairs of some values, with a third one that changes, and some random triples.
fn inputs(values: &[u64]) -> Vec<Input> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let count = values.len();
    let pairs = (0..count * count)
        .map(|n| [values[n / count], values[n % count], values[(n * 7 + n / count) % count]]);
    let pairs: Vec<_> = pairs.collect();
    pairs.into_iter().chain((0..256).map(|_| [random.next(), random.next(), random.next()])).collect()
}

/// Integers where something changes, at every width.
fn integers() -> Vec<u64> {
    let mut values =
        vec![0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 65, 255, 0x5555_5555_5555_5555, 0xdead_beef_cafe_f00d];
    for bits in [8, 16, 32, 64] {
        let top = 1u64 << (bits - 1);
        values.extend([top - 1, top, top + 1, low(u64::MAX, bits), low(u64::MAX, bits) - 1]);
        values.extend([top.wrapping_neg(), (top - 1).wrapping_neg()]);
    }
    values.extend([1u64, 2, 3].map(u64::wrapping_neg));
    values
}

/// A module with two kernels for each case: plain, and under a guard that half of the lanes fail.
fn module(cases: &[Case]) -> String {
    let mut text = format!(".version 8.6\n.target sm_90\n.address_size 64\n{}", memory::FUNCTIONS);
    for (number, case) in cases.iter().enumerate() {
        let store = match case.result {
            Result::Predicate => "selp.b64 %d0, 1, 0, %p0;".into(),
            Result::Bits(64) | Result::Float(64) | Result::Near(64) => String::new(),
            Result::Bits(bits) | Result::Float(bits) | Result::Near(bits) => {
                format!("cvt.u64.u{0} %d0, %{1}0;", bits.max(16), letter(bits))
            }
        };
        // Declarations cannot stand under a guard.
        let declares = case.text.starts_with('.');
        for (name, guard) in [("all", ""), ("some", "@%p7 ")].into_iter().take(2 - usize::from(declares)) {
            text += &format!(
                ".visible .entry {name}{number}(.param .u64 from, .param .u64 to, .param .u32 count)\n{{\n\
                 .reg .b16 %h<8>; .reg .b32 %r<8>, %i; .reg .b64 %d<8>, %x; .reg .pred %p<8>;\n\
                 mad.lo.s32 %i, %ctaid.x, %ntid.x, %tid.x; ld.param.u32 %r0, [count];\n\
                 setp.ge.u32 %p0, %i, %r0; @%p0 ret;\n\
                 ld.param.u64 %x, [from]; mad.wide.u32 %x, %i, 24, %x;\n\
                 ld.global.b64 %d1, [%x]; ld.global.b64 %d2, [%x+8]; ld.global.b64 %d3, [%x+16];\n\
                 cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;\n\
                 cvt.u16.u64 %h1, %d1; cvt.u16.u64 %h2, %d2; cvt.u16.u64 %h3, %d3;\n\
                 and.b32 %r0, %r1, 1; setp.ne.u32 %p1, %r0, 0; and.b32 %r0, %r2, 1; setp.ne.u32 %p2, %r0, 0;\n\
                 mul.lo.u32 %r0, %i, 0x9e3779b9; setp.lt.s32 %p7, %r0, 0;\n\
                 mov.b64 %d0, 0; mov.b32 %r0, 0; mov.b16 %h0, 0; mov.pred %p0, 0;\n\
                 {guard}{}\n{store}\n\
                 ld.param.u64 %x, [to]; mad.wide.u32 %x, %i, 8, %x; st.global.b64 [%x], %d0; ret;\n}}\n",
                case.text
            );
        }
    }
    text
}

/// Runs all cases on all inputs, without a guard and with one.
fn check(cases: &[Case], inputs: &[Input]) {
    run(cases, inputs, &[("all", false), ("some", true)]);
}

/// Runs all cases without a guard: those that declare something.
fn check_unguarded(cases: &[Case], inputs: &[Input]) {
    run(cases, inputs, &[("all", false)]);
}

/// Runs all cases under the guard `%p7`, which those of several instructions name themselves from the second one on.
fn check_guarded(cases: &[Case], inputs: &[Input]) {
    run(cases, inputs, &[("some", true)]);
}

fn run(cases: &[Case], inputs: &[Input], kernels: &[(&str, bool)]) {
    each_result(cases, inputs, kernels, |case, (thread, guarded), found| {
        let runs = !guarded || (thread as u32).wrapping_mul(0x9e37_79b9) >> 31 != 0;
        let input = inputs[thread];
        let expected = if runs { (case.expect)(input) } else { 0 };
        let what =
            || format!("{} of {input:x?}, guarded {guarded}: {found:#x} instead of {expected:#x}", case.text);
        assert!(same(case.result, found, expected), "{}", what());
    });
}

/// Runs all cases and gives the case, the thread and whether it ran under a guard, and the result.
fn each_result(
    cases: &[Case],
    inputs: &[Input],
    kernels: &[(&str, bool)],
    mut visit: impl FnMut(&Case, (usize, bool), u64),
) {
    let config = DeviceConfig { memory_bytes: 64 << 20, ..DeviceConfig::default() };
    let device = Device::new(config).unwrap();
    let loaded = device.load(&module(cases)).unwrap_or_else(|report| panic!("{report}"));
    let from = device.alloc(24 * inputs.len() as u64).unwrap();
    let to = device.alloc(8 * inputs.len() as u64).unwrap();
    let bytes: Vec<u8> = inputs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    device.write(from, &bytes).unwrap();
    let mut block = [from.to_le_bytes(), to.to_le_bytes()].concat();
    block.extend((inputs.len() as u32).to_le_bytes());
    for (number, case) in cases.iter().enumerate() {
        for &(name, guarded) in kernels {
            let kernel = loaded.function(&format!("{name}{number}")).unwrap();
            let grid = inputs.len().div_ceil(128) as u32;
            let config = LaunchConfig { grid: [grid, 1, 1], block: [128, 1, 1], dynamic_shared: 0 };
            device.launch(&kernel, config, &block).unwrap_or_else(|report| panic!("{}: {report}", case.text));
            let mut results = vec![0; 8 * inputs.len()];
            device.read(to, &mut results).unwrap();
            for (thread, result) in results.chunks(8).enumerate() {
                visit(case, (thread, guarded), u64::from_le_bytes(result.try_into().unwrap()));
            }
        }
    }
}

/// What an instruction gives in each of the threads: the low 16 bits.
fn outputs(text: &str, inputs: Vec<Input>) -> Vec<u64> {
    let mut found = vec![];
    let case = case(text, Result::Bits(16), |_| 0);
    each_result(&[case], &inputs, &[("all", false)], |_, _, result| found.push(result));
    found
}

fn same(result: Result, found: u64, expected: u64) -> bool {
    match result {
        Result::Bits(bits) => found == low(expected, bits),
        Result::Predicate => found == expected,
        Result::Float(bits) | Result::Near(bits) => {
            let (x, y) = (half::value(found, bits), half::value(expected, bits));
            let near = (x - y).abs() <= (y.abs() * 2f64.powi(-20)).max(2f64.powi(-126));
            found == expected || x.is_nan() && y.is_nan() || matches!(result, Result::Near(_)) && near
        }
    }
}

#[test]
fn the_harness_sees_wrong_results() {
    let wrong = || {
        check(
            &[case("add.u32 %r0, %r1, %r2;", Result::Bits(32), |[a, b, _]| a.wrapping_sub(b))],
            &[[1, 2, 0]],
        )
    };
    assert!(std::panic::catch_unwind(wrong).is_err());
    assert!(!same(Result::Float(32), 1f32.to_bits().into(), (1f32 + f32::EPSILON).to_bits().into()));
    assert!(!same(Result::Float(32), 0, 0x8000_0000), "signs of zeros count");
    assert!(!same(Result::Near(32), 1f32.to_bits().into(), 1.0001f32.to_bits().into()));
}
