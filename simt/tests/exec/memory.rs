//! Loads, stores and atomics in all spaces.

use crate::{Bench, kernel, shape};
use simt::ReportKind;

#[test]
fn elements_of_every_width_are_extended_and_cut() {
    let b = Bench::new(&kernel(
        ".global .align 16 .b8 data[16] = {0x80, 0xff, 0x34, 0x12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};",
        "mov.u64 %rd4, data;
         ld.global.s8 %r5, [%rd4];
         ld.global.u8 %r6, [%rd4];
         ld.global.s16 %r7, [%rd4];
         ld.global.u16 %r8, [%rd4+2];
         ld.global.v2.u32 {%r9, %r10}, [%rd4+8];
         ld.global.v4.u8 {%h1, %h2, %h3, %h4}, [%rd4+4];
         cvt.u32.u16 %r11, %h4;
         st.global.u32 [%rd1], %r5; st.global.u32 [%rd1+4], %r6; st.global.u32 [%rd1+8], %r7;
         st.global.u32 [%rd1+12], %r8; st.global.v2.u32 [%rd1+16], {%r9, %r10}; st.global.u32 [%rd1+24], %r11;
         st.global.u8 [%rd1+28], %r7;
         ld.global.u64 %rd5, [%rd4];
         st.global.u64 [%rd1+32], %rd5;",
    ));
    let out = b.u32s(&[0; 10]);
    b.run(shape(1, 1), &[out]);
    let want =
        [0xffff_ff80, 0x80, 0xffff_ff80, 0x1234, 0x0807_0605, 0x0c0b_0a09, 4, 0x80, 0x1234_ff80, 0x0403_0201];
    assert_eq!(b.read(out, 10), want);
}

/// LLVM loads three words as four where the variable is aligned for it.
#[test]
fn the_last_vector_of_a_variable_is_whole() {
    let b = Bench::new(&kernel(
        ".global .align 16 .b8 data[12] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};",
        ".shared .align 16 .b8 s[12];
         .local .align 16 .b8 l[12];
         ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [data];
         st.shared.v2.u32 [s], {%r5, %r6}; st.shared.u32 [s+8], %r7;
         ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [s];
         st.local.v2.u32 [l], {%r5, %r6}; st.local.u32 [l+8], %r7;
         ld.local.v4.u32 {%r5, %r6, %r7, %r8}, [l];
         st.global.v2.u32 [%rd1], {%r5, %r6}; st.global.u32 [%rd1+8], %r7;",
    ));
    let out = b.u32s(&[0; 3]);
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 3), [1, 2, 3]);
}

