"""Tangents through operations that are recorded by hand: with any number of operands or results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.engine.domain import TENSORS
from vizgrad.core.engine.task import Capture, GraphTask
from vizgrad.core.function.primitive import Primitive
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.graph.edges import edge_of, split_edge
from vizgrad.core.graph.saved import Freed, SavedDual, SavedResult
from vizgrad.core.ops.constants import zeros_like
from vizgrad.core.ops.tangents.rules import rule_of
from vizgrad.core.ops.tangents.structure import Call, fitted, untracked, zeros_for
from vizgrad.core.tensor.duals import active, follow, set_tangent, tangent_of, within
from vizgrad.core.tensor.modes import MODES, set_grad_mode
from vizgrad.core.tensor.tensor import LEAF, Tensor, new_tensor


def carry(
    sources: Sequence[Tensor],
    outputs: Sequence[Tensor],
    rule: Callable[[list[Tensor | None]], Sequence[Tensor | None]],
    *,
    views: bool = False,
) -> None:
    """Gives `outputs` what `rule` makes of the tangents of `sources`, level by level.

    For `views` it gives views of the source's tangent; else its result is put into memory of its own.
    """
    levels = active()
    if not levels or any(isinstance(each, Wrapped) for each in sources):
        return
    if views:
        for out in outputs:
            follow(out, sources[0])
    for depth, level in enumerate(levels):
        tangents = [tangent_of(each, level) for each in sources]
        if all(tangent is None for tangent in tangents):
            continue
        with within(levels[:depth]):
            found = list(rule(tangents))
            for nr, out in enumerate(outputs):
                tangent = found[nr]
                if out._array.dtype.kind not in "fcV":
                    continue
                if tangent is None:
                    tangent = zeros_for(out, tuple(tangents))
                elif not views:
                    tangent = fitted(tangent, out, tuple(tangents))
                set_tangent(out, level, tangent)


def carry_linear(
    sources: Sequence[Tensor],
    outputs: Sequence[Tensor],
    again: Callable[[list[Tensor]], Sequence[Tensor]],
    *,
    views: bool = False,
) -> None:
    """Through what is linear in all sources at once: `again` does it to their tangents."""

    def rule(tangents: list[Tensor | None]) -> Sequence[Tensor]:
        return again(
            [
                zeros_like(source) if tangent is None else tangent
                for source, tangent in zip(sources, tangents, strict=True)
            ]
        )

    carry(sources, outputs, rule, views=views)


def carry_parts(
    parts: Sequence[Primitive], source: Tensor, outputs: Sequence[Tensor], attributes: Any
) -> None:
    """Through several operations on one tensor that are recorded as one node."""

    def rule(tangents: list[Tensor | None]) -> list[Tensor | None]:
        (tangent,) = tangents
        assert tangent is not None
        return [
            rule_of(part)(
                Call(
                    part,
                    (source,),
                    {name: attributes[name] for name in part.attributes},
                    (out,),
                    {part.inputs[0]: tangent},
                )
            )
            for part, out in zip(parts, outputs, strict=True)
        ]

    carry((source,), outputs, rule)
    keep_with_node(outputs)


def keep_with_node(outputs: Sequence[Tensor], *, for_now: bool = False) -> None:
    """Gives the tangents of outputs to what their node has saved of them (A-10).

    `for_now`: those that they have by now, not the ones that follow.
    """
    node = _node_of(outputs)
    for name in () if node is None else node.saved_names:
        form = getattr(node, "_" + name)
        if isinstance(form, SavedResult):
            rare = outputs[form.output_nr]._rare
            if rare is not None and rare.tangents is not None:
                kept = rare.tangents.copy() if for_now else rare.tangents
                setattr(node, "_" + name, SavedDual(form, kept))


def _node_of(outputs: Sequence[Tensor]) -> Any:
    if not outputs or outputs[0]._edge is None or not outputs[0]._tracked:
        return None
    return split_edge(outputs[0]._edge)[0]


def carry_transposed(
    sources: Sequence[Tensor],
    outputs: Sequence[Tensor],
    record: Callable[[list[Tensor]], Sequence[Tensor]],
) -> None:
    """Through a node whose formula is all that is known: its transpose (see `structure.transposed`).

    `record` records it for sources that require grad, if it was not recorded.
    """

    def rule(tangents: list[Tensor | None]) -> list[Tensor | None]:
        recording = set_grad_mode(True)
        try:
            made: Sequence[Tensor] = outputs
            if _node_of(outputs) is None:
                made = record([s if s.requires_grad else _leaf(s) for s in sources])
            else:
                keep_with_node(outputs, for_now=True)
            found = _transposed(made, tangents)
        finally:
            set_grad_mode(recording)
        return found if recording else [t if t is None else untracked(t) for t in found]

    carry(sources, outputs, rule)
    keep_with_node(outputs)


def _leaf(source: Tensor) -> Tensor:
    """A leaf over the same memory, with the tangents of the levels that are active."""
    leaf = new_tensor(source._array)
    for level in MODES.levels:
        tangent = tangent_of(source, level)
        if tangent is not None:
            set_tangent(leaf, level, tangent)
    leaf._tracked = LEAF
    return leaf


def _transposed(made: Sequence[Tensor], tangents: list[Tensor | None]) -> list[Tensor | None]:
    node = _node_of(made)
    probes = [zeros_like(out) for out in made]
    for probe in probes:
        probe._tracked = LEAF
    gradients = node.run_tensors(tuple(probes))
    roots, ends = [], [Capture(0) for _ in probes]
    for gradient, tangent in zip(gradients, tangents, strict=True):
        if gradient is not None and tangent is not None and gradient._tracked:
            start: Any = edge_of(gradient)
            roots.append((*split_edge(start), fitted(tangent, gradient)))
    if not roots:
        return [None] * len(made)
    captures: Any = {edge_of(p): [c] for p, c in zip(probes, ends, strict=True)}
    GraphTask(roots, TENSORS, keep_graph=True, freed=Freed(None), captures=captures).run()
    return [capture.value for capture in ends]
