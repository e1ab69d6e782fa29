"""A program of this corpus and its twin, judged: `python -m tests.pains.library [-k WORD] [-v]`."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from tests.integrations.torchvision_beside import make_importable
from tests.pains.twins.reading import Program, Question
from tests.pains.twins.reading import programs as programs_of
from tests.pains.twins.running import judge, run_twin

make_importable()  # before the first library that looks whether it is there
FOLDER = Path(__file__).parent / "programs"
#: Builders of `tests.integrations.library_models` -> the library that they import.
_NEEDS = {
    "gpt2_with_adapters": "peft", "unet": "diffusers", "autoencoder": "diffusers",
}  # fmt: skip
_LIBRARIES = ("torchdiffeq", "torch_geometric", "peft")


@dataclass(frozen=True)
class Judged:
    """Was any of the questions of a program answered with the right place and the right words?"""

    program: Program
    right: bool
    #: What was said to each question.
    said: tuple[tuple[str, ...], ...]
    #: What was said of the twin.
    alarms: tuple[str, ...]


def programs() -> list[Program]:
    return programs_of(FOLDER)


def missing(program: Program) -> str:
    """The library that it needs and that is not installed; "" if all are."""
    text = "\n".join(line for lines in program.files.values() for line in lines)
    builders = set(re.findall(r"from tests\.integrations\.library_models import (\w+)", text))
    needed = {_NEEDS.get(name, "transformers") for name in builders}
    needed |= {
        name
        for name in ("transformers", *_LIBRARIES)
        if re.search(rf"(import|from) {name}\b", text)
    }
    return next((name for name in sorted(needed) if find_spec(name) is None), "")


def judged(program: Program, folder: Path) -> Judged:
    verdicts, run = judge(_asked(program), "torch", folder)
    right = any(
        _is_right(program, question, verdict.said, run.error)
        for question, verdict in zip(program.questions, verdicts, strict=True)
    )
    said = tuple(tuple(f"{each.kind}: {each}" for each in verdict.said) for verdict in verdicts)
    twin = run_twin(_asked(program), "torch", folder)
    assert twin.error is None, f"the twin fails: {twin.error!r}"
    alarms = tuple(f"{each.kind}: {each}" for found in twin.said for each in found)
    return Judged(program, right, said, alarms)


def _asked(program: Program) -> Program:
    """Without the names of parameters, which are the place where no line is."""
    plain = (replace(each, ask=each.ask.partition(" %")[0]) for each in program.questions)
    return replace(program, questions=tuple(plain))


def _is_right(program: Program, question: Question, said: tuple, error: Exception | None) -> bool:
    """The place: a line that is marked, also as the one from which a library was called that the culprit lies
    in, or the parameter `%NAME` of the question.
    """
    parameter, blamed = question.ask.partition(" %")[2], program.blamed(question.label)
    for each in said:
        places = [place for place in (each.culprit, each.nearest) if place is not None]
        text = f"{each.kind} {each.story} {each.fix}" + (
            f" {error}" if question.ask == "error" else ""
        )
        at_line = any((Path(str(place.file)).name, place.line) in blamed for place in places)
        at_name = bool(parameter) and parameter in f"{each.tensor} {each.story}"
        words = all(re.search(pattern, text, re.IGNORECASE) for pattern in question.words)
        if words and (at_line or at_name):
            return True
    return False
