; Behind LLVM's passes, barriers that stay although the threads have only read what thread 0 told them: in @next it tells them the next
; value before they meet again, on one way; in @other a function reads the variable, too; in @whole serial code stands between.
; RUN-ARGS: --passes=omptarget-last
; NO-REMARK
; UNCHANGED

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer, align 8
@told_next = internal addrspace(3) global i32 undef, align 4
@told_other = internal addrspace(3) global i32 undef, align 4
@told_whole = internal addrspace(3) global i32 undef, align 4
@next_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }, align 8
@other_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }, align 8
@whole_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }, align 8
define ptx_kernel void @next(ptr %dyn, ptr %a, i1 %way) {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %id, 0
  store i32 %id, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %heard = load i32, ptr addrspace(3) @told_next
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %way, label %serial, label %end
serial:
  br i1 %first, label %tells, label %end
tells:
  store i32 1, ptr addrspace(3) @told_next
  br label %end
end:
  store i32 %heard, ptr %a
  ret void
}
define ptx_kernel void @other(ptr %dyn, ptr %a, i1 %way) {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %id, 0
  store i32 %id, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %heard = load i32, ptr addrspace(3) @told_other
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %heard, ptr %a
  ret void
}
define i32 @reads() {
  %read = load i32, ptr addrspace(3) @told_other
  ret i32 %read
}
define ptx_kernel void @whole(ptr %dyn, ptr %a, i1 %way) {
entry:
  %id = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %id, 0
  store i32 %id, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %heard = load i32, ptr addrspace(3) @told_whole
  store i32 0, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store i32 %heard, ptr %a
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
