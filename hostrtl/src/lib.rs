//! The OpenMP host offload runtime: what `libomptarget.so` does.
//!
//! A compiled program registers its device images and offload entries ([`register`]) and calls the entry points of
//! [`api`]. A construct becomes a [`region::Region`] on an [`offload::OffloadDevice`]: maps change the
//! [`table::Table`] and copy ([`map`]), maps become kernel arguments ([`args`]), launch arithmetic gives grid and block
//! ([`launch`]), and a [`device::Device`] does the work. Who listens is told of each piece of work ([`tool`]). Behaviour,
//! texts and environment variables follow LLVM 22's library, so that programs and tools see no difference.

pub mod api;
pub mod args;
pub mod arrays;
pub mod constructors;
pub mod device;
pub mod diagnosis;
pub mod env;
pub mod error;
pub mod group_memory;
pub mod image;
pub mod indirect;
pub mod info;
mod jit;
pub mod kernel;
pub mod launch;
pub mod libomp;
mod loaded;
pub mod location;
pub mod map;
pub mod mapper;
pub mod memory;
mod noncontiguous;
mod nowait;
pub mod offload;
mod page_lock;
pub mod pending;
pub mod policy;
pub mod queue;
pub mod record;
pub mod region;
pub mod register;
pub mod runtime;
mod sync;
pub mod table;
pub mod target;
#[cfg(test)]
mod testing;
pub mod tool;

use crate::sync::{Mutex, MutexGuard};
use std::sync::PoisonError;

/// Locks; a thread that panicked with the lock held has ended the process, so the data is whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(test)]
    testing::count::lock();
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
