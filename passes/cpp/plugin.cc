// The C++ half of the plugin: puts a pass at the start and the end of pipelines and between openmp-opt's runs, and gives it its names.
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
using namespace llvm;

// As in `src/plugin.rs`.
enum Stage : uint32_t { Unoptimized, Compile, Begin, Link, UnoptimizedLink, Optimized, End };

// The Rust half: whether the module was changed.
using RunFunction = bool (*)(void *Module, uint32_t Stage);
// The Rust half between runs of openmp-opt, for each function: whether it was changed.
using BetweenFunction = bool (*)(void *Function);
// The Rust half about a function: whether it may come to one of the runtime.
using AsksFunction = bool (*)(void *Function);

namespace {
struct OpenMPPass : PassInfoMixin<OpenMPPass> {
  RunFunction Run;
  Stage At;
  OpenMPPass(RunFunction Run, Stage At) : Run(Run), At(At) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    return Run(&M, At) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

struct BetweenPass : PassInfoMixin<BetweenPass> {
  BetweenFunction Between;
  explicit BetweenPass(BetweenFunction Between) : Between(Between) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    return Between(&F) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

// Without optimisation LLVM drops nothing, not even what nobody calls: all of the device runtime would be in each program, and a
// driver compiles it for half a minute.
struct DropUncalledPass : PassInfoMixin<DropUncalledPass> {
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &MAM) {
    return Triple(M.getTargetTriple()).isNVPTX() ? GlobalDCEPass().run(M, MAM) : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// The passes read the names of variables (`src/repairs/array_pointers.rs`), so `omptarget cc` has clang keep them. Behind the passes
// they would only make objects larger.
struct DropNamesPass : PassInfoMixin<DropNamesPass> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    if (!Triple(F.getParent()->getTargetTriple()).isNVPTX())
      return PreservedAnalyses::all();
    for (Argument &A : F.args())
      A.setName("");
    for (BasicBlock &B : F) {
      B.setName("");
      for (Instruction &I : B)
        I.setName("");
    }
    return PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};
} // namespace

// Of `large.cc`.
namespace omptarget {
void keepFromLargeFunctions(PassInstrumentationCallbacks &Callbacks, AsksFunction MayAskRuntime);
}

extern "C" void omptarget_passes_register(PassBuilder *PB, RunFunction Run, BetweenFunction Between, AsksFunction Asks) {
  if (PassInstrumentationCallbacks *Callbacks = PB->getPassInstrumentationCallbacks())
    omptarget::keepFromLargeFunctions(*Callbacks, Asks);
  // Before the stock pass, which is part of what comes next.
  PB->registerPipelineStartEPCallback([Run](ModulePassManager &MPM, OptimizationLevel Level) {
    MPM.addPass(OpenMPPass(Run, Level == OptimizationLevel::O0 ? Unoptimized : Compile));
    MPM.addPass(createModuleToFunctionPassAdaptor(DropNamesPass()));
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass(Run, Begin));
  });
  // When everything is linked, the device runtime too, and nothing is inlined across files yet. Only for device code: a
  // host program has no module flag `openmp-device`.
  PB->registerFullLinkTimeOptimizationEarlyEPCallback([Run](ModulePassManager &MPM, OptimizationLevel Level) {
    MPM.addPass(OpenMPPass(Run, Level == OptimizationLevel::O0 ? UnoptimizedLink : Link));
  });
  // With the first simplification of instructions, before anything is inlined.
  PB->registerPeepholeEPCallback(
      [Between](FunctionPassManager &FPM, OptimizationLevel) { FPM.addPass(BetweenPass(Between)); });
  // Where a file is done. What goes on to a device link is optimised there; LLVM 19 does not say which does.
  auto AtEnd = [Run](ModulePassManager &MPM, OptimizationLevel Level, Stage At) {
    if (Level != OptimizationLevel::O0)
      MPM.addPass(OpenMPPass(Run, At));
    else if (At == End)
      MPM.addPass(DropUncalledPass());
  };
#if LLVM_VERSION_MAJOR >= 20
  PB->registerOptimizerLastEPCallback([AtEnd](ModulePassManager &MPM, OptimizationLevel Level, ThinOrFullLTOPhase Phase) {
    if (Phase == ThinOrFullLTOPhase::None)
      AtEnd(MPM, Level, Optimized);
    AtEnd(MPM, Level, End);
  });
#else
  PB->registerOptimizerLastEPCallback(
      [AtEnd](ModulePassManager &MPM, OptimizationLevel Level) { AtEnd(MPM, Level, End); });
#endif
  PB->registerFullLinkTimeOptimizationLastEPCallback([AtEnd](ModulePassManager &MPM, OptimizationLevel Level) {
    AtEnd(MPM, Level, Optimized);
    AtEnd(MPM, Level, End);
  });
  PB->registerPipelineParsingCallback(
      [Run](StringRef Name, ModulePassManager &MPM, ArrayRef<PassBuilder::PipelineElement>) {
        for (auto [Known, At] : {std::pair("omptarget", Compile),
                                 {"omptarget-begin", Begin},
                                 {"omptarget-link", Link},
                                 {"omptarget-last", Optimized},
                                 {"omptarget-end", End}})
          if (Name == Known) {
            MPM.addPass(OpenMPPass(Run, At));
            return true;
          }
        return false;
      });
}
