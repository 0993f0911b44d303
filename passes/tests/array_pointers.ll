; What a function got for its pointers to arrays of variable length goes to the variables that clang has allocated for them, in another order
; than that of the parameters. A pointer that clang reads where it was stored is not lost, nor is a variable of 16 bytes' alignment one of them.
; CHECK: define internal void @region
; CHECK: %b9 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %b, ptr %b9
; CHECK-NEXT: %a110 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %a1, ptr %a110
; CHECK-NEXT: %a11 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %a, ptr %a11
; CHECK-NEXT: %other12 = call align 16 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %read
; CHECK: define internal void @without_names
; CHECK: %2 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
; CHECK-NEXT: store ptr %0, ptr %2
; RUN-ARGS: --openmp-opt-disable-deglobalization

target triple = "nvptx64-nvidia-cuda"

declare ptr @__kmpc_alloc_shared(i64)
declare void @__kmpc_free_shared(ptr, i64)
declare void @use(ptr)

define internal void @region(ptr %a, ptr %a1, i64 %vla, ptr %b, ptr %other) {
entry:
  %a.addr = alloca ptr
  %a1.addr = alloca ptr
  %vla.addr = alloca i64
  %b.addr = alloca ptr
  %other.addr = alloca ptr
  store ptr %a, ptr %a.addr
  store ptr %a1, ptr %a1.addr
  store i64 %vla, ptr %vla.addr
  store ptr %b, ptr %b.addr
  store ptr %other, ptr %other.addr
  %read = load ptr, ptr %other.addr
  %b9 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
  %a110 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
  %a11 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
  %other12 = call align 16 ptr @__kmpc_alloc_shared(i64 8)
  store ptr %read, ptr %other12
  %first = load ptr, ptr %a11
  %second = load ptr, ptr %a110
  %third = load ptr, ptr %b9
  call void @use(ptr %first)
  call void @use(ptr %second)
  call void @use(ptr %third)
  call void @use(ptr %other12)
  call void @__kmpc_free_shared(ptr %other12, i64 8)
  call void @__kmpc_free_shared(ptr %a11, i64 8)
  call void @__kmpc_free_shared(ptr %a110, i64 8)
  call void @__kmpc_free_shared(ptr %b9, i64 8)
  ret void
}

; One pointer has no names to be told by, and needs none.
define internal void @without_names(ptr %0) {
  %variable = alloca ptr
  store ptr %0, ptr %variable
  %2 = call align 8 ptr @__kmpc_alloc_shared(i64 8)
  %3 = load ptr, ptr %2
  call void @use(ptr %3)
  call void @__kmpc_free_shared(ptr %2, i64 8)
  ret void
}

define void @caller(ptr %a, ptr %a1, i64 %vla, ptr %b, ptr %other) {
  call void @region(ptr %a, ptr %a1, i64 %vla, ptr %b, ptr %other)
  call void @without_names(ptr %a)
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
