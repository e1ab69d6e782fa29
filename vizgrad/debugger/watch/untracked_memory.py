"""Memory that can be written past the version counter: lent to numpy, shown by `.data`.

Who gets hold of such memory is noted; from then on its bytes are looked at whenever something is recorded, or
a backward begins. A value that has changed without a counted write was written past the counter.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple
from zlib import crc32

from vizgrad.core.arrays.blocks import owner, span
from vizgrad.core.arrays.magnitude import sample
from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.source_location import INTERNAL, Site, frame_outside
from vizgrad.core.tensor.storage import tick

# --- line callbacks --------------------------------------------------------------------------------------
# Being told behind each line that a person's code runs: while memory is lent, and not for long.


#: Lines that are looked behind at most, in one block.
MOST = 4_000


#: Before Python 3.13 a frame keeps the dict of its variables that it was asked for.
_KEEPS_LOCALS = sys.version_info < (3, 13)


class Lines:
    """Calls `look((code, line))` behind each line. A debugger that traces already is left in peace."""

    def __init__(self, look: Callable[[tuple[Any, int]], None]) -> None:
        self._look = look
        self._left = MOST
        self._on = False
        self._last: tuple[Any, int] | None = None
        self._thread = 0
        self._frames: list[FrameType] = []
        #: The id of a frame, which is not held: it may end.
        self._stopped_in = 0

    def trace(self) -> None:
        if self._on or self._left <= 0 or sys.gettrace() is not None:
            return
        self._on = True
        self._thread = threading.get_ident()
        frame = frame_outside(2)
        self._last = None if frame is None else (frame.f_code, frame.f_lineno)
        while frame is not None:
            if INTERNAL[frame.f_globals.get("__package__")] is False and frame.f_trace is None:
                frame.f_trace = self._step
                self._frames.append(frame)
            frame = frame.f_back
        sys.settrace(self._call)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if INTERNAL[frame.f_globals.get("__package__")] is not False or self._left <= 0:
            return None
        if (frame.f_globals.get("__name__") or "").partition(".")[0] in sys.stdlib_module_names:
            return None
        if "-packages" in frame.f_code.co_filename:
            return None  # an installed library's: the line that called it is told
        return self._step(frame, event, argument)

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._on or threading.get_ident() != self._thread:
            return None
        if self._last is not None:
            self._look(self._last)
        self._last = frame.f_code, frame.f_lineno
        if _KEEPS_LOCALS:
            _ = (
                frame.f_locals
            )  # a dict of its variables that was asked for forgets those that are gone
        self._left -= 1
        if self._left <= 0:
            self._stop(frame)
            return None
        if event == "return" and frame in self._frames:
            self._frames.remove(frame)  # its variables live no longer than they would
        return self._step

    def end(self) -> None:
        """Is told no more."""
        self.tidy()
        if self._on:
            self._stop(None)

    def tidy(self) -> None:
        """Empties what Python keeps of the variables of the frame in which it stopped by itself."""
        stopped, self._stopped_in = self._stopped_in, 0
        frame = sys._getframe(1) if stopped else None
        while frame is not None:
            if id(frame) == stopped:
                locals_of(frame)
            frame = frame.f_back

    def _stop(self, current: FrameType | None) -> None:
        """`current`: the frame of which it is told just now. Python writes its variables back after that."""
        self._on = False
        sys.settrace(None)
        for frame in self._frames:
            if frame.f_trace == self._step:
                frame.f_trace = None
        self._frames.clear()
        self._stopped_in = id(current) if current is not None else 0
        frame = sys._getframe(1) if current is None else current.f_back
        while frame is not None:  # each that was traced keeps the values of then
            if INTERNAL[frame.f_globals.get("__package__")] is False:
                locals_of(frame)
            frame = frame.f_back


# --- untracked memory ------------------------------------------------------------------------------------


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
    """A block of memory that can be written to unseen."""

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
        """Other code shares the memory of `array`. `written` gives another number after
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
        if line is None:
            self._lines.tidy()
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
