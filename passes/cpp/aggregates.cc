// Structures that functions take as values of their own, which flang writes where clang has them in memory (`byval`). Texts, an address and a
// length, stay as they are: C has none.
#include "llvm-c/Core.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
using namespace llvm;

namespace {
bool isText(StructType &T) {
  return T.isLiteral() && T.getNumElements() == 2 && T.getElementType(0)->isPointerTy() &&
         T.getElementType(1)->isIntegerTy(64);
}

bool goesToMemory(Type *T) {
  auto *S = dyn_cast<StructType>(T);
  return S && !isText(*S);
}

// The type of a function with pointers in the place of structures.
FunctionType *inMemory(FunctionType &T) {
  SmallVector<Type *> Parameters(T.params());
  for (Type *&Parameter : Parameters)
    if (goesToMemory(Parameter))
      Parameter = PointerType::getUnqual(T.getContext());
  return FunctionType::get(T.getReturnType(), Parameters, T.isVarArg());
}

// What the parameters are like, of a function or a call: a structure has the alignment of its type.
AttributeList withPlaces(AttributeList Attributes, FunctionType &T, Module &M) {
  LLVMContext &C = M.getContext();
  for (auto [Index, Type] : enumerate(T.params())) {
    if (!goesToMemory(Type))
      continue;
    Attributes = Attributes.removeParamAttributes(C, Index);
    Attributes = Attributes.addParamAttribute(C, Index, Attribute::getWithByValType(C, Type));
    Align Alignment = M.getDataLayout().getABITypeAlign(Type);
    Attributes = Attributes.addParamAttribute(C, Index, Attribute::getWithAlignment(C, Alignment));
  }
  return Attributes;
}

void rewrite(CallBase &Call) {
  Function &Caller = *Call.getFunction();
  SmallVector<Value *> Arguments(Call.args());
  for (Value *&Argument : Arguments) {
    if (!goesToMemory(Argument->getType()))
      continue;
    IRBuilder<> AtEntry(&*Caller.getEntryBlock().getFirstInsertionPt());
    Value *Place = AtEntry.CreateAlloca(Argument->getType());
    new StoreInst(Argument, Place, Call.getIterator());
    Argument = Place;
  }
  FunctionType &T = *Call.getFunctionType();
  auto *New = CallInst::Create(inMemory(T), Call.getCalledOperand(), Arguments, "", Call.getIterator());
  New->setAttributes(withPlaces(Call.getAttributes(), T, *Caller.getParent()));
  New->setCallingConv(Call.getCallingConv());
  New->copyMetadata(Call);
  New->copyIRFlags(&Call);
  New->takeName(&Call);
  Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

void rewrite(Function &F) {
  FunctionType &T = *F.getFunctionType();
  Function *New = Function::Create(inMemory(T), F.getLinkage(), F.getAddressSpace(), "");
  F.getParent()->getFunctionList().insert(F.getIterator(), New);
  New->copyAttributesFrom(&F);
  New->setAttributes(withPlaces(F.getAttributes(), T, *F.getParent()));
  New->setComdat(F.getComdat());
  New->takeName(&F);
  New->copyMetadata(&F, 0);
  New->splice(New->begin(), &F);
  for (auto [Old, Parameter] : zip_equal(F.args(), New->args())) {
    Parameter.takeName(&Old);
    Value *Given = &Parameter;
    if (goesToMemory(Old.getType()) && !New->empty())
      Given = IRBuilder<>(&*New->getEntryBlock().getFirstInsertionPt()).CreateLoad(Old.getType(), &Parameter);
    if (!New->empty())
      Old.replaceAllUsesWith(Given);
  }
  F.replaceAllUsesWith(New);
  F.eraseFromParent();
}
} // namespace

extern "C" {

// Lets functions and calls have structures in memory; whether there were any.
int omptarget_ir_take_structures_in_memory(LLVMModuleRef Ref) {
  Module &M = *unwrap(Ref);
  auto concerns = [](FunctionType &T) { return any_of(T.params(), goesToMemory); };
  SmallVector<CallBase *> Calls;
  SmallVector<Function *> Functions;
  for (Function &F : M) {
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && concerns(*Call->getFunctionType()) && !isa<IntrinsicInst>(Call))
        Calls.push_back(Call);
    if (concerns(*F.getFunctionType()) && !F.isIntrinsic())
      Functions.push_back(&F);
  }
  for (CallBase *Call : Calls)
    rewrite(*Call);
  for (Function *F : Functions)
    rewrite(*F);
  return !Calls.empty() || !Functions.empty();
}
}
