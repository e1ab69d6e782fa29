"""Which engine opens the backward of a loss: chosen by the type of the loss.

An engine that can be stepped registers itself: ``open_backward.register(Tensor, opener)``. The opener takes
the arguments of `vizgrad.debug` and gives a `protocols.Backward`. A graph that can be drawn without
a run is registered with `open_picture` in the same way. An engine for the tensors of another framework
registers when the program has imported that (`frameworks.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import singledispatch
from typing import Any, Protocol, cast

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.frameworks import engines_registered
from vizgrad.debugger.engines.api.protocols import Backward


@singledispatch
def open_backward(loss: Any, options: Mapping[str, Any]) -> Backward:
    """A backward of `loss` that has not run. TypeError for what no engine knows.

    `options` are `gradient`, `retain_graph`, `create_graph`, `inputs`, as `vizgrad.autograd.backward` takes
    them, `names`: id of a tensor -> what the person calls it, and `keep`: bytes of values that the steps may
    hold (None: the engine decides). An engine that cannot do what is asked for raises TypeError.
    """
    if engines_registered():
        return open_backward(loss, options)
    raise TypeError(f"cannot step the backward of {_type_of(loss)}: {_expected()}")


def open_second(
    leaves: Iterable[tuple[Any, str]],
    gradient: Any,
    ones: Callable[[Any], Any],
    names: Mapping[int, str],
    *,
    created: bool,
) -> Backward:
    """The backward of what is in `.grad` of the leaves. It keeps both graphs: the first may be stepped yet.

    `leaves` come with the user's names for them. `gradient` is None for ones, which `ones` makes for a
    gradient. `created`: was the first backward run with create_graph=True? Raises ValueError where no
    gradient has a history.
    """
    if not created:
        raise ValueError("there is no graph of second order: debug with create_graph=True")
    given = ((leaf.grad, name) for leaf, name in leaves)
    made = [(grad, name) for grad, name in given if grad is not None and grad.requires_grad]
    if not made:
        raise ValueError(
            "there is no graph of second order yet: it begins at the `.grad` of a leaf, and no leaf has one "
            "with a history so far; run to a leaf and step (run_to_leaf(), step())"
        )
    grads = [grad for grad, _ in made]
    called = {id(grad): f"{name}.grad" for grad, name in made if name}
    options = {
        "gradient": [ones(grad) for grad in grads] if gradient is None else gradient,
        "retain_graph": True,
        "names": {**names, **called},
        "title": ", ".join(filter(None, map(called.get, map(id, grads)))) or "second order",
    }
    return open_backward(grads, options)


def known_types() -> tuple[type, ...]:
    """The types of losses that an engine opens: what such a variable is called is worth knowing."""
    engines_registered()
    return tuple(kind for kind in open_backward.registry if kind not in _NOT_ENGINES)


@open_backward.register(list)
@open_backward.register(tuple)
def _of_several(losses: Any, options: Mapping[str, Any]) -> Backward:
    """All go to the engine that knows them."""
    several = cast("Sequence[Any]", losses)
    if not several:
        raise RuntimeError("debug needs at least one tensor")
    engines_registered()
    openers = [open_backward.dispatch(type(loss)) for loss in several]
    unknown = open_backward.dispatch(object), _of_several
    for loss, opener in zip(several, openers, strict=True):
        if opener in unknown:
            raise TypeError(
                f"cannot step the backward of several losses, one of which is {_type_of(loss)}: "
                f"{_expected()}"
            )
        if opener is not openers[0]:
            raise TypeError(
                f"cannot step the backward of {_type_of(several[0])} and {_type_of(loss)} as one: "
                "different engines run them; debug each by itself"
            )
    return openers[0](several, options)


_NOT_ENGINES = object, list, tuple


class Picturable(Protocol):
    """The drawable part of a graph that is not run."""

    def graph(self, title: str) -> model.Graph:
        """All of it, as it is now."""
        ...

    def timeline(self, value: Any) -> model.Storage:
        """The life of the memory that a tensor lives in."""
        ...


@singledispatch
def open_picture(
    tensors: Any, names: Mapping[int, str], limit: int | None = None, *, bare: bool = False
) -> Picturable:
    """The graph of a tensor, of several in a list, or of a node: at most `limit` nodes.

    Raises RuntimeError for a tensor without history, unless that is allowed (`bare`), where the graph has no
    nodes then; TypeError for what no engine knows.
    """
    if isinstance(tensors, list | tuple) and tensors:
        several = cast("Sequence[Any]", tensors)
        engine = open_picture.dispatch(type(several[0]))
        if engine is not open_picture.dispatch(object):
            return engine(several, names, limit, bare=bare)
        tensors = several[0]
    expected = f"expected a Tensor (or a node), got {type(cast('object', tensors)).__name__}"
    if engines_registered():
        return open_picture(tensors, names, limit, bare=bare)
    raise TypeError(expected)


def _expected() -> str:
    known = ", ".join(sorted(map(_named, known_types())))
    return "expected a tensor, or several in a list" + (f" ({known})" if known else "")


def _type_of(value: object) -> str:
    return _named(type(value))


def _named(kind: type) -> str:
    name = kind.__qualname__
    return name if kind.__module__ == "builtins" else f"{kind.__module__}.{name}"
