"""The engines of ipyparallel as ranks: a call on some of them, and what each answers or why it does not."""

from __future__ import annotations

import os
import socket
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import AuthenticationError
from time import monotonic
from typing import Any

from vizgrad.debugger.ranks import on_rank
from vizgrad.debugger.ranks.channel import Channel, ChannelResult
from vizgrad.debugger.ranks.wording import ranks_text

#: Seconds between two looks at whether an engine is still there.
EVERY = 0.1
#: Seconds after which an engine that runs other code is not waited for any more; of the first call, for
#: which it may have to import vizgrad and a framework.
BUSY, FIRST = 10.0, 120.0
#: Seconds after which an engine is asked again who it is.
AGAIN = 10.0


class RankLost(RuntimeError):
    """The process of a rank has ended."""


class RankBusy(RuntimeError):
    """The process of a rank runs other code, and does not answer."""


@dataclass(frozen=True, slots=True)
class Answers:
    """By rank what the call returned, or the error why there is nothing."""

    values: Mapping[int, Any]
    errors: Mapping[int, Exception]

    def all(self) -> Mapping[int, Any]:
        """The values of all ranks. Raises the error of the lowest rank that has one, with its rank."""
        if self.errors:
            error = self.errors[min(self.errors)]
            alike = [rank for rank, other in self.errors.items() if str(other) == str(error)]
            raise type(error)(f"{ranks_text(alike)}: {error}")
        return self.values

    def those_there(self) -> Mapping[int, Any]:
        """The values of the ranks whose processes are there; a warning names the others. Raises what another
        rank has raised, and where no rank is there.
        """
        lost = [rank for rank, error in self.errors.items() if isinstance(error, RankLost)]
        if len(lost) < len(self.errors) or not self.values:
            return self.all()
        for rank in lost:
            warnings.warn(f"rank {rank}: {self.errors[rank]}; this is of the others", stacklevel=3)
        return self.values


