// Part of Tenon, under the Apache License v2.0.
//
// A target as a libFuzzer program; the build names the target.

#include "tests/fuzz/input/target.h"

// Libraries of the system are not instrumented: memory that the inline part of
// a container poisons here they would use there.
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:"
         "allocator_may_return_null=0";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  tenon::fuzz::checkError(tenon::fuzz::TENON_FUZZ_TARGET(
      absl::string_view(reinterpret_cast<const char *>(data), size)));
  return 0;
}
