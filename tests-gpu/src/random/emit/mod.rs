//! The text of a program in C.

mod fields;
pub mod fortran;
mod serial;

use self::fields::{Access, Structure};
use super::names::Names;
use super::program::{
    Expr, Guard, Head, Loop, Move, Op, Parallel, Place, Program, Slope, Stmt, Target, Task, Type, Var,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What stands before the programs of a file. `differs` counts and reports. With [`PART`] the file becomes [`PARTS`] objects of one program.
pub const HEADER: &str = "\
#ifdef PART
#define IN(part) (PART == part)
#define OWN
#else
#define IN(part) 1
#define OWN static
#endif
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned char u8;
typedef signed char i8;
typedef unsigned short u16;
typedef short i16;
typedef unsigned u32;
typedef unsigned long u64;
static volatile u32 hidden_zero;
#pragma omp begin declare target
#if IN(0)
OWN omp_lock_t locks[4];
#else
extern omp_lock_t locks[4];
#endif
static u64 mix(u64 a, u64 b) {
  u64 x = (a ^ (b << 23 | b >> 41)) * 0x9e3779b97f4a7c15ul;
  return x ^ x >> 29;
}
__attribute__((noinline)) static void step(u32 *counter) { ++*counter; }
static u64 max(u64 a, u64 b) { return a > b ? a : b; }
static u64 min(u64 a, u64 b) { return a < b ? a : b; }
#pragma omp end declare target
static int differs(int program, const char *name, int element, u64 got, u64 want) {
  if (got == want)
    return 0;
  printf(\"program %d: %s[%d] = %lx, expected %lx\\n\", program, name, element, got, want);
  return 1;
}
";

/// The macro that names a part of the program.
pub const PART: &str = "PART";
/// How many parts there are; the target regions are in the first.
pub const PARTS: u32 = 3;

/// What stands behind the programs `numbers`: all of them are run, or the one that the first argument names.
pub fn main_function(numbers: &[u64]) -> String {
    let mut text = String::from("#if IN(0)\nint main(int count, char **words) {\n  int wrong = 0;\n");
    text += "#pragma omp target\n  for (int i = 0; i < 4; ++i)\n    omp_init_lock(&locks[i]);\n";
    for number in numbers {
        let _ = writeln!(
            text,
            "  if (count < 2 || atol(words[1]) == {number})\n    wrong += program_{number}() != 0;"
        );
    }
    text + "  printf(\"%d wrong\\n\", wrong);\n  return wrong != 0;\n}\n#endif\n"
}

/// The functions of `program`, which must end with `wanted`.
pub fn program(program: &Program, wanted: &[Vec<u64>]) -> String {
    let mut emitter = Emitter {
        program,
        functions: String::new(),
        outlined: 0,
        defined: 0,
        pointers: BTreeSet::new(),
        structures: fields::of(program),
        fields: BTreeMap::new(),
    };
    for number in 0..program.functions.len() {
        emitter.function(number);
    }
    let mut body = String::new();
    for target in &program.targets {
        emitter.target(&mut body, target);
    }

    let number = program.number;
    let mut text = format!("\n{}#if IN(0)\nstatic int program_{number}(void) {{\n", emitter.functions);
    text += "  u32 v0 = hidden_zero;\n";
    for (var, first) in &program.mapped {
        let _ = writeln!(text, "{}", emitter.declaration(*var, &Expr::Const(*first)));
    }
    text += &body;
    text += "  int wrong = 0;\n";
    for ((var, _), values) in program.mapped.iter().zip(wanted) {
        let array = program.variables[*var].length > 0;
        for (k, value) in values.iter().enumerate() {
            let element = if array { format!("[{k}]") } else { String::new() };
            let _ = writeln!(
                text,
                "  wrong += differs({number}, \"v{var}\", {k}, v{var}{element}, {value:#x}ul);"
            );
        }
    }
    text + "  return wrong;\n}\n#endif\n"
}

struct Emitter<'a> {
    program: &'a Program,
    /// The functions of the program, and those of [`Stmt::Outlined`].
    functions: String,
    outlined: u32,
    /// How many functions there are.
    defined: u32,
    /// Scalars that are pointers in the function that is written, or elements that pointers lead to.
    pointers: BTreeSet<Var>,
    structures: fields::Fields,
    /// What stands before the names of variables that are fields in the function that is written.
    fields: BTreeMap<Var, String>,
}

impl Emitter<'_> {
    fn target(&mut self, text: &mut String, target: &Target) {
        let map = map_clause(self.program);
        let directive = match &target.root {
            Stmt::Block(_) => None,
            root => Some(self.directive(root)),
        };
        match directive {
            Some(directive) if target.combined => {
                let _ = writeln!(text, "#pragma omp target {directive}{map}");
            }
            Some(directive) => {
                let _ = writeln!(text, "#pragma omp target{map}\n#pragma omp {directive}");
            }
            None => {
                let _ = writeln!(text, "#pragma omp target{map}");
            }
        }
        self.associated(text, &target.root);
    }

    /// A variable's name where it stands.
    fn name(&self, var: Var) -> String {
        match self.fields.get(&var) {
            Some(structure) => format!("{structure}v{var}"),
            None => format!("v{var}"),
        }
    }

    fn scalar(&self, var: Var) -> String {
        if self.pointers.contains(&var) { format!("(*v{var})") } else { self.name(var) }
    }

    /// The argument for a parameter that is a pointer to the variable, or to an array's first element.
    fn address_of(&self, var: Var) -> String {
        if self.pointers.contains(&var) || self.is_array(var) {
            self.name(var)
        } else {
            format!("&{}", self.name(var))
        }
    }

    fn ty(&self, var: Var) -> Type {
        self.program.variables[var].ty
    }

    fn is_array(&self, var: Var) -> bool {
        self.program.variables[var].length > 0
    }

    fn element(&self, var: Var, index: &Expr) -> String {
        format!("{}[{} & {}]", self.name(var), self.expr(index), self.program.variables[var].length - 1)
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Scalar(var) => self.scalar(*var),
            Place::Element(var, index) => self.element(*var, index),
        }
    }

    fn wide(&self, var: Var, text: String) -> String {
        if self.ty(var) == Type::U64 { text } else { format!("(u64){text}") }
    }

    fn expr(&self, expr: &Expr) -> String {
        match expr {
            Expr::Const(value) => format!("{value}ul"),
            Expr::Var(var) => self.wide(*var, self.scalar(*var)),
            Expr::Element(var, index) => self.wide(*var, self.element(*var, index)),
            Expr::Thread => "(u64)omp_get_thread_num()".into(),
            Expr::Team => "(u64)omp_get_team_num()".into(),
            Expr::Apply(op @ (Op::Max | Op::Min), a, b) => {
                format!("{}({}, {})", op.name(), self.expr(a), self.expr(b))
            }
            Expr::Apply(op, a, b) => format!("({} {} {})", self.expr(a), op.name(), self.expr(b)),
            Expr::Shift(a, by) => format!("({} >> {by})", self.expr(a)),
            Expr::Mix(a, b) => format!("mix({}, {})", self.expr(a), self.expr(b)),
            Expr::Select(of) => {
                let [a, b, c, d] = &**of;
                // A choice between two variables is one between their addresses, as in C++'s `std::max`.
                if let (Expr::Var(x), Expr::Var(y)) = (c, d)
                    && self.ty(*x) == self.ty(*y)
                {
                    let [x_name, y_name] = [x, y].map(|var| self.scalar(*var));
                    let of_either = format!("*({} < {} ? &{x_name} : &{y_name})", self.expr(a), self.expr(b));
                    return self.wide(*x, of_either);
                }
                format!("({} < {} ? {} : {})", self.expr(a), self.expr(b), self.expr(c), self.expr(d))
            }
        }
    }

    fn declaration(&self, var: Var, value: &Expr) -> String {
        let values = self.initial(var, value).join(", ");
        let values = if self.is_array(var) { format!("{{{values}}}") } else { values };
        format!("{} = {values};", self.declarator(var))
    }

    /// Its type and name, as where it is declared.
    fn declarator(&self, var: Var) -> String {
        let ty = self.ty(var).name();
        match self.program.variables[var].length {
            0 => format!("{ty} v{var}"),
            length => format!("{ty} v{var}[{length}]"),
        }
    }

    /// The value that a new variable has, or those of its elements.
    fn initial(&self, var: Var, value: &Expr) -> Vec<String> {
        let (ty, value) = (self.ty(var), self.expr(value));
        match self.program.variables[var].length {
            0 => vec![stored(ty, &value)],
            length => (0..length).map(|k| stored(ty, &format!("({value} + {k})"))).collect(),
        }
    }

    fn declare(&mut self, text: &mut String, var: Var, value: &Expr) {
        if let Some(Structure { fields, access }) = self.structures.get(&var) {
            let members: String = fields.iter().map(|field| self.declarator(*field) + "; ").collect();
            let (pointer, before) = match access {
                Access::Pointer => (format!(", *p{var} = &s{var}"), format!("p{var}->")),
                Access::Name | Access::Copy => (String::new(), format!("s{var}.")),
            };
            let _ = writeln!(text, "struct {{ {members}}} s{var}{pointer};");
            self.fields.extend(fields.iter().map(|field| (*field, before.clone())));
        }
        if !self.fields.contains_key(&var) {
            let _ = writeln!(text, "{}", self.declaration(var, value));
            return;
        }
        for (k, value) in self.initial(var, value).iter().enumerate() {
            let element = if self.is_array(var) { format!("[{k}]") } else { String::new() };
            let _ = writeln!(text, "{}{element} = {value};", self.name(var));
        }
    }

    /// One of the forms that OpenMP allows for a loop with these values of its counter.
    fn head(&self, head: &Head) -> String {
        let &Head { counter, from, to, step, opaque, slope } = head;
        let ty = self.ty(counter).name();
        let up = step > 0;
        let (compare, to) = match counter % 4 {
            1 => (if up { "<=" } else { ">=" }, to - step.signum()),
            2 if slope.is_none() && step.abs() == 1 => ("!=", to),
            _ => (if up { "<" } else { ">" }, to),
        };
        let end = if opaque { format!("({to} + ({ty}){})", self.scalar(0)) } else { to.to_string() };
        let bound = |value: String, by: fn(&Slope) -> i64| match slope {
            Some(slope) if by(&slope) != 0 => format!("{} * v{} + {value}", by(&slope), slope.outer),
            _ => value,
        };
        let (from, end) = (bound(from.to_string(), |slope| slope.from), bound(end, |slope| slope.to));
        let change = match counter % 3 {
            0 => format!("v{counter} = v{counter} {} {}", if up { '+' } else { '-' }, step.abs()),
            1 if step == 1 => format!("v{counter}++"),
            1 if step == -1 => format!("--v{counter}"),
            _ => format!("v{counter} {} {}", if up { "+=" } else { "-=" }, step.abs()),
        };
        format!("for ({ty} v{counter} = {from}; v{counter} {compare} {end}; {change})")
    }

    fn directive(&self, stmt: &Stmt) -> String {
        match stmt {
            Stmt::Loop(of) => {
                let nowait = if of.nowait { " nowait" } else { "" };
                format!("{}{}{nowait}", of.directive.name(), loop_clauses(of, Op::name))
            }
            Stmt::Parallel(of) => {
                let condition =
                    of.condition.as_ref().map(|condition| format!("{} & 1", self.expr(condition)));
                format!("parallel{}", parallel_clauses(of, Op::name, condition))
            }
            Stmt::Teams { count, reductions: list, clauses, .. } => {
                format!("teams num_teams({count}){}{clauses}", reductions(list, Op::name))
            }
            Stmt::Sections { reductions: list, nowait, .. } => {
                format!("sections{}{}", reductions(list, Op::name), if *nowait { " nowait" } else { "" })
            }
            Stmt::Single { copyprivate, nowait, .. } => {
                let copied = copyprivate.as_ref().map(std::slice::from_ref).unwrap_or_default();
                format!("single{}{}", clause("copyprivate", copied), if *nowait { " nowait" } else { "" })
            }
            Stmt::Masked(_) => "masked".into(),
            Stmt::Ordered(_) => "ordered".into(),
            Stmt::Barrier => "barrier".into(),
            _ => unreachable!("{stmt:?} has no directive"),
        }
    }

    /// What a directive stands before.
    fn associated(&mut self, text: &mut String, stmt: &Stmt) {
        match stmt {
            Stmt::Loop(of) => {
                for head in &of.heads {
                    let _ = writeln!(text, "{}", self.head(head));
                }
                self.block(text, &of.body);
            }
            Stmt::Sections { sections, .. } => {
                *text += "{\n";
                for body in sections {
                    *text += "#pragma omp section\n";
                    self.block(text, body);
                }
                *text += "}\n";
            }
            _ => stmt.structured_block().into_iter().for_each(|body| self.block(text, body)),
        }
    }

    fn block(&mut self, text: &mut String, body: &[Stmt]) {
        *text += "{\n";
        let copied = self.copied(body);
        for (at, stmt) in body.iter().enumerate() {
            self.stmt(text, stmt);
            if let Some((behind, first)) = copied
                && behind == at
            {
                let _ = writeln!(text, "__typeof__(s{first}) c{first} = s{first};");
                let fields = &self.structures[&first].fields;
                self.fields.extend(fields.iter().map(|field| (*field, format!("c{first}."))));
            }
        }
        *text += "}\n";
    }

    /// The place in a block behind which a copy takes the place of a structure: where all fields are declared and have been used;
    /// and the structure's first field.
    fn copied(&self, body: &[Stmt]) -> Option<(usize, Var)> {
        let declares = |stmt: &Stmt| match stmt {
            Stmt::Declare(var, _) => Some(*var),
            _ => None,
        };
        let first = body.iter().filter_map(declares).find(|var| self.structures.contains_key(var))?;
        let Structure { fields, access } = &self.structures[&first];
        let last = body.iter().rposition(|stmt| declares(stmt).is_some_and(|var| fields.contains(&var)))?;
        let used = last + 1;
        (*access == Access::Copy && used < body.len()).then_some((used, first))
    }

    fn stmt(&mut self, text: &mut String, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(var, value) => self.declare(text, *var, value),
            Stmt::Assign(place, value) => {
                let value = stored(self.ty(place.variable()), &self.expr(value));
                let _ = writeln!(text, "{} = {value};", self.place(place));
            }
            Stmt::Update(place, op, guard, value) => self.update(text, place, *op, *guard, value),
            Stmt::Move(of) => self.moved(text, of),
            Stmt::Repeat { head, body, .. } => {
                *text += &self.head(head);
                self.block(text, body);
            }
            Stmt::If { condition, yes, no, .. } => {
                let _ = write!(text, "if ({} & 1) ", self.expr(condition));
                self.block(text, yes);
                if !no.is_empty() {
                    *text += "else ";
                    self.block(text, no);
                }
            }
            Stmt::While { .. }
            | Stmt::Switch { .. }
            | Stmt::Leave { .. }
            | Stmt::Call { .. }
            | Stmt::Point { .. } => {
                self.serial(text, stmt);
            }
            Stmt::Outlined(body) => self.outlined(text, body),
            Stmt::Block(body) => self.block(text, body),
            Stmt::Tasks { tasks, group } => self.tasks(text, tasks, *group),
            _ => {
                let _ = writeln!(text, "#pragma omp {}", self.directive(stmt));
                self.associated(text, stmt);
            }
        }
    }

    fn update(&self, text: &mut String, place: &Place, op: Op, guard: Guard, value: &Expr) {
        let (ty, at) = (self.ty(place.variable()), self.place(place));
        let (ty, value) = (ty.name(), stored(ty, &self.expr(value)));
        // The value is computed before: it may read nothing that others write, but a lock is held shortly.
        let change = match op {
            Op::Max => format!("if ({at} < t) {{ {at} = t; }}"),
            Op::Min => format!("if ({at} > t) {{ {at} = t; }}"),
            _ => format!("{at} {}= t;", op.name()),
        };
        let _ = match guard {
            Guard::Own => writeln!(text, "{{ {ty} t = {value}; {change} }}"),
            Guard::Atomic if matches!(op, Op::Max | Op::Min) => {
                writeln!(text, "{{ {ty} t = {value};\n#pragma omp atomic compare\n{change} }}")
            }
            Guard::Atomic => writeln!(text, "{{ {ty} t = {value};\n#pragma omp atomic\n{change} }}"),
            Guard::Critical(name) => {
                writeln!(text, "{{ {ty} t = {value};\n#pragma omp critical(name{name})\n{{ {change} }} }}")
            }
            Guard::Lock(lock) => {
                let take = match lock % 2 {
                    0 => format!("omp_set_lock(&locks[{lock}]);"),
                    _ => format!("while (!omp_test_lock(&locks[{lock}])) {{}}"),
                };
                writeln!(text, "{{ {ty} t = {value}; {take} {change} omp_unset_lock(&locks[{lock}]); }}")
            }
        };
    }

    fn moved(&self, text: &mut String, &Move { to, at, from, count, opaque }: &Move) {
        let zero = if opaque { format!(" + {}", self.scalar(0)) } else { String::new() };
        let bytes = format!("({count}{zero}) * sizeof({})", self.ty(to).name());
        let _ = match from {
            Some((from, first)) => {
                let function = if to == from { "memmove" } else { "memcpy" };
                writeln!(
                    text,
                    "{function}(&{}[{at}], &{}[{first}], {bytes});",
                    self.name(to),
                    self.name(from)
                )
            }
            None => writeln!(text, "memset(&{}[{at}], 0, {bytes});", self.name(to)),
        };
    }

    fn tasks(&mut self, text: &mut String, tasks: &[Task], group: bool) {
        *text += if group { "#pragma omp taskgroup\n{\n" } else { "{\n" };
        for task in tasks {
            let mut line = String::from("#pragma omp task");
            for (name, vars) in [("firstprivate", &task.firstprivate), ("shared", &task.shared)] {
                if !vars.is_empty() {
                    let _ = write!(line, " {name}({})", names(vars));
                }
            }
            if let Some((kind, var)) = task.depend {
                let _ = write!(line, " depend({kind}: v{var})");
            }
            let _ = writeln!(text, "{line}{}", task.clauses);
            self.block(text, &task.body);
        }
        *text += if group { "}\n" } else { "#pragma omp taskwait\n}\n" };
    }

    /// A function of its own where no clause names a variable from outside, for a parameter is another variable.
    fn outlined(&mut self, text: &mut String, body: &[Stmt]) {
        let mut names = Names::default();
        names.statements(body);
        let free: Vec<Var> = names.used.difference(&names.declared).copied().collect();
        if free.iter().any(|var| names.in_clauses.contains(var) || names.pointed.contains(var)) {
            return self.block(text, body);
        }
        self.outlined += 1;
        let name = format!("outlined_{}_{}", self.program.number, self.outlined);
        let parameters: Vec<_> = free.iter().map(|var| format!("{} *v{var}", self.ty(*var).name())).collect();
        let arguments: Vec<_> = free.iter().map(|var| self.address_of(*var)).collect();
        let _ = writeln!(text, "{name}({});", arguments.join(", "));
        let scalars = free.into_iter().filter(|var| !self.is_array(*var)).collect();
        let outside = (std::mem::replace(&mut self.pointers, scalars), std::mem::take(&mut self.fields));
        let mut function = String::new();
        self.block(&mut function, body);
        (self.pointers, self.fields) = outside;
        self.define(&format!("OWN void {name}({})", parameters.join(", ")), false, &function);
    }

    /// Writes a function, in one of the program's parts.
    fn define(&mut self, head: &str, inlined: bool, body: &str) {
        let attribute = if inlined { "" } else { "__attribute__((noinline)) " };
        let part = self.defined % PARTS;
        self.defined += 1;
        let _ = write!(
            self.functions,
            "#pragma omp begin declare target\n{head};\n#if IN({part})\n{attribute}{head} {body}#endif\n\
             #pragma omp end declare target\n",
        );
    }
}

