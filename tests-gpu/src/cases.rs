//! The programs under test and their command lines: one table.

use crate::Run;

/// Which command compiles a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Route {
    /// `omptarget cc`, or `c++`.
    Omptarget,
    /// The same without the passes: clang-22 as it is, with our runtimes.
    Plain,
    /// `omptarget fc`.
    OmptargetFc,
    /// Plain flang-22, with the installed folder that it takes for CUDA's on the PATH.
    Flang,
    /// The same with an ELF file as image.
    FlangElf,
    /// Plain clang-19, which has an archive of its own.
    Clang19,
    /// Plain clang-22 with the installed configuration file.
    Config,
    /// Plain clang-22 with every option written out.
    Clang,
    /// The same without device LTO, clang's default: the runtime is linked into each source file.
    NoLto,
    /// Plain clang-22 with this CPU as device.
    HostCpu,
    /// As [`Route::Clang`], with another image for this CPU.
    GpuAndHostCpu,
    /// As [`Route::Clang`], with an ELF file as image, which LLVM's libomptarget takes.
    Elf,
    /// The same with LLVM 22's device runtime.
    LlvmDevice,
    /// As [`Route::Clang19`], with an ELF file as image, linked with LLVM 19's libomptarget.
    Clang19Elf,
    /// The same with LLVM 19's device runtime.
    Llvm19Device,
    /// As [`Route::LlvmDevice`], with PTX as image, which our host runtime runs on every device.
    LlvmDevicePtx,
    /// As [`Route::Llvm19Device`], with PTX as image.
    Llvm19DevicePtx,
    /// Plain clang-22 for CUDA sources, whose kernels our host runtime launches (`-foffload-via-llvm`).
    Cuda,
}

/// One program with one command line.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The source, below `kernels/`.
    pub source: &'static str,
    /// More sources of the program.
    pub units: &'static [&'static str],
    /// The command.
    pub route: Route,
    /// A word for the options, unique for the source.
    pub variant: &'static str,
    /// The options, in groups.
    pub options: &'static [&'static [&'static str]],
    /// The modes of its kernels, sorted, each once. Empty: they do not matter, but something must be launched.
    pub modes: &'static [&'static str],
    /// A run on the host is no measure for it: it checks itself.
    pub checks_itself: bool,
    /// It shows a defect of LLVM's device runtime that only some schedules bring out, among other things.
    pub many_schedules: bool,
    /// Its run under the checkers of the SIMT device is part of every test run; of the others when asked for.
    pub checked: bool,
    /// The passes run on each of its files, and not at the link.
    pub passes: bool,
}

impl Case {
    /// Whether it requires that host and device share memory, of which checkers know nothing.
    pub fn shares_memory(&self) -> bool {
        self.source.ends_with("unified_shared_memory.c")
    }

