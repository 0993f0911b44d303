//! From rustc's text to the finished files.
//!
//! The pipeline is `lto-pre-link<O2>` and not `default<O2>`: the latter drops assumptions that openmp-opt needs
//! later. SLP vectorisation is off: openmp-opt does not see through vector accesses of state and arguments.
//! `infer-address-spaces` is not part of the middle end; without it accesses of shared memory stay generic. opt
//! writes no ThinLTO summary, which rustc's own bitcode has: with one nothing of the runtime would be inlined.

use crate::{
    Outputs, c_math, check,
    compile::Modules,
    exports::{Exports, GLOBALS},
    ir,
    library::{self, Member},
    prelude, rules,
    toolchain::Llvm,
};
use abi::table;
use anyhow::{Context, Result, bail};
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

/// Passes after linking.
const PASSES: &str =
    "internalize,lto-pre-link<O2>,infer-address-spaces,instcombine<no-verify-fixpoint>,globaldce,verify";

/// Passes after linking what must stay open until the runtime is part of a program.
const LATE_PASSES: &str = "internalize,always-inline,globaldce,verify";

/// Links, optimises, checks and packs.
///
/// # Errors
/// When a tool fails or a check finds something.
pub fn finish(llvm: &Llvm, modules: &Modules, root: &Path, out: &Path) -> Result<Outputs> {
    let exports = Exports::read(root)?;
    let raw = read(&modules.runtime)?;
    let step = rules::apply(&raw, &exports)?;
    report(
        "rustc's output",
        check::barrier_problems(&ir::parse(&raw)?, &read(&root.join("expected/barriers.txt"))?),
    )?;
    let step_file = out.join("runtime.step.ll");
    write(&step_file, &step.text)?;
    let outputs = Outputs::of(out);
    let parts = Parts { llvm, modules, exports, step, step_file, root, out, outputs: &outputs };

    let library = std::thread::scope(|threads| {
        let math = threads.spawn(|| parts.math());
        let library = threads.spawn(|| parts.library());
        let runtime = parts.runtime();
        runtime.and(joined(math)).and(joined(library))
    })?;
    let all = all_at_link(llvm, &outputs.runtime)?;
    let [runtime_member, fortran_member] = std::thread::scope(|threads| {
        let ptx = threads.spawn(|| assemble(llvm, &[all.clone(), outputs.math.clone()], out, &outputs.ptx));
        let members = members(llvm, &all, &parts.exports);
        joined(ptx).and(members)
    })?;

    let archive = &outputs.archive;
    if archive.exists() {
        fs::remove_file(archive).with_context(|| format!("cannot remove {}", archive.display()))?;
    }
    let members = [&runtime_member, &fortran_member, &outputs.math].into_iter().chain(&library);
    let members: Vec<&OsStr> = members.map(|member| member.as_os_str()).collect();
    llvm.run("llvm-ar", &[&["rcsD".as_ref(), archive.as_os_str()], &members[..]].concat())?;
    Ok(outputs)
}

/// What a thread gives; a panic there is one here.
fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// What the parts are made of, none of which needs another, nor writes a file of another.
struct Parts<'a> {
    llvm: &'a Llvm,
    modules: &'a Modules,
    exports: Exports,
    step: rules::Step,
    /// The text of `step`.
    step_file: PathBuf,
    root: &'a Path,
    out: &'a Path,
    /// What is to be made, in `out`.
    outputs: &'a Outputs,
}

