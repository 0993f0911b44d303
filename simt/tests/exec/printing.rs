//! `printf` of kernels.

use crate::{Bench, kernel, shape};
use std::sync::{Arc, Mutex};

const DECLARATIONS: &str = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
     .global .align 1 .b8 format[22] = {37, 53, 100, 124, 37, 46, 50, 102, 124, 37, 45, 52, 115, 124, 37, 35, 108, 120,
        10, 0, 0, 0};
     .global .align 1 .b8 text[3] = {104, 105, 0};";

/// `printf("%5d|%.2f|%-4s|%#lx\n", tid, 2.5, "hi", 0xabc)`.
const BODY: &str = ".local .align 8 .b8 args[32];
     .reg .f64 %fd<2>;
     mov.u64 %rd4, args; cvta.local.u64 %rd5, %rd4;
     st.local.u32 [%rd4], %r2;
     mov.f64 %fd1, 0d4004000000000000; st.local.f64 [%rd4+8], %fd1;
     mov.u64 %rd6, text; cvta.global.u64 %rd6, %rd6; st.local.u64 [%rd4+16], %rd6;
     mov.u64 %rd7, 0xabc; st.local.u64 [%rd4+24], %rd7;
     mov.u64 %rd8, format; cvta.global.u64 %rd8, %rd8;
     { .param .b64 f; st.param.b64 [f], %rd8; .param .b64 a; st.param.b64 [a], %rd5;
       .param .b32 r; call.uni (r), vprintf, (f, a); ld.param.b32 %r5, [r]; }
     st.global.u32 [%rd2], %r5;";

fn capture(b: &Bench) -> Arc<Mutex<Vec<u8>>> {
    let text = Arc::new(Mutex::new(Vec::new()));
    let to = Arc::clone(&text);
    b.device.set_printf(Some(Box::new(move |bytes| to.lock().unwrap().extend_from_slice(bytes))));
    text
}

#[test]
fn every_lane_prints_its_message_whole() {
    let b = Bench::with(&kernel(DECLARATIONS, BODY), None, 4);
    let text = capture(&b);
    let out = b.u32s(&[0; 8]);
    b.run(shape(4, 2), &[out]);
    let text = String::from_utf8(text.lock().unwrap().clone()).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [["    0|2.50|hi  |0xabc"; 4], ["    1|2.50|hi  |0xabc"; 4]].concat());
    // As CUDA does: the number of arguments.
    assert_eq!(b.read(out, 8), [4; 8]);
}

#[test]
fn a_bad_pointer_in_a_message_is_reported() {
    let b = Bench::new(&kernel(
        DECLARATIONS,
        &BODY.replace("st.local.u64 [%rd4+16], %rd6", "st.local.u64 [%rd4+16], 5"),
    ));
    let text = capture(&b);
    let out = b.u32s(&[0; 8]);
    let report = b.fail(shape(1, 1), &[out]);
    assert_eq!(report.message, "printf: load of 1 byte at 0x5: 5 bytes from a null pointer");
    assert!(text.lock().unwrap().is_empty());
}
