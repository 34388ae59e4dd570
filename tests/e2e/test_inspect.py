"""`tenon inspect`: what it says of models, in text and JSON, and the picture (in headless Chromium)."""
import collections
import json
import math
import shutil
import subprocess
import sys
import time

import onnx
from onnx import TensorProto, helper
import pytest

import browser
from conftest import EXAMPLE, Tenon

MODEL = EXAMPLE / "resnet8.onnx"


def facts_of(tenon, model, *options, **more):
    return json.loads(tenon("inspect", model, "--json=-", *options, **more).stdout)


def walk(graph):
    """Every node, those in bodies included."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from walk(attribute.g)


@pytest.fixture(scope="module")
def facts(tenon):
    return facts_of(tenon, MODEL)


def test_facts_are_the_files(facts):
    model = onnx.load(MODEL)
    graph = model.graph
    counts = collections.Counter(node.op_type for node in graph.node)
    assert {each["name"]: each["count"] for each in facts["operators"]} == counts
    assert [each["count"] for each in facts["operators"]] == sorted(counts.values(), reverse=True)
    assert facts["nodes"] == len(graph.node)
    assert facts["opsets"] == {each.domain or "ai.onnx": each.version for each in model.opset_import}
    assert facts["parameters"] == sum(math.prod(each.dims) for each in graph.initializer)
    assert [each["name"] for each in facts["inputs"]] == [each.name for each in graph.input]
    assert facts["inputs"][0]["type"] == "int8" and facts["inputs"][0]["shape"] == ["1", "3", "32", "32"]
    assert [each["name"] for each in facts["outputs"]] == [each.name for each in graph.output]


def test_each_node_of_a_known_network_has_its_place(facts):
    assert facts["missing"] == [] and all(each["lowered"] for each in facts["operators"])
    places = collections.Counter(group["place"] for group in facts["groups"])
    assert places["accelerator"] > 9 and places["host"] == 1
    [host] = [group for group in facts["groups"] if group["place"] == "host"]
    softmax = [node.name for node in onnx.load(MODEL).graph.node if node.op_type == "Softmax"]
    assert set(softmax) <= set(host["nodes"]) and "float" in host["reason"]
    assert all(group["reason"] and group["cost_ms"] > 0 for group in facts["groups"])


def test_the_text_has_the_same(tenon, facts):
    text = tenon("inspect", MODEL).stdout
    assert str(MODEL) in text and "QDQ" in text and "int8, per channel and tensor" in text
    assert "parameters · " in text and "first node" in text
    for operator in facts["operators"]:
        assert any(line.split()[:3] == [operator["name"], str(operator["count"]), "yes"] for line in text.splitlines())
    for group in facts["groups"]:
        assert group["reason"] in text


@pytest.mark.parametrize("network, form, weights", [
    ("mlperftiny_resnet8/qdq", "QDQ", ["int8"]), ("mlperftiny_resnet8/fp32", "float", ["float32"]),
    ("mlperftiny_kws_dscnn/qop", "mixed", ["int8"]), ("squeezenet1.1_fp16/fp16", "float", ["float16"])])
def test_how_it_is_quantised(tenon, models, network, form, weights):
    quantization = facts_of(tenon, models / network / "model.onnx")["quantization"]
    assert quantization["form"] == form and quantization["weights"] == weights


@pytest.fixture
def lacking(tmp_path_factory):
    """A network whose activations are operators that nobody knows."""
    model = onnx.load(MODEL)
    model.opset_import.append(helper.make_opsetid("com.example", 1))
    for node in model.graph.node:
        if node.op_type == "Relu":
            node.op_type, node.domain = "Swoosh", "com.example"
    path = tmp_path_factory.mktemp("lacking") / "model.onnx"
    onnx.save(model, path)
    return path


def test_what_has_no_lowering_is_named(tenon, lacking):
    model = lacking
    facts = facts_of(tenon, model)
    names = {node.name: node.op_type for node in onnx.load(model).graph.node}
    assert facts["missing"] and facts["groups"] == [] and facts["groups_reason"] == "not every node has a lowering"
    for missing in facts["missing"]:
        assert names[missing["node"]] == missing["operator"] and missing["reason"]
    lacking = {missing["operator"] for missing in facts["missing"]}
    assert {each["name"] for each in facts["operators"] if not each["lowered"]} == lacking
    text = tenon("inspect", model).stdout
    assert "no lowering" in text and "MISSING" in text and all(missing["reason"] in text for missing in facts["missing"])


def test_open_dimensions_have_their_names(tenon, tmp_path):
    model = onnx.load(MODEL)
    model.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "batch"
    onnx.save(model, tmp_path / "open.onnx")
    assert facts_of(tenon, tmp_path / "open.onnx")["inputs"][0]["shape"] == ["batch", "3", "32", "32"]


def test_a_folder_is_surveyed(tenon, lacking, tmp_path):
    (tmp_path / "deep").mkdir()
    shutil.copy(MODEL, tmp_path / "deep/known.onnx")
    for name in ["a", "b"]:
        shutil.copy(lacking, tmp_path / f"{name}.onnx")
    (tmp_path / "broken.onnx").write_bytes(b"no model")
    survey = facts_of(tenon, tmp_path, expect=1)
    assert [each["model"] for each in survey["models"]] == [str(tmp_path / name) for name in
                                                             ["a.onnx", "b.onnx", "deep/known.onnx"]]
    assert survey["unreadable"][0]["model"] == str(tmp_path / "broken.onnx")
    assert "not an ONNX model" in survey["unreadable"][0]["reason"]
    assert survey["missing"] and survey["missing"][0]["models"] == 2
    assert [each["models"] for each in survey["missing"]] == sorted((each["models"] for each in survey["missing"]), reverse=True)
    text = tenon("inspect", tmp_path, expect=1).stdout
    assert survey["unreadable"][0]["reason"] in text and "lacks a lowering" in text and "deep/known.onnx" in text


def test_bad_input(tenon, tmp_path):
    assert f"there is no .onnx file below '{tmp_path}'" in tenon("inspect", tmp_path, expect=1).stderr
    assert "cannot read the file: No such file" in tenon("inspect", tmp_path / "x.onnx", expect=1).stderr
    assert "--report draws one model, not a folder of them" in tenon(
        "inspect", tmp_path, f"--report={tmp_path}/x.html", expect=2).stderr
    # No fact of the model, which this configuration would refuse as well.
    assert "nowhere" in tenon("inspect", EXAMPLE / "resnet8.onnx", "--config=nowhere", expect=1).stderr


def test_every_shared_model_is_inspected(tenon, models):
    survey = facts_of(tenon, models)
    found = {each["model"]: each for each in survey["models"]}
    assert survey["unreadable"] == [] and set(found) == {str(path) for path in models.rglob("*.onnx")}
    for path, facts in found.items():
        assert facts["nodes"] == len(list(walk(onnx.load(path, load_external_data=False).graph))), path
        assert facts["missing"] or facts["groups"] or facts["groups_reason"], path


def test_a_model_of_two_gigabytes_is_not_read(tmp_path):
    """Its weights are mapped, never copied: neither into what is imported nor into a program."""
    side, count = 4096, 32
    weights = [TensorProto(name=f"w{k}", data_type=TensorProto.FLOAT, dims=[side, side], data_location=TensorProto.EXTERNAL)
               for k in range(count)]
    for k, tensor in enumerate(weights):
        for key, value in (("location", "weights"), ("offset", str(k * side * side * 4)), ("length", str(side * side * 4))):
            tensor.external_data.add(key=key, value=value)
    nodes = [helper.make_node("MatMul", [f"x{k}", f"w{k}"], [f"x{k + 1}"]) for k in range(count)]
    border = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", side]) for name in ("x0", f"x{count}")]
    graph = helper.make_graph(nodes, "g", border[:1], border[1:], weights)
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    with open(tmp_path / "weights", "wb") as f:
        f.truncate(count * side * side * 4)
    limited = "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); " \
              "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)"
    begin = time.monotonic()
    done = subprocess.run([sys.executable, "-c", limited, Tenon().path, "inspect", tmp_path / "m.onnx"], capture_output=True,
                          text=True, timeout=60, check=True)
    assert time.monotonic() - begin <= 5
    assert int(done.stdout) * 1024 <= 500e6


def opened(path, **options):
    page = browser.Page(path, timeout=180, **options)
    page.wait("document.documentElement?.dataset.ready || document.documentElement?.dataset.problem")
    return page


def counts(page, selector):
    return page.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")


@pytest.fixture(scope="module")
def drawn(tenon, tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "graph.html"
    tenon("inspect", MODEL, "--report", path)
    return path


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_has_every_node_in_the_colour_of_its_place(drawn, facts, dark):
    with opened(drawn, dark=dark) as page:
        graph = onnx.load(MODEL).graph
        assert counts(page, ".node") == len(graph.node) + len(graph.input) + len(graph.output)
        assert counts(page, ".node.place-border") == len(graph.input) + len(graph.output)
        on_host = {name for group in facts["groups"] if group["place"] == "host" for name in group["nodes"]}
        assert counts(page, ".node.place-host") == len(on_host)
        colours = {place: page.evaluate(f"getComputedStyle(document.querySelector('.node.place-{place} rect')).stroke")
                   for place in ["accelerator", "host", "constant", "border"]}
        assert len(set(colours.values())) == 4
        for place, colour in colours.items():
            assert page.evaluate(f"getComputedStyle(document.querySelector('.legend .place-{place} i')).backgroundColor") == colour
        inside = page.evaluate("[...document.querySelectorAll('.node')].every((n) => n.getBBox().width > 0)")
        assert inside and counts(page, ".edge") > len(graph.node) / 2
        assert page.problems == []
        assert all(url.startswith(("file:", "data:")) for url in page.requests)


def test_a_node_is_found_and_shown(drawn):
    conv = next(node for node in onnx.load(MODEL).graph.node if node.op_type == "Conv")
    with opened(drawn) as page:
        page.evaluate(f"""(() => {{ const box = document.getElementById("search");
          box.value = {json.dumps(conv.name)}; box.dispatchEvent(new Event("input"));
          box.dispatchEvent(new KeyboardEvent("keydown", {{key: "Enter"}})); }})()""")
        text = page.evaluate("document.getElementById('details').innerText")
        assert conv.name in text and "accelerator" in text and "kernel_shape" in text and "from DequantizeLinear" in text
        assert counts(page, ".node.hit") >= 1 and counts(page, ".node.chosen") == 1
        # The node stands in the window.
        assert page.evaluate("""(() => { const n = document.querySelector(".node.chosen").getBoundingClientRect(),
          w = document.getElementById("drawing").getBoundingClientRect();
          return n.left >= w.left && n.right <= w.right && n.top >= w.top && n.bottom <= w.bottom; })()""")
        page.evaluate("document.querySelector('.node.place-host').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        assert "Softmax" in page.evaluate("document.getElementById('details').innerText")


def test_names_of_a_model_are_text(tenon, tmp_path):
    model = onnx.load(MODEL)
    model.graph.node[3].name = "<img src=x onerror=alert(1)></script>"
    onnx.save(model, tmp_path / "x.onnx")
    tenon("inspect", tmp_path / "x.onnx", "--report", tmp_path / "x.html")
    with opened(tmp_path / "x.html") as page:
        assert page.problems == [] and counts(page, "img") == 0
