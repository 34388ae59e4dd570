# Part of Tenon, under the Apache License v2.0.
"""Random sums of products of bytes, rescaled or not, for the host, as one TOSA module, and what they are in exact arithmetic."""
import dataclasses

import numpy as np


# A host so fast that nothing goes to the accelerator.
ALL_ON_THE_HOST = "--host-speed=1000000,0.001"


@dataclasses.dataclass
class Products:
    text: str
    inputs: dict
    expected: list


def literal(array):
    """A TOSA constant of an array."""
    kind = f"tensor<{'x'.join(map(str, array.shape))}xi{8 * array.itemsize}>"
    values = f'"0x{array.tobytes().hex()}"' if array.size > 1 else array.reshape(-1)[0]
    return f'"tosa.const"() {{values = dense<{values}> : {kind}}} : () -> {kind}', kind


def tensor(shape, bits):
    return f"tensor<{'x'.join(map(str, shape))}xi{bits}>"


def convolved(x, w, bias, stride, dilation, pad, zeros, product):
    """[N, H, W, C] by the taps w[KH, KW], in 64 bits: the sum of `product`s of x at each tap with the tap."""
    x, w = x.astype(np.int64) - zeros[0], w.astype(np.int64) - zeros[1]
    x = np.pad(x, ((0, 0), pad[:2], pad[2:], (0, 0)))
    rows, columns = w.shape[:2]
    high, wide = ((extent - step * (taps - 1) - 1) // by + 1
                  for extent, step, taps, by in zip(x.shape[1:3], dilation, (rows, columns), stride))
    total = np.zeros((x.shape[0], high, wide, len(bias)), np.int64) + bias
    for i in range(rows):
        for j in range(columns):
            part = x[:, i * dilation[0]:, j * dilation[1]:][:, :(high - 1) * stride[0] + 1:stride[0], :(wide - 1) * stride[1] + 1:stride[1]]
            total += product(part, w[i, j])
    return total


