"""Sessions of several ranks that a view shows as one.

A joint knows the session of each rank, in this process or in another. A controller that is asked for one of
these sessions tells its view of all ranks, and a view chooses another rank by attaching to its session. This
file knows the joints by the ids of their sessions; `debugger/ranks` makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol
from weakref import WeakValueDictionary

from vizgrad.core.observing import Observer
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session

Send = Callable[[dict[str, Any]], None]


class Joint(Protocol):
    """The sessions of all ranks of one backward."""

    @property
    def first(self) -> str:
        """The id of the session of the lowest rank."""
        ...

    def infos(self) -> tuple[p.SessionInfo, ...]:
        """The sessions of ranks in other processes, for the list of a side panel."""
        ...

    def open(self, session: str) -> Session | None:
        """The session with this id; None where it lives in another process. SessionClosed if it is gone."""
        ...

    def told(self, session: str, since: int) -> tuple[p.Ranks, int]:
        """The message to a view of this session, and its number: all that has changed since that number, the
        whole for -1.
        """
        ...

    def picture_at(self, session: str) -> p.Picture:
        """For a notebook that is read without a kernel: the picture of all ranks, with what is kept of a view
        that shows this session.
        """
        ...

    def at(self, session: str, node: int) -> tuple[p.RankAt, ...]:
        """IndexError for no node."""
        ...

    def move_together(self, enabled: bool) -> None:
        """ValueError where each rank moves alone."""
        ...

    def relay(self, view: str, content: dict[str, Any], send: Send) -> None:
        """Answers a request about a session in another process, by `send`; later events go there, too."""
        ...

    def leave(self, view: str) -> None:
        """This view has gone, or shows something else."""
        ...

    def listen(self, owner: str, listener: Callable[[], None]) -> Observer:
        """`listener()` is called when a rank has moved, or answers no more."""
        ...


_joints: WeakValueDictionary[str, Joint] = WeakValueDictionary()


def add(joint: Joint, session: str) -> None:
    """`session`: the id of one of its sessions."""
    _joints[session] = joint


def find(session: str | None) -> Joint | None:
    return None if session is None else _joints.get(session)


def joints() -> list[Joint]:
    """All, each once."""
    return list({id(joint): joint for joint in _joints.values()}.values())
