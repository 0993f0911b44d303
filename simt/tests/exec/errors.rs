//! What kernels must not do, and what the report says.

use crate::{Bench, kernel, shape};
use simt::{LaunchConfig, ReportKind};

/// The report of a kernel whose array has 1,000 elements.
fn fail(body: &str, kind: ReportKind, texts: &[&str]) -> u64 {
    let b = Bench::new(&kernel(
        ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);",
        body,
    ));
    let out = b.u32s(&[0; 1000]);
    let report = b.fail(shape(2, 64), &[out]);
    let text = report.to_string();
    assert_eq!(report.kind, kind, "{text}");
    for part in texts {
        let part = part.replace("{out}", &format!("{out:#x}"));
        assert!(text.contains(&part), "no {part:?} in:\n{text}");
    }
    out
}

#[test]
fn an_access_past_the_end_says_how_far_past_which_allocation() {
    fail(
        "mad.lo.u32 %r5, %r2, 4, 3880; cvt.u64.u32 %rd4, %r5; add.s64 %rd4, %rd1, %rd4;
         setp.lt.u32 %p1, %r2, 32; @%p1 exit;
         st.global.u32 [%rd4], %r2;",
        ReportKind::OutOfBounds,
        &[
            "store of 4 bytes at ",
            "8 bytes past the end of the 4000-byte allocation at {out}",
            "in kernel k, grid (2,1,1), block (64,1,1)",
            "CTA (0,0,0), warp 1, lane 0, thread (32,0,0); active: all lanes",
            "in function k, PTX line ",
        ],
    );
}

#[test]
fn the_first_byte_past_the_end_is_seen_by_all_access_shapes() {
    let past = "just past the end of the 4000-byte allocation at {out}";
    // The same address for all lanes, consecutive ones, one lane alone, an atomic, a vector, a byte.
    for access in [
        "ld.global.u32 %r5, [%rd1+4000];",
        "st.u8 [%rd1+4000], %r2;",
        "setp.eq.u32 %p1, %r2, 9; @%p1 ld.global.u32 %r5, [%rd1+4000];",
        "atom.global.add.u32 %r5, [%rd1+4000], 1;",
        "ld.global.v2.u32 {%r5, %r6}, [%rd1+4000];",
        "sub.s64 %rd4, %rd2, 60; st.global.u32 [%rd4+3936], %r2;",
    ] {
        let texts: &[&str] = if access.contains("3936") { &["4000-byte allocation"] } else { &[past] };
        fail(access, ReportKind::OutOfBounds, texts);
    }
}

#[test]
fn null_and_wild_pointers() {
    fail(
        "mov.u64 %rd4, 0; ld.u32 %r5, [%rd4];",
        ReportKind::OutOfBounds,
        &["load of 4 bytes at 0x0: a null pointer"],
    );
    fail("mov.u64 %rd4, 16; ld.u32 %r5, [%rd4];", ReportKind::OutOfBounds, &["16 bytes from a null pointer"]);
    fail(
        "mov.u64 %rd4, 0x123456789abc0; ld.u32 %r5, [%rd4];",
        ReportKind::OutOfBounds,
        &[
            "load of 4 bytes at 0x123456789abc0: not near any allocation: ",
            "-byte allocation at {out}, the nearest",
        ],
    );
    fail(
        "mov.u64 %rd4, free; ld.u32 %r5, [%rd4];",
        ReportKind::OutOfBounds,
        &[": the address of a function"],
    );
}

#[test]
fn atomic_operations_on_the_memory_of_one_thread() {
    let variable = ".local .align 16 .b8 v[16]; cvta.local.u64 %rd4, v;";
    let text = "on the thread's stack: GPUs have them for global and shared memory alone";
    for operation in [
        "atom.add.u32 %r5, [%rd4], 1;",
        "red.add.u32 [%rd4+4], 1;",
        "atom.cas.b64 %rd5, [%rd4], 0, 1;",
        "mov.u64 %rd5, v; cvta.local.u64 %rd5, %rd5; atom.exch.b32 %r5, [%rd5], 1;",
    ] {
        let texts = &["atomic operation at 0x", text];
        fail(&format!("{variable} {operation}"), ReportKind::AddressSpace, texts);
    }
}

#[test]
fn misaligned_accesses() {
    for access in
        ["ld.global.u32 %r5, [%rd1+2];", "st.shared.u64 [4], %rd1;", "atom.global.add.u32 %r5, [%rd1+1], 1;"]
    {
        let declared = access.contains("shared");
        fail(
            access,
            ReportKind::Misaligned,
            &[if declared { "which is not a multiple of 8" } else { "which is not a multiple of 4" }],
        );
    }
    fail("ld.global.v2.u32 {%r5, %r6}, [%rd1+4];", ReportKind::Misaligned, &["load of 8 bytes at"]);
}

