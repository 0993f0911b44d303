//! Which instructions the PTX in the programs has.

use tests_gpu::{CASES, program};

const TRANSCENDENTAL: [&str; 4] = ["sin.approx.f32", "cos.approx.f32", "lg2.approx.f32", "ex2.approx.f32"];
const DIVISION: &str = "div.approx.f32";

/// Which of the approximate instructions the program of this case has. Its image is PTX text.
fn approximate(name: &str) -> Vec<&'static str> {
    let case = CASES.iter().find(|case| case.name() == name).expect("a case of the table");
    let built = program(case).unwrap_or_else(|e| panic!("{e:#}"));
    let text = String::from_utf8_lossy(&std::fs::read(built).unwrap()).into_owned();
    assert!(text.contains(".target sm_"), "{name} has no PTX");
    TRANSCENDENTAL.into_iter().chain([DIVISION]).filter(|instruction| text.contains(instruction)).collect()
}

#[test]
fn fast_math_is_what_the_options_say() {
    assert_eq!(approximate("features.fast_math.O2"), [""; 0]);
    // clang 22 takes other functions for this option in CUDA alone.
    assert_eq!(approximate("features.fast_math.fast"), [DIVISION]);
    let all: Vec<_> = TRANSCENDENTAL.into_iter().chain([DIVISION]).collect();
    assert_eq!(approximate("features.fast_math.approximate"), all);
}
