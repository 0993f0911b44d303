//! Patterns of programs, right and with a fence or a barrier too few.

use crate::{SEEDS, kernel, run};
use simt::MemoryModel;

/// A pattern.
struct Pattern {
    name: &'static str,
    /// CTAs and threads of each.
    shape: (u32, u32),
    /// The body of [`crate::kernel`].
    body: String,
    /// Word 0 of the array at the end when nothing goes wrong.
    right: u32,
    /// Whether the pattern is right.
    correct: bool,
}

fn table(patterns: &[Pattern]) {
    for Pattern { name, shape, body, right, correct } in patterns {
        let text = kernel(body);
        let wrong = |seed: &u64| run(&text, *shape, 4096, MemoryModel::Weak, *seed)[0] != *right;
        let wrong = (0..SEEDS).filter(wrong).count();
        println!("{wrong:3} of {SEEDS}: {name}");
        assert_eq!(wrong == 0, *correct, "{name}");
    }
}

/// Four warps count under a lock, three times each.
fn lock(correct: bool, name: &'static str, take: &str, free: &str) -> Pattern {
    let body = format!(
        "and.b32 %r5, %r2, 31; setp.ne.u32 %p1, %r5, 0; @%p1 bra done; mov.u32 %r9, 0;
         again: {take}
         ld.global.u32 %r6, [%rd1]; add.u32 %r6, %r6, 1; st.global.u32 [%rd1], %r6;
         {free}
         add.u32 %r9, %r9, 1; setp.lt.u32 %p3, %r9, 3; @%p3 bra again;
         done: bar.sync 0;"
    );
    Pattern { name, shape: (1, 128), body, right: 12, correct }
}

#[test]
fn locks() {
    const TAKE: &str =
        "atom.acquire.gpu.global.cas.b32 %r7, [%rd1+64], 0, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra again;";
    const FREE: &str = "st.release.gpu.global.u32 [%rd1+64], 0;";
    const TAKE_RELAXED: &str =
        "atom.relaxed.gpu.global.cas.b32 %r7, [%rd1+64], 0, 1; setp.ne.u32 %p2, %r7, 0; @%p2 bra again;";
    const EXCHANGE: &str = "atom.relaxed.gpu.global.exch.b32 %r7, [%rd1+64], 0;";
    let fenced = |text: &str| (format!("{text} fence.acq_rel.gpu;"), format!("fence.acq_rel.gpu; {text}"));
    table(&[
        lock(true, "lock", TAKE, FREE),
        lock(true, "lock with fences", &fenced(TAKE_RELAXED).0, &fenced(EXCHANGE).1),
        lock(
            true,
            "lock with membar",
            &format!("{TAKE_RELAXED} membar.cta;"),
            &format!("membar.cta; {EXCHANGE}"),
        ),
        lock(false, "lock, no release", TAKE, EXCHANGE),
        lock(false, "lock, freed by a volatile store", TAKE, "st.volatile.global.u32 [%rd1+64], 0;"),
        lock(false, "lock, no acquire", TAKE_RELAXED, FREE),
        lock(false, "lock, no order at all", TAKE_RELAXED, EXCHANGE),
    ]);
}

/// Each thread stores its part, and the last of eight CTAs adds all of them up.
fn last(correct: bool, name: &'static str, [each, before, atom, after]: [&str; 4]) -> Pattern {
    let body = format!(
        "add.u32 %r5, %r1, 1; st.global.u32 [%rd2+1024], %r5; {each} bar.sync 0;
         setp.ne.u32 %p1, %r2, 0; @%p1 ret;
         {before} {atom}.global.add.u32 %r6, [%rd1+512], 1; setp.ne.u32 %p2, %r6, 7; @%p2 ret; {after}
         mov.u32 %r7, 0; mov.u32 %r8, 0; mov.u64 %rd5, %rd1;
         sum: ld.global.u32 %r9, [%rd5+1024]; add.u32 %r7, %r7, %r9; add.s64 %rd5, %rd5, 4;
         add.u32 %r8, %r8, 1; setp.lt.u32 %p3, %r8, 512; @%p3 bra sum;
         st.global.u32 [%rd1], %r7;"
    );
    Pattern { name, shape: (8, 64), body, right: 512 * 513 / 2, correct }
}

#[test]
fn the_last_block_adds_up() {
    const RELAXED: &str = "atom.relaxed.gpu";
    table(&[
        last(true, "last block, threadfence of each thread", ["membar.gl;", "", RELAXED, "membar.gl;"]),
        last(true, "last block, threadfence of the leader", ["", "membar.gl;", RELAXED, "membar.gl;"]),
        last(true, "last block, fence.acq_rel", ["", "fence.acq_rel.gpu;", RELAXED, "fence.acq_rel.gpu;"]),
        last(true, "last block, an atomic that orders", ["", "", "atom.acq_rel.gpu", ""]),
        last(false, "last block, no fence", ["", "", RELAXED, "membar.gl;"]),
        last(false, "last block, a fence of the CTA", ["membar.cta;", "membar.cta;", RELAXED, "membar.gl;"]),
        last(false, "last block, an atomic of CTA scope", ["", "", "atom.acq_rel.cta", "membar.gl;"]),
    ]);
}

