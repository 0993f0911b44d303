; The runtime has no lines, and calls a program's function back: at the link it gets some, and so do calls that have none.
; RUN-ARGS: --whole-program
; CHECK: define internal void @loop(ptr %body) !dbg
; CHECK-NEXT: call void %body(), !dbg
; CHECK: define void @user() !dbg
; CHECK-NEXT: call void @loop(ptr @body), !dbg
; CHECK: !DISubprogram(name: "loop", linkageName: "loop", scope: <*> flags: DIFlagArtificial, spFlags: DISPFlagLocalToUnit
; COUNT: 2 !DILocation(line: 0, scope: <*>)

source_filename = "a.f90"
target triple = "nvptx64-nvidia-cuda"
define internal void @loop(ptr %body) {
  call void %body()
  ret void
}
define void @user() !dbg !4 {
  call void @loop(ptr @body)
  ret void
}
define internal void @body() !dbg !6 {
  call void asm sideeffect "", ""(), !dbg !7
  ret void
}
!llvm.module.flags = !{!0, !1}
!llvm.dbg.cu = !{!2}
!0 = !{i32 7, !"openmp-device", i32 50}
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = distinct !DICompileUnit(language: DW_LANG_Fortran95, file: !3, emissionKind: LineTablesOnly)
!3 = !DIFile(filename: "a.f90", directory: "")
!4 = distinct !DISubprogram(name: "user", file: !3, line: 1, type: !5, spFlags: DISPFlagDefinition, unit: !2)
!5 = !DISubroutineType(types: null)
!6 = distinct !DISubprogram(name: "body", file: !3, line: 2, type: !5, spFlags: DISPFlagDefinition, unit: !2)
!7 = !DILocation(line: 3, scope: !6)
