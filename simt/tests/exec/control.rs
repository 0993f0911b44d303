//! Branches, reconvergence, calls, independent progress of lanes, seeds.

use crate::{Bench, kernel, shape};

#[test]
fn lanes_take_their_own_way_and_meet_again() {
    // An even lane adds 100, an odd one 200, in a nested branch lane 3 adds 7; activemask afterwards is full.
    let b = Bench::new(&kernel(
        "",
        "and.b32 %r5, %r2, 1;
         setp.eq.u32 %p1, %r5, 0;
         @%p1 bra even;
         mov.u32 %r6, 200;
         setp.ne.u32 %p2, %r2, 3;
         @%p2 bra join;
         add.u32 %r6, %r6, 7;
         bra join;
         even: mov.u32 %r6, 100;
         join: activemask.b32 %r7;
         setp.eq.u32 %p3, %r7, 0xffffffff;
         @%p3 add.u32 %r6, %r6, 1000;
         st.global.u32 [%rd2], %r6;",
    ));
    let out = b.u32s(&[0; 64]);
    let stats = b.run(shape(1, 64), &[out]);
    let want: Vec<u32> =
        (0..64u32).map(|t| 1000 + if t % 2 == 0 { 100 } else { 200 + if t == 3 { 7 } else { 0 } }).collect();
    assert_eq!(b.read(out, 64), want);
    assert!(stats.warp_instructions >= 2 * 18 && stats.thread_instructions > stats.warp_instructions * 16);
}

