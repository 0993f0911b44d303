//! The decoded instruction set.
//!
//! An [`Inst`] is an operation under a guard. What the decoder produces is complete: every modifier that changes the
//! result is a field, and a form that has no place here is refused with its PTX line.

use super::{VideoMad, VideoScalar, VideoSimd};

/// Size of a register lane or of a memory element.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Width {
    /// 8 bits: memory elements and conversions only; no register has it.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

impl Width {
    /// The width in bytes: 1, 2, 4 or 8.
    pub const fn bytes(self) -> u32 {
        1 << self as u32
    }
    /// The width in bits.
    pub const fn bits(self) -> u32 {
        8 << self as u32
    }
}

/// An integer type: width and signedness.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Int {
    /// Width.
    pub width: Width,
    /// Two's complement if set.
    pub signed: bool,
}

/// A floating-point type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Float {
    /// IEEE 754 binary16.
    F16,
    /// bfloat16: the upper half of binary32.
    Bf16,
    /// binary32.
    F32,
    /// binary64.
    F64,
}

impl Float {
    /// Size of a value.
    pub const fn width(self) -> Width {
        match self {
            Self::F16 | Self::Bf16 => Width::W16,
            Self::F32 => Width::W32,
            Self::F64 => Width::W64,
        }
    }
}

/// Floating-point types that are converted to and from, and nothing else, and the destinations of stochastic rounding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Small {
    /// `tf32`: 8 bits of exponent and 10 of fraction, in the upper bits of 32.
    Tf32,
    /// `e4m3`: no infinity, up to 448.
    E4m3,
    /// `e5m2`: up to 57344.
    E5m2,
    /// `e2m1`, 4 bits: no infinity and no NaN, up to 6.
    E2m1,
    /// `e2m3`, 6 bits: the same, up to 7.5.
    E2m3,
    /// `e3m2`, 6 bits: the same, up to 28.
    E3m2,
    /// `ue8m0`: powers of two from 2^-127 to 2^127, without sign; 0xff is NaN.
    Ue8m0,
    /// `f16`, for `.rs` alone.
    Half,
    /// `bf16`, for `.rs` alone.
    Brain,
}

/// A destination register: byte offset in the register file. Its width follows from the operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reg(pub u32);

/// A source of 32 lanes: `0..` is a byte offset in the register file, a negative value `v` is the byte offset `!v` in the
/// constant pool of the function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Src(pub i32);

impl Src {
    /// The source that reads a register.
    pub const fn reg(reg: Reg) -> Self {
        Self(reg.0 as i32)
    }
    /// The source that reads the constant pool at a byte offset.
    pub const fn constant(offset: u32) -> Self {
        Self(!(offset as i32))
    }
}

/// A predicate: index in the frame's predicate file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Pred(pub u32);

impl Pred {
    /// Always false; never written.
    pub const FALSE: Self = Self(0);
    /// Always true; never written.
    pub const TRUE: Self = Self(1);
}

/// `@p` or `@!p`: twice the predicate's index, plus one if negated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Guard(pub u32);

impl Guard {
    /// No guard.
    pub const ALWAYS: Self = Self::new(Pred::TRUE, false);

    /// The guard of a predicate.
    pub const fn new(pred: Pred, negated: bool) -> Self {
        Self(pred.0 << 1 | negated as u32)
    }
    /// The predicate.
    pub const fn pred(self) -> Pred {
        Pred(self.0 >> 1)
    }
    /// Lanes that run are those where the predicate is false.
    pub const fn negated(self) -> bool {
        self.0 & 1 != 0
    }
}

/// An operation under a guard. Every operation can have one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Inst {
    /// [`Guard::ALWAYS`] or the lanes that take part.
    pub guard: Guard,
    /// What is done.
    pub op: Op,
}

const _: () = assert!(size_of::<Inst>() <= 40);

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

/// Modes of `prmt` (PTX ISA, "prmt").
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
    /// `a - b`, minus the borrow if it is used. The flag holds the borrow.
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

/// State space of an access.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Space {
    /// Generic address.
    Generic,
    /// Device memory. `.global.nc` as well.
    Global,
    /// Constant bank: device memory that kernels do not write.
    Const,
    /// Shared memory of the CTA.
    Shared,
    /// Local memory of the thread.
    Local,
    /// Kernel parameters; occurs in `isspacep` and nowhere else.
    Param,
}

/// Memory order of an access or fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Plain.
    Weak,
    /// `.volatile`: relaxed with system scope, and not to be left out.
    Volatile,
    /// `.relaxed`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel`.
    AcqRel,
    /// `.sc` (fences and `membar`).
    SeqCst,
}

