"""Traces, the page they become (in headless Chromium) and the trace for Perfetto."""
import json
import re
import struct
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import pytest

import browser
from conftest import EXAMPLE, ROOT, SHARED
from test_split import SCALE, ZERO, Builder, split_model

MODEL = EXAMPLE / "resnet8.onnx"
ENGINES = ["load", "gemm", "alu", "store"]
STATES = ["busy", "token", "memory", "bank", "drain", "empty", "done"]


class Traced:
    """A run with all its files."""

    def __init__(self, tenon, folder, model, *options):
        folder.mkdir(parents=True, exist_ok=True)
        self.page, self.trace = folder / "report.html", folder / "run.trace"
        self.out = tenon("run", model, "--report", self.page, "--trace", self.trace, "--json", folder / "report.json",
                         *options, timeout=900).stdout
        self.report = json.loads((folder / "report.json").read_text())
        self.layers = [layer for layer in self.report["layers"] if layer["placed_on"] == "accelerator"]


@pytest.fixture(scope="module")
def run(tenon, tmp_path_factory):
    return Traced(tenon, tmp_path_factory.mktemp("report") / "out", MODEL)


@pytest.fixture(scope="module")
def other(tenon, tmp_path_factory):
    return Traced(tenon, tmp_path_factory.mktemp("other"), MODEL, "--virtual-threads=1", "--check=none")


def opened(path, **options):
    page = browser.Page(path, **options)
    page.wait("document.documentElement?.dataset.ready || document.documentElement?.dataset.problem")
    return page


def texts(page, selector):
    return page.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")


def values(page, selector):
    """data-value of every element, as numbers."""
    found = page.evaluate(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.dataset.value)")
    return [float(value) for value in found]


def test_files_of_a_run(run, tenon, tmp_path):
    assert run.report["report"] == str(run.page)
    assert re.search(rf"^  report +{re.escape(str(run.page))}$", run.out, re.M)
    # The trace holds the whole report: the verb says what the run said.
    again = tenon("report", run.trace, "--json", tmp_path / "again.json").stdout
    assert json.loads((tmp_path / "again.json").read_text()) == run.report
    assert again == run.out
    assert run.trace.stat().st_size < 100_000


def test_equal_traces_are_equal_files(run, other, tenon, tmp_path):
    """Byte for byte, each from a process of its own."""
    for traces in [[run.trace], [run.trace, other.trace]]:
        made = []
        for _ in range(2):
            tenon("report", *traces, "-o", "x.html", "--perfetto=x.pftrace", "--json=x.json", cwd=tmp_path)
            made.append([(tmp_path / name).read_bytes() for name in ["x.html", "x.pftrace", "x.json"]])
        assert made[0] == made[1] and all(made[0])


def test_sentences_are_in_the_json(run):
    for layer in run.layers:
        assert layer["limit"], layer["name"]
        assert layer["bound_cycles"] == max(layer["compute_cycles"], layer["read_cycles"], layer["write_cycles"])
    assert any("% of the GEMM bound" in layer["limit"] for layer in run.layers)


def test_the_page_shows_the_numbers_of_the_json(run):
    with opened(run.page) as page:
        report = run.report
        for key in ["cycles", "time_ms", "utilization", "bound_cycles", "macs"]:
            assert values(page, f"#summary [data-key={key}]") == [report[key]]
        assert texts(page, "#summary [data-key=cycles]") == [f"{report['cycles']:,}"]
        for key in ["cycles", "bound_cycles", "utilization", "read_bytes", "write_bytes"]:
            assert values(page, f"#layers td[data-key={key}][data-value]") == [layer[key] for layer in run.layers], key
        assert texts(page, "#layers td[data-key=name]") == [layer["name"] for layer in report["layers"]]
        assert texts(page, "#layers td[data-key=limit]")[:len(run.layers)] == [layer["limit"] for layer in run.layers]
        body = page.evaluate("document.body.innerText")
        assert "bit-exact (12 tensors)" in body and report["memory"] in body
        assert all(step["name"] in body for step in report["host_steps"])
        shown = texts(page, "#schedules pre")
        assert all(any(layer["schedule"] in text for text in shown) for layer in run.layers)
        assert page.problems == []
        assert all(url.startswith(("file:", "data:")) for url in page.requests)


