//===- MathLibrary.cpp - Functions of our own in host code ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Math/*.c is compiled to LLVM IR with the compiler and linked into each module
// that calls it, before optimisation: functions are inlined into loops, which
// LLVM makes vectors of. The IR is made for x86-64 and depends on nothing of
// it.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

static constexpr unsigned char Bitcode[] = {
#include "compiler/lib/Target/CPU/Math/functions.inc"
};

static bool isOfLibrary(const Function &F) {
  return F.getName().starts_with("tenon_") && F.isDeclaration();
}

/// A function without state that is worth inlining, and nothing of the machine
/// that it was compiled for.
static void makeOwn(Function &F) {
  const bool Apart = F.hasFnAttribute(Attribute::NoInline);
  F.setAttributes(AttributeList());
  F.setDoesNotThrow();
  F.setWillReturn();
  F.addFnAttr(Attribute::NoRecurse);
  F.addFnAttr(Apart ? Attribute::NoInline : Attribute::AlwaysInline);
  F.setLinkage(GlobalValue::InternalLinkage);
}

Error tenon::linkMathLibrary(Module &To) {
  SmallVector<std::string> Called;
  for (Function &F : To)
    if (isOfLibrary(F))
      Called.push_back(F.getName().str());
  if (Called.empty())
    return Error::success();
  auto Library = parseBitcodeFile(
      MemoryBufferRef(
          StringRef(reinterpret_cast<const char *>(Bitcode), sizeof Bitcode),
          "functions"),
      To.getContext());
  if (!Library)
    return Library.takeError();
  (*Library)->setDataLayout(To.getDataLayout());
  (*Library)->setTargetTriple(To.getTargetTriple());
  // What the compiler notes of itself.
  for (NamedMDNode &Note : make_early_inc_range((*Library)->named_metadata()))
    Note.eraseFromParent();
  SmallVector<std::string> Functions;
  for (Function &F : **Library)
    if (!F.isDeclaration())
      Functions.push_back(F.getName().str());
  if (Linker::linkModules(To, std::move(*Library), Linker::LinkOnlyNeeded))
    return createStringError("the mathematics library cannot be linked");
  for (const std::string &Name : Functions)
    if (Function *F = To.getFunction(Name); F && !F->isDeclaration())
      makeOwn(*F);
  for (const std::string &Name : Called)
    if (To.getFunction(Name)->isDeclaration())
      return createStringError("the mathematics library has no '" + Name + "'");
  return Error::success();
}
