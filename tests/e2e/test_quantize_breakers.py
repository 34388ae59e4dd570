"""Networks known to break quantisers, as classifiers: how many answers of the float network are kept, on samples that were not
calibrated on, and that the remedy which is named first is the right one.

A classifier is random but for its head, which is fitted to samples around ten points, so that its answers are sure ones: what changes
them is a broken network, not a tie."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnx.version_converter
import onnxruntime
from PIL import Image
import pytest

from onnxruntime_quantizer import by_onnxruntime
from seeds import of_commit, seeds
from test_quantize import answers, quantize, runtime

CLASSES = 10
CHANCE = 1 / CLASSES


class Builder:
    """A network of input x that gives features, then behind a fitted head scores of classes."""

    def __init__(self, seed, shape):
        self.numbers = np.random.default_rng(seed)
        self.nodes, self.constants, self.shape = [], [], shape
        self.points = self.numbers.normal(size=(CLASSES, *shape))

    def constant(self, name, values, kind=np.float32):
        self.constants.append(numpy_helper.from_array(np.asarray(values, kind), name))
        return name

    def node(self, kind, inputs, name, **attributes):
        self.nodes.append(helper.make_node(kind, inputs, [name], name, **attributes))
        return name

    def seen(self, values):
        """What the network is given."""
        return values.astype(np.float32)

    def samples(self, count):
        of = self.numbers.integers(CLASSES, size=count)
        return of, self.seen(self.points[of] + self.numbers.normal(size=(count, *self.shape)) * 0.35)

    def save(self, path, output):
        graph = helper.make_graph(self.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, *self.shape])],
                                  [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)

    def classify(self, features, path):
        """Scores by least squares over what the network makes of samples."""
        self.save(path, features)
        of, values = self.samples(400)
        made = answers(path, values)
        made = np.concatenate([made, np.ones((len(made), 1))], axis=1)
        ridge = np.eye(made.shape[1]) * 1e-2 * (made ** 2).mean() * len(made)
        head = np.linalg.solve(made.T @ made + ridge, made.T @ np.eye(CLASSES)[of])
        self.node("Gemm", [features, self.constant("head", head[:-1]), self.constant("head/bias", head[-1])], "y")
        self.save(path, "y")


class Kept:
    """What files keep of the float network's answers."""

    def __init__(self, tenon, network, folder, path):
        self.tenon, self.folder, self.path = tenon, folder, path
        self.calibration = network.samples(32)[1]
        self.others = network.samples(100)[1]
        self.real = answers(path, self.others).argmax(1)
        np.savez(folder / "few.npz", x=self.calibration)

    def by(self, path):
        return (answers(path, self.others, optimised=False).argmax(1) == self.real).mean()

    def ours(self, *options):
        """And the report."""
        report = quantize(self.tenon, self.path, self.folder / "few.npz", self.folder / "q.onnx", *options)
        return self.by(self.folder / "q.onnx"), report


#
# Depthwise convolutions with channels of unequal ranges
#

