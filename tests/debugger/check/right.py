"""Custom Functions that are right, many of which look like one that is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

import vizgrad as vg
from vizgrad.autograd import Function
from vizgrad.autograd.function import InplaceFunction, NestedIOFunction, once_differentiable

x = vg.tensor([0.3, -0.7, 1.2], dtype=vg.float64, requires_grad=True)
single = vg.tensor([0.3, -0.7, 0.0, 1.2], requires_grad=True)
matrix = vg.tensor([[0.3, -0.7], [1.2, 0.4]], dtype=vg.float64, requires_grad=True)
GENERATOR = vg.Generator() if hasattr(vg, "Generator") else None

#: (Function, example).
CASES: list[tuple[Any, tuple[Any, ...]]] = []


def case(*inputs: Any) -> Any:
    def add(cls: Any) -> Any:
        CASES.append((cls, inputs))
        return cls

    return add


@case(x)
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


@case(single)
class Relu(Function):
    """With a zero in the example: a kink."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x > 0)


@case(single)
class StraightThrough(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


@case(single)
class ClampThrough(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clamp(-0.5, 0.5)

    @staticmethod
    def backward(ctx, g):
        return g


@case(x, 0.5)
class Reversed(Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return -ctx.strength * g, None


@case(x)
class Clipped(Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g.clamp(-0.1, 0.1)


@case(single, 0.5)
class Dropout(Function):
    @staticmethod
    def forward(ctx, x, p):
        mask = (vg.rand(x.shape) > p).to(x.dtype) / (1 - p)
        ctx.save_for_backward(mask)
        return x * mask

    @staticmethod
    def backward(ctx, g):
        (mask,) = ctx.saved_tensors
        return g * mask, None


@case(single)
class MaskOnContext(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mask = np.random.rand(*x.shape) > 0.5  # noqa: NPY002  as people write it
        return x * vg.tensor(ctx.mask)

    @staticmethod
    def backward(ctx, g):
        return g * vg.tensor(ctx.mask)


@case(x)
class Doubled(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return 2 * g


@case(x)
class MaybeInPlace(InplaceFunction):
    def forward(self, x):
        return x.mul_(2) if self.inplace else x * 2

    @staticmethod
    def backward(ctx, g):
        return 2 * g


@case({"a": x, "b": matrix}, 2.0 * x.detach())
class Scale(NestedIOFunction):
    @staticmethod
    def forward_extended(ctx, parts, by):
        ctx.save_for_backward(parts, by)
        return {"a": parts["a"] * by, "b": parts["b"] * 2}

    @staticmethod
    def backward_extended(ctx, grads):
        parts, by = ctx.saved_tensors
        return {"a": grads["a"] * by, "b": grads["b"] * 2}, grads["a"] * parts["a"]


@case(x, x)
class TwoOutputs(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(a, b)
        return a * b, b.sin()

    @staticmethod
    def backward(ctx, g, h):
        a, b = ctx.saved_tensors
        ga = None if g is None else g * b
        gb = None if g is None else g * a
        if h is not None:
            gb = h * b.cos() if gb is None else gb + h * b.cos()
        return ga, gb


@case(x)
class Numpy(Function):
    @staticmethod
    def forward(ctx, x):
        y = vg.from_numpy(np.sinh(x.numpy()))
        ctx.save_for_backward(x)
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return vg.from_numpy(g.numpy() * np.cosh(x.numpy()))


@case(matrix, matrix, vg.tensor([0.1, 0.2], dtype=vg.float64, requires_grad=True))
class Linear(Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x, weight, bias):
        return x @ weight.T + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
        ctx.save_for_forward(*inputs[:2])

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        gx = g @ weight if ctx.needs_input_grad[0] else None
        gw = g.T @ x if ctx.needs_input_grad[1] else None
        return gx, gw, g.sum(0) if ctx.needs_input_grad[2] else None

    @staticmethod
    def jvp(ctx, tx, tw, tb):
        x, weight = ctx.saved_tensors
        return tx @ weight.T + x @ tw.T + tb


@case(x, vg.tensor([2, 0, 2]))
class Picked(Function):
    @staticmethod
    def forward(ctx, x, index):
        ctx.save_for_backward(index)
        ctx.size = x.shape
        return x[index]

    @staticmethod
    def backward(ctx, g):
        (index,) = ctx.saved_tensors
        return vg.zeros(ctx.size, dtype=g.dtype).index_add(0, index, g), None


@case(vg.tensor([1 + 2j, -0.5j], dtype=vg.complex128, requires_grad=True))
class Abs2(Function):
    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return (z * z.conj()).real

    @staticmethod
    def backward(ctx, g):
        (z,) = ctx.saved_tensors
        return 2 * g * z


@case(matrix, vg.zeros(2, dtype=vg.float64))
class Centred(Function):
    """Writes to a running statistic, which is a place to write to."""

    @staticmethod
    def forward(ctx, x, running):
        mean = x.mean(0)
        running.mul_(0.9).add_(mean * 0.1)
        return x - mean

    @staticmethod
    def backward(ctx, g):
        return g - g.mean(0), None


@case(single)
class SingleOnly(Function):
    """Computes in float32, whatever it is given: differences of it say nothing."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x.float() ** 3).to(x.dtype)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


@case(x)
class Sorted(Function):
    @staticmethod
    def forward(ctx, x):
        values, order = x.sort()
        ctx.mark_non_differentiable(order)
        ctx.save_for_backward(order)
        return values, order

    @staticmethod
    def backward(ctx, g, _):
        (order,) = ctx.saved_tensors
        return vg.zeros_like(g).scatter(0, order, g)


@case(x)
class Cubed(Function):
    """Saves an intermediate that it returns, too."""

    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(x, square)
        return square * x, square

    @staticmethod
    def backward(ctx, g, h):
        x, square = ctx.saved_tensors
        return 3 * square * g + 2 * x * h


@case(x.detach())
class OfPlainInput(Function):
    """Nothing of its example requires grad; None is no fault where nobody asked."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return None


@case(vg.tensor([0.5, 2.0], dtype=vg.float64, requires_grad=True))
class Log(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.shape = x.shape
        return x.log()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        assert g.shape == ctx.shape
        return g / x


@case(single, matrix)
class Spike(Function):
    """Steps, with a derivative of choice; the membrane that it resets has a slope."""

    @staticmethod
    def forward(ctx, v, _):
        ctx.save_for_backward(v)
        spike = (v > 0.5).to(v.dtype)
        return spike, 0.9 * v - spike

    @staticmethod
    def backward(ctx, g, h):
        (v,) = ctx.saved_tensors
        slope = 1 / (1 + (v - 0.5).abs()) ** 2
        return g * slope + h * (0.9 - slope), None


@case(single)
class Amp(Function):
    @staticmethod
    @vg.amp.custom_fwd(device_type="cpu")
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.tanh()

    @staticmethod
    @vg.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (1 - x.tanh() ** 2)


@case(x, "mean", vg.tensor([1, 0, 1]))
class Loss(Function):
    """Strings, whole numbers, and what is computed of them."""

    @staticmethod
    def forward(ctx, x, reduction, target):
        ctx.save_for_backward(x, target)
        ctx.reduction = reduction
        loss = (x - target.to(x.dtype)) ** 2
        return loss.mean() if reduction == "mean" else loss.sum()

    @staticmethod
    def backward(ctx, g):
        x, target = ctx.saved_tensors
        slope = 2 * (x - target.to(x.dtype)) * g
        return (slope / x.numel() if ctx.reduction == "mean" else slope), None, None


@case(matrix, lambda t: t.sin())
class Applied(Function):
    """Calls what it is given, and differentiates that itself: once."""

    @staticmethod
    def forward(ctx, x, function):
        ctx.save_for_backward(x)
        ctx.function = function
        return function(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        with vg.enable_grad():
            leaf = x.detach().requires_grad_()
            made = ctx.function(leaf)
        return vg.autograd.grad(made, leaf, g)[0], None


@case(vg.tensor([0.5, 1.5], dtype=vg.float64, requires_grad=True))
class AsksWhichBranch(Function):
    """What is saved depends on the data, and backward knows."""

    @staticmethod
    def forward(ctx, x):
        ctx.positive = bool((x > 0).all())
        ctx.save_for_backward(*([x] if ctx.positive else []))
        return x * x if ctx.positive else x.clone()

    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g if ctx.positive else g


@case(vg.tensor([0.5, 1.5], dtype=vg.float64, requires_grad=True))
class RefusesNegative(Function):
    """Backward refuses some values aloud."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.abs()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        if bool((x <= 0).any()):
            raise ValueError("there is no derivative at 0, and none is wanted below")
        return g * 1


@case(matrix, matrix.detach(), vg.tensor([0.1, 0.2], dtype=vg.float64))
class PassesOn(Function):
    """What it returns where nothing is needed is what came in, or a view of it."""

    @staticmethod
    def forward(ctx, a, b, c):
        return a + b.T + c

    @staticmethod
    def backward(ctx, g):
        return g, g.T, g[0] if ctx.needs_input_grad[2] else g.reshape(4)[:2]


@case(matrix, matrix)
class Whitened(Function):
    """Both gradients need the same product."""

    @staticmethod
    def forward(ctx, x, root):
        ctx.save_for_backward(x, root)
        return root @ x + root @ root.detach() * 0

    @staticmethod
    def backward(ctx, g):
        x, root = ctx.saved_tensors
        both = g @ x.T
        return root.T @ g + 0 * both if ctx.needs_input_grad[0] else None, both


@case(matrix, matrix)
class ProductInNumpy(Function):
    """What it costs cannot be seen, so nothing is said."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        a, b = (each.numpy() for each in ctx.saved_tensors)
        return vg.from_numpy(g.numpy() @ b.T), vg.from_numpy(a.T @ g.numpy())
