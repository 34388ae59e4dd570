// Part of Tenon, under the Apache License v2.0.
//
// Consistency of the specification: what the generated code relies on.

#include "isa/generator/check.h"

#include "fmt/format.h"

#include <set>

namespace tenon::isa {
namespace {

constexpr int maxFields = 32;

class Checker {
public:
  explicit Checker(const spec::Specification &spec) : spec(spec) {}

  std::vector<std::string> run() {
    for (const spec::Enumeration &e : spec.enumerations())
      checkEnumeration(e);
    checkNames("engine", spec.engines());
    checkNames("memory", spec.memories());
    for (const spec::Channel &c : spec.channels())
      if (!engines().count(c.from()) || !engines().count(c.to()))
        findings.push_back(
            fmt::format("channel {}-{}: no such engine", c.from(), c.to()));
    checkFormats();
    checkRegisters();
    return findings;
  }

private:
  std::set<std::string> engines() const {
    std::set<std::string> result;
    for (const spec::Engine &e : spec.engines())
      result.insert(e.name());
    return result;
  }

  const spec::Enumeration *find(const std::string &name) const {
    for (const spec::Enumeration &e : spec.enumerations())
      if (e.name() == name)
        return &e;
    return nullptr;
  }

  /// Numbers count from 0: tables are indexed by them.
  void checkEnumeration(const spec::Enumeration &e) {
    if (e.values().empty())
      findings.push_back(fmt::format("enumeration {} is empty", e.name()));
    for (int i = 0; i < e.values_size(); ++i)
      if (e.values(i).number() != uint32_t(i))
        findings.push_back(
            fmt::format("enumeration {}: {} has number {}, not {}", e.name(),
                        e.values(i).name(), e.values(i).number(), i));
  }

  /// The list of engines (memories) and the enumeration of them agree.
  template <typename List>
  void checkNames(const std::string &name, const List &list) {
    const spec::Enumeration *e = find(name);
    bool equal = e && e->values_size() == list.size();
    for (int i = 0; equal && i < list.size(); ++i)
      equal = list.Get(i).name() == e->values(i).name();
    if (!equal)
      findings.push_back(fmt::format(
          "enumeration {} does not list the same names as the {} list", name,
          name));
  }

  void checkFormats() {
    for (int i = 0; i < spec.formats_size(); ++i) {
      const spec::Format &f = spec.formats(i);
      if (f.opcode() != uint32_t(i))
        findings.push_back(fmt::format("format {} has opcode {}, not {}",
                                       f.name(), f.opcode(), i));
      if (f.fields().empty() || f.fields(0).name() != "opcode" ||
          f.fields(0).width() != spec.formats(0).fields(0).width())
        findings.push_back(fmt::format(
            "format {} does not begin with the common field opcode", f.name()));
      if (f.fields_size() > maxFields)
        findings.push_back(
            fmt::format("format {} has {} fields, at most {} are supported",
                        f.name(), f.fields_size(), maxFields));
      for (const spec::Field &field : f.fields())
        if (!field.enumeration().empty() && !find(field.enumeration()))
          findings.push_back(fmt::format("{}.{}: no enumeration {}", f.name(),
                                         field.name(), field.enumeration()));
    }
    for (const spec::Format &f : spec.micro_ops())
      if (f.fields_size() != 3 || f.fields(0).name() != "dst" ||
          f.fields(1).name() != "src" || f.fields(2).name() != "third")
        findings.push_back(
            fmt::format("micro-op {} is not dst, src, third", f.name()));
    if (spec.micro_ops_size() != 2)
      findings.push_back(
          "there must be two micro-op formats: GEMM's and ALU's");
  }

  void checkRegisters() {
    std::set<std::pair<std::string, uint32_t>> seen;
    for (const spec::Register &reg : spec.registers())
      if (!engines().count(reg.engine()) || reg.number() == 0 ||
          reg.number() > 15 ||
          !seen.insert({reg.engine(), reg.number()}).second)
        findings.push_back(
            fmt::format("register {} {}: number {} is taken or not in 1..15, "
                        "or the engine does not exist",
                        reg.engine(), reg.name(), reg.number()));
  }

  const spec::Specification &spec;
  std::vector<std::string> findings;
};

} // namespace

std::vector<std::string> checkSpecification(const spec::Specification &spec) {
  return Checker(spec).run();
}

} // namespace tenon::isa