def test_the_timeline_accounts_for_every_cycle(run):
    with opened(run.page) as page:
        script = """ENGINES.map((engine, e) => {
          const shares = new Float64Array(7), lane = timeline.runs[0].launches[0].lanes[e];
          lane.addUpTo(%s, shares, 1);
          lane.addUpTo(%s, shares, -1);
          return [...shares];
        })"""
        whole = page.evaluate(script % ("timeline.cycles", 0))
        for engine, shares in zip(ENGINES, whole):
            assert shares == [run.report["states"][engine][state] for state in STATES]
        # Any window is full, and windows side by side make the whole.
        parts = [page.evaluate(script % (begin + 4321, begin)) for begin in range(0, 43210, 4321)]
        for part in parts:
            assert all(sum(shares) == pytest.approx(4321) for shares in part)
        upto = page.evaluate(script % (43210, 0))
        for e in range(4):
            assert [sum(part[e][s] for part in parts) for s in range(7)] == pytest.approx(upto[e])


def test_a_program_without_layers_has_its_pictures(tenon, tmp_path):
    """Assembled by hand; GEMM and LOAD are through before FINISH is fetched."""
    tenon("asm", ROOT / "tests/programs/residual_addition.tasm", "-o", tmp_path / "p.tenon")
    run = Traced(tenon, tmp_path / "out", tmp_path / "p.tenon", "--target=tlm")
    assert run.layers == [] and run.report["states"]["gemm"]["empty"] > 0
    tenon("report", run.trace, "--perfetto", tmp_path / "p.pftrace")
    with opened(run.page) as page:
        for e, engine in enumerate(ENGINES):
            shares = page.evaluate(f"""(() => {{ const shares = new Float64Array(7);
              timeline.runs[0].launches[0].lanes[{e}].addUpTo(timeline.cycles, shares, 1); return [...shares]; }})()""")
            assert shares == [run.report["states"][engine][state] for state in STATES]
            sums = page.evaluate(f"""[...Array(20).keys()].map((i) => {{ const shares = new Float64Array(7);
              timeline.runs[0].launches[0].lanes[{e}].addUpTo(10 * i, shares, 1); return shares.reduce((a, b) => a + b, 0); }})""")
            assert sums == [min(10 * i, run.report["cycles"]) for i in range(20)]
        assert page.problems == []


def test_launches_follow_each_other(tenon, tmp_path):
    onnx.save(split_model(), tmp_path / "split.onnx")
    run = Traced(tenon, tmp_path / "out", tmp_path / "split.onnx", "--target=tlm", "--check=none")
    assert run.report["launches"] == 2
    with opened(run.page) as page:
        assert page.evaluate("timeline.cycles") == run.report["cycles"]
        for e, engine in enumerate(ENGINES):
            shares = page.evaluate(f"""(() => {{ const shares = new Float64Array(7);
              for (const launch of timeline.runs[0].launches) launch.lanes[{e}].addUpTo(timeline.cycles, shares, 1);
              return [...shares]; }})()""")
            assert shares == [run.report["states"][engine][state] for state in STATES]
        spans = page.evaluate("timeline.runs[0].spans()")
        assert [span["name"] for span in spans] == [layer["name"] for layer in run.layers]
        assert spans[0]["begin"] == 0 and spans[-1]["end"] == run.report["cycles"]
        assert all(a["end"] == b["begin"] for a, b in zip(spans, spans[1:]))
        assert page.problems == []