/// Threads that an order concerns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// The CTA.
    Cta,
    /// The cluster.
    Cluster,
    /// The device. Default of atomics.
    Gpu,
    /// Device and host.
    Sys,
}

/// Everything about a load or store but its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Space of the address.
    pub space: Space,
    /// Element in memory. Loads extend it to the register, stores take the low bits of the register.
    pub element: Int,
    /// Width of the register lanes; at least that of the element.
    pub register: Width,
    /// Order.
    pub order: Order,
    /// Scope of the order; [`Scope::Sys`] if the form has none.
    pub scope: Scope,
    /// `.nc`: the program promises that nobody writes.
    pub non_coherent: bool,
}

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomOp {
    /// Integer addition.
    Add(Int),
    /// Minimum.
    Min(Int),
    /// Maximum.
    Max(Int),
    /// `inc`: 0 if the old value is at least the operand, else one more (32 bits).
    Inc,
    /// `dec`: the operand if the old value is 0 or above it, else one less (32 bits).
    Dec,
    /// Bitwise and.
    And(Width),
    /// Bitwise or.
    Or(Width),
    /// Bitwise exclusive or.
    Xor(Width),
    /// Exchange.
    Exchange(Width),
    /// Floating-point addition, to nearest. f32 in global memory flushes subnormals on hardware.
    FloatAdd(Float),
    /// Floating-point minimum.
    FloatMin(Float),
    /// Floating-point maximum.
    FloatMax(Float),
    /// Two numbers of 16 bits each in 32 bits: addition.
    PackedAdd(Float),
    /// The same: minimum.
    PackedMin(Float),
    /// The same: maximum.
    PackedMax(Float),
}

impl AtomOp {
    /// Width of the memory element, of the operand and of the result.
    pub const fn width(self) -> Width {
        match self {
            Self::Add(int) | Self::Min(int) | Self::Max(int) => int.width,
            Self::Inc | Self::Dec | Self::PackedAdd(_) | Self::PackedMin(_) | Self::PackedMax(_) => {
                Width::W32
            }
            Self::And(width) | Self::Or(width) | Self::Xor(width) | Self::Exchange(width) => width,
            Self::FloatAdd(float) | Self::FloatMin(float) | Self::FloatMax(float) => float.width(),
        }
    }
}

/// Lane that a shuffle reads from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ShflMode {
    /// `lane - b`.
    Up,
    /// `lane + b`.
    Down,
    /// `lane ^ b`.
    Bfly,
    /// `b`.
    Idx,
}

/// What a vote over predicates answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VoteMode {
    /// All members true.
    All,
    /// Some member true.
    Any,
    /// All members equal.
    Uni,
}

/// What a barrier of the CTA does beside counting arrivals (PTX ISA 9.7.13.1, "barrier").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BarrierKind {
    /// `.sync`: the threads wait.
    Sync,
    /// `.arrive`: they do not.
    Arrive,
    /// `.red.popc`: they wait, and all get the number of threads whose `a` is true.
    Popc {
        /// Result, 32 bits.
        dst: Reg,
        /// The thread's vote.
        a: Pred,
    },
    /// `.red.and`: whether `a` is true in all threads.
    And {
        /// Result.
        dst: Pred,
        /// The thread's vote.
        a: Pred,
    },
    /// `.red.or`: whether `a` is true in some thread.
    Or {
        /// Result.
        dst: Pred,
        /// The thread's vote.
        a: Pred,
    },
}

impl BarrierKind {
    /// The thread's vote in a reduction.
    pub const fn vote(self) -> Option<Pred> {
        match self {
            Self::Sync | Self::Arrive => None,
            Self::Popc { a, .. } | Self::And { a, .. } | Self::Or { a, .. } => Some(a),
        }
    }
}

/// Reduction over the members of a warp operation (`redux.sync`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReduxOp {
    /// On unsigned or signed numbers: addition, minimum or maximum; on bits: and, or, exclusive or.
    Int(IntOp2, Int),
    /// `.min.f32` or `.max.f32`, of the magnitudes with `abs`; a NaN is left out, or with `nan` the result.
    Float {
        /// `.max`.
        max: bool,
        /// `.abs`.
        abs: bool,
        /// `.NaN`.
        nan: bool,
    },
}

