//! Which definition each name means, and what a program needs of its modules.

use crate::module::{Linkage, Module, Sort, Symbol};
use anyhow::{Result, bail};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Functions that a CUDA driver defines.
const OF_THE_DRIVER: [&str; 4] = ["vprintf", "malloc", "free", "__assertfail"];

/// Prefix of functions in the place of the driver's: where a program has one, all that calls the driver's function calls it. They are those of
/// the device's `realloc` (`devicertl/library/src/blocks.rs`), and as with `--wrap` of a linker for the host.
const WRAP: &str = "__omptarget_wrap_";
/// Prefix of the names by which they call the driver's function.
const REAL: &str = "__omptarget_real_";

/// Prefix of the variables that hold the state of our device runtime. Without device LTO each module has its own, and a
/// kernel sets up that of its module.
const STATE: &str = "__devrtl_shared_";
/// The one of them by which code that was not optimised finds out at run time whose state it has.
const STAMP: &str = "__devrtl_shared_STAMP";

/// The function by which a kernel sets up the state of the module that defines it.
const INIT: &str = "__kmpc_target_init";

/// A symbol: number of the module, number in [`Module::symbols`].
pub type Id = (usize, usize);

/// What a program is made of.
#[derive(Debug, Default)]
pub struct Program {
    /// Definitions, each in the order of the modules; variables behind those that their values mention.
    pub variables: Vec<Id>,
    /// Functions and kernels.
    pub functions: Vec<Id>,
    /// Other names of functions.
    pub aliases: Vec<Id>,
    /// Kernels that others mention.
    pub mentioned_kernels: HashSet<Id>,
    /// Declarations of functions of the driver and of dynamic shared memory, by name.
    pub externs: BTreeMap<String, Id>,
    /// Other names for what modules call so, in all of them.
    pub replaced: HashMap<String, String>,
}

/// Finds out what the kernels and variables of `modules` need; other functions are left out.
///
/// # Errors
/// A symbol has several definitions, or none; the messages are in the words of `nvlink`.
pub fn resolve(modules: &[Module]) -> Result<Program> {
    let names = Names::of(modules)?;
    let mut program = Program::default();
    let mut undefined = BTreeSet::new();
    let mut seen = HashSet::new();
    let mut todo = vec![];
    for (m, module) in modules.iter().enumerate() {
        for (s, symbol) in module.symbols.iter().enumerate() {
            let looked_up_by_the_host = matches!(symbol.sort, Sort::Kernel | Sort::Variable);
            if looked_up_by_the_host && names.public.get(symbol.name.as_str()) == Some(&(m, s)) {
                todo.push((m, s));
            }
        }
    }
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        for (name, meaning) in names.mentions(id) {
            match meaning {
                Meaning::Defined(other) => {
                    if modules[other.0].symbols[other.1].sort == Sort::Kernel {
                        program.mentioned_kernels.insert(other);
                    }
                    todo.push(other);
                }
                Meaning::Declared(other) => {
                    let dynamic = modules[other.0].symbols[other.1].sort == Sort::DynamicShared;
                    let driver =
                        name.strip_prefix(REAL).filter(|name| names.is_wrapped(name)).unwrap_or(name);
                    if dynamic || OF_THE_DRIVER.contains(&driver) {
                        program.externs.entry(driver.to_owned()).or_insert(other);
                    } else {
                        undefined
                            .insert(format!("Undefined reference to '{name}' in '{}'", modules[id.0].name));
                    }
                }
            }
        }
    }
    if !undefined.is_empty() {
        bail!("{}", Vec::from_iter(undefined).join("\n"));
    }
    check_state(&names)?;
    for name in OF_THE_DRIVER.into_iter().filter(|name| names.is_wrapped(name)) {
        program.replaced.insert(name.to_owned(), format!("{WRAP}{name}"));
        program.replaced.insert(format!("{REAL}{name}"), name.to_owned());
    }
    let mut placed = HashMap::new();
    let mut needed: Vec<_> = seen.into_iter().collect();
    needed.sort_unstable();
    for id in needed {
        match modules[id.0].symbols[id.1].sort {
            Sort::Variable => names.place(id, &mut placed, &mut program.variables)?,
            Sort::Alias => program.aliases.push(id),
            _ => program.functions.push(id),
        }
    }
    Ok(program)
}

/// An error if a kernel reaches code that reads the state of another module than the one that it sets up: where the
/// runtime is linked into each file, that of its own; where it is a member of an archive, that member's.
fn check_state(names: &Names<'_>) -> Result<()> {
    let is = |id: Id, sort: Sort| names.symbol(id).sort == sort;
    let kernels = names.public.values().copied().filter(|&id| is(id, Sort::Kernel));
    for kernel in BTreeSet::from_iter(kernels) {
        let (mut seen, mut todo) = (HashSet::new(), vec![kernel]);
        let owner = match names.mentions(kernel).get(INIT) {
            Some(Meaning::Defined(init)) => init.0,
            _ => kernel.0,
        };
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            for (name, meaning) in names.mentions(id) {
                let Meaning::Defined(other) = meaning else { continue };
                let foreign = id.0 != owner && !names.own[id.0].contains_key(STAMP);
                if foreign && name.starts_with(STATE) {
                    bail!(
                        "'{}' in '{}' needs the OpenMP runtime's state, which is that of '{}' when its kernel '{}' runs; \
                         compile and link with -foffload-lto: then there is one state",
                        names.symbol(id).name,
                        names.modules[id.0].name,
                        names.modules[owner].name,
                        names.symbol(kernel).name
                    );
                }
                todo.push(other);
            }
        }
    }
    Ok(())
}

