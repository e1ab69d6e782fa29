"""How much memory the reading of one file may take: asked before any of it is taken."""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType

#: Any file may take this much.
FREE = 16 << 20
#: And this many times its own size.
TIMES = 10

_limit: ContextVar[int | None] = ContextVar("vizgrad_memory_limit", default=None)


class Budget:
    """Bytes that may still be taken, with the objects around them.

    What was spent does not come back when an object is let go, so that the budget bounds the work of
    reading as well.
    """

    __slots__ = ("left", "total")

    def __init__(self, size: int, *, free: int = FREE, times: int = TIMES) -> None:
        """For a file of `size` bytes."""
        limit = _limit.get()
        self.total = self.left = free + times * size if limit is None else limit

    def spend(self, count: int) -> None:
        """RuntimeError when there is less than `count` left. Call it before the memory is taken."""
        self.left -= count
        if self.left < 0:
            raise RuntimeError(
                f"reading the file would take more than {self.total} bytes of memory, many times what it "
                "holds: it is damaged, or made to do harm. If you know better, allow more for one block "
                "with `with vizgrad.serialization.memory_limit(bytes):`"
            )


class memory_limit:
    """`with memory_limit(8 << 30):` lets a file of the block take so many bytes, whatever its size."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._tokens: list[object] = []

    def __enter__(self) -> None:
        self._tokens.append(_limit.set(self.limit))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _limit.reset(self._tokens.pop())  # pyright: ignore[reportArgumentType]
