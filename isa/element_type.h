// Part of Tenon, under the Apache License v2.0.
//
// The element types of host arrays: one table for every reader, writer and
// message. An element takes whole bytes; a type of fewer than eight bits takes
// one, with the sign or zeros above its bits.

#ifndef TENON_ISA_ELEMENT_TYPE_H
#define TENON_ISA_ELEMENT_TYPE_H

#include "isa/proto/program.pb.h"

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tenon::isa {

enum class ElementKind { Bool, Signed, Unsigned, Float };

struct ElementFormat {
  ElementType type;
  const char *name; // the lower case of ElementType's
  ElementKind kind;
  uint32_t bits;  // that a value has
  uint32_t bytes; // that an element takes in memory
};

/// Of every type but ELEMENT_TYPE_UNSPECIFIED.
absl::Span<const ElementFormat> elementFormats();

/// Null for a type that is not known.
const ElementFormat *findElementFormat(ElementType type);

/// The type of this name, in either case ("int4", "INT4"); unspecified if there
/// is none.
ElementType elementTypeOf(absl::string_view name);

/// Bytes of one element; 0 for a type that is not known.
uint32_t elementBytes(ElementType type);

/// "int8", "float32"; "unknown".
const char *elementName(ElementType type);

/// Whether a byte of an array of this type holds one of its values: a bool is 0
/// or 1, a type of fewer than eight bits has its sign or zeros above them.
bool isElementByte(const ElementFormat &format, uint8_t byte);

} // namespace tenon::isa

#endif // TENON_ISA_ELEMENT_TYPE_H
