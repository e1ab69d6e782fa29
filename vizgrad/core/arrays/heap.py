"""Memory that a training step frees stays with the process until the next step wants it again.

glibc gives the end of its heap back to the system when it is longer than twice the largest block that was
ever freed, and so does a transformer's step of some megabytes in blocks of some hundred kilobytes, each
time: the next step then waits for the system to hand out zeroed pages, one by one (670 page faults a step
in a GPT of two layers). One block of the largest size that counts, freed at once, moves that bound to 64 MiB;
its memory is never touched. Elsewhere this does nothing.
"""

from __future__ import annotations

from functools import cache

import numpy as np

#: Just below 32 MiB, from which on blocks never count.
LARGEST = 31 << 20


@cache
def keep_freed_memory() -> None:
    """Once for a process, when it makes its first optimizer: one that only looks at programs of PyTorch's
    keeps its heap as it was.
    """
    np.empty(LARGEST, np.uint8)
