//===- ParseText.cpp - MLIR's text from anywhere --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "ParseText.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tenon::frontend;

bool tenon::frontend::isMlirFile(StringRef Path) {
  return Path.ends_with(".mlir") || Path.ends_with(".mlirbc");
}

/// How deep brackets nest in a text; the ">" of an arrow closes nothing.
static int deepestNesting(llvm::StringRef Text) {
  int Depth = 0, Deepest = 0;
  char Last = 0;
  for (char C : Text) {
    if (llvm::StringRef("([{<").contains(C))
      Deepest = std::max(Deepest, ++Depth);
    else if (llvm::StringRef(")]}").contains(C) || (C == '>' && Last != '-'))
      Depth = std::max(Depth - 1, 0);
    Last = C;
  }
  return Deepest;
}

/// Weights nest as deep as their rank, bodies of nodes deeper.
static constexpr int MaxNesting = 100;

OwningOpRef<ModuleOp> tenon::frontend::parseMlir(StringRef Content,
                                                 StringRef Path,
                                                 MLIRContext &Context) {
  Location Place = FileLineColLoc::get(&Context, Path, 0, 0);
  std::string Terminated; // as MLIR's lexer wants a text
  if (!Content.starts_with("ML\xefR")) {
    if (deepestNesting(Content) > MaxNesting) {
      mlir::emitError(Place) << "brackets nest deeper than " << MaxNesting;
      return nullptr;
    }
    Terminated = Content.str();
    Content = Terminated;
  }
  bool Said = false;
  OwningOpRef<ModuleOp> Module;
  {
    ScopedDiagnosticHandler Listener(&Context, [&](Diagnostic &D) {
      Said |= D.getSeverity() == DiagnosticSeverity::Error;
      return failure(); // for the handler around this one
    });
    Module = parseSourceString<ModuleOp>(Content, &Context, Path);
  }
  // MLIR's parser refuses a few texts without a word.
  if (!Module && !Said)
    mlir::emitError(Place) << "it is not MLIR that can be parsed";
  return Module;
}
