//! Leaks of the device heap.

use crate::{Case, table};

const HEAP: &str = ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p);";
const MALLOC: &str =
    "{ .param .b64 a; .param .b64 b; st.param.b64 [a], 40; call (b), malloc, (a); ld.param.b64 %rd5, [b]; }";

#[test]
fn memory_that_nobody_frees_is_told_with_the_place_of_its_malloc() {
    let free = "{ .param .b64 a; st.param.b64 [a], %rd5; call free, (a); }";
    let leaked =
        ["check leak: 40 bytes that the kernel allocated are never freed", "malloc of 40 bytes by thread"];
    let bodies: [(&str, String, &[&str]); 4] = [
        ("a leak", MALLOC.into(), &leaked),
        ("a leak of one lane", format!("{MALLOC} setp.eq.u32 %p1, %r2, 5; @%p1 ret; {free}"), &leaked),
        ("a leak by overwriting", format!("{MALLOC} {MALLOC} {free}"), &leaked),
        ("freed", format!("{MALLOC} {free}"), &[]),
    ];
    for (name, body, found) in bodies {
        let found: &'static [&'static str] = found.to_vec().leak();
        table("leak", &[Case { name, shape: (1, 32), declarations: HEAP, body: body.leak(), found }]);
    }
}