/// Special registers. `%tid` and the like carry the dimension, 0 to 2.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// `%tid.x|y|z`.
    Tid(u8),
    /// `%ntid.x|y|z`.
    Ntid(u8),
    /// `%ctaid.x|y|z`.
    Ctaid(u8),
    /// `%nctaid.x|y|z`.
    Nctaid(u8),
    /// `%laneid`.
    LaneId,
    /// `%warpid`.
    WarpId,
    /// `%nwarpid`.
    NWarpId,
    /// `%smid`.
    SmId,
    /// `%nsmid`.
    NSmId,
    /// `%gridid`.
    GridId,
    /// `%lanemask_eq`.
    LaneMaskEq,
    /// `%lanemask_le`.
    LaneMaskLe,
    /// `%lanemask_lt`.
    LaneMaskLt,
    /// `%lanemask_ge`.
    LaneMaskGe,
    /// `%lanemask_gt`.
    LaneMaskGt,
    /// `%clock` (32 bits) and `%clock64`: cycles.
    Clock,
    /// `%clock_hi`: upper half of `%clock64`.
    ClockHi,
    /// `%globaltimer`: nanoseconds.
    GlobalTimer,
    /// `%globaltimer_lo`.
    GlobalTimerLo,
    /// `%globaltimer_hi`.
    GlobalTimerHi,
    /// `%dynamic_smem_size`: bytes of dynamic shared memory.
    DynamicSharedSize,
    /// `%total_smem_size`: bytes of shared memory, static and dynamic.
    TotalSharedSize,
    /// A register that always has this value here, as there are no clusters, graphs and performance counters (a CTA is
    /// a cluster of its own).
    Fixed(u8),
}

