//! A short run of the fuzz targets on inputs made from our own PTX by a fixed generator: no panic, no hang, little memory.
//! `cargo fuzz run ptx` in `fuzz/` goes on where this ends.

#[path = "../../fuzz/inputs.rs"]
mod inputs;

use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Inputs for each target. `SIMT_FUZZ_INPUTS` gives another number, `SIMT_FUZZ_SEED` other inputs.
const INPUTS: u64 = 40_000;

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// What one of them may allocate at a time, and how long it may take (debug builds of a busy machine; it takes milliseconds).
const MOST_BYTES: usize = 512 << 20;
const MOST_TIME: Duration = Duration::from_secs(10);

/// The system's allocator with a look at how much is in use.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(USED.fetch_add(layout.size(), Relaxed) + layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs one input. What is wrong with it, in words.
fn verdict(target: fn(&[u8]), data: &[u8]) -> Result<(), String> {
    let before = USED.load(Relaxed);
    PEAK.store(before, Relaxed);
    let started = Instant::now();
    if catch_unwind(AssertUnwindSafe(|| target(data))).is_err() {
        return Err("a panic".to_owned());
    }
    let used = PEAK.load(Relaxed).saturating_sub(before);
    if used > MOST_BYTES {
        return Err(format!("{} MiB", used >> 20));
    }
    match started.elapsed() {
        long if long > MOST_TIME => Err(format!("{long:?}")),
        _ => Ok(()),
    }
}

/// Fails with the input, and leaves it in a file.
fn check(target: fn(&[u8]), data: &[u8], what: &str) {
    if let Err(why) = verdict(target, data) {
        let path = std::env::temp_dir().join(format!("simt-fuzz-{}", std::process::id()));
        std::fs::write(&path, data).unwrap();
        let text = String::from_utf8_lossy(&data[..data.len().min(600)]).into_owned();
        panic!("{what}: {why}; the input is in {}\n{text}", path.display());
    }
}

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }
}

/// Modules without what surrounds them, each rich in one thing.
const SEEDS: &[&str] = &[
    ".file 1 \"a.c\"\n.visible .entry k(.param .u64 p, .param .align 16 .b8 q[48]) .maxntid 128, 2, 1 {\n.reg .b64 %rd<4>;\n.reg .pred %p<2>;\n.loc 1 3 1\nld.param.u64 %rd1, [p];\nld.param.u32 %rd2, [q+44];\n@%p1 bra end;\nst.global.u64 [%rd1], %rd2;\nend: ret;\n}",
    ".global .align 8 .u64 a[3] = {generic(b)+4, k, 7};\n.global .align 4 .b8 b[16] = {1, 0xFF00(a), 3};\n.const .f32 c[2] = {0f3F800000, -1.5};\n.shared .align 16 .b8 s[1024];\n.extern .shared .align 8 .b8 d[];\n.visible .entry k() {\n.reg .b64 %r<9>;\nmov.u64 %r1, a;\nmov.u64 %r2, s;\nld.shared.u32 %r3, [%r2+4];\nret;\n}",
    ".func (.param .b32 r) f(.param .b32 x, .param .b32 y) {\n.reg .b32 %r<4>;\nld.param.b32 %r1, [x];\nadd.s32 %r2, %r1, 1;\nst.param.b32 [r], %r2;\nret;\n}\n.visible .entry k() {\n.reg .b32 %r<4>;\n.reg .b64 %d<2>;\n.local .align 8 .b8 stack[64];\n{\n.param .b32 p0;\n.param .b32 p1;\n.param .b32 q;\nst.param.b32 [p0], 5;\nst.param.b32 [p1], %r1;\ncall.uni (q), f, (p0, p1);\nld.param.b32 %r2, [q];\n}\nmov.u64 %d1, stack;\nst.local.u32 [%d1], %r2;\nt: .branchtargets u, v;\nbrx.idx %r1, t;\nu: v: ret;\n}",
    ".visible .entry k() .reqntid 32 {\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\nsetp.lt.s32 %p1, %r1, 5;\nselp.b32 %r2, 1, 2, %p1;\nshfl.sync.down.b32 %r3|%p2, %r2, 1, 31, -1;\nvote.sync.ballot.b32 %r4, %p1, 0xffffffff;\natom.shared.cas.b32 %r5, [s], 0, 1;\nbar.sync 0;\nbarrier.sync 1, 64;\nmul.wide.u32 %rd1, %r1, 4;\nx: @!%p1 bra.uni x;\ntrap;\n}\n.shared .u32 s;",
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.visible .func g();\n.alias g, h;\n.weak .func h() { ret; }\n.section .debug_info { .b8 1, 2, 3; .b32 .debug_abbrev; }\n.visible .entry k() { .pragma \"nounroll\"; exit; }",
    include_str!("../benches/interpret.ptx"),
];

const HEAD: &str = ".version 7.8\n.target sm_90\n.address_size 64\n";

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "31",
    "32",
    "33",
    "63",
    "64",
    "255",
    "65535",
    "65536",
    "0x7fffffff",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x7fffffffffffffff",
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "0f7F800000",
    "0d7FF8000000000000",
    "1e999",
    "0x",
    "0b2",
    "08",
];

