//===- ExternalData.cpp - Tensors in files beside the model ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tenon::frontend;

template <typename... Args>
static llvm::Error fail(const char *Format, Args &&...Values) {
  return llvm::createStringError(
      llvm::formatv(Format, std::forward<Args>(Values)...).str());
}

ExternalData::ExternalData(llvm::StringRef Model) {
  llvm::StringRef Parent = llvm::sys::path::parent_path(Model);
  Folder = Parent.empty() ? "." : Parent.str();
}

/// Whether `Inner` is below `Outer`; both are real paths.
static bool isInside(llvm::StringRef Inner, llvm::StringRef Outer) {
  if (Outer == "/")
    return true;
  return Inner.consume_front(Outer) && Inner.starts_with("/");
}

llvm::Expected<ExternalData::File>
ExternalData::open(llvm::StringRef Location) {
  File &Known = Files[Location];
  if (Known)
    return Known;
  llvm::SmallString<128> Path(Folder), Real, Root;
  llvm::sys::path::append(Path, Location);
  if (Location.empty() || llvm::sys::path::is_absolute(Location))
    return fail("its location '{0}' is not relative to the model", Location);
  if (auto Error = llvm::sys::fs::real_path(Path, Real))
    return fail("its file '{0}' cannot be read: {1}", Location,
                Error.message());
  if (auto Error = llvm::sys::fs::real_path(Folder, Root);
      Error || !isInside(Real, Root))
    return fail("its file '{0}' is outside of the model's folder", Location);
  if (!llvm::sys::fs::is_regular_file(Real))
    return fail("its file '{0}' is not a regular file", Location);
  auto Mapped = llvm::MemoryBuffer::getFile(Real, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Mapped)
    return fail("its file '{0}' cannot be read: {1}", Location,
                Mapped.getError().message());
  Known = std::move(*Mapped);
  return Known;
}

namespace {
/// What the file says of where a tensor's data lies.
struct Extent {
  std::string Location;
  uint64_t Offset = 0;
  std::optional<uint64_t> Length;
};
} // namespace

static llvm::Expected<Extent> readExtent(const ::onnx::TensorProto &Proto) {
  Extent Result;
  for (const auto &Entry : Proto.external_data()) {
    uint64_t Number = 0;
    bool IsNumber = Entry.key() == "offset" || Entry.key() == "length";
    if (IsNumber && llvm::StringRef(Entry.value()).getAsInteger(10, Number))
      return fail("its {0} is '{1}', expected a number of bytes", Entry.key(),
                  Entry.value());
    if (Entry.key() == "location")
      Result.Location = Entry.value();
    else if (Entry.key() == "offset")
      Result.Offset = Number;
    else if (Entry.key() == "length")
      Result.Length = Number;
  }
  return Result;
}

llvm::Expected<mlir::AsmResourceBlob>
ExternalData::map(const ::onnx::TensorProto &Proto, uint64_t Bytes) {
  llvm::Expected<Extent> At = readExtent(Proto);
  if (!At)
    return At.takeError();
  if (At->Length && *At->Length != Bytes)
    return fail("its dimensions need {0} bytes, its length is {1}", Bytes,
                *At->Length);
  llvm::Expected<File> Mapped = open(At->Location);
  if (!Mapped)
    return Mapped.takeError();
  llvm::StringRef Content = (*Mapped)->getBuffer();
  if (At->Offset > Content.size() || Content.size() - At->Offset < Bytes)
    return fail("{0} bytes at {1} reach beyond the end of '{2}', which has {3}",
                Bytes, At->Offset, At->Location, Content.size());
  llvm::ArrayRef<char> Data(Content.data() + At->Offset, Bytes);
  // Elements are read by memcpy where the file does not align them.
  bool IsAligned = llvm::isAddrAligned(llvm::Align(8), Data.data());
  auto Keep = [File = *Mapped](void *, size_t, size_t) {};
  return mlir::AsmResourceBlob(Data, IsAligned ? 8 : 1, std::move(Keep),
                               /*dataIsMutable=*/false);
}