/// The text of a value that is stored in a variable of the type.
fn stored(ty: Type, value: &str) -> String {
    ty.mask().map_or_else(|| value.to_owned(), |mask| format!("({value} & {mask})"))
}

fn names(vars: &[Var]) -> String {
    vars.iter().map(|var| format!("v{var}")).collect::<Vec<_>>().join(", ")
}

/// A clause with a list of variables, nothing without any.
fn clause(name: &str, vars: &[Var]) -> String {
    match vars {
        [] => String::new(),
        _ => format!(" {name}({})", names(vars)),
    }
}

/// The clause of a target region for all that is mapped.
fn map_clause(program: &Program) -> String {
    let vars: Vec<Var> = program.mapped.iter().map(|(var, _)| *var).collect();
    if vars.is_empty() { String::new() } else { format!(" map(tofrom: {})", names(&vars)) }
}

/// The clauses of reductions; `name`: that of an operator in the language.
fn reductions(list: &[(Op, Var)], name: fn(Op) -> &'static str) -> String {
    list.iter().map(|(op, var)| format!(" reduction({}: v{var})", name(*op))).collect()
}

/// The clauses of a loop but `nowait`.
fn loop_clauses(of: &Loop, name: fn(Op) -> &'static str) -> String {
    let mut text = String::new();
    if of.heads.len() > 1 {
        let _ = write!(text, " collapse({})", of.heads.len());
    }
    text += &reductions(&of.reductions, name);
    for (name, vars) in [
        ("private", &of.private),
        ("firstprivate", &of.firstprivate),
        ("lastprivate", &of.lastprivate),
        ("shared", &of.shared),
    ] {
        text += &clause(name, vars);
    }
    text += &of.clauses;
    text + if of.ordered { " ordered" } else { "" }
}

/// The clauses of a parallel region, with the text of its condition.
fn parallel_clauses(of: &Parallel, name: fn(Op) -> &'static str, condition: Option<String>) -> String {
    let mut text = String::new();
    if let Some(threads) = of.threads {
        let _ = write!(text, " num_threads({threads})");
    }
    if let Some(condition) = condition {
        let _ = write!(text, " if(parallel: {condition})");
    }
    text + &reductions(&of.reductions, name) + &clause("firstprivate", &of.firstprivate) + &of.clauses
}
