//! Layout of a function's register file and constant pool.

use super::module::SymbolId;
use crate::code::{Chunk, ConstantPool, LANES, Pred, Reg, Src, Width};
use std::collections::HashMap;

/// Bytes of a 64-bit register, all lanes.
const WORD: u32 = 8 * LANES as u32;
/// Bytes of a register file at most: half a million registers of 32 bits.
const MOST_REGISTER_BYTES: u32 = 64 << 20;
/// Predicates of a function at most.
const MOST_PREDICATES: u32 = 1 << 20;
/// Scratch registers of a width: no instruction needs more (an atomic operation on a vector: four sources and four results of 32
/// bits, or eight results of 16).
const SCRATCH: usize = 8;

/// Where a function's constant pool holds the address of a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PoolReference {
    pub symbol: SymbolId,
    /// Byte offset in the pool, and bytes of a lane.
    pub at: u32,
    pub bytes: u32,
    pub addend: i64,
}

/// Registers, predicates and constants handed out so far.
pub(super) struct Frame {
    /// Counted without wrapping; [`Frame::size`] checks that offsets of 31 bits suffice.
    register_bytes: u64,
    predicates: u64,
    constants: ConstantPool,
    /// Pool entries by value and width.
    values: HashMap<(u64, Width), Src>,
    /// Pool entries by symbol, addend and width.
    addresses: HashMap<(SymbolId, i64, Width), Src>,
    /// Slots of closed scopes, by number of words.
    free_slots: HashMap<u32, Vec<u32>>,
    /// Registers for operands that need an instruction of their own, taken in turn, for each width.
    scratch: [[Option<Reg>; SCRATCH]; 4],
    scratch_turn: [usize; 4],
    scratch_predicates: [Option<Pred>; 5],
    scratch_quad: Option<Reg>,
}

impl Frame {
    /// A frame that starts with this many 64-bit registers for parameters and return value.
    pub fn new(words: u32) -> Self {
        Self {
            register_bytes: u64::from(words) * u64::from(WORD),
            predicates: u64::from(Pred::TRUE.0) + 1,
            constants: ConstantPool::default(),
            values: HashMap::new(),
            addresses: HashMap::new(),
            free_slots: HashMap::new(),
            scratch: [[None; SCRATCH]; 4],
            scratch_turn: [0; 4],
            scratch_predicates: [None; 5],
            scratch_quad: None,
        }
    }

    /// Byte offset of the `n`th word of the parameter area.
    pub const fn word(n: u32) -> u32 {
        n * WORD
    }

    /// The `n`th register of a declared row.
    pub const fn nth(first: Reg, width: Width, n: u32) -> Reg {
        Reg(first.0 + n * width.bytes() * LANES as u32)
    }

    /// Takes `count` registers.
    pub fn registers(&mut self, width: Width, count: u32) -> Reg {
        let first = Reg(self.register_bytes as u32);
        self.register_bytes += u64::from(width.bytes()) * LANES as u64 * u64::from(count);
        first
    }

    /// Takes `count` predicates.
    pub fn predicates(&mut self, count: u32) -> Pred {
        let first = Pred(self.predicates as u32);
        self.predicates += u64::from(count);
        first
    }

    /// Takes `words` 64-bit registers in a row for a call's argument or result.
    pub fn slot(&mut self, words: u32) -> u32 {
        if let Some(slot) = self.free_slots.get_mut(&words).and_then(Vec::pop) {
            return slot;
        }
        self.registers(Width::W64, words).0
    }

    /// Gives a slot back.
    pub fn release_slot(&mut self, register: u32, words: u32) {
        self.free_slots.entry(words).or_default().push(register);
    }

    /// A register for the instruction that is decoded, different from the last ones given.
    pub fn scratch(&mut self, width: Width) -> Reg {
        let turn = &mut self.scratch_turn[width as usize];
        *turn = (*turn + 1) % SCRATCH;
        let turn = *turn;
        if let Some(reg) = self.scratch[width as usize][turn] {
            return reg;
        }
        let reg = self.registers(width, 1);
        self.scratch[width as usize][turn] = Some(reg);
        reg
    }

    /// One of five predicates for the instruction that is decoded.
    pub fn scratch_predicate(&mut self, which: usize) -> Pred {
        if let Some(pred) = self.scratch_predicates[which] {
            return pred;
        }
        let pred = self.predicates(1);
        self.scratch_predicates[which] = Some(pred);
        pred
    }

