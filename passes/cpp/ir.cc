// What LLVM's C interface lacks: splitting and cloning that keep PHIs and debug records right, facts about instructions,
// optimization remarks, and LLVM's own command line options.
#include "llvm-c/Core.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"
using namespace llvm;

extern "C" {

LLVMBasicBlockRef omptarget_ir_split_before(LLVMValueRef I, const char *Name) {
  auto *At = unwrap<Instruction>(I);
  return wrap(At->getParent()->splitBasicBlock(At->getIterator(), Name));
}

void omptarget_ir_move_before(LLVMValueRef I, LLVMValueRef Position) {
  auto *P = unwrap<Instruction>(Position);
  unwrap<Instruction>(I)->moveBefore(*P->getParent(), P->getIterator());
}

LLVMValueRef omptarget_ir_clone_instruction(LLVMValueRef I, LLVMValueRef Position) {
  auto *C = unwrap<Instruction>(I)->clone();
  C->insertBefore(unwrap<Instruction>(Position)->getIterator());
  C->setName(unwrap<Instruction>(I)->getName());
  return wrap(C);
}

void omptarget_ir_replace_phi_block(LLVMBasicBlockRef Of, LLVMBasicBlockRef Old, LLVMBasicBlockRef New) {
  unwrap(Of)->replacePhiUsesWith(unwrap(Old), unwrap(New));
}

// Records about variables name values of the function that the block leaves.
void omptarget_ir_move_block(LLVMBasicBlockRef B, LLVMValueRef F) {
  auto *Block = unwrap(B);
  for (Instruction &I : *Block)
    I.dropDbgRecords();
  Block->removeFromParent();
  Block->insertInto(unwrap<Function>(F));
}

// Gives a function lines of its own: without them the back end drops all that is inlined there, too. Calls have line 0, others the
// lines that they have.
static void setLines(Function &F, DICompileUnit *Unit, DIFile *File, unsigned Line) {
  DIBuilder Builder(*F.getParent(), /*AllowUnresolved=*/false, Unit);
  auto *Type = Builder.createSubroutineType(Builder.getOrCreateTypeArray({}));
  auto Flags = DISubprogram::SPFlagDefinition | DISubprogram::SPFlagOptimized | DISubprogram::SPFlagLocalToUnit;
  DISubprogram *New = Builder.createFunction(File, F.getName(), F.getName(), File, Line, Type, Line, DINode::FlagArtificial, Flags);
  Builder.finalizeSubprogram(New);
  F.setSubprogram(New);
  LLVMContext &C = F.getContext();
  DenseMap<const MDNode *, MDNode *> Cache;
  auto Here = [&](DILocation *At) { return DebugLoc::replaceInlinedAtSubprogram(At, *New, C, Cache).get(); };
  for (Instruction &I : instructions(F)) {
    if (DILocation *At = I.getDebugLoc())
      I.setDebugLoc(Here(At));
    else if (isa<CallBase>(I))
      I.setDebugLoc(DILocation::get(C, 0, 0, New));
    updateLoopMetadataDebugLocations(I, [&](Metadata *M) -> Metadata * {
      auto *At = dyn_cast_or_null<DILocation>(M);
      return At ? Here(At) : M;
    });
  }
}

// For a function of the compiler's that calls functions with lines, or holds code of another one.
void omptarget_ir_take_lines(LLVMValueRef F, LLVMValueRef Origin) {
  if (DISubprogram *Old = unwrap<Function>(Origin)->getSubprogram())
    setLines(*unwrap<Function>(F), Old->getUnit(), Old->getFile(), Old->getLine());
}

// Gives calls without a line one, in a function that has lines: LLVM wants it of all that it may inline. Whether there were any.
int omptarget_ir_complete_calls(LLVMValueRef V) {
  Function &F = *unwrap<Function>(V);
  DISubprogram *Lines = F.getSubprogram();
  bool Any = false;
  if (Lines)
    for (Instruction &I : instructions(F))
      if (isa<CallBase>(I) && !I.getDebugLoc()) {
        I.setDebugLoc(DILocation::get(F.getContext(), 0, 0, Lines));
        Any = true;
      }
  return Any;
}

// For all functions that have none, if others have; whether others have.
int omptarget_ir_complete_lines(LLVMModuleRef M) {
  Module &Mod = *unwrap(M);
  DICompileUnit *Unit = nullptr;
  for (Function &F : Mod)
    if (DISubprogram *Lines = F.getSubprogram())
      Unit = Lines->getUnit();
  if (!Unit)
    return false;
  for (Function &F : Mod) {
    omptarget_ir_complete_calls(wrap(&F));
    if (!F.getSubprogram() && !F.isDeclaration())
      setLines(F, Unit, Unit->getFile(), 0);
  }
  return true;
}

// Takes the wish for vectors from all loops of a module; whether one had it. The ways back of a loop have one node in common, which
// they keep to have.
int omptarget_ir_drop_vector_hints(LLVMModuleRef M) {
  const StringRef Hints[] = {"llvm.loop.vectorize."};
  DenseMap<MDNode *, MDNode *> Without;
  for (Function &F : *unwrap(M))
    for (Instruction &I : instructions(F)) {
      MDNode *Loop = I.getMetadata(LLVMContext::MD_loop);
      MDNode *Asked = Loop ? findOptionMDForLoopID(Loop, "llvm.loop.vectorize.enable") : nullptr;
      if (!Asked || (Asked->getNumOperands() > 1 && mdconst::extract<ConstantInt>(Asked->getOperand(1))->isZero()))
        continue;
      MDNode *&Rest = Without[Loop];
      if (!Rest)
        Rest = makePostTransformationMetadata(F.getContext(), Loop, Hints, {});
      I.setMetadata(LLVMContext::MD_loop, Rest);
    }
  return !Without.empty();
}

void omptarget_ir_remove_incoming(LLVMValueRef Phi, LLVMBasicBlockRef From) {
  cast<PHINode>(unwrap(Phi))->removeIncomingValue(unwrap(From), /*DeletePHIIfEmpty=*/false);
}

LLVMValueRef omptarget_ir_clone_function(LLVMValueRef F, const char *Name) {
  ValueToValueMapTy Map;
  Function *Clone = CloneFunction(unwrap<Function>(F), Map);
  Clone->setName(Name);
  Clone->setLinkage(GlobalValue::InternalLinkage);
  Clone->setVisibility(GlobalValue::DefaultVisibility);
  Clone->setComdat(nullptr);
  return wrap(Clone);
}

int omptarget_ir_inline(LLVMValueRef Call) {
  InlineFunctionInfo Info;
  return InlineFunction(*cast<CallBase>(unwrap(Call)), Info).isSuccess();
}

int omptarget_ir_does_not_capture(LLVMValueRef Call, unsigned Argument) {
  return cast<CallBase>(unwrap(Call))->doesNotCapture(Argument);
}
int omptarget_ir_accesses_arguments_alone(LLVMValueRef F) { return unwrap<Function>(F)->onlyAccessesArgMemory(); }
int omptarget_ir_may_write(LLVMValueRef I) { return unwrap<Instruction>(I)->mayWriteToMemory(); }
int omptarget_ir_may_read(LLVMValueRef I) { return unwrap<Instruction>(I)->mayReadFromMemory(); }
// Without a look at the memory: a load that is known not to trap still depends on when it runs.
int omptarget_ir_is_speculatable(LLVMValueRef I) {
  auto *Inst = unwrap<Instruction>(I);
  return !Inst->mayReadOrWriteMemory() && isSafeToSpeculativelyExecute(Inst);
}

// Whether the branch back to a loop's start says that the loop ends or does something that others see.
int omptarget_ir_must_progress(LLVMValueRef I) {
  MDNode *Loop = unwrap<Instruction>(I)->getMetadata(LLVMContext::MD_loop);
  return Loop && findOptionMDForLoopID(Loop, "llvm.loop.mustprogress");
}

// An atomic read and write as a load, a computation and a store; 0 if it is none.
int omptarget_ir_lower_atomic(LLVMValueRef I) {
  if (auto *Swap = dyn_cast<AtomicCmpXchgInst>(unwrap(I)))
    return lowerAtomicCmpXchgInst(Swap);
  auto *Change = dyn_cast<AtomicRMWInst>(unwrap(I));
  return Change && lowerAtomicRMWInst(Change);
}

// The same where the address is one of the thread's stack; 0 if it cannot be.
int omptarget_ir_lower_atomic_if_own(LLVMValueRef V) {
  auto *I = unwrap<Instruction>(V);
  Value *Pointer = I->getOperand(0);
  switch (Pointer->getType()->getPointerAddressSpace()) {
  case 0: break;
  case 5: return omptarget_ir_lower_atomic(V);
  default: return 0;
  }
  IRBuilder<> B(I);
  Value *IsOwn = B.CreateIntrinsic(Intrinsic::nvvm_isspacep_local, {}, {Pointer});
  Instruction *Then, *Else;
  SplitBlockAndInsertIfThenElse(IsOwn, I->getIterator(), &Then, &Else);
  B.SetInsertPoint(Then);
  Instruction *Own = B.Insert(I->clone());
  BasicBlock *Behind = I->getParent();
  I->moveBefore(*Else->getParent(), Else->getIterator());
  if (!I->use_empty()) {
    B.SetInsertPoint(Behind, Behind->begin());
    PHINode *Old = B.CreatePHI(I->getType(), 2);
    I->replaceAllUsesWith(Old);
    Old->addIncoming(Own, Then->getParent());
    Old->addIncoming(I, Else->getParent());
  }
  return omptarget_ir_lower_atomic(wrap(Own));
}

int omptarget_ir_has_system_scope(LLVMValueRef I) {
  auto Scope = getAtomicSyncScopeID(unwrap<Instruction>(I));
  return Scope && *Scope == SyncScope::System;
}

LLVMValueRef omptarget_ir_underlying_object(LLVMValueRef Pointer) {
  return wrap(const_cast<Value *>(getUnderlyingObject(unwrap(Pointer), 0)));
}

// The pointer that a constant number of bytes was added to.
LLVMValueRef omptarget_ir_constant_offset(LLVMModuleRef M, LLVMValueRef Pointer, int64_t *Offset) {
  return wrap(GetPointerBaseWithConstantOffset(unwrap(Pointer), *Offset, unwrap(M)->getDataLayout()));
}

// Kinds: 0 passed, 1 missed, 2 analysis. `At` is an instruction or a function.
void omptarget_ir_remark(int Kind, const char *Id, LLVMValueRef At, const char *Message) {
  auto *I = dyn_cast<Instruction>(unwrap(At));
  auto *F = I ? I->getFunction() : cast<Function>(unwrap(At));
  OptimizationRemarkEmitter Emitter(F);
  auto Emit = [&](auto Remark) {
    Remark << Message << " [" << Id << "]";
    Emitter.emit(Remark);
  };
  const char *Pass = "openmp-opt";
  DebugLoc Where = I ? I->getDebugLoc() : DebugLoc();
  if (!Where && F->getSubprogram())
    Where = DILocation::get(F->getContext(), F->getSubprogram()->getLine(), 0, F->getSubprogram());
  const BasicBlock *Region = I ? I->getParent() : &F->getEntryBlock();
  switch (Kind) {
  case 0: return Emit(OptimizationRemark(Pass, Id, Where, Region));
  case 1: return Emit(OptimizationRemarkMissed(Pass, Id, Where, Region));
  default: return Emit(OptimizationRemarkAnalysis(Pass, Id, Where, Region));
  }
}

// LLVM's option of this name; 0 if there is none. The caller knows its type.
static cl::Option *option(const char *Name) {
  auto &All = cl::getRegisteredOptions();
  auto Found = All.find(Name);
  return Found == All.end() ? nullptr : Found->second;
}
// LLVM's function for C goes on after an error.
int omptarget_ir_parse_options(int Count, const char *const *Words) {
  return cl::ParseCommandLineOptions(Count, Words, "", &errs());
}
int omptarget_ir_has_option(const char *Name) { return option(Name) != nullptr; }
int omptarget_ir_get_bool_option(const char *Name, int *Value) {
  auto *O = option(Name);
  if (O)
    *Value = static_cast<cl::opt<bool> *>(O)->getValue();
  return O != nullptr;
}
int omptarget_ir_set_bool_option(const char *Name, int Value) {
  auto *O = option(Name);
  if (O)
    static_cast<cl::opt<bool> *>(O)->setValue(Value != 0);
  return O != nullptr;
}
// Unless the user has set it.
void omptarget_ir_set_unsigned_option(const char *Name, unsigned Value) {
  auto *O = option(Name);
  if (O && O->getNumOccurrences() == 0)
    static_cast<cl::opt<unsigned> *>(O)->setValue(Value);
}
int omptarget_ir_get_unsigned_option(const char *Name, unsigned *Value) {
  auto *O = option(Name);
  if (O)
    *Value = static_cast<cl::opt<unsigned> *>(O)->getValue();
  return O != nullptr;
}
}
