"""What lives in memory, as HTML for the output of a cell: a table, and no script, link or id."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from vizgrad.debugger.drawing import heap_words as words
from vizgrad.debugger.drawing.describe import bytes_text, plain
from vizgrad.debugger.model import Heap, HeapStorage

#: Rows that are shown; what is beyond is counted.
MOST_ROWS = 100
_LINE = (
    "border-bottom:1px solid var(--jp-border-color2,#8884);text-align:left;vertical-align:top;"
    "padding:2px 10px 2px 0"
)
_NUMBER = f"{_LINE};text-align:right;white-space:nowrap"


def heap_html(heap: Heap) -> str:
    """The same as the text, with a table of the largest storages."""
    parts = [f"<p><b>{_safe(words.total_text(heap))}</b><br>{_safe(words.shares_text(heap))}</p>"]
    parts += _list(
        "Graphs that are kept alive",
        [words.keeper_text(keeper) for keeper in heap.keepers],
        heap.keepers_more,
    )
    parts += _list(
        "What leads back to itself", [words.cycle_text(c) for c in heap.cycles], heap.cycles_more
    )
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
    groups = words.alike(heap.held)
    rows = "".join(map(_row, groups[:MOST_ROWS]))
    left = sum(map(len, groups[MOST_ROWS:])) + heap.held_more
    more = f"<p>and {left:,} smaller ones</p>" if left > 0 else ""
    caption = "<caption style='text-align:left;font-weight:bold'>Largest storages</caption>"
    return (
        f'<table style="border-collapse:collapse">{caption}<thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>{more}"
    )


def _row(group: Sequence[HeapStorage]) -> str:
    storage = group[0]
    holders = [words.holder_text(holder) for holder in storage.holders]
    if storage.holders_more:
        holders.append(f"{storage.holders_more:,} more")
    held = "".join(f"<div>{_marked(text)}</div>" for text in holders)
    return (
        f'<tr><td style="{_NUMBER}">{_safe(bytes_text(sum(each.bytes for each in group)))}</td>'
        f'<th scope="row" style="{_LINE}">{_marked(words.group_text(group))}</th>'
        f'<td style="{_LINE}">{_safe(words.each_text(group))}</td>'
        f'<td style="{_LINE}">{held}{_aliases(storage) if len(group) == 1 else _parts(group)}</td></tr>'
    )


def _parts(group: Sequence[HeapStorage]) -> str:
    """Each of several that are alike, for who unfolds them."""
    parts = "".join(
        f"<div>{_safe(bytes_text(each.bytes))} {_safe(words.storage_text(each))}{_aliases(each)}</div>"
        for each in group
    )
    return f"<details><summary>{len(group):,} alike</summary>{parts}</details>"


def _aliases(storage: HeapStorage) -> str:
    if len(storage.aliases) < 2:
        return ""
    lines = "".join(
        f'<div style="padding-left:{1.2 * deep:.1f}em">{_marked(text)}</div>'
        for deep, text in words.tree_lines(storage.aliases)
    )
    more = f"<div>and {storage.aliases_more:,} more</div>" if storage.aliases_more else ""
    count = len(storage.aliases) + storage.aliases_more
    return f"<details><summary>{count:,} show it</summary>{lines}{more}</details>"


def _marked(text: str) -> str:
    """What stands between backticks is code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one is left over: a name has one in it
        return _safe(text)
    return "".join(
        f"<code>{_safe(part)}</code>" if at % 2 else _safe(part) for at, part in enumerate(parts)
    )


def _safe(text: str) -> str:
    return escape(plain(text))
