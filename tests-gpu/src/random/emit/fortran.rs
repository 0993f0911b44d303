//! The text of a program in Fortran. What a block declares is in a `block` construct.

use super::super::names::Names;
use super::super::program::{
    Directive, Expr, Guard, Head, Move, Op, Place, Program, Stmt, Target, Task, Type, Var,
};
use super::{clause, loop_clauses, map_clause, names, parallel_clauses, reductions};
use std::fmt::Write;

/// What stands before the programs of a file.
pub const HEADER: &str = "\
module random_programs
use omp_lib
implicit none
integer(4), volatile :: hidden_zero = 0
integer(omp_lock_kind) :: locks(0:3)
!$omp declare target(locks)
contains
integer(8) function mix(a, b)
!$omp declare target
integer(8), value :: a, b
a = ieor(a, ior(shiftl(b, 23), shiftr(b, 41))) * (-7046029254386353131_8)
mix = ieor(a, shiftr(a, 29))
end function
subroutine differs(wrong, program, name, element, got, want)
integer, intent(inout) :: wrong
integer, intent(in) :: program, element
character(*), intent(in) :: name
integer(8), intent(in) :: got, want
if (got == want) return
wrong = wrong + 1
print '(a, i0, a, a, a, i0, a, z0, a, z0)', 'program ', program, ': ', name, '(', element, ') = ', got, ', expected ', want
end subroutine
";

/// What stands behind the programs `numbers`: all of them are run, or the one that the first argument names.
pub fn main_program(numbers: &[u64]) -> String {
    let mut text = String::from(
        "end module\nprogram random\nuse random_programs\nimplicit none\n\
         integer :: wrong = 0, only = -1, i\ncharacter(20) :: word\n\
         if (command_argument_count() > 0) then\ncall get_command_argument(1, word)\nread (word, *) only\nend if\n\
         !$omp target\ndo i = 0, 3\ncall omp_init_lock(locks(i))\nend do\n!$omp end target\n",
    );
    for number in numbers {
        let _ = writeln!(text, "if (only < 0 .or. only == {number}) call program_{number}(wrong)");
    }
    text + "print '(i0, a)', wrong, ' wrong'\nif (wrong /= 0) stop 1\nend program\n"
}

/// The procedures of `program`, which must end with `wanted`.
pub fn program(program: &Program, wanted: &[Vec<u64>]) -> String {
    let mut emitter =
        Emitter { program, procedures: String::new(), outlined: 0, outer: String::new(), private: None };
    let mut body = String::new();
    for target in &program.targets {
        emitter.target(&mut body, target);
    }
    let number = program.number;
    let mut text = format!(
        "{}subroutine program_{number}(wrong)\ninteger, intent(inout) :: wrong\n",
        emitter.procedures
    );
    text += "integer(4) :: v0\n";
    for ty in TYPES {
        let _ = writeln!(text, "{} :: {}", type_name(ty), temporary(ty));
    }
    for (var, _) in &program.mapped {
        let _ = writeln!(text, "{}", emitter.declaration(*var));
    }
    text += &emitter.outer;
    text += "v0 = hidden_zero\n";
    for (var, first) in &program.mapped {
        text += &emitter.initial(*var, &Expr::Const(*first));
    }
    text += &body;
    for ((var, _), values) in program.mapped.iter().zip(wanted) {
        let array = program.variables[*var].length > 0;
        for (k, value) in values.iter().enumerate() {
            let element = if array { format!("({k})") } else { String::new() };
            let _ = writeln!(
                text,
                "call differs(wrong, {number}, 'v{var}', {k}, int(v{var}{element}, 8), {})",
                constant(*value)
            );
        }
    }
    text + "end subroutine\n"
}

/// The types of variables.
const TYPES: [Type; 6] = [Type::I8, Type::I16, Type::I32, Type::I64, Type::F32, Type::F64];

fn kind(ty: Type) -> u32 {
    match ty {
        Type::U8 | Type::I8 => 1,
        Type::U16 | Type::I16 => 2,
        Type::U32 | Type::I32 | Type::F32 => 4,
        Type::U64 | Type::I64 | Type::F64 => 8,
    }
}

