//===- Products.cpp - Matrix products of com.microsoft --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

using namespace mlir;
using namespace tenon::frontend;

/// `Tensor`, or its transpose where attribute `Last` (the last two axes) or
/// `Batch` (the first axis to the one before the last) says so.
static FailureOr<std::string> turned(Definition &D, StringRef Tensor,
                                     StringRef Last, StringRef Batch) {
  auto IsLast = D.N.integer(Last, 0), IsBatch = D.N.integer(Batch, 0);
  if (failed(IsLast) || failed(IsBatch))
    return failure();
  if (!*IsLast && !*IsBatch)
    return Tensor.str();
  RankedTensorType Type = D.type(Tensor);
  if (!Type)
    return D.error() << "the rank of its input '" << Tensor << "' is not known";
  auto Axes = llvm::to_vector(llvm::seq<int64_t>(0, Type.getRank()));
  if (Axes.size() < 2)
    return Tensor.str();
  if (*IsBatch)
    std::rotate(Axes.begin(), Axes.begin() + 1, Axes.end() - 1);
  if (*IsLast)
    std::swap(Axes[Axes.size() - 1], Axes[Axes.size() - 2]);
  std::string List;
  for (int64_t Axis : Axes)
    List += (List.empty() ? "" : ", ") + std::to_string(Axis);
  return D.let("Transpose <perm : ints = [" + List + "]> (" + Tensor + ")");
}

static LogicalResult defineFusedMatMul(Definition &D) {
  auto A = turned(D, "a", "transA", "transBatchA");
  auto B = turned(D, "b", "transB", "transBatchB");
  auto Alpha = D.N.real("alpha", 1);
  if (failed(A) || failed(B) || failed(Alpha))
    return failure();
  std::string Product = D.let("MatMul (" + *A + ", " + *B + ")");
  if (*Alpha != 1)
    Product = D.let("Mul (" + Product + ", " + D.realLike(*Alpha, "a") + ")");
  D.write("y = Identity (" + Product + ")");
  return success();
}

//===----------------------------------------------------------------------===//
// With an activation
//===----------------------------------------------------------------------===//

/// `y` is `x` after the activation that the node names, with its parameters.
static LogicalResult activate(Definition &D, StringRef X,
                              ArrayRef<double> Parameters) {
  auto Name = D.N.string("activation", "");
  if (failed(Name))
    return failure();
  struct Activation {
    StringLiteral Name;
    SmallVector<StringRef, 3> Attributes;
  };
  static const Activation Known[] = {{"", {}},
                                     {"Relu", {}},
                                     {"Tanh", {}},
                                     {"Sigmoid", {}},
                                     {"Softplus", {}},
                                     {"Softsign", {}},
                                     {"Elu", {"alpha"}},
                                     {"HardSigmoid", {"alpha", "beta"}},
                                     {"LeakyRelu", {"alpha"}},
                                     {"ThresholdedRelu", {"alpha"}}};
  if (*Name == "Clip" && Parameters.size() >= 2) {
    D.write("y = Clip (" + X + ", " + D.realLike(Parameters[0], "a") + ", " +
            D.realLike(Parameters[1], "a") + ")");
    return success();
  }
  const auto *Found = llvm::find_if(
      Known, [&](const Activation &Of) { return Of.Name == *Name; });
  if (Found == std::end(Known))
    return D.error() << "its activation '" << *Name
                     << "' is not supported, or lacks parameters";
  std::string Attributes;
  for (auto [Attribute, Value] : llvm::zip(Found->Attributes, Parameters))
    Attributes +=
        llvm::formatv("{0}{1} : float = {2:e9}", Attributes.empty() ? "" : ", ",
                      Attribute, Value)
            .str();
  D.write("y = " + (Name->empty() ? "Identity" : *Name) +
          (Attributes.empty() ? "" : " <" + Attributes + ">") + " (" + X + ")");
  return success();
}

