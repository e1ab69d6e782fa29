"""One call of a collective: what carries its tensors, and how its results are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.arrays.backend import Device, beside, device_of, namespace_for, on
from vizgrad.core.arrays.kernels.memory import empty
from vizgrad.core.ops.public.creation import zeros
from vizgrad.core.tensor.modes import about_to_write
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.storage import storage_of
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributed.calls import begun, running
from vizgrad.distributed.nccl import NcclBackend
from vizgrad.distributed.objects import root_rank
from vizgrad.distributed.process_group import ProcessGroup
from vizgrad.distributed.work import Work

#: Tensors, and the arrays that are written into them.
Written = Sequence[tuple[Tensor, Any]]


class Collective:
    """A collective of `tensors`, which all ranks of the group call: it has the next number of the group."""

    def __init__(self, name: str, group: ProcessGroup, *tensors: Tensor, outputs: int = 1) -> None:
        """The first `outputs` of the tensors are what is given and the others the results, or the reverse."""
        self.name, self.group = name, group
        arrays = [each._array for each in tensors]
        self.backend = group.backend_for(name, *arrays)
        self._like = arrays[0]
        self.number = group.number()
        self.called = begun(group, self.number, name, arrays[:outputs], arrays[outputs:])

    def read(self, tensor: Tensor) -> Any:
        """The array that the backend takes."""
        return self.backend.read(tensor._array)

    def run(self, call: str, async_op: bool, function: Callable[[], Written]) -> Work | None:
        """Writes what `function` returns, at once or, with `async_op`, on the thread of the group. `call`: as
        all ranks must have it.
        """
        site = caller()
        wait = self.backend.prepared(self.number, call, function, self._like)

        def written() -> list[Tensor]:
            with running(self.called):
                results = wait()
            self.backend.write(self._like, lambda: write(self.name, results, site))
            return [tensor for tensor, _ in results]

        if async_op:
            return self.group.begin(self.name, written)
        written()
        return None


def points(
    group: ProcessGroup, backend: NcclBackend, parts: Sequence[tuple[bool, Tensor, int]]
) -> Work:
    """Sends (True) and receives, each with the rank on the other side, begun as one. Those that send to each
    other call it at the same time.
    """
    site = caller()
    like = parts[0][1]._array
    name = "/".join(sorted({"send" if sends else "recv" for sends, _, _ in parts}))
    taken = [
        (sends, backend.read(each._array) if sends else empty(each._array, each._array.shape), rank)
        for sends, each, rank in parts
    ]
    wait = backend.points(f"{name} of {said(like)}", taken)

    def written() -> list[Tensor]:
        wait()
        results = [
            (tensor, array)
            for (sends, tensor, _), (_, array, _) in zip(parts, taken, strict=True)
            if not sends
        ]
        backend.write(like, lambda: write("recv", results, site))
        return [tensor for tensor, _ in results]

    return group.begin(name, written)


def write(name: str, results: Written, site: Any = None) -> None:
    """Writes arrays into tensors, and counts it."""
    for tensor, array in results:
        about_to_write(tensor)
        with on(device_of(tensor._array)):  # the thread of a group has a current device of its own
            tensor._array[...] = beside(tensor._array, array)
        storage_of(tensor).wrote(name, caller() if site is None else site)


def said(array: Any) -> str:
    """As all ranks must have it."""
    return f"{array.dtype} {list(array.shape)}"


def barrier_tensor(group: ProcessGroup, device_ids: Any) -> Tensor:
    """Where the ranks of a group meet: nothing, on the host; one byte on a device."""
    if "cpu" in group.backends:
        return zeros(0, device="cpu")
    if device_ids:
        device = Device("cuda", int(device_ids[0]))
    elif group.device is not None:
        device = group.device
    else:
        device = Device("cuda", int(namespace_for(Device("cuda")).cuda.runtime.getDevice()))
    return zeros(1, device=device)


def destination(group: ProcessGroup, dst: int | None, group_dst: int | None) -> int:
    """The rank in the group of the one that something is sent to. ValueError for this one itself."""
    to = root_rank(group, dst, group_dst, None)
    if to == group.rank():
        raise wrong_call(
            ValueError(
                "Invalid destination rank: destination rank should not be the same as the rank of the "
                "current process."
            ),
            "send to another rank",
        )
    return to
