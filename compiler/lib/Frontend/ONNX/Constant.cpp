//===- Constant.cpp - Tensors stored in an ONNX file ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Constant.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FormatVariadic.h"
#include <cstring>

using namespace tenon::frontend;
using ::onnx::TensorProto;

std::optional<int64_t>
tenon::frontend::elementCount(llvm::ArrayRef<int64_t> Shape) {
  int64_t Count = 1;
  bool Empty = false;
  for (int64_t Dim : Shape) {
    if (Dim < 0)
      return std::nullopt;
    if (Dim == 0) {
      Empty = true;
      continue;
    }
    if (Count > MaxElements / Dim)
      return std::nullopt;
    Count *= Dim;
  }
  return Empty ? 0 : Count;
}

std::string tenon::frontend::describe(llvm::ArrayRef<int64_t> Shape) {
  if (Shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(Shape, [](int64_t Dim) { return std::to_string(Dim); }),
      "x");
}

std::string tenon::frontend::describeType(int32_t Type) {
  if (TensorProto::DataType_IsValid(Type))
    return TensorProto::DataType_Name(TensorProto::DataType(Type));
  return "type " + std::to_string(Type);
}

/// Bytes of one element; 0 for types that are not handled.
static int64_t elementBytes(int32_t Type) {
  switch (Type) {
  case TensorProto::INT8:
  case TensorProto::UINT8:
  case TensorProto::BOOL:
    return 1;
  case TensorProto::INT16:
  case TensorProto::UINT16:
    return 2;
  case TensorProto::INT32:
  case TensorProto::FLOAT:
    return 4;
  case TensorProto::INT64:
  case TensorProto::DOUBLE:
    return 8;
  default:
    return 0;
  }
}

/// Appends the elements of a typed field as `T`.
template <typename T, typename Field>
static void appendAs(const Field &Values, std::string &Bytes) {
  for (auto Value : Values) {
    T Narrow = static_cast<T>(Value);
    Bytes.append(reinterpret_cast<const char *>(&Narrow), sizeof(T));
  }
}

/// The typed fields' values (raw_data is absent) as little-endian bytes.
static std::string typedData(const TensorProto &Proto) {
  std::string Bytes;
  switch (Proto.data_type()) {
  case TensorProto::FLOAT:
    appendAs<float>(Proto.float_data(), Bytes);
    break;
  case TensorProto::DOUBLE:
    appendAs<double>(Proto.double_data(), Bytes);
    break;
  case TensorProto::INT64:
    appendAs<int64_t>(Proto.int64_data(), Bytes);
    break;
  case TensorProto::INT32:
    appendAs<int32_t>(Proto.int32_data(), Bytes);
    break;
  case TensorProto::INT16:
  case TensorProto::UINT16:
    appendAs<int16_t>(Proto.int32_data(), Bytes);
    break;
  default:
    appendAs<int8_t>(Proto.int32_data(), Bytes);
    break;
  }
  return Bytes;
}

llvm::Expected<Constant> Constant::read(const TensorProto &Proto) {
  auto Fail = [&](const llvm::Twine &Message) {
    return llvm::createStringError("tensor '" + Proto.name() + "': " + Message);
  };
  if (Proto.data_location() == TensorProto::EXTERNAL ||
      Proto.external_data_size() != 0)
    return Fail("its data lies in another file, which is not supported; save "
                "the model as one file");
  if (Proto.has_segment())
    return Fail("segmented tensors are not supported");
  int64_t Width = elementBytes(Proto.data_type());
  if (Width == 0)
    return Fail("element type " + describeType(Proto.data_type()) +
                " is not supported");
  Constant Result;
  Result.Type = Proto.data_type();
  Result.Dims.assign(Proto.dims().begin(), Proto.dims().end());
  std::optional<int64_t> Count = elementCount(Result.Dims);
  if (!Count)
    return Fail("dimensions " + describe(Result.Dims) +
                " are negative or too large");
  Result.Count = *Count;
  Result.Bytes = Proto.has_raw_data() ? Proto.raw_data() : typedData(Proto);
  if (int64_t(Result.Bytes.size()) != *Count * Width)
    return Fail(llvm::formatv(
        "dimensions {0} of {1} need {2} bytes of data, the file has {3}",
        describe(Result.Dims), describeType(Result.Type), *Count * Width,
        Result.Bytes.size()));
  return Result;
}

Constant Constant::fromIntegers(llvm::ArrayRef<int64_t> Values, Shape Dims) {
  Constant Result;
  Result.Type = TensorProto::INT64;
  Result.Dims = std::move(Dims);
  Result.Count = Values.size();
  appendAs<int64_t>(Values, Result.Bytes);
  return Result;
}

Constant Constant::fromReals(llvm::ArrayRef<double> Values, Shape Dims) {
  Constant Result;
  Result.Type = TensorProto::FLOAT;
  Result.Dims = std::move(Dims);
  Result.Count = Values.size();
  appendAs<float>(Values, Result.Bytes);
  return Result;
}

bool Constant::isInteger() const {
  return Type != TensorProto::FLOAT && Type != TensorProto::DOUBLE;
}

template <typename T> T Constant::element(int64_t Index) const {
  T Value;
  std::memcpy(&Value, Bytes.data() + Index * sizeof(T), sizeof(T));
  return Value;
}

int64_t Constant::integer(int64_t Index) const {
  switch (Type) {
  case TensorProto::INT8:
    return element<int8_t>(Index);
  case TensorProto::UINT8:
  case TensorProto::BOOL:
    return element<uint8_t>(Index);
  case TensorProto::INT16:
    return element<int16_t>(Index);
  case TensorProto::UINT16:
    return element<uint16_t>(Index);
  case TensorProto::INT32:
    return element<int32_t>(Index);
  default:
    return element<int64_t>(Index);
  }
}

double Constant::real(int64_t Index) const {
  if (Type == TensorProto::FLOAT)
    return element<float>(Index);
  if (Type == TensorProto::DOUBLE)
    return element<double>(Index);
  return integer(Index);
}
