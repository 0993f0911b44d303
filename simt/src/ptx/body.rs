//! Bodies of functions: scopes, declarations, labels, statements.

mod directive;
mod finish;

use super::decode;
use super::error;
use super::frame::Frame;
use super::lex::Token;
use super::module::{Builder, FunctionFacts, SymbolId, declared};
use super::operand::Operand;
use super::signature::{Signature, words};
use crate::code::{Function, FunctionKind, Guard, Inst, Op, Pred, Reg, SourceSpan, Width};
use crate::report::Report;
use std::collections::HashMap;

/// A register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Register {
    /// General register.
    General(Reg, Width),
    /// Register of 128 bits: two of 64, the lower half first.
    Quad(Reg),
    /// Predicate.
    Predicate(Pred),
}

/// Registers that a `.reg` directive declares.
struct Registers<'a> {
    /// The name, or what comes before the number.
    name: &'a str,
    /// How many are numbered; `None`: just this one.
    count: Option<u32>,
    first: Register,
}

/// A `.param` variable: the function's own parameter or return value, or a slot of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct ParamVariable {
    /// First 64-bit register.
    pub register: u32,
    /// Byte offset of the variable in that register (entries pack several in one).
    pub byte: u32,
    /// Bytes.
    pub size: u32,
    /// Index of the function's own parameter.
    pub own: Option<usize>,
}

/// What a name means inside of a function, apart from registers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scoped {
    Param(ParamVariable),
    /// Byte offset in the frame's local memory.
    Local(u32),
    Symbol(SymbolId),
}

/// The names of one `{ }` block.
#[derive(Default)]
struct Scope<'a> {
    registers: Vec<Registers<'a>>,
    names: Vec<(&'a str, Scoped)>,
    prototypes: Vec<(&'a str, Signature<'a>)>,
}

/// An `ld.param` of an own parameter; rewritten if the parameter's address is taken somewhere.
pub(super) struct ParamLoad {
    /// Instruction.
    pub at: usize,
    /// Parameter, and byte in it.
    pub param: usize,
    pub byte: u32,
}

/// A branch to a name that is known only at the end of the body.
pub(super) struct Jump<'a> {
    /// Instruction.
    pub at: usize,
    /// Label or table.
    pub to: &'a str,
    pub line: u32,
}

/// A function while its body is read.
pub(super) struct Body<'b, 'a> {
    pub builder: &'b mut Builder<'a>,
    pub function: Function,
    pub facts: FunctionFacts<'a>,
    pub frame: Frame,
    scopes: Vec<Scope<'a>>,
    /// Instruction at each label.
    labels: HashMap<&'a str, u32>,
    /// Labels of each `.branchtargets`.
    tables: HashMap<&'a str, Vec<&'a str>>,
    pub branches: Vec<Jump<'a>>,
    pub table_branches: Vec<Jump<'a>>,
    pub param_loads: Vec<ParamLoad>,
    /// Where an address-taken parameter lies in local memory, by its index.
    spilled: Vec<Option<u32>>,
    /// Guard and line of the statement that is decoded.
    pub guard: Guard,
    pub line: u32,
    /// Elements of its vector operands, bases of its addresses.
    pub elements: Vec<Operand<'a>>,
    location: Option<SourceSpan>,
}

/// Reads a body, from its `{` to its `}`.
pub(super) fn read<'a>(
    builder: &mut Builder<'a>,
    name: &'a str,
    line: u32,
    entry: bool,
    signature: Signature<'a>,
) -> Result<(Function, FunctionFacts<'a>), Report> {
    let mut function = declared(name, line, entry, &signature);
    if !entry {
        function.kind = FunctionKind::Device;
    }
    let mut body = Body {
        builder,
        frame: Frame::new(function.param_words + function.return_words),
        function,
        spilled: vec![None; signature.params.len()],
        facts: FunctionFacts { signature, ..FunctionFacts::default() },
        scopes: vec![Scope::default()],
        labels: HashMap::new(),
        tables: HashMap::new(),
        branches: vec![],
        table_branches: vec![],
        param_loads: vec![],
        guard: Guard::ALWAYS,
        line,
        elements: vec![],
        location: None,
    };
    body.own_parameters();
    body.builder.lexer.expect(b'{')?;
    body.statements()?;
    body.finish()
}

