"""Memory that is not counted, in a sentence each: tensors of PyTorch's."""

from __future__ import annotations

import sys
from typing import Any

from vizgrad.heap.walk import Walk


def uncounted(walk: Walk) -> tuple[str, ...]:
    """What else lives in this process that a person may look for here."""
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    parameter = getattr(getattr(torch, "nn", None), "Parameter", None)
    if tensor is None:
        return ()
    sizes: dict[int, int] = {}
    others = 0
    for thing in walk.things:
        if type(thing) is tensor or type(thing) is parameter:
            known = _storage(thing)
            if known is None:
                others += 1
            else:
                sizes[known[0]] = max(sizes.get(known[0], 0), known[1])
    if not sizes and not others:
        return ()
    count = len(sizes) + others
    text = f"{count:,} {'storage' if count == 1 else 'storages'} of PyTorch's tensors"
    return (f"{text}, {sum(sizes.values()):,} bytes, are not counted: only vizgrad's own are.",)


def _storage(tensor: Any) -> tuple[int, int] | None:
    """Where the memory of a tensor begins, and its size; None where that is not to be had."""
    try:
        storage = tensor.untyped_storage()
        return int(storage.data_ptr()), int(storage.nbytes())
    except (RuntimeError, NotImplementedError):
        return None
