//===-- Functions.cpp - Functions that device code only declares ----------------===//

#include "tools/replay/device/Emitter.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace warplint::replay;

/// Builtins.cpp has these.
static const StringSet<> &hostMathematics() {
  static const StringSet<> Names = {
#define FUNCTION(result, name, parameters, value) #name,
#include "tools/replay/device/Math.inc"
#undef FUNCTION
  };
  return Names;
}

/// Functions of the C library that do the same on both sides.
static bool isOfLibrary(StringRef Name) {
  return StringSwitch<bool>(Name)
      .Cases({"memcpy", "memmove", "memset", "memcmp", "strlen", "strcmp", "strncmp", "strcpy", "abort"},
             true)
      .Default(false);
}

static StringRef runtimeName(StringRef Name) {
  return StringSwitch<StringRef>(Name)
      .Case("vprintf", "warplintReplayPrintf")
      .Case("malloc", "warplintReplayMalloc")
      .Case("free", "warplintReplayFree")
      .Default("");
}

/// __nvvm_reflect("__CUDA_ARCH") asks for what the code is built for.
static void answerReflection(Emitter &E, CallBase &Call) {
  StringRef Question;
  if (const auto *G = dyn_cast<GlobalVariable>(Call.getArgOperand(0)->stripPointerCasts());
      G && G->hasInitializer())
    if (const auto *Data = dyn_cast<ConstantDataSequential>(G->getInitializer()))
      Question = Data->getAsString().rtrim('\0');
  const uint64_t Answer = StringSwitch<uint64_t>(Question)
                              .Case("__CUDA_ARCH", 10 * E.options.architecture)
                              .Cases({"__CUDA_PREC_SQRT", "__CUDA_PREC_DIV"}, 1)
                              .Default(0);
  Call.replaceAllUsesWith(ConstantInt::get(Call.getType(), Answer));
  Call.eraseFromParent();
}

static void assertFailed(Emitter &E, CallBase &Call) { // (message, file, line, function, ...)
  IRBuilder<> B(&Call);
  E.call(B, "warplintReplayAssertFail", B.getVoidTy(),
         {Call.getArgOperand(0), Call.getArgOperand(1), Call.getArgOperand(2), Call.getArgOperand(3)});
}

static void missing(Emitter &E, CallBase &Call) {
  IRBuilder<> B(&Call);
  E.unsupported(
      B, "the device function " + demangle(Call.getCalledFunction()->getName()) + ", which has no body here",
      Call.getDebugLoc());
}

static void removeCall(CallBase &Call) {
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  Call.eraseFromParent();
}

void warplint::replay::resolveFunctions(Emitter &E) {
  for (Function &F : make_early_inc_range(E.module)) {
    const StringRef Name = F.getName();
    if (!F.isDeclaration() || F.isIntrinsic() || Name.starts_with("warplint") ||
        hostMathematics().contains(Name) || isOfLibrary(Name))
      continue;
    if (StringRef Runtime = runtimeName(Name); !Runtime.empty()) {
      F.replaceAllUsesWith(E.module.getOrInsertFunction(Runtime, F.getFunctionType()).getCallee());
      continue;
    }
    const bool Assertion = Name == "__assertfail" || Name == "__assert_fail";
    if (E.options.relocatable && !Assertion && !Name.starts_with("__nv") && !Name.starts_with("cuda")) {
      F.addFnAttr("warplint-elsewhere"); // another unit's
      continue;
    }
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledFunction() != &F)
        continue;
      if (Name == "__nvvm_reflect") {
        answerReflection(E, *Call);
        continue;
      }
      if (Assertion)
        assertFailed(E, *Call);
      else
        missing(E, *Call);
      removeCall(*Call);
    }
    if (F.use_empty())
      F.eraseFromParent();
  }
}

//===----------------------------------------------------------------------===//
// Numbers that are shared addresses
//===----------------------------------------------------------------------===//

/// On the GPU a pointer to shared memory is an offset within it: that number is what conversions give and
/// take.
void warplint::replay::lowerSharedPointers(Emitter &E) {
  constexpr unsigned SharedSpace = 3;
  for (Function &F : E.module)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      IRBuilder<> B(&I);
      Value *Result = nullptr;
      if (auto *ToNumber = dyn_cast<PtrToIntInst>(&I);
          ToNumber && ToNumber->getPointerAddressSpace() == SharedSpace) {
        Value *Generic = B.CreateAddrSpaceCast(ToNumber->getPointerOperand(), E.pointer);
        Result = B.CreateZExtOrTrunc(E.call(B, "warplintReplaySharedAddress", E.i32, {Generic}), I.getType());
      } else if (auto *ToPointer = dyn_cast<IntToPtrInst>(&I);
                 ToPointer && ToPointer->getAddressSpace() == SharedSpace) {
        Value *Number = B.CreateZExtOrTrunc(ToPointer->getOperand(0), E.i32);
        Result =
            B.CreateAddrSpaceCast(E.call(B, "warplintReplaySharedPointer", E.pointer, {Number}), I.getType());
      }
      if (Result) {
        I.replaceAllUsesWith(Result);
        I.eraseFromParent();
      }
    }
}
