//! The decoded instruction set.
//!
//! An [`Inst`] is an operation under a guard. What the decoder produces is complete: every modifier that changes the
//! result is a field, and a form that has no place here is refused with its PTX line.

use super::*;

/// An operation under a guard. Every operation can have one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Inst {
    /// [`Guard::ALWAYS`] or the lanes that take part.
    pub guard: Guard,
    /// What is done.
    pub op: Op,
}

const _: () = assert!(size_of::<Inst>() <= 40);

/// An operation, with its section of PTX ISA 9.0. Sources have the width of the operation's type unless a field says otherwise.
#[expect(missing_docs, reason = "each variant describes its fields")]
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Op {
    /// `dst = src`.
    Mov { width: Width, dst: Reg, src: Src },
    /// Reads a special register; the lanes have 32 or 64 bits. (§10)
    Special { width: Width, dst: Reg, special: Special },
    /// `dst` = address in the local space of byte `offset` of the frame's local memory (`.local` variables of the
    /// function and its address-taken parameters). (§9.7.9.4)
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

    /// Integer, one source. (§9.7.1.10, 9.7.1.11, 9.7.1.18, 9.7.8.4)
    Int1 { op: IntOp1, width: Width, dst: Reg, a: Src },
    /// Bit count; `ty` is the source (32 or 64 bits), the result has 32 bits. (§9.7.1.14 to 9.7.1.16)
    Count { op: CountOp, ty: Int, dst: Reg, a: Src },
    /// Integer, two sources. (§9.7.1.1 to 9.7.1.13, 9.7.8.1 to 9.7.8.3)
    Int2 { op: IntOp2, ty: Int, dst: Reg, a: Src, b: Src },
    /// `add.sat.s32`, `sub.sat.s32`: clamped to the range of s32. (§9.7.1.1, 9.7.1.2)
    SatS32 { subtract: bool, dst: Reg, a: Src, b: Src },
    /// Shift of `width` by the 32-bit amount `b`. (§9.7.8.8, 9.7.8.9)
    Shift { op: ShiftOp, width: Width, dst: Reg, a: Src, b: Src },
    /// `mul.wide`: sources of `ty` (16 or 32 bits), result twice as wide. (§9.7.1.3)
    MulWide { ty: Int, dst: Reg, a: Src, b: Src },
    /// `mad.lo|hi`: half of `a * b`, plus `c`. (§9.7.1.4)
    Mad { half: Half, ty: Int, dst: Reg, a: Src, b: Src, c: Src },
    /// `mad.wide`: `a * b` of `ty`, plus `c` of twice the width. (§9.7.1.4)
    MadWide { ty: Int, dst: Reg, a: Src, b: Src, c: Src },
    /// Arithmetic with the carry flag, 32 or 64 bits; `c` is used by the products. `ty.signed` matters for
    /// [`CarryOp::MadHi`] only. (§9.7.2)
    Carry { op: CarryOp, ty: Int, carry_in: bool, carry_out: bool, dst: Reg, a: Src, b: Src, c: Src },
    /// `bfe`: `len` (low 8 bits) bits of `a` from bit `pos` (low 8 bits) on; both are 32-bit operands. (§9.7.1.19)
    Bfe { ty: Int, dst: Reg, a: Src, pos: Src, len: Src },
    /// `bfi`: `len` bits of `a` put into `b` at `pos`. (§9.7.1.20)
    Bfi { width: Width, dst: Reg, a: Src, b: Src, pos: Src, len: Src },
    /// `prmt.b32`: bytes of `b:a` that `selector` picks. (§9.7.9.7)
    Prmt { mode: PrmtMode, dst: Reg, a: Src, b: Src, selector: Src },
    /// `shf.l|r.wrap|clamp.b32`: funnel shift of `b:a` by `amount`, mod 32 (wrap) or at most 32 (clamp). Left gives the
    /// upper word, right the lower one. (§9.7.8.7)
    Funnel { left: bool, clamp: bool, dst: Reg, a: Src, b: Src, amount: Src },
    /// `lop3.b32`: bitwise function of three sources; bit `a << 2 | b << 1 | c` of `table` is the result. (§9.7.8.6)
    Lop3 { table: u8, dst: Reg, a: Src, b: Src, c: Src },

    /// `bmsk.clamp|wrap.b32`: `b` ones from bit `a` on. (§9.7.1.22)
    BitMask { clamp: bool, dst: Reg, a: Src, b: Src },
    /// `szext.clamp|wrap.u32|s32`: the lowest `b` bits of `a`, extended. (§9.7.1.21)
    Extend { signed: bool, clamp: bool, dst: Reg, a: Src, b: Src },
    /// `fns.b32`: position of the `n`th one of `a` from bit `base` on, upwards or, with a negative `n`, downwards. (§9.7.1.17)
    NthBit { dst: Reg, a: Src, base: Src, n: Src },
    /// `dp4a`, `dp2a`: sum of products of the bytes of `b` with those, or with the halves, of `a`, and of `c`. (§9.7.1.23, 9.7.1.24)
    Dot { op: DotOp, a_signed: bool, b_signed: bool, dst: Reg, a: Src, b: Src, c: Src },

    /// `vadd` to `vset`; all operands have 32 bits, here and below. (§9.7.18.1)
    VideoScalar { form: VideoScalar, dst: Reg, a: Src, b: Src, c: Src },
    /// `vmad`. (§9.7.18.1.3)
    VideoMad { form: VideoMad, dst: Reg, a: Src, b: Src, c: Src },
    /// `vadd2` to `vset4`. (§9.7.18.2)
    VideoSimd { form: VideoSimd, dst: Reg, a: Src, b: Src, c: Src },

    /// Floating point, one source. (§9.7.3, 9.7.4)
    Float1 { op: FloatOp1, ty: Float, mode: FloatMode, dst: Reg, a: Src },
    /// Floating point, two sources. (§9.7.3, 9.7.4)
    Float2 { op: FloatOp2, ty: Float, mode: FloatMode, dst: Reg, a: Src, b: Src },
    /// Fused `a * b + c`. (§9.7.3.6, 9.7.4.4, 9.7.5.3)
    Fma { ty: Float, mode: FloatMode, dst: Reg, a: Src, b: Src, c: Src },

    /// Integer comparison; [`Compare::Eq`] to [`Compare::Ge`]. (§9.7.6.2)
    CompareInt { cmp: Compare, ty: Int, dst: Pred, a: Src, b: Src },
    /// Floating-point comparison. (§9.7.6.2, 9.7.7.2)
    CompareFloat { cmp: Compare, ty: Float, ftz: bool, dst: Pred, a: Src, b: Src },
    /// `dst = pred ? a : b`. (§9.7.6.3)
    Select { width: Width, dst: Reg, a: Src, b: Src, pred: Pred },
    /// Predicate logic. A copy is `Or` with [`Pred::FALSE`], `not` is `Xor` with [`Pred::TRUE`]. (§9.7.8)
    Pred { op: PredOp, dst: Pred, a: Pred, b: Pred },

    /// Integer to integer: the low bits of the source register as `from`, to `to` (wrapping, or clamped with `sat`), then
    /// extended by the sign of `to` to the destination register. (§9.7.9.21)
    ConvertInt { to: Int, from: Int, to_register: Width, from_register: Width, sat: bool, dst: Reg, src: Src },
    /// Float to integer, rounded, out-of-range values clamped; then extended to the destination register. (§9.7.9.21)
    FloatToInt { to: Int, from: Float, to_register: Width, mode: FloatMode, dst: Reg, src: Src },
    /// Integer to float. (§9.7.9.21)
    IntToFloat { to: Float, from: Int, from_register: Width, mode: FloatMode, dst: Reg, src: Src },
    /// Float to float: `integral` rounds to an integral value (`.rni` and the like), else `mode.round` says how a
    /// narrower type is rounded to. (§9.7.9.21)
    ConvertFloat { to: Float, from: Float, integral: bool, mode: FloatMode, dst: Reg, src: Src },

    /// f32, f16 or bf16 to a type for conversions only, in `register` bits. (§9.7.9.21)
    ToSmall { to: Small, from: Float, away: bool, mode: FloatMode, register: Width, dst: Reg, src: Src },
    /// `.rs`: f32 to such a type in 16 bits; the low `bits` bits of `random` decide where the value goes. (§9.7.9.21)
    ToSmallRandom { to: Small, bits: u8, mode: FloatMode, dst: Reg, src: Src, random: Src },
    /// Such a type, in the lowest bits of 16, to f16, or [`Small::Ue8m0`] to bf16. (§9.7.9.21)
    FromSmall { from: Small, mode: FloatMode, dst: Reg, src: Src },

    /// Load of one element. (§9.7.9.8 to 9.7.9.10)
    Load { access: Access, dst: Reg, address: Src, offset: i32 },
    /// Load of `count` (2 or 4) elements; the address must be aligned to all of them. (§9.7.9.8 to 9.7.9.10)
    LoadVector { access: Access, count: u8, dst: [Reg; 4], address: Src, offset: i32 },
    /// Store of one element. (§9.7.9.11)
    Store { access: Access, src: Src, address: Src, offset: i32 },
    /// Store of `count` (2 or 4) elements. (§9.7.9.11)
    StoreVector { access: Access, count: u8, src: [Src; 4], address: Src, offset: i32 },
    /// `atom` and, with a scratch destination, `red`. (§9.7.13.5, 9.7.13.6)
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
    /// `atom.cas`, 16, 32 or 64 bits: stores `value` if the old value equals `compare`; `dst` is the old value. (§9.7.13.5)
    /// `of_load`: what it expects was loaded shortly before, see [`Access::for_cas`].
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
        of_load: bool,
    },
    /// `atom.exch.b128`, and with `compare` `atom.cas.b128`. A register of 128 bits is two of 64, the lower half first. (§9.7.13.5)
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
    /// `fence`, `membar`. (§9.7.13.4)
    Fence { order: Order, scope: Scope },
    /// `isspacep`: whether the generic address `a` lies in the window of `space`. (§9.7.9.19)
    IsSpace { space: Space, dst: Pred, a: Src },

    /// Branch to instruction `target`. `uniform`: the program promises (`.uni`) that all active lanes agree. (§9.7.12.3)
    Branch { target: u32, uniform: bool },
    /// `brx.idx`: branch to entry `index` (32 bits) of [`crate::code::Function::tables`]`[table]`; beyond its end is an
    /// error. (§9.7.12.4)
    BranchTable { table: u32, uniform: bool, index: Src },
    /// Call; see [`crate::code::Function::calls`]`[site]`. (§9.7.12.5)
    Call { site: u32 },
    /// Return; in an entry the same as [`Op::Exit`]. (§9.7.12.6)
    Return,
    /// The thread ends. (§9.7.12.7)
    Exit,
    /// The launch ends with an error. (§9.7.19.4)
    Trap,
    /// `brkpt`: the same, as there is no debugger. (§9.7.19.1)
    Breakpoint,
    /// An instruction that is about speed or about hardware that the device has not got, with nothing to do here.
    Hint,

    /// `alloca.u64`: `size` bytes more of the lane's stack; `dst` is their address in the local space. (§9.7.17.3)
    StackAlloc { dst: Reg, size: Src, align: u32 },
    /// `stacksave.u64`: where the lane's stack ends. (§9.7.17.1)
    StackSave { dst: Reg },
    /// `stackrestore.u64`: gives back what was taken since. (§9.7.17.2)
    StackRestore { a: Src },

    /// `bar`, `barrier`: barrier `id` (32 bits) of the CTA, for `count` threads (32 bits) or all. `aligned`: all threads of
    /// the warp must execute the same instruction. (§9.7.13.1)
    Barrier { aligned: bool, kind: BarrierKind, id: Src, count: Option<Src> },
    /// `bar.warp.sync`. (§9.7.13.2)
    WarpBarrier { mask: Src },
    /// `shfl.sync`: `in_range` says whether the source lane was inside the segment (a scratch predicate if not asked). (§9.7.9.6)
    Shfl { mode: ShflMode, dst: Reg, in_range: Pred, a: Src, b: Src, clamp: Src, mask: Src },
    /// `vote.sync.all|any|uni`. (§9.7.13.9)
    Vote { mode: VoteMode, dst: Pred, a: Pred, mask: Src },
    /// `vote.sync.ballot.b32`. (§9.7.13.9)
    Ballot { dst: Reg, a: Pred, mask: Src },
    /// `match.any.sync`, and with `all` `match.all.sync`: lanes whose `a` (32 or 64 bits) equals the lane's own, or all
    /// members or none and whether all are equal. (§9.7.13.10)
    Match { all: bool, width: Width, dst: Reg, pred: Pred, a: Src, mask: Src },
    /// `redux.sync`: the same result in all members. (§9.7.13.12)
    Redux { op: ReduxOp, dst: Reg, a: Src, mask: Src },
    /// `elect.sync`: the number of one member, and whether it is this lane. (§9.7.13.14)
    Elect { dst: Reg, leader: Pred, mask: Src },
    /// `activemask`. (§9.7.13.11)
    ActiveMask { dst: Reg },
    /// `nanosleep.u32`: a hint; the thread lets others go first. (§9.7.19.2)
    NanoSleep { duration: Src },
}
