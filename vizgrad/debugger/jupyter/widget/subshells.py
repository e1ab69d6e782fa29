"""Messages of a view come where its page sends them: on a subshell, so that it answers while a cell runs."""

from __future__ import annotations

from typing import Any


def listen_where_asked(comm: Any) -> None:
    """`comm` takes each message on the shell that the page named.

    ipykernel 7.4 and later take it on the shell that wrote to the comm last, for programs that wait there for
    a reply. A cell that moves a session writes to its views: they would wait for the end of that cell.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = _asked


def _asked(data: Any, subshell: str | None) -> str | None:
    return subshell
