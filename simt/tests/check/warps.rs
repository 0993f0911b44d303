//! Warp operations and phases of barriers.

use crate::{Case, table};

const fn case(name: &'static str, body: &'static str, found: &'static [&'static str]) -> Case {
    Case { name, shape: (1, 64), declarations: "", body, found }
}

#[test]
fn shuffles_from_lanes_that_take_no_part() {
    table(
        "warp",
        &[
            case(
                "a lane outside of the mask",
                "setp.gt.u32 %p1, %r2, 15; @%p1 ret;
                 shfl.sync.down.b32 %r5|%p2, %r2, 8, 31, 0xffff;",
                &["check warp: a shuffle reads lane 16, which is not in its member mask (0x0000ffff)"],
            ),
            case(
                "a lane that has exited",
                "setp.eq.u32 %p1, %r2, 3; @%p1 ret;
                 shfl.sync.idx.b32 %r5|%p2, %r2, 3, 31, 0xffffffff;",
                &["a shuffle reads lane 3, which has exited"],
            ),
            case(
                "a butterfly in one half",
                "setp.gt.u32 %p1, %r2, 7; @%p1 ret;
                 shfl.sync.bfly.b32 %r5|%p2, %r2, 8, 31, 0xff;",
                &["a shuffle reads lane 8"],
            ),
            case(
                "upwards out of an upper half",
                "and.b32 %r6, %r2, 31; setp.lt.u32 %p1, %r6, 16; @%p1 bra done;
                 shfl.sync.up.b32 %r5|%p2, %r2, 1, 0, 0xffff0000;
                 done:",
                &["a shuffle reads lane 15"],
            ),
            case("a whole warp", "shfl.sync.bfly.b32 %r5|%p2, %r2, 16, 31, 0xffffffff;", &[]),
            case(
                "inside of one half",
                "setp.gt.u32 %p1, %r2, 15; @%p1 ret;
                 shfl.sync.bfly.b32 %r5|%p2, %r2, 8, 31, 0xffff;",
                &[],
            ),
            case(
                "down to the end of the segment",
                "shfl.sync.down.b32 %r5|%p2, %r2, 16, 31, 0xffffffff;",
                &[],
            ),
        ],
    );
}

#[test]
fn threads_of_one_warp_at_different_barriers() {
    const SPLIT: &[&str] = &["threads of one warp pass barrier 0 at different instructions"];
    table(
        "barrier",
        &[
            case(
                "both sides of a branch",
                "and.b32 %r5, %r2, 1; setp.eq.u32 %p1, %r5, 0;
                 @%p1 bra even; barrier.sync 0; bra done; even: barrier.sync 0; done:",
                SPLIT,
            ),
            case(
                "one lane goes round once more",
                "mov.u32 %r5, 0; setp.eq.u32 %p1, %r2, 0;
                 @%p1 bra one; barrier.sync 0; barrier.sync 0; bra done;
                 one: barrier.sync 0; mov.u32 %r6, 1; barrier.sync 0; done:",
                SPLIT,
            ),
            case(
                "with a count",
                "setp.lt.u32 %p1, %r2, 8;
                 @%p1 bra few; barrier.sync 0, 64; bra done; few: barrier.sync 0, 64; done:",
                SPLIT,
            ),
            case("one instruction", "barrier.sync 0; barrier.sync 0;", &[]),
            case(
                "different warps at different instructions",
                "setp.lt.u32 %p1, %r2, 32; @%p1 bra low; bar.sync 0; bra done; low: bar.sync 0; done:",
                &[],
            ),
        ],
    );
}
