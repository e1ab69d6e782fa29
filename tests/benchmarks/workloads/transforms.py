"""Jacobians, gradients of each example and a Hessian by `func`, against PyTorch's and against the loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.case import VIZGRAD, Case, Run, both, constant, fill

SIZE, BATCH, PARAMETERS = 256, 256, 200
LOOP = "loop"


def cases() -> Iterator[Case]:
    for name, build in BUILDS.items():
        yield Case(name, both(build), tolerance=1e-3)
    for name, build in LOOPS.items():
        peers = {
            VIZGRAD: partial(_ours, BUILDS[name.removesuffix(LOOPED)]),
            LOOP: partial(_ours, build),
        }
        yield Case(name, peers, base=LOOP, tolerance=1e-3)


#: What the names of cases that are compared with a loop end in.
LOOPED = ", against a loop"


def _ours(build: Callable[[Any], Run]) -> Run:
    import vizgrad
    import vizgrad.func

    return build(vizgrad)


def _run(work: Callable[[], Any]) -> Run:
    """Work whose results are what is compared."""
    last: list[Any] = []

    def step() -> None:
        last[:] = [work()]

    def results() -> list[np.ndarray]:
        found = last[0]
        several = found.values() if isinstance(found, dict) else [found]
        return [each.detach().numpy() for each in several]

    return Run(step, results, last.clear)


# --- Jacobians of an MLP -------------------------------------------------------------------------------


def _mlp(lib: Any) -> tuple[Callable[[Any], Any], Any]:
    values = np.random.default_rng(11)
    first, second = (
        constant(lib, (values.standard_normal((SIZE, SIZE)) / SIZE**0.5).astype(np.float32))
        for _ in range(2)
    )
    x = constant(lib, values.standard_normal(SIZE).astype(np.float32))
    return (lambda v: (v @ first).tanh() @ second), x


def rows(lib: Any) -> Run:
    mlp, x = _mlp(lib)
    return _run(lambda: lib.func.jacrev(mlp)(x))


def columns(lib: Any) -> Run:
    mlp, x = _mlp(lib)
    return _run(lambda: lib.func.jacfwd(mlp)(x))


def looped_rows(lib: Any) -> Run:
    mlp, x = _mlp(lib)

    def work() -> Any:
        v = x.clone().requires_grad_()
        y = mlp(v)
        each = [lib.autograd.grad(y[i], v, retain_graph=True)[0] for i in range(SIZE)]
        return lib.stack(each)

    return _run(work)


def looped_columns(lib: Any) -> Run:
    mlp, x = _mlp(lib)
    units = lib.eye(SIZE)
    return _run(
        lambda: lib.stack([lib.func.jvp(mlp, (x,), (units[i],))[1] for i in range(SIZE)], 1)
    )


# --- the gradient of each example ----------------------------------------------------------------------


def _digits(lib: Any) -> tuple[Callable[..., Any], dict[str, Any], Any, Any]:
    nn = lib.nn
    net = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    fill(lib, net)
    parameters = {name: each.detach() for name, each in net.named_parameters()}
    values = np.random.default_rng(13)
    images = constant(lib, values.standard_normal((BATCH, 64)).astype(np.float32))
    classes = constant(lib, values.integers(0, 10, BATCH))

    def loss(parameters: Any, image: Any, digit: Any) -> Any:
        scores = lib.func.functional_call(net, parameters, (image[None],))
        return nn.functional.cross_entropy(scores, digit[None])

    return loss, parameters, images, classes


def each_example(lib: Any) -> Run:
    loss, parameters, images, classes = _digits(lib)
    slopes = lib.func.vmap(lib.func.grad(loss), in_dims=(None, 0, 0))
    return _run(lambda: slopes(parameters, images, classes))


def looped_examples(lib: Any) -> Run:
    loss, parameters, images, classes = _digits(lib)
    slopes = lib.func.grad(loss)

    def work() -> Any:
        each = [slopes(parameters, images[i], classes[i]) for i in range(BATCH)]
        return {name: lib.stack([one[name] for one in each]) for name in parameters}

    return _run(work)


# --- second derivatives --------------------------------------------------------------------------------


def hessian(lib: Any) -> Run:
    values = np.random.default_rng(17)
    v = constant(lib, values.standard_normal(PARAMETERS).astype(np.float32))
    return _run(lambda: lib.func.hessian(lambda v: (v.sin() * v.cumsum(0)).sum() ** 2)(v))


BUILDS: dict[str, Callable[[Any], Run]] = {
    "jacrev of an MLP, 256 to 256": rows,
    "jacfwd of an MLP, 256 to 256": columns,
    "gradients of 256 examples": each_example,
    "Hessian of 200 parameters": hessian,
}
LOOPS: dict[str, Callable[[Any], Run]] = {
    "jacrev of an MLP, 256 to 256" + LOOPED: looped_rows,
    "jacfwd of an MLP, 256 to 256" + LOOPED: looped_columns,
    "gradients of 256 examples" + LOOPED: looped_examples,
}
