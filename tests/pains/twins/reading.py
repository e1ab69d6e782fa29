"""Reads the programs of this corpus: their questions, the lines to blame, and their mended twins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "programs"
MAIN = "program.py"

#: `code  #! A -> code of the twin`: the label and the twin's code may each be missing.
_MARK = re.compile(r"\s*#!(?: (?P<label>[A-Z]))?(?: -> (?P<mended>.*))?$")
_QUESTION = re.compile(r"\? (?P<ask>.+?) @(?P<label>[A-Z]) (?P<words>.+)")


@dataclass(frozen=True)
class Question:
    """`ask` is `error`, `findings`, or an expression in `why` and `check`; each of `words` is a pattern
    that the right answer contains.
    """

    ask: str
    label: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    """`files` are lines with their marks; the first one is run and may import the others."""

    name: str
    family: str
    questions: tuple[Question, ...]
    files: dict[str, tuple[str, ...]]

    def buggy(self) -> dict[str, str]:
        """The files as a user would have them."""
        return {
            file: "".join(_MARK.sub("", line) + "\n" for line in lines)
            for file, lines in self.files.items()
        }

    def mended(self) -> dict[str, str]:
        """The twin: the same program, line for line, without its bugs."""
        return {
            file: "".join(_mended(line) + "\n" for line in lines)
            for file, lines in self.files.items()
        }

    def blamed(self, label: str) -> set[tuple[str, int]]:
        """File and line of each place that may be named as the cause."""
        return {
            (file, number)
            for file, lines in self.files.items()
            for number, line in enumerate(lines, 1)
            if (mark := _MARK.search(line)) and mark["label"] == label
        }


def _mended(line: str) -> str:
    mark = _MARK.search(line)
    if mark is None or mark["mended"] is None:
        return _MARK.sub("", line)
    indent = line[: len(line) - len(line.lstrip())]
    return indent + mark["mended"]


def programs(folder: Path = FOLDER) -> list[Program]:
    """All programs of a folder, in the order in which they are written down."""
    return [
        _program(path.stem, text)
        for path in sorted(folder.glob("*.txt"))
        for text in re.split(r"(?m)^=== ", path.read_text("utf-8"))[1:]
    ]


def _program(family: str, text: str) -> Program:
    name, *lines = text.rstrip().split("\n")
    questions = []
    while lines[0].startswith("? "):
        asked = _QUESTION.fullmatch(lines.pop(0))
        assert asked, f"{name}: a question is `? ASK @LABEL WORDS`"
        words = tuple(asked["words"].split(" & "))
        questions.append(Question(asked["ask"], asked["label"], words))
    files: dict[str, list[str]] = {MAIN: []}
    file = MAIN
    for line in lines:
        if line.startswith("--- "):
            file = line.removeprefix("--- ")
            files[file] = []
        else:
            files[file].append(line)
    return Program(
        name.strip(), family, tuple(questions), {f: tuple(each) for f, each in files.items()}
    )