    /// A program of one source, of which nothing more is expected than what all have in common.
    pub const fn new(
        source: &'static str,
        route: Route,
        variant: &'static str,
        options: &'static [&'static [&'static str]],
    ) -> Self {
        Self {
            source,
            units: &[],
            route,
            variant,
            options,
            modes: &[],
            checks_itself: false,
            many_schedules: false,
            checked: false,
            passes: false,
        }
    }

    /// Its name in test lists, which is also the file name of the program: `cg.O2`, `features.queries.O0`.
    pub fn name(&self) -> String {
        let source = self.source.rsplit_once('.').map_or(self.source, |(stem, _)| stem);
        format!("{}.{}", source.replace('/', "."), self.variant)
    }

    /// Whether the passes run on it.
    pub fn runs_passes(&self) -> bool {
        self.passes || matches!(self.route, Route::Omptarget | Route::OmptargetFc)
    }

    /// Whether it is written in Fortran.
    pub fn is_fortran(&self) -> bool {
        self.source.ends_with(".f90")
    }

    /// The run on the host that a run on the device is compared with. Fortran has one thread there: flang 22's reductions
    /// over teams hang with several (docs/upstream.md).
    pub fn host_run(&self) -> Run {
        if self.is_fortran() { Run::on_host().with("OMP_NUM_THREADS", 1) } else { Run::on_host() }
    }

    /// Whether a run on the host is a measure for it.
    pub fn compares_with_host(&self) -> bool {
        !self.is_defect() && !self.checks_itself
    }

    /// Whether it is one of the programs that show what LLVM's device runtime does wrong (docs/defects.md). They need
    /// many schedules, and the host's runtime is no measure for them.
    pub fn is_defect(&self) -> bool {
        self.source.starts_with("defects/")
    }

    /// Whether it needs many schedules: it is one of those programs, or it shows such a defect among other things.
    pub fn needs_many_schedules(&self) -> bool {
        self.is_defect() || self.many_schedules
    }
}

/// Options that keep the compiler from converting generic kernels, when it compiles and when it links.
pub(crate) const KEEP_GENERIC: &[&str] =
    &["-Xarch_device", "-mllvm=-openmp-opt-disable", "-Xoffload-linker", "-mllvm=-openmp-opt-disable"];

/// Options with which generic kernels stay generic and the compiler writes their state machine.
pub const STATE_MACHINE: &[&str] = &[
    "-Xarch_device",
    "-mllvm=-openmp-opt-disable-spmdization",
    "-Xoffload-linker",
    "-mllvm=-openmp-opt-disable-spmdization",
];

/// The ways in which most programs are built: optimised, with generic kernels left to the runtime's state machine or to
/// one of the compiler's, and not optimised.
const O2: &[&[&str]] = &[&["-O2"]];
const GENERIC: &[&[&str]] = &[&["-O2"], KEEP_GENERIC];
const MACHINE: &[&[&str]] = &[&["-O2"], STATE_MACHINE];
const O0: &[&[&str]] = &[&["-O0"]];

/// Not optimised, a loop over many elements takes long.
const FEW_ELEMENTS_O0: &[&[&str]] = &[&["-O0", "-DELEMENTS=10000"]];

/// The syntax of `uses_allocators` is that of OpenMP 5.2.
const ALLOCATORS_O2: &[&[&str]] = &[&["-O2", "-fopenmp-version=52"]];
const ALLOCATORS_O0: &[&[&str]] = &[&["-O0", "-fopenmp-version=52"]];

macro_rules! cases {
    ($($source:literal $(+ $unit:literal)* $route:ident $variant:literal $options:expr, $modes:expr $(, $flag:ident)*;)+) => {
        /// All cases.
        pub const CASES: &[Case] = &[$(
            Case {
                units: &[$($unit),*],
                modes: &$modes,
                $($flag: true,)*
                ..Case::new($source, Route::$route, $variant, $options)
            },
        )+];
    };
}

cases! {
    "saxpy_reduce.c" Omptarget "O2" O2, ["Generic-SPMD", "SPMD", "SPMD-No-Loop"], checked;
    "saxpy_reduce.c" Omptarget "O0" FEW_ELEMENTS_O0, ["Generic", "SPMD"];
    "saxpy_reduce.c" Config "config" O2, ["Generic-SPMD", "SPMD"];
    "saxpy_reduce.c" Clang "clang" &[&["-O3"]], ["Generic-SPMD", "SPMD"];
    "generic.c" Omptarget "O2" O2, ["Generic-SPMD"];
    "generic.c" Plain "generic" GENERIC, ["Generic"];
    "generic.c" Plain "machine" MACHINE, ["Generic"];
    "generic.c" Omptarget "O0" O0, ["Generic"], checked;
    "generic.c" Clang "clang" O2, ["Generic-SPMD"];
    "cg.c" Omptarget "O2" &[&["-O2", "-lm"]], ["SPMD", "SPMD-No-Loop"];
    "cg.c" Omptarget "debug" &[&["-O1", "-g", "-lm"]], ["SPMD", "SPMD-No-Loop"];
    "cg.c" Clang "clang" &[&["-O2", "-lm"]], ["SPMD"];

    "saxpy_reduce.c" NoLto "no-lto" O2, ["Generic-SPMD", "SPMD"];
    "saxpy_reduce.c" NoLto "no-lto-O0" FEW_ELEMENTS_O0, ["Generic", "SPMD"];
    "generic.c" NoLto "no-lto" O2, ["Generic-SPMD"];
    "generic.c" NoLto "no-lto-generic" GENERIC, ["Generic"];
    "generic.c" NoLto "no-lto-machine" MACHINE, ["Generic"];
    "generic.c" NoLto "no-lto-debug" &[&["-O0", "-g"]], ["Generic"];
    "cg.c" NoLto "no-lto-debug" &[&["-O1", "-g", "-lm"]], ["SPMD"];
    "units/levels.c" + "units/levels_other.c" Omptarget "O2" O2, [];
    "units/levels.c" + "units/levels_other.c" Omptarget "O0" O0, [], checked;
    "units/inner.c" + "units/inner_other.c" Omptarget "O2" O2, [], checked;
    "units/inner.c" + "units/inner_other.c" Omptarget "O0" O0, [], checked;
    "units/regions.f90" + "units/regions_other.f90" OmptargetFc "O2" O2, [], checked;
    "units/regions.f90" + "units/regions_other.f90" OmptargetFc "O0" O0, [], checked;
    "units/regions.f90" + "units/regions_other.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "units/blocks.c" + "units/blocks_other.c" Omptarget "O2" O2, [], checked;
    "units/blocks.c" + "units/blocks_other.c" Omptarget "O0" O0, [];
    "units/blocks.c" + "units/blocks_other.c" NoLto "no-lto" O2, [], checked;
    "units/shapes.cpp" + "units/shapes_other.cpp" Omptarget "O2" O2, [];
    "units/shapes.cpp" + "units/shapes_other.cpp" NoLto "no-lto" O2, [];
    "units/shapes.cpp" + "units/shapes_other.cpp" NoLto "no-lto-O0" O0, [], checked;
    "features/classes.cpp" NoLto "no-lto" O2, [];
    "features/c_library.c" Omptarget "O2" O2, [], checked;
    "features/c_library.c" Omptarget "O0" O0, [];
    "features/c_library.c" Config "config" O2, [];
    "features/c_library.c" NoLto "no-lto" O2, [];
    "features/complex_functions.c" Omptarget "O2" &[&["-O2", "-lm"]], [], checked;
    "features/complex_functions.c" Omptarget "O0" &[&["-O0", "-lm"]], [];
    "features/complex_functions.c" NoLto "no-lto" &[&["-O2", "-lm"]], [];
    "features/cxx_aligned.cpp" Omptarget "O2" &[&["-O2", "-std=c++17"]], [], checked;
    "features/cxx_aligned.cpp" Omptarget "O0" &[&["-O0", "-std=c++17"]], [];
    "features/cxx_aligned.cpp" Omptarget "no-lto" &[&["-O2", "-std=c++17", "-fno-offload-lto"]], [];
    "features/cxx_containers.cpp" Omptarget "O2" &[&["-O2", "-std=c++17"]], [], checked;
    "features/cxx_containers.cpp" Omptarget "O0" &[&["-O0", "-std=c++17"]], [];
    "features/cxx_containers.cpp" Omptarget "cxx20" &[&["-O2", "-std=c++20"]], [];
    "features/cxx_containers.cpp" Config "config" &[&["-O2", "-std=c++17"]], [];
    "features/cxx_containers.cpp" Omptarget "no-lto" &[&["-O2", "-std=c++17", "-fno-offload-lto"]], [];
    "features/cxx_numbers.cpp" Omptarget "O2" &[&["-O2", "-std=c++17"]], [], checked;
    "features/cxx_numbers.cpp" Omptarget "O0" &[&["-O0", "-std=c++20"]], [];
    "features/cxx_numbers.cpp" Omptarget "no-lto" &[&["-O2", "-std=c++17", "-fno-offload-lto"]], [];
    "features/cxx_library.cpp" Omptarget "O2" &[&["-O2", "-std=c++17"]], [], checked;
    "features/cxx_library.cpp" Omptarget "O0" &[&["-O0", "-std=c++17"]], [];
    "features/cxx_library.cpp" Omptarget "no-lto" &[&["-O2", "-std=c++17", "-fno-offload-lto"]], [];
    "features/captured_by_reference.cpp" Omptarget "O2" O2, [], checked;
    "features/captured_by_reference.cpp" Omptarget "O1" &[&["-O1"]], [];
    "features/captured_by_reference.cpp" Omptarget "O3" &[&["-O3"]], [];
    "features/captured_by_reference.cpp" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/host_constants.cpp" Omptarget "O2" &[&["-O2", "-std=c++20"]], [];
    "features/host_constants.cpp" Omptarget "O0" &[&["-O0", "-std=c++20"]], [], checked;
    "features/host_constants.cpp" Omptarget "no-lto" &[&["-O2", "-std=c++20", "-fno-offload-lto"]], [];
    "features/declare_target.c" NoLto "no-lto" O2, [];
    "features/printf.c" NoLto "no-lto" O2, [];
    "features/printf_sizes.c" Omptarget "O2" O2, [];
    "features/reduction_sizes.c" Omptarget "O2" O2, [], checked;
    "features/reduction_sizes.c" Omptarget "O0" O0, [], checked;
    "features/reduction_sizes.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/section_of_a_pointer.c" Omptarget "O2" O2, [], checked;
    "features/section_of_a_pointer.c" Omptarget "O0" O0, [], checked;
    "features/section_of_a_pointer.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/compiler_functions.c" Omptarget "O2" O2, [], checked;
    "features/compiler_functions.c" Omptarget "O0" O0, [];
    "features/compiler_functions.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/thread_limits.c" Omptarget "O2" O2, [], checked;
    "features/thread_limits.c" Omptarget "O0" O0, [], checked;
    "features/thread_limits.c" Omptarget "O0-debug" &[&["-O0", "-g"]], [];
    "features/thread_limits.c" Omptarget "no-lto-debug" &[&["-O2", "-g", "-fno-offload-lto"]], [];
    "features/lines_of_regions.c" Omptarget "O2-debug" &[&["-O2", "-g"]], [];
    "features/lines_of_regions.c" Omptarget "O3-debug" &[&["-O3", "-g"]], [];
    "features/rings.c" Omptarget "O2" O2, [], checked;
    "features/rings.c" Omptarget "O0" O0, [];
    "features/rings.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/choices.cpp" Omptarget "O1" &[&["-O1"]], [];
    "features/choices.cpp" Omptarget "O2" O2, [], checked;
    "features/choices.cpp" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/loop_variables.c" Omptarget "O1" &[&["-O1"]], [];
    "features/loop_variables.c" Omptarget "O2" O2, [], checked;
    "features/loop_variables.c" Omptarget "O3-debug" &[&["-O3", "-g"]], [];
    "features/loop_variables.c" Omptarget "O0" O0, [];
    "features/loop_variables.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/addresses.c" Omptarget "O1" &[&["-O1"]], [];
    "features/addresses.c" Omptarget "O2" O2, [], checked;
    "features/addresses.c" Omptarget "O3-debug" &[&["-O3", "-g"]], [];
    "features/addresses.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/computed_goto.c" Omptarget "O2" O2, [], checked;
    "features/computed_goto.c" Omptarget "O0" O0, [], checked;
    "features/computed_goto.c" Omptarget "O1-debug" &[&["-O1", "-g"]], [];
    "features/computed_goto.c" Omptarget "no-lto" &[&["-O3", "-fno-offload-lto"]], [];
    "features/half_values.c" Omptarget "O2" O2, [];
    "features/half_values.c" Omptarget "O0" O0, [];
    "features/half_values.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/own_functions.c" Omptarget "O1" &[&["-O1"]], [], checked;
    "features/own_functions.c" Omptarget "O2" O2, [], checked;
    "features/own_functions.c" Omptarget "O0" O0, [];
    "features/own_functions.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/serial_order.c" Omptarget "O2" O2, [], checked;
    "features/serial_order.c" Omptarget "O0" O0, [];
    "features/serial_order.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/structures_in_regions.cpp" Omptarget "O2" O2, [], checked;
    "features/structures_in_regions.cpp" Omptarget "O0" O0, [], checked;
    "features/structures_in_regions.cpp" Omptarget "O0-debug" &[&["-O0", "-g"]], [];
    "features/structures_in_regions.cpp" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/task_inheritance.c" Omptarget "O2" O2, [], checked;
    "features/task_inheritance.c" Omptarget "O0" O0, [], checked;
    "features/task_inheritance.c" Plain "generic" GENERIC, [];
    "features/task_inheritance.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/large_variables.c" Omptarget "O2" O2, [], checked;
    "features/large_variables.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/variable_length.c" Omptarget "O2" O2, [], checked;
    "features/variable_length.c" Omptarget "O0" O0, [], checked;
    "features/variable_length.c" Omptarget "O0-debug" &[&["-O0", "-g"]], [];
    "features/variable_length.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/team_sums.c" Omptarget "O2" O2, [], checked;
    "features/team_sums.c" Omptarget "O0" O0, [], checked;
    "features/team_sums.c" Omptarget "O0-debug" &[&["-O0", "-g"]], [];
    "features/team_sums.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/shared_null.c" Omptarget "O2" O2, [];
    "features/shared_null.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/printf_sizes.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/printf_sizes.c" Omptarget "O0" O0, [];
    "features/queries.c" NoLto "no-lto" O2, [];
    "features/reduction_forms.c" NoLto "no-lto" O2, [];
    "features/sync.c" NoLto "no-lto-generic" GENERIC, [];
    "features/team_arrays.c" Omptarget "O2" O2, [], checked;
    "features/team_arrays.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/team_sizes.c" NoLto "no-lto-machine" MACHINE, [];
    "features/worker_state.c" NoLto "no-lto" O2, [];
    "features/worker_state.c" NoLto "no-lto-machine" MACHINE, [];

    "features/algorithms.cpp" Omptarget "O2" O2, [], checked;
    "features/algorithms.cpp" Omptarget "O3" &[&["-O3"]], [];
    "features/algorithms.cpp" Omptarget "O0" O0, [];
    "features/algorithms.cpp" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/allocators.c" Omptarget "O2" ALLOCATORS_O2, [];
    "features/allocators.c" Omptarget "O0" ALLOCATORS_O0, [];
    "features/arrays_in_functions.c" Omptarget "O2" O2, [], checked;
    "features/arrays_in_functions.c" Omptarget "O3" &[&["-O3"]], [];
    "features/arrays_in_functions.c" Omptarget "O0" O0, [];
    "features/arrays_in_functions.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/arrays_in_functions.c" Omptarget "machine" MACHINE, [], checked;
    "features/async.c" Omptarget "O2" O2, [];
    "features/atomic_outside_regions.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checks_itself, checked;
    "features/atomic_outside_regions.c" Config "config" O2, [], checks_itself;
    "features/atomic_outside_regions.c" Omptarget "O2" O2, [], checks_itself;
    "features/atomics.c" Omptarget "O2" O2, [];
    "features/atomics.c" Omptarget "O0" O0, [];
    "features/atomics_small.c" Omptarget "O2" O2, [], checked;
    "features/atomics_small.c" Omptarget "O0" O0, [], checked;
    "features/atomics_small.c" Plain "generic" GENERIC, ["Generic", "SPMD"], checked;
    "features/atomics_wide.c" Omptarget "O2" &[&["-O2", "-Wno-atomic-alignment", "-Wno-openmp-mapping", "-latomic"]], [];
    "features/atomics_wide.c" Omptarget "O0" &[&["-O0", "-Wno-atomic-alignment", "-Wno-openmp-mapping", "-latomic"]], [];
    "features/cancel.c" Plain "plain" O2, [];
    "features/cancel.c" Plain "generic" GENERIC, [], checked;
    "features/cancel.c" Plain "machine" MACHINE, [];
    "features/cancel.c" Omptarget "O2" O2, [], checked;
    "features/by_value.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/by_value.c" Omptarget "O2" O2, [], checked;
    "features/constant_arrays.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/constant_arrays.c" Omptarget "O2" O2, [], checked;
    "features/dyn_groupprivate.c" Omptarget "O2" &[&["-O2", "-fopenmp-version=61"]], [], checked;
    "features/dyn_groupprivate.c" Omptarget "O0" &[&["-O0", "-fopenmp-version=61"]], [];
    "features/dyn_groupprivate.c" Omptarget "no-lto" &[&["-O2", "-fopenmp-version=61", "-fno-offload-lto"]], [];
    "features/dyn_groupprivate.c" Plain "plain" &[&["-O2", "-fopenmp-version=61"]], [];
    "features/own_atomics.c" Omptarget "O0" &[&["-O0", "-fopenmp-version=51"]], [];
    "features/own_atomics.c" Omptarget "no-lto" &[&["-O2", "-fopenmp-version=51", "-fno-offload-lto"]], [];
    "features/own_atomics.c" Omptarget "O2" &[&["-O2", "-fopenmp-version=51"]], [];
    "features/own_atomics_shared.c" Omptarget "O2" O2, [], checked;
    "features/own_atomics_shared.c" Omptarget "O0" O0, [];
    "features/own_atomics_shared.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/own_atomics_shared.c" Omptarget "no-lto-O0" &[&["-O0", "-fno-offload-lto"]], [];
    "features/constructors.cpp" Omptarget "O2" O2, [], checks_itself, checked;
    "features/constructors.cpp" Omptarget "O0" O0, [], checks_itself;
    "features/constructors.cpp" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checks_itself;
    "features/classes.cpp" Omptarget "O2" O2, [];
    "features/classes.cpp" Omptarget "O0" O0, [];
    "features/complex.c" Omptarget "O2" O2, [];
    "features/constants.c" Omptarget "O2" O2, [];
    "features/constants.c" Omptarget "O0" O0, [];
    "features/copyprivate.c" Omptarget "O2" O2, [];
    "features/copyprivate.c" Plain "plain" O2, [];
    "features/copyprivate.c" Plain "generic" GENERIC, [];
    "features/copyprivate.c" Plain "machine" MACHINE, [];
    "features/copyprivate.c" Omptarget "O0" O0, [], checked;
    "features/declare_target.c" Omptarget "O2" O2, [];
    "features/declare_target.c" Omptarget "O0" O0, [];
    "features/doacross.c" Omptarget "O2" O2, [];
    "features/doacross.c" Plain "plain" O2, [];
    "features/doacross.c" Plain "generic" GENERIC, [], checked;
    "features/doacross.c" Plain "machine" MACHINE, [];
    "features/doacross.c" Omptarget "O0" O0, [];
    "features/fast_math.c" Omptarget "O2" &[&["-O2", "-lm"]], [];
    "features/fast_math.c" Omptarget "fast" &[&["-O2", "-ffast-math", "-lm"]], [];
    "features/fast_math.c" Omptarget "approximate" &[&["-O2", "-ffast-math", "-D__CLANG_GPU_APPROX_TRANSCENDENTALS__", "-lm"]], [];
    "features/firstprivate.c" Omptarget "O2" O2, [];
    "features/firstprivate.c" Omptarget "O0" O0, [];
    "features/generic_shared.c" Omptarget "O2" O2, [];
    "features/generic_shared.c" Plain "plain" O2, [];
    "features/generic_shared.c" Plain "generic" GENERIC, [];
    "features/generic_shared.c" Plain "machine" MACHINE, [];
    "features/generic_shared.c" Omptarget "O0" O0, [];
    "features/host_forms.c" Omptarget "O2" O2, [];
    "features/host_forms.c" Plain "plain" O2, [];
    "features/host_forms.c" Plain "generic" &[&["-O2", "-DACTIVE"], KEEP_GENERIC], ["Generic"];
    "features/host_forms.c" Plain "machine" MACHINE, [];
    "features/host_forms.c" Omptarget "O0" &[&["-O0", "-DACTIVE"]], [], checked;
    "features/host_serial.c" Omptarget "O2" O2, [];
    "features/host_serial.c" Plain "plain" O2, [];
    "features/host_serial.c" Plain "generic" GENERIC, [], checked;
    "features/host_serial.c" Plain "machine" MACHINE, [];
    "features/host_serial.c" Omptarget "O0" O0, [];
    "features/host_serial_inner.c" Omptarget "O2" O2, [];
    "features/host_serial_inner.c" Plain "plain" O2, [];
    "features/host_serial_inner.c" Plain "generic" GENERIC, ["Generic"], checked;
    "features/host_serial_inner.c" Plain "machine" MACHINE, ["Generic"];
    "features/host_serial_inner.c" Omptarget "O0" O0, ["Generic"];
    "features/if_condition.c" Omptarget "O2" O2, [], checked;
    "features/if_condition.c" Plain "plain" O2, [];
    "features/if_condition.c" Plain "generic" GENERIC, [];
    "features/if_condition.c" Omptarget "O0" O0, [];
    "features/if_clause.c" Omptarget "O2" O2, [];
    "features/if_clause.c" Plain "generic" GENERIC, [];
    "features/function_pointers.c" Omptarget "O2" O2, [];
    "features/function_pointers.c" Omptarget "O0" O0, [];
    "features/indirect.c" Omptarget "O2" &[&["-O2", "-fopenmp-version=51"]], [], many_schedules;
    "features/indirect.c" Omptarget "O0" &[&["-O0", "-fopenmp-version=51"]], [], many_schedules;
    "features/last_private.c" Omptarget "O2" O2, ["Generic-SPMD", "SPMD"], checked;
    "features/last_private.c" Omptarget "O0" O0, [], checked;
    "features/last_private.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "features/libc.c" Omptarget "O2" O2, [];
    "features/libc.c" Omptarget "O0" O0, [];
    "features/locks.c" Omptarget "O2" &[&["-O2", "-Wno-pass-failed"]], [];
    "features/locks.c" Plain "generic" &[&["-O2", "-Wno-pass-failed"], KEEP_GENERIC], [];
    "features/locks.c" Omptarget "O0" &[&["-O0", "-DSMALLER=8"]], [], checked;
    "features/loops_dynamic.c" Omptarget "O2" O2, [];
    "features/loops_dynamic.c" Plain "plain" O2, [];
    "features/loops_dynamic.c" Plain "generic" GENERIC, [];
    "features/loops_dynamic.c" Plain "machine" MACHINE, [];
    "features/loops_dynamic.c" Omptarget "O0" O0, [], checked;
    "features/loops_inner.c" Plain "generic" GENERIC, ["Generic"], checked;
    "features/loops_inner.c" Omptarget "O0" O0, ["Generic"];
    "features/loops_nested.c" Omptarget "O2" O2, [];
    "features/loops_nested.c" Plain "generic" GENERIC, [];
    "features/loops_nested.c" Omptarget "O0" O0, [];
    "features/many_kernels.c" Omptarget "O2" O2, ["Generic-SPMD", "SPMD"], checked;
    "features/many_kernels.c" Omptarget "machine" MACHINE, ["Generic", "SPMD"], checked;
    "features/map_struct.c" Omptarget "O2" O2, [];
    "features/map_types.c" Omptarget "O2" O2, [];
    "features/map_once.c" Omptarget "O2" O2, [], checks_itself, checked;
    "features/map_types.c" Omptarget "O0" O0, [];
    "features/libdevice.c" Omptarget "O2" &[&["-O2", "-lm"]], [];
    "features/libdevice.c" Omptarget "O0" &[&["-O0", "-lm"]], [];
    "features/libdevice_exact.c" Omptarget "O2" &[&["-O2", "-lm"]], [], checked;
    "features/libdevice_exact.c" Omptarget "O0" &[&["-O0", "-lm"]], [];
    "features/math.c" Omptarget "O2" &[&["-O2", "-lm"]], [];
    "features/math_by_name.c" Omptarget "O2" &[&["-O2", "-fno-builtin", "-lm"]], [];
    "features/math_by_name.c" Omptarget "builtin" &[&["-O2", "-lm"]], [];
    "features/math_by_name.c" Omptarget "O0" &[&["-O0", "-fno-builtin", "-lm"]], [];
    "features/math_by_name.c" Config "config" &[&["-O2", "-fno-builtin", "-lm"]], [];
    "features/math_by_name.c" NoLto "no-lto" &[&["-O2", "-fno-builtin", "-lm"]], [];
    "features/math_of_integers.cpp" Omptarget "O2" &[&["-O2", "-lm"]], [];
    "features/math_of_integers.cpp" Omptarget "O0" &[&["-O0", "-lm"]], [];
    "features/math_of_integers.cpp" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto", "-lm"]], [];
    "units/own_math.c" + "units/own_math_other.c" Omptarget "O2" &[&["-O2", "-fno-builtin", "-lm"]], [];
    "units/own_math.c" + "units/own_math_other.c" NoLto "no-lto" &[&["-O2", "-fno-builtin", "-lm"]], [];
    "features/memory_api.c" Omptarget "O2" O2, [];
    "features/memory_blocks.c" Omptarget "O2" O2, ["Generic-SPMD", "SPMD"], checked;
    "features/memory_blocks.c" Omptarget "O0" O0, [];
    "features/memory_blocks.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "host/devices.c" Omptarget "O2" O2, [];
    "host/interop.c" Omptarget "O2" &[&["-O2", "-ldl"]], [];
    "host/memory_async.c" Omptarget "O2" O2, [];
    "features/nested_deep.c" Plain "generic" GENERIC, [];
    "features/nested_deep.c" Omptarget "O2" O2, [];
    "features/nested_deep.c" Omptarget "O0" O0, [], checked;
    "features/nested_idle.c" Omptarget "O2" O2, [];
    "features/nested_idle.c" Plain "plain" O2, [];
    "features/nested_idle.c" Plain "generic" &[&["-O2", "-DACTIVE"], KEEP_GENERIC], ["Generic"], checked;
    "features/nested_idle.c" Plain "machine" &[&["-O2", "-DACTIVE"], STATE_MACHINE], ["Generic"];
    "features/nested_idle.c" Omptarget "O0" &[&["-O0", "-DACTIVE"]], ["Generic"];
    // A host would need minutes for its many more threads than processors.
    "features/nested_levels.c" Omptarget "O2" O2, [], checks_itself;
    "features/nested_levels.c" Plain "generic" &[&["-O2", "-DACTIVE"], KEEP_GENERIC], ["Generic"], checks_itself, checked;
    "features/nested_levels.c" Plain "machine" &[&["-O2", "-DACTIVE"], STATE_MACHINE], ["Generic"], checks_itself;
    "features/nested_levels.c" Omptarget "O0" &[&["-O0", "-DACTIVE"]], ["Generic"], checks_itself, checked;
    "features/nested_parallel.c" Omptarget "O2" O2, [];
    "features/nested_parallel.c" Plain "plain" O2, [];
    "features/nested_parallel.c" Plain "generic" GENERIC, [];
    "features/one_warp.c" Omptarget "O2" O2, [];
    "features/one_warp.c" Plain "plain" O2, [];
    "features/one_warp.c" Plain "generic" GENERIC, ["Generic"], checked;
    "features/one_warp.c" Plain "machine" MACHINE, ["Generic"];
    "features/one_warp.c" Omptarget "O0" O0, ["Generic"];
    "features/ordered.c" Omptarget "O2" O2, [];
    "features/ordered.c" Plain "plain" O2, [];
    "features/ordered.c" Plain "generic" GENERIC, [], checked;
    "features/ordered.c" Plain "machine" MACHINE, [];
    "features/ordered.c" Omptarget "O0" O0, [];
    "features/orphaned_barrier.c" Omptarget "O2" O2, [], checked;
    "features/orphaned_barrier.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/orphaned_barrier.c" Omptarget "O0" O0, [];
    "features/orphaned_barrier.c" Plain "plain" O2, [], checked;
    "features/orphaned_barrier.c" NoLto "plain-no-lto" O2, [], checked;
    "features/own_macros.c" Omptarget "O2" &[&["-O2", "-lm"]], [];
    "features/own_macros.c" Config "config" &[&["-O2", "-lm"]], [];
    "features/own_names.c" Omptarget "O2" &[&["-O2", "-lm"]], [], checked;
    "features/own_names.c" Omptarget "O0" &[&["-O0", "-lm"]], [];
    "features/own_names.c" Config "config" &[&["-O2", "-lm"]], [];
    "features/own_overloads.cpp" Omptarget "O2" &[&["-O2", "-lm"]], [];
    "features/own_overloads.cpp" Omptarget "O0" &[&["-O0", "-lm"]], [];
    "features/printf.c" Omptarget "O2" O2, [];
    "features/queries.c" Omptarget "O2" O2, [];
    "features/queries.c" Plain "plain" O2, [];
    "features/queries.c" Plain "generic" GENERIC, [];
    "features/queries.c" Omptarget "O0" O0, [];
    "features/routines_on_device.c" Omptarget "O0" O0, [];
    "features/routines_on_device.c" Omptarget "O2" O2, [], checked;
    "features/reductions.c" Omptarget "schar" &[&["-O2", "-DT=signed char"]], [], checked;
    "features/reductions.c" Omptarget "short" &[&["-O2", "-DT=short"]], [];
    "features/reductions.c" Omptarget "int" &[&["-O2", "-DT=int"]], [];
    "features/reductions.c" Omptarget "long" &[&["-O2", "-DT=long"]], [];
    "features/reductions.c" Omptarget "float" &[&["-O2", "-DT=float"]], [];
    "features/reductions.c" Omptarget "double" &[&["-O2", "-DT=double"]], [];
    "features/reductions.c" Omptarget "O0" O0, [], checked;
    "features/reductions.c" Omptarget "uchar" &[&["-O2", "-DBITS", "-DT=unsigned char"]], [];
    "features/reductions.c" Omptarget "ushort" &[&["-O2", "-DBITS", "-DT=unsigned short"]], [];
    "features/reductions.c" Omptarget "unsigned" &[&["-O2", "-DBITS", "-DT=unsigned"]], [];
    "features/reductions.c" Omptarget "ulong" &[&["-O2", "-DBITS", "-DT=unsigned long"]], [];
    "features/reduction_copies.c" Plain "plain" O2, [];
    "features/reduction_copies.c" Omptarget "O2" O2, [], checked;
    "features/reduction_copies.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/reduction_forms.c" Omptarget "O2" O2, [];
    "features/reduction_forms.c" Omptarget "O0-debug" &[&["-O0", "-g"]], [];
    "features/reduction_forms.c" Plain "plain" O2, [];
    "features/reduction_forms.c" Plain "generic" GENERIC, [], checked;
    "features/reduction_forms.c" Plain "machine" MACHINE, [];
    "features/regions_adjacent.c" Omptarget "O2" O2, [], checked;
    "features/regions_adjacent.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/recursive_return.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/recursive_return.c" Omptarget "O2" O2, [];
    "features/schedule_dynamic.c" Omptarget "O2" O2, [];
    "features/schedule_dynamic.c" Plain "plain" O2, [];
    "features/schedule_dynamic.c" Plain "generic" GENERIC, [], checked;
    "features/schedule_dynamic.c" Plain "machine" MACHINE, [];
    "features/schedule_dynamic.c" Omptarget "O0" O0, [];
    "features/schedule_static.c" Omptarget "O2" O2, [];
    "features/schedule_static.c" Plain "generic" GENERIC, [];
    "features/shared_pool.c" Omptarget "O2" O2, [], checked;
    "features/shared_pool.c" Omptarget "O0" O0, [], checked;
    "features/serial_state.c" Plain "plain" O2, [];
    "features/serial_state.c" Plain "machine" MACHINE, [];
    "features/serial_state.c" Plain "generic" GENERIC, [], checked;
    "features/serial_state.c" Omptarget "O0" O0, [];
    "features/serial_state.c" Omptarget "O2" O2, [];
    "features/simd.c" Omptarget "O2" &[&["-O2", "-Wno-pass-failed"]], [];
    "features/small_regions.c" Omptarget "O2" O2, [], checked;
    "features/small_regions.c" Omptarget "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "features/small_regions.c" Plain "plain" O2, [];
    "features/sync.c" Omptarget "O2" O2, [];
    "features/sync.c" Plain "plain" O2, [];
    "features/sync.c" Plain "generic" GENERIC, [];
    "features/sync.c" Plain "machine" MACHINE, [], checked;
    "features/task_deps.c" Omptarget "O2" O2, [];
    "features/task_deps.c" Omptarget "O0" O0, [], checked;
    "features/task_detach.c" Omptarget "O2" O2, [];
    "features/task_detach.c" Plain "generic" GENERIC, [], checked;
    "features/task_reduction.c" Omptarget "O2" O2, [], checked;
    "features/task_reduction.c" Plain "machine" MACHINE, [];
    "features/task_regions.c" Omptarget "O2" O2, [];
    "features/task_regions.c" Plain "plain" O2, [];
    "features/task_regions.c" Plain "generic" GENERIC, [], checked;
    "features/task_regions.c" Plain "machine" MACHINE, [];
    "features/task_undeferred.c" Plain "generic" GENERIC, ["Generic"], checks_itself;
    "features/task_undeferred.c" Omptarget "O1" &[&["-O1"]], ["Generic-SPMD"], checks_itself, many_schedules, checked;
    "features/taskloop.c" Omptarget "O2" &[&["-O2", "-Wno-pass-failed"]], [];
    "features/tasks.c" Omptarget "O2" O2, [];
    "features/tasks.c" Plain "plain" O2, [];
    "features/tasks.c" Plain "generic" GENERIC, [];
    "features/tasks.c" Plain "machine" MACHINE, [];
    "features/tasks.c" Omptarget "O0" O0, [], checked;
    "features/strided_update.c" Omptarget "O2" O2, [];
    "features/team_sizes.c" Omptarget "O2" O2, [];
    "features/team_sizes.c" Plain "plain" O2, [];
    "features/team_sizes.c" Plain "generic" GENERIC, [];
    "features/team_sizes.c" Plain "machine" MACHINE, [];
    "features/team_sizes.c" Omptarget "O0" O0, [];
    "features/unified_shared_memory.c" Omptarget "O2" O2, [];
    "features/unified_shared_memory.c" Omptarget "O0" O0, [];
    "features/worker_state.c" Omptarget "O2" O2, [];
    "features/worker_state.c" Plain "plain" O2, [];
    "features/worker_state.c" Plain "machine" MACHINE, [];
    "features/worker_state.c" Plain "generic" GENERIC, [];

    "saxpy_reduce.c" Clang19 "clang-19" O2, [], checked;
    "generic.c" Clang19 "clang-19-O0" O0, ["Generic"];
    "features/math.c" Clang19 "clang-19" &[&["-O2", "-lm"]], [];
    "features/printf.c" Clang19 "clang-19" O2, [], checked;
    "features/queries.c" Clang19 "clang-19" O2, [];

    "fortran/array_functions.f90" OmptargetFc "O2" O2, [];
    "fortran/array_functions.f90" OmptargetFc "O0" O0, [], checked;
    "fortran/arrays.f90" OmptargetFc "O2" O2, [];
    "fortran/arrays.f90" OmptargetFc "O0" O0, [], checked;
    "fortran/complex.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/complex.f90" OmptargetFc "O0" O0, [];
    "fortran/complex.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/constant_arrays.f90" OmptargetFc "O2" O2, [];
    "fortran/constant_arrays.f90" OmptargetFc "no-lto" &[&["-O3", "-fno-offload-lto"]], [];
    "fortran/data.f90" OmptargetFc "O2" O2, [];
    "fortran/data.f90" OmptargetFc "O0" O0, [];
    "fortran/optional_arguments.f90" OmptargetFc "O2" O2, [];
    "fortran/optional_arguments.f90" OmptargetFc "O0" O0, [];
    "fortran/kinds_and_texts.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/kinds_and_texts.f90" OmptargetFc "O0" O0, [];
    "fortran/linked_types.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/linked_types.f90" OmptargetFc "O0" O0, [];
    "fortran/linked_types.f90" OmptargetFc "no-lto" &[&["-O3", "-fno-offload-lto"]], [];
    "fortran/derived_types.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/derived_types.f90" OmptargetFc "O0" O0, [];
    "fortran/derived_types.f90" OmptargetFc "no-lto" &[&["-O3", "-fno-offload-lto"]], [];
    "fortran/inner_regions.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/inner_regions.f90" OmptargetFc "O1" &[&["-O1"]], [];
    "fortran/inner_regions.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/loops.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/loops.f90" OmptargetFc "O0" O0, [];
    "fortran/made_arrays.f90" OmptargetFc "O2" O2, [];
    "fortran/made_arrays.f90" OmptargetFc "O0" O0, [], checked;
    "fortran/made_arrays.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/math.f90" OmptargetFc "O2" O2, [];
    "fortran/math.f90" OmptargetFc "O0" O0, [];
    "fortran/math.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/no_loop.f90" OmptargetFc "O2" O2, [];
    "fortran/pointers.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/pointers.f90" OmptargetFc "O0" O0, [];
    "fortran/polymorphic.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/polymorphic.f90" OmptargetFc "O0" O0, [];
    "fortran/polymorphic.f90" OmptargetFc "no-lto" &[&["-O3", "-fno-offload-lto"]], [];
    "fortran/print.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/print.f90" OmptargetFc "O0" O0, [];
    "fortran/print.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/saved_variables.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/saved_variables.f90" OmptargetFc "O0" O0, [];
    "fortran/saved_variables.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/own_variables.f90" OmptargetFc "O0" O0, ["Generic"], checks_itself, checked;
    "fortran/own_variables.f90" OmptargetFc "O1" &[&["-O1"]], [], checks_itself, checked;
    "fortran/own_variables.f90" OmptargetFc "O2" O2, [], checks_itself, checked;
    "fortran/own_variables.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checks_itself, checked;
    "fortran/reduce.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/reduce.f90" OmptargetFc "O0" O0, [];
    "fortran/reduce.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/reductions.f90" Flang "flang" O2, [], checked;
    "fortran/reductions.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/reductions.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/array_reductions.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/array_reductions.f90" OmptargetFc "O0" O0, [], checked;
    "fortran/array_reductions.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/reductions.f90" OmptargetFc "debug" &[&["-O2", "-g"]], [];
    "fortran/serial.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], ["Generic-SPMD"], checked;
    "fortran/serial.f90" OmptargetFc "O0" O0, ["Generic"];
    "fortran/serial.f90" OmptargetFc "O2" O2, ["Generic-SPMD"], checked;
    "fortran/tasks.f90" OmptargetFc "O2" O2, [];
    "fortran/temporaries.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/temporaries.f90" OmptargetFc "O0" O0, [];
    "fortran/temporaries.f90" OmptargetFc "no-lto" &[&["-O3", "-fno-offload-lto"]], [];
    "fortran/text_and_numbers.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/text_and_numbers.f90" OmptargetFc "O0" O0, [];
    "fortran/workshare.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/workshare.f90" OmptargetFc "O0" O0, [];
    "fortran/workshare.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [];
    "fortran/threads.f90" OmptargetFc "O0" O0, ["Generic"], checked;
    "fortran/threads.f90" OmptargetFc "O1" &[&["-O1"]], [], checked;
    "fortran/threads.f90" OmptargetFc "O2" O2, [], checked;
    "fortran/threads.f90" OmptargetFc "no-lto" &[&["-O2", "-fno-offload-lto"]], [], checked;
    "fortran/threads.f90" OmptargetFc "lto-O0" &[&["-O0", "-foffload-lto"]], ["Generic"], checked;

    "defects/callback_loops.c" Plain "O2" O2, [];
    "defects/critical.c" Plain "O2" &[&["-O2", "-Wno-pass-failed"]], [];
    "defects/device_numbers.c" Plain "O2" O2, [];
    "defects/dynamic.c" Plain "O2" O2, [];
    "defects/dynamic.c" Plain "generic" GENERIC, [];
    "defects/host_threads.c" Plain "O2" O2, [];
    "defects/inner_writes.c" Plain "O2" O2, [];
    "defects/lastprivate.c" Plain "O2" O2, [];
    "defects/locks.c" Plain "O2" O2, [];
    "defects/many_teams.c" Plain "O2" O2, [];
    "defects/narrow_regions.c" Plain "O2" O2, [];
    "defects/shared_stack.c" Plain "O2" O2, [];
    "defects/small_teams.c" Plain "O2" O2, [];
    "defects/tasks.c" Plain "O2" O2, [];
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BENCH;
    use abi::table::{Llvm, device, entries, library};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_sources_exist() {
        let mut names = BTreeSet::new();
        for case in CASES {
            assert!(names.insert(case.name()), "{} stands twice", case.name());
            let source = crate::build::source(case.source);
            assert!(source.is_file(), "{} does not exist", source.display());
            assert!(case.modes.is_sorted(), "modes of {}", case.name());
        }
    }

    #[test]
    fn every_program_is_tested() {
        let all = CASES.iter().chain([&BENCH, &crate::host::BENCH]);
        let tested: BTreeSet<_> = all.map(|case| crate::build::source(case.source)).collect();
        for folder in ["", "features", "fortran", "defects"] {
            for file in std::fs::read_dir(crate::build::source(folder)).unwrap().flatten() {
                let path = file.path();
                let program = path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "f90");
                assert!(!program || tested.contains(&path), "{} is in no case", path.display());
            }
        }
    }