/// An operation. Sources have the width of the operation's type unless a field says otherwise.
#[expect(missing_docs, reason = "each variant describes its fields")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    /// `dst = src`.
    Mov { width: Width, dst: Reg, src: Src },
    /// Reads a special register; the lanes have 32 or 64 bits.
    Special { width: Width, dst: Reg, special: Special },
    /// `dst` = address in the local space of byte `offset` of the frame's local memory (`.local` variables of the
    /// function and its address-taken parameters).
    LocalAddress { width: Width, dst: Reg, offset: u32 },
    /// Copies `bytes` bytes of the parameter area from byte `param` on to the frame's local memory at `local`, for each
    /// lane. Stands at the start of functions that take a parameter's address.
    SpillParam { param: u32, local: u32, bytes: u32 },
    /// Joins `count` (2 or 4) sources of `width / count` into one register of `width`, the first lowest.
    Pack { width: Width, count: u8, dst: Reg, parts: [Src; 4] },
    /// Splits a source of `width` into `count` (2 or 4) registers, lowest first.
    Unpack { width: Width, count: u8, parts: [Reg; 4], src: Src },
    /// Reads `element` at byte `byte` (0 to 7) of each lane of the 64-bit register `word` and extends it to `register`
    /// (parameters).
    Extract { element: Int, register: Width, byte: u8, dst: Reg, word: Src },
    /// Writes the low bits of `src` (lanes of `register`) to the `element` bits at byte `byte` of each lane of the 64-bit
    /// register `word`; the other bits stay (parameters).
    Insert { element: Width, register: Width, byte: u8, word: Reg, src: Src },

    /// Integer, one source.
    Int1 { op: IntOp1, width: Width, dst: Reg, a: Src },
    /// Bit count; `ty` is the source (32 or 64 bits), the result has 32 bits.
    Count { op: CountOp, ty: Int, dst: Reg, a: Src },
    /// Integer, two sources.
    Int2 { op: IntOp2, ty: Int, dst: Reg, a: Src, b: Src },
    /// `add.sat.s32`, `sub.sat.s32`: clamped to the range of s32.
    SatS32 { subtract: bool, dst: Reg, a: Src, b: Src },
    /// Shift of `width` by the 32-bit amount `b`.
    Shift { op: ShiftOp, width: Width, dst: Reg, a: Src, b: Src },
    /// `mul.wide`: sources of `ty` (16 or 32 bits), result twice as wide.
    MulWide { ty: Int, dst: Reg, a: Src, b: Src },
    /// `mad.lo|hi`: half of `a * b`, plus `c`.
    Mad { half: Half, ty: Int, dst: Reg, a: Src, b: Src, c: Src },
    /// `mad.wide`: `a * b` of `ty`, plus `c` of twice the width.
    MadWide { ty: Int, dst: Reg, a: Src, b: Src, c: Src },
    /// Arithmetic with the carry flag, 32 or 64 bits; `c` is used by the products. `ty.signed` matters for
    /// [`CarryOp::MadHi`] only.
    Carry { op: CarryOp, ty: Int, carry_in: bool, carry_out: bool, dst: Reg, a: Src, b: Src, c: Src },
    /// `bfe`: `len` (low 8 bits) bits of `a` from bit `pos` (low 8 bits) on; both are 32-bit operands.
    Bfe { ty: Int, dst: Reg, a: Src, pos: Src, len: Src },
    /// `bfi`: `len` bits of `a` put into `b` at `pos`.
    Bfi { width: Width, dst: Reg, a: Src, b: Src, pos: Src, len: Src },
    /// `prmt.b32`: bytes of `b:a` that `selector` picks.
    Prmt { mode: PrmtMode, dst: Reg, a: Src, b: Src, selector: Src },
    /// `shf.l|r.wrap|clamp.b32`: funnel shift of `b:a` by `amount`, mod 32 (wrap) or at most 32 (clamp). Left gives the
    /// upper word, right the lower one.
    Funnel { left: bool, clamp: bool, dst: Reg, a: Src, b: Src, amount: Src },
    /// `lop3.b32`: bitwise function of three sources; bit `a << 2 | b << 1 | c` of `table` is the result.
    Lop3 { table: u8, dst: Reg, a: Src, b: Src, c: Src },

    /// `bmsk.clamp|wrap.b32`: `b` ones from bit `a` on.
    BitMask { clamp: bool, dst: Reg, a: Src, b: Src },
    /// `szext.clamp|wrap.u32|s32`: the lowest `b` bits of `a`, extended.
    Extend { signed: bool, clamp: bool, dst: Reg, a: Src, b: Src },
    /// `fns.b32`: position of the `n`th one of `a` from bit `base` on, upwards or, with a negative `n`, downwards.
    NthBit { dst: Reg, a: Src, base: Src, n: Src },
    /// `dp4a`, `dp2a`: sum of products of the bytes of `b` with those, or with the halves, of `a`, and of `c`.
    Dot { op: DotOp, a_signed: bool, b_signed: bool, dst: Reg, a: Src, b: Src, c: Src },

    /// `vadd` to `vset`; all operands have 32 bits, here and below.
    VideoScalar { form: VideoScalar, dst: Reg, a: Src, b: Src, c: Src },
    /// `vmad`.
    VideoMad { form: VideoMad, dst: Reg, a: Src, b: Src, c: Src },
    /// `vadd2` to `vset4`.
    VideoSimd { form: VideoSimd, dst: Reg, a: Src, b: Src, c: Src },

    /// Floating point, one source.
    Float1 { op: FloatOp1, ty: Float, mode: FloatMode, dst: Reg, a: Src },
    /// Floating point, two sources.
    Float2 { op: FloatOp2, ty: Float, mode: FloatMode, dst: Reg, a: Src, b: Src },
    /// Fused `a * b + c`.
    Fma { ty: Float, mode: FloatMode, dst: Reg, a: Src, b: Src, c: Src },

    /// Integer comparison; [`Compare::Eq`] to [`Compare::Ge`].
    CompareInt { cmp: Compare, ty: Int, dst: Pred, a: Src, b: Src },
    /// Floating-point comparison.
    CompareFloat { cmp: Compare, ty: Float, ftz: bool, dst: Pred, a: Src, b: Src },
    /// `dst = pred ? a : b`.
    Select { width: Width, dst: Reg, a: Src, b: Src, pred: Pred },
    /// Predicate logic. A copy is `Or` with [`Pred::FALSE`], `not` is `Xor` with [`Pred::TRUE`].
    Pred { op: PredOp, dst: Pred, a: Pred, b: Pred },

    /// Integer to integer: the low bits of the source register as `from`, to `to` (wrapping, or clamped with `sat`), then
    /// extended by the sign of `to` to the destination register.
    ConvertInt { to: Int, from: Int, to_register: Width, from_register: Width, sat: bool, dst: Reg, src: Src },
    /// Float to integer, rounded, out-of-range values clamped; then extended to the destination register.
    FloatToInt { to: Int, from: Float, to_register: Width, mode: FloatMode, dst: Reg, src: Src },
    /// Integer to float.
    IntToFloat { to: Float, from: Int, from_register: Width, mode: FloatMode, dst: Reg, src: Src },
    /// Float to float: `integral` rounds to an integral value (`.rni` and the like), else `mode.round` says how a
    /// narrower type is rounded to.
    ConvertFloat { to: Float, from: Float, integral: bool, mode: FloatMode, dst: Reg, src: Src },

    /// f32, f16 or bf16 to a type for conversions only, in `register` bits.
    ToSmall { to: Small, from: Float, away: bool, mode: FloatMode, register: Width, dst: Reg, src: Src },
    /// `.rs`: f32 to such a type in 16 bits; the low `bits` bits of `random` decide where the value goes.
    ToSmallRandom { to: Small, bits: u8, mode: FloatMode, dst: Reg, src: Src, random: Src },
    /// Such a type, in the lowest bits of 16, to f16, or [`Small::Ue8m0`] to bf16.
    FromSmall { from: Small, mode: FloatMode, dst: Reg, src: Src },

    /// Load of one element.
    Load { access: Access, dst: Reg, address: Src, offset: i32 },
    /// Load of `count` (2 or 4) elements; the address must be aligned to all of them.
    LoadVector { access: Access, count: u8, dst: [Reg; 4], address: Src, offset: i32 },
    /// Store of one element.
    Store { access: Access, src: Src, address: Src, offset: i32 },
    /// Store of `count` (2 or 4) elements.
    StoreVector { access: Access, count: u8, src: [Src; 4], address: Src, offset: i32 },
    /// `atom` and, with a scratch destination, `red`.
    Atom {
        op: AtomOp,
        space: Space,
        order: Order,
        scope: Scope,
        dst: Reg,
        address: Src,
        offset: i32,
        value: Src,
    },
    /// `atom.cas`, 16, 32 or 64 bits: stores `value` if the old value equals `compare`; `dst` is the old value.
    Cas {
        width: Width,
        space: Space,
        order: Order,
        scope: Scope,
        dst: Reg,
        address: Src,
        offset: i32,
        compare: Src,
        value: Src,
    },
    /// `atom.exch.b128`, and with `compare` `atom.cas.b128`. A register of 128 bits is two of 64, the lower half first.
    Atom128 {
        space: Space,
        order: Order,
        scope: Scope,
        dst: Reg,
        address: Src,
        offset: i32,
        compare: Option<Src>,
        value: Src,
    },
    /// `fence`, `membar`.
    Fence { order: Order, scope: Scope },
    /// `isspacep`: whether the generic address `a` lies in the window of `space`.
    IsSpace { space: Space, dst: Pred, a: Src },

    /// Branch to instruction `target`. `uniform`: the program promises (`.uni`) that all active lanes agree.
    Branch { target: u32, uniform: bool },
    /// `brx.idx`: branch to entry `index` (32 bits) of [`crate::code::Function::tables`]`[table]`; beyond its end is an
    /// error.
    BranchTable { table: u32, uniform: bool, index: Src },
    /// Call; see [`crate::code::Function::calls`]`[site]`.
    Call { site: u32 },
    /// Return; in an entry the same as [`Op::Exit`].
    Return,
    /// The thread ends.
    Exit,
    /// The launch ends with an error.
    Trap,
    /// `brkpt`: the same, as there is no debugger.
    Breakpoint,
    /// An instruction that is about speed or about hardware that the device has not got, with nothing to do here.
    Hint,

    /// `alloca.u64`: `size` bytes more of the lane's stack; `dst` is their address in the local space.
    StackAlloc { dst: Reg, size: Src, align: u32 },
    /// `stacksave.u64`: where the lane's stack ends.
    StackSave { dst: Reg },
    /// `stackrestore.u64`: gives back what was taken since.
    StackRestore { a: Src },

    /// `bar`, `barrier`: barrier `id` (32 bits) of the CTA, for `count` threads (32 bits) or all. `aligned`: all threads of
    /// the warp must execute the same instruction.
    Barrier { aligned: bool, kind: BarrierKind, id: Src, count: Option<Src> },
    /// `bar.warp.sync`.
    WarpBarrier { mask: Src },
    /// `shfl.sync`: `in_range` says whether the source lane was inside the segment (a scratch predicate if not asked).
    Shfl { mode: ShflMode, dst: Reg, in_range: Pred, a: Src, b: Src, clamp: Src, mask: Src },
    /// `vote.sync.all|any|uni`.
    Vote { mode: VoteMode, dst: Pred, a: Pred, mask: Src },
    /// `vote.sync.ballot.b32`.
    Ballot { dst: Reg, a: Pred, mask: Src },
    /// `match.any.sync`, and with `all` `match.all.sync`: lanes whose `a` (32 or 64 bits) equals the lane's own, or all
    /// members or none and whether all are equal.
    Match { all: bool, width: Width, dst: Reg, pred: Pred, a: Src, mask: Src },
    /// `redux.sync`: the same result in all members.
    Redux { op: ReduxOp, dst: Reg, a: Src, mask: Src },
    /// `elect.sync`: the number of one member, and whether it is this lane.
    Elect { dst: Reg, leader: Pred, mask: Src },
    /// `activemask`.
    ActiveMask { dst: Reg },
    /// `nanosleep.u32`: a hint; the thread lets others go first.
    NanoSleep { duration: Src },
}
