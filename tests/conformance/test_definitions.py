# Part of Tenon, under the Apache License v2.0.
"""Operators that others define: each model, expanded down to operators that nothing defines, is to compute in onnxruntime what
onnxruntime computes of the operator itself: the definition alone.  So is the model through Tenon on the CPU: the whole way.
"""
import numpy as np
import onnx
import pytest


from lowering import by_onnxruntime, model_of, run
from test_read import round_trip

R = np.random.default_rng(7)
MICROSOFT = [("com.microsoft", 1)]
KINDS = {"float32": "float", "float16": "float16", "int64": "int64", "int32": "int32", "uint8": "uint8", "int8": "int8", "bool": "bool",
         "uint16": "uint16", "int16": "int16"}


def normal(*shape, dtype=np.float32):
    return R.normal(size=shape).astype(dtype)


def bytes_of(kind, *shape, least=None, most=None):
    info = np.iinfo(kind)
    return R.integers(info.min if least is None else least, info.max if most is None else most, shape, dtype=kind, endpoint=True)


def weights(*shape):
    """Signed bytes: of products with unsigned ones onnxruntime adds two in 16 bits where a processor has no better instruction, and
    2 * 255 * 64 fit."""
    return bytes_of("int8", *shape, least=-64, most=63)


def declared(name, value):
    shape = f"[{','.join(map(str, value.shape))}]" if value.shape else ""
    return f"{KINDS[value.dtype.name]}{shape} {name}"


def model(call, inputs, constants=None, outputs=("y",), domain=MICROSOFT, opset=23):
    """A graph of one call with what it reads; the types of its outputs are left open."""
    given = ", ".join(declared(name, np.asarray(value)) for name, value in inputs.items())
    results = ", ".join(f"float[] {name}" for name in outputs)
    made = model_of(f"main ({given}) => ({results}) {{ {call} }}", opset=opset, others=domain, constants=constants)
    for value in made.graph.output:
        value.ClearField("type")
    return made


def expanded(folder, built):
    path = folder / "model.onnx"
    onnx.save(built, path)
    done = round_trip(folder, [path], "--normalize")
    assert done.returncode == 0, done.stdout + done.stderr
    other = onnx.load(folder / "0" / "written.onnx")
    for used in other.opset_import:
        if used.domain == "":
            used.version = 23  # each node has its newest form
    return other


def typed(built, outputs):
    """The model with the types of its outputs, as a program has to have them."""
    made = onnx.ModelProto()
    made.CopyFrom(built)
    for value, array in zip(made.graph.output, outputs):
        value.CopyFrom(onnx.helper.make_tensor_value_info(value.name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape))
    return made


def compare(outputs, have, want, rtol, atol, off_by):
    for name, b, a in zip(outputs, have, want, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), name
        if a.dtype.kind in "iu":
            assert np.abs(a.astype(np.int64) - b).max(initial=0) <= off_by, name
        else:
            np.testing.assert_allclose(b.astype(np.float64), a.astype(np.float64), rtol=rtol, atol=atol, err_msg=name)


def check(folder, call, inputs, constants=None, outputs=("y",), want=None, rtol=2e-5, atol=2e-5, off_by=0, **options):
    """`off_by`: a rounding of the last step, for integers.  `want`: where onnxruntime does not run the operator on a CPU."""
    built = model(call, inputs, constants, outputs, **options)
    want = want or by_onnxruntime(built, inputs)
    other = expanded(folder, built)
    assert all(node.domain == "" for node in other.graph.node), {node.op_type for node in other.graph.node}
    compare(outputs, by_onnxruntime(other, inputs), want, rtol, atol, off_by)
    done, found = run(typed(built, want), inputs)
    assert done.returncode == 0, done.stderr[-2000:]
    compare(outputs, found, want, rtol, atol, off_by)


X = normal(2, 3, 8)

# Activations


