//===- Parameters.cpp - Scale and zero point ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/Parameters.h"
#include "tenon/Quantization/Precision.h"
#include <algorithm>
#include <cmath>

using namespace tenon::quantization;

int32_t Parameters::quantize(float Value) const {
  double Steps = std::nearbyint(Value / Scale) + double(ZeroPoint);
  return int32_t(std::clamp(Steps, double(least()), double(most())));
}

static float scaleOf(double Width, const Scheme &How) {
  double Scale = std::max(Width, double(std::numeric_limits<float>::min()));
  if (How.PowerOfTwo)
    Scale = std::exp2(std::ceil(std::log2(Scale) - 1e-9));
  return float(Scale);
}

Parameters tenon::quantization::parametersOf(Range Of, const Scheme &How) {
  Parameters Result;
  Result.Bits = How.Bits;
  Of.include(0);
  if (Of.Low == 0 && Of.High == 0)
    return Result;
  if (How.Symmetric) {
    Result.Scale = scaleOf(std::max(-Of.Low, Of.High) / Result.most(), How);
    return Result;
  }
  Result.Scale =
      scaleOf((Of.High - Of.Low) / (Result.most() - Result.least()), How);
  double Zero = std::nearbyint(Result.least() - Of.Low / Result.Scale);
  Result.ZeroPoint =
      int32_t(std::clamp(Zero, double(Result.least()), double(Result.most())));
  return Result;
}

const char *tenon::quantization::nameOf(Method Of) {
  switch (Of) {
  case Method::MinMax:
    return "minmax";
  case Method::Percentile:
    return "percentile";
  case Method::Entropy:
    return "entropy";
  case Method::Mse:
    return "mse";
  }
  return "";
}

const char *tenon::quantization::nameOf(Precision Of) {
  switch (Of) {
  case Precision::Int8:
    return "int8";
  case Precision::Int16:
    return "int16";
  case Precision::Float:
    return "float";
  }
  return "";
}
