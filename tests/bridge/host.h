// Part of Tenon, under the Apache License v2.0.
//
// A host at the end of a board's serial line: one call a request.

#ifndef TENON_TESTS_BRIDGE_HOST_H
#define TENON_TESTS_BRIDGE_HOST_H

#include "tests/bridge/lines.h"

namespace tenon::test {

template <typename Top> class Host {
public:
  explicit Host(unsigned divisor) : line(divisor) {}

  /// Sends and returns the answer, whose seq must be the request's.
  Response call(Request request, uint64_t patience = 100'000) {
    request.seq = ++seq;
    return sendAgain(request, patience);
  }
  Response sendAgain(const Request &request, uint64_t patience = 100'000) {
    line.send(encode(request));
    Bytes bytes = line.receive(patience);
    std::string why;
    auto response = decode(bytes, why);
    EXPECT_TRUE(response) << why << ", op " << int(request.op) << ", "
                          << bytes.size() << " bytes";
    if (!response)
      return {0, 255, {}};
    EXPECT_EQ(response->seq, request.seq);
    return *response;
  }

  Response hello() { return call({0, Op::Hello}); }
  Response readRegister(uint32_t address, uint16_t length = 4) {
    return call({0, Op::ReadRegister, address, length});
  }
  Response writeRegister(uint32_t address, uint32_t value) {
    return call({0, Op::WriteRegister, address, 4, word(value)});
  }
  Response readMemory(uint32_t address, uint16_t length) {
    return call({0, Op::ReadMemory, address, length});
  }
  Response writeMemory(uint32_t address, const Bytes &data) {
    return call({0, Op::WriteMemory, address, uint16_t(data.size()), data});
  }
  Response checksum(uint32_t address, uint32_t bytes) {
    return call({0, Op::Checksum, address, 4, word(bytes)}, 500'000);
  }
  /// The response, then the new rate.
  Response setDivisor(uint32_t divisor) {
    Response response = call({0, Op::SetDivisor, 0, 4, word(divisor)});
    if (response.status == 0)
      line.divisor = divisor;
    return response;
  }

  UartLine<Top> line;
  uint8_t seq = 0;
};

} // namespace tenon::test

#endif // TENON_TESTS_BRIDGE_HOST_H
