// Part of Tenon, under the Apache License v2.0.
//
// C++ text of the parts of the instruction set that the compiler must see as
// types: each function makes the text of one placeholder of isa/isa.h.in or of
// one generated source.

#ifndef TENON_ISA_GENERATOR_EMIT_H
#define TENON_ISA_GENERATOR_EMIT_H

#include "isa/proto/specification.pb.h"

#include <string>
#include <utility>
#include <vector>

namespace tenon::isa {

std::string emitEnumerations(const spec::Specification &spec);
std::string emitRegisters(const spec::Specification &spec);
std::string emitControl(const spec::Specification &spec);
std::string emitInstructions(const spec::Specification &spec);
std::string emitVariant(const spec::Specification &spec);
std::string emitChannels(const spec::Specification &spec);
std::string emitDerived(const spec::Specification &spec);

/// isa/fields.cpp: conversion between instructions and field values, and the
/// assignment of derived members.
std::string emitFields(const spec::Specification &spec);

/// isa/embedded.cpp: the specification and the shipped configurations
/// (name, text) as data.
std::string
emitEmbedded(const std::string &specification,
             const std::vector<std::pair<std::string, std::string>> &configs);

/// The header isa/isa.h from its template.
std::string emitHeader(std::string text, const spec::Specification &spec);

} // namespace tenon::isa

#endif // TENON_ISA_GENERATOR_EMIT_H
