; Merged regions keep their lines: the compiler's function around them has lines, those of serial code that it takes among them.
; REMARK: Transformed generic-mode kernel to SPMD-mode. [OMP120]
; REMARK: k.c:9:3: Parallel region merged with parallel region at k.c:12:3. [OMP150]
; CHECK: define internal void @region.merged(<*> !dbg !15 {
; CHECK: call void @region(ptr %0, ptr %1, ptr %2), !dbg !16
; CHECK: store i32 6, ptr %3, align 4, !dbg !17
; CHECK: call void @region(ptr %0, ptr %1, ptr %4), !dbg !16
; CHECK: !15 = distinct !DISubprogram(name: "region.merged"
; CHECK: !16 = !DILocation(line: 0, scope: !15)
; CHECK: !17 = !DILocation(line: 11, column: 3, scope: !15)

target triple = "nvptx64-nvidia-cuda"
%ident = type { i32, i32, i32, i32, ptr }
%config = type { i8, i8, i8, i32, i32, i32, i32, i32, i32 }
%environment = type { %config, ptr, ptr }
@where = private constant %ident zeroinitializer
@k_kernel_environment = constant %environment { %config { i8 1, i8 1, i8 1, i32 1, i32 128, i32 -1, i32 -1, i32 0, i32 0 }, ptr @where, ptr null }

define ptx_kernel void @k(ptr %dyn, ptr %a) !dbg !4 {
entry:
  %args = alloca [1 x ptr]
  %init = call i32 @__kmpc_target_init(ptr @k_kernel_environment, ptr %dyn)
  %is_user = icmp eq i32 %init, -1
  br i1 %is_user, label %user, label %leave
leave:
  ret void
user:
  %gtid = call i32 @__kmpc_global_thread_num(ptr @where)
  store i32 5, ptr %a, !dbg !6
  %v = load i32, ptr %a, !dbg !7
  store ptr %a, ptr %args, !dbg !8
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0), !dbg !9
  %w = add i32 %v, 1, !dbg !10
  store i32 %w, ptr %a, !dbg !11
  call void @__kmpc_parallel_60(ptr @where, i32 %gtid, i32 1, i32 -1, i32 -1, ptr @region, ptr @region_wrapper, ptr %args, i64 1, i32 0), !dbg !12
  call void @__kmpc_target_deinit()
  ret void
}

define internal void @region(ptr %gtid, ptr %btid, ptr %a) !dbg !13 {
  store i32 7, ptr %a, !dbg !14
  ret void, !dbg !14
}
define internal void @region_wrapper(i16 %level, i32 %thread) {
  ret void
}

declare i32 @__kmpc_target_init(ptr, ptr)
declare void @__kmpc_target_deinit()
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_global_thread_num(ptr)
!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 7, !"openmp-device", i32 51}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: LineTablesOnly)
!3 = !DIFile(filename: "k.c", directory: "/")
!4 = distinct !DISubprogram(name: "k", file: !3, line: 4, type: !5, unit: !2)
!5 = !DISubroutineType(types: !{})
!6 = !DILocation(line: 6, column: 3, scope: !4)
!7 = !DILocation(line: 7, column: 3, scope: !4)
!8 = !DILocation(line: 8, column: 3, scope: !4)
!9 = !DILocation(line: 9, column: 3, scope: !4)
!10 = !DILocation(line: 10, column: 3, scope: !4)
!11 = !DILocation(line: 11, column: 3, scope: !4)
!12 = !DILocation(line: 12, column: 3, scope: !4)
!13 = distinct !DISubprogram(name: "region", file: !3, line: 20, type: !5, unit: !2)
!14 = !DILocation(line: 21, column: 3, scope: !13)
