"""Ways to a gradient or value that is not finite, of which nobody noted why. Each takes an engine, PyTorch or
vizgrad, and gives the answer of `why`; `SAID` is what that must say.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan
from typing import Any

import vizgrad as vg
from vizgrad.core.errors import Explanation

Way = Callable[[Any], Explanation]


def leaf(engine: Any) -> Any:
    return engine.tensor([0.0, 4.0], requires_grad=True)


def unwatched(engine: Any) -> Explanation:
    x = leaf(engine)
    (x.sqrt() * x).sum().backward()
    return vg.why(x)


def of_a_graph_that_is_kept(engine: Any) -> Explanation:
    x = leaf(engine)
    (x.sqrt() * x).sum().backward(retain_graph=True)
    return vg.why(x)


def infinite(engine: Any) -> Explanation:
    x = leaf(engine)
    x.sqrt().sum().backward()
    return vg.why(x)


def both(engine: Any) -> Explanation:
    x = leaf(engine)
    (x * 2).sum().backward()
    x.grad.mul_(engine.tensor([inf, nan]))
    return vg.why(x)


def of_what_is_no_leaf(engine: Any) -> Explanation:
    x = leaf(engine)
    root = x.sqrt()
    root.retain_grad()
    (root * nan).sum().backward()
    return vg.why(root)


def assigned(engine: Any) -> Explanation:
    x = leaf(engine)
    x.grad = engine.tensor([nan, 1.0])
    return vg.why(x)


def written_unwatched(engine: Any) -> Explanation:
    x = leaf(engine)
    (x * x).sum().backward()
    x.grad.mul_(nan)
    return vg.why(x)


def written_after_the_watch(engine: Any) -> Explanation:
    x = leaf(engine)
    with vg.watch():
        (x * x).sum().backward()
    x.grad.mul_(nan)
    return vg.why(x)


def written_past_its_counter(engine: Any) -> Explanation:
    x = leaf(engine)
    with vg.watch():
        (x * x).sum().backward()
        x.grad.data.mul_(nan)
    return vg.why(x)


def written_after_two_backwards(engine: Any) -> Explanation:
    x = leaf(engine)
    with vg.watch():
        (x * x).sum().backward()
        (x * x).sum().backward()
    x.grad.mul_(nan)
    return vg.why(x)


def written_in_the_watch(engine: Any) -> Explanation:
    x = leaf(engine)
    with vg.watch():
        (x * x).sum().backward()
        x.grad.mul_(nan)
    return vg.why(x)


def the_gradient_itself_written(engine: Any) -> Explanation:
    x = leaf(engine)
    with vg.watch():
        (x * x).sum().backward()
        x.grad.mul_(nan)
    return vg.why(x.grad, name="x.grad")


def by_a_session_that_is_closed(engine: Any) -> Explanation:
    with vg.watch():
        x = leaf(engine)
        with vg.debug((x.sqrt() * x).sum(), display=False) as session:
            session.continue_()
            session.continue_()
    return vg.why(x)


def given(engine: Any) -> Explanation:
    x = leaf(engine)
    with vg.watch():
        (x * 2).sum().backward(engine.tensor(inf))
    return vg.why(x)


def a_value_written_after_the_watch(engine: Any) -> Explanation:
    with vg.watch():
        value = engine.ones(3) * 2
    value[0] = inf
    return vg.why(value)


def within_vmap(engine: Any) -> Explanation:
    """Of a value that is not finite, and cannot be read."""
    told: list[Explanation] = []

    def logarithm(row: Any) -> Any:
        inside = row.log().sum()
        told.append(vg.why(inside))
        return inside

    engine.vmap(logarithm)(-engine.ones(4, 3))
    return told[0]


_UNNOTED = "nothing was noted of the backward that made them"
_FINITE = "brought finite numbers: "
_SINCE = "something has written to it since."
#: What `why` says in each case.
SAID: dict[Way, tuple[str, ...]] = {
    unwatched: ("`x.grad` has 1 NaN of 2 elements; ", f"{_UNNOTED}."),
    of_a_graph_that_is_kept: ("`x.grad` has 1 NaN of 2 elements; ", f"{_UNNOTED}."),
    infinite: ("`x.grad` has 1 infinite of 2 elements; ", f"{_UNNOTED}."),
    both: ("`x.grad` has 1 NaN and 1 infinite of 2 elements; ", f"{_UNNOTED}."),
    of_what_is_no_leaf: ("`root.grad` has 2 NaN of 2 elements; ", f"{_UNNOTED}."),
    assigned: ("`x.grad` has 1 NaN of 2 elements; ", f"{_UNNOTED}."),
    written_unwatched: ("`x.grad` has 2 NaN of 2 elements; ", f"{_UNNOTED}."),
    written_after_the_watch: ("`x.grad` has 2 NaN of 2 elements; ", f"{_FINITE}{_SINCE}"),
    written_past_its_counter: ("`x.grad` has 2 NaN of 2 elements; ", f"{_FINITE}{_SINCE}"),
    written_after_two_backwards: (
        "`x.grad` has 2 NaN of 2 elements; ", f"{_FINITE}they were there before, or {_SINCE}",
    ),
    written_in_the_watch: ("`x.grad.mul_(nan)` made NaN on line ",),
    the_gradient_itself_written: ("`x.grad.mul_(nan)` made NaN on line ",),
    by_a_session_that_is_closed: (
        "`x.grad` has 1 NaN of 2 elements; ",
        f"{_UNNOTED}: it ran outside the watch, on another thread, or in a debugging session.",
    ),
    given: ("`x.grad` has 2 infinite of 2 elements; ", "none of the operations in it made them of finite"),
    a_value_written_after_the_watch: ("`value`",),
}  # fmt: skip


def is_said(way: Way, engine: Any) -> None:
    found = way(engine)
    assert found, way.__name__
    assert found.kind in ("nonfinite-backward", "nonfinite-forward")
    for part in SAID[way]:
        assert part in found.story
    assert "where `x.grad` is nan" not in found.story  # that is what it is now, and no cause
    assert found.fix


def is_said_to_be_unread(found: Explanation) -> None:
    assert not found  # no fault was found, and it is not said that there is none
    assert found.story.startswith(
        "The values of `inside` cannot be read here, so nothing is known about them: "
    )
    assert found.heading == "Values cannot be read"
