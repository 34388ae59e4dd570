// Part of Tenon, under the Apache License v2.0.
//
// The syntax table, with fields resolved by name.

#include "isa/syntax.h"
#include "isa/specification.h"

#include <cstdlib>
#include <iostream>

namespace tenon::isa {
namespace {

/// An item with its fields by name.
struct Draft {
  SyntaxItem::Kind kind;
  const char *key;
  std::vector<const char *> fields;
  uint64_t missing = 0;
  bool always = false;
  bool hexadecimal = false;
};

using Kind = SyntaxItem;

std::vector<Draft> transferItems() {
  return {{Kind::Number, "sram", {"sram"}, 0, true},
          {Kind::Number, "dram", {"dram"}, 0, true, true},
          {Kind::Number, "y", {"y_size"}, 1, true},
          {Kind::Number, "x", {"x_size"}, 1, true},
          {Kind::Number, "ystride", {"y_stride"}},
          {Kind::Number, "xstride", {"x_stride"}}};
}

std::vector<Draft> loopItems() {
  return {{Kind::Flag, "first", {"first"}},
          {Kind::Range, "uop", {"uop_begin", "uop_count"}, 0, true},
          {Kind::Number, "outer", {"outer_count"}, 1},
          {Kind::Number, "inner", {"inner_count"}, 1},
          {Kind::Pair, "dst", {"dst_outer", "dst_inner"}},
          {Kind::Pair, "src", {"src_outer", "src_inner"}},
          {Kind::Pair, "third", {"third_outer", "third_inner"}}};
}

void append(std::vector<Draft> &to, const std::vector<Draft> &items) {
  to.insert(to.end(), items.begin(), items.end());
}

std::vector<Draft> draftsOf(const std::string &format) {
  std::vector<Draft> result;
  if (format == "load") {
    result = {{Kind::Name, "memory", {"memory"}}};
    append(result, transferItems());
    append(result,
           {{Kind::Padding,
             "pad",
             {"pad_top", "pad_bottom", "pad_left", "pad_right", "pad_kind"}},
            {Kind::Flag, "gather", {"gather"}}});
  } else if (format == "store") {
    result = transferItems();
  } else if (format == "gemm") {
    result = loopItems();
  } else if (format == "alu") {
    result = {{Kind::Name, "operation", {"op"}},
              {Kind::Choice, "operand", {"operand"}},
              {Kind::Choice, "target", {"target"}}};
    append(result, loopItems());
  } else if (format == "set") {
    result = {{Kind::Name, "engine", {"engine"}},
              {Kind::Register, "register", {"index", "value"}}};
  } else {
    return {};
  }
  append(result, {{Kind::Engines, "wait", {"wait"}},
                  {Kind::Engines, "signal", {"signal"}}});
  return result;
}

size_t fieldIndex(const spec::Format &format, const std::string &name) {
  for (int i = 0; i < format.fields_size(); ++i)
    if (format.fields(i).name() == name)
      return size_t(i);
  std::cerr << "tenon: assembler syntax names " << format.name() << "." << name
            << ", which the specification does not have\n";
  std::abort();
}

std::vector<SyntaxItem> resolve(const spec::Format &format) {
  std::vector<SyntaxItem> result;
  for (const Draft &draft : draftsOf(format.name())) {
    SyntaxItem item{draft.kind,    draft.key,    {},
                    draft.missing, draft.always, draft.hexadecimal};
    for (const char *field : draft.fields)
      item.fields.push_back(fieldIndex(format, field));
    result.push_back(item);
  }
  return result;
}

} // namespace

std::vector<DirectiveHelp> directiveHelp() {
  return {
      {".isa VERSION", "version of the instruction set, optional"},
      {".configuration NAME", "a shipped one, or a path; or `{`, text, `}`"},
      {".dram BYTES", "size of the DRAM"},
      {".segment \"NAME\" @OFFSET", "bytes of the DRAM image follow"},
      {".instructions @OFFSET", "a segment of instructions, launched"},
      {".hex 00 1f ..", "bytes, any spacing"},
      {".word N, N ..", "32-bit little-endian words"},
      {".zero COUNT", "zero bytes"},
      {".gemm_uop DST,SRC,THIRD", "a micro-op of GEMM"},
      {".alu_uop DST,SRC,THIRD", "a micro-op of ALU"},
      {".program {", "the rest of the Program message as protobuf text;"},
      {"}", "with it, launches are its steps. `}` in column 1"},
  };
}

const std::vector<SyntaxItem> &syntaxOf(uint32_t opcode) {
  static const auto *const table = [] {
    auto *result = new std::vector<std::vector<SyntaxItem>>;
    for (const spec::Format &format : specification().formats())
      result->push_back(resolve(format));
    return result;
  }();
  return (*table)[opcode];
}

} // namespace tenon::isa
