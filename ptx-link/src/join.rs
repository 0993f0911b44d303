//! Several modules as one text.
//!
//! Internal names that occur in several modules are told apart by a suffix. Debug information in sections stays behind
//! when there is more than one module: its labels and offsets hold for one file alone. The lines of `.loc` stay.

use crate::module::{Linkage, Module, Sort, Symbol};
use crate::resolve::{Id, resolve};
use crate::scan::Kind;
use anyhow::{Result, bail};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;

/// Links `modules` to the text of one module.
///
/// # Errors
/// A symbol is not defined, or twice; or the modules are for different GPUs.
pub fn link(modules: &[Module]) -> Result<String> {
    let program = resolve(modules)?;
    let whole = |module: &Module| {
        let is_extern = |symbol: &&Symbol| symbol.linkage == Linkage::Extern;
        module.symbols.iter().filter(is_extern).all(|symbol| program.externs.contains_key(&symbol.name))
    };
    if let [module] = modules
        && whole(module)
        && program.replaced.is_empty()
    {
        return Ok(module.text.clone());
    }
    let mut out = head(modules)?;
    let mut renamed = rename(modules, &program.functions, &program.variables);
    renamed.iter_mut().for_each(|names| names.extend(program.replaced.clone()));
    let mut writer = Writer { modules, renamed, files: vec![] };
    for id in program.externs.values() {
        let symbol = writer.symbol(*id);
        writer.directive(&mut out, *id, symbol.signature.clone(), ";");
    }
    for id in &program.functions {
        let symbol = writer.symbol(*id);
        if symbol.sort == Sort::Function || program.mentioned_kernels.contains(id) {
            writer.directive(&mut out, *id, symbol.signature.clone(), ";");
        }
    }
    for &(m, s) in &program.aliases {
        let name = &writer.symbol((m, s)).name;
        let declaration =
            modules[m].symbols.iter().position(|symbol| symbol.name == *name && !symbol.defined);
        let Some(declaration) = declaration else {
            bail!("{}: `.alias` of '{name}', which is not declared", modules[m].name)
        };
        let signature = modules[m].symbols[declaration].signature.clone();
        writer.directive(&mut out, (m, declaration), signature, ";");
    }
    for id in program.variables.iter().chain(&program.functions).chain(&program.aliases) {
        let symbol = writer.symbol(*id);
        writer.directive(&mut out, *id, symbol.tokens.clone(), "");
    }
    for (number, file) in writer.files.iter().enumerate() {
        writeln!(out, ".file {} {file}", number + 1)?;
    }
    Ok(out)
}

/// `.version` and `.target` that suit all modules.
fn head(modules: &[Module]) -> Result<String> {
    let version = modules.iter().map(|module| module.version).max().unwrap_or_default();
    let Some(newest) = modules.iter().max_by_key(|module| (module.target, &module.target_suffix)) else {
        bail!("no input files");
    };
    // Code with a suffix runs on this architecture or family alone.
    let other = modules.iter().find(|m| {
        !m.target_suffix.is_empty() && (m.target, &m.target_suffix) != (newest.target, &newest.target_suffix)
    });
    if let Some(other) = other {
        bail!(
            "'{}' is for sm_{}{} and '{}' for sm_{}{}",
            other.name,
            other.target,
            other.target_suffix,
            newest.name,
            newest.target,
            newest.target_suffix
        );
    }
    let (target, suffix) = (newest.target, &newest.target_suffix);
    Ok(format!(".version {}.{}\n.target sm_{target}{suffix}\n.address_size 64\n\n", version.0, version.1))
}

/// New names for internal symbols whose names are taken, by module.
fn rename(modules: &[Module], functions: &[Id], variables: &[Id]) -> Vec<HashMap<String, String>> {
    let ids = || functions.iter().chain(variables).copied();
    let symbol = |(m, s): Id| &modules[m].symbols[s];
    let internal = |id: &Id| symbol(*id).linkage == Linkage::Internal;
    // Whatever any module calls something is not a free name.
    let words: HashSet<&str> =
        modules.iter().flat_map(|module| (0..module.tokens.len()).map(|at| module.word(at))).collect();
    let mut taken: HashSet<String> =
        ids().filter(|id| !internal(id)).map(|id| symbol(id).name.clone()).collect();
    let mut renamed = vec![HashMap::new(); modules.len()];
    for id in ids().filter(internal) {
        let name = &symbol(id).name;
        if taken.insert(name.clone()) {
            continue;
        }
        let mut number = id.0;
        let new = loop {
            let new = format!("{name}_${number}");
            if !words.contains(new.as_str()) && taken.insert(new.clone()) {
                break new;
            }
            number += modules.len();
        };
        renamed[id.0].insert(name.clone(), new);
    }
    renamed
}

