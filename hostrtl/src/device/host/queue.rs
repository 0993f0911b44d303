//! Queues: a thread each, which does the work in order.

use super::{Function, Shared, call, fault};
use crate::device::DeviceResult;
use crate::lock;
use crate::sync::{Condvar, Mutex};
use core::ffi::CStr;
use core::ptr::{null_mut, with_exposed_provenance, with_exposed_provenance_mut};
use core::sync::atomic::{AtomicI32, AtomicPtr, Ordering};
use std::collections::VecDeque;
use std::sync::PoisonError;

/// Stack of a queue's thread, which is that of a kernel's initial thread: as much as a program's main thread has.
pub const DEFAULT_STACK: usize = 8 << 20;

/// A queue.
pub struct Queue {
    /// Whose it is.
    pub device: &'static Shared,
    /// Kernel id of the queue's thread, 0 before it runs.
    pub thread: AtomicI32,
    /// Name of the kernel that runs now.
    pub running: AtomicPtr<libc::c_char>,
    state: Mutex<State>,
    /// Something was put into the queue.
    filled: Condvar,
    /// Something is done, or the device is lost.
    done: Condvar,
}

#[derive(Default)]
struct State {
    work: VecDeque<Work>,
    /// Arguments of the launches in `work`, one after the other: a warm queue allocates nothing.
    arguments: VecDeque<u64>,
    submitted: u64,
    done: u64,
}

/// A piece of work.
pub enum Work {
    /// Copy bytes.
    Copy { to: usize, from: usize, bytes: usize },
    /// Set bytes.
    Fill { to: usize, value: u8, bytes: usize },
    /// Call a kernel with the next `arguments` arguments of the queue.
    Launch { function: &'static Function, arguments: usize },
    /// The event has happened `count` times.
    Record { event: &'static Event, count: u64 },
    /// Wait until the event has happened `count` times.
    Wait { event: &'static Event, count: u64 },
}

impl Queue {
    /// A queue without a thread.
    pub fn new(device: &'static Shared) -> Self {
        Self {
            device,
            thread: AtomicI32::new(0),
            running: AtomicPtr::new(null_mut()),
            state: Mutex::default(),
            filled: Condvar::new(),
            done: Condvar::new(),
        }
    }

    /// Starts the thread, which lives as long as the process.
    pub fn start(&'static self, stack_size: usize) -> std::io::Result<()> {
        let name = format!("x86 device {}", self.device.number);
        let thread = std::thread::Builder::new().name(name).stack_size(stack_size);
        thread.spawn(move || self.run()).map(drop)
    }

    /// Puts work into the queue.
    pub fn push(&self, work: Work) -> DeviceResult<()> {
        self.put(work, &[])
    }

    /// Puts a launch into the queue.
    pub fn launch(&self, function: &'static Function, arguments: &[u64]) -> DeviceResult<()> {
        self.put(Work::Launch { function, arguments: arguments.len() }, arguments)
    }

    fn put(&self, work: Work, arguments: &[u64]) -> DeviceResult<()> {
        self.check()?;
        let mut state = lock(&self.state);
        state.arguments.extend(arguments);
        state.work.push_back(work);
        state.submitted += 1;
        drop(state);
        self.filled.notify_one();
        Ok(())
    }

    fn check(&self) -> DeviceResult<()> {
        self.device.lost.get().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// Waits until everything that is in the queue now is done.
    pub fn synchronize(&self) -> DeviceResult<()> {
        let mut state = lock(&self.state);
        let target = state.submitted;
        while state.done < target {
            self.check()?;
            state = self.done.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        self.check()
    }

    /// Whether everything that is in the queue now is done.
    pub fn query(&self) -> DeviceResult<bool> {
        self.check()?;
        let state = lock(&self.state);
        Ok(state.done == state.submitted)
    }

    /// Lets everybody who waits see that the device is lost.
    pub fn wake(&self) {
        drop(lock(&self.state));
        self.done.notify_all();
    }

    fn run(&self) {
        self.thread.store(fault::prepare_thread(self.device.number), Ordering::Release);
        let mut arguments = Vec::new();
        loop {
            let mut state = lock(&self.state);
            let work = loop {
                match state.work.pop_front() {
                    Some(work) => break work,
                    None => state = self.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            };
            if let Work::Launch { arguments: count, .. } = work {
                arguments.clear();
                arguments.extend(state.arguments.drain(..count));
            }
            drop(state);
            self.execute(&work, &arguments);
            lock(&self.state).done += 1;
            self.done.notify_all();
        }
    }

    fn execute(&self, work: &Work, arguments: &[u64]) {
        match *work {
            Work::Copy { to, from, bytes } => {
                self.running.store(c"copy".as_ptr().cast_mut(), Ordering::Release);
                let (to, from) = (with_exposed_provenance_mut::<u8>(to), with_exposed_provenance::<u8>(from));
                // SAFETY: host memory by the contract of `Device`; a wrong device address is a fault of the program.
                unsafe { core::ptr::copy(from, to, bytes) };
            }
            Work::Fill { to, value, bytes } => {
                self.running.store(c"fill".as_ptr().cast_mut(), Ordering::Release);
                // SAFETY: as above.
                unsafe { with_exposed_provenance_mut::<u8>(to).write_bytes(value, bytes) };
            }
            Work::Launch { function, .. } => {
                self.running.store(function.name.as_ptr().cast_mut(), Ordering::Release);
                // SAFETY: a kernel of a loaded image, which clang compiles with parameters of 8 bytes each.
                unsafe { call::call(function.address, arguments) };
            }
            Work::Record { event, count } => event.happen(count),
            Work::Wait { event, count } => event.wait(count),
        }
        self.running.store(null_mut(), Ordering::Release);
    }

    /// Whether the calling thread is its thread: device code has called what calls this.
    pub fn is_mine(&self) -> bool {
        // SAFETY: always safe.
        self.thread.load(Ordering::Acquire) == unsafe { libc::gettid() }
    }

    /// What runs now, for messages.
    pub fn running(&self) -> Option<&'static CStr> {
        let name = self.running.load(Ordering::Acquire);
        // SAFETY: not null, so the name of a function, none of which is ever freed.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) })
    }
}

/// A point in a queue.
#[derive(Default)]
pub struct Event {
    state: Mutex<Times>,
    happened: Condvar,
}

/// How often an event was put into a queue, and how often it has happened.
#[derive(Default)]
struct Times {
    promised: u64,
    happened: u64,
}

impl Event {
    /// Another time is promised.
    pub fn promise(&self) -> u64 {
        let mut times = lock(&self.state);
        times.promised += 1;
        times.promised
    }

    /// The last time that was promised; 0 if there was none.
    pub fn promised(&self) -> u64 {
        lock(&self.state).promised
    }

    fn happen(&self, count: u64) {
        let mut times = lock(&self.state);
        times.happened = times.happened.max(count);
        drop(times);
        self.happened.notify_all();
    }

    fn wait(&self, count: u64) {
        let mut times = lock(&self.state);
        while times.happened < count {
            times = self.happened.wait(times).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
