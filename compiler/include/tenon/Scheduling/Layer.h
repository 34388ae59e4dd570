//===- Layer.h - One layer as the scheduler sees it -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A contraction or window reduction with its shapes, parameters and the places
// of its tensors in DRAM. Free of MLIR, so that schedules, cost model and
// lowering can be tested with hand-made layers.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_LAYER_H
#define TENON_SCHEDULING_LAYER_H

#include "isa/blocked_layout.h"
#include "isa/isa.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::scheduling {

inline uint32_t ceilDiv(uint64_t A, uint64_t B) { return (A + B - 1) / B; }

/// An int8 activation tensor (or a channel slice of one) in blocked DRAM
/// layout. Offsets are bytes from the DRAM base.
struct TensorView {
  uint64_t Offset = 0;
  uint64_t GroupBytes = 0; ///< distance of groups of BATCH images
  /// Distances of blocks, of rows and of pixels where they are not those of the
  /// shape; 0.
  uint64_t PlaneBytes = 0, RowBytes = 0, PixelBytes = 0;
  int64_t N = 1, H = 1, W = 1, C = 1;
};

/// What is accumulated: contraction over channels with constant weights, a
/// window of each channel by itself, matrix products of two activations, or
/// products of two elements.
enum class Reduction { Contract, Mac, Sum, Average, Max, Product, Multiply };

struct Layer {
  // Where it comes from.
  std::string Name;
  std::string OpName;
  std::string Tensor; ///< ONNX name of the result, or empty
  std::vector<std::string> Nodes;
  uint64_t Macs = 0; ///< of the network's operator, 0: computed from shapes

  Reduction Kind = Reduction::Contract;
  TensorView In, Out, Residual;
  /// A second activation, which is added, or what Multiply multiplies by; as
  /// large as the result, or one pixel of each image for all of them.
  bool HasResidual = false;
  /// Of a product, whose row y is a matrix In[y] of W x C: the transposed right
  /// operands, row y Out.C x In.C, so that Out[y] = In[y] *
  /// ComputedWeights[y]^T. Where In.C is no multiple of BLOCK_IN the lanes
  /// behind it are 0 in `In`, or WeightZp in these.
  TensorView ComputedWeights;

  /// Of a contraction: channels are in so many groups, output channels of one
  /// are made of its input channels alone. As many as there are input channels:
  /// a depthwise convolution with a multiplier.
  int64_t Groups = 1;
  int64_t groupIn() const { return In.C / Groups; }
  int64_t groupOut() const { return Out.C / Groups; }

  int64_t KH = 1, KW = 1, SY = 1, SX = 1, DY = 1, DX = 1;
  int64_t Top = 0, Bottom = 0, Left = 0, Right = 0;
  /// Of Mac: padding is the nearest element of the input, not its zero point.
  bool RepeatsEdge = false;

  int32_t InputZp = 0;
  int32_t WeightZp = 0; ///< of weights, computed or not, of taps or factors
  int32_t Factor = 0;   ///< what Multiply multiplies by, without a residual
  int32_t OutputZp = 0, ClampMin = -128, ClampMax = 127;

  // Residual addition; see #accel.add.
  int32_t AddendMin = -128, AddendMax = 127;
  int32_t AddendScale = 0, OperandScale = 0, AddShift = 2, OperandZp = 0;

  std::vector<int8_t> Weights;     ///< O,KH,KW,groupIn or (Mac) KH,KW,C
  std::vector<int32_t> Bias;       ///< per output channel, or empty: 0
  std::vector<int32_t> Multiplier; ///< per output channel, or empty
  std::vector<int8_t> Shift;       ///< per output channel, or empty