# Share of a lane's pixels that have the colour of a state.
SHARE = """((engine, state) => {
  const row = timeline.rows.find((row) => row.engine === engine), ratio = devicePixelRatio, c = document.getElementById("timeline");
  const copy = new OffscreenCanvas(c.width, c.height).getContext("2d", {willReadFrequently: true});
  copy.drawImage(c, 0, 0);
  const d = copy.getImageData(LEFT * ratio, row.y * ratio, timeline.plotWidth * ratio, row.height * ratio).data;
  const colour = colours().states[STATES.indexOf(state)].match(/[0-9a-f]{2}/g).map((digits) => parseInt(digits, 16));
  let count = 0;
  for (let i = 0; i < d.length; i += 4) if (colour.every((value, k) => Math.abs(d[i + k] - value) <= 1)) ++count;
  return 4 * count / d.length;
})"""


@pytest.mark.parametrize("dark", [False, True])
def test_the_timeline_is_drawn_and_follows_the_mouse(run, dark):
    with opened(run.page, dark=dark) as page:
        for engine, state in [("gemm", "busy"), ("alu", "token")]:
            share = run.report["states"][engine][state] / run.report["cycles"]
            assert page.evaluate(f"{SHARE}('{engine}', '{state}')") == pytest.approx(share, abs=0.06)
        window = lambda: page.evaluate("[timeline.begin, timeline.end]")
        cycles = run.report["cycles"]
        assert window() == [0, cycles]
        box = page.evaluate("(({left, top}) => [left, top])(document.getElementById('timeline').getBoundingClientRect())")
        band = page.evaluate("(() => { const r = timeline.rows.find((r) => r.kind === 'band'); return r.y + r.height / 2; })()")
        span = page.evaluate("timeline.runs[0].spans()[2]")
        middle = page.evaluate(f"timeline.x({(span['begin'] + span['end']) / 2})")
        page.click(box[0] + middle, box[1] + band)  # a layer: zooms to it
        begin, end = window()
        assert 0 < begin < span["begin"] and span["end"] < end < cycles
        assert texts(page, "#layers tr.hot td[data-key=name]") == [span["name"]]
        page.evaluate("timeline.show(9000, 10000)")
        page.wait("timeline.pending === false")
        # Close up GEMM is busy throughout, but for edges and names.
        assert page.evaluate("timeline.closeUp") is True
        assert page.evaluate(f"{SHARE}('gemm', 'busy')") > 0.8
        lane = page.evaluate("timeline.rows[1].y") + 10  # GEMM
        page.mouse("mouseMoved", box[0] + 700, box[1] + lane)
        tip = page.evaluate("document.getElementById('tip').hidden ? '' : document.getElementById('tip').innerText")
        assert re.search(r"GEMM \d+", tip) and "cycles" in tip and re.search(r"^(gemm|set) ", tip, re.M), tip
        page.mouse("mousePressed", box[0] + 700, box[1] + lane, button="left", clickCount=1)
        page.mouse("mouseMoved", box[0] + 600, box[1] + lane, button="left", buttons=1)
        page.mouse("mouseReleased", box[0] + 600, box[1] + lane, button="left", clickCount=1)
        begin, end = window()
        assert begin > 9000 and end - begin == pytest.approx(1000)
        page.evaluate("document.querySelector('[data-do=fit]').click()")
        assert window() == [0, cycles]
        assert page.problems == []


def test_layers_can_be_sorted(run):
    with opened(run.page) as page:
        page.evaluate("document.querySelectorAll('#layers th button')[2].click()")
        assert values(page, "#layers td[data-key=cycles][data-value]") == sorted((layer["cycles"] for layer in run.layers), reverse=True)
        page.evaluate("document.querySelectorAll('#layers th button')[2].click()")
        assert values(page, "#layers td[data-key=cycles][data-value]") == sorted(layer["cycles"] for layer in run.layers)


