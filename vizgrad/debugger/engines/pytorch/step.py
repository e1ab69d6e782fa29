"""A step over a node of PyTorch's: what came and went, and copies of the gradients for a closer look."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Effect
from vizgrad.debugger.engines.pytorch.effects import GradEffect
from vizgrad.debugger.engines.pytorch.elements import has_elements
from vizgrad.debugger.engines.pytorch.gate import Call
from vizgrad.debugger.engines.pytorch.parts import bytes_of, parts_of, shape_of, stored
from vizgrad.debugger.engines.pytorch.summary import summarize, summarize_closely
from vizgrad.debugger.session.breakpoints.nonfinite_step import birth_in

Grad: TypeAlias = torch.Tensor | None
Summary: TypeAlias = Callable[[Grad], model.TensorSummary | None]


class TorchStep:
    """A Step. Holds copies of the gradients that came by, for who looks closely."""

    def __init__(self, index: int, call: Call, priority: int | None) -> None:
        self.effects: list[Effect] = []
        self.index = index
        self.node = call.number
        self.priority = priority
        self.current: int | None = None
        self.incoming: tuple[Grad, ...] = ()
        self.used: tuple[Grad, ...] | None = None
        self.routed: list[tuple[model.Edge, Grad, Grad, str, int]] = []
        self.leaf = call.leaf
        self.arrived: list[tuple[int, int, Grad, Grad]] = []
        self.readied: list[model.Ready] = []
        self.released: tuple[tuple[str, ...], int] = ((), 0)
        self.seconds = call.seconds
        self.error = ""
        self._record: model.StepRecord | None = None
        self._forgotten = False

    @property
    def nbytes(self) -> int:
        if self._forgotten:
            return 0
        kept = [*self.incoming, *(self.used or ()), *(a[3] for a in self.arrived)]
        kept += [grad for _, computed, sent, _, _ in self.routed for grad in (computed, sent)]
        kept += [] if self.leaf is None else [self.leaf.before, self.leaf.after]
        kept += [effect.before for effect in self.effects if isinstance(effect, GradEffect)]
        return sum({id(t): bytes_of(t) for t in kept if t is not None}.values())

    @property
    def record(self) -> model.StepRecord:
        if self._record is None:
            self._record = model.StepRecord(
                visit=self._visit(summarize),
                ready=model.Ready(self.node, self.priority),
                state="error" if self.error else "done",
                arrived=tuple(
                    model.Arrival(node, nr, summarize(before), summarize(after))
                    for node, nr, before, after in self.arrived
                ),
                readied=tuple(self.readied),
                released=self.released[0],
                current=self.current,
            )
        return self._record

    def birth(self) -> model.Birth | None:
        """See `vizgrad.debugger.engines.api.protocols.Bearing`. A device is asked once, and its values
        stay there as long as all are finite.
        """
        if self._record is None and not self._forgotten:
            made = [grad for _, computed, sent, _, _ in self.routed for grad in (computed, sent)]
            made += [after for *_, after in self.arrived]
            made += [] if self.leaf is None else [self.leaf.after]
            if are_finite(made):
                return None
        return birth_in(self.record)

    def closer(self) -> model.Visit:
        return self.record.visit if self._forgotten else self._visit(summarize_closely)

    def value(self, kind: model.ArrayKind, nr: int) -> Grad:
        leaf = self.leaf
        kept = {
            "incoming": list(self.incoming),
            "waiting": [after for *_, after in self.arrived],
            "computed": [computed for _, computed, *_ in self.routed],
            "routed": [sent for _, _, sent, *_ in self.routed],
            "grad_before": [] if leaf is None else [leaf.before],
            "grad_after": [] if leaf is None else [leaf.after],
        }.get(kind, [])
        return kept[nr] if 0 <= nr < len(kept) else None

    def forget(self) -> None:
        _ = self.record
        self._forgotten = True
        self.incoming, self.used, self.leaf, self.effects = (), None, None, []
        self.routed.clear()
        self.arrived.clear()

    def _visit(self, summary: Summary) -> model.Visit:
        stages: list[model.StageRecord] = []
        for before, after in zip(self.incoming, self.used or (), strict=False):
            if not equal(before, after):
                stages.append(
                    model.StageRecord("hooks", "changed", summary(before), summary(after))
                )
        done, leaf = None, self.leaf
        if leaf is not None:
            done = model.AccumulateRecord(
                leaf.decision, "", summary(leaf.before), summary(leaf.after)
            )
        return model.Visit(
            index=self.index,
            node=self.node,
            incoming=tuple(map(summary, self.incoming)),
            routed=tuple(
                model.Routed(edge, summary(computed), summary(sent), note, index)
                for edge, computed, sent, note, index in self.routed
            ),
            stages=tuple(stages),
            accumulate=done,
            released_bytes=self.released[1],
            seconds=self.seconds,
            error=self.error,
        )


def are_finite(grads: Sequence[Grad]) -> bool:
    """All elements of all that are defined?"""
    told: dict[torch.device, list[torch.Tensor]] = {}
    with torch.no_grad():
        for grad in {id(grad): grad for grad in grads if grad is not None}.values():
            kept = stored(grad)
            if has_elements(kept):
                told.setdefault(grad.device, []).append(kept.isfinite().all())
        return all(bool(torch.stack(flags).all()) for flags in told.values())


def equal(a: Grad, b: Grad) -> bool:
    """Have they the same values, NaN included?"""
    if a is None or b is None:
        return a is b
    if a.layout != b.layout or shape_of(a) != shape_of(b) or a.dtype != b.dtype:
        return False
    if a.layout == torch.sparse_coo:
        a, b = a.detach().coalesce(), b.detach().coalesce()
    return all(map(_same, parts_of(a), parts_of(b)))


def _same(a: torch.Tensor, b: torch.Tensor) -> bool:
    """What cannot be read is taken for the same."""
    if a.shape != b.shape:
        return False
    return not has_elements(a) or a.allclose(b, 0, 0, equal_nan=True)
