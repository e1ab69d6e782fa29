"""What lives in memory, in words: shared by the text and the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from vizgrad.debugger.drawing.describe import bytes_text, count_text, place_text, plain, type_text
from vizgrad.debugger.model import (
    Heap,
    HeapAlias,
    HeapCycle,
    HeapHolder,
    HeapKeeper,
    HeapStorage,
    HeapUse,
)

USES: dict[HeapUse, str] = {
    "parameter": "parameters",
    "gradient": "gradients",
    "optimizer": "optimizer state",
    "variable": "variables",
    "saved": "saved for a backward",
    "elsewhere": "held elsewhere",
    "garbage": "held by cycles only",
}
_LONGEST = 80


def total_text(heap: Heap) -> str:
    return (
        f"{bytes_text(heap.bytes)} in {count_text(heap.storages, 'storage')}; "
        f"{count_text(heap.nodes, 'node')} of graphs"
    )


def shares_text(heap: Heap) -> str:
    return ", ".join(f"{USES[share.use]} {bytes_text(share.bytes)}" for share in heap.shares)


def keeper_text(keeper: HeapKeeper) -> str:
    """``total keeps 312 nodes and 48 MB alive, since In [7], line 3``, and what it shares with others."""
    name = code(keeper.name)
    if keeper.through not in ("", keeper.name):
        name += f" (through {code(keeper.through)})"
    since = f", since {place_text(keeper.since)}" if keeper.since else ""
    shared = _amount(keeper.shared_nodes, keeper.shared_bytes)
    others = _names(keeper.shared_with)
    if not keeper.nodes:
        return f"{name} keeps {shared} alive together with {others}{since}"
    text = f"{name} keeps {_amount(keeper.nodes, keeper.bytes)} alive{since}"
    return f"{text}; {shared} more together with {others}" if keeper.shared_nodes else text


def cycle_text(cycle: HeapCycle) -> str:
    way = " → ".join(plain(each, _LONGEST) for each in cycle.path)
    where = f", recorded at {place_text(cycle.place)}" if cycle.place else ""
    if cycle.held:
        gone = f"once {_names(cycle.held)} {'is' if len(cycle.held) == 1 else 'are'} gone"
        ends = f"only the collector frees it, {gone}"
    else:
        ends = "nothing leads there any more: `gc.collect()` frees it"
    return f"{way}: {_amount(cycle.nodes, cycle.bytes)}{where}; {ends}"


def alike(held: Sequence[HeapStorage]) -> list[tuple[HeapStorage, ...]]:
    """Storages of which the same is told, as each turn of a loop saves one; the largest first."""
    found: dict[object, list[HeapStorage]] = {}
    for each in held:
        told = (each.name, each.use, each.bytes, each.shape, each.dtype, each.device, each.holders)
        found.setdefault((told, each.holders_more), []).append(each)
    return sorted(map(tuple, found.values()), key=lambda group: -group[0].bytes * len(group))


def group_text(group: Sequence[HeapStorage]) -> str:
    """``saved `mat1` of AddmmBackward0 × 40``, or the name of one."""
    name = plain(group[0].name, _LONGEST)
    return name if len(group) == 1 else f"{name} × {len(group):,}"


def each_text(group: Sequence[HeapStorage]) -> str:
    """What each of them is, with how many bytes if they are several."""
    versions = {each.version for each in group}
    first = group[0] if len(versions) == 1 else replace(group[0], version=None)
    size = "" if len(group) == 1 else f", {bytes_text(group[0].bytes)} each"
    return f"{storage_text(first)}{size}"


def storage_text(storage: HeapStorage) -> str:
    """``[3, 4] f32 v0``."""
    version = "" if storage.version is None else f" v{storage.version}"
    device = "" if storage.device == "cpu" else f" {plain(storage.device, 20)}"
    return f"{type_text(storage.shape, storage.dtype)}{device}{version}"


def holder_text(holder: HeapHolder) -> str:
    text = plain(holder.text, _LONGEST)
    if holder.kind == "numpy":
        text = f"numpy array {text}"
    place = f", {place_text(holder.place)}" if holder.place else ""
    graph = (
        f" (graph of {', '.join(plain(name, 40) for name in holder.graphs)})"
        if holder.graphs
        else ""
    )
    return f"{text}{place}{graph}"


def alias_text(alias: HeapAlias) -> str:
    """``v: view [10] f32 v2 by slice``."""
    version = "" if alias.version is None else f" v{alias.version}"
    maker = f" by {plain(alias.maker, 40)}" if alias.maker else ""
    name = plain(alias.name, _LONGEST) or "without a name"
    return f"{name}: {alias.relation} {type_text(alias.shape, alias.dtype)}{version}{maker}"


def tree_lines(aliases: Sequence[HeapAlias]) -> list[tuple[int, str]]:
    """How deep, and what is told, in order; leaves of which the same is told are one line, and counted."""
    deep = depths(aliases)
    above = {alias.of for alias in aliases}
    found: dict[object, list[int]] = {}
    for at in in_order(aliases):
        own = at if at in above else None  # under it stand others, which are its own
        found.setdefault((aliases[at].of, alias_text(aliases[at]), own), []).append(at)
    return [
        (deep[same[0]], alias_text(aliases[same[0]]) + (f" × {len(same):,}" if same[1:] else ""))
        for same in found.values()
    ]


def depths(aliases: Sequence[HeapAlias]) -> list[int]:
    """How deep each stands in the tree: those that another shows it through stand behind that."""
    found: list[int] = []
    for at, alias in enumerate(aliases):
        inside = alias.of is not None and alias.of < at
        found.append(found[alias.of] + 1 if inside and alias.of is not None else 0)
    return found


def in_order(aliases: Sequence[HeapAlias]) -> list[int]:
    """As a tree is read: each before what stands under it."""
    children: dict[int | None, list[int]] = {}
    for at, alias in enumerate(aliases):
        of = alias.of if alias.of is not None and alias.of < at else None
        children.setdefault(of, []).append(at)
    order: list[int] = []
    left = list(reversed(children.get(None, [])))
    while left:
        at = left.pop()
        order.append(at)
        left += reversed(children.get(at, []))
    return order


def code(text: str) -> str:
    return f"`{plain(text, _LONGEST)}`"


def _names(names: Sequence[str]) -> str:
    return ", ".join(map(code, names)) or "something else"


def _amount(nodes: int, size: int) -> str:
    return f"{count_text(nodes, 'node')} and {bytes_text(size)}"
