# Part of Tenon, under the Apache License v2.0.
"""examples/reaction, built and run as its README says. What is expected is rxnmapper's own, where its tests say it, else the mapping from
the attention of the float network by onnxruntime."""
import importlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import onnx
import onnxruntime
import pytest

from conftest import ROOT, test_sets
from example import Example
from layers import macs

NETWORK = "albert_rxnmapper"
HEAD, LENGTH = 5, 64
LINE = re.compile(r"^ *(\d+) \S+ +from +(\d+) \S+ +(\d\.\d\d)  \S+$")

# (reaction, of each atom of the product the reactants' atom from 0, confidence): tests/test_mapper.py of rxn4chemistry/rxnmapper, from its
# numbered texts, their molecules in the order that its network saw.
KNOWN = [
    ("C(C)O.BrC(C)>>CCOCC", [1, 0, 2, 4, 5], 0.9754605679009868),
    ("CC(C)S.CN(C)C=O.Fc1cccnc1F.O=C([O-])[O-].[K+].[K+]>>CC(C)Sc1ncccc1F", [0, 1, 2, 3, 15, 14, 13, 12, 11, 10, 9], 0.9565619900376546),
    ("CCBr.CC[O-]~[Na+].[H-]~[Na+]>>CCOCC", [0, 1, 5, 4, 3], 0.9606074439250337)]


@pytest.fixture(scope="module")
def mapper(tenon, models, tmp_path_factory):
    return Example("reaction", tenon, tmp_path_factory.mktemp("reaction"),
                   {"model.onnx": models / NETWORK / "qop/model.onnx", "vocab.txt": models / NETWORK / "vocab.txt"}, script="map_atoms.py")


@pytest.fixture(scope="module")
def modules():
    sys.path.insert(0, str(ROOT / "examples/reaction"))
    yield {name: importlib.import_module(name) for name in ("smiles", "mapping")}
    sys.path.pop(0)


@pytest.fixture(scope="module")
def vocabulary(models):
    return (models / NETWORK / "vocab.txt").read_text().splitlines()


