//! Directives inside of a body: variables, registers, source lines.

use super::super::error;
use super::super::lex::Token;
use super::super::module::pragma;
use super::super::signature::{Declaration, ParamType, words};
use super::super::types::Type;
use super::super::variable::{Linkage, VariableSpace, variables};
use super::{Body, Local, Meaning, ParamVariable, Register, declared_twice};
use crate::code::{LocalVariable, SourceLine, SourceSpan, Width};
use crate::report::Report;

impl<'a> Body<'_, 'a> {
    /// A directive inside of a body.
    pub(super) fn directive(&mut self) -> Result<(), Report> {
        let line = self.builder.lexer.line;
        let Token::Word(word) = self.builder.lexer.token else {
            return Err(self.builder.lexer.unexpected("a directive"));
        };
        if word == ".param" {
            let ty = ParamType::read(&mut self.builder.lexer, false)?;
            loop {
                let Declaration { name, param } = ty.named(&mut self.builder.lexer)?;
                let register = self.frame.slot(words(param.size));
                let variable = ParamVariable { register, byte: 0, size: param.size, own: None };
                self.declare(name.text, line, Meaning::Param(variable))?;
                if !self.builder.lexer.eat(b',')? {
                    return self.builder.lexer.expect(b';');
                }
            }
        }
        let linkage = Linkage::read(&mut self.builder.lexer)?;
        let word = self.builder.lexer.word_token()?;
        if let Some(space) = VariableSpace::directive(word) {
            return self.variables(space, linkage);
        }
        match word {
            _ if linkage != Linkage::default() => {}
            ".reg" => return self.registers(),
            ".loc" => return self.source_location(),
            ".pragma" => return pragma(&mut self.builder.lexer),
            _ => {}
        }
        Err(error(line, format!("unknown directive `{word}` in a function")))
    }

    /// Variables that only this body knows by name.
    fn variables(&mut self, space: VariableSpace, linkage: Linkage) -> Result<(), Report> {
        for variable in variables(&mut self.builder.lexer, space, linkage)? {
            let (name, line) = (variable.name, variable.line);
            let meaning = if space == VariableSpace::Local {
                let size = u32::try_from(variable.size);
                let size = size.map_err(|_| error(line, format!("`{name}` has {} bytes", variable.size)))?;
                let offset = self.local_variable(name, size, variable.align, line)?;
                Meaning::Local(Local { offset, element: variable.element })
            } else {
                Meaning::Symbol(self.builder.declare_scoped(variable))
            };
            self.declare(name, line, meaning)?;
        }
        Ok(())
    }

    /// Takes local memory of the frame.
    pub(super) fn local_variable(
        &mut self,
        name: &str,
        size: u32,
        align: u32,
        line: u32,
    ) -> Result<u32, Report> {
        let function = &mut self.function;
        let place = |used: u32| {
            let offset = used.checked_next_multiple_of(align)?;
            Some((offset, offset.checked_add(size).filter(|&end| end < 1 << 31)?))
        };
        let Some((offset, end)) = place(function.local_bytes) else {
            return Err(error(line, "local variables of more than 2 GiB"));
        };
        function.local_bytes = end;
        function.local_align = function.local_align.max(align);
        function.locals.push(LocalVariable { name: name.into(), offset, size });
        Ok(offset)
    }

    /// `.reg .type name, name<n>, ...;`
    fn registers(&mut self) -> Result<(), Report> {
        let line = self.builder.lexer.line;
        let word = self.builder.lexer.word_token()?;
        let quad = word == ".b128";
        let width = match (word, Type::directive(word)) {
            (".pred", _) => None,
            (".f16x2", _) => Some(Width::W32),
            (".b128", _) => Some(Width::W64),
            // Registers have at least 16 bits.
            (_, Some(ty)) => Some(ty.width.max(Width::W16)),
            _ => return Err(error(line, format!("unknown register type `{word}`"))),
        };
        loop {
            let name = self.builder.lexer.new_name()?;
            let count = if self.builder.lexer.eat(b'<')? {
                let count = self.builder.lexer.int32()?;
                self.builder.lexer.expect(b'>')?;
                Some(count)
            } else {
                None
            };
            let number = count.unwrap_or(1).saturating_mul(if quad { 2 } else { 1 });
            let first = match width {
                None => Register::Predicate(self.frame.predicates(number)),
                Some(width) => {
                    let words = number.saturating_mul(width.bytes().div_ceil(4));
                    self.function.declared_registers = self.function.declared_registers.saturating_add(words);
                    let first = self.frame.registers(width, number);
                    if quad { Register::Quad(first) } else { Register::General(first, width) }
                }
            };
            self.size()?;
            match count {
                None => self.declare(name, line, Meaning::Register(first))?,
                Some(count) if self.names.declare_row(name, count, first) => {}
                Some(_) => return Err(declared_twice(&format!("{name}<>"), line)),
            }
            if !self.builder.lexer.eat(b',')? {
                return self.builder.lexer.expect(b';');
            }
        }
    }

    /// `.loc file line column [, function_name label [+ n], inlined_at file line column]`, without `;`.
    fn source_location(&mut self) -> Result<(), Report> {
        let lexer = &mut self.builder.lexer;
        let at = SourceLine { file: lexer.int32()?, line: lexer.int32()?, column: lexer.int32()? };
        let mut inlined_at = None;
        while lexer.eat(b',')? {
            let line = lexer.line;
            match lexer.word_token()? {
                "function_name" => {
                    lexer.word_token()?;
                    if lexer.eat(b'+')? {
                        lexer.int()?;
                    }
                }
                "inlined_at" => {
                    let outer =
                        SourceLine { file: lexer.int32()?, line: lexer.int32()?, column: lexer.int32()? };
                    inlined_at = Some(outer);
                }
                word => return Err(error(line, format!("unknown attribute `{word}` of .loc"))),
            }
        }
        self.location = Some(SourceSpan { first: 0, at, inlined_at });
        Ok(())
    }
}
