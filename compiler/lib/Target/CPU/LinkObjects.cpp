//===- LinkObjects.cpp - Objects become a shared object -------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// lld as a library: no program to find, and nothing to start for each target.
// It reads and writes files, so all lie in a folder of their own.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

/// Writes `Output` from `Inputs`; the linker keeps its state in globals.
static Error runLinker(ArrayRef<std::string> Inputs, StringRef Output) {
  static std::mutex OneAtATime;
  std::lock_guard<std::mutex> Lock(OneAtATime);
  std::string Out = Output.str();
  // What isa/elf_image.cpp reads: a hash table with a count, relocations in any
  // order, all of them bound when loaded, and nothing for other tools.
  SmallVector<const char *> Arguments = {"ld.lld",
                                         "-shared",
                                         "--threads=1",
                                         "--strip-all",
                                         "--hash-style=sysv",
                                         "--build-id=none",
                                         "--no-eh-frame-hdr",
                                         "-znow",
                                         "-znocombreloc",
                                         "-o",
                                         Out.c_str()};
  for (const std::string &Input : Inputs)
    Arguments.push_back(Input.c_str());
  std::string Messages;
  raw_string_ostream Stream(Messages);
  lld::Result Result =
      lld::lldMain(Arguments, Stream, Stream, {{lld::Gnu, &lld::elf::link}});
  if (Result.retCode != 0)
    return createStringError("host code cannot be linked: " +
                             StringRef(Messages).trim());
  return Error::success();
}

static Error failure(const Twine &What, std::error_code Code) {
  return createStringError(Code, "host code cannot be linked: " + What + ": " +
                                     Code.message());
}

static Error write(StringRef Path, StringRef Bytes) {
  std::error_code Code;
  raw_fd_ostream File(Path, Code);
  if (!Code) {
    File << Bytes;
    File.close();
    Code = File.error();
    File.clear_error();
  }
  return Code ? failure(Path, Code) : Error::success();
}

Expected<std::string> tenon::linkObjects(ArrayRef<StringRef> Objects) {
  SmallString<128> Folder;
  if (std::error_code Code = sys::fs::createUniqueDirectory("tenon", Folder))
    return failure("no temporary folder", Code);
  scope_exit Cleanup([&] { sys::fs::remove_directories(Folder); });
  SmallString<128> Output(Folder);
  sys::path::append(Output, "host.so");
  std::vector<std::string> Inputs;
  for (StringRef Object : Objects) {
    SmallString<128> Input(Folder);
    sys::path::append(Input, Twine(Inputs.size()) + ".o");
    if (Error E = write(Input, Object))
      return std::move(E);
    Inputs.push_back(std::string(Input));
  }
  if (Error E = runLinker(Inputs, Output))
    return std::move(E);
  auto Linked = MemoryBuffer::getFile(Output);
  if (!Linked)
    return failure(Output, Linked.getError());
  return (*Linked)->getBuffer().str();
}
