; Regions stay that write, read what changes, call unknown code, may not end, or end the program if threads are few.
; NO-REMARK
; COUNT: 9 call void @__kmpc_parallel_60

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @store, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @atomic, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @volatile, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @endless, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @unknown, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @shared_elsewhere, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @itself, ptr null, ptr %args, i64 1, i32 0)
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @strict, ptr null, ptr %args, i64 1, i32 1)
  call void @__kmpc_target_deinit()
  ret void
}
define internal void @store(ptr %gtid, ptr %btid, ptr %a) {
  store i32 7, ptr %a
  ret void
}
define internal void @atomic(ptr %gtid, ptr %btid, ptr %a) {
  %old = atomicrmw add ptr %a, i32 1 monotonic
  ret void
}
define internal void @volatile(ptr %gtid, ptr %btid, ptr %a) {
  %v = load volatile i32, ptr %a
  ret void
}
define internal void @endless(ptr %gtid, ptr %btid, ptr %a) {
  br label %head
head:
  %i = phi i32 [ 0, %0 ], [ %next, %head ]
  %place = getelementptr i32, ptr %a, i32 %i
  %value = load i32, ptr %place
  %next = add i32 %i, 1
  %more = icmp ne i32 %value, 0
  br i1 %more, label %head, label %done
done:
  ret void
}
define internal void @unknown(ptr %gtid, ptr %btid, ptr %a) {
  call void @ext()
  ret void
}
define internal void @shared_elsewhere(ptr %gtid, ptr %btid, ptr %a) {
  call void @__kmpc_for_static_init_4(ptr @where, i32 0, i32 33, ptr %a, ptr %a, ptr %a, ptr %a, i32 1, i32 1)
  ret void
}
define internal void @itself(ptr %gtid, ptr %btid, ptr %a) {
  %args = alloca [1 x ptr]
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 -1, i32 -1, ptr @itself, ptr null, ptr %args, i64 1, i32 0)
  ret void
}
define internal void @strict(ptr %gtid, ptr %btid, ptr %a) {
  ret void
}
declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare void @ext()
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
