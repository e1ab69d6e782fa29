"""Which node of one graph is which of another: of the same program on another engine, type or commit.

Operations are matched in the order of recording, as the lines of two texts are: by name, shapes and place in
the model at first, then what lies between by less. The targets of a matched pair's edges are
matched last: so a leaf finds its partner whatever its name. Leaves that neither an edge nor a name has
matched are partners where both graphs have as many of one shape. A node that was put in, left out, fused or
split has no partner. Then the gradients of two traces are compared, node by node.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import hypot, inf, isfinite, isnan, nan
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.debugger import model
from vizgrad.debugger.session.open_session import Traced
from vizgrad.debugger.traces.files import FromFile

# --- which node is which ------------------------------------------------------------------------------


#: Two rows of keys that differ in more places are matched only where they begin and end alike.
MOST_EDITS = 2_000
#: The part of the model's places that must be in both graphs, if these are to count.
ALIKE = 0.5

Key = Callable[[model.Node], Any]


def matched(here: model.Graph, there: model.Graph) -> dict[int, int]:
    """Node of the one -> node of the other."""
    pairs: dict[int, int] = {}
    for leaves in (False, True):
        a = [node for node in here.nodes if (node.kind == "leaf") is leaves]
        b = [node for node in there.nodes if (node.kind == "leaf") is leaves]
        if leaves:
            _along_edges(here, there, pairs)
            taken = set(pairs.values())
            a = [node for node in a if node.id not in pairs]
            b = [node for node in b if node.id not in taken]
        pairs.update(_in_order(a, b, _keys(a, b, leaves=leaves)))
    pairs.update(_by_shape(here, there, pairs))
    return pairs


def _by_shape(
    here: model.Graph, there: model.Graph, pairs: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Leaves that are left: those of one shape, in order, if there are as many of it on both sides."""
    taken = set(pairs.values())
    left: dict[Any, tuple[list[int], list[int]]] = {}
    for side, graph, known in ((0, here, pairs), (1, there, taken)):
        for node in graph.nodes:
            if node.kind == "leaf" and node.id not in known:
                shapes = tuple(output.shape for output in node.outputs)
                left.setdefault(shapes, ([], []))[side].append(node.id)
    for one, other in left.values():
        if len(one) == len(other):
            yield from zip(one, other, strict=True)


def _keys(a: Sequence[model.Node], b: Sequence[model.Node], *, leaves: bool) -> list[Key]:
    """From what says most to what says least. Leaves that no edge has matched are known by their label."""

    def shapes(node: model.Node) -> Any:
        return node.name, tuple(output.shape for output in node.outputs)

    def ranks(node: model.Node) -> Any:
        """Equal for nodes of another width; a copy of all differs from a copy of a part."""
        return node.name, tuple(len(output.shape) for output in node.outputs)

    if leaves:
        return [lambda node: (node.label, shapes(node))]
    scopes = {node.scope for node in a}, {node.scope for node in b}
    keys: list[Key] = [shapes, ranks]
    if len(scopes[0] & scopes[1]) > ALIKE * max(map(len, scopes)):
        # The names of groups are the same: a node is not matched with one of another group.
        keys = [lambda node: (node.scope, shapes(node)), lambda node: (node.scope, ranks(node))]
    return keys


def _in_order(
    a: Sequence[model.Node], b: Sequence[model.Node], keys: Sequence[Key]
) -> Iterator[tuple[int, int]]:
    """Pairs by the first key, and in each gap between two of them by the next ones."""
    if not (a and b and keys):
        return
    key = keys[0]
    at = beside = 0
    ends = [*common(list(map(key, a)), list(map(key, b))), (len(a), len(b))]
    for first, other in ends:
        yield from _in_order(a[at:first], b[beside:other], keys[1:])
        if first < len(a):
            yield a[first].id, b[other].id
        at, beside = first + 1, other + 1


def _along_edges(here: model.Graph, there: model.Graph, pairs: dict[int, int]) -> None:
    """The targets of the same edge of a pair, of the same kind and name."""
    taken = set(pairs.values())
    waiting = list(pairs.items())
    for first, other in waiting:
        a, b = here.nodes[first], there.nodes[other]
        if len(a.edges) != len(b.edges):
            continue
        for one, its in zip(a.edges, b.edges, strict=True):
            if one.node is None or its.node is None or one.node in pairs or its.node in taken:
                continue
            if here.nodes[one.node].name == there.nodes[its.node].name:
                pairs[one.node] = its.node
                taken.add(its.node)
                waiting.append((one.node, its.node))


