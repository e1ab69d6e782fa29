"""Gradients that a Function of PyTorch's computes of inputs that need none, as in
`vizgrad.debugger.check`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch

from vizgrad.core.errors import Explanation, Place, place_of, returning_place
from vizgrad.debugger.check.backwards import Needless, needless, recorded, told
from vizgrad.debugger.engines.pytorch.example import Call, Trace, argument, code_of


def found(
    cls: Any, inputs: tuple[Any, ...], values: list[Any], wants: list[bool]
) -> Iterator[Explanation]:
    """Those that cost more than a pass over elements, each with the line that computes it."""
    positions = [n for n, each in enumerate(inputs) if isinstance(each, torch.Tensor)]
    known: set[int] = set()
    for chosen in [n for n, wanted in enumerate(wants) if wanted] if len(positions) > 1 else ():
        alone = [n == chosen for n in range(len(wants))]
        for each, place in _where_it_is_needed_alone(
            Call(cls, inputs, values, alone), positions, chosen
        ):
            if each.product is not None and each.input not in known:
                known.add(each.input)
                name = argument(cls, each.input, inputs)
                yield told(cls.__name__, name, positions[each.input], place)


def _where_it_is_needed_alone(
    call: Call, positions: list[int], chosen: int
) -> list[tuple[Needless, Place | None]]:
    name = "vjp" if code_of(call.cls, "backward") is None else "backward"
    backward = inspect.unwrap(getattr(call.cls, name))
    if call.node is None:
        return []
    given = [
        torch.randn_like(each).requires_grad_() if each.requires_grad else torch.zeros_like(each)
        for each in call.results
    ]
    since = torch.ones(1, requires_grad=True).clone().grad_fn._sequence_nr()  # pyright: ignore[reportOptionalMemberAccess]
    trace = Trace(call.cls)
    try:
        with trace:
            made = backward(call.node, *given)
    except Exception:  # noqa: BLE001  a person's code, which may not be differentiable itself
        return []
    made = made if isinstance(made, tuple) else (made,)
    if len(made) <= positions[-1]:
        return []
    told_of: list[tuple[Needless, Place | None]] = []
    for each in needless([made[at] for at in positions], chosen, since):
        number = None if each.product is None else each.product._sequence_nr()
        sites = [done.site for done in trace.done if number in recorded(done.made, since)]
        place = place_of(sites[0]) if sites else returning_place(backward)
        told_of.append((each, place))
    return told_of