    /// A register of 128 bits for a result that is not wanted.
    pub fn scratch_quad(&mut self) -> Reg {
        if let Some(reg) = self.scratch_quad {
            return reg;
        }
        let reg = self.registers(Width::W64, 2);
        self.scratch_quad = Some(reg);
        reg
    }

    /// A constant in all lanes.
    pub fn constant(&mut self, bits: u64, width: Width) -> Src {
        let bits = if width == Width::W64 { bits } else { bits & ((1 << width.bits()) - 1) };
        if let Some(&src) = self.values.get(&(bits, width)) {
            return src;
        }
        let at = self.pool_entry(width);
        self.constants.splat(at, width.bytes(), bits);
        let src = Src::constant(at);
        self.values.insert((bits, width), src);
        src
    }

    /// The address of a symbol in all lanes. If the pool does not hold it yet, the place where the linker has to write
    /// it comes as well.
    pub fn address(&mut self, symbol: SymbolId, addend: i64, width: Width) -> (Src, Option<PoolReference>) {
        if let Some(&src) = self.addresses.get(&(symbol, addend, width)) {
            return (src, None);
        }
        let at = self.pool_entry(width);
        let src = Src::constant(at);
        self.addresses.insert((symbol, addend, width), src);
        (src, Some(PoolReference { symbol, at, bytes: width.bytes(), addend }))
    }

    /// The symbols and addends that pool entries are the addresses of.
    pub fn symbols(&self) -> HashMap<Src, (SymbolId, i64)> {
        self.addresses.iter().map(|(&(symbol, addend, _), &src)| (src, (symbol, addend))).collect()
    }

    fn pool_entry(&mut self, width: Width) -> u32 {
        let at = self.constants.chunks.len() * size_of::<Chunk>();
        let bytes = width.bytes() as usize * LANES;
        self.constants.chunks.resize((at + bytes) / size_of::<Chunk>(), Chunk([0; 64]));
        at as u32
    }

    /// Bytes of the register file and number of predicates; `None`: more than anybody needs. (Each warp has its own, for
    /// each call; and offsets must fit [`Src`] and a guard.)
    pub fn size(&self) -> Option<(u32, u32)> {
        let fits = |n: u64, most: u32| u32::try_from(n).ok().filter(|n| *n <= most);
        Some((fits(self.register_bytes, MOST_REGISTER_BYTES)?, fits(self.predicates, MOST_PREDICATES)?))
    }

    /// The finished pool.
    pub fn take_constants(&mut self) -> ConstantPool {
        std::mem::take(&mut self.constants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_lie_behind_the_parameters() {
        let mut frame = Frame::new(2);
        assert_eq!(frame.registers(Width::W16, 3), Reg(512));
        assert_eq!(frame.registers(Width::W64, 1), Reg(512 + 192));
        assert_eq!(Frame::nth(Reg(512), Width::W16, 2), Reg(512 + 128));
        assert_eq!(frame.predicates(2), Pred(2));
        assert_eq!(frame.size(), Some((512 + 192 + 256, 4)));
        frame.registers(Width::W64, u32::MAX);
        assert_eq!(frame.size(), None, "offsets would wrap");
    }

    #[test]
    fn constants_are_shared_by_value_and_width() {
        let mut frame = Frame::new(0);
        let a = frame.constant(1, Width::W32);
        assert_eq!(frame.constant(0x1_0000_0001, Width::W32), a, "only the low bits count");
        let b = frame.constant(1, Width::W64);
        assert_ne!(a, b);
        let (c, reference) = frame.address(SymbolId(0), 0, Width::W64);
        assert!(reference.is_some_and(|r| r.at == 128 + 256) && c == Src::constant(384));
        assert!(frame.address(SymbolId(0), 0, Width::W64) == (c, None), "one place for each address");
        let pool = frame.take_constants();
        assert_eq!(pool.chunks.len(), (128 + 256 + 256) / 64);
        assert_eq!(pool.chunks[1].0[60..], 1u32.to_le_bytes());
    }

    #[test]
    fn slots_are_used_again() {
        let mut frame = Frame::new(0);
        let first = frame.slot(2);
        frame.release_slot(first, 2);
        assert_ne!(frame.slot(1), first);
        assert_eq!(frame.slot(2), first);
    }
}
