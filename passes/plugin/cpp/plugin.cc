// The C++ half of the plugin: puts the pass at the start of every optimising pipeline, and gives it its names.
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
using namespace llvm;

// The Rust half: whether the module was changed.
extern "C" bool omptarget_passes_run(void *Module);

namespace {
struct OpenMPPass : PassInfoMixin<OpenMPPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return omptarget_passes_run(&M) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};
} // namespace

extern "C" void omptarget_passes_register(PassBuilder *PB) {
  // Before the stock pass, which is part of what comes next.
  PB->registerPipelineStartEPCallback([](ModulePassManager &MPM, OptimizationLevel Level) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass());
  });
  PB->registerPipelineParsingCallback(
      [](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        if (Name != "omptarget")
          return false;
        MPM.addPass(OpenMPPass());
        return true;
      });
}
