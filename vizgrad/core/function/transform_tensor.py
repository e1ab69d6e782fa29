"""Tensors that stand for something else, and the levels that know for what: what transforms are made of.

A `Wrapped` has no array: its slots are empty. The recording function of an operation finds that out when it
reads them, by an AttributeError, so it costs nothing where there are none. It then hands the operation to
the level of the innermost transform among its operands (`interpreted`), which runs it on what they stand
for; that may be wrapped by a level further out, and so on down to plain tensors.

All other code, which looks at the shape and type of a tensor before it records operations, is shown a
`StandIn`. A read of its elements raises an error that there are none (D-4), so that no code reads the
values of a whole batch by mistake.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from typing import Any, Self, TypeVar, cast

from vizgrad.core.arrays.backend import DEVICES, elsewhere
from vizgrad.core.arrays.errstate import NAMELESS
from vizgrad.core.function.declared import Declared
from vizgrad.core.tensor.modes import GUARD, MODES, Scope, TransformScope, pop_scope, push_scope
from vizgrad.core.tensor.requirements import checked
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.tensor import RESULT, UNTRACKED, Tensor


class Unreadable(RuntimeError):
    """Code asked for elements of a tensor that stands for others."""


F = TypeVar("F", bound=Callable[..., Any])


class Level:
    """One transform that is under way. Subclasses say what they do with operations on their wrappers."""

    #: The user's name of it: "vmap".
    name = "transform"
    #: Do its arguments require grad?
    differentiates = False
    #: Is what is recorded in it framed, in pictures?
    framed = True
    #: Does it wrap tangents only? To everything else it is not there.
    of_tangents = False
    #: The behaviour of random operations inside of it; None: it has no say in that.
    randomness: str | None = None

    def __init__(self) -> None:
        #: Rises with each level that a thread enters: the innermost is asked first.
        self.number = 0
        #: False after it was left: its wrappers are then what they stand for (C-8).
        self.open = False
        self._scope: Scope | None = None
        #: Nodes that are recorded in it are recorded in this scope.
        self.frame: Scope | None = None

    def __enter__(self) -> Self:
        around = MODES.transforms
        self.number = around[-1].number + 1 if around else 1
        with GUARD.lock:
            GUARD.transforms += 1
        MODES.transforms = (*around, self)
        self.open = True
        if self.framed:
            self._scope = push_scope(self.title(), caller(), TransformScope)
            self.frame = MODES.scope
        return self

    def __exit__(self, *_: object) -> None:
        self.open = False
        if self.framed:
            pop_scope(self._scope)
        MODES.transforms = tuple([each for each in MODES.transforms if each is not self])
        with GUARD.lock:
            GUARD.transforms -= 1

    def title(self) -> str:
        """The label on the frame around the nodes that were recorded in it."""
        return self.name

    def before_write(self, target: Tensor) -> None:
        """Raises for a write in place that may not be done inside."""

    def run(self, op: Declared, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The result of an operation, some of whose operands are wrapped by this level."""
        raise NotImplementedError

    def write(
        self, op: Declared, operands: tuple[Any, ...], name: str, attributes: dict[str, Any]
    ) -> None:
        """The same, in place: the result is written into the first operand."""
        raise NotImplementedError

    def apply(self, function: Any, args: tuple[Any, ...]) -> Any:
        """The result of a custom Function for arguments of which some are wrapped by this level."""
        raise NotImplementedError

    def by_hand(self, function: Any, tensors: Sequence[Tensor], settings: dict[str, Any]) -> Any:
        """The result of an operation without a declaration (`cat`, `split`) for some wrappers."""
        raise NotImplementedError

    def of_stacks(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of `function`, which takes stacks of matrices as well as single ones."""
        raise NotImplementedError

    def of_examples(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of `function`, called for each value that the wrappers stand for."""
        raise NotImplementedError

    def draw(self, kind: str, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a random function; `kind` says what it asks of its arguments (`draws`)."""
        raise NotImplementedError

    def made(self, wrapped: Wrapped, make: Callable[..., Any], shape: tuple[int, ...]) -> Tensor:
        """A wrapper for new memory beside that of another one; `make(array, shape)` makes such."""
        raise NotImplementedError

    def lift(self, value: Tensor) -> Tensor:
        """`value`, which is not wrapped by this level, as one that is: it is seen to."""
        raise NotImplementedError

    def together(self, first: Tensor, second: Tensor) -> tuple[Tensor, Tensor]:
        """The values of two tensors, one of them at least wrapped by this level, alike for both."""
        raise NotImplementedError

    def reshaped(self, wrapped: Wrapped, shape: tuple[int, ...], reshape: Any) -> Wrapped:
        """The same elements under another shape, by `reshape(value, shape=...)`."""
        raise NotImplementedError

    def stand_in(self, wrapped: Wrapped) -> Any:
        """The array of a wrapper as seen from outside: a
        `vizgrad.core.function.abstract_array.StandIn`.
        """
        raise NotImplementedError

    def unreadable(self, wrapped: Wrapped, wanted: str) -> Exception:
        """The error for code that asks for the elements of a wrapper."""
        raise NotImplementedError


#: The state of a wrapper for code that reads it without asking for its array.
_STATE: dict[str, Any] = {
    "_storage": None, "_view": None, "_edge": None, "_grad": None, "_rare": None, "_tracked": 0,
}  # fmt: skip


class Wrapped(Tensor):
    """A tensor that stands, at one level, for another one."""

    __slots__ = ()

    level: Level
    value: Tensor

    @property
    def _array(self) -> Any:
        """For recording functions nothing: they go on with the level. For others what looks like it."""
        level = self.level
        if not level.open:
            become_plain(self)
            return self._array
        if sys._getframe(1).f_globals["__name__"] is NAMELESS:
            raise AttributeError
        return level.stand_in(self)

    @_array.setter
    def _array(self, value: Any) -> None:
        raise self.level.unreadable(self, "writing to memory")

    def __getattr__(self, name: str) -> Any:
        """Called for slots that are empty: all of them."""
        if name == "_array":  # the getter has said so
            raise AttributeError
        if name not in _STATE:
            raise AttributeError(f"'Tensor' object has no attribute {name!r}")
        if not self.level.open:
            become_plain(self)
            return getattr(self, name)
        if name == "_tracked" and MODES.transforms and MODES.transforms[-1].differentiates:
            return RESULT if self.value.requires_grad else UNTRACKED
        return _STATE[name]

    def storage_offset(self) -> int:
        """That of the tensor it stands for: of a batch, where its first example begins."""
        return self.value.storage_offset() if self.level.open else super().storage_offset()

    def __repr__(self) -> str:
        if not self.level.open:
            become_plain(self)
            return repr(self)
        return f"{self.level.name}(level={self.level.number}, value={self.value!r})"


def wrap(level: Level, value: Tensor, like: Wrapped | None = None) -> Wrapped:
    """A tensor that stands for `value` at `level`, which says what that means; or just as `like` does."""
    out = object.__new__(Wrapped)
    if like is not None:
        vars(out).update(vars(like))
    out.level = level
    out.value = value
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
        while operand.__class__ is Wrapped:
            level = operand.level
            if level is found:
                break
            if level.open:
                if found is None or level.number > found.number:
                    found = level
                break
            become_plain(operand)
    return found


def stands_for_others(value: Any) -> bool:
    """Is it a tensor without an array of its own?"""
    return isinstance(value, Wrapped)


def tensors_in(values: Any) -> Iterator[Any]:
    """The items of tuples, lists and dicts."""
    if isinstance(values, dict):
        values = values.values()
    elif not isinstance(values, (tuple, list)):
        yield values
        return
    for value in values:
        yield from tensors_in(value)


def interpreted(op: Declared, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
    """The innermost level's result for an operation; None when no operand is wrapped."""
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
    """The values of two tensors at the innermost level of either, and how to wrap such a value again."""
    level = innermost((first, second))
    if level is None:
        return first, second, lambda value: value
    a, b = level.together(first, second)
    return a, b, lambda value: wrap(level, value)


def by_hand(function: Callable[..., Any], tensors: Sequence[Tensor], **settings: Any) -> Any:
    """The innermost level's result for an operation that is recorded by hand, and found a wrapper."""
    level = innermost(tensors)
    assert level is not None
    return level.by_hand(function, tensors, settings)


def like_batch(first: Tensor, second: Tensor) -> Tensor:
    """`first`, wrapped at all levels of `second`: what is the same for all examples, for each of them."""
    level = innermost((first, second))
    if level is None:
        return first
    a, b = level.together(first, second)
    return wrap(level, like_batch(a, b))


def of_stacks(function: F) -> F:
    """For functions of matrices that take stacks of them, too: run on what a wrapper stands for."""
    return _handed_to(function, lambda level: level.of_stacks)


def of_examples(function: F) -> F:
    """For functions that look at elements: called for each of what a wrapper stands for."""
    return _handed_to(function, lambda level: level.of_examples)


def draws(kind: str) -> Callable[[F], F]:
    """For random functions: the innermost vmap says what is drawn.

    `kind`: "size", of sizes alone; "like", of the shape and type of its first argument; "fill", into its
    first argument; "chances", with elements of its arguments.
    """

    def declare(function: F) -> F:
        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if GUARD.transforms:
                for level in reversed(MODES.transforms):
                    if level.randomness is not None:
                        return level.draw(kind, call, args, kwargs)
            return function(*args, **kwargs)

        return cast("F", call)

    return declare


def _handed_to(function: F, how: Callable[[Level], Callable[..., Any]]) -> F:
    function = checked(function)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if DEVICES.several and (place := elsewhere(*args)) is not None:
            with place:
                return call(*args, **kwargs)
        if GUARD.transforms:
            level = innermost(tensors_in((args, kwargs)))
            if level is not None:
                return how(level)(call, args, kwargs)
        return function(*args, **kwargs)

    return cast("F", call)
