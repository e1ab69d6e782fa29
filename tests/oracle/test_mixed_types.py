"""Every public operation on two or three tensors, integers among them: gradients of the others.

A formula is computed with plain arrays, where integers stay integers, or with tensors, where they do not
(`create_graph=True`): both must give what PyTorch gives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fuzz.operations import operations

torch = pytest.importorskip("torch")

INTEGERS = ("int64", "int32", "bool")
#: Integers and fractions at which most functions are defined.
VALUES = {True: [[3, 2], [1, 2]], False: [[1.3, 0.7], [0.9, 2.1]]}
#: Where functions are, and how many of them PyTorch takes such operands for, at least.
NAMESPACES = {"": 40, "special": 5, "nn.functional": 8}

Gradients = list[tuple[str, np.ndarray] | None]


def names(space: str) -> Iterator[str]:
    """Of the operations there, as the fuzzer knows them: other functions set what all programs go by."""
    for each in operations().values():
        where, _, name = each.path.rpartition(".")
        if (
            where == space
            and hasattr(member(torch, space), name)
            and hasattr(member(vg, space), name)
        ):
            yield name


def member(module: Any, path: str) -> Any:
    return reduce(getattr, path.strip(".").split(".") if path else (), module)


def gradients(
    module: Any, function: Callable[..., Any], types: tuple[str, ...], graph: bool
) -> Gradients:
    """Of the fractions among the operands; none where nothing requires grad."""
    given = [module.tensor(VALUES[kind in INTEGERS], dtype=getattr(module, kind)) for kind in types]
    leaves = [t.requires_grad_() for t in given if t.is_floating_point()]
    result = function(*given)
    if not isinstance(result, module.Tensor) or not result.requires_grad:
        return []
    found = module.autograd.grad(result.sum(), leaves, create_graph=graph, allow_unused=True)
    return [g if g is None else (str(g.dtype).partition(".")[2], g.detach().numpy()) for g in found]


def every_way() -> Iterator[tuple[str, ...]]:
    for integer in INTEGERS:
        yield from ((integer, "float32"), ("float64", integer))
        yield from (t for t in product((integer, "float32"), repeat=3) if 0 < t.count(integer) < 3)


def compared(theirs: Any, ours: Any) -> bool:
    """Do the gradients agree? False where PyTorch takes other operands: the fuzzer compares refusals."""
    any_taken = False
    for types, graph in product(every_way(), (False, True)):
        try:
            wanted = gradients(torch, theirs, types, graph)
        except (RuntimeError, TypeError, ValueError, AssertionError, AttributeError, IndexError):
            continue
        found = gradients(vg, ours, types, graph) if wanted else []
        for there, here in zip(wanted, found, strict=True):
            any_taken = True
            assert (there is None) == (here is None), types
            if there is not None and here is not None:
                assert there[0] == here[0], types
                np.testing.assert_allclose(
                    here[1], there[1], 1e-5, 1e-6, err_msg=f"{types} {graph=}"
                )
    return any_taken


@pytest.mark.parametrize("space", NAMESPACES)
@pytest.mark.filterwarnings("ignore")
def test_gradients_beside_integers(space: str) -> None:
    taken = [
        n
        for n in names(space)
        if compared(member(torch, f"{space}.{n}"), member(vg, f"{space}.{n}"))
    ]
    assert len(taken) >= NAMESPACES[space], taken
