"""Python objects from one process to another. They are pickled, as in PyTorch: only among processes that
trust each other.
"""

from __future__ import annotations

import pickle
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.distributed.collective import destination, said
from vizgrad.distributed.groups import group_or_default
from vizgrad.distributed.objects import root_rank


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None,
    group_dst: int | None = None, use_batch: bool = False,
) -> None:  # fmt: skip
    """Sends the objects to rank `dst`, which calls `recv_object_list`. `device`, `use_batch`: nothing here
    depends on them.
    """
    found = group_or_default(group)
    if found is None:
        return
    to = destination(found, dst, group_dst)
    data = xp.frombuffer(bytearray(pickle.dumps(object_list)), "uint8")
    for each in (xp.asarray([data.size], "int64"), data):
        found.send(each, to, 0, said(each))


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None, use_batch: bool = False,
) -> int:  # fmt: skip
    """`object_list` becomes what rank `src` has sent, any rank if not given; returns which, -1 outside the
    group. The message is unpickled: it can run code.
    """
    found = group_or_default(group)
    if found is None:
        return -1
    source = None if src is None and group_src is None else root_rank(found, src, group_src, None)
    count = xp.zeros(1, "int64")
    source, size = found.receive(count, source, 0, said(count))
    data = xp.zeros(int(size[0]), "uint8")
    _, data = found.receive(data, source, 0, said(data))
    object_list[:] = pickle.loads(data.tobytes())  # noqa: S301  as the docstring of this file says
    return found.ranks[source]
