"""`watch.kept`: the backwards of a watched block that were kept, as traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from secrets import token_hex
from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

from vizgrad.core.errors import Explanation
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.watch.kept_backwards import BackwardRecord
from vizgrad.debugger.watch.note_recorder import Noting

_numbers = count(1)
#: A page that outlived its kernel must not take the backwards of another for its own.
_KERNEL = token_hex(4)
#: The blocks of this process whose backwards are kept, by the ids that pages know.
_blocks: WeakValueDictionary[str, KeptTraces] = WeakValueDictionary()
#: A backward that was opened -> its number, and the findings of its block.
_findings: WeakKeyDictionary[Any, tuple[int, list[Explanation]]] = WeakKeyDictionary()
#: A page asks for a kept backward as for a session, by a name that begins so.
_PREFIX = "kept-"


class KeptTraces(Mapping[int, Any]):
    """Number of a backward, from 1 as on the curves -> its trace. In a notebook, a trace displays itself as
    one that `vizgrad.load_trace` has read. It is made when it is asked for, and is a session while held.

    Only statistics of gradients are in it, no values. KeyError for a backward that is not kept.
    """

    def __init__(self, notings: Sequence[Noting]) -> None:
        """The notes of each engine: of two backwards of the same number, the first is taken."""
        self._notings = notings
        self._opened: WeakValueDictionary[int, Any] = WeakValueDictionary()
        #: Those of the block, of all its backwards, once it has ended.
        self.findings: list[Explanation] = []
        #: A page asks for them by this.
        self.id = f"{_PREFIX}{next(_numbers)}-{_KERNEL}"
        _blocks[self.id] = self

    def _records(self) -> dict[int, tuple[BackwardRecord, Noting]]:
        found: dict[int, tuple[BackwardRecord, Noting]] = {}
        for noting in self._notings:
            if noting.kept is not None:
                for number, record in noting.kept.by_number().items():
                    found.setdefault(number, (record, noting))
        return dict(sorted(found.items()))

    def __getitem__(self, number: int) -> Any:
        known = self._opened.get(number)
        if known is not None and not known.closed:
            return known
        record, noting = self._records()[number]
        trace = record.trace(f"backward {number}", lambda variable: _named(noting, variable))
        opened = self._opened[number] = UPCALLS.filing().opened(trace)
        _findings[opened] = (number, self.findings)
        return opened

    def latest(self) -> Any:
        """The backward that began last as a trace without a session, also while it runs; None without one."""
        for noting in self._notings:
            record = None if noting.kept is None else noting.kept.latest()
            if record is not None:
                return record.trace("loss", lambda variable, of=noting: _named(of, variable))
        return None

    def __iter__(self) -> Iterator[int]:
        return iter(self._records())

    def __len__(self) -> int:
        return len(self._records())

    def __contains__(self, number: object) -> bool:
        return number in self._records()

    def __repr__(self) -> str:
        return f"<kept backwards: {', '.join(map(str, self)) or 'none'}>"


def _named(noting: Noting, variable: Any) -> str:
    """The user's name of a parameter."""
    known = noting.training.parameters.get(id(variable))
    return noting.names.get(id(variable), "") or (known.leaf.name if known else "")


def findings_in(session: Any) -> tuple[Explanation, ...]:
    """The findings in the kept backward that a session shows, worst first; () for any other session."""
    number, found = _findings.get(session, (0, []))
    return tuple(each for each in found if each.backward == number)


def kept_session(name: str) -> Any:
    """The trace that a page asks for by ``kept-3-0f1e2d3c:37``, as a session; None for any other name.

    ValueError, with what to do instead, where it is not kept any more.
    """
    found = kept_in(name)
    return None if found is None else found[0][found[1]]


def kept_in(name: str) -> tuple[KeptTraces, int] | None:
    """The block and the number of a backward by the name that a page has for it. Raises as `kept_session`."""
    block, _, number = name.partition(":")
    if not block.startswith(_PREFIX) or not number.isdecimal():
        return None
    kept = _blocks.get(block)
    if kept is None or int(number) not in kept:
        raise ValueError(
            f"backward {number} is not kept any more: run its cell again with %%vizgrad debug --at {number}"
        )
    return kept, int(number)
