"""The lines below the message of an error: what happened, where, what to do, and how to look closer.

With the message they are five lines at most, whatever the error.
"""

from __future__ import annotations

import re

#: Has the user loaded the magics? Then advice is written in these. The front end sets it.
_MAGICS = [False]


def set_magics(loaded: bool) -> None:
    """Advice names magics from now on (True), or functions of vizgrad (False)."""
    _MAGICS[0] = loaded


def magics_loaded() -> bool:
    """Is advice written in magics? Then the notebook hides frames by itself."""
    return _MAGICS[0]


def how_to_note_lines() -> str:
    """The advice where nodes of a framework do not know their lines."""
    if _MAGICS[0]:
        return "run `%vizgrad watch on`, and compute it again"
    return "compute it inside `with vizgrad.watch():`"


def line_not_noted() -> str:
    """The one sentence about a node whose line is missing, without its capital and its full stop."""
    return f"its line was not noted: {how_to_note_lines()}"


#: Kind of an error -> how to look closer, as a call and as a magic. {x} is the tensor of the explanation, {f}
#: a custom Function. There is no row for an error that has nothing more to show.
_CLOSER: dict[str, tuple[str, str]] = {
    "saved-overwritten": (
        "vizgrad.versions({x}) lists every write to {x}",
        "%vizgrad versions {x} lists every write to {x}",
    ),
    "function-return": (
        "vizgrad.check({f}, ...) with example inputs compares its gradients with numerical ones",
        "%vizgrad check {f} ... with example inputs compares its gradients with numerical ones",
    ),
    "hook-effect": (
        "vizgrad.debug(loss), with your loss, steps through this backward and shows what each hook changed",
        "%%vizgrad debug at the top of the cell steps through this backward and shows what each hook changed",
    ),
    "nonfinite-backward": (
        "vizgrad.debug(loss).continue_(), with your loss, pauses where the first NaN is made",
        "%%vizgrad debug at the top of the cell, then %vizgrad continue, pauses where the first NaN is made",
    ),
    "history-kept": (
        "vizgrad.memory() names the variables that keep graphs alive",
        "%vizgrad memory names the variables that keep graphs alive",
    ),
}
_CLOSER["function-dirty"] = _CLOSER["function-return"]

#: The same for errors of which a watch knows more, as long as none is open.
_WATCH = "run these lines inside `with vizgrad.watch():`, which "
_WATCH_CELL = "%%vizgrad watch at the top of the cell "
_BY_A_WATCH: dict[str, str] = {
    "cut-detach": "names the line that cut the history",
    "graph-freed": "names a value that was carried over from an earlier step",
    "unused": "names the line where the way to the output ends",
    "grad-mode": "names the line that made the tensor",
    "not-repeatable": "names the operation that was not repeated",
    "hidden-write": "names the line that wrote",
}

_VARIABLE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def closer(kind: str, tensor: str, line: str, *, watched: bool = False) -> str:
    """How to look closer at an error of this kind; empty where nothing more can be shown.

    `tensor` is that of the explanation, `line` the text of the line to edit, `watched` whether a watch has
    told what it knows.
    """
    if not watched and kind in _BY_A_WATCH:
        return (_WATCH_CELL if _MAGICS[0] else _WATCH) + _BY_A_WATCH[kind]
    row = _CLOSER.get(kind)
    if row is None:
        return ""
    text = row[_MAGICS[0]]
    if "{x}" in text and (not _VARIABLE.fullmatch(tensor) or tensor not in _VARIABLE.findall(line)):
        return ""  # a saved value without a name
    function = tensor.rpartition("Backward")[0]
    if "{f}" in text and not function.isidentifier():
        return ""
    return text.format(x=tensor, f=function)


def closer_at_node(name: str) -> str:
    """How to look closer at an error of the user's own code that a node called."""
    if _MAGICS[0]:
        return (
            f"%%vizgrad debug at the top of the cell, then %vizgrad run_to {name}, pauses before it"
        )
    return f'vizgrad.debug(loss).run_to("{name}"), with your loss, pauses before it'


def below(story: str, where: str = "", fix: str = "", mended: str = "", advice: str = "") -> str:
    """Four lines at most, without those that are empty. `mended` is the line of `where` as it could be."""
    if fix and mended:
        fix = f"{fix}; that line becomes `{mended}`"
    labels = (("", story), ("  where: ", where), ("  fix: ", fix), (LOOK_CLOSER, advice))
    return "\n".join(label + _one_line(text) for label, text in labels if text)


#: So begins the last of these lines.
LOOK_CLOSER = "  look closer: "


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))
