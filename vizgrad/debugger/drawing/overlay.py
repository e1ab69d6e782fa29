"""The graph as a run has left it: saved values in their state now, and words for a node's state."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape
from math import isfinite
from typing import Literal

from vizgrad.core.errors import Explanation, Link, Place, lines_around
from vizgrad.debugger.drawing.describe import number_text, place_text, plain, sizes_text
from vizgrad.debugger.model import Difference, Graph, Node, NodeRun, Run, Saved
from vizgrad.debugger.session.history.fold import holdings

# --- overlay ---------------------------------------------------------------------------------------------


class RunView:
    """Look-ups in a run by node and by edge. With no run: the graph as it was when shown.

    `beside`: how another run differs, by node; colours and words are of that, then.
    """

    def __init__(
        self, graph: Graph, run: Run | None = None, beside: Mapping[int, Difference] | None = None
    ) -> None:
        self.run = run
        self.beside = beside
        self._storages = graph.storages
        self._saved = {(saved.node, saved.name): saved for saved in run.saved} if run else {}
        self._gone = {(edge.node, edge.edge): edge for edge in run.edges} if run else {}
        self._nodes = run.nodes if run else ()
        self._waits = (
            {(each.node, each.input_nr): each.value for each in run.buffers} if run else {}
        )
        #: The nodes that the user has changed something of.
        self.edited = frozenset(edit.node for edit in run.edits) if run else frozenset[int | None]()
        if run:
            _check(graph, run)

    def node(self, index: int) -> NodeRun | None:
        return self._nodes[index] if self._nodes else None

    def saved(self, node: Node) -> tuple[Saved, ...]:
        """The saved values of a node, in the state that the run has left them in."""
        if not self._saved:
            return node.saved
        return tuple(self._updated(node.id, saved) for saved in node.saved)

    def held_bytes(self, nodes: Iterable[Node]) -> int:
        """The content of the saved values of some nodes."""
        saved = ((node.id, value) for node in nodes for value in self.saved(node))
        return sum(size for size, _ in holdings(saved, self._storages).values())

    def _updated(self, node: int, saved: Saved) -> Saved:
        change = self._saved.get((node, saved.name))
        if change is None:
            return saved
        return replace(
            saved, state=change.state, version_now=change.version_now, culprit=change.culprit
        )

    def flowed(self, edge: tuple[int, int]) -> bool:
        """Whether a gradient, or an undefined one, has gone over edge (node id, edge index)."""
        return edge in self._gone

    def norm(self, edge: tuple[int, int]) -> float | None:
        gone = self._gone.get(edge)
        return None if gone is None else gone.norm

    def tangents(self, edge: tuple[int, int]) -> tuple[float | None, ...]:
        """The norms of the tangents of what has gone over an edge."""
        gone = self._gone.get(edge)
        return () if gone is None else gone.tangents

    def arrived(self, node: int, slot: int) -> tuple[float | None] | None:
        """The norm of the gradient that waits at a slot, or that the node was run with; None: unknown."""
        run = self.node(node)
        if run is None:
            return None
        if run.order is None:
            value = self._waits.get((node, slot))
            return None if value is None else (value.norm,)
        return (run.grad_norm,) if slot == 0 else None

    def made(self, node: Node) -> float | None:
        """The non-finite value, NaN or inf, that a node made from finite gradients; None: nothing."""
        run = self.node(node.id)
        if run is None or odd(run.grad_norm):
            return None
        gone = (self.norm((node.id, number)) for number in range(len(node.edges)))
        return next((norm for norm in gone if odd(norm)), None)

    def odd(self, nodes: Iterable[int]) -> int:
        """How many of these nodes got a gradient that is not finite."""
        return sum(odd(run.grad_norm) for index in nodes if (run := self.node(index)))


def badge_texts(run: NodeRun, made: float | None = None) -> tuple[str, ...]:
    """How a node stands, on its card, as in the live view (`Badge.tsx`): what has room first is written."""
    number = "" if run.order is None else f"#{run.order + 1:,} "
    if made is not None:
        words = f"made {number_text(made)}"
        return (number + words, words, number_text(made))
    if run.state == "waiting" and run.needed:
        share = f"{run.delivered:,}/{run.needed:,}"
        return (f"waiting {share}", share)
    if run.state == "done" and run.order is not None:
        if run.grad_norm is None:
            return (f"{number}undefined", f"{number}∅", "∅")
        norm = number_text(run.grad_norm, 3)
        if run.tangents:
            beside, down = sizes_text(run.tangents), f" {'↓' * len(run.tangents)}"
            long = f"{number}‖g‖ {norm}"
            return (
                f"{long}{beside}",
                f"{number}{norm}{beside}",
                f"{number}{norm}{down}",
                norm + down,
            )
        return (f"{number}‖g‖ {norm}", f"{number}{norm}", norm)
    return (state_text(run),)


def weight(norm: float | None) -> tuple[int, float]:
    """Orders what went over several edges: an undefined gradient, norms, inf, and NaN as the largest."""
    if norm is None:
        return (0, 0.0)
    return (2, 0.0) if math.isnan(norm) else (1, norm)


def odd(norm: float | None) -> bool:
    """Is there a gradient that is not finite?"""
    return norm is not None and not math.isfinite(norm)


def _check(graph: Graph, run: Run) -> None:
    """Raises ValueError if a run does not belong to a graph: both may come from a file."""
    count = len(graph.nodes)
    if len(run.nodes) != count:
        raise ValueError(f"a run over {len(run.nodes)} nodes, a graph of {count}")
    named = [entry.node for entry in (*run.ready, *run.buffers)]
    named += [*run.breakpoints, *([] if run.current is None else [run.current])]
    for index in named:
        if not 0 <= index < count:
            raise ValueError(f"the run names node {index}, the graph has {count}")


def state_text(run: NodeRun | None) -> str:
    """``done #3``, ``waiting 1/2``, ``runs next``, ``skipped``: the state in words; empty without a run.

    Executed nodes are numbered from 1, as a person counts steps.
    """
    if run is None:
        return ""
    if run.state == "done" and run.order is not None:
        return f"done #{run.order + 1:,}"
    if run.state == "waiting" and run.needed:
        return f"waiting {run.delivered:,}/{run.needed:,}"
    return "runs next" if run.state == "current" else run.state


# --- difference overlay ----------------------------------------------------------------------------------
# How far another run is from this one, on a static picture: as in the live view (`differing.ts`).


#: 0: the same; 1 to 5: more and more; "odd": one is not finite, or was 0; "alone": only one has it.
Step = Literal[0, 1, 2, 3, 4, 5, "odd", "alone"]

#: Relative differences at which the next step begins.
BOUNDS = (1e-4, 1e-2, 0.1, 1.0)
_RANKS: dict[Step, int] = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, "alone": 6, "odd": 7}

Differences = Mapping[int, Difference]


def step_of(found: Difference) -> Step | None:
    """None where nothing arrived on either side."""
    if found.here is None and found.there is None:
        return None
    if found.here is None or found.there is None:
        return "alone"
    if found.relative is None or not isfinite(found.relative):
        return "odd"
    if found.relative == 0:
        return 0
    steps: tuple[Step, ...] = (1, 2, 3, 4, 5)
    return steps[sum(found.relative >= bound for bound in BOUNDS)]


def texts_of(found: Difference) -> tuple[str, ...]:
    """The text on the box of a node: the first that has room. Empty where there is nothing to say."""
    step = step_of(found)
    if step is None:
        return ()
    if step == "alone":
        return ("only here" if found.there is None else "only there", "only one")
    if step == "odd" or found.relative is None:
        there = number_text(found.there, 3)
        return (f"{number_text(found.here, 3)} → {there}", f"→ {there}", "≠")
    return ("same", "=") if step == 0 else (f"Δ {percent(found.relative)}", percent(found.relative))


def most_of(nodes: Iterable[int], found: Differences) -> Difference | None:
    """The one of some nodes that differs most; None if none of them is compared."""
    known = [
        (step, found[node]) for node in nodes if node in found and (step := _rank(found[node])) >= 0
    ]
    return max(known, key=lambda pair: (pair[0], _size(pair[1])), default=(0, None))[1]


def count_of(nodes: Iterable[int], found: Differences) -> str:
    """``3 of 12 differ``; ``all the same``; empty if none of them is compared."""
    ranks = [rank for node in nodes if node in found and (rank := _rank(found[node])) >= 0]
    differing = sum(rank > 0 for rank in ranks)
    if not ranks:
        return ""
    return f"{differing:,} of {len(ranks):,} differ" if differing else "all the same"


def role_of(found: Difference | None) -> str:
    """For the style sheet."""
    step = None if found is None else step_of(found)
    return "" if step is None else f" differs-{step}"


def percent(relative: float) -> str:
    """``12 %``, ``35×``, ``3e-7``."""
    if relative >= 10:
        return f"{number_text(relative, 3)}×"
    return f"{number_text(relative * 100, 3)} %" if relative >= 1e-4 else number_text(relative, 2)


def _rank(found: Difference) -> int:
    step = step_of(found)
    return -1 if step is None else _RANKS[step]


def _size(found: Difference) -> float:
    return found.relative if found.relative is not None and isfinite(found.relative) else 0.0


# --- explained -------------------------------------------------------------------------------------------
# Explanations in a notebook: what happened, the person's own lines, the way to the cause, and the fix as
# a changed line.
#
# It takes its colours from the page around it, light, dark or of high contrast: text is the page's, and
# what is set off is set off by lines and grey. A page that drops the style sheet, as one does that is not
# trusted, still reads from top to bottom. Nothing is told by colour alone.


#: Longer texts are cut; of a long chain this many links are listed.
_MOST_TEXT, _MOST_LINE, _MOST_LINKS = 2_000, 160, 12

_STYLE = """\
.vizgrad-why{line-height:1.45;max-width:60em;margin:2px 0}
.vizgrad-why section{border:1px solid rgba(128,128,128,.5);border-left-width:4px;border-radius:3px;\
padding:8px 12px;margin:0 0 8px}
.vizgrad-why p{margin:4px 0}
.vizgrad-why pre{margin:6px 0;padding:4px 0;background:rgba(128,128,128,.1);color:inherit;overflow-x:auto;\
line-height:1.4}
.vizgrad-why pre span{display:block;padding:0 8px;border-left:3px solid transparent}
.vizgrad-why pre .culprit{border-left-color:currentColor;background:rgba(128,128,128,.18);font-weight:600}
@media (forced-colors:active){.vizgrad-why pre span:not(.culprit){border-left-color:Canvas}}
.vizgrad-why code{background:none;color:inherit;padding:0}
.vizgrad-why del,.vizgrad-why ins{text-decoration:none;display:block;padding:0 8px}
.vizgrad-why ins{font-weight:600;border-left:3px solid currentColor}
.vizgrad-why del{border-left:3px dotted currentColor}
.vizgrad-why ol{margin:4px 0;padding-left:2em}
.vizgrad-why button{display:none;font:inherit;padding:1px 8px;border:1px solid currentColor;\
border-radius:3px;background:none;color:inherit;cursor:pointer}
.vizgrad-lab .vizgrad-why button{display:inline-block}
"""


def explanations_html(explanations: Sequence[Explanation]) -> str:
    """One below the other, as a part of a page: no ids, links, scripts or addresses."""
    parts = [_section(each) for each in explanations] or ["<p>No problems found.</p>"]
    return f'<div class="vizgrad-why"><style>{_STYLE}</style>{"".join(parts)}</div>'


def _section(explanation: Explanation) -> str:
    if not explanation:
        return f"<p>{_marked(explanation.story or 'There is nothing to explain.')}</p>"
    parts = [f"<p><strong>{_text(explanation.heading)}</strong>"]
    if explanation.tensor:
        parts.append(f": <code>{_text(explanation.tensor)}</code>")
    parts.append(f"</p><p>{_marked(explanation.story)}</p>")
    if explanation.culprit is not None:
        parts.append(_source(explanation.culprit))
    if explanation.when:
        parts.append(f"<p><strong>When:</strong> {_marked(explanation.when)}</p>")
    if len(explanation.chain) > 1:
        parts.append(_chain(explanation.chain))
    if explanation.fix:
        parts.append(f"<p><strong>Fix:</strong> {_marked(explanation.fix)}</p>")
    if explanation.mended and explanation.culprit is not None:
        parts.append(_change(explanation.culprit.text, explanation.mended))
    if explanation.there:
        parts.append(_there(explanation))
    return f"<section>{''.join(parts)}</section>"


def _there(explanation: Explanation) -> str:
    """The magic that debugs it, and a button for JupyterLab, which shows it where it hears it."""
    button = (
        f'<button type="button" data-at="{explanation.backward}" data-cell="{_text(explanation.cell)}">'
        "Debug there</button>"
    )
    return (
        f"<p>{button} <code>{_text(explanation.there)}</code> at the top of the cell; run the cells "
        "that make the model again first</p>"
    )


def _source(place: Place) -> str:
    """The line to blame among those beside it, marked by a sign as well."""
    rows: list[str] = []
    lines = lines_around(place)
    width = max((len(str(number)) for number, _ in lines), default=1)
    for number, text in lines:
        blamed = number == place.line
        sign = "▶" if blamed else " "
        row = f"{sign} {number:>{width}}  {_line(text)}".rstrip()
        rows.append(f'<span class="culprit">{row}</span>' if blamed else f"<span>{row}</span>")
    where = f"<p>{_text(place_text(place))}:</p>"
    return f"{where}<pre>{''.join(rows)}</pre>" if rows else f"<p>{_text(place_text(place))}</p>"


def _chain(chain: Sequence[Link]) -> str:
    """From the symptom to the cause; of a long one the beginning and the end."""
    rows = [_link(link) for link in chain]
    rows[0] += " (symptom)"
    rows[-1] += " (cause)"
    if len(rows) > _MOST_LINKS:
        half = _MOST_LINKS // 2
        rows[half:-half] = [f"({len(rows) - 2 * half} more)"]
    items = "".join(f"<li>{row}</li>" for row in rows)
    return f"<p>From the symptom to its cause:</p><ol>{items}</ol>"


def _link(link: Link) -> str:
    text = f"<code>{_text(link.text)}</code>"
    if link.place is None:
        return text
    code = f": <code>{_line(link.place.text)}</code>" if link.place.text else ""
    return f"{text}, {_text(place_text(link.place))}{code}"


def _change(before: str, after: str) -> str:
    changed = "".join(f"<ins>+ {_line(line)}</ins>" for line in after.splitlines())
    return f"<pre><del>- {_line(before)}</del>{changed}</pre>"


def _text(text: str) -> str:
    """A text from an unknown source, on one line."""
    return escape(plain(text, _MOST_TEXT))


def _line(text: str) -> str:
    """A line of source: with its indentation."""
    indent = len(text) - len(text.lstrip(" "))
    return " " * min(indent, 40) + escape(plain(text.strip(), _MOST_LINE))


def _marked(text: str) -> str:
    """Words of an explanation, in which code stands between backticks."""
    pieces = re.split(r"`([^`]*)`", plain(text, _MOST_TEXT))
    return "".join(
        f"<code>{escape(piece)}</code>" if nr % 2 else escape(piece)
        for nr, piece in enumerate(pieces)
    )