@pytest.mark.parametrize("call, constants", [
    ("y = com.microsoft.Gelu (x)", {}),
    ("y = com.microsoft.FastGelu (x)", {}),
    ("y = com.microsoft.FastGelu (x, b)", {"b": normal(8)}),
    ("y = com.microsoft.QuickGelu (x)", {}),
    ("y = com.microsoft.QuickGelu <alpha = 1.5> (x)", {}),
    ("y = com.microsoft.BiasGelu (x, b)", {"b": normal(8)}),
])
def test_activations(tmp_path, call, constants):
    # The float arithmetic of onnxruntime's FastGelu is an approximation of tanh.
    check(tmp_path, call, {"x": X}, constants, atol=2e-4)


def test_softmax_with_a_bias(tmp_path):
    b = normal(2, 3, 8)
    power = np.exp((X + b).reshape(2, 24))
    check(tmp_path, "y = com.microsoft.BiasSoftmax <axis = 1, is_inner_broadcast = 1> (x, b)", {"x": X}, {"b": b},
          want=[(power / power.sum(1, keepdims=True)).reshape(X.shape)])


# Normalisations


@pytest.mark.parametrize("call, constants, outputs", [
    ("y = SimplifiedLayerNormalization <epsilon = 0.001> (x, g)", {"g": normal(8)}, ["y"]),
    ("y, i = SimplifiedLayerNormalization (x, g)", {"g": normal(8)}, ["y", "i"]),
    ("y = com.microsoft.SkipLayerNormalization (x, x, g)", {"g": normal(8)}, ["y"]),
    ("y = com.microsoft.SkipLayerNormalization <epsilon = 0.01> (x, s, g, b, c)",
     {"s": normal(2, 3, 8), "g": normal(8), "b": normal(8), "c": normal(8)}, ["y"]),
    ('y, "", "", s4 = com.microsoft.SkipLayerNormalization (x, s, g, b)', {"s": normal(2, 3, 8), "g": normal(8), "b": normal(8)}, ["y", "s4"]),
    ("y = com.microsoft.SkipSimplifiedLayerNormalization (x, s, g)", {"s": normal(2, 3, 8), "g": normal(8)}, ["y"]),
    ('y, "", "", t = com.microsoft.SkipSimplifiedLayerNormalization (x, s, g, b)', {"s": normal(2, 3, 8), "g": normal(8), "b": normal(8)}, ["y", "t"]),
])
def test_normalisations(tmp_path, call, constants, outputs):
    check(tmp_path, call, {"x": X}, constants, outputs, atol=1e-4)


def test_layer_normalisation_before_onnx_had_it(tmp_path):
    check(tmp_path, "y = LayerNormalization <axis = -1> (x, g, b)", {"x": X}, {"g": normal(8), "b": normal(8)}, opset=13, atol=1e-4)


EMBEDDINGS = {"words": normal(10, 8), "places": normal(6, 8), "parts": normal(2, 8), "g": normal(8), "b": normal(8)}


@pytest.mark.parametrize("inputs, outputs", [
    ("ids, segments, words, places, parts, g, b", ["y", "index"]),
    ('ids, "", words, places, "", g, b', ["y", "index"]),
    ("ids, segments, words, places, parts, g, b, mask", ["y", "index"]),
    ('ids, segments, words, places, parts, g, b, "", at', ["y", "index", "total"]),
])
def test_embeddings(tmp_path, inputs, outputs):
    values = {"ids": bytes_of("int32", 2, 4, least=0, most=9), "segments": bytes_of("int32", 2, 4, least=0, most=1),
              "mask": np.int32([[1, 1, 1, 0], [1, 1, 0, 0]]), "at": np.int32([[3, 1, 0, 5], [2, 2, 1, 4]])}
    check(tmp_path, f"{', '.join(outputs)} = com.microsoft.EmbedLayerNormalization ({inputs})",
          {name: value for name, value in values.items() if name in inputs}, EMBEDDINGS, outputs, atol=1e-4)


# Products


