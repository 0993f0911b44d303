//! What libstdc++'s containers call in its library.

pub mod hash;
pub mod list;
pub mod tree;