    /// What compilers call by themselves depends on their modes; all that a program can call by its name is called in one.
    #[test]
    fn every_routine_of_the_device_is_called_by_a_program() {
        let files = CASES.iter().flat_map(|case| case.units.iter().chain([&case.source]));
        let sources: BTreeSet<_> = files.map(|file| crate::build::source(file)).collect();
        let texts: Vec<_> = sources.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_called = |name: &str| {
            // omp.h has other names for some in C.
            let name = name.replacen("ompc_", "omp_", 1);
            texts.iter().any(|text| {
                text.match_indices(&*name).any(|(at, _)| {
                    text[at + name.len()..].starts_with('(') && !text[..at].ends_with(is_of_name)
                })
            })
        };
        let of_table = entries(Llvm::V22).filter(|entry| !entry.host_only).map(|entry| entry.name);
        let of_c = [library::C, library::BLOCKS, library::MATH].into_iter().flatten().copied();
        let names = of_table.chain(device::all().map(|function| function.name)).chain(of_c);
        // Of these a program dies, or they are of the compiler.
        let of_compiler = |name: &str| name.starts_with("__") || name.starts_with("_Fortran");
        let ends = |name: &str| ["abort", "exit", "quick_exit", "_exit", "_Exit"].contains(&name);
        let names = names.filter(|name| !of_compiler(name) && !ends(name));
        let missing: Vec<_> = names.filter(|name| !is_called(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