#[test]
fn every_lane_has_its_own_local_memory() {
    // A local array is written with all lanes at one offset, read back at an offset of each lane, through the generic
    // window, in all widths.
    let b = Bench::new(&kernel(
        "",
        ".local .align 16 .b8 a[64];
         mov.u64 %rd4, a;
         cvta.local.u64 %rd5, %rd4;
         st.local.u32 [%rd4+8], %r2;
         st.local.u8 [%rd4+13], %r2;
         st.local.v2.u32 [%rd4+16], {%r2, %r2};
         cvt.u64.u32 %rd6, %r2;
         st.u64 [%rd5+24], %rd6;
         and.b32 %r5, %r2, 1;
         mul.wide.u32 %rd6, %r5, 8;
         add.s64 %rd7, %rd5, %rd6;
         ld.u32 %r6, [%rd7+16];
         ld.local.u8 %r7, [%rd4+13];
         ld.local.u32 %r8, [%rd4+8];
         ld.v2.u32 {%r9, %r10}, [%rd5+16];
         add.u32 %r6, %r6, %r7; add.u32 %r6, %r6, %r8; add.u32 %r6, %r6, %r9; add.u32 %r6, %r6, %r10;
         st.global.u32 [%rd2], %r6;",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    assert_eq!(b.read(out, 32), (0..32).map(|t| 5 * t).collect::<Vec<u32>>());
}

#[test]
fn dynamic_shared_memory_follows_the_static_one() {
    // Static shared memory has 8 bytes, and dynamic shared memory starts at a multiple of 16.
    let b = Bench::new(&kernel(
        ".shared .align 4 .b8 fixed[8]; .extern .shared .align 4 .b8 more[];",
        "mov.u32 %r5, more; mov.u32 %r6, fixed; sub.u32 %r7, %r5, %r6;
         cvt.u64.u32 %rd4, %r5;
         mul.wide.u32 %rd5, %r2, 4;
         add.s64 %rd4, %rd4, %rd5;
         st.shared.u32 [%rd4], %r2;
         cvta.shared.u64 %rd6, %rd4;
         isspacep.shared %p1, %rd6;
         isspacep.global %p2, %rd6;
         isspacep.global %p3, %rd1;
         ld.u32 %r8, [%rd6];
         @!%p1 mov.u32 %r8, 999; @%p2 mov.u32 %r8, 998; @!%p3 mov.u32 %r8, 997;
         mov.u32 %r9, %dynamic_smem_size;
         add.u32 %r8, %r8, %r9; add.u32 %r8, %r8, %r7;
         st.global.u32 [%rd2], %r8;",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(simt::LaunchConfig { grid: [1; 3], block: [32, 1, 1], dynamic_shared: 128 }, &[out]);
    assert_eq!(b.read(out, 32), (0..32).map(|t| t + 128 + 16).collect::<Vec<u32>>());
}

/// As on a GPU: LLVM makes `select c, &shared, null` one of addresses in shared memory, and compares the result with null.
#[test]
fn null_is_no_address_of_shared_memory_and_does_not_come_back() {
    let b = Bench::new(&kernel(
        ".shared .align 4 .b8 words[128];",
        "mov.u64 %rd4, 0; cvta.to.shared.u64 %rd5, %rd4; cvta.shared.u64 %rd6, %rd5;
         setp.eq.u64 %p1, %rd6, 0; selp.u32 %r5, 1, 0, %p1;
         mov.u64 %rd7, words; cvta.shared.u64 %rd8, %rd7; cvta.to.shared.u64 %rd9, %rd8;
         setp.eq.u64 %p2, %rd7, %rd9; selp.u32 %r6, 2, 0, %p2;
         setp.eq.u64 %p3, %rd5, 0; selp.u32 %r7, 4, 0, %p3;
         add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, %r7;
         st.global.u32 [%rd2], %r5;",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    assert_eq!(b.read(out, 32), [6; 32]);
}

#[test]
fn atomics_of_many_ctas_on_several_os_threads_agree() {
    let b = Bench::with(
        &kernel(
            "",
            "mov.u32 %r5, 0;
             loop: atom.global.add.u32 %r6, [%rd1], 1;
             atom.global.max.u32 %r6, [%rd1+4], %r1;
             atom.global.xor.b32 %r6, [%rd1+8], %r1;
             mov.f32 %f1, 0f3F800000;
             atom.global.add.f32 %f2, [%rd1+12], %f1;
             atom.global.inc.u32 %r6, [%rd1+16], 999;
             again: ld.relaxed.gpu.global.u32 %r7, [%rd1+20];
             add.u32 %r8, %r7, 3;
             atom.global.cas.b32 %r9, [%rd1+20], %r7, %r8;
             setp.ne.u32 %p1, %r9, %r7;
             @%p1 bra again;
             red.global.add.u32 [%rd1+24], 2;
             add.u32 %r5, %r5, 1;
             setp.lt.u32 %p1, %r5, 3;
             @%p1 bra loop;",
        ),
        None,
        4,
    );
    let out = b.u32s(&[0; 7]);
    b.run(shape(50, 64), &[out]);
    let n = 50 * 64 * 3;
    let xor = (0..3200u32).fold(0, |x, t| x ^ t);
    assert_eq!(b.read(out, 7), [n, 3199, xor, (n as f32).to_bits(), n % 1000, 3 * n, 2 * n]);
}

#[test]
fn teams_that_count_each_other_find_the_last_one() {
    // The pattern of a reduction over teams, on one OS thread and on several.
    for threads in [1, 3] {
        let b = Bench::with(
            &kernel(
                "",
                "setp.ne.u32 %p1, %r2, 0;
                 @%p1 exit;
                 atom.global.add.u32 %r5, [%rd1+4], %r3;
                 membar.gl;
                 atom.global.inc.u32 %r5, [%rd1], 39;
                 setp.ne.u32 %p2, %r5, 39;
                 @%p2 exit;
                 ld.volatile.global.u32 %r6, [%rd1+4];
                 st.global.u32 [%rd1+8], %r6;",
            ),
            None,
            threads,
        );
        let out = b.u32s(&[0; 3]);
        b.run(shape(40, 32), &[out]);
        assert_eq!(b.read(out, 3), [0, 780, 780]);
    }
}

#[test]
fn kernels_allocate_and_free() {
    let b = Bench::new(&kernel(
        ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);",
        "{ .param .b64 n; st.param.b64 [n], 8; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }
         st.u32 [%rd4], %r2;
         st.u32 [%rd4+4], %r2;
         ld.u32 %r5, [%rd4];
         { .param .b64 p; st.param.b64 [p], %rd4; call.uni free, (p); }
         { .param .b64 n; st.param.b64 [n], 0x10000000000; .param .b64 r; call.uni (r), malloc, (n);
           ld.param.b64 %rd5, [r]; }
         setp.ne.u64 %p1, %rd5, 0;
         @%p1 mov.u32 %r5, 999;
         st.global.u32 [%rd2], %r5;",
    ));
    let out = b.u32s(&[0; 64]);
    let (free, total) = b.device.memory_info();
    b.run(shape(1, 64), &[out]);
    assert_eq!(b.read(out, 64), (0..64).collect::<Vec<u32>>());
    assert_eq!(b.device.memory_info(), (free, total));
}

/// LLVM writes an atomic operation on one or two bytes as a loop around `atom.cas` of the word that they stand in, of which the block
/// may have no more.
#[test]
fn a_word_that_is_not_all_in_its_block_may_be_swapped() {
    let b = Bench::new(&kernel(
        ".extern .func (.param .b64 r) malloc(.param .b64 n);",
        "{ .param .b64 n; st.param.b64 [n], 6; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }
         st.u8 [%rd4+5], 7;
         ld.b32 %r5, [%rd4+4];
         again: add.u32 %r6, %r5, 0x100;
         atom.cas.b32 %r7, [%rd4+4], %r5, %r6;
         setp.ne.u32 %p1, %r7, %r5; mov.u32 %r5, %r7;
         @%p1 bra again;
         ld.u8 %r8, [%rd4+5];
         st.global.u32 [%rd1], %r8;",
    ));
    let out = b.u32s(&[0; 1]);
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 1), [8]);
}

/// The other half of that word, which LLVM loads alone.
#[test]
fn so_may_a_half_that_is_not_in_its_block_be_loaded_for_it() {
    let b = Bench::new(&kernel(
        ".extern .func (.param .b64 r) malloc(.param .b64 n);",
        "{ .param .b64 n; st.param.b64 [n], 2; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }
         st.u16 [%rd4], 7;
         ld.relaxed.sys.u16 %r8, [%rd4];
         ld.u16 %r5, [%rd4+2]; shl.b32 %r5, %r5, 16;
         again: or.b32 %r6, %r5, %r8; add.u32 %r9, %r8, 4; or.b32 %r9, %r5, %r9;
         atom.cas.b32 %r7, [%rd4], %r6, %r9;
         setp.ne.u32 %p1, %r7, %r6; and.b32 %r5, %r7, 0xffff0000;
         @%p1 bra again;
         ld.u16 %r8, [%rd4];
         st.global.u32 [%rd1], %r8;",
    ));
    let out = b.u32s(&[0; 1]);
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 1), [11]);
}

/// Each thread allocates and keeps what it gets; null is stored as such.
const GREEDY: &str = "{ .param .b64 n; st.param.b64 [n], 1000; .param .b64 r; call.uni (r), malloc, (n); ld.param.b64 %rd4, [r]; }
     mad.wide.u32 %rd5, %r1, 8, %rd1; st.global.u64 [%rd5], %rd4;";

#[test]
fn a_full_heap_gives_null() {
    let declarations = ".extern .func (.param .b64 r) malloc(.param .b64 n);";
    for (limit, fit) in [
        (None, 8322),
        (Some(0), 0),
        (Some(1007), 0),
        (Some(1008), 1),
        (Some(100_799), 99),
        (Some(100_800), 100),
    ] {
        for (seed, threads) in [(None, 1), (Some(3), 1), (None, 4)] {
            let b = Bench::with(&kernel(declarations, GREEDY), seed, threads);
            if let Some(limit) = limit {
                b.device.set_heap_limit(limit).unwrap();
            }
            let out = b.u32s(&[0; 2 * 9000]);
            b.run(shape(90, 100), &[out]);
            let words = b.read(out, 2 * 9000);
            let got = words.chunks(2).filter(|pair| **pair != [0, 0]).count();
            assert_eq!(got, fit, "limit {limit:?}");
            let heap = b.device.heap();
            assert_eq!((heap.used, heap.peak), (1008 * fit as u64, 1008 * fit as u64));
            assert_eq!((heap.limit, heap.refused), (limit.unwrap_or(8 << 20), 9000 - fit as u64));
            assert!(b.device.set_heap_limit(1 << 20).is_err(), "the heap is in use");
        }
    }
}

#[test]
fn a_fault_at_the_null_of_a_full_heap_says_so() {
    let b = Bench::new(&kernel(
        ".extern .func (.param .b64 r) malloc(.param .b64 n);",
        &format!("{GREEDY} st.u32 [%rd4], 1;"),
    ));
    b.device.set_heap_limit(5000).unwrap();
    let out = b.u32s(&[0; 64]);
    let text = b.fail(shape(1, 32), &[out]).to_string();
    let full = "malloc gave null 28 times; now in use: 4032 of the 5000 bytes of the heap (CU_LIMIT_MALLOC_HEAP_SIZE)";
    assert!(text.contains("at 0x0: a null pointer") && text.contains(full), "{text}");
}

#[test]
fn fresh_shared_and_device_memory_shows() {
    let b = Bench::new(&kernel(".shared .b32 s;", "ld.shared.u32 %r5, [s]; st.global.u32 [%rd2], %r5;"));
    let out = b.device.alloc(8).unwrap();
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 2), [0xcbcb_cbcb; 2]);
}

