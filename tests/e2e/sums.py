"""The sums that every timed report keeps."""
STATES = ["busy", "token", "memory", "bank", "drain", "empty", "done"]
ENGINES = ["load", "gemm", "alu", "store"]


def assert_states_add_up(report):
    """Each engine is in exactly one state in each cycle."""
    assert report["cycles"] > 0
    for engine in ENGINES:
        assert sum(report["states"][engine][s] for s in STATES) == report["cycles"], engine


def assert_cycles_add_up(report):
    """The same over the layers of a network, and the layers' cycles."""
    assert_states_add_up(report)
    layers = [layer for layer in report["layers"] if layer["placed_on"] == "accelerator"]
    assert layers
    for engine in ENGINES:
        for state in STATES:
            assert sum(layer["states"][engine][state] for layer in layers) == report["states"][engine][state], (
                engine, state)
    assert sum(layer["cycles"] for layer in layers) == report["cycles"]
