//! The rules of barriers, shuffles and other warp operations as kernels (128 threads). Each leaves its result in `%r1`.

use super::{Probe, THREADS};

/// A rule.
struct Rule {
    /// What it is about.
    name: &'static str,
    block: [u32; 3],
    /// `%r9` is the number of the thread, `%r8` its lane. `bra end` stores the result as it is, `bra gone` a mark, and the
    /// thread exits.
    code: &'static str,
}

/// One in a block of one row.
const fn rule(name: &'static str, code: &'static str) -> Rule {
    Rule { name, block: [THREADS, 1, 1], code }
}

const RULES: &[Rule] = &[
    rule(
        "exited threads are not counted at a barrier without a count",
        "setp.lt.u32 %p1, %r9, 40; @%p1 bra gone; bar.sync 1; bar.red.popc.u32 %r1, 2, %p2;",
    ),
    rule(
        "a warp with exited threads counts 32 at a barrier with a count",
        "and.b32 %r2, %r9, 63; setp.lt.u32 %p1, %r2, 7; @%p1 bra gone; bar.sync 1, 128; mov.b32 %r1, 5;",
    ),
    rule(
        "the lanes of a warp come to one barrier by different ways",
        "mov.b32 %r2, 0; l: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r8; @%p1 bra l; bar.warp.sync -1;\n\
         st.shared.u32 [%rd2], %r9; barrier.sync 3; xor.b32 %r3, %r9, 127; shl.b32 %r3, %r3, 2; cvt.u64.u32 %rd3, %r3;\n\
         mov.u64 %rd4, s; add.u64 %rd3, %rd3, %rd4; ld.shared.u32 %r1, [%rd3];",
    ),
    rule(
        "two instructions with one barrier",
        "setp.lt.u32 %p1, %r9, 64; @%p1 bra a; barrier.sync 4, 128; mov.b32 %r1, 1; bra end; a: barrier.sync 4, 128; mov.b32 %r1, 2;",
    ),
    rule(
        "a barrier is used again at once",
        "mov.b32 %r1, 0; mov.b32 %r2, 0; l: st.shared.u32 [%rd2], %r2; bar.sync 5; ld.shared.u32 %r3, [s+508];\n\
         add.u32 %r1, %r1, %r3; bar.sync 5; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra l;",
    ),
    rule(
        "producers arrive at a barrier and go on",
        "setp.lt.u32 %p1, %r9, 64; @%p1 bra a; st.shared.u32 [%rd2], %r9; bar.arrive 6, 128; bra end;\n\
         a: bar.sync 6, 128; ld.shared.u32 %r1, [%rd2+256];",
    ),
    rule("reductions of a barrier: popc", "bar.red.popc.u32 %r1, 7, %p2;"),
    rule(
        "reductions of a barrier: and, or",
        "setp.lt.u32 %p3, %r9, 200; bar.red.and.pred %p4, 7, %p3; bar.red.or.pred %p5, 7, %p2; bar.red.and.pred %p6, 7, %p2;\n\
         selp.b32 %r1, 4, 0, %p4; selp.b32 %r2, 2, 0, %p5; selp.b32 %r3, 1, 0, %p6; or.b32 %r1, %r1, %r2; or.b32 %r1, %r1, %r3;",
    ),
    Rule {
        block: [4, 8, 4],
        ..rule(
            "lanes of a block with three dimensions",
            "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mad.lo.u32 %r1, %r2, 100, %r1; mov.u32 %r2, %tid.z;\n\
         mad.lo.u32 %r1, %r2, 10000, %r1; mad.lo.u32 %r1, %r8, 1000000, %r1;",
        )
    },
    rule(
        "shfl.idx with segments",
        "shfl.sync.idx.b32 %r1|%p3, %r9, %r7, 0x181f, -1; @!%p3 add.u32 %r1, %r1, 1000;",
    ),
    rule(
        "shfl.up with segments",
        "and.b32 %r2, %r8, 3; shfl.sync.up.b32 %r1|%p3, %r9, %r2, 0x1800, -1; @!%p3 add.u32 %r1, %r1, 1000;",
    ),
    rule(
        "shfl.down with a clamp inside of the segment",
        "shfl.sync.down.b32 %r1|%p3, %r9, 3, 0x1805, -1; @!%p3 add.u32 %r1, %r1, 1000;",
    ),
    rule(
        "shfl.bfly beyond the segment",
        "shfl.sync.bfly.b32 %r1|%p3, %r9, 12, 0x181f, -1; @!%p3 add.u32 %r1, %r1, 1000;",
    ),
    rule(
        "shfl with an amount of more than five bits",
        "shfl.sync.idx.b32 %r1|%p3, %r9, 69, 0x1f, -1; @!%p3 add.u32 %r1, %r1, 1000;",
    ),
    rule(
        "votes of half a warp",
        "setp.lt.u32 %p1, %r8, 16; @%p1 bra a; vote.sync.ballot.b32 %r1, %p2, 0xffff0000; bra end;\n\
         a: vote.sync.ballot.b32 %r1, %p2, 0xffff; vote.sync.any.pred %p3, %p2, 0xffff; @%p3 add.u32 %r1, %r1, 1;",
    ),
    rule(
        "members that have exited",
        "setp.lt.u32 %p1, %r8, 5; @%p1 bra gone; vote.sync.ballot.b32 %r1, %p2, -1; redux.sync.add.s32 %r2, %r9, -1; add.u32 %r1, %r1, %r2;",
    ),
    rule("match.any", "match.any.sync.b32 %r1, %r7, -1;"),
    rule(
        "match.all",
        "match.all.sync.b32 %r1|%p3, %r7, -1; shr.u32 %r2, %r9, 5; match.all.sync.b32 %r3|%p4, %r2, -1; add.u32 %r1, %r1, %r3; @%p4 add.u32 %r1, %r1, 7;",
    ),
    rule(
        "redux",
        "sub.u32 %r2, 77, %r9; redux.sync.min.s32 %r1, %r2, -1; redux.sync.max.u32 %r3, %r2, -1; mad.lo.u32 %r1, %r1, 3, %r3;\n\
         redux.sync.xor.b32 %r3, %r2, -1; mad.lo.u32 %r1, %r1, 3, %r3; redux.sync.and.b32 %r3, %r2, -1; mad.lo.u32 %r1, %r1, 3, %r3;",
    ),
    rule(
        "the elected lane",
        "setp.lt.u32 %p1, %r8, 4; @%p1 bra end; elect.sync %r1|%p3, 0xfffffff0; @%p3 add.u32 %r1, %r1, 100;",
    ),
    rule(
        "activemask after a divergence that ends at bar.warp.sync",
        "@%p2 bra a; add.u32 %r7, %r7, 1; a: bar.warp.sync -1; activemask.b32 %r1;",
    ),
];

