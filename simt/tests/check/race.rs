//! Data races.

use crate::{Case, findings, table};

const RACE: &[&str] = &["check race: data race on shared memory"];
const GLOBAL: &[&str] = &["check race: data race on global memory"];

const fn of(
    shape: (u32, u32),
    name: &'static str,
    body: &'static str,
    found: &'static [&'static str],
) -> Case {
    Case { name, shape, declarations: "", body, found }
}

/// Each thread stores its number to its element and loads that of thread `%tid.x ^ 33`, with something between.
const NEIGHBOUR: &str = "xor.b32 %r5, %r2, 33; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd5, %rd8, %rd5;";

fn neighbour(name: &'static str, between: &str, found: &'static [&'static str]) -> Case {
    let body = format!("{NEIGHBOUR} st.shared.u32 [%rd9], %r2; {between} ld.shared.u32 %r6, [%rd5];");
    of((2, 64), name, body.leak(), found)
}

#[test]
fn barriers_order_and_nothing_less_does() {
    table(
        "race",
        &[
            neighbour("no barrier", "", RACE),
            neighbour("only a fence", "membar.cta;", RACE),
            neighbour("only the warp", "bar.warp.sync 0xffffffff;", RACE),
            neighbour("only a vote", "vote.sync.any.pred %p1, %p1, 0xffffffff;", RACE),
            neighbour("a barrier of one warp each", "shr.u32 %r7, %r2, 5; bar.sync %r7, 32;", RACE),
            neighbour("a barrier of all", "bar.sync 0;", &[]),
            neighbour("another id", "bar.sync 7;", &[]),
            neighbour("with a count", "bar.sync 3, 64;", &[]),
            neighbour("not aligned", "barrier.sync 0;", &[]),
            neighbour("another barrier after it", "bar.sync 0; shr.u32 %r7, %r2, 5; bar.sync %r7, 32;", &[]),
        ],
    );
}

#[test]
fn elements_of_eight_bytes_race_in_either_half() {
    // Each thread writes all of its element or half of it, and reads half or all of one of the next warp.
    let body = |stride: u32, write: &str, between: &str, read: &str| {
        let text = format!(
            "mul.wide.u32 %rd4, %r2, {stride}; add.s64 %rd4, %rd8, %rd4;
             xor.b32 %r5, %r2, 33; mul.wide.u32 %rd5, %r5, {stride}; add.s64 %rd5, %rd8, %rd5;
             cvt.u64.u32 %rd6, %r2; {write} {between} {read}"
        );
        &*text.leak()
    };
    let (write, lower, upper) =
        ("st.shared.u64 [%rd4], %rd6;", "st.shared.u32 [%rd4], %r2;", "st.shared.u32 [%rd4+4], %r2;");
    let (read, read_lower, read_upper) =
        ("ld.shared.u64 %rd7, [%rd5];", "ld.shared.u32 %r6, [%rd5];", "ld.shared.u32 %r6, [%rd5+4];");
    table(
        "race",
        &[
            of((1, 64), "row: all, lower half", body(8, write, "", read_lower), RACE),
            of((1, 64), "row: all, upper half", body(8, write, "", read_upper), RACE),
            of((1, 64), "row: lower half, all", body(8, lower, "", read), RACE),
            of((1, 64), "row: upper half, all", body(8, upper, "", read), RACE),
            of((1, 64), "row: the other half", body(8, upper, "", read_lower), &[]),
            of((1, 64), "row: ordered", body(8, upper, "bar.sync 0;", read), &[]),
            of((1, 64), "every second: all, upper half", body(16, write, "", read_upper), RACE),
            of((1, 64), "every second: lower half, all", body(16, lower, "", read), RACE),
            of((1, 64), "every second: upper half, all", body(16, upper, "", read), RACE),
            of((1, 64), "every second: all", body(16, write, "", read), RACE),
            of((1, 64), "every second: ordered", body(16, write, "bar.sync 0;", read), &[]),
        ],
    );
}

#[test]
fn a_barrier_of_some_warps_orders_them_alone() {
    let body = |to: &str| {
        // Warps 0 and 1 meet at barrier 1; then a thread of warp `to` reads what thread 0 wrote.
        let text = format!(
            "shr.u32 %r5, %r2, 5; setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%rd8], 7;
             setp.gt.u32 %p2, %r5, 1; @%p2 bra after; bar.sync 1, 64; after:
             setp.eq.u32 %p3, %r2, {to}; @%p3 ld.shared.u32 %r6, [%rd8];"
        );
        &*text.leak()
    };
    let known = "bar.sync 1, 64; @%p1 bra go; go: bar.sync 1, 64; st.shared.u32 [%rd9], %r2;";
    table(
        "race",
        &[
            of((1, 96), "the second warp", body("40"), &[]),
            of((1, 96), "the third warp", body("70"), RACE),
            of((1, 64), "again and again", known, &[]),
        ],
    );
}

#[test]
fn arriving_without_waiting_passes_on_what_was_done_before() {
    let body = |before: &str, after: &str| {
        let text = format!(
            "setp.lt.u32 %p1, %r2, 32; @!%p1 bra consumer;
             {before} bar.arrive 1, 64; {after} ret;
             consumer: bar.sync 1, 64; ld.shared.u32 %r6, [%rd8+4];"
        );
        &*text.leak()
    };
    table(
        "race",
        &[
            of((1, 64), "before", body("st.shared.u32 [%rd9], %r4;", ""), &[]),
            of((1, 64), "after", body("", "st.shared.u32 [%rd9], %r4;"), RACE),
        ],
    );
}

#[test]
fn lanes_of_a_warp_are_different_threads() {
    let body = |between: &str| {
        let text = format!(
            "xor.b32 %r5, %r2, 1; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd5, %rd8, %rd5;
             st.shared.u32 [%rd9], %r2; {between} ld.shared.u32 %r6, [%rd5];"
        );
        &*text.leak()
    };
    table(
        "race",
        &[
            of((1, 32), "in step", body(""), RACE),
            of((1, 32), "a shuffle", body("shfl.sync.idx.b32 %r6|%p1, %r2, 0, 31, 0xffffffff;"), RACE),
            of((1, 32), "bar.warp.sync", body("bar.warp.sync 0xffffffff;"), &[]),
            of(
                (1, 32),
                "bar.warp.sync of pairs",
                body("and.b32 %r7, %r2, 30; shl.b32 %r8, 3, %r7; bar.warp.sync %r8;"),
                &[],
            ),
            of((1, 32), "one store with different values", "st.shared.u32 [%rd8], %r2;", RACE),
            of((1, 32), "one store with one value", "st.shared.u32 [%rd8], 5;", &[]),
        ],
    );
}

#[test]
fn global_memory_between_teams() {
    // Thread 0 of each team.
    const LEAD: &str = "setp.ne.u32 %p1, %r2, 0; @%p1 ret;";
    let body = |text: &str| &*format!("{LEAD} {text}").leak();
    // A loop that adds to a word by swaps, and in the first team a store.
    let swap = |change: &str, store: &str| {
        body(&format!(
            "ld.u32 %r5, [%rd1];
             again: add.u32 %r6, %r5, {change}; atom.global.cas.b32 %r7, [%rd1], %r5, %r6;
             setp.ne.u32 %p2, %r7, %r5; mov.u32 %r5, %r7; @%p2 bra again;
             setp.eq.u32 %p2, %r3, 0; @%p2 {store}"
        ))
    };
    // The same where half of the word is loaded alone.
    let half = |byte: u32, word: &str| {
        body(&format!(
            "ld.relaxed.gpu.u16 %r8, [%rd1];
             again: mov.u32 %r5, 0; ld.u16 %r9, [%rd1+{byte}]; shl.b32 {word}, %r9, 16; or.b32 %r5, %r5, %r8;
             add.u32 %r6, %r5, 1; atom.global.cas.b32 %r7, [%rd1], %r5, %r6;
             setp.ne.u32 %p2, %r7, %r5; and.b32 %r8, %r7, 0xffff; @%p2 bra again;"
        ))
    };
    table(
        "race",
        &[
            of((4, 32), "stores", body("st.global.u32 [%rd1], %r1;"), GLOBAL),
            of(
                (4, 32),
                "an addition that is not atomic",
                body("ld.global.u32 %r5, [%rd1]; add.u32 %r5, %r5, 1; st.global.u32 [%rd1], %r5;"),
                GLOBAL,
            ),
            of(
                (4, 32),
                "an atomic addition and a store",
                body("atom.global.add.u32 %r5, [%rd1], 1; st.global.u32 [%rd1], %r5;"),
                GLOBAL,
            ),
            of(
                (4, 32),
                "atomics with the scope of a team",
                body("atom.cta.global.add.u32 %r5, [%rd1], 1;"),
                &["the scope of one does not include the other"],
            ),
            of(
                (4, 32),
                "atomics of different sizes",
                body(
                    "setp.eq.u32 %p2, %r3, 0; @%p2 atom.global.add.u32 %r5, [%rd1], 1;
                     @!%p2 atom.global.add.u64 %rd5, [%rd1], 1;",
                ),
                &["their sizes differ"],
            ),
            of((4, 32), "atomics", body("atom.global.add.u32 %r5, [%rd1], 1;"), &[]),
            of(
                (4, 32),
                "an atomic of a word and an ordered load of its upper byte",
                body(
                    "ld.relaxed.gpu.global.u8 %r5, [%rd1+3]; atom.global.cas.b32 %r5, [%rd1], 0, 0x1000000;",
                ),
                &[],
            ),
            of(
                (4, 32),
                "stores to bytes, and swaps of their words that change another byte",
                swap("0x10000", "st.global.u8 [%rd1+1], %r1;"),
                &[],
            ),
            of((4, 32), "and that change this byte", swap("0x100", "st.global.u8 [%rd1+1], %r2;"), GLOBAL),
            of(
                (4, 32),
                "swaps that change half of a word, and loads of the other half for them",
                half(2, "%r5"),
                &[],
            ),
            of((4, 32), "and loads of the half that changes, for something else", half(0, "%r9"), GLOBAL),
            of(
                (4, 32),
                "ordered accesses of a byte and of two",
                body("ld.relaxed.gpu.global.u8 %r5, [%rd1]; st.relaxed.gpu.global.u16 [%rd1], %r1;"),
                &[],
            ),
            of(
                (4, 32),
                "an atomic of a word and a store to its upper byte",
                body("st.global.u8 [%rd1+3], %r1; atom.global.add.u32 %r5, [%rd1], 1;"),
                GLOBAL,
            ),
            of(
                (4, 32),
                "volatile accesses",
                body("ld.volatile.global.u32 %r5, [%rd1]; st.volatile.global.u32 [%rd1], %r1;"),
                &[],
            ),
            of((4, 32), "one value", body("st.global.u32 [%rd1], 9;"), &[]),
            of((4, 32), "reads", body("ld.global.u32 %r5, [%rd1+8];"), &[]),
            of((4, 64), "elements", "ld.global.u32 %r5, [%rd2]; st.global.u32 [%rd2], %r1;", &[]),
        ],
    );
}

#[test]
fn bytes_are_told_apart() {
    table(
        "race",
        &[
            of(
                (1, 64),
                "bytes of their own",
                "cvt.u64.u32 %rd5, %r2; add.s64 %rd5, %rd8, %rd5; st.shared.u8 [%rd5], %r2; ld.shared.u8 %r6, [%rd5];",
                &[],
            ),
            of(
                (1, 64),
                "a word over the byte of another",
                "setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 33;
                @%p1 st.shared.u8 [%rd8+3], 1; @%p2 st.shared.u32 [%rd8], %r2;",
                RACE,
            ),
            of(
                (1, 64),
                "the upper half of eight bytes",
                "setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 33; mov.u64 %rd5, 0x500000005;
                @%p1 st.shared.u64 [%rd8], %rd5; @%p2 st.shared.u32 [%rd8+4], %r2;",
                RACE,
            ),
            of(
                (1, 64),
                "behind eight bytes",
                "setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 33; mov.u64 %rd5, 0x500000005;
                @%p1 st.shared.u64 [%rd8], %rd5; @%p2 st.shared.u32 [%rd8+8], %r2;",
                &[],
            ),
        ],
    );
}

/// Thread 0 of team 0 writes data and raises a flag; thread 0 of team 1 waits for it and reads the data.
fn flag(name: &'static str, raise: &str, look: &str, found: &'static [&'static str]) -> Case {
    let body = format!(
        "setp.ne.u32 %p1, %r2, 0; @%p1 ret;
         setp.eq.u32 %p2, %r3, 0; @!%p2 bra reader;
         st.global.u32 [%rd1], 42; {raise}
         ret;
         reader: {look}
         setp.eq.u32 %p3, %r5, 0; @%p3 bra reader;
         ld.global.u32 %r6, [%rd1];"
    );
    of((2, 32), name, body.leak(), found)
}

#[test]
fn flags_need_release_and_acquire_of_enough_scope() {
    table(
        "race",
        &[
            flag(
                "fences",
                "membar.gl; st.volatile.global.u32 [%rd1+64], 1;",
                "ld.volatile.global.u32 %r5, [%rd1+64]; membar.gl;",
                &[],
            ),
            flag(
                "release and acquire",
                "st.release.gpu.global.u32 [%rd1+64], 1;",
                "ld.acquire.gpu.global.u32 %r5, [%rd1+64];",
                &[],
            ),
            flag(
                "an atomic exchange",
                "atom.release.gpu.global.exch.b32 %r7, [%rd1+64], 1;",
                "atom.acquire.gpu.global.or.b32 %r5, [%rd1+64], 0;",
                &[],
            ),
            flag(
                "no fence of the writer",
                "st.volatile.global.u32 [%rd1+64], 1;",
                "ld.volatile.global.u32 %r5, [%rd1+64]; membar.gl;",
                GLOBAL,
            ),
            flag(
                "no fence of the reader",
                "membar.gl; st.volatile.global.u32 [%rd1+64], 1;",
                "ld.volatile.global.u32 %r5, [%rd1+64];",
                GLOBAL,
            ),
            flag(
                "a fence of the team alone",
                "membar.cta; st.volatile.global.u32 [%rd1+64], 1;",
                "ld.volatile.global.u32 %r5, [%rd1+64]; membar.gl;",
                GLOBAL,
            ),
            flag(
                "a release for the team alone",
                "st.release.cta.global.u32 [%rd1+64], 1;",
                "ld.acquire.gpu.global.u32 %r5, [%rd1+64];",
                GLOBAL,
            ),
            flag(
                "a plain flag",
                "membar.gl; st.global.u32 [%rd1+64], 1;",
                "ld.global.u32 %r5, [%rd1+64]; membar.gl;",
                GLOBAL,
            ),
        ],
    );
}

/// All threads add to a counter in shared memory under a lock.
fn lock(name: &'static str, take: &str, leave: &str, found: &'static [&'static str]) -> Case {
    let body = format!(
        "setp.eq.u32 %p1, %r2, 0; @%p1 st.shared.u32 [%rd8], 0; @%p1 st.shared.u32 [%rd8+4], 0; bar.sync 0;
         again: {take} setp.ne.u32 %p2, %r5, 0; @%p2 bra again;
         ld.shared.u32 %r6, [%rd8+4]; add.u32 %r6, %r6, 1; st.shared.u32 [%rd8+4], %r6;
         {leave}"
    );
    of((2, 64), name, body.leak(), found)
}

#[test]
fn locks_order_what_they_guard() {
    table(
        "race",
        &[
            lock(
                "acquire and release",
                "atom.acquire.cta.shared.cas.b32 %r5, [%rd8], 0, 1;",
                "st.release.cta.shared.u32 [%rd8], 0;",
                &[],
            ),
            lock(
                "fences",
                "atom.shared.cas.b32 %r5, [%rd8], 0, 1; membar.cta;",
                "membar.cta; atom.shared.exch.b32 %r7, [%rd8], 0;",
                &[],
            ),
            lock(
                "a relaxed unlock",
                "atom.acquire.cta.shared.cas.b32 %r5, [%rd8], 0, 1;",
                "st.relaxed.cta.shared.u32 [%rd8], 0;",
                RACE,
            ),
            lock(
                "a relaxed lock",
                "atom.relaxed.cta.shared.cas.b32 %r5, [%rd8], 0, 1;",
                "st.release.cta.shared.u32 [%rd8], 0;",
                RACE,
            ),
            lock("no lock", "mov.u32 %r5, 0;", "", RACE),
        ],
    );
}

#[test]
fn the_last_team_reads_what_all_have_written() {
    let body = |fence: &str| {
        // CUDA's threadFenceReduction: each team's thread 0 writes, counts, and the last one reads all.
        let text = format!(
            "setp.ne.u32 %p1, %r2, 0; @%p1 ret;
             mul.wide.u32 %rd5, %r3, 4; add.s64 %rd5, %rd1, %rd5; st.global.u32 [%rd5+64], %r1;
             {fence}
             atom.global.add.u32 %r5, [%rd1], 1;
             setp.ne.u32 %p2, %r5, 7; @%p2 ret;
             {fence}
             ld.global.u32 %r6, [%rd1+64]; ld.global.u32 %r7, [%rd1+68]; ld.global.u32 %r8, [%rd1+88];"
        );
        &*text.leak()
    };
    table(
        "race",
        &[
            of((8, 32), "with fences", body("membar.gl;"), &[]),
            of((8, 32), "without", body(""), GLOBAL),
            of((8, 32), "with fences of the team", body("membar.cta;"), GLOBAL),
        ],
    );
}

#[test]
fn a_store_of_what_is_there_counts_if_asked() {
    let case = of((2, 64), "one value", "st.global.u32 [%rd1], 9;", GLOBAL);
    assert_eq!(findings(&case, "race", None), []);
    assert!(!findings(&case, "same-value", None).is_empty());
}

#[test]
fn a_finding_names_everything() {
    let case = Case {
        name: "places",
        shape: (2, 64),
        declarations: ".global .align 4 .b8 counter[16];",
        body: "mov.u64 %rd5, counter; add.u32 %r5, %r1, 5;
             .loc 1 10 5
             st.global.u32 [%rd5+4], %r5;
             .loc 1 12 0
             ld.global.u32 %r6, [%rd5+4];",
        found: &[],
    };
    let found = findings(&case, "race", None);
    let text = found.iter().map(|f| f.text()).collect::<String>();
    for part in [
        "at byte 4 of global variable counter (16 bytes)",
        "in kernel k",
        "store of 4 bytes by thread (1,0,0) of team (0,0,0)",
        "after store by thread (0,0,0) of team (0,0,0)",
        "(k.c:10:5)",
        "(k.c:12)",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    let json = found[0].json();
    assert!(json.starts_with(r#"{"actions":[{"function":"k","inlined_at":null,"ptx_line":"#), "{json}");
    assert!(
        json.contains(r#""source":{"column":5,"file":"k.c","line":10},"team":[0,0,0],"thread":[1,0,0]"#),
        "{json}"
    );
}
