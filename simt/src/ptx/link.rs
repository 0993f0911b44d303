//! The linker: lays out variables, writes addresses, finds out what each entry reaches.

use super::error;
use super::module::{Builder, Symbol, SymbolId};
use super::signature::Signature;
use super::variable::{Declared, Relocation, VariableSpace};
use crate::code::{
    CallTarget, Extern, FunctionId, FunctionKind, Module, SHARED_START, SHARED_WINDOW, Undefined, Variable,
    function_pointer,
};
use crate::report::{Report, ReportKind};
use std::collections::{HashMap, HashSet};

/// Bytes of static shared memory of a module at most. (Each kernel may use 48 KiB of it, but each CTA has it all.)
const MOST_SHARED_BYTES: u32 = 64 << 20;

/// Bytes of the widest access.
const WIDEST: u64 = 16;

/// A place that holds the address of a global or constant variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Patch {
    /// Function whose constant pool, or none: the module's block.
    function: Option<FunctionId>,
    /// Byte offset in the pool or block.
    at: u64,
    /// Bytes written in the block; bytes of a lane in the pool.
    bytes: u32,
    /// Right shift of the address before its low `bytes` bytes are taken.
    shift: u32,
    /// Added to the address of the block.
    offset: u64,
}

/// Initial contents of the module's block of global and constant variables, and the places that hold addresses in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Placement {
    /// Offset and bytes of each variable that has any, by offset; the rest of the block is zero.
    segments: Vec<(u64, Vec<u8>)>,
    patches: Vec<Patch>,
}

impl Module {
    /// Gives the module's block of global and constant variables the device address `base`, aligned to
    /// [`Module::global_align`]: writes the addresses into the constant pools and returns the initial contents of the
    /// block, offset and bytes of each variable that has any; all else is zero. May be called again with another address.
    pub fn place(&mut self, base: u64) -> Vec<(u64, Vec<u8>)> {
        let mut segments = self.placement.segments.clone();
        for patch in &self.placement.patches {
            let value = base.wrapping_add(patch.offset) >> patch.shift;
            match patch.function {
                Some(id) => {
                    let constants = &mut self.functions[id.0 as usize].constants;
                    constants.splat(patch.at as u32, patch.bytes, value);
                }
                None => write(&mut segments, patch.at, patch.bytes, value),
            }
        }
        segments
    }

    /// The report that `needed_by` (an entry, a module) reaches undefined symbols, given by index in
    /// [`Module::undefined`].
    pub fn undefined_report(&self, indices: impl IntoIterator<Item = u32>, needed_by: &str) -> Report {
        let undefined = indices.into_iter().map(|index| &self.undefined[index as usize]);
        let names: Vec<_> = undefined.map(|u| format!("`{}` (line {})", u.name, u.line)).collect();
        let message = format!("{needed_by} needs what is not defined: {}", names.join(", "));
        Report::new(ReportKind::UndefinedSymbol, message)
    }
}

