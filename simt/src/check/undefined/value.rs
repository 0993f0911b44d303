//! What is undefined in the registers of a frame.

use std::collections::HashMap;

use crate::code::{LANES, Pred, Reg, Src, Width};
use crate::exec::lanes_of;

/// What is undefined in the lanes of a register.
#[derive(Clone, Copy)]
pub struct Value {
    /// Bytes of each lane, one bit each.
    pub bytes: [u8; LANES],
    /// Lanes that are more than a copy.
    pub computed: u32,
    /// Where it came from.
    pub origin: u32,
}

/// Nothing is undefined.
pub const DEFINED: Value = Value { bytes: [0; LANES], computed: 0, origin: 0 };

/// Registers and predicates with something undefined in them.
#[derive(Default)]
pub struct Frame {
    /// Values, by offset in the register file.
    pub registers: HashMap<u32, Value>,
    /// Undefined lanes of predicates and their origin.
    pub predicates: HashMap<u32, (u32, u32)>,
}

/// The bytes of a width, one bit each.
pub fn all(width: Width) -> u8 {
    (u16::MAX >> (16 - width.bytes())) as u8
}

impl Frame {
    pub fn value(&self, src: Src) -> Option<&Value> {
        if src.0 < 0 { None } else { self.registers.get(&(src.0 as u32)) }
    }

    /// Replaces what is known of the lanes of a register.
    pub fn put(&mut self, register: Reg, lanes: u32, value: &Value) {
        let nothing = Value { origin: value.origin, ..DEFINED };
        let old = self.registers.entry(register.0).or_insert(nothing);
        let mut any = 0;
        for lane in 0..LANES {
            if lanes >> lane & 1 != 0 {
                old.bytes[lane] = value.bytes[lane];
            }
            any |= old.bytes[lane];
        }
        old.computed = old.computed & !lanes | value.computed & lanes;
        if lanes_of(lanes).any(|lane| value.bytes[lane] != 0) {
            old.origin = value.origin;
        }
        if any == 0 {
            self.registers.remove(&register.0);
        }
    }

    pub fn put_predicate(&mut self, predicate: Pred, lanes: u32, undefined: u32, origin: u32) {
        let (old, first) = self.predicates.get(&predicate.0).copied().unwrap_or_default();
        let new = old & !lanes | undefined & lanes;
        match new {
            0 => self.predicates.remove(&predicate.0),
            _ => self
                .predicates
                .insert(predicate.0, (new, if undefined & lanes != 0 { origin } else { first })),
        };
    }

    pub fn test(&self, predicate: Pred) -> (u32, u32) {
        self.predicates.get(&predicate.0).copied().unwrap_or_default()
    }

    /// What the bytes of the lanes become where one source is moved, byte by byte.
    pub fn moved(&self, src: Src, map: impl Fn(u8) -> u8) -> Option<Value> {
        let value = *self.value(src)?;
        Some(Value { bytes: value.bytes.map(map), ..value })
    }
}
