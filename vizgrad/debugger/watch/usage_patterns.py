"""What people's code does that is not said of one tensor: in custom Functions, on other threads, "
"with losses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.tensor.modes import GUARD, share_of_thread
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.tensor import RESULT, Tensor
from vizgrad.debugger.watch.backwards import Run

#: Lines of other threads that are kept.
_STRAYS_KEPT = 16


class Habits:
    def __init__(self) -> None:
        #: (kind, Function, attribute of ctx, line) of what custom Functions did wrong.
        self.functions: list[tuple[str, Any, str, Site | None]] = []
        #: Lines of losses that are kept after their backward, and how many at once.
        self.kept: dict[tuple[int, int], tuple[Site, int]] = {}
        #: Lines of other threads that record while this one does not.
        self.strays: list[Site | None] = []
        #: Line of a call -> the custom Function applied there last, if it keeps what forward computed.
        self.keeping: WeakValueDictionary[Site, Any] = WeakValueDictionary()
        self._thread = share_of_thread().thread

    def applied(
        self,
        cls: Any,
        site: Site | None,
        operands: list[Tensor],
        outputs: list[Tensor],
        began: int,
    ) -> None:
        """Did a custom Function keep its output on ctx, or write to an input unmarked?"""
        node: Any = outputs[0].grad_fn if outputs else None
        if node is None:
            return
        kept = [value for value in vars(node).values() if isinstance(value, Tensor)]
        inner = any(not any(value is given for given in operands) for value in kept)
        if site is not None and (inner or None in (node._fn_origins or ())):
            self.keeping[site] = cls
        for name, value in list(vars(node).items()):
            if any(value is out for out in outputs):
                self.functions.append(("reference-cycle", cls, name, None))
        for operand in operands:
            storage = operand._storage
            if storage is None or storage.last_write <= began:
                continue
            last = storage.first_write_after(began)
            if not any(operand is out for out in outputs):
                site = None if last is None else last.site
                self.functions.append(("function-dirty", cls, "", site))

    def count(self, run: Run, recent: list[Run]) -> None:
        """How many losses of the same line are still there, each with its graph?"""
        for root in run.roots:
            site = root.site
            if site is None or not root.requires:
                continue
            others = [
                other
                for earlier in recent
                for other in earlier.roots
                if other is not root and other.site == site and other.tensor() is not None
            ]
            if len(others) > 1:
                self.kept[id(site[0]), site[1]] = site, len(others) + 1

    def stray(self, result: Any, site: Site | None) -> None:
        """Another thread made a result: with history, although none is wanted here?"""
        made = isinstance(result, Tensor) and result._tracked == RESULT
        if made and self._thread in GUARD.no_grad and len(self.strays) < _STRAYS_KEPT:
            self.strays.append(site)


def tensors_in(values: Any, depth: int = 3) -> Iterator[Tensor]:
    """Tensors, also in tuples and lists, but those that stand for others."""
    for value in values:
        if isinstance(value, Tensor):
            if not stands_for_others(value):
                yield value
        elif depth and isinstance(value, (tuple, list)):
            yield from tensors_in(value, depth - 1)
