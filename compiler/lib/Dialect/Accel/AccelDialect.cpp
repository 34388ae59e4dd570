//===- AccelDialect.cpp - The accelerator dialect -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/Accel/Accel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tenon::accel;

#include "tenon/Dialect/Accel/AccelDialect.cpp.inc"
#include "tenon/Dialect/Accel/AccelEnums.cpp.inc"

#include "tenon/Dialect/Accel/AccelInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tenon/Dialect/Accel/AccelAttributes.cpp.inc"

LogicalResult LayerAttr::verify(
    llvm::function_ref<InFlightDiagnostic()> EmitError, ReductionKind Kind,
    ArrayRef<int64_t> Input, ArrayRef<int64_t> Result, ArrayRef<int64_t> Kernel,
    ArrayRef<int64_t> Stride, ArrayRef<int64_t> Dilation, ArrayRef<int64_t> Pad,
    bool Residual, bool Uniform, int64_t Groups, bool WeightSums, bool Spread,
    bool RepeatsEdge) {
  auto Check = [&](StringRef Name, ArrayRef<int64_t> Values, size_t Count,
                   int64_t Least) -> LogicalResult {
    if (Values.size() == Count &&
        llvm::all_of(Values, [&](int64_t V) { return V >= Least; }))
      return success();
    return EmitError() << "layer: expected " << Count << " numbers of at least "
                       << Least << " as " << Name << ", found [" << Values
                       << "]";
  };
  if (failed(Check("input", Input, 4, 1)) ||
      failed(Check("result", Result, 4, 1)) ||
      failed(Check("kernel", Kernel, 2, 1)) ||
      failed(Check("stride", Stride, 2, 1)) ||
      failed(Check("dilation", Dilation, 2, 1)) ||
      failed(Check("pad", Pad, 4, 0)))
    return failure();
  bool Divides =
      Groups > 0 && Input[3] % Groups == 0 && Result[3] % Groups == 0;
  if (!Divides || (Groups > 1 && Kind != ReductionKind::Contract))
    return EmitError() << "layer: expected a contraction's groups to divide "
                       << Input[3] << " input and " << Result[3]
                       << " output channels, found " << Groups;
  bool IsProduct = Kind == ReductionKind::Product;
  if (WeightSums && !IsProduct)
    return EmitError() << "layer: expected weight_sums with a product alone";
  if (Spread && !Residual)
    return EmitError() << "layer: expected spread with a residual alone";
  if (Kind == ReductionKind::Multiply && Input != Result)
    return EmitError() << "layer: expected an input of the result's shape with "
                          "multiply";
  auto AreOnes = [](ArrayRef<int64_t> Values) {
    return llvm::all_of(Values, [](int64_t V) { return V == 1; });
  };
  if (IsProduct &&
      (Residual || Input[0] != 1 ||
       Input.take_front(3) != Result.take_front(3) || !AreOnes(Kernel) ||
       !AreOnes(Stride) || llvm::any_of(Pad, [](int64_t P) { return P != 0; })))
    return EmitError() << "layer: expected a product of one image, rows and "
                          "columns as in its result, without window, padding "
                          "and residual";
  return success();
}

LogicalResult
ScheduleAttr::verify(llvm::function_ref<InFlightDiagnostic()> EmitError,
                     uint32_t Rows, uint32_t Cols, uint32_t Blocks,
                     uint32_t Reduction, uint32_t KernelRows, bool,
                     uint32_t Threads, TileAxis, uint32_t) {
  const std::pair<StringRef, uint32_t> Counts[] = {{"rows", Rows},
                                                   {"cols", Cols},
                                                   {"blocks", Blocks},
                                                   {"reduction", Reduction},
                                                   {"kernel_rows", KernelRows},
                                                   {"threads", Threads}};
  for (auto [Name, Count] : Counts)
    if (Count == 0)
      return EmitError() << "schedule: expected at least 1 as " << Name
                         << ", found 0";
  return success();
}

LogicalResult ProblemOp::verify() {
  size_t Layers = getLayers().size(), Schedules = getSchedules().size();
  if (Layers < 1 || Layers > 2)
    return emitOpError("expected one or two layers, found ") << Layers;
  if (Schedules && Schedules != Layers)
    return emitOpError("expected a schedule for each of ")
           << Layers << " layers or none, found " << Schedules;
  return success();
}

void AccelDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tenon/Dialect/Accel/AccelAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tenon/Dialect/Accel/AccelOps.cpp.inc"
      >();
}
