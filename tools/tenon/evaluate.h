//===- tools/tenon/evaluate.h - A network and its integers ------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_EVALUATE_H
#define TENON_TOOLS_TENON_EVALUATE_H

#include "tools/quantization_page/quantize.pb.h"
#include "tools/tenon/host_network.h"
#include "tools/tenon/progress.h"
#include "tools/tenon/samples.h"

#include "compiler/driver/quantize.h"

namespace tenon::tools {

/// Samples that could not be read, and how many were run.
struct Counted {
  unsigned samples = 0, unreadable = 0;
  std::string firstUnreadable; // why
};

/// Runs the watched float network of `quantizer`, which has `outputs` of its
/// own, on every sample, and lets it learn.
absl::StatusOr<Counted> calibrate(HostNetwork &network, const SamplePart &part,
                                  int outputs, compiler::Quantizer &quantizer,
                                  Progress &progress);

/// Counts the answers of one item, the largest of each of two outputs.
void countAnswers(const Item &item, const runtime::Array &real,
                  const runtime::Array &integer, Accuracy &accuracy);

/// What the integers of a network lose.
struct Evaluation {
  Counted counted;
  Accuracy accuracy;
  std::vector<quantization::Noise> noise; // of each watched tensor
};

/// Runs both networks, which have the same watched tensors behind their
/// `outputs`, on every sample that can be read; there may be none.
absl::StatusOr<Evaluation> evaluate(HostNetwork &real, HostNetwork &integer,
                                    const SamplePart &part, int outputs,
                                    Progress &progress);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_EVALUATE_H
