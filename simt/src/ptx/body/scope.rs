//! What names mean in the blocks of a body.
//!
//! A block has one name for one thing, whatever it is, and hides what the blocks around it call so. Labels and
//! `.branchtargets` are known in all of their block, also in front of them; so what refers to one waits until a block ends that has
//! the name.

use super::super::frame::Frame;
use super::super::module::SymbolId;
use crate::code::{Pred, Reg, Width};
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// A register as an operand names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Register {
    /// General register.
    General(Reg, Width),
    /// Register of 128 bits: two of 64, the lower half first.
    Quad(Reg),
    /// Predicate.
    Predicate(Pred),
}

impl Register {
    /// The register `number` of the row that this one is the first of.
    fn nth(self, number: u32) -> Self {
        match self {
            Self::General(reg, width) => Self::General(Frame::nth(reg, width, number), width),
            Self::Quad(reg) => Self::Quad(Frame::nth(reg, Width::W64, 2 * number)),
            Self::Predicate(pred) => Self::Predicate(Pred(pred.0 + number)),
        }
    }
}

/// A `.param` variable: the function's own parameter or return value, or a slot of a call.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct ParamVariable {
    /// First 64-bit register.
    pub register: u32,
    /// Byte offset of the variable in that register (entries pack several in one).
    pub byte: u32,
    /// Bytes.
    pub size: u32,
    /// Index of the function's own parameter.
    pub own: Option<usize>,
}

/// A variable in local memory.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Local {
    /// Byte offset in the frame.
    pub offset: u32,
    /// Bytes of an element of an array.
    pub element: Option<u64>,
}

/// What a name means inside of a function.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Meaning {
    Register(Register),
    Param(ParamVariable),
    Local(Local),
    Symbol(SymbolId),
    /// `.callprototype`: index among those of the body.
    Prototype(usize),
    /// Label: number of the instruction behind it.
    Label(u32),
    /// `.branchtargets`: index in [`crate::code::Function::tables`].
    Table(usize),
}

/// What refers to a label or to `.branchtargets`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub from: Referrer,
    pub line: u32,
}

/// The place that a reference fills.
#[derive(Clone, Copy, Debug)]
pub(super) enum Referrer {
    /// The branch at this instruction.
    Instruction(usize),
    /// Entry of a table.
    Entry { table: usize, entry: usize },
}

/// A name that has ended with its block.
pub(super) struct Ended<'a> {
    pub name: &'a str,
    pub meaning: Meaning,
    pub references: Vec<Reference>,
}

/// Names that are known in a block, with its depth.
type Known<'a, T> = HashMap<&'a str, Vec<(usize, T)>, FixedState>;

/// The names of a block.
#[derive(Default)]
struct Block<'a> {
    names: Vec<&'a str>,
    /// What the rows of registers of this block have before their numbers.
    rows: Vec<&'a str>,
    /// References that no name of an inner block was meant by.
    references: HashMap<&'a str, Vec<Reference>>,
}

/// The names of all open blocks.
#[derive(Default)]
pub(super) struct Names<'a> {
    blocks: Vec<Block<'a>>,
    /// Innermost last.
    names: Known<'a, Meaning>,
    /// Rows of registers, `%r<8>`: how many, and the first.
    rows: Known<'a, (u32, Register)>,
}

impl<'a> Names<'a> {
    /// Begins a block.
    pub fn open(&mut self) {
        self.blocks.push(Block::default());
    }

    /// Ends the innermost block. Those who wait for none of its names wait for one of the next block.
    pub fn close(&mut self) -> Vec<Ended<'a>> {
        let Some(mut block) = self.blocks.pop() else { return vec![] };
        for row in block.rows {
            self.rows.get_mut(row).and_then(Vec::pop);
        }
        let mut ended = vec![];
        for name in block.names {
            if let Some((_, meaning)) = self.names.get_mut(name).and_then(Vec::pop) {
                let references = block.references.remove(name).unwrap_or_default();
                ended.push(Ended { name, meaning, references });
            }
        }
        match self.blocks.last_mut() {
            Some(outer) => merge(&mut outer.references, block.references),
            None => self.blocks.push(Block { references: block.references, ..Block::default() }),
        }
        ended
    }

    fn block(&mut self) -> &mut Block<'a> {
        self.blocks.last_mut().expect("a body has a block until its last brace")
    }

    /// Enters a name in the innermost block; false: it has that name.
    #[must_use]
    pub fn declare(&mut self, name: &'a str, meaning: Meaning) -> bool {
        let depth = self.blocks.len();
        if self.find(name).is_some_and(|(known, _)| known == depth) {
            return false;
        }
        self.names.entry(name).or_default().push((depth, meaning));
        self.block().names.push(name);
        true
    }

    /// Enters a row of registers in the innermost block; false: it has one that is called so.
    #[must_use]
    pub fn declare_row(&mut self, prefix: &'a str, count: u32, first: Register) -> bool {
        let depth = self.blocks.len();
        let known = self.rows.entry(prefix).or_default();
        if known.last().is_some_and(|(known, _)| *known == depth) {
            return false;
        }
        known.push((depth, (count, first)));
        self.block().rows.push(prefix);
        true
    }

    /// What a name means here.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        self.find(name).map(|(_, meaning)| meaning)
    }

    /// The innermost meaning of a name, and its depth.
    fn find(&self, name: &str) -> Option<(usize, Meaning)> {
        let named = self.names.get(name).and_then(|known| known.last()).copied();
        let in_row = numbered(name).and_then(|(prefix, number)| {
            let mut rows = self.rows.get(prefix)?.iter().rev();
            let (depth, (_, first)) = rows.find(|(_, (count, _))| number < *count)?;
            Some((*depth, Meaning::Register(first.nth(number))))
        });
        match (named, in_row) {
            (Some((outer, _)), Some((inner, _))) if inner > outer => in_row,
            (None, _) => in_row,
            _ => named,
        }
    }

    /// Lets a reference wait for a label or table.
    pub fn refer(&mut self, name: &'a str, reference: Reference) {
        self.block().references.entry(name).or_default().push(reference);
    }

    /// The first reference to what no block of the body, which has ended, had.
    pub fn unresolved(&self) -> Option<(&'a str, Reference)> {
        let left = self.blocks.iter().flat_map(|block| &block.references);
        let each = left.flat_map(|(name, references)| references.iter().map(|reference| (*name, *reference)));
        each.min_by_key(|(name, reference)| (reference.line, *name))
    }
}

/// Takes the prefix and the number from a name that may be in a row of registers: `%r12` is in `%r<13>`. `%r01` is in none.
fn numbered(name: &str) -> Option<(&str, u32)> {
    let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &name[prefix.len()..];
    if digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    Some((prefix, digits.parse().ok()?))
}

/// Moves all references of an inner block into those of the next one. The fewer move, so that many in deep blocks do not move at
/// the end of each.
fn merge<'a>(outer: &mut HashMap<&'a str, Vec<Reference>>, mut inner: HashMap<&'a str, Vec<Reference>>) {
    if inner.len() > outer.len() {
        std::mem::swap(outer, &mut inner);
    }
    for (name, mut references) in inner {
        let all = outer.entry(name).or_default();
        if references.len() > all.len() {
            std::mem::swap(all, &mut references);
        }
        all.append(&mut references);
    }
}
