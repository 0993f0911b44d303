//! For the unit tests: a frame to execute single operations in.

use super::lanes::{Lane, Lanes};
use super::tier;
use crate::code::{Chunk, ConstantPool, Function, FunctionKind, LANES, Op, Pred, Reg, Src, Width};

/// A function with nothing but a register file.
pub fn function(register_bytes: u32) -> Function {
    Function {
        name: "f".into(),
        kind: FunctionKind::Device,
        line: 1,
        code: Vec::new(),
        lines: Vec::new(),
        constants: ConstantPool::default(),
        params: Vec::new(),
        param_bytes: 0,
        param_words: 0,
        ret: None,
        return_words: 0,
        register_bytes,
        predicates: 2,
        local_bytes: 0,
        local_align: 1,
        locals: Vec::new(),
        declared_registers: 0,
        tables: Vec::new(),
        calls: Vec::new(),
        source: Vec::new(),
        max_threads: None,
        required_threads: None,
        shared_bytes: 0,
        undefined: Vec::new(),
    }
}

/// Registers, constants and predicates; each operation is executed by every tier that the host has, and all must agree.
pub struct Bench {
    registers: Vec<Chunk>,
    used: usize,
    constants: ConstantPool,
    predicates: Vec<u32>,
    /// Active lanes.
    pub mask: u32,
}

impl Bench {
    pub fn new() -> Self {
        Self {
            registers: vec![Chunk([0; 64]); 64],
            used: 0,
            constants: ConstantPool::default(),
            predicates: vec![0, u32::MAX, 0, 0, 0],
            mask: u32::MAX,
        }
    }

    pub fn register(&mut self, width: Width) -> Reg {
        let offset = self.used;
        self.used += LANES * width.bytes() as usize;
        Reg(offset as u32)
    }

    pub fn constant(&mut self, width: Width, bits: u64) -> Src {
        let offset = (self.constants.chunks.len() * 64) as u32;
        let chunks = LANES * width.bytes() as usize / 64;
        self.constants.chunks.extend(std::iter::repeat_n(Chunk([0; 64]), chunks));
        self.constants.splat(offset, width.bytes(), bits);
        Src::constant(offset)
    }

    fn access(&mut self) -> Lanes {
        let predicates = self.predicates.as_mut_ptr();
        Lanes {
            registers: self.registers.as_mut_ptr().cast(),
            constants: self.constants.chunks.as_ptr().cast(),
            predicates,
            carry: predicates.wrapping_add(4),
            mask: self.mask,
        }
    }

    pub fn run(&mut self, op: &Op) {
        let before = (self.registers.clone(), self.predicates.clone());
        let mut after: Option<(Vec<Chunk>, Vec<u32>)> = None;
        for tier in tier::available() {
            (self.registers, self.predicates) = before.clone();
            let l = self.access();
            // SAFETY: the operands were made by this bench, and the host has the tier.
            unsafe { tier.compute(&l, op) };
            let now = (self.registers.clone(), self.predicates.clone());
            assert!(after.is_none_or(|other| other == now), "tiers disagree about {op:?}");
            after = Some(now);
        }
    }

    pub fn lanes<T: Lane>(&mut self, reg: Reg) -> [T; LANES] {
        // SAFETY: the register was made by this bench.
        unsafe { self.access().get(Src::reg(reg)) }
    }

    /// The value that all lanes have.
    pub fn value(&mut self, width: Width, reg: Reg) -> u64 {
        let lanes: Vec<u64> = match width {
            Width::W8 | Width::W16 => self.lanes::<u16>(reg).map(u64::from).to_vec(),
            Width::W32 => self.lanes::<u32>(reg).map(u64::from).to_vec(),
            Width::W64 => self.lanes::<u64>(reg).to_vec(),
        };
        assert!(lanes.iter().all(|v| *v == lanes[0]));
        lanes[0]
    }

    /// The result of an operation with two operands; widths of result and operands.
    pub fn binary(
        &mut self,
        r: Width,
        a: Width,
        b: Width,
        x: u64,
        y: u64,
        op: impl FnOnce(Reg, Src, Src) -> Op,
    ) -> u64 {
        let dst = self.register(r);
        let (a, b) = (self.constant(a, x), self.constant(b, y));
        self.run(&op(dst, a, b));
        self.value(r, dst)
    }

    /// The same with three; the widths of the result and the operands.
    pub fn ternary(
        &mut self,
        widths: [Width; 4],
        values: [u64; 3],
        op: impl FnOnce(Reg, Src, Src, Src) -> Op,
    ) -> u64 {
        let dst = self.register(widths[0]);
        let [a, b, c] = [0, 1, 2].map(|k| self.constant(widths[k + 1], values[k]));
        self.run(&op(dst, a, b, c));
        self.value(widths[0], dst)
    }

    /// The result of an operation that writes a predicate.
    pub fn test(&mut self, op: impl FnOnce(Pred, &mut Self) -> Op) -> bool {
        let op = op(Pred(2), self);
        self.run(&op);
        assert!(self.predicates[2] == 0 || self.predicates[2] == u32::MAX);
        self.predicates[2] != 0
    }
}