#[test]
fn shared_and_local_bounds() {
    fail("st.shared.u32 [1040], %r2;", ReportKind::OutOfBounds, &["byte 16 of 0 bytes of shared memory"]);
    fail("st.shared.u32 [16], %r2;", ReportKind::OutOfBounds, &["byte -1008 of 0 bytes of shared memory"]);
    // LLVM writes an atomic operation on one byte as one on the word that it stands in.
    fail(
        ".shared .align 4 .b8 a[5]; atom.shared.add.u32 %r5, [a+4], 1; st.shared.u8 [a+8], %r5;",
        ReportKind::OutOfBounds,
        &["store of 1 byte", "byte 8 of 8 bytes of shared memory"],
    );
    fail(
        ".local .align 4 .b8 a[12]; mov.u64 %rd4, a; st.local.u32 [%rd4+16], %r2;",
        ReportKind::OutOfBounds,
        &["byte 32 of the thread's stack, of which the function and its callers use 32"],
    );
}

#[test]
fn the_end_of_a_block_in_a_word() {
    let malloc = "{ .param .b64 n; st.param.b64 [n], 6; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }";
    for access in [
        "ld.u32 %r5, [%rd4+4];",
        "st.u32 [%rd4+4], 1;",
        "atom.add.u32 %r5, [%rd4+4], 1;",
        "ld.u32 %r5, [%rd4+4]; atom.cas.b32 %r6, [%rd4], %r5, 1;",
    ] {
        fail(&format!("{malloc} {access}"), ReportKind::OutOfBounds, &["2 bytes past its end"]);
    }
    // Eight bytes are more than the word.
    for access in
        ["ld.u64 %rd5, [%rd4]; atom.cas.b64 %rd6, [%rd4], %rd5, 1;", "atom.cas.b32 %r5, [%rd4+8], 0, 1;"]
    {
        fail(&format!("{malloc} {access}"), ReportKind::OutOfBounds, &["2 bytes past"]);
    }
}

#[test]
fn freed_memory_and_bad_frees() {
    let malloc = "{ .param .b64 n; st.param.b64 [n], 24; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }";
    let free = "{ .param .b64 p; st.param.b64 [p], %rd4; call.uni free, (p); }";
    let one = "setp.ne.u32 %p1, %r1, 5; @%p1 exit;";
    fail(
        &format!("{one} {malloc} {free} ld.u32 %r5, [%rd4+4];"),
        ReportKind::OutOfBounds,
        &[
            "4 bytes into the 24-byte allocation of the kernel's malloc at",
            "which has been freed; allocated by thread (5,0,0) of CTA (0,0,0) in kernel k, function k, PTX line ",
            "; freed by thread (5,0,0) of CTA (0,0,0) in kernel k, function k, PTX line ",
            "lane 5, thread (5,0,0)",
        ],
    );
    fail(
        &format!("{one} {malloc} {free} {free}"),
        ReportKind::Execution,
        &["double free of 0x", "; allocated by thread (5,0,0)", "; freed by thread (5,0,0)"],
    );
    fail(
        &format!("{one} {malloc} add.s64 %rd4, %rd4, 8; {free}"),
        ReportKind::Execution,
        &["which was not allocated: 8 bytes into the 24-byte allocation of the kernel's malloc"],
    );
}

#[test]
fn bad_calls() {
    let call = "{ proto: .callprototype () _ (); call %rd4, (), proto; }";
    fail(
        &format!("mov.u64 %rd4, 0; {call}"),
        ReportKind::Execution,
        &["call through the pointer 0x0, a null pointer"],
    );
    fail(
        &format!("mov.u64 %rd4, %rd1; {call}"),
        ReportKind::Execution,
        &["which is not the address of a function"],
    );
    fail(
        &format!("mov.u64 %rd4, free; {call}"),
        ReportKind::Execution,
        &["with 0 bytes of arguments and 0 of return value: free takes 8 and returns 0"],
    );
    let for_a_value = "{ .param .b64 p; st.param.b64 [p], 0; .param .b64 v;
        proto: .callprototype (.param .b64 _) _ (.param .b64 _); call (v), %rd4, (p), proto; }";
    fail(
        &format!("mov.u64 %rd4, free; {for_a_value}"),
        ReportKind::Execution,
        &["with 8 bytes of arguments and 8 of return value: free takes 8 and returns 0"],
    );
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let b = Bench::new(&kernel(".func deep() { call.uni deep, (); ret; }", "call.uni deep, ();"));
    let report = b.fail(shape(1, 32), &[0]);
    let text = report.to_string();
    assert_eq!(report.kind, ReportKind::Execution);
    assert!(text.contains("stack overflow: the call of deep would need"), "{text}");
    assert!(text.contains("called by deep, PTX line 4") && text.contains("and so on, "), "{text}");
}

