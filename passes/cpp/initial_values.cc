// Initial values that LLVM cannot write in PTX: of variables that name each other in a ring, where PTX names what stands in front, and
// fractions of 16 bits, which LLVM writes as those of 64 and ptxas reads as 0.
#include "llvm-c/Core.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MD5.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
using namespace llvm;

namespace {
using Variables = SmallSetVector<GlobalVariable *, 4>;

// The variables that a constant names, those in whose initial value they stand not among them.
void named(Constant &C, Variables &Found, SmallPtrSetImpl<Constant *> &Seen) {
  if (auto *G = dyn_cast<GlobalVariable>(&C))
    Found.insert(G);
  else if (!isa<GlobalValue>(C) && Seen.insert(&C).second)
    for (Value *Operand : C.operand_values())
      if (auto *Part = dyn_cast<Constant>(Operand))
        named(*Part, Found, Seen);
}

Variables named(Constant &C) {
  Variables Found;
  SmallPtrSet<Constant *, 8> Seen;
  named(C, Found, Seen);
  return Found;
}

// Walks from each variable to those that its initial value names, and notes which of these close a ring.
struct Walk {
  enum State { Open = 1, Done };
  DenseMap<GlobalVariable *, State> States;
  MapVector<GlobalVariable *, Variables> Closing;

  void visit(GlobalVariable &G) {
    if (!G.hasInitializer() || States.count(&G))
      return;
    States[&G] = Open;
    for (GlobalVariable *Other : named(*G.getInitializer())) {
      visit(*Other);
      if (States.lookup(Other) == Open)
        Closing[&G].insert(Other);
    }
    States[&G] = Done;
  }
};

// Part of an initial value that names a variable, and where in it it stands.
struct Part {
  uint64_t Offset;
  Constant *Value;
};

// An initial value without the parts that name one of some variables.
Constant *without(Constant &C, const Variables &Gone, uint64_t Offset, const DataLayout &Layout, SmallVectorImpl<Part> &Parts) {
  if (none_of(named(C), [&](GlobalVariable *G) { return Gone.contains(G); }))
    return &C;
  SmallVector<Constant *> Elements;
  auto Keep = [&](unsigned I, uint64_t At) {
    Elements.push_back(without(*C.getAggregateElement(I), Gone, Offset + At, Layout, Parts));
  };
  if (auto *S = dyn_cast<StructType>(C.getType())) {
    const StructLayout *Places = Layout.getStructLayout(S);
    for (unsigned I = 0; I < S->getNumElements(); ++I)
      Keep(I, Places->getElementOffset(I));
    return ConstantStruct::get(S, Elements);
  }
  if (auto *A = dyn_cast<ArrayType>(C.getType())) {
    for (unsigned I = 0; I < A->getNumElements(); ++I)
      Keep(I, I * Layout.getTypeAllocSize(A->getElementType()));
    return ConstantArray::get(A, Elements);
  }
  Parts.push_back({Offset, &C});
  return Constant::getNullValue(C.getType());
}

// A name that no other module's function has: flang calls the source of all its modules the same, which is what LLVM tells constructors apart by.
std::string nameOfLoad(const Module &Mod) {
  MD5 Names;
  for (const GlobalValue &G : Mod.global_values())
    if (!G.isDeclaration())
      Names.update(G.getName());
  return "close_rings_" + utohexstr(Names.final().low(), /*LowerCase=*/true);
}

// Makes a variable for a fraction of 16 bits one for an integer with the same bits; whether it is one.
bool asInteger(GlobalVariable &G) {
  auto *Value = G.hasInitializer() ? dyn_cast<ConstantFP>(G.getInitializer()) : nullptr;
  if (!Value || !G.getValueType()->is16bitFPTy())
    return false;
  // Not through `APFloat`: its inline functions name data of LLVM, which a plugin that another LLVM is to refuse with words cannot do.
  Constant *Bits = ConstantExpr::getBitCast(Value, Type::getInt16Ty(G.getContext()));
  auto *New = new GlobalVariable(*G.getParent(), Bits->getType(), G.isConstant(), G.getLinkage(), Bits, "", &G, G.getThreadLocalMode(),
                                 G.getAddressSpace());
  New->copyAttributesFrom(&G);
  New->setComdat(G.getComdat());
  New->copyMetadata(&G, 0);
  New->takeName(&G);
  G.replaceAllUsesWith(New);
  G.eraseFromParent();
  return true;
}
} // namespace

extern "C" {
// Writes fractions of 16 bits as integers; whether there were any.
int omptarget_ir_integers_for_halves(LLVMModuleRef M) {
  bool Any = false;
  for (GlobalVariable &G : make_early_inc_range(unwrap(M)->globals()))
    Any |= asInteger(G);
  return Any;
}

// Breaks rings: what closes one is written by a function that runs when the module is loaded. Whether there were any.
int omptarget_ir_break_rings(LLVMModuleRef M) {
  Module &Mod = *unwrap(M);
  Walk Rings;
  for (GlobalVariable &G : Mod.globals())
    Rings.visit(G);
  if (Rings.Closing.empty())
    return false;
  LLVMContext &C = Mod.getContext();
  auto *Type = FunctionType::get(Type::getVoidTy(C), false);
  Function *Load = Function::createWithDefaultAttr(Type, GlobalValue::InternalLinkage, 0, nameOfLoad(Mod), &Mod);
  IRBuilder<> Builder(BasicBlock::Create(C, "", Load));
  for (auto &[G, Others] : Rings.Closing) {
    SmallVector<Part> Parts;
    G->setInitializer(without(*G->getInitializer(), Others, 0, Mod.getDataLayout(), Parts));
    G->setConstant(false);
    for (const Part &P : Parts)
      Builder.CreateAlignedStore(P.Value, Builder.CreatePtrAdd(G, Builder.getInt64(P.Offset)),
                                 commonAlignment(G->getAlign().valueOrOne(), P.Offset));
  }
  Builder.CreateRetVoid();
  // In front of the program's own.
  appendToGlobalCtors(Mod, Load, 0);
  return true;
}
}
