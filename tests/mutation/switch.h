//===- tests/mutation/switch.h - One mutant of many, at run time ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Included by the files of the copy that hold mutants. TENON_MUTANT is the
// number of the one that is on. TENON_MUTANT_REACH is a file in which byte n
// becomes 1 where mutant n would have been executed; none is on then.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TESTS_MUTATION_SWITCH_H
#define TENON_TESTS_MUTATION_SWITCH_H

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

namespace tenon_mutant {

constexpr int most = 4096;
inline unsigned char *reached = nullptr;

inline int choose() {
  if (const char *name = getenv("TENON_MUTANT_REACH")) {
    int file = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || ftruncate(file, most))
      abort();
    void *bytes =
        mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED)
      abort();
    close(file);
    reached = static_cast<unsigned char *>(bytes);
    return -1;
  }
  const char *number = getenv("TENON_MUTANT");
  return number ? atoi(number) : 0;
}

inline const int chosen = choose();

inline bool mark(int number) {
  if (reached)
    reached[number] = 1;
  return false;
}

inline bool is(int number) {
  return chosen == number || (chosen < 0 && mark(number));
}

} // namespace tenon_mutant

// What a mutant would be warned of.
#pragma clang diagnostic ignored "-Wall"
#pragma clang diagnostic ignored "-Wextra"
#pragma clang diagnostic ignored "-Wc++11-narrowing"

#endif // TENON_TESTS_MUTATION_SWITCH_H