/// The text cut into words, numbers and single characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || "._%$".contains(c);
        let end = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        all.push(&rest[..end]);
        rest = &rest[end..];
    }
    all
}

/// A text with a few changes.
fn changed(random: &mut Random, all: &[String], dictionary: &[&str]) -> String {
    let text = &all[random.below(all.len())];
    let mut tokens: Vec<&str> = tokens(text);
    for _ in 0..1 + random.below(4) {
        let at = random.below(tokens.len());
        match random.below(9) {
            0 => tokens[at] = random.pick(dictionary),
            1 => tokens.insert(at, random.pick(dictionary)),
            2 if tokens.len() > 1 => _ = tokens.remove(at),
            3 => {
                let end = (at + 1 + random.below(40)).min(tokens.len());
                let copy = tokens[at..end].to_vec();
                let to = random.below(tokens.len());
                tokens.splice(to..to, copy);
            }
            4 => tokens.truncate(at.max(1)),
            5 => {
                let other = random.below(tokens.len());
                tokens.swap(at, other);
            }
            _ => {
                // Numbers are where sizes, counts and offsets come from.
                let start = |t: &str| t.starts_with(|c: char| c.is_ascii_digit());
                let places: Vec<usize> = (0..tokens.len()).filter(|&k| start(tokens[k])).collect();
                if !places.is_empty() {
                    tokens[places[random.below(places.len())]] = random.pick(NUMBERS);
                }
            }
        }
    }
    tokens.concat()
}

fn corpus() -> Vec<String> {
    let mut all: Vec<String> = SEEDS
        .iter()
        .map(|seed| if seed.contains(".version") { (*seed).to_owned() } else { format!("{HEAD}{seed}") })
        .collect();
    // Many forms, a few at a time: the whole file would make each input slow.
    let forms = include_str!("parse_forms.ptx");
    let body: Vec<&str> = forms.lines().filter(|line| line.ends_with(';') && line.contains(' ')).collect();
    let declared: Vec<&str> = forms.lines().filter(|line| line.trim_start().starts_with(".reg")).collect();
    for some in body.chunks(40) {
        let some: Vec<&str> =
            some.iter().copied().filter(|line| !line.trim_start().starts_with('.')).collect();
        all.push(format!(
            "{HEAD}.visible .entry k(.param .u64 p) {{\n{}\n{}\nret;\n}}",
            declared.join("\n"),
            some.join("\n")
        ));
    }
    all
}

#[test]
fn changed_ptx_is_read_or_refused() {
    let all = corpus();
    let dictionary: Vec<&str> =
        all.iter().flat_map(|text| tokens(text)).chain(NUMBERS.iter().copied()).collect();
    let mut random = Random(number("SIMT_FUZZ_SEED", 0x5eed));
    for number in 0..number("SIMT_FUZZ_INPUTS", INPUTS) {
        let text = changed(&mut random, &all, &dictionary);
        check(inputs::ptx, text.as_bytes(), &format!("input {number}"));
    }
}