def depthwise(seed, path):
    """Some channels far wider than the others, between a convolution and the depthwise one that evens them out: a scale for all has no
    step for the narrow ones' values, nor for the wide ones' weights."""
    network = Builder(seed, (3, 12, 12))
    count = 16
    factors = network.numbers.permutation([2000] * 5 + [1] * (count - 5)).reshape(-1, 1, 1, 1)

    def conv(of, to, weights, **attributes):
        pads = [weights.shape[-1] // 2] * 4
        made = network.node("Conv", [of, network.constant(f"{to}/weights", weights)], to, pads=pads, **attributes)
        return network.node("Relu", [made], f"{to}/relu")

    def weights(*shape):
        return network.numbers.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
    first = conv("x", "first", weights(count, 3, 3, 3) * factors)
    second = conv(first, "depthwise", weights(count, 1, 3, 3) / factors, group=count)
    third = conv(second, "third", weights(32, count, 1, 1))
    pooled = network.node("AveragePool", [third], "pooled", kernel_shape=[4, 4], strides=[4, 4])
    network.classify(network.node("Flatten", [pooled], "features"), path)
    return network


@pytest.mark.parametrize("seed", seeds(3))
def test_depthwise_channels(tenon, tmp_path, seed):
    """One scale for all weights is worth nothing there; equal ranges are the remedy, with it and with a scale a channel."""
    path = tmp_path / "float.onnx"
    kept = Kept(tenon, depthwise(seed, path), tmp_path, path)
    plain, _ = kept.ours("--per-tensor", "--no-equalize")
    tensor, report = kept.ours("--per-tensor")
    channel, of_channel = kept.ours()
    print(f"seed {seed}: a scale for all {plain:.2f}, with remedies {tensor:.2f}; a scale a channel {channel:.2f}",
          report["gains"], of_channel["gains"])
    assert plain <= 3 * CHANCE
    assert tensor >= 0.95 and channel >= 0.95
    for gains in (report["gains"], of_channel["gains"]):
        assert gains[0]["remedy"].startswith("equalisation of ")


#
# Transformers
#

TOKENS, WIDTH, BLOCKS = 8, 32, 3


class Transformer(Builder):
    """Blocks of attention and perceptrons with layer normalisation in front, and one before the head."""

    def __init__(self, seed, in_stream, behind, spelt_out=False):
        """How many times as wide as the others some channels are: of what normalisations read, and of what they make."""
        super().__init__(seed, (TOKENS, WIDTH))
        self.spelt_out = spelt_out
        self.stream, self.behind = np.ones(WIDTH), np.ones(WIDTH)
        *wide, last = self.numbers.permutation(WIDTH)[:3]
        self.wide = {channel: size for channel, size in zip(wide, (in_stream, -in_stream)) if in_stream > 1}
        for channel, size in self.wide.items():
            self.stream[channel] = abs(size)
        self.behind[last] = behind

    def seen(self, values):
        """Wide channels are much the same in all samples, and little is added to them: no answer is in them."""
        for channel, size in self.wide.items():
            values[..., channel] = size * (1 + self.numbers.normal(size=values.shape[:-1]) / 64)
        return super().seen(values)

    def dense(self, data, name, columns, rows=WIDTH, wide=1.0, made=1.0):
        weights = self.numbers.normal(size=(rows, columns)) / np.sqrt(rows) / np.reshape(wide, (-1, 1)) * made
        product = self.node("MatMul", [data, self.constant(f"{name}/weights", weights)], f"{name}/product")
        return self.node("Add", [product, self.constant(f"{name}/bias", self.numbers.normal(size=columns) * 0.1 * made)], name)

    def normalised(self, data, name):
        # Wide channels make the deviation: the factors make up for it.
        deviation = np.sqrt((self.stream ** 2).mean())
        factors = deviation / self.stream * self.numbers.uniform(0.8, 1.2, WIDTH) * self.behind
        offsets = self.numbers.normal(size=WIDTH) * 0.1 * self.behind
        factors, offsets = self.constant(f"{name}/factors", factors), self.constant(f"{name}/offsets", offsets)
        if not self.spelt_out:
            return self.node("LayerNormalization", [data, factors, offsets], name)
        centred = self.node("Sub", [data, self.node("ReduceMean", [data], f"{name}/mean", axes=[-1])], f"{name}/centred")
        square = self.node("ReduceMean", [self.node("Pow", [centred, "two"], f"{name}/squares")], f"{name}/variance", axes=[-1])
        root = self.node("Sqrt", [self.node("Add", [square, "epsilon"], f"{name}/safe")], f"{name}/root")
        scaled = self.node("Mul", [self.node("Div", [centred, root], f"{name}/unit"), factors], f"{name}/scaled")
        return self.node("Add", [scaled, offsets], name)

    def attention(self, data, name):
        query, key, value = (self.dense(data, f"{name}/{kind}", WIDTH, wide=self.behind) for kind in ("query", "key", "value"))
        turned = self.node("Transpose", [key], f"{name}/turned", perm=[0, 2, 1])
        scores = self.node("Mul", [self.node("MatMul", [query, turned], f"{name}/products"), "root"], f"{name}/scores")
        shares = self.node("Softmax", [scores], f"{name}/shares", axis=-1)
        return self.dense(self.node("MatMul", [shares, value], f"{name}/mixed"), name, WIDTH, made=0.5)

    def perceptron(self, data, name):
        inner = self.node("Relu", [self.dense(data, f"{name}/inner", 2 * WIDTH, wide=self.behind)], f"{name}/relu")
        return self.dense(inner, name, WIDTH, 2 * WIDTH, made=0.5)

    def build(self, path):
        for name, value in (("root", WIDTH ** -0.5), ("two", 2), ("epsilon", 1e-5)):
            self.constant(name, value)
        data = "x"
        for block in range(BLOCKS):
            for kind in (self.attention, self.perceptron):
                name = f"{kind.__name__}{block}"
                made = kind(self.normalised(data, f"{name}/norm"), name)
                data = self.node("Add", [data, made], f"{name}/residual")
        last = self.dense(self.normalised(data, "norm"), "last", WIDTH, wide=self.behind)
        self.classify(self.node("Flatten", [last], "features"), path)
        return self


@pytest.mark.parametrize("seed", seeds(3))
def test_outliers_in_front_of_normalisation(tenon, tmp_path, seed):
    """Channels of the residual stream, which all of a network's tensors in integers have no steps for."""
    path = tmp_path / "float.onnx"
    kept = Kept(tenon, Transformer(seed, in_stream=2000, behind=1).build(path), tmp_path, path)
    ours, _ = kept.ours()
    by_onnxruntime(path, kept.calibration, tmp_path / "theirs.onnx")
    theirs = kept.by(tmp_path / "theirs.onnx")
    print(f"seed {seed}: ours {ours:.2f}, onnxruntime's {theirs:.2f}")
    assert theirs <= 0.6
    assert ours >= 0.95


@pytest.mark.parametrize("spelt_out", [False, True])
@pytest.mark.parametrize("seed", seeds(3))
def test_outliers_behind_normalisation(tenon, tmp_path, seed, spelt_out):
    """A channel that layer normalisation makes wide, and the products behind it narrow again."""
    path = tmp_path / "float.onnx"
    kept = Kept(tenon, Transformer(seed, in_stream=1, behind=400, spelt_out=spelt_out).build(path), tmp_path, path)
    plain, _ = kept.ours("--no-equalize")
    ours, report = kept.ours()
    print(f"seed {seed}: plain {plain:.2f}, with remedies {ours:.2f}", report["gains"])
    # How many answers it costs is the network's luck (a tenth of them is left, or nine tenths); how much noise is not.
    assert plain < ours and ours >= 0.95
    assert report["gains"][0]["remedy"].startswith("balance of ") and report["gains"][0]["db"] >= 15


def test_factors_of_two(tenon, tmp_path):
    """Of networks whose scales are powers of two, those of channels are, too."""
    path, seed = tmp_path / "float.onnx", of_commit()
    kept = Kept(tenon, Transformer(seed, in_stream=1, behind=400).build(path), tmp_path, path)
    ours, report = kept.ours("--power-of-two")
    assert ours >= 0.95 and report["gains"][0]["remedy"].startswith("balance of ")
    before, after = (normalisations(file) for file in (path, tmp_path / "q.onnx"))
    factors = np.concatenate([after[name] / before[name] for name in before])
    assert (np.exp2(np.round(np.log2(factors))) == factors).all() and (factors > 1).any() and (factors >= 1).all()


def normalisations(path):
    """The factors of each layer normalisation."""
    graph = onnx.load(path).graph
    values = {c.name: numpy_helper.to_array(c) for c in graph.initializer}
    return {node.name: values[node.input[1]] for node in graph.node if node.op_type == "LayerNormalization"}


def balanced(tenon, folder, residual):
    """How many channels of a layer normalisation and a perceptron behind it have factors, and how many of them are the former's."""
    folder.mkdir()
    network = Transformer(of_commit(), in_stream=1, behind=400)
    normal = network.normalised("x", "norm")
    made = network.perceptron(normal, "perceptron")
    if residual:
        made = network.node("Add", [normal, made], "sum")
    network.classify(network.node("Flatten", [made], "features"), folder / "float.onnx")
    _, report = Kept(tenon, network, folder, folder / "float.onnx").ours("--equalize")
    before, after = (normalisations(folder / file)["norm"] for file in ("float.onnx", "q.onnx"))
    step, = [step for step in report["steps"] if step["name"].startswith("balance of ")]
    return int(step["name"].split()[2]), (before != after).sum()


def test_who_else_reads_a_channel(tenon, tmp_path):
    """Behind a perceptron's Relu and a layer normalisation channels have factors, but none that a residual sum reads, too."""
    channels, normal = balanced(tenon, tmp_path / "alone", residual=False)
    own, read = balanced(tenon, tmp_path / "residual", residual=True)
    assert normal > WIDTH // 2 and read == 0
    assert 0 < own <= 2 * WIDTH and channels == own + normal


#
# Hard-swish and squeeze-excite, as they are shipped
#

SHIPPED = {
    "ppocr_cls_mobilenetv3": ((48, 192), (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
    "pplcnet_orientation": ((224, 224), (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)),
}


def views(models, numbers, count, size, mean, std):
    """Crops of photos, mirrored or not, darker and brighter."""
    paths = sorted((models / "images").iterdir())
    result = []
    for _ in range(count):
        photo = Image.open(paths[numbers.integers(len(paths))]).convert("RGB")
        share = numbers.uniform(0.4, 1)
        wide, high = (max(1, int(extent * share)) for extent in photo.size)
        left, top = (int(numbers.integers(whole - part + 1)) for whole, part in zip(photo.size, (wide, high)))
        pixels = np.asarray(photo.crop((left, top, left + wide, top + high)).resize(size[::-1], Image.Resampling.BILINEAR))
        pixels = np.clip(pixels / 255 * numbers.uniform(0.6, 1.4), 0, 1)
        pixels = pixels[:, ::-1] if numbers.integers(2) else pixels
        result.append(((pixels - mean) / std).transpose(2, 0, 1))
    return np.float32(result)


def fold(path, plain):
    """As onnxruntime's quantiser asks for: weights are initializers, and batch norms in them."""
    onnx.save(onnx.version_converter.convert_version(onnx.load(path), 15), plain)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(plain)
    onnxruntime.InferenceSession(str(plain), options, providers=["CPUExecutionProvider"])


def decibels(real, got):
    return 10 * np.log10((real ** 2).sum() / ((real - got) ** 2).sum())


def compare_shipped(tenon, models, tmp_path, name):
    """Beside the middle of the six settings of onnxruntime's quantiser, on views that neither has seen, with --method=best
    (test_quantize_peers.py). 24 photos choose settings by luck: of nine seeds ours were 2.5 dB behind it to
    3.5 ahead, 1.6 in the mean with a deviation of 1.8; its own six are 3 to 7 dB apart. The bounds are three deviations."""
    size, *normalisation = SHIPPED[name]
    numbers = np.random.default_rng(of_commit())
    few, others = (views(models, numbers, count, size, *normalisation) for count in (24, 40))
    np.savez(tmp_path / "few.npz", x=few)
    path = models / name / "model.onnx"
    real = answers(path, others)

    def measured(file):
        got = answers(file, others, optimised=False)
        return int((got.argmax(1) == real.argmax(1)).sum()), decibels(real, got)
    quantize(tenon, path, tmp_path / "few.npz", tmp_path / "q.onnx", f"--shape=x=1,3,{size[0]},{size[1]}", "--method=best",
             timeout=900)
    ours = measured(tmp_path / "q.onnx")
    fold(path, tmp_path / "plain.onnx")
    theirs = {}
    for method in ("MinMax", "Percentile", "Entropy"):
        for per_channel in (False, True):
            by_onnxruntime(tmp_path / "plain.onnx", few, tmp_path / "theirs.onnx", method, per_channel)
            theirs[method, per_channel] = measured(tmp_path / "theirs.onnx")
    print(f"{name}: ours {ours}, onnxruntime's {theirs}")
    assert ours[0] >= np.median([same for same, _ in theirs.values()]) - 4
    assert ours[1] >= np.median([noise for _, noise in theirs.values()]) - 4
