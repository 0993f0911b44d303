//! What ptxas, nvdisasm and the PTX text say about kernels.

use super::tools::Tools;
use anyhow::{Context, Result};
use devicertl_build::ptx::Ptx;
use devicertl_build::toolchain::run;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// Figures of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kernel {
    /// What it is called in the device code: the same with both runtimes.
    pub symbol: String,
    /// Function and line of the target region.
    pub name: String,
    registers: u32,
    shared: u32,
    stack: u32,
    spills: u32,
    ptx: u32,
    sass: u32,
    sass_all: u32,
    barriers: u32,
    calls: u32,
    shuffles: u32,
}

/// A column of the table.
pub struct Column {
    /// Its head.
    pub name: &'static str,
    /// Its cell.
    pub get: fn(&Kernel) -> u32,
}

/// The columns.
pub const COLUMNS: &[Column] = &[
    Column { name: "registers", get: |kernel| kernel.registers },
    Column { name: "shared", get: |kernel| kernel.shared },
    Column { name: "stack", get: |kernel| kernel.stack },
    Column { name: "spills", get: |kernel| kernel.spills },
    Column { name: "PTX", get: |kernel| kernel.ptx },
    Column { name: "SASS", get: |kernel| kernel.sass },
    Column { name: "all", get: |kernel| kernel.sass_all },
    Column { name: "barriers", get: |kernel| kernel.barriers },
    Column { name: "calls", get: |kernel| kernel.calls },
    Column { name: "shuffles", get: |kernel| kernel.shuffles },
];

/// The functions of a runtime, for the calls that a file leaves to the link.
///
/// # Errors
/// A tool fails.
pub fn library(tools: &Tools, ptx: &Path) -> Result<Library> {
    let cubin = ptx.with_extension("cubin");
    run(Command::new(&tools.ptxas).args(["-arch", "sm_90", "-O3", "-c"]).arg(ptx).arg("-o").arg(&cubin))?;
    Ok(Library(sass_functions(&run(Command::new(&tools.nvdisasm).arg("-c").arg(&cubin))?)))
}

/// What [`library`] returns.
pub struct Library(BTreeMap<String, Counts>);

/// Measures the kernels of a PTX file, in the order of their names.
///
/// # Errors
/// A tool fails.
pub fn kernels(tools: &Tools, library: &Library, ptx: &Path, source: &Path) -> Result<Vec<Kernel>> {
    let cubin = ptx.with_extension("cubin");
    let text = std::fs::read_to_string(ptx).with_context(|| format!("cannot read {}", ptx.display()))?;
    let module = Ptx::new(&text);
    let assemble = |relocatable: bool| -> Result<String> {
        let mut ptxas = Command::new(&tools.ptxas);
        ptxas.args(["-arch", "sm_90", "-O3", "-v"]).args(relocatable.then_some("-c"));
        ptxas.arg(ptx).arg("-o").arg(&cubin);
        let output = ptxas.output().with_context(|| format!("cannot start {}", tools.ptxas.display()))?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        anyhow::ensure!(output.status.success(), "{ptxas:?}:\n{said}");
        Ok(said)
    };
    // The whole program knows each kernel's shared variables, but only a part that will be linked keeps its functions
    // apart. A file that needs another one can only be a part: then the bytes are the file's.
    let (said, declared) = match assemble(false) {
        Ok(said) => (Some(said), None),
        Err(_) => (None, Some(module.shared()?.iter().map(|(_, bytes)| bytes).sum())),
    };
    let part = assemble(true)?;
    let said = said.unwrap_or(part);
    let sass = run(Command::new(&tools.nvdisasm).arg("-c").arg(&cubin))?;
    let mut functions = library.0.clone();
    functions.extend(sass_functions(&sass));
    let in_ptx = BTreeMap::from_iter(module.kernels());
    let mut kernels = Vec::new();
    for (symbol, usage) in entries(&said) {
        let reached = reached(&functions, &symbol);
        let sites = |get: fn(&Counts) -> u32| at_sites(&functions, &symbol, get, &mut Vec::new());
        kernels.push(Kernel {
            name: name(tools, &symbol)?,
            registers: usage.registers,
            shared: usage.shared + declared.unwrap_or(0),
            stack: usage.stack,
            spills: usage.spills,
            ptx: in_ptx.get(&symbol).map_or(0, |counts| counts.instructions),
            sass: functions.get(&symbol).map_or(0, |counts| counts.instructions),
            sass_all: reached.iter().map(|counts| counts.instructions).sum(),
            barriers: sites(|counts| counts.barriers),
            calls: reached.iter().map(|counts| counts.callees.len() as u32).sum(),
            shuffles: sites(|counts| counts.shuffles),
            symbol,
        });
    }
    anyhow::ensure!(!kernels.is_empty(), "{} has no kernel", source.display());
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(kernels)
}

