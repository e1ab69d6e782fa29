"""Reads the memory of the whole process for a view, named by the variables of the notebook."""

from __future__ import annotations

import sys
import threading
from time import perf_counter

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.memory.reading import current, read

#: Storages that a view is told of.
MOST_STORAGES = 500


def heap_read(request: p.GetHeap) -> p.HeapRead:
    """The answer. Variables of functions that a cell is running are named, too."""
    began = perf_counter()
    main = threading.main_thread().ident
    # of another thread: a function that has its own frame would live on
    others = sys._current_frames  # pyright: ignore[reportPrivateUsage]  there is no other way
    frames = {} if main == threading.get_ident() else others()
    frame = frames.pop(main, None) if main is not None else None
    frames.clear()
    heap = read(frame, current(), most=min(max(request.most, 0), MOST_STORAGES))
    return p.HeapRead(request.request, heap, perf_counter() - began)
