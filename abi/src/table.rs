//! The runtime function table.
