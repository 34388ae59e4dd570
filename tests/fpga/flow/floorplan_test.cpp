// Part of Tenon, under the Apache License v2.0.
//
// Sites of a floorplan in a netlist as Yosys writes it.

#include "tools/fpga/floorplan.h"

#include "gtest/gtest.h"

#include <string>

namespace tenon::fpga {
namespace {

std::string cell(const std::string &name, const std::string &type,
                 const std::string &bel = "") {
  return "        \"" + name +
         "\": {\n"
         "          \"hide_name\": 0,\n"
         "          \"type\": \"" +
         type +
         "\",\n"
         "          \"parameters\": {\n"
         "            \"MODE\": \"x\"\n"
         "          },\n"
         "          \"attributes\": {\n" +
         bel +
         "            \"src\": \"a.sv:1.1-2.2\"\n"
         "          },\n";
}

std::string bel(const std::string &site) {
  return "            \"BEL\": \"" + site + "\",\n";
}

TEST(FloorplanTest, CellsTakeSitesInTheOrderOfTheirNumbers) {
  google::protobuf::RepeatedPtrField<Floorplan> floorplan;
  Floorplan &entry = *floorplan.Add();
  entry.set_type("MULT");
  entry.set_within(".dot.");
  entry.add_sites("X1 X2");
  entry.add_sites("  X3");
  const std::string design =
      cell("u.dot.row[10].b", "MULT") + cell("u.dot.row[2].b", "MULT") +
      cell("u.dot.row[2].b", "LUT4") + cell("u.lane[0].b", "MULT") +
      cell("u.dot.row[9].b", "MULT") + cell("u.dot.row[10].c", "MULT");
  EXPECT_EQ(withFloorplan(design, floorplan),
            cell("u.dot.row[10].b", "MULT", bel("X3")) +
                cell("u.dot.row[2].b", "MULT", bel("X1")) +
                cell("u.dot.row[2].b", "LUT4") + cell("u.lane[0].b", "MULT") +
                cell("u.dot.row[9].b", "MULT", bel("X2")) +
                cell("u.dot.row[10].c", "MULT"));
}

TEST(FloorplanTest, NothingToPlaceChangesNothing) {
  google::protobuf::RepeatedPtrField<Floorplan> floorplan;
  floorplan.Add()->set_type("MULT");
  const std::string design = cell("u.dot.row[10].b", "MULT");
  EXPECT_EQ(withFloorplan(design, floorplan), design);
  EXPECT_EQ(withFloorplan("", floorplan), "");
}

} // namespace
} // namespace tenon::fpga
