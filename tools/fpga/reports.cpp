//===- tools/fpga/reports.cpp - What the tools say ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/reports.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "google/protobuf/util/json_util.h"

#include <algorithm>
#include <optional>
#include <regex>

namespace tenon::fpga {
namespace {

template <typename Message>
absl::StatusOr<Message> parseJson(absl::string_view json,
                                  absl::string_view what) {
  Message message;
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  auto status = google::protobuf::util::JsonStringToMessage(
      {json.data(), json.size()}, &message, options);
  if (!status.ok())
    return absl::InternalError(absl::StrCat(
        what, " is not the JSON that was expected: ",
        absl::string_view(status.message().data(), status.message().size())));
  return message;
}

double sumOf(const std::map<std::string, double> &cells, const char *pattern) {
  const std::regex matcher(pattern);
  double sum = 0;
  for (const auto &[type, count] : cells)
    if (std::regex_match(type, matcher))
      sum += count;
  return sum;
}

Resources make(double lut, double ff, double dsp, double ram) {
  Resources resources;
  resources.set_lut(lut);
  resources.set_ff(ff);
  resources.set_dsp(dsp);
  resources.set_ram(ram);
  return resources;
}

void addOver(std::vector<Shortfall> &list, const char *resource, double used,
             double available) {
  if (available <= 0 || used <= available)
    return;
  Shortfall &entry = list.emplace_back();
  entry.set_resource(resource);
  entry.set_used(used);
  entry.set_available(available);
}

// Primitives whose names synthesis puts into the names it makes up:
// NET_PRIMITIVE_PORT[_NUMBER], repeated.
const std::regex &primitiveInName() {
  static const std::regex matcher(
      "_(TRELLIS_FF|TRELLIS_DPR16X4|TRELLIS_COMB|DP16KD|PDPW16KD|MULT18X18D|"
      "MULT9X9D|CCU2C|PFUMX|L6MUX21|DFF[A-Z]*|ALU|LUT[1-8]|MUX2_LUT[5-8]|"
      "MULT9X9|MULT18X18|MULT36X36|SDPB|SDPX9B|DPB|DPX9B|RAM16SDP4|INV|SB_LUT4|"
      "SB_DFF[A-Z]*|SB_CARRY|SB_MAC16|SB_RAM40_4K|SB_SPRAM256KA|LC|DFFLC)"
      "(?=_|$)");
  return matcher;
}

// The primitive a cell is, by the name that synthesis gave it.
std::string primitiveOf(const std::string &cell) {
  std::string last;
  for (std::sregex_iterator it(cell.begin(), cell.end(), primitiveInName()),
       end;
       it != end; ++it)
    if ((*it)[1] != "LC" || last.empty())
      last = (*it)[1];
  // A memory's blocks are numbered by row and column.
  static const std::regex block(".*\\.\\d+\\.\\d+");
  if (last.empty() && std::regex_match(cell, block))
    return "RAM";
  return last;
}

std::string kindOf(const std::string &type) {
  if (type == "clk-to-q")
    return "clock to output";
  return type == "routing" ? "wire" : type;
}

std::vector<Hop> hopsOf(const NextpnrReport::Path &path) {
  std::vector<Hop> hops;
  double at = 0;
  for (const NextpnrReport::Segment &segment : path.path()) {
    at += segment.delay();
    bool isWire = segment.type() == "routing";
    if (isWire && segment.delay() == 0) // a carry to the next of its chain
      continue;
    Hop hop;
    hop.set_name(designName(isWire ? segment.net() : segment.from().cell()));
    hop.set_kind(kindOf(segment.type()));
    if (!isWire)
      hop.set_cell(primitiveOf(segment.from().cell()));
    hop.set_delay_ns(segment.delay());
    // A carry chain is one hop.
    if (!hops.empty() && !isWire && segment.type() != "setup" &&
        hops.back().kind() == hop.kind() && hops.back().cell() == hop.cell()) {
      hop.set_delay_ns(hop.delay_ns() + hops.back().delay_ns());
      hops.pop_back();
    }
    hop.set_at_ns(at);
    hops.push_back(hop);
  }
  return hops;
}

} // namespace

absl::StatusOr<std::map<std::string, double>>
parseStatistics(absl::string_view json) {
  auto statistics = parseJson<YosysStatistics>(json, "Yosys' statistics");
  if (!statistics.ok())
    return statistics.status();
  if (!statistics->has_design())
    return absl::InternalError("Yosys' statistics have no entry 'design'");
  const auto &cells = statistics->design().num_cells_by_type();
  return std::map<std::string, double>(cells.begin(), cells.end());
}

Resources resourcesOf(Board::Family family,
                      const std::map<std::string, double> &cells) {
  auto sum = [&](const char *pattern) { return sumOf(cells, pattern); };
  switch (family) {
  case Board::ECP5:
    // A carry cell takes two LUTs, a 16x4 RAM four and two of its write port.
    return make(sum("LUT4") + 2 * sum("CCU2C") + 6 * sum("TRELLIS_DPR16X4"),
                sum("TRELLIS_FF"), sum("MULT18X18D") + sum("MULT9X9D") / 2,
                sum("DP16KD|PDPW16KD"));
  case Board::GOWIN:
    return make(sum("LUT[1-4]|INV|ALU") + 4 * sum("RAM16S(DP)?4"),
                sum("DFF[A-Z]*"),
                sum("MULT9X9") + 2 * sum("MULT18X18") + 8 * sum("MULT36X36"),
                sum("(SDP|DP|SP|pROM)(X9)?B?"));
  case Board::ICE40:
    return make(sum("SB_LUT4"), sum("SB_DFF[A-Z]*"), sum("SB_MAC16"),
                sum("SB_RAM40_4K[A-Z]*"));
  default:
    return {};
  }
}

std::vector<Inferred> groupInferred(absl::string_view lines) {
  static const std::regex index("\\[\\d+\\]"), block("(\\.\\d+)+$");
  std::map<std::pair<std::string, std::string>, double> groups;
  for (absl::string_view line :
       absl::StrSplit(lines, '\n', absl::SkipWhitespace())) {
    std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(' ', 1));
    std::string name = parts.first.substr(parts.first.find('/') + 1);
    // A memory keeps its name; anything else is named after some net, so that
    // only the module is meant.
    bool isMemory = std::regex_search(name, block);
    name = std::regex_replace(name, block, "");
    if (size_t dot = name.rfind('.'); !isMemory && dot != std::string::npos)
      name = name.substr(0, dot);
    ++groups[{std::regex_replace(name, index, "[*]"), parts.second}];
  }
  std::vector<Inferred> result;
  for (const auto &[key, count] : groups) {
    Inferred &entry = result.emplace_back();
    entry.set_name(key.first);
    entry.set_primitive(key.second);
    entry.set_count(count);
  }
  return result;
}

