//! Uses of memory that nobody has written.

use crate::{Case, table};

const fn case(name: &'static str, body: &'static str, found: &'static [&'static str]) -> Case {
    Case { name, shape: (2, 64), declarations: HEAP, body, found }
}

const HEAP: &str = ".extern .func (.param .b64 r) malloc(.param .b64 n);
    .func (.param .b32 r) id(.param .b32 x) { .reg .b32 %r<4>; ld.param.u32 %r1, [x]; st.param.b32 [r], %r1; ret; }
    .func fill(.param .b64 p) { .reg .b64 %rd<2>; .reg .b32 %r<2>; ld.param.u64 %rd1, [p]; mov.u32 %r1, 3; st.u32 [%rd1], %r1; ret; }
    .func (.param .b32 r) garbage() { .reg .b32 %r<4>; .local .b32 v; ld.local.u32 %r1, [v]; st.param.b32 [r], %r1; ret; }";

const BRANCH: &[&str] = &["check uninit: what a branch depends on is undefined", "that nobody has written"];
const STORE: &[&str] = &["check uninit: a value that is stored for others is undefined"];

#[test]
fn uses_of_undefined_memory() {
    table(
        "uninit",
        &[
            case(
                "a branch on shared memory",
                "ld.shared.u32 %r5, [%rd9]; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                &["of shared variable s (1024 bytes)", "what a branch depends on is undefined"],
            ),
            case(
                "a branch that no lane takes",
                "ld.shared.u32 %r5, [%rd9]; setp.eq.u32 %p1, %r5, 77; @%p1 bra done; done:",
                BRANCH,
            ),
            case(
                "an address",
                ".local .align 8 .b64 v; ld.local.u64 %rd5, [v]; and.b64 %rd5, %rd5, 12; add.s64 %rd5, %rd1, %rd5;
                 ld.global.u32 %r5, [%rd5];",
                &["check uninit: an address is undefined", "at byte 16 of the thread's stack"],
            ),
            case(
                "a sum in a private variable",
                ".local .b32 v; ld.local.u32 %r5, [v]; add.u32 %r5, %r5, %r2; st.local.u32 [v], %r5;
                 ld.local.u32 %r6, [v]; st.global.u32 [%rd2], %r6;",
                STORE,
            ),
            case(
                "memory of malloc",
                "{ .param .b64 a; .param .b64 b; st.param.b64 [a], 40; call (b), malloc, (a); ld.param.b64 %rd5, [b]; }
                 ld.u32 %r5, [%rd5+8]; mul.lo.u32 %r5, %r5, 3; st.global.u32 [%rd2], %r5;",
                &["a value that is stored for others", "8 bytes into the 40-byte allocation of the kernel's malloc"],
            ),
            case(
                "an atomic counter",
                "atom.shared.add.u32 %r5, [%rd8], 1;",
                &["check uninit: what an atomic operation updates is undefined"],
            ),
            case(
                "a value of a function that returns none",
                "{ .param .b64 a; .param .b32 b; mov.u64 %rd5, fill; st.param.b64 [a], %rd2;
                 proto: .callprototype (.param .b32 _) _ (.param .b64 _);
                 call (b), %rd5, (a), proto; ld.param.b32 %r6, [b]; }
                 setp.eq.u32 %p1, %r6, 0; @%p1 bra done; done:",
                &["check uninit: what a branch depends on is undefined", "return of a function without a value"],
            ),
            case(
                "through a function",
                "{ .param .b32 a; .param .b32 b; ld.shared.u32 %r5, [%rd9]; st.param.b32 [a], %r5;
                 call (b), id, (a); ld.param.b32 %r6, [b]; }
                 setp.eq.u32 %p1, %r6, 0; @%p1 bra done; done:",
                BRANCH,
            ),
            case(
                "a variable of a function that was called before",
                "{ .param .b32 b; call (b), garbage; ld.param.b32 %r6, [b]; }
                 { .param .b32 b; call (b), garbage; ld.param.b32 %r6, [b]; }
                 setp.eq.u32 %p1, %r6, 0; @%p1 bra done; done:",
                BRANCH,
            ),
            case(
                "one byte of four",
                "st.shared.u8 [%rd9], %r2; st.shared.u16 [%rd9+2], %r2; ld.shared.u32 %r5, [%rd9];
                 setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                BRANCH,
            ),
        ],
    );
}

