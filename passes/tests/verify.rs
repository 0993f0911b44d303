//! The verifier: silent on a converted kernel, and loud on the same kernel with one thing changed.

use passes::ir::{Context, Module};
use passes::verify::faults;
use std::io::Write;

/// `while (a[0] > 0) { a[0]--; parallel }`, as the conversion leaves it.
const CONVERTED: &str = include_str!("verify/converted.ll");
/// The same for a function that calls itself before its region.
const RECURSIVE: &str = include_str!("verify/recursive.ll");

fn with_module<R>(text: &str, then: impl FnOnce(Module) -> R) -> R {
    let mut file = tempfile::Builder::new().suffix(".ll").tempfile().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    let context = Context::default();
    let module = context.read(file.path()).unwrap();
    module.verify("as it was written").unwrap();
    let result = then(module);
    module.dispose();
    result
}

fn messages(text: &str) -> Vec<String> {
    with_module(text, |module| faults(module).iter().map(ToString::to_string).collect())
}

#[test]
fn a_right_conversion_has_no_fault() {
    assert_eq!(messages(CONVERTED), [""; 0]);
    assert_eq!(messages(RECURSIVE), [""; 0]);
}

/// What is replaced in [`CONVERTED`], by what, and a part of the message that must come.
const CHANGES: &[(&str, &str, &str)] = &[
    // The guard is gone: everybody counts down.
    (
        "br i1 %is.main, label %body, label %region.barrier2",
        "br label %body",
        "all threads do what only one may do",
    ),
    // The condition is read by each thread.
    (
        "%own = load i32, ptr %arguments",
        "%own = load i32, ptr %a",
        "all threads read memory that thread 0 may write",
    ),
    // The condition is thread 0's alone.
    (
        "icmp sgt i32 %value.guarded.output.load, 0",
        "icmp sgt i32 %tid, 0",
        "threads may differ in what this branch",
    ),
    // A barrier for thread 0 alone.
    (
        "store i32 %less, ptr %a",
        "call void @__kmpc_barrier_simple_spmd(ptr null, i32 %tid)",
        "but all threads meet",
    ),
    // No barrier between store and load.
    (
        "call void @__kmpc_barrier_simple_spmd(ptr null, i32 %tid) ; first",
        "",
        "thread 0 may not have stored this, or no barrier stands between",
    ),
    // The region, whose barriers kept the next store away, is left to thread 0.
    (
        "i32 1, i32 -1, i32 -1, ptr @code",
        "i32 0, i32 -1, i32 -1, ptr @code",
        "thread 0 may store the next value",
    ),
    // One thread asks for more threads than the others.
    (
        "i32 1, i32 -1, i32 -1, ptr @code",
        "i32 1, i32 %tid, i32 -1, ptr @code",
        "clauses or arguments of a region",
    ),
    // Another function is called by all.
    ("; place for a call", "call void @elsewhere()", "all threads do what only one may do"),
    ("; place for a call", "call void @helper(i32 %tid)", "arguments of a function that all call"),
    // Each thread divides by a number of its own, one by 0.
    ("; place for a call", "%share = udiv i32 9, %tid", "threads may differ in what they divide"),
];

#[test]
fn all_may_divide_by_what_thread_0_has_told() {
    let told = "%share = udiv i32 9, %value.guarded.output.load";
    assert_eq!(messages(&CONVERTED.replace("; place for a call", told)), [""; 0]);
}

#[test]
fn a_call_of_itself_needs_the_barrier_before_the_next_store() {
    let second = "call void @__kmpc_barrier_simple_spmd(ptr null, i32 %tid) ; second";
    let found = messages(&RECURSIVE.replace(second, ""));
    assert!(matches!(&found[..], [one] if one.contains("thread 0 may store the next value")), "{found:#?}");
}

#[test]
fn every_change_is_found() {
    for (old, new, message) in CHANGES {
        assert!(CONVERTED.contains(old), "{old}");
        let found = messages(&CONVERTED.replacen(old, new, 1));
        assert!(found.iter().any(|text| text.contains(message)), "{old} -> {new}: {found:#?}");
    }
}
