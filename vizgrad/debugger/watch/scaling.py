"""The order of a GradScaler, of clipping and of steps: which of them saw gradients that were still scaled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.watch.grad_history import Gradients
from vizgrad.debugger.watch.notes import Note

#: Faults that are kept, and notes of a loss that are searched for a call of scale().
_FAULTS_KEPT, _NEAR_A_LOSS = 256, 512
#: Faults whatever the scale is.
_ALWAYS = {"late clip", "empty clip"}
#: Methods of a GradScaler that are told of, and functions that clip.
SCALING = ("scale", "unscale_", "step", "update", "get_scale")
CLIPPING = ("clip_grad_norm_", "clip_grad_value_")


def listed(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call, with the parameters of a clipping in a list where they come one by one: they
    are read twice. An iterator without any stays one, as the function warns of it.
    """
    if name not in CLIPPING:
        return args, kwargs
    named = {**kwargs}
    first = args[0] if args else named.pop("parameters", ())
    if isinstance(first, Iterator):
        first = list(first) or iter(())
    limits = ("max_norm", "clip_value")
    limit = args[1:2] or tuple(named.pop(each) for each in limits if each in named)[:1]
    return (first, *limit, *args[2:]), named


class Fault(NamedTuple):
    """A call at `site` came too early or too late.

    `case`: "clip" or "step" while gradients were scaled, a "late clip" after the step, an "empty clip" of an
    iterator that has ended, a "scaled step" of a loss that was not scaled. `other` is the line of the call
    that should have come before, or of that loss.
    """

    case: str
    site: Site | None
    other: Site | None
    title: str
    scale: float
    limit: float
    clock: int


class _Clip(NamedTuple):
    owners: frozenset[int]
    limit: float
    site: Site | None
    clock: int


class Scaling:
    def __init__(self, gradients: Gradients) -> None:
        self._gradients = gradients
        self.faults: list[Fault] = []
        #: A call of the framework's is under way that reads and writes gradients on its own account.
        self.tending = False
        self._within_step = False
        #: id of an optimizer whose gradients were unscaled since the last update.
        self._unscaled: set[int] = set()
        #: The program has asked for the scale, and may divide by it itself.
        self._asked = False
        #: Clippings since the last step.
        self._clips: list[_Clip] = []
        #: The last clipping, where it found nothing but used gradients.
        self._late: _Late | None = None
        self._scale: Callable[[], float] | None = None

    @property
    def used(self) -> bool:
        """Has a GradScaler been called that is enabled?"""
        return self._scale is not None

    # --- told of calls -----------------------------------------------------------------------------------

    def begins(self, name: str, args: tuple[Any, ...], site: Site | None) -> None:
        """A method of a GradScaler, or a function that clips, is called."""
        self.tending = True
        if name in CLIPPING:
            self._clipping(args, site)
        elif name == "get_scale":
            self._asked = True
        elif args[0].is_enabled():
            scaler = args[0]
            self._scale = scaler.get_scale
            if name == "unscale_":
                self._clipped_before(args[1], site)
            elif name == "step":
                self._within_step = True
                self._stepping(args[1], site)

    def leaves(self, name: str) -> None:
        """The call has ended, or failed."""
        self.tending = False
        if name == "step":
            self._within_step = False

    def ended(self, name: str, args: tuple[Any, ...], made: list[Note]) -> None:
        """The call has ended; `made`: the notes of what it returned."""
        if name == "scale" and args[0].is_enabled():
            for note in made:
                note.scaled = True
        elif name == "unscale_":
            self._unscaled.add(id(args[1]))
        elif name == "step":
            self._clips.clear()
        elif name == "update":
            self._unscaled.clear()
            self._asked = False

    def steps(self, optimizer: Any, site: Site | None) -> None:
        """An optimizer steps, called by a scaler or not."""
        if self._within_step:
            return
        scaled = self._scale is not None and not self._asked and id(optimizer) not in self._unscaled
        if scaled and self._is_scaled(optimizer):
            self._found("step", site, None, type(optimizer).__name__)
        self._clips.clear()

    # --- what is wrong -----------------------------------------------------------------------------------

    def _clipping(self, args: tuple[Any, ...], site: Site | None) -> None:
        if isinstance(args[0], Iterator):  # `listed` leaves those that have ended
            self._found("empty clip", site, None, "")
            return
        given = args[0] if isinstance(args[0], (list, tuple)) else args[:1]
        limit = float(args[1]) if len(args) > 1 else float("inf")
        leaves = [self._gradients.known(each) for each in given]
        held = [leaf for leaf in leaves if leaf is not None and leaf.run is not None]
        if not held or not limit < float("inf"):
            return
        used = [leaf.used_by for leaf in held if leaf.used_by]
        if len(used) == len(held):
            # one may be meant, for what comes after; of several the first counts, too
            late = _Late(site, used[0].site, limit, tick())
            if self._late is None:
                self._late = late
                return
            for each in (self._late, late) if self._late.waits else (late,):
                self._found("late clip", each.site, each.step, "", each.limit, each.clock)
            self._late = late._replace(waits=False)
            return
        self._late = None
        owners = frozenset(leaf.key for leaf in held)
        self._clips.append(_Clip(owners, limit, site, tick()))

    def _clipped_before(self, optimizer: Any, site: Site | None) -> None:
        """Were gradients clipped while they were scaled?"""
        if self._asked or id(optimizer) in self._unscaled or not self._clips:
            return
        owned = {id(each) for group in optimizer.param_groups for each in group["params"]}
        for clip in self._clips:
            if clip.owners & owned and self._is_scaled(optimizer):
                self._found("clip", clip.site, site, "", clip.limit)
                return

    def _stepping(self, optimizer: Any, site: Site | None) -> None:
        self._clipped_before(optimizer, None)
        if self._asked:
            return
        runs = self._runs(optimizer)
        if runs and all(_not_scaled(run) for run in runs):
            self._found("scaled step", site, runs[0].site, type(optimizer).__name__)

    def _runs(self, optimizer: Any) -> list[Any]:
        """The backwards that gave its parameters what they hold."""
        found: dict[int, Any] = {}
        for group in optimizer.param_groups:
            for each in group["params"]:
                leaf = self._gradients.known(each)
                if leaf is not None and leaf.run is not None:
                    found[leaf.run.clock] = leaf.run
        return list(found.values())

    def _is_scaled(self, optimizer: Any) -> bool:
        runs = self._runs(optimizer)
        return bool(runs) and all(any(map(_scaled, run.roots)) for run in runs)

    def _found(
        self,
        case: str,
        site: Site | None,
        other: Site | None,
        title: str,
        limit: float = 0.0,
        clock: int | None = None,
    ) -> None:
        scale = 1.0 if self._scale is None else float(self._scale())
        harmless = case not in _ALWAYS and (scale == 1.0 or limit >= scale)
        if not harmless and len(self.faults) < _FAULTS_KEPT:
            self.faults.append(
                Fault(case, site, other, title, scale, limit, tick() if clock is None else clock)
            )


class _Late(NamedTuple):
    """A clipping at `site` of gradients that the step at `step` had used. Is it not told of yet?"""

    site: Site | None
    step: Site | None
    limit: float
    clock: int
    waits: bool = True


def _scaled(root: Note) -> bool:
    return any(note.scaled for note in islice(root.ancestors(), _NEAR_A_LOSS))


def _not_scaled(run: Any) -> bool:
    """Is it known that none of the losses was multiplied by a scale?"""
    known = [root for root in run.roots if root.parents]
    return bool(known) and len(known) == len(run.roots) and not any(map(_scaled, known))
