// Blocks of memory in words. LLVM's back end for NVIDIA's GPUs copies and fills memory a byte at a time where it is 128 bytes or
// more, or of an unknown length (NVPTXLowerAggrCopies), and less where it knows no alignment: an assignment of a structure of 808
// bytes is a loop of 808 loads, and so is `for (j...) a[j] = 0`, of which LLVM makes a memset.
#include "llvm-c/Core.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
using namespace llvm;

namespace {

// From here on the back end writes a loop of bytes.
constexpr uint64_t LoopFrom = 128;
// The longest word of the machine.
constexpr uint64_t Longest = 16;
// What an address is asked for that is not known to be aligned, and from how many bytes on that is worth it.
constexpr uint64_t AskFor = 8, AskFrom = 16;
// What is loaded before it is stored, or all words of a loop would wait for the one before.
constexpr uint64_t AtOnce = 32;

// One copy or filling, at its place in the code.
class Block {
public:
  explicit Block(MemIntrinsic &I) : I(I), Layout(I.getDataLayout()), B(&I) {}

  // At most so many bytes.
  static uint64_t bytes(const MemIntrinsic &I) {
    auto *Known = dyn_cast<ConstantInt>(I.getLength());
    return Known ? Known->getLimitedValue() : UINT64_MAX;
  }

  // Writes it in words, unless the back end does so when it knows the alignment.
  void run() {
    const uint64_t Bytes = bytes(I);
    uint64_t Width = alignmentOf(I.getRawDest());
    if (auto *T = dyn_cast<MemTransferInst>(&I))
      Width = std::min(Width, alignmentOf(T->getRawSource()));
    if (Width >= 4) {
      if (Bytes >= LoopFrom) {
        inWords(Width);
        I.eraseFromParent();
      }
      return;
    }
    // Addresses that turn out to be aligned are worth the question; bytes are for the others.
    Instruction *Then, *Else;
    SplitBlockAndInsertIfThenElse(isAligned(), &I, &Then, &Else);
    if (Bytes < LoopFrom) {
      auto *Aligned = cast<MemIntrinsic>(I.clone());
      Aligned->setDestAlignment(Align(AskFor));
      if (auto *T = dyn_cast<MemTransferInst>(Aligned))
        T->setSourceAlignment(Align(AskFor));
      Aligned->insertBefore(Then->getIterator());
    } else {
      B.SetInsertPoint(Then);
      inWords(AskFor);
    }
    I.moveBefore(*Else->getParent(), Else->getIterator());
  }

private:
  MemIntrinsic &I;
  const DataLayout &Layout;
  IRBuilder<> B;

  uint64_t alignmentOf(Value *Pointer) {
    // A variable on the stack has whatever alignment is asked for.
    const bool Own = isa<AllocaInst>(getUnderlyingObject(Pointer));
    const Align Found = getOrEnforceKnownAlignment(Pointer, Own ? MaybeAlign(Longest) : MaybeAlign(), Layout, &I);
    const MaybeAlign Told = Pointer == I.getRawDest() ? I.getDestAlign() : cast<MemTransferInst>(I).getSourceAlign();
    return std::min(std::max(Found, Told.valueOrOne()).value(), Longest);
  }

  // An address that all address spaces have in common.
  Value *number(Value *Pointer) {
    Pointer = B.CreateAddrSpaceCast(Pointer, B.getPtrTy());
    return B.CreateZExt(B.CreatePtrToInt(Pointer, Layout.getIntPtrType(Pointer->getType())), B.getInt64Ty());
  }

  Value *isAligned() {
    Value *Number = number(I.getRawDest());
    if (auto *T = dyn_cast<MemTransferInst>(&I))
      Number = B.CreateOr(Number, number(T->getRawSource()));
    return B.CreateIsNull(B.CreateAnd(Number, AskFor - 1));
  }

  Type *word(uint64_t Width) {
    return Width == 16 ? static_cast<Type *>(FixedVectorType::get(B.getInt64Ty(), 2)) : B.getIntNTy(8 * Width);
  }

  // `Count` words from an offset on, copies or, where there is one, of `Filling`.
  void words(Value *At, uint64_t Width, uint64_t Count, Value *Filling) {
    auto Place = [&](Value *Base, uint64_t K) { return K ? B.CreatePtrAdd(Base, B.getInt64(K * Width)) : Base; };
    SmallVector<Value *, 8> Values(Count, Filling);
    if (!Filling) {
      Value *From = B.CreatePtrAdd(cast<MemTransferInst>(I).getRawSource(), At);
      for (uint64_t K = 0; K < Count; K++)
        Values[K] = B.CreateAlignedLoad(word(Width), Place(From, K), Align(Width));
    }
    Value *To = B.CreatePtrAdd(I.getRawDest(), At);
    for (uint64_t K = 0; K < Count; K++)
      B.CreateAlignedStore(Values[K], Place(To, K), Align(Width));
  }

  // A word of the byte that memory is filled with, or null for a copy.
  Value *filling(uint64_t Width) {
    auto *Set = dyn_cast<MemSetInst>(&I);
    if (!Set || Width == 1)
      return Set ? Set->getValue() : nullptr;
    const uint64_t Ones = 0x0101010101010101ull;
    auto *Part = B.getIntNTy(8 * std::min<uint64_t>(Width, 8));
    Value *Word = B.CreateMul(B.CreateZExt(Set->getValue(), Part), ConstantInt::get(Part, Ones & Part->getBitMask()));
    return Width == 16 ? B.CreateVectorSplat(2, Word) : Word;
  }

