"""A step over a node of PyTorch's: what came and went, and copies of the gradients for a closer look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch

from vizgrad.debugger import model
from vizgrad.debugger.engines.common.recorded_step import Accumulated, RecordedStep, Summary
from vizgrad.debugger.engines.pytorch.effects import GradEffect
from vizgrad.debugger.engines.pytorch.elements import (
    bytes_of,
    has_elements,
    parts_of,
    shape_of,
    stored,
)
from vizgrad.debugger.engines.pytorch.gate import Call
from vizgrad.debugger.engines.pytorch.summary import CapturedTensor
from vizgrad.debugger.session.breakpoints.breakpoints import birth_in

Grad: TypeAlias = torch.Tensor | None


class TorchStep(RecordedStep[CapturedTensor]):
    """A Step. Holds copies of the gradients that came by, for who looks closely."""

    def __init__(self, index: int, call: Call, priority: int | None) -> None:
        super().__init__(index, call.number, priority)
        #: Each once, by the identity of the copy.
        self._captured: dict[int, CapturedTensor] = {}
        self._current: int | None = None
        self.used: tuple[CapturedTensor | None, ...] = tuple(map(self.capture, call.used or ()))
        #: Refers to what `.grad` became, as long as the step is kept.
        self.leaf = call.leaf
        if call.leaf is not None:
            before, after = map(self.capture, (call.leaf.before, call.leaf.after))
            self.accumulated = Accumulated(call.leaf.decision, "", before, after)
        self.readied: list[model.Ready] = []
        self.seconds = call.seconds
        self._forgotten = False

    def capture(self, grad: Grad) -> CapturedTensor | None:
        """A copy that the gate has made."""
        if grad is None:
            return None
        known = self._captured.get(id(grad))
        if known is None:
            known = self._captured[id(grad)] = CapturedTensor(grad)
        return known

    def failed(self) -> None:
        """The node did not run: its leaf has done nothing."""
        self.leaf = self.accumulated = None

    @property
    def current(self) -> int | None:
        return self._current

    @current.setter
    def current(self, node: int | None) -> None:
        self._current = node

    @property
    def nbytes(self) -> int:
        found = {number: bytes_of(kept.array) for number, kept in self._captured.items()}
        for effect in self.effects:
            if isinstance(effect, GradEffect) and effect.before is not None:
                found.setdefault(id(effect.before), bytes_of(effect.before))
        return sum(found.values())

    def birth(self) -> model.Birth | None:
        """See `vizgrad.debugger.engines.api.protocols.Bearing`. A device is asked once, and its values
        stay there as long as all are finite.
        """
        if self._record is None and not self._forgotten:
            made = [each for out in self.routed for each in (out.computed, out.routed)]
            made += [arrived.after for arrived in self.arrived]
            made += [] if self.accumulated is None else [self.accumulated.after]
            if are_finite([each.array for each in made if each is not None]):
                return None
        return birth_in(self.record)

    def all_readied(self) -> tuple[model.Ready, ...]:
        return tuple(self.readied)

    def all_stages(self, summary: Summary) -> tuple[model.StageRecord, ...]:
        """Hooks that have changed a gradient; PyTorch tells of nothing else."""
        return tuple(
            [
                model.StageRecord("hooks", "changed", summary(before), summary(after))
                for before, after in zip(self.incoming, self.used, strict=False)
                if not equal(before and before.array, after and after.array)
            ]
        )

    def closer(self) -> model.Visit:
        return self.record.visit if self._forgotten else super().closer()

    def forget(self) -> None:
        super().forget()
        self._forgotten = True
        self.incoming, self.used, self.leaf, self.accumulated = (), (), None, None
        self.routed.clear()
        self.arrived.clear()
        self._captured.clear()


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
