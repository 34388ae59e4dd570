"""The campaign's own parts: where mutants are looked for, how they are written, how the sample is drawn."""
import dataclasses
import os
import pathlib
import textwrap

from clang import cindex
from pyslang import syntax
import pytest

import cpp_sites
import mutation
import rtl_sites
import schemata
import sites
import suite

PROGRAMS = pathlib.Path(os.environ.get("TENON", sites.ROOT / "build/release/bin/tenon")).parent
RTL = """
module m #(parameter int Width = 4 + 4) (input logic clk_i, input logic [Width-1:0] a_i, output logic valid_o);
  localparam int Half = Width / 2;
  logic [7:0] q;
  logic unused;
  assign unused = &{1'b0, a_i};
  assign valid_o = a_i == 8'd3;
  always_ff @(posedge clk_i) begin : assertions
    q_small : assert (q < 8'd9);
  end
  for (genvar g = 0; g < Half; g++) begin : gen
    if (g % 2 == 1) begin : odd
      always_ff @(posedge clk_i) if (a_i[g + 1]) q[g] <= 1'b1;
    end
  end
endmodule
"""

CPP = """
constexpr int size = 3 + 4;
static_assert(size == 7);
enum Kind { First = 1 };
#define LESS(a, b) ((a) < (b))
int f(int a, int b) {
  int table[3] = {a};
  switch (a) {
  case 5: return LESS(a, b);
  }
  a += 2;
  if (a > b && !table[0])
    return a - b;
  return b;
}
"""


def said(found):
    return {(site.text, site.to) for site in found}


def test_rtl():
    tree = syntax.SyntaxTree.fromText(RTL)
    assert said(rtl_sites.Finder("m.sv", RTL.encode(), tree).sites.values()) == {
        ("a_i == 8'd3", "a_i != 8'd3"), ("a_i == 8'd3", "1'b0"), ("a_i == 8'd3", "1'b1"), ("8'd3", "8'd4"), ("8'd3", "8'd2"),
        ("a_i[g + 1]", "!(a_i[g + 1])"), ("a_i[g + 1]", "1'b0"), ("a_i[g + 1]", "1'b1"),
        ("q[g] <= 1'b1;", ""), ("1'b1", "1'd0")}


def test_cpp(tmp_path):
    path = tmp_path / "f.cpp"
    path.write_text(CPP)
    unit = cindex.Index.create().parse(str(path), ["-std=c++17"],
                                       options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
    assert said(cpp_sites.Finder("f.cpp", path).run(unit)) == {
        ("a += 2", "a -= 2"), ("a += 2", ""), ("2", "3"), ("2", "1"), ("a > b", "a >= b"), ("a > b", "a <= b"),
        ("a > b && !table[0]", "a > b || !table[0]"), ("a > b && !table[0]", "a > b"), ("a > b && !table[0]", "!table[0]"),
        ("a > b && !table[0]", "!(a > b && !table[0])"), ("!table[0]", "table[0]"), ("0", "1"), ("a - b", "a + b")}


def site(start, end, text, to, file="x.cpp", line=""):
    return sites.Site(file, start, end, text, to, "operator", line)


def test_the_sample_stays_when_something_else_is_edited():
    many = [site(10 * i, 10 * i + 3, "a-b", "a+b", line=f"line {i}") for i in range(100)]
    moved = [dataclasses.replace(s, start=s.start + 7, end=s.end + 7) for s in many]
    first, second = sites.draw(many, 1, 20), sites.draw(moved + [site(0, 3, "c-d", "c+d")], 1, 20)
    assert len({key for key, _ in first} & {key for key, _ in second}) >= 19
    assert {key for key, _ in first} != {key for key, _ in sites.draw(many, 2, 20)}


def test_the_sample_has_no_overlap_and_nothing_refused():
    nested = [site(0, 9, "a-b-c", "x"), site(0, 5, "a-b", "y"), site(20, 23, "d", "z")]
    for seed in range(20):
        assert len(sites.draw(nested, seed, 3)) == 2
    key = sites.draw(nested, 1, 3)[0][0]
    assert key not in {k for k, _ in sites.draw(nested, 1, 3, {key})}


@pytest.mark.skipif("ASAN_OPTIONS" in os.environ, reason="a sanitizer maps more than the limit of a test's memory")
def test_a_proof_reads_the_mutant_where_there_is_one():
    source = (sites.ROOT / "hw/rtl/token_channel.sv").read_bytes()
    text = "give_i != take_i"
    start = source.index(text.encode())
    site = sites.Site("hw/rtl/token_channel.sv", start, start + len(text), text, "give_i == take_i", "", "")
    for change, expected in ((site, "failed"), (dataclasses.replace(site, to=site.text), None)):
        with suite.proof(change, PROGRAMS) as unit:
            assert suite.run(unit, 300)[0] == expected
    with suite.proof(dataclasses.replace(site, file="hw/rtl/gemm.sv")) as unit:
        assert unit is None


def test_switches():
    assert schemata.switched(7, site(0, 3, "a-b", "a+b")) == "(tenon_mutant::is(7) ? (a+b) : (a-b))"
    assert schemata.switched(7, site(0, 3, "f()", "")) == "(tenon_mutant::is(7) ? (void)0 : (void)(f()))"
    assert schemata.switched(7, site(0, 3, "q <= d;", "", "x.sv")) == "begin if (!(tenon_pkg::mutant == 7)) q <= d; end"


def test_the_mutant_that_an_error_names_is_drawn_again():
    lines = {"compiler/lib/X.cpp": {1: range(3, 5), 2: range(9, 10)}, "hw/rtl/y.sv": {3: range(4, 5)}}
    output = textwrap.dedent("""\
        /elsewhere/compiler/lib/X.cpp:9:4: warning: unused
        /elsewhere/compiler/lib/X.cpp:4:4: error: no viable conversion
        %Error: /elsewhere/hw/rtl/y.sv:4:7: syntax error
        """)
    assert schemata.culprits(output, lines) == {1, 3}
    inside = "/usr/include/v.h:3:1: error: no member\n../lib/X.cpp:1:1: note: x\n../compiler/lib/X.cpp:9:2: note: here\n"
    assert schemata.culprits(inside, lines) == {2}


def test_explained_survivors_are_of_this_tree():
    for file, line, mutant in mutation.explained():
        text = (sites.ROOT / file).read_text()
        assert any(line == each.strip() for each in text.splitlines()), (file, line)
        assert " -> " in mutant
