//! What Rust cannot spell: the files of `devicertl/prelude`, and generated modules.
//!
//! Shared memory: the crate declares its variables in address space 0; here they are defined in address space 3.
//! llvm-link resolves the difference with a cast, `internalize` and `infer-address-spaces` remove it.

use crate::{instructions, rules::Step};
use anyhow::{Context, Result, bail};
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Arguments of a region that the runtime can pass (`devicertl::arch::MAX_REGION_ARGS`).
pub const MAX_REGION_ARGS: usize = 64;
/// Up to so many the calls are in line in what starts regions. Those of more are in a function of their own, which goes into a
/// caller that knows the number; without optimisation they would be in a program several times, and take ptxas half a minute.
const FEW_REGION_ARGS: usize = 16;

/// Files of the prelude that only the runtime needs.
pub const RUNTIME: [&str; 8] =
    ["debug", "machine", "atomics", "calls", "environment", "libc", "failures", "shared"];
/// Files that are linked to the optimised runtime.
pub const LATE: [&str; 2] = ["late", "unit"];
/// The variable of the runtime that they read.
pub const STAMP: &str = "__devrtl_shared_STAMP";
/// Files of the prelude that only the math functions need.
pub const MATH: [&str; 1] = ["math"];

/// Writes the modules below `out`; those of `names`, and for the runtime the generated ones.
///
/// # Errors
/// When a file cannot be read or written, or a variable has a type with no known alignment.
pub fn write(root: &Path, out: &Path, step: &Step, names: &[&str]) -> Result<Vec<PathBuf>> {
    names
        .iter()
        .map(|name| {
            let read = |name: &str| {
                let path = root.join("prelude").join(name);
                std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
            };
            let text = match *name {
                "shared" => shared(step)? + &region_calls(),
                "failures" => failures(&read("failures.txt")?),
                "math" => instructions::module(&read("math.txt")?).context("prelude/math.txt")?,
                name => read(&format!("{name}.ll"))?,
            };
            let path = out.join(format!("prelude-{name}.ll"));
            std::fs::write(&path, format!("{}{text}", step.target))
                .with_context(|| format!("cannot write {}", path.display()))?;
            Ok(path)
        })
        .collect()
}

/// Definitions of the variables in shared memory.
fn shared(step: &Step) -> Result<String> {
    let mut text = String::new();
    for line in &step.types {
        text = text + line + "\n";
    }
    for (name, ty) in &step.shared {
        let align = match ty.as_str() {
            "i32" => 4,
            "i64" | "ptr" => 8,
            // Arrays and structures. More than they need does little harm, and pairs of a region's arguments are read and
            // written at once.
            _ if ty.starts_with('%') || ty.starts_with('[') => 16,
            _ => bail!("shared variable {name} has type {ty}, whose alignment is not known"),
        };
        writeln!(text, "@{name} = hidden addrspace(3) global {ty} undef, align {align}")?;
    }
    Ok(text)
}

