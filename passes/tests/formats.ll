; What CUDA's vprintf does not know is written in words that it knows, and a char becomes an int of its value.
; CHECK: @omptarget.format = private constant [18 x i8] c"%lu %d %ld %u %s\0A\00"
; CHECK: getelementptr inbounds i8, ptr %values, i64 8
; CHECK: load i32, ptr %1
; CHECK: add i32 %2, 128
; CHECK: and i32 %3, 255
; CHECK: sub i32 %4, 128
; CHECK: store i32 %5, ptr %1
; CHECK: getelementptr inbounds i8, ptr %values, i64 24
; CHECK: and i32 %7, 255
; CHECK: call i32 @vprintf(ptr @omptarget.format, ptr %values)
; CHECK: call i32 @vprintf(ptr @plain, ptr %values)
; CHECK: call i32 @vprintf(ptr %unknown, ptr %values)
; COUNT: 2 store i32

target triple = "nvptx64-nvidia-cuda"
@odd = private unnamed_addr constant [20 x i8] c"%zu %hhd %td %hhu %s"
@line = private unnamed_addr constant [22 x i8] c"%zu %hhd %td %hhu %s\0A\00"
@plain = private unnamed_addr constant [5 x i8] c"%lld\00"

define void @say(ptr %values, ptr %unknown) {
  %a = call i32 @vprintf(ptr @line, ptr %values)
  %b = call i32 @vprintf(ptr @plain, ptr %values)
  %c = call i32 @vprintf(ptr %unknown, ptr %values)
  %d = call i32 @vprintf(ptr @odd, ptr %values)
  ret void
}
declare i32 @vprintf(ptr, ptr)
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
