//! What describes one kernel: its environment in the image, the environment of a launch, and the launch packet.

use crate::{assert_layout, ident::Ident, mode::ExecMode};
use core::ffi::c_void;

/// What the compiler decided about a kernel (LLVM: `ConfigurationEnvironmentTy`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct ConfigurationEnvironment {
    /// Not 0: workers run the state machine of the runtime; 0: the compiler wrote one, or the kernel is SPMD.
    pub use_generic_state_machine: u8,
    /// 0 when the compiler proved that no parallel region nests.
    pub may_use_nested_parallelism: u8,
    /// How the kernel runs.
    pub exec_mode: ExecMode,
    /// Alignment.
    pub _pad: u8,
    /// Least threads of a team; at most 0 when unknown.
    pub min_threads: i32,
    /// Most threads of a team; at most 0 when unknown.
    pub max_threads: i32,
    /// Least teams; at most 0 when unknown. 1 from our passes: in a no-loop kernel that has a loop for leagues with too few
    /// threads, and in one that reduces over its teams and is to get few of them.
    pub min_teams: i32,
    /// Most teams; at most 0 when unknown.
    pub max_teams: i32,
    /// Bytes of one team's record in a reduction over teams, 0 if there is none.
    pub reduction_data_size: i32,
    /// Records in the buffer of a reduction over teams, 0 if there is none.
    pub reduction_buffer_length: i32,
}
assert_layout!(
    ConfigurationEnvironment, size 28,
    use_generic_state_machine @ 0, may_use_nested_parallelism @ 1, exec_mode @ 2, min_threads @ 4, max_threads @ 8,
    min_teams @ 12, max_teams @ 16, reduction_data_size @ 20, reduction_buffer_length @ 24,
);

/// The constant `<kernel>_kernel_environment` (LLVM: `KernelEnvironmentTy`), as the device sees it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelEnvironment {
    /// The compiler's decisions.
    pub configuration: ConfigurationEnvironment,
    /// Location of the target construct.
    pub ident: *const Ident,
    /// `<kernel>_dynamic_environment`.
    pub dynamic: *mut DynamicEnvironment,
}
assert_layout!(KernelEnvironment, size 48, configuration @ 0, ident @ 32, dynamic @ 40);

/// Threads of a team where neither the program nor the kernel says how many (LLVM: `GV_Default_WG_Size` of NVPTX).
pub const DEFAULT_TEAM_THREADS: u32 = 128;

/// Threads of a team of a no-loop kernel whose loop is long, if the kernel's `max_threads` has room for them. With an iteration a thread,
/// teams of [`DEFAULT_TEAM_THREADS`] end faster than a GPU starts others.
pub const LARGE_TEAM_THREADS: u32 = 256;

/// Suffix of the symbol that holds a kernel's [`KernelEnvironment`].
pub const KERNEL_ENVIRONMENT_SUFFIX: &str = "_kernel_environment";

/// Debugging state that the device may change (LLVM: `DynamicEnvironmentTy`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct DynamicEnvironment {
    /// Indentation of the function trace.
    pub debug_indention_level: u16,
}
assert_layout!(DynamicEnvironment, size 2, debug_indention_level @ 0);

/// What one launch gives to a kernel with a reduction over teams (LLVM: `KernelLaunchEnvironmentTy`).
///
/// Kernels that need none get the address [`KernelLaunchEnvironment::NONE`] instead.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct KernelLaunchEnvironment {
    /// Teams that have delivered their record.
    pub reduction_count: u32,
    /// Tickets taken where there are more teams than records. Hosts set 0: LLVM's device runtime counts from there.
    pub reduction_iteration_count: u32,
    /// Device address of `reduction_data_size * reduction_buffer_length` bytes.
    pub reduction_buffer: u64,
}
assert_layout!(
    KernelLaunchEnvironment, size 16,
    reduction_count @ 0, reduction_iteration_count @ 4, reduction_buffer @ 8,
);

impl KernelLaunchEnvironment {
    /// Value of the hidden first parameter of kernels that need no environment.
    pub const NONE: u64 = u64::MAX;
}

