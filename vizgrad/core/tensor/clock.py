"""One process-wide clock.

A node takes a tick when it is recorded (its `sequence_nr`), an in-place write takes one when it
writes. So "was this memory written after that node saved it?" is one comparison of two integers,
and neither saving nor unpacking has to copy a version number. Within a thread ticks rise in program
order, which is all that spec E-6 asks of sequence numbers.
"""

from __future__ import annotations

from itertools import count

#: Returns the next tick. `next()` on an itertools.count is atomic under the GIL.
tick = count(1).__next__
