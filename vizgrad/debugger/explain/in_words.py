"""From a cause to its explanation: all words are those of `sentences.py` and `phrases.py`."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

from vizgrad.core.errors import Explanation, Place
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import Cause, Number, Phrase
from vizgrad.debugger.explain.phrases import FIXES, PHRASES
from vizgrad.debugger.explain.sentences import SENTENCES
from vizgrad.debugger.explain.suggested_edit import mended
from vizgrad.debugger.explain.wording import code, code_or_input, line, line_of, number


class _Speaker(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        return say(value, format_spec)


_SPEAKER = _Speaker()


def say(value: Any, how: str = "") -> str:
    """A fact, as sentences say it."""
    if isinstance(value, Phrase):
        return filled(PHRASES[value.row], value.facts)
    if isinstance(value, Cause):
        return _said(value)[how == "fix"]
    if how == "raw":
        return str(value)
    if isinstance(value, str):
        return code_or_input(value) if how == "input" else code(value)
    if value is None or isinstance(value, Site):
        return line(value)
    if isinstance(value, Place):
        return line_of(value)
    if isinstance(value, Number):
        return number(*value)
    return number(value) if isinstance(value, float) else str(value)


def filled(text: str, facts: Mapping[str, Any]) -> str:
    """A sentence with its facts."""
    return _SPEAKER.vformat(text, (), facts)


def _said(cause: Cause) -> tuple[str, str]:
    """The sentence on it, and the advice."""
    story, fix = SENTENCES[cause.case]
    facts = {"at": cause.site, **cause.facts}
    return filled(story, facts), filled(FIXES[cause.fix] if cause.fix else fix, facts)


def explain(cause: Cause) -> Explanation:
    """Says a cause in words."""
    story, fix = _said(cause)
    return Explanation(
        cause.kind, cause.culprit, cause.tensor, fix, story, cause.path, mended(cause)
    )
