; Gotos to addresses of labels become choices by numbers, which take the addresses' places. A label that no address leads to is none of a goto's any
; more, and neither is one that stands there twice.
; CHECK: @steps = internal constant [2 x ptr] [ptr inttoptr (i64 1 to ptr), ptr inttoptr (i64 2 to ptr)]
; CHECK: switch i64 <*>, label <*> [
; CHECK-NEXT: i64 1, label %a
; CHECK-NEXT: i64 2, label %b
; CHECK: phi i32 [ 1, %entry ]
; NOT: indirectbr
; NOT: blockaddress

target triple = "nvptx64-nvidia-cuda"
@steps = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
define i32 @f(i64 %n) {
entry:
  %at = getelementptr [2 x ptr], ptr @steps, i64 0, i64 %n
  %to = load ptr, ptr %at
  indirectbr ptr %to, [label %a, label %b, label %a, label %c]
a:
  %x = phi i32 [ 1, %entry ], [ 1, %entry ]
  ret i32 %x
b:
  ret i32 2
c:
  ret i32 3
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
