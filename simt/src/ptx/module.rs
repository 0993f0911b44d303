//! Directives outside of functions, and the symbol table.

use super::body;
use super::error;
use super::frame::PoolReference;
use super::lex::{Lexer, Token};
use super::signature::Signature;
use super::variable::{Declared, Linkage, VariableSpace, variables};
use crate::code::{ConstantPool, Function, FunctionId, FunctionKind, Module};
use crate::report::Report;
use std::collections::HashMap;

/// Index in [`Builder::symbols`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct SymbolId(pub u32);

/// What a name of the module means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Symbol {
    Function(FunctionId),
    /// Index in [`Builder::variables`].
    Variable(usize),
}

/// What the linker must know of a function beyond its code.
#[derive(Debug, Default)]
pub(super) struct FunctionFacts<'a> {
    pub signature: Signature<'a>,
    pub defined: bool,
    pub weak: bool,
    pub pool: Vec<PoolReference>,
    /// Symbols that the body mentions, with the first line.
    pub mentions: HashMap<SymbolId, u32>,
    /// `.alias`: the function that this name stands for.
    pub alias: Option<FunctionId>,
}

/// A module while it is read.
pub(super) struct Builder<'a> {
    pub lexer: Lexer<'a>,
    pub module: Module,
    pub symbols: Vec<Symbol>,
    pub names: HashMap<&'a str, SymbolId>,
    pub variables: Vec<Declared<'a>>,
    /// Beside [`Module::functions`].
    pub facts: Vec<FunctionFacts<'a>>,
}

impl<'a> Builder<'a> {
    pub fn new(text: &'a str) -> Result<Self, Report> {
        Ok(Self {
            lexer: Lexer::new(text)?,
            module: Module::default(),
            symbols: vec![],
            names: HashMap::new(),
            variables: vec![],
            facts: vec![],
        })
    }

    /// Reads the whole text.
    pub fn read(&mut self) -> Result<(), Report> {
        if self.lexer.token != Token::Word(".version") {
            return Err(self.lexer.unexpected("`.version`: this is no PTX"));
        }
        while self.lexer.token != Token::End {
            self.directive()?;
        }
        if self.module.target == 0 {
            return Err(error(self.lexer.line, "no `.target`"));
        }
        Ok(())
    }

    fn directive(&mut self) -> Result<(), Report> {
        if self.lexer.eat(b';')? {
            return Ok(());
        }
        let linkage = Linkage::read(&mut self.lexer)?;
        let line = self.lexer.line;
        let word = self.lexer.word_token()?;
        if let Some(space) = VariableSpace::directive(word) {
            if space == VariableSpace::Local {
                return Err(error(line, "`.local` outside of a function"));
            }
            for declared in variables(&mut self.lexer, space, linkage)? {
                let name = declared.name;
                let id = self.declare_variable(declared)?;
                self.names.insert(name, id);
            }
            return Ok(());
        }
        match word {
            ".func" => return self.function(line, linkage, false),
            ".entry" => return self.function(line, linkage, true),
            _ if linkage != Linkage::default() => {}
            ".version" => return self.version(line),
            ".target" => return self.target(line),
            ".address_size" => {
                let size = self.lexer.int()?;
                return if size == 64 {
                    Ok(())
                } else {
                    Err(error(line, format!("addresses of {size} bits")))
                };
            }
            ".file" => return self.file(),
            ".section" => {
                // Debug information beyond .loc is not used.
                while !self.lexer.at(b'{') {
                    self.lexer.word_token()?;
                }
                return self.lexer.skip_block();
            }
            ".pragma" => return pragma(&mut self.lexer),
            ".alias" => return self.alias(line),
            _ => {}
        }
        Err(error(line, format!("unknown directive `{word}`")))
    }

    /// `.version 7.8`, which is lexed as a fraction: the digits are taken from the text.
    fn version(&mut self, line: u32) -> Result<(), Report> {
        let text = self.lexer.token_text();
        let parsed =
            text.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
        self.module.version = parsed.ok_or_else(|| error(line, format!("`{text}` is no PTX version")))?;
        self.lexer.advance()
    }

    fn target(&mut self, line: u32) -> Result<(), Report> {
        let name = self.lexer.word_token()?;
        let unknown = || error(line, format!("unknown target `{name}`"));
        let digits = name.strip_prefix("sm_").ok_or_else(unknown)?;
        let number = digits.trim_end_matches(['a', 'f']);
        self.module.target = number.parse().map_err(|_| unknown())?;
        self.module.target_suffix = match &digits[number.len()..] {
            "" => None,
            "a" => Some('a'),
            "f" => Some('f'),
            _ => return Err(unknown()),
        };
        while self.lexer.eat(b',')? {
            let option = self.lexer.word_token()?;
            if option != "debug" {
                return Err(error(line, format!("unknown target option `{option}`")));
            }
        }
        Ok(())
    }

