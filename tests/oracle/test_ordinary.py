"""Ordinary programs give the same losses and weights on both libraries."""

from __future__ import annotations

import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PROGRAMS = sorted(path.stem for path in Path(__file__).with_name("ordinary").glob("[a-z]*.py"))


def plain(thing: Any) -> Any:
    """Nests of tensors as nests of arrays."""
    if isinstance(thing, dict):
        return {key: plain(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [plain(value) for value in thing]
    if hasattr(thing, "detach"):
        return np.array(thing.detach().to_dense().numpy())
    return thing


def compare(found: Any, expected: Any, where: str) -> None:
    assert type(found) is type(expected), where
    if isinstance(expected, dict):
        assert list(found) == list(expected), where
        for key, value in expected.items():
            compare(found[key], value, f"{where}[{key!r}]")
    elif isinstance(expected, list):
        assert len(found) == len(expected), where
        for number, (a, b) in enumerate(zip(found, expected, strict=True)):
            compare(a, b, f"{where}[{number}]")
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype, where
        np.testing.assert_allclose(found, expected, rtol=2e-3, atol=2e-4, err_msg=where)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=2e-3, abs=2e-4), where
    else:
        assert found == expected, where


@pytest.mark.parametrize("name", PROGRAMS)
def test_ordinary_program(name: str, oracle: Any, vizgrad: Any) -> None:
    main = import_module(f"tests.oracle.ordinary.{name}").main
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's, of what is in beta
        expected = plain(main(oracle))
    compare(plain(main(vizgrad)), expected, name)