def test_two_runs_as_text_and_json(run, other, tenon):
    text = tenon("report", run.trace, other.trace).stdout
    for a, b in zip(run.layers, other.layers):
        assert re.search(rf"^  {a['name']} +{a['cycles']:,} +{b['cycles']:,} +{b['cycles'] / a['cycles']:.3f}$", text, re.M)
    both = json.loads(tenon("report", run.trace, other.trace, "--json=-").stdout)
    assert both["a"]["cycles"] == run.report["cycles"] and both["b"]["cycles"] == other.report["cycles"]
    assert both["ratio"] == pytest.approx(other.report["cycles"] / run.report["cycles"])
    assert [layer["name"] for layer in both["layers"]] == [layer["name"] for layer in run.layers]


def test_two_runs_on_one_page(run, other, tenon, tmp_path):
    tenon("report", run.trace, other.trace, "-o", tmp_path / "both.html")
    with opened(tmp_path / "both.html") as page:
        assert values(page, "#summary [data-key=cycles]") == [run.report["cycles"], other.report["cycles"]]
        assert values(page, "#layers td[data-key=cycles_a]") == [layer["cycles"] for layer in run.layers]
        assert values(page, "#layers td[data-key=cycles_b]") == [layer["cycles"] for layer in other.layers]
        ratios = values(page, "#layers tbody td[data-key=ratio]")
        assert ratios == pytest.approx([b["cycles"] / a["cycles"] for a, b in zip(run.layers, other.layers)])
        assert page.evaluate("timeline.rows.filter((row) => row.kind === 'lane').length") == 8
        assert page.evaluate("timeline.cycles") == max(run.report["cycles"], other.report["cycles"])
        assert page.evaluate("Chart.getChart('roofline').data.datasets.filter((set) => set.type === 'scatter').length") == 2
        assert page.problems == []


def test_names_with_html_stay_text(tenon, tmp_path):
    evil = "</script><script>document.title='broken'</script><img src=x onerror=document.title='broken'>"
    model = onnx.load(MODEL)
    for node in model.graph.node:
        node.name = evil + node.name
    name = "<img src=x onerror=document.title='broken'>.onnx"
    onnx.save(model, tmp_path / name)
    run = Traced(tenon, tmp_path / "out", tmp_path / name, "--check=none")
    assert "</script><script>document" not in run.page.read_text()
    with opened(run.page) as page:
        assert page.evaluate("document.title") == f"{name} · pynq · rtl"
        assert page.evaluate("document.images.length") == 0
        assert texts(page, "h1") == [name]
        assert any(evil in text for text in texts(page, "#schedules pre"))
        page.mouse("mouseMoved", 700, 500)
        assert page.evaluate("document.images.length") == 0
        assert page.problems == []