/// Writes into the segment that holds byte `at` of the block.
fn write(segments: &mut [(u64, Vec<u8>)], at: u64, bytes: u32, value: u64) {
    let after = segments.partition_point(|(start, _)| *start <= at);
    let (start, segment) = &mut segments[after - 1];
    let (at, bytes) = ((at - *start) as usize, bytes as usize);
    segment[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
}

/// Where a symbol lies.
#[derive(Clone, Copy, Debug)]
enum Address {
    /// Offset in the module's block.
    Block(u64),
    /// Offset in shared memory.
    Shared(u64),
    Function(FunctionId),
    Undefined,
}

impl<'a> Builder<'a> {
    /// Links what has been read.
    pub fn link(mut self) -> Result<Module, Report> {
        self.resolve_aliases()?;
        self.supply_externs()?;
        let addresses = self.lay_out()?;
        self.relocate(&addresses)?;
        self.write_pools(&addresses);
        self.reach(&addresses);
        Ok(self.module)
    }

    /// Replaces aliases by the functions that they stand for.
    fn resolve_aliases(&mut self) -> Result<(), Report> {
        let count = self.facts.len();
        // What each function stands for, once it is known.
        let mut real = vec![None; count];
        for index in 0..count {
            let (mut at, mut path) = (index, vec![index]);
            while let (None, Some(next)) = (real[at], self.facts[at].alias) {
                at = next.0 as usize;
                path.push(at);
                if path.len() > count + 1 {
                    let function = &self.module.functions[index];
                    return Err(error(
                        function.line,
                        format!("`.alias` of `{}` leads to itself", function.name),
                    ));
                }
            }
            let end = real[at].unwrap_or(FunctionId(at as u32));
            path.into_iter().for_each(|step| real[step] = Some(end));
        }
        let replace = |id: &mut FunctionId| *id = real[id.0 as usize].unwrap_or(*id);
        for symbol in &mut self.symbols {
            if let Symbol::Function(id) = symbol {
                replace(id);
            }
        }
        self.module.function_names.values_mut().for_each(replace);
        for site in self.module.functions.iter_mut().flat_map(|function| &mut function.calls) {
            if let CallTarget::Direct(id) = &mut site.target {
                replace(id);
            }
        }
        Ok(())
    }

    /// Makes functions without a body that the device supplies known as such.
    fn supply_externs(&mut self) -> Result<(), Report> {
        for (function, facts) in self.module.functions.iter_mut().zip(&self.facts) {
            if function.kind != FunctionKind::Undefined {
                continue;
            }
            let Some(supplied) = Extern::by_name(&function.name) else { continue };
            if !extern_fits(supplied, &facts.signature) {
                let text = format!("`{}` is declared with other parameters than the device's", function.name);
                return Err(error(function.line, text));
            }
            function.kind = FunctionKind::Extern(supplied);
        }
        Ok(())
    }

    /// Gives every variable its place; the result is beside the symbols.
    fn lay_out(&mut self) -> Result<Vec<Address>, Report> {
        let module = &mut self.module;
        let by_index: HashMap<_, _> = self.names.iter().map(|(name, id)| (id.0, *name)).collect();
        let mut addresses = vec![Address::Undefined; self.symbols.len()];
        let (mut block, mut shared, mut dynamic_align) = (0u64, 0u64, None);
        let mut shared_align = 1;
        let mut dynamic = vec![];
        module.global_align = 16;
        for (index, symbol) in self.symbols.iter().enumerate() {
            let variable = match *symbol {
                Symbol::Function(id) => {
                    addresses[index] = Address::Function(id);
                    continue;
                }
                Symbol::Variable(variable) => &self.variables[variable],
            };
            let place = |used: &mut u64| {
                let offset = used.checked_next_multiple_of(u64::from(variable.align))?;
                *used = offset.checked_add(variable.size).filter(|&end| end < 1 << 48)?;
                Some(offset)
            };
            let too_large = || error(variable.line, format!("no place for `{}`", variable.name));
            if variable.space == VariableSpace::Shared {
                if variable.linkage.external {
                    if variable.unsized_array {
                        dynamic_align = dynamic_align.max(Some(u64::from(variable.align)));
                        dynamic.push(index);
                    }
                } else {
                    no_open_array(variable)?;
                    let offset = place(&mut shared).ok_or_else(too_large)?;
                    shared_align = shared_align.max(u64::from(variable.align));
                    addresses[index] = Address::Shared(offset);
                    module.shared.push(described(variable, offset));
                }
            } else if !variable.linkage.external {
                no_open_array(variable)?;
                let offset = place(&mut block).ok_or_else(too_large)?;
                addresses[index] = Address::Block(offset);
                module.global_align = module.global_align.max(variable.align.into());
                if variable.space == VariableSpace::Const {
                    module.const_bytes += variable.size;
                }
                if by_index.contains_key(&(index as u32)) {
                    module.variable_names.insert(variable.name.into(), module.variables.len());
                }
                module.variables.push(described(variable, offset));
            }
        }
        // LLVM reads three words as four where the alignment of the variable allows it: what is behind the last one is there, too.
        shared = shared.next_multiple_of(shared_align.min(WIDEST));
        // Dynamic shared memory begins where all static variables of the module end.
        if let Some(align) = dynamic_align {
            shared = shared.next_multiple_of(align.max(16));
        }
        dynamic.into_iter().for_each(|index| addresses[index] = Address::Shared(shared));
        let fits = u32::try_from(shared).ok().filter(|shared| *shared <= MOST_SHARED_BYTES);
        module.shared_bytes = fits.ok_or_else(|| {
            error(
                1,
                format!("static shared memory of more than {MOST_SHARED_BYTES} bytes, all kernels together"),
            )
        })?;
        module.global_bytes = block.next_multiple_of(WIDEST);
        Ok(addresses)
    }

    /// Builds the initial contents of the block.
    fn relocate(&mut self, addresses: &[Address]) -> Result<(), Report> {
        let placement = &mut self.module.placement;
        for (index, symbol) in self.symbols.iter().enumerate() {
            let (&Symbol::Variable(variable), Address::Block(start)) = (symbol, addresses[index]) else {
                continue;
            };
            let variable = &self.variables[variable];
            if !variable.init.is_empty() {
                placement.segments.push((start, variable.init.clone()));
            }
            for relocation in &variable.relocations {
                let &Relocation { bytes, shift, addend, .. } = relocation;
                let Some(symbol) = self.names.get(relocation.symbol) else {
                    return Err(error(relocation.line, format!("`{}` is not declared", relocation.symbol)));
                };
                let at = start + relocation.at;
                let fixed = match addresses[symbol.0 as usize] {
                    Address::Block(offset) => {
                        let offset = offset.wrapping_add_signed(addend);
                        placement.patches.push(Patch { function: None, at, bytes, shift, offset });
                        continue;
                    }
                    Address::Shared(offset) if relocation.generic => SHARED_WINDOW + SHARED_START + offset,
                    Address::Shared(offset) => SHARED_START + offset,
                    Address::Function(id) => function_pointer(id),
                    // Who mentions the variable is told by `reach`.
                    Address::Undefined => continue,
                };
                write(&mut placement.segments, at, bytes, fixed.wrapping_add_signed(addend) >> shift);
            }
        }
        Ok(())
    }

    /// Writes addresses into constant pools, or notes where they go once the block has an address.
    fn write_pools(&mut self, addresses: &[Address]) {
        for (index, facts) in self.facts.iter().enumerate() {
            for reference in &facts.pool {
                let fixed = match addresses[reference.symbol.0 as usize] {
                    Address::Block(offset) => {
                        self.module.placement.patches.push(Patch {
                            function: Some(FunctionId(index as u32)),
                            at: reference.at.into(),
                            bytes: reference.bytes,
                            shift: 0,
                            offset: offset.wrapping_add_signed(reference.addend),
                        });
                        continue;
                    }
                    Address::Shared(offset) => SHARED_START + offset,
                    Address::Function(id) => function_pointer(id),
                    Address::Undefined => continue,
                };
                let value = fixed.wrapping_add_signed(reference.addend);
                self.module.functions[index].constants.splat(reference.at, reference.bytes, value);
            }
        }
    }

    /// Finds what each entry can reach: everything that it mentions, that the functions it mentions mention, and that the
    /// initialisers of the variables it mentions hold. (A function pointer that arrives through memory written by
    /// somebody else is not seen; a call of an undefined function through one is an error when it happens.)
    fn reach(&mut self, addresses: &[Address]) {
        let mut numbers: HashMap<SymbolId, u32> = HashMap::new();
        let canonical = self.canonical_symbols();
        for entry in 0..self.module.functions.len() {
            if self.module.functions[entry].kind != FunctionKind::Entry {
                continue;
            }
            let mut seen = HashSet::new();
            let mut undefined = vec![];
            let mut shared = 0u64;
            let mut todo: Vec<(SymbolId, u32)> =
                self.facts[entry].mentions.iter().map(|(s, l)| (*s, *l)).collect();
            while let Some((symbol, line)) = todo.pop() {
                let symbol = canonical[symbol.0 as usize];
                if !seen.insert(symbol) {
                    continue;
                }
                let missing = match (self.symbol(symbol), addresses[symbol.0 as usize]) {
                    (Symbol::Function(id), _) => {
                        todo.extend(self.facts[id.0 as usize].mentions.iter().map(|(s, l)| (*s, *l)));
                        self.module.functions[id.0 as usize].kind == FunctionKind::Undefined
                    }
                    (Symbol::Variable(variable), address) => {
                        let variable = &self.variables[variable];
                        let missing = matches!(address, Address::Undefined);
                        if variable.space == VariableSpace::Shared && !missing {
                            shared = shared.next_multiple_of(variable.align.into()) + variable.size;
                        }
                        let names = variable.relocations.iter();
                        todo.extend(names.filter_map(|r| Some((*self.names.get(r.symbol)?, r.line))));
                        missing
                    }
                };
                if missing {
                    undefined.push((symbol, line));
                }
            }
            undefined.sort_by_key(|(_, line)| *line);
            let list = undefined.into_iter().map(|(symbol, line)| {
                *numbers.entry(symbol).or_insert_with(|| {
                    let name = match self.symbols[symbol.0 as usize] {
                        Symbol::Function(id) => self.module.functions[id.0 as usize].name.clone(),
                        Symbol::Variable(variable) => self.variables[variable].name.into(),
                    };
                    self.module.undefined.push(Undefined { name, line });
                    self.module.undefined.len() as u32 - 1
                })
            });
            self.module.functions[entry].undefined = list.collect();
            self.module.functions[entry].shared_bytes = u32::try_from(shared).unwrap_or(u32::MAX);
        }
    }

    /// For each symbol the first one that means the same function (aliases mean another's).
    fn canonical_symbols(&self) -> Vec<SymbolId> {
        let mut first = HashMap::new();
        let symbols = self.symbols.iter().enumerate();
        let canonical = symbols.map(|(index, symbol)| match symbol {
            Symbol::Function(id) => *first.entry(*id).or_insert(SymbolId(index as u32)),
            Symbol::Variable(_) => SymbolId(index as u32),
        });
        canonical.collect()
    }
}

/// Words of each parameter, and of the return value, that a function of the device has.
fn extern_fits(supplied: Extern, signature: &Signature<'_>) -> bool {
    let (params, ret): (&[u32], Option<u32>) = match supplied {
        Extern::Vprintf => (&[8, 8], Some(4)),
        Extern::Malloc => (&[8], Some(8)),
        Extern::Free => (&[8], None),
        Extern::AssertFail => (&[8, 8, 4, 8, 8], None),
        Extern::AssertFailLibc => (&[8, 8, 4, 8], None),
        Extern::Abort => (&[], None),
    };
    let sizes = signature.params.iter().map(|param| param.size);
    sizes.eq(params.iter().copied()) && signature.ret.as_ref().is_none_or(|r| Some(r.size) == ret)
}

fn described(variable: &Declared<'_>, offset: u64) -> Variable {
    let linkage = variable.linkage;
    Variable {
        name: variable.name.into(),
        offset,
        size: variable.size,
        constant: variable.space == VariableSpace::Const,
        visible: linkage.visible || linkage.weak || linkage.common,
    }
}

fn no_open_array(variable: &Declared<'_>) -> Result<(), Report> {
    if variable.unsized_array {
        return Err(error(variable.line, format!("`{}` has no size", variable.name)));
    }
    Ok(())
}
