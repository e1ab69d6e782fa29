"""An error in a watched block is explained with what the watch knows of it."""

from __future__ import annotations

from typing import Any

from vizgrad.core import errors
from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.from_watch import CallReader
from vizgrad.debugger.explain.question import Question
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.watch.note_recorder import Noting


class Improving:
    def __init__(self, noting: Noting) -> None:
        self._noting = noting

    def improve(self, error: BaseException, name: str, args: tuple[Any, ...]) -> None:
        """Puts a better explanation in place of the one that the error has."""
        known = getattr(error, "explanation", None)
        if not isinstance(known, Explanation):
            return
        question = Question("error", name, told=known, text=str(error))
        better = explain(diagnose(question, CallReader(self._noting, args)))
        same = (better.story, better.fix) == (known.story, known.fix)  # the watch knows no more
        errors.explain(error, known if same else better, watched=True)