impl Parts<'_> {
    /// The runtime for clang's default mode.
    fn runtime(&self) -> Result<()> {
        let Self { llvm, exports, step, root, out, .. } = self;
        let runtime = &self.outputs.runtime;
        let linked = out.join("runtime.linked.bc");
        let mut files = vec![self.step_file.clone()];
        files.extend(prelude::write(root, out, step, &prelude::RUNTIME)?);
        link(llvm, &files, &[], &linked)?;
        let public = exports.runtime.iter().map(String::as_str).chain(GLOBALS);
        let early = out.join("runtime.early.bc");
        optimise(llvm, &linked, PASSES, public.clone().chain([prelude::STAMP]), &early)?;
        let mut files = vec![early];
        files.extend(prelude::write(root, out, step, &prelude::LATE)?);
        link(llvm, &files, &[], &linked)?;
        optimise(llvm, &linked, LATE_PASSES, public, runtime)?;
        forget_scopes(llvm, runtime)?;
        examine(llvm, runtime, check::Kind::Runtime, &exports.runtime)
    }

    /// The math functions and what they call; the rest of the crate goes before libm and core are looked at.
    fn math(&self) -> Result<()> {
        let Self { llvm, modules, exports, step, root, out, .. } = self;
        let math = &self.outputs.math;
        let alone = out.join("math.alone.bc");
        let public = || exports.math.iter().map(String::as_str);
        optimise(llvm, &self.step_file, "internalize,globaldce", public(), &alone)?;
        let libm = out.join("libm.step.ll");
        write(&libm, &rules::use_hardware(&read(&modules.libm)?)?)?;
        let mut libraries = vec![libm];
        libraries.extend(modules.core.iter().cloned());
        // The prelude has exports, which are wanted though nothing needs them, and what libm needs.
        let instructions = prelude::write(root, out, step, &prelude::MATH)?;
        let exported = out.join("math.exported.bc");
        link(llvm, &[&[alone], &instructions[..]].concat(), &[], &exported)?;
        libraries.extend(instructions);
        let linked = out.join("math.linked.bc");
        link(llvm, &[exported], &libraries, &linked)?;
        optimise(llvm, &linked, PASSES, public(), math)?;
        forget_scopes(llvm, math)?;
        examine(llvm, math, check::Kind::Math, &exports.math)
    }

    /// The members of the archive for C's math functions, the C library and the C++ library.
    fn library(&self) -> Result<Vec<PathBuf>> {
        let Self { llvm, modules, exports, step, out, .. } = self;
        let c_math = out.join("libm.bc");
        bitcode_of(llvm, &format!("{}{}", step.target, c_math::module()), &c_math)?;
        let linked = out.join("library.linked.bc");
        link(llvm, std::slice::from_ref(&modules.library), modules.core.as_slice(), &linked)?;
        let member = |member: Member| {
            library_member(llvm, &linked, exports, &step.target, member, &out.join(member.file()))
        };
        std::iter::once(Ok(c_math)).chain(Member::ALL.map(member)).collect()
    }
}

/// Runtime and math as PTX, for compilers that cannot read LLVM 22's bitcode. The lowest architecture that CUDA 13 still
/// knows serves all; openmp-opt is for kernels, and there are none.
fn assemble(llvm: &Llvm, files: &[PathBuf], out: &Path, ptx: &Path) -> Result<()> {
    let (linked, optimised) = (out.join("all.linked.bc"), out.join("all.bc"));
    link(llvm, files, &[], &linked)?;
    let input: [&OsStr; 3] = [linked.as_ref(), "-o".as_ref(), optimised.as_ref()];
    let passes = ["-passes=default<O2>", "-openmp-opt-disable", "-vectorize-slp=false"].map(OsStr::new);
    llvm.run("opt", &[&passes[..], &input].concat())?;
    let output: [&OsStr; 3] = [optimised.as_ref(), "-o".as_ref(), ptx.as_ref()];
    let machine = ["-mcpu=sm_75", "-mattr=+ptx78", "-O3", "-asm-verbose=false"].map(OsStr::new);
    llvm.run("llc", &[&machine[..], &output].concat()).map(drop)
}

/// The members of the archive that come from the runtime: what flang calls of the Fortran runtime is one of its own, with all that it
/// needs, because a device link reads whole members.
fn members(llvm: &Llvm, all: &Path, exports: &Exports) -> Result<[PathBuf; 2]> {
    let is_for_fortran =
        |name: &&str| table::fortran::FUNCTIONS.iter().any(|function| function.name == *name);
    let names = || exports.runtime.iter().map(String::as_str);
    let parts = [all.with_extension("runtime.bc"), all.with_extension("fortran.bc")];
    let [runtime, fortran] = &parts;
    let rest = names().filter(|name| !is_for_fortran(name)).chain(GLOBALS);
    optimise(llvm, all, "internalize,globaldce", rest, runtime)?;
    optimise(llvm, all, "internalize,globaldce", names().filter(is_for_fortran), fortran)?;
    let text = text_of(llvm, fortran)?;
    if let Some(line) = text.lines().find(|line| line.starts_with('@') && line.contains("addrspace(3)")) {
        bail!(
            "functions for Fortran use the state of the team, of which their member would have another one: {line}"
        );
    }
    bitcode_of(llvm, &finished(&text), fortran)?;
    Ok(parts)
}