#[test]
fn variables_are_found_by_name_and_hold_their_values() {
    let b = Bench::new(&kernel(
        ".visible .global .align 4 .u32 counter = 41; .visible .const .align 8 .u64 self = counter;",
        "ld.const.u64 %rd4, [self]; ld.global.u32 %r5, [%rd4]; add.u32 %r5, %r5, 1; st.global.u32 [counter], %r5;",
    ));
    b.run(shape(1, 1), &[0]);
    let (address, size) = b.module.global("counter").unwrap();
    assert_eq!((size, b.read(address, 1)), (4, vec![42]));
    assert_eq!(b.module.global("nothing"), None);
    assert!(b.device.free(address).is_err());
}

/// Each lane takes as many bytes as its number says, in a loop that gives them back.
#[test]
fn memory_on_the_stack() {
    let body = "mov.u32 %r5, 0; mov.u32 %r8, 0;
         add.u32 %r6, %r2, 1; mul.wide.u32 %rd5, %r6, 4;
         stacksave.u64 %rd8;
         loop:
         alloca.u64 %rd6, %rd5, 16;
         and.b64 %rd7, %rd6, 15; cvt.u32.u64 %r9, %rd7; add.u32 %r8, %r8, %r9;
         cvta.local.u64 %rd7, %rd6;
         st.local.u32 [%rd6], %r2;
         add.u64 %rd7, %rd7, %rd5;
         st.u32 [%rd7+-4], %r5;
         ld.local.u32 %r7, [%rd6]; setp.eq.u32 %p1, %r2, 0; @%p1 mov.u32 %r7, 0;
         add.u32 %r8, %r8, %r7;
         stackrestore.u64 %rd8;
         add.u32 %r5, %r5, 1;
         setp.le.u32 %p1, %r5, %r2;
         @%p1 bra loop;
         mov.u32 %r7, 0;
         @%p1 bra end;
         ld.u32 %r7, [%rd7+-4];
         end: st.global.u32 [%rd2], %r8;";
    let b = Bench::new(&kernel("", &body.replace("ld.u32 %r7, [%rd7+-4];", "")));
    let out = b.u32s(&[0; 64]);
    b.run(shape(1, 64), &[out]);
    let want: Vec<u32> = (0..64).map(|t| t * (t + 1)).collect();
    assert_eq!(b.read(out, 64), want);
    // What was given back may not be read any more.
    let b = Bench::new(&kernel("", body));
    assert_eq!(b.fail(shape(1, 64), &[b.u32s(&[0; 64])]).kind, ReportKind::OutOfBounds);
}

