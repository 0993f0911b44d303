//! Reads the finished modules again and says what is wrong with them. The build fails on any of it.

use crate::{
    exports::GLOBALS,
    ir::{Callee, Function, Global, Module},
};
use abi::table::{self, Llvm};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that the driver or the linking compiler provides.
pub const OUTSIDE: [&str; 5] = ["malloc", "free", "vprintf", "__assertfail", "__nvvm_reflect"];
/// Nobody defines it: its name is the message of the link, see `prelude/unit.ll`.
const WRONG_UNIT: &str =
    "__omptarget_compile_and_link_with_foffload_lto_because_a_kernel_of_another_file_needs_this";
/// The shared memory that a launch adds: declared, never defined.
const DYNAMIC_SHARED: &str = "__devrtl_dynamic_shared_memory";
/// Texts that may stay: those of the prelude. Any other is a message of a panic.
const TEXTS: [&str; 4] =
    ["__devrtl_arch_name", "__devrtl_failure_", "__devrtl_format_", crate::instructions::FLUSH_NAME];
/// Parts of the names of code that must not be there. The last one comes with scopes of aliasing, which cost programs with many
/// kernels much of the time of their link.
const UNWANTED: [&str; 7] = [
    "panic",
    "4core3fmt",
    "unwind",
    "slice_index_fail",
    "unwrap_failed",
    "expect_failed",
    "experimental.noalias.scope",
];

/// What a module is to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// The runtime.
    Runtime,
    /// The math functions.
    Math,
}

/// All that is wrong with a finished module; nothing if it is good.
pub fn problems(module: &Module, kind: Kind, expected: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    exports(module, kind, expected, &mut found);
    undefined(module, &mut found);
    globals(module, kind, &mut found);
    leftovers(module, &mut found);
    convergence(module, &mut found);
    memory_order(module, &mut found);
    if kind == Kind::Runtime {
        calls_of_exports(module, expected, &mut found);
    }
    found
}

/// The module defines what it shall, hidden, with the types that compilers use.
fn exports(module: &Module, kind: Kind, expected: &BTreeSet<String>, found: &mut Vec<String>) {
    let visible: BTreeMap<_, _> =
        module.functions.iter().filter(|f| f.is_visible()).map(|f| (f.name.as_str(), f)).collect();
    for name in expected.iter().filter(|name| !visible.contains_key(name.as_str())) {
        found.push(format!("{name} is missing"));
    }
    for (name, function) in visible {
        if !expected.contains(name) {
            found.push(format!("{name} is visible and not in the list"));
        }
        if !function.head.iter().any(|word| word == "hidden") {
            found.push(format!("{name} is not hidden"));
        }
        match kind {
            Kind::Runtime => signature(function, found),
            Kind::Math if !name.starts_with(table::device::MATH_PREFIX) => {
                found.push(format!("{name} is not a math function"));
            }
            Kind::Math => {}
        }
    }
}

/// A function of the runtime has the type that the table gives it.
fn signature(function: &Function, found: &mut Vec<String>) {
    let name = function.name.as_str();
    let wanted = match (table::by_name(name), table::device::function(name)) {
        (Some(entry), _) if entry.host_only => return found.push(format!("{name} belongs to the host")),
        (Some(entry), _) => Llvm::ALL.iter().rev().find_map(|llvm| entry.signature(*llvm)),
        (None, Some(other)) => Some(other.signature),
        (None, None) => None,
    };
    let Some(wanted) = wanted else { return found.push(format!("{name} is in no table of abi")) };
    let params = function.params.iter().map(String::as_str);
    let more = if wanted.varargs { Some("...") } else { None };
    let same = function.ret == wanted.ret.ir() && params.eq(wanted.params.iter().map(|p| p.ir()).chain(more));
    if !same {
        found.push(format!(
            "{name} has type {} ({}), not {wanted}",
            function.ret,
            function.params.join(", ")
        ));
    }
}