/// A member of the archive for the C or C++ library, of the crate for both, linked with what it needs.
fn library_member(
    llvm: &Llvm,
    linked: &Path,
    exports: &Exports,
    target: &str,
    member: Member,
    out: &Path,
) -> Result<PathBuf> {
    let [small, more] = ["small.bc", "more.bc"].map(|extension| out.with_extension(extension));
    optimise(llvm, linked, PASSES, member.functions().iter().copied(), &small)?;
    bitcode_of(llvm, &library::weak(&without_scopes(&text_of(llvm, &small)?), member), &small)?;
    bitcode_of(llvm, &format!("{target}{}", member.more()), &more)?;
    link(llvm, &[small, more], &[], out)?;
    let is_math = |name: &str| member == Member::Math && exports.math.contains(name);
    let is_linked = |name: &str| member == Member::Blocks && library::OF_OTHERS.contains(&name);
    let known = |name: &str| {
        check::OUTSIDE.contains(&name) || exports.runtime.contains(name) || is_math(name) || is_linked(name)
    };
    library::check(&text_of(llvm, out)?, member, known).with_context(|| out.display().to_string())?;
    Ok(out.to_owned())
}

/// Takes from a file what optimised it: which accesses cannot alias, because rustc's references do not. LLVM copies all of that each
/// time it puts a function into another, with the scopes of all that was inlined there before: a program with 2500 kernels
/// took more than 20 minutes and 10 GB to link.
fn forget_scopes(llvm: &Llvm, file: &Path) -> Result<()> {
    bitcode_of(llvm, &without_scopes(&text_of(llvm, file)?), file)
}

/// The IR in `text` without the scopes of `noalias`.
fn without_scopes(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("@llvm.experimental.noalias.scope.decl("));
    lines
        .map(|line| format!("{}\n", without_metadata(&without_metadata(line, "alias.scope"), "noalias")))
        .collect()
}

/// A line without the metadata of this kind.
fn without_metadata(line: &str, kind: &str) -> String {
    let Some((before, behind)) = line.split_once(&format!(", !{kind} !")) else { return line.to_owned() };
    format!("{before}{}", behind.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// The IR in `text` with each function marked as one that openmp-opt need not look at, and that calls nothing of a program's.
fn finished(text: &str) -> String {
    text.lines()
        .map(|line| if line.starts_with("define ") { finished_head(line) } else { line.to_owned() } + "\n")
        .collect()
}

/// The first line of a definition with that mark.
pub fn finished_head(line: &str) -> String {
    head_with(line, &format!("\"{}\" \"llvm.assume\"=\"omp_no_openmp\"", abi::attribute::FINISHED))
}

/// The first line of a definition with these attributes more.
fn head_with(line: &str, attributes: &str) -> String {
    let head = line.strip_suffix('{').unwrap_or(line);
    format!("{head}{attributes} {{")
}

/// The runtime for a device link, where the list of functions that openmp-opt may call later is not needed, and would keep them in
/// every program, and where regions may start others.
fn all_at_link(llvm: &Llvm, runtime: &Path) -> Result<PathBuf> {
    let text = read(&runtime.with_extension("ll"))?;
    let kept = text.lines().filter(|line| !line.starts_with("@llvm.compiler.used"));
    let bitcode = runtime.with_file_name("libompdevice.bc");
    bitcode_of(llvm, &without_recursion(kept), &bitcode)?;
    Ok(bitcode)
}

/// What a compiler calls to start a region. These call the region, and openmp-opt writes a call of each that it knows of.
const STARTS: [&str; 2] = ["__kmpc_parallel_51", "__kmpc_parallel_60"];

/// The IR of these lines with each function that starts regions marked as one that may return twice, which it does not: LLVM inlines
/// no function that calls such a one into another. Else it puts a region that starts another one into what starts both, and that,
/// a function that calls itself then, into nothing any more: all kernels of the program would call one function with most of its
/// regions, some of them several times, and openmp-opt took a minute for it. So what starts regions comes into the regions first,
/// and then no call of it is left.
///
/// Not where a file is compiled with the runtime: there what starts a region is called in functions of the compiler's, which LLVM
/// inlines into kernels before all else.
fn without_recursion<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let starts = |line: &str| {
        line.starts_with("define ") && STARTS.iter().any(|name| line.contains(&format!("@{name}(")))
    };
    lines
        .map(|line| if starts(line) { head_with(line, "returns_twice") } else { line.to_owned() } + "\n")
        .collect()
}

/// Links `files`, and of `libraries` what they need.
fn link(llvm: &Llvm, files: &[PathBuf], libraries: &[PathBuf], out: &Path) -> Result<()> {
    let mut args: Vec<&OsStr> = vec!["-o".as_ref(), out.as_ref()];
    args.extend(files.iter().map(AsRef::<OsStr>::as_ref));
    if !libraries.is_empty() {
        args.push("--only-needed".as_ref());
        args.extend(libraries.iter().map(AsRef::<OsStr>::as_ref));
    }
    llvm.run("llvm-link", &args).map(drop)
}

/// Runs `passes`, with only `public` visible from outside.
fn optimise<'a>(
    llvm: &Llvm,
    input: &Path,
    passes: &str,
    public: impl Iterator<Item = &'a str>,
    out: &Path,
) -> Result<()> {
    let list = out.with_extension("public.txt");
    write(&list, &public.collect::<Vec<_>>().join("\n"))?;
    let passes = format!("-passes={passes}");
    let list = format!("-internalize-public-api-file={}", list.display());
    let args: [&OsStr; 6] = [
        "-vectorize-slp=false".as_ref(),
        passes.as_ref(),
        list.as_ref(),
        input.as_ref(),
        "-o".as_ref(),
        out.as_ref(),
    ];
    llvm.run("opt", &args).map(drop)
}

