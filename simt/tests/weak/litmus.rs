//! A few threads, a few locations, and an outcome that PTX allows or forbids.

use crate::{SEEDS, kernel, run};
use simt::MemoryModel;

/// A litmus test.
struct Litmus {
    name: String,
    /// What each thread does. `X` and `Y` are addresses of words of 32 bits that are 0, `.S` their space; what stands in
    /// `%r10` and `%r11` at the end is the outcome.
    threads: Vec<String>,
    /// Whether an outcome is the one in question: the registers of each thread.
    odd: fn(&[[u32; 2]], [u32; 2]) -> bool,
    /// Whether PTX allows it, and it shows.
    allowed: bool,
}

/// The text of a test. Threads are `stride` apart: lanes of one warp, or warps. They do something else for a while before
/// they meet at the barrier.
fn text(test: &Litmus, shared: bool, stride: usize) -> String {
    let mut body = String::from(
        "mov.u64 %rd4, s; add.s64 %rd6, %rd1, 128; st.shared.u64 [%rd4], 0; mov.u32 %r10, 0; mov.u32 %r11, 0; bar.sync 0;\n",
    );
    body += if shared { "" } else { "mov.u64 %rd4, %rd1;\n" };
    body += "add.s64 %rd5, %rd4, 4;\n";
    for (k, thread) in test.threads.iter().enumerate() {
        let tid = k * stride;
        let (loops, own) = (format!("L{k}_"), 8 * k);
        let thread = thread.replace("LOOP", &loops);
        body += &format!(
            "setp.ne.u32 %p1, %r2, {tid}; @%p1 bra N{k};
             {thread}
             mov.u32 %r12, 0; W{k}: ld.volatile.global.u32 %r13, [%rd6+96]; add.u32 %r12, %r12, 1;
             setp.lt.u32 %p2, %r12, 40; @%p2 bra W{k};
             st.global.u32 [%rd6+{own}], %r10; st.global.u32 [%rd6+{}], %r11; N{k}:\n",
            own + 4
        );
    }
    body += "bar.sync 0; setp.ne.u32 %p1, %r2, 0; @%p1 ret;
        ld.S.u32 %r10, [X]; ld.S.u32 %r11, [Y]; st.global.u32 [%rd6+64], %r10; st.global.u32 [%rd6+68], %r11;";
    let space = if shared { ".shared" } else { ".global" };
    kernel(&body.replace("[X", "[%rd4").replace("[Y", "[%rd5").replace(".S", space))
}

/// Under how many seeds the odd outcome shows, in each place.
fn shown(test: &Litmus, model: MemoryModel) -> [usize; 4] {
    let places = [(false, 32), (false, 1), (true, 32), (true, 1)];
    places.map(|(shared, stride)| {
        let text = text(test, shared, stride);
        let threads = (test.threads.len() * stride).next_multiple_of(32) as u32;
        let odd = |seed: &u64| {
            let words = run(&text, (1, threads), 64, model, *seed);
            let registers: Vec<[u32; 2]> =
                (0..test.threads.len()).map(|k| [words[32 + 2 * k], words[33 + 2 * k]]).collect();
            (test.odd)(&registers, [words[48], words[49]])
        };
        (0..SEEDS).filter(odd).count()
    })
}

fn table(tests: &[Litmus]) {
    for test in tests {
        let [a, b, c, d] = shown(test, MemoryModel::Weak);
        println!("{a:3} {b:3} {c:3} {d:3} of {SEEDS}: {}", test.name);
        let right = if test.allowed { |n: usize| n > 0 } else { |n: usize| n == 0 };
        assert!([a, b, c, d].into_iter().all(right), "{}", test.name);
    }
}

fn of(name: &str, threads: &[&str], odd: fn(&[[u32; 2]], [u32; 2]) -> bool, allowed: bool) -> Litmus {
    Litmus { name: name.into(), threads: threads.iter().map(|&t| t.into()).collect(), odd, allowed }
}

/// Message passing: the second thread waits for Y and does not see X.
fn mp(allowed: bool, name: &str, store: &str, load: &str) -> Litmus {
    let writer = format!("st.S.u32 [X], 1; {store}");
    let reader = format!("LOOP: {load} setp.eq.u32 %p2, %r10, 0; @%p2 bra LOOP; ld.S.u32 %r11, [X];");
    of(&format!("message passing, {name}"), &[&writer, &reader], |r, _| r[1] == [1, 0], allowed)
}

