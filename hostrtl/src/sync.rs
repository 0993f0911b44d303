//! Locks and counters of what threads share: the standard library's; with the feature `shuttle`, which only tests use, those
//! of shuttle, which runs the threads of a test one at a time and chooses at each of these who goes on.

#[cfg(all(test, feature = "shuttle"))]
pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic::AtomicU64};
#[cfg(not(all(test, feature = "shuttle")))]
pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic::AtomicU64};
