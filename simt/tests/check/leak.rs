//! Leaks of the device heap.

use crate::{Case, table};
use simt::check::Checks;
use simt::{Device, DeviceConfig, LaunchConfig};

const HEAP: &str = ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);
    .global .align 8 .u64 kept; .global .align 8 .b8 packed[40];";

/// `malloc` of 40 bytes to a register.
fn malloc(register: &str) -> String {
    format!(
        "{{ .param .b64 a; .param .b64 b; st.param.b64 [a], 40; call (b), malloc, (a); ld.param.b64 {register}, [b]; }}"
    )
}

const FREE: &str = "{ .param .b64 a; st.param.b64 [a], %rd5; call free, (a); }";
const LOST: &str =
    "check leak: 40 bytes that the kernel allocated are lost when it ends: no pointer to them is left";
const KEPT: &str = "check leak: 40 bytes that the kernel allocated are never freed";
const PLACE: &str = "malloc of 40 bytes by thread";

#[test]
fn memory_that_nobody_frees_is_told_with_the_place_of_its_malloc() {
    let (a, b) = (malloc("%rd5"), malloc("%rd6"));
    let lost: &[&str] = &[LOST, PLACE];
    let kept: &[&str] = &[KEPT, PLACE];
    let bytes: String = (0..8)
        .map(|k| format!("shr.u64 %rd7, %rd5, {}; st.global.u8 [packed+{}], %rd7;", 8 * k, k + 3))
        .collect();
    let bodies: [(&str, String, &[&str]); 13] = [
        ("only in a register", a.clone(), lost),
        ("a leak by overwriting", format!("{a} {a} {FREE}"), lost),
        ("only in shared memory", format!("{a} st.shared.u64 [%rd8], %rd5;"), lost),
        (
            "overwritten in a variable",
            format!("{a} st.global.u64 [kept], %rd5; st.global.u64 [kept], 0;"),
            lost,
        ),
        ("two that point at each other", format!("{a} {b} st.u64 [%rd5], %rd6; st.u64 [%rd6], %rd5;"), lost),
        ("in a block that is freed", format!("{a} {b} st.u64 [%rd5], %rd6; {FREE}"), lost),
        ("in a variable", format!("{a} st.global.u64 [kept], %rd5;"), kept),
        ("in an array of the host", format!("{a} st.global.u64 [%rd1+8], %rd5;"), kept),
        ("into the middle", format!("{a} add.s64 %rd5, %rd5, 39; st.global.u64 [kept], %rd5;"), kept),
        ("byte by byte", format!("{a} {bytes}"), kept),
        (
            "in a block that is kept",
            format!("{a} {b} st.u64 [%rd5+32], %rd6; st.global.u64 [kept], %rd5;"),
            kept,
        ),
        ("freed", format!("{a} {FREE}"), &[]),
        ("freed, with an old pointer left", format!("{a} st.global.u64 [kept], %rd5; {FREE}"), &[]),
    ];
    for (name, body, found) in bodies {
        let found: &'static [&'static str] = found.to_vec().leak();
        table("leak", &[Case { name, shape: (1, 1), declarations: HEAP, body: body.leak(), found }]);
    }
    // All lanes but one of a warp.
    let body = format!("{a} setp.eq.u32 %p1, %r2, 5; @%p1 ret; {FREE}").leak();
    table(
        "leak",
        &[Case {
            name: "one of 32",
            shape: (1, 32),
            declarations: HEAP,
            body,
            found: &[LOST, "thread (5,0,0)"],
        }],
    );
}

/// A kernel that keeps a block for a later one, which frees it or not; and a heap that leaks fill.
#[test]
fn blocks_that_live_on_are_told_at_the_end_of_the_program() {
    let ptx = |body: &str| {
        format!(
            ".version 7.8\n.target sm_90\n.address_size 64\n{HEAP}\n.visible .entry k(.param .u32 what) {{\n\
             .reg .b64 %rd<16>; .reg .b32 %r<4>; .reg .pred %p<2>; ld.param.u32 %r1, [what];\n{body}\nret;\n}}"
        )
    };
    let run = |body: &str, launches: &[u32]| {
        let device = Device::new(DeviceConfig { memory_bytes: 1 << 20, ..DeviceConfig::default() }).unwrap();
        device.set_heap_limit(4000).unwrap();
        device.check(Checks::parse("leak").unwrap()).unwrap();
        let module = device.load(&ptx(body)).unwrap_or_else(|report| panic!("{report}"));
        let shape = LaunchConfig { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
        for what in launches {
            device.launch(&module.function("k").unwrap(), shape, &what.to_le_bytes()).unwrap();
        }
        let before = device.findings().list().len();
        device.finish();
        (before, device.findings().list().iter().map(|found| found.text() + "\n").collect::<String>())
    };
    let handed_on = format!(
        "setp.eq.u32 %p1, %r1, 0; @%p1 bra FIRST; ld.global.u64 %rd5, [kept]; {FREE} ret; FIRST: {} st.global.u64 [kept], %rd5;",
        malloc("%rd5")
    );
    assert_eq!(run(&handed_on, &[0, 1]), (0, String::new()));
    let (before, text) = run(&handed_on, &[0]);
    assert!(before == 0 && text.contains(KEPT), "{text}");
    let (before, text) = run(&malloc("%rd5"), &[0; 90]);
    assert!(before == 2 && text.contains(LOST), "{text}");
    let full = "malloc gave null, with leaks: 3984 of the 4000 bytes of the heap (CU_LIMIT_MALLOC_HEAP_SIZE) were in use";
    assert!(text.contains(full), "{text}");
}
