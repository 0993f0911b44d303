//! The form of a random program: variables, expressions and statements with their OpenMP constructs.
//!
//! All values are unsigned 64-bit numbers, cut to the variable's type when stored; so every program is defined for all
//! inputs, and sums, products and bit operations may be taken in any order. A floating-point variable holds a natural number, of which so
//! few bits are stored that no sum of a program is too large to be exact.

/// What a program is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    C,
    /// Numbers have a sign there.
    Fortran,
}

impl Language {
    /// The type of its expressions.
    pub fn wide(self) -> Type {
        self.ty(Type::U64)
    }

    /// The type that it has in the place of `ty`.
    pub fn ty(self, ty: Type) -> Type {
        match (self, ty) {
            (Self::Fortran, Type::U8) => Type::I8,
            (Self::Fortran, Type::U16) => Type::I16,
            (Self::Fortran, Type::U32) => Type::I32,
            (Self::Fortran, Type::U64) => Type::I64,
            _ => ty,
        }
    }
}

/// A variable: an index into [`Program::variables`].
pub type Var = usize;

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    U8,
    U16,
    U32,
    U64,
    I8,
    I16,
    /// In C only counters of loops, for sums may not overflow.
    I32,
    /// In C only counters of loops, for sums may not overflow.
    I64,
    F32,
    F64,
}

impl Type {
    /// Its name in C: one of the language, or of the header of all programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "int",
            Self::I64 => "long",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// Whether it is a floating-point type.
    pub fn is_real(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Of a floating-point type, the bits of a value that are stored: fewer than the mantissa has by those that the number of a program's
    /// statements needs.
    pub fn mask(self) -> Option<u64> {
        match self {
            Self::F32 => Some(0x3f),
            Self::F64 => Some(0xf_ffff),
            _ => None,
        }
    }

    /// What a variable of this type holds when `value` is stored in it, as an expression reads it.
    pub fn cut(self, value: u64) -> u64 {
        self.mask().map_or_else(|| self.wrap(value), |mask| value & mask)
    }

    /// What a variable of this type holds when `value` is the result of an operator on two such variables.
    pub fn wrap(self, value: u64) -> u64 {
        match self {
            Self::U8 => u64::from(value as u8),
            Self::U16 => u64::from(value as u16),
            Self::U32 => u64::from(value as u32),
            Self::I8 => value as i8 as u64,
            Self::I16 => value as i16 as u64,
            Self::I32 => value as i32 as u64,
            Self::U64 | Self::I64 | Self::F32 | Self::F64 => value,
        }
    }

    /// Whether a number of it is less than another one.
    pub fn less(self, a: u64, b: u64) -> bool {
        if self.has_sign() { (a as i64) < b as i64 } else { a < b }
    }

    /// Whether there are negative numbers of it.
    pub fn has_sign(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// Whether variables of it may be changed with an operator, by many threads and in any order.
    pub fn has(self, op: Op) -> bool {
        match self {
            Self::F32 | Self::F64 => matches!(op, Op::Add | Op::Max | Op::Min),
            // C multiplies as `int`, which may not overflow.
            Self::U16 => op != Op::Mul,
            _ => true,
        }
    }
}

/// What a variable is.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its type, that of the elements of an array.
    pub ty: Type,
    /// 0: a scalar. Otherwise an array of so many elements, a power of two.
    pub length: usize,
}

/// Operators of reductions and updates: associative and commutative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Add,
    Mul,
    Xor,
    Or,
    And,
    Max,
    Min,
}

impl Op {
    /// Its name in a `reduction` clause.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Mul => "*",
            Self::Xor => "^",
            Self::Or => "|",
            Self::And => "&",
            Self::Max => "max",
            Self::Min => "min",
        }
    }

    /// Applied to two numbers of a type.
    pub fn apply(self, ty: Type, a: u64, b: u64) -> u64 {
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Mul => a.wrapping_mul(b),
            Self::Xor => a ^ b,
            Self::Or => a | b,
            Self::And => a & b,
            Self::Max if ty.less(a, b) => b,
            Self::Min if ty.less(b, a) => b,
            Self::Max | Self::Min => a,
        }
    }
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    Const(u64),
    Var(Var),
    /// An element; the index counts modulo the length.
    Element(Var, Box<Expr>),
    /// `omp_get_thread_num()`.
    Thread,
    /// `omp_get_team_num()`.
    Team,
    Apply(Op, Box<Expr>, Box<Expr>),
    /// `a >> n`.
    Shift(Box<Expr>, u32),
    /// `a < b ? c : d`.
    Select(Box<[Expr; 4]>),
    /// A call of the function `mix` in device code.
    Mix(Box<Expr>, Box<Expr>),
}

