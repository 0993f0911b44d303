//! The mathematical functions of C's library by their own names, as calls of libdevice's.
//!
//! clang's headers take libdevice's for the functions that a program names, but `__builtin_erf`, which is `std::erf` of an integer in
//! libstdc++, is a call of `erf`. They are a member of the archive of their own, which a device link takes if something of it is missing, and
//! weak: a program may bring its own.

use std::fmt::Write;

/// A function: what it returns, its name for `double`, what it takes; `r` is `double`, or `float` in the function with an `f` at its
/// end. Of these libdevice has one of the same type.
const FUNCTIONS: [(&str, &str, &[&str]); 58] = [
    ("r", "acos", &["r"]),
    ("r", "acosh", &["r"]),
    ("r", "asin", &["r"]),
    ("r", "asinh", &["r"]),
    ("r", "atan", &["r"]),
    ("r", "atan2", &["r", "r"]),
    ("r", "atanh", &["r"]),
    ("r", "cbrt", &["r"]),
    ("r", "ceil", &["r"]),
    ("r", "copysign", &["r", "r"]),
    ("r", "cos", &["r"]),
    ("r", "cosh", &["r"]),
    ("r", "erf", &["r"]),
    ("r", "erfc", &["r"]),
    ("r", "exp", &["r"]),
    ("r", "exp10", &["r"]),
    ("r", "exp2", &["r"]),
    ("r", "expm1", &["r"]),
    ("r", "fabs", &["r"]),
    ("r", "fdim", &["r", "r"]),
    ("r", "floor", &["r"]),
    ("r", "fma", &["r", "r", "r"]),
    ("r", "fmax", &["r", "r"]),
    ("r", "fmin", &["r", "r"]),
    ("r", "fmod", &["r", "r"]),
    ("r", "frexp", &["r", "ptr"]),
    ("r", "hypot", &["r", "r"]),
    ("i32", "ilogb", &["r"]),
    ("r", "j0", &["r"]),
    ("r", "j1", &["r"]),
    ("r", "jn", &["i32", "r"]),
    ("r", "ldexp", &["r", "i32"]),
    ("r", "lgamma", &["r"]),
    ("r", "log", &["r"]),
    ("r", "log10", &["r"]),
    ("r", "log1p", &["r"]),
    ("r", "log2", &["r"]),
    ("r", "logb", &["r"]),
    ("r", "modf", &["r", "ptr"]),
    ("r", "nearbyint", &["r"]),
    ("r", "nextafter", &["r", "r"]),
    ("r", "pow", &["r", "r"]),
    ("r", "remainder", &["r", "r"]),
    ("r", "remquo", &["r", "r", "ptr"]),
    ("r", "rint", &["r"]),
    ("r", "round", &["r"]),
    ("r", "scalbn", &["r", "i32"]),
    ("r", "sin", &["r"]),
    ("void", "sincos", &["r", "ptr", "ptr"]),
    ("r", "sinh", &["r"]),
    ("r", "sqrt", &["r"]),
    ("r", "tan", &["r"]),
    ("r", "tanh", &["r"]),
    ("r", "tgamma", &["r"]),
    ("r", "trunc", &["r"]),
    ("r", "y0", &["r"]),
    ("r", "y1", &["r"]),
    ("r", "yn", &["i32", "r"]),
];

/// Those whose type is another one than libdevice's: `long` has 64 bits on the GPU.
const LONG: [(&str, &str); 4] = [
    ("llrint", "__nv_llrint"),
    ("llround", "__nv_llround"),
    ("lrint", "__nv_llrint"),
    ("lround", "__nv_llround"),
];

/// flang's name without the number of bytes, and libdevice's: what flang leaves to its runtime and libdevice has.
const OF_FLANG: (&str, &str) = ("_FortranAErfcScaled", "__nv_erfcx");

/// The functions as IR, without a target.
pub fn module() -> String {
    let mut text = String::new();
    for (real, suffix) in [("double", ""), ("float", "f")] {
        for (returns, name, takes) in FUNCTIONS {
            let types: Vec<&str> = takes.iter().map(|ty| if *ty == "r" { real } else { ty }).collect();
            let returns = if returns == "r" { real } else { returns };
            forward(&mut text, returns, &format!("{name}{suffix}"), &format!("__nv_{name}{suffix}"), &types);
        }
        for (name, of_libdevice) in LONG {
            forward(
                &mut text,
                "i64",
                &format!("{name}{suffix}"),
                &format!("{of_libdevice}{suffix}"),
                &[real],
            );
        }
        let bytes = if suffix.is_empty() { 8 } else { 4 };
        let (name, of_libdevice) = OF_FLANG;
        forward(&mut text, real, &format!("{name}{bytes}"), &format!("{of_libdevice}{suffix}"), &[real]);
        // An exponent beyond 32 bits gives what the greatest of them gives.
        let _ = writeln!(
            text,
            "define weak_odr hidden {real} @scalbln{suffix}({real} %x, i64 %n) nounwind {{
  %above = call i64 @llvm.smin.i64(i64 %n, i64 2147483647)
  %near = call i64 @llvm.smax.i64(i64 %above, i64 -2147483648)
  %exponent = trunc i64 %near to i32
  %r = call {real} @__nv_scalbn{suffix}({real} %x, i32 %exponent)
  ret {real} %r
}}"
        );
    }
    text + "declare i64 @llvm.smin.i64(i64, i64)\ndeclare i64 @llvm.smax.i64(i64, i64)\n"
}

/// A function that calls another one of its type.
fn forward(text: &mut String, returns: &str, name: &str, other: &str, types: &[&str]) {
    let list = types.join(", ");
    let named: Vec<String> = types.iter().enumerate().map(|(index, ty)| format!("{ty} %p{index}")).collect();
    let named = named.join(", ");
    let (result, value) = if returns == "void" { ("", "") } else { ("%r = ", " %r") };
    let declaration = format!("declare {returns} @{other}({list})\n");
    if !text.contains(&declaration) {
        text.push_str(&declaration);
    }
    let _ = writeln!(
        text,
        "define weak_odr hidden {returns} @{name}({named}) nounwind {{
  {result}call {returns} @{other}({named})
  ret {returns}{value}
}}"
    );
}
