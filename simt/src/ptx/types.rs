//! PTX's fundamental types as they are spelled in declarations and modifiers.

use crate::code::{Float, Int, Width};

/// How the bits of a type are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// `.bN`.
    Bits,
    /// `.uN`.
    Unsigned,
    /// `.sN`.
    Signed,
    /// `.fN`.
    Float,
    /// `.bf16`.
    Brain,
}

/// A type other than `.pred`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Type {
    pub kind: Kind,
    pub width: Width,
}

pub(super) const B32: Type = Type { kind: Kind::Bits, width: Width::W32 };
pub(super) const B64: Type = Type { kind: Kind::Bits, width: Width::W64 };
pub(super) const F16: Type = Type { kind: Kind::Float, width: Width::W16 };
pub(super) const BF16: Type = Type { kind: Kind::Brain, width: Width::W16 };
pub(super) const F32: Type = Type { kind: Kind::Float, width: Width::W32 };
pub(super) const U32: Type = Type { kind: Kind::Unsigned, width: Width::W32 };
pub(super) const U64: Type = Type { kind: Kind::Unsigned, width: Width::W64 };

impl Type {
    /// The type of that name, without the dot: `u32`.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "bf16" {
            return Some(Self { kind: Kind::Brain, width: Width::W16 });
        }
        let (kind, bits) = name.split_at_checked(1)?;
        let width = match bits {
            "8" => Width::W8,
            "16" => Width::W16,
            "32" => Width::W32,
            "64" => Width::W64,
            _ => return None,
        };
        let kind = match kind {
            "b" => Kind::Bits,
            "u" => Kind::Unsigned,
            "s" => Kind::Signed,
            "f" if width != Width::W8 => Kind::Float,
            _ => return None,
        };
        Some(Self { kind, width })
    }

    /// The type of a directive word: `.u32`. Variables of bf16 are declared as bits.
    pub fn directive(word: &str) -> Option<Self> {
        Self::parse(word.strip_prefix('.')?).filter(|ty| ty.kind != Kind::Brain)
    }

    /// Bits of this width.
    pub const fn bits(width: Width) -> Self {
        Self { kind: Kind::Bits, width }
    }

    /// As an integer; bits and floats count as unsigned.
    pub fn int(self) -> Int {
        Int { width: self.width, signed: self.kind == Kind::Signed }
    }

    /// As a floating-point type, if it is one.
    pub fn float(self) -> Option<Float> {
        match (self.kind, self.width) {
            (Kind::Float, Width::W16) => Some(Float::F16),
            (Kind::Float, Width::W32) => Some(Float::F32),
            (Kind::Float, Width::W64) => Some(Float::F64),
            (Kind::Brain, _) => Some(Float::Bf16),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Type::parse("b64"), Some(B64));
        assert_eq!(Type::directive(".u32"), Some(U32));
        assert_eq!(Type::parse("s8").map(Type::int), Some(Int { width: Width::W8, signed: true }));
        assert_eq!(Type::parse("f16").and_then(Type::float), Some(Float::F16));
        assert_eq!(Type::parse("bf16").and_then(Type::float), Some(Float::Bf16));
        assert_eq!(Type::directive(".bf16"), None);
        for unknown in ["f8", "b128", "f16x2", "bf8", "pred", "u", "", "é8", "e4m3"] {
            assert_eq!(Type::parse(unknown), None, "{unknown}");
        }
    }
}