/// What `mix` computes, here and in the text of every program.
pub fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ x >> 29
}

/// Where a value goes.
#[derive(Clone, Debug)]
pub enum Place {
    Scalar(Var),
    Element(Var, Expr),
}

impl Place {
    /// The variable.
    pub fn variable(&self) -> Var {
        match self {
            Self::Scalar(var) | Self::Element(var, _) => *var,
        }
    }
}

/// How an update is kept apart from those of other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Not at all: the thread's own copy.
    Own,
    /// `atomic`, or `atomic compare` for the greater and the lesser.
    Atomic,
    /// `critical` with a name.
    Critical(u8),
    /// A lock, set or tried until it is set.
    Lock(u8),
}

/// The head of a loop: `for (T v = from; v < to; v += step)`, or downwards when `step` is negative.
#[derive(Clone, Debug)]
pub struct Head {
    pub counter: Var,
    pub from: i64,
    pub to: i64,
    pub step: i64,
    /// The bound is not a constant for the compiler.
    pub opaque: bool,
    /// What the bounds get of the counter of a loop around it, in a loop nest that is not rectangular.
    pub slope: Option<Slope>,
}

/// How often the counter of another loop is added to the bounds of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Slope {
    pub outer: Var,
    pub from: i64,
    pub to: i64,
}

impl Head {
    /// The values of the counter, in order; `outer`: that of the counter of the slope, if there is one.
    pub fn values(&self, outer: i64) -> impl Iterator<Item = i64> + use<> {
        let [by_from, by_to] = self.slope.map_or([0; 2], |slope| [slope.from, slope.to]);
        let (from, to, step) = (self.from + by_from * outer, self.to + by_to * outer, self.step);
        std::iter::successors(Some(from), move |i| Some(i + step))
            .take_while(move |i| if step > 0 { *i < to } else { *i > to })
    }

    /// How often the body of a loop nest is run.
    pub fn iterations(nest: &[Self]) -> u64 {
        fn of(nest: &[Head], counters: &mut Vec<(Var, i64)>) -> u64 {
            let Some((head, inner)) = nest.split_first() else { return 1 };
            let is_outer = |(var, _): &&(Var, i64)| head.slope.is_some_and(|slope| slope.outer == *var);
            let outer = counters.iter().find(is_outer).map_or(0, |(_, value)| *value);
            let iterations = head.values(outer).map(|value| {
                counters.push((head.counter, value));
                let inside = of(inner, counters);
                counters.pop();
                inside
            });
            iterations.sum()
        }
        of(nest, &mut Vec::new())
    }
}

/// The directives of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    For,
    ForSimd,
    ParallelFor,
    ParallelForSimd,
    Simd,
    Distribute,
    DistributeParallelFor,
    TeamsDistribute,
    TeamsDistributeParallelFor,
    TeamsDistributeParallelForSimd,
    Taskloop,
}

impl Directive {
    /// Its words.
    pub fn name(self) -> &'static str {
        match self {
            Self::For => "for",
            Self::ForSimd => "for simd",
            Self::ParallelFor => "parallel for",
            Self::ParallelForSimd => "parallel for simd",
            Self::Simd => "simd",
            Self::Distribute => "distribute",
            Self::DistributeParallelFor => "distribute parallel for",
            Self::TeamsDistribute => "teams distribute",
            Self::TeamsDistributeParallelFor => "teams distribute parallel for",
            Self::TeamsDistributeParallelForSimd => "teams distribute parallel for simd",
            Self::Taskloop => "taskloop",
        }
    }

    /// Whether its iterations run in the lanes of a thread.
    pub fn is_simd(self) -> bool {
        self.name().ends_with("simd")
    }

    /// Whether the threads of a team share its iterations out.
    pub fn shares(self) -> bool {
        matches!(self, Self::For | Self::ForSimd)
    }

    /// Whether the teams of a league share its iterations out.
    pub fn distributes(self) -> bool {
        matches!(self, Self::Distribute | Self::DistributeParallelFor)
    }
}

