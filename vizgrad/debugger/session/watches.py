"""The watch list of a session: expressions that are computed anew wherever the run stands.

An expression is written like a condition (`breakpoints/conditions.py`): it is interpreted, read-only, over
the node that runs next and the user's variables. Nothing is computed before someone asks for the values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from vizgrad.debugger import model
from vizgrad.debugger.expressions import Elements, Expression, parse
from vizgrad.debugger.session.breakpoints.conditions import ConditionNames
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.run_control import RunControl
from vizgrad.debugger.session.values import in_words, summary_of

#: Expressions that a session may watch.
MOST_WATCHED = 100
EXAMPLE = "'w.grad.norm()', 'loss' or 'grad.max()'"

Names = Callable[[], Mapping[str, Any]]


class SessionWatches(Sequence[model.Watched]):
    """The expressions that the user watches: a sequence with their values where the run stands now.

    Reading one computes all of them: it takes a pass over each tensor, changes no value, version or lifetime,
    and records no node.
    """

    def __init__(self, control: RunControl) -> None:
        self._control = control
        self._expressions = control.watches

    def add(self, expression: str) -> model.Watched:
        """Watches an expression, from now on: ``"w.grad.norm()"``, ``"loss"``, ``"grad.max()"``.

        Its names are those of a condition (see `Session.break_at`). One without a value here is kept, with
        the reason. ValueError for a text that is no expression, and beyond 100 of them; SessionClosed after
        `Session.close`.
        """
        parsed = _parsed(expression)
        with self._control.owned():
            live = self._control.live()
            if len(self._expressions) >= MOST_WATCHED:
                raise ValueError(f"{MOST_WATCHED} expressions are watched: remove one first")
            number = max(self._expressions, default=0) + 1
            self._expressions[number] = parsed
            self._control.publish(live, live.position)
            return watched(number, parsed, self._names(live))

    def value_of(self, expression: str) -> model.Watched:
        """The value of an expression where the run stands, without watching it; its number is 0. Raises as
        `add`.
        """
        parsed = _parsed(expression)
        with self._control.owned():
            return watched(0, parsed, self._names(self._control.live()))

    def edit(self, number: int, expression: str) -> model.Watched:
        """Puts another expression in the place of one. ValueError as `add`, and if there is none of this
        number.
        """
        parsed = _parsed(expression)
        with self._control.owned():
            live = self._control.live()
            self._known(number)
            self._expressions[number] = parsed
            self._control.publish(live, live.position)
            return watched(number, parsed, self._names(live))

    def remove(self, number: int) -> None:
        """ValueError if there is none of this number."""
        with self._control.owned():
            live = self._control.live()
            self._known(number)
            del self._expressions[number]
            self._control.publish(live, live.position)

    def clear(self) -> None:
        """Removes all of them."""
        with self._control.owned():
            live = self._control.live()
            self._expressions.clear()
            self._control.publish(live, live.position)

    def _known(self, number: int) -> None:
        if number not in self._expressions:
            raise ValueError(f"there is no watched expression {number}")

    def _names(self, live: Live) -> Names:
        return lambda: names_at(self._control, live)

    def _all(self) -> tuple[model.Watched, ...]:
        if not self._expressions:
            return ()
        with self._control.owned():
            state = self._control.state
            names = self._names(state) if isinstance(state, Live) else _closed
            return tuple(watched(*each, names) for each in self._expressions.items())

    # --- a sequence -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._expressions)

    def __iter__(self) -> Iterator[model.Watched]:
        return iter(self._all())

    @overload
    def __getitem__(self, index: int) -> model.Watched: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[model.Watched, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._all()[index]

    def __eq__(self, other: object) -> bool:
        return self._all() == (other._all() if isinstance(other, SessionWatches) else other)

    __hash__ = None  # type: ignore[assignment]  # their values change

    def __repr__(self) -> str:
        return repr(self._all())


def _parsed(text: str) -> Expression:
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  a user's call
        raise TypeError(f"an expression is a text, like {EXAMPLE}, not {text!r}")
    return parse(text, what="expression", example=EXAMPLE)


def _closed() -> Mapping[str, Any]:
    raise ValueError("the session is closed")


def names_at(control: RunControl, live: Live) -> Mapping[str, Any]:
    """The names of an expression where the run stands: those of a condition before the node that runs next.
    At the end of the run there is no such node, and its names are None.
    """
    current, position = live.current, live.position
    if current is None:
        nothing = dict.fromkeys(("grad", "out", "node", "name", "iteration"))
        variables = control.variables()
        return {**variables, **nothing, "position": position, "nonfinite": False} | (
            {} if "step" in variables else {"step": position}
        )
    return ConditionNames(control.points.facts_before(current, position))


def watched(number: int, expression: Expression, names: Names) -> model.Watched:
    """The value of an expression, or why it has none."""
    text = expression.text
    try:
        value = expression.value(names())
        summary = summary_of(value) if isinstance(value, Elements) else None
    except Exception as error:  # noqa: BLE001  an engine's: it stands beside its expression
        why = str(error).removeprefix(f"{text!r} has no value: ").partition("\n")[0]
        return model.Watched(number, text, error=why or type(error).__name__)
    return model.Watched(number, text, "" if summary is not None else in_words(value), summary)
