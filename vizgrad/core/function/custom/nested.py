"""Nested structures of tensors: walking, mapping and rebuilding them (spec 01 L).

A structure is a tensor, None, or a list, tuple, namedtuple or mapping of structures. The flat order is
depth first, mappings in the order of their items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


def _unknown(thing: Any, accepted: str | None) -> ValueError:
    message = (
        f"Auto nesting doesn't know how to process an input object of type {type(thing).__name__}"
    )
    if accepted:
        message += f". Accepted types: {accepted}, or lists/tuples of them"
    return wrong_call(
        ValueError(message),
        "pass it as an attribute of the instance: only tensors, None and containers of them nest",
        "function-return",
    )


def _rebuilt(like: Any, items: list[Any]) -> Any:
    """A sequence of the type of `like`; a namedtuple takes its fields one by one."""
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)


def _rebuilt_mapping(like: Any, pairs: list[tuple[Any, Any]]) -> Any:
    try:
        return type(like)(pairs)
    except TypeError:  # a mapping whose constructor takes something else
        return dict(pairs)


def _nested_map(
    condition: Callable[[Any], bool], fn: Callable[[Any], Any], condition_msg: str | None = None
) -> Callable[[Any], Any]:
    """A function that replaces each leaf for which `condition` holds by `fn(leaf)` (F-127).

    None stays, containers keep their type; ValueError for any other object.
    """

    def convert(thing: Any) -> Any:
        if condition(thing):
            return fn(thing)
        if thing is None:
            return None
        if isinstance(thing, (list, tuple)):
            return _rebuilt(thing, [convert(item) for item in thing])
        if isinstance(thing, Mapping):
            return _rebuilt_mapping(thing, [(key, convert(item)) for key, item in thing.items()])
        raise _unknown(thing, condition_msg)

    return convert


def _iter_filter(
    condition: Callable[[Any], bool],
    allow_unknown: bool = False,
    condition_msg: str | None = None,
    conversion: Callable[[Any], Any] | None = None,
) -> Callable[[Any], Iterator[Any]]:
    """A function that walks a structure and yields the leaves for which `condition` holds (F-122).

    `conversion` is applied to each object before it is looked at. Other objects than containers and
    None are yielded too if `allow_unknown`, else ValueError.
    """

    def walk(thing: Any) -> Iterator[Any]:
        if conversion is not None:
            thing = conversion(thing)
        if condition(thing):
            yield thing
        elif thing is None:
            return
        elif isinstance(thing, (list, tuple)):
            for item in thing:
                yield from walk(item)
        elif isinstance(thing, Mapping):
            for item in thing.values():
                yield from walk(item)
        elif allow_unknown:
            yield thing
        else:
            raise _unknown(thing, condition_msg)

    return walk


def _unflatten(input: Iterable[Any], proto: Any) -> Any:
    """The flat items in the structure of `proto` (F-126).

    An object that is neither container nor None takes one item; more items than needed are ignored. Raises
    IndexError when there are too few.
    """
    return _build(_Remaining(list(input)), proto)


class _Remaining:
    """Items that are not used yet."""

    __slots__ = ("items", "position")

    def __init__(self, items: list[Any]) -> None:
        self.items = items
        self.position = 0


# not a closure of _unflatten: one that calls itself would keep the tensors until the next collection
def _build(flat: _Remaining, proto: Any) -> Any:
    if hasattr(proto, "_jit_wrap"):
        value, rest = proto._jit_wrap(flat.items[flat.position :])
        flat.items, flat.position = list(rest), 0
        return value
    if proto is None:
        return None
    if isinstance(proto, (list, tuple)):
        return _rebuilt(proto, [_build(flat, item) for item in proto])
    if isinstance(proto, Mapping):
        return _rebuilt_mapping(proto, [(key, _build(flat, item)) for key, item in proto.items()])
    if flat.position >= len(flat.items):
        raise wrong_call(
            IndexError(
                f"the structure has more places than the {len(flat.items)} items there are to fill "
                "them"
            ),
            "give one item for each tensor of the structure",
            "function-return",
        )
    flat.position += 1
    return flat.items[flat.position - 1]


def _is_tensor(thing: Any) -> bool:
    return isinstance(thing, Tensor)


def _unwrapped(thing: Any) -> Any:
    return thing._jit_unwrap() if hasattr(thing, "_jit_unwrap") else thing


_iter_tensors = _iter_filter(_is_tensor, condition_msg="Tensors", conversion=_unwrapped)
_iter_tensors_permissive = _iter_filter(
    _is_tensor, allow_unknown=True, condition_msg="Tensors (permissive)"
)
_iter_None_tensors = _iter_filter(  # noqa: N816  PyTorch's name
    lambda thing: thing is None or _is_tensor(thing), condition_msg="Tensors or None"
)
_map_tensor_data = _nested_map(_is_tensor, lambda tensor: tensor.data, condition_msg="Tensors")
