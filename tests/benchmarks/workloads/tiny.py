"""One operation on next to nothing, forward and `y.backward(g)`: what the engine itself costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.case import AUTOGRAD, Case, Run, both, constant, grads_of, leaf

FAMILY = "tiny ops"
SHAPES = ((1,), (32, 32))
DTYPES = (np.float32, np.float64)

#: name -> operation of x and w. `matmul` of vectors is their dot product.
OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, w: x + w,
    "mul": lambda x, w: x * w,
    "tanh": lambda x, w: x.tanh(),
    "matmul": lambda x, w: x @ w,
    "sum": lambda x, w: x.sum(),
    "scalar mul": lambda x, w: x * 2.5,
}
ONE_OPERAND = {"tanh", "sum", "scalar mul"}


def cases() -> Iterator[Case]:
    for shape in SHAPES:
        for dtype in DTYPES:
            for name, operation in OPERATIONS.items():
                values = np.random.default_rng(1)
                arrays = [values.standard_normal(shape).astype(dtype) for _ in range(2)]
                if name in ONE_OPERAND:
                    del arrays[1]
                yield Case(
                    f"{name} {'x'.join(map(str, shape))} {np.dtype(dtype).name}",
                    both(partial(_build, operation, arrays))
                    | {AUTOGRAD: partial(_build_autograd, name, arrays)},
                    tolerance=1e-5,
                    family=FAMILY,
                )


def _build(operation: Callable[[Any, Any], Any], arrays: list[np.ndarray], lib: Any) -> Run:
    x, w = leaf(lib, arrays[0]), leaf(lib, arrays[-1])
    result = operation(x, w).detach().numpy()
    g = constant(lib, np.ones_like(result))
    if len(arrays) == 1:

        def step() -> None:
            x.grad = None
            operation(x, w).backward(g)

        return Run(step, grads_of([x]))

    def step_of_two() -> None:
        x.grad = w.grad = None
        operation(x, w).backward(g)

    return Run(step_of_two, grads_of([x, w]))


def _build_autograd(name: str, arrays: list[np.ndarray]) -> Run:
    import autograd.numpy as anp
    from autograd.differential_operators import make_vjp

    operation = {
        "add": anp.add, "mul": anp.multiply, "tanh": anp.tanh, "matmul": anp.dot, "sum": anp.sum,
        "scalar mul": lambda x: x * 2.5,
    }[name]  # fmt: skip
    forward = make_vjp(operation, list(range(len(arrays))))
    g = np.ones_like(operation(*arrays))
    last: list[Any] = []

    def step() -> None:
        vjp, _ = forward(*arrays)
        last[:] = vjp(g)

    return Run(step, lambda: last)
