// Part of Tenon, under the Apache License v2.0.
//
// The list of what cannot be imported: each problem once, in the graph's order.

#include "tenon/Frontend/ONNX/MissingLowerings.h"

#include "tenon/Frontend/ONNX/ReadModel.h"

#include "mlir/IR/MLIRContext.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tenon {

// Found by GoogleTest's matchers.
static bool operator==(const MissingLowering &a, const MissingLowering &b) {
  return a.Node == b.Node && a.Operator == b.Operator && a.Domain == b.Domain &&
         a.Opset == b.Opset && a.Reason == b.Reason;
}

static void PrintTo(const MissingLowering &m, std::ostream *out) {
  *out << m.Node << " (" << m.Operator << " of '" << m.Domain << "', "
       << m.Opset << "): " << m.Reason;
}

namespace {

std::vector<MissingLowering> missingIn(const std::string &nodes) {
  const std::string tensor =
      R"(type { tensor_type { elem_type: 1 shape { dim { dim_value: 4 } } } } )";
  mlir::MLIRContext context;
  auto model = readModel("opset_import { version: 13 } "
                         "opset_import { domain: 'com.example' version: 2 } "
                         "graph { input { name: 'x' " +
                             tensor + "} output { name: 'y' " + tensor + "} " +
                             nodes + " }",
                         "model.textproto", context);
  return model ? findMissing(*model)
               : std::vector<MissingLowering>{
                     MissingLowering{"unread", "", "", 0, ""}};
}

TEST(MissingLowerings, NothingIsMissing) {
  EXPECT_THAT(missingIn("node { op_type: 'Identity' input: 'x' output: 'y' }"),
              testing::IsEmpty());
}

TEST(MissingLowerings, EachOnceWithNodeOperatorAndReason) {
  const char *reason = "the operator is not supported: it needs a lowering "
                       "(compiler/lib/Frontend/ONNX/Lower)";
  EXPECT_THAT(
      missingIn("node { name: 'a' op_type: 'Even' domain: 'com.example' "
                "       input: 'x' output: 'p' } "
                "node { name: 'b' op_type: 'Relu' input: 'p' output: 'q' } "
                "node { name: 'c' op_type: 'Odd' domain: 'com.example' "
                "       input: 'q' output: 'y' }"),
      testing::ElementsAre(
          MissingLowering{"a", "Even", "com.example", 2, reason},
          MissingLowering{"c", "Odd", "com.example", 2, reason}));
}

TEST(MissingLowerings, WhatIsOfNoNodeHasNone) {
  auto missing = missingIn("initializer { name: 'y' data_type: 3 dims: 4 "
                           "int32_data: [1, 2, 3, 4] }");
  EXPECT_THAT(missing,
              testing::ElementsAre(MissingLowering{
                  "", "", "", 0,
                  "output 'y' is declared FLOAT, but its value is INT8"}));
}

} // namespace
} // namespace tenon