class Module:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.lines, self.arguments, self.results, self.inputs, self.expected = [], [], [], {}, []

    def bytes(self, *shape):
        # The extremes, whose products are the widest, come more often than one time in 256.
        values = self.random.integers(-128, 128, shape)
        ends = self.random.choice([-128, 127], shape)
        return np.where(self.random.random(shape) < 0.2, ends, values).astype(np.int8)

    def constant(self, array):
        text, kind = literal(array)
        name = f"%c{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name, kind

    def input(self, array):
        name = f"x{len(self.arguments)}"
        kind = tensor(array.shape, 8)
        self.arguments.append(f'%{name}: {kind} {{tenon.name = "{name}"}}')
        self.inputs[name] = array
        return f"%{name}", kind

    def operation(self, operator, operands, attributes, kind):
        names, kinds = zip(*operands)
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {operator} {', '.join(names)} {attributes}: ({', '.join(kinds)}) -> {kind}")
        return name, kind

    def result(self, operator, operands, attributes, exact):
        """The sums, or what a rescale makes of them."""
        made = self.operation(operator, operands, attributes, tensor(exact.shape, 32))
        exact = exact.astype(np.uint64).astype(np.uint32).astype(np.int32)
        if self.random.random() < 0.7:
            made, exact = self.rescaled(made, exact)
        self.results.append(made)
        self.expected.append(exact)

    def rescaled(self, sums, exact):
        """As TOSA has it, to 8 bits: (v * multiplier + 2^(shift - 1)) >> shift, a multiplier and a shift a channel or for all."""
        channels = exact.shape[-1] if self.random.random() < 0.7 else 1
        multipliers = self.random.integers(2**30, 2**31, channels)
        widest = max(int(np.abs(exact.astype(np.int64)).max()), 1)
        shifts = np.clip(np.ceil(np.log2(widest * multipliers / 200)).astype(np.int64) + self.random.integers(-1, 3, channels), 2, 62)
        zero = int(self.random.integers(-128, 128))
        values = (exact.astype(np.int64) * multipliers + (1 << (shifts - 1)) >> shifts) + zero
        operands = [sums, *map(self.constant, (multipliers.astype(np.int32), shifts.astype(np.int8), np.array([0], np.int32), np.array([zero], np.int8)))]
        made = self.operation("tosa.rescale", operands,
                              "{input_unsigned = false, output_unsigned = false, "
                              f"per_channel = {'true' if channels > 1 else 'false'}, rounding_mode = SINGLE_ROUND, scale32 = true}} ",
                              tensor(exact.shape, 8))
        return made, np.clip(values, -128, 127).astype(np.int8)

    def zeros(self):
        """Zero points of x and of w, the latter often none."""
        x = int(self.random.integers(-128, 128))
        return x, int(self.random.integers(-128, 128)) if self.random.random() < 0.5 else 0

    def zero_points(self, zeros):
        return [self.constant(np.array([zero], np.int8)) for zero in zeros]

    def window(self):
        """Of a convolution: the extents of its kernel and of its input, and a description of each step."""
        draw = self.random.integers
        kernel, dilation, stride = draw(1, 4, 2), draw(1, 3, 2), draw(1, 3, 2)
        if self.random.random() < 0.3:
            kernel[:] = 1
        elif self.random.random() < 0.2:
            kernel = draw(1, 8, 2)
        reach = (kernel - 1) * dilation + 1
        before, after = draw(0, reach, 2), draw(0, reach, 2)
        size = draw(1, 24, 2) + np.maximum(reach - before - after, 0)
        # As TOSA has it: the window ends at the border.
        after += -(size + before + after - reach) % stride
        pad = [int(n) for n in (before[0], after[0], before[1], after[1])]
        listed = ", ".join(f"{name} = array<i64: {', '.join(map(str, values))}>"
                           for name, values in (("dilation", dilation), ("pad", pad), ("stride", stride)))
        return kernel, size, (stride, dilation, pad), f"{{acc_type = i32, {listed}}} "

    def convolution(self):
        draw, choose = self.random.integers, self.random.choice
        channels, results = int(choose([1, 3, 4, 8, 12, 20, 32, 36, 64])), int(draw(1, 90))
        kernel, size, steps, attributes = self.window()
        x, w = self.bytes(int(draw(1, 3)), *size, channels), self.bytes(results, *kernel, channels)
        bias, zeros = draw(-2**20, 2**20, results).astype(np.int32), self.zeros()
        exact = convolved(x, w.transpose(1, 2, 3, 0), bias, *steps, zeros, lambda part, tap: part @ tap)
        operands = [self.input(x), self.constant(w), self.constant(bias), *self.zero_points(zeros)]
        self.result("tosa.conv2d", operands, attributes, exact)

    def depthwise(self):
        draw = self.random.integers
        channels, multiplier = int(draw(1, 90)), int(self.random.choice([1, 1, 1, 2]))
        kernel, size, steps, attributes = self.window()
        x, w = self.bytes(int(draw(1, 3)), *size, channels), self.bytes(*kernel, channels, multiplier)
        bias, zeros = draw(-2**20, 2**20, channels * multiplier).astype(np.int32), self.zeros()
        exact = convolved(x, w, bias, *steps, zeros, lambda part, tap: (part[..., None] * tap).reshape(*part.shape[:3], -1))
        operands = [self.input(x), self.constant(w), self.constant(bias), *self.zero_points(zeros)]
        self.result("tosa.depthwise_conv2d", operands, attributes, exact)

    def matrices(self):
        draw = self.random.integers
        count, rows, columns, depth = int(draw(1, 4)), int(draw(1, 20)), int(draw(1, 90)), int(self.random.choice([1, 4, 7, 8, 32, 100]))
        if self.random.random() < 0.3:
            rows = 1
        a, b, zeros = self.bytes(count, rows, depth), self.bytes(count, depth, columns), self.zeros()
        exact = (a.astype(np.int64) - zeros[0]) @ (b.astype(np.int64) - zeros[1])
        self.result("tosa.matmul", [self.input(a), self.constant(b), *self.zero_points(zeros)], "", exact)

    def built(self):
        kinds = ", ".join(kind for _, kind in self.results)
        named = ", ".join(f'{kind} {{tenon.name = "y{number}"}}' for number, (_, kind) in enumerate(self.results))
        names = ", ".join(name for name, _ in self.results)
        text = "\n".join([f"func.func @main({', '.join(self.arguments)}) -> ({named}) {{", *self.lines, f"  return {names} : {kinds}", "}", ""])
        return Products(text, self.inputs, self.expected)


def products(seed, count=16):
    module = Module(seed)
    for _ in range(count):
        module.random.choice([module.convolution, module.convolution, module.depthwise, module.depthwise, module.matrices])()
    return module.built()
