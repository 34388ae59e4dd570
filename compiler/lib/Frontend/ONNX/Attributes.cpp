//===- Attributes.cpp - Attributes of ONNX nodes --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Attributes.h"

using namespace mlir;
using namespace tenon::frontend;
using ::onnx::AttributeProto;

/// The attribute, null when absent; an error when it is not of `Type`.
static FailureOr<const AttributeProto *>
find(Importer &I, const Node &N, StringRef Name,
     AttributeProto::AttributeType Type) {
  for (const AttributeProto &Attribute : N.Proto->attribute()) {
    if (Attribute.name() != Name)
      continue;
    if (Attribute.type() != Type)
      return I.error(N) << "attribute '" << Name << "' is of type "
                        << AttributeProto::AttributeType_Name(Attribute.type())
                        << ", expected "
                        << AttributeProto::AttributeType_Name(Type);
    return &Attribute;
  }
  return static_cast<const AttributeProto *>(nullptr);
}

FailureOr<int64_t> tenon::frontend::integerAttribute(Importer &I, const Node &N,
                                                     StringRef Name,
                                                     int64_t Default) {
  auto Found = find(I, N, Name, AttributeProto::INT);
  if (failed(Found))
    return failure();
  return *Found ? (*Found)->i() : Default;
}

FailureOr<double> tenon::frontend::realAttribute(Importer &I, const Node &N,
                                                 StringRef Name,
                                                 double Default) {
  auto Found = find(I, N, Name, AttributeProto::FLOAT);
  if (failed(Found))
    return failure();
  return *Found ? double((*Found)->f()) : Default;
}

FailureOr<std::string> tenon::frontend::stringAttribute(Importer &I,
                                                        const Node &N,
                                                        StringRef Name,
                                                        StringRef Default) {
  auto Found = find(I, N, Name, AttributeProto::STRING);
  if (failed(Found))
    return failure();
  return *Found ? (*Found)->s() : Default.str();
}

FailureOr<Shape> tenon::frontend::integersAttribute(Importer &I, const Node &N,
                                                    StringRef Name,
                                                    ArrayRef<int64_t> Default) {
  auto Found = find(I, N, Name, AttributeProto::INTS);
  if (failed(Found))
    return failure();
  if (!*Found)
    return Shape(Default);
  return Shape((*Found)->ints().begin(), (*Found)->ints().end());
}

FailureOr<int64_t> tenon::frontend::normalizedAxis(Importer &I, const Node &N,
                                                   int64_t Axis, int64_t Rank) {
  if (Axis < -Rank || Axis >= Rank)
    return I.error(N) << "axis " << Axis << " is outside of a tensor with "
                      << Rank << " dimensions";
  return Axis < 0 ? Axis + Rank : Axis;
}
