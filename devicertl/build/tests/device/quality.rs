//! The code that clang makes of kernels with the runtime.
//!
//! The state of the runtime folds away only while its code keeps certain shapes (`devicertl/src/state.rs`); one
//! moved store can cost a factor of ten. So the numbers are pinned: change them when they fall, look when they rise.

use super::toolbox::{compile, compile_without_openmp_opt, runtime, text};
use devicertl_build::{kernel::Link, ptx::Ptx};

/// Functions that may stay beside a kernel: openmp-opt calls them, and they are in `llvm.compiler.used`.
const LEAVES: [&str; 5] = [
    "__kmpc_barrier_simple_generic",
    "__kmpc_barrier_simple_spmd",
    "__kmpc_get_hardware_num_threads_in_block",
    "__kmpc_get_hardware_thread_id_in_block",
    "__kmpc_get_warp_size",
];

/// Bytes of shared memory that the runtime declares; clang's own buffer for reductions is not counted.
fn shared_bytes(ptx: &Ptx) -> u32 {
    let shared = ptx.shared().unwrap().into_iter();
    shared.filter(|(name, _)| !name.contains("__openmp_nvptx_data_transfer")).map(|(_, bytes)| bytes).sum()
}

/// Barriers, calls and shuffles of the file's first kernel, bytes of shared memory, functions beside it.
#[track_caller]
fn pin(kernel: &str, link: Link, barriers: u32, shuffles: u32, shared: u32) {
    let text = compile(kernel, link);
    let ptx = Ptx::new(&text);
    let (_, counts) = &ptx.kernels()[0];
    let found = (counts.barriers, counts.calls, counts.shuffles, shared_bytes(&ptx));
    assert_eq!(found, (barriers, 0, shuffles, shared), "{kernel} {link:?}");
    assert_eq!(ptx.undefined(), [""; 0], "{kernel} {link:?}");
    let others: Vec<_> =
        ptx.functions().into_iter().filter(|name| !LEAVES.contains(&name.as_str())).collect();
    assert_eq!(others, [""; 0], "{kernel} {link:?}");
}

#[test]
fn saxpy_has_nothing_of_the_runtime() {
    pin("saxpy", Link::Builtin, 1, 0, 0);
    pin("saxpy", Link::Lto, 1, 0, 0);
}

#[test]
fn a_reduction_keeps_only_its_result_in_shared_memory() {
    pin("dot", Link::Builtin, 6, 14, 8);
    pin("dot", Link::Lto, 6, 14, 0);
}

#[test]
fn a_converted_kernel_keeps_only_its_broadcast_values() {
    pin("serial_parallel", Link::Builtin, 10, 0, 8);
    pin("serial_parallel", Link::Lto, 8, 0, 8);
}

#[test]
fn a_dynamic_loop_shares_a_count_and_its_bounds() {
    pin("dynamic", Link::Builtin, 3, 0, 4);
    pin("dynamic", Link::Lto, 2, 0, 12);
}

#[test]
fn another_kernel_in_the_file_costs_little() {
    pin("neighbour", Link::Builtin, 3, 0, 0);
    pin("neighbour", Link::Lto, 1, 0, 0);
}

#[test]
fn tasks_in_another_kernel_of_the_file_cost_nothing() {
    for (link, barriers) in [(Link::Builtin, 3), (Link::Lto, 1)] {
        let kernels = Ptx::new(&compile("mixed", link)).kernels();
        let (_, saxpy) = kernels.iter().find(|(name, _)| name.ends_with("_mixed_l4")).unwrap();
        assert_eq!((saxpy.barriers, saxpy.calls), (barriers, 0), "{link:?}");
    }
}

#[test]
fn a_generic_kernel_has_its_own_worker_loop_and_state() {
    for link in [Link::Builtin, Link::Lto] {
        let text = compile("stays_generic", link);
        let ptx = Ptx::new(&text);
        // Another copy of the state would be read if a function of the worker loop came from elsewhere.
        assert!(
            !ptx.undefined().iter().any(|name| name.starts_with("__kmpc")),
            "{link:?}: {:?}",
            ptx.undefined()
        );
        assert!(text.contains("__devrtl_shared_REGION"), "{link:?}: the main thread publishes its regions");
        assert!(shared_bytes(&ptx) < 256, "{link:?}: {} bytes", shared_bytes(&ptx));
    }
}

/// Without openmp-opt no one knows whether regions are inside regions. But where no region asks for fewer threads than there
/// are, no worker is idle that could help with one; and the main thread, which runs serial code, is in none.
#[test]
fn without_openmp_opt_nested_teams_are_in_programs_with_small_teams_only() {
    for link in [Link::Builtin, Link::Lto] {
        for (kernel, small) in
            [("inner_parallel", false), ("serial_parallel", false), ("stays_generic", true)]
        {
            let text = compile_without_openmp_opt(kernel, link);
            let calls = |part: &str| text.lines().any(|line| line.contains("call") && line.contains(part));
            assert_eq!(calls("6nested5serve"), small, "{kernel} {link:?}: idle workers");
            assert!(!calls("6nested3run"), "{kernel} {link:?}: regions of the main thread");
        }
    }
}

/// openmp-opt knows every region that the runtime may call, and follows each call into all of them, from each region again.
/// What it then specialises shows how far it went: with the calls of inner regions in sight the compiler needs several
/// times as long for a program with a few of them.
#[test]
fn a_region_in_a_region_is_not_specialised_again_and_again() {
    let text = compile("nested", Link::Lto);
    let ptx = Ptx::new(&text);
    let instructions = ptx.instructions();
    assert!(instructions < 600, "{instructions} instructions");
    // Inlined into the kernel and into the outer region. Left is what runs inner ones.
    let left: Vec<_> =
        ptx.functions().into_iter().filter(|name| name.starts_with("__kmpc_parallel")).collect();
    assert_eq!(left, [""; 0]);
}

/// What a function of the runtime, whose text is given, calls, once for each call: functions of the runtime that were not inlined.
fn calls(text: &str, name: &str) -> Vec<String> {
    let head = format!("@{name}(");
    let body = text.lines().skip_while(|line| !(line.starts_with("define") && line.contains(&head)));
    let calls = body.take_while(|line| *line != "}").filter(|line| line.contains(" call "));
    let callees = calls.filter_map(|line| Some(line.split_once("@_R")?.1.split_once('(')?.0.to_owned()));
    callees.collect()
}

/// Kernels have many barriers and cancellation points, all inlined. openmp-opt asks of every call in a kernel, for every word
/// of the state that it may fold, what it can reach: with nine calls in a barrier a program with ten kernels took a minute
/// to link.
#[test]
fn what_is_inlined_into_kernels_many_times_has_few_calls() {
    let text = text(&runtime().runtime);
    for (name, most) in [("__kmpc_barrier", 4), ("__kmpc_cancel", 2), ("__kmpc_cancellationpoint", 2)] {
        let found = calls(&text, name);
        assert!((1..=most).contains(&found.len()), "{name}: {found:?}");
    }
}
