"""A reading of the memory that shows itself."""

from __future__ import annotations

from typing import Any

from vizgrad.debugger.drawing.heap_page import heap_html
from vizgrad.debugger.drawing.heap_text import heap_text
from vizgrad.debugger.model import Heap
from vizgrad.debugger.wire.wire import to_wire


class HeapPicture:
    """Shows itself as a table in a notebook, as text elsewhere. `data` is the reading: plain data,
    it keeps nothing
    alive.
    """

    def __init__(self, data: Heap) -> None:
        self.data = data

    @property
    def bytes(self) -> int:
        """The sum over all storages."""
        return self.data.bytes

    def to_json(self) -> Any:
        """As values that `json.dumps` takes."""
        return to_wire(self.data)

    def to_html(self) -> str:
        return heap_html(self.data)

    def to_text(self) -> str:
        return heap_text(self.data)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "text/html": self.to_html()}
