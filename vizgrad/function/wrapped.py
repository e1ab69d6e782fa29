"""Tensors that stand for something else, and the levels that know for what: what transforms are made of.

A `Wrapped` has no array: its slots are empty. The recording function of an operation finds that out when it
reads them, by an AttributeError, so it costs nothing where there are none. It then hands the operation to
the level of the innermost transform among its operands (`interpreted`), which runs it on what they stand
for; that may be wrapped by a level further out, and so on down to plain tensors.

Functions above this package, which look at the shape and type of a tensor before they record operations,
are shown a `StandIn`. Whoever wants to read elements is told that there are none (D-4): nobody sees the
values of a whole batch by mistake.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from math import prod
from typing import Any, NoReturn, Self

from vizgrad.function.declared import Declared
from vizgrad.tensor.tensor import Tensor


class Level:
    """One transform that is under way. Subclasses say what they do with operations on their wrappers."""

    #: What people call it: "vmap".
    name = "transform"

    def __init__(self) -> None:
        #: Rises with each level that a thread enters: the innermost is asked first.
        self.number = 0
        #: False after it was left: its wrappers are then what they stand for (C-8).
        self.open = False

    def __enter__(self) -> Self:
        levels = LEVELS.entered
        self.number = levels[-1].number + 1 if levels else 1
        levels.append(self)
        self.open = True
        return self

    def __exit__(self, *_: object) -> None:
        self.open = False
        LEVELS.entered.remove(self)

    def run(self, op: Declared, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The result of an operation, some of whose operands are wrapped by this level."""
        raise NotImplementedError

    def write(
        self, op: Declared, operands: tuple[Any, ...], name: str, attributes: dict[str, Any]
    ) -> None:
        """The same, in place: the result is written into the first operand."""
        raise NotImplementedError

    def apply(self, function: Any, args: tuple[Any, ...]) -> Any:
        """What a custom Function gives for arguments of which some are wrapped by this level."""
        raise NotImplementedError

    def lift(self, value: Tensor) -> Tensor:
        """`value`, which is not wrapped by this level, as one that is: it is seen to."""
        raise NotImplementedError

    def together(self, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        """What two tensors, one of them at least wrapped by this level, stand for, alike for both."""
        raise NotImplementedError

    def stand_in(self, wrapped: Wrapped) -> StandIn:
        """What the array of a wrapper looks like from outside."""
        raise NotImplementedError

    def unreadable(self, wrapped: Wrapped, wanted: str) -> Exception:
        """What to raise for code that asks for the elements of a wrapper."""
        raise NotImplementedError


class _Levels(threading.local):
    def __init__(self) -> None:
        #: The transforms that this thread is inside of, the innermost last.
        self.entered: list[Level] = []


LEVELS = _Levels()

#: What the state of a wrapper is to code that looks at it without asking for its array.
_STATE: dict[str, Any] = {
    "_storage": None, "_view": None, "_edge": None, "_grad": None, "_rare": None, "_tracked": 0,
}  # fmt: skip


class Wrapped(Tensor):
    """A tensor that stands, at one level, for another one."""

    __slots__ = ()

    level: Level
    value: Tensor

    def __getattr__(self, name: str) -> Any:
        """Called for slots that are empty: all of them."""
        if name != "_array" and name not in _STATE:
            raise AttributeError(f"'Tensor' object has no attribute {name!r}")
        if not self.level.open:
            become_plain(self)
            return getattr(self, name)
        if name != "_array":
            return _STATE[name]
        package = sys._getframe(1).f_globals.get("__package__") or ""
        if package.startswith("vizgrad.function"):
            raise AttributeError(f"a tensor inside of {self.level.name} has no array of its own")
        return self.level.stand_in(self)


def wrap(level: Level, value: Tensor, like: Wrapped | None = None) -> Wrapped:
    """A tensor that stands for `value` at `level`, which says what that means; or just as `like` does."""
    out = object.__new__(Wrapped)
    if like is not None:
        vars(out).update(vars(like))
    out.level, out.value = level, value
    return out


def become_plain(wrapped: Wrapped) -> None:
    """Makes the wrapper of a level that was left what it stood for: the same memory, the same history."""
    value = wrapped.value
    while isinstance(value, Wrapped) and not value.level.open:
        value = value.value
    if isinstance(value, Wrapped):
        wrapped.level, wrapped.value = value.level, value.value
        vars(wrapped).update(vars(value))
        return
    vars(wrapped).clear()
    wrapped.__class__ = Tensor  # pyright: ignore[reportAttributeAccessIssue]
    for slot in ("_array", *_STATE):
        setattr(wrapped, slot, getattr(value, slot))


def innermost(operands: Any) -> Level | None:
    """The innermost open level of which one of the operands is; None when none is wrapped."""
    found: Level | None = None
    for operand in operands:
        if isinstance(operand, Wrapped):
            while isinstance(operand, Wrapped) and not operand.level.open:
                become_plain(operand)
            if isinstance(operand, Wrapped):
                level = operand.level
                if found is None or level.number > found.number:
                    found = level
    return found


def interpreted(op: Declared, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """What the innermost level makes of an operation; None when no operand is wrapped."""
    level = innermost(operands)
    return None if level is None else level.run(op, operands, attributes)


def written(op: Declared, operands: tuple[Any, ...], name: str, attributes: dict[str, Any]) -> bool:
    """Did the innermost level write an operation into the first operand? False when none is wrapped."""
    level = innermost(operands)
    if level is None:
        return False
    level.write(op, operands, name, attributes)
    return True


def unwrap_together(
    first: Tensor, second: Tensor
) -> tuple[Tensor, Tensor, Callable[[Tensor], Tensor]]:
    """What two tensors stand for at the innermost level of either, and how to wrap such a value again."""
    level = innermost((first, second))
    if level is None:
        return first, second, lambda value: value
    a, b = level.together(first, second)
    return a, b, lambda value: wrap(level, value)


class StandIn:
    """Shape and type of an array whose elements nobody may look at."""

    __array_priority__ = 10000

    def __init__(self, owner: Wrapped, shape: tuple[int, ...], like: Any) -> None:
        self._owner = owner
        self.shape = shape
        self.ndim = len(shape)
        self.size = prod(shape)
        self.dtype = like.dtype
        self.itemsize = like.dtype.itemsize
        self.nbytes = self.size * self.itemsize
        self.flags = _FLAGS
        steps, step = [], self.itemsize
        for n in reversed(shape):
            steps.append(step)
            step *= max(n, 1)
        self.strides = tuple(reversed(steps))

    def as_tensor(self) -> Tensor:
        """A tensor over the same elements, without history."""
        return wrap(self._owner.level, self._owner.value.detach(), self._owner)

    def _refuse(self, wanted: str) -> NoReturn:
        raise self._owner.level.unreadable(self._owner, wanted)

    def __getattr__(self, name: str) -> Any:
        # what arrays of numpy do not have either is asked for to tell them from others
        if name.startswith("__") or name in ("layout", "values", "mapped", "get"):
            raise AttributeError(name)
        self._refuse(name)

    def __array__(self, *_: Any, **__: Any) -> Any:
        self._refuse("numpy")

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        self._refuse(f"{_[0].__name__}")

    def __array_function__(self, function: Any, *_: Any, **__: Any) -> Any:
        self._refuse(function.__name__)

    def __getitem__(self, key: Any) -> Any:
        self._refuse("[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        self._refuse("[] =")

    def __bool__(self) -> bool:
        return self._refuse("bool()")

    def __index__(self) -> int:
        return self._refuse("int()")

    def __iter__(self) -> Any:
        self._refuse("iter()")

    def __len__(self) -> int:
        return self.shape[0]

    def __eq__(self, other: object) -> Any:
        self._refuse("==")

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class _Flags:
    c_contiguous = writeable = owndata = aligned = True
    f_contiguous = False


_FLAGS = _Flags()