  bool isProduct() const { return Kind == Reduction::Product; }
  /// Computed by GEMM, from weights in WGT.
  bool isContract() const { return Kind == Reduction::Contract || isProduct(); }
  /// GEMM multiplies the input as it is, not minus its zero point. That part of
  /// the sum is known to no compiler: GEMM computes it, ALU subtracts it.
  bool needsWeightSums() const { return isProduct() && InputZp != 0; }
  /// Sets of weights: each row of a product has its own.
  int64_t weightSets() const { return isProduct() ? Out.H : 1; }
  bool multiplies() const { return Kind == Reduction::Multiply; }
  bool adds() const { return HasResidual && !multiplies(); }
  /// The second activation is one pixel for all of an image.
  bool isSpread() const {
    return HasResidual && Residual.H * Residual.W < Out.H * Out.W;
  }
  /// The part of a tile's accumulators that is subtracted from all pixels, or
  /// multiplies them, is one pixel.
  bool hasSmallOperand() const {
    return needsWeightSums() || (multiplies() && isSpread());
  }
  bool isPointwise() const { return KH == 1 && KW == 1; }
  /// The window holds one element, and no constant multiplies it: what is
  /// loaded is requantised where it lies.
  bool isCopy() const {
    return isPointwise() && !isContract() && Kind != Reduction::Mac;
  }
  /// Elements of the window inside the input, at output row (column) I.
  uint32_t rowCount(uint32_t I) const {
    return countInside(I, SY, DY, Top, KH, In.H);
  }
  uint32_t colCount(uint32_t I) const {
    return countInside(I, SX, DX, Left, KW, In.W);
  }
  /// The different numbers of elements inside, ascending, none of them 0.
  std::vector<uint32_t> windowCounts() const;

  /// Requantised with the same numbers in all channels.
  bool hasUniformParameters() const {
    return Multiplier.empty() && Bias.empty();
  }

private:
  static uint32_t countInside(int64_t I, int64_t Stride, int64_t Dilation,
                              int64_t Pad, int64_t Taps, int64_t Extent);
};

/// The blocked layout of whole tensors, and addresses in views of them.
class ViewLayout : public isa::BlockedLayout {
public:
  explicit ViewLayout(const isa::Layout &L) : BlockedLayout(L), L(L) {}

  using BlockedLayout::pixelBytes;
  uint64_t pixelBytes(const TensorView &T) const {
    return T.PixelBytes ? T.PixelBytes : pixelBytes();
  }
  uint64_t planeBytes(const TensorView &T) const {
    return T.PlaneBytes ? T.PlaneBytes : BlockedLayout::planeBytes(T.H, T.W);
  }
  uint64_t rowBytes(const TensorView &T) const {
    return T.RowBytes ? T.RowBytes : T.W * pixelBytes(T);
  }
  /// Whether rows of a block lie one behind the other.
  bool hasDenseRows(const TensorView &T) const {
    return rowBytes(T) == T.W * pixelBytes(T);
  }
  uint32_t groups(const TensorView &T) const {
    return BlockedLayout::groups(T.N);
  }
  uint32_t dramBlocks(const TensorView &T) const { return blocks(T.C); }
  /// Bytes of a whole tensor that is not a slice.
  uint64_t groupBytes(const TensorView &T) const {
    return BlockedLayout::groupBytes(T.H, T.W, T.C);
  }
  uint64_t tensorBytes(const TensorView &T) const {
    return BlockedLayout::tensorBytes(T.N, T.H, T.W, T.C);
  }
  /// Of a tensor that products read as weights: bytes behind it that belong to
  /// the last element of WGT, whose rows need not all be there.
  uint64_t bytesBehindWeights(const TensorView &T) const {
    uint32_t Rows = L.config.block_out();
    return (ceilDiv(T.W, Rows) * uint64_t(Rows) - T.W) * pixelBytes();
  }
  /// Byte offset of piece `Piece` (of `Block` channels) of a pixel.
  uint64_t address(const TensorView &T, uint32_t Group, uint32_t Piece,
                   uint32_t Block, int64_t Y, int64_t X) const {
    uint32_t PerBlock = L.blockMax / Block;
    return T.Offset + Group * T.GroupBytes +
           (Piece / PerBlock) * planeBytes(T) + Y * rowBytes(T) +
           X * pixelBytes(T) +
           withinPixel(0, uint64_t(Piece % PerBlock) * Block);
  }

private:
  const isa::Layout &L;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_LAYER_H
