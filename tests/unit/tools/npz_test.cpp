//===- tests/unit/tools/npz_test.cpp --------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The files are NumPy's, byte by byte: np.savez and np.savez_compressed of
// a = np.arange(6, dtype=np.int8).reshape(2, 3) and b = np.float32([1.5]); and
// a zip whose a.npy is no array.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/npz.h"

#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <fstream>

namespace tenon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

#include "tests/unit/tools/npz_files.inc"

class Npz : public ::testing::Test {
protected:
  absl::StatusOr<std::vector<NamedArray>> read(const std::string &content) {
    std::ofstream(path, std::ios::binary) << content;
    return readNpz(path);
  }

  const ScratchFolder folder;
  const std::string path = folder / "arrays.npz";
  const std::string stored{storedFile, sizeof storedFile - 1};
  const std::string deflated{deflatedFile, sizeof deflatedFile - 1};
};

TEST_F(Npz, StoredAndDeflatedEntries) {
  for (const std::string &file : {stored, deflated}) {
    auto arrays = read(file);
    ASSERT_TRUE(arrays.ok()) << arrays.status();
    ASSERT_EQ(arrays->size(), 2u);
    EXPECT_EQ((*arrays)[0].name, "a");
    EXPECT_EQ((*arrays)[0].array.type, isa::INT8);
    EXPECT_THAT((*arrays)[0].array.shape, ElementsAre(2, 3));
    EXPECT_THAT((*arrays)[0].array.bytes, ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ((*arrays)[1].name, "b");
    EXPECT_EQ((*arrays)[1].array.type, isa::FLOAT32);
    EXPECT_EQ(runtime::valueAt((*arrays)[1].array, 0), 1.5);
  }
}

TEST_F(Npz, EveryTruncationIsAnError) {
  for (const std::string &file : {stored, deflated})
    for (size_t size = 0; size < file.size(); ++size)
      EXPECT_THAT(read(file.substr(0, size)).status().message(),
                  HasSubstr("cannot be read as .npz: "))
          << size;
}

TEST_F(Npz, ChangedDataFailsItsChecksum) {
  std::string file = stored;
  size_t data = file.find(std::string("\x00\x01\x02\x03\x04\x05", 6));
  ASSERT_NE(data, std::string::npos);
  file[data] ^= 1;
  EXPECT_THAT(read(file).status().message(),
              HasSubstr(".npz/a.npy' cannot be read as .npz: CRC error"));
}

TEST_F(Npz, WhatIsNoArrayOrNotThere) {
  EXPECT_THAT(read({otherFile, sizeof otherFile - 1}).status().message(),
              HasSubstr(".npz/a.npy': not a .npy file"));
  EXPECT_THAT(readNpz(path + ".none").status().message(),
              HasSubstr("cannot be read as .npz: No such file"));
}

} // namespace
} // namespace tenon::tools