    /// `.file 1 "name" [, time, size]`.
    fn file(&mut self) -> Result<(), Report> {
        let number = self.lexer.int32()?;
        let name = self.lexer.string_token()?;
        self.module.files.insert(number, name.into());
        while self.lexer.eat(b',')? {
            self.lexer.int()?;
        }
        Ok(())
    }

    /// `.alias name, function;`, both declared before.
    fn alias(&mut self, line: u32) -> Result<(), Report> {
        let name = self.lexer.new_name()?;
        self.lexer.expect(b',')?;
        let target = self.lexer.word_token()?;
        self.lexer.expect(b';')?;
        let (Symbol::Function(name_id), Symbol::Function(target_id)) =
            (self.symbol(self.lookup(name, line)?), self.symbol(self.lookup(target, line)?))
        else {
            return Err(error(line, format!("`.alias {name}, {target}`: both must be functions")));
        };
        let facts = |id: FunctionId| &self.facts[id.0 as usize];
        if facts(name_id).defined || name_id == target_id {
            return Err(error(line, format!("`.alias`: `{name}` has a body of its own")));
        }
        if !facts(name_id).signature.same_shape(&facts(target_id).signature) {
            return Err(error(line, format!("`.alias`: `{name}` and `{target}` have different parameters")));
        }
        self.facts[name_id.0 as usize].alias = Some(target_id);
        Ok(())
    }

    /// A function: declaration or definition.
    fn function(&mut self, line: u32, linkage: Linkage, entry: bool) -> Result<(), Report> {
        let (name, signature) = Signature::read(&mut self.lexer, entry)?;
        if entry && signature.ret.is_some() {
            return Err(error(line, format!("entry `{name}` with a return value")));
        }
        let limits = Limits::read(&mut self.lexer)?;
        let id = self.declare_function(name, line, entry, &signature)?;
        if self.lexer.eat(b';')? {
            return Ok(());
        }
        if linkage.external {
            return Err(error(line, format!("`.extern` function `{name}` with a body")));
        }
        let first = !self.facts[id.0 as usize].defined;
        let both_weak = linkage.weak && self.facts[id.0 as usize].weak;
        if !first && !both_weak {
            return Err(error(line, format!("`{name}` is defined twice")));
        }
        let before = (self.variables.len(), self.symbols.len());
        let (mut function, mut facts) = body::read(self, name, line, entry, signature)?;
        if !first {
            // Of repeated weak definitions the first one counts; the others are still checked.
            self.variables.truncate(before.0);
            self.symbols.truncate(before.1);
        } else {
            function.max_threads = limits.max.or(limits.required);
            function.required_threads = limits.required;
            facts.defined = true;
            facts.weak = linkage.weak;
            self.module.functions[id.0 as usize] = function;
            self.facts[id.0 as usize] = facts;
        }
        Ok(())
    }

    /// Enters a function of that name, or checks that it is declared as before.
    fn declare_function(
        &mut self,
        name: &'a str,
        line: u32,
        entry: bool,
        signature: &Signature<'a>,
    ) -> Result<FunctionId, Report> {
        if let Some(&known) = self.names.get(name) {
            let Symbol::Function(id) = self.symbol(known) else {
                return Err(error(line, format!("`{name}` is declared as a variable before")));
            };
            let before = &self.module.functions[id.0 as usize];
            let same = self.facts[id.0 as usize].signature.same_shape(signature);
            if !same || (before.kind == FunctionKind::Entry) != entry {
                let text = format!("`{name}` is declared differently in line {}", before.line);
                return Err(error(line, text));
            }
            return Ok(id);
        }
        let id = FunctionId(self.module.functions.len() as u32);
        self.module.functions.push(declared(name, line, entry, signature));
        self.facts.push(FunctionFacts { signature: signature.clone(), ..FunctionFacts::default() });
        let symbol = self.add_symbol(Symbol::Function(id));
        self.names.insert(name, symbol);
        self.module.function_names.insert(name.into(), id);
        Ok(id)
    }