def test_values_that_are_no_numbers(tenon, tmp_path):
    """1 / 0 leads the answer; protobuf's JSON has it as text."""
    b = Builder()
    b.convolution("conv", "x", "a", (8, 8), 3, (0.02, -3), (SCALE, ZERO))
    b.quantisation("DequantizeLinear", "a", "real")
    b.nodes.append(helper.make_node("Reciprocal", ["real"], ["y"], name="reciprocal"))
    model = b.model([1, 8, 9, 11], [1, 8, 9, 11])
    model.graph.output[0].type.tensor_type.elem_type = TensorProto.FLOAT
    onnx.save(model, tmp_path / "model.onnx")
    (tmp_path / "set").mkdir()
    x = np.random.default_rng(5).integers(-128, 128, (1, 8, 9, 11)).astype(np.int8)
    np.save(tmp_path / "x.npy", x)
    tenon("run", tmp_path / "model.onnx", "--target=functional", "--check=none", f"--input={tmp_path}/x.npy", f"--output-dir={tmp_path}")
    y = np.load(tmp_path / "output_0.npy")
    assert np.isinf(y).any()
    y.flat[np.flatnonzero(np.isfinite(y))[0]] += 1
    for name, array in (("input_0", x), ("output_0", y)):
        (tmp_path / "set" / f"{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())
    run = Traced(tenon, tmp_path / "out", tmp_path / "model.onnx", "--target=tlm", "--check=none", f"--expect={tmp_path}/set", "--tolerance=0,2")
    assert run.report["answer"][0]["score"] == "Infinity"
    with opened(run.page) as page:
        assert page.evaluate("document.documentElement.dataset.problem ?? ''") == ""
        body = page.evaluate("document.body.innerText")
        assert f"{y.size} of {y.size} values within 2 of expected, differs by up to 1, top-1 same" in body, body
        assert "Infinity" in body
        assert page.problems == []


def fields(data):
    """(number, value) of a protobuf message; nested messages and strings as bytes."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            value = varint()
        elif kind == 1:
            value, at = data[at:at + 8], at + 8
        else:
            assert kind == 2, kind
            size = varint()
            value, at = data[at:at + size], at + size
        yield key >> 3, value


def test_perfetto_trace(run, tenon, tmp_path):
    """Decoded with the field numbers of Perfetto's own schema (protos/perfetto/trace)."""
    tenon("report", run.trace, "--perfetto", tmp_path / "run.pftrace")
    tracks, slices, open_slices, flows, counters = {}, {}, {}, [[], []], {}
    packets = []
    for number, packet in fields((tmp_path / "run.pftrace").read_bytes()):
        assert number == 1  # Trace.packet
        packets.append(dict(fields(packet)))
    for packet in sorted(packets, key=lambda packet: packet[8]):  # as Perfetto takes them: by timestamp, else as they stand
        assert packet[10] == 1  # trusted_packet_sequence_id
        if 60 in packet:  # track_descriptor: uuid 1, name 2
            descriptor = dict(fields(packet[60]))
            tracks[descriptor[1]] = descriptor[2].decode()
            continue
        event, many = dict(fields(packet[11])), list(fields(packet[11]))  # track_event
        track, time = tracks[event[11]], packet[8]  # track_uuid, timestamp
        stack = open_slices.setdefault(track, [])
        if event[9] == 1:  # type: slice begin; name 23
            stack.append((time, event[23].decode()))
            for side, flow in [(0, 47), (1, 48)]:  # flow_ids, terminating_flow_ids
                flows[side] += [struct.unpack("<Q", value)[0] for key, value in many if key == flow]
        elif event[9] == 2:
            begin, name = stack.pop()
            slices.setdefault(track, []).append((begin, time, name))
        else:
            assert event[9] == 4
            counters.setdefault(track, []).append(struct.unpack("<d", event[44])[0])
    assert not any(open_slices.values())
    nanoseconds = 1000 / run.report["clock_mhz"]
    for engine in ENGINES:
        found = slices[engine.upper()]
        busy, empty = (sum(end - begin for begin, end, name in found if name == state) for state in ("busy", "empty"))
        tokens = sum(end - begin for begin, end, name in found if name.startswith(("token from", "room to")))
        assert busy == run.report["states"][engine]["busy"] * nanoseconds
        assert empty == run.report["states"][engine]["empty"] * nanoseconds
        assert tokens == run.report["states"][engine]["token"] * nanoseconds
    assert sum(end - begin for begin, end, _ in slices["layers"]) == run.report["cycles"] * nanoseconds
    assert {name for _, _, name in slices["layers"]} == {layer["name"] for layer in run.layers}
    assert flows[0] and sorted(flows[0]) == sorted(flows[1]) == sorted(set(flows[0]))
    assert {"port: load", "port: store", "port: fetch", "occupied: inp"} <= set(counters)
    assert max(counters["port: load"]) <= run.report["beat_bytes"]


def test_traffic_is_that_of_the_report(run, tenon, tmp_path):
    """Bytes in the page's curves add up to the layers' bytes."""
    with opened(run.page) as page:
        load, store = page.evaluate("""["load", "store"].map((kind) => timeline.runs[0].launches.reduce((sum, launch) =>
          sum + launch.traffic.beat_bytes * launch.traffic[kind].reduce((a, b) => a + b, 0), 0))""")
    assert load == sum(layer["read_bytes"] for layer in run.layers)
    assert store == sum(layer["write_bytes"] for layer in run.layers)


def product(folder, name, columns):
    """A float product and an erf behind it."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"], name="product"), helper.make_node("Erf", ["p"], ["y"], name="erf")]
    weights = numpy_helper.from_array(np.ones((64, columns), np.float32), "w")
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, [48, 64])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [48, columns])], [weights])
    path = folder / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=7), path)
    return path


def profiled(tenon, folder, name, columns):
    tenon("bench", product(folder, name, columns), "--runs=5", "--seconds=0", "--warm-up=0", "--report", folder / f"{name}.html",
          "--trace", folder / f"{name}.trace")
    report = json.loads(tenon("report", folder / f"{name}.trace", "--json=-").stdout)
    return folder / f"{name}.html", folder / f"{name}.trace", report


def test_a_run_on_the_cpu_has_its_loop_nests(tenon, tmp_path):
    path, trace, report = profiled(tenon, tmp_path, "narrow", 32)
    (step,) = report["host_steps"]
    nests = step["nests"]
    assert {"product", "erf"} == {node for nest in nests for node in nest["nodes"]}
    assert sum(nest["operations"] for nest in nests if "product" in nest["nodes"]) >= 2 * 48 * 64 * 32
    assert all(nest["limit"] in ("arithmetic", "memory") for nest in nests if nest["bound_ms"])
    assert sum(nest["share"] for nest in nests) == pytest.approx(1)
    ends = [nest["begin_ms"] + nest["ms"] for nest in nests]
    assert all(end <= nest["begin_ms"] for end, nest in zip(ends, nests[1:])) and ends[-1] <= step["ms"]
    with opened(path) as page:
        assert values(page, "#summary [data-key=host_ms]") == [step["ms"]]
        assert values(page, ".nest-table td[data-key=ms]") == sorted((nest["ms"] for nest in nests), reverse=True)
        assert page.evaluate("document.querySelectorAll('.nests i').length") == len(nests)
        assert [page.evaluate(f"document.getElementById('{id}').hidden") for id in ["time", "by-layer", "host"]] == [True, True, False]
        assert "median is" in page.evaluate("document.body.innerText")
        assert page.problems == []
    tenon("report", trace, "--perfetto", tmp_path / "x.pftrace")
    assert b"product" in (tmp_path / "x.pftrace").read_bytes()
    assert "loop nests" in tenon("report", trace).stdout


def test_two_runs_on_the_cpu_are_compared_by_nodes(tenon, tmp_path):
    _, a, of_a = profiled(tenon, tmp_path, "narrow", 32)
    _, b, of_b = profiled(tenon, tmp_path, "wide", 512)
    compared = json.loads(tenon("report", a, b, "--json=-").stdout)
    both = {nest["name"]: nest for nest in compared["nests"]}
    sums = [{}, {}]
    for side, report in zip(sums, [of_a, of_b]):
        for nest in report["host_steps"][0]["nests"]:
            name = " ".join(nest["nodes"]) or nest["function"]
            side[name] = side.get(name, 0) + nest["ms"]
    assert {name: nest["ms_a"] for name, nest in both.items() if nest["ms_a"]} == pytest.approx(sums[0])
    assert {name: nest["ms_b"] for name, nest in both.items() if nest["ms_b"]} == pytest.approx(sums[1])
    assert compared["host_ratio"] == pytest.approx(of_b["host_steps"][0]["ms"] / of_a["host_steps"][0]["ms"])
    text = tenon("report", a, b, "-o", tmp_path / "both.html").stdout
    assert "loop nest" in text and "cycles" not in text
    with opened(tmp_path / "both.html") as page:
        assert set(texts(page, ".nest-table tbody td[data-key=name]")) == set(both)
        assert page.problems == []


def test_a_run_on_the_cpu_beside_one_of_the_accelerator(tenon, run, tmp_path):
    _, trace, _ = profiled(tenon, tmp_path, "narrow", 32)
    for first, second in ((trace, run.trace), (run.trace, trace)):
        tenon("report", first, second, "-o", tmp_path / "both.html", "--perfetto", tmp_path / "both.pftrace")
        with opened(tmp_path / "both.html") as page:
            assert page.problems == [] and page.evaluate("document.documentElement.dataset.problem ?? ''") == ""
            assert page.evaluate("timeline.cycles") == run.report["cycles"]
            assert texts(page, "#layers td[data-key=name]") == [layer["name"] for layer in run.report["layers"]]


def test_host_steps_stand_between_launches(tenon, tmp_path):
    """The page and the trace of one program, of which the host computes the middle."""
    onnx.save(split_model(), tmp_path / "split.onnx")
    run = Traced(tenon, tmp_path / "out", tmp_path / "split.onnx", "--target=tlm", "--check=none")
    kernels = [step for step in run.report["host_steps"] if step["nests"]]
    assert [step["launches_before"] for step in kernels] == [1]
    orders = [step["launches_before"] for step in run.report["host_steps"]]
    assert orders == sorted(orders) and orders[0] == 0 and orders[-1] == 2
    with opened(run.page) as page:
        assert page.evaluate("document.querySelectorAll('.nests i').length") == sum(len(step["nests"]) for step in kernels)
        assert page.evaluate("timeline.cycles") == run.report["cycles"]
        assert page.problems == []


@pytest.mark.parametrize("target", ["functional", "cpu"])
@pytest.mark.parametrize("option", ["--report", "--trace"])
def test_a_target_without_time_is_refused(tenon, tmp_path, target, option):
    result = tenon("run", MODEL, f"--target={target}", option, tmp_path / "x", expect=2)
    assert "need a target with time" in result.stderr and target in result.stderr
    assert not (tmp_path / "x").exists()


def test_bad_traces_give_one_error(run, tenon, tmp_path):
    bad = tmp_path / "bad.trace"
    for content, message in [(b"", "not a trace"), (b"hello", "not a trace"), (run.trace.read_bytes()[:-100], "truncated")]:
        bad.write_bytes(content)
        result = tenon("report", bad, "-o", tmp_path / "out.html", expect=1)
        assert message in result.stderr and str(bad) in result.stderr and len(result.stderr.splitlines()) == 1
        assert not (tmp_path / "out.html").exists()
    assert "missing.trace" in tenon("report", tmp_path / "missing.trace", expect=1).stderr
    assert "no/such" in tenon("report", run.trace, "-o", "/no/such/folder/x.html", expect=1).stderr


def test_resnet18_opens_in_two_seconds(tenon, tmp_path):
    recipe = SHARED / "tools" / "make_resnet18.py"
    if not recipe.is_file():
        pytest.skip("../shared/tools/make_resnet18.py is not there")
    subprocess.run([sys.executable, recipe, tmp_path], check=True, capture_output=True)
    run = Traced(tenon, tmp_path / "out", tmp_path / "model.onnx", "--check=none")
    assert run.page.stat().st_size < 10_000_000
    with opened(run.page) as page:
        ready = float(page.evaluate("document.documentElement.dataset.ready"))
        print(f"{run.page.stat().st_size:,} bytes, painted after {ready:.0f} ms")
        assert ready < 2000
        assert values(page, "#layers td[data-key=cycles][data-value]") == [layer["cycles"] for layer in run.layers]
        assert page.problems == []
