//===- compiler/driver/collector.cpp - Hears MLIR's diagnostics -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/collector.h"

#include "mlir/IR/BuiltinAttributes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tenon::compiler {

namespace {

/// A note belongs to the diagnostic it is attached to.
Severity severityOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return Severity::Error;
  case mlir::DiagnosticSeverity::Warning:
    return Severity::Warning;
  default:
    return Severity::Remark;
  }
}

/// The first node that a location names.
std::string nodeOf(mlir::Location location) {
  std::string node;
  location->walk([&](mlir::Location part) {
    auto name = mlir::dyn_cast<mlir::NameLoc>(part);
    if (!name)
      return mlir::WalkResult::advance();
    node = name.getName().str();
    return mlir::WalkResult::interrupt();
  });
  return node;
}

unsigned lineOf(mlir::Location location) {
  auto place = location->findInstanceOf<mlir::FileLineColLoc>();
  return place ? place.getLine() : 0;
}

template <typename Prefix>
absl::Status joined(const std::vector<Diagnostic> &errors,
                    absl::string_view fallback, Prefix prefix) {
  if (errors.empty())
    return absl::InternalError(fallback);
  return absl::InvalidArgumentError(absl::StrJoin(
      errors, "\n", [&](std::string *out, const Diagnostic &error) {
        absl::StrAppend(out, prefix(error), error.message);
      }));
}

} // namespace

Collector::Collector(mlir::MLIRContext &context, DiagnosticListener listener)
    : listener(std::move(listener)),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        add(diagnostic);
        return mlir::success();
      }) {}

void Collector::add(mlir::Diagnostic &diagnostic) {
  Diagnostic said{severityOf(diagnostic.getSeverity()),
                  nodeOf(diagnostic.getLocation()), diagnostic.str(),
                  lineOf(diagnostic.getLocation())};
  if (isHolding)
    held.push_back(std::move(said));
  else
    take(std::move(said));
}

void Collector::release() {
  isHolding = false;
  for (Diagnostic &said : std::exchange(held, {}))
    take(std::move(said));
}

void Collector::forget() {
  isHolding = false;
  held.clear();
}

void Collector::take(Diagnostic said) {
  if (listener)
    listener(said);
  if (said.severity == Severity::Error)
    errors.push_back(std::move(said));
}

absl::Status Collector::status(absl::string_view fallback) const {
  return joined(errors, fallback, [](const Diagnostic &error) {
    return error.node.empty() ? "" : absl::StrCat(error.node, ": ");
  });
}

absl::Status Collector::statusOf(absl::string_view path,
                                 absl::string_view fallback) const {
  return joined(errors, fallback, [&](const Diagnostic &error) {
    return error.line ? absl::StrCat("'", path, "', line ", error.line, ": ")
                      : absl::StrCat("'", path, "': ");
  });
}

} // namespace tenon::compiler