#[test]
fn traps_and_assertions() {
    let trap = fail(
        "setp.eq.u32 %p1, %r1, 70; @%p1 trap;",
        ReportKind::Trap,
        &["trap", "CTA (1,0,0), warp 0, lane 6"],
    );
    assert_ne!(trap, 0);
    let b = Bench::new(&kernel(
        ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
         .global .align 1 .b8 msg[6] = {120, 32, 62, 32, 48, 0};
         .global .align 1 .b8 file[4] = {97, 46, 99, 0};
         .global .align 1 .b8 func[2] = {102, 0};",
        "setp.ne.u32 %p1, %r2, 33; @%p1 exit;
         mov.u64 %rd4, msg; mov.u64 %rd5, file; mov.u64 %rd6, func; mov.u32 %r5, 17; mov.u64 %rd7, 1;
         { .param .b64 a; st.param.b64 [a], %rd4; .param .b64 b; st.param.b64 [b], %rd5;
           .param .b32 c; st.param.b32 [c], %r5; .param .b64 d; st.param.b64 [d], %rd6;
           .param .b64 e; st.param.b64 [e], %rd7; call.uni __assertfail, (a, b, c, d, e); }",
    ));
    let report = b.fail(shape(1, 64), &[0]);
    assert_eq!(report.kind, ReportKind::Assert);
    assert_eq!(report.message, "a.c:17: f: block: [0,0,0], thread: [33,0,0] Assertion `x > 0` failed.");
    assert!(report.to_string().contains("warp 1, lane 1, thread (33,0,0); active: lane 1"), "{report}");
}

#[test]
fn source_lines_are_named() {
    let b = Bench::new(&format!(
        "{} .file 1 \"dir/prog.c\"",
        kernel("", ".loc 1 12 7\n ld.global.u32 %r5, [%rd1+4];\n .loc 1 13 1\n")
    ));
    let out = b.u32s(&[0]);
    let report = b.fail(shape(1, 1), &[out]);
    assert!(report.to_string().contains("prog.c:12:7)"), "{report}");
}

#[test]
fn the_first_error_stops_all_ctas() {
    let b = Bench::with(
        &kernel("", "atom.global.add.u32 %r5, [%rd1], 1; setp.eq.u32 %p1, %r3, 3; @%p1 trap;"),
        None,
        1,
    );
    let out = b.u32s(&[0]);
    b.fail(shape(100_000, 32), &[out]);
    assert_eq!(b.read(out, 1), [4 * 32]);
}

#[test]
fn launches_that_do_not_fit_are_refused() {
    let b = Bench::new(
        ".visible .entry k(.param .u64 a) .maxntid 64, 2, 1 { ret; }
         .visible .entry exact() .reqntid 32, 2, 1 { ret; }",
    );
    let refuse = |shape: LaunchConfig, args: &[u64], text: &str| {
        let report = b.fail(shape, args);
        assert_eq!(report.kind, ReportKind::InvalidArgument);
        assert!(report.message.contains(text), "{report}");
    };
    let config = |grid, block, dynamic_shared| LaunchConfig { grid, block, dynamic_shared };
    refuse(config([0, 1, 1], [32, 1, 1], 0), &[0], "grid of [0, 1, 1]");
    refuse(config([1, 70_000, 1], [32, 1, 1], 0), &[0], "at most [2147483647, 65535, 65535]");
    refuse(config([1; 3], [1, 1, 65], 0), &[0], "block of [1, 1, 65]");
    refuse(config([1; 3], [1024, 2, 1], 0), &[0], "2048 threads in a block: 1024 are possible");
    refuse(config([1; 3], [129, 1, 1], 0), &[0], "the kernel allows 128 (.maxntid)");
    refuse(config([1; 3], [32, 1, 1], 300_000), &[0], "300000 of dynamic shared memory");
    refuse(config([1; 3], [32, 1, 1], 0), &[], "takes 8 bytes of parameters, the launch gives 0");
    b.run(config([1; 3], [128, 1, 1], 227 << 10), &[0]);
    let exact = b.module.function("exact").unwrap();
    assert!(b.device.launch(&exact, shape(1, 64), &[]).unwrap_err().message.contains("(.reqntid)"));
    b.device.launch(&exact, config([1; 3], [32, 2, 1], 0), &[]).unwrap();
    assert_eq!(exact.attributes().max_threads_per_block, 64);
}

#[test]
fn a_kernel_that_needs_what_is_undefined_is_refused_and_others_run() {
    let b = Bench::new(
        ".extern .func missing();
         .visible .entry k() { ret; }
         .visible .entry bad() { call.uni missing, (); ret; }",
    );
    b.run(shape(1, 1), &[]);
    let bad = b.module.function("bad").unwrap();
    let report = b.device.launch(&bad, shape(1, 1), &[]).unwrap_err();
    assert_eq!(report.kind, ReportKind::UndefinedSymbol);
    assert!(report.message.contains("missing"), "{report}");
}

#[test]
fn modules_for_newer_devices_are_refused() {
    let device = simt::Device::new(simt::DeviceConfig {
        memory_bytes: 1 << 20,
        compute_capability: (8, 6),
        ..simt::DeviceConfig::default()
    })
    .unwrap();
    let load = |target: &str| {
        device.load(&format!(
            ".version 7.8\n.target {target}\n.address_size 64\n.visible .entry k() {{ ret; }}"
        ))
    };
    assert!(load("sm_80").is_ok());
    let report = load("sm_90").err().unwrap();
    assert_eq!(report.message, "the module is for sm_90, and the device is an sm_86");
}
