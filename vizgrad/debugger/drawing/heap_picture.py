"""A reading of the memory that shows itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any

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
from vizgrad.debugger.wire.wire import to_wire

# --- heap words ------------------------------------------------------------------------------------------
# The objects in memory, in words: shared by the text and the page.


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
    """``total keeps 312 nodes (89 kB) and 48 MB of tensors, since In [7], line 3``."""
    size = f"{count_text(keeper.nodes, 'node')} ({bytes_text(keeper.node_bytes)})"
    amount = f"{size} and {bytes_text(keeper.bytes)} of tensors"
    since = f", since {place_text(keeper.since)}" if keeper.since else ""
    sessions = _sessions(keeper.sessions)
    names = list(keeper.names)
    if not names:
        return f"{sessions} {amount}{since}, until closed"
    also = f"; {sessions} them, too, until closed" if keeper.sessions else ""
    if len(names) > 1:
        told = [*map(code, names)] + [f"{keeper.names_more:,} more"] * bool(keeper.names_more)
        return f"{', '.join(told[:-1])} and {told[-1]} keep the same {amount}{since}{also}"
    name = names[0]
    way = f" (through {code(keeper.through)})" if keeper.through not in ("", name) else ""
    return f"{code(name)}{way} keeps {amount}{since}{also}"


def _sessions(titles: Sequence[str]) -> str:
    """``the open session of `loss` keeps``."""
    names = ", ".join(map(code, titles))
    return f"the open session{'s' * (len(titles) > 1)} of {names} keep{'s' * (len(titles) < 2)}"


def cycle_text(cycle: HeapCycle) -> str:
    way = " → ".join(plain(each, _LONGEST) for each in cycle.path)
    where = f", recorded at {place_text(cycle.place)}" if cycle.place else ""
    if cycle.held:
        deleted = f"after {_names(cycle.held)} {'is' if len(cycle.held) == 1 else 'are'} deleted"
        ends = f"only the garbage collector frees it, {deleted}"
    else:
        ends = "unreachable: `gc.collect()` frees it"
    return f"{way}: {_amount(cycle.nodes, cycle.bytes)}{where}; {ends}"


def alike(held: Sequence[HeapStorage]) -> list[tuple[HeapStorage, ...]]:
    """Storages of which the same is told, as each turn of a loop saves one; the largest first."""
    found: dict[object, list[HeapStorage]] = {}
    for each in held:
        told = (each.name, each.use, each.bytes, each.shape, each.dtype, each.device, each.holders)
        found.setdefault((told, each.holders_more), []).append(each)
    return sorted(map(tuple, found.values()), key=lambda group: -bytes_of(group))


#: Rows that hold less than this part of all are one row; so many are rows of their own in any case.
SMALL, FEWEST_ROWS = 0.01, 5


def parted(
    groups: Sequence[tuple[HeapStorage, ...]], total: int
) -> tuple[Sequence[tuple[HeapStorage, ...]], Sequence[tuple[HeapStorage, ...]]]:
    """The rows of storages, the largest first, and those that are small: together at least two rows."""
    large = sum(bytes_of(group) >= SMALL * total for group in groups)
    first = max(large, min(FEWEST_ROWS, len(groups)))
    first = len(groups) if len(groups) - first < 2 else first
    return groups[:first], groups[first:]


def bytes_of(group: Sequence[HeapStorage]) -> int:
    return sum(each.bytes for each in group)


def smaller_text(groups: Sequence[Sequence[HeapStorage]]) -> str:
    """``48 smaller: 3.1 kB``."""
    return f"{sum(map(len, groups)):,} smaller: {bytes_text(sum(map(bytes_of, groups)))}"


def group_text(group: Sequence[HeapStorage]) -> str:
    """``saved `mat1` of AddmmBackward0 × 40``, or the name of one."""
    name = plain(group[0].name, _LONGEST)
    return name if len(group) == 1 else f"{name} × {len(group):,}"


def each_text(group: Sequence[HeapStorage]) -> str:
    """The kind of each of them, with how many bytes if they are several."""
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
    names = ", ".join(plain(name, 40) for name in holder.graphs)
    more = f" and {holder.graphs_more:,} more" if holder.graphs_more else ""
    graph = f" (graph of {names}{more})" if holder.graphs else ""
    return f"{text}{place}{graph}"


def alias_text(alias: HeapAlias) -> str:
    """``v: view [10] f32 v2 by slice``."""
    version = "" if alias.version is None else f" v{alias.version}"
    maker = f" by {plain(alias.maker, 40)}" if alias.maker else ""
    name = plain(alias.name, _LONGEST) or "unnamed"
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


# --- heap text -------------------------------------------------------------------------------------------
# The objects in memory, as lines of text.


#: Storages that are written, with their holders each; keepers and cycles.
MOST_STORAGES, MOST_HOLDERS, MOST_KEEPERS, MOST_ALIASES = 20, 4, 10, 8


def heap_text(heap: Heap) -> str:
    """The sum, which variables keep graphs alive, cycles, and the largest storages with who holds them."""
    return "\n".join(_lines(heap))


def _lines(heap: Heap) -> Iterator[str]:
    yield total_text(heap)
    if heap.shares:
        yield f"  {shares_text(heap)}"
    if heap.keepers:
        yield "graphs that are kept alive, the largest parts first:"
        yield from (f"  {keeper_text(keeper)}" for keeper in heap.keepers[:MOST_KEEPERS])
        yield from _more(heap.keepers[MOST_KEEPERS:], heap.keepers_more, "part")
    if heap.cycles:
        yield "reference cycles:"
        yield from (f"  {cycle_text(cycle)}" for cycle in heap.cycles[:MOST_KEEPERS])
        yield from _more(heap.cycles[MOST_KEEPERS:], heap.cycles_more, "cycle")
    if heap.held:
        yield "largest storages:"
        groups, small = parted(alike(heap.held), heap.bytes)
        for group in groups[:MOST_STORAGES]:
            yield from _storages(group)
        left = [storage for group in groups[MOST_STORAGES:] for storage in group]
        yield from _more(left, 0 if small else heap.held_more, "storage")
        if small:
            yield f"  and {smaller_text(small)}"
            yield from _more([], heap.held_more, "storage")
    yield from heap.uncounted


def _storages(group: Sequence[HeapStorage]) -> Iterator[str]:
    """Those of which the same is told; the trees of views are of the first that has one."""
    size = bytes_text(bytes_of(group))
    yield f"  {size:>8}  {group_text(group)}  {each_text(group)}"
    storage = next((each for each in group if len(each.aliases) > 1), group[0])
    held = [holder_text(holder) for holder in storage.holders[:MOST_HOLDERS]]
    more = len(storage.holders) - len(held) + storage.holders_more
    if held != [plain(storage.name, 80)] or more:
        held += [f"{more:,} more"] if more else []
        yield f"{'':12}held by {'; '.join(held)}"
    if len(storage.aliases) > 1:
        lines = tree_lines(storage.aliases)
        for deep, text in lines[:MOST_ALIASES]:
            yield f"{'':12}{'  ' * deep}{text}"
        left = len(lines[MOST_ALIASES:]) + storage.aliases_more
        if left > 0:
            yield f"{'':12}and {left:,} more that share it"


def _more(left_out: Sequence[object], not_told: int, noun: str) -> Iterator[str]:
    count = len(left_out) + not_told
    if count > 0:
        yield f"  and {count_text(count, f'more {noun}')}"


# --- heap page -------------------------------------------------------------------------------------------
# The objects in memory, as HTML for the output of a cell: a table, and no script, link or id.


#: Rows that are shown; what is beyond is counted.
MOST_ROWS = 100
_LINE = (
    "border-bottom:1px solid var(--jp-border-color2,#8884);text-align:left;vertical-align:top;"
    "padding:2px 10px 2px 0"
)
_NUMBER = f"{_LINE};text-align:right;white-space:nowrap"


def heap_html(heap: Heap) -> str:
    """The same as the text, with a table of the largest storages."""
    parts = [f"<p><b>{_safe(total_text(heap))}</b><br>{_safe(shares_text(heap))}</p>"]
    parts += _list(
        "Graphs that are kept alive, the largest parts first",
        [keeper_text(keeper) for keeper in heap.keepers],
        heap.keepers_more,
    )
    parts += _list("Reference cycles", [cycle_text(c) for c in heap.cycles], heap.cycles_more)
    if heap.held:
        parts.append(_table(heap))
    parts += [f"<p>{_safe(text)}</p>" for text in heap.uncounted]
    return f'<div style="line-height:1.4">{"".join(parts)}</div>'


def _list(title: str, lines: list[str], more: int) -> Iterable[str]:
    if not lines:
        return []
    items = "".join(f"<li>{_marked(line)}</li>" for line in lines)
    items += f"<li>and {more:,} more</li>" if more else ""
    return [
        f"<p style='margin-bottom:0'><b>{escape(title)}</b></p><ul style='margin-top:0'>{items}</ul>"
    ]


def _table(heap: Heap) -> str:
    heads = "".join(
        f'<th scope="col" style="{_LINE}">{h}</th>' for h in ("Bytes", "Storage", "", "Held by")
    )
    groups, small = parted(alike(heap.held), heap.bytes)
    groups, left_out = groups[:MOST_ROWS], sum(map(len, groups[MOST_ROWS:]))
    left = left_out + heap.held_more
    more = f"<p>and {left:,} smaller ones</p>" if left > 0 else ""
    caption = "<caption style='text-align:left;font-weight:bold'>Largest storages</caption>"

    def table(head: str, shown: Sequence[Sequence[HeapStorage]]) -> str:
        rows = "".join(map(_row, shown))
        return (
            '<div style="overflow-x:auto"><table style="border-collapse:collapse">'
            f"{head}<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>"
        )

    folded = ""
    if small:
        few = table("", small[:MOST_ROWS])
        folded = f"<details><summary>{_safe(smaller_text(small))}</summary>{few}</details>"
    return f"{table(caption, groups)}{folded}{more}"


def _row(group: Sequence[HeapStorage]) -> str:
    storage = group[0]
    holders = [holder_text(holder) for holder in storage.holders]
    if storage.holders_more:
        holders.append(f"{storage.holders_more:,} more")
    held = "".join(f"<div>{_marked(text)}</div>" for text in holders)
    return (
        f'<tr><td style="{_NUMBER}">{_safe(bytes_text(bytes_of(group)))}</td>'
        f'<th scope="row" style="{_LINE}">{_marked(group_text(group))}</th>'
        f'<td style="{_LINE}">{_safe(each_text(group))}</td>'
        f'<td style="{_LINE}">{held}{_aliases(storage) if len(group) == 1 else _parts(group)}</td></tr>'
    )


def _parts(group: Sequence[HeapStorage]) -> str:
    """Each of several that are alike, for who unfolds them."""
    parts = "".join(
        f"<div>{_safe(bytes_text(each.bytes))} {_safe(storage_text(each))}{_aliases(each)}</div>"
        for each in group
    )
    return f"<details><summary>{len(group):,} alike</summary>{parts}</details>"


def _aliases(storage: HeapStorage) -> str:
    if len(storage.aliases) < 2:
        return ""
    lines = "".join(
        f'<div style="padding-left:{1.2 * deep:.1f}em">{_marked(text)}</div>'
        for deep, text in tree_lines(storage.aliases)
    )
    more = f"<div>and {storage.aliases_more:,} more</div>" if storage.aliases_more else ""
    count = len(storage.aliases) + storage.aliases_more
    return f"<details><summary>{count:,} show it</summary>{lines}{more}</details>"


def _marked(text: str) -> str:
    """Text between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one is left over: a name has one in it
        return _safe(text)
    return "".join(
        f"<code>{_safe(part)}</code>" if at % 2 else _safe(part) for at, part in enumerate(parts)
    )


def _safe(text: str) -> str:
    return escape(plain(text))


# --- heap picture ----------------------------------------------------------------------------------------


class HeapPicture:
    """Shows itself as a table in a notebook, as text elsewhere. `data` is the reading: plain data,
    it keeps nothing
    alive.
    """

    def __init__(self, data: Heap) -> None:
        self.data = data

    @property
    def bytes(self) -> int:
        """The sum over all storages."""
        return self.data.bytes

    def to_json(self) -> Any:
        """As values that `json.dumps` takes."""
        return to_wire(self.data)

    def to_html(self) -> str:
        return heap_html(self.data)

    def to_text(self) -> str:
        return heap_text(self.data)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": self.to_html()}