#[test]
fn the_stack_has_an_end() {
    let b = Bench::new(&kernel("", "mov.u64 %rd5, 60000; l: alloca.u64 %rd6, %rd5; bra l;"));
    let report = b.fail(shape(1, 1), &[b.u32s(&[0; 1])]);
    assert!(report.message.contains("stack overflow: alloca of 60000 bytes"), "{report}");
    let b = Bench::new(&kernel("", "stacksave.u64 %rd5; add.u64 %rd5, %rd5, 8; stackrestore.u64 %rd5;"));
    assert!(b.fail(shape(1, 1), &[b.u32s(&[0; 1])]).message.contains("stackrestore"));
}

/// 128 bits: loads, stores, exchange, comparison with either half different, and the host's atomicity.
#[test]
fn words_of_128_bits() {
    let body = ".reg .b128 %rq<6>;
         ld.global.b128 %rq1, [%rd1];
         mov.b128 {%rd5, %rd6}, %rq1;
         add.u64 %rd5, %rd5, 1; add.u64 %rd7, %rd6, 1;
         mov.b128 %rq2, {%rd5, %rd6}; mov.b128 %rq3, {%rd5, %rd7};
         atom.cas.b128 %rq4, [%rd1], %rq2, %rq3;
         st.global.b128 [%rd1+16], %rq4;
         atom.relaxed.sys.global.cas.b128 %rq4, [%rd1], %rq1, %rq2;
         atom.exch.b128 %rq5, [%rd1], %rq3;
         st.b128 [%rd1+32], %rq5;";
    let b = Bench::new(&kernel("", body));
    let out = b.u32s(&[1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0]);
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 12), [2, 2, 4, 4, 1, 2, 3, 4, 2, 2, 3, 4]);
    // Many threads add to both halves by comparison.
    let body = ".reg .b128 %rq<6>;
         l: ld.volatile.global.b128 %rq1, [%rd1];
         mov.b128 {%rd5, %rd6}, %rq1; add.u64 %rd5, %rd5, 1; add.u64 %rd6, %rd6, 3; mov.b128 %rq2, {%rd5, %rd6};
         atom.cas.b128 %rq3, [%rd1], %rq1, %rq2;
         mov.b128 {%rd7, %rd8}, %rq3; sub.u64 %rd5, %rd5, 1;
         setp.ne.u64 %p1, %rd7, %rd5; @%p1 bra l;";
    let b = Bench::with(&kernel("", body), None, 2);
    let out = b.u32s(&[0; 4]);
    b.run(shape(8, 64), &[out]);
    assert_eq!(b.read(out, 4), [512, 0, 1536, 0]);
    let b = Bench::new(&kernel("", ".reg .b128 %rq<2>; ld.global.b128 %rq1, [%rd1+8];"));
    assert_eq!(b.fail(shape(1, 1), &[b.u32s(&[0; 8])]).kind, ReportKind::Misaligned);
}

