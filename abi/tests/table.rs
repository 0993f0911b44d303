//! The rules of the function table that need no file of LLVM's.

use abi::table::{self, Category, Llvm, Owner, Type, by_index, by_name, device, host};
use std::collections::{BTreeMap, BTreeSet};

const GTID: [Type; 2] = [Type::Ptr, Type::I32];

#[test]
fn sizes_of_the_four_tables() {
    let sizes = Llvm::ALL.map(table::len);
    assert_eq!(sizes, [191, 191, 194, 194, 195]);
    for llvm in Llvm::ALL {
        let last = by_index(llvm, table::len(llvm) - 1).unwrap();
        assert_eq!((last.name, last.category), ("__last", Category::Sentinel));
        assert_eq!(by_index(llvm, table::len(llvm)), None);
        assert_eq!(table::entries(llvm).count(), table::len(llvm));
    }
}

#[test]
fn landmarks_move_with_the_version() {
    let landmarks = [
        ("__kmpc_barrier", [0, 0, 0, 0]),
        ("__kmpc_team_static_init_4", [87, 88, 88, 89]),
        ("__kmpc_fork_teams", [116, 117, 118, 119]),
        ("__kmpc_push_target_tripcount_mapper", [135, 136, 137, 138]),
        ("__tgt_target_data_begin_mapper", [143, 143, 144, 145]),
        ("__kmpc_target_init", [154, 154, 155, 156]),
        ("__kmpc_for_static_loop_4", [158, 158, 159, 160]),
        ("__kmpc_kernel_parallel", [170, 170, 171, 172]),
        ("__kmpc_alloc_shared", [179, 179, 180, 181]),
        ("__kmpc_barrier_simple_spmd", [186, 186, 187, 188]),
        ("__last", [190, 190, 193, 194]),
    ];
    for (name, indices) in landmarks {
        for (llvm, index) in [Llvm::V18, Llvm::V19, Llvm::V21, Llvm::V22].into_iter().zip(indices) {
            assert_eq!(by_name(name).unwrap().index_in(llvm), Some(index), "{name} of {llvm:?}");
            assert_eq!(by_index(llvm, index).unwrap().name, name, "{index} of {llvm:?}");
        }
    }
}

#[test]
fn lookups_invert_each_other() {
    for llvm in Llvm::ALL {
        for (index, entry) in table::entries(llvm).enumerate() {
            assert_eq!(by_index(llvm, index), Some(entry));
            assert_eq!(by_name(entry.name), Some(entry));
            assert_eq!(entry.index_in(llvm), Some(index));
        }
    }
    assert_eq!(by_name("__kmpc_barrie"), None);
    assert_eq!(by_name(""), None);
    // Lookups work in constants.
    const INIT: Option<usize> = by_name("__kmpc_target_init").unwrap().index_in(Llvm::V22);
    assert_eq!(INIT, Some(156));
}

#[test]
fn functions_come_and_go_with_versions() {
    let span = |name: &str| by_name(name).map(|e| (e.since, e.until, e.index)).unwrap();
    assert_eq!(span("__tgt_register_requires"), (Llvm::V18, Llvm::V18, None));
    assert_eq!(span("__kmpc_dispatch_deinit"), (Llvm::V19, Llvm::V22, Some(87)));
    assert_eq!(span("__kmpc_taskloop_5"), (Llvm::V20, Llvm::V22, Some(106)));
    assert_eq!(span("__kmpc_parallel_51"), (Llvm::V18, Llvm::V21, Some(158)));
    assert_eq!(span("__kmpc_parallel_60"), (Llvm::V22, Llvm::V22, None));
    assert_eq!(span("__kmpc_push_num_threads_strict"), (Llvm::V22, Llvm::V22, None));
    assert_eq!(by_index(Llvm::V22, 12).unwrap().name, "__kmpc_push_num_threads_strict");
    assert_eq!(by_index(Llvm::V22, 159).unwrap().name, "__kmpc_parallel_60");
    assert_eq!(by_name("__kmpc_parallel_51").unwrap().signature(Llvm::V22), None);
    assert_eq!(by_name("__kmpc_parallel_60").unwrap().index_in(Llvm::V21), None);
}

#[test]
fn signatures_change_with_the_version() {
    let params = |name: &str, llvm| by_name(name).unwrap().signature(llvm).unwrap().params.len();
    assert_eq!(params("__kmpc_parallel_51", Llvm::V19) + 1, params("__kmpc_parallel_60", Llvm::V22));
    let mut with_flag = 0;
    for entry in table::entries(Llvm::V22).filter(|e| e.name.contains("_static_loop_")) {
        let (old, new) = (entry.signature(Llvm::V21).unwrap(), entry.signature(Llvm::V22).unwrap());
        assert_eq!(new.params.split_last(), Some((&Type::I8, old.params)), "{}", entry.name);
        with_flag += 1;
    }
    assert_eq!(with_flag, 12);
    for action in ["begin", "end", "update"] {
        let name = format!("__tgt_target_data_{action}_nowait_mapper");
        assert_eq!([Llvm::V18, Llvm::V19, Llvm::V22].map(|v| params(&name, v)), [9, 13, 13], "{name}");
    }
}

#[test]
fn only_microtask_calls_have_variable_arguments() {
    for llvm in Llvm::ALL {
        let names: Vec<_> = table::entries(llvm)
            .filter(|e| e.signature(llvm).unwrap().varargs)
            .map(|e| (e.name, e.category))
            .collect();
        assert_eq!(
            names,
            [("__kmpc_fork_call", Category::Parallel), ("__kmpc_fork_teams", Category::Teams)],
            "{llvm:?}"
        );
    }
}

