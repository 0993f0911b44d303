//! Barriers of the CTA, and what is said when they hang.

use crate::{Bench, kernel, shape};
use simt::ReportKind;

#[test]
fn threads_see_what_was_stored_before_the_barrier() {
    let body = "mov.u64 %rd4, s;
         mul.wide.u32 %rd5, %r2, 4;
         add.s64 %rd6, %rd4, %rd5;
         st.shared.u32 [%rd6], %r2;
         bar.sync 0;
         sub.u32 %r5, %r4, %r2; sub.u32 %r5, %r5, 1;
         mul.wide.u32 %rd5, %r5, 4;
         add.s64 %rd6, %rd4, %rd5;
         ld.shared.u32 %r6, [%rd6];
         bar.sync 0;
         st.global.u32 [%rd2], %r6;";
    for seed in [None, Some(1), Some(2), Some(3)] {
        let b = Bench::with(&kernel(".shared .b32 s[256];", body), seed, 1);
        let out = b.u32s(&[0; 768]);
        b.run(shape(3, 256), &[out]);
        let want: Vec<u32> = (0..768).map(|t| 255 - t % 256).collect();
        assert_eq!(b.read(out, 768), want);
    }
}

#[test]
fn exited_threads_are_not_waited_for() {
    let b = Bench::new(&kernel(
        "",
        "setp.lt.u32 %p1, %r2, 40;
         @%p1 exit;
         bar.sync 0;
         atom.global.add.u32 %r5, [%rd1], 1;",
    ));
    let out = b.u32s(&[0; 128]);
    b.run(shape(1, 128), &[out]);
    assert_eq!(b.read(out, 1), [88]);
}

#[test]
fn a_divergent_warp_meets_at_an_aligned_barrier() {
    // The lanes come to the one barrier by different ways; the scheduler may bring them one after the other.
    for seed in 0..8 {
        let b = Bench::with(
            &kernel(
                "",
                "and.b32 %r5, %r2, 7;
                 mov.u32 %r6, 0;
                 loop: add.u32 %r6, %r6, 1;
                 ld.volatile.global.u32 %r7, [%rd1];
                 setp.lt.u32 %p1, %r6, %r5;
                 @%p1 bra loop;
                 bar.sync 0;
                 atom.global.add.u32 %r5, [%rd1], 1;",
            ),
            Some(seed),
            1,
        );
        let out = b.u32s(&[0; 128]);
        b.run(shape(1, 128), &[out]);
        assert_eq!(b.read(out, 1), [128]);
    }
}

#[test]
fn barriers_with_a_count_let_some_warps_meet() {
    // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2, all at 0. The last warp has only 4 threads.
    let b = Bench::new(&kernel(
        "",
        "shr.u32 %r5, %r2, 6;
         add.u32 %r5, %r5, 1;
         barrier.sync %r5, 64;
         barrier.sync 0;
         atom.global.add.u32 %r5, [%rd1], 1;",
    ));
    let out = b.u32s(&[0; 128]);
    b.run(shape(1, 100), &[out]);
    assert_eq!(b.read(out, 1), [100]);
}

