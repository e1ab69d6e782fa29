"""cupy's own tools beside vizgrad's fusion: launches, kernels and their text, counted by the emulated device.

    python -m tests.gpu.emulated.kept_tools

The formulas are vizgrad's own where a tool takes them, and else written for it, as a user of cupy would.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.gpu import emulated
from tests.gpu.emulated.account import ACCOUNT


def rows(cupy: Any) -> dict[str, dict[str, Callable[[], Any]]]:
    """By what is computed: ways to do it."""
    import vizgrad as vg
    from vizgrad.core.arrays.fusion import look
    from vizgrad.core.arrays.kernels import of_rows

    x = cupy.asarray(np.linspace(-3, 3, 96, dtype="f4").reshape(8, 12))
    grad, one, zero = x * 0.5, cupy.ones(12, "f4"), cupy.zeros(12, "f4")

    def silu_gradient(grad: Any, x: Any) -> Any:
        s = 1 / (1 + cupy.exp(-x))
        return grad * s * (1 + x * (1 - s))

    def softmax(x: Any) -> Any:
        e = cupy.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def layer_norm(x: Any, weight: Any, bias: Any) -> Any:
        centered = x - x.mean(axis=1, keepdims=True)
        scale = 1 / cupy.sqrt((centered * centered).mean(axis=1, keepdims=True) + 1e-5)
        return centered * scale * weight + bias

    def statistics(x: Any) -> Any:
        odd = cupy.isnan(x) | cupy.isinf(x)
        told = cupy.where(odd, 0, x).astype("f8")
        return (
            cupy.abs(told).max(), told.sum(), (told * told).sum(), told.min(), told.max(), (x == 0).sum(),
            cupy.isnan(x).sum(), cupy.isinf(x).sum(),
        )  # fmt: skip

    fused_silu, fused_softmax, fused_norm, fused_statistics = map(
        cupy.fuse(), (silu_gradient, softmax, layer_norm, statistics)
    )
    elementwise = cupy.ElementwiseKernel(
        "T grad, T x",
        "T out",
        "T s = 1 / (1 + exp(-x)); out = grad * s * (1 + x * (1 - s))",
        "silu_gradient",
    )
    largest = cupy.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", "-1e38", "row_max")
    total = cupy.ReductionKernel("T x, T m", "T y", "exp(x - m)", "a + b", "y = a", "0", "row_sum")
    divided = cupy.ElementwiseKernel("T x, T m, T s", "T y", "y = exp(x - m) / s", "row_softmax")
    mean = cupy.ReductionKernel("T x, T n", "T y", "x / n", "a + b", "y = a", "0", "row_mean")
    square = cupy.ReductionKernel(
        "T x, T m, T n", "T y", "(x - m) * (x - m) / n", "a + b", "y = a", "0", "row_square"
    )
    normed = cupy.ElementwiseKernel(
        "T x, T m, T v, T w, T b", "T y", "y = (x - m) * rsqrt(v + T(1e-5)) * w + b", "row_normed"
    )
    sums = {
        name: cupy.ReductionKernel("T x", "float64 y", term, by, "y = a", start, f"all_{name}")
        for name, term, by, start in (
            ("largest", "isfinite(x) ? abs(double(x)) : 0", "max(a, b)", "0"),
            ("sum", "isfinite(x) ? double(x) : 0", "a + b", "0"),
            ("squares", "isfinite(x) ? double(x) * x : 0", "a + b", "0"),
            ("min", "isfinite(x) ? double(x) : 1e300", "min(a, b)", "1e300"),
            ("max", "isfinite(x) ? double(x) : -1e300", "max(a, b)", "-1e300"),
            ("zeros", "double(x == 0)", "a + b", "0"),
            ("nan", "double(isnan(x))", "a + b", "0"),
            ("inf", "double(isinf(x))", "a + b", "0"),
        )
    }

    def softmax_by_kernels() -> Any:
        m = largest(x, axis=1, keepdims=True)
        return divided(x, m, total(x, m, axis=1, keepdims=True))

    def layer_norm_by_kernels() -> Any:
        m = mean(x, np.float32(12), axis=1, keepdims=True)
        return normed(x, m, square(x, m, np.float32(12), axis=1, keepdims=True), one, zero)

    weights = [vg.nn.Parameter(vg.ones(n, device="cuda")) for n in (3, 40, 7, 500, 2, 64)]
    for weight in weights:
        weight.grad = vg.ones_like(weight)
    optimizer = vg.optim.Adam(weights)
    adam = cupy.ElementwiseKernel(
        "T g, T step, T b1, T b2", "T w, T m, T v",
        "m = b1 * m + (1 - b1) * g; v = b2 * v + (1 - b2) * g * g; w -= step * m / (sqrt(v) + T(1e-8))",
        "adam",
    )  # fmt: skip
    kept = [[w._array, cupy.zeros_like(w._array), cupy.zeros_like(w._array)] for w in weights]

    def adam_by_kernels() -> None:
        numbers = [np.float32(n) for n in (0.001, 0.9, 0.999)]
        for weight, state in zip(weights, kept, strict=True):
            adam(weight.grad._array, *numbers, *state)

    def leaf(x: Any) -> Any:
        return vg.tensor(x, device="cuda").requires_grad_()

    start = leaf(x.get())
    silu, arriving = vg.nn.functional.silu(start), leaf(x.get()).detach()

    def backward() -> None:
        start.grad = None
        silu.backward(arriving, retain_graph=True)

    return {
        "gradient of silu": {
            "cupy, operation by operation": lambda: silu_gradient(grad, x),
            "cupy.fuse": lambda: fused_silu(grad, x),
            "ElementwiseKernel": lambda: elementwise(grad, x),
            "vizgrad": backward,
        },
        "softmax of rows": {
            "cupy, operation by operation": lambda: softmax(x),
            "cupy.fuse": lambda: fused_softmax(x),
            "ReductionKernel, ElementwiseKernel": softmax_by_kernels,
            "vizgrad": lambda: of_rows.softmax(x),
        },
        "layer norm of rows": {
            "cupy, operation by operation": lambda: layer_norm(x, one, zero),
            "cupy.fuse": lambda: fused_norm(x, one, zero),
            "ReductionKernel, ElementwiseKernel": layer_norm_by_kernels,
            "vizgrad": lambda: of_rows.layer_norm(x, one, zero, 1e-5),
        },
        "statistics of an array": {
            "cupy, operation by operation": lambda: statistics(x),
            "cupy.fuse": lambda: fused_statistics(x),
            "ReductionKernel": lambda: [each(x) for each in sums.values()],
            "vizgrad": lambda: look.look(x),
        },
        "Adam, six parameters": {
            "ElementwiseKernel": adam_by_kernels,
            "vizgrad": optimizer.step,
        },
    }


def cost(call: Callable[[], Any], texts: list[str]) -> str:
    """Launches of a call, and the characters of CUDA C that were compiled for it; why there are none."""
    del texts[:]
    try:
        call()
    except Exception as error:  # noqa: BLE001  what a tool does not take, it refuses in many ways
        return f"refused: {type(error).__name__}: {str(error)[-60:]}".replace("\n", " ")
    written = sum(map(len, texts))
    ACCOUNT.clear()
    call()
    found = f"{len(ACCOUNT.launches)} launches, {len(texts)} kernels, {written} characters"
    ACCOUNT.clear()
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:  # where nothing is compiled yet
        emulated.start(folder=Path(folder))
        _print()


def _print() -> None:
    import cupy
    from cupy.cuda import compiler

    import vizgrad as vg

    vg.zeros(1, device="cuda")
    texts: list[str] = []
    build = compiler._compile_using_nvrtc_no_warning

    def noting(source: str, *args: Any, **options: Any) -> Any:
        texts.append(source)
        return build(source, *args, **options)

    compiler._compile_using_nvrtc_no_warning = noting
    for name, ways in rows(cupy).items():
        for way, call in ways.items():
            print(f"| {name} | {way} | {cost(call, texts)} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
