; With a schedule the loops of `distribute parallel for` stay two. What each thread has for the value that its team has last becomes one variable
; of the team, which the thread with the last iteration fills and all copy out.
; CHECK: @last_private_shared = internal addrspace(3) global [4 x i8] poison, align 16
; CHECK: store ptr addrspacecast (ptr addrspace(3) @last_private_shared to ptr), ptr %args.4
; CHECK: br i1 %has_last, label %copy, label %done
; CHECK: copy:
; CHECK-NEXT: %value = load i32, ptr addrspacecast (ptr addrspace(3) @last_private_shared to ptr)
; CHECK: call void @__kmpc_for_static_init_4(ptr @where, i32 %number, i32 34
; NOT: call void @__kmpc_free_shared

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 1, i8 2, i32 1, i32 128, i32 0, i32 0, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a, i32 %n) {
entry:
  %args = alloca [5 x ptr]
  %team_last = alloca i32
  %team_lower = alloca i32
  %team_upper = alloca i32
  %team_stride = alloca i32
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  %own = call align 16 ptr @__kmpc_alloc_shared(i64 4)
  %end = sub nsw i32 %n, 1
  store i32 0, ptr %team_last
  store i32 0, ptr %team_lower
  store i32 %end, ptr %team_upper
  store i32 1, ptr %team_stride
  %threads = call i32 @__kmpc_get_hardware_num_threads_in_block()
  call void @__kmpc_distribute_static_init_4(ptr @where, i32 %gtid, i32 91, ptr %team_last, ptr %team_lower, ptr %team_upper, ptr %team_stride, i32 1, i32 %threads)
  %first = load i32, ptr %team_lower
  br label %head
head:
  %chunk = phi i32 [ %first, %user ], [ %next, %body ]
  %more = icmp slt i32 %chunk, %n
  br i1 %more, label %body, label %out
body:
  %lower = load i32, ptr %team_lower
  %lower.wide = zext i32 %lower to i64
  %lower.arg = inttoptr i64 %lower.wide to ptr
  store ptr %lower.arg, ptr %args
  %upper = load i32, ptr %team_upper
  %upper.wide = zext i32 %upper to i64
  %upper.arg = inttoptr i64 %upper.wide to ptr
  %args.1 = getelementptr [5 x ptr], ptr %args, i64 0, i64 1
  store ptr %upper.arg, ptr %args.1
  %args.2 = getelementptr [5 x ptr], ptr %args, i64 0, i64 2
  store ptr %a, ptr %args.2
  %n.wide = zext i32 %n to i64
  %n.arg = inttoptr i64 %n.wide to ptr
  %args.3 = getelementptr [5 x ptr], ptr %args, i64 0, i64 3
  store ptr %n.arg, ptr %args.3
  %args.4 = getelementptr [5 x ptr], ptr %args, i64 0, i64 4
  store ptr %own, ptr %args.4
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %args, i64 5, i32 0)
  %stride = load i32, ptr %team_stride
  %moved = add nsw i32 %lower, %stride
  store i32 %moved, ptr %team_lower
  %upper.moved = add nsw i32 %upper, %stride
  store i32 %upper.moved, ptr %team_upper
  %next = load i32, ptr %team_lower
  br label %head
out:
  call void @__kmpc_distribute_static_fini(ptr @where, i32 %gtid)
  %flag = load i32, ptr %team_last
  %has_last = icmp ne i32 %flag, 0
  br i1 %has_last, label %copy, label %done
copy:
  %value = load i32, ptr %own
  store i32 %value, ptr %a
  br label %done
done:
  call void @__kmpc_free_shared(ptr %own, i64 4)
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, i64 %lower, i64 %upper, ptr %a, i64 %n, ptr %own) {
entry:
  %last = alloca i32
  %first = alloca i32
  %limit = alloca i32
  %step = alloca i32
  %number = load i32, ptr %gtid
  store i32 0, ptr %last
  %lower.short = trunc i64 %lower to i32
  store i32 %lower.short, ptr %first
  %upper.short = trunc i64 %upper to i32
  store i32 %upper.short, ptr %limit
  store i32 1, ptr %step
  call void @__kmpc_for_static_init_4(ptr @where, i32 %number, i32 34, ptr %last, ptr %first, ptr %limit, ptr %step, i32 1, i32 1)
  %start = load i32, ptr %first
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %i.next, %body ]
  %i.wide = sext i32 %i to i64
  %more = icmp ule i64 %i.wide, %upper
  br i1 %more, label %body, label %out
body:
  %place = getelementptr i32, ptr %a, i64 %i.wide
  store i32 %i, ptr %place
  %stride = load i32, ptr %step
  %i.next = add nsw i32 %i, %stride
  br label %head
out:
  call void @__kmpc_for_static_fini(ptr @where, i32 %number)
  %flag = load i32, ptr %last
  %has_last = icmp ne i32 %flag, 0
  br i1 %has_last, label %fill, label %done
fill:
  store i32 %i, ptr %own
  br label %done
done:
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare void @__kmpc_distribute_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_distribute_static_fini(ptr, i32)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_fini(ptr, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
