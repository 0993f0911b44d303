; A variable of 7 bytes and alignment 1 in a reduction is handed on in pieces of 4, 2 and 1 bytes, as clang writes it. It is aligned for the
; largest piece, a shuffle stores no more than its piece, and between warps each piece is the one behind those before. A variable of 2
; bytes has one piece, which is right, and no other list than that of the parameter is looked at.
; CHECK: define void @reduce
; CHECK: %seven = alloca [7 x i8], align 4
; CHECK: %two = alloca i16, align 2
; CHECK: define internal void @shuffle
; CHECK: %remote = alloca [7 x i8], align 4
; CHECK: store i32 %first, ptr %remote
; CHECK: %piece = trunc i32 %second to i16
; CHECK-NEXT: store i16 %piece, ptr %at4, align 2
; CHECK: trunc i32 %third to i8
; CHECK-NEXT: store i8 <*>, ptr %at6, align 1
; CHECK: define internal void @copy
; CHECK: load i32, ptr %seven
; CHECK: getelementptr inbounds i8, ptr %seven, i64 4
; CHECK-NEXT: load i16
; CHECK: getelementptr inbounds i8, ptr %seven, i64 6
; CHECK-NEXT: store i8 %byte
; CHECK: load i16, ptr %two
; CHECK: load i16, ptr %elsewhere

target triple = "nvptx64-nvidia-cuda"

@storage = internal addrspace(3) global [32 x i32] poison

declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i64, ptr, ptr, ptr)
declare i32 @__kmpc_shuffle_int32(i32, i16, i16)
declare void @use(ptr)

define void @reduce(ptr %ident) {
  %seven = alloca [7 x i8], align 1
  %two = alloca i16, align 1
  %list = alloca [2 x ptr], align 8
  store ptr %seven, ptr %list, align 8
  %second = getelementptr inbounds [2 x ptr], ptr %list, i64 0, i64 1
  store ptr %two, ptr %second, align 8
  %done = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr %ident, i64 16, ptr %list, ptr @shuffle, ptr @copy)
  ret void
}

define internal void @shuffle(ptr %list, i16 %lane, i16 %offset, i16 %kind) {
  %list.addr = alloca ptr, align 8
  %remotes = alloca [2 x ptr], align 8
  %remote = alloca [7 x i8], align 1
  %remote2 = alloca i16, align 2
  store ptr %list, ptr %list.addr, align 8
  %given = load ptr, ptr %list.addr, align 8
  %from = load ptr, ptr %given, align 8
  %word = load i32, ptr %from, align 4
  %first = call i32 @__kmpc_shuffle_int32(i32 %word, i16 %offset, i16 32)
  store i32 %first, ptr %remote, align 4
  %from4 = getelementptr i8, ptr %from, i64 4
  %at4 = getelementptr i8, ptr %remote, i64 4
  %half = load i16, ptr %from4, align 2
  %wide = sext i16 %half to i32
  %second = call i32 @__kmpc_shuffle_int32(i32 %wide, i16 %offset, i16 32)
  store i32 %second, ptr %at4, align 4
  %from6 = getelementptr i8, ptr %from4, i64 2
  %at6 = getelementptr i8, ptr %at4, i64 2
  %byte = load i8, ptr %from6, align 1
  %widened = sext i8 %byte to i32
  %third = call i32 @__kmpc_shuffle_int32(i32 %widened, i16 %offset, i16 32)
  store i32 %third, ptr %at6, align 4
  store ptr %remote, ptr %remotes, align 8
  %next = getelementptr inbounds [2 x ptr], ptr %remotes, i64 0, i64 1
  store ptr %remote2, ptr %next, align 8
  call void @use(ptr %remotes)
  ret void
}

define internal void @copy(ptr %list, i32 %warps) {
  %list.addr = alloca ptr, align 8
  store ptr %list, ptr %list.addr, align 8
  %given = load ptr, ptr %list.addr, align 8
  %seven = load ptr, ptr %given, align 8
  %word = load i32, ptr %seven, align 4
  store volatile i32 %word, ptr addrspace(3) @storage, align 4
  %half = load i16, ptr %seven, align 2
  store volatile i16 %half, ptr addrspace(3) @storage, align 2
  %byte = load volatile i8, ptr addrspace(3) @storage, align 1
  store i8 %byte, ptr %seven, align 1
  %second = getelementptr inbounds [2 x ptr], ptr %given, i64 0, i64 1
  %two = load ptr, ptr %second, align 8
  %both = load i16, ptr %two, align 2
  store volatile i16 %both, ptr addrspace(3) @storage, align 2
  %elsewhere = load ptr, ptr %seven, align 8
  %value = load i16, ptr %elsewhere, align 2
  store volatile i16 %value, ptr addrspace(3) @storage, align 2
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
