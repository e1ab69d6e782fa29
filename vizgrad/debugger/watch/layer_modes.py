"""In which mode layers ran that behave differently in training: dropout and batch norm."""

from __future__ import annotations

import sys
import weakref
from collections import deque
from types import FrameType
from typing import Any, NamedTuple

from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.watch.notes import Note

#: Calls that are kept, the latest.
_KEPT = 256


class Call(NamedTuple):
    """One run of one layer."""

    layer: int
    name: str
    #: Of the module that a person called: the outermost.
    whole: int
    title: str
    training: bool
    #: Is the whole in the same mode as the layer?
    alike: bool
    grad: bool
    given: Note | None
    made: Note | None
    #: The line that called the whole.
    site: Site | None
    #: Steps of optimizers before it.
    steps: int


class Layers:
    def __init__(self) -> None:
        self.calls: deque[Call] = deque(maxlen=_KEPT)
        #: (number of the module, its mode from then on, line) of calls of train and eval.
        self.switches: deque[tuple[int, bool, Site | None]] = deque(maxlen=_KEPT)
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()

    def called(self, layer: Any, given: Note | None, made: Note | None, steps: int) -> None:
        """A layer of vizgrad's own ran."""
        whole, frame = _outermost(layer, sys._getframe(1))
        site = None if frame is None else Site(frame.f_code, frame.f_lasti)
        grad = MODES.grad and MODES.inference is None
        self.called_within(whole, site, layer, given, made, steps, grad)

    def called_within(
        self, whole: Any, site: Site | None, layer: Any, given: Note | None, made: Note | None,
        steps: int, grad: bool,
    ) -> None:  # fmt: skip
        """`site`: the line that called the module `whole`, within which a layer ran."""
        if not getattr(layer, "p", 1.0):
            return  # a dropout that drops nothing
        self.calls.append(
            Call(
                self._number(layer), type(layer).__name__, self._number(whole),
                type(whole).__name__, layer.training, whole.training == layer.training, grad,
                given, made, site, steps,
            )
        )  # fmt: skip

    def switched(self, module: Any, mode: bool, site: Site | None) -> None:
        self.switches.append((self._number(module), mode, site))

    def _number(self, module: Any) -> int:
        return self._numbers.setdefault(module, len(self._numbers) + tick())


def _outermost(layer: Any, frame: FrameType | None) -> tuple[Any, FrameType | None]:
    """The module that a person called, within which a layer runs, and the frame that called it."""
    from vizgrad.nn.modules.module import Module

    # a tapped function keeps its name of code in what it did before
    name, found, outside = Module.__call__.__name__, layer, None
    while frame is not None:
        if frame.f_code.co_name == name and isinstance(own := locals_of(frame).get("self"), Module):
            found, outside = own, frame.f_back
        frame = frame.f_back
    return found, outside
