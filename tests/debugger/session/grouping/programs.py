"""Programs given as text, run as a person would run them, and the outlines of their graphs."""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from textwrap import dedent
from typing import Any

import vizgrad as vg
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph, roots_of
from vizgrad.debugger.model import Group
from vizgrad.debugger.session.grouping import groups_of

_files = count()


def run(text: str, *, source: bool = True, **names: Any) -> Any:
    """Runs a program in which `vg`, `nn` and a leaf `w` are known; returns its `y`.

    `source` False: its text is not to be had afterwards.
    """
    text = dedent(text).strip() + "\n"
    file = f"<program {next(_files)}>"
    namespace: dict[str, Any] = {"vg": vg, "nn": vg.nn, **names}
    namespace.setdefault("w", vg.ones(3, requires_grad=True))
    if source:
        linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    exec(compile(text, file, "exec"), namespace)
    return namespace["y"]


@contextmanager
def no_programs() -> Iterator[None]:
    """Afterwards their texts are let go of."""
    yield
    for file in [name for name in linecache.cache if name.startswith("<program ")]:
        del linecache.cache[file]


def groups(tensor: Any) -> tuple[Group, ...]:
    """Those of the graph of a tensor; checked to be what the model promises."""
    source = EngineGraph(roots_of(tensor), {})
    found = groups_of(source)
    assert groups_of(source) == found
    check(found, source.inner)
    return found


def outline(tensor: Any) -> str:
    """One group a line, indented: kind, title, numbers of its nodes, and how many cells it has."""
    depths: list[int] = []
    lines: list[str] = []
    for group in groups(tensor):
        depths.append(0 if group.parent is None else depths[group.parent] + 1)
        cells = f" ={group.cells}" if group.cells else ""
        text = f"{group.kind} {group.title} [{group.first}:{group.last}]{cells}"
        lines.append("    " * depths[-1] + text)
    return "\n".join(lines)


def check(found: tuple[Group, ...], inner: int) -> None:
    """Groups are stretches within stretches, in order; cells have one size."""
    inside: dict[int | None, list[Group]] = {}
    for place, group in enumerate(found):
        assert group.id == place
        assert group.last - group.first >= 2
        first, last = 0, inner
        if group.parent is not None:
            assert group.parent < group.id
            around = found[group.parent]
            first, last = around.first, around.last
        siblings = inside.setdefault(group.parent, [])
        assert first <= group.first < group.last <= last
        assert not siblings or siblings[-1].last <= group.first
        siblings.append(group)
    for group in found:
        children = inside.get(group.id, [])
        size, rest = divmod(group.last - group.first, group.cells or 1)
        assert rest == 0
        if group.cells and (size > 1 or children):
            assert [(c.first, c.last) for c in children] == [
                (at, at + size) for at in range(group.first, group.last, size)
            ]


def same(found: str, expected: str) -> None:
    """An outline, word for word."""
    assert found == dedent(expected).strip()


def shows(program: str, expected: str) -> None:
    """The outline of what a program makes, word for word."""
    same(outline(run(program)), expected)