@pytest.mark.parametrize("attributes, a, b", [
    ("", (3, 4), (4, 5)), ("<alpha = 0.5>", (2, 3, 4), (2, 4, 5)), ("<transA = 1>", (4, 3), (4, 5)), ("<transB = 1>", (2, 3, 4), (5, 4)),
    ("<transA = 1, transB = 1>", (2, 4, 3), (2, 5, 4)), ("<transBatchA = 1>", (3, 2, 4), (2, 4, 5)),
    ("<transBatchA = 1, transA = 1, transBatchB = 1>", (4, 2, 3), (4, 2, 5)),
])
def test_fused_matrix_product(tmp_path, attributes, a, b):
    check(tmp_path, f"y = com.microsoft.FusedMatMul {attributes} (a, b)", {"a": normal(*a), "b": normal(*b)})


@pytest.mark.parametrize("activation", ['activation = "Relu"', 'activation = "LeakyRelu", activation_alpha = 0.3', 'activation = "Tanh"',
                                        'activation = "HardSigmoid", activation_alpha = 0.3, activation_beta = 0.4'])
def test_fused_gemm(tmp_path, activation):
    check(tmp_path, f"y = com.microsoft.FusedGemm <alpha = 0.5, transB = 1, {activation}> (a, b, c)",
          {"a": normal(3, 4)}, {"b": normal(5, 4), "c": normal(5)})


@pytest.mark.parametrize("activation", ['activation = "Relu"', 'activation = "Clip", activation_params = [-0.2, 0.4]',
                                        'activation = "LeakyRelu", activation_params = [0.2]'])
def test_fused_convolution(tmp_path, activation):
    check(tmp_path, f"y = com.microsoft.FusedConv <{activation}, strides = [2, 2], pads = [1, 1, 1, 1]> (x, w, b)",
          {"x": normal(1, 3, 6, 6)}, {"w": normal(4, 3, 3, 3), "b": normal(4)})

def test_fused_convolution_with_a_sum(tmp_path):
    check(tmp_path, 'y = com.microsoft.FusedConv <activation = "Relu"> (x, w, b, z)',
          {"x": normal(1, 3, 6, 6), "z": normal(1, 4, 4, 4)}, {"w": normal(4, 3, 3, 3), "b": normal(4)})


@pytest.mark.parametrize("bits, block, zeros, k", [(4, 16, None, 32), (4, 16, "packed", 32), (4, 16, "real", 48), (8, 32, None, 64),
                                                   (8, 32, "packed", 64), (4, 32, "packed", 40)])
