//! Which registers an operation computes from which: for operations whose result is undefined as a whole as soon as one
//! of their sources is.

use crate::code::{BarrierKind, LANES, Op, Pred, Reg, Src};

/// What an operation reads and writes.
#[derive(Default)]
pub struct Flow {
    /// Sources.
    pub sources: [Option<Src>; 4],
    /// Predicates that are read.
    pub tests: [Option<Pred>; 2],
    /// Registers that are written.
    pub registers: [Option<Reg>; 4],
    /// Predicate that is written.
    pub predicate: Option<Pred>,
}

/// The flow of an operation. Loads, stores and atomic operations, calls and shuffles are not of this kind; what decides
/// who takes part in a barrier or a warp operation is not looked at.
pub fn flow(op: &Op) -> Flow {
    let none = Flow::default();
    let of = |dst: Reg, sources: [Option<Src>; 4]| Flow {
        registers: [Some(dst), None, None, None],
        sources,
        ..Flow::default()
    };
    match *op {
        Op::Mov { dst, src, .. }
        | Op::ConvertInt { dst, src, .. }
        | Op::FloatToInt { dst, src, .. }
        | Op::IntToFloat { dst, src, .. }
        | Op::ConvertFloat { dst, src, .. }
        | Op::ToSmall { dst, src, .. }
        | Op::FromSmall { dst, src, .. } => of(dst, [Some(src), None, None, None]),
        Op::Extract { dst, word, .. } => of(dst, [Some(word), None, None, None]),
        Op::Insert { word, src, .. } => of(word, [Some(src), Some(Src::reg(word)), None, None]),
        Op::Special { dst, .. }
        | Op::LocalAddress { dst, .. }
        | Op::ActiveMask { dst }
        | Op::StackSave { dst } => of(dst, [None; 4]),
        Op::Pack { dst, parts, count, .. } => {
            let mut sources = parts.map(Some);
            sources[usize::from(count)..].fill(None);
            of(dst, sources)
        }
        Op::Unpack { count, parts, src, .. } => {
            let mut registers = parts.map(Some);
            registers[usize::from(count)..].fill(None);
            Flow { registers, sources: [Some(src), None, None, None], ..none }
        }
        Op::Int1 { dst, a, .. } | Op::Count { dst, a, .. } | Op::Float1 { dst, a, .. } => {
            of(dst, [Some(a), None, None, None])
        }
        Op::Int2 { dst, a, b, .. }
        | Op::SatS32 { dst, a, b, .. }
        | Op::Shift { dst, a, b, .. }
        | Op::MulWide { dst, a, b, .. }
        | Op::ToSmallRandom { dst, src: a, random: b, .. }
        | Op::BitMask { dst, a, b, .. }
        | Op::Extend { dst, a, b, .. }
        | Op::Float2 { dst, a, b, .. } => of(dst, [Some(a), Some(b), None, None]),
        Op::Mad { dst, a, b, c, .. }
        | Op::MadWide { dst, a, b, c, .. }
        | Op::Carry { dst, a, b, c, .. }
        | Op::Lop3 { dst, a, b, c, .. }
        | Op::Dot { dst, a, b, c, .. }
        | Op::VideoScalar { dst, a, b, c, .. }
        | Op::VideoMad { dst, a, b, c, .. }
        | Op::VideoSimd { dst, a, b, c, .. }
        | Op::Fma { dst, a, b, c, .. } => of(dst, [Some(a), Some(b), Some(c), None]),
        Op::Bfe { dst, a, pos, len, .. } => of(dst, [Some(a), Some(pos), Some(len), None]),
        Op::Bfi { dst, a, b, pos, len, .. } => of(dst, [Some(a), Some(b), Some(pos), Some(len)]),
        Op::Prmt { dst, a, b, selector, .. } => of(dst, [Some(a), Some(b), Some(selector), None]),
        Op::Funnel { dst, a, b, amount, .. } => of(dst, [Some(a), Some(b), Some(amount), None]),
        Op::NthBit { dst, a, base, n } => of(dst, [Some(a), Some(base), Some(n), None]),
        Op::CompareInt { dst, a, b, .. } | Op::CompareFloat { dst, a, b, .. } => {
            Flow { predicate: Some(dst), sources: [Some(a), Some(b), None, None], ..none }
        }
        // A question about whatever bits there are: who looks for pointers among bytes takes any answer.
        Op::IsSpace { dst, .. } => Flow { predicate: Some(dst), ..none },
        Op::Select { dst, a, b, pred, .. } => {
            Flow { tests: [Some(pred), None], ..of(dst, [Some(a), Some(b), None, None]) }
        }
        Op::Pred { dst, a, b, .. } => Flow { predicate: Some(dst), tests: [Some(a), Some(b)], ..none },
        Op::Vote { dst, a, .. } => Flow { predicate: Some(dst), tests: [Some(a), None], ..none },
        Op::Ballot { dst, a, .. } => Flow { tests: [Some(a), None], ..of(dst, [None; 4]) },
        Op::Match { dst, pred, a, .. } => {
            Flow { predicate: Some(pred), ..of(dst, [Some(a), None, None, None]) }
        }
        Op::Redux { dst, a, .. } => of(dst, [Some(a), None, None, None]),
        Op::Elect { dst, leader, .. } => Flow { predicate: Some(leader), ..of(dst, [None; 4]) },
        Op::StackAlloc { dst, size, .. } => of(dst, [Some(size), None, None, None]),
        Op::Barrier { kind, .. } => match kind {
            BarrierKind::Sync | BarrierKind::Arrive => none,
            BarrierKind::Popc { dst, .. } => of(dst, [None; 4]),
            BarrierKind::And { dst, .. } | BarrierKind::Or { dst, .. } => {
                Flow { predicate: Some(dst), ..none }
            }
        },
        Op::SpillParam { .. }
        | Op::Load { .. }
        | Op::LoadVector { .. }
        | Op::Store { .. }
        | Op::StoreVector { .. }
        | Op::Atom { .. }
        | Op::Cas { .. }
        | Op::Atom128 { .. }
        | Op::Fence { .. }
        | Op::Branch { .. }
        | Op::BranchTable { .. }
        | Op::Call { .. }
        | Op::Return
        | Op::Exit
        | Op::Trap
        | Op::Breakpoint
        | Op::Hint
        | Op::StackRestore { .. }
        | Op::WarpBarrier { .. }
        | Op::Shfl { .. }
        | Op::NanoSleep { .. } => none,
    }
}

/// Bytes of a register of 64 bits in the register file.
pub const WORD: u32 = 8 * LANES as u32;
