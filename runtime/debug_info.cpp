//===- runtime/debug_info.cpp - From DRAM and instructions to names -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/debug_info.h"

#include "isa/program.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tenon::runtime {

std::string nameAt(const isa::Program &program, const isa::Layout &layout,
                   uint64_t offset) {
  std::vector<std::string> names;
  for (const isa::DramTensor &tensor : program.tensors())
    if (offset - tensor.offset() < isa::dramBytes(layout, tensor))
      names.push_back(absl::StrCat("tensor '", tensor.name(), "'"));
  for (const isa::Segment &segment : program.segments())
    if (offset - segment.offset() < segment.data().size())
      names.push_back(absl::StrCat("segment '", segment.name(), "'"));
  // Regions are used again.
  constexpr size_t most = 3;
  if (names.size() > most) {
    names.resize(most);
    names.push_back("others");
  }
  return absl::StrJoin(names, " or ");
}

sim::LayerRuns layerRuns(const isa::Program &program,
                         const std::array<uint64_t, sim::numEngines> &retired) {
  sim::LayerRuns runs;
  runs.layers = program.debug().layers_size();
  int engines = std::min<int>(program.debug().engines_size(), sim::numEngines);
  for (int e = 0; e < engines; ++e)
    for (const isa::Run &run : program.debug().engines(e).runs()) {
      // Runs of earlier launches fold into the first instruction; the last of
      // them is replaced by the one that begins there.
      uint64_t begin = run.begin() > retired[e] ? run.begin() - retired[e] : 0;
      if (begin == 0)
        runs.engines[e].clear();
      runs.engines[e].push_back({begin, run.layer()});
    }
  return runs;
}

} // namespace tenon::runtime
