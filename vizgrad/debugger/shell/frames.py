"""The user's frames at a stop, and what they call their tensors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

from vizgrad.core.errors import Place, place_at
from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.source_location import INTERNAL
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.engines.api.frameworks import of_framework
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.engines.common.variable_names import Names, names_in

#: Frames beyond these are not kept.
MOST = 100


@dataclass(frozen=True, slots=True)
class UserFrame:
    """A call of the user's own, or of a library that they use, as it stands at a stop."""

    function: str
    place: Place
    locals: dict[str, Any] = field(repr=False)
    globals: dict[str, Any] = field(repr=False)

    @property
    def installed(self) -> bool:
        """Is it a library's?"""
        return is_installed(self.place.file)


_LIBRARY = os.__file__.rpartition(os.sep)[0] + os.sep


def is_installed(file: str) -> bool:
    """Is this file a library's?"""
    return f"{os.sep}site-packages{os.sep}" in file or file.startswith(_LIBRARY)


def is_users(frame: FrameType) -> bool:
    """Is it no frame of vizgrad's or of a framework's?"""
    package = frame.f_globals.get("__package__")
    own = INTERNAL[package] is not False or of_framework(package)
    return not own and not frame.f_code.co_filename.startswith("<frozen ")


def _of(frame: FrameType, line: int) -> UserFrame:
    code = frame.f_code
    name = "the program" if code.co_name == "<module>" else code.co_qualname
    return UserFrame(name, place_at(code, line), dict(locals_of(frame)), frame.f_globals)


def frames_here() -> list[UserFrame]:
    """From the innermost to that of the program."""
    found: list[UserFrame] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(found) < MOST:
        if is_users(frame):
            found.append(_of(frame, frame.f_lineno))
            if frame.f_globals.get("__name__") == "__main__" and frame.f_code.co_name == "<module>":
                break
        frame = frame.f_back
    return found


def frames_of(trace: TracebackType | None) -> list[UserFrame]:
    """Those of a traceback, the innermost first."""
    found: list[UserFrame] = []
    while trace is not None:
        if is_users(trace.tb_frame):
            found.append(_of(trace.tb_frame, trace.tb_lineno))
        trace = trace.tb_next
    return found[::-1][:MOST]


def nearest(frames: Sequence[UserFrame]) -> int:
    """The index of the innermost that is no library's; 0 where all are."""
    return next((number for number, frame in enumerate(frames) if not frame.installed), 0)


def tensor_kinds() -> tuple[type, ...]:
    """The types of tensors of vizgrad and of the frameworks that are imported."""
    return Tensor, *known_types()


def names_of(frames: Sequence[UserFrame], kinds: tuple[type, ...]) -> Names:
    """Names of tensors in these frames; the innermost of the user's own has the first word."""

    def spaces() -> Iterator[dict[str, Any]]:
        for frame in sorted(frames, key=lambda each: each.installed):
            yield frame.locals
            if frame.locals is not frame.globals:
                yield frame.globals

    return names_in(spaces(), kinds)