/// Nothing is needed from outside but what is always there.
fn undefined(module: &Module, found: &mut Vec<String>) {
    for function in module.functions.iter().filter(|f| !f.defined) {
        let name = function.name.as_str();
        if !name.starts_with("llvm.") && !OUTSIDE.contains(&name) && name != WRONG_UNIT {
            found.push(format!("{name} is undefined"));
        }
    }
}

/// Variables: the known ones are visible, no state is kept from folding, no text of a panic is left.
fn globals(module: &Module, kind: Kind, found: &mut Vec<String>) {
    let wanted: &[&str] = if kind == Kind::Runtime { &GLOBALS } else { &[] };
    for name in wanted {
        if !module.globals.iter().any(|global| global.name == *name && global.is_visible()) {
            found.push(format!("variable {name} is missing"));
        }
    }
    for Global { name, text } in &module.globals {
        let global = Global { name: name.clone(), text: text.clone() };
        if name.starts_with("llvm.") {
            if text.contains(crate::rules::SHARED_PREFIX) {
                found.push(format!("{name} keeps a variable of the state from folding"));
            }
        } else if global.is_declared() {
            if name != DYNAMIC_SHARED {
                found.push(format!("variable {name} is undefined"));
            }
        } else if global.is_visible() && !wanted.contains(&name.as_str()) {
            found.push(format!("variable {name} is visible"));
        }
        if is_text(text) && !TEXTS.iter().any(|t| name.starts_with(t)) {
            found.push(format!("variable {name} holds a text: {text}"));
        }
    }
}

/// Whether the value is bytes that all can be read; a table of numbers has others.
fn is_text(value: &str) -> bool {
    value.split(" x i8] c\"").skip(1).any(|rest| {
        let text = rest.split('"').next().unwrap_or("");
        text.len() > 3 && !text.trim_end_matches("\\00").contains('\\')
    })
}

/// No code of panics or formatting.
fn leftovers(module: &Module, found: &mut Vec<String>) {
    for function in &module.functions {
        if UNWANTED.iter().any(|part| function.name.contains(part)) {
            found.push(format!("{} is left", function.name));
        }
    }
}

/// Whoever can reach a barrier, a shuffle or a call of something unknown is convergent, and so is every call of
/// something unknown. Without the mark LLVM may duplicate it or move it under a condition.
fn convergence(module: &Module, found: &mut Vec<String>) {
    let by_name: BTreeMap<_, _> = module.functions.iter().map(|f| (f.name.as_str(), f)).collect();
    let mut converging: BTreeSet<&str> = module
        .functions
        .iter()
        // LLVM calls this one convergent, so that it is not moved to where more is known.
        .filter(|f| !f.defined && f.has("convergent") && !f.name.starts_with("llvm.is.constant."))
        .map(|f| f.name.as_str())
        .collect();
    loop {
        let before = converging.len();
        for function in module.functions.iter().filter(|f| f.defined) {
            let reaches = function.calls.iter().any(|call| match &call.callee {
                Callee::Function(name) => converging.contains(name.as_str()),
                Callee::Pointer | Callee::Assembly => true,
            });
            if reaches {
                converging.insert(&function.name);
            }
        }
        if converging.len() == before {
            break;
        }
    }
    for name in converging {
        if !by_name[name].has("convergent") {
            found.push(format!("{name} can reach a convergent operation and is not convergent"));
        }
    }
    for function in &module.functions {
        for call in &function.calls {
            let what = match call.callee {
                Callee::Function(_) => continue,
                Callee::Pointer => "an indirect call",
                Callee::Assembly => "inline assembly",
            };
            if !call.attributes.contains("convergent") {
                found.push(format!("{} has {what} that is not convergent", function.name));
            }
        }
    }
}

/// LLVM 22 emits an `atomicrmw` for NVPTX without its order, so relaxed: an order must be a fence beside it.
fn memory_order(module: &Module, found: &mut Vec<String>) {
    for function in module.functions.iter().filter(|function| function.has_ordered_update) {
        found.push(format!("{} has an atomicrmw whose memory order LLVM drops", function.name));
    }
}

