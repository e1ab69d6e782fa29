"""Summaries of gradients and tensors, chosen by the type of the value: an engine registers its own.

    summarizer.register(torch.Tensor, quick, closely, array)

The first two functions take a value of that type, or of a subclass, and give a `model.TensorSummary`: the
first is asked at every step and tells what one pass over the elements gives, the second when a person looks
closely, with a histogram and a heat map. None, an undefined gradient, has no summary. The last gives an
array, of numpy or a device's, that a person may go through (`session/array_slices.py`); without it
summaries are all.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType
from typing import Any, Literal, NamedTuple

from vizgrad.debugger.model import TensorSummary

Summarise = Callable[[Any], TensorSummary | None]

AsArray = Callable[[Any], Any]

_registered: dict[type, tuple[Summarise, Summarise]] = {}
_arrays: dict[type, AsArray] = {}
#: Also of subclasses that were asked for.
_quick: dict[type, Summarise] = {}
_closely: dict[type, Summarise] = {}


def register(
    kind: type, quick: Summarise, closely: Summarise, array: AsArray | None = None
) -> None:
    """Makes values of `kind` known; of a kind that is known, the functions are replaced."""
    _registered[kind] = quick, closely
    _arrays.pop(kind, None)
    if array is not None:
        _arrays[kind] = array
    _quick.clear()
    _closely.clear()


def summarize(value: object) -> TensorSummary | None:
    """The result of one cheap pass over the elements. TypeError for what no engine has registered."""
    known = _quick.get(type(value))
    return known(value) if known is not None else _found(type(value))[0](value)


def summarize_closely(value: object) -> TensorSummary | None:
    """The same with histogram, heat map, and the values if they are few."""
    known = _closely.get(type(value))
    return known(value) if known is not None else _found(type(value))[1](value)


def array_of(value: object) -> Any:
    """The elements of a value. TypeError for what cannot be gone through."""
    for base in type(value).__mro__:
        if base in _arrays:
            return _arrays[base](value)
    raise TypeError(f"the elements of a {type(value).__qualname__} cannot be shown one by one")


def has_array(value: object) -> bool:
    """Is it of a type that an engine has registered with its elements?"""
    return any(base in _arrays for base in type(value).__mro__)


def field_of(value: object, name: str) -> Any:
    """An attribute as the registered type defines it, whatever a class derived from it has made of it. None
    where that has no such attribute, and for what no engine has registered.
    """
    base = next((base for base in type(value).__mro__ if base in _arrays), None)
    get = getattr(getattr(base, name, None), "__get__", None)
    if get is None:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `.grad` of what is no leaf
        return get(value)


def _found(kind: type) -> tuple[Summarise, Summarise]:
    for base in kind.__mro__:
        if base in _registered:
            _quick[kind], _closely[kind] = _registered[base]
            return _registered[base]
    names = ", ".join(sorted(f"{k.__module__}.{k.__qualname__}" for k in _registered))
    raise TypeError(
        f"cannot summarise a value of type {kind.__module__}.{kind.__qualname__}; known are {names}. "
        "Tell how with vizgrad.debugger.engines.api.summarizer.register(type, quick, closely)"
    )


def _nothing(value: None) -> None:
    """An undefined gradient."""


register(type(None), _nothing, _nothing)


# Where in a program a node was recorded, as far as that is known.

#: Calls within calls that are told apart; deeper ones count as the last of these.
MOST_CALLS = 32


class Spot(NamedTuple):
    """An instruction of a person's program: its code object and offset."""

    code: CodeType
    offset: int

    @property
    def line(self) -> int | None:
        for start, end, line in self.code.co_lines():
            if start <= self.offset < end:
                return line
        return None


@dataclass(slots=True, eq=False)
class Call:
    """One call of a module, one `vg.scope` block, or one transform. Equal to itself alone. It is not changed;
    a frozen one takes four times as long to make, and a watch makes one at each call.

    `spot` is where it was entered; None if that was not in a person's program (`nn.Sequential` calls its
    modules itself). The name of a module's call is what its parent calls it, and its class: ``0: Block``.
    """

    name: str
    kind: Literal["module", "scope", "transform"]
    spot: Spot | None = None


@dataclass(slots=True, eq=False)
class Origin:
    """The calls that a node was recorded in, the outermost first, and the instruction that recorded it. It is
    not changed, as `Call`.

    Nodes of one place share an Origin, or at least `calls`.
    """

    calls: tuple[Call, ...] = ()
    spot: Spot | None = None

    @property
    def made(self) -> Call | None:
        """The innermost call that an instruction of the user made, where a module of the library recorded the
        node: None if the instruction that recorded it is known, or none is.
        """
        if self.spot is not None:
            return None
        return next((call for call in reversed(self.calls) if call.spot is not None), None)

    @property
    def users(self) -> Spot | None:
        """The instruction of the user that recorded it, or called the module of the library that did."""
        spot = self.spot
        if spot is None:
            for call in reversed(self.calls):  # as `made`: this is asked for each node
                if call.spot is not None:
                    return call.spot
        return spot


#: The origin of a node without known facts.
NOWHERE = Origin()