impl<'a> Body<'_, 'a> {
    /// Makes the names of parameters and return value known.
    fn own_parameters(&mut self) {
        let Signature { params, names, ret, ret_name, .. } = &self.facts.signature;
        let scope = &mut self.scopes[0].names;
        for (own, (param, name)) in params.iter().zip(names).enumerate() {
            let register = Frame::word(param.offset / 8);
            let variable =
                ParamVariable { register, byte: param.offset % 8, size: param.size, own: Some(own) };
            scope.push((name, Scoped::Param(variable)));
        }
        if let (Some(ret), Some(name)) = (ret, ret_name) {
            let register = Frame::word(self.function.param_words);
            scope.push((name, Scoped::Param(ParamVariable { register, byte: 0, size: ret.size, own: None })));
        }
    }

    /// Statements up to the `}` of the body.
    fn statements(&mut self) -> Result<(), Report> {
        loop {
            match self.builder.lexer.token {
                Token::Punct(b'{') => {
                    self.builder.lexer.advance()?;
                    self.scopes.push(Scope::default());
                }
                Token::Punct(b'}') => {
                    self.builder.lexer.advance()?;
                    if self.close_scope() {
                        return Ok(());
                    }
                }
                Token::Punct(b';') => self.builder.lexer.advance()?,
                Token::Punct(b'@') => self.instruction()?,
                Token::Word(word) if word.starts_with('.') => self.directive()?,
                Token::Word(word) => {
                    if self.builder.lexer.colon_follows()? {
                        self.label(word)?;
                    } else {
                        self.instruction()?;
                    }
                }
                _ => return Err(self.builder.lexer.unexpected("a statement")),
            }
        }
    }

    /// Ends a block; true if it was the body itself.
    fn close_scope(&mut self) -> bool {
        let scope = self.scopes.pop();
        for (_, name) in scope.iter().flat_map(|scope| &scope.names) {
            if let Scoped::Param(slot) = name {
                self.frame.release_slot(slot.register, words(slot.size));
            }
        }
        self.scopes.is_empty()
    }

    fn scope(&mut self) -> &mut Scope<'a> {
        self.scopes.last_mut().expect("a body has a scope until its last brace")
    }

    /// Enters a name in the innermost scope.
    fn declare(&mut self, name: &'a str, line: u32, meaning: Scoped) -> Result<(), Report> {
        if self.scope().names.iter().any(|(known, _)| *known == name) {
            return Err(error(line, format!("`{name}` is declared twice")));
        }
        self.scope().names.push((name, meaning));
        Ok(())
    }

    /// `name:`, before an instruction, `.callprototype` or `.branchtargets`.
    fn label(&mut self, name: &'a str) -> Result<(), Report> {
        let line = self.builder.lexer.line;
        self.builder.lexer.advance()?;
        self.builder.lexer.expect(b':')?;
        if self.builder.lexer.eat_word(".callprototype")? {
            let (_, signature) = Signature::read(&mut self.builder.lexer, false)?;
            self.builder.lexer.eat_word(".noreturn")?;
            self.scope().prototypes.push((name, signature));
            return self.builder.lexer.expect(b';');
        }
        if self.builder.lexer.eat_word(".branchtargets")? {
            let mut labels = vec![self.builder.lexer.word_token()?];
            while self.builder.lexer.eat(b',')? {
                labels.push(self.builder.lexer.word_token()?);
            }
            self.tables.insert(name, labels);
            return self.builder.lexer.expect(b';');
        }
        if self.labels.insert(name, self.function.code.len() as u32).is_some() {
            return Err(error(line, format!("label `{name}` is defined twice")));
        }
        Ok(())
    }

    /// `[@[!]p] opcode operands;`
    fn instruction(&mut self) -> Result<(), Report> {
        self.line = self.builder.lexer.line;
        let start = self.builder.lexer.start;
        self.guard = Guard::ALWAYS;
        if self.builder.lexer.eat(b'@')? {
            let negated = self.builder.lexer.eat(b'!')?;
            let name = self.builder.lexer.word_token()?;
            match self.register(name) {
                Some(Register::Predicate(pred)) => self.guard = Guard::new(pred, negated),
                _ => return Err(error(self.line, format!("guard `{name}` is no predicate"))),
            }
        }
        let opcode = self.builder.lexer.word_token()?;
        decode::instruction(self, opcode).map_err(|fault| {
            let statement = self.builder.lexer.statement(start);
            error(self.line, fault.message(opcode, &statement))
        })
    }

    /// The register of that name.
    pub fn register(&self, name: &str) -> Option<Register> {
        let declared = self.scopes.iter().rev().flat_map(|scope| &scope.registers);
        for registers in declared {
            let Some(rest) = name.strip_prefix(registers.name) else { continue };
            let Some(count) = registers.count else {
                if rest.is_empty() {
                    return Some(registers.first);
                }
                continue;
            };
            // `%r<3>` declares %r0 to %r2; %r01 is no register.
            let canonical = !rest.is_empty() && (rest == "0" || !rest.starts_with('0'));
            if let Some(number) = rest.parse::<u32>().ok().filter(|&number| canonical && number < count) {
                return Some(match registers.first {
                    Register::General(reg, width) => Register::General(Frame::nth(reg, width, number), width),
                    Register::Quad(reg) => Register::Quad(Frame::nth(reg, Width::W64, 2 * number)),
                    Register::Predicate(pred) => Register::Predicate(Pred(pred.0 + number)),
                });
            }
        }
        None
    }

    /// What a name means here, if it is declared in the function.
    pub fn scoped(&self, name: &str) -> Option<Scoped> {
        let names = self.scopes.iter().rev().flat_map(|scope| scope.names.iter().rev());
        names.filter(|(known, _)| *known == name).map(|(_, meaning)| *meaning).next()
    }

    /// The `.callprototype` of that name.
    pub fn prototype(&self, name: &str) -> Option<&Signature<'a>> {
        let prototypes = self.scopes.iter().rev().flat_map(|scope| &scope.prototypes);
        prototypes.filter(|(known, _)| *known == name).map(|(_, signature)| signature).next()
    }

    /// Appends an operation under the statement's guard.
    pub fn emit(&mut self, op: Op) {
        self.push(self.guard, op);
    }

    /// Appends an operation that prepares an operand in a scratch register, for all lanes.
    pub fn prepare(&mut self, op: Op) {
        self.push(Guard::ALWAYS, op);
    }

    fn push(&mut self, guard: Guard, op: Op) {
        if let Some(location) = &mut self.location {
            let same = |last: &SourceSpan| last.at == location.at && last.inlined_at == location.inlined_at;
            if !self.function.source.last().is_some_and(same) {
                location.first = self.function.code.len() as u32;
                self.function.source.push(*location);
            }
        }
        self.function.code.push(Inst { guard, op });
        self.function.lines.push(self.line);
    }

    /// Where an own parameter lies in local memory, now that its address is needed.
    pub fn spill(&mut self, param: usize) -> Result<u32, Report> {
        if let Some(offset) = self.spilled[param] {
            return Ok(offset);
        }
        let declared = &self.function.params[param];
        let (name, size, align) = (declared.name.clone(), declared.size, declared.align);
        let offset = self.local_variable(&name, size, align, self.line)?;
        self.spilled[param] = Some(offset);
        Ok(offset)
    }
}
