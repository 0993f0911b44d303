//! Warp operations: shuffles, votes, warp barriers.

use crate::{Bench, kernel, shape};
use simt::ReportKind;

fn run(body: &str, threads: usize) -> Vec<u32> {
    let b = Bench::new(&kernel("", body));
    let out = b.u32s(&vec![0; threads]);
    b.run(shape(1, threads as u32), &[out]);
    b.read(out, threads)
}

#[test]
fn a_warp_reduces_by_shuffles() {
    let out = run(
        "mov.u32 %r5, %r2;
         mov.u32 %r6, 16;
         loop: shfl.sync.down.b32 %r7, %r5, %r6, 31, 0xffffffff;
         add.u32 %r5, %r5, %r7;
         shr.u32 %r6, %r6, 1;
         setp.ne.u32 %p1, %r6, 0;
         @%p1 bra loop;
         st.global.u32 [%rd2], %r5;",
        64,
    );
    assert_eq!((out[0], out[32]), (496, 496 + 32 * 32));
}

#[test]
fn shuffle_modes_and_predicates() {
    let out = run(
        "shfl.sync.up.b32 %r5|%p1, %r2, 3, 0, 0xffffffff;
         selp.b32 %r6, 100, 0, %p1;
         add.u32 %r5, %r5, %r6;
         shfl.sync.bfly.b32 %r7, %r2, 1, 31, 0xffffffff;
         shfl.sync.idx.b32 %r8, %r2, 9, 0x181f, 0xffffffff;
         shl.b32 %r7, %r7, 8; shl.b32 %r8, %r8, 16;
         or.b32 %r5, %r5, %r7; or.b32 %r5, %r5, %r8;
         st.global.u32 [%rd2], %r5;",
        32,
    );
    for (t, got) in (0u32..32).zip(out) {
        let up = if t < 3 { t } else { t - 3 + 100 };
        // Width 8: lane 9 modulo 8 of the own segment.
        assert_eq!(got, up | (t ^ 1) << 8 | ((t & 24) + 1) << 16, "lane {t}");
    }
}

#[test]
fn halves_of_a_warp_synchronise_apart_and_arrive_apart() {
    // The lower half shuffles inside a branch, the upper half at another instruction, then all together.
    let out = run(
        "setp.lt.u32 %p1, %r2, 16;
         @%p1 bra low;
         shfl.sync.idx.b32 %r5, %r2, 20, 31, 0xffff0000;
         bra join;
         low: shfl.sync.idx.b32 %r5, %r2, 4, 31, 0x0000ffff;
         join: bar.warp.sync 0xffffffff;
         vote.sync.ballot.b32 %r6, %p1, 0xffffffff;
         shl.b32 %r6, %r6, 8;
         or.b32 %r5, %r5, %r6;
         st.global.u32 [%rd2], %r5;",
        32,
    );
    assert!(out[..16].iter().all(|&x| x == 4 | 0xffff00), "{out:x?}");
    assert!(out[16..].iter().all(|&x| x == 20 | 0xffff00), "{out:x?}");
}

#[test]
fn lanes_with_different_masks_at_one_instruction() {
    let out = run(
        "setp.lt.u32 %p1, %r2, 16;
         selp.b32 %r4, 0x0000ffff, 0xffff0000, %p1;
         setp.ne.u32 %p2, %r2, 5;
         vote.sync.all.pred %p3, %p2, %r4;
         selp.b32 %r5, 1, 0, %p3;
         st.global.u32 [%rd2], %r5;",
        32,
    );
    assert!(out[..16].iter().all(|&x| x == 0) && out[16..].iter().all(|&x| x == 1), "{out:?}");
}

#[test]
fn a_guarded_operation_that_has_to_wait_is_released() {
    // Lanes 0-15 come by another way and guard the ballot; lanes 16-31 wait in it.
    let out = run(
        "setp.lt.u32 %p1, %r2, 16;
         setp.ge.u32 %p2, %r2, 8;
         mov.u32 %r5, 7;
         @!%p1 bra vote;
         mov.u32 %r6, 0;
         loop: add.u32 %r6, %r6, 1;
         setp.lt.u32 %p3, %r6, %r2;
         @%p3 bra loop;
         vote: @%p2 vote.sync.ballot.b32 %r5, %p1, 0xffffff00;
         st.global.u32 [%rd2], %r5;",
        32,
    );
    assert!(out[..8].iter().all(|&x| x == 7) && out[8..].iter().all(|&x| x == 0xff00), "{out:x?}");
}

