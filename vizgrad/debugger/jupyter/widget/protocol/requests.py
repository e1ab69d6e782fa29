"""The requests of the browser about a session, and which."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC, Folding
from vizgrad.debugger.model import ArrayName


@dataclass(frozen=True, slots=True)
class ListSessions:
    """Which sessions exist? Answered by `Sessions`."""

    request: int


@dataclass(frozen=True, slots=True)
class Attach:
    """Send me the events of `session` (None: the newest), and what is to be seen of it.

    `view`: the widget in whose place this shows it (`SavedView.view`).
    """

    request: int
    session: str | None = None
    folding: Folding = AUTOMATIC
    view: str = ""


@dataclass(frozen=True, slots=True)
class Detach:
    """I show no session any more: one that nobody holds may go."""

    request: int


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be seen of it, so folded? The drawing `digest` is there already."""

    request: int
    session: str
    folding: Folding = AUTOMATIC
    digest: str = ""


@dataclass(frozen=True, slots=True)
class Since:
    """What was told after `revision`?"""

    request: int
    session: str
    revision: int


@dataclass(frozen=True, slots=True)
class Find:
    """Nodes whose name, variable, scope or source place has `query` in it (``*`` stands for anything)."""

    request: int
    session: str
    query: str


@dataclass(frozen=True, slots=True)
class GetNames:
    """What are these nodes called?"""

    request: int
    session: str
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GetVisits:
    """Which nodes were run at positions `first` ... `first + count - 1`?"""

    request: int
    session: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class GetMemory:
    """What do saved values hold, now and step by step?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class GetStorages:
    """The timelines of all storages of the graph, at most `most`."""

    request: int
    session: str
    most: int


@dataclass(frozen=True, slots=True)
class FollowLines:
    """Tell me the lines of whichever session is moved, from now on; `session`: of this one first, which a
    person looks at.
    """

    request: int
    session: str | None = None


@dataclass(frozen=True, slots=True)
class LinesSeen:
    """The message with this number has arrived: more may be sent at once."""

    request: int
    number: int


@dataclass(frozen=True, slots=True)
class GetLineNodes:
    """Which nodes has this line (its number in `Lines.lines`) recorded?"""

    request: int
    session: str
    line: int


@dataclass(frozen=True, slots=True)
class GetNodeLine:
    """Which line has recorded this node?"""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class GetSource:
    """What stands in this file (`CodeFile.file`)? Only files that recorded nodes of the session are
    allowed, or that of the line which comes next within a node.
    """

    request: int
    session: str
    file: str


@dataclass(frozen=True, slots=True)
class GetPicture:
    """What is a notebook to show that is read without a kernel?"""

    request: int
    session: str


@dataclass(frozen=True, slots=True)
class Inspect:
    """All about one node."""

    request: int
    session: str
    node: int


@dataclass(frozen=True, slots=True)
class GetPart:
    """A part of an array: `at` these indices of its leading dimensions (see `Part`), and of the matrix that
    this is these rows and columns (first, and behind the last; None: all).
    """

    request: int
    session: str
    of: ArrayName
    at: tuple[int | None, ...] = ()
    rows: tuple[int, int] | None = None
    columns: tuple[int, int] | None = None