@pytest.fixture(scope="module")
def reference(models, vocabulary, modules):
    """The float network's mapping: {product's atom: reactants' atom}, confidence."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(models / NETWORK / "fp32/model.onnx"), options)

    def run(text):
        tokens = re.findall(r"\[[^]]+]|Br|Cl|>>|.", text)  # enough for these texts
        ids = np.zeros((1, LENGTH), np.int64)
        ids[0, :len(tokens) + 2] = [vocabulary.index(token) for token in ("[CLS]", *tokens, "[SEP]")]
        [attention] = session.run(["attention_10"], {"input_ids": ids, "attention_mask": (ids > 0).astype(np.int64)})
        pairs = modules["mapping"].map_atoms(modules["smiles"].parse(text), attention[0, HEAD, 1:len(tokens) + 1, 1:len(tokens) + 1])
        return {pair.product: pair.reactant for pair in pairs}, modules["mapping"].confidence(pairs)
    return run


def told(text):
    """[(reaction, {product's atom: reactants' atom}, confidence)] of what was printed."""
    result = []
    for line in text.splitlines():
        if ">>" in line:
            result.append([line, {}, None])
        elif found := LINE.match(line):
            result[-1][1][int(found[1]) - 1] = int(found[2]) - 1
        elif line.startswith("confidence "):
            result[-1][2] = float(line.split()[1])
    return result


@pytest.mark.parametrize("text, atoms, confidence", KNOWN)
def test_what_rxnmapper_says(reference, text, atoms, confidence):
    """Of the float network, to the digits that float has: this holds how attention becomes pairs."""
    pairs, sure = reference(text)
    assert pairs == dict(enumerate(atoms))
    assert sure == pytest.approx(confidence, abs=2e-6)


def test_in_eight_bits(mapper):
    said = told(mapper("model.onnx", "vocab.txt", *(text for text, *_ in KNOWN)).stdout)
    assert [(text, pairs) for text, pairs, _ in said] == [(text, dict(enumerate(atoms))) for text, atoms, _ in KNOWN]
    assert all(sure == pytest.approx(confidence, abs=0.03) for (_, _, sure), (*_, confidence) in zip(said, KNOWN))


def test_forty_reactions(mapper, models, vocabulary, reference):
    """Of USPTO, those that were not calibrated on, as the float network maps them; the manifest masked a token of each."""
    data = np.load(models / NETWORK / "masked_tokens.npz")
    texts = []
    for i in range(40):
        ids = data["input_ids"][i].copy()
        ids[data["masked_position"][i]] = data["label"][i]
        texts.append("".join(vocabulary[token] for token in ids[1:data["attention_mask"][i].sum() - 1]))
    said = told(mapper("model.onnx", "vocab.txt", *texts).stdout)
    assert [text for text, *_ in said] == texts
    wanted = [reference(text)[0] for text in texts]
    same = sum(got == want for (_, got, _), want in zip(said, wanted))
    atoms = sum(len(got.items() & want.items()) for (_, got, _), want in zip(said, wanted))
    print(f"{same} of 40 reactions, {atoms} of {sum(map(len, wanted))} atoms as in float")
    assert same >= 37 and atoms >= 0.97 * sum(map(len, wanted))


def test_the_readme_says_so(mapper):
    """Run there on RTL."""
    quoted = [line[1:].strip() for line in (ROOT / "examples/reaction/README.md").read_text().splitlines() if line.startswith("> ")]
    lines = [line.strip() for line in mapper.said.splitlines()]
    assert len(quoted) == 2 and all(line in lines for line in quoted), mapper.said
    [(_, pairs, _)] = told(mapper.said)
    assert pairs == dict(enumerate(KNOWN[1][1]))


def test_products_on_the_accelerator(mapper, tenon, models):
    model = models / NETWORK / "qop/model.onnx"
    inputs = (f"--input={name}={test_sets(model)[0] / f'input_{i}.pb'}" for i, name in enumerate(("input_ids", "attention_mask")))
    report = tenon.report(model, "--target=functional", "--check=none", *inputs)
    assert f" {report['launches']} launches" in (ROOT / "examples/reaction/README.md").read_text()
    assert report["macs"] == macs(onnx.load(model)) > 4e8


def test_the_picture(mapper):
    """A line from each atom to where it was: between the middles of their texts."""
    name = "{http://www.w3.org/2000/svg}"
    root = ElementTree.parse(mapper.folder / "mapped.svg").getroot()
    texts = [(each.text, float(each.get("x")), float(each.get("y"))) for each in root.iter(f"{name}text")]
    above, below = KNOWN[1][0].split(">>")
    heights = sorted({y for *_, y in texts})
    rows = [sorted((x, text) for text, x, y in texts if y == height) for height in heights]
    assert ["".join(text for _, text in row) for row in rows] == [above, below]
    reactants, products = ([x for x, text in row if text[0].isalpha() or text[0] == "["] for row in rows)
    lines = {(float(each.get("x1")), float(each.get("x2"))) for each in root.iter(f"{name}line")}
    assert lines == {(reactants[origin], products[atom]) for atom, origin in enumerate(KNOWN[1][1])}
    assert all(heights[0] < float(each.get("y1")) < float(each.get("y2")) < heights[1] for each in root.iter(f"{name}line"))


@pytest.mark.parametrize("text, elements, bonds", [
    ("CC(C)(O)N", "CCCON", {(0, 1), (1, 2), (1, 3), (1, 4)}),
    ("c1ccc2[nH]ccc2c1", "CCCCNCCCC", {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (3, 7), (7, 8), (0, 8)}),
    ("C%12CC(=O)C%12.[Na+]~Cl/C=C\\Br", ["C", "C", "C", "O", "C", "Na", "Cl", "C", "C", "Br"],
     {(0, 1), (1, 2), (2, 3), (2, 4), (0, 4), (6, 7), (7, 8), (8, 9)}),
    ("[13C@@H](Cl)(Br)[Si-]", ["C", "Cl", "Br", "Si"], {(0, 1), (0, 2), (0, 3)})])
def test_smiles(modules, text, elements, bonds):
    reaction = modules["smiles"].parse(f"{text}>>{text}")
    for side in (reaction.reactants, reaction.products):
        assert [atom.element for atom in side.atoms] == list(elements)
        assert {tuple(sorted(bond)) for bond in side.bonds} == bonds
    assert "".join(reaction.tokens) == f"{text}>>{text}"


@pytest.mark.parametrize("change, code, message", [
    (lambda a: a[:2], 2, "the following arguments are required: REACTION"),
    (lambda a: [*a[:2], "CCO"], 1, "map_atoms: 'CCO' is not REACTANTS>>PRODUCTS"),
    (lambda a: [*a[:2], "CX>>C"], 1, "map_atoms: 'CX>>C' is no SMILES: 'X' at character 2"),
    (lambda a: [*a[:2], "C1CC>>C"], 1, "map_atoms: 'C1CC>>C' is no SMILES: a ring or a branch does not end"),
    (lambda a: [*a[:2], "CC)C>>C"], 1, "map_atoms: 'CC)C>>C' is no SMILES: a branch ends that none began"),
    (lambda a: [*a[:2], "CC>>"], 1, "map_atoms: 'CC>>' is no SMILES: a molecule has no atom where it needs one"),
    (lambda a: [*a[:2], "[Xx]>>C"], 1, "map_atoms: '[Xx]' is not in the vocabulary"),
    (lambda a: [*a[:2], "C" * 40 + ">>" + "C" * 22], 1, "map_atoms: the reaction has 63 tokens; the network has room for 62"),
    (lambda a: [*a, "--head=8"], 1, "map_atoms: 'model.onnx' has heads 0 to 7, not 8"),
    (lambda a: [*a, "--svg=nowhere/a.svg"], 1, "map_atoms: [Errno 2] No such file or directory: 'nowhere/a.svg'"),
    (lambda a: [a[0], "nothing.txt", a[2]], 1, "map_atoms: [Errno 2] No such file or directory: 'nothing.txt'"),
    (lambda a: ["other.onnx", *a[1:]], 1, "map_atoms: 'other.onnx' does not take tokens and a mask, 1xN, and give attention, 1xHEADSxNxN")])
def test_errors(mapper, models, change, code, message):
    other = mapper.folder / "other.onnx"
    if not other.exists():
        other.write_bytes((models / "mlperftiny_resnet8/qdq/model.onnx").read_bytes())
    result = mapper(*change(["model.onnx", "vocab.txt", "CO>>CO"]), expect=code)
    assert message in result.stderr, result.stderr
    assert code == 2 or result.stderr.count("\n") == 1


def test_no_tenon(mapper, tmp_path):
    said = mapper("model.onnx", "vocab.txt", "CO>>CO", expect=4, PATH=str(tmp_path)).stderr
    assert said == "map_atoms: cannot run 'tenon' (No such file or directory): put the installation's bin into PATH\n"
