// Part of Tenon, under the Apache License v2.0.
//
// The link against a bridge whose line loses, changes, repeats and invents
// bytes: it costs time and never a result.

#include "runtime/fpga/link.h"

#include "fake_bridge.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

namespace tenon::runtime {
namespace {

using absl::StatusCode;
using test::Bytes;
using test::FakeBridge;
using test::Faults;
using ::testing::AllOf;
using ::testing::HasSubstr;

LinkOptions quick() {
  LinkOptions options;
  options.patience = 0.05;
  options.tries = 40;
  return options;
}

std::unique_ptr<Link> linkTo(FakeBridge &bridge,
                             const LinkOptions &options = quick()) {
  auto link = Link::open(bridge.port(), options);
  EXPECT_TRUE(link.ok()) << link.status();
  return link.ok() ? *std::move(link) : nullptr;
}

Bytes distinct(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(random());
  return bytes;
}

TEST(Link, SaysHello) {
  FakeBridge bridge({1, 40960, 54'000'000, 0xabcdef01});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->board().memoryBytes, 40960u);
  EXPECT_EQ(link->board().clockHz, 54'000'000u);
  EXPECT_EQ(link->board().divisor, 54u);
  EXPECT_EQ(link->board().configuration, 0xabcdef01u);
}

TEST(Link, RefusesABoardWithoutAClock) {
  FakeBridge bridge({1, 40960, 0, 0xabcdef01});
  auto link = Link::open(bridge.port(), quick());
  EXPECT_EQ(link.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(link.status().message()),
              HasSubstr(bridge.port() +
                        ": the board says that its clock has 0 Hz, so that "
                        "nothing tells how long a launch may take"));
}

TEST(Link, ReadsAndWritesRegisters) {
  FakeBridge bridge({});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  ASSERT_TRUE(link->writeRegister(0x10, 0x89abcdef).ok());
  EXPECT_EQ(bridge.registers[0x10], 0x89abcdefu);
  for (uint32_t i = 0; i < 300; ++i)
    bridge.registers[0x100 + 4 * i] = 0x1000001 * i + 7;
  std::vector<uint32_t> values(300);
  ASSERT_TRUE(link->readRegisters(0x100, absl::MakeSpan(values)).ok());
  for (uint32_t i = 0; i < 300; ++i)
    EXPECT_EQ(values[i], 0x1000001 * i + 7);
}

TEST(Link, MovesMemoryInFrames) {
  FakeBridge bridge({});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  const Bytes data = distinct(5000, 1);
  ASSERT_TRUE(link->writeMemory(4096, data).ok());
  EXPECT_TRUE(std::equal(data.begin(), data.end(), &bridge.memory[4096]));
  EXPECT_EQ(bridge.served[test::Op::WriteMemory], 5u);
  Bytes back(5000);
  ASSERT_TRUE(link->readMemory(4096, absl::MakeSpan(back)).ok());
  EXPECT_EQ(back, data);
  auto sum = link->checksum(4096, 5000);
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ(*sum, crc32(0, data.data(), data.size()));
  EXPECT_EQ(link->statistics().retries, 0u);
}

TEST(Link, GoesToAnotherRateAndBack) {
  FakeBridge bridge({});
  LinkOptions options = quick();
  options.baud = 50'000'000; // one clock a bit
  auto link = linkTo(bridge, options);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->board().divisor, 1u);
  ASSERT_TRUE(link->writeRegister(0x10, 5).ok());
  link.reset();
  // The next one begins at the default rate without a break's help.
  EXPECT_TRUE(linkTo(bridge));
}

// A driver that was killed leaves the board at its rate.
TEST(Link, FindsABoardAtAForgottenRate) {
  FakeBridge bridge({});
  {
    auto port = SerialPort::open(bridge.port(), defaultBaud);
    ASSERT_TRUE(port.ok()) << port.status();
    Request request{1, Op::SetDivisor, 0, 4, {5, 0, 0, 0}};
    ASSERT_TRUE(port->write(encode(request), std::chrono::seconds(1)).ok());
    usleep(100000);
  }
  EXPECT_TRUE(linkTo(bridge));
}