def common(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    """Places of a longest row of equal keys that both have, in order.

    Myers, "An O(ND) Difference Algorithm and Its Variations", 1986: greedy, from the beginning, after what is
    equal at both ends was set aside. For rows that differ in more than `MOST_EDITS` places that alone counts.
    """
    head = 0
    while head < min(len(a), len(b)) and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < min(len(a), len(b)) - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    within = _longest(a[head : len(a) - tail], b[head : len(b) - tail])
    return [
        *((i, i) for i in range(head)),
        *((head + i, head + j) for i, j in within),
        *((len(a) - i, len(b) - i) for i in range(tail, 0, -1)),
    ]


def _longest(a: Sequence[Any], b: Sequence[Any]) -> list[tuple[int, int]]:
    if not (a and b):
        return []
    reach = {1: 0}  # by diagonal: how far in `a`
    rows: list[array[int]] = []
    for edits in range(min(len(a) + len(b), MOST_EDITS) + 1):
        row = array("q", bytes(8 * (edits + 1)))
        for nr, diagonal in enumerate(range(-edits, edits + 1, 2)):
            before, behind = reach.get(diagonal + 1, -1), reach.get(diagonal - 1, -1)
            i = before if _from_above(diagonal, edits, before, behind) else behind + 1
            while i < len(a) and i - diagonal < len(b) and a[i] == b[i - diagonal]:
                i += 1
            reach[diagonal] = row[nr] = i
            if i >= len(a) and i - diagonal >= len(b):
                rows.append(row)
                return _walked(rows, diagonal)
        rows.append(row)
    return []


def _from_above(diagonal: int, edits: int, before: int, behind: int) -> bool:
    """Does the last of so many edits put something in, so that it comes from the diagonal above? `before` and
    `behind` are how far those on both sides reached.
    """
    return diagonal == -edits or (diagonal != edits and behind < before)


def _walked(rows: Sequence[array[int]], diagonal: int) -> list[tuple[int, int]]:
    """The way back, from the end."""
    found: list[tuple[int, int]] = []
    for edits in range(len(rows) - 1, -1, -1):
        nr = (diagonal + edits) // 2
        end, start, came = rows[edits][nr], 0, diagonal
        if edits:
            above = rows[edits - 1]
            before = above[nr] if nr < edits else -1
            behind = above[nr - 1] if nr else -1
            put_in = _from_above(diagonal, edits, before, behind)
            start, came = (before, diagonal + 1) if put_in else (behind + 1, diagonal - 1)
        found += [(i, i - diagonal) for i in range(end - 1, start - 1, -1)]
        diagonal = came
    found.reverse()
    return found


# --- how far the gradients of two traces are apart ----------------------------------------------------


#: The gradient of a node's slot: the array if it is known, and numbers about it.
Got = tuple[Any, model.TensorSummary | None]


class Gradients:
    """The gradients in a trace."""

    def __init__(self, trace: model.Trace) -> None:
        self._visits = {visit.node: visit for visit in trace.visits}
        #: Nodes, as they ran.
        self.order = tuple(self._visits)
        self._arrays: Mapping[model.ArrayName, Any] = {}
        if isinstance(trace, FromFile):
            self._arrays = trace.values
        elif isinstance(trace, Traced):
            self._arrays = dict(trace.arrays())

    def norm(self, node: int) -> float | None:
        """The norm of all gradients that arrived; None if none did."""
        visit = self._visits.get(node)
        told = () if visit is None else visit.incoming
        norms = [summary.norm for summary in told if summary is not None]
        known = [norm for norm in norms if norm is not None]
        if not known:
            return None
        return nan if any(map(isnan, known)) else hypot(*known)

    def of(self, node: int, *, accumulated: bool) -> Mapping[str, Got]:
        """The gradient that arrived, by name, and (`accumulated`) a leaf's `.grad` after it."""
        visit = self._visits.get(node)
        if visit is None:
            return {}
        found = {
            f"gradient {nr}" if len(visit.incoming) > 1 else "": (
                self._arrays.get(model.ArrayName(node, "incoming", nr)),
                summary,
            )
            for nr, summary in enumerate(visit.incoming)
        }
        if accumulated and visit.accumulate is not None:
            after = self._arrays.get(model.ArrayName(node, "grad_after"))
            found[".grad"] = after, visit.accumulate.after
        return found


def apart(
    here: Mapping[str, Got], there: Mapping[str, Got], size: float = 0.0
) -> tuple[float | None, str]:
    """The largest difference relative to the norm here, or to `size` if that is larger, and in words what
    numbers do not say. None: there is nothing to compare; infinite: one is not defined, not finite where the
    other is, or of another shape.
    """
    worst: tuple[float | None, str] = None, ""
    for slot, (grad, summary) in here.items():
        if slot not in there:
            continue
        relative, what = _of_one(grad, summary, *there[slot], size)
        if relative is not None and (worst[0] is None or relative > worst[0]):
            worst = relative, ", ".join(filter(None, (slot, what)))
    return worst


def _of_one(
    a: Any, told: model.TensorSummary | None, b: Any, its: model.TensorSummary | None, size: float
) -> tuple[float | None, str]:
    if told is None or its is None:
        return (0.0, "") if told is its else (inf, "undefined on one side")
    if told.shape != its.shape:
        return inf, f"shape {list(told.shape)} here, {list(its.shape)} there"
    if a is not None and b is not None:
        return _of_arrays(to_host(a), to_host(b), size)
    if told.norm is None or its.norm is None:
        return None, ""
    if not (isfinite(told.norm) and isfinite(its.norm)):
        same = told.norm == its.norm or (isnan(told.norm) and isnan(its.norm))
        return (0.0, "") if same else (inf, f"norm {told.norm:g} here, {its.norm:g} there")
    return _relative(abs(told.norm - its.norm), max(told.norm, size)), "by norms"


def _of_arrays(a: Any, b: Any, size: float) -> tuple[float, str]:
    kind = xp.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else xp.float64
    a, b = a.astype(kind), b.astype(kind)
    odd = ~(xp.isfinite(a) & xp.isfinite(b))
    same = (a == b) | (xp.isnan(a) & xp.isnan(b))
    if bool(xp.any(odd & ~same)):
        count = int(xp.count_nonzero(odd & ~same))
        return inf, f"{count} of {a.size} not finite on one side"
    off = xp.where(same, 0, a - b)
    here = float(xp.linalg.norm(xp.where(odd, 0, a).reshape(-1)))
    return _relative(float(xp.linalg.norm(off.reshape(-1))), max(here, size)), ""


def _relative(off: float, here: float) -> float:
    if off == 0:
        return 0.0
    return off / here if here else inf