/// The probes of the rules.
pub fn probes() -> impl Iterator<Item = Probe> {
    RULES.iter().map(|&Rule { name, block, code }| {
        let ptx = format!(
            ".shared .align 8 .b8 s[1024];\n\
             .visible .entry k(.param .u64 from, .param .u64 slots, .param .u64 to)\n{{\n\
             .reg .pred %p<8>; .reg .b32 %r<10>; .reg .b64 %rd<6>;\n\
             mov.u32 %r1, %tid.z; mov.u32 %r2, %ntid.y; mov.u32 %r3, %tid.y; mad.lo.u32 %r1, %r1, %r2, %r3;\n\
             mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r9, %r1, %r2, %r3; mov.u32 %r8, %laneid;\n\
             ld.param.u64 %rd1, [to]; mad.wide.u32 %rd1, %r9, 16, %rd1; mov.b32 %r1, 0;\n\
             mov.u64 %rd2, s; mad.wide.u32 %rd2, %r9, 4, %rd2; mul.lo.u32 %r7, %r9, 7; rem.u32 %r7, %r7, 11;\n\
             setp.gt.u32 %p2, %r7, 4; mov.b64 %rd5, 1;\n\
             {code}\nend:\n\
             cvt.u64.u32 %rd3, %r1; st.global.v2.b64 [%rd1], {{%rd3, %rd5}}; ret;\n\
             gone: st.global.v2.b64 [%rd1], {{%rd5, %rd5}}; exit;\n}}\n"
        );
        Probe { name: format!("rule: {name}"), ptx, block, approximate: None }
    })
}
