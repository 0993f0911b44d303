//! `libomptarget.so`: the C names of the entry points, and nothing else.
//!
//! A static library, because a cargo cdylib cannot carry symbol versions: it is linked into a shared library with the
//! version script `exports` beside this package. Every function hands its arguments to the function of
//! [`hostrtl::api`] that the line in the table names; where several names are one function, or where a name has
//! parameters that nobody needs, the table says so.
#![allow(non_snake_case)] // C names

use abi::entry::BinaryDescriptor;
use abi::ident::Ident;
use abi::kernel::KernelArguments;
use core::ffi::{c_int, c_uint, c_void};
use hostrtl::api::kernel_language::{self, Configuration, Dim3, Parameters};
use hostrtl::api::{legacy, llvm, tgt};
use hostrtl::arrays::RawArrays;
use hostrtl::tool::ompt;
use hostrtl::{mapper, runtime};

/// Defines C functions: `fn name(parameters) -> result { body }`.
///
/// A panic in a body ends the process: no panic crosses an `extern "C"` boundary, and the workspace builds with
/// `panic = "abort"`.
macro_rules! export {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// To be called as compiled code calls it: pointers are null where the interface allows that, else valid.
        #[unsafe(no_mangle)]
        #[allow(unused_unsafe)] // some bodies call safe functions only
        pub unsafe extern "C" fn $name($($arg: $ty),*) $(-> $ret)? {
            // SAFETY: the caller keeps the contract of the C interface, which is that of the function in the body.
            unsafe { $body }
        }
    )*};
}

mod interop;
mod omp;
mod replay;

/// The four or six parallel arrays of maps.
fn arrays(
    count: i32,
    bases: *mut *mut c_void,
    begins: *mut *mut c_void,
    sizes: *const i64,
    kinds: *const i64,
    names: *const *const c_void,
    mappers: *const *mut c_void,
) -> RawArrays {
    RawArrays { count, bases, begins, sizes, kinds, names, mappers }
}

const NO_IDENT: *const Ident = core::ptr::null();
const NO_NAMES: *const *const c_void = core::ptr::null();
const NO_MAPPERS: *const *mut c_void = core::ptr::null();
/// There is no such clause, or the construct is no `teams` region.
const UNSPECIFIED: i32 = -1;

export! {
    /// Registers a program or library with its device images.
    fn __tgt_register_lib(descriptor: *const BinaryDescriptor) { tgt::register_lib(descriptor) }
    /// Takes a registration back.
    fn __tgt_unregister_lib(descriptor: *const BinaryDescriptor) { tgt::unregister_lib(descriptor) }
    /// Nothing to do: devices are opened when they are used.
    fn __tgt_rtl_init() {}
    /// Nothing to do: the driver cleans up at exit.
    fn __tgt_rtl_deinit() {}
    /// Opens all devices now; no compiler emits a call.
    fn __tgt_init_all_rtls() { runtime::runtime().devices(); }
    /// Reports that requirements no longer come this way.
    fn __tgt_register_requires(_flags: i64) { tgt::register_requires() }
    /// Runs a target region.
    fn __tgt_target_kernel(
        ident: *const Ident, device: i64, teams: i32, thread_limit: i32, host: *const c_void,
        packet: *const KernelArguments,
    ) -> c_int {
        tgt::target_kernel(ident, device, teams, thread_limit, host, packet)
    }
    /// Runs a target region; libomp has taken care of the dependences.
    fn __tgt_target_kernel_nowait(
        ident: *const Ident, device: i64, teams: i32, thread_limit: i32, host: *const c_void,
        packet: *const KernelArguments, _dependence_count: i32, _dependences: *mut c_void, _noalias_count: i32,
        _noalias: *mut c_void,
    ) -> c_int {
        tgt::target_kernel(ident, device, teams, thread_limit, host, packet)
    }
    /// Asks whether a target task is complete.
    fn __tgt_target_nowait_query(handle: *mut *mut c_void) { tgt::target_nowait_query(handle) }
    /// Number of parts that a mapper has described.
    fn __tgt_mapper_num_components(handle: *mut c_void) -> i64 { mapper::count(handle) }
    /// A mapper describes one part.
    fn __tgt_push_mapper_component(
        handle: *mut c_void, base: *mut c_void, begin: *mut c_void, size: i64, kind: i64, name: *const c_void,
    ) {
        mapper::push(handle, base, begin, size, kind, name)
    }
    /// The trip count comes in the launch packet since LLVM 15.
    fn __kmpc_push_target_tripcount(_device: i64, _trips: u64) {}
    /// The trip count comes in the launch packet since LLVM 15.
    fn __kmpc_push_target_tripcount_mapper(_ident: *const Ident, _device: i64, _trips: u64) {}
    /// The connection of LLVM 19's libraries of device kinds to an OMPT tool.
    fn ompt_libomptarget_connect(result: *mut ompt::StartToolResult) { ompt::libomptarget_connect(result) }
    /// Launches a kernel of a CUDA source.
    fn llvmLaunchKernel(
        stub: *const c_void, grid: Dim3, block: Dim3, parameters: *const Parameters, shared_memory: usize,
        stream: *mut c_void,
    ) -> c_uint {
        kernel_language::launch(stub, Configuration { grid, block, shared_memory, stream }, parameters) as c_uint
    }
    /// Begins a launch of a CUDA source.
    fn __llvmPushCallConfiguration(
        grid: Dim3, block: Dim3, shared_memory: usize, stream: *mut c_void,
    ) -> c_uint {
        kernel_language::push(Configuration { grid, block, shared_memory, stream });
        0
    }
    /// Gives the stub of a kernel what the launch began with.
    fn __llvmPopCallConfiguration(
        grid: *mut Dim3, block: *mut Dim3, shared_memory: *mut usize, stream: *mut *mut c_void,
    ) -> c_uint {
        let configuration = kernel_language::pop();
        *grid = configuration.grid;
        *block = configuration.block;
        *shared_memory = configuration.shared_memory;
        *stream = configuration.stream;
        0
    }
    /// Changes the bits of `LIBOMPTARGET_INFO`.
    fn __tgt_set_info_flag(flags: u32) { llvm::set_info_flag(flags) }
    /// Prints what a device is.
    fn __tgt_print_device_info(device: i64) -> c_int { llvm::print_device_info(device) }
    /// Prints the mapping tables of all devices.
    fn ompx_dump_mapping_tables(_ident: *const Ident) { tgt::dump_mapping_tables() }
}

