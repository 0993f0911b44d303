; Behind LLVM's passes barriers stay: those of a generic kernel, where the main thread's last one sends the workers home; those
; behind which a thread still does something that others see; other barriers than the one of all threads, and beside those.
; RUN-ARGS: --passes=omptarget-last
; NO-REMARK
; UNCHANGED

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer, align 8
@generic_kernel_environment = constant %environment { %config { i8 1, i8 0, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }, align 8
@k_kernel_environment = constant %environment { %config { i8 0, i8 0, i8 3, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }, align 8
define ptx_kernel void @generic(ptr %dyn, ptr %a) {
  store i32 1, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
}
define ptx_kernel void @k(ptr %a, ptr %b) {
entry:
  %own = load i32, ptr %a
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %some = icmp eq i32 %own, 7
  br i1 %some, label %late, label %end
late:
  store i32 1, ptr %b
  br label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 1)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %mask = call i32 @llvm.nvvm.activemask()
  call void @llvm.nvvm.bar.warp.sync(i32 %mask)
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare i32 @llvm.nvvm.activemask()
!llvm.module.flags = !{!0}
!0 = !{i32 7, !"openmp-device", i32 51}
