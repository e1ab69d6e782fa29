"""Python objects from one process to another. They are pickled, as in PyTorch: only among processes that
trust each other.
"""

from __future__ import annotations

import pickle
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.tensor.tensor import new_tensor
from vizgrad.distributed.collectives import recv, send
from vizgrad.distributed.groups import group_or_default


def send_object_list(
    object_list: list[Any], dst: int | None = None, group: Any = None, device: Any = None,
    group_dst: int | None = None, use_batch: bool = False,
) -> None:  # fmt: skip
    """Sends the objects to rank `dst`, which calls `recv_object_list`. `device`, `use_batch`: nothing here
    depends on them.
    """
    if group_or_default(group) is None:
        return
    data = pickle.dumps(object_list)
    size = xp.zeros(1, "int64")
    size[0] = len(data)
    send(new_tensor(size), dst, group, group_dst=group_dst)
    send(new_tensor(xp.frombuffer(bytearray(data), "uint8")), dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None, use_batch: bool = False,
) -> int:  # fmt: skip
    """`object_list` becomes what rank `src` has sent, any rank if not given; returns which, -1 outside the
    group. The message is unpickled: it can run code.
    """
    if group_or_default(group) is None:
        return -1
    size = new_tensor(xp.zeros(1, "int64"))
    source = recv(size, src, group, group_src=group_src)
    data = new_tensor(xp.zeros(int(size.item()), "uint8"))
    recv(data, source, group)
    object_list[:] = pickle.loads(data.numpy().tobytes())  # noqa: S301  as the docstring of this file says
    return source
