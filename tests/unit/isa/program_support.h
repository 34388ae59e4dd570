// Part of Tenon, under the Apache License v2.0.
//
// A small program with something of everything a container holds.

#ifndef TENON_TESTS_UNIT_ISA_PROGRAM_SUPPORT_H
#define TENON_TESTS_UNIT_ISA_PROGRAM_SUPPORT_H

#include "isa/program.h"
#include "support.h"
#include "tests/unit/kernels/kernels.h"

namespace tenon::isa {

inline Program sampleProgram(const std::string &configuration) {
  Layout layout = shipped(configuration);
  Program p;
  p.set_isa_version(isaVersion);
  *p.mutable_configuration() = layout.config;
  p.set_model("model; \"x\".onnx");
  p.set_dram_bytes(1 << 20);
  p.set_producer("tenon test");
  *p.mutable_host_code() = kernels();
  p.set_reference(std::string("ML\xef\x52\0", 5));

  Segment *code = p.add_segments();
  code->set_name("instructions");
  code->set_offset(4096);
  InstructionSource source(layout, 3);
  std::vector<Instruction> instructions;
  for (int i = 0; i < 50; ++i)
    instructions.push_back(source.load());
  Load uops;
  uops.memory = Memory::UopGemm, uops.dram = 65536 / layout.beatBytes;
  uops.ySize = 1, uops.xSize = 8, uops.xStride = 1;
  instructions.push_back(uops);
  instructions.push_back(source.alu());
  instructions.push_back(Finish{});
  code->mutable_data()->resize(instructions.size() * layout.instructionBytes);
  for (size_t i = 0; i < instructions.size(); ++i)
    EXPECT_TRUE(
        encode(layout, instructions[i],
               reinterpret_cast<uint8_t *>(code->mutable_data()->data()) +
                   i * layout.instructionBytes)
            .ok());
  // Bytes behind the launched instructions and some that look like none.
  code->mutable_data()->append("\xff\xfe tail");

  Segment *table = p.add_segments();
  table->set_name("micro-ops \"a\"");
  table->set_offset(65536);
  for (uint32_t i = 0; i < 10 * layout.uopsPerBeat; ++i) {
    uint32_t word = encodeGemmUop(layout, {i + 1, 2 * i + 1, 3 * i + 2});
    for (int k = 0; k < 4; ++k)
      *table->mutable_data() += char(word >> 8 * k);
  }
  Segment *weights = p.add_segments();
  weights->set_name("weights");
  weights->set_offset(131072);
  weights->mutable_data()->append(100, '\0');
  for (int i = 0; i < 77; ++i)
    *weights->mutable_data() += char(i * 37);
  p.add_segments()->set_name("empty");

  DramTensor *t = p.add_tensors();
  t->set_name("x");
  t->set_offset(262144);
  for (int64_t d : {1, 5, 6, 7})
    t->add_shape(d);
  for (int64_t d : {1, 7, 5, 6})
    t->add_onnx_shape(d);
  for (int64_t d : {0, 3, 1, 2})
    t->add_permutation(d);
  Buffer *b = p.add_buffers();
  b->set_name("x");
  b->set_type(UINT8);
  b->set_scale(0.1 + 0.2);
  b->set_zero_point(-3);
  for (int64_t d : {1, 7, 5, 6})
    b->add_shape(d);
  p.add_inputs(0);
  p.add_outputs(0);
  Pack *pack = p.add_steps()->mutable_pack();
  for (int d : {0, 2, 3, 1})
    pack->add_permutation(d);
  pack->set_offset(-128);
  Launch *launch = p.add_steps()->mutable_launch();
  launch->set_program_offset(4096);
  launch->set_instruction_count(instructions.size());
  Unpack *unpack = p.add_steps()->mutable_unpack();
  for (int d : {0, 3, 1, 2})
    unpack->add_permutation(d);
  HostKernel *kernel = p.add_steps()->mutable_host_kernel();
  kernel->set_symbol("triple");
  kernel->add_inputs(0);
  kernel->set_estimated_ms(0.1);
  Layer *layer = p.mutable_debug()->add_layers();
  layer->set_name("conv2d_0");
  layer->add_nodes("Conv_0");
  layer->add_output_tensors(0);
  for (int i = 0; i < 4; ++i)
    p.mutable_debug()->add_engines();
  Run *run = p.mutable_debug()->mutable_engines(0)->add_runs();
  run->set_begin(2);
  run->set_tile(6);
  return p;
}

} // namespace tenon::isa

#endif // TENON_TESTS_UNIT_ISA_PROGRAM_SUPPORT_H