/// Vectors of 256 bits, and those of which some elements are not wanted.
#[test]
fn words_of_256_bits() {
    let body = "ld.global.v8.b32 {%r5, %r6, %r7, _, %r9, %r10, %r11, %r12}, [%rd1];
         st.global.L1::no_allocate.v8.b32 [%rd1+32], {%r12, %r11, %r10, %r9, 44, %r7, %r6, %r5};
         ld.global.nc.v4.b64 {%rd5, _, %rd7, %rd8}, [%rd1];
         st.global.v4.b64 [%rd1+64], {%rd8, %rd7, %rd5, %rd5};
         ld.global.L2::cache_hint.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1], %rd5;
         st.global.L2::cache_hint.v4.u32 [%rd1+96], {%r8, %r7, %r6, %r5}, %rd5;";
    let b = Bench::new(&kernel("", body));
    let values: Vec<u32> = (0..32).collect();
    let out = b.u32s(&values);
    b.run(shape(1, 1), &[out]);
    let want = [7, 6, 5, 4, 44, 2, 1, 0, 6, 7, 4, 5, 0, 1, 0, 1, 3, 2, 1, 0];
    assert_eq!(b.read(out, 28)[8..], want);
    let b = Bench::new(&kernel("", "ld.global.v4.b64 {%rd5, %rd6, %rd7, %rd8}, [%rd1+16];"));
    assert_eq!(b.fail(shape(1, 1), &[b.u32s(&[0; 32])]).kind, ReportKind::Misaligned);
}

