; Numbers from elsewhere are no addresses, in code as flang writes it: variables that hold them, and that a region gets from a function
; which other files may call, are shared with workers. So are those that atomic operations change; only the places in which there may be an
; address of another file's stack are asked about.
; CHECK: define i32 @counted()
; CHECK: %count = call align 16 ptr @__kmpc_alloc_shared(i64 4)
; CHECK: call void @__kmpc_parallel_60(<*> ptr @counts, ptr @counts_wrapper, ptr %args, i64 1, i32 0)
; CHECK: define void @outer(ptr %number)
; CHECK: %own = call align 16 ptr @__kmpc_alloc_shared(i64 8)
; CHECK: define void @inner(ptr %number, ptr %sum)
; CHECK: %region.is_local = call i1 @llvm.nvvm.isspacep.local(ptr
; CHECK: %region.wrapper<*> = select i1 %region.is_local<*>, ptr null, ptr %region.wrapper
; CHECK: call void @__kmpc_parallel_60(<*> ptr @adds, ptr %region.wrapper<*>, ptr %args, i64 1, i32 0)
; COUNT: 3 isspacep.local

source_filename = "FIRModule"
target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
@where = private constant %ident zeroinitializer

define i32 @counted() {
entry:
  %args = alloca [1 x ptr]
  %count = alloca i32
  store i32 0, ptr %count
  store ptr %count, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @counts, ptr null, ptr %args, i64 1, i32 0)
  %counted = load i32, ptr %count
  ret i32 %counted
}
define internal void @counts(ptr %gtid, ptr %btid, ptr %count) {
  %old = atomicrmw add ptr %count, i32 1 monotonic
  ret void
}

define void @gives(ptr %to) {
  %count = call i32 @counted()
  store i32 %count, ptr %to
  ret void
}

define void @outer(ptr %number) {
entry:
  %own = alloca i64
  %given = load i64, ptr %number
  %three = mul i64 %given, 3
  store i64 %three, ptr %own
  call void @inner(ptr %number, ptr %own)
  ret void
}
define void @inner(ptr %number, ptr %sum) {
entry:
  %args = alloca [1 x ptr]
  %struct = alloca { ptr, ptr }
  store ptr %number, ptr %struct
  %second = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  store ptr %sum, ptr %second
  store ptr %struct, ptr %args
  call void @__kmpc_parallel_60(ptr @where, i32 0, i32 1, i32 64, i32 -1, ptr @adds, ptr null, ptr %args, i64 1, i32 0)
  ret void
}
define internal void @adds(ptr %gtid, ptr %btid, ptr %struct) {
  %number = load ptr, ptr %struct
  %place = getelementptr { ptr, ptr }, ptr %struct, i32 0, i32 1
  %sum = load ptr, ptr %place
  %value = load i64, ptr %number
  %real = sitofp i64 %value to double
  %whole = fptosi double %real to i64
  %old = atomicrmw add ptr %sum, i64 %whole monotonic
  ret void
}

declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
