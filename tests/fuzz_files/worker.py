"""Reads damaged files in a process that says which it is at: should it end, that was the one."""

from __future__ import annotations

import random
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path

from tests.fuzz_files import mutations
from tests.fuzz_files.kinds import KINDS
from vizgrad.core.arrays.files import FREE, TIMES

#: Beyond the process as it is: what asks for more has asked before looking.
_ADDRESSES = 4 << 30
#: Of the allocator and the measuring itself.
_SLACK = 8 << 20
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def damaged(kind: str, seed: int, number: int) -> bytes:
    """The file of that number: the same each time."""
    rng = random.Random(f"{kind}:{seed}:{number}")
    wholes = KINDS[kind].wholes()
    whole = rng.choice(wholes)
    if rng.random() < 0.6:
        return KINDS[kind].knowing(rng, whole)
    return mutations.blind(rng, whole, wholes)


def _memory(what: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(what))
    return int(line.split()[1]) << 10


def fault(kind: str, data: bytes, measured: bool) -> str | None:
    """What reading `data` does that it should not; None if it is read or refused as promised."""
    before = 0
    if measured:
        _CLEAR.write_text("5")  # the peak begins again here
        before = _memory("VmRSS")
    try:
        KINDS[kind].read(data)
    except KINDS[kind].raises as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, MemoryError) and "allocate" in str(cause):
                return "asked for memory before looking:\n" + traceback.format_exc(limit=-4)
            cause = cause.__cause__
        if len(str(error)) > 5000:
            return f"a message of {len(str(error))} characters"
    except BaseException:  # noqa: BLE001  told, and the next file is read
        return "raised what is not promised:\n" + traceback.format_exc(limit=-6)
    if measured:
        taken = _memory("VmHWM") - before
        if taken > FREE + TIMES * len(data) + _SLACK:
            return f"took {taken} bytes of memory for {len(data)} of the file"
    return None


def main(kind: str, seed: int, start: int, stop: int) -> None:
    """Says `at N` before file N, `fault N ...` after one that did harm."""
    warnings.simplefilter("ignore")
    KINDS[kind].wholes()
    measured = _CLEAR.exists()
    if measured:
        limit = _memory("VmSize") + _ADDRESSES
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    print("ready", flush=True)
    for number in range(start, stop):
        data = damaged(kind, seed, number)
        print("at", number, flush=True)
        began = time.process_time()
        found = fault(kind, data, measured)
        if found is None and time.process_time() - began > 10:
            found = f"took {time.process_time() - began:.0f} s for {len(data)} bytes"
        if found is not None:
            print("fault", number, repr(found), flush=True)
    print("done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
