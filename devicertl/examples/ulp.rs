//! Measures the errors of the math functions: `cargo run --release -p devicertl --example ulp -- [arguments] [name]`
//! writes a table. The functions are the device's, compiled for the host.

#[path = "../tests/machine/mod.rs"]
mod machine;
#[path = "../tests/reference/mod.rs"]
mod reference;

use reference::{Bound, bounds::CASES, measure};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let count = arguments.next().map_or(20_000, |text| text.parse().expect("a number of arguments"));
    let only = arguments.next();
    println!(
        "| function | part | largest error, ulps | steps from nearest | CUDA's bound | arguments tried | at | |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for case in
        CASES.iter().filter(|case| only.as_ref().is_none_or(|name| case.name.starts_with(name.as_str())))
    {
        let worst = measure(case, count, 1);
        let bound = match case.bound {
            Bound::Ulps(n) => n.to_string(),
            Bound::Absolute(limit) => format!("{limit:.1e} absolute"),
            Bound::None => "none".into(),
        };
        let steps = match case.bound {
            Bound::Absolute(_) => format!("{:.1e} absolute", worst.absolute),
            _ => worst.steps.to_string(),
        };
        let at = worst.arguments.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(", ");
        let verdict = if worst.within(case.bound) { "" } else { "exceeded" };
        println!(
            "| `{}` | {} | {:.2} | {steps} | {bound} | {} | {at} | {verdict} |",
            case.name, case.part, worst.ulps, worst.tried
        );
    }
}
