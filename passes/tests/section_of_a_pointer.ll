; clang keeps a pointer and the private copy of a section of what it points to in the same memory, if an address behind its name is handed
; on. The pointer gets memory of its own, and the copy as much as it needs: its end is the third element here. What is behind the start of
; the construct and no load or store of a pointer is the copy's.
; RUN-ARGS: --openmp-opt-disable-deglobalization
; CHECK: define i32 @reduce
; CHECK: %memory1 = call align 16 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: %memory = call align 16 ptr @__kmpc_alloc_shared(i64 12)
; CHECK-NEXT: call void @keep(ptr %memory1)
; CHECK-NEXT: store ptr %where, ptr %memory1
; CHECK-NEXT: %pointer = load ptr, ptr %memory1
; CHECK: %end = getelementptr i32, ptr %memory, i64 3
; CHECK: %element = phi ptr [ %memory, %entry ]
; CHECK: %again = load ptr, ptr %memory1
; CHECK: %private = getelementptr i32, ptr %memory, i64 %elements
; CHECK: call void @keep(ptr %memory)
; CHECK: %after = load ptr, ptr %memory1
; CHECK: call void @__kmpc_free_shared(ptr %memory1, i64 8)
; CHECK-NEXT: call void @__kmpc_free_shared(ptr %memory, i64 12)
; CHECK: define ptr @no_section
; CHECK-NEXT: %memory = call align 16 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %where, ptr %memory
; COUNT: 3 call align 16 ptr @__kmpc_alloc_shared

target triple = "nvptx64-nvidia-cuda"

declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
declare void @keep(ptr)

define i32 @reduce(ptr %where) {
entry:
  %memory = call align 16 ptr @__kmpc_alloc_shared(i64 8)
  call void @keep(ptr %memory)
  store ptr %where, ptr %memory, align 8
  %pointer = load ptr, ptr %memory, align 8
  %first = getelementptr inbounds nuw i32, ptr %pointer, i64 2
  %end = getelementptr i32, ptr %memory, i64 3
  br label %init
init:
  %element = phi ptr [ %memory, %entry ], [ %next, %init ]
  store i32 0, ptr %element, align 4
  %next = getelementptr i32, ptr %element, i32 1
  %done = icmp eq ptr %next, %end
  br i1 %done, label %body, label %init
body:
  %again = load ptr, ptr %memory, align 8
  %base = ptrtoint ptr %again to i64
  %start = ptrtoint ptr %first to i64
  %bytes = sub i64 %base, %start
  %elements = sdiv exact i64 %bytes, ptrtoint (ptr getelementptr (i32, ptr null, i32 1) to i64)
  %private = getelementptr i32, ptr %memory, i64 %elements
  call void @keep(ptr %private)
  call void @keep(ptr %memory)
  %after = load ptr, ptr %memory, align 8
  %value = load i32, ptr %after, align 4
  call void @__kmpc_free_shared(ptr %memory, i64 8)
  ret i32 %value
lost:
  %nothing = load i32, ptr %memory, align 4
  ret i32 %nothing
}

define ptr @no_section(ptr %where) {
  %memory = call align 16 ptr @__kmpc_alloc_shared(i64 8)
  store ptr %where, ptr %memory, align 8
  call void @keep(ptr %memory)
  %pointer = load ptr, ptr %memory, align 8
  call void @__kmpc_free_shared(ptr %memory, i64 8)
  ret ptr %pointer
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
