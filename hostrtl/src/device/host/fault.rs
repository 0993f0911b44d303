//! Faults in device code: signals become errors of the device.
//!
//! A thread that faults in a kernel cannot go on and cannot be unwound, so its handler only notes what happened, wakes a
//! thread that tells the device's queues, and stops. Who waits for the device gets an error that names the kernel; as on
//! a GPU, nothing works on that device afterwards. Faults of the program's own code go where they went before.

use super::{QUEUES, error};
use crate::device::{DeviceError, DeviceResult};
use core::ffi::{c_int, c_void};
use core::mem::{MaybeUninit, zeroed};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicUsize, Ordering};
use std::sync::{OnceLock, PoisonError};

/// Signals of faults, with what they are called.
const SIGNALS: [(c_int, &str); 4] = [
    (libc::SIGSEGV, "segmentation fault"),
    (libc::SIGBUS, "bus error"),
    (libc::SIGILL, "illegal instruction"),
    (libc::SIGFPE, "arithmetic fault"),
];

/// Enough for the handler of a thread whose stack has overflowed.
const HANDLER_STACK: usize = 64 << 10;

/// A list that a signal handler can walk: nodes are only added, and live as long as the process.
struct List<T: 'static>(AtomicPtr<Node<T>>);

struct Node<T> {
    value: T,
    next: *const Node<T>,
}

impl<T> List<T> {
    const fn new() -> Self {
        Self(AtomicPtr::new(null_mut()))
    }

    fn add(&self, value: T) -> &'static T {
        let node = Box::into_raw(Box::new(Node { value, next: null_mut() }));
        let mut first = self.0.load(Ordering::Relaxed);
        loop {
            // SAFETY: nobody else knows the node yet.
            unsafe { (*node).next = first };
            match self.0.compare_exchange_weak(first, node, Ordering::AcqRel, Ordering::Relaxed) {
                // SAFETY: never freed, and not changed from here on.
                Ok(_) => return unsafe { &(*node).value },
                Err(now) => first = now,
            }
        }
    }

    fn find<R>(&self, mut test: impl FnMut(&'static T) -> Option<R>) -> Option<R> {
        let mut node: *const Node<T> = self.0.load(Ordering::Acquire);
        // SAFETY: null or a node, none of which is ever freed.
        while let Some(Node { value, next }) = unsafe { node.as_ref::<'static>() } {
            if let Some(found) = test(value) {
                return Some(found);
            }
            node = *next;
        }
        None
    }
}

/// Where the code of an image is; nowhere once the image is unloaded.
pub struct Code {
    begin: AtomicUsize,
    end: AtomicUsize,
    device: i32,
}

static CODE: List<Code> = List::new();

impl Code {
    /// Makes the code of an image known.
    pub fn add(begin: usize, end: usize, device: i32) -> &'static Self {
        CODE.add(Self { begin: AtomicUsize::new(begin), end: AtomicUsize::new(end), device })
    }

    /// The image is about to go.
    pub fn remove(&self) {
        self.end.store(0, Ordering::Release);
    }

    fn contains(&self, address: usize) -> bool {
        (self.begin.load(Ordering::Acquire)..self.end.load(Ordering::Acquire)).contains(&address)
    }
}

/// The thread of a queue.
struct Worker {
    thread: i32,
    device: i32,
}

static WORKERS: List<Worker> = List::new();

/// The first fault in device code.
struct Fault {
    taken: AtomicBool,
    signal: AtomicI32,
    address: AtomicUsize,
    device: AtomicI32,
    thread: AtomicI32,
}

static FAULT: Fault = Fault {
    taken: AtomicBool::new(false),
    signal: AtomicI32::new(0),
    address: AtomicUsize::new(0),
    device: AtomicI32::new(0),
    thread: AtomicI32::new(0),
};

/// The descriptor that wakes the thread which tells the queues.
static WAKE: AtomicI32 = AtomicI32::new(-1);

/// What the program did about each signal.
static PREVIOUS: [AtomicPtr<libc::sigaction>; SIGNALS.len()] =
    [const { AtomicPtr::new(null_mut()) }; SIGNALS.len()];

/// Installs the handlers, once a process.
pub fn watch() -> DeviceResult<()> {
    static ONCE: OnceLock<DeviceResult<()>> = OnceLock::new();
    ONCE.get_or_init(|| install().map_err(|cause| error("fault handler", cause.to_string()))).clone()
}

