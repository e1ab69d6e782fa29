"""Collectives of Python objects. They are pickled, as in PyTorch: only among processes that trust each
other.
"""

from __future__ import annotations

import pickle
from typing import Any

from vizgrad.core.tensor.state import wrong_call
from vizgrad.distributed.groups import get_group_rank, group_or_default
from vizgrad.distributed.process_group import ProcessGroup


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """`object_list`, as long as the group, is given the `obj` of each rank."""
    found = group_or_default(group)
    if found is None:
        return
    _check_length("all_gather_object", object_list, found)
    data = pickle.dumps(obj)
    size = found.size()
    got = found.exchange(found.number(), "0", "all_gather_object", [data] * size, [None] * size)
    object_list[:] = map(_object, got)


def gather_object(
    obj: Any, object_gather_list: list[Any] | None = None, dst: int | None = None, group: Any = None,
    group_dst: int | None = None,
) -> None:  # fmt: skip
    """`object_gather_list` of rank `dst` is given the `obj` of each rank."""
    found = group_or_default(group)
    if found is None:
        return
    to = root_rank(found, dst, group_dst, 0)
    if found.rank() == to:
        if object_gather_list is None:
            raise wrong_call(
                ValueError(
                    "Argument ``object_gather_list`` must be specified on destination rank."
                ),
                "give a list as long as the group",
            )
        _check_length("gather_object", object_gather_list, found)
    size = found.size()
    data = pickle.dumps(obj)
    parts = [data if rank == to else b"" for rank in range(size)]
    got = found.exchange(found.number(), "0", "gather_object", parts, [None] * size)
    if found.rank() == to and object_gather_list is not None:
        object_gather_list[:] = map(_object, got)


def broadcast_object_list(
    object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
    group_src: int | None = None,
) -> None:  # fmt: skip
    """The objects of rank `src`, in the lists of all, which are of one length."""
    found = group_or_default(group)
    if found is None:
        return
    source = root_rank(found, src, group_src, 0)
    number, size = found.number(), found.size()
    own = found.rank() == source
    data = pickle.dumps(object_list) if own else b""
    got = found.exchange(number, "0", "broadcast_object_list", [data] * size, [None] * size)
    if not own:
        object_list[:] = _object(got[source])


def scatter_object_list(
    scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
    src: int | None = None, group: Any = None, group_src: int | None = None,
) -> None:  # fmt: skip
    """The first place of `scatter_object_output_list` is given the object of rank `src` for this rank."""
    found = group_or_default(group)
    if found is None:
        return
    if not scatter_object_output_list:
        raise wrong_call(
            ValueError(
                "Expected argument scatter_object_output_list to be a list of size at least 1."
            ),
            "give [None]",
        )
    source = root_rank(found, src, group_src, 0)
    number, size = found.number(), found.size()
    if found.rank() == source:
        if scatter_object_input_list is None:
            raise wrong_call(
                ValueError(
                    "Argument ``scatter_object_input_list`` must be specified on source rank."
                ),
                "give a list as long as the group",
            )
        _check_length("scatter_object_list", scatter_object_input_list, found)
        parts = list(map(pickle.dumps, scatter_object_input_list))
    else:
        parts = [b""] * size
    got = found.exchange(number, "0", "scatter_object_list", parts, [None] * size)
    scatter_object_output_list[0] = _object(got[source])


def root_rank(
    group: ProcessGroup, number: int | None, group_rank: int | None, default: int | None
) -> int:
    """The rank in the group of the process that a call names by its number in the run, or by this rank."""
    if number is not None and group_rank is not None:
        raise wrong_call(
            ValueError("Can't specify both group_src and src, or group_dst and dst"),
            "give one of them",
        )
    if group_rank is not None:
        return group_rank
    if number is None:
        if default is None:
            raise wrong_call(ValueError("Must specify src or dst"), "say which rank")
        number = default
    if group.group_name == "0" and number not in group.ranks:
        raise wrong_call(
            RuntimeError(f"invalid root rank: {number}"), f"give a rank below {group.size()}"
        )
    return get_group_rank(group, number)


def _check_length(name: str, objects: list[Any], group: ProcessGroup) -> None:
    if len(objects) != group.size():
        raise wrong_call(
            ValueError(
                f"{name}: expected a list as long as the group, {group.size()}, got {len(objects)}"
            ),
            "give a list with a place for each rank",
        )


def _object(data: bytes) -> Any:
    return pickle.loads(data)  # noqa: S301  as the docstring of this file says
