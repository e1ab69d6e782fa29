"""One reading of the memory of the process. It costs when it is asked for, and nothing otherwise.

No other thread runs Python meanwhile, and nothing is collected: what is told fits together. Nothing
is written,
unpacked, brought up to date or kept: afterwards all is as it was.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from vizgrad.core.collector import collector_paused
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import frameworks
from vizgrad.debugger.memory import walk as object_kinds
from vizgrad.debugger.memory.framework_memory import Lent, lent
from vizgrad.debugger.memory.graph_holders import Block, Graphs, blocks_of
from vizgrad.debugger.memory.holders import Held
from vizgrad.debugger.memory.retention_paths import Paths
from vizgrad.debugger.memory.walk import (
    Asked,
    Notebook,
    Root,
    Walk,
    alive_without_a_way,
    elsewhere,
    variables,
)
from vizgrad.debugger.session import registry

# --- notebook variables ----------------------------------------------------------------------------------
# The variables of the notebook that this process runs, if it runs one.


def current() -> Notebook | None:
    """The notebook of the running IPython, in a kernel or a terminal; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell: Any = None if ipython is None else ipython.get_ipython()
    if shell is None:
        return None
    hidden = shell.user_ns_hidden
    # the latest results once more, under names of the shell's own
    holders = (getattr(shell, name, None) for name in ("displayhook", "last_execution_result"))
    also = tuple(
        part for each in holders if hasattr(each, "__dict__") for part in (each, vars(each))
    )
    return Notebook(
        shell.user_ns,
        hidden if isinstance(hidden, dict) else {},
        shell.user_ns.get("Out", {}),
        also,
    )


# --- reading ---------------------------------------------------------------------------------------------


#: Keepers and cycles that are told.
MOST_KEEPERS, MOST_CYCLES = 50, 20
_USES: tuple[model.HeapUse, ...] = (
    "parameter", "gradient", "optimizer", "variable", "saved", "elsewhere", "garbage",
)  # fmt: skip
#: Seconds that other threads wait at most.
_ALONE = 60.0


def read(
    frame: FrameType | None = None, notebook: Notebook | None = None, *, most: int | None = None
) -> model.Heap:
    """The live objects, named by the variables of `frame` and its callers, and of the notebook.

    `most`: of how many storages all is told, the largest; None: of all.
    """
    frameworks.engines_registered()
    with _alone():
        objects = gc.get_objects()  # first: nothing of the reader's own is in it
        asked = Asked()
        found = variables(frame, notebook, asked)
        tensors = [kind for memory in frameworks.memories() for kind in memory.kinds]
        walk = Walk(found.skipped, tensors)
        try:
            return _read(walk, objects, found.roots, asked, most)
        finally:
            walk.clear()
            objects.clear()
            found.roots.clear()
            found.skipped.clear()
            object_kinds.forget()
            asked.let_go()


def _read(
    walk: Walk, objects: list[object], named: list[Root], asked: Asked, most: int | None
) -> model.Heap:
    sessions = [Root(f"session of {each.title}", [each]) for each in registry.sessions()]
    roots = walk.begin([*named, *sessions])
    sessions.clear()
    away = walk.begin_elsewhere(elsewhere(walk.things, asked))
    roots.append(away)
    roots += _without_a_way(walk, objects, away, asked)
    paths = Paths(walk)
    graphs = Graphs(walk, roots, away, paths)
    held = Held(walk, paths, graphs)
    blocks = sorted(blocks_of(walk), key=lambda block: (-block.bytes, block.extent.low))
    own: list[model.HeapUse] = [held.use(block) for block in blocks]
    keepers = graphs.keepers(zip(blocks, own, strict=True))
    cycles, cycles_more = graphs.cycles(blocks, MOST_CYCLES)
    others, other_nodes, uncounted = lent(walk, paths, graphs, (block.extent for block in blocks))
    sizes = [block.bytes for block in blocks] + [each.bytes for each in others]
    uses: list[model.HeapUse] = [*own, *(each.use for each in others)]
    shares = tuple(
        model.HeapShare(
            use,
            uses.count(use),
            sum(size for size, u in zip(sizes, uses, strict=True) if u == use),
        )
        for use in _USES
        if use in uses
    )
    told: list[Block | Lent] = sorted([*blocks, *others], key=lambda each: -each.bytes)[:most]
    return model.Heap(
        bytes=sum(sizes),
        storages=len(sizes),
        nodes=len(graphs.nodes) + other_nodes,
        shares=shares,
        held=tuple(
            held.told(number, each) if isinstance(each, Block) else each.told(number)
            for number, each in enumerate(told)
        ),
        held_more=len(sizes) - len(told),
        keepers=tuple(keepers[:MOST_KEEPERS]),
        keepers_more=max(len(keepers) - MOST_KEEPERS, 0),
        cycles=tuple(cycles),
        cycles_more=cycles_more,
        uncounted=uncounted,
    )


def _without_a_way(walk: Walk, objects: list[object], away: int, asked: Asked) -> list[int]:
    """For objects that no walk has met: live ones belong to `away`, the others are garbage, a root
    of its own.
    """
    left = [thing for thing in objects if walk.number(thing) is None and not walk.skips(thing)]
    wanted = (object_kinds.TENSOR, object_kinds.NODE, object_kinds.CONTEXT)
    if not any(object_kinds.KINDS[type(thing)] in wanted for thing in left):
        return []
    known = walk.parts() | asked.dicts  # who has them is known: nobody unseen holds them
    left = [thing for thing in left if id(thing) not in known]
    objects.clear()  # the references of the other list would count
    alive = alive_without_a_way(left)
    walk.go_on(away, alive)
    with_others = (
        object_kinds.INNER,
        object_kinds.ARRAY,
        object_kinds.NOTHING,
    )  # met with what they are part of
    garbage = [
        thing
        for thing in left
        if walk.number(thing) is None and object_kinds.KINDS[type(thing)] not in with_others
    ]
    found = walk.begin([Root("", garbage, garbage=True)]) if garbage else []
    garbage.clear()
    alive.clear()
    left.clear()
    return found


@contextmanager
def _alone() -> Generator[None]:
    """No other thread's Python in between, and no collection."""
    interval = sys.getswitchinterval()
    with collector_paused():
        sys.setswitchinterval(_ALONE)
        try:
            yield
        finally:
            sys.setswitchinterval(interval)
