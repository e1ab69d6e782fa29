"""How much of the processor's time goes to the interpreter: samples of the address that is executed.

The kernel notes the address a thousand times a second (`perf_event_open`, by the clock of the processor); no
code of ours runs then. An address in the library of the interpreter counts for the interpreter, all
others (numpy, its BLAS, the C library, other extensions) do not. On other systems than Linux, or where the
kernel refuses, the share is not known.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import platform
import struct
import sys

import numpy as np

#: Nanoseconds of the processor between two samples.
PERIOD = 1_000_000
#: Pages of the buffer that the kernel writes to: a power of two, and one for its head.
PAGES = 64
#: From linux/perf_event.h: the kind of event, what a sample holds, and the options "starts off" (1), "not in
#: the kernel" (32) and "not in the hypervisor" (64).
SOFTWARE, CPU_CLOCK, ADDRESS, OPTIONS = 1, 0, 1, 1 | 32 | 64
#: Requests of ioctl, and where in the first page the kernel says how far it has written.
ENABLE, DISABLE, HEAD = 0x2400, 0x2401, 1024
#: The number of the system call.
CALL = {"x86_64": 298, "aarch64": 241}
#: The type of a record that is a sample.
SAMPLE = 9


class Sampler:
    """Samples this thread between `start` and `stop`."""

    def __init__(self) -> None:
        self.inside = self.samples = 0
        self._region = _code_of_the_interpreter()
        self._file = -1 if self._region is None else _open()
        if self._file >= 0:
            self._memory = mmap.mmap(self._file, (1 + PAGES) * mmap.PAGESIZE)
            self._read = 0

    def start(self) -> None:
        if self._file >= 0:
            import fcntl

            fcntl.ioctl(self._file, ENABLE, 0)

    def stop(self) -> None:
        if self._file < 0:
            return
        import fcntl

        fcntl.ioctl(self._file, DISABLE, 0)
        (head,) = struct.unpack_from("Q", self._memory, HEAD)
        size = PAGES * mmap.PAGESIZE
        data = np.frombuffer(self._memory[mmap.PAGESIZE :], np.uint8)
        written = data[np.arange(self._read, head) % size]
        self._read = head
        struct.pack_into("Q", self._memory, HEAD + 8, head)  # the kernel may write there again
        position = 0
        while position < len(written):
            kind, _, length = struct.unpack_from("IHH", written, position)
            if kind == SAMPLE:
                (address,) = struct.unpack_from("Q", written, position + 8)
                self.samples += 1
                assert self._region is not None
                self.inside += self._region[0] <= address < self._region[1]
            position += length

    def close(self) -> None:
        if self._file >= 0:
            self._memory.close()
            os.close(self._file)
            self._file = -1

    def share(self) -> float | None:
        return self.inside / self.samples if self.samples else None


def _open() -> int:
    """The file of the samples of this thread, or -1."""
    call = CALL.get(platform.machine())
    if call is None or sys.platform != "linux":
        return -1
    attributes = struct.pack("IIQQQQQ", SOFTWARE, 64, CPU_CLOCK, PERIOD, ADDRESS, 0, OPTIONS)
    attributes = attributes.ljust(64, b"\0")
    return ctypes.CDLL(None, use_errno=True).syscall(call, attributes, 0, -1, -1, 0)


def _code_of_the_interpreter() -> tuple[int, int] | None:
    """The addresses of the code that runs Python's functions, or None."""
    if sys.platform != "linux":
        return None
    inside = ctypes.cast(ctypes.pythonapi.PyObject_Call, ctypes.c_void_p).value or 0
    with open("/proc/self/maps", encoding="ascii") as lines:  # noqa: PTH123  a file of the kernel, read line by line
        for line in lines:
            low, high = (int(part, 16) for part in line.split(" ", 1)[0].split("-"))
            if low <= inside < high:
                return low, high
    return None
