"""Whose line it is: a person's, or nobody's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.tensor.source_location import caller


def called_by(package: str) -> Callable[..., Any]:
    """A function of a module of this package, which calls what it is given."""
    space: dict[str, Any] = {"__package__": package, "__name__": package}
    exec("def call(work): return work()", space)
    return space["call"]


@pytest.mark.parametrize("package", ["ipykernel.comm", "ipywidgets.widgets", "traitlets"])
def test_what_a_view_asks_for_is_no_line_of_a_person(package: str) -> None:
    host, ours = called_by(package), called_by("vizgrad.debugger.jupyter.widget.controller")
    sites: list[Any] = []
    # `caller` is given to functions of these packages alone: no frame of this file lies between
    ours_asks = {
        "__package__": "vizgrad.debugger.jupyter.widget",
        "call": ours,
        "caller": caller,
        "sites": sites,
    }
    exec("def asks(): sites.append(call(caller))", ours_asks)
    host(ours_asks["asks"])
    assert sites == [None]


def test_a_persons_callback_is_theirs_though_a_view_called_it() -> None:
    w = vg.ones(2)
    called_by("ipywidgets.widgets")(lambda: w.add_(1))
    assert w._storage is not None
    assert w._storage.writes is not None
    (last,) = w._storage.writes.latest(1)
    assert last.site is not None
    assert last.site.file == __file__


def test_a_write_through_no_variable_names_no_module() -> None:
    x = vg.empty(3).uniform_()
    (write,) = vg.versions(x).storages[0].writes
    assert (write.op, write.alias) == ("uniform_", "")
    x.add_(1)
    assert vg.versions(x).storages[0].writes[-1].alias == "x"