#[test]
fn votes() {
    let out = run(
        "setp.lt.u32 %p1, %r2, 32;
         vote.sync.all.pred %p2, %p1, 0xffffffff;
         vote.sync.any.pred %p3, %p1, 0xffffffff;
         vote.sync.uni.pred %p4, %p1, 0xffffffff;
         vote.sync.any.pred %p5, !%p1, 0xffffffff;
         selp.b32 %r5, 1, 0, %p2; selp.b32 %r6, 2, 0, %p3; selp.b32 %r7, 4, 0, %p4; selp.b32 %r8, 8, 0, %p5;
         or.b32 %r5, %r5, %r6; or.b32 %r5, %r5, %r7; or.b32 %r5, %r5, %r8;
         st.global.u32 [%rd2], %r5;",
        64,
    );
    assert!(out[..32].iter().all(|&x| x == 7) && out[32..].iter().all(|&x| x == 12), "{out:?}");
}

#[test]
fn members_that_have_exited_are_not_waited_for() {
    let out = run(
        "setp.ge.u32 %p1, %r2, 30;
         @%p1 exit;
         vote.sync.ballot.b32 %r5, 1, 0xffffffff;
         st.global.u32 [%rd2], %r5;",
        32,
    );
    assert_eq!((out[0], out[31]), (0x3fff_ffff, 0));
}

#[test]
fn a_shuffle_from_a_lane_that_is_not_there_gives_the_pattern() {
    let out = run(
        "shfl.sync.down.b32 %r5, %r2, 2, 31, 0xffffffff;
         st.global.u32 [%rd2], %r5;",
        4,
    );
    assert_eq!(out, [2, 3, 0xcbcb_cbcb, 0xcbcb_cbcb]);
}

#[test]
fn a_lane_outside_of_its_own_mask_is_an_error() {
    let b = Bench::new(&kernel("", "bar.warp.sync 0x0000ffff;"));
    let out = b.u32s(&[0; 32]);
    let report = b.fail(shape(1, 32), &[out]);
    assert_eq!(report.kind, ReportKind::WarpOperation);
    assert!(report.message.contains("member mask 0x0000ffff"), "{report}");
    assert!(report.to_string().contains("lane 16, thread (16,0,0)"), "{report}");
}

/// Each lane's result of an operation on its own number, for whole and partial masks and diverged lanes.
fn results(operation: &str) -> [u32; 32] {
    let mut first = None;
    // Diverged: odd and even lanes come to two instructions; together: to one.
    let together = format!("{operation} bra.uni end;");
    let apart = format!(
        "and.b32 %r9, %r2, 1; setp.eq.u32 %p5, %r9, 0; @%p5 bra even; {operation} bra end; even: {operation}"
    );
    for (body, seed) in [(&together, None), (&apart, None), (&apart, Some(3)), (&apart, Some(4))] {
        let b = Bench::with(&kernel("", &format!("{body} end: st.global.u32 [%rd2], %r5;")), seed, 1);
        let out = b.u32s(&[0; 32]);
        b.run(shape(1, 32), &[out]);
        let found = b.read(out, 32).try_into().unwrap();
        assert_eq!(*first.get_or_insert(found), found, "{operation}");
    }
    first.unwrap()
}

#[test]
fn matching_lanes() {
    let thirds: Vec<u32> =
        (0..3).map(|k| (0..32).filter(|i| i % 3 == k).fold(0, |m, i| m | 1 << i)).collect();
    let each = std::array::from_fn(|i| thirds[i % 3]);
    assert_eq!(results("rem.u32 %r6, %r2, 3; match.any.sync.b32 %r5, %r6, -1;"), each);
    let wide = "rem.u32 %r6, %r2, 3; mov.b64 %rd5, {%r4, %r6}; match.any.sync.b64 %r5, %rd5, -1;";
    assert_eq!(results(wide), each);
    let all = "match.all.sync.b32 %r5|%p1, %r4, -1; @!%p1 mov.u32 %r5, 7;";
    assert_eq!(results(all), [u32::MAX; 32]);
    let not_all = "match.all.sync.b32 %r5|%p1, %r2, -1; @%p1 mov.u32 %r5, 7;";
    assert_eq!(results(not_all), [0; 32]);
    // Lane 31 has another value in the upper half alone.
    let upper = "setp.eq.u32 %p1, %r2, 31; selp.u32 %r6, 1, 0, %p1; mov.b64 %rd5, {%r4, %r6};
                 match.all.sync.b64 %r5, %rd5, -1;";
    assert_eq!(results(upper), [0; 32]);
}

