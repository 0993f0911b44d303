//! Bodies of functions: scopes, declarations, labels, statements.

mod directive;
mod finish;
mod scope;

pub(super) use scope::{Local, Meaning, ParamVariable, Register};

use super::decode;
use super::error;
use super::frame::Frame;
use super::lex::Token;
use super::module::{Builder, FunctionFacts, declared};
use super::operand::Operand;
use super::signature::{Signature, words};
use crate::code::{Function, FunctionKind, Guard, Inst, Op, Reg, SourceSpan, Src};
use crate::report::Report;
use scope::{Ended, Names, Reference, Referrer};

/// An `ld.param` of an own parameter; rewritten if the parameter's address is taken somewhere.
pub(super) struct ParamLoad {
    /// Instruction.
    pub at: usize,
    /// Parameter, and byte in it.
    pub param: usize,
    pub byte: u32,
}

/// A function while its body is read.
pub(super) struct Body<'b, 'a> {
    pub builder: &'b mut Builder<'a>,
    pub function: Function,
    pub facts: FunctionFacts<'a>,
    pub frame: Frame,
    names: Names<'a>,
    prototypes: Vec<Signature<'a>>,
    pub param_loads: Vec<ParamLoad>,
    /// Where an address-taken parameter lies in local memory, by its index.
    spilled: Vec<Option<u32>>,
    /// What stores the return value, if it is a register.
    result: Option<Op>,
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
        names: Names::default(),
        prototypes: vec![],
        param_loads: vec![],
        result: None,
        guard: Guard::ALWAYS,
        line,
        elements: vec![],
        location: None,
    };
    body.names.open();
    body.own_parameters()?;
    body.builder.lexer.expect(b'{')?;
    body.statements()?;
    body.finish()
}

