// Constants of a file that clang leaves to the host's module: copied to the device's.
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
using namespace llvm;

namespace {
// Devices have no such numbers: what is a `long double` of the host is something else there.
bool hasHostsNumbers(Type *T) {
  return T->isX86_FP80Ty() || T->isFP128Ty() || any_of(T->subtypes(), hasHostsNumbers);
}

// The variable of the device, if it has one with this value already.
GlobalVariable *defined(const Module &Device, const GlobalVariable &Host) {
  auto *G = Host.hasLocalLinkage() ? nullptr : Device.getGlobalVariable(Host.getName());
  return G && !G->isDeclaration() ? G : nullptr;
}

// Values that are asked about, and those of which the answer was yes.
struct Asked {
  SmallPtrSet<const Constant *, 8> Open, Common;
};

bool isCommon(const Module &Device, const Constant &C, Asked &Known);

bool isCommonOnce(const Module &Device, const Constant &C, Asked &Known) {
  if (auto *F = dyn_cast<Function>(&C))
    return !F->hasLocalLinkage();
  if (auto *G = dyn_cast<GlobalVariable>(&C)) {
    if (defined(Device, *G))
      return true;
    return G->isConstant() && G->hasInitializer() && !G->isInterposable() && !G->isThreadLocal() &&
           !hasHostsNumbers(G->getValueType()) && isCommon(Device, *G->getInitializer(), Known);
  }
  if (isa<GlobalValue>(C))
    return false;
  return all_of(C.operands(), [&](const Use &U) { return isCommon(Device, *cast<Constant>(U.get()), Known); });
}

// Whether a value, with all that it names, means the same on the device. PTX has no variables that name each other.
bool isCommon(const Module &Device, const Constant &C, Asked &Known) {
  if (Known.Common.contains(&C))
    return true;
  if (!Known.Open.insert(&C).second)
    return false;
  bool Is = isCommonOnce(Device, C, Known);
  Known.Open.erase(&C);
  if (Is)
    Known.Common.insert(&C);
  return Is;
}

// Makes the device's values of the host's.
struct Copier final : ValueMaterializer {
  Module &Device;
  ValueToValueMapTy Map;
  explicit Copier(Module &Device) : Device(Device) {}

  GlobalVariable *copy(const GlobalVariable &Host, unsigned AddressSpace) {
    auto *New = new GlobalVariable(Device, Host.getValueType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
                                   /*Initializer=*/nullptr, Host.getName(), /*InsertBefore=*/nullptr,
                                   GlobalValue::NotThreadLocal, AddressSpace);
    New->setAlignment(Host.getAlign());
    New->setUnnamedAddr(Host.getUnnamedAddr());
    // Before its value, which may name it.
    Map[&Host] = New;
    New->setInitializer(MapValue(Host.getInitializer(), Map, RF_None, /*TypeMapper=*/nullptr, this));
    return New;
  }

  Value *materialize(Value *V) override {
    if (auto *F = dyn_cast<Function>(V))
      return Device.getOrInsertFunction(F->getName(), F->getFunctionType()).getCallee();
    if (auto *G = dyn_cast<GlobalVariable>(V)) {
      auto *Here = defined(Device, *G);
      return Here ? Here : copy(*G, G->getAddressSpace());
    }
    return nullptr;
  }
};
} // namespace

// How many constants the device's module has of the host's in the file now.
extern "C" int omptarget_ir_take_constants(LLVMModuleRef M, const char *Path) {
  Module &Device = *unwrap(M);
  // clang does not call all of them constants that it calls so for the host.
  SmallVector<GlobalVariable *> Missing;
  for (GlobalVariable &G : Device.globals())
    if (G.isDeclaration() && G.getValueType()->isSized())
      Missing.push_back(&G);
  if (Missing.empty())
    return 0;
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return 0;
  auto Host = getOwningLazyBitcodeModule(std::move(*Buffer), Device.getContext());
  if (!Host) {
    consumeError(Host.takeError());
    return 0;
  }
  const DataLayout &Layout = Device.getDataLayout();
  Copier Copy(Device);
  Asked Known;
  int Count = 0;
  for (GlobalVariable *G : Missing) {
    auto *H = (*Host)->getGlobalVariable(G->getName(), /*AllowInternal=*/true);
    if (!H || !H->isConstant() || !isCommon(Device, *H, Known) ||
        Layout.getTypeAllocSize(H->getValueType()) != Layout.getTypeAllocSize(G->getValueType()))
      continue;
    auto Made = Copy.Map.find(H);
    Constant *New = Made == Copy.Map.end() ? Copy.copy(*H, G->getAddressSpace()) : cast<Constant>(Made->second);
    if (New->getType() != G->getType())
      New = ConstantExpr::getAddrSpaceCast(New, G->getType());
    G->replaceAllUsesWith(New);
    if (auto *Named = dyn_cast<GlobalVariable>(New))
      Named->takeName(G);
    G->eraseFromParent();
    ++Count;
  }
  return Count;
}
