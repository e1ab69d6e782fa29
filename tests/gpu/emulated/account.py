"""What the host asked of the emulated device, in the order in which it did."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Account:
    """All that was counted since `clear`."""

    #: Names of the kernels launched. "memset" and "cublas..." are launches as well.
    launches: list[str] = field(default_factory=list)
    #: Why the host waited for the device, one entry for each time.
    waits: list[str] = field(default_factory=list)
    #: (direction, bytes) of each copy: "HtoD", "DtoH", "DtoD".
    copies: list[tuple[str, int]] = field(default_factory=list)
    #: What went wrong where no error can be raised: within a function that CUDA calls.
    failures: list[str] = field(default_factory=list)
    #: Names of all kernels that were loaded.
    kernels: set[str] = field(default_factory=set)
    #: Sums of what `clear` has forgotten: launches, waits, and bytes that came to the host.
    launched: int = 0
    waited: int = 0
    copied: int = 0
    #: How many texts were compiled because they were not kept.
    built: int = 0

    def clear(self) -> None:
        """Forgets all but names of kernels and sums."""
        self.launched += len(self.launches)
        self.waited += len(self.waits)
        self.copied += sum(size for direction, size in self.copies if direction == "DtoH")
        for counted in (self.launches, self.waits, self.copies, self.failures):
            del counted[:]


ACCOUNT = Account()


@contextmanager
def unnoted() -> Iterator[None]:
    """What is done inside is not counted: the emulation itself reads memory of the device."""
    kept = [list(ACCOUNT.launches), list(ACCOUNT.waits), list(ACCOUNT.copies)]
    try:
        yield
    finally:
        ACCOUNT.launches[:], ACCOUNT.waits[:], ACCOUNT.copies[:] = kept
