"""The loop of a recurrent layer over time, in either direction.

Of packed sequences fewer go on at later times: going forwards the state loses the rows that have ended,
going backwards it gains those that begin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.core.ops.joining import cat_any

State = tuple[Any, ...]
Step = Callable[[Any, State], State]


def forwards(times: Any, state: State, step: Step) -> tuple[list[Any], State]:
    """(output of each time, the last state of each row)."""
    outputs: list[Any] = []
    ended: list[State] = []
    rows = state[0].shape[0]
    for x in times:
        if x.shape[0] < rows:
            ended.append(tuple(s[x.shape[0] :] for s in state))
            rows = x.shape[0]
            state = tuple(s[:rows] for s in state)
        state = step(x, state)
        outputs.append(state[0])
    if not ended:
        return outputs, state
    parts = [state, *reversed(ended)]
    return outputs, tuple(cat_any(list(pieces), 0) for pieces in zip(*parts, strict=True))


def backwards(times: Any, start: State, step: Step) -> tuple[list[Any], State]:
    """The same from the last time to the first; outputs are in the order of `times`."""
    outputs: list[Any] = []
    rows = times[-1].shape[0]
    state = start if rows == start[0].shape[0] else tuple(s[:rows] for s in start)
    for x in reversed(times):
        if x.shape[0] > rows:
            begun = [s[rows : x.shape[0]] for s in start]
            rows = x.shape[0]
            state = tuple(cat_any([s, b], 0) for s, b in zip(state, begun, strict=True))
        state = step(x, state)
        outputs.append(state[0])
    return outputs[::-1], state