/// The text of a file of bitcode, which stays beside it.
fn text_of(llvm: &Llvm, file: &Path) -> Result<String> {
    let text = file.with_extension("ll");
    llvm.run("llvm-dis", &[file.as_ref(), "-o".as_ref(), text.as_ref()])?;
    read(&text)
}

/// Makes a file of bitcode of a text, which stays beside it.
fn bitcode_of(llvm: &Llvm, text: &str, file: &Path) -> Result<()> {
    let text_file = file.with_extension("ll");
    write(&text_file, text)?;
    llvm.run("llvm-as", &[text_file.as_ref(), "-o".as_ref(), file.as_ref()]).map(drop)
}

/// Checks a finished file; its text stays beside it.
fn examine(llvm: &Llvm, file: &Path, kind: check::Kind, expected: &BTreeSet<String>) -> Result<()> {
    let module = ir::parse(&text_of(llvm, file)?)?;
    report(&file.display().to_string(), check::problems(&module, kind, expected))
}

/// An error if there are problems.
fn report(what: &str, problems: Vec<String>) -> Result<()> {
    if problems.is_empty() {
        return Ok(());
    }
    bail!("{what}:\n  {}", problems.join("\n  "))
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_go_and_all_else_stays() {
        let text = "  tail call void @llvm.experimental.noalias.scope.decl(metadata !7)
  %a = load i32, ptr %p, align 4, !alias.scope !7, !noalias !12, !noundef !5
  store i32 %a, ptr noalias %q, align 4, !noalias !7
";
        let without =
            "  %a = load i32, ptr %p, align 4, !noundef !5\n  store i32 %a, ptr noalias %q, align 4\n";
        assert_eq!(without_scopes(text), without);
    }

    #[test]
    fn what_starts_regions_is_marked_and_nothing_else() {
        let text = ["define void @__kmpc_parallel_60(ptr %loc) #3 {", "  call void @f(ptr %loc)", "}"];
        let other = ["define void @f(ptr %p) #3 {", "  call void @__kmpc_parallel_60(ptr %p) #3", "}"];
        let marked = without_recursion(text.into_iter().chain(other));
        assert!(marked.starts_with("define void @__kmpc_parallel_60(ptr %loc) #3 returns_twice {\n  call"));
        assert!(marked.ends_with(&other.map(|line| format!("{line}\n")).concat()));
    }
}