#[test]
fn loops_of_different_length_reconverge() {
    let b = Bench::new(&kernel(
        "",
        "mov.u32 %r5, 0; mov.u32 %r6, 0;
         loop: add.u32 %r6, %r6, %r5;
         add.u32 %r5, %r5, 1;
         setp.le.u32 %p1, %r5, %r2;
         @%p1 bra loop;
         activemask.b32 %r7;
         popc.b32 %r8, %r7;
         mad.lo.u32 %r6, %r8, 10000, %r6;
         st.global.u32 [%rd2], %r6;",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    let want: Vec<u32> = (0..32u32).map(|t| 320_000 + t * (t + 1) / 2).collect();
    assert_eq!(b.read(out, 32), want);
}

#[test]
fn partial_warps_and_blocks_of_three_dimensions_number_their_threads() {
    let b = Bench::new(&kernel(
        "",
        "mov.u32 %r5, %tid.y; mov.u32 %r6, %tid.z; mov.u32 %r7, %ntid.y; mov.u32 %r8, %laneid;
         mad.lo.u32 %r9, %r6, %r7, %r5;
         mad.lo.u32 %r9, %r9, %r4, %r2;
         mul.wide.u32 %rd3, %r9, 4;
         add.s64 %rd2, %rd1, %rd3;
         shl.b32 %r5, %r5, 8; shl.b32 %r6, %r6, 16; shl.b32 %r8, %r8, 24;
         or.b32 %r2, %r2, %r5; or.b32 %r2, %r2, %r6; or.b32 %r2, %r2, %r8;
         st.global.u32 [%rd2], %r2;",
    ));
    let out = b.u32s(&[0; 42]);
    b.run(simt::LaunchConfig { grid: [1; 3], block: [7, 3, 2], dynamic_shared: 0 }, &[out]);
    let want: Vec<u32> =
        (0..42u32).map(|t| t % 7 + ((t / 7 % 3) << 8) + ((t / 21) << 16) + ((t % 32) << 24)).collect();
    assert_eq!(b.read(out, 42), want);
}

/// A lock that the lanes of one warp contend for: with one program counter for the warp this hangs.
const LOCK: &str = "
    again: atom.global.cas.b32 %r5, [%rd1], 0, 1;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra again;
    membar.gl;
    ld.volatile.global.u32 %r6, [%rd1+4];
    add.u32 %r6, %r6, 1;
    st.volatile.global.u32 [%rd1+4], %r6;
    membar.gl;
    atom.global.exch.b32 %r5, [%rd1], 0;";

#[test]
fn lanes_that_wait_for_each_other_make_progress() {
    for (seed, threads) in [(None, 1), (Some(1), 1), (Some(2), 1), (None, 3)] {
        let b = Bench::with(&kernel("", LOCK), seed, threads);
        let out = b.u32s(&[0, 0]);
        b.run(shape(4, 96), &[out]);
        assert_eq!(b.read(out, 2), [0, 384]);
    }
}

#[test]
fn the_lane_that_is_waited_for_may_come_after_the_loop() {
    // Lane 0 waits for a flag that lane 31 sets; lane 31 is behind the loop in the code.
    let b = Bench::new(&kernel(
        "",
        "setp.eq.u32 %p1, %r2, 31;
         @%p1 bra set;
         wait: ld.volatile.global.u32 %r5, [%rd1];
         setp.eq.u32 %p2, %r5, 0;
         @%p2 bra wait;
         ret;
         set: st.volatile.global.u32 [%rd1], 1;",
    ));
    let out = b.u32s(&[0]);
    b.run(shape(1, 32), &[out]);
    assert_eq!(b.read(out, 1), [1]);
}

#[test]
fn warps_that_wait_for_each_other_make_progress() {
    // Thread t waits until the counter is t / 32, then the first lane of the warp counts on: warp 0 first.
    for seed in [None, Some(5)] {
        let b = Bench::with(
            &kernel(
                "",
                "shr.u32 %r5, %r2, 5;
                 mov.u32 %r9, 7; sub.u32 %r5, %r9, %r5;
                 wait: ld.acquire.gpu.global.u32 %r6, [%rd1];
                 setp.ne.u32 %p1, %r6, %r5;
                 @%p1 bra wait;
                 and.b32 %r7, %r2, 31;
                 setp.eq.u32 %p2, %r7, 0;
                 bar.warp.sync 0xffffffff;
                 @%p2 atom.global.add.u32 %r8, [%rd1], 1;",
            ),
            seed,
            1,
        );
        let out = b.u32s(&[0]);
        b.run(shape(1, 256), &[out]);
        assert_eq!(b.read(out, 1), [8]);
    }
}

const CALLS: &str = "
    .func (.param .b32 r) add_one(.param .b32 a) {
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
    .func (.param .b32 r) twice(.param .b32 a) {
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [a]; shl.b32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
    .func (.param .b32 r) fib(.param .b32 n) {
    .reg .b32 %r<8>; .reg .pred %p<2>;
    ld.param.u32 %r1, [n];
    setp.lt.u32 %p1, %r1, 2;
    @%p1 bra small;
    sub.u32 %r2, %r1, 1;
    { .param .b32 a; st.param.b32 [a], %r2; .param .b32 v;
      call.uni (v), fib, (a); ld.param.b32 %r3, [v]; }
    sub.u32 %r2, %r1, 2;
    { .param .b32 a; st.param.b32 [a], %r2; .param .b32 v;
      call.uni (v), fib, (a); ld.param.b32 %r4, [v]; }
    add.u32 %r1, %r3, %r4;
    small: st.param.b32 [r], %r1; ret; }
    .global .u64 table[2] = {add_one, twice};
    .global .u64 bad = 1234;";

fn indirect(index: &str) -> String {
    kernel(
        CALLS,
        &format!(
            "{index}
             mul.wide.u32 %rd4, %r5, 8;
             mov.u64 %rd5, table;
             add.s64 %rd5, %rd5, %rd4;
             ld.global.u64 %rd6, [%rd5];
             {{ .param .b32 a; st.param.b32 [a], %r2; .param .b32 v;
             proto: .callprototype (.param .b32 _) _ (.param .b32 _);
             call (v), %rd6, (a), proto; ld.param.b32 %r6, [v]; }}
             st.global.u32 [%rd2], %r6;"
        ),
    )
}

#[test]
fn each_lane_calls_through_its_own_pointer() {
    let b = Bench::new(&indirect("and.b32 %r5, %r2, 1;"));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    let want: Vec<u32> = (0..32).map(|t| if t % 2 == 0 { t + 1 } else { 2 * t }).collect();
    assert_eq!(b.read(out, 32), want);
}

/// As flang's task functions are called; the value is undefined.
#[test]
fn a_function_that_returns_nothing_is_called_for_a_value() {
    let b = Bench::new(&kernel(
        ".func put(.param .b64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; mov.u32 %r1, 3;
          st.global.u32 [%rd1], %r1; ret; }",
        "{ .param .b64 a; st.param.b64 [a], %rd2; .param .b32 v; mov.u64 %rd6, put;
           proto: .callprototype (.param .b32 _) _ (.param .b64 _);
           call (v), %rd6, (a), proto; ld.param.b32 %r6, [v]; }",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    assert_eq!(b.read(out, 32), [3; 32]);
}

/// As flang's functions of empty tasks are called.
#[test]
fn a_function_takes_fewer_arguments_than_it_is_given() {
    let b = Bench::new(&kernel(
        ".func put(.param .b64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; mov.u32 %r1, 3;
          st.global.u32 [%rd1], %r1; ret; }",
        "{ .param .b64 a; st.param.b64 [a], %rd2; .param .b64 c; st.param.b64 [c], 0; mov.u64 %rd6, put;
           proto: .callprototype () _ (.param .b64 _, .param .b64 _);
           call %rd6, (a, c), proto; }",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    assert_eq!(b.read(out, 32), [3; 32]);
}

#[test]
fn services_of_the_device_are_called_through_pointers_as_well() {
    let b = Bench::new(&kernel(
        ".extern .func free(.param .b64 p);
         .func own(.param .b64 p) {
         .reg .b64 %rd<2>; .reg .b32 %r<2>;
         ld.param.u64 %rd1, [p]; atom.add.u32 %r1, [%rd1], 1; ret; }",
        "and.b32 %r5, %r2, 1;
         setp.eq.u32 %p1, %r5, 0;
         mov.u64 %rd4, free; mov.u64 %rd5, own;
         selp.b64 %rd6, %rd4, %rd5, %p1;
         selp.b64 %rd7, 0, %rd1, %p1;
         { .param .b64 a; st.param.b64 [a], %rd7;
         proto: .callprototype () _ (.param .b64 _);
         call %rd6, (a), proto; }
         activemask.b32 %r7;
         setp.eq.u32 %p2, %r7, 0xffffffff;
         @%p2 atom.add.u32 %r8, [%rd1], 1000;",
    ));
    let out = b.u32s(&[0]);
    b.run(shape(1, 32), &[out]);
    assert_eq!(b.read(out, 1), [16 + 32 * 1000]);
}

#[test]
fn lanes_recurse_to_different_depths() {
    let b = Bench::new(&kernel(
        CALLS,
        "rem.u32 %r5, %r2, 12;
         { .param .b32 a; st.param.b32 [a], %r5; .param .b32 v;
         call.uni (v), fib, (a); ld.param.b32 %r6, [v]; }
         activemask.b32 %r7;
         setp.ne.u32 %p1, %r7, 0xffffffff;
         @%p1 mov.u32 %r6, 0;
         st.global.u32 [%rd2], %r6;",
    ));
    let fib = |n| (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0;
    let want: Vec<u32> = (0..64).map(|t| fib(t % 12)).collect();
    let out = b.u32s(&[0; 64]);
    b.run(shape(1, 64), &[out]);
    assert_eq!(b.read(out, 64), want);
}

#[test]
fn every_instruction_can_have_a_guard() {
    // Guarded return, call and exit split the warp; a guarded load of the others must not touch memory.
    let b = Bench::new(&kernel(
        CALLS,
        "setp.lt.u32 %p1, %r2, 8;
         setp.lt.u32 %p2, %r2, 16;
         mov.u64 %rd4, 0;
         mov.u32 %r6, 5;
         selp.b64 %rd4, %rd2, %rd4, %p1;
         @%p1 ld.global.u32 %r6, [%rd4];
         { .param .b32 a; st.param.b32 [a], %r6; .param .b32 v;
         @%p2 call (v), twice, (a); ld.param.b32 %r7, [v]; }
         selp.b32 %r6, %r7, %r6, %p2;
         setp.gt.u32 %p3, %r2, 24;
         @%p3 exit;
         st.global.u32 [%rd2], %r6;
         setp.gt.u32 %p4, %r2, 20;
         @!%p4 ret;
         st.global.u32 [%rd2], 99;",
    ));
    let out = b.u32s(&[3; 32]);
    b.run(shape(1, 32), &[out]);
    let want: Vec<u32> = (0..32)
        .map(|t| match t {
            0..8 => 6,
            8..16 => 10,
            16..21 => 5,
            21..25 => 99,
            _ => 3,
        })
        .collect();
    assert_eq!(b.read(out, 32), want);
}

/// Functions may have their parameters and results in registers, and calls pass registers and numbers.
#[test]
fn parameters_in_registers() {
    let functions = ".func (.reg .u32 out) twice_or_7(.reg .u32 in, .reg .f64 d) {
            .reg .pred p; .reg .f64 one;
            mov.f64 one, 0d3FF0000000000000;
            setp.ne.f64 p, d, one;
            mov.u32 out, 7;
            @p ret;
            add.u32 out, in, in;
         }
         .func (.param .b32 out) same(.param .b32 in) {
            .reg .b32 r; ld.param.b32 r, [in]; st.param.b32 [out], r; ret;
         }";
    let b = Bench::new(&kernel(
        functions,
        "mov.f64 %rd5, 0d3FF0000000000000;
         and.b32 %r5, %r2, 1; setp.eq.u32 %p1, %r5, 0; @%p1 mov.b64 %rd5, 0;
         call (%r6), twice_or_7, (%r2, %rd5);
         call (%r7), same, (%r6);
         call (_), twice_or_7, (%r2, 0d3FF0000000000000);
         mov.u64 %rd6, twice_or_7;
         P: .callprototype (.reg .u32 _) _ (.reg .u32 _, .reg .f64 _);
         call (_), %rd6, (%r2, %rd5), P;
         call (%r9), %rd6, (%r2, %rd5), P;
         mov.u32 %r8, 0;
         @%p1 call (%r8), twice_or_7, (400+50, 0d3FF0000000000000);
         sub.u32 %r9, %r9, %r6; add.u32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;
         st.global.u32 [%rd2], %r7;",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    let want: Vec<u32> = (0..32).map(|t| if t % 2 == 0 { 907 } else { 2 * t }).collect();
    assert_eq!(b.read(out, 32), want);
}

#[test]
fn branch_tables_send_each_lane_to_its_target() {
    let b = Bench::new(&kernel(
        "",
        "and.b32 %r5, %r2, 3;
         t: .branchtargets c0, c1, c2, c0;
         brx.idx %r5, t;
         c0: mov.u32 %r6, 10; bra done;
         c1: mov.u32 %r6, 11; bra done;
         c2: mov.u32 %r6, 12;
         done: st.global.u32 [%rd2], %r6;",
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    let want: Vec<u32> = (0..32).map(|t| [10, 11, 12, 10][t % 4]).collect();
    assert_eq!(b.read(out, 32), want);
}

#[test]
fn a_seed_repeats_its_run_and_other_seeds_run_otherwise() {
    let run = |seed| {
        let b = Bench::with(&kernel("", LOCK), Some(seed), 1);
        let out = b.u32s(&[0, 0]);
        let stats = b.run(shape(2, 128), &[out]);
        assert_eq!(b.read(out, 2), [0, 256]);
        (stats.warp_instructions, stats.thread_instructions)
    };
    let all: Vec<_> = (0..6).map(run).collect();
    assert_eq!(all, (0..6).map(run).collect::<Vec<_>>());
    assert!(all.iter().any(|stats| *stats != all[0]), "{all:?}");
}

#[test]
fn a_seed_moves_preemptions_to_any_instruction() {
    // A race: each warp counts without a lock, in a loop. Some seed loses an update.
    let body = "mov.u32 %r5, 0;
         loop: ld.volatile.global.u32 %r6, [%rd1];
         add.u32 %r6, %r6, 1;
         st.volatile.global.u32 [%rd1], %r6;
         add.u32 %r5, %r5, 1;
         setp.lt.u32 %p1, %r5, 50;
         @%p1 bra loop;";
    let results: Vec<u32> = (0..20)
        .map(|seed| {
            let b = Bench::with(&kernel("", body), Some(seed), 1);
            let out = b.u32s(&[0]);
            b.run(simt::LaunchConfig { grid: [1; 3], block: [64, 1, 1], dynamic_shared: 0 }, &[out]);
            b.read(out, 1)[0]
        })
        .collect();
    assert!(results.iter().any(|n| *n < 100), "{results:?}");
}
