//! The members of `libompdevice.a` for the C and C++ libraries: the crate `devicertl/library`, and what Rust cannot spell: functions with
//! arguments of their own, variables, and functions that return structures.

use crate::{finish, ir, rules};
use abi::table::library;
use anyhow::{Result, ensure};
use std::fmt::Write as _;

/// One of the members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// `libc.bc`.
    C,
    /// `libblocks.bc`: what needs a `malloc` of its own. A program that calls nothing of it must not have it.
    Blocks,
    /// `libcomplex.bc`: what calls libdevice, which the other members do not bring with them.
    Math,
    /// `libstdc++.bc`.
    Cxx,
}

impl Member {
    /// All.
    pub const ALL: [Self; 4] = [Self::C, Self::Blocks, Self::Math, Self::Cxx];

    /// Its file.
    pub fn file(self) -> &'static str {
        match self {
            Self::C => "libc.bc",
            Self::Blocks => "libblocks.bc",
            Self::Math => "libcomplex.bc",
            Self::Cxx => "libstdc++.bc",
        }
    }

    /// Its functions.
    pub fn functions(self) -> &'static [&'static str] {
        match self {
            Self::C => library::C,
            Self::Blocks => library::BLOCKS,
            Self::Math => library::MATH,
            Self::Cxx => library::CXX,
        }
    }

    /// What Rust cannot spell of it, as IR without a target.
    pub fn more(self) -> String {
        match self {
            Self::C => C.to_owned() + &variadic() + &divisions() + &products(),
            Self::Blocks => BLOCKS.to_owned(),
            Self::Math => complex(),
            Self::Cxx => crate::cxx::module() + CXX,
        }
    }
}

/// Functions with arguments of their own, as calls of those that get a list of them: those have the name with a `v`.
fn variadic() -> String {
    let function = |(name, parameters): (&str, &str)| {
        format!(
            "define weak_odr hidden i32 @{name}({parameters}, ptr %format, ...) {{
  %list = alloca ptr, align 8
  call void @llvm.va_start.p0(ptr %list)
  %args = load ptr, ptr %list, align 8
  %r = call i32 @v{name}({parameters}, ptr %format, ptr %args)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %r
}}
declare i32 @v{name}({parameters}, ptr, ptr)
"
        )
    };
    let before_format = [
        ("snprintf", "ptr %to, i64 %bytes"),
        ("sprintf", "ptr %to"),
        ("fprintf", "ptr %stream"),
        ("asprintf", "ptr %to"),
    ];
    before_format.map(function).concat()
}

/// `div` and its like.
fn divisions() -> String {
    let division = |(name, ty): (&str, &str)| {
        format!(
            "%struct.{name}_t = type {{ {ty}, {ty} }}
define weak_odr hidden %struct.{name}_t @{name}({ty} %a, {ty} %b) {{
  %quotient = sdiv {ty} %a, %b
  %rest = srem {ty} %a, %b
  %half = insertvalue %struct.{name}_t poison, {ty} %quotient, 0
  %both = insertvalue %struct.{name}_t %half, {ty} %rest, 1
  ret %struct.{name}_t %both
}}
"
        )
    };
    [("div", "i32"), ("ldiv", "i64"), ("lldiv", "i64"), ("imaxdiv", "i64")].map(division).concat()
}

/// Products and quotients of complex numbers: both parts are returned.
fn products() -> String {
    let operation = |(name, ty): (&str, &str)| {
        format!(
            "define weak_odr hidden {{ {ty}, {ty} }} @__{name}({ty} %a, {ty} %b, {ty} %c, {ty} %d) {{
  %to = alloca {{ {ty}, {ty} }}, align 8
  call void @__omptarget_{name}(ptr %to, {ty} %a, {ty} %b, {ty} %c, {ty} %d)
  %number = load {{ {ty}, {ty} }}, ptr %to, align 8
  ret {{ {ty}, {ty} }} %number
}}
declare void @__omptarget_{name}(ptr, {ty}, {ty}, {ty}, {ty})
"
        )
    };
    [("divdc3", "double"), ("divsc3", "float"), ("muldc3", "double"), ("mulsc3", "float")]
        .map(operation)
        .concat()
}

