// Part of Tenon, under the Apache License v2.0.
//
// The two halves of validate(). Private to the isa library.

#ifndef TENON_ISA_VALIDATE_H
#define TENON_ISA_VALIDATE_H

#include "isa/fields.h"

namespace tenon::isa {

/// Whether each value fits its field and each enumerator exists.
absl::Status validateFields(const Layout &layout, uint32_t opcode,
                            const FieldValues &values);

/// Whether the machine defines the combination of (well-formed) fields.
absl::Status validateMeaning(const Layout &layout,
                             const Instruction &instruction);

} // namespace tenon::isa

#endif // TENON_ISA_VALIDATE_H
