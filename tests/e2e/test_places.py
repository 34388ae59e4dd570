# Part of Tenon, under the Apache License v2.0.
"""Where every quantised network of ../shared/models runs: on the accelerator what places.json says, bit for bit as on the CPU; on the
RTL in `./dev nightly networks`, here on the functional simulator (tests/e2e/test_cycles.py has networks on the RTL).

`test_places.py NETWORK...` runs those (none: all) and writes what it finds into places.json, for a change that is meant.
"""
import json
import pathlib
import re
import sys
import tempfile

import onnx
import pytest

from conftest import MODELS, Tenon, test_sets, those_there
from layers import load_network, macs, quantised_networks
from seeds import LONG, drawn

TABLE = pathlib.Path(__file__).with_name("places.json")


def causes(layer):
    """Why a layer is on the CPU, without the names of its tensors."""
    return "; ".join(dict.fromkeys(re.sub(r"'[^']*'", "'...'", layer["reason"]).split("; ")))


def places(report, model):
    layers = {place: [layer for layer in report["layers"] if layer["placed_on"] == place] for place in ("accelerator", "cpu")}
    assert sum(map(len, layers.values())) == len(report["layers"])
    share = sum(layer["macs"] for layer in layers["accelerator"]) / macs(model)
    on_cpu = {}
    for layer in layers["cpu"]:
        on_cpu.setdefault(causes(layer), []).append(layer["name"])
    return {"accelerator_layers": len(layers["accelerator"]), "accelerator_macs": f"{100 * share:.2f} %", "launches": report["launches"],
            "cpu": [{"reason": reason, "layers": names} for reason, names in on_cpu.items()]}


def run(tenon, network, folder):
    model = load_network(network)
    onnx.save(model, folder / "model.onnx")
    data = test_sets(MODELS / network / "model.onnx")[0]
    target, checks = ("rtl", ["functional", "cpu"]) if LONG else ("functional", ["cpu"])
    report = tenon.report(folder / "model.onnx", f"--target={target}", f"--check={','.join(checks)}", f"--expect={data}", "--tolerance=0,inf",
                          timeout=1200)
    layers = [layer for layer in report["layers"] if layer["placed_on"] == "accelerator"]
    assert report["checks"]["verifier"]["status"] == "verified"
    for check in checks:
        assert report["checks"][check]["status"] == "bit-exact", report["checks"][check]
    assert report["checks"]["cpu"]["tensors"] >= len(layers)
    return places(report, model)


@pytest.mark.parametrize("network", drawn(those_there(quantised_networks()), 4))
def test_network_is_where_it_belongs(tenon, models, tmp_path, network):
    assert run(tenon, network, tmp_path) == json.loads(TABLE.read_text())[network]


def test_the_table_has_networks_that_there_are(models):
    assert sorted(json.loads(TABLE.read_text())) == quantised_networks()


def main():
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    for network in sys.argv[1:] or quantised_networks():
        with tempfile.TemporaryDirectory() as folder:
            table[network] = run(Tenon(), network, pathlib.Path(folder))
        print(network, table[network])
        TABLE.write_text(json.dumps(dict(sorted(table.items())), indent=1) + "\n")


if __name__ == "__main__":
    main()