/// The functions of `<complex.h>` that the crate has, without `c`: `pow` takes two numbers.
const COMPLEX: [&str; 17] = [
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "pow", "proj", "sin",
    "sinh", "sqrt", "tan", "tanh",
];

/// Those that are one of libdevice's, with the parts in this order.
const OF_LIBDEVICE: [(&str, &str, [usize; 2]); 2] = [("abs", "hypot", [0, 1]), ("arg", "atan2", [1, 0])];

/// `<complex.h>`, and whole powers as flang calls them: a number comes as the address of a copy, and is returned as its parts.
fn complex() -> String {
    let mut text = String::new();
    for (ty, suffix, letter, align) in [("double", "", 'z', 8), ("float", "f", 'c', 4)] {
        let number = format!("{{ {ty}, {ty} }}");
        let parameter = |name: &str| format!("ptr byval({number}) align {align} %{name}");
        let parts = |name: &str| {
            format!(
                "  %{name}.1.at = getelementptr {number}, ptr %{name}, i64 0, i32 1
  %{name}.0 = load {ty}, ptr %{name}, align {align}
  %{name}.1 = load {ty}, ptr %{name}.1.at, align {align}
"
            )
        };
        for name in COMPLEX {
            let takes = if name == "pow" { &["a", "b"][..] } else { &["a"] };
            let parameters = takes.iter().map(|name| parameter(name)).collect::<Vec<_>>().join(", ");
            let loads = takes.iter().map(|name| parts(name)).collect::<String>();
            let arguments =
                takes.iter().map(|name| format!(", {ty} %{name}.0, {ty} %{name}.1")).collect::<String>();
            let types = format!(", {ty}, {ty}").repeat(takes.len());
            let _ = writeln!(
                text,
                "define weak_odr hidden {number} @c{name}{suffix}({parameters}) nounwind {{
{loads}  %to = alloca {number}, align 8
  call void @__omptarget_c{name}{suffix}(ptr %to{arguments})
  %r = load {number}, ptr %to, align 8
  ret {number} %r
}}
declare void @__omptarget_c{name}{suffix}(ptr{types})"
            );
        }
        for (kind, exponent) in [('i', "i32"), ('k', "i64")] {
            let widen = if kind == 'i' { "  %wide = sext i32 %n to i64\n" } else { "" };
            let _ = writeln!(
                text,
                "define weak_odr hidden {number} @_FortranA{letter}pow{kind}({}, {exponent} %n) nounwind {{
{}{widen}  %to = alloca {number}, align 8
  call void @__omptarget_cpowk{suffix}(ptr %to, {ty} %a.0, {ty} %a.1, i64 {})
  %r = load {number}, ptr %to, align 8
  ret {number} %r
}}",
                parameter("a"),
                parts("a"),
                if kind == 'i' { "%wide" } else { "%n" }
            );
        }
        let _ = writeln!(text, "declare void @__omptarget_cpowk{suffix}(ptr, {ty}, {ty}, i64)");
        for (name, function, [first, second]) in OF_LIBDEVICE {
            let _ = writeln!(
                text,
                "define weak_odr hidden {ty} @c{name}{suffix}({}) nounwind {{
{}  %r = call {ty} @__nv_{function}{suffix}({ty} %a.{first}, {ty} %a.{second})
  ret {ty} %r
}}
declare {ty} @__nv_{function}{suffix}({ty}, {ty})",
                parameter("a"),
                parts("a")
            );
        }
    }
    text
}

