"""Custom Functions, each wrong in one way. The line to edit is marked."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from vizgrad.autograd import Function
from vizgrad.autograd.function import once_differentiable

x = vg.tensor([0.3, -0.7, 1.2], dtype=vg.float64, requires_grad=True)
single = vg.tensor([0.3, -0.7, 1.2], requires_grad=True)
matrix = vg.tensor([[0.3, -0.7], [1.2, 0.4]], dtype=vg.float64, requires_grad=True)

#: (kind, Function, example).
CASES: list[tuple[str, Any, tuple[Any, ...]]] = []


def case(kind: str, *inputs: Any) -> Any:
    def add(cls: Any) -> Any:
        CASES.append((kind, cls, inputs))
        return cls

    return add


@case("function-dirty", x)
class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)  # CULPRIT
        return x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


@case("function-dirty", single)
class Shifted(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        x += 1  # CULPRIT
        ctx.save_for_backward(y)
        return y * 1

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * g


@case("function-return", x)
class Sine(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.sin()  # CULPRIT


@case("function-return", x)
class Total(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum()

    @staticmethod
    def backward(ctx, g):
        return vg.ones(2, dtype=vg.float64) * g  # CULPRIT


@case("function-return", x, x)
class Swapped(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * a * a, 2 * g * a * b  # CULPRIT


@case("function-return", x, x)
class OneNone(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return 2 * g * a * b, None  # CULPRIT


@case("second-order-cut", x)
class Detached(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        d = x.detach()  # CULPRIT
        return 3 * d * d * g


@case("second-order-cut", x)
class Unrecorded(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with vg.no_grad():
            d = 3 * x * x  # CULPRIT
        return d * g


@case("second-order-cut", x)
class SlopeOnContext(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.d = 3 * x * x  # CULPRIT
        return x**3

    @staticmethod
    def backward(ctx, g):
        return ctx.d * g


@case("second-order-cut", matrix)
class Item(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sum() ** 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        s = x.sum().item()  # CULPRIT
        return (2 * s * g).expand(x.shape)


@case("second-order-cut", x)
class DetachedSave(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.detach())  # CULPRIT
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * x * g


@case("second-order-cut", x)
class SavedInSetup(Function):
    @staticmethod
    def forward(x):
        return x.exp().log1p(), x.exp() * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        e = x.exp()
        ctx.save_for_backward(e)  # CULPRIT

    @staticmethod
    def backward(ctx, g, h):
        (e,) = ctx.saved_tensors
        return g * e / (1 + e) + 2 * e * h


@case("not-repeatable", x)
class MaskOnClass(Function):
    @staticmethod
    def forward(ctx, x):
        MaskOnClass.mask = vg.rand(3).to(x.dtype)
        return x * MaskOnClass.mask

    @staticmethod
    def backward(ctx, g):
        return g * MaskOnClass.mask  # CULPRIT


@case("reference-cycle", x)
class OutputOnContext(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.out = output  # CULPRIT

    @staticmethod
    def backward(ctx, g):
        return g * ctx.out


@case("reference-cycle", x)
class OutputInList(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.kept = [x, y]  # CULPRIT
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.kept[1]


@case("history-kept", x)
class LastOnClass(Function):
    last = None

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        LastOnClass.last = y  # CULPRIT
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


@case("hidden-write", x)
class InputOnContext(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x  # CULPRIT
        return x**2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.x * 2


@case("hidden-write", x)
class NumpyOnContext(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.a = x.numpy()  # CULPRIT
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        return g * vg.from_numpy(ctx.a) * 2


@case("function-return", x, x)
class NoneForUnused(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        return a * 2, b * 3

    @staticmethod
    def backward(ctx, g, h):
        return g * 2, h * 3  # CULPRIT


@case("function-return", x, x)
class Compacted(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2 + b * 3

    @staticmethod
    def backward(ctx, g):
        out = []
        if ctx.needs_input_grad[0]:
            out.append(2 * g)
        if ctx.needs_input_grad[1]:
            out.append(3 * g)
        return tuple(out)  # CULPRIT


@case("function-return", x)
class ListReturned(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return [2 * g]  # CULPRIT


@case("hook-effect", x)
class WritesGradient(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g.mul_(2)  # CULPRIT


@case("function-return", x)
class HalfTangent(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g

    @staticmethod
    def jvp(ctx, t):
        (x,) = ctx.saved_tensors
        return x * t  # CULPRIT


@case("not-repeatable", x)
class Counter(Function):
    n = 0

    @staticmethod
    def forward(ctx, x):
        Counter.n += 1
        ctx.k = Counter.n
        return x * Counter.n  # CULPRIT

    @staticmethod
    def backward(ctx, g):
        return g * ctx.k


@case("function-return", x)
class Sized(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.exp() * 3  # CULPRIT


def draw(like):
    return vg.rand(like.shape).to(like.dtype)


@case("not-repeatable", x)
class DrawnAgain(Function):
    @staticmethod
    def forward(ctx, x):
        return x * draw(x)

    @staticmethod
    def backward(ctx, g):
        return g * draw(g)  # CULPRIT


@case("second-order-cut", x)
class Intermediate(Function):
    @staticmethod
    def forward(ctx, x):
        e = x.exp()
        ctx.save_for_backward(x, e)  # CULPRIT
        return x * e

    @staticmethod
    def backward(ctx, g):
        x, e = ctx.saved_tensors
        return g * (e + x * e)


@case("function-return", x)
class Raises(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor  # CULPRIT


@case("function-return", vg.tensor([0.5, 1.5], dtype=vg.float64, requires_grad=True))
class SavesByValue(Function):
    """What is saved depends on the data: for others, backward looks for what is not there."""

    @staticmethod
    def forward(ctx, x):
        if x.sum() > 0:
            ctx.save_for_backward(x)
        return x * x.abs()

    @staticmethod
    def backward(ctx, g):
        x = ctx.saved_tensors[0]  # CULPRIT
        return 2 * x.abs() * g


@case("needless-gradient", matrix, matrix.detach())
class IgnoresWhatIsNeeded(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        of_weight = x.T @ g  # CULPRIT
        return g @ weight.T, of_weight


@case("needless-gradient", matrix, matrix)
class ForgetsOne(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        of_weight = x.T @ g if ctx.needs_input_grad[1] else None
        return (g @ weight.T).contiguous(), of_weight  # CULPRIT


@case("needless-gradient", matrix, matrix)
class IgnoresItOnce(ForgetsOne):
    """Its backward is not to be differentiated, and calls a helper."""

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        of_x = g @ weight.T if ctx.needs_input_grad[0] else None
        return of_x, turned_product(x, g)  # CULPRIT


def turned_product(a, b):
    return a.T @ b