TEST(Link, RefusesRatesThatTheBoardCannotMake) {
  FakeBridge bridge({});
  LinkOptions options = quick();
  options.baud = 30'000'000; // 50 MHz: 50 or 25 million
  auto link = Link::open(bridge.port(), options);
  EXPECT_EQ(link.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(link.status().message()),
              HasSubstr("cannot make 30000000 bits a second; near it are "
                        "25000000 and 50000000"));
}

TEST(Link, SaysThatTheBoardDoesNotAnswerAtARate) {
  FakeBridge bridge({});
  bridge.keepRate();
  LinkOptions options = quick();
  options.baud = 25'000'000;
  auto link = Link::open(bridge.port(), options);
  EXPECT_EQ(link.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(link.status().message()),
              HasSubstr("; the board answers at 1000000 bits a second but not "
                        "at 25000000"));
}

struct Damage {
  const char *name;
  Faults faults;
};

class LinkFaults : public ::testing::TestWithParam<Damage> {};

TEST_P(LinkFaults, CostTimeAndNeverAResult) {
  for (uint64_t seed : {1, 2, 3}) {
    SCOPED_TRACE(seed);
    FakeBridge bridge({});
    Faults faults = GetParam().faults;
    faults.seed = seed;
    auto link = linkTo(bridge);
    ASSERT_TRUE(link);
    bridge.setFaults(faults);
    const Bytes data = distinct(6000, seed);
    absl::Status status = link->writeMemory(1024, data);
    ASSERT_TRUE(status.ok()) << status;
    Bytes back(6000);
    status = link->readMemory(1024, absl::MakeSpan(back));
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(back, data);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), &bridge.memory[1024]));
    for (uint32_t i = 0; i < 20; ++i) {
      status = link->writeRegister(0x40 + 4 * i, i * 3 + 1);
      ASSERT_TRUE(status.ok()) << status;
    }
    std::vector<uint32_t> values(20);
    status = link->readRegisters(0x40, absl::MakeSpan(values));
    ASSERT_TRUE(status.ok()) << status;
    for (uint32_t i = 0; i < 20; ++i)
      EXPECT_EQ(values[i], i * 3 + 1);
    auto sum = link->checksum(1024, 6000);
    ASSERT_TRUE(sum.ok()) << sum.status();
    EXPECT_EQ(*sum, crc32(0, data.data(), data.size()));
    // Whether an answer is late is measured against what the others took.
    if (faults.delayAnswer == 0)
      EXPECT_GT(link->statistics().retries, 0u);
    bridge.setFaults({});
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, LinkFaults,
    ::testing::Values(Damage{"drops", {1, 0.0005}},
                      Damage{"flips", {1, 0, 0.0005}},
                      Damage{"repeats", {1, 0, 0, 0.0005}},
                      Damage{"inventions", {1, 0, 0, 0, 0.0005}},
                      Damage{"lost_answers", {1, 0, 0, 0, 0, 0.3}},
                      Damage{"late_answers", {1, 0, 0, 0, 0, 0, 0.3, 0.12}},
                      Damage{"everything",
                             {1, 0.0002, 0.0002, 0.0002, 0.0002, 0.1}}),
    [](const auto &info) { return std::string(info.param.name); });

// The start of a launch, say.
TEST(Link, WritesARegisterOnceForEachCall) {
  FakeBridge bridge({});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  Faults faults;
  faults.loseAnswer = 0.5;
  bridge.setFaults(faults);
  for (unsigned i = 1; i <= 30; ++i) {
    ASSERT_TRUE(link->writeRegister(0, 1).ok());
    EXPECT_EQ(bridge.starts, i);
  }
  EXPECT_GT(link->statistics().retries, 5u);
}

TEST(Link, GivesUpOnSilence) {
  FakeBridge bridge({});
  LinkOptions options = quick();
  options.tries = 3;
  auto link = linkTo(bridge, options);
  ASSERT_TRUE(link);
  bridge.silence();
  absl::Status status = link->writeRegister(0x24, 1);
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("no valid answer to WRITE_REGISTER at 0x24 on "
                              "serial port "),
                    HasSubstr(bridge.port()), HasSubstr("3 tries")));
}

