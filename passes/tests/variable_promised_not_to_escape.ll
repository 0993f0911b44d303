; An unknown function that does not keep a variable may still start a region, whose threads get it: the promise that it
; starts none is needed, too. OMP113 is for calls without the first promise. A function of the program that only hands the
; variable on to the unknown one is no better than it.
; REMARK: to the called function to override. [OMP121]
; REMARK: to the called function to override. [OMP121]
; REMARK: to the called function to override. [OMP121]
; REMARK: Could not move globalized variable to the stack. Variable is potentially captured in call. Mark parameter as `__attribute__((noescape))` to override. [OMP113]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Replaced globalized variable with 4 bytes of shared memory. [OMP111]
; REMARK: Moving globalized variable to the stack. [OMP110]
; CHECK: %z = alloca [4 x i8], align 16

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %x = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %y = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %z = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %w = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  call void @hands_on(ptr %w)
  call void @unmarked(ptr %x)
  call void @marked(ptr %y)
  call void @marked(ptr %z) #0
  store ptr %a, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0)
  call void @__kmpc_free_shared(ptr %z, i64 4)
  call void @__kmpc_free_shared(ptr %y, i64 4)
  call void @__kmpc_free_shared(ptr %x, i64 4)
  call void @__kmpc_free_shared(ptr %w, i64 4)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @hands_on(ptr captures(none) %pointer) noinline {
  call void @marked(ptr %pointer)
  ret void
}
define internal void @region(ptr %gtid, ptr %btid, ptr %a) {
  store i32 7, ptr %a
  ret void
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare void @unmarked(ptr)
declare void @marked(ptr captures(none))
attributes #0 = { "llvm.assume"="omp_no_parallelism" }

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
