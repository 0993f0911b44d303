//! What libstdc++ has in its library: what containers call, and memory.

pub mod aligned;
pub mod hash;
pub mod list;
pub mod tree;