impl<'a> Body<'_, 'a> {
    /// Makes the names of parameters and return value known; those that are registers get what they hold.
    fn own_parameters(&mut self) -> Result<(), Report> {
        let Signature { params, names, ret, ret_name, .. } = &self.facts.signature;
        let mut own = vec![];
        for (index, (param, name)) in params.iter().zip(names).enumerate() {
            let register = Frame::word(param.offset / 8);
            let (byte, size) = (param.offset % 8, param.size);
            own.push((*name, ParamVariable { register, byte, size, own: Some(index) }));
        }
        if let (Some(ret), Some(name)) = (ret, ret_name) {
            let register = Frame::word(self.function.param_words);
            own.push((*name, ParamVariable { register, byte: 0, size: ret.size, own: None }));
        }
        for (name, variable) in own {
            let Some(width) = name.register else {
                self.declare(name.text, self.line, Meaning::Param(variable))?;
                continue;
            };
            let (reg, word) = (self.frame.registers(width, 1), Reg(variable.register));
            self.declare(name.text, self.line, Meaning::Register(Register::General(reg, width)))?;
            match variable.own {
                Some(_) => self.emit(decode::from_word(width, reg, word)),
                None => self.result = Some(decode::to_word(width, word, Src::reg(reg))),
            }
        }
        Ok(())
    }

    /// Appends a return. A return value in a register goes where the caller finds it.
    pub fn emit_return(&mut self) {
        if let Some(result) = self.result {
            self.emit(result);
        }
        self.emit(Op::Return);
    }

    /// Statements up to the `}` of the body.
    fn statements(&mut self) -> Result<(), Report> {
        let mut depth = 1;
        loop {
            match self.builder.lexer.token {
                Token::Punct(b'{') => {
                    self.builder.lexer.advance()?;
                    self.names.open();
                    depth += 1;
                }
                Token::Punct(b'}') => {
                    self.builder.lexer.advance()?;
                    self.close_block()?;
                    depth -= 1;
                    if depth == 0 {
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

    /// Ends a block: its slots of calls are free, and who waits for its labels and tables gets to know them.
    fn close_block(&mut self) -> Result<(), Report> {
        for Ended { name, meaning, references } in self.names.close() {
            if let Meaning::Param(slot) = meaning {
                self.frame.release_slot(slot.register, words(slot.size));
            }
            for reference in references {
                self.resolve(name, meaning, reference)?;
            }
        }
        Ok(())
    }

    /// Lets a reference to a label or table lead to what the name means.
    fn resolve(&mut self, name: &str, meaning: Meaning, reference: Reference) -> Result<(), Report> {
        let function = &mut self.function;
        let place = match reference.from {
            Referrer::Entry { table, entry } => Some(&mut function.tables[table][entry]),
            Referrer::Instruction(at) => match (&mut function.code[at].op, meaning) {
                (Op::Branch { target, .. }, _) => Some(target),
                (Op::BranchTable { table, .. }, Meaning::Table(index)) => {
                    *table = index as u32;
                    return Ok(());
                }
                _ => None,
            },
        };
        match (place, meaning) {
            (Some(place), Meaning::Label(to)) => {
                *place = to;
                Ok(())
            }
            (Some(_), _) => Err(error(reference.line, format!("`{name}` is no label"))),
            (None, _) => Err(error(reference.line, format!("`{name}` is no `.branchtargets`"))),
        }
    }

    /// Enters a name in the innermost block.
    fn declare(&mut self, name: &'a str, line: u32, meaning: Meaning) -> Result<(), Report> {
        if self.names.declare(name, meaning) { Ok(()) } else { Err(declared_twice(name, line)) }
    }

    /// `name:`, before an instruction, `.callprototype` or `.branchtargets`.
    fn label(&mut self, name: &'a str) -> Result<(), Report> {
        let line = self.builder.lexer.line;
        self.builder.lexer.advance()?;
        self.builder.lexer.expect(b':')?;
        if self.builder.lexer.eat_word(".callprototype")? {
            let (_, signature) = Signature::read(&mut self.builder.lexer, false)?;
            self.builder.lexer.eat_word(".noreturn")?;
            self.declare(name, line, Meaning::Prototype(self.prototypes.len()))?;
            self.prototypes.push(signature);
            return self.builder.lexer.expect(b';');
        }
        if self.builder.lexer.eat_word(".branchtargets")? {
            return self.branch_targets(name, line);
        }
        self.declare(name, line, Meaning::Label(self.function.code.len() as u32))
    }

    /// `name: .branchtargets label, ...;`
    fn branch_targets(&mut self, name: &'a str, line: u32) -> Result<(), Report> {
        let table = self.function.tables.len();
        let mut entries = 0;
        loop {
            let label = self.builder.lexer.word_token()?;
            self.names.refer(label, Reference { from: Referrer::Entry { table, entry: entries }, line });
            entries += 1;
            if !self.builder.lexer.eat(b',')? {
                break;
            }
        }
        self.function.tables.push(vec![0; entries].into());
        self.declare(name, line, Meaning::Table(table))?;
        self.builder.lexer.expect(b';')
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

    /// What a name means here, if it is declared in the function.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.meaning(name)
    }

    /// The register of that name.
    pub fn register(&self, name: &str) -> Option<Register> {
        match self.meaning(name)? {
            Meaning::Register(register) => Some(register),
            _ => None,
        }
    }

    /// The `.callprototype` of that name.
    pub fn prototype(&self, name: &str) -> Option<&Signature<'a>> {
        match self.meaning(name)? {
            Meaning::Prototype(index) => self.prototypes.get(index),
            _ => None,
        }
    }

    /// Appends a branch to a label, or by `.branchtargets`, of that name.
    pub fn emit_branch(&mut self, to: &'a str, op: Op) {
        let from = Referrer::Instruction(self.function.code.len());
        self.names.refer(to, Reference { from, line: self.line });
        self.emit(op);
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

fn declared_twice(name: &str, line: u32) -> Report {
    error(line, format!("`{name}` is declared twice"))
}