#[test]
fn message_passing() {
    table(&[
        mp(true, "nothing", "st.relaxed.gpu.S.u32 [Y], 1;", "ld.relaxed.gpu.S.u32 %r10, [Y];"),
        mp(true, "volatile", "st.volatile.S.u32 [Y], 1;", "ld.volatile.S.u32 %r10, [Y];"),
        mp(true, "plain", "st.S.u32 [Y], 1;", "ld.S.u32 %r10, [Y];"),
        mp(true, "no release", "st.relaxed.gpu.S.u32 [Y], 1;", "ld.acquire.gpu.S.u32 %r10, [Y];"),
        mp(true, "no acquire", "st.release.gpu.S.u32 [Y], 1;", "ld.relaxed.gpu.S.u32 %r10, [Y];"),
        mp(
            true,
            "an atomic flag",
            "atom.relaxed.gpu.S.exch.b32 %r5, [Y], 1;",
            "ld.acquire.gpu.S.u32 %r10, [Y];",
        ),
        mp(
            true,
            "a fence of the writer",
            "membar.gl; st.relaxed.gpu.S.u32 [Y], 1;",
            "ld.relaxed.gpu.S.u32 %r10, [Y];",
        ),
        mp(
            true,
            "a fence too early",
            "st.S.u32 [X], 0; fence.acq_rel.gpu; st.S.u32 [X], 1; st.relaxed.gpu.S.u32 [Y], 1;",
            "ld.acquire.gpu.S.u32 %r10, [Y];",
        ),
        mp(false, "release and acquire", "st.release.gpu.S.u32 [Y], 1;", "ld.acquire.gpu.S.u32 %r10, [Y];"),
        mp(false, "scope cta", "st.release.cta.S.u32 [Y], 1;", "ld.acquire.cta.S.u32 %r10, [Y];"),
        mp(
            false,
            "fences",
            "fence.acq_rel.cta; st.relaxed.cta.S.u32 [Y], 1;",
            "ld.relaxed.cta.S.u32 %r10, [Y]; fence.acq_rel.cta;",
        ),
        mp(
            false,
            "fences and volatile",
            "membar.cta; st.volatile.S.u32 [Y], 1;",
            "ld.volatile.S.u32 %r10, [Y]; membar.cta;",
        ),
        mp(
            false,
            "a fence and an atomic",
            "fence.acq_rel.gpu; atom.relaxed.gpu.S.add.u32 %r5, [Y], 1;",
            "atom.relaxed.gpu.S.add.u32 %r10, [Y], 0; fence.acq_rel.gpu;",
        ),
        mp(
            false,
            "atomics that order",
            "atom.release.cta.S.exch.b32 %r5, [Y], 1;",
            "atom.acquire.cta.S.or.b32 %r10, [Y], 0;",
        ),
        mp(
            false,
            "fences of several scopes",
            "fence.acq_rel.gpu; fence.acq_rel.cta; st.relaxed.gpu.S.u32 [Y], 1;",
            "ld.acquire.gpu.S.u32 %r10, [Y];",
        ),
    ]);
}

/// Store buffering: neither thread sees the other's store. `store` is for `[A]`, `load` from `[B]`.
fn sb(allowed: bool, name: &str, store: &str, load: &str) -> Litmus {
    let thread = |a: &str, b: &str| format!("{store} {load}").replace("[A]", a).replace("[B]", b);
    let threads = [thread("[X]", "[Y]"), thread("[Y]", "[X]")];
    let odd = |r: &[[u32; 2]], _| r[0][0] == 0 && r[1][0] == 0;
    of(&format!("store buffering, {name}"), &threads.each_ref().map(String::as_str), odd, allowed)
}

/// The same with a fence in between.
fn sb_fenced(allowed: bool, name: &str, fence: &str) -> Litmus {
    let load = format!("{fence} ld.relaxed.gpu.S.u32 %r10, [B];");
    sb(allowed, name, "st.relaxed.gpu.S.u32 [A], 1;", &load)
}

#[test]
fn store_buffering() {
    table(&[
        sb_fenced(true, "nothing", ""),
        sb_fenced(true, "fence.acq_rel", "fence.acq_rel.gpu;"),
        sb(true, "release and acquire", "st.release.gpu.S.u32 [A], 1;", "ld.acquire.gpu.S.u32 %r10, [B];"),
        sb_fenced(false, "fence.sc", "fence.sc.gpu;"),
        sb_fenced(false, "fence.sc of the CTA", "fence.sc.cta;"),
        sb_fenced(false, "membar", "membar.gl;"),
    ]);
}

