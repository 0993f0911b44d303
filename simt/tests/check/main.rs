//! The checkers: each finds the bugs that are planted for it, and says nothing about what is right.

mod leak;
#[path = "../common/prologue.rs"]
mod prologue;
mod race;
mod undefined;
mod warps;

use prologue::PROLOGUE;
use simt::check::{Checks, Finding};
use simt::{Device, DeviceConfig, LaunchConfig, Schedule};

/// What the table says about a kernel.
pub struct Case {
    /// Name.
    pub name: &'static str,
    /// CTAs and threads of each.
    pub shape: (u32, u32),
    /// Declarations in front of the kernel.
    pub declarations: &'static str,
    /// Its body: `%rd1` is an array of 4,096 zeros of 32 bits, `%r1` the thread's number in the grid, `%rd2` the
    /// address of its element, `%r2` `%tid.x`, `%r3` `%ctaid.x`, `%rd8` the address of the shared array `s`, `%rd9` of
    /// the thread's element in it.
    pub body: &'static str,
    /// Parts of the text of the findings; none: there must be no finding.
    pub found: &'static [&'static str],
}

/// The findings of a kernel under a seed.
pub fn findings(case: &Case, checks: &str, seed: Option<u64>) -> Vec<Finding> {
    let schedule = if seed.is_some() { Schedule::Random } else { Schedule::Fair };
    let config =
        DeviceConfig { memory_bytes: 1 << 20, seed, schedule, threads: 1, ..DeviceConfig::default() };
    let device = Device::new(config).unwrap();
    device.check(Checks::parse(checks).unwrap()).unwrap();
    let (declarations, body) = (case.declarations, case.body);
    let ptx = format!(
        ".version 7.8\n.target sm_90\n.address_size 64\n.file 1 \"k.c\"\n.shared .align 8 .b8 s[1024];\n{declarations}
         .visible .entry k(.param .u64 p) {{
         .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<32>; .reg .b64 %rd<16>;
         {PROLOGUE}
         mov.u64 %rd8, s;
         mul.wide.u32 %rd9, %r2, 4;
         add.s64 %rd9, %rd8, %rd9;
         {body}
         ret;
         }}"
    );
    let module = device.load(&ptx).unwrap_or_else(|report| panic!("{}: {report}", case.name));
    let out = device.alloc(4 << 12).unwrap();
    device.write(out, &[0; 4 << 12]).unwrap();
    let shape = LaunchConfig { grid: [case.shape.0, 1, 1], block: [case.shape.1, 1, 1], dynamic_shared: 0 };
    let done = device.launch(&module.function("k").unwrap(), shape, &out.to_le_bytes());
    done.unwrap_or_else(|report| panic!("{}: {report}", case.name));
    device.finish();
    device.findings().list()
}

/// Runs a table, each case without a seed and with two.
pub fn table(checks: &str, cases: &[Case]) {
    for case in cases {
        for seed in [None, Some(1), Some(2)] {
            let found = findings(case, checks, seed);
            let text: String = found.iter().map(|finding| finding.text() + "\n").collect();
            assert_eq!(found.is_empty(), case.found.is_empty(), "{} with seed {seed:?}:\n{text}", case.name);
            for part in case.found {
                assert!(text.contains(part), "{} with seed {seed:?}: no {part:?} in\n{text}", case.name);
            }
        }
    }
}
