"""`python -m tests.architecture.design_index`: writes the list of notes in `notebooks/design/README.md`."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture.rooms import ROOT

NOTES = ROOT / "notebooks" / "design"
INDEX = NOTES / "README.md"

_HEAD = """\
# Design notes

Why vizgrad is built as it is: one decision a note, with what was tried and what follows. The code is
described in [the house](../../vizgrad/README.md) and in the README of each folder. A note is not rewritten
when a later one replaces it; the list says so. A new note takes the next free number, and
`python -m tests.architecture.design_index` adds it here.

| note | about |
|---|---|
"""


def notes() -> list[Path]:
    return sorted(path for path in NOTES.glob("*.md") if path != INDEX)


def number(note: Path) -> str:
    return note.name[:4]


def title(note: Path) -> str:
    """The first line without the number."""
    first = note.read_text("utf-8").splitlines()[0]
    return re.sub(r"^# (?:\d+[:.] )?", "", first)


def superseded_by(note: Path) -> str:
    """The number of the note that replaces this one, or ""."""
    found = re.search(r"\*\*Superseded by (\d{4})\.\*\*", note.read_text("utf-8"))
    return found[1] if found else ""


def index() -> str:
    """The text of the index."""
    by_number = {number(note): note for note in notes()}
    rows = []
    for note in notes():
        about = title(note)
        about = about[0].upper() + about[1:]
        if later := superseded_by(note):
            about += f" (superseded by [{later}]({by_number[later].name}))"
        rows.append(f"| [{number(note)}]({note.name}) | {about} |\n")
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    INDEX.write_text(index(), "utf-8")
