"""Upcalls: all are set by importing what provides them; one that is not set says its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import vizgrad as vg
from vizgrad.core import upcalls
from vizgrad.core.upcalls import UPCALLS, Upcalls

CORE = Path(upcalls.__file__).parent


def test_all_are_set_once_forward_mode_was_used() -> None:
    with vg.autograd.forward_ad.dual_level():
        vg.autograd.forward_ad.make_dual(vg.ones(1), vg.ones(1))
    assert [name for name in Upcalls.__slots__ if not callable(getattr(UPCALLS, name))] == []


def test_one_that_is_not_set_says_its_name() -> None:
    with pytest.raises(AttributeError, match="regenerate_view"):
        Upcalls().regenerate_view(vg.ones(1))


def test_no_module_puts_a_function_into_another_one_on_import() -> None:
    """A function that is put into a module from outside is nowhere declared: it belongs to `Upcalls`."""
    found: list[str] = []
    for path in sorted(CORE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        modules = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("vizgrad.core")
            for alias in node.names
            if (CORE.parent.parent / f"{node.module}.{alias.name}".replace(".", "/"))
            .with_suffix(".py")
            .exists()
        }
        found += [
            f"{path.relative_to(CORE)}:{node.lineno}"
            for node in tree.body
            for target in (node.targets if isinstance(node, ast.Assign) else ())
            if isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id in modules
        ]
    assert found == []
