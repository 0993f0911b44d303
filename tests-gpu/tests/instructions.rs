//! Which instructions the PTX in the programs has.

use hostrtl::image::ptx::Calls;
use tests_gpu::{CASES, program};

const TRANSCENDENTAL: [&str; 4] = ["sin.approx.f32", "cos.approx.f32", "lg2.approx.f32", "ex2.approx.f32"];
const DIVISION: &str = "div.approx.f32";

/// The program of this case. Its image is PTX text.
fn text_of(name: &str) -> String {
    let case = CASES.iter().find(|case| case.name() == name).expect("a case of the table");
    let built = program(case).unwrap_or_else(|e| panic!("{e:#}"));
    let text = String::from_utf8_lossy(&std::fs::read(built).unwrap()).into_owned();
    assert!(text.contains(".target sm_"), "{name} has no PTX");
    text
}

/// Which of the approximate instructions the program of this case has.
fn approximate(name: &str) -> Vec<&'static str> {
    let text = text_of(name);
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

/// The PTX in the program of this case.
fn image_of(name: &str) -> String {
    let text = text_of(name);
    let image = text.split_once(".version ").expect("PTX begins so").1.split('\0').next();
    image.unwrap_or_default().to_owned()
}

/// `ptxas -c` compiles such functions wrongly (docs/upstream.md): functions of the program, and what the device runtime has
/// without optimisation, which the passes call through a pointer; and what starts regions in regions, with the passes or
/// without them, which may leave no such call.
#[test]
fn no_function_comes_to_call_itself_by_name() {
    for name in
        ["features.nested_levels.O2", "features.tasks.O2", "features.declare_target.O2", "saxpy_reduce.O0"]
    {
        let image = image_of(name);
        let calls = Calls::of(&image);
        assert!(calls.any_through_pointer, "{name} has no calls");
        assert!(!calls.any_recursion(), "{name}");
    }
    for name in ["features.copyprivate.O2", "features.copyprivate.plain", "features.nested_idle.plain"] {
        assert!(!Calls::of(&image_of(name)).any_recursion(), "{name}");
    }
}