/// The data constructs: with names and mappers, the same as the body of a target task, and without either.
macro_rules! export_data {
    ($($construct:ident: $mapper:ident, $nowait_mapper:ident, $plain:ident, $nowait:ident;)*) => { export! {$(
        #[doc = concat!("The construct [`tgt::DataConstruct::", stringify!($construct), "`].")]
        fn $mapper(
            ident: *const Ident, device: i64, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void,
            sizes: *const i64, kinds: *const i64, names: *const *const c_void, mappers: *const *mut c_void,
        ) {
            let arrays = arrays(count, bases, begins, sizes, kinds, names, mappers);
            tgt::data(tgt::DataConstruct::$construct, ident, device, arrays, false)
        }
        #[doc = concat!("`", stringify!($mapper), "`; libomp has taken care of the dependences.")]
        fn $nowait_mapper(
            ident: *const Ident, device: i64, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void,
            sizes: *const i64, kinds: *const i64, names: *const *const c_void, mappers: *const *mut c_void,
            _dependence_count: i32, _dependences: *mut c_void, _noalias_count: i32, _noalias: *mut c_void,
        ) {
            let arrays = arrays(count, bases, begins, sizes, kinds, names, mappers);
            tgt::data(tgt::DataConstruct::$construct, ident, device, arrays, true)
        }
        #[doc = concat!("`", stringify!($mapper), "` without location, names and mappers.")]
        fn $plain(
            device: i64, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void, sizes: *const i64,
            kinds: *const i64,
        ) {
            let arrays = arrays(count, bases, begins, sizes, kinds, NO_NAMES, NO_MAPPERS);
            tgt::data(tgt::DataConstruct::$construct, NO_IDENT, device, arrays, false)
        }
        #[doc = concat!("`", stringify!($plain), "`; libomp has taken care of the dependences.")]
        fn $nowait(
            device: i64, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void, sizes: *const i64,
            kinds: *const i64, _dependence_count: i32, _dependences: *mut c_void, _noalias_count: i32, _noalias: *mut c_void,
        ) {
            let arrays = arrays(count, bases, begins, sizes, kinds, NO_NAMES, NO_MAPPERS);
            tgt::data(tgt::DataConstruct::$construct, NO_IDENT, device, arrays, true)
        }
    )*} };
}
export_data! {
    Begin: __tgt_target_data_begin_mapper, __tgt_target_data_begin_nowait_mapper, __tgt_target_data_begin,
        __tgt_target_data_begin_nowait;
    End: __tgt_target_data_end_mapper, __tgt_target_data_end_nowait_mapper, __tgt_target_data_end,
        __tgt_target_data_end_nowait;
    Update: __tgt_target_data_update_mapper, __tgt_target_data_update_nowait_mapper, __tgt_target_data_update,
        __tgt_target_data_update_nowait;
}

