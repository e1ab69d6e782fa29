"""The operations that lines of a person's call, and the nodes that backwards within them run: a lane of them.

Noted while a node is gone into, from the calls that Python makes: whatever is called by a line of a person's,
is not a person's, and returns tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.summary import outline, summarize
from vizgrad.debugger.engines.vizgrad.written_call import written_call

#: Of one node that is gone into.
MOST_MADE = 2_000


class _Entry:
    """A `model.Made` that may still be given a name."""

    __slots__ = ("inputs", "kind", "label", "name", "output", "value")

    def __init__(
        self, name: str, kind: model.MadeKind, inputs: tuple[int, ...], value: Any, label: str = ""
    ) -> None:
        self.name, self.inputs, self.label = name, inputs, label
        self.kind: model.MadeKind = kind
        self.value = summarize(value)
        self.output = meta_of(value)

    def told(self) -> model.Made:
        return model.Made(self.name, self.kind, self.inputs, self.value, self.output, self.label)


class Operations:
    """What was noted. Tensors are kept as long as it is: no two of them have one identity."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        #: By identity: the number of what gave a tensor.
        self._giver: dict[int, int] = {}
        self._kept: list[Any] = []

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def full(self) -> bool:
        return len(self._entries) >= MOST_MADE

    def told(self, first: int, last: int) -> tuple[model.Made, ...]:
        return tuple(entry.told() for entry in self._entries[first:last])

    def call(self, frame: FrameType) -> Callable[[FrameType, str, Any], Any] | None:
        """A line of a person's calls what is not: what traces that call."""
        if self.full:
            return None
        frame.f_trace_lines = False
        given = list(_tensors(frame.f_locals.values()))
        name = _name_of(frame)

        def trace(of: FrameType, event: str, arg: Any) -> Any:
            if event == "return" and arg is not None:
                self._returned(of, name, given, arg)
            return trace

        return trace

    def _returned(self, frame: FrameType, name: str, given: list[Tensor], result: Any) -> None:
        made = list(_tensors([result]))
        if not made:
            return
        caller = frame.f_back
        if name == "saved_tensors":
            for tensor in made:
                self._note("saved", "input", (), tensor)
            return
        inputs = tuple(dict.fromkeys(self.number(tensor, caller) for tensor in given))
        for tensor in made:
            self._note(name, "operation", inputs, tensor)

    def number(self, tensor: Tensor, frame: FrameType | None) -> int:
        """Of what gave a tensor; one from outside is entered, by the name that the frame has for it."""
        known = self._giver.get(id(tensor))
        if known is None:
            names = () if frame is None else (*frame.f_locals.items(), *frame.f_globals.items())
            label = next((name for name, value in names if value is tensor), "")
            known = self._note(label or "tensor", "input", (), tensor)
        return known

    def note_visit(self, name: str, inputs: Sequence[int], value: Any, label: str) -> int:
        """A backward within the visit ran a node, at which `value` had arrived."""
        self._entries.append(_Entry(name, "visit", tuple(dict.fromkeys(inputs)), value, label))
        return len(self._entries) - 1

    def bind(self, name: str, tensor: Tensor) -> None:
        """A line has given a name to a tensor."""
        known = self._giver.get(id(tensor))
        if known is not None:
            entry = self._entries[known]
            if not entry.label and entry.name != name:
                entry.label = name

    def _note(
        self, name: str, kind: model.MadeKind, inputs: tuple[int, ...], tensor: Tensor
    ) -> int:
        self._entries.append(_Entry(name, kind, inputs, tensor))
        self._kept.append(tensor)
        self._giver[id(tensor)] = len(self._entries) - 1
        return len(self._entries) - 1


def meta_of(value: Any) -> model.OutputMeta | None:
    found = outline(value)
    return None if found is None else model.OutputMeta(found.shape, found.dtype, found.device)


def _tensors(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from (each for each in value if isinstance(each, Tensor))


def _name_of(frame: FrameType) -> str:
    """As it is written where it is called, else that of what is called."""
    caller = frame.f_back
    written = "" if caller is None else written_call(caller.f_code, caller.f_lasti)
    return written or frame.f_code.co_name.strip("_")