absl::StatusOr<NextpnrReport> parseNextpnrReport(absl::string_view json) {
  return parseJson<NextpnrReport>(json, "nextpnr's report");
}

Resources usedResources(Board::Family family, const NextpnrReport &report) {
  auto used = [&](const char *name) {
    auto it = report.utilization().find(name);
    return it == report.utilization().end() ? 0.0 : it->second.used();
  };
  switch (family) {
  case Board::ECP5:
    return make(used("TRELLIS_COMB"), used("TRELLIS_FF"), used("MULT18X18D"),
                used("DP16KD"));
  case Board::GOWIN: // carries and RAMs are among its LUTs
    return make(used("LUT4"), used("DFF"),
                used("MULT9X9") + 2 * used("MULT18X18") + 8 * used("MULT36X36"),
                used("BSRAM"));
  case Board::ICE40: // a cell has a LUT and a flip-flop
    return make(used("ICESTORM_LC"), 0, used("ICESTORM_DSP"),
                used("ICESTORM_RAM"));
  default:
    return {};
  }
}

double slackOf(const Clock &clock) {
  return clock.fmax_mhz() > 0 && clock.target_mhz() > 0
             ? 1e3 / clock.target_mhz() - 1e3 / clock.fmax_mhz()
             : 0;
}

std::vector<Clock> clocksOf(const NextpnrReport &report) {
  std::vector<Clock> clocks;
  for (const auto &[net, frequency] : report.fmax()) {
    Clock &clock = clocks.emplace_back();
    clock.set_name(designName(net));
    clock.set_fmax_mhz(frequency.achieved());
    clock.set_target_mhz(frequency.constraint());
    for (const NextpnrReport::Path &path : report.critical_paths())
      if (path.from() == path.to() && absl::EndsWith(path.to(), " " + net))
        for (Hop &hop : hopsOf(path))
          *clock.add_critical_path() = std::move(hop);
  }
  std::sort(clocks.begin(), clocks.end(), [](const Clock &a, const Clock &b) {
    return std::make_pair(slackOf(a), a.name()) <
           std::make_pair(slackOf(b), b.name());
  });
  return clocks;
}