#[test]
fn workers_wait_for_work_and_call_it_through_a_pointer() {
    // What a generic OpenMP kernel does: the last warp's first lane hands out functions, the others wait at barrier 1.
    let declarations = "
        .shared .align 8 .u64 work;
        .func add(.param .b64 a) { .reg .b64 %rd<2>; .reg .b32 %r<2>;
          ld.param.u64 %rd1, [a]; atom.add.u32 %r1, [%rd1], 1; ret; }
        .func more(.param .b64 a) { .reg .b64 %rd<2>; .reg .b32 %r<2>;
          ld.param.u64 %rd1, [a]; atom.add.u32 %r1, [%rd1], 1000; ret; }";
    let body = "
        setp.lt.u32 %p1, %r2, 64;
        @%p1 bra worker;
        setp.ne.u32 %p2, %r2, 64;
        @%p2 exit;
        mov.u64 %rd4, add; st.shared.u64 [work], %rd4;
        barrier.sync 1, 96; barrier.sync 1, 96;
        mov.u64 %rd4, more; st.shared.u64 [work], %rd4;
        barrier.sync 1, 96; barrier.sync 1, 96;
        mov.u64 %rd4, 0; st.shared.u64 [work], %rd4;
        barrier.sync 1, 96;
        ret;
        worker: barrier.sync 1, 96;
        ld.shared.u64 %rd5, [work];
        setp.eq.u64 %p3, %rd5, 0;
        @%p3 ret;
        { .param .b64 a; st.param.b64 [a], %rd1;
        proto: .callprototype () _ (.param .b64 _);
        call %rd5, (a), proto; }
        barrier.sync 1, 96;
        bra worker;";
    for seed in [None, Some(11), Some(12)] {
        let b = Bench::with(&kernel(declarations, body), seed, 1);
        let out = b.u32s(&[0]);
        b.run(shape(2, 96), &[out]);
        assert_eq!(b.read(out, 1), [2 * 64 * 1001]);
    }
}

#[test]
fn a_deadlock_names_every_group() {
    let b = Bench::new(&kernel(
        "",
        "setp.lt.u32 %p1, %r2, 32;
         @%p1 bra first;
         barrier.sync 5, 64;
         ret;
         first: setp.lt.u32 %p2, %r2, 8;
         @%p2 exit;
         barrier.sync 3;",
    ));
    let out = b.u32s(&[0]);
    let report = b.fail(shape(2, 64), &[out]);
    let text = report.to_string();
    assert_eq!(report.kind, ReportKind::Deadlock);
    assert!(text.contains("in kernel k, grid (2,1,1), block (64,1,1), CTA (0,0,0)"), "{text}");
    assert!(text.contains("warp 0, lanes 0xffffff00: waits at barrier 3: 24 of the 56 threads"), "{text}");
    assert!(text.contains("warp 0, lanes 0x000000ff: exited"), "{text}");
    assert!(
        text.contains("warp 1, all lanes: waits at barrier 5: 32 of 64 threads have arrived; in k, PTX line"),
        "{text}"
    );
}

#[test]
fn lanes_at_different_aligned_barriers_are_an_error() {
    let b = Bench::new(&kernel(
        "",
        "setp.lt.u32 %p1, %r2, 17;
         @%p1 bra other;
         bar.sync 0;
         ret;
         other: bar.sync 0;",
    ));
    let out = b.u32s(&[0]);
    let report = b.fail(shape(1, 32), &[out]);
    assert_eq!(report.kind, ReportKind::Barrier);
    assert!(report.message.contains("different aligned barriers"), "{report}");
    assert!(report.message.contains("lanes 0x0001ffff in k, PTX line"), "{report}");
}

#[test]
fn an_aligned_barrier_that_part_of_a_warp_never_reaches_is_an_error() {
    let b = Bench::new(&kernel(
        "",
        "setp.lt.u32 %p1, %r2, 17;
         @%p1 bra other;
         bar.sync 0;
         ret;
         other: barrier.sync 1;",
    ));
    let out = b.u32s(&[0]);
    let report = b.fail(shape(1, 64), &[out]);
    assert_eq!(report.kind, ReportKind::Barrier);
    assert!(report.to_string().contains("waits at the aligned barrier 0 for lanes 0x0001ffff"), "{report}");
}

#[test]
fn counts_that_do_not_fit_are_errors() {
    for (body, text) in [
        ("barrier.sync 1, 33;", "not a positive multiple of 32"),
        ("barrier.sync 16;", "there is no barrier 16"),
        ("barrier.sync 1, 96;", "the CTA has only 64 in 2 warps"),
        (
            "setp.lt.u32 %p1, %r2, 32; @%p1 bra a; barrier.sync 1, 64; ret; a: barrier.sync 1;",
            "barrier 1 for 64 threads, where others wait for all threads",
        ),
        ("barrier.sync %r2;", "a barrier whose number differs among the lanes"),
    ] {
        let b = Bench::new(&kernel("", body));
        let out = b.u32s(&[0]);
        let report = b.fail(shape(1, 64), &[out]);
        assert_eq!(report.kind, ReportKind::Barrier);
        assert!(report.message.contains(text), "{report}");
    }
}

