//! How the kernels of the tests begin.

/// `%rd1` is the array that the parameter `p` points to, `%r2` `%tid.x`, `%r3` `%ctaid.x`, `%r4` `%ntid.x`, `%r1` the
/// thread's number in the grid, `%rd2` the address of its element of four bytes.
pub const PROLOGUE: &str = "\
ld.param.u64 %rd1, [p];
         mov.u32 %r2, %tid.x;
         mov.u32 %r3, %ctaid.x;
         mov.u32 %r4, %ntid.x;
         mad.lo.s32 %r1, %r3, %r4, %r2;
         mul.wide.u32 %rd3, %r1, 4;
         add.s64 %rd2, %rd1, %rd3;";
