"""Which line of a person's code did this?

Recording must be cheap (it happens for every node and every write), so a site is just the code object
and the instruction's offset; the line is looked up when it is asked for.

Names from source text: what did the person call the tensor that this instruction wrote?

Only the interpreter's own record of where the instruction stands in its line is used; when that, or the
line, is not available, there is no answer rather than a guess.
"""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, NamedTuple

_getframe = sys._getframe
_new_site = tuple.__new__  # a NamedTuple's own takes twice the time


class Site(NamedTuple):
    """An instruction: its code object and offset. `line()` costs time, taking a site does not."""

    code: CodeType
    lasti: int

    @property
    def file(self) -> str:
        return self.code.co_filename

    @property
    def function(self) -> str:
        return self.code.co_qualname if sys.version_info >= (3, 11) else self.code.co_name

    def line(self) -> int:
        """1-based line number in `file`; the function's first line if the instruction has none."""
        for start, end, line in self.code.co_lines():
            if start <= self.lasti < end and line is not None:
                return line
        return self.code.co_firstlineno

    def columns(self) -> tuple[int, int] | None:
        """0-based start and end column of the instruction, when the interpreter kept them."""
        for index, position in enumerate(self.code.co_positions()):
            if index * 2 == self.lasti:
                _, _, start, end = position
                return None if start is None or end is None else (start, end)
        return None


#: Packages that carry the messages of a view to a kernel: below them on the stack there is no line of
#: the user.
_HOSTS = frozenset(("comm", "ipykernel", "ipywidgets", "jupyter_client", "tornado", "traitlets"))


class _Internal(dict[Any, bool | None]):
    """`__package__` of a frame -> is the frame the library's own? None: it belongs to `_HOSTS`,
    neither the library nor the user. Asked once per package, then a lookup.
    """

    def __missing__(self, package: Any) -> bool | None:
        top = package.partition(".")[0] if isinstance(package, str) else ""
        own = self[package] = None if top in _HOSTS else top == "vizgrad"
        return own


#: Frames of these packages are passed over when looking for a person's line.
INTERNAL = _Internal()


def outermost(frame: FrameType) -> FrameType:
    """From `frame` up, the first outside vizgrad, also where globals do not say their package: recording
    functions look themselves, and come here when one does not. The outermost frame if none is outside.
    """
    while INTERNAL[frame.f_globals.get("__package__")] and frame.f_back is not None:
        frame = frame.f_back
    return frame


def frame_outside(depth: int = 2) -> FrameType | None:
    """The nearest frame outside vizgrad, looking from `depth` frames up; None if there is none."""
    frame: FrameType | None = _getframe(depth)
    while frame is not None and INTERNAL[frame.f_globals.get("__package__")]:
        frame = frame.f_back
    return frame


def caller(depth: int = 2) -> Site | None:
    """Where that frame is at this moment; None if no person's code is running, but a view's request."""
    frame: FrameType | None = _getframe(depth)
    own: bool | None = None
    try:
        while frame is not None and (own := INTERNAL[frame.f_globals["__package__"]]):
            frame = frame.f_back
    except KeyError:  # code that was given globals of its own: it may be anybody's, as None is
        while frame is not None and (own := INTERNAL[frame.f_globals.get("__package__")]):
            frame = frame.f_back
    if frame is None or own is None:
        return None
    return _new_site(Site, (frame.f_code, frame.f_lasti))


def line_of_the_with() -> Site | None:
    """As `caller`, from the body of a generator under `contextmanager`: the `with` statement."""
    frame: FrameType | None = _getframe(1)
    while frame is not None and (
        INTERNAL[frame.f_globals.get("__package__")]
        or frame.f_globals.get("__name__") == "contextlib"
    ):
        frame = frame.f_back
    return None if frame is None else Site(frame.f_code, frame.f_lasti)


# Names from source text: what did the person call the tensor that this instruction wrote?


def statement_at(site: Site) -> ast.AST | None:
    """The smallest expression or statement of the source that covers the instruction."""
    line = site.line()
    columns = site.columns()
    lines = linecache.getlines(site.file)
    if not lines:
        return None
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    best: ast.AST | None = None
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)) or isinstance(
            node, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While, ast.If, ast.With)
        ):
            continue
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        if columns is not None and isinstance(node, ast.expr):
            if (node.lineno, node.col_offset, node.end_col_offset) != (line, *columns):
                continue
            return node
        if isinstance(node, ast.stmt):
            best = node
    return best


#: The usual name of the module.
_MODULES = frozenset({"vizgrad", "vg", "torch", "T", "F", "functional", "init", "nn", "np"})


@lru_cache(maxsize=1024)
def written_name(site: Site | None) -> str:
    """The variable that the in-place operation at `site` wrote through, as written; else ""."""
    node = None if site is None else statement_at(site)
    target: ast.AST | None = None
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        out = next((k.value for k in node.keywords if k.arg == "out"), None)
        if out is not None:
            target = out
        elif isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            target = node.func.value
            if node.args and ast.unparse(target).rpartition(".")[2] in _MODULES:
                target = node.args[0]  # `torch.relu_(x)`, `nn.init.zeros_(weight)`
    elif isinstance(node, ast.AugAssign):
        target = node.target
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0].value
    elif isinstance(node, ast.Subscript):
        target = node.value
    while isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
        target = target.func.value
    name = "" if target is None else ast.unparse(target)
    return "" if name in _MODULES else name  # `torch.empty(3).uniform_()` has no variable yet
