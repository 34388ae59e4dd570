//===- ReadModel.cpp - Model files to the onnx dialect --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Frontend/ONNX/ReadModel.h"
#include "BodyReader.h"
#include "ParseText.h"
#include "isa/utf8.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/text_format.h>

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using google::protobuf::io::ZeroCopyInputStream;

Reader::Reader(StringRef Path, MLIRContext *Context)
    : B(Context), Place(FileLineColLoc::get(Context, Path, 0, 0)),
      External(Path) {}

InFlightDiagnostic Reader::error() {
  Failed = true;
  return mlir::emitError(Place);
}

//===----------------------------------------------------------------------===//
// Protobuf
//===----------------------------------------------------------------------===//

namespace {
/// Keeps the first complaint of the text parser, for the diagnostic.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
  void AddError(int Line, int Column, const std::string &Message) override {
    if (Text.empty())
      Text = "line " + std::to_string(Line + 1) + ": " + Message;
  }
  std::string Text;
};
} // namespace

/// The text parser recurses; a model needs no more than binary protobuf has.
static constexpr int MaxNesting = 100;

/// Read as a stream, so that the file's bytes are in memory once.
static bool parse(Reader &R, ZeroCopyInputStream &Stream, uint64_t Size,
                  bool IsText, ::onnx::ModelProto &Model) {
  if (IsText) {
    google::protobuf::TextFormat::Parser Parser;
    FirstError Collector;
    Parser.RecordErrorsTo(&Collector);
    Parser.SetRecursionLimit(MaxNesting);
    if (Parser.Parse(&Stream, &Model))
      return true;
    R.error() << "not an ONNX model in protobuf's text form: "
              << Collector.Text;
    return false;
  }
  google::protobuf::LogSilencer Silence;
  if (Size != 0 && Size <= uint64_t(INT32_MAX) &&
      Model.ParseFromZeroCopyStream(&Stream))
    return true;
  R.error() << "not an ONNX model: " << Size
            << " bytes that protobuf cannot read (truncated, or another "
               "format)";
  return false;
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static DictionaryAttr opsetAttr(Builder &B, const Opsets &Versions) {
  NamedAttrList Entries;
  for (const auto &Entry : Versions)
    Entries.set(domainName(Entry.getKey()),
                B.getI64IntegerAttr(Entry.getValue()));
  return Entries.getDictionary(B.getContext());
}

/// What the model says of itself.
static DictionaryAttr modelAttr(Builder &B, const ::onnx::ModelProto &Model,
                                const Opsets &Versions) {
  NamedAttrList Entries;
  Entries.set("ir_version", B.getI64IntegerAttr(Model.ir_version()));
  Entries.set("opsets", opsetAttr(B, Versions));
  auto AddString = [&](StringRef Name, const std::string &Value) {
    if (!Value.empty())
      Entries.set(Name, B.getStringAttr(Value));
  };
  AddString("producer_name", Model.producer_name());
  AddString("producer_version", Model.producer_version());
  AddString("domain", Model.domain());
  AddString("doc", Model.doc_string());
  if (Model.model_version() != 0)
    Entries.set("model_version", B.getI64IntegerAttr(Model.model_version()));
  if (ArrayAttr Pairs = readPairs(B, Model.metadata_props()))
    Entries.set("metadata", Pairs);
  return Entries.getDictionary(B.getContext());
}

FunctionOp tenon::frontend::readFunction(Reader &R,
                                         ::onnx::FunctionProto &Proto,
                                         OpBuilder &B) {
  Opsets Versions = R.readOpsets(Proto.opset_import());
  OperationState State(NameLoc::get(B.getStringAttr(Proto.name())),
                       FunctionOp::getOperationName());
  BodyReader Body(R, Versions, nullptr, *State.addRegion());
  NamedAttrList Defaults;
  for (auto &Default : *Proto.mutable_attribute_proto()) {
    Attribute Value =
        R.readAttribute(Default, "function '" + Proto.name() + "'");
    if (Value && !Default.name().empty())
      Defaults.set(Default.name(), Value);
  }
  State.addAttribute("name", B.getStringAttr(Proto.name()));
  State.addAttribute("domain", B.getStringAttr(Proto.domain()));
  State.addAttribute("overload", B.getStringAttr(Proto.overload()));
  State.addAttribute("opsets", opsetAttr(B, Versions));
  State.addAttribute("required",
                     B.getStrArrayAttr(SmallVector<StringRef>(
                         Proto.attribute().begin(), Proto.attribute().end())));
  State.addAttribute("defaults", Defaults.getDictionary(B.getContext()));
  State.addAttribute("info", Body.readFunction(Proto));
  if (!Proto.doc_string().empty())
    State.addAttribute("onnx.doc", B.getStringAttr(Proto.doc_string()));
  if (ArrayAttr Pairs = readPairs(B, Proto.metadata_props()))
    State.addAttribute("onnx.metadata", Pairs);
  return cast<FunctionOp>(B.create(State));
}

/// Files of IR versions before 3 have no opset_import: they are of opset 1.
static bool impliesFirstOpset(const ::onnx::ModelProto &Model) {
  return Model.has_ir_version() && Model.ir_version() < 3;
}

static OwningOpRef<ModuleOp> build(Reader &R, ::onnx::ModelProto &Model) {
  if (Model.opset_import_size() == 0 && impliesFirstOpset(Model))
    Model.add_opset_import()->set_version(1);
  if (!Model.has_graph() || Model.opset_import_size() == 0) {
    R.error() << "not an ONNX model: it has no "
              << (Model.has_graph() ? "opset_import" : "graph");
    return nullptr;
  }
  if (Model.training_info_size() != 0 || Model.configuration_size() != 0)
    mlir::emitRemark(R.Place)
        << "training information and placement on devices are left out";
  OpBuilder B(R.B.getContext());
  OwningOpRef<ModuleOp> Module = ModuleOp::create(B.getUnknownLoc());
  B.setInsertionPointToEnd(Module->getBody());
  Opsets Versions = R.readOpsets(Model.opset_import());
  (*Module)->setAttr(ModelAttrName, modelAttr(B, Model, Versions));
  for (auto &Function : *Model.mutable_functions())
    readFunction(R, Function, B);
  if (Model.graph().output_size() == 0)
    R.error() << "not a complete ONNX model: its graph has no output";
  OperationState State(B.getUnknownLoc(), GraphOp::getOperationName());
  BodyReader Body(R, Versions, nullptr, *State.addRegion());
  State.addAttribute("info", Body.readGraph(*Model.mutable_graph()));
  B.create(State);
  if (R.hasFailed() || failed(verify(*Module)))
    return nullptr;
  return Module;
}

static OwningOpRef<ModuleOp> read(ZeroCopyInputStream &Stream, uint64_t Size,
                                  StringRef Path, MLIRContext &Context) {
  Reader R(Path, &Context);
  ::onnx::ModelProto Model;
  if (!parse(R, Stream, Size, Path.ends_with(".textproto"), Model))
    return nullptr;
  // Of nothing that is made of it could such a name be read again.
  if (auto Where = tenon::isa::findForeignText(Model, "doc_string")) {
    R.error() << *Where << " is not UTF-8, as text of ONNX is";
    return nullptr;
  }
  return build(R, Model);
}

/// The dialect as MLIR has it: one main graph in a module that says what model
/// it is.
static OwningOpRef<ModuleOp> readMlir(StringRef Content, StringRef Path,
                                      MLIRContext &Context) {
  OwningOpRef<ModuleOp> Module = parseMlir(Content, Path, Context);
  if (!Module)
    return nullptr;
  auto Says = (*Module)->getAttrOfType<DictionaryAttr>(ModelAttrName);
  bool HasOpsets = Says && Says.getAs<DictionaryAttr>("opsets");
  auto IsForeign = [](Operation &Op) { return !isa<GraphOp, FunctionOp>(Op); };
  if (HasOpsets && llvm::hasSingleElement(Module->getOps<GraphOp>()) &&
      llvm::none_of(Module->getBody()->getOperations(), IsForeign))
    return Module;
  mlir::emitError(FileLineColLoc::get(&Context, Path, 0, 0))
      << "no ONNX model: expected a module with the attribute " << ModelAttrName
      << ", one onnx.graph and functions";
  return nullptr;
}

OwningOpRef<ModuleOp> tenon::readModel(StringRef Path, MLIRContext &Context) {
  Context.loadDialect<ONNXDialect>();
  auto Fail = [&](std::error_code Error) {
    mlir::emitError(FileLineColLoc::get(&Context, Path, 0, 0))
        << "cannot read the file: " << Error.message();
    return nullptr;
  };
  if (isMlirFile(Path)) {
    auto Text = llvm::MemoryBuffer::getFile(Path);
    return Text ? readMlir((*Text)->getBuffer(), Path, Context)
                : Fail(Text.getError());
  }
  auto File = llvm::sys::fs::openNativeFileForRead(Path);
  llvm::sys::fs::file_status Status;
  if (!File)
    return Fail(llvm::errorToErrorCode(File.takeError()));
  google::protobuf::io::FileInputStream Stream(*File);
  Stream.SetCloseOnDelete(true);
  if (auto Error = llvm::sys::fs::status(*File, Status))
    return Fail(Error);
  if (Status.type() == llvm::sys::fs::file_type::directory_file)
    return Fail(std::make_error_code(std::errc::is_a_directory));
  return read(Stream, Status.getSize(), Path, Context);
}

OwningOpRef<ModuleOp> tenon::readModel(StringRef Content, StringRef Path,
                                       MLIRContext &Context) {
  Context.loadDialect<ONNXDialect>();
  if (isMlirFile(Path))
    return readMlir(Content, Path, Context);
  google::protobuf::io::ArrayInputStream Stream(
      Content.data(), std::min<size_t>(Content.size(), INT32_MAX));
  return read(Stream, Content.size(), Path, Context);
}
