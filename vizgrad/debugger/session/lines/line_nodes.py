"""The nodes that were recorded at one line of a person's program."""

from __future__ import annotations

import re
from collections import defaultdict

from vizgrad.core import errors
from vizgrad.debugger.engines.api.protocols import GraphSource

#: By file: by line, the nodes.
Recorded = dict[str, dict[int, set[int]]]

#: Lines that a refusal names.
_NAMED = 8


def nodes_at(source: GraphSource, line: int | str) -> tuple[str, frozenset[int]]:
    """The line in words, and the nodes that were recorded there.

    `line`: a number, counted as an editor does, in the newest cell that recorded a node of the graph
    (outside of notebooks: in the file that recorded the last); or ``"train.py:7"``, ``"In [3]:7"``. A file is
    known by the end of its path.
    ValueError if no node was recorded there.
    """
    recorded = _recorded(source)
    if not recorded:
        raise ValueError(
            f"line={line!r}: it is not known where the nodes of this graph were recorded"
        )
    name, number = ("", line) if isinstance(line, int) else _parted(line)
    files = [_newest(recorded)] if not name else [f for f in recorded if _is_called(f, name)]
    if not files:
        known = ", ".join(sorted(_shown(file) for file in recorded))
        raise ValueError(
            f"line={line!r}: no node of this graph was recorded in {name}, but in {known}"
            f"{inward(source)}"
        )
    found = frozenset[int]().union(*(recorded[file].get(number, ()) for file in files))
    if not found:
        where = " or ".join(_shown(file) for file in files)
        lines = sorted(
            {each for file in files for each in recorded[file]}, key=lambda n: abs(n - number)
        )
        near = ", ".join(str(each) for each in sorted(lines[:_NAMED]))
        raise ValueError(
            f"line={line!r}: no node of this graph was recorded at line {number} of {where}; "
            f"there were at {near}{inward(source)}"
        )
    return f"line {number} of {_shown(files[0])}", found


def inward(source: GraphSource) -> str:
    """Of a graph with custom Functions: how to stop in their backward, which no breakpoint knows."""
    # PyTorch's own names end in a digit: to describe all of a large graph takes long
    named = (n for n in range(source.inner) if source.name(n).endswith("Backward"))
    node = next((n for n in named if source.describe(n).kind == "function"), None)
    if node is None:
        return ""
    return (
        f". What the backward of a custom Function runs has no breakpoints: stop before its node "
        f"(break_at(node={node}) for {source.name(node)}), and go through its lines with step_in()"
    )


def _recorded(source: GraphSource) -> Recorded:
    recorded: Recorded = defaultdict(lambda: defaultdict(set))
    sets: dict[tuple[int, int], set[int] | None] = {}  # to hash a code object takes long
    for node in range(source.inner):
        spot = source.origin(node).spot
        if spot is None:
            continue
        key = id(spot.code), spot.offset
        if key not in sets:
            line = spot.line
            file = spot.code.co_filename
            sets[key] = None if line is None else recorded[file][errors.line_shown(file, line)]
        nodes = sets[key]
        if nodes is not None:
            nodes.add(node)
    return recorded


def _parted(line: str) -> tuple[str, int]:
    name, _, number = line.rpartition(":")
    if not number.strip().isdecimal():
        raise ValueError(
            f"line={line!r}: give a number, or a file or cell and a number: 'train.py:7'"
        )
    return name.strip(), int(number)


def _newest(recorded: Recorded) -> str:
    cells = {file: int(count[0]) for file in recorded if (count := re.findall(r"\d+", _cell(file)))}
    if cells:
        return max(cells, key=cells.__getitem__)
    return min(recorded, key=lambda file: min(map(min, recorded[file].values())))


def _is_called(file: str, name: str) -> bool:
    if name.replace(" ", "") == _cell(file).replace(" ", ""):
        return True
    parts, wanted = re.split(r"[/\\]", file), re.split(r"[/\\]", name)
    return parts[-len(wanted) :] == wanted


def _cell(file: str) -> str:
    return errors.cell_of(file) or ""


def _shown(file: str) -> str:
    return _cell(file) or re.split(r"[/\\]", file)[-1]
