//! How many threads a block of a generic kernel can have: clang and flang write down what `thread_limit` says, flang what the region asks
//! for as well, where the main thread, which has a warp of its own, leaves few workers or none. The host adds that warp to the limit, and
//! more threads than are written down are not launched.

use crate::analysis::kernel::{BLOCK, Kernel, WARP};
use crate::ir::Module;
use abi::mode::ExecMode;

/// What is written down where the program asks for nothing: so many, main thread and workers together.
const DEFAULT: u64 = 128;

/// Adds the warp of the main thread; whether there was a bound to raise.
pub fn run(module: Module) -> bool {
    let mut changed = false;
    for kernel in Kernel::all(module) {
        let Some(most) = kernel.most_threads().filter(|_| kernel.mode() == ExecMode::GENERIC) else {
            continue;
        };
        let raised = with_main_thread(most);
        if raised != most {
            kernel.set_most_threads(raised);
            changed = true;
        }
    }
    changed
}

/// The bound of a block for so many workers.
fn with_main_thread(workers: u64) -> u64 {
    if workers == DEFAULT { DEFAULT } else { (workers.next_multiple_of(WARP) + WARP).min(BLOCK.max(workers)) }
}

#[cfg(test)]
mod tests {
    use super::with_main_thread;

    #[test]
    fn the_main_thread_has_a_warp_of_its_own() {
        assert_eq!([1, 4, 32, 33, 100].map(with_main_thread), [64, 64, 64, 96, 160]);
        assert_eq!([128, 256, 992, 1000, 1024].map(with_main_thread), [128, 288, 1024, 1024, 1024]);
    }
}
