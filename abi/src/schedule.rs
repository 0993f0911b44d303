//! Schedule kinds that compilers pass to the `static_init` functions (`kmp.h`: `sched_type`).

/// `schedule(static, chunk)`.
pub const STATIC_CHUNK: i32 = 33;
/// `schedule(simd: static, chunk)`: one chunk for each thread, a multiple of the chunk size.
pub const STATIC_BALANCED_CHUNK: i32 = 45;
/// `schedule(static, chunk) ordered`.
pub const ORDERED_STATIC_CHUNK: i32 = 65;
/// `dist_schedule(static, chunk)`.
pub const DISTRIBUTE_STATIC_CHUNK: i32 = 91;
/// `dist_schedule(static)`.
pub const DISTRIBUTE_STATIC: i32 = 92;
/// `distribute parallel for` in one step: all threads of all teams, chunk 1.
pub const DISTRIBUTE_FOR_CHUNK_ONE: i32 = 93;
/// The modifiers monotonic and nonmonotonic; both hold for a static schedule.
pub const MODIFIERS: i32 = 3 << 29;

/// Bits of the last parameter of the `__kmpc_*_static_loop_*` functions, new in LLVM 22.
pub mod callback_loop {
    /// No thread has more than one iteration. LLVM knows this bit only.
    pub const ONCE: i8 = 1;
    /// No parallel region is in the body. Our passes say so; LLVM's compilers do not.
    pub const NO_REGIONS: i8 = 2;
}