def test_packed_weights(tmp_path, bits, block, zeros, k):
    n, blocks = 5, -(-k // block)
    constants = {"b": bytes_of("uint8", n, blocks, block * bits // 8), "s": np.abs(normal(n * blocks)) / 10}
    inputs = "a, b, s"
    if zeros:
        constants["z"] = (bytes_of("uint8", n * -(-blocks * bits // 8)) if zeros == "packed" else
                          np.float32(R.integers(0, 15, n * blocks)))
        inputs += ", z"
    check(tmp_path, f"y = com.microsoft.MatMulNBits <K = {k}, N = {n}, bits = {bits}, block_size = {block}> ({inputs})",
          {"a": normal(3, k)}, constants, atol=1e-3)


INTEGERS = {"w": weights(4, 5), "ws": np.float32(0.02), "wz": np.int8(3), "bias": normal(5), "wide": np.float32([0.01, 0.02, 0.03, 0.04, 0.05])}


@pytest.mark.parametrize("inputs", ["x, w, ws", "x, w, ws, wz", 'x, w, ws, "", bias', "x, w, wide"])
def test_product_of_what_is_quantised_dynamically(tmp_path, inputs):
    check(tmp_path, f"y = com.microsoft.DynamicQuantizeMatMul ({inputs})", {"x": normal(3, 4)}, INTEGERS, atol=1e-4)


@pytest.mark.parametrize("inputs", ["x, w, s, ws", "x, w, s, ws, z, wz", "x, w, s, wide, z, wz0, bias"])
def test_product_of_integers_to_reals(tmp_path, inputs):
    check(tmp_path, f"y = com.microsoft.MatMulIntegerToFloat ({inputs})", {"x": bytes_of("uint8", 3, 4)},
          {**INTEGERS, "s": np.float32(0.1), "z": np.uint8(7), "wz0": np.int8(0)}, atol=1e-4)


@pytest.mark.parametrize("attributes, inputs", [("", "x, s, z, w, ws, wz, c, ys, yz"), ("<alpha = 0.5>", "x, s, z, w, ws, wz, c"),
                                                ("<transB = 1>", 'x, s, z, t, ws, wz, "", ys, yz')])
def test_quantised_gemm(tmp_path, attributes, inputs):
    check(tmp_path, f"y = com.microsoft.QGemm {attributes} ({inputs})", {"x": bytes_of("int8", 3, 4)},
          {**INTEGERS, "s": np.float32(0.1), "z": np.int8(-7), "c": np.int32([100, -300, 50, 0, 7]), "ys": np.float32(0.3), "yz": np.int8(4),
           "t": bytes_of("int8", 5, 4)}, off_by=1)


# Quantised operators

QUANTISED = {"s": np.float32(0.1), "z": np.uint8(120), "s2": np.float32(0.03), "z2": np.uint8(7), "ys": np.float32(0.2), "yz": np.uint8(90)}
A, B = bytes_of("uint8", 1, 4, 6, 6), bytes_of("uint8", 1, 4, 6, 6)


@pytest.mark.parametrize("call", [
    "QLinearAdd (a, s, z, b, s2, z2, ys, yz)", "QLinearMul (a, s, z, b, s2, z2, ys, yz)",
    "QLinearConcat <axis = 1> (ys, yz, a, s, z, b, s2, z2)", "QLinearWhere (c, a, s, z, b, s2, z2, ys, yz)",
    "QLinearLeakyRelu <alpha = 0.2> (a, s, z, ys, yz)", "QLinearSigmoid (a, s, z, s2, z2)",
    "QLinearAveragePool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (a, s, z, ys, yz)",
    "QLinearAveragePool <kernel_shape = [2, 2], channels_last = 1> (a, s, z, ys, yz)",
    "QLinearGlobalAveragePool (a, s, z, ys, yz)", "QLinearGlobalAveragePool <channels_last = 1> (a, s, z, ys, yz)",
    "QLinearSoftmax <axis = 1, opset = 12> (a, s, z, small, z0)", "QLinearSoftmax <axis = -1, opset = 13> (a, s, z, small, z0)",
    "NhwcMaxPool <kernel_shape = [2, 2], strides = [2, 2]> (a)",
])
def test_quantised(tmp_path, call):
    inputs = {name: value for name, value in {"a": A, "b": B, "c": A > B}.items() if f" {name}," in call.replace("(", " ").replace(")", ",")}
    check(tmp_path, f"y = com.microsoft.{call}", inputs, {**QUANTISED, "small": np.float32(1 / 256), "z0": np.uint8(0)}, off_by=1)


def test_mean_of_what_is_quantised(tmp_path):
    mean = ((A.astype(np.float64) - 120) * 0.1).mean((1, 3), keepdims=True)
    check(tmp_path, "y = com.microsoft.QLinearReduceMean <axes = [1, 3], keepdims = 1> (a, s, z, ys, yz)", {"a": A}, QUANTISED,
          want=[np.clip(np.round(mean / 0.2) + 90, 0, 255).astype(np.uint8)], off_by=1)


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_zero_points_that_are_left_out(tmp_path, kind):
    a, b = A.astype(kind), B.astype(kind)
    total = a.astype(np.float64) * 0.1 + b.astype(np.float64) * 0.03
    check(tmp_path, 'y = com.microsoft.QLinearAdd (a, s, "", b, s2, "", ys, "")', {"a": a, "b": b}, QUANTISED,
          want=[np.clip(np.round(total / 0.2), np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)], off_by=1)


@pytest.mark.parametrize("kind", ["uint16", "int16", "uint8"])
def test_sixteen_bits(tmp_path, kind):
    constants = {"s": np.float32(0.01), "z": np.array(5, kind)}
    check(tmp_path, "y = com.microsoft.QuantizeLinear (x, s, z)", {"x": X}, constants)
    (tmp_path / "back").mkdir()
    check(tmp_path / "back", "y = com.microsoft.DequantizeLinear (x, s, z)", {"x": bytes_of(kind, 3, 4)}, constants)


# Attention

D, N, S = 12, 3, 4
WEIGHTS = {"w": normal(D, 3 * D) / 3, "b": normal(3 * D)}


@pytest.mark.parametrize("attributes, inputs", [
    ("", "x, w, b"), (", unidirectional = 1", "x, w, b"), ("", "x, w, b, m"), ("", "x, w, b, m3"), (", scale = 0.3", "x, w, b"),
    (", unidirectional = 1", 'x, w, b, "", past'), ("", 'x, w, b, "", "", more'),
])
def test_attention(tmp_path, attributes, inputs):
    values = {"x": normal(2, S, D), "m": np.int32([[1, 1, 1, 0], [1, 1, 0, 0]]), "m3": bytes_of("int32", 2, S, S, least=0, most=1) | np.eye(S, dtype=np.int32),
              "past": normal(2, 2, N, 2, D // N), "more": normal(2, N, S, S)}
    outputs = ["y", "p"] if "past" in inputs else ["y"]
    check(tmp_path, f"{', '.join(outputs)} = com.microsoft.Attention <num_heads = {N}{attributes}> ({inputs})",
          {name: value for name, value in values.items() if name in inputs.replace(",", "").split()}, WEIGHTS, outputs, atol=1e-4)


@pytest.mark.parametrize("attributes, inputs", [
    ("", "q, k, v"), ("", "q, k, v, b"), (", unidirectional = 1", "q, q2, q3"), (", scale = 0.4", "q, k, v"), ("", 'q, k, v, "", m'),
    ("", 'q, k, v, "", "", more'), ("", 'q, k, v, "", "", "", pk, pv'), ("", "q, k4, v4"),
])
def test_multi_head_attention(tmp_path, attributes, inputs):
    values = {"q": normal(2, S, D), "k": normal(2, 5, D), "v": normal(2, 5, D), "q2": normal(2, S, D), "q3": normal(2, S, D),
              "m": np.int32([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0]]), "more": normal(2, N, S, 5), "pk": normal(2, N, 2, D // N), "pv": normal(2, N, 2, D // N),
              "k4": normal(2, N, 5, D // N), "v4": normal(2, N, 5, D // N)}
    outputs = ["y", "kk", "vv"] if "pk" in inputs else ["y"]
    check(tmp_path, f"{', '.join(outputs)} = com.microsoft.MultiHeadAttention <num_heads = {N}{attributes}> ({inputs})",
          {name: value for name, value in values.items() if name in inputs.replace(",", "").split()}, {"b": normal(3 * D)}, outputs, atol=1e-4)


def test_quantised_attention(tmp_path):
    check(tmp_path, f"y = com.microsoft.QAttention <num_heads = {N}> (x, w, b, xs, ws, m, xz, wz)",
          {"x": bytes_of("uint8", 2, S, D), "m": np.int32([[1, 1, 1, 0], [1, 1, 0, 0]])},
          {"w": weights(D, 3 * D), "b": normal(3 * D), "xs": np.float32(0.01), "ws": np.float32(0.02), "xz": np.uint8(128), "wz": np.int8(0)},
          atol=1e-3)


# With a cache of keys and values

def group_query(**values):
    """N = 4, G = 2, H = 16; the cache has room for `room` rows, of which `past` are filled (one number a batch)."""
    past, new, room = values["past"], values["new"], values["room"]
    batch = len(past)
    given = {"q": normal(batch, new, 64), "k": normal(batch, new, 32), "v": normal(batch, new, 32), "pk": normal(batch, 2, room, 16), "pv": normal(batch, 2, room, 16),
             "lengths": np.int32([p + new - 1 for p in past]), "total": np.int32(max(past) + new)}
    for cache in (given["pk"], given["pv"]):  # onnxruntime gives zeros behind what is filled
        for rows, filled in zip(cache, past):
            rows[:, filled:] = 0
    return given, {"cos": np.cos(np.arange(256, dtype=np.float32)).reshape(32, 8), "sin": np.sin(np.arange(256, dtype=np.float32)).reshape(32, 8)}


@pytest.mark.parametrize("attributes, tables", [("", ""), (", do_rotary = 1", ", cos, sin"), (", do_rotary = 1, rotary_interleaved = 1", ", cos, sin"),
                                                (", local_window_size = 3", ""), (", softcap = 5.0", ""), (", scale = 0.2", "")])
@pytest.mark.parametrize("past, new, room", [((0, 0), 5, 0), ((4, 4), 1, 4), ((6, 6), 1, 6), ((4,), 3, 4), ((5, 3), 1, 8)])
def test_group_query_attention(tmp_path, attributes, tables, past, new, room):
    given, constants = group_query(past=past, new=new, room=room)
    check(tmp_path, f"y, a, b = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2{attributes}> "
          f"(q, k, v, pk, pv, lengths, total{tables})", given, constants, ["y", "a", "b"], atol=1e-4)


def test_group_query_attention_packed(tmp_path):
    given, constants = group_query(past=(4, 4), new=1, room=4)
    given = {"q": normal(2, 1, 128), **{name: given[name] for name in ("pk", "pv", "lengths", "total")}}
    check(tmp_path, 'y, a, b = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2, do_rotary = 1> '
          '(q, "", "", pk, pv, lengths, total, cos, sin)', given, constants, ["y", "a", "b"], atol=1e-4)


@pytest.mark.parametrize("attributes, x, at", [
    ("", normal(2, 3, 32), np.int64([[0, 1, 2], [5, 6, 7]])), ("<interleaved = 1>", normal(2, 3, 32), np.int64([[0, 1, 2], [5, 6, 7]])),
    ("", normal(2, 2, 3, 16), np.int64([4])), ("", normal(2, 3, 32), np.int64([4])),
    ("<num_heads = 2, rotary_embedding_dim = 16>", normal(2, 3, 64), np.int64([[0, 1, 2], [5, 6, 7]])),
])
def test_rotary_embedding(tmp_path, attributes, x, at):
    _, constants = group_query(past=(0, 0), new=1, room=0)
    check(tmp_path, f"y = com.microsoft.RotaryEmbedding {attributes} (x, at, cos, sin)", {"x": x, "at": at}, constants)


# Others


@pytest.mark.parametrize("call, inputs, outputs", [
    ('y = com.microsoft.CDist <metric = "euclidean"> (a, b)', {"a": normal(3, 4), "b": normal(5, 4)}, ["y"]),
    ("y = com.microsoft.CDist (a, b)", {"a": normal(3, 4), "b": normal(5, 4)}, ["y"]),
    ("y = com.microsoft.ExpandDims (x, two)", {"x": X}, ["y"]),
    ("y = com.microsoft.Trilu <upper = 0> (x)", {"x": X}, ["y"]),
    ("y = com.microsoft.GatherND (x, at)", {"x": X}, ["y"]),
    ("y = com.microsoft.Pad (x, pads, ten)", {"x": X}, ["y"]),
    ("y, i, c = com.microsoft.Unique (u)", {"u": np.float32([3, 1, 3, 2, 1, 7])}, ["y", "i", "c"]),
])
def test_others(tmp_path, call, inputs, outputs):
    check(tmp_path, call, inputs, {"two": np.int32(2), "at": np.int64([[0, 1], [1, 2]]), "pads": np.int64([0, 1, 2, 0, 0, 1]), "ten": np.float32(10)}, outputs)


# What the definitions do not cover

@pytest.mark.parametrize("call, message", [
    ("y = com.microsoft.BiasSoftmax <axis = 1, is_inner_broadcast = 0> (x, x)", "is_inner_broadcast of 0 is not supported"),
    ("y = com.microsoft.BiasSoftmax <axis = 3, is_inner_broadcast = 1> (x, x)", "axis 3 is outside of its input, or that has no known rank"),
    ('y = com.microsoft.CDist <metric = "cosine"> (a, a)', "its metric 'cosine' is not supported: expected euclidean or sqeuclidean"),
    ('y = com.microsoft.FusedGemm <activation = "Erf"> (a, a)', "its activation 'Erf' is not supported, or lacks parameters"),
    ("y = com.microsoft.MatMulNBits <K = 8, N = 3, bits = 3, block_size = 16> (x, u, g)",
     "K is 8, N 3, block_size 16, bits 3: expected positive numbers and 2, 4 or 8 bits"),
    ('y = com.microsoft.MatMulNBits <K = 8, N = 3, bits = 4, block_size = 16> (x, u, g, "", g)', "its input 'g_idx' is not supported"),
    ("y = com.microsoft.QLinearConcat <axis = 0> (g, u, u, g)", "it has 4 inputs, expected 2 and triples of a tensor, scale and zero point"),
    ("y = com.microsoft.QLinearGlobalAveragePool <channels_last = 1> (u, g, u, g, u)", "its input has no known rank of 3 or more"),
    ('y, m = com.microsoft.SkipSimplifiedLayerNormalization (x, x, g)', "output 1, a mean, is not supported"),
    ('y, m = SimplifiedLayerNormalization <axis = 1> (x, g)', "output 1 of a normalisation over several axes is not supported"),
    ("y = com.microsoft.Attention <num_heads = 2, do_rotary = 1> (x, a)", "num_heads is 2, do_rotary 1, qkv_hidden_sizes has 0 values"),
    ('y = com.microsoft.Attention <num_heads = 2> (x, a, "", four)', "its input 'mask' is supported with 2 or 3 dimensions"),
    ("y = com.microsoft.MultiHeadAttention <num_heads = 2> (x)", "it is supported with a query of 3 dimensions, a key and a value"),
    ("y = com.microsoft.MultiHeadAttention <num_heads = 2> (x, four, four, g)", "a bias needs a key of 3 dimensions and widths that the model knows"),
    ('y, k, v, qk = com.microsoft.MultiHeadAttention <num_heads = 2> (x, x, x)', "output 3, the scores, is not supported"),
    ("y = com.microsoft.GroupQueryAttention <num_heads = 3, kv_num_heads = 2> (x, x, x)", "num_heads is 3, kv_num_heads 2: expected a multiple"),
    ("y = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 2, causal = 0> (x, x, x)", "attribute 'causal' of 0 is not supported"),
    ('y = com.microsoft.GroupQueryAttention <num_heads = 2, kv_num_heads = 1> (a)', "the packed query has no known width of num_heads and 2 kv_num_heads"),
    ("y = com.microsoft.RotaryEmbedding (a, at, g, g)", "it is supported for inputs of 3 and 4 dimensions, without packed batches"),
    ("y = com.microsoft.RotaryEmbedding (x, at, g, g)", "num_heads is not given, and the shapes that tell it are not known"),
    ('y = com.microsoft.QLinearAdd (o, g, "", o, g, "", g, "")', "the type of its input 'a' is not known, and it has no zero point"),
    ("y = com.microsoft.FusedMatMul <transA = 1> (o, x)", "the rank of its input 'a' is not known"),
])
def test_refused(tmp_path, call, message):
    inputs = {"x": X, "a": normal(8, 24), "u": bytes_of("uint8", 3, 8), "g": normal(8), "four": normal(2, 2, 3, 4), "at": np.int64([0])}
    made = model(call, inputs)
    made.graph.input.append(onnx.helper.make_tensor_value_info("o", onnx.TensorProto.FLOAT, None))
    onnx.save(made, tmp_path / "model.onnx")
    done = round_trip(tmp_path, [tmp_path / "model.onnx"], "--normalize")
    assert done.returncode == 1
    assert message in done.stderr
