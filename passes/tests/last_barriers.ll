; Behind LLVM's passes: the machine's barriers of an SPMD kernel where it begins, where it ends and behind another one order
; nothing (OMP190).
; RUN-ARGS: --passes=omptarget-last
; REMARK: Redundant barrier eliminated. [OMP190]
; REMARK: Redundant barrier eliminated. [OMP190]
; REMARK: Redundant barrier eliminated. [OMP190]
; CHECK: define ptx_kernel void @k(
; CHECK: store i32 %id
; CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
; CHECK: br label %again
; CHECK: load i32
; CHECK: br i1 %more
; CHECK: ret void
; COUNT: 1 call void @llvm.nvvm.barrier

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }
define ptx_kernel void @k(ptr %dyn, ptr %a) {
entry:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %id, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %size = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %sum = add i32 %id, %size
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ]
  %next = add i32 %n, 1
  %read = load i32, ptr %a
  %more = icmp slt i32 %next, %read
  br i1 %more, label %again, label %end
end:
  %unused = mul i32 %sum, %n
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
