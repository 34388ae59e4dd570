// Part of Tenon, under the Apache License v2.0.
//
// Included before every file of the ONNX library: shape inference counts by
// numbers that it read from the model.  An index beyond the dimensions of a
// message throws, as in protobuf's debug build; without this it is read.

#include <google/protobuf/stubs/logging.h>
#undef GOOGLE_DCHECK
#define GOOGLE_DCHECK GOOGLE_CHECK
