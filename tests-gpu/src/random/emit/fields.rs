//! Variables of a block that are fields of a structure there, so that programs have variables with parts.

use super::super::names::Names;
use super::super::program::{Directive, Program, Stmt, Var};
use std::collections::{BTreeMap, BTreeSet};

/// How a program comes to the fields of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// By the structure's name.
    Name,
    /// Through a pointer to it.
    Pointer,
    /// By its name, and behind the first statement that uses them by that of a copy.
    Copy,
}

/// A structure.
pub struct Structure {
    /// Its fields, in order.
    pub fields: Vec<Var>,
    pub access: Access,
}

/// The structures of a program, by their first field.
pub type Fields = BTreeMap<Var, Structure>;

/// The structures of a program. No clause names a field, and no task uses one: it would copy the structure, of which other threads
/// may change other fields.
pub fn of(program: &Program) -> Fields {
    let bodies = || {
        let functions = program.functions.iter().map(|function| &function.body[..]);
        functions.chain(program.targets.iter().map(|target| std::slice::from_ref(&target.root)))
    };
    let mut names = Names::default();
    bodies().for_each(|body| names.statements(body));
    let mut search = Search { taken: names.in_clauses, led_into: names.led_into, fields: Fields::new() };
    bodies().for_each(|body| search.leave_tasks(body));
    bodies().for_each(|body| search.block(body));
    search.fields
}

struct Search {
    /// What can be no field.
    taken: BTreeSet<Var>,
    /// Arrays with pointers to them, which would lead into the structure after its copy is in use.
    led_into: BTreeSet<Var>,
    fields: Fields,
}

impl Search {
    fn leave_tasks(&mut self, body: &[Stmt]) {
        for stmt in body {
            let blocks = stmt.blocks();
            let is_task = match stmt {
                Stmt::Tasks { .. } => true,
                Stmt::Loop(of) => of.directive == Directive::Taskloop,
                _ => false,
            };
            if is_task {
                let mut names = Names::default();
                blocks.iter().for_each(|block| names.statements(block));
                self.taken.extend(names.used.difference(&names.declared));
            }
            blocks.into_iter().for_each(|block| self.leave_tasks(block));
        }
    }

    fn block(&mut self, body: &[Stmt]) {
        let declared = body.iter().filter_map(|stmt| match stmt {
            // Not all, for programs without structures.
            Stmt::Declare(var, _) if var % 4 != 0 && !self.taken.contains(var) => Some(*var),
            _ => None,
        });
        let declared: Vec<Var> = declared.collect();
        if let [first, ..] = declared[..] {
            let access = match first % 3 {
                0 => Access::Name,
                1 => Access::Pointer,
                _ if declared.iter().any(|field| self.led_into.contains(field)) => Access::Name,
                _ => Access::Copy,
            };
            self.fields.insert(first, Structure { fields: declared, access });
        }
        body.iter().flat_map(Stmt::blocks).for_each(|block| self.block(block));
    }
}