static LogicalResult defineFusedConv(Definition &D) {
  auto Parameters = D.N.reals("activation_params", {});
  if (failed(Parameters))
    return failure();
  std::string Sum = D.let("Conv" +
                          D.attributes({"auto_pad", "dilations", "group",
                                        "kernel_shape", "pads", "strides"}) +
                          " (a, w, bias)");
  if (D.has("z"))
    Sum = D.let("Add (" + Sum + ", z)");
  return activate(D, Sum, *Parameters);
}

static LogicalResult defineFusedGemm(Definition &D) {
  SmallVector<double> Parameters;
  for (StringRef Name :
       {"activation_alpha", "activation_beta", "activation_gamma"}) {
    auto Value = D.N.real(Name, 0);
    if (failed(Value))
      return failure();
    if (D.N.hasAttribute(Name))
      Parameters.push_back(*Value);
  }
  return activate(D,
                  D.let("Gemm" +
                        D.attributes({"alpha", "beta", "transA", "transB"}) +
                        " (a, b, c)"),
                  Parameters);
}

//===----------------------------------------------------------------------===//
// Of integers
//===----------------------------------------------------------------------===//

/// `Sums` of products, times the scales.
static std::string scaled(Definition &D, StringRef Sums, StringRef First,
                          StringRef Second) {
  std::string Scale = D.let("Mul (" + First + ", " + Second + ")");
  std::string Real = D.let("CastLike (" + Sums + ", " + Scale + ")");
  return D.let("Mul (" + Real + ", " + Scale + ")");
}

static void addBias(Definition &D, StringRef Product) {
  D.write("y = " + (D.has("bias") ? "Add (" + Product + ", bias)"
                                  : "Identity (" + Product + ")"));
}

static LogicalResult defineDynamicQuantizeMatMul(Definition &D) {
  D.write("q, q_scale, q_zero = DynamicQuantizeLinear (a)");
  D.write("sums = MatMulInteger (q, b, q_zero, b_zero)");
  addBias(D, scaled(D, "sums", "q_scale", "b_scale"));
  return success();
}

static LogicalResult defineMatMulIntegerToFloat(Definition &D) {
  D.write("sums = MatMulInteger (a, b, a_zero, b_zero)");
  addBias(D, scaled(D, "sums", "a_scale", "b_scale"));
  return success();
}

/// C is of integers, on the scale of the product.
static LogicalResult defineQGemm(Definition &D) {
  auto A = turned(D, "a", "transA", "");
  auto B = turned(D, "b", "transB", "");
  auto Alpha = D.N.real("alpha", 1);
  if (failed(A) || failed(B) || failed(Alpha))
    return failure();
  std::string Sums =
      D.let("MatMulInteger (" + *A + ", " + *B + ", a_zero, b_zero)");
  if (D.has("c"))
    Sums = D.let("Add (" + Sums + ", c)");
  std::string First = "a_scale";
  if (*Alpha != 1)
    First = D.let("Mul (a_scale, " + D.real(*Alpha) + ")");
  std::string Real = scaled(D, Sums, First, "b_scale");
  if (!D.has("y_scale")) {
    D.write("y = Identity (" + Real + ")");
    return success();
  }
  D.write("y = QuantizeLinear (" + Real + ", y_scale, y_zero)");
  return success();
}

//===----------------------------------------------------------------------===//
// Of packed weights
//===----------------------------------------------------------------------===//

/// The numbers of `Bits` in each byte of `Packed`, along a new last axis, that
/// is joined with the last one: ` x 8 / Bits` of them, lowest first.
static std::string unpacked(Definition &D, StringRef Packed, int64_t Rows,
                            int64_t Bits) {
  std::string Parts;
  std::string Mask = D.let("Constant <value = uint8 {" +
                           llvm::Twine((1 << Bits) - 1) + "}> ()");
  for (int64_t Shift = 0; Shift < 8; Shift += Bits) {
    std::string By =
        D.let("Constant <value = uint8 {" + llvm::Twine(Shift) + "}> ()");
    std::string Moved = D.let("BitShift <direction : string = \"RIGHT\"> (" +
                              Packed + ", " + By + ")");
    std::string Part = D.let("BitwiseAnd (" + Moved + ", " + Mask + ")");
    Parts += (Shift ? ", " : "") +
             D.let("Unsqueeze (" + Part + ", " + D.integers({-1}) + ")");
  }
  std::string All = D.let("Concat <axis : int = -1> (" + Parts + ")");
  return D.let("Reshape (" + All + ", " + D.integers({Rows, -1}) + ")");
}

