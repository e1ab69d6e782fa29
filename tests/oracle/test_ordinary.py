"""Ordinary programs, in the style of ten years of tutorials: equal losses and weights on both libraries.

Each file of `ordinary/` is one program: `main(torch)` returns what is compared. Values whose name says
"coarse" come from bfloat16; "loose" ones have been divided by small standard deviations.
"""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vizgrad
from tests.oracle.observations import TensorSeen, describe

torch = pytest.importorskip("torch")

FOLDER = Path(__file__).parent / "ordinary"
PROGRAMS = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem not in ("__init__", "given"))
TOLERANCE = {"coarse": (3e-2, 2e-2), "loose": (2e-3, 1e-3)}


def seen(module: Any, name: str) -> Any:
    program = import_module(f"tests.oracle.ordinary.{name}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message=".*was removed because it raised")
        return describe(module, dense(program.main(module)))


def dense(thing: Any) -> Any:
    """Nests of results, sparse tensors as dense ones."""
    if isinstance(thing, dict):
        return {key: dense(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [dense(value) for value in thing]
    return thing.detach().to_dense() if getattr(thing, "is_sparse", False) else thing


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_gives_the_same(name: str) -> None:
    theirs = seen(torch, name)
    with vizgrad.watch() as watch:  # which changes nothing
        ours = seen(vizgrad, name)
    assert watch.findings == []  # as people wrote them for years, they are right
    assert theirs.keys() == ours.keys()
    wrong = [
        line
        for key, their in theirs.items()
        for line in differences(key, their, ours[key], TOLERANCE.get(key.split()[0], (2e-4, 2e-5)))
    ]
    assert not wrong, "\n".join(wrong)


def test_there_are_enough_of_them() -> None:
    assert len(PROGRAMS) >= 40


def differences(where: str, their: Any, our: Any, tolerance: tuple[float, float]) -> list[str]:
    if isinstance(their, dict):
        if list(their) != list(our):
            return [f"{where}: {list(their)}, {list(our)}"]
        return [d for k in their for d in differences(f"{where}.{k}", their[k], our[k], tolerance)]
    if isinstance(their, (list, tuple)):
        if len(their) != len(our):
            return [f"{where}: {len(their)} and {len(our)} of them"]
        pairs = enumerate(zip(their, our, strict=True))
        return [d for i, (t, o) in pairs for d in differences(f"{where}[{i}]", t, o, tolerance)]
    if isinstance(their, TensorSeen):
        if (their.dtype, their.shape) != (our.dtype, our.shape):
            return [f"{where}: {their.dtype}{their.shape}, {our.dtype}{our.shape}"]
        if their.dtype.startswith(("float", "bfloat", "complex")):
            relative, absolute = tolerance
            if not np.allclose(our.values, their.values, relative, absolute, equal_nan=True):
                return [f"{where}: {their.values.tolist()}, {our.values.tolist()}"]
            return []
        return [] if np.array_equal(their.values, our.values) else [f"{where}: {their}, {our}"]
    if isinstance(their, float):
        near = np.isclose(our, their, tolerance[0], tolerance[1], equal_nan=True)
        return [] if near else [f"{where}: {their}, {our}"]
    return [] if their == our else [f"{where}: {their!r}, {our!r}"]