#[test]
fn signatures_that_are_often_written_down_wrong() {
    let signature = |name: &str| by_name(name).unwrap().signature(Llvm::V21).unwrap().to_string();
    let expected = [
        ("__kmpc_cancel_barrier", "i32 (ptr, i32)"),
        ("__kmpc_fork_call", "void (ptr, i32, ptr, ...)"),
        ("__kmpc_fork_call_if", "void (ptr, i32, ptr, i32, ptr)"),
        ("__kmpc_omp_taskwait", "i32 (ptr, i32)"),
        ("__kmpc_critical_with_hint", "void (ptr, i32, ptr, i32)"),
        ("__kmpc_for_static_init_8u", "void (ptr, i32, i32, ptr, ptr, ptr, ptr, i64, i64)"),
        ("__kmpc_taskloop_5", "void (ptr, i32, ptr, i32, ptr, ptr, i64, i32, i32, i64, i32, ptr)"),
        ("__tgt_interop_destroy", "void (ptr, i32, ptr, i32, i32, ptr, i32)"),
        ("__kmpc_init_allocator", "ptr (i32, ptr, i32, ptr)"),
        (
            "__kmpc_nvptx_teams_reduce_nowait_v2",
            "i32 (ptr, ptr, i32, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr)",
        ),
        ("__kmpc_get_shared_variables", "void (ptr)"),
        ("__kmpc_target_init", "i32 (ptr, ptr)"),
        ("__kmpc_kernel_parallel", "i1 (ptr)"),
        ("omp_get_wtime", "double ()"),
    ];
    for (name, text) in expected {
        assert_eq!(signature(name), text, "{name}");
    }
    assert_eq!(by_name("__kmpc_barrier").unwrap().signature(Llvm::V18).unwrap().params, GTID);
}

#[test]
fn categories_partition_the_194_entries() {
    let mut members: BTreeMap<Category, Vec<u16>> = BTreeMap::new();
    for entry in table::entries(Llvm::V21) {
        members.entry(entry.category).or_default().push(entry.index.unwrap());
    }
    use Category::*;
    let counts = [
        (Query, 34),
        (Parallel, 6),
        (Sync, 12),
        (CancelError, 3),
        (Tasking, 23),
        (Worksharing, 47),
        (Masked, 4),
        (BeginEnd, 2),
        (Reduction, 4),
        (Teams, 4),
        (DataSharing, 3),
        (Doacross, 4),
        (Allocator, 5),
        (Interop, 3),
        (Offload, 17),
        (GpuMode, 8),
        (Warp, 4),
        (GpuReduction, 3),
        (GpuSharing, 5),
        (Profiling, 2),
        (Sentinel, 1),
    ];
    assert_eq!(members.iter().map(|(c, m)| (*c, m.len())).collect::<Vec<_>>(), counts);
    let mut all: Vec<_> = members.into_values().flatten().collect();
    all.sort_unstable();
    assert_eq!(all, (0..194).collect::<Vec<u16>>());
}

#[test]
fn owners_of_the_194_entries() {
    let owned = |owner| table::entries(Llvm::V21).filter(|e| e.owner == owner).count();
    let counts = [Owner::Both, Owner::Device, Owner::Libomp, Owner::Libomptarget, Owner::Nobody].map(owned);
    assert_eq!(counts, [75, 43, 53, 18, 5]);
}

#[test]
fn host_only_entries_are_not_of_the_device() {
    for entry in &table::ENTRIES {
        let device = matches!(entry.owner, Owner::Device | Owner::Both);
        assert!(!(device && entry.host_only), "{}", entry.name);
        assert!(entry.host_only || entry.owner != Owner::Libomptarget, "{}", entry.name);
    }
    let host_only = table::entries(Llvm::V21).filter(|e| e.host_only);
    assert_eq!(host_only.count(), 31);
}

#[test]
fn no_name_is_in_two_tables() {
    let mut names = BTreeSet::new();
    let all = table::ENTRIES.iter().map(|e| e.name).chain(device::all().map(|f| f.name));
    for name in all.chain(device::GLOBALS) {
        assert!(names.insert(name), "{name} stands twice");
    }
}

#[test]
fn counts_of_llvms_device_exports() {
    // Functions with C names in the bitcode of LLVM's device runtimes.
    assert_eq!(device::llvm_exports(Llvm::V19).count(), 153);
    assert_eq!(device::llvm_exports(Llvm::V22).count(), 165);
}

#[test]
fn what_a_device_runtime_may_export() {
    for name in ["__kmpc_parallel_51", "__kmpc_parallel_60", "__kmpc_error", "__kmpc_kernel_prepare_parallel"]
    {
        assert!(device::is_export(name), "{name}");
    }
    for name in ["omp_get_team_num", "omp_set_nest_lock", "__nv_sqrt", "__assert_fail"] {
        assert!(device::is_export(name), "{name}");
    }
    for name in ["__last", "__tgt_target_kernel", "__kmpc_fork_teams", "__tgt_register_requires", "main"] {
        assert!(!device::is_export(name), "{name}");
    }
}

#[test]
fn host_exports_have_the_known_counts_and_no_doubles() {
    for (llvm, count) in [(Llvm::V19, 71), (Llvm::V22, 81)] {
        let names: Vec<_> = host::exports(llvm).unwrap().collect();
        assert_eq!(names.len(), count);
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), count);
    }
    assert!(host::exports(Llvm::V21).is_none() && host::soname(Llvm::V21).is_none());
}
