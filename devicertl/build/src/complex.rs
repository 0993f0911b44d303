//! The functions of `<complex.h>` by their names, and powers as flang calls them, of those of the crate that get parts of numbers: clang has a
//! complex number as an argument in memory (`byval`), and two values as a result.

use std::fmt::Write;

/// Those of one number. Those for `float` have an `f` at the end.
const OF_ONE: [&str; 15] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "sin", "sinh", "sqrt",
    "tan", "tanh",
];

/// Those of one number that give a real one.
const REAL: [&str; 2] = ["abs", "arg"];

/// A type of parts.
struct Part {
    ty: &'static str,
    suffix: &'static str,
    /// How flang calls the complex type.
    letter: char,
    bytes: u32,
}

const PARTS: [Part; 2] = [
    Part { ty: "double", suffix: "", letter: 'z', bytes: 8 },
    Part { ty: "float", suffix: "f", letter: 'c', bytes: 4 },
];

impl Part {
    /// The parameter for a number.
    fn parameter(&self, name: &str) -> String {
        format!("ptr byval({{ {0}, {0} }}) align {1} %{name}", self.ty, self.bytes)
    }

    /// Reads the parts of a parameter, as `double`.
    fn read(&self, name: &str) -> String {
        let Self { ty, bytes, .. } = self;
        let mut text = format!("  %{name}.at = getelementptr i8, ptr %{name}, i64 {bytes}\n");
        for (part, place) in [("re", name.to_owned()), ("im", format!("{name}.at"))] {
            let _ = match *ty {
                "double" => writeln!(text, "  %{name}.{part} = load double, ptr %{place}, align 8"),
                _ => writeln!(
                    text,
                    "  %{name}.{part}.single = load float, ptr %{place}, align 4\n  \
                     %{name}.{part} = fpext float %{name}.{part}.single to double"
                ),
            };
        }
        text
    }

    /// A value of the type of a part, from a `double`; what computes it, and its name.
    fn rounded(&self, name: &str) -> (String, String) {
        match self.ty {
            "double" => (String::new(), format!("%{name}")),
            ty => (format!("  %{name}.out = fptrunc double %{name} to {ty}\n"), format!("%{name}.out")),
        }
    }

    /// A function that gives a complex number: that of the crate gets a place for it in front of `given`.
    fn complex(&self, name: &str, parameters: &str, read: &str, function: &str, given: &str) -> String {
        let ty = self.ty;
        let ((real, re), (imaginary, im)) = (self.rounded("re"), self.rounded("im"));
        format!(
            "define weak_odr hidden {{ {ty}, {ty} }} @{name}({parameters}) nounwind {{
  %to = alloca [2 x double], align 8
{read}  call void @__omptarget_{function}(ptr %to, {given})
  %to.at = getelementptr i8, ptr %to, i64 8
  %re = load double, ptr %to, align 8
  %im = load double, ptr %to.at, align 8
{real}{imaginary}  %half = insertvalue {{ {ty}, {ty} }} poison, {ty} {re}, 0
  %both = insertvalue {{ {ty}, {ty} }} %half, {ty} {im}, 1
  ret {{ {ty}, {ty} }} %both
}}
"
        )
    }

    fn real(&self, name: &str, function: &str) -> String {
        let (ty, (rounding, result)) = (self.ty, self.rounded("r"));
        format!(
            "define weak_odr hidden {ty} @{name}({}) nounwind {{
{}  %r = call double @__omptarget_{function}(double %z.re, double %z.im)
{rounding}  ret {ty} {result}
}}
",
            self.parameter("z"),
            self.read("z")
        )
    }
}

/// The functions as IR, without a target.
pub fn module() -> String {
    let mut text = String::new();
    for part in PARTS {
        let (one, read) = (part.parameter("z"), part.read("z"));
        for name in OF_ONE {
            let name = format!("c{name}");
            let given = "double %z.re, double %z.im";
            text += &part.complex(&format!("{name}{}", part.suffix), &one, &read, &name, given);
        }
        for name in REAL {
            text += &part.real(&format!("c{name}{}", part.suffix), &format!("c{name}"));
        }
        text += &part.complex(
            &format!("cpow{}", part.suffix),
            &format!("{one}, {}", part.parameter("w")),
            &format!("{read}{}", part.read("w")),
            "cpow",
            "double %z.re, double %z.im, double %w.re, double %w.im",
        );
        for (kind, ty, widen) in [('i', "i32", "  %wide = sext i32 %n to i64\n"), ('k', "i64", "")] {
            let exponent = if widen.is_empty() { "%n" } else { "%wide" };
            text += &part.complex(
                &format!("_FortranA{}pow{kind}", part.letter),
                &format!("{one}, {ty} %n"),
                &format!("{read}{widen}"),
                "cpowi",
                &format!("double %z.re, double %z.im, i64 {exponent}"),
            );
        }
    }
    for name in OF_ONE {
        let _ = writeln!(text, "declare void @__omptarget_c{name}(ptr, double, double)");
    }
    for name in REAL {
        let _ = writeln!(text, "declare double @__omptarget_c{name}(double, double)");
    }
    text + "declare void @__omptarget_cpow(ptr, double, double, double, double)\n\
            declare void @__omptarget_cpowi(ptr, double, double, i64)\n"
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_name_of_the_table_is_there_once() {
        let module = crate::ir::parse(&super::module()).unwrap();
        let mut names: Vec<_> = module.functions.iter().map(|function| function.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, abi::table::library::COMPLEX);
    }
}
