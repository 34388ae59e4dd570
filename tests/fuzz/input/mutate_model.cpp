// Part of Tenon, under the Apache License v2.0.
//
// How libFuzzer changes ONNX models: mostly as the messages that they are, so
// that what comes out is a model again and reaches what lies behind the reader.
// Any field of any message gets a value of another one of its kind, near or
// special numbers, other names of the model; elements of lists are repeated,
// dropped, exchanged, or taken from a second model.

#include "google/protobuf/message.h"
#include "onnx/onnx_pb.h"

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Random = std::minstd_rand;

/// A field of a message that is in use, or may be.
struct Place {
  Message *message;
  const FieldDescriptor *field;
};

size_t below(Random &random, size_t count) { return random() % count; }

/// All messages in `message`, with it.
void messagesIn(Message &message, std::vector<Message *> &out) {
  out.push_back(&message);
  const Reflection &reflection = *message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated())
      messagesIn(*reflection.MutableMessage(&message, field), out);
    for (int i = 0;
         field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
      messagesIn(*reflection.MutableRepeatedMessage(&message, field, i), out);
  }
}

std::vector<Message *> messagesIn(Message &message) {
  std::vector<Message *> out;
  messagesIn(message, out);
  return out;
}

/// A field that is there; now and then any other of its message.
Place anyPlace(Message &model, Random &random) {
  std::vector<Place> places;
  for (Message *message : messagesIn(model)) {
    std::vector<const FieldDescriptor *> fields;
    message->GetReflection()->ListFields(*message, &fields);
    for (const FieldDescriptor *field : fields)
      places.push_back({message, field});
  }
  if (places.empty())
    return {&model, model.GetDescriptor()->field(0)};
  Place place = places[below(random, places.size())];
  if (below(random, 8) == 0) {
    const auto *type = place.message->GetDescriptor();
    place.field = type->field(int(below(random, size_t(type->field_count()))));
  }
  return place;
}

int64_t number(int64_t old, Random &random) {
  static constexpr int64_t special[] = {0,
                                        1,
                                        2,
                                        3,
                                        4,
                                        5,
                                        7,
                                        8,
                                        16,
                                        -1,
                                        -2,
                                        INT8_MAX,
                                        INT8_MIN,
                                        INT32_MAX,
                                        INT32_MIN,
                                        INT64_MAX,
                                        INT64_MIN,
                                        int64_t(1) << 62,
                                        int64_t(1) << 31,
                                        int64_t(1) << 40};
  switch (below(random, 4)) {
  case 0:
    return int64_t(uint64_t(old) + 1);
  case 1:
    return int64_t(uint64_t(old) - 1);
  case 2:
    return special[below(random, 11)];
  default:
    return special[below(random, std::size(special))];
  }
}

float floating(float old, Random &random) {
  static constexpr float special[] = {
      0.f,    -0.f,   1.f,   -1.f,     0.5f,      2.f, 1e30f,
      -1e30f, 1e-40f, 255.f, INFINITY, -INFINITY, NAN};
  return below(random, 3) ? special[below(random, std::size(special))]
                          : old * 1.5f;
}

/// Some name of the model: a tensor's, an operator's, an attribute's.
std::string name(const std::string &old, Message &model, Random &random) {
  if (below(random, 10) == 0) {
    std::string bytes = old;
    bytes.resize(old.size() + 16);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(&bytes[0]),
                                  old.size(), bytes.size()));
    return bytes;
  }
  std::vector<std::string> names{""};
  for (Message *message : messagesIn(model))
    if (auto *node = dynamic_cast<onnx::NodeProto *>(message)) {
      names.insert(names.end(), node->input().begin(), node->input().end());
      names.insert(names.end(), node->output().begin(), node->output().end());
      names.push_back(node->op_type());
    } else if (auto *attribute =
                   dynamic_cast<onnx::AttributeProto *>(message)) {
      names.push_back(attribute->name());
      names.push_back(attribute->s());
    }
  return names[below(random, names.size())];
}

