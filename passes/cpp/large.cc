// Keeps openmp-opt from large functions.
//
// openmp-opt asks of each load what it may read, and for that of each store whether it may come before: in a function of thousands
// of instructions that takes minutes (`docs/upstream.md`). Before anything is inlined it has to see all that asks the runtime, to know
// what kernels reach. Behind that it looks for what became visible by inlining; where that much became part of one function, what one
// more barrier or word of the runtime's state costs does not count.
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/TargetParser/Triple.h"
#include <memory>
#include <vector>
using namespace llvm;

namespace {
// Instructions of a large function, at least. None of the kernels whose code is compared with that of LLVM's runtime changes by it.
constexpr unsigned Large = 800;

bool isLarge(const Function &F) {
  return F.getInstructionCount() >= Large && Triple(F.getParent()->getTargetTriple()).isNVPTX();
}

// A function that openmp-opt takes for one that nobody optimises. The attribute that says so goes with others, which come back.
struct Hidden {
  Function *F;
  bool NoInline, AlwaysInline;
};

// Of one pipeline.
struct Progress {
  bool HasInlined = false;
  // While openmp-opt runs over the module.
  std::vector<Hidden> AreHidden;
};

void hide(Module &M, Progress &P, bool (*MayAskRuntime)(void *)) {
  for (Function &F : M) {
    if (!isLarge(F) || F.hasOptNone() || (!P.HasInlined && MayAskRuntime(&F)))
      continue;
    P.AreHidden.push_back({&F, F.hasFnAttribute(Attribute::NoInline), F.hasFnAttribute(Attribute::AlwaysInline)});
    F.removeFnAttr(Attribute::AlwaysInline);
    F.addFnAttr(Attribute::NoInline);
    F.addFnAttr(Attribute::OptimizeNone);
  }
}

void show(Progress &P) {
  for (const Hidden &H : P.AreHidden) {
    H.F->removeFnAttr(Attribute::OptimizeNone);
    if (!H.NoInline)
      H.F->removeFnAttr(Attribute::NoInline);
    if (H.AlwaysInline)
      H.F->addFnAttr(Attribute::AlwaysInline);
  }
  P.AreHidden.clear();
}
} // namespace

namespace omptarget {
// In the pipelines that these are called in. The function says whether one that it gets may come to one of the runtime.
void keepFromLargeFunctions(PassInstrumentationCallbacks &Callbacks, bool (*MayAskRuntime)(void *)) {
  auto P = std::make_shared<Progress>();
  Callbacks.registerShouldRunOptionalPassCallback([](StringRef Pass, Any IR) {
    const auto *C = any_cast<const LazyCallGraph::SCC *>(&IR);
    return Pass != "OpenMPOptCGSCCPass" || !C ||
           none_of(**C, [](LazyCallGraph::Node &N) { return isLarge(N.getFunction()); });
  });
  Callbacks.registerBeforeNonSkippedPassCallback([P, MayAskRuntime](StringRef Pass, Any IR) {
    P->HasInlined |= Pass == "InlinerPass";
    if (const auto *M = any_cast<const Module *>(&IR); M && Pass == "OpenMPOptPass")
      hide(const_cast<Module &>(**M), *P, MayAskRuntime);
  });
  Callbacks.registerAfterPassCallback([P](StringRef Pass, Any, const PreservedAnalyses &) {
    if (Pass == "OpenMPOptPass")
      show(*P);
  });
}
} // namespace omptarget
