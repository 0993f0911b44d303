; clang leaves private arrays of variable length, and parameters that point to such arrays, on the stack of the thread that hands them to a
; region. They are allocated where all threads reach them, until their scope ends or the function. Where all threads run the serial code each
; hands on a variable of its own, which stays on the stack.
; RUN-ARGS: --openmp-opt-disable-deglobalization --openmp-opt-disable-spmdization
; CHECK: define void @serial(
; CHECK: %pointer = call align 16 ptr @__kmpc_alloc_shared(i64 8)
; CHECK: store ptr %x, ptr %pointer
; CHECK: %0 = mul i64 %n, 4
; CHECK-NEXT: %array = call align 16 ptr @__kmpc_alloc_shared(i64 %0)
; CHECK: call void @__kmpc_parallel_60
; CHECK: call void @__kmpc_free_shared(ptr %array, i64 %0)
; CHECK-NEXT: call void @llvm.stackrestore.p0(ptr %kept)
; CHECK: call void @__kmpc_free_shared(ptr %pointer, i64 8)
; CHECK-NEXT: ret void
; CHECK: define internal void @of_all_threads(
; CHECK: %array = alloca i32, i64 %n
; COUNT: 2 = call align 16 ptr @__kmpc_alloc_shared(
; COUNT: 2 call void @__kmpc_free_shared(

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

; Another file may call it.
define void @serial(i64 %n, ptr %x) {
entry:
  %pointer = alloca ptr
  %stack = alloca ptr
  %args = alloca [2 x ptr]
  store ptr %x, ptr %pointer
  %many = icmp ne i64 %n, 0
  br i1 %many, label %some, label %none
some:
  %kept = call ptr @llvm.stacksave.p0()
  store ptr %kept, ptr %stack
  %array = alloca i32, i64 %n
  call void @use(ptr %array)
  store ptr %pointer, ptr %args
  %second = getelementptr [2 x ptr], ptr %args, i64 0, i64 1
  store ptr %array, ptr %second
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr @wrapper, ptr %args, i64 2, i32 0)
  %saved = load ptr, ptr %stack
  call void @llvm.stackrestore.p0(ptr %saved)
  br label %none
none:
  ret void
}

define internal void @of_all_threads(i64 %n) {
  %args = alloca [2 x ptr]
  %kept = call ptr @llvm.stacksave.p0()
  %array = alloca i32, i64 %n
  store ptr %array, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 2, i32 0)
  call void @llvm.stackrestore.p0(ptr %kept)
  ret void
}

define ptx_kernel void @k(ptr %dyn, i64 %n) {
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
user:
  call void @of_all_threads(i64 %n)
  call void @__kmpc_target_deinit()
  ret void
leave:
  ret void
}

define internal void @region(ptr %thread, ptr %zero, ptr %pointer, ptr %array) {
  call void @use(ptr %array)
  ret void
}
define internal void @wrapper(i16 %level, i32 %thread) {
  ret void
}
declare void @use(ptr)
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