/// `__omp_offloading_<device>_<file>_<function>_l<line>` as `function:line`.
fn name(tools: &Tools, symbol: &str) -> Result<String> {
    let short = symbol.strip_prefix("__omp_offloading_").and_then(|rest| rest.splitn(3, '_').nth(2));
    let Some((function, line)) = short.and_then(|short| short.rsplit_once("_l")) else {
        return Ok(symbol.to_owned());
    };
    let demangled = run(Command::new(tools.llvm.tool("llvm-cxxfilt")).arg(function))?;
    Ok(format!("{}:{line}", demangled.trim()))
}

/// What a kernel takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of static shared memory.
    pub shared: u32,
    stack: u32,
    spills: u32,
}

/// The number in front of `what`.
fn number_before(line: &str, what: &str) -> u32 {
    let before = line.split(what).next().filter(|before| before.len() < line.len());
    before.and_then(|text| text.split_whitespace().last()).and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// What `ptxas -v` says of each entry.
pub fn entries(said: &str) -> Vec<(String, Usage)> {
    let mut entries: Vec<(String, Usage)> = Vec::new();
    // A function's properties follow the entry's, with the same words.
    let mut of_entry = false;
    for line in said.lines() {
        if let Some(symbol) =
            line.split("Compiling entry function '").nth(1).and_then(|rest| rest.split('\'').next())
        {
            entries.push((symbol.to_owned(), Usage::default()));
        } else if let Some(function) = line.split("Function properties for ").nth(1) {
            of_entry = entries.last().is_some_and(|(symbol, _)| symbol == function.trim());
        } else if let Some((_, usage)) = entries.last_mut().filter(|_| of_entry) {
            if line.contains("bytes stack frame") {
                usage.stack = number_before(line, " bytes stack frame");
                usage.spills =
                    number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
            } else if line.contains(" registers") {
                usage.registers = number_before(line, " registers");
                usage.shared = number_before(line, " bytes smem");
            }
        }
    }
    entries
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Counts {
    instructions: u32,
    barriers: u32,
    shuffles: u32,
    /// One for each call; empty for a call through a pointer.
    callees: Vec<String>,
    /// Functions whose address it takes: it, or who gets the address, calls them through a pointer.
    taken: BTreeSet<String>,
}

/// The function and those that it reaches by calls, through pointers too.
fn reached<'a>(functions: &'a BTreeMap<String, Counts>, from: &str) -> Vec<&'a Counts> {
    let mut names = vec![from];
    let mut at = 0;
    while at < names.len() {
        let others = functions.get(names[at]).map(|counts| counts.callees.iter().chain(&counts.taken));
        let others = others.into_iter().flatten().map(String::as_str);
        let new: Vec<_> = others.filter(|name| !names.contains(name)).collect();
        names.extend(new);
        at += 1;
    }
    names.sort_unstable();
    names.dedup();
    names.iter().filter_map(|name| functions.get(*name)).collect()
}

