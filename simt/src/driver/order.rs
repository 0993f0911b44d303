//! The order of operations in streams.
//!
//! Every operation is done by the thread that asks for it and is complete when the call returns, so stream order needs
//! no queue, only exclusion between threads: an operation holds the lock of its stream while it runs, an operation of
//! a blocking stream also holds the context's order lock shared, one of the default stream holds it alone.

use super::object::Stream;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What a stream handle means.
pub(super) enum StreamOrder {
    /// The default stream of the context.
    Legacy(Arc<RwLock<()>>),
    /// The default stream of the thread: blocking, and no other thread can use it.
    PerThread(Arc<RwLock<()>>),
    /// A blocking stream.
    Blocking(Arc<RwLock<()>>, Arc<Mutex<()>>),
    /// One with `CU_STREAM_NON_BLOCKING`.
    NonBlocking(Arc<Mutex<()>>),
}

impl StreamOrder {
    /// The order of a stream that a client made, in a context with this order.
    pub(super) fn of(stream: &Stream, order: Arc<RwLock<()>>) -> Self {
        let lock = stream.lock.clone();
        if stream.flags & super::stream::NON_BLOCKING != 0 {
            Self::NonBlocking(lock)
        } else {
            Self::Blocking(order, lock)
        }
    }

    /// Does `work` as the stream's next operation.
    pub(super) fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        match self {
            Self::Legacy(order) => {
                let _alone = order.write().unwrap_or_else(PoisonError::into_inner);
                work()
            }
            Self::PerThread(order) => {
                let _shared = order.read().unwrap_or_else(PoisonError::into_inner);
                work()
            }
            Self::Blocking(order, stream) => {
                let _stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                let _shared = order.read().unwrap_or_else(PoisonError::into_inner);
                work()
            }
            Self::NonBlocking(stream) => {
                let _stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                work()
            }
        }
    }

    /// Whether no operation of the stream runs right now.
    pub(super) fn idle(&self) -> bool {
        match self {
            Self::Legacy(order) => order.try_write().is_ok(),
            Self::PerThread(_) => true,
            Self::Blocking(_, stream) | Self::NonBlocking(stream) => stream.try_lock().is_ok(),
        }
    }
}
