// Computed gotos: LLVM has no instruction for them on NVIDIA's GPUs, and openmp-opt's copies of functions jump into the original.
#include "llvm-c/Core.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
using namespace llvm;

// Numbers take the place of the addresses of labels, from 1 on, since none is null, and a choice by them that of each goto.
static bool expand(Function &F) {
  SmallVector<IndirectBrInst *> Gotos;
  for (BasicBlock &B : F)
    if (auto *Goto = dyn_cast<IndirectBrInst>(B.getTerminator()))
      Gotos.push_back(Goto);
  Type *Long = Type::getInt64Ty(F.getContext());
  MapVector<BasicBlock *, ConstantInt *> Numbers;
  for (BasicBlock &B : F)
    if (auto *Address = BlockAddress::lookup(&B)) {
      ConstantInt *Number = ConstantInt::get(cast<IntegerType>(Long), Numbers.size() + 1);
      Numbers[&B] = Number;
      Address->replaceAllUsesWith(ConstantExpr::getIntToPtr(Number, Address->getType()));
      Address->destroyConstant();
    }
  for (IndirectBrInst *Goto : Gotos) {
    BasicBlock *From = Goto->getParent();
    SmallSetVector<BasicBlock *, 8> Labels;
    for (BasicBlock *Label : successors(From))
      if (!Numbers.count(Label) || !Labels.insert(Label))
        Label->removePredecessor(From, /*KeepOneInputPHIs=*/true);
    BasicBlock *Nowhere = BasicBlock::Create(F.getContext(), "", &F);
    IRBuilder<>(Nowhere).CreateUnreachable();
    IRBuilder<> Builder(Goto);
    SwitchInst *Choice = Builder.CreateSwitch(Builder.CreatePtrToInt(Goto->getAddress(), Long), Nowhere, Labels.size());
    for (BasicBlock *Label : Labels)
      Choice->addCase(Numbers[Label], Label);
    Goto->eraseFromParent();
  }
  return !Numbers.empty() || !Gotos.empty();
}

extern "C" {
// Writes computed gotos as choices by a number; whether there were any.
int omptarget_ir_expand_gotos(LLVMModuleRef M) {
  bool Any = false;
  for (Function &F : *unwrap(M))
    Any |= expand(F);
  return Any;
}
}