/// The texts of `prelude/failures.txt`.
fn failure_texts(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// `__devrtl_failure_text` (inlined, and folded to one text: callers pass a constant) and `__devrtl_fail`.
fn failures(list: &str) -> String {
    let (mut texts, mut cases, mut blocks) = (String::new(), String::new(), String::new());
    for (number, line) in failure_texts(list).enumerate() {
        let _ = writeln!(
            texts,
            "@__devrtl_failure_{number} = linkonce_odr hidden unnamed_addr constant [{} x i8] c\"{line}\\00\"",
            line.len() + 1
        );
        let _ = writeln!(cases, "    i32 {number}, label %n{number}");
        let _ = writeln!(blocks, "n{number}:\n  ret ptr @__devrtl_failure_{number}");
    }
    format!(
        "{texts}@__devrtl_failure_file = linkonce_odr hidden unnamed_addr constant [22 x i8] c\"OpenMP device runtime\\00\"\n\
         define linkonce_odr hidden ptr @__devrtl_failure_text(i32 %why) alwaysinline nounwind {{\n\
         \x20 switch i32 %why, label %unknown [\n{cases}  ]\n{blocks}unknown:\n  unreachable\n}}\n\
         define linkonce_odr hidden void @__devrtl_end(ptr %text) cold noinline noreturn nounwind {{\n\
         \x20 call void @__assertfail(ptr %text, ptr @__devrtl_failure_file, i32 0, ptr @__devrtl_failure_file, i64 1)\n\
         \x20 unreachable\n}}\n\
         define linkonce_odr hidden void @__devrtl_fail(i32 %why) alwaysinline noreturn nounwind {{\n\
         \x20 %text = call ptr @__devrtl_failure_text(i32 %why)\n\
         \x20 call void @__devrtl_end(ptr %text)\n  unreachable\n}}\n\
         declare void @__assertfail(ptr, ptr, i32, ptr, i64) noreturn nounwind\n"
    )
}

/// The calls of regions: one for each number of arguments, of which one stays where callers pass a constant. Where that cannot
/// be, for regions inside others, `__devrtl_region_invoker` is asked before for the function that calls.
fn region_calls() -> String {
    region_call()
        + &region_invoker()
        + &combination("references", |_, place| (String::new(), format!("ptr %{place}")))
        + &combination("values", |ty, place| {
            // Structures are in memory, as clang has them.
            if ty.starts_with('{') {
                return (String::new(), format!("ptr byval({ty}) align {} %{place}", aligned(ty)));
            }
            (
                format!("  %v.{place} = load {ty}, ptr %{place}, align {}\n", aligned(ty)),
                format!("{ty} %v.{place}"),
            )
        })
        + "declare void @__devrtl_fail(i32) noreturn nounwind\n\
           attributes #0 = { alwaysinline convergent nounwind \"llvm.assume\"=\"ompx_no_call_asm\" }\n\
           attributes #1 = { convergent nounwind }\n\
           attributes #2 = { cold convergent noinline nounwind }\n\
           attributes #3 = { alwaysinline nounwind }\n\
           attributes #4 = { convergent inlinehint nounwind \"llvm.assume\"=\"ompx_no_call_asm\" }\n"
}

/// `__devrtl_call_region`: the arguments are loaded one after the other, until there are as many as the region has. A switch over
/// calls that each load all of theirs would be 20 times as large, in every program, for openmp-opt to look at.
fn region_call() -> String {
    let head = |name: &str, kind: u32| {
        format!(
            "define linkonce_odr hidden void @{name}(ptr %f, ptr %gtid, ptr %btid, ptr %args, i64 %n) #{kind} {{\n"
        )
    };
    let mut text = head("__devrtl_call_region", 0) + "  br label %n0\n";
    let mut args = String::new();
    for n in 0..=MAX_REGION_ARGS {
        let more = n + 1;
        let is_last = n == FEW_REGION_ARGS || n == MAX_REGION_ARGS;
        let next = if is_last { "more".to_owned() } else { format!("l{more}") };
        let _ = write!(
            text,
            "n{n}:\n  %is{n} = icmp eq i64 %n, {n}\n  br i1 %is{n}, label %c{n}, label %{next}\n\
             c{n}:\n  call void %f(ptr %gtid, ptr %btid{args}) #1\n  ret void\n"
        );
        if n == FEW_REGION_ARGS {
            let call =
                "call void @__devrtl_call_region_of_many(ptr %f, ptr %gtid, ptr %btid, ptr %args, i64 %n) #1";
            let _ = write!(text, "more:\n  {call}\n  ret void\n}}\n");
            text += &head("__devrtl_call_region_of_many", 4);
            for before in 0..n {
                text += &load(before);
            }
        }
        if n < MAX_REGION_ARGS {
            if n != FEW_REGION_ARGS {
                let _ = writeln!(text, "l{more}:");
            }
            let _ = writeln!(text, "{}  br label %n{more}", load(n));
            let _ = write!(args, ", ptr %v{n}");
        }
    }
    text + "more:\n  call void @__devrtl_fail(i32 2)\n  unreachable\n}\n"
}

/// The types of `Element` in src/arch.rs, in its order.
const ELEMENTS: [&str; 8] =
    ["i8", "i16", "i32", "i64", "float", "double", "{ float, float }", "{ double, double }"];

/// The alignment of such a type.
fn aligned(ty: &str) -> u32 {
    match ty {
        "i8" => 1,
        "i16" => 2,
        "i32" | "float" | "{ float, float }" => 4,
        _ => 8,
    }
}

/// `__devrtl_combine_*` (inlined, and folded to one call: callers pass a constant type). `argument` gives what reads an argument, and what is
/// passed.
fn combination(name: &str, argument: impl Fn(&str, &str) -> (String, String)) -> String {
    let (mut cases, mut blocks) = (String::new(), String::new());
    for (number, ty) in ELEMENTS.into_iter().enumerate() {
        let [(one, given), (other, also)] = ["one", "other"].map(|place| argument(ty, place));
        let name = |text: String| text.replace("%v.", &format!("%v{number}."));
        let _ = writeln!(cases, "    i32 {number}, label %n{number}");
        let _ = writeln!(
            blocks,
            "n{number}:\n{}{}  %r{number} = call {ty} %f({}, {}) #1\n  store {ty} %r{number}, ptr %to, align {}\n  ret void",
            name(one),
            name(other),
            name(given),
            name(also),
            aligned(ty)
        );
    }
    format!(
        "define linkonce_odr hidden void @__devrtl_combine_{name}(i32 %type, ptr %f, ptr %to, ptr %one, ptr %other) #0 {{\n\
         \x20 switch i32 %type, label %unknown [\n{cases}  ]\n{blocks}unknown:\n  unreachable\n}}\n"
    )
}

/// Loads argument `i`.
fn load(i: usize) -> String {
    format!(
        "  %p{i} = getelementptr inbounds ptr, ptr %args, i64 {i}\n  %v{i} = load ptr, ptr %p{i}, align 8\n"
    )
}

/// A function for each number of arguments, and the one that gives its address. Its type is unlike that of any region.
fn region_invoker() -> String {
    let mut text = String::new();
    for n in 0..=MAX_REGION_ARGS {
        let _ = writeln!(
            text,
            "define linkonce_odr hidden void @__devrtl_invoke_{n}(i16 %unused, ptr %f, i32 %number, ptr %args) #2 {{\n\
             \x20 %gtid = alloca i32, align 4\n  %btid = alloca i32, align 4\n\
             \x20 store i32 %number, ptr %gtid, align 4\n  store i32 0, ptr %btid, align 4\n\
             {}  ret void\n}}",
            call_with(n)
        );
    }
    text += "define linkonce_odr hidden ptr @__devrtl_region_invoker(i64 %n) #3 {\n";
    text += &switch_over_arguments();
    for n in 0..=MAX_REGION_ARGS {
        let _ = writeln!(text, "n{n}:\n  ret ptr @__devrtl_invoke_{n}");
    }
    text + "}\n\
        define linkonce_odr hidden void @__devrtl_invoke(ptr %invoker, ptr %f, i32 %number, ptr %args) #0 {\n\
        \x20 call void %invoker(i16 0, ptr %f, i32 %number, ptr %args) #1\n  ret void\n}\n"
}

/// Branches to `n0`, `n1` ... by the number of arguments `%n`.
fn switch_over_arguments() -> String {
    let mut text = String::from("  switch i64 %n, label %more [\n");
    for n in 0..=MAX_REGION_ARGS {
        let _ = writeln!(text, "    i64 {n}, label %n{n}");
    }
    text + "  ]\nmore:\n  call void @__devrtl_fail(i32 2)\n  unreachable\n"
}

/// Calls the region `%f` with `n` arguments, which it loads.
fn call_with(n: usize) -> String {
    let (mut text, mut args) = (String::new(), String::new());
    for i in 0..n {
        text += &load(i);
        let _ = write!(args, ", ptr %v{i}");
    }
    let _ = writeln!(text, "  call void %f(ptr %gtid, ptr %btid{args}) #1");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(ty: &str) -> Step {
        Step {
            text: String::new(),
            target: String::new(),
            types: vec!["%T = type { i8 }".into()],
            shared: vec![("__devrtl_shared_X".into(), ty.into())],
        }
    }

    #[test]
    fn shared_variables_have_an_alignment() {
        assert!(
            shared(&step("ptr"))
                .unwrap()
                .contains("@__devrtl_shared_X = hidden addrspace(3) global ptr undef, align 8")
        );
        assert!(shared(&step("%T")).unwrap().contains("%T = type { i8 }\n"));
        assert!(shared(&step("i128")).unwrap_err().to_string().contains("i128"));
    }

    #[test]
    fn every_failure_has_its_text() {
        let root = crate::root();
        let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap();
        let (list, code) = (read("prelude/failures.txt"), read("src/arch.rs"));
        let variants = code.split("pub enum Failure {").nth(1).unwrap().split('}').next().unwrap();
        let numbers = variants
            .lines()
            .filter_map(|line| line.split(" = ").nth(1)?.strip_suffix(',')?.parse::<usize>().ok());
        assert!(numbers.eq(0..failure_texts(&list).count()));
        // No character that would need an escape in LLVM's text.
        assert!(
            failure_texts(&list)
                .all(|t| t.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\'))
        );
        let module = crate::ir::parse(&failures(&list)).unwrap();
        assert_eq!(module.functions.iter().filter(|f| f.defined).count(), 3);
    }

    #[test]
    fn a_region_has_one_call_for_each_number_of_arguments() {
        let module = crate::ir::parse(&region_calls()).unwrap();
        let combinations = module.functions.iter().filter(|function| function.name.contains("combine"));
        let calls = combinations.flat_map(|function| &function.calls);
        assert_eq!(calls.filter(|call| call.attributes.contains("convergent")).count(), 2 * ELEMENTS.len());
        let calls = module.functions[..2].iter().flat_map(|function| &function.calls);
        let regions: Vec<_> = calls.filter(|c| c.callee == crate::ir::Callee::Pointer).collect();
        assert_eq!(regions.len(), MAX_REGION_ARGS + 1);
        assert!(regions.iter().all(|c| c.attributes.contains("convergent")));
        assert!(region_calls().contains("call void %f(ptr %gtid, ptr %btid, ptr %v0, ptr %v1) #1"));
    }
}
