"""The stand-in for cupy says of cupy what is true: its list of names, and what its own functions return."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from tests.fixtures.strict_array import KNOWN, StrictArray

pytestmark = pytest.mark.gpu

try:
    import ml_dtypes

    BFLOAT16: Any = np.dtype(ml_dtypes.bfloat16)
except ImportError:
    BFLOAT16 = None


@pytest.fixture(scope="module")
def cupy() -> Any:
    import cupy

    vg.zeros(1, device="cuda")
    return cupy


def test_the_names_are_those_of_this_cupy() -> None:
    """In a process that sees no device: the names are heard from calls with memory that does not exist."""
    command = [sys.executable, "-m", "tests.fixtures.cupy_names"]
    hidden = os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, check=True, env=hidden, timeout=300)
    found = json.loads(done.stdout)
    if found["version"] != KNOWN["version"]:
        pytest.skip(f"the list is of cupy {KNOWN['version']}")
    for part in ("functions", "ufuncs", "special", "array"):
        there, here = found[part], KNOWN[part]
        assert there.keys() == here.keys(), part
        assert {n: there[n] for n in there if there[n] != here[n]} == {}, part


def matrix(xp: Any, dtype: Any = "f8", *stack: int) -> Any:
    return xp.asarray(
        np.broadcast_to(np.array([[2.0, 1.0], [1.0, 3.0]]), (*stack, 2, 2)).astype(dtype)
    )


#: Programs of both: `xp` is cupy or the stand-in, `values` makes an array of the numbers.
CALLS: dict[str, Callable[[Any], Any]] = {
    "base of as_strided": lambda xp: (
        xp.lib.stride_tricks.as_strided(matrix(xp), (2,), (8,)).base is None
    ),
    "base of a view": lambda xp: matrix(xp)[1:].base is None,
    "base of what is expanded": lambda xp: np.broadcast_to(matrix(xp), (3, 2, 2)).base is None,
    "eigh": lambda xp: np.linalg.eigh(matrix(xp)),
    "qr": lambda xp: np.linalg.qr(matrix(xp)),
    "slogdet": lambda xp: np.linalg.slogdet(matrix(xp)),
    "svd of a stack": lambda xp: np.linalg.svd(matrix(xp, "f4", 3)),
    "inv of a half": lambda xp: np.linalg.inv(matrix(xp, "f2")),
    "inv of a singular matrix": lambda xp: np.linalg.inv(matrix(xp) * 0),
    "solve of a stack": lambda xp: np.linalg.solve(matrix(xp, "f8", 3), matrix(xp)),
    "cholesky of an indefinite matrix": lambda xp: np.linalg.cholesky(-matrix(xp)),
    "floor_divide": lambda xp: xp.asarray(np.array([1.0, np.inf])) // 0.1,
    "remainder": lambda xp: xp.asarray(np.array([1.0, 5.0])) % xp.asarray(np.array([0.1, np.inf])),
    "maximum.at": lambda xp: at(xp, np.maximum, "f8"),
    "maximum.at of halves": lambda xp: at(xp, np.maximum, "f2"),
    "add.at of complex numbers": lambda xp: at(xp, np.add, "c8"),
    "add.at of small integers": lambda xp: at(xp, np.add, "i1"),
    "multiply.at": lambda xp: at(xp, np.multiply, "f8"),
    "where of bfloat16": lambda xp: np.where(matrix(xp, BFLOAT16) > 1, *[matrix(xp, BFLOAT16)] * 2),
    "tril of bfloat16": lambda xp: np.tril(matrix(xp, BFLOAT16)),
    "triu of bfloat16": lambda xp: np.triu(matrix(xp, BFLOAT16)),
    "sum of bfloat16": lambda xp: matrix(xp, BFLOAT16).sum(),
    "matmul of bfloat16": lambda xp: matrix(xp, BFLOAT16) @ matrix(xp, BFLOAT16),
    "sum of bool": lambda xp: matrix(xp, "?").sum(),
    "mean of halves": lambda xp: matrix(xp, "f2").mean(),
    "difference of bool": lambda xp: matrix(xp, "?") - matrix(xp, "?"),
    "deg2rad of complex numbers": lambda xp: np.deg2rad(matrix(xp, "c8")),
    "sort": lambda xp: np.sort(matrix(xp), axis=0),
    "argsort of a half": lambda xp: np.argsort(matrix(xp, "f2"), axis=0),
    "float8": lambda xp: matrix(xp, ml_dtypes.float8_e5m2),
    "flags of a transposed": lambda xp: (
        matrix(xp).T.flags.c_contiguous,
        matrix(xp).T.flags.f_contiguous,
        matrix(xp).T.flags.owndata,
    ),
    "strides of a copy": lambda xp: matrix(xp, "f8", 3).transpose(2, 0, 1).copy().strides,
    "strides of a sum": lambda xp: (matrix(xp, "f8", 3).transpose(2, 0, 1) + 1).strides,
    "strides of exp": lambda xp: np.exp(matrix(xp).T).strides,
    "strides of like": lambda xp: np.empty_like(matrix(xp).T).strides,
    "like of no dimensions": lambda xp: np.full_like(matrix(xp), 3.0, shape=()),
    "argmax": lambda xp: np.argmax(matrix(xp), axis=1),
    "cumsum": lambda xp: np.cumsum(matrix(xp, "f4"), axis=0),
    "cumsum of small integers": lambda xp: np.cumsum(matrix(xp, "i2"), axis=0),
    "power of integers": lambda xp: matrix(xp, "i4") ** 2,
    "a number beside a half": lambda xp: matrix(xp, "f2") * 2.5,
    "an array of a device as an index": lambda xp: matrix(xp)[xp.asarray(np.array([1, 0]))],
    "an index out of range": lambda xp: matrix(xp)[beyond(xp)],
    "an index out of range behind a mask": lambda xp: matrix(xp)[matrix(xp)[0] > 1, beyond(xp)[:1]],
    "an index out of range after others": lambda xp: matrix(xp, "f8", 3)[
        ..., None, beyond(xp)
    ].copy(),
    "a number out of range": lambda xp: matrix(xp)[7],
    "take out of range": lambda xp: np.take(matrix(xp), beyond(xp), axis=1),
    "take_along_axis out of range": lambda xp: np.take_along_axis(
        matrix(xp), beyond(xp).reshape(2, 1), 1
    ),
    "a write out of range": lambda xp: written(xp, beyond(xp)),
    "add.at out of range": lambda xp: at(xp, np.add, "f8", beyond(xp)),
}


def beyond(xp: Any) -> Any:
    return xp.asarray(np.array([7, -5]))


def written(xp: Any, index: Any) -> Any:
    out = matrix(xp)
    out[:, index] = 9.0
    return out


def at(xp: Any, ufunc: Any, dtype: Any, index: Any = None) -> Any:
    out = matrix(xp, dtype).reshape(-1)
    index = xp.asarray(np.array([0, 0])) if index is None else index
    ufunc.at(out, index, xp.asarray(np.array([16777217.0, 2.0]).astype(dtype)))
    return out


def told(call: Callable[[Any], Any], xp: Any) -> Any:
    """Types, shapes and strides of what is returned, and its values; the class of what is raised."""
    try:
        return described(call(xp))
    except Exception as error:  # noqa: BLE001  any class at all
        return type(error).__name__


def described(found: Any) -> Any:
    if isinstance(found, tuple):
        return type(found).__name__, *map(described, found)
    if hasattr(found, "dtype"):
        host = found.get()
        values = np.abs(host.astype("c16")).round(3).tolist()
        return found.dtype.name, found.shape, found.strides, values
    return found


#: cupy's results lie in C's order whatever the operands' order is; the stand-in has numpy's.
KNOWN_HOLES = {"strides of a sum", "strides of exp", "argsort of a half"}


@pytest.mark.parametrize("name", CALLS)
def test_it_returns_and_raises_what_cupy_does(name: str, cupy: Any) -> None:
    there = told(CALLS[name], cupy)
    here = told(CALLS[name], strict_module.MODULE)
    assert (repr(here) == repr(there)) == (name not in KNOWN_HOLES), (here, there)


def test_a_matrix_without_a_result_raises_where_that_is_asked_for(cupy: Any) -> None:
    import cupyx

    from tests.fixtures.strict_array import errstate

    for xp, asking in ((cupy, cupyx.errstate), (strict_module.MODULE, errstate)):
        with asking(linalg="raise"), pytest.raises(np.linalg.LinAlgError):
            np.linalg.inv(matrix(xp) * 0)


def test_the_stand_in_has_no_attribute_that_cupy_lacks(cupy: Any) -> None:
    own = {n for n in vars(StrictArray) if not n.startswith("_")}
    assert own <= set(dir(cupy.ndarray)) | {"get"}
    parts = vars(SimpleNamespace(**vars(strict_module.Module.cuda)))
    assert all(hasattr(cupy.cuda, name) for name in parts)