/// Copies directives under the new names.
struct Writer<'a> {
    modules: &'a [Module],
    renamed: Vec<HashMap<String, String>>,
    /// The files of all `.loc` so far: what `.file` says behind the number.
    files: Vec<String>,
}

impl<'a> Writer<'a> {
    fn symbol(&self, (m, s): Id) -> &'a Symbol {
        &self.modules[m].symbols[s]
    }

    /// Writes the tokens `range` of a symbol behind its linkage.
    fn directive(&mut self, out: &mut String, id: Id, range: Range<usize>, end: &str) {
        let symbol = self.symbol(id);
        out.push_str(match symbol.linkage {
            _ if symbol.sort == Sort::Alias => "",
            Linkage::Internal => "",
            Linkage::Extern => ".extern ",
            Linkage::Visible => ".visible ",
            Linkage::Weak => ".weak ",
        });
        let module = &self.modules[id.0];
        let mut at = range.start;
        let mut copied = module.tokens[at].place.start;
        let mut statements = Statements::new(matches!(symbol.sort, Sort::Function | Sort::Kernel));
        while at < range.end {
            let place = module.tokens[at].place.clone();
            let word = &module.text[place.clone()];
            if word == ".loc" && at + 3 < range.end {
                let number = self.file(id.0, module.word(at + 1));
                let position = module.tokens[at + 2].place.start..module.tokens[at + 3].place.end;
                out.push_str(&module.text[copied..place.end]);
                let _ = write!(out, " {number} {}", &module.text[position]);
                at = after_location(module, at);
                copied = module.tokens[at - 1].place.end;
                continue;
            }
            let opcode = statements.is_opcode(module, at);
            if let Some(new) = self.renamed[id.0].get(word).filter(|_| !opcode) {
                out.push_str(&module.text[copied..place.start]);
                out.push_str(new);
                copied = place.end;
            }
            at += 1;
        }
        out.push_str(&module.text[copied..module.tokens[range.end - 1].place.end]);
        out.push_str(end);
        out.push('\n');
    }

    /// The number, here, of a file of module `m`.
    fn file(&mut self, m: usize, number: &str) -> usize {
        let files = &self.modules[m].files;
        let text = files.iter().find(|file| file.number == number).map_or("\"?\"", |file| &file.text);
        let known = self.files.iter().position(|file| file == text);
        known.unwrap_or_else(|| {
            self.files.push(text.to_owned());
            self.files.len() - 1
        }) + 1
    }
}

/// Where in a function the statements begin: an instruction keeps its name though a function be called `ret`.
struct Statements {
    /// Whether there is a body at all, and whether it has begun.
    has_body: bool,
    inside: bool,
    /// Whether the next token begins a statement, or follows its guard.
    begins: bool,
    /// Whether the next token belongs to the guard.
    guard: bool,
}

impl Statements {
    fn new(has_body: bool) -> Self {
        Self { has_body, inside: false, begins: false, guard: false }
    }

    /// Whether a token, which stands behind the last one asked for, is an instruction.
    fn is_opcode(&mut self, module: &Module, at: usize) -> bool {
        let begins = self.begins;
        let word = module.tokens[at].kind == Kind::Word;
        match module.word(at) {
            "{" if self.has_body && !self.inside => (self.inside, self.begins) = (true, true),
            _ if !self.inside => {}
            // Of a block: those of a vector stand among operands.
            "{" | "}" if begins => {}
            ";" | ":" => self.begins = true,
            "@" if begins => self.guard = true,
            "!" if self.guard => {}
            _ if self.guard => self.guard = false,
            _ => {
                self.begins = false;
                return word
                    && begins
                    && module.tokens.get(at + 1).is_none_or(|_| module.word(at + 1) != ":");
            }
        }
        false
    }
}

/// The token behind `.loc file line column [, function_name label [+ offset], inlined_at file line column]`. The second
/// part names labels in sections.
fn after_location(module: &Module, at: usize) -> usize {
    let word = |at: usize| if at < module.tokens.len() { module.word(at) } else { "" };
    let mut end = at + 4;
    if word(end) == "," && word(end + 1) == "function_name" {
        end += if word(end + 3) == "+" { 5 } else { 3 };
    }
    if word(end) == "," && word(end + 1) == "inlined_at" {
        end += 5;
    }
    end.min(module.tokens.len())
}
