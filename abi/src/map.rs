//! Map-type bits (LLVM: `OpenMPOffloadMappingFlags`).

/// The map type of one argument: bits, and in the upper 16 the number of the parent argument plus one.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct MapType(pub u64);

macro_rules! map_bits {
    ($($(#[$doc:meta])* $name:ident = $value:expr, $is:ident;)*) => {
        impl MapType {
            $( $(#[$doc])* pub const $name: Self = Self($value); )*
            $(
                #[doc = concat!("Whether [`MapType::", stringify!($name), "`] is set.")]
                pub const fn $is(self) -> bool { self.0 & Self::$name.0 != 0 }
            )*
        }
    };
}
map_bits! {
    /// Copy to the device at the start.
    TO = 0x1, is_to;
    /// Copy from the device at the end.
    FROM = 0x2, is_from;
    /// Copy even when the data is already present.
    ALWAYS = 0x4, is_always;
    /// Set the reference count to 0 at the end.
    DELETE = 0x8, is_delete;
    /// A pointer slot and the object it points to.
    PTR_AND_OBJ = 0x10, is_ptr_and_obj;
    /// The address becomes a kernel argument.
    TARGET_PARAM = 0x20, is_target_param;
    /// The device address is written back to the base array (`use_device_ptr`, `use_device_addr`).
    RETURN_PARAM = 0x40, is_return_param;
    /// A private copy for this kernel; with `TO`, firstprivate.
    PRIVATE = 0x80, is_private;
    /// The base is the value itself.
    LITERAL = 0x100, is_literal;
    /// The compiler added the map.
    IMPLICIT = 0x200, is_implicit;
    /// Prefer memory close to the device.
    CLOSE = 0x400, is_close;
    /// The data must be present already.
    PRESENT = 0x1000, is_present;
    /// Counts in the hold reference count (OpenACC).
    OMPX_HOLD = 0x2000, is_hold;
    /// Attach a pointer after all maps (LLVM 22).
    ATTACH = 0x4000, is_attach;
    /// The size field is a descriptor of a non-contiguous section (`target update`).
    NON_CONTIG = 1 << 44, is_non_contiguous;
}

impl MapType {
    /// Index of the argument that this one is a member of.
    pub const fn parent(self) -> Option<usize> {
        match (self.0 >> 48) as usize {
            0 => None,
            n => Some(n - 1),
        }
    }

    /// This type as a member of argument `index`.
    pub const fn member_of(self, index: u16) -> Self {
        Self(self.0 & 0x0000_ffff_ffff_ffff | (index as u64 + 1) << 48)
    }
}

#[cfg(test)]
mod tests {
    use super::MapType;

    #[test]
    fn sums_that_clang_writes() {
        let implicit_tofrom = MapType(0x223);
        assert!(implicit_tofrom.is_to() && implicit_tofrom.is_from() && implicit_tofrom.is_target_param());
        assert!(implicit_tofrom.is_implicit() && !implicit_tofrom.is_private());
        assert!(MapType(0x320).is_literal());
    }

    #[test]
    fn parent_is_index_plus_one() {
        assert_eq!(MapType(0x1_0000_0000_0013).parent(), Some(0));
        assert_eq!(MapType::TO.parent(), None);
        assert_eq!(MapType::TO.member_of(4).parent(), Some(4));
        assert!(MapType::TO.member_of(4).is_to());
    }
}
