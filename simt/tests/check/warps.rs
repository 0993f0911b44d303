//! Shuffles and phases of barriers.

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
                 shfl.sync.down.b32 %r5|%p2, %r2, 8, 31, 0xffff; st.global.u32 [%rd2], %r5;",
                &[
                    "check warp: a value that is stored for others is undefined",
                    "shuffle from lane 16, which is not in its member mask (0x0000ffff), by thread (8,0,0)",
                ],
            ),
            case(
                "a lane that has exited",
                "setp.eq.u32 %p1, %r2, 3; @%p1 ret;
                 shfl.sync.idx.b32 %r5|%p2, %r2, 3, 31, 0xffffffff; st.global.u32 [%rd2], %r5;",
                &["shuffle from lane 3, which has exited"],
            ),
            case(
                "a butterfly in one half",
                "setp.gt.u32 %p1, %r2, 7; @%p1 ret;
                 shfl.sync.bfly.b32 %r5|%p2, %r2, 8, 31, 0xff; st.global.u32 [%rd2], %r5;",
                &["shuffle from lane 8"],
            ),
            case(
                "upwards out of an upper half",
                "and.b32 %r6, %r2, 31; setp.lt.u32 %p1, %r6, 16; @%p1 bra done;
                 shfl.sync.up.b32 %r5|%p2, %r2, 1, 0, 0xffff0000; st.global.u32 [%rd2], %r5;
                 done:",
                &["shuffle from lane 15"],
            ),
            case("a whole warp", "shfl.sync.bfly.b32 %r5|%p2, %r2, 16, 31, 0xffffffff;", &[]),
            case(
                "inside of one half",
                "setp.gt.u32 %p1, %r2, 15; @%p1 ret;
                 shfl.sync.bfly.b32 %r5|%p2, %r2, 8, 31, 0xffff;",
                &[],
            ),
            case(
                "a branch on what came from outside",
                "setp.gt.u32 %p1, %r2, 15; @%p1 ret;
                 shfl.sync.down.b32 %r5|%p2, %r2, 8, 31, 0xffff;
                 setp.eq.u32 %p3, %r5, 7; @%p3 bra done; done:",
                &["check warp: what a branch depends on is undefined"],
            ),
            case(
                "what came from outside is left alone",
                "setp.gt.u32 %p1, %r2, 15; @%p1 ret;
                 shfl.sync.down.b32 %r5|%p2, %r2, 8, 31, 0xffff;
                 add.u32 %r5, %r5, %r2; setp.lt.u32 %p3, %r2, 8; selp.b32 %r6, %r5, 0, %p3;
                 st.global.u32 [%rd2], %r6;",
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