/// `array[n]` is an element of the array, and for `mov` its address.
#[test]
fn elements_of_arrays_by_their_index() {
    let body = ".local .b16 l[4]; .shared .b64 s[2];
        ld.global.u32 %r5, a[1+1]; add.u32 %r5, %r5, 1; st.global.u32 a[0], %r5;
        st.local.u16 l[3], %r5; ld.local.u16 %r6, [l+6];
        st.shared.u32 s[1], 9; ld.shared.u32 %r7, [s+8];
        mov.u64 %rd4, a[0]; ld.global.u32 %r8, [%rd4];
        st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8};";
    let b = Bench::new(&kernel(".global .u32 a[3] = {1, 2, 3};", body));
    let out = b.u32s(&[0; 4]);
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 4), [4, 4, 9, 4]);
}

/// A parameter, an argument and a result of 128 bits; offsets that are computed.
#[test]
fn parameters_of_128_bits() {
    let function = ".func (.param .b128 r) swap(.param .b128 x) {
        .reg .b128 %rq; .reg .b64 %low, %high;
        ld.param.b128 %rq, [x]; mov.b128 {%low, %high}, %rq; mov.b128 %rq, {%high, %low};
        st.param.b128 [r], %rq; ret; }";
    let body = ".reg .b128 %rq<2>;
        ld.global.b128 %rq0, [%rd1+4*4];
        { .param .b128 x, r; st.param.b128 [x], %rq0; call (r), swap, (x); ld.param.b128 %rq1, [r]; }
        st.global.b128 [%rd1+(8-4)*4+16], %rq1;";
    let b = Bench::new(&kernel(function, body));
    let out = b.u32s(&[0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0]);
    b.run(shape(1, 1), &[out]);
    assert_eq!(b.read(out, 12)[8..], [3, 4, 1, 2]);
}

/// Atomics on vectors and on two halves; the value that each element had comes back.
#[test]
fn atomics_on_vectors() {
    let body = "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
         atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2};
         red.relaxed.gpu.global.add.v4.f32 [%rd1], {%f1, %f1, %f2, %f2};
         st.global.f32 [%rd1+16], %f4;
         mov.b32 %r5, 0x3c004000; mov.b32 %r6, 0x4400c000;
         red.global.add.noftz.f16x2 [%rd1+20], %r5;
         red.global.max.noftz.v2.f16x2 [%rd1+24], {%r5, %r6};
         atom.global.add.noftz.bf16x2 %r7, [%rd1+32], %r5;
         mov.b16 %h1, 0x4000; red.add.noftz.f16 [%rd1+36], %h1;
         atom.global.min.noftz.v2.bf16 {%h2, %h3}, [%rd1+40], {%h1, %h1};";
    let b = Bench::new(&kernel("", body));
    let [one, two, three] = [1f32, 2., 3.].map(f32::to_bits);
    let out = b.u32s(&[
        one,
        two,
        0,
        one,
        0,
        0x3c00_3c00,
        0x4000_4000,
        0xc400_c400,
        0x3f80_4000,
        0x1_3c00,
        0x3f80_4040,
    ]);
    b.run(shape(1, 1), &[out]);
    // bf16: 3c00 is 2^-7, and 4000 is 2.
    let want = [
        three,
        5f32.to_bits(),
        two,
        three,
        two,
        0x4000_4200,
        0x4000_4000,
        0x4400_c000,
        0x3f81_4080,
        0x1_4200,
        0x3f80_4000,
    ];
    let found = b.read(out, 11);
    assert_eq!(found, want, "{found:x?}");
}

/// What a vector atomic reads is what was there before it: its results may go to its sources and to the register of its address.
#[test]
fn atomics_on_vectors_read_before_they_write() {
    let body = "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;
         atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f2, %f1};
         st.global.v2.f32 [%rd1+8], {%f1, %f2};
         mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000;
         atom.global.add.noftz.v8.f16 {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h1}, [%rd1+16], {%h2, %h1, %h1, %h1, %h1, %h1, %h1, %h2};
         st.global.u16 [%rd1+32], %h1; st.global.u16 [%rd1+34], %h2;";
    let b = Bench::new(&kernel("", body));
    let [ten, twenty] = [10f32, 20.].map(f32::to_bits);
    let out = b.u32s(&[ten, twenty, 0, 0, 0, 0, 0, 0x4200_0000, 0]);
    b.run(shape(1, 1), &[out]);
    let want = [
        12f32.to_bits(),
        21f32.to_bits(),
        ten,
        twenty,
        0x3c00_4000,
        0x3c00_3c00,
        0x3c00_3c00,
        0x4500_3c00,
        0x0000_4200,
    ];
    let found = b.read(out, 9);
    assert_eq!(found, want, "{found:x?}");
}