/// Changes one value; of a list the element `at`.
void changeValue(const Place &place, int at, Message &model, Random &random) {
  Message *message = place.message;
  const FieldDescriptor *field = place.field;
  const Reflection &r = *message->GetReflection();
  const bool list = field->is_repeated();
  std::string scratch;
#define NUMBER(NAME, TYPE, NEW)                                                \
  {                                                                            \
    auto old = list ? r.GetRepeated##NAME(*message, field, at)                 \
                    : r.Get##NAME(*message, field);                            \
    auto value = TYPE(NEW(old, random));                                       \
    list ? r.SetRepeated##NAME(message, field, at, value)                      \
         : r.Set##NAME(message, field, value);                                 \
    return;                                                                    \
  }
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    NUMBER(Int32, int32_t, number)
  case FieldDescriptor::CPPTYPE_INT64:
    NUMBER(Int64, int64_t, number)
  case FieldDescriptor::CPPTYPE_UINT32:
    NUMBER(UInt32, uint32_t, number)
  case FieldDescriptor::CPPTYPE_UINT64:
    NUMBER(UInt64, uint64_t, number)
  case FieldDescriptor::CPPTYPE_BOOL:
    NUMBER(Bool, bool, number)
  case FieldDescriptor::CPPTYPE_FLOAT:
    NUMBER(Float, float, floating)
  case FieldDescriptor::CPPTYPE_DOUBLE:
    NUMBER(Double, double, floating)
  case FieldDescriptor::CPPTYPE_ENUM: {
    const auto *values = field->enum_type();
    const auto *value =
        values->value(int(below(random, size_t(values->value_count()))));
    list ? r.SetRepeatedEnum(message, field, at, value)
         : r.SetEnum(message, field, value);
    return;
  }
  case FieldDescriptor::CPPTYPE_STRING: {
    std::string value = name(list ? r.GetRepeatedString(*message, field, at)
                                  : r.GetString(*message, field),
                             model, random);
    list ? r.SetRepeatedString(message, field, at, value)
         : r.SetString(message, field, value);
    return;
  }
  case FieldDescriptor::CPPTYPE_MESSAGE: {
    // Of another message of its type.
    Message *to = list ? r.MutableRepeatedMessage(message, field, at)
                       : r.MutableMessage(message, field);
    std::vector<Message *> same;
    for (Message *other : messagesIn(model))
      if (other->GetDescriptor() == to->GetDescriptor() && other != to)
        same.push_back(other);
    if (same.empty())
      return;
    // One may lie inside of the other.
    std::unique_ptr<Message> copy(to->New());
    copy->CopyFrom(*same[below(random, same.size())]);
    to->CopyFrom(*copy);
    return;
  }
  }
#undef NUMBER
}

/// Adds to a list: what it has, or a value of nothing.
void addElement(const Place &place, Random &random) {
  Message *message = place.message;
  const FieldDescriptor *field = place.field;
  const Reflection &r = *message->GetReflection();
  const int size = r.FieldSize(*message, field);
  const int from = size ? int(below(random, size_t(size))) : -1;
#define ADD(NAME)                                                              \
  r.Add##NAME(message, field,                                                  \
              from < 0 ? 0 : r.GetRepeated##NAME(*message, field, from));      \
  return;
  switch (field->cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    ADD(Int32)
  case FieldDescriptor::CPPTYPE_INT64:
    ADD(Int64)
  case FieldDescriptor::CPPTYPE_UINT64:
    ADD(UInt64)
  case FieldDescriptor::CPPTYPE_FLOAT:
    ADD(Float)
  case FieldDescriptor::CPPTYPE_DOUBLE:
    ADD(Double)
  case FieldDescriptor::CPPTYPE_STRING:
    r.AddString(message, field,
                from < 0 ? "" : r.GetRepeatedString(*message, field, from));
    return;
  case FieldDescriptor::CPPTYPE_MESSAGE: {
    Message *added = r.AddMessage(message, field);
    if (from >= 0)
      added->CopyFrom(r.GetRepeatedMessage(*message, field, from));
    return;
  }
  default:
    return;
  }
#undef ADD
}

void change(Message &model, Random &random) {
  Place place = anyPlace(model, random);
  const Reflection &r = *place.message->GetReflection();
  if (!place.field->is_repeated()) {
    if (below(random, 8) == 0)
      r.ClearField(place.message, place.field);
    else
      changeValue(place, 0, model, random);
    return;
  }
  const size_t size = size_t(r.FieldSize(*place.message, place.field));
  if (size == 0)
    return addElement(place, random);
  const int at = int(below(random, size));
  switch (below(random, 8)) {
  case 0:
    return addElement(place, random);
  case 1:
    r.SwapElements(place.message, place.field, at, int(size) - 1);
    r.RemoveLast(place.message, place.field);
    return;
  case 2:
    r.SwapElements(place.message, place.field, at, int(below(random, size)));
    return;
  default:
    changeValue(place, at, model, random);
  }
}

/// Puts a message of `from` over one of its type.
void graft(Message &model, Message &from, Random &random) {
  std::vector<Message *> parts = messagesIn(from), places;
  Message *part = parts[below(random, parts.size())];
  for (Message *message : messagesIn(model))
    if (message->GetDescriptor() == part->GetDescriptor())
      places.push_back(message);
  if (!places.empty())
    places[below(random, places.size())]->CopyFrom(*part);
}

/// Its size, or 0 where it has no room.
size_t write(const Message &model, uint8_t *data, size_t most) {
  std::string bytes;
  if (!model.SerializePartialToString(&bytes) || bytes.size() > most)
    return 0;
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  Random random(seed);
  onnx::ModelProto model;
  if (below(random, 10) && model.ParsePartialFromArray(data, int(size))) {
    for (size_t times = 1 + below(random, 3); times--;)
      change(model, random);
    if (size_t written = write(model, data, most))
      return written;
  }
  return LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size,
                                            const uint8_t *other,
                                            size_t otherSize, uint8_t *out,
                                            size_t most, unsigned seed) {
  Random random(seed);
  onnx::ModelProto model, from;
  if (!model.ParsePartialFromArray(data, int(size)) ||
      !from.ParsePartialFromArray(other, int(otherSize)))
    return 0;
  for (size_t times = 1 + below(random, 3); times--;)
    graft(model, from, random);
  return write(model, out, most);
}
