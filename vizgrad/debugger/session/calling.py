"""The frames that called a backward, as they stood there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vizgrad.core.errors import Place


@dataclass(frozen=True)
class CallingFrame:
    """A call of the person's own: the function it is in, the line, and its variables: `frame["loss"]`."""

    function: str
    place: Place | None
    locals: Mapping[str, Any] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        return self.locals[name]
