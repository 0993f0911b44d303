//! The code that clang makes of kernels with the runtime.
//!
//! The state of the runtime folds away only while its code keeps certain shapes (`devicertl/src/state.rs`); one
//! moved store can cost a factor of ten. So the numbers are pinned: change them when they fall, look when they rise.

use super::{
    ptx::{Counts, Ptx},
    toolbox::{Mode, compile},
};

/// Functions that may stay beside a kernel: openmp-opt calls them, and they are in `llvm.compiler.used`.
const LEAVES: [&str; 5] = [
    "__kmpc_barrier_simple_generic",
    "__kmpc_barrier_simple_spmd",
    "__kmpc_get_hardware_num_threads_in_block",
    "__kmpc_get_hardware_thread_id_in_block",
    "__kmpc_get_warp_size",
];

/// Barriers, calls and shuffles of the kernel, bytes of shared memory, functions beside it.
#[track_caller]
fn pin(kernel: &str, mode: Mode, barriers: usize, shuffles: usize, shared: usize) {
    let text = compile(kernel, mode);
    let ptx = Ptx::new(&text);
    let wanted = (Counts { barriers, calls: 0, shuffles }, shared);
    assert_eq!((ptx.kernel(), ptx.shared_bytes()), wanted, "{kernel} {mode:?}");
    assert_eq!(ptx.undefined(), [""; 0], "{kernel} {mode:?}");
    let others: Vec<_> =
        ptx.functions().into_iter().filter(|name| !LEAVES.contains(&name.as_str())).collect();
    assert_eq!(others, [""; 0], "{kernel} {mode:?}");
}

#[test]
fn saxpy_has_nothing_of_the_runtime() {
    pin("saxpy", Mode::Builtin, 2, 0, 0);
    pin("saxpy", Mode::Lto, 1, 0, 0);
}

#[test]
fn a_reduction_keeps_only_its_result_in_shared_memory() {
    pin("dot", Mode::Builtin, 7, 6, 8);
    pin("dot", Mode::Lto, 6, 6, 0);
}

#[test]
fn a_converted_kernel_keeps_only_its_broadcast_values() {
    pin("serial_parallel", Mode::Builtin, 11, 0, 8);
    pin("serial_parallel", Mode::Lto, 8, 0, 8);
}

#[test]
fn another_kernel_in_the_file_costs_little() {
    pin("neighbour", Mode::Builtin, 3, 0, 4);
    pin("neighbour", Mode::Lto, 1, 0, 0);
}

#[test]
fn a_generic_kernel_has_its_own_worker_loop_and_state() {
    for mode in [Mode::Builtin, Mode::Lto] {
        let text = compile("stays_generic", mode);
        let ptx = Ptx::new(&text);
        // Another copy of the state would be read if a function of the worker loop came from elsewhere.
        assert!(
            !ptx.undefined().iter().any(|name| name.starts_with("__kmpc")),
            "{mode:?}: {:?}",
            ptx.undefined()
        );
        assert!(text.contains("__devrtl_shared_REGION"), "{mode:?}: the main thread publishes its regions");
        assert!(ptx.shared_bytes() < 256, "{mode:?}: {} bytes", ptx.shared_bytes());
    }
}
