"""Runs a program and its twin in this process, asks its questions, and judges the answers."""

from __future__ import annotations

import gc
import linecache
import math
import random
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import vizgrad as vg
from tests.pains.twins.reading import MAIN, Program, Question
from vizgrad.core.errors import Explanation

ENGINES = ("vizgrad", "torch")
#: So many findings are read.
READ = 4


@dataclass(frozen=True)
class Verdict:
    """`line` and `words` hold for one and the same answer; `named`: it names what the user asked about."""

    program: str
    question: Question
    said: tuple[Explanation, ...]
    line: bool
    words: bool
    named: bool

    @property
    def found(self) -> bool:
        return bool(self.said)

    @property
    def right(self) -> bool:
        return self.line and self.words


@dataclass(frozen=True)
class Run:
    """What was said to each question, the error that ended the program, and what a user would see."""

    said: tuple[tuple[Explanation, ...], ...]
    error: Exception | None
    symptoms: tuple[str, ...]


def judge(program: Program, engine: str, folder: Path) -> tuple[list[Verdict], Run]:
    """What is said of the buggy program, question by question."""
    run = _run(program, program.buggy(), engine, folder / program.name, told=True)
    pairs = zip(program.questions, run.said, strict=True)
    return [_verdict(program, question, said, run.error) for question, said in pairs], run


def run_twin(program: Program, engine: str, folder: Path) -> Run:
    """What is said of the mended twin: nothing, where all is well."""
    return _run(program, program.mended(), engine, folder / f"{program.name}_mended", told=False)


def run_edited(program: Program, said: Explanation, engine: str, folder: Path) -> Run | None:
    """The buggy program with the line that an answer suggests; None where it suggests none."""
    place = said.culprit
    if place is None or not said.mended:
        return None
    files, name = program.buggy(), Path(str(place.file)).name
    lines = files[name].splitlines()
    line = lines[place.line - 1]
    assert line.strip() == place.text
    lines[place.line - 1] = line[: len(line) - len(line.lstrip())] + said.mended
    files[name] = "\n".join(lines) + "\n"
    return _run(program, files, engine, folder / f"{program.name}_edited_{place.line}", told=False)


def _verdict(
    program: Program, question: Question, said: tuple[Explanation, ...], error: Exception | None
) -> Verdict:
    blamed = program.blamed(question.label)
    best = Verdict(program.name, question, said, False, False, False)
    for each in said:
        place = each.culprit
        line = place is not None and (Path(str(place.file)).name, place.line) in blamed
        text = f"{each.kind} {each.story} {each.fix}"
        if question.ask == "error":  # read together with its message
            text += f" {error}"
        words = all(re.search(pattern, text, re.IGNORECASE) for pattern in question.words)
        if (line + words, line) > (best.line + best.words, best.line):
            named = _names(question.ask, each)
            best = Verdict(program.name, question, said, line, words, named)
    return best


def _names(ask: str, said: Explanation) -> bool:
    asked = re.fullmatch(r"why\((.*)\)", ask)
    return asked is None or said.tensor == asked[1] or f"`{asked[1]}`" in said.story


def _run(program: Program, files: dict[str, str], engine: str, folder: Path, *, told: bool) -> Run:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(_for_engine(text, engine), "utf-8")
    source = (folder / MAIN).read_text("utf-8")
    asks = [question.ask for question in program.questions]
    said: dict[str, Any] = {}
    error: Exception | None = None
    with _clean(engine, folder) as module, vg.watch() as watch:
        try:
            exec(compile(source, str(folder / MAIN), "exec"), module.__dict__)
        except Exception as raised:
            error = raised
            if "error" not in asks:
                raise
        names = {**module.__dict__, "why": vg.why, "check": vg.check}
        for ask in asks:
            if ask == "error":
                said[ask] = getattr(error, "explanation", None)
            elif ask != "findings":
                said[ask] = eval(ask, names)
    said["findings"] = watch.findings[:READ]
    symptoms = tuple(_symptom(ask, names, error) for ask in asks)
    answers = tuple(_explanations(said[ask], told=told) for ask in asks)
    return Run(answers, error, symptoms)


def _for_engine(text: str, engine: str) -> str:
    if engine == "torch":
        return text
    text = re.sub(r"\bimport torch(\.\S+)", r"import vizgrad\1", text)
    return re.sub(r"\bimport torch\n", "import vizgrad as torch\n", text)


def _explanations(said: Any, *, told: bool) -> tuple[Explanation, ...]:
    """`told`: also what is said of a tensor that is healthy, as of a parameter that is frozen on purpose."""
    every = said if isinstance(said, (list, tuple)) else [said]
    known = [each for each in every if isinstance(each, Explanation)]
    return tuple(each for each in known if each or (told and each.culprit is not None))


def _symptom(ask: str, names: dict[str, Any], error: Exception | None) -> str:
    """What a user sees who asks, found without what is tested here; empty for findings and checks."""
    if ask == "error":
        return "raises" if error is not None else ""
    asked = re.fullmatch(r"why\((.*)\)", ask)
    if asked is None:
        return ""
    tensor = eval(asked[1], names)
    grad = tensor.grad if tensor.is_leaf else None
    if not _finite(tensor):
        return "value not finite"
    if grad is not None:
        size = float(grad.abs().max()) if _finite(grad) else float("inf")
        return (
            "gradient not finite"
            if size == float("inf")
            else "gradient zero"
            if size < 1e-8
            else ""
        )
    if not tensor.is_leaf:
        return "a result"
    if tensor.requires_grad or type(tensor).__name__ == "Parameter":
        return "no gradient"
    return "all zero" if float(tensor.abs().max()) < 1e-8 else ""


def _finite(tensor: Any) -> bool:
    return math.isfinite(float(tensor.detach().double().sum()))


@contextmanager
def _clean(engine: str, folder: Path) -> Iterator[ModuleType]:
    """A module to run in; modes, seeds, modules and the collector are as before afterwards.

    Python collects nothing meanwhile: a cycle that is gone before the block ends is no finding any more.
    """
    torch = sys.modules["torch"] if engine == "torch" else vg
    module = ModuleType("twin_program")
    module.__file__ = str(folder / MAIN)
    before, collecting, seed = set(sys.modules), gc.isenabled(), random.getstate()
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(folder))
    gc.disable()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield module
    finally:
        torch.set_grad_enabled(True)
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            if name.startswith("twin_"):
                del sys.modules[name]
        random.setstate(seed)
        linecache.checkcache()
        if collecting:
            gc.enable()
