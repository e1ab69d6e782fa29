"""What is remembered of a saved value that is not kept: enough to notice that it was computed differently."""

from __future__ import annotations

import weakref
from typing import Any

from vizgrad.core.arrays.samples import alike, same, sample
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import place_of
from vizgrad.core.tensor.tensor import Tensor, storage_of

#: Elements that are remembered of each value, and with `debug=True`.
FEW, MANY = 64, 1 << 16


class Seen:
    """One saved value: what it was like, a sample of it, and in which memory at which version."""

    __slots__ = ("clock", "metadata", "most", "sample", "storage", "version")

    def __init__(self, tensor: Tensor, most: int) -> None:
        self.metadata = {
            "shape": tuple(tensor.shape), "dtype": tensor.dtype, "device": tensor.device
        }  # fmt: skip
        self.most = most
        array = tensor._array
        self.sample = None if is_sparse(array) else sample(array, most)
        storage = storage_of(tensor)
        self.storage = weakref.ref(storage)
        self.version = storage.version
        #: The tick of the latest write before it was saved.
        self.clock = storage.last_write

    def differences(self, tensor: Tensor, began: int) -> str:
        """What is not as it was, in a computation that `began` at this tick; empty if nothing is."""
        now = Seen(tensor, self.most)
        if now.metadata != self.metadata:
            return f"saved metadata: {self.metadata}\nrecomputed metadata: {now.metadata}"
        if self.sample is None or now.sample is None:
            return ""
        storage = self.storage()
        if storage is None or storage is not now.storage():
            return "" if alike(self.sample, now.sample) else self._values(now)
        # memory from outside, which is there still
        unmoved = now.version == self.version
        if unmoved or storage.last_write > began:  # nobody but the function wrote: the same again?
            return "" if same(self.sample, now.sample) else self._values(now)
        written = storage.first_write_after(self.clock)
        place = place_of(written.site) if written is not None else None
        by = "" if written is None or not written.op else f", by {written.op}"
        return (
            f"it is memory that was changed in place in between{by}{f' at {place}' if place else ''}: "
            f"saved at version {self.version}, now at version {now.version}"
        )

    def _values(self, now: Seen) -> str:
        return f"saved values: {_shown(self.sample)}\nrecomputed values: {_shown(now.sample)}"


def _shown(array: Any) -> str:
    first = array.reshape(-1)[:4].tolist()
    return ", ".join(map(str, first)) + (", ..." if array.size > len(first) else "")
