//===- ReadAttributes.cpp - Attributes of ONNX nodes ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::AttributeProto;

/// The kind of an attribute; files older than IR version 2 do not say it.
static AttributeProto::AttributeType kindOf(const AttributeProto &Proto) {
  if (Proto.type() != AttributeProto::UNDEFINED)
    return Proto.type();
  return Proto.has_f()               ? AttributeProto::FLOAT
         : Proto.has_i()             ? AttributeProto::INT
         : Proto.has_s()             ? AttributeProto::STRING
         : Proto.has_t()             ? AttributeProto::TENSOR
         : Proto.floats_size() != 0  ? AttributeProto::FLOATS
         : Proto.ints_size() != 0    ? AttributeProto::INTS
         : Proto.strings_size() != 0 ? AttributeProto::STRINGS
         : Proto.tensors_size() != 0 ? AttributeProto::TENSORS
                                     : AttributeProto::UNDEFINED;
}

/// A list of what `Read` makes of each element; null where one is.
template <typename Field, typename Function>
static Attribute readList(Builder &B, Kind Of, Field &Values, Function Read) {
  SmallVector<Attribute> Elements;
  for (auto &Value : Values)
    Elements.push_back(Read(Value));
  if (llvm::is_contained(Elements, Attribute()))
    return {};
  return ListAttr::get(B.getContext(), Of, B.getArrayAttr(Elements));
}

Attribute Reader::readAttribute(AttributeProto &Proto, const Twine &Where) {
  AttributeProto::AttributeType Type = ::kindOf(Proto);
  if (!Proto.ref_attr_name().empty())
    return RefAttr::get(B.getContext(), Kind(Type),
                        B.getStringAttr(Proto.ref_attr_name()));
  auto ReadType = [&](const ::onnx::TypeProto &Value) {
    return TypeAttr::get(readType(Value, Proto.name()));
  };
  switch (Type) {
  case AttributeProto::FLOAT:
    return B.getF32FloatAttr(Proto.f());
  case AttributeProto::INT:
    return B.getI64IntegerAttr(Proto.i());
  case AttributeProto::STRING:
    return B.getStringAttr(Proto.s());
  case AttributeProto::TENSOR:
    return readTensor(*Proto.mutable_t());
  case AttributeProto::SPARSE_TENSOR:
    return readSparse(*Proto.mutable_sparse_tensor());
  case AttributeProto::TYPE_PROTO:
    return ReadType(Proto.tp());
  case AttributeProto::FLOATS:
    return B.getDenseF32ArrayAttr(
        ArrayRef(Proto.floats().data(), Proto.floats_size()));
  case AttributeProto::INTS:
    return B.getDenseI64ArrayAttr(
        SmallVector<int64_t>(Proto.ints().begin(), Proto.ints().end()));
  case AttributeProto::STRINGS:
    return readList(B, Kind::Strings, Proto.strings(), [&](const auto &Value) {
      return Attribute(B.getStringAttr(Value));
    });
  case AttributeProto::TENSORS:
    return readList(B, Kind::Tensors, *Proto.mutable_tensors(),
                    [&](auto &Value) { return Attribute(readTensor(Value)); });
  case AttributeProto::SPARSE_TENSORS:
    return readList(B, Kind::SparseTensors, *Proto.mutable_sparse_tensors(),
                    [&](auto &Value) { return readSparse(Value); });
  case AttributeProto::TYPE_PROTOS:
    return readList(B, Kind::TypeProtos, Proto.type_protos(),
                    [&](auto &Value) { return Attribute(ReadType(Value)); });
  default:
    // GRAPH and a list of graphs that is not empty are regions.
    if (Type == AttributeProto::GRAPHS)
      return ListAttr::get(B.getContext(), Kind::Graphs, B.getArrayAttr({}));
    error() << Where << ": attribute '" << Proto.name()
            << "' has neither a type nor a value";
    return {};
  }
}