  // Words from the offset `First` up to `End`, `Count` at once: in place where they are few, else in a loop.
  void stage(Value *First, Value *End, uint64_t Width, uint64_t Count, bool Down) {
    if (First == End)
      return;
    const uint64_t Step = Width * Count;
    Value *Filling = filling(Width);
    auto *KnownFirst = dyn_cast<ConstantInt>(First), *KnownEnd = dyn_cast<ConstantInt>(End);
    const bool Known = KnownFirst && KnownEnd;
    const uint64_t Bytes = Known ? KnownEnd->getZExtValue() - KnownFirst->getZExtValue() : UINT64_MAX;
    if (Bytes <= AtOnce) {
      words(First, Width, Bytes / Width, Filling);
      return;
    }
    Instruction *const Rest = &*B.GetInsertPoint();
    Instruction *Behind = Rest;
    if (!Known)
      Behind = SplitBlockAndInsertIfThen(B.CreateICmpNE(First, End), Behind, /*Unreachable=*/false);
    BasicBlock *Before = Behind->getParent(), *After = SplitBlock(Before, Behind);
    auto *Loop = BasicBlock::Create(B.getContext(), "", After->getParent(), After);
    Before->getTerminator()->setSuccessor(0, Loop);
    B.SetInsertPoint(Loop);
    PHINode *At = B.CreatePHI(B.getInt64Ty(), 2);
    Value *Lower = Down ? B.CreateSub(At, B.getInt64(Step)) : static_cast<Value *>(At);
    words(Lower, Width, Count, Filling);
    Value *Next = Down ? Lower : B.CreateAdd(At, B.getInt64(Step));
    Value *More = Down ? B.CreateICmpUGT(Next, First) : B.CreateICmpULT(Next, End);
    Instruction *Back = B.CreateCondBr(More, Loop, After);
    At->addIncoming(Down ? End : First, Before);
    At->addIncoming(Next, Loop);
    keepSmall(Back);
    B.SetInsertPoint(Rest);
  }

  // ptxas would unroll it once more: a loop of 32 bytes at once is unrolled, and one of single words runs for a few.
  void keepSmall(Instruction *Back) {
    LLVMContext &C = B.getContext();
    MDNode *Disable = MDNode::get(C, MDString::get(C, "llvm.loop.unroll.disable"));
    MDNode *Node = MDNode::getDistinct(C, {nullptr, Disable});
    Node->replaceOperandWith(0, Node);
    Back->setMetadata(LLVMContext::MD_loop, Node);
  }

  // All stages, from the first byte to the last or the other way.
  void stages(Value *Length, uint64_t Width, bool Down) {
    const uint64_t Count = AtOnce / Width;
    auto UpTo = [&](uint64_t Multiple) { return B.CreateAnd(Length, B.getInt64(-Multiple)); };
    struct Stage {
      Value *First, *End;
      uint64_t Width, Count;
    };
    SmallVector<Stage, 6> All;
    const unsigned Zeros = llvm::computeKnownBits(Length, Layout).countMinTrailingZeros();
    const uint64_t Multiple = Zeros < 6 ? uint64_t(1) << Zeros : 64;
    Value *Done = Multiple < AtOnce ? UpTo(AtOnce) : Length;
    All.push_back({B.getInt64(0), Done, Width, Count});
    auto Add = [&](uint64_t Of) {
      // What is a multiple of more has none of these left over.
      Value *End = Multiple >= Of ? Length : UpTo(Of);
      All.push_back({Done, End, Of, 1});
      Done = End;
    };
    if (Multiple < AtOnce)
      Add(Width);
    if (isa<ConstantInt>(Length))
      for (uint64_t Of = Width / 2; Of; Of /= 2)
        Add(Of);
    else if (Multiple < Width)
      Add(1);
    if (Down)
      std::reverse(All.begin(), All.end());
    for (const Stage &S : All)
      stage(S.First, S.End, S.Width, S.Count, Down);
  }

  void inWords(uint64_t Width) {
    Value *Length = B.CreateZExt(I.getLength(), B.getInt64Ty());
    auto *Move = dyn_cast<MemMoveInst>(&I);
    if (!Move) {
      stages(Length, Width, /*Down=*/false);
      return;
    }
    // Upwards unless what is written first would be read later.
    Value *Ahead = B.CreateSub(number(Move->getRawDest()), number(Move->getRawSource()));
    Instruction *Up, *Down;
    SplitBlockAndInsertIfThenElse(B.CreateICmpUGE(Ahead, Length), &*B.GetInsertPoint(), &Up, &Down);
    B.SetInsertPoint(Up);
    stages(Length, Width, /*Down=*/false);
    B.SetInsertPoint(Down);
    stages(Length, Width, /*Down=*/true);
  }
};

} // namespace

extern "C" {
// Copies and fills blocks of memory in words; whether there was any that may be long enough for it.
int omptarget_ir_blocks_in_words(LLVMModuleRef M) {
  SmallVector<MemIntrinsic *> All;
  for (Function &F : *unwrap(M))
    if (!F.hasOptNone())
      for (Instruction &I : instructions(F))
        if (auto *Found = dyn_cast<MemIntrinsic>(&I); Found && !Found->isVolatile() && Block::bytes(*Found) >= AskFrom)
          All.push_back(Found);
  for (MemIntrinsic *I : All)
    Block(*I).run();
  return !All.empty();
}
}
