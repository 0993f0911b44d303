// The C++ half of the plugins: puts a pass at the start of every optimising pipeline, and gives it its names.
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
using namespace llvm;

// The Rust half, of a plugin: whether the module was changed.
using RunFunction = bool (*)(void *Module, bool WholeProgram);

namespace {
struct OpenMPPass : PassInfoMixin<OpenMPPass> {
  RunFunction Run;
  bool WholeProgram;
  OpenMPPass(RunFunction Run, bool WholeProgram) : Run(Run), WholeProgram(WholeProgram) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return Run(&M, WholeProgram) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};
} // namespace

extern "C" void omptarget_passes_register(PassBuilder *PB, RunFunction Run) {
  // Before the stock pass, which is part of what comes next.
  PB->registerPipelineStartEPCallback([Run](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass(Run, /*WholeProgram=*/false));
  });
  // When everything is linked, the device runtime too, and nothing is inlined across files yet. Only for device code: a
  // host program has no module flag `openmp-device`.
  PB->registerFullLinkTimeOptimizationEarlyEPCallback([Run](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass(Run, /*WholeProgram=*/true));
  });
  PB->registerPipelineParsingCallback(
      [Run](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "omptarget" && Name != "omptarget-link")
          return false;
        MPM.addPass(OpenMPPass(Run, /*WholeProgram=*/Name == "omptarget-link"));
        return true;
      });
}
