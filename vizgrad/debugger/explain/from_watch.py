"""Reads the notes of a watch: how a tensor was made, and which backward brought its gradient."""

from __future__ import annotations

from typing import Any

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.explain.evidence import Brought, Evidence, Facts, Held
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.tensor_adapter import UNREADABLE, Look


class TensorItself(Evidence):
    """A tensor as it is, though nobody watched."""

    def __init__(self, tensor: Any, look: Look) -> None:
        self._tensor, self._look = tensor, look

    def facts(self) -> Facts:
        tensor, look = self._tensor, self._look
        grad, single = look.grad(tensor), not tensor.shape
        number = None
        if single and not tensor.is_leaf and look.kind(tensor) != UNREADABLE:
            number = look.array(tensor).reshape(()).item()
        return Facts(
            value=_held(tensor, look),
            grad=None if grad is None else _held(grad, look, size=look.largest(grad)),
            leaf=tensor.is_leaf,
            requires_grad=tensor.requires_grad,
            retains_grad=bool(tensor.retains_grad),
            parameter=type(tensor).__name__ == "Parameter",  # its values may come from anywhere
            made=look.made(tensor),
            single=single,
            number=number if isinstance(number, float) else None,
        )


def _held(tensor: Any, look: Look, size: float = 0.0) -> Held:
    finite = look.finite(tensor)
    return Held(finite, size, None if finite else summarizer.summarize(tensor))


class BlockReader(Evidence):
    """The notes of a watch on its whole block."""

    def __init__(self, noting: Noting) -> None:
        self._noting = noting

    def noting(self) -> Noting:
        return self._noting


class CallReader(Evidence):
    """The notes of a watch on a call that raised, with what it was handed."""

    def __init__(self, noting: Noting, args: tuple[Any, ...]) -> None:
        self._noting, self._args = noting, args

    def noting(self) -> Noting:
        return self._noting

    def handed(self) -> tuple[Any, ...]:
        return self._args


class WatchReader(Evidence):
    """The notes of a watch on a tensor."""

    def __init__(self, noting: Noting, tensor: Any) -> None:
        self._noting, self._tensor = noting, tensor

    def noting(self) -> Noting:
        return self._noting

    def note(self) -> Note | None:
        return self._noting.notes.get(self._tensor)

    def note_of_grad(self) -> Note | None:
        grad = self._noting.look.grad(self._tensor)
        return None if grad is None else self._noting.notes.get(grad)

    def leaf(self) -> Leaf | None:
        return self._noting.gradients.known(self._tensor)

    def frozen_at(self) -> Site | None:
        return self._noting.gradients.frozen_at(self._tensor)

    def stored_by(self) -> Brought | None:
        leaf = self._noting.gradients.leaf_of(self._tensor)
        owner = None if leaf is None else leaf.tensor()
        if owner is None or leaf is None or leaf.run is None:
            return None
        return Brought(leaf.run, -id(owner))

    def brought_by(self) -> Brought | None:
        return self.listened()

    def listened(self) -> Brought | None:
        tensor, noting = self._tensor, self._noting
        if tensor.is_leaf:
            leaf = noting.gradients.known(tensor)
            return None if leaf is None or leaf.run is None else Brought(leaf.run, -id(tensor))
        made = noting.look.made(tensor)
        if made is None:
            return None
        runs = (run for run in reversed(noting.runs) if made.key in run.visits)
        run = next(runs, None)
        return None if run is None else Brought(run, made.key)