/// What a name means in one module.
#[derive(Clone, Copy)]
enum Meaning {
    Defined(Id),
    /// Nothing defines it; a declaration.
    Declared(Id),
}

/// The names of all modules.
struct Names<'a> {
    modules: &'a [Module],
    /// What the modules show each other.
    public: HashMap<&'a str, Id>,
    /// What each module declares or defines itself.
    own: Vec<HashMap<&'a str, Id>>,
}

impl<'a> Names<'a> {
    fn of(modules: &'a [Module]) -> Result<Self> {
        let mut names = Self { modules, public: HashMap::new(), own: vec![] };
        for (m, module) in modules.iter().enumerate() {
            let mut own: HashMap<&str, Id> = HashMap::new();
            for (s, symbol) in module.symbols.iter().enumerate() {
                let entry = own.entry(&symbol.name).or_insert((m, s));
                if symbol.defined {
                    *entry = (m, s);
                    if symbol.linkage != Linkage::Internal {
                        names.publish(symbol, (m, s))?;
                    }
                }
            }
            names.own.push(own);
        }
        for name in OF_THE_DRIVER.into_iter().filter(|name| names.is_wrapped(name)) {
            let defines = |own: &HashMap<&str, Id>| own.get(name).is_some_and(|&id| names.symbol(id).defined);
            if let Some(module) = names.own.iter().position(defines) {
                bail!(
                    "'{name}' is defined in '{}', and realloc, aligned_alloc or another function that needs the library's own is called; \
                     define those as well",
                    modules[module].name
                );
            }
        }
        Ok(names)
    }

    /// Whether the program has a function in the place of the driver's of this name.
    fn is_wrapped(&self, name: &str) -> bool {
        self.public.contains_key(format!("{WRAP}{name}").as_str())
    }

    fn symbol(&self, id: Id) -> &'a Symbol {
        &self.modules[id.0].symbols[id.1]
    }

    /// Enters a definition: a strong one goes before weak ones, of weak ones the first counts.
    fn publish(&mut self, new: &'a Symbol, id: Id) -> Result<()> {
        let Some(&before) = self.public.get(new.name.as_str()) else {
            self.public.insert(&new.name, id);
            return Ok(());
        };
        let old = self.symbol(before);
        let (name, here, there) = (&new.name, &self.modules[id.0].name, &self.modules[before.0].name);
        let weak = |symbol: &Symbol| symbol.linkage == Linkage::Weak;
        if !weak(old) && !weak(new) {
            bail!("Multiple definition of '{name}' in '{here}', first defined in '{there}'");
        }
        if new.sort == Sort::Variable
            && self.modules[id.0].size_of(new) != self.modules[before.0].size_of(old)
        {
            bail!("Size doesn't match for '{name}' in '{here}', first specified in '{there}'");
        }
        if weak(old) && !weak(new) {
            self.public.insert(&new.name, id);
        }
        Ok(())
    }

    /// The names that the text of a symbol mentions, itself not.
    fn mentions(&self, id: Id) -> BTreeMap<&'a str, Meaning> {
        let (module, symbol) = (&self.modules[id.0], self.symbol(id));
        let words = symbol.tokens.clone().map(|token| module.word(token)).filter(|word| *word != symbol.name);
        words
            .filter_map(|word| {
                let own = *self.own[id.0].get(word)?;
                let internal = self.symbol(own).linkage == Linkage::Internal && self.symbol(own).defined;
                let wrapper = OF_THE_DRIVER.contains(&word).then(|| format!("{WRAP}{word}"));
                let named = |name: &str| self.public.get(name).map(|&id| Meaning::Defined(id));
                let public = || wrapper.as_deref().and_then(named).or_else(|| named(word));
                let meaning = if internal { Some(Meaning::Defined(own)) } else { public() };
                Some((word, meaning.unwrap_or(Meaning::Declared(own))))
            })
            .collect()
    }

    /// Puts the variable `id` behind those that its value mentions.
    fn place(&self, id: Id, placed: &mut HashMap<Id, bool>, order: &mut Vec<Id>) -> Result<()> {
        match placed.get(&id) {
            Some(true) => return Ok(()),
            Some(false) => {
                bail!("the initial values of '{}' and others need each other", self.symbol(id).name)
            }
            None => placed.insert(id, false),
        };
        for (_, meaning) in self.mentions(id) {
            if let Meaning::Defined(other) = meaning
                && self.symbol(other).sort == Sort::Variable
            {
                self.place(other, placed, order)?;
            }
        }
        placed.insert(id, true);
        order.push(id);
        Ok(())
    }
}
