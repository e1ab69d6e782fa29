"""The share of PyTorch's names that is promised, and a reason for each that is missing (T-96)."""

from __future__ import annotations

import pytest

from tests.names.left_out import LATER, LEFT_OUT
from tests.names.listed import autograd_names, exists, missing, operations, public_names

pytestmark = pytest.mark.rule("T-96")


def test_every_starred_operation_exists() -> None:
    assert [(r, n) for r, n, starred in operations() if starred and not exists(n)] == []


def test_nearly_all_other_operations_exist() -> None:
    others = [name for _, name, starred in operations() if not starred]
    assert len(others) > 20
    assert sum(map(exists, others)) >= 0.95 * len(others)


@pytest.mark.parametrize("key", public_names())
def test_lists_are_covered(key: str) -> None:
    names = public_names()[key]
    assert len(missing(key, names)) <= 0.15 * len(names)


@pytest.mark.parametrize("key", {**autograd_names(), **public_names()})
def test_what_is_missing_has_a_reason(key: str) -> None:
    names = {**autograd_names(), **public_names()}[key]
    gone = missing(key, names)
    assert [n for n in gone if key not in LATER and f"{key}.{n}" not in LEFT_OUT] == []


def test_nothing_that_exists_is_listed_as_missing() -> None:
    gone = {f"{key}.{n}" for key, names in public_names().items() for n in missing(key, names)}
    assert sorted(set(LEFT_OUT) - gone) == []