/// A loop with a directive.
#[derive(Clone, Debug)]
pub struct Loop {
    pub directive: Directive,
    /// More than one: `collapse`.
    pub heads: Vec<Head>,
    pub reductions: Vec<(Op, Var)>,
    pub private: Vec<Var>,
    pub firstprivate: Vec<Var>,
    pub lastprivate: Vec<Var>,
    /// `shared`, for variables that a taskloop would make firstprivate.
    pub shared: Vec<Var>,
    /// Further clauses that do not change the result, `schedule(..)` and the like.
    pub clauses: String,
    pub nowait: bool,
    pub ordered: bool,
    pub body: Vec<Stmt>,
}

/// A parallel region.
#[derive(Clone, Debug)]
pub struct Parallel {
    /// The size of its team, if the result depends on it.
    pub threads: Option<u32>,
    /// The `if` clause.
    pub condition: Option<Expr>,
    pub reductions: Vec<(Op, Var)>,
    pub firstprivate: Vec<Var>,
    pub clauses: String,
    pub body: Vec<Stmt>,
}

/// One task of a [`Stmt::Tasks`].
#[derive(Clone, Debug)]
pub struct Task {
    pub firstprivate: Vec<Var>,
    /// `shared`, for variables that would be firstprivate.
    pub shared: Vec<Var>,
    /// `depend`, the kind and the variable.
    pub depend: Option<(&'static str, Var)>,
    pub clauses: String,
    pub body: Vec<Stmt>,
}

/// A case of a `switch`.
#[derive(Clone, Debug)]
pub struct Case {
    pub body: Vec<Stmt>,
    /// The next case follows, if there is one.
    pub falls: bool,
}

/// Where a [`Stmt::Leave`] goes.
#[derive(Clone, Debug)]
pub enum Leave {
    Break,
    Continue,
    Return(Expr),
}

/// Elements of an array that become those of another one of the same type, or of itself, or 0.
#[derive(Clone, Debug)]
pub struct Move {
    pub to: Var,
    /// The first element in `to`.
    pub at: usize,
    /// Whose elements, and the first of them.
    pub from: Option<(Var, usize)>,
    /// How many.
    pub count: usize,
    /// The number is not a constant for the compiler.
    pub opaque: bool,
}

/// Where a pointer leads: to an element of its array, the same one for as long as the pointer is there.
#[derive(Clone, Debug)]
pub enum Address {
    /// An element of the array; the index counts modulo the length.
    Element(Expr),
    /// That of another pointer into the array, so many elements further, or the first one where the array ends before.
    Behind(Var, usize),
    /// `a < b ? c : d`.
    Choice(Box<[Expr; 2]>, Box<[Address; 2]>),
}

/// A statement.
#[derive(Clone, Debug)]
pub enum Stmt {
    /// A new variable; element `k` of an array is the expression plus `k`.
    Declare(Var, Expr),
    Assign(Place, Expr),
    Update(Place, Op, Guard, Expr),
    Move(Move),
    /// A pointer, or where it leads from now on. It is a scalar for what uses it: the element.
    Point {
        pointer: Var,
        array: Var,
        to: Address,
        declares: bool,
    },
    /// A loop without a directive.
    Repeat {
        head: Head,
        collective: bool,
        body: Vec<Stmt>,
    },
    /// `if (e & 1)`; collective: decided alike by all threads of the region, which meet constructs in it.
    If {
        condition: Expr,
        collective: bool,
        yes: Vec<Stmt>,
        no: Vec<Stmt>,
    },
    /// A loop that runs at most `most` times, while two bits of the condition are not both 0.
    While {
        counter: Var,
        most: u64,
        condition: Expr,
        /// A `do` loop, whose body runs before the condition is asked for.
        body_first: bool,
        /// A function counts, which gets the counter's address.
        calls: bool,
        body: Vec<Stmt>,
    },
    /// A `switch` over the value modulo one more than there are cases.
    Switch {
        value: Expr,
        cases: Vec<Case>,
    },
    /// Leaves the loop or function if two bits of the condition are both 0.
    Leave {
        condition: Expr,
        how: Leave,
    },
    /// A call of a function of the program, whose value goes into a new variable.
    Call {
        function: usize,
        arguments: Vec<Expr>,
        references: Vec<Var>,
        result: Var,
    },
    /// Statements in a function of their own.
    Outlined(Vec<Stmt>),
    Barrier,
    Loop(Box<Loop>),
    /// `sections`, nowait or not.
    Sections {
        reductions: Vec<(Op, Var)>,
        sections: Vec<Vec<Stmt>>,
        nowait: bool,
    },
    /// `single`; `copyprivate` with one variable excludes `nowait`.
    Single {
        copyprivate: Option<Var>,
        nowait: bool,
        body: Vec<Stmt>,
    },
    Masked(Vec<Stmt>),
    /// The statements of an `ordered` region in a loop with that clause.
    Ordered(Vec<Stmt>),
    Parallel(Box<Parallel>),
    Teams {
        count: u32,
        reductions: Vec<(Op, Var)>,
        clauses: String,
        body: Vec<Stmt>,
    },
    /// Tasks and their end by `taskwait`, or by a `taskgroup` around them.
    Tasks {
        tasks: Vec<Task>,
        group: bool,
    },
    /// A block.
    Block(Vec<Stmt>),
}

impl Stmt {
    /// All blocks of statements that are directly in it.
    pub fn blocks(&self) -> Vec<&[Stmt]> {
        match self {
            Self::Repeat { body, .. } | Self::While { body, .. } | Self::Outlined(body) => vec![body],
            Self::If { yes, no, .. } => vec![yes, no],
            Self::Switch { cases, .. } => cases.iter().map(|case| &case.body[..]).collect(),
            Self::Loop(of) => vec![&of.body],
            Self::Sections { sections, .. } => sections.iter().map(|body| &body[..]).collect(),
            Self::Tasks { tasks, .. } => tasks.iter().map(|task| &task.body[..]).collect(),
            _ => self.structured_block().into_iter().collect(),
        }
    }