#[test]
fn what_is_copied_hidden_or_written_is_no_mistake() {
    table(
        "uninit",
        &[
            case(
                "written before",
                "st.shared.u32 [%rd9], %r2; ld.shared.u32 %r5, [%rd9]; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                &[],
            ),
            case(
                "written by another function",
                ".local .align 4 .b32 v; { .param .b64 a; mov.u64 %rd5, v; cvta.local.u64 %rd5, %rd5; st.param.b64 [a], %rd5;
                 call fill, (a); } ld.local.u32 %r5, [v]; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                &[],
            ),
            case(
                "padding that is copied",
                ".local .align 8 .b64 v; .local .align 8 .b64 w; st.local.u32 [v], %r2; ld.local.u64 %rd5, [v];
                 st.local.u64 [w], %rd5; st.global.u64 [%rd1], %rd5; ld.local.u32 %r5, [w];
                 setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                &[],
            ),
            case(
                "a part that is cut out",
                ".local .align 8 .b64 v; st.local.u8 [v+1], %r2; ld.local.u32 %r5, [v]; shr.u32 %r5, %r5, 8;
                 and.b32 %r5, %r5, 255; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                &[],
            ),
            case(
                "a load ahead of its test",
                ".local .align 4 .b32 v; ld.local.u32 %r5, [v]; add.u32 %r5, %r5, 1; setp.eq.u32 %p1, %r4, 64;
                 selp.b32 %r6, %r2, %r5, %p1; st.global.u32 [%rd2], %r6;",
                &[],
            ),
            case(
                "an atomic operation on a byte, by swaps of its word",
                "setp.ne.u32 %p1, %r2, 0; @%p1 ret; st.shared.u8 [%rd8+1], 0;
                 ld.shared.u32 %r5, [%rd8];
                 again: and.b32 %r6, %r5, 0xffff00ff; or.b32 %r6, %r6, 0x700;
                 atom.shared.cas.b32 %r7, [%rd8], %r5, %r6;
                 setp.ne.u32 %p2, %r7, %r5; mov.u32 %r5, %r7; @%p2 bra again;",
                &[],
            ),
            case(
                "a written byte that prmt takes out of a word",
                ".local .align 4 .b8 v[4]; st.local.u8 [v+1], 5; ld.local.u32 %r5, [v]; prmt.b32 %r6, %r5, 0, 0x7771;
                 add.u32 %r6, %r6, 1; st.global.u32 [%rd2], %r6;",
                &[],
            ),
            case(
                "a word that prmt makes of bytes, one of them not written, and of its sign",
                ".local .align 4 .b8 v[4]; st.local.u8 [v+1], 5; ld.local.u32 %r5, [v]; prmt.b32 %r6, %r5, 0, 0x4491;
                 prmt.b32 %r7, %r5, 0, 0x4481; prmt.b32 %r8, %r6, 0, 0x4440; st.global.u32 [%rd2], %r8; add.u32 %r7, %r7, 1;
                 st.global.u32 [%rd2], %r7;",
                STORE,
            ),
            case(
                "what the host wrote",
                "ld.global.u32 %r5, [%rd2]; setp.eq.u32 %p1, %r5, 0; @%p1 bra done; done:",
                &[],
            ),
            case(
                "the memory that a word would point to",
                ".local .align 8 .b64 v; ld.local.u64 %rd5, [v]; isspacep.local %p1, %rd5; @%p1 bra done; done:",
                &[],
            ),
            case(
                "an exchange",
                "atom.shared.exch.b32 %r5, [%rd9], 0; ld.shared.u32 %r6, [%rd9]; setp.eq.u32 %p1, %r6, 0; @%p1 bra done; done:",
                &[],
            ),
        ],
    );
}

/// The device runtime asks whether words that nobody may have written are what it leaves there itself.
#[test]
fn variables_of_the_device_runtime_are_its_own_affair() {
    const BODY: &str =
        "ld.shared.u32 %r5, [__devrtl_shared_X]; setp.eq.u32 %p1, %r5, 7; @%p1 bra done; done:";
    const DECLARED: &str =
        ".shared .align 4 .b32 __devrtl_shared_X; .shared .align 4 .b32 __devrtl_shared_POOL;";
    let case = |name, body, found| Case { name, shape: (1, 32), declarations: DECLARED, body, found };
    table("uninit", &[case("not asked for", BODY, &[])]);
    table(
        "uninit,runtime",
        &[case("asked for", BODY, &["check runtime: what a branch depends on is undefined"])],
    );
    let pool = BODY.replace("_X", "_POOL");
    table(
        "uninit",
        &[case("the program's variables", pool.leak(), &["of shared variable __devrtl_shared_POOL"])],
    );
}
