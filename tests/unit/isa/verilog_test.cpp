// Part of Tenon, under the Apache License v2.0.
//
// The SystemVerilog package.

#include "isa/verilog.h"
#include "support.h"

#include "gmock/gmock.h"

namespace tenon::isa {
namespace {

using ::testing::HasSubstr;

TEST(Verilog, SaysNumbersTypesAndOpcodes) {
  std::string text = verilogPackage(shipped("pynq"));
  for (const char *line :
       {"package tenon_pkg;", "localparam int unsigned BLOCK_IN = 16;",
        "localparam int unsigned ALU_THIRD_BITS = 10;",
        "localparam int unsigned LOAD_BITS = 126;",
        "localparam int unsigned COUNTERS = 2;",
        "localparam logic [2:0] FINISH_OPCODE = 3'd5;",
        "localparam logic [3:0] ALU_REG_CLAMP_MIN = 4'd3;",
        "localparam logic [31:0] ALU_REG_CLAMP_MIN_RESET = 32'hffffff80;",
        "localparam logic [11:0] CONTROL_TOKEN_WAITS = 12'h200;",
        "ALU_OP_QUANT_ADD = 4'd12", "} memory_e;", "} alu_uop_t;",
        "endpackage"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST(Verilog, TheFirstFieldIsTheLowest) {
  // A packed struct lists its highest member first.
  EXPECT_THAT(verilogPackage(shipped("pynq")),
              HasSubstr("typedef struct packed {\n"
                        "    logic [31:0] value;\n"
                        "    logic [3:0] index;\n"
                        "    engine_e engine;\n"
                        "    logic [2:0] signal;\n"
                        "    logic [2:0] wait_;\n"
                        "    logic [2:0] opcode;\n"
                        "  } set_t;"));
}

TEST(Verilog, HashIsTheConfigurations) {
  Layout layout = shipped("tiny");
  char text[64];
  std::snprintf(text, sizeof text, "CONFIGURATION_HASH = 32'h%08x;",
                uint32_t(configurationHash(layout.config)));
  EXPECT_THAT(verilogPackage(layout), HasSubstr(text));
}

} // namespace
} // namespace tenon::isa