std::vector<Shortfall> overusedIn(absl::string_view log) {
  static const std::regex row("Info:\\s+(\\S+):\\s*(\\d+)/\\s*(\\d+)\\s+\\d+%");
  std::vector<Shortfall> over;
  for (const std::string &line :
       std::vector<std::string>(absl::StrSplit(log, '\n'))) {
    std::smatch match;
    double used = 0, available = 0;
    if (line.size() < 200 && std::regex_match(line, match, row) &&
        absl::SimpleAtod(match[2].str(), &used) &&
        absl::SimpleAtod(match[3].str(), &available))
      addOver(over, match[1].str().c_str(), used, available);
  }
  return over;
}

std::optional<Shortfall> gowinSitesIn(absl::string_view log) {
  const std::string text(log);
  auto numbers = [&](const char *pattern) {
    std::vector<double> found;
    std::smatch match;
    if (std::regex_search(text, match, std::regex(pattern)))
      for (size_t i = 1; i < match.size(); ++i)
        found.push_back(std::stod(match[i]));
    return found;
  };
  auto luts = numbers("\\sLUT4:\\s*(\\d+)/\\s*(\\d+)"),
       flipFlops = numbers("\\sDFF:\\s*(\\d+)/"),
       rams = numbers("\\sRAM16SDP4:\\s*(\\d+)/"),
       pairs = numbers("Constrained (\\d+) LUTFF pairs");
  if (luts.empty() || flipFlops.empty() || rams.empty() || pairs.empty())
    return std::nullopt;
  Shortfall sites;
  sites.set_resource("logic sites");
  // Of a RAM's block, eight sites are among the LUTs already and six flip-flops
  // that must stay empty among the flip-flops.
  sites.set_used(luts[0] + flipFlops[0] - 6 * rams[0] - pairs[0]);
  sites.set_available(luts[1]);
  return sites;
}

std::string errorsIn(absl::string_view log) {
  std::vector<std::string> errors;
  for (absl::string_view line : absl::StrSplit(log, '\n'))
    if (absl::ConsumePrefix(&line, "ERROR: "))
      errors.emplace_back(line);
  return absl::StrJoin(errors, "\n");
}

std::vector<Shortfall> shortfallOf(const Resources &used,
                                   const Resources &available) {
  std::vector<Shortfall> list;
  addOver(list, "LUT", used.lut(), available.lut());
  addOver(list, "FF", used.ff(), available.ff());
  addOver(list, "DSP", used.dsp(), available.dsp());
  addOver(list, "RAM", used.ram(), available.ram());
  return list;
}

std::string designName(absl::string_view cell) {
  absl::ConsumePrefix(&cell, "$glbnet$");
  absl::ConsumePrefix(&cell, "$iopadmap$");
  std::string name(cell);
  std::smatch match;
  if (std::regex_search(name, match, primitiveInName()))
    name = name.substr(0, match.position(0));
  // Row and column of a memory's block.
  static const std::regex block("(\\.\\d+)+$");
  name = std::regex_replace(name, block, "");
  // What is left of a '$' is the design's, if anything is.
  if (size_t dollar = name.find('$'); dollar != std::string::npos && dollar > 0)
    name = name.substr(0, dollar);
  return name;
}

} // namespace tenon::fpga