TEST(Link, GivesUpOnASilentBoard) {
  FakeBridge bridge({});
  bridge.silence();
  auto link = Link::open(bridge.port(), quick());
  EXPECT_EQ(link.status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(link.status().message()),
              AllOf(HasSubstr("HELLO"), HasSubstr(bridge.port()),
                    HasSubstr("; is a board with a Tenon bridge there, and "
                              "its bitstream loaded?")));
}

TEST(Link, SaysThatThePortIsGone) {
  FakeBridge bridge({});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  const std::string port = bridge.port();
  bridge.unplug();
  absl::Status status = link->writeRegister(0, 0);
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr(port));
}

TEST(Link, RefusesAnotherProtocol) {
  FakeBridge bridge({2});
  auto link = Link::open(bridge.port(), quick());
  EXPECT_EQ(link.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(link.status().message()),
              HasSubstr("the board speaks version 2 of the protocol, expected "
                        "is 1"));
}

TEST(Link, PassesOnWhatTheBoardRefuses) {
  FakeBridge bridge({1, 4096});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  Bytes bytes(16);
  absl::Status status = link->readMemory(4088, absl::MakeSpan(bytes));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("READ_MEMORY"),
                    HasSubstr("16 bytes: outside of its range (it has 4096 "
                              "bytes of memory)")));
}

TEST(Link, NamesWhatABoardCannotDo) {
  FakeBridge bridge({});
  auto link = linkTo(bridge);
  ASSERT_TRUE(link);
  bridge.answerWith(2); // the statuses of hw/bridge/README.md
  absl::Status status = link->writeRegister(0x24, 1);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(std::string(status.message()),
            "the board does not know WRITE_REGISTER at 0x24 on serial port " +
                bridge.port());
  bridge.answerWith(4);
  status = link->writeRegister(0x24, 1);
  EXPECT_EQ(status.code(), StatusCode::kInternal);
  EXPECT_EQ(std::string(status.message()),
            "WRITE_REGISTER at 0x24 on serial port " + bridge.port() +
                ": the accelerator answered with a bus error (status 4)");
}

// A terminal whose other end nobody reads, and that can be closed.
class Terminal {
public:
  Terminal() : master(posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_TRUE(grantpt(master) == 0 && unlockpt(master) == 0);
    path = ptsname(master);
  }
  ~Terminal() { unplug(); }
  void unplug() {
    if (master >= 0)
      close(master);
    master = -1;
  }
  std::string path;

private:
  int master;
};

TEST(SerialPort, DoesNotWaitForEverForAReader) {
  Terminal terminal;
  auto port = SerialPort::open(terminal.path, defaultBaud);
  ASSERT_TRUE(port.ok()) << port.status();
  absl::Status status =
      port->write(Bytes(1 << 20), std::chrono::milliseconds(50));
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("serial port " + terminal.path + " took none of"),
                    HasSubstr(" for 0.05 s")));
}

// Not after the time for an answer, and not by asking all that time.
TEST(SerialPort, SeesThatItIsUnpluggedWhileItReads) {
  Terminal terminal;
  auto port = SerialPort::open(terminal.path, defaultBaud);
  ASSERT_TRUE(port.ok()) << port.status();
  terminal.unplug();
  uint8_t byte;
  auto begin = std::chrono::steady_clock::now();
  auto count = port->read({&byte, 1}, std::chrono::seconds(20));
  EXPECT_EQ(count.status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(std::string(count.status().message()),
              HasSubstr("serial port " + terminal.path +
                        ": reading: "
                        "the port was closed or unplugged"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(SerialPort, NamesAMissingPort) {
  auto port = SerialPort::open("/dev/ttyTenonNone", defaultBaud);
  EXPECT_EQ(port.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(port.status().message()),
              HasSubstr("/dev/ttyTenonNone"));
}

TEST(SerialPort, RefusesWhatIsNoTerminal) {
  auto port = SerialPort::open("/dev/null", defaultBaud);
  EXPECT_EQ(port.status().code(), StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(port.status().message()), HasSubstr("no terminal"));
}

TEST(SerialPort, IsForOneAtATime) {
  FakeBridge bridge({});
  auto first = SerialPort::open(bridge.port(), defaultBaud);
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = SerialPort::open(bridge.port(), defaultBaud);
  EXPECT_EQ(second.status().code(), StatusCode::kFailedPrecondition);
}

} // namespace
} // namespace tenon::runtime
