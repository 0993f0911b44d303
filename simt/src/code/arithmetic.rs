//! What operations on registers do: arithmetic, bits, comparisons (PTX ISA 9.0, 9.7.1 to 9.7.9).

/// Rounding of results that do not fit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Round {
    /// `.rn`, `.rni`: to nearest, ties to even.
    Nearest,
    /// `.rz`, `.rzi`: towards zero.
    Zero,
    /// `.rm`, `.rmi`: towards minus infinity.
    Down,
    /// `.rp`, `.rpi`: towards plus infinity.
    Up,
}

/// How a floating-point operation rounds and what it does at the ends of the range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FloatMode {
    /// Rounding; [`Round::Nearest`] where the form has none.
    pub round: Round,
    /// `.ftz`: subnormal inputs and results are replaced by zero of the same sign (f32).
    pub ftz: bool,
    /// `.sat`: the result is clamped to [0, 1], NaN becomes +0.
    pub sat: bool,
    /// `.relu`: negative results become +0, NaN stays.
    pub relu: bool,
    /// `.satfinite`: infinite results become the largest number.
    pub satfinite: bool,
}

impl FloatMode {
    /// To nearest, without `.ftz` and `.sat`.
    pub const DEFAULT: Self =
        Self { round: Round::Nearest, ftz: false, sat: false, relu: false, satfinite: false };
}

/// Integer operations with one source, result of the same width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntOp1 {
    /// `neg`, wrapping.
    Neg,
    /// `abs`, wrapping.
    Abs,
    /// `not`.
    Not,
    /// `brev`: bits reversed.
    Brev,
}

/// Bit counts: source of 32 or 64 bits, result of 32.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CountOp {
    /// `popc`.
    Popc,
    /// `clz`.
    Clz,
    /// `bfind`: position of the most significant 1 (signed: of the most significant bit that differs from the sign),
    /// 0xffffffff if there is none.
    Bfind,
    /// `bfind.shiftamt`: the left shift that brings that bit to the top, 0xffffffff if there is none.
    BfindShift,
}

/// Integer operations with two sources, all of the operation's type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IntOp2 {
    /// `add`, wrapping.
    Add,
    /// `sub`, wrapping.
    Sub,
    /// `mul.lo`.
    MulLo,
    /// `mul.hi`.
    MulHi,
    /// `div`. Division by zero does not trap; the value is unspecified by PTX.
    Div,
    /// `rem`. As `div`.
    Rem,
    /// `min`.
    Min,
    /// `max`.
    Max,
    /// `and`; the type is unsigned.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
}

/// Shifts: the amount is an unsigned 32-bit operand; amounts beyond the width give 0, or the sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShiftOp {
    /// `shl`.
    Left,
    /// `shr` of unsigned and untyped values.
    RightLogical,
    /// `shr` of signed values.
    RightArithmetic,
}

/// Modes of `prmt` (PTX ISA 9.0, 9.7.9.7).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PrmtMode {
    /// None: each nibble of the selector picks a byte, its top bit replicates the sign.
    Index,
    /// `.f4e`: four bytes upwards from the selected one.
    Forward4,
    /// `.b4e`: four bytes downwards.
    Backward4,
    /// `.rc8`: the selected byte four times.
    Replicate8,
    /// `.ecl`: bytes below the selected one are replaced by it.
    EdgeLeft,
    /// `.ecr`: those above.
    EdgeRight,
    /// `.rc16`: one half twice.
    Replicate16,
}

/// Which products a dot product has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DotOp {
    /// `dp4a`: four bytes with four bytes.
    Four,
    /// `dp2a.lo`: two halves with the lower two bytes.
    TwoLow,
    /// `dp2a.hi`: with the upper two.
    TwoHigh,
}

/// Which half of a product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Half {
    /// `.lo`.
    Lo,
    /// `.hi`.
    Hi,
}

/// Operations on the carry flag (`cc`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CarryOp {
    /// `a + b`, plus the carry if it is used.
    Add,
    /// `a - b`, less 1 if the flag is used and 0. As on a GPU, which adds the complement, the flag is 0 where something was
    /// borrowed; the PTX ISA speaks of a borrow-out.
    Sub,
    /// Low half of the product `a * b`, plus `c`, plus the carry if it is used.
    MadLo,
    /// High half of the product `a * b`, plus `c`, plus the carry if it is used.
    MadHi,
}

/// Floating-point operations with one source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp1 {
    /// `neg`.
    Neg,
    /// `abs`.
    Abs,
    /// `rcp.rn|rz|rm|rp`: correctly rounded.
    Rcp,
    /// `rcp.approx`; with f64 (`.ftz.f64`) the lower 32 bits of input and result are taken as zero.
    RcpApprox,
    /// `sqrt.rn|rz|rm|rp`: correctly rounded.
    Sqrt,
    /// `sqrt.approx`.
    SqrtApprox,
    /// `rsqrt.approx`.
    RsqrtApprox,
    /// `ex2.approx`.
    Ex2Approx,
    /// `lg2.approx`.
    Lg2Approx,
    /// `sin.approx`.
    SinApprox,
    /// `cos.approx`.
    CosApprox,
    /// `tanh.approx`.
    TanhApprox,
}

/// Floating-point operations with two sources.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp2 {
    /// `add`.
    Add,
    /// `sub`.
    Sub,
    /// `mul`.
    Mul,
    /// `div.rn|rz|rm|rp`: correctly rounded.
    Div,
    /// `div.approx`.
    DivApprox,
    /// `div.full`.
    DivFull,
    /// `min`: the other operand if one is NaN; -0 is less than +0.
    Min,
    /// `max`.
    Max,
    /// `min.NaN`: canonical NaN if one operand is NaN.
    MinNan,
    /// `max.NaN`.
    MaxNan,
    /// `min.xorsign.abs`: of the magnitudes, with the product's sign.
    MinXorsign,
    /// `max.xorsign.abs`.
    MaxXorsign,
    /// `min.NaN.xorsign.abs`.
    MinNanXorsign,
    /// `max.NaN.xorsign.abs`.
    MaxNanXorsign,
    /// `copysign d, a, b`: the magnitude of `b` with the sign of `a`.
    Copysign,
}

/// Comparisons. The unordered ones are true if an operand is NaN; integers use the first six.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Compare {
    /// Equal.
    Eq,
    /// Not equal (ordered).
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Equal or unordered.
    Equ,
    /// Not equal or unordered.
    Neu,
    /// Less or unordered.
    Ltu,
    /// Less, equal or unordered.
    Leu,
    /// Greater or unordered.
    Gtu,
    /// Greater, equal or unordered.
    Geu,
    /// Both are numbers.
    Num,
    /// One is NaN.
    Nan,
}

/// Predicate logic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PredOp {
    /// `and.pred`.
    And,
    /// `or.pred`.
    Or,
    /// `xor.pred`.
    Xor,
}
