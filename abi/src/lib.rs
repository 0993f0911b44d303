//! What compiler, device runtime and host runtime agree on.
//!
//! This crate holds no code that runs: layouts with their offsets asserted at compile time, execution modes, schedule kinds, map
//! bits, offload entry forms and the runtime function table. It is `no_std` and builds for the host and for
//! `nvptx64-nvidia-cuda` alike; the feature `bytemuck` adds the traits with which the host reads and writes the
//! structures that cross to the device as bytes.
#![no_std]

pub mod attribute;
pub mod device;
pub mod entry;
pub mod ident;
pub mod kernel;
pub mod map;
pub mod mode;
pub mod schedule;
pub mod table;

/// Asserts at compile time the size of a `repr(C)` structure and the offset of each of its fields.
macro_rules! assert_layout {
    ($ty:ty, size $size:literal, $($field:ident @ $offset:literal),+ $(,)?) => {
        const _: () = {
            assert!(core::mem::size_of::<$ty>() == $size);
            $( assert!(core::mem::offset_of!($ty, $field) == $offset); )+
        };
    };
}
pub(crate) use assert_layout;
