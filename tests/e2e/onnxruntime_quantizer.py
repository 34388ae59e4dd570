"""onnxruntime's own quantiser, which ours is measured beside."""
import onnx
import onnx.version_converter
import onnxruntime.quantization as q


class Reader(q.CalibrationDataReader):
    """Arrays item by item."""

    def __init__(self, arrays):
        count = len(next(iter(arrays.values())))
        self.left = iter([{name: values[i:i + 1] for name, values in arrays.items()} for i in range(count)])

    def get_next(self):
        return next(self.left, None)


def by_onnxruntime(float_path, values, path, method="MinMax", per_channel=True):
    """QDQ of INT8 weights and UINT8 activations, calibrated on the values of the only input, or arrays by the inputs' names. `method`:
    one of its CalibrationMethod."""
    network = onnx.load(float_path)
    if network.opset_import[0].version < 13:
        network = onnx.version_converter.convert_version(network, 13)
    network.ir_version = 8
    inner = {c.name for c in network.graph.initializer}
    inputs = [i for i in network.graph.input if i.name not in inner]
    del network.graph.input[:]
    network.graph.input.extend(inputs)
    onnx.save(network, path)
    arrays = values if isinstance(values, dict) else {inputs[0].name: values}
    q.quantize_static(path, path, Reader(arrays), quant_format=q.QuantFormat.QDQ, per_channel=per_channel,
                      activation_type=q.QuantType.QUInt8, weight_type=q.QuantType.QInt8,
                      calibrate_method=q.CalibrationMethod[method])
