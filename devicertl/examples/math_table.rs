//! Writes arguments of the math functions and what results keep CUDA's bounds, for the program that calls them on a device
//! (`kernels/math/accuracy.c`): `cargo run -p devicertl --example math_table -- [arguments]`. A line is a function, its arguments, and the least
//! and the largest result, as the bits of doubles.

#[path = "../tests/machine/mod.rs"]
mod machine;
#[path = "../tests/reference/mod.rs"]
mod reference;

use reference::{accepted, arguments, bounds::CASES};
use std::io::{BufWriter, Write};

fn main() -> std::io::Result<()> {
    let count = std::env::args().nth(1).map_or(200, |text| text.parse().expect("a number of arguments"));
    let mut out = BufWriter::new(std::io::stdout().lock());
    for case in CASES {
        for arguments in arguments(case, count.min(case.sample), 3) {
            write!(out, "{}", case.name)?;
            let (least, largest) = accepted(case, &arguments);
            for number in arguments.iter().chain([&least, &largest]) {
                write!(out, " {:016x}", number.to_bits())?;
            }
            writeln!(out)?;
        }
    }
    out.flush()
}