fn install() -> std::io::Result<()> {
    // SAFETY: a new descriptor.
    let wake = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
    if wake < 0 {
        return Err(std::io::Error::last_os_error());
    }
    WAKE.store(wake, Ordering::Release);
    std::thread::Builder::new().name("x86 device faults".into()).spawn(move || {
        let mut count = 0_u64;
        // SAFETY: eight bytes for the descriptor's counter. A read that fails is one that a signal broke off.
        while unsafe { libc::read(wake, (&raw mut count).cast(), size_of_val(&count)) } != 8 {}
        tell();
    })?;
    for ((signal, _), previous) in SIGNALS.iter().zip(&PREVIOUS) {
        let old = Box::leak(Box::new(MaybeUninit::<libc::sigaction>::uninit()));
        // SAFETY: `sigaction` is plain data.
        let mut new: libc::sigaction = unsafe { zeroed() };
        new.sa_sigaction = handle as *const () as usize;
        new.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: first the place for the old action, then a complete new one whose handler is async-signal-safe.
        unsafe {
            libc::sigaction(*signal, core::ptr::null(), old.as_mut_ptr());
            previous.store(old.as_mut_ptr(), Ordering::Release);
            libc::sigaction(*signal, &new, null_mut());
        }
    }
    Ok(())
}

/// Makes this thread known as that of a queue, and gives it a stack for the handler.
pub fn prepare_thread(device: i32) -> i32 {
    // SAFETY: a plain question.
    let thread = unsafe { libc::gettid() };
    WORKERS.add(Worker { thread, device });
    let stack = libc::stack_t {
        ss_sp: Box::leak(vec![0_u8; HANDLER_STACK].into_boxed_slice()).as_mut_ptr().cast(),
        ss_flags: 0,
        ss_size: HANDLER_STACK,
    };
    // SAFETY: memory that is never freed.
    unsafe { libc::sigaltstack(&stack, null_mut()) };
    thread
}

/// The handler: nothing here may lock or allocate.
extern "C" fn handle(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both with `SA_SIGINFO`.
    let (address, code, at) = unsafe {
        let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        ((*info).si_addr() as usize, (*info).si_code, registers[libc::REG_RIP as usize] as usize)
    };
    // SAFETY: a plain question.
    let thread = unsafe { libc::gettid() };
    let worker = WORKERS.find(|worker| (worker.thread == thread).then_some(worker.device));
    let device = worker.or_else(|| CODE.find(|code| code.contains(at).then_some(code.device)));
    let Some(device) = device else { return give_back(signal, code) };
    if !FAULT.taken.swap(true, Ordering::AcqRel) {
        FAULT.signal.store(signal, Ordering::Relaxed);
        FAULT.address.store(address, Ordering::Relaxed);
        FAULT.device.store(device, Ordering::Relaxed);
        FAULT.thread.store(thread, Ordering::Relaxed);
        let one = 1_u64;
        // SAFETY: eight bytes for the descriptor's counter.
        unsafe { libc::write(WAKE.load(Ordering::Acquire), (&raw const one).cast(), size_of_val(&one)) };
    }
    loop {
        // SAFETY: waits for a signal.
        unsafe { libc::pause() };
    }
}

/// A fault of the program: what it did about it before is in force again, and the fault comes once more.
fn give_back(signal: c_int, code: c_int) {
    let known = SIGNALS.iter().zip(&PREVIOUS).find(|((number, _), _)| *number == signal);
    let Some((_, previous)) = known else { return };
    // SAFETY: what `install` read. A signal that somebody sent has to be sent again.
    unsafe {
        libc::sigaction(signal, previous.load(Ordering::Acquire), null_mut());
        if code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Makes the fault an error of its device.
fn tell() {
    let [signal, device, thread] =
        [&FAULT.signal, &FAULT.device, &FAULT.thread].map(|part| part.load(Ordering::Acquire));
    let name = SIGNALS.iter().find(|(number, _)| *number == signal).map_or("fault", |(_, name)| name);
    let all = QUEUES.0.read().unwrap_or_else(PoisonError::into_inner).clone();
    let ours = || all.iter().filter(|queue| queue.device.number == device);
    // A thread that libomp made for a kernel belongs to no queue.
    let own = ours().find(|queue| queue.thread.load(Ordering::Acquire) == thread);
    let running: Vec<String> = match own {
        Some(queue) => queue.running().into_iter().map(|name| name.to_string_lossy().into()).collect(),
        None => {
            ours().filter_map(|queue| queue.running()).map(|name| name.to_string_lossy().into()).collect()
        }
    };
    let place = match signal {
        libc::SIGSEGV | libc::SIGBUS => {
            format!(" at address {:#018x}", FAULT.address.load(Ordering::Acquire))
        }
        _ => String::new(),
    };
    let cause = DeviceError { call: running.join(" or "), text: format!("{name}{place}") };
    for queue in ours() {
        let _ = queue.device.lost.set(cause.clone()); // the first fault is the one that counts
        queue.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_until_it_is_removed() {
        let code = Code::add(0x1000, 0x2000, 7);
        let device_of = |address| CODE.find(|code| code.contains(address).then_some(code.device));
        assert_eq!([0xfff, 0x1000, 0x1fff, 0x2000].map(device_of), [None, Some(7), Some(7), None]);
        code.remove();
        assert_eq!(device_of(0x1000), None);
    }
}
