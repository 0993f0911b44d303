//! Which variables statements use.

use super::program::{Address, Directive, Expr, Head, Leave, Move, Place, Stmt, Var};
use std::collections::BTreeSet;

/// The variables of statements.
#[derive(Default)]
pub struct Names {
    /// Used or declared.
    pub used: BTreeSet<Var>,
    /// Declared by them.
    pub declared: BTreeSet<Var>,
    /// Pointers that lead elsewhere from then on.
    pub pointed: BTreeSet<Var>,
    /// Arrays that pointers lead into.
    pub led_into: BTreeSet<Var>,
    /// Named by clauses.
    pub in_clauses: BTreeSet<Var>,
    /// Whether tasks are among them.
    pub tasks: bool,
    /// Whether `distribute` loops are.
    pub distributes: bool,
}

impl Names {
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Const(_) | Expr::Thread | Expr::Team => {}
            Expr::Var(var) => _ = self.used.insert(*var),
            Expr::Element(var, index) => {
                self.used.insert(*var);
                self.expr(index);
            }
            Expr::Apply(_, a, b) | Expr::Mix(a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Shift(a, _) => self.expr(a),
            Expr::Select(of) => of.iter().for_each(|e| self.expr(e)),
        }
    }

    fn place(&mut self, place: &Place) {
        self.used.insert(place.variable());
        if let Place::Element(_, index) = place {
            self.expr(index);
        }
    }

    fn address(&mut self, address: &Address) {
        match address {
            Address::Element(index) => self.expr(index),
            Address::Behind(pointer, _) => _ = self.used.insert(*pointer),
            Address::Choice(of, addresses) => {
                of.iter().for_each(|e| self.expr(e));
                addresses.iter().for_each(|address| self.address(address));
            }
        }
    }

    fn head(&mut self, head: &Head) {
        self.declared.insert(head.counter);
        self.used.extend(head.opaque.then_some(0));
    }

    fn clause<'a>(&mut self, vars: impl IntoIterator<Item = &'a Var>) {
        for var in vars {
            self.used.insert(*var);
            self.in_clauses.insert(*var);
        }
    }

    /// The clauses of a task as text name no variable but the hidden zero.
    fn text(&mut self, clauses: &str) {
        if clauses.contains("v0") {
            self.clause(&[0]);
        }
    }

    /// Adds those of statements.
    pub fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            match stmt {
                Stmt::Barrier => {}
                Stmt::Declare(var, value) => {
                    self.declared.insert(*var);
                    self.expr(value);
                }
                Stmt::Assign(place, value) | Stmt::Update(place, _, _, value) => {
                    self.place(place);
                    self.expr(value);
                }
                Stmt::Move(Move { to, from, opaque, .. }) => {
                    self.used.insert(*to);
                    self.used.extend(from.map(|(from, _)| from));
                    self.used.extend(opaque.then_some(0));
                }
                Stmt::Point { pointer, array, to, declares } => {
                    self.used.extend([*pointer, *array]);
                    self.led_into.insert(*array);
                    if *declares { &mut self.declared } else { &mut self.pointed }.insert(*pointer);
                    self.address(to);
                }
                Stmt::Repeat { head, body, .. } => {
                    self.head(head);
                    self.statements(body);
                }
                Stmt::While { counter, condition, body, .. } => {
                    self.declared.insert(*counter);
                    self.expr(condition);
                    self.statements(body);
                }
                Stmt::Switch { value, cases } => {
                    self.expr(value);
                    cases.iter().for_each(|case| self.statements(&case.body));
                }
                Stmt::Leave { condition, how } => {
                    self.expr(condition);
                    if let Leave::Return(value) = how {
                        self.expr(value);
                    }
                }
                Stmt::Call { arguments, references, result, .. } => {
                    self.declared.insert(*result);
                    self.used.extend(references.iter().chain([&0]));
                    arguments.iter().for_each(|argument| self.expr(argument));
                }
                Stmt::If { condition, yes, no, .. } => {
                    self.expr(condition);
                    self.statements(yes);
                    self.statements(no);
                }
                Stmt::Outlined(body) | Stmt::Masked(body) | Stmt::Ordered(body) | Stmt::Block(body) => {
                    self.statements(body);
                }
                Stmt::Loop(of) => {
                    self.tasks |= of.directive == Directive::Taskloop;
                    self.distributes |= of.directive.distributes();
                    of.heads.iter().for_each(|head| self.head(head));
                    self.clause(of.reductions.iter().map(|(_, var)| var));
                    for vars in [&of.private, &of.firstprivate, &of.lastprivate, &of.shared] {
                        self.clause(vars);
                    }
                    self.statements(&of.body);
                }
                Stmt::Sections { reductions, sections, .. } => {
                    self.clause(reductions.iter().map(|(_, var)| var));
                    sections.iter().for_each(|body| self.statements(body));
                }
                Stmt::Single { copyprivate, body, .. } => {
                    self.clause(copyprivate);
                    self.statements(body);
                }
                Stmt::Parallel(of) => {
                    of.condition.iter().for_each(|condition| self.expr(condition));
                    self.clause(of.reductions.iter().map(|(_, var)| var).chain(&of.firstprivate));
                    self.statements(&of.body);
                }
                Stmt::Teams { reductions, body, .. } => {
                    self.clause(reductions.iter().map(|(_, var)| var));
                    self.statements(body);
                }
                Stmt::Tasks { tasks, .. } => {
                    self.tasks = true;
                    for task in tasks {
                        self.clause(task.firstprivate.iter().chain(&task.shared));
                        self.clause(task.depend.iter().map(|(_, var)| var));
                        self.text(&task.clauses);
                        self.statements(&task.body);
                    }
                }
            }
        }
    }
}
