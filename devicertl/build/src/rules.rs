//! Rules on rustc's output before LLVM sees it.
//!
//! * The CPU is dropped: whoever links the runtime sets it.
//! * What compilers call becomes `hidden`: they internalise it, and device LTO may drop it. What a program may bring
//!   itself becomes `weak` too.
//! * Whatever is not known here is an error: a variable that no prelude defines, an attribute that the linking
//!   compiler may not understand, inline assembly.

use crate::{
    exports::Exports,
    ir::{self, Callee},
};
use abi::table;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;

/// Prefix of the variables that the prelude defines in shared memory.
pub const SHARED_PREFIX: &str = "__devrtl_shared_";
/// Prefix of the functions that the prelude defines, or calls.
pub const MACHINE_PREFIX: &str = "__devrtl_";
/// String attributes that rustc may write, all dropped.
const DROPPED: [&str; 2] = ["\"target-cpu\"=", "\"target-features\"="];

/// The runtime after the rules.
#[derive(Clone, Debug)]
pub struct Step {
    /// The module.
    pub text: String,
    /// Its first lines: data layout and triple.
    pub target: String,
    /// Type definitions, for the variables below.
    pub types: Vec<String>,
    /// Variables in shared memory: symbol and type.
    pub shared: Vec<(String, String)>,
}

/// Applies the rules to the module of the crate `devicertl`.
///
/// # Errors
/// On whatever is not known.
pub fn apply(text: &str, exports: &Exports) -> Result<Step> {
    let module = ir::parse(text).context("rustc's output")?;
    let mut shared = Vec::new();
    for global in &module.globals {
        if !global.is_declared() {
            continue;
        }
        let Some(ty) = global.text.strip_prefix("external global ") else {
            bail!("@{} = {}: not known how to define this", global.name, global.text);
        };
        if global.name.starts_with(SHARED_PREFIX) {
            shared.push((global.name.clone(), ty.to_owned()));
        } else if !crate::exports::GLOBALS.contains(&global.name.as_str()) {
            bail!("@{} is defined nowhere", global.name);
        }
    }
    for function in &module.functions {
        for call in &function.calls {
            if call.callee == Callee::Assembly {
                bail!(
                    "{} has inline assembly, which LLVM may duplicate; use a function of the prelude",
                    function.name
                );
            }
            if call.callee == Callee::Pointer {
                bail!(
                    "{} has an indirect call, which is not convergent; use a function of the prelude",
                    function.name
                );
            }
        }
    }
    let defined: BTreeSet<_> =
        module.functions.iter().filter(|f| f.defined).map(|f| f.name.as_str()).collect();
    for name in &defined {
        let mangled = name.starts_with("_R") || name.starts_with("_ZN");
        // What the prelude calls has its prefix.
        if !mangled && !name.starts_with(MACHINE_PREFIX) && !exports.contains(name) {
            bail!("{name} is defined and not in the lists of devicertl/expected");
        }
    }

    let mut out = String::with_capacity(text.len());
    let (mut target, mut types) = (String::new(), Vec::new());
    for line in text.lines() {
        if line.starts_with("attributes #") {
            out += &drop_attributes(line)?;
        } else if let Some(rest) = line.strip_prefix("define ") {
            let name = &line[line.find('@').map_or(0, |at| at + 1)..];
            let name = &name[..name.find('(').unwrap_or(name.len())];
            let weak = table::device::function(name).is_some_and(|function| function.origin.is_weak());
            out += match (exports.contains(name), weak) {
                (false, _) => "define ",
                (true, false) => "define hidden ",
                (true, true) => "define weak hidden ",
            };
            out += rest;
        } else {
            if line.starts_with("target ") {
                target = target + line + "\n";
            } else if line.starts_with('%') {
                types.push(line.to_owned());
            }
            out += line;
        }
        out.push('\n');
    }
    Ok(Step { text: out, target, types, shared })
}

/// The attribute group without what the linking compiler sets.
fn drop_attributes(line: &str) -> Result<String> {
    let mut kept = Vec::new();
    for word in ir::split_words(line.trim_end_matches('}').split_once('{').map_or("", |(_, list)| list)) {
        if DROPPED.iter().any(|dropped| word.starts_with(dropped)) {
            continue;
        }
        if word.starts_with('"') {
            bail!("attribute {word}: not known what a linking compiler does with it");
        }
        kept.push(word);
    }
    Ok(format!("{} {{ {} }}", line.split(" {").next().unwrap_or(line), kept.join(" ")))
}

/// Functions of `libm` that the machine has: in software they are long, and others call them. Module and function
/// in `libm`, function of the prelude (with an `f` for single precision), number of arguments.
const HARDWARE: [(&str, &str, usize); 8] = [
    ("sqrt", "sqrt", 1),
    ("fma", "fma", 3),
    ("floor", "floor", 1),
    ("ceil", "ceil", 1),
    ("trunc", "trunc", 1),
    ("rint", "rint", 1),
    ("fabs", "fabs", 1),
    ("copysign", "copysign", 2),
];