/// What our hosts give where LLVM 22's give a [`KernelLaunchEnvironment`], and to a launch whose `dyn_groupprivate` memory does not fit into
/// shared memory: behind the environment memory of the device in the place of that.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
pub struct FallbackLaunchEnvironment {
    /// What other launches give.
    pub environment: KernelLaunchEnvironment,
    /// [`FallbackLaunchEnvironment::MARK`]; another value says that there is no such memory.
    pub mark: u64,
    /// Device address of the teams' memory, that of one behind that of the other.
    pub memory: u64,
    /// Bytes of a team's memory that it asks for.
    pub size: u64,
    /// Bytes from a team's memory to the next team's.
    pub stride: u64,
}
assert_layout!(
    FallbackLaunchEnvironment, size 48,
    environment @ 0, mark @ 16, memory @ 24, size @ 32, stride @ 40,
);

impl FallbackLaunchEnvironment {
    /// A number that no host leaves there by chance.
    pub const MARK: u64 = 0x6f6d_7020_6677_2d61;
}

/// What a launch does that asks for more `dyn_groupprivate` memory than there is shared memory (OpenMP 6.1, `fallback` modifier;
/// LLVM: `OMPDynGroupprivateFallbackType`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DynGroupprivateFallback {
    /// It ends the program. Also what `ompx_dyn_cgroup_mem` asks for.
    #[default]
    Abort,
    /// The teams have none.
    Null,
    /// The teams have memory of the device.
    DefaultMem,
}

/// The launch packet (LLVM: `KernelArgsTy`, `__tgt_kernel_arguments`), filled by the compiled program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelArguments {
    /// Layout version; see [`KernelArguments::VERSION`].
    pub version: u32,
    /// Elements of each of the arrays below. The hidden first kernel parameter is not counted.
    pub num_args: u32,
    /// Base addresses, or the value itself for literals.
    pub arg_base_ptrs: *const *mut c_void,
    /// First mapped addresses.
    pub arg_ptrs: *const *mut c_void,
    /// Sizes in bytes.
    pub arg_sizes: *const i64,
    /// Map types, see [`crate::map::MapType`].
    pub arg_types: *const i64,
    /// Names for messages; may be null, and so may each element.
    pub arg_names: *const *const c_void,
    /// User-defined mapper functions; may be null, and so may each element.
    pub arg_mappers: *const *mut c_void,
    /// Iterations of the associated loop, 0 when unknown.
    pub trip_count: u64,
    /// Bit 0: `nowait`; LLVM 22: bit 1: a CUDA launch; bits 2 and 3: [`KernelArguments::fallback`].
    pub flags: u64,
    /// Teams in x, y, z; 0 in x is unspecified, in y and z it means 1.
    pub num_teams: [u32; 3],
    /// Threads of a team in x, y, z; 0 in x is unspecified, in y and z it means 1.
    pub thread_limit: [u32; 3],
    /// Bytes of dynamic shared memory (`dyn_groupprivate`, `ompx_dyn_cgroup_mem`).
    pub dyn_cgroup_mem: u32,
}
assert_layout!(
    KernelArguments, size 104,
    version @ 0, num_args @ 4, arg_base_ptrs @ 8, arg_ptrs @ 16, arg_sizes @ 24, arg_types @ 32, arg_names @ 40,
    arg_mappers @ 48, trip_count @ 56, flags @ 64, num_teams @ 72, thread_limit @ 84, dyn_cgroup_mem @ 96,
);

impl KernelArguments {
    /// The version that LLVM 19 to 22 write. Kernels launched with an older one have no hidden first parameter.
    pub const VERSION: u32 = 3;
    /// Flag: the construct has `nowait`.
    pub const NO_WAIT: u64 = 1;
    /// Flag (LLVM 22): the launch comes from CUDA code; there is no OpenMP state.
    pub const IS_CUDA: u64 = 2;

    /// What to do where there is not enough dynamic shared memory.
    pub const fn fallback(&self) -> DynGroupprivateFallback {
        match self.flags >> 2 & 3 {
            1 => DynGroupprivateFallback::Null,
            2 => DynGroupprivateFallback::DefaultMem,
            _ => DynGroupprivateFallback::Abort,
        }
    }
}
