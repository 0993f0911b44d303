// The C++ half of the plugin: puts the pass at the start of every optimising pipeline, and gives it its names.
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
using namespace llvm;

// The Rust half, in `plugin/`: whether the module was changed.
extern "C" bool omptarget_passes_run(void *Module, bool WholeProgram);

namespace {
struct OpenMPPass : PassInfoMixin<OpenMPPass> {
  bool WholeProgram;
  explicit OpenMPPass(bool WholeProgram) : WholeProgram(WholeProgram) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return omptarget_passes_run(&M, WholeProgram) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};
} // namespace

extern "C" void omptarget_passes_register(PassBuilder *PB) {
  // Before the stock pass, which is part of what comes next.
  PB->registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass(/*WholeProgram=*/false));
  });
  // When everything is linked, the device runtime too, and nothing is inlined across files yet. Only for device code: a
  // host program has no module flag `openmp-device`.
  PB->registerFullLinkTimeOptimizationEarlyEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass(/*WholeProgram=*/true));
  });
  PB->registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "omptarget" && Name != "omptarget-link")
          return false;
        MPM.addPass(OpenMPPass(/*WholeProgram=*/Name == "omptarget-link"));
        return true;
      });
}