#[test]
fn changed_images_are_read_or_refused() {
    let text = format!("{HEAD}{}", SEEDS[0]);
    let object = {
        let module = ptx_link::Module::parse("a", text.clone()).unwrap();
        ptx_link::carrier::write(&module, ptx_link::carrier::Use::Load).unwrap()
    };
    let all = [object, text.into_bytes(), b"\x50\xed\x55\xba\x01\0\x10\0".to_vec()];
    let mut random = Random(number("SIMT_FUZZ_SEED", 0xe1f));
    for number in 0..number("SIMT_FUZZ_INPUTS", INPUTS) {
        let mut data = all[random.below(all.len())].clone();
        for _ in 0..1 + random.below(8) {
            let at = random.below(data.len());
            match random.below(5) {
                0 => data[at] ^= 1 << random.below(8),
                1 => data[at] = [0, 1, 0x7f, 0x80, 0xff][random.below(5)],
                2 => data.truncate(at.max(1)),
                3 => {
                    let end = (at + 8).min(data.len());
                    data[at..end].fill([0, 0xff][random.below(2)]);
                }
                _ => data.extend_from_within(at..(at + 16).min(data.len())),
            }
        }
        check(inputs::image, &data, &format!("input {number}"));
    }
}

#[test]
fn what_is_deep_long_or_huge_ends() {
    let many = |text: &str, n: usize| text.repeat(n);
    let kernel = |body: &str| format!("{HEAD}.visible .entry k() {{ {body} ret; }}");
    let cases = [
        ("braces in an initialiser", format!("{HEAD}.global .u32 a[] = {}", many("{", 200_000))),
        ("scopes", kernel(&many("{", 200_000))),
        ("brackets", format!("{HEAD}.global .u32 {}", many("a[", 100_000))),
        ("dimensions", format!("{HEAD}.global .u32 a{};", many("[1]", 100_000))),
        ("a comment without end", format!("{HEAD}/*{}", many("*", 1 << 20))),
        ("a long word", format!("{HEAD}{}", many("a", 1 << 22))),
        ("a long number", format!("{HEAD}.global .u32 a = {};", many("9", 1 << 20))),
        ("a huge array", format!("{HEAD}.global .align 8 .b8 a[0x7fffffffffff];")),
        ("several huge arrays", format!("{HEAD}{}", many(".global .b8 a[0x4000000000000000];", 3))),
        ("an initialised huge array", format!("{HEAD}.global .b8 a[0x7fffffffff] = {{1}};")),
        (
            "arrays that add up",
            format!("{HEAD}.global .b8 a[0x8000000000000000];.global .b8 b[0x8000000000000000] = {{1}};"),
        ),
        (
            "huge shared memory",
            format!(
                "{HEAD}.shared .b8 a[4294967295];.shared .b8 b[4294967295];.visible .entry k() {{ ret; }}"
            ),
        ),
        ("huge local memory", kernel(".local .b8 a[0xffffffffff];")),
        (
            "huge alignment",
            format!(
                "{HEAD}.global .align 2147483648 .u32 a;.shared .align 1073741824 .u32 b;.visible .entry k() {{ .local .align 1073741824 .u32 c; ret; }}"
            ),
        ),
        ("no alignment", format!("{HEAD}.global .align 0 .u32 a;.global .align 3 .u32 b;")),
        ("registers", kernel(".reg .b64 %r<4294967295>;")),
        ("more registers", kernel(&many(".reg .b64 %r<1000000>;", 8))),
        ("some registers", kernel(".reg .b64 %r<4000000>; mov.b64 %r3999999, 1;")),
        ("predicates", kernel(".reg .pred %p<2000000000>;")),
        ("parameters", format!("{HEAD}.visible .entry k(.param .align 8 .b8 p[4294967295]) {{ ret; }}")),
        ("a slot", kernel("{ .param .b8 p[0xffffffff]; }")),
        ("thread limits", format!("{HEAD}.visible .entry k() .maxntid 65536, 65536, 65536 {{ ret; }}")),
        ("offsets", format!("{HEAD}.global .u64 a = generic(a+0x7fffffffffffffff)+0x7fffffffffffffff;")),
        (
            "a label for each statement",
            kernel(&(0..50_000).map(|n| format!("l{n}: bra l{n};")).collect::<String>()),
        ),
        (
            "calls in a ring",
            HEAD.to_owned()
                + &(0..3_000).map(|n| format!(".func f{n}();")).collect::<String>()
                + &(0..3_000)
                    .map(|n| format!(".func f{n}() {{ call.uni f{}; ret; }}", (n + 1) % 3_000))
                    .collect::<String>()
                + &(0..300).map(|n| format!(".entry k{n}() {{ call.uni f{n}; ret; }}")).collect::<String>(),
        ),
    ];
    for (what, text) in cases {
        check(inputs::ptx, text.as_bytes(), what);
    }
}