export! {
    /// A target region without launch packet.
    fn __tgt_target(
        device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void,
        sizes: *const i64, kinds: *const i64,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, NO_NAMES, NO_MAPPERS);
        legacy::target(NO_IDENT, device, host, arrays, UNSPECIFIED, UNSPECIFIED)
    }
    /// `__tgt_target`; dependences are of no matter to a construct that runs at once.
    fn __tgt_target_nowait(
        device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void,
        sizes: *const i64, kinds: *const i64, _dependence_count: i32, _dependences: *mut c_void, _noalias_count: i32,
        _noalias: *mut c_void,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, NO_NAMES, NO_MAPPERS);
        legacy::target(NO_IDENT, device, host, arrays, UNSPECIFIED, UNSPECIFIED)
    }
    /// `__tgt_target` with location, names and mappers.
    fn __tgt_target_mapper(
        ident: *const Ident, device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void,
        begins: *mut *mut c_void, sizes: *const i64, kinds: *const i64, names: *const *const c_void,
        mappers: *const *mut c_void,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, names, mappers);
        legacy::target(ident, device, host, arrays, UNSPECIFIED, UNSPECIFIED)
    }
    /// `__tgt_target_mapper`; dependences are of no matter to a construct that runs at once.
    fn __tgt_target_nowait_mapper(
        ident: *const Ident, device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void,
        begins: *mut *mut c_void, sizes: *const i64, kinds: *const i64, names: *const *const c_void,
        mappers: *const *mut c_void, _dependence_count: i32, _dependences: *mut c_void, _noalias_count: i32,
        _noalias: *mut c_void,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, names, mappers);
        legacy::target(ident, device, host, arrays, UNSPECIFIED, UNSPECIFIED)
    }
    /// A `target teams` region without launch packet.
    fn __tgt_target_teams(
        device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void,
        sizes: *const i64, kinds: *const i64, teams: i32, thread_limit: i32,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, NO_NAMES, NO_MAPPERS);
        legacy::target(NO_IDENT, device, host, arrays, teams, thread_limit)
    }
    /// `__tgt_target_teams`; dependences are of no matter to a construct that runs at once.
    fn __tgt_target_teams_nowait(
        device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void, begins: *mut *mut c_void,
        sizes: *const i64, kinds: *const i64, teams: i32, thread_limit: i32, _dependence_count: i32,
        _dependences: *mut c_void, _noalias_count: i32, _noalias: *mut c_void,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, NO_NAMES, NO_MAPPERS);
        legacy::target(NO_IDENT, device, host, arrays, teams, thread_limit)
    }
    /// `__tgt_target_teams` with location, names and mappers.
    fn __tgt_target_teams_mapper(
        ident: *const Ident, device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void,
        begins: *mut *mut c_void, sizes: *const i64, kinds: *const i64, names: *const *const c_void,
        mappers: *const *mut c_void, teams: i32, thread_limit: i32,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, names, mappers);
        legacy::target(ident, device, host, arrays, teams, thread_limit)
    }
    /// `__tgt_target_teams_mapper`; dependences are of no matter to a construct that runs at once.
    fn __tgt_target_teams_nowait_mapper(
        ident: *const Ident, device: i64, host: *const c_void, count: i32, bases: *mut *mut c_void,
        begins: *mut *mut c_void, sizes: *const i64, kinds: *const i64, names: *const *const c_void,
        mappers: *const *mut c_void, teams: i32, thread_limit: i32, _dependence_count: i32, _dependences: *mut c_void,
        _noalias_count: i32, _noalias: *mut c_void,
    ) -> c_int {
        let arrays = arrays(count, bases, begins, sizes, kinds, names, mappers);
        legacy::target(ident, device, host, arrays, teams, thread_limit)
    }
}

#[cfg(test)]
mod tests {
    use abi::table::host;
    use std::collections::BTreeSet;

    /// Words of a text that are names of functions that are exported.
    fn names(text: &'static str) -> BTreeSet<&'static str> {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words
            .filter(|word| {
                [&host::COMMON[..], &host::ONLY_22, &host::ONLY_19, &host::OURS].concat().contains(word)
            })
            .collect()
    }

    /// The linker passes over names of the version script that are not defined, so nobody else would notice.
    #[test]
    fn the_version_script_names_what_this_file_defines() {
        let exports = include_str!("../exports");
        let files = [
            include_str!("lib.rs"),
            include_str!("omp.rs"),
            include_str!("interop.rs"),
            include_str!("replay.rs"),
        ];
        let defined = files.iter().flat_map(|file| names(file.split("#[cfg(test)]").next().unwrap()));
        assert_eq!(names(exports), defined.collect());
        assert!(names(exports).contains("__tgt_target_kernel"));
        assert!(exports.contains(host::VERSION_NODE));
        let listed = exports.lines().filter(|line| line.ends_with(';') && line.starts_with("    ")).count();
        assert_eq!(listed, names(exports).len() + 1, "every line is such a name, but `*`");
    }
}
