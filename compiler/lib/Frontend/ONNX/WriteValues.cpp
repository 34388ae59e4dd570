//===- WriteValues.cpp - Types, tensors and attributes to protobuf --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "Writer.h"
#include "tenon/Dialect/ONNX/Node.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;
using ::onnx::AttributeProto;
using ::onnx::TensorProto;
using ::onnx::TypeProto;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// `Proto` is a tensor's or a sparse tensor's type.
template <typename ProtoT>
static void writeTensorType(TensorType Of, ProtoT &Proto) {
  if (int32_t Number = elementNumber(Of.getElementType()))
    Proto.set_elem_type(Number);
  if (!Of.hasRank())
    return;
  auto *Shape = Proto.mutable_shape();
  for (auto [Axis, Extent] : llvm::enumerate(Of.getShape())) {
    auto *Dim = Shape->add_dim();
    StringRef Name = dimensionName(Of, Axis);
    if (!ShapedType::isDynamic(Extent))
      Dim->set_dim_value(Extent);
    else if (!Name.empty())
      Dim->set_dim_param(Name.str());
  }
}

void tenon::frontend::writeType(Type Of, TypeProto &Proto) {
  llvm::TypeSwitch<Type>(Of)
      .Case<TensorType>([&](auto Tensor) {
        writeTensorType(Tensor, *Proto.mutable_tensor_type());
      })
      .Case<SparseType>([&](auto Sparse) {
        writeTensorType(Sparse.getTensor(),
                        *Proto.mutable_sparse_tensor_type());
      })
      .Case<SequenceType>([&](auto Sequence) {
        writeType(Sequence.getElement(),
                  *Proto.mutable_sequence_type()->mutable_elem_type());
      })
      .Case<OptionalType>([&](auto Optional) {
        writeType(Optional.getElement(),
                  *Proto.mutable_optional_type()->mutable_elem_type());
      })
      .Case<MapType>([&](auto Map) {
        Proto.mutable_map_type()->set_key_type(elementNumber(Map.getKey()));
        writeType(Map.getValue(),
                  *Proto.mutable_map_type()->mutable_value_type());
      })
      .Case<onnx::OpaqueType>([&](auto Opaque) {
        Proto.mutable_opaque_type()->set_domain(Opaque.getDomain().str());
        Proto.mutable_opaque_type()->set_name(Opaque.getName().str());
      });
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void Writer::writeTensor(ElementsAttr Value, TensorProto &Proto) {
  TensorData Data(Value);
  Proto.set_data_type(elementNumber(Data.elementType()));
  Proto.mutable_dims()->Add(Data.shape().begin(), Data.shape().end());
  if (Data.isString()) {
    for (int64_t Index = 0; Index < Data.size(); ++Index)
      Proto.add_string_data(Data.string(Index).str());
    return;
  }
  SmallVector<char> Scratch;
  ArrayRef<char> Bytes = Data.bytes(Scratch);
  if (Bytes.size() <= MostBytes)
    Proto.set_raw_data(Bytes.data(), Bytes.size());
}

void Writer::writeSparse(SparseTensorAttr Value,
                         ::onnx::SparseTensorProto &Proto) {
  writeTensor(Value.getValues(), *Proto.mutable_values());
  writeTensor(Value.getIndices(), *Proto.mutable_indices());
  ArrayRef<int64_t> Dims = Value.getTensor().getShape();
  Proto.mutable_dims()->Add(Dims.begin(), Dims.end());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

void Writer::writeList(ListAttr List, AttributeProto &Proto) {
  for (Attribute Element : List.getElements())
    llvm::TypeSwitch<Attribute>(Element)
        .Case<StringAttr>(
            [&](auto Value) { Proto.add_strings(Value.getValue().str()); })
        .Case<TypeAttr>([&](auto Value) {
          writeType(Value.getValue(), *Proto.add_type_protos());
        })
        .Case<SparseTensorAttr>([&](auto Value) {
          writeSparse(Value, *Proto.add_sparse_tensors());
        })
        .Case<ElementsAttr>(
            [&](auto Value) { writeTensor(Value, *Proto.add_tensors()); });
}

void Writer::writeAttribute(Attribute Value, AttributeProto &Proto) {
  Proto.set_type(AttributeProto::AttributeType(kindOf(Value)));
  llvm::TypeSwitch<Attribute>(Value)
      .Case<FloatAttr>(
          [&](auto Float) { Proto.set_f(Float.getValue().convertToFloat()); })
      .Case<IntegerAttr>([&](auto Int) { Proto.set_i(Int.getInt()); })
      .Case<StringAttr>(
          [&](auto String) { Proto.set_s(String.getValue().str()); })
      .Case<DenseF32ArrayAttr>([&](auto Floats) {
        Proto.mutable_floats()->Add(Floats.asArrayRef().begin(),
                                    Floats.asArrayRef().end());
      })
      .Case<DenseI64ArrayAttr>([&](auto Ints) {
        Proto.mutable_ints()->Add(Ints.asArrayRef().begin(),
                                  Ints.asArrayRef().end());
      })
      .Case<TypeAttr>(
          [&](auto Held) { writeType(Held.getValue(), *Proto.mutable_tp()); })
      .Case<RefAttr>(
          [&](auto Ref) { Proto.set_ref_attr_name(Ref.getName().str()); })
      .Case<ListAttr>([&](auto List) { writeList(List, Proto); })
      .Case<SparseTensorAttr>([&](auto Sparse) {
        writeSparse(Sparse, *Proto.mutable_sparse_tensor());
      })
      .Case<ElementsAttr>(
          [&](auto Tensor) { writeTensor(Tensor, *Proto.mutable_t()); });
}
