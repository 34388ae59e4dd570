//===- tools/tenon/last_words.h - Ends without exception --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_LAST_WORDS_H
#define TENON_TOOLS_TENON_LAST_WORDS_H

namespace tenon::tools {

/// From here on a process that ends where no exception can travel (in a thread,
/// in a library built without them) says so in one line, with its exit code:
/// memory that is exhausted, or a defect.
void catchLastWords();

/// Ends the process, at once, with the message and code of exhausted memory.
[[noreturn]] void endWithoutMemory();

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_LAST_WORDS_H
