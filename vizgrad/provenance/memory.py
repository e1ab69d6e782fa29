"""Memory that can be written past the version counter: lent to numpy, shown by `.data`.

Who gets hold of such memory is noted; from then on its bytes are looked at whenever something is recorded, or
a backward begins. What has changed without a counted write was written past the counter.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, NamedTuple
from zlib import crc32

from vizgrad.arrays.blocks import owner, span
from vizgrad.arrays.magnitude import sample
from vizgrad.provenance.lines import Lines
from vizgrad.tensor.clock import tick
from vizgrad.tensor.place import Site

if TYPE_CHECKING:
    from vizgrad.tensor.tensor import Tensor

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

    __slots__ = ("_array", "check", "lent_at", "storage", "through", "version")

    def __init__(self, array: Any, through: str, lent_at: Site | None, tensor: Tensor) -> None:
        self._array = weakref.ref(array)
        self.through = through
        self.lent_at = lent_at
        self.storage = None if tensor._storage is None else weakref.ref(tensor._storage)
        self.version = _written(self.storage)
        self.check = crc32(sample(array))

    @property
    def array(self) -> Any:
        """The memory; None once nobody has it any more."""
        return self._array()


class Memory:
    def __init__(self) -> None:
        self.blocks: dict[int, Block] = {}
        self.hidden: list[HiddenWrite] = []
        #: Tensors that `.data` gave, and views of them: id -> (reference, line of `.data`).
        self._aliases: dict[int, tuple[weakref.ref[Any], Site | None, str]] = {}
        self._lines = Lines(self.look)

    # --- who gets hold of it ------------------------------------------------------------------------

    def exposed(self, tensor: Tensor, site: Site | None) -> None:
        """Its memory is in somebody else's hands, too."""
        array = tensor._array
        if type(array).__module__.partition(".")[0] != "numpy":
            return
        whole = owner(array)
        if id(whole) in self.blocks or not whole.size:
            return
        if len(self.blocks) >= MOST_BLOCKS:
            self.blocks.pop(next(iter(self.blocks)))
        self.blocks[id(whole)] = Block(whole, "numpy", site, tensor)
        if whole.nbytes <= _TRACED:
            self._lines.trace()

    def lent(self, tensor: Tensor, alias: Tensor, site: Site | None) -> None:
        """`alias` shows the memory of `tensor`, with a version counter of its own."""
        self._aliases[id(alias)] = weakref.ref(alias), site, "data"

    def assigned(self, tensor: Tensor, site: Site | None) -> None:
        """`tensor.data = ...`: what was saved of it shows other memory from now on."""
        low, high = span(tensor._array)
        self.hidden.append(HiddenWrite(tick(), low, high, None, site, "assigned", site, ""))

    # --- who writes ---------------------------------------------------------------------------------

    def wrote(self, target: Tensor, op: str, site: Site | None) -> None:
        """An operation wrote in place."""
        alias = self._alias(target)
        if alias is not None:
            low, high = span(target._array)
            self.hidden.append(HiddenWrite(tick(), low, high, None, site, "data", alias[1], ""))
        if self.blocks:
            block = self.blocks.get(id(owner(target._array)))
            if block is not None and block.array is not None:
                block.check = crc32(sample(block.array))
                block.version = _written(block.storage)

    def _alias(self, target: Tensor) -> tuple[Any, Site | None, str] | None:
        for tensor in (target, None if target._view is None else target._view.base):
            if tensor is not None:
                found = self._aliases.get(id(tensor))
                if found is not None and found[0]() is tensor:
                    return found
        return None

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
            written = _written(block.storage)
            if written != block.version:
                block.version = written  # it was counted
                continue
            low, high = span(array)
            self.hidden.append(
                HiddenWrite(tick(), low, high, line, None, block.through, block.lent_at, "")
            )

    def hidden_write(self, array: Any, clock: int) -> HiddenWrite | None:
        """The first write past the counter to the memory of `array` after tick `clock`."""
        low, high = span(array)
        for written in self.hidden:
            if written.clock > clock and written.low < high and low < written.high:
                return written
        return None

    def end(self) -> None:
        self._lines.end()
        self.blocks.clear()


#: Blocks up to this size are looked at behind each line.
_TRACED = 1 << 16


def _written(storage: weakref.ref[Any] | None) -> int:
    found = None if storage is None else storage()
    return 0 if found is None else found.last_write
