//! Modifiers of the video instructions (PTX ISA 9.0, 9.7.18): integer arithmetic on parts of 32-bit words.

use super::Compare;

/// What is done with the two values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VideoOp {
    /// `vadd`.
    Add,
    /// `vsub`.
    Sub,
    /// `vabsdiff`.
    AbsDiff,
    /// `vavrg2`, `vavrg4`: half of the sum, rounded away from zero at one half.
    Average,
    /// `vmin`.
    Min,
    /// `vmax`.
    Max,
    /// `vshl`: amounts above 32 count as 32 if `clamp`, else modulo 32.
    Shl {
        /// `.clamp`.
        clamp: bool,
    },
    /// `vshr`, as `vshl`.
    Shr {
        /// `.clamp`.
        clamp: bool,
    },
    /// `vset`: 1 or 0.
    Set(Compare),
}

/// A byte or half of a word, or all of it: `bits` bits from bit `shift` on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Part {
    /// Lowest bit.
    pub shift: u8,
    /// 8, 16 or 32.
    pub bits: u8,
}

impl Part {
    /// The whole word.
    pub const WORD: Self = Self { shift: 0, bits: 32 };

    /// The part of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "b0" => Self { shift: 0, bits: 8 },
            "b1" => Self { shift: 8, bits: 8 },
            "b2" => Self { shift: 16, bits: 8 },
            "b3" => Self { shift: 24, bits: 8 },
            "h0" => Self { shift: 0, bits: 16 },
            "h1" => Self { shift: 16, bits: 16 },
            _ => return None,
        })
    }
}

/// What becomes of the result together with the third source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VideoSecond {
    /// There is no third source.
    None,
    /// `.add`.
    Add,
    /// `.min`.
    Min,
    /// `.max`.
    Max,
    /// The result replaces a part of it.
    Merge(Part),
}

/// A scalar video instruction other than `vmad`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VideoScalar {
    /// What is done.
    pub op: VideoOp,
    /// `.dtype` is `.s32`.
    pub signed: bool,
    /// `.atype` and `.btype` are.
    pub sources_signed: [bool; 2],
    /// `.sat`: clamped to the type and part of the destination.
    pub sat: bool,
    /// Parts of the sources.
    pub parts: [Part; 2],
    /// What follows.
    pub second: VideoSecond,
}

/// `vmad`: `(a * b) + c`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VideoMad {
    /// `.atype` and `.btype` are `.s32`.
    pub sources_signed: [bool; 2],
    /// Parts of the factors.
    pub parts: [Part; 2],
    /// One of the factors has a minus sign.
    pub negate_product: bool,
    /// The addend has one.
    pub negate_addend: bool,
    /// `.po`: one more.
    pub plus_one: bool,
    /// `.sat`.
    pub sat: bool,
    /// `.shr7`, `.shr15`, or 0.
    pub shift: u8,
}

/// A video instruction on two halves or four bytes at once.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VideoSimd {
    /// What is done.
    pub op: VideoOp,
    /// Four bytes, else two halves.
    pub bytes: bool,
    /// `.dtype` is `.s32`.
    pub signed: bool,
    /// `.atype` and `.btype` are.
    pub sources_signed: [bool; 2],
    /// `.sat`.
    pub sat: bool,
    /// `.add`: the third source plus all results, else the results beside each other.
    pub accumulate: bool,
    /// Elements that are computed; the others are those of the third source, or nothing.
    pub mask: u8,
    /// For each element, lowest nibble first, which of the elements of `b:a` it is made of.
    pub selectors: [u16; 2],
}