fn type_name(ty: Type) -> String {
    format!("{}({})", if ty.is_real() { "real" } else { "integer" }, kind(ty))
}

/// The variable of a procedure for a value that is added to a variable, where no block can have one.
fn temporary(ty: Type) -> String {
    format!("{}{}", if ty.is_real() { "r" } else { "t" }, kind(ty))
}

/// The text of a value that is stored in a variable of the type.
fn stored(ty: Type, value: &str) -> String {
    match ty.mask() {
        Some(mask) => format!("real(iand({value}, {mask}_8), {})", kind(ty)),
        None => format!("int({value}, {})", kind(ty)),
    }
}

fn constant(value: u64) -> String {
    match value as i64 {
        i64::MIN => format!("({}_8 - 1_8)", i64::MIN + 1),
        value if value < 0 => format!("({value}_8)"),
        value => format!("{value}_8"),
    }
}

/// The counters of a loop with a directive, which are declared outside of it.
fn counters(stmt: &Stmt) -> Vec<Var> {
    match stmt {
        Stmt::Loop(of) => of.heads.iter().map(|head| head.counter).collect(),
        _ => Vec::new(),
    }
}

/// An operator applied to two operands.
fn apply(op: Op, a: &str, b: &str) -> String {
    match op {
        Op::Add | Op::Mul => format!("({a} {} {b})", op.name()),
        _ => format!("{}({a}, {b})", operator(op)),
    }
}

/// The name in a `reduction` clause.
fn operator(op: Op) -> &'static str {
    match op {
        Op::Xor => "ieor",
        Op::Or => "ior",
        Op::And => "iand",
        _ => op.name(),
    }
}

fn directive_name(directive: Directive) -> String {
    directive.name().replace("for", "do")
}

struct Emitter<'a> {
    program: &'a Program,
    /// Those of [`Stmt::Outlined`].
    procedures: String,
    outlined: u32,
    /// Declarations in the subroutine of what flang 22 crashes on in a `block` construct: counters of `distribute` and
    /// `taskloop`, and the variables of a task.
    outer: String,
    /// In a task, the variables that are private in it.
    private: Option<Vec<Var>>,
}