/// A stream is no more than a name: what a kernel writes goes where its `printf` goes. And the clock.
const C: &str = r#"
@stdout = weak_odr hidden global ptr null
@stderr = weak_odr hidden global ptr null
@omptarget_c_character = private unnamed_addr constant [3 x i8] c"%c\00"
@omptarget_c_text = private unnamed_addr constant [3 x i8] c"%s\00"

define weak_odr hidden i32 @fputs(ptr %text, ptr %stream) {
  %args = alloca ptr, align 8
  store ptr %text, ptr %args, align 8
  %r = call i32 @vprintf(ptr @omptarget_c_text, ptr %args)
  ret i32 %r
}
define weak_odr hidden i32 @putchar(i32 %c) {
  %args = alloca i32, align 8
  store i32 %c, ptr %args, align 8
  %r = call i32 @vprintf(ptr @omptarget_c_character, ptr %args)
  %written = and i32 %c, 255
  ret i32 %written
}
define weak_odr hidden i32 @putc(i32 %c, ptr %stream) {
  %r = call i32 @putchar(i32 %c)
  ret i32 %r
}
define weak_odr hidden i32 @fputc(i32 %c, ptr %stream) {
  %r = call i32 @putchar(i32 %c)
  ret i32 %r
}
; The buffer of the device is written when the kernel has ended, not before.
define weak_odr hidden i32 @fflush(ptr %stream) {
  ret i32 0
}

define weak_odr hidden i64 @__omptarget_nanoseconds() {
  %r = call i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
  ret i64 %r
}
; `nanosleep` came with Volta; before it there is nothing better than to look at the clock again.
@omptarget_c_arch = private unnamed_addr constant [12 x i8] c"__CUDA_ARCH\00"
define weak_odr hidden void @__omptarget_pause(i32 %nanoseconds) {
  %arch = call i32 @__nvvm_reflect(ptr @omptarget_c_arch)
  %has = icmp uge i32 %arch, 700
  br i1 %has, label %sleep, label %done
sleep:
  call void @llvm.nvvm.nanosleep(i32 %nanoseconds)
  br label %done
done:
  ret void
}

declare i32 @__nvvm_reflect(ptr)
declare i64 @llvm.nvvm.read.ptx.sreg.globaltimer()
declare void @llvm.nvvm.nanosleep(i32)
declare i32 @vprintf(ptr, ptr)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
"#;

/// What it takes of the other member for C, and of the driver by names that the linker of device code knows.
pub const OF_OTHERS: [&str; 3] = ["__errno_location", "__omptarget_real_free", "__omptarget_real_malloc"];

/// The linker of device code calls the wrappers, nothing else does. `errno` is in the other member for C.
const BLOCKS: &str = r#"
@llvm.used = appending global [2 x ptr] [ptr @__omptarget_wrap_malloc, ptr @__omptarget_wrap_free], section "llvm.metadata"

define weak_odr hidden void @__omptarget_set_error(i32 %number) {
  %error = call ptr @__errno_location()
  store i32 %number, ptr %error, align 4
  ret void
}

declare ptr @__omptarget_wrap_malloc(i64)
declare void @__omptarget_wrap_free(ptr)
declare ptr @__errno_location()
"#;

/// `std::__detail::_Prime_rehash_policy::_M_need_rehash`: whether, and to how many buckets.
const CXX: &str = r#"
%"struct.std::pair" = type { i8, i64 }

define weak_odr hidden %"struct.std::pair" @_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm(ptr %policy, i64 %now, i64 %elements, i64 %more) {
  %buckets = call i64 @omptarget_cxx_buckets(ptr %policy, i64 %now, i64 %elements, i64 %more)
  %needed = icmp ne i64 %buckets, 0
  %byte = zext i1 %needed to i8
  %half = insertvalue %"struct.std::pair" poison, i8 %byte, 0
  %both = insertvalue %"struct.std::pair" %half, i64 %buckets, 1
  ret %"struct.std::pair" %both
}
declare i64 @omptarget_cxx_buckets(ptr, i64, i64, i64)
"#;