/// Weights N x K in blocks along K, each with its scale and zero point.
static LogicalResult defineMatMulNBits(Definition &D) {
  auto K = D.N.integer("K", 0), N = D.N.integer("N", 0);
  auto Bits = D.N.integer("bits", 4), Block = D.N.integer("block_size", 0);
  if (failed(K) || failed(N) || failed(Bits) || failed(Block) ||
      failed(D.refuse({"g_idx"})))
    return failure();
  if (*K < 1 || *N < 1 || *Block < 1 ||
      (*Bits != 2 && *Bits != 4 && *Bits != 8))
    return D.error() << "K is " << *K << ", N " << *N << ", block_size "
                     << *Block << ", bits " << *Bits
                     << ": expected positive numbers and 2, 4 or 8 bits";
  int64_t Blocks = llvm::divideCeil(*K, *Block);
  std::string InBlocks = D.integers({*N, Blocks, -1});
  std::string Numbers =
      D.let("CastLike (" + unpacked(D, "b", *N, *Bits) + ", a)");
  std::string Weights = D.let("Reshape (" + Numbers + ", " + InBlocks + ")");
  std::string Zero = D.realLike(1 << (*Bits - 1), "a");
  if (D.has("zeros")) {
    RankedTensorType Type = D.type("zeros");
    bool IsPacked = Type && Type.getElementType().isUnsignedInteger(8);
    std::string Given = "zeros";
    if (IsPacked)
      Given = D.let("Slice (" + unpacked(D, "zeros", *N, *Bits) + ", " +
                    D.integers({0}) + ", " + D.integers({Blocks}) + ", " +
                    D.integers({1}) + ")");
    Zero = D.let("Reshape (" + D.let("CastLike (" + Given + ", a)") + ", " +
                 D.integers({*N, Blocks, 1}) + ")");
  }
  std::string Scales =
      D.let("Reshape (scales, " + D.integers({*N, Blocks, 1}) + ")");
  std::string Centred = D.let("Sub (" + Weights + ", " + Zero + ")");
  std::string Real = D.let("Mul (" + Centred + ", " + Scales + ")");
  std::string Rows =
      D.let("Reshape (" + Real + ", " + D.integers({*N, -1}) + ")");
  std::string Cut = D.let("Slice (" + Rows + ", " + D.integers({0}) + ", " +
                          D.integers({*K}) + ", " + D.integers({1}) + ")");
  std::string Columns = D.let("Transpose <perm : ints = [1, 0]> (" + Cut + ")");
  addBias(D, D.let("MatMul (a, " + Columns + ")"));
  return success();
}

ArrayRef<DefinedOperator> tenon::frontend::productDefinitions() {
  static constexpr DefinedOperator Table[] = {
      {"com.microsoft", "DynamicQuantizeMatMul", "a b b_scale b_zero bias", "y",
       defineDynamicQuantizeMatMul},
      {"com.microsoft", "FusedConv", "a w bias z", "y", defineFusedConv},
      {"com.microsoft", "FusedGemm", "a b c", "y", defineFusedGemm},
      {"com.microsoft", "FusedMatMul", "a b", "y", defineFusedMatMul},
      {"com.microsoft", "MatMulIntegerToFloat",
       "a b a_scale b_scale a_zero b_zero bias", "y",
       defineMatMulIntegerToFloat},
      {"com.microsoft", "MatMulNBits", "a b scales zeros g_idx bias", "y",
       defineMatMulNBits},
      {"com.microsoft", "QGemm",
       "a a_scale a_zero b b_scale b_zero c y_scale y_zero", "y", defineQGemm},
      {"com.microsoft", "TransposeMatMul", "a b", "y", defineFusedMatMul},
  };
  return Table;
}