/// Two threads write both locations, in opposite order.
fn crossed(allowed: bool, name: &str, then: &str) -> Litmus {
    let thread = |a: &str, b: &str| format!("st.relaxed.gpu.S.u32 {a}, 1; {then}.S.u32 {b}, 2;");
    let threads = [thread("[X]", "[Y]"), thread("[Y]", "[X]")];
    let threads = threads.each_ref().map(String::as_str);
    of(&format!("2+2W, {name}"), &threads, |_, last| last == [1, 1], allowed)
}

/// Two threads read what two others write, and disagree about which came first.
fn iriw(allowed: bool, name: &str, between: &str) -> Litmus {
    let reader = |a: &str, b: &str| {
        format!(
            "LOOP: ld.relaxed.gpu.S.u32 %r10, {a}; setp.eq.u32 %p2, %r10, 0; @%p2 bra LOOP;
             {between} ld.relaxed.gpu.S.u32 %r11, {b};"
        )
    };
    let (one, other) = (reader("[X]", "[Y]"), reader("[Y]", "[X]"));
    let threads = ["st.relaxed.gpu.S.u32 [X], 1;", "st.relaxed.gpu.S.u32 [Y], 1;", &one, &other];
    of(&format!("IRIW, {name}"), &threads, |r, _| r[2] == [1, 0] && r[3] == [1, 0], allowed)
}

#[test]
fn writes_and_reads_of_several_threads() {
    table(&[
        crossed(true, "nothing", "st.relaxed.gpu"),
        crossed(true, "fence.acquire", "fence.acquire.gpu; st.relaxed.gpu"),
        crossed(false, "release", "st.release.gpu"),
        crossed(false, "fences", "fence.acq_rel.gpu; st.relaxed.gpu"),
        iriw(true, "nothing", ""),
        iriw(false, "fence.sc", "fence.sc.gpu;"),
        of(
            "WRC, no release",
            &[
                "st.relaxed.gpu.S.u32 [X], 1;",
                "LOOP: ld.relaxed.gpu.S.u32 %r10, [X]; setp.eq.u32 %p2, %r10, 0; @%p2 bra LOOP; st.relaxed.gpu.S.u32 [Y], 1;",
                "LOOP: ld.relaxed.gpu.S.u32 %r10, [Y]; setp.eq.u32 %p2, %r10, 0; @%p2 bra LOOP; ld.relaxed.gpu.S.u32 %r11, [X];",
            ],
            |r, _| r[2] == [1, 0],
            true,
        ),
        of(
            "WRC, release and acquire",
            &[
                "st.relaxed.gpu.S.u32 [X], 1;",
                "LOOP: ld.relaxed.gpu.S.u32 %r10, [X]; setp.eq.u32 %p2, %r10, 0; @%p2 bra LOOP; st.release.gpu.S.u32 [Y], 1;",
                "LOOP: ld.acquire.gpu.S.u32 %r10, [Y]; setp.eq.u32 %p2, %r10, 0; @%p2 bra LOOP; ld.relaxed.gpu.S.u32 %r11, [X];",
            ],
            |r, _| r[2] == [1, 0],
            false,
        ),
        of(
            "a chain of two releases, an atomic in between",
            &[
                "st.S.u32 [X], 1; st.release.gpu.S.u32 [Y], 1;",
                "LOOP: atom.relaxed.gpu.S.cas.b32 %r10, [Y], 1, 2; setp.ne.u32 %p2, %r10, 1; @%p2 bra LOOP;",
                "LOOP: ld.acquire.gpu.S.u32 %r10, [Y]; setp.ne.u32 %p2, %r10, 2; @%p2 bra LOOP; ld.S.u32 %r11, [X];",
            ],
            |r, _| r[2] == [2, 0],
            false,
        ),
    ]);
}

