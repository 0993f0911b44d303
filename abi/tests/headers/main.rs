//! The function table and the layouts against the `OMPKinds.def` of every installed LLVM with a known table.
//! LLVM 22's must be there.

mod kinds;
#[path = "../support/mod.rs"]
mod support;

use abi::{
    kernel::{ConfigurationEnvironment, DynamicEnvironment, KernelArguments, KernelEnvironment},
    table::{self, Llvm, Type},
};
use core::mem::{offset_of, size_of};
use kinds::{Declared, Kinds};
use support::{installed, missing};

const HEADER: &str = "include/llvm/Frontend/OpenMP/OMPKinds.def";

/// The header of each installed release.
fn headers() -> Vec<(Llvm, Kinds)> {
    let found = installed(HEADER);
    if !found.iter().any(|(llvm, _)| *llvm == Llvm::V22) {
        missing(&format!("/usr/lib/llvm-22/{HEADER}"));
    }
    let read = found.into_iter().map(|(llvm, path)| {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (llvm, Kinds::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    });
    read.collect()
}

#[test]
fn order_names_and_types_are_those_of_the_headers() {
    for (llvm, kinds) in headers() {
        assert_eq!(kinds.functions.len(), table::len(llvm), "entries of {llvm:?}");
        for (index, (declared, entry)) in kinds.functions.iter().zip(table::entries(llvm)).enumerate() {
            let signature = entry.signature(llvm).expect("an entry of this version has a signature");
            let ours = Declared {
                name: entry.name.into(),
                ret: signature.ret,
                params: signature.params.to_vec(),
                varargs: signature.varargs,
            };
            assert_eq!(&ours, declared, "entry {index} of {llvm:?}");
        }
    }
}

#[test]
fn layouts_are_those_of_the_headers() {
    macro_rules! ours {
        ($ty:ty, $($field:ident),+) => { vec![$(offset_of!($ty, $field) as u64,)+ size_of::<$ty>() as u64] };
    }
    for (llvm, kinds) in headers() {
        let expect = [
            ("Ident", ours!(abi::ident::Ident, reserved_1, flags, reserved_2, reserved_3, psource)),
            (
                "KernelArgs",
                ours!(
                    KernelArguments,
                    version,
                    num_args,
                    arg_base_ptrs,
                    arg_ptrs,
                    arg_sizes,
                    arg_types,
                    arg_names,
                    arg_mappers,
                    trip_count,
                    flags,
                    num_teams,
                    thread_limit,
                    dyn_cgroup_mem
                ),
            ),
            (
                "ConfigurationEnvironment",
                ours!(
                    ConfigurationEnvironment,
                    use_generic_state_machine,
                    may_use_nested_parallelism,
                    exec_mode,
                    min_threads,
                    max_threads,
                    min_teams,
                    max_teams,
                    reduction_data_size,
                    reduction_buffer_length
                ),
            ),
            ("DynamicEnvironment", ours!(DynamicEnvironment, debug_indention_level)),
            ("KernelEnvironment", ours!(KernelEnvironment, configuration, ident, dynamic)),
        ];
        for (name, layout) in expect {
            assert_eq!(kinds.layout(name), layout, "{name} of {llvm:?}");
        }
    }
}

#[test]
fn the_parser_reads_what_the_header_may_hold() {
    let text = "__OMP_TYPE(Void)\n__OMP_TYPE(Int32) // a comment, with ( in it\n__OMP_PTR_TYPE(VoidPtr)\n\
                __OMP_STRUCT_TYPE(Pair, pair_t, false, Int32,\n  VoidPtr)\n\
                #define __OMP_RTL(Name, ...) OMP_RTL(Name)\n\
                __OMP_RTL(first, true, Void, PairPtr, /* Int */ Int32,\n          VoidPtr)\n\
                __OMP_RTL(second, false, Int32, )\n";
    let kinds = Kinds::parse(text).unwrap();
    let first = Declared {
        name: "first".into(),
        ret: Type::Void,
        params: vec![Type::Ptr, Type::I32, Type::Ptr],
        varargs: true,
    };
    let second = Declared { name: "second".into(), ret: Type::I32, params: vec![], varargs: false };
    assert_eq!(kinds.functions, [first, second]);
    assert_eq!(kinds.layout("Pair"), [0, 8, 16]);
    assert!(Kinds::parse("__OMP_RTL(f, false, Strange)").is_err());
    assert!(Kinds::parse("__OMP_TYPE(Quad)").is_err());
}