/// Functions that take LLVM seconds, and openmp-opt as well. What only they call is like them.
const LONG: [&str; 4] = ["atof", "strtod", "strtof", "vsnprintf"];

/// The text of the optimised functions of the crate, of which a program may have its own, without what the linking compiler sets. The long
/// ones are not optimised again.
pub fn weak(text: &str, member: Member) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        if line.starts_with("attributes #") {
            out += &rules::without_cpu(line);
        } else if let Some(rest) = line.strip_prefix("define ") {
            let name = rest.split_once('@').map_or("", |(_, name)| name);
            let name = &name[..name.find('(').unwrap_or(name.len())];
            let is_exported = member.functions().contains(&name);
            let line = format!("define {}{rest}", if is_exported { "weak_odr hidden " } else { "" });
            let is_long = match member {
                Member::C => !is_exported || LONG.contains(&name),
                // openmp-opt must not see what they make of the driver's memory.
                Member::Blocks => true,
                Member::Math | Member::Cxx => false,
            };
            out += &if is_long { finish::finished_head(&line) } else { line };
        } else {
            out += line;
        }
        out.push('\n');
    }
    out
}

/// Looks at a member again: it has its functions, no others, and needs what `known` says is there.
///
/// # Errors
/// It is not so.
pub fn check(text: &str, member: Member, known: impl Fn(&str) -> bool) -> Result<()> {
    let module = ir::parse(text)?;
    for name in member.functions() {
        ensure!(module.functions.iter().any(|f| f.defined && f.name == *name), "{name} is missing");
    }
    for function in &module.functions {
        let name = function.name.as_str();
        if function.defined {
            ensure!(
                !function.is_visible() || member.functions().contains(&name),
                "{name} is in no table of abi"
            );
        } else {
            ensure!(name.starts_with("llvm.") || known(name), "{name} is undefined");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_become_weak_and_lose_the_cpu() {
        let text = "define i32 @atoi(ptr %0) #0 {\n  ret i32 0\n}\n\
                    define internal i64 @own(ptr %0) #0 {\n  ret i64 0\n}\n\
                    define double @strtod(ptr %0, ptr %1) #0 {\n  ret double 0.0\n}\n\
                    attributes #0 = { nounwind \"target-cpu\"=\"sm_70\" }\n";
        let done = weak(text, Member::C);
        assert!(done.contains("define weak_odr hidden i32 @atoi(ptr %0) #0 {\n"), "{done}");
        let finished = abi::attribute::FINISHED;
        let long = format!("#0 \"{finished}\" \"llvm.assume\"=\"omp_no_openmp\" {{\n");
        assert!(done.contains(&format!("define internal i64 @own(ptr %0) {long}")), "{done}");
        assert!(
            done.contains(&format!("define weak_odr hidden double @strtod(ptr %0, ptr %1) {long}")),
            "{done}"
        );
        assert!(done.contains("attributes #0 = { nounwind }\n"), "{done}");
    }

    #[test]
    fn a_member_has_its_functions_and_no_others() {
        let all = |names: &[&str]| {
            names
                .iter()
                .map(|name| format!("define weak_odr hidden i32 @{name}() {{\n  ret i32 0\n}}\n"))
                .collect::<String>()
        };
        let whole = all(library::C) + "declare ptr @malloc(i64)\n";
        let of =
            |text: &str, known: bool| check(text, Member::C, |_| known).map_err(|error| error.to_string());
        assert_eq!(of(&whole, true), Ok(()));
        assert_eq!(of(&whole, false), Err("malloc is undefined".into()));
        assert_eq!(of(&all(&library::C[1..]), true), Err(format!("{} is missing", library::C[0])));
        assert_eq!(of(&(whole + &all(&["more"])), true), Err("more is in no table of abi".into()));
    }
}
