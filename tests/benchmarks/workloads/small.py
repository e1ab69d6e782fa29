"""Calls that a program makes by the thousand and that hardly compute: what each asks on its way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from tests.benchmarks.case import Case, Run, both, constant, leaf

FAMILY = "small calls"

#: Given the library and two 32 x 32 tensors, x and y: what is called, which returns what is compared.
Call = Callable[[], Any]
_CALLS: dict[str, Callable[[Any, Any, Any], Call]] = {}


def _call(make: Callable[[Any, Any, Any], Call]) -> None:
    _CALLS[make.__name__.strip("_").replace("_", " ")] = make


def cases() -> Iterator[Case]:
    for name, make in _CALLS.items():
        yield Case(name, both(partial(_build, make)), tolerance=1e-5, family=FAMILY)


def _build(make: Callable[[Any, Any, Any], Call], lib: Any) -> Run:
    values = np.random.default_rng(1)
    x, y = (constant(lib, values.standard_normal((32, 32)).astype(np.float32)) for _ in range(2))
    call = make(lib, x, y)
    return Run(call, lambda: [_array(value) for value in _several(call())])


def _several(result: Any) -> Any:
    return result if isinstance(result, (tuple, list)) else [result]


def _array(value: Any) -> np.ndarray:
    return value if isinstance(value, np.ndarray) else value.detach().numpy()


@_call
def backward_of_a_product(lib: Any, x: Any, y: Any) -> Call:
    x, y = leaf(lib, x.numpy()), leaf(lib, y.numpy())

    def step() -> Any:
        x.grad = y.grad = None
        (x * y).sum().backward()
        return x.grad, y.grad

    return step


@_call
def backward_of_a_matrix_product(lib: Any, x: Any, y: Any) -> Call:
    x, y = leaf(lib, x.numpy()), leaf(lib, y.numpy())

    def step() -> Any:
        x.grad = y.grad = None
        (x @ y).sum().backward()
        return x.grad, y.grad

    return step


@_call
def backward_with_a_hook(lib: Any, x: Any, y: Any) -> Call:
    x, y = leaf(lib, x.numpy()), leaf(lib, y.numpy())

    def step() -> Any:
        x.grad = y.grad = None
        product = x * y
        product.register_hook(lambda grad: None)
        product.sum().backward()
        return x.grad, y.grad

    return step


@_call
def add_in_place(lib: Any, x: Any, y: Any) -> Call:
    nothing = y * 0
    return lambda: x.add_(nothing)


@_call
def exp_into_out(lib: Any, x: Any, y: Any) -> Call:
    return lambda: lib.exp(x, out=y)


@_call
def matmul_64(lib: Any, x: Any, y: Any) -> Call:
    a, b = lib.cat([lib.cat([x, y]), lib.cat([y, x])], 1), lib.ones(64, 64)
    return lambda: a @ b


@_call
def bmm(lib: Any, x: Any, y: Any) -> Call:
    a, b = x.reshape(4, 16, 16), y.reshape(4, 16, 16)
    return lambda: lib.bmm(a, b)


@_call
def tensor_of_a_list(lib: Any, x: Any, y: Any) -> Call:
    return lambda: lib.tensor([1.0, 2.0])


@_call
def numpy(lib: Any, x: Any, y: Any) -> Call:
    return x.numpy


@_call
def to_a_device(lib: Any, x: Any, y: Any) -> Call:
    return lambda: x.to("cpu")


@_call
def where(lib: Any, x: Any, y: Any) -> Call:
    positive = x > 0
    return lambda: lib.where(positive, x, y)


@_call
def no_grad(lib: Any, x: Any, y: Any) -> Call:
    def step() -> Any:
        with lib.no_grad():
            return x * y

    return step