impl Emitter<'_> {
    fn ty(&self, var: Var) -> Type {
        self.program.variables[var].ty
    }

    fn declaration(&self, var: Var) -> String {
        let bounds = match self.program.variables[var].length {
            0 => String::new(),
            length => format!("(0:{})", length - 1),
        };
        format!("{} :: v{var}{bounds}", type_name(self.ty(var)))
    }

    fn initial(&self, var: Var, value: &Expr) -> String {
        let (ty, value) = (self.ty(var), self.expr(value));
        match self.program.variables[var].length {
            0 => format!("v{var} = {}\n", stored(ty, &value)),
            length => {
                let element = |k| format!("v{var}({k}) = {}\n", stored(ty, &format!("{value} + {k}")));
                (0..length).map(element).collect()
            }
        }
    }

    fn element(&self, var: Var, index: &Expr) -> String {
        format!("v{var}(iand({}, {}_8))", self.expr(index), self.program.variables[var].length - 1)
    }

    fn place(&self, place: &Place) -> String {
        match place {
            Place::Scalar(var) => format!("v{var}"),
            Place::Element(var, index) => self.element(*var, index),
        }
    }

    fn expr(&self, expr: &Expr) -> String {
        let wide =
            |var: Var, text: String| if self.ty(var) == Type::I64 { text } else { format!("int({text}, 8)") };
        match expr {
            Expr::Const(value) => constant(*value),
            Expr::Var(var) => wide(*var, format!("v{var}")),
            Expr::Element(var, index) => wide(*var, self.element(*var, index)),
            Expr::Thread => "int(omp_get_thread_num(), 8)".into(),
            Expr::Team => "int(omp_get_team_num(), 8)".into(),
            Expr::Apply(op, a, b) => apply(*op, &self.expr(a), &self.expr(b)),
            Expr::Shift(a, by) => format!("shiftr({}, {by})", self.expr(a)),
            Expr::Mix(a, b) => format!("mix({}, {})", self.expr(a), self.expr(b)),
            Expr::Select(of) => {
                let [a, b, c, d] = &**of;
                format!("merge({}, {}, {} < {})", self.expr(c), self.expr(d), self.expr(a), self.expr(b))
            }
        }
    }

    fn moved(&self, text: &mut String, &Move { to, at, from, count, opaque }: &Move) {
        let zero = if opaque { " + v0" } else { "" };
        let section = |(var, first): (Var, usize)| format!("v{var}({first}:{}{zero})", first + count - 1);
        let value = from.map_or_else(|| "0".into(), section);
        let _ = writeln!(text, "{} = {value}", section((to, at)));
    }

    fn odd(&self, condition: &Expr) -> String {
        format!("btest({}, 0)", self.expr(condition))
    }

    fn head(&self, head: &Head) -> String {
        let last = head.to - head.step.signum();
        let zero = if head.opaque { " + v0" } else { "" };
        format!("do v{} = {}, {last}{zero}, {}", head.counter, head.from, head.step)
    }

    fn target(&mut self, text: &mut String, target: &Target) {
        self.outer += &self.declarations(&counters(&target.root));
        let map = map_clause(self.program);
        if matches!(target.root, Stmt::Block(_)) {
            let _ = writeln!(text, "!$omp target{map}");
            self.associated(text, &target.root);
            *text += "!$omp end target\n";
            return;
        }
        let (begin, end, _) = self.directive(&target.root);
        if target.combined {
            let _ = writeln!(text, "!$omp target {begin}{map}");
            self.associated(text, &target.root);
            let _ = writeln!(text, "!$omp end target {end}");
        } else {
            let _ = writeln!(text, "!$omp target{map}\n!$omp {begin}");
            self.associated(text, &target.root);
            let _ = writeln!(text, "!$omp end {end}\n!$omp end target");
        }
    }

    /// The words of a directive, its name, and the clauses at its end.
    fn directive(&self, stmt: &Stmt) -> (String, String, String) {
        let wait = |nowait: &bool| String::from(if *nowait { " nowait" } else { "" });
        match stmt {
            Stmt::Loop(of) => {
                let name = directive_name(of.directive);
                let mut text = name.clone() + &loop_clauses(of, operator);
                if of.directive == Directive::Taskloop {
                    let counters = counters(stmt);
                    let named = [&of.private, &of.firstprivate, &of.lastprivate, &of.shared, &counters];
                    text += &self.implicit(&of.body, &named.map(|vars| &vars[..]));
                }
                (text, name, wait(&of.nowait))
            }
            Stmt::Parallel(of) => {
                let condition = of.condition.as_ref().map(|condition| self.odd(condition));
                let text = format!("parallel{}", parallel_clauses(of, operator, condition));
                (text, "parallel".into(), String::new())
            }
            Stmt::Teams { count, reductions: list, clauses, .. } => (
                format!("teams num_teams({count}){}{clauses}", reductions(list, operator)),
                "teams".into(),
                String::new(),
            ),
            Stmt::Sections { reductions: list, nowait, .. } => {
                (format!("sections{}", reductions(list, operator)), "sections".into(), wait(nowait))
            }
            Stmt::Single { copyprivate, nowait, .. } => {
                let copied = copyprivate.as_ref().map(std::slice::from_ref).unwrap_or_default();
                ("single".into(), "single".into(), clause("copyprivate", copied) + &wait(nowait))
            }
            Stmt::Masked(_) => ("masked".into(), "masked".into(), String::new()),
            Stmt::Ordered(_) => ("ordered".into(), "ordered".into(), String::new()),
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
                *text += &"end do\n".repeat(of.heads.len());
            }
            Stmt::Sections { sections, .. } => {
                for body in sections {
                    *text += "!$omp section\n";
                    self.structured(text, body);
                }
            }
            _ => stmt.structured_block().into_iter().for_each(|body| self.structured(text, body)),
        }
    }

    /// A directive's block. One that begins with a `block` construct would end with that construct.
    fn structured(&mut self, text: &mut String, body: &[Stmt]) {
        let start = text.len();
        self.block(text, body);
        if text[start..].starts_with("block") {
            text.insert_str(start, "continue\n");
        }
    }

    fn block(&mut self, text: &mut String, body: &[Stmt]) {
        let declared: Vec<Var> = body
            .iter()
            .filter_map(|stmt| match stmt {
                Stmt::Declare(var, _) => Some(*var),
                _ => None,
            })
            .collect();
        self.scope(text, &declared, |this, text| body.iter().for_each(|stmt| this.stmt(text, stmt)));
    }

    /// Statements with variables of their own: in a `block` construct, in a task private.
    fn scope(&mut self, text: &mut String, declared: &[Var], inside: impl FnOnce(&mut Self, &mut String)) {
        if self.private.is_none() && !declared.is_empty() {
            *text += "block\n";
            *text += &self.declarations(declared);
            inside(self, text);
            *text += "end block\n";
            return;
        }
        self.outer += &self.declarations(declared);
        self.private.iter_mut().for_each(|vars| vars.extend(declared));
        inside(self, text);
    }

    fn declarations(&self, vars: &[Var]) -> String {
        vars.iter().map(|var| self.declaration(*var) + "\n").collect()
    }

    /// Writes a task with its directive, which `words` begins.
    fn task(&mut self, text: &mut String, words: &str, inside: impl FnOnce(&mut Self, &mut String)) {
        let around = self.private.replace(Vec::new());
        let mut block = String::new();
        inside(self, &mut block);
        let private = std::mem::replace(&mut self.private, around).unwrap_or_default();
        let uses = TYPES
            .map(temporary)
            .into_iter()
            .filter(|name| block.lines().any(|line| line.starts_with(&format!("{name} = "))));
        let kept: String = uses.map(|name| format!(" private({name})")).collect();
        let _ = writeln!(text, "!$omp {words}{}{kept}", clause("private", &private));
        *text += &block;
    }

    fn stmt(&mut self, text: &mut String, stmt: &Stmt) {
        match stmt {
            Stmt::Declare(var, value) => *text += &self.initial(*var, value),
            Stmt::Assign(place, value) => {
                let value = stored(self.ty(place.variable()), &self.expr(value));
                let _ = writeln!(text, "{} = {value}", self.place(place));
            }
            Stmt::Update(place, op, guard, value) => self.update(text, place, *op, *guard, value),
            Stmt::Move(of) => self.moved(text, of),
            Stmt::Repeat { head, body, .. } => self.scope(text, &[head.counter], |this, text| {
                let _ = writeln!(text, "{}", this.head(head));
                this.block(text, body);
                *text += "end do\n";
            }),
            Stmt::If { condition, yes, no, .. } => {
                let _ = writeln!(text, "if ({}) then", self.odd(condition));
                self.block(text, yes);
                if !no.is_empty() {
                    *text += "else\n";
                    self.block(text, no);
                }
                *text += "end if\n";
            }
            Stmt::Outlined(body) => self.outlined(text, body),
            Stmt::Block(body) => self.block(text, body),
            Stmt::Tasks { tasks, group } => self.tasks(text, tasks, *group),
            Stmt::Barrier => *text += "!$omp barrier\n",
            Stmt::While { .. } | Stmt::Switch { .. } | Stmt::Leave { .. } | Stmt::Call { .. } => {
                unreachable!("{stmt:?} is a statement of serial code")
            }
            _ => {
                let counters = counters(stmt);
                let (begin, end, behind) = self.directive(stmt);
                match stmt {
                    Stmt::Loop(of) if of.directive == Directive::Taskloop => {
                        self.outer += &self.declarations(&counters);
                        self.task(text, &begin, |this, text| this.associated(text, stmt));
                    }
                    Stmt::Loop(of) if of.directive.distributes() => {
                        self.outer += &self.declarations(&counters);
                        let _ = writeln!(text, "!$omp {begin}");
                        self.associated(text, stmt);
                    }
                    _ => {
                        return self.scope(text, &counters, |this, text| {
                            let _ = writeln!(text, "!$omp {begin}");
                            this.associated(text, stmt);
                            let _ = writeln!(text, "!$omp end {end}{behind}");
                        });
                    }
                }
                let _ = writeln!(text, "!$omp end {end}{behind}");
            }
        }
    }

    fn update(&self, text: &mut String, place: &Place, op: Op, guard: Guard, value: &Expr) {
        let (ty, at) = (self.ty(place.variable()), self.place(place));
        let (block, t) = match self.private {
            Some(_) => (false, temporary(ty)),
            None => (true, "t".into()),
        };
        let change = format!("{at} = {}\n", apply(op, &at, &t));
        if block {
            let _ = write!(text, "block\n{} :: t\n", type_name(ty));
        }
        // The value is computed before: it may read nothing that others write, but a lock is held shortly.
        let _ = writeln!(text, "{t} = {}", stored(ty, &self.expr(value)));
        match guard {
            Guard::Own => *text += &change,
            Guard::Atomic => {
                let _ = write!(text, "!$omp atomic update\n{change}");
            }
            Guard::Critical(name) => {
                let _ =
                    write!(text, "!$omp critical (name{name})\n{change}!$omp end critical (name{name})\n");
            }
            Guard::Lock(lock) => {
                let take = match lock % 2 {
                    0 => format!("call omp_set_lock(locks({lock}))"),
                    _ => format!("do while (.not. omp_test_lock(locks({lock})))\nend do"),
                };
                let _ = write!(text, "{take}\n{change}call omp_unset_lock(locks({lock}))\n");
            }
        }
        *text += if block { "end block\n" } else { "" };
    }

    /// Clauses for what a task reads and has no clause for, and flang 22 crashes without: if only a region in the task uses
    /// it. Arrays are shared, for a copy does not compile.
    fn implicit(&self, body: &[Stmt], named: &[&[Var]]) -> String {
        let mut uses = Names::default();
        uses.statements(body);
        let free = uses.used.difference(&uses.declared).copied();
        let free = free.filter(|var| !named.iter().any(|vars| vars.contains(var)));
        let (arrays, scalars): (Vec<Var>, Vec<Var>) =
            free.partition(|var| self.program.variables[*var].length > 0);
        clause("firstprivate", &scalars) + &clause("shared", &arrays)
    }

    fn tasks(&mut self, text: &mut String, tasks: &[Task], group: bool) {
        *text += if group { "!$omp taskgroup\n" } else { "" };
        for task in tasks {
            let mut line = String::from("task");
            line += &clause("firstprivate", &task.firstprivate);
            line += &clause("shared", &task.shared);
            line += &self.implicit(&task.body, &[&task.firstprivate, &task.shared]);
            let clauses = task.clauses.replace("final(1)", "final(.true.)").replace("if(0)", "if(.false.)");
            self.task(text, &(line + &clauses), |this, text| this.structured(text, &task.body));
            *text += "!$omp end task\n";
        }
        *text += if group { "!$omp end taskgroup\n" } else { "!$omp taskwait\n" };
    }

    /// A subroutine, where no clause names a variable from outside: a dummy argument is another variable.
    fn outlined(&mut self, text: &mut String, body: &[Stmt]) {
        let mut uses = Names::default();
        uses.statements(body);
        let free: Vec<Var> = uses.used.difference(&uses.declared).copied().collect();
        // In a task a dummy argument is firstprivate; flang 22 refuses `distribute` there.
        if uses.tasks || uses.distributes || free.iter().any(|var| uses.in_clauses.contains(var)) {
            return self.block(text, body);
        }
        let around = self.private.take();
        let mut inner = String::new();
        self.block(&mut inner, body);
        self.private = around;
        self.outlined += 1;
        let arguments = names(&free);
        let name = format!("outlined_{}_{}", self.program.number, self.outlined);
        let _ = writeln!(text, "call {name}({arguments})");
        let _ = write!(self.procedures, "subroutine {name}({arguments})\n!$omp declare target\n");
        for var in &free {
            // Without TARGET Fortran lets the compiler keep a dummy argument in a register across the locks that guard it.
            let _ = writeln!(self.procedures, "{}", self.declaration(*var).replacen(" ::", ", target ::", 1));
        }
        self.procedures += &inner;
        self.procedures += "end subroutine\n";
    }
}