/// `bar.red`: 96 threads in three warps, of which the last has 20; the thread's number decides its vote.
#[test]
fn reductions_of_a_barrier() {
    for (vote, popc, and, or) in [
        ("lt.u32 %p1, %r2, 40", 40, 0, 1),
        ("ge.u32 %p1, %r2, 0", 84, 1, 1),
        ("gt.u32 %p1, %r2, 99", 0, 0, 0),
    ] {
        for (barrier, suffix) in [("bar.red", ""), ("barrier.cta.red", ""), ("barrier.red", ".aligned")] {
            let body = format!(
                "setp.{vote};
                 {barrier}.popc{suffix}.u32 %r5, 1, %p1;
                 {barrier}.and{suffix}.pred %p2, 2, %p1; selp.u32 %r6, 1, 0, %p2;
                 {barrier}.or{suffix}.pred %p3, 3, 96, %p1; selp.u32 %r7, 1, 0, %p3;
                 {barrier}.popc{suffix}.u32 %r8, 1, !%p1;
                 mul.lo.u32 %r5, %r5, 1000; add.u32 %r5, %r5, %r8;
                 mad.lo.u32 %r5, %r5, 2, %r6; mad.lo.u32 %r5, %r5, 2, %r7;
                 st.global.u32 [%rd2], %r5;"
            );
            for seed in [None, Some(7)] {
                let b = Bench::with(&kernel("", &body), seed, 1);
                let out = b.u32s(&[0; 84]);
                b.run(shape(1, 84), &[out]);
                let want = ((popc * 1000 + 84 - popc) * 2 + and) * 2 + or;
                assert_eq!(b.read(out, 84), [want; 84], "{barrier} {vote}");
            }
        }
    }
}

/// Producer and consumer warps (PTX ISA, "barrier", example): the producer arrives and goes on.
#[test]
fn arrivals_do_not_wait() {
    let body = "mov.u64 %rd4, s;
         setp.ge.u32 %p1, %r2, 32;
         @%p1 bra consume;
         mov.u32 %r5, 0;
         produce:
         bar.sync 2, 64;
         st.volatile.shared.u32 [%rd4], %r5;
         bar.arrive 1, 64;
         add.u32 %r5, %r5, 1;
         setp.lt.u32 %p2, %r5, 10;
         @%p2 bra produce;
         ret;
         consume:
         mov.u32 %r5, 0; mov.u32 %r7, 0;
         next:
         bar.arrive 2, 64;
         bar.sync 1, 64;
         ld.volatile.shared.u32 %r6, [%rd4];
         mad.lo.u32 %r7, %r7, 3, %r6;
         add.u32 %r5, %r5, 1;
         setp.lt.u32 %p2, %r5, 10;
         @%p2 bra next;
         st.global.u32 [%rd2], %r7;";
    let want = (0..10).fold(0u32, |sum, n| sum * 3 + n);
    for seed in [None, Some(1), Some(2), Some(3)] {
        let b = Bench::with(&kernel(".shared .b32 s[1];", body), seed, 1);
        let out = b.u32s(&[0; 64]);
        b.run(shape(1, 64), &[out]);
        assert_eq!(b.read(out, 64)[32..], [want; 32]);
    }
}

#[test]
fn reductions_and_plain_barriers_do_not_mix() {
    let b = Bench::new(&kernel(
        "",
        "setp.lt.u32 %p1, %r2, 32;
         @%p1 bra other;
         bar.sync 1;
         ret;
         other: bar.red.popc.u32 %r5, 1, %p1;",
    ));
    let report = b.fail(shape(1, 64), &[b.u32s(&[0; 64])]);
    assert_eq!(report.kind, ReportKind::Barrier);
    assert!(report.message.contains("bar.red"), "{report}");
}
