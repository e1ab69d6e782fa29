"""Memory that a device does not have: what holds the rest is looked for among all objects."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.arrays import device_memory


class _Refusing(RuntimeError, MemoryError):
    """What cupy raises."""


class _Pool:
    """cupy's pool, of a device with 1000 bytes."""

    used = 0

    def malloc(self, size: int) -> Any:
        if self.used + size > 1000:
            raise _Refusing("no")
        self.used += size
        return SimpleNamespace(device_id=0, ptr=5120, mem=SimpleNamespace(size=size))

    def used_bytes(self) -> int:
        return self.used

    total_bytes = used_bytes

    def get_limit(self) -> int:
        return 900


def test_an_allocation_that_fails_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, put = _Pool(), []
    cuda = SimpleNamespace(
        get_allocator=lambda: pool.malloc,
        set_allocator=put.append,
        memory=SimpleNamespace(OutOfMemoryError=_Refusing),
        runtime=SimpleNamespace(getDevice=lambda: 0, memGetInfo=lambda: (300, 1000)),
    )
    monkeypatch.setattr(device_memory, "PEAKS", device_memory._Peaks())
    device_memory.install(SimpleNamespace(cuda=cuda, get_default_memory_pool=lambda: pool))
    (allocate,) = put
    assert allocate(700).device_id == 0
    assert device_memory.PEAKS.allocated == {0: 700}
    with pytest.raises(vg.OutOfMemoryError) as caught:
        allocate(2048)
    assert isinstance(caught.value, _Refusing)
    first, *below = str(caught.value).splitlines()
    assert first == (
        "CUDA out of memory. Tried to allocate 2.00 KiB. GPU 0 has a total capacity of 1000 bytes, of which "
        "the pool may take 900 bytes; 300 bytes is free. Arrays hold 700 bytes, and 0 bytes is reserved by "
        "cupy's memory pool but unallocated."
    )
    assert below == ["  held: nothing by tensors that Python still knows"]
