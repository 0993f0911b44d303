; What LLVM took for a variable on the stack, until it put a constant in its place, is read where the constant is. A variable on the stack stays.
; RUN-ARGS: --passes=omptarget-last
; CHECK: %next = load i32, ptr %
; CHECK: %first = load i32, ptr @numbers
; CHECK: %second = load i32, ptr getelementptr
; CHECK: %chosen.two = load i32, ptr %
; CHECK: %own = load i32, ptr addrspace(5) %stack
; COUNT: 1 load i32, ptr addrspace(5)

target triple = "nvptx64-nvidia-cuda"
@numbers = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
define i32 @reads(i64 %i, ptr %given) {
  %chosen = getelementptr i32, ptr @numbers, i64 %i
  %local = addrspacecast ptr %chosen to ptr addrspace(5)
  %behind = getelementptr inbounds i32, ptr addrspace(5) %local, i64 1
  %next = load i32, ptr addrspace(5) %behind
  %all = addrspacecast ptr @numbers to ptr addrspace(5)
  %first = load i32, ptr addrspace(5) %all
  %second = load i32, ptr addrspace(5) addrspacecast (ptr getelementptr inbounds (i8, ptr @numbers, i64 4) to ptr addrspace(5))
  %element = getelementptr i32, ptr addrspace(5) addrspacecast (ptr @numbers to ptr addrspace(5)), i64 %i
  %chosen.two = load i32, ptr addrspace(5) %element
  %variable = alloca i32
  %stack = addrspacecast ptr %variable to ptr addrspace(5)
  store i32 5, ptr addrspace(5) %stack
  %own = load i32, ptr addrspace(5) %stack
  %two = add i32 %next, %first
  %three = add i32 %two, %own
  %four = add i32 %three, %second
  %five = add i32 %four, %chosen.two
  ret i32 %five
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 50}