/// What one location shows. None of these is ever allowed.
#[test]
fn coherence() {
    table(&[
        of(
            "CoRR",
            &[
                "st.relaxed.gpu.S.u32 [X], 1; st.relaxed.gpu.S.u32 [X], 2;",
                "ld.relaxed.gpu.S.u32 %r10, [X]; ld.relaxed.gpu.S.u32 %r11, [X];",
            ],
            |r, _| r[1][0] > r[1][1],
            false,
        ),
        of(
            "CoRR of three threads",
            &[
                "st.relaxed.gpu.S.u32 [X], 1;",
                "st.relaxed.gpu.S.u32 [X], 2;",
                "ld.relaxed.gpu.S.u32 %r10, [X]; ld.relaxed.gpu.S.u32 %r11, [X];",
                "ld.relaxed.gpu.S.u32 %r10, [X]; ld.relaxed.gpu.S.u32 %r11, [X];",
            ],
            |r, _| {
                let both = |k: usize| r[k][0] != 0 && r[k][1] != 0 && r[k][0] != r[k][1];
                both(2) && both(3) && r[2] != r[3] || (2..4).any(|k| r[k][0] != 0 && r[k][1] == 0)
            },
            false,
        ),
        of(
            "CoWW",
            &["st.S.u32 [X], 1; st.S.u32 [X], 2;", "ld.S.u32 %r10, [X];"],
            |_, last| last[0] != 2,
            false,
        ),
        of(
            "CoWR",
            &["st.S.u32 [X], 1; ld.S.u32 %r10, [X];", "ld.S.u32 %r10, [X];"],
            |r, _| r[0][0] != 1,
            false,
        ),
        of(
            "CoWR and another writer",
            &["st.relaxed.gpu.S.u32 [X], 1; ld.relaxed.gpu.S.u32 %r10, [X];", "st.relaxed.gpu.S.u32 [X], 2;"],
            |r, last| r[0][0] == 0 || r[0][0] == 2 && last[0] == 1,
            false,
        ),
        of("CoRW", &["ld.S.u32 %r10, [X]; st.S.u32 [X], 1;"], |r, _| r[0][0] != 0, false),
        of(
            "an atomic behind a store",
            &[
                "st.relaxed.gpu.S.u32 [X], 5; atom.relaxed.gpu.S.add.u32 %r10, [X], 1; ld.relaxed.gpu.S.u32 %r11, [X];",
            ],
            |r, last| r[0] != [5, 6] || last[0] != 6,
            false,
        ),
        of(
            "atomics of two threads",
            &[
                "atom.relaxed.gpu.S.add.u32 %r10, [X], 1; ld.relaxed.gpu.S.u32 %r11, [X];",
                "atom.relaxed.gpu.S.add.u32 %r10, [X], 1; ld.relaxed.gpu.S.u32 %r11, [X];",
            ],
            |r, last| last[0] != 2 || r[0][0] == r[1][0] || r.iter().any(|r| r[1] <= r[0]),
            false,
        ),
        of(
            "bytes of a word",
            &[
                "st.S.u32 [X], 0x01020304; st.S.u8 [X+1], 0x0f; ld.S.u32 %r10, [X]; st.S.u16 [X+2], 0x0708; ld.S.u32 %r11, [X];",
            ],
            |r, last| r[0] != [0x0102_0f04, 0x0708_0f04] || last[0] != 0x0708_0f04,
            false,
        ),
        of(
            "two words as one of 64 bits",
            &[
                "st.S.u32 [Y], 3; mov.b64 %rd10, 0x200000001; st.S.u64 [X], %rd10;
               ld.S.u32 %r10, [Y]; st.S.u32 [Y], 4; ld.S.u32 %r11, [Y];",
                "ld.S.v2.u32 {%r10, %r11}, [X];",
            ],
            |r, last| r[0] != [2, 4] || last != [1, 4],
            false,
        ),
        of(
            "64 bits are stored at once",
            &[
                "mov.b64 %rd10, 0x100000001; st.relaxed.gpu.S.u64 [X], %rd10;",
                "ld.relaxed.gpu.S.u64 %rd10, [X]; mov.b64 {%r10, %r11}, %rd10;",
            ],
            |r, _| r[1][0] != r[1][1],
            false,
        ),
    ]);
}

/// What the mode is not: the same odd outcomes without it.
#[test]
fn without_the_mode_nothing_is_odd() {
    for test in [
        mp(true, "nothing", "st.relaxed.gpu.S.u32 [Y], 1;", "ld.relaxed.gpu.S.u32 %r10, [Y];"),
        sb_fenced(true, "nothing", ""),
    ] {
        assert_eq!(shown(&test, MemoryModel::Sequential), [0; 4], "{}", test.name);
    }
}