#[test]
fn reductions_of_a_warp() {
    let number = "sub.u32 %r6, 10, %r2;";
    let all = |op: &str| results(&format!("{number} redux.sync.{op} %r5, %r6, -1;"));
    let values: Vec<i32> = (0..32).map(|i| 10 - i).collect();
    let fold = |f: fn(i32, i32) -> i32| [values.iter().copied().reduce(f).unwrap() as u32; 32];
    assert_eq!(all("add.s32"), fold(|a, b| a + b));
    assert_eq!(all("add.u32"), fold(|a, b| a + b));
    assert_eq!(all("min.s32"), fold(i32::min));
    assert_eq!(all("max.s32"), fold(i32::max));
    assert_eq!(all("min.u32"), [0; 32]);
    assert_eq!(all("max.u32"), [u32::MAX; 32]);
    assert_eq!(all("and.b32"), fold(|a, b| a & b));
    assert_eq!(all("or.b32"), fold(|a, b| a | b));
    assert_eq!(all("xor.b32"), fold(|a, b| a ^ b));
    // Halves of the warp with a mask each: lanes with different masks at one instruction.
    let halves =
        "setp.lt.u32 %p1, %r2, 16; selp.b32 %r7, 0xffff, 0xffff0000, %p1; redux.sync.add.u32 %r5, %r2, %r7;";
    assert_eq!(results(halves), std::array::from_fn(|i| if i < 16 { 120 } else { 376 }));
}

#[test]
fn reductions_of_numbers_with_nan() {
    // Lane 5 has a NaN, lane 6 -0, lane 7 -9, the others their number.
    let values = "cvt.rn.f32.u32 %f1, %r2;
         setp.eq.u32 %p1, %r2, 5; @%p1 mov.f32 %f1, 0fffc00001;
         setp.eq.u32 %p1, %r2, 6; @%p1 mov.f32 %f1, 0f80000000;
         setp.eq.u32 %p1, %r2, 7; @%p1 mov.f32 %f1, 0fc1100000;";
    let all = |op: &str| results(&format!("{values} redux.sync.{op}.f32 %f2, %f1, -1; mov.b32 %r5, %f2;"));
    for (op, want) in [
        ("min", -9.0f32),
        ("max", 31.0),
        ("min.abs", 0.0),
        ("max.abs", 31.0),
        ("min.NaN", f32::from_bits(0x7fff_ffff)),
        ("max.abs.NaN", f32::from_bits(0x7fff_ffff)),
    ] {
        assert_eq!(all(op), [want.to_bits(); 32], "{op}");
    }
    let zeros = "setp.eq.u32 %p1, %r2, 3; selp.f32 %f1, 0f80000000, 0f00000000, %p1;";
    let zero = |op: &str| results(&format!("{zeros} redux.sync.{op}.f32 %f2, %f1, -1; mov.b32 %r5, %f2;"))[0];
    assert_eq!((zero("min"), zero("max"), zero("min.abs")), (1 << 31, 0, 0));
}

#[test]
fn one_member_is_elected() {
    let mask = "elect.sync %r5|%p1, 0xfffffff0; @%p1 add.u32 %r5, %r5, 100;";
    let b = Bench::new(&kernel(
        "",
        &format!("setp.lt.u32 %p1, %r2, 4; @%p1 exit; {mask} st.global.u32 [%rd2], %r5;"),
    ));
    let out = b.u32s(&[0; 32]);
    b.run(shape(1, 32), &[out]);
    let want: Vec<u32> = (0..32).map(|i| if i < 4 { 0 } else { 4 + 100 * u32::from(i == 4) }).collect();
    assert_eq!(b.read(out, 32), want);
}