class Engines:
    """The engines of a DirectView, by rank: that of their process group, else their place in the view."""

    def __init__(self, view: Any) -> None:
        """`view`: an `ipyparallel.DirectView`. TypeError for anything else, ValueError without engines."""
        if not (hasattr(view, "targets") and hasattr(view, "client")):
            raise TypeError(
                f"ranks takes a DirectView of ipyparallel (client[:]), but got {type(view).__name__}"
            )
        targets = view.targets
        numbers = [targets] if isinstance(targets, int) else list(targets)
        if not numbers:
            raise ValueError("the view has no engines")
        self._client = view.client
        self._targets = dict(enumerate(numbers))
        self._views: dict[int, Any] = {}
        self._host = socket.gethostname()
        self._identities: dict[int, on_rank.Identity] = {}
        #: By engine; None where there can be none.
        self._channels: dict[int, Channel | None] = {}
        #: Are they one whole process group?
        self.grouped = False
        self.number()

    def number(self) -> None:
        """Numbers the engines as their process group does, if all of them belong to one, also where not all
        of the group are here.
        """
        answers = self._identified()
        if self._identities and any(isinstance(e, RankLost) for e in answers.errors.values()):
            return  # those that are left keep their numbers
        found = answers.all()
        ranks = {each.rank for each in found.values() if each.rank is not None}
        numbered = len(ranks) == len(found)
        self.grouped = ranks == set(range(len(found)))
        order = {
            (identity.rank if numbered else rank): (self._targets[rank], identity)
            for rank, identity in found.items()
        }
        self._targets = {rank: target for rank, (target, _) in sorted(order.items())}
        self._identities = {rank: identity for rank, (_, identity) in sorted(order.items())}

    def _identified(self) -> Answers:
        """Who all engines are. One that does not answer is asked again: a client knows an engine some moments
        before ipyparallel's scheduler does, and until then the scheduler drops what is sent to it.
        """
        until = monotonic() + FIRST
        values: dict[int, on_rank.Identity] = {}
        errors: dict[int, Exception] = {}
        asked = self.ranks
        while asked:
            answers = self.call(on_rank.identity, ranks=asked, limit=AGAIN)
            values.update(answers.values)
            errors.update(answers.errors)
            busy = [rank for rank, why in answers.errors.items() if isinstance(why, RankBusy)]
            asked = tuple(busy) if monotonic() < until else ()
            for rank in asked:
                del errors[rank]
        return Answers(dict(sorted(values.items())), errors)

    @property
    def ranks(self) -> tuple[int, ...]:
        return tuple(self._targets)

    def call(
        self,
        function: Callable[..., Any],
        *arguments: Any,
        ranks: Iterable[int] | None = None,
        each: Mapping[int, tuple[Any, ...]] | None = None,
        limit: float | None = None,
    ) -> Answers:
        """Calls a function of a module on some ranks at the same time. `each`: further arguments by rank.

        An interrupt is raised here; the calls that were begun go on. `limit`: seconds for which all are
        waited for (default: `BUSY`).
        """
        limit = BUSY if limit is None else limit
        chosen = self.ranks if ranks is None else tuple(ranks)
        direct = function in on_rank.DIRECT.values()
        if direct:
            self._open_channels(chosen)
        values: dict[int, Any] = {}
        errors: dict[int, Exception] = {}
        begun: dict[int, Any] = {}
        for rank in chosen:
            if (why := self._lost(rank)) is not None:
                errors[rank] = RankLost(why)
                continue
            given = (*arguments, *((each or {}).get(rank, ())))
            begin = partial(self._begin, rank, function, given)
            channel = self._channels.get(self._targets[rank]) if direct else None
            begun[rank] = (
                begin()
                if channel is None or channel.closed
                else channel.call(function.__name__, given, begin)
            )
        until = monotonic() + limit
        try:
            while begun:
                for rank, result in list(begun.items()):
                    result.wait(EVERY)
                    if result.ready():
                        self._take(rank, begun.pop(rank), values, errors)
                    elif (why := self._lost(rank)) is not None:
                        errors[rank] = RankLost(why)
                        _abandon(begun.pop(rank))
                    elif monotonic() > until:
                        errors[rank] = RankBusy(f"its engine has not answered for {limit:.0f} s")
                        _abandon(begun.pop(rank))
        finally:
            for result in begun.values():
                _abandon(result)
        return Answers(dict(sorted(values.items())), errors)

    def _open_channels(self, ranks: Iterable[int]) -> None:
        """To engines on this machine that have none yet. Where it fails, ipyparallel carries the calls."""
        new = [
            rank
            for rank in ranks
            if self._targets[rank] not in self._channels
            and rank in self._identities
            and self._identities[rank].host == self._host
        ]
        if not new:
            return
        self._channels.update(dict.fromkeys([self._targets[rank] for rank in new]))
        for rank, door in self.call(on_rank.open_channel, ranks=new).values.items():
            if door is not None:
                with suppress(OSError, EOFError, AuthenticationError):
                    self._channels[self._targets[rank]] = Channel(door)

    def _begin(self, rank: int, function: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        """A call by ipyparallel. It refuses to send to an engine that has just gone: that never answers."""
        try:
            return self._view(self._targets[rank]).apply_async(function, *given)
        except Exception:
            if self._lost(rank) is None:
                raise
            return _NeverReady()

    def _view(self, target: int) -> Any:
        """The view of one engine. It is made once, because each call would make another."""
        found = self._views.get(target)
        if found is None:
            found = self._views[target] = self._client[target]
        return found

    def _take(
        self, rank: int, result: Any, values: dict[int, Any], errors: dict[int, Exception]
    ) -> None:
        try:
            values[rank] = result.get(0)
        except Exception as error:  # noqa: BLE001  told with the answers of the other ranks
            why = self._lost(rank)
            errors[rank] = self._plain(error) if why is None else RankLost(why)

    def _plain(self, error: Exception) -> Exception:
        """The error as it was raised in the engine, as far as this process has its class."""
        name, value = getattr(error, "ename", ""), getattr(error, "evalue", "")
        if name in ("", "EngineError"):
            return RankLost(f"its engine has ended ({_first_line(str(error))})")
        kind = _ERRORS.get(name)
        return RuntimeError(f"{name}: {value}") if kind is None else kind(value)

    def _lost(self, rank: int) -> str | None:
        """Why a rank will not answer; None where it may."""
        identity = self._identities.get(rank)
        # On Windows signal 0 is no question but Ctrl+C: there the list of engines alone answers.
        can_ask = os.name == "posix"
        if can_ask and identity is not None and identity.host == self._host:
            try:
                os.kill(identity.pid, 0)
            except OSError:
                return f"its process ({identity.pid}) has ended"
        if self._targets[rank] not in self._client.ids:
            return "its engine is not registered any more"
        return None


class _NeverReady:
    """The result of a call that no engine has got."""

    def wait(self, seconds: float) -> None:
        pass

    def ready(self) -> bool:
        return False


def _abandon(result: Any) -> None:
    if isinstance(result, ChannelResult):
        result.abandon()


def _first_line(text: str) -> str:
    return text.partition("\n")[0]


#: Classes of errors that are raised here as they were there.
_ERRORS = {
    each.__name__: each
    for each in (NameError, TypeError, ValueError, RuntimeError, IndexError, AttributeError)
}