/// The sum over the function and, at each direct call, the function called.
fn at_sites(
    functions: &BTreeMap<String, Counts>,
    name: &str,
    get: fn(&Counts) -> u32,
    callers: &mut Vec<String>,
) -> u32 {
    let Some(counts) = functions.get(name).filter(|_| !callers.iter().any(|caller| caller == name)) else {
        return 0;
    };
    callers.push(name.to_owned());
    let called: u32 = counts.callees.iter().map(|callee| at_sites(functions, callee, get, callers)).sum();
    callers.pop();
    get(counts) + called
}

/// The function of which an instruction loads the address.
fn address_taken(instruction: &str) -> Option<&str> {
    instruction.split_once("fun@")?.1.split_once('(')?.1.split(')').next()
}

/// Instructions of each function in nvdisasm's text, without NOP and the branch to itself at the end.
fn sass_functions(sass: &str) -> BTreeMap<String, Counts> {
    let mut functions = BTreeMap::new();
    let mut current: Option<&mut Counts> = None;
    for line in sass.lines() {
        if let Some(rest) = line.split(".section").nth(1) {
            let section = rest.trim_start().split([',', ' ', '\t']).next().unwrap_or("");
            current = section
                .trim_matches('"')
                .strip_prefix(".text.")
                .map(|name| functions.entry(name.to_owned()).or_insert_with(Counts::default));
            continue;
        }
        let Some(counts) = current.as_deref_mut() else { continue };
        let Some(instruction) =
            line.trim_start().strip_prefix("/*").and_then(|rest| rest.split_once("*/")).map(|(_, text)| text)
        else {
            continue;
        };
        let opcode = instruction
            .split_whitespace()
            .find(|word| !word.starts_with('@'))
            .unwrap_or("")
            .trim_end_matches(';');
        if opcode.is_empty() || opcode == "NOP" {
            continue;
        }
        counts.instructions += 1;
        counts.barriers += opcode.starts_with("BAR.") as u32;
        if opcode.starts_with("CALL") {
            let callee = instruction.split("`(").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or("");
            counts.callees.push(callee.to_owned());
        }
        counts.taken.extend(address_taken(instruction).map(str::to_owned));
        counts.shuffles += (opcode.starts_with("SHFL") || opcode.starts_with("REDUX")) as u32;
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_ptxas_says() {
        let said = "\
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for k
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 20 registers, used 2 barriers, 16 bytes cumulative stack size, 136 bytes smem
ptxas info    : Function properties for helper
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";
        let usage = Usage { registers: 20, shared: 136, stack: 16, spills: 12 };
        assert_eq!(entries(said), [("k".to_owned(), usage)]);
    }

    #[test]
    fn counts_sass() {
        let sass = "\
\t.section\t.text.k,\"ax\",@progbits
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BAR.SYNC.DEFER_BLOCKING 0x0 ;
        /*0020*/                   SHFL.DOWN PT, R2, R3, 0x10, 0x1f ;
        /*0030*/                   CALL.REL.NOINC `(f) ;
        /*0040*/                   UMOV UR4, 32@lo(fun@unified(g)) ;
        /*0050*/                   UMOV UR5, 32@hi(fun@unified(g)) ;
        /*0060*/                   NOP;
";
        let named = |name: &str| vec![name.to_owned()];
        let mut counts = Counts {
            instructions: 6,
            barriers: 1,
            shuffles: 1,
            callees: named("f"),
            taken: named("g").into_iter().collect(),
        };
        let mut functions = sass_functions(sass);
        assert_eq!(functions, BTreeMap::from([("k".to_owned(), counts.clone())]));
        counts.callees.push("f".to_owned());
        functions.insert("k".to_owned(), counts);
        functions.insert("f".to_owned(), Counts { barriers: 2, callees: named("k"), ..Counts::default() });
        functions.insert("g".to_owned(), Counts { barriers: 7, ..Counts::default() });
        assert_eq!(at_sites(&functions, "k", |counts| counts.barriers, &mut Vec::new()), 5);
        assert_eq!(reached(&functions, "k").len(), 3);
    }
}
