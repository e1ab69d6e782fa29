"""Memory that can be written past the version counter: lent to numpy, shown by `.data`.

Who gets hold of such memory is noted; from then on its bytes are looked at whenever something is recorded, or
a backward begins. What has changed without a counted write was written past the counter.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple
from zlib import crc32

from vizgrad.core.arrays.blocks import owner, span
from vizgrad.core.arrays.magnitude import sample
from vizgrad.core.tensor.source_location import Site
from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.watch.line_callbacks import Lines

#: Blocks that are looked at, the latest.
MOST_BLOCKS = 64


class HiddenWrite(NamedTuple):
    """`clock`: when it was noticed. `line`: (file, line) that did it, if that is known; `site` likewise."""

    clock: int
    low: int
    high: int
    line: tuple[Any, int] | None
    site: Site | None
    through: str
    lent_at: Site | None
    name: str


class Block:
    """A block of memory that somebody can write to unseen."""

    __slots__ = ("_array", "check", "lent_at", "span", "through", "version", "written")

    def __init__(
        self, array: Any, through: str, lent_at: Site | None, written: Callable[[], int]
    ) -> None:
        self._array = weakref.ref(array)
        self.span = span(array)
        self.through = through
        self.lent_at = lent_at
        #: Tells how often, or when last, it was written past nobody.
        self.written = written
        self.version = written()
        self.check = crc32(sample(array))

    @property
    def array(self) -> Any:
        """The memory; None once nobody has it any more."""
        return self._array()


class Memory:
    """`clock` gives the time of a write, as nodes have it that were recorded before or after."""

    def __init__(self, clock: Callable[[], int] = tick) -> None:
        self.blocks: dict[int, Block] = {}
        self.hidden: list[HiddenWrite] = []
        #: Tensors that `.data` gave, and views of them: id -> (reference, line of `.data`).
        self._aliases: dict[int, tuple[weakref.ref[Any], Site | None, str]] = {}
        self._lines = Lines(self.look)
        self._clock = clock

    @property
    def lends(self) -> bool:
        """Is any memory in hands whose writes nobody counts?"""
        return bool(self.blocks or self._aliases)

    # --- who gets hold of it ------------------------------------------------------------------------

    def exposed(self, array: Any, site: Site | None, written: Callable[[], int]) -> None:
        """The memory of `array` is in somebody else's hands, too. `written` gives another number after
        each write that was counted.
        """
        if type(array).__module__.partition(".")[0] != "numpy":
            return
        whole = owner(array)
        if id(whole) in self.blocks or not whole.size:
            return
        if len(self.blocks) >= MOST_BLOCKS:
            self.blocks.pop(next(iter(self.blocks)))
        self.blocks[id(whole)] = Block(whole, "numpy", site, written)
        if whole.nbytes <= _TRACED:
            self._lines.trace()

    def lent(self, alias: Any, site: Site | None) -> None:
        """`alias` shows the memory of a tensor, with a version counter of its own."""
        self._aliases[id(alias)] = weakref.ref(alias), site, "data"

    def assigned(self, low: int, high: int, site: Site | None) -> None:
        """`tensor.data = ...`: what was saved of it shows other memory from now on, which lies there."""
        self.hidden.append(HiddenWrite(self._clock(), low, high, None, site, "assigned", site, ""))

    # --- who writes ---------------------------------------------------------------------------------

    def wrote(self, target: Any, base: Any, between: tuple[int, int], site: Site | None) -> None:
        """An operation wrote to `target`, a view of `base` (None: of nobody), which lies there."""
        low, high = between
        alias = self._alias(target) or self._alias(base)
        if alias is not None:
            self.hidden.append(
                HiddenWrite(self._clock(), low, high, None, site, "data", alias[1], "")
            )
        for block in self.blocks.values():
            array = block.array
            if array is not None and block.span[0] < high and low < block.span[1]:
                block.check = crc32(sample(array))
                block.version = block.written()

    def _alias(self, tensor: Any) -> tuple[Any, Site | None, str] | None:
        found = None if tensor is None else self._aliases.get(id(tensor))
        return found if found is not None and found[0]() is tensor else None

    def look(self, line: tuple[Any, int] | None = None) -> None:
        """Has one of the blocks changed since it was looked at?"""
        for key, block in list(self.blocks.items()):
            array = block.array
            if array is None:
                del self.blocks[key]
                continue
            now = crc32(sample(array))
            if now == block.check:
                continue
            block.check = now
            written = block.written()
            if written != block.version:
                block.version = written  # it was counted
                continue
            low, high = block.span
            self.hidden.append(
                HiddenWrite(self._clock(), low, high, line, None, block.through, block.lent_at, "")
            )

    def hidden_write(self, low: int, high: int, clock: int) -> HiddenWrite | None:
        """The first write past the counter to memory between two addresses after tick `clock`."""
        for written in self.hidden:
            if written.clock > clock and written.low < high and low < written.high:
                return written
        return None

    def end(self) -> None:
        self._lines.end()
        self.blocks.clear()


#: Blocks up to this size are looked at behind each line.
_TRACED = 1 << 16
