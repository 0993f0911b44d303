; The copy of a constant that only the runtime reads is left as it is.
; UNCHANGED

target triple = "nvptx64-nvidia-cuda"
@traits = private constant [2 x i64] [i64 2, i64 64]
define i64 @f(ptr %space) {
  %copy = alloca [2 x i64]
  call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr @traits, i64 16, i1 false)
  %first = getelementptr i64, ptr %copy, i64 0
  %own = call i64 @omp_init_allocator(i64 0, i32 1, ptr %first)
  ret i64 %own
}
declare i64 @omp_init_allocator(i64, i32, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
