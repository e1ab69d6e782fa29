"""A step that is run a second time under the full watch, up to where the alarm sounded, and taken back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

from vizgrad.core.arrays.backend import to_host
from vizgrad.core.arrays.random import SharedState
from vizgrad.core.errors import Explanation
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.alarm_source import AlarmSource, BackwardCall, Restore
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.explain import findings
from vizgrad.debugger.explain.watch_block import Watch
from vizgrad.debugger.explain.why import answer
from vizgrad.debugger.tiers import alarm_texts as texts
from vizgrad.debugger.tiers.alarms import Alarm, Looking
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note

Step = Callable[..., Any]


_SHARED = SharedState()


class _Stop(BaseException):
    """The second run has come to where the alarm sounded. The user's `except Exception` lets it pass."""


class SecondRun:
    """A call of a step, from before it began: all that is needed to call it again."""

    def __init__(
        self, sources: list[AlarmSource], step: Step, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self._step, self._args, self._kwargs = step, args, kwargs
        self._sources = sources
        self._random = _random(sources)
        self._modes = [source.modes() for source in sources]
        self._batch = [
            (source, each, source.version(each))
            for each in _values_in((*args, *kwargs.values()))
            for source in sources
            if source.look.knows(each)
        ]
        self._alarm: Alarm | None = None
        self._looking: Looking | None = None
        self._watch: Watch | None = None
        self._told: Explanation | str = ""
        self._undo: list[Restore] = []
        #: The leaves whose `.grad` was set aside.
        self._aside: dict[int, Any] = {}

    @property
    def active(self) -> bool:
        """Is the step being run again?"""
        return self._looking is not None

    def why_not(self, looking: Looking, *, keeps: bool) -> str:
        """The reason why the same step cannot be run again; empty: it can. `keeps`: its graph is kept."""
        if looking.stepped:
            return texts.STEPPED
        if keeps:
            return texts.GRAPH_KEPT
        if not all(source.alone for source in self._sources):
            return texts.PROCESSES
        if any(isinstance(each, Iterator) for each in (*self._args, *self._kwargs.values())):
            return texts.ITERATOR
        if any(source.version(each) != version for source, each, version in self._batch):
            return texts.BATCH_WRITTEN
        return ""

    def explain(self, alarm: Alarm, looking: Looking) -> Explanation | str:
        """Why it was so, by a second run; or why that is not known, in words. All is as before then."""
        self._alarm, self._told = alarm, texts.NOT_SO_AGAIN
        self._looking = looking.anew(self._sounded)
        self._undo = [_random(self._sources, exact=True)]
        try:
            self._set_aside()
            self._random()
            self._run()
        except MemoryError as error:
            self._told = texts.NO_ROOM.format(error=error)
        except Exception as error:  # noqa: BLE001  the step's own, or a device without memory
            self._told = texts.RAISED.format(error=repr(error))
        finally:
            self._looking = self._watch = self._alarm = None
            undo, self._undo, self._aside = self._undo, [], {}
            with ExitStack() as stack:  # each is called, also after an error
                for restore in undo:
                    stack.callback(restore)
        return self._told

    def _set_aside(self) -> None:
        """The second run fills gradients of its own."""
        assert self._looking is not None
        for source, leaf in self._looking.leaves():
            if id(leaf) not in self._aside:
                self._aside[id(leaf)] = leaf
                self._undo += [source.kept([leaf]), _grad_again(source, leaf)]
                source.set_grad(leaf, None)

    def _run(self) -> None:
        assert self._looking is not None
        kept: dict[int, Any] = {}

        def keep(source: AlarmSource, tensors: list[Any]) -> None:
            new = [each for each in tensors if id(each) not in kept]
            kept.update((id(each), each) for each in new)
            self._undo.append(source.kept(new))

        with ExitStack() as stack:
            for source, modes in zip(self._sources, self._modes, strict=True):
                stack.enter_context(
                    source.hearing_modules(lambda found, source=source: keep(source, found))
                )
                stack.enter_context(modes())
            self._watch = stack.enter_context(Watch())
            for noting in self._watch.notings:
                source = next(s for s in self._sources if s.look is noting.look)
                noting.note_of = _first_met(noting, lambda found, s=source: keep(s, found))
            try:
                self._step(*self._args, **self._kwargs)
                self._looking.end_round()
            except _Stop:
                pass

    # --- events of the second run --------------------------------------------------------------------

    def backward_begins(self, source: AlarmSource, call: BackwardCall) -> None:
        assert self._looking is not None
        self._looking.loss(source, call)
        self._set_aside()

    def backward_ended(self, source: AlarmSource) -> None:
        assert self._looking is not None
        self._looking.ended(source)

    def step_begins(self, source: AlarmSource, optimizer: Any) -> None:
        """No optimizer steps in a second run."""
        assert self._looking is not None
        if self._looking.stepping:
            self._told = texts.CLOSURE
        else:
            self._looking.step(source, optimizer)
        raise _Stop

    def _sounded(self, alarm: Alarm) -> None:
        first = self._alarm
        assert first is not None
        if alarm.point == first.point and alarm.source is first.source:
            self._told = self._explained(alarm, first)
        raise _Stop

    def _explained(self, alarm: Alarm, first: Alarm) -> Explanation | str:
        if alarm.of_loss and not _same(alarm.tensor, first.tensor):
            return texts.OTHER_LOSS.format(value=_text(alarm.tensor))
        if not alarm.of_loss and alarm.tensor is not first.tensor:
            return texts.NOT_SO_AGAIN
        assert self._watch is not None
        return told(self._watch, alarm)


def told(watch: Watch, alarm: Alarm) -> Explanation:
    """Why a loss or a gradient is not finite, by the notes of an open watch."""
    noting = next(each for each in watch.notings if each.look.knows(alarm.tensor))
    names = names_around(kinds=known_types())
    if not alarm.of_loss:
        noting.names = names
        for found in findings.all_of(noting):
            if found.kind.startswith("nonfinite"):
                return found
    return answer(noting, alarm.tensor, names.get(id(alarm.tensor), ""))


def _first_met(noting: Noting, keep: Callable[[list[Any]], None]) -> Any:
    """As `noting.note_of`, which meets each tensor before anything writes to it: those that were there before
    the watch are kept.
    """
    note_of = noting.note_of

    def met(tensor: Any) -> Note:
        if noting.notes.get(tensor) is None:
            keep([tensor])
        return note_of(tensor)

    return met


def _grad_again(source: AlarmSource, leaf: Any) -> Restore:
    grad = source.grad(leaf)
    return lambda: source.set_grad(leaf, grad)


def _random(sources: list[AlarmSource], *, exact: bool = False) -> Restore:
    """The state of all generators of the program: what this returns sets it."""
    python, numpy = random.getstate(), _SHARED.noted(exact=exact)
    states = [source.random() for source in sources]

    def restore() -> None:
        random.setstate(python)
        numpy()
        for each in states:
            each()

    return restore


def _values_in(values: Any, depth: int = 3) -> Iterator[Any]:
    for value in values:
        if depth and isinstance(value, tuple | list):
            yield from _values_in(value, depth - 1)
        elif depth and isinstance(value, Mapping):
            yield from _values_in(value.values(), depth - 1)
        else:
            yield value


def _same(one: Any, other: Any) -> bool:
    a, b = (to_host(summarizer.array_of(each)) for each in (one, other))
    return bool(a.shape == b.shape and ((a == b) | ((a != a) & (b != b))).all())


def _text(loss: Any) -> str:
    array = to_host(summarizer.array_of(loss))
    return f"{float(array.reshape(-1)[0]):g}" if array.size == 1 else f"{list(array.shape)}"