    /// The statements of a construct that has one block of them; none for loops and sections.
    pub fn structured_block(&self) -> Option<&[Stmt]> {
        match self {
            Self::Parallel(of) => Some(&of.body),
            Self::Teams { body, .. }
            | Self::Single { body, .. }
            | Self::Masked(body)
            | Self::Ordered(body)
            | Self::Block(body) => Some(body),
            _ => None,
        }
    }
}

/// A function that several places of a program call.
#[derive(Clone, Debug)]
pub struct Function {
    /// Parameters by value.
    pub values: Vec<Var>,
    /// Variables of the caller, as pointers.
    pub references: Vec<Var>,
    pub inlined: bool,
    pub body: Vec<Stmt>,
    /// What it returns at its end, a `u64`.
    pub result: Expr,
}

/// A target region: a block, a parallel region, teams or a loop.
#[derive(Clone, Debug)]
pub struct Target {
    pub root: Stmt,
    /// Whether `target` and the root are one directive, where they can be.
    pub combined: bool,
}

/// A program: target regions, with what they map.
#[derive(Clone, Debug)]
pub struct Program {
    pub language: Language,
    /// Number among the programs of its seed.
    pub number: u64,
    /// Variable 0 is an `unsigned` with the value 0 that the compiler cannot know.
    pub variables: Vec<Variable>,
    /// Variables that are mapped `tofrom`, with the first value; element `k` of an array starts with that plus `k`.
    pub mapped: Vec<(Var, u64)>,
    /// Those that other functions call, first.
    pub functions: Vec<Function>,
    /// The target regions, one after the other.
    pub targets: Vec<Target>,
}
