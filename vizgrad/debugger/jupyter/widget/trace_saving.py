"""The button *Save the trace*: the kernel writes the file, into the folder that its cells work in."""

from __future__ import annotations

import re
from pathlib import Path

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.handlers import Connection, handles
from vizgrad.debugger.model.arrays import bytes_text

#: Letters of a title that become the name of a file.
MOST_LETTERS = 60


@handles(p.SaveTrace)
def _save(connection: Connection, request: p.SaveTrace, _: bool) -> p.TraceSaved:
    """The request names no file: a page can have none written but beside the notebook, over no other."""
    session = connection.find(request.session)
    with connection.reading(session):
        path = session.trace.save(free_name(Path.cwd(), session.title))
    size = bytes_text(path.stat().st_size)
    return p.TraceSaved(request.request, session.id, path.name, str(path.parent), size)


def free_name(folder: Path, title: str) -> Path:
    """``loss.vgtrace``; ``loss-2.vgtrace`` where that is there."""
    name = re.sub(r"\W+", "-", title)[:MOST_LETTERS].strip("-") or "trace"
    path, number = folder / f"{name}.vgtrace", 2
    while path.exists():
        path, number = folder / f"{name}-{number}.vgtrace", number + 1
    return path