    /// Enters a variable. A second declaration of a name of the module is merged with the first.
    fn declare_variable(&mut self, new: Declared<'a>) -> Result<SymbolId, Report> {
        let Some(&known) = self.names.get(new.name) else {
            self.variables.push(new);
            return Ok(self.add_symbol(Symbol::Variable(self.variables.len() - 1)));
        };
        let Symbol::Variable(index) = self.symbol(known) else {
            return Err(error(new.line, format!("`{}` is declared as a function before", new.name)));
        };
        let old = &mut self.variables[index];
        if old.space != new.space {
            return Err(error(new.line, format!("`{}` is in another space in line {}", new.name, old.line)));
        }
        let (was, is) = (old.linkage, new.linkage);
        if was.external && !is.external {
            *old = new;
        } else if is.external || was.common && is.common {
            // One storage, large and aligned enough for all declarations.
            old.size = old.size.max(new.size);
            old.align = old.align.max(new.align);
        } else if !(was.weak && is.weak) {
            return Err(error(new.line, format!("`{}` is defined twice", new.name)));
        } else if old.size != new.size {
            let text =
                format!("`{}` has {} bytes, but {} in line {}", new.name, new.size, old.size, old.line);
            return Err(error(new.line, text));
        }
        Ok(known)
    }

    /// Enters a variable that is declared in a function's body.
    pub fn declare_scoped(&mut self, variable: Declared<'a>) -> SymbolId {
        self.variables.push(variable);
        self.add_symbol(Symbol::Variable(self.variables.len() - 1))
    }

    /// Enters a symbol.
    fn add_symbol(&mut self, symbol: Symbol) -> SymbolId {
        self.symbols.push(symbol);
        SymbolId(self.symbols.len() as u32 - 1)
    }

    /// What a symbol is.
    pub fn symbol(&self, id: SymbolId) -> Symbol {
        self.symbols[id.0 as usize]
    }

    /// The symbol of that name.
    pub fn lookup(&self, name: &str, line: u32) -> Result<SymbolId, Report> {
        self.names.get(name).copied().ok_or_else(|| error(line, format!("`{name}` is not declared")))
    }
}

/// `.pragma "...", "...";`: hints to the optimiser (`nounroll`, `used_bytes_mask`), which PTX allows to ignore.
pub(super) fn pragma(lexer: &mut Lexer<'_>) -> Result<(), Report> {
    loop {
        lexer.string_token()?;
        if !lexer.eat(b',')? {
            return lexer.expect(b';');
        }
    }
}

/// Performance and launch directives between the signature and the body.
#[derive(Default)]
struct Limits {
    max: Option<[u32; 3]>,
    required: Option<[u32; 3]>,
}

impl Limits {
    fn read(lexer: &mut Lexer<'_>) -> Result<Self, Report> {
        let mut limits = Self::default();
        while let Token::Word(word) = lexer.token {
            let line = lexer.line;
            lexer.advance()?;
            match word {
                ".maxntid" => limits.max = Some(shape(lexer)?),
                ".reqntid" => limits.required = Some(shape(lexer)?),
                // For register allocation and clusters, neither of which exists here.
                ".minnctapersm"
                | ".maxnctapersm"
                | ".maxnreg"
                | ".maxclusterrank"
                | ".abi_preserve"
                | ".abi_preserve_control" => {
                    lexer.int32()?;
                }
                ".reqnctapercluster" => {
                    let [x, y, z] = shape(lexer)?;
                    if [x, y, z] != [1; 3] {
                        return Err(error(
                            line,
                            format!("clusters of {x} x {y} x {z} CTAs: here one CTA is one"),
                        ));
                    }
                }
                ".noreturn" | ".explicitcluster" => {}
                ".pragma" => pragma(lexer)?,
                _ => return Err(error(line, format!("unknown directive `{word}` of a function"))),
            }
        }
        Ok(limits)
    }
}

/// Reads `x[, y[, z]]`.
fn shape(lexer: &mut Lexer<'_>) -> Result<[u32; 3], Report> {
    let mut shape = [lexer.int32()?, 1, 1];
    for dimension in &mut shape[1..] {
        if !lexer.eat(b',')? {
            break;
        }
        *dimension = lexer.int32()?;
    }
    Ok(shape)
}

/// A function without a body.
pub(super) fn declared(name: &str, line: u32, entry: bool, signature: &Signature<'_>) -> Function {
    Function {
        name: name.into(),
        kind: if entry { FunctionKind::Entry } else { FunctionKind::Undefined },
        line,
        code: vec![],
        lines: vec![],
        constants: ConstantPool::default(),
        params: signature.params.clone(),
        param_bytes: signature.param_bytes,
        param_words: signature.param_words(),
        ret: signature.ret.clone(),
        return_words: signature.return_words(),
        register_bytes: 0,
        predicates: 2,
        local_bytes: 0,
        local_align: 1,
        locals: vec![],
        declared_registers: 0,
        tables: vec![],
        calls: vec![],
        source: vec![],
        max_threads: None,
        required_threads: None,
        shared_bytes: 0,
        undefined: vec![],
    }
}