/// rustc repeats `noinline` at calls, where openmp-opt never removes it: such a call of an export stays a call.
fn calls_of_exports(module: &Module, expected: &BTreeSet<String>, found: &mut Vec<String>) {
    for function in &module.functions {
        for call in &function.calls {
            if let Callee::Function(callee) = &call.callee
                && expected.contains(callee)
                && call.attributes.contains("noinline")
            {
                found.push(format!("{} calls the export {callee} with noinline", function.name));
            }
        }
    }
}

/// Calls of barriers in rustc's output, by function of the prelude.
pub fn barriers(module: &Module) -> BTreeMap<&str, usize> {
    let names = ["syncthreads", "barrier", "barrier_count", "syncwarp"];
    let mut counts: BTreeMap<&str, usize> = names.iter().map(|name| (*name, 0)).collect();
    for call in module.functions.iter().flat_map(|f| &f.calls) {
        if let Callee::Function(name) = &call.callee
            && let Some(count) =
                name.strip_prefix(crate::rules::MACHINE_PREFIX).and_then(|name| counts.get_mut(name))
        {
            *count += 1;
        }
    }
    counts
}

/// Compares the barriers of rustc's output with the list `expected`, a line `<name> <count>` for each: more than in
/// the source means that rustc duplicated one.
pub fn barrier_problems(module: &Module, expected: &str) -> Vec<String> {
    let is: Vec<_> = barriers(module).iter().map(|(name, count)| format!("{name} {count}")).collect();
    let wanted: Vec<_> = expected.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    if is == wanted {
        return Vec::new();
    }
    vec![format!(
        "barriers in rustc's output: {}; devicertl/expected/barriers.txt: {}",
        is.join(", "),
        wanted.join(", ")
    )]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir;

    const GOOD: &str = "\
@__dso_handle = weak hidden global i8 0
@__omp_rtl_debug_kind = weak hidden constant i32 0
@__omptarget_lone_barriers = weak hidden global i32 0
@__omptarget_lone_regions = weak hidden global i32 0
@__omp_rtl_assume_no_thread_state = weak hidden constant i32 0
@__omp_rtl_assume_no_nested_parallelism = weak hidden constant i32 0
@__omp_rtl_device_environment = weak protected addrspace(4) global { i32 } undef
@__devrtl_shared_PAR = internal addrspace(3) global i32 undef
@llvm.used = appending global [1 x ptr] [ptr @__omp_rtl_device_environment], section \"llvm.metadata\"
define hidden i32 @omp_get_level() #1 {
  ret i32 0
}
define hidden void @__kmpc_barrier(ptr %0, i32 %1) #0 {
  call void @inner()
  ret void
}
define internal void @inner() #0 {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  call void %f() #0
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32) #0
declare ptr @malloc(i64)
attributes #0 = { convergent nounwind }
attributes #1 = { nounwind }
";

    fn expected() -> BTreeSet<String> {
        ["omp_get_level", "__kmpc_barrier"].map(str::to_owned).into()
    }

    fn of(text: &str) -> Vec<String> {
        problems(&ir::parse(text).unwrap(), Kind::Runtime, &expected())
    }

    /// `GOOD` with one change has one problem.
    #[track_caller]
    fn wrong(from: &str, to: &str, problem: &str) {
        assert!(GOOD.contains(from));
        let found = of(&GOOD.replacen(from, to, 1));
        assert!(found.len() == 1 && found[0].contains(problem), "{found:?}");
    }

    #[test]
    fn the_good_module_is_good() {
        assert_eq!(of(GOOD), [""; 0]);
    }

    #[test]
    fn exports() {
        wrong(
            "define hidden i32 @omp_get_level",
            "define internal i32 @omp_get_level",
            "omp_get_level is missing",
        );
        wrong("define hidden i32", "define i32", "omp_get_level is not hidden");
        wrong("i32 @omp_get_level()", "i64 @omp_get_level()", "has type i64 (), not i32 ()");
        wrong("@__kmpc_barrier(ptr %0, i32 %1)", "@__kmpc_barrier(ptr %0)", "void (ptr, i32)");
        let found = of(&GOOD.replacen("define internal void @inner", "define hidden void @inner", 1));
        assert_eq!(found, ["inner is visible and not in the list", "inner is in no table of abi"]);
    }

    #[test]
    fn undefined_symbols() {
        wrong("declare ptr @malloc", "declare ptr @__multi3", "__multi3 is undefined");
        wrong("@__devrtl_shared_PAR = internal", "@other = external", "variable other is undefined");
    }

    #[test]
    fn variables() {
        wrong("@__omp_rtl_debug_kind = weak", "@x = internal", "__omp_rtl_debug_kind is missing");
        wrong("PAR = internal", "PAR = hidden", "__devrtl_shared_PAR is visible");
        wrong("[ptr @__omp", "[ptr @__devrtl_shared_PAR, ptr @__omp", "llvm.used keeps");
        wrong(
            "@llvm.used",
            "@alloc = private constant [5 x i8] c\"index\"\n@llvm.used",
            "variable alloc holds a text",
        );
    }

    #[test]
    fn memory_order() {
        let update =
            "  %2 = atomicrmw add ptr %0, i32 1 syncscope(\"block\") release, align 4\n  call void @inner()";
        wrong("  call void @inner()", update, "__kmpc_barrier has an atomicrmw");
        let relaxed = update.replace("release", "monotonic");
        assert_eq!(of(&GOOD.replacen("  call void @inner()", &relaxed, 1)), [""; 0]);
    }

    #[test]
    fn tables_are_no_texts() {
        assert!(is_text(r#"private constant [9 x i8] c"src/a.rs\00""#));
        assert!(!is_text(r#"private constant [8 x i8] c"\00\00\00@\FB!\F9?", align 8"#));
        assert!(!is_text("internal constant [2 x i32] [i32 1, i32 2]"));
    }

    #[test]
    fn panics() {
        wrong(
            "declare ptr @malloc(i64)",
            "define internal void @_RNv4core9panicking5panic() {\n}",
            "is left",
        );
    }

    #[test]
    fn convergence_is_transitive() {
        wrong(
            "@__kmpc_barrier(ptr %0, i32 %1) #0",
            "@__kmpc_barrier(ptr %0, i32 %1) #1",
            "__kmpc_barrier can reach",
        );
        wrong("call void %f() #0", "call void %f() #1", "inner has an indirect call");
        wrong("call void %f() #0", "call void asm \"bar.sync 0;\", \"\"()", "inner has inline assembly");
        // Without the barrier the pointer alone makes `inner` and its caller convergent.
        let no_barrier = GOOD.replacen("  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n", "", 1);
        assert_eq!(of(&no_barrier), [""; 0]);
        assert_eq!(of(&no_barrier.replacen("@inner() #0 {", "@inner() #1 {", 1)).len(), 1);
    }

    #[test]
    fn no_call_of_an_export_for_ever() {
        assert_eq!(
            of(&GOOD.replacen("  call void @inner()", "  %l = call i32 @omp_get_level()", 1)),
            [""; 0]
        );
        wrong(
            "  call void @inner()",
            "  %l = call i32 @omp_get_level() noinline",
            "calls the export omp_get_level",
        );
    }

    #[test]
    fn math_has_only_math() {
        let module =
            ir::parse("define hidden double @__nv_sin(double %x) {\n}\ndefine hidden void @f() {\n}\n")
                .unwrap();
        let expected = ["__nv_sin".to_owned(), "f".to_owned()].into();
        assert_eq!(problems(&module, Kind::Math, &expected), ["f is not a math function"]);
    }

    #[test]
    fn duplicated_barriers_are_seen() {
        let text = "define void @f() {\n  call void @__devrtl_syncthreads() #0\n  call void @__devrtl_barrier(i32 8)\n}\n\
                    attributes #0 = { convergent }\n";
        let module = ir::parse(text).unwrap();
        let list = "# comment\nbarrier 1\nbarrier_count 0\nsyncthreads 1\nsyncwarp 0\n";
        assert_eq!(barrier_problems(&module, list), [""; 0]);
        assert_eq!(barrier_problems(&module, &list.replace("syncthreads 1", "syncthreads 2")).len(), 1);
    }
}
