; Behind LLVM's passes, in a loop of serial code with a region: at the begin of the region the threads have only read what thread 0
; told them, and meet at its end before they are told the next value. So nothing needs the barrier there (OMP190).
; RUN-ARGS: --passes=omptarget-last
; REMARK: Redundant barrier eliminated. [OMP190]
; CHECK: store i32 %more, ptr addrspace(3) @told
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK-NEXT: load i32, ptr addrspace(3) @told
; CHECK: region:
; CHECK-NEXT: store i32 %heard, ptr %mine
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; COUNT: 2 call void @llvm.nvvm.barrier

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@told = internal addrspace(3) global i32 undef
@k_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @k(ptr %dyn, ptr %a, ptr %b) {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %id, 0
  %mine = getelementptr i32, ptr %b, i32 %id
  br label %again
again:
  br i1 %first, label %serial, label %all
serial:
  %more = load i32, ptr %a
  store i32 %more, ptr addrspace(3) @told
  br label %all
all:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %heard = load i32, ptr addrspace(3) @told
  %ends = icmp eq i32 %heard, 0
  br i1 %ends, label %end, label %region
region:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %heard, ptr %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %again
end:
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