/// Each thread stores its number plus one and adds what thread `%tid.x ^ other` has stored.
fn exchange(correct: bool, name: &'static str, other: u32, between: &str) -> Pattern {
    let body = format!(
        "mov.u64 %rd4, s; mul.wide.u32 %rd5, %r2, 4; add.s64 %rd5, %rd4, %rd5;
         xor.b32 %r5, %r2, {other}; mul.wide.u32 %rd6, %r5, 4; add.s64 %rd6, %rd4, %rd6;
         add.u32 %r6, %r2, 1; st.shared.u32 [%rd5], 0; st.global.u32 [%rd2+2048], 0; bar.sync 0;
         st.shared.u32 [%rd5], %r6; st.global.u32 [%rd2+2048], %r6;
         {between}
         ld.shared.u32 %r7, [%rd6]; sub.s64 %rd7, %rd6, %rd4; add.s64 %rd7, %rd7, %rd1; ld.global.u32 %r8, [%rd7+2048];
         add.u32 %r7, %r7, %r8; atom.relaxed.gpu.global.add.u32 %r9, [%rd1], %r7;"
    );
    Pattern { name, shape: (1, 64), body, right: 64 * 65, correct }
}

#[test]
fn barriers_bring_stores_to_their_threads() {
    table(&[
        exchange(true, "barrier", 33, "bar.sync 0;"),
        exchange(true, "barrier with a count", 33, "barrier.sync 3, 64;"),
        exchange(true, "barrier that reduces", 33, "bar.red.popc.u32 %r10, 2, %p1;"),
        exchange(true, "arrive, then wait", 33, "bar.arrive 1, 64; bar.sync 0;"),
        exchange(true, "barrier of the warp", 1, "bar.warp.sync 0xffffffff;"),
        exchange(false, "no barrier", 33, ""),
        exchange(false, "only a fence", 33, "membar.gl;"),
        exchange(false, "the barrier of another warp", 33, "bar.warp.sync 0xffffffff;"),
        exchange(false, "lanes in step", 1, ""),
        exchange(
            false,
            "a shuffle in place of a barrier",
            1,
            "shfl.sync.idx.b32 %r10|%p1, %r2, 0, 31, 0xffffffff;",
        ),
    ]);
}

/// One thread makes data, the others use it if a flag says so; who comes before it makes its own.
fn once(correct: bool, name: &'static str, load: &str, store: &str) -> Pattern {
    let body = format!(
        "mov.u32 %r6, 42; setp.eq.u32 %p1, %r2, 0; @%p1 bra make;
         {load} setp.eq.u32 %p2, %r5, 0; @%p2 bra done;
         ld.global.u32 %r6, [%rd1+128]; setp.eq.u32 %p3, %r6, 42; @%p3 bra done; st.global.u32 [%rd1], 1; bra done;
         make: st.global.u32 [%rd1+128], 42; {store}
         done: bar.sync 0;"
    );
    Pattern { name, shape: (1, 128), body, right: 0, correct }
}

#[test]
fn data_that_is_made_once() {
    const LOAD: &str = "ld.acquire.cta.global.u32 %r5, [%rd1+64];";
    table(&[
        once(true, "made once", LOAD, "st.release.cta.global.u32 [%rd1+64], 1;"),
        once(
            true,
            "made once, fences",
            "ld.volatile.global.u32 %r5, [%rd1+64]; membar.cta;",
            "membar.cta; st.volatile.global.u32 [%rd1+64], 1;",
        ),
        once(false, "made once, no release", LOAD, "st.relaxed.cta.global.u32 [%rd1+64], 1;"),
        once(
            false,
            "made once, no acquire",
            "ld.volatile.global.u32 %r5, [%rd1+64];",
            "membar.cta; st.volatile.global.u32 [%rd1+64], 1;",
        ),
    ]);
}

/// A thread that has exited has stored before the barrier that its exit completes, and the end of a kernel is a barrier
/// of all.
#[test]
fn exits_and_ends() {
    let pattern =
        |name, shape, body: &str, right| Pattern { name, shape, body: body.into(), right, correct: true };
    table(&[
        pattern(
            "an exit completes a barrier",
            (1, 64),
            "setp.lt.u32 %p1, %r2, 32; @%p1 bra wait; st.global.u32 [%rd2+256], 1; ret;
             wait: bar.sync 0; ld.global.u32 %r5, [%rd2+384]; atom.global.add.u32 %r6, [%rd1], %r5;",
            32,
        ),
        pattern(
            "the last store of each CTA",
            (16, 32),
            "st.global.u32 [%rd2+4], 7; st.global.u32 [%rd1], 9;",
            9,
        ),
    ]);
}

/// The memory that a kernel frees may be another's at once: nothing may be written to it later.
#[test]
fn freed_memory_gets_no_late_stores() {
    let body = "mov.u32 %r9, 0;
         again: { .param .b64 a; .param .b64 r; st.param.b64 [a], 64; call (r), malloc, (a); ld.param.b64 %rd5, [r]; }
         ld.u32 %r6, [%rd5]; st.u32 [%rd5+8], %r1; ld.u32 %r7, [%rd5+8]; setp.eq.u32 %p1, %r7, %r1; @%p1 bra right;
         st.global.u32 [%rd1], 1;
         right: { .param .b64 a; st.param.b64 [a], %rd5; call free, (a); }
         add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 20; @%p2 bra again;";
    let declarations =
        ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n.shared";
    for seed in 0..20 {
        let text = kernel(body).replacen(".shared", declarations, 1);
        assert_eq!(run(&text, (2, 64), 64, MemoryModel::Weak, seed)[0], 0, "seed {seed}");
    }
}

/// The same seed, the same run.
#[test]
fn a_seed_repeats_a_run() {
    let racy = exchange(false, "no barrier", 33, "");
    let mut outcomes: Vec<u32> = Vec::new();
    for seed in 0..20 {
        let once = || run(&kernel(&racy.body), racy.shape, 4096, MemoryModel::Weak, seed)[0];
        let first = once();
        assert!((0..3).all(|_| once() == first), "seed {seed}");
        outcomes.push(first);
    }
    outcomes.dedup();
    assert!(outcomes.len() > 1);
}