/// Replaces the functions of `libm` that the machine has by calls of the prelude.
///
/// # Errors
/// When one of them is not there: then `libm` has changed and the list must follow.
pub fn use_hardware(libm: &str) -> Result<String> {
    let mut text = libm.to_owned();
    for (module, name, args) in HARDWARE {
        for (single, ty) in [("", "double"), ("f", "float")] {
            let function = format!("{name}{single}");
            // Mangled by rustc's scheme v0: the length stands before each part of the path.
            let path = format!("4libm4math{}{module}{}{function}(", module.len(), function.len());
            let definition = text.match_indices(&path).find_map(|(at, _)| {
                let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
                let symbol = line.strip_prefix("define ")?.rfind('@')? + "define ".len();
                Some((at + path.len() - 1, format!("{}{}", &line[symbol..], &path[..path.len() - 1])))
            });
            let Some((end, symbol)) = definition else { bail!("libm has no function {module}::{function}") };
            text.insert_str(end, ".software");
            let list = |what: &dyn Fn(usize) -> String| (0..args).map(what).collect::<Vec<_>>().join(", ");
            let (params, types) = (list(&|i| format!("{ty} %{i}")), list(&|_| ty.to_owned()));
            let callee = format!("@{MACHINE_PREFIX}{function}");
            text += &format!(
                "define {ty} {symbol}({params}) alwaysinline {{\n  %r = call {ty} {callee}({params})\n  ret {ty} %r\n}}\n\
                 declare {ty} {callee}({types})\n"
            );
        }
    }
    Ok(text)
}

/// The attribute group without the CPU; a name or value that has a space in it cannot be there.
pub fn without_cpu(line: &str) -> String {
    let kept = line.split(' ').filter(|word| !DROPPED.iter().any(|dropped| word.starts_with(dropped)));
    kept.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exports() -> Exports {
        Exports { runtime: ["omp_f".to_owned()].into(), math: BTreeSet::new() }
    }

    const TARGET: &str = "target datalayout = \"e\"\ntarget triple = \"nvptx64-nvidia-cuda\"\n";

    #[test]
    fn exports_become_hidden_and_the_cpu_goes() {
        let text = format!(
            "{TARGET}%T = type {{ i32 }}\n@__devrtl_shared_X = external global %T\n\
             define i32 @omp_f() unnamed_addr #0 {{\n  ret i32 0\n}}\ndefine void @_RNv1a() #0 {{\n  ret void\n}}\n\
             attributes #0 = {{ convergent nounwind \"target-cpu\"=\"sm_70\" }}\n"
        );
        let step = apply(&text, &exports()).unwrap();
        assert!(step.text.contains("define hidden i32 @omp_f() unnamed_addr #0 {"));
        assert!(step.text.contains("define void @_RNv1a()"));
        assert!(step.text.contains("attributes #0 = { convergent nounwind }"));
        assert_eq!(step.target, TARGET);
        assert_eq!(step.shared, [("__devrtl_shared_X".to_owned(), "%T".to_owned())]);
        assert_eq!(step.types, ["%T = type { i32 }"]);
    }

    #[test]
    fn what_a_program_may_bring_becomes_weak() {
        let mut exports = exports();
        exports.runtime.insert("strlen".to_owned());
        let step = apply(
            "define i64 @strlen(ptr %0) #0 {\n  ret i64 0\n}\nattributes #0 = { nounwind }\n",
            &exports,
        )
        .unwrap();
        assert_eq!(step.text.lines().next(), Some("define weak hidden i64 @strlen(ptr %0) #0 {"));
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let error = format!("{:#}", apply(text, &exports()).unwrap_err());
        assert!(error.contains(why), "{error}");
    }

    #[test]
    fn the_unknown_is_refused() {
        refused("@other = external global i32\n", "@other");
        refused("@x = external thread_local global i32\n", "@x");
        refused("define void @omp_g() {\n  ret void\n}\n", "omp_g");
        refused("attributes #0 = { \"surprise\"=\"1\" }\n", "surprise");
        refused(
            "define void @omp_f() {\n  call void asm sideeffect \"bar.sync 0;\", \"\"()\n}\n",
            "inline assembly",
        );
        refused("define void @omp_f() {\n  call void %p()\n}\n", "indirect call");
    }

    #[test]
    fn libm_uses_the_machine() {
        let mut libm = String::new();
        for (module, name, args) in HARDWARE {
            for (function, ty) in [(name.to_owned(), "double"), (format!("{name}f"), "float")] {
                let params = vec![ty; args].join(", ");
                let (m, f) = (module.len(), function.len());
                libm += &format!("define {ty} @_RNvC1_4libm4math{m}{module}{f}{function}({params}) {{\n}}\n");
            }
        }
        let text = use_hardware(&libm).unwrap();
        assert!(text.contains("define double @_RNvC1_4libm4math4sqrt4sqrt.software(double) {"));
        assert!(text.contains("define double @_RNvC1_4libm4math4sqrt4sqrt(double %0) alwaysinline {"));
        assert!(text.contains("%r = call float @__devrtl_fmaf(float %0, float %1, float %2)"));
        let error = use_hardware(&libm.replace("4sqrt5sqrtf", "4sqrt5sqrtg")).unwrap_err();
        assert!(error.to_string().contains("sqrt::sqrtf"));
    }
}
