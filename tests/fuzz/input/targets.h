// Part of Tenon, under the Apache License v2.0.
//
// All targets by name, for programs that hold them all.

#ifndef TENON_TESTS_FUZZ_INPUT_TARGETS_H
#define TENON_TESTS_FUZZ_INPUT_TARGETS_H

#include "tests/fuzz/input/target.h"

#include <vector>

namespace tenon::fuzz {

struct Target {
  const char *name;
  Parse *parse;
  /// Files of the tree that it reads, besides seeds/NAME and kept/NAME;
  /// folders and endings, e.g. {"tests/programs", ".tasm"}.
  std::vector<std::pair<const char *, const char *>> shared;
};

inline std::vector<Target> targets() {
  return {{"array", array, {}},
          {"assembly",
           assembly,
           {{"tests/programs", ".tasm"},
            {"tests/unit/verifier/programs", ".tasm"}}},
          {"board", board, {{"hw/boards", ".textproto"}}},
          {"configuration", configuration, {{"isa/config", ".textproto"}}},
          {"frames", frames, {}},
          {"json", json, {{"tests/fpga/flow/fixtures", ".json"}}},
          {"network", network, {{"tests/conformance/graphs", ".onnx"}}},
          {"onnx", onnx, {{"tests/conformance/graphs", ".onnx"}}},
          {"picture", picture, {{"examples/resnet8/pictures", ".png"}}},
          {"program", program, {}},
          {"tensor", tensor, {{"tests/conformance/graphs", ".pb"}}},
          {"tosa", tosa, {}},
          {"trace", trace, {}}};
}

} // namespace tenon::fuzz

#endif // TENON_TESTS_FUZZ_INPUT_TARGETS_H
