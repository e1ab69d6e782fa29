"""How deep containers lie in one another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pickle import UnpicklingError
from typing import Any

from vizgrad.core.arrays.budget import Budget
from vizgrad.core.tensor.tensor import Tensor

#: Python writes no pickle of a deeper nesting: it gives up at its limit of recursion.
MOST = 1000
#: What the search keeps for a container.
_COST = 100


def check_nesting(root: Any, budget: Budget) -> None:
    """UnpicklingError when anything that walks over `root` by recursion would go deeper than `MOST`."""
    height: dict[
        int, int
    ] = {}  # of what was left; 0 where the walk is inside: a circle is no depth
    path: list[tuple[Any, Iterator[Any]]] = []
    below = [0]

    def enter(found: Any, inner: Iterable[Any]) -> None:
        budget.spend(_COST)
        height[id(found)] = 0
        path.append((found, iter(inner)))
        below.append(0)

    first = _inside(root)
    if first is not None:
        enter(root, first)
    while path:
        found, inner = path[-1]
        for item in inner:
            inside = _inside(item)
            if inside is None:
                continue
            known = height.get(id(item))
            if known is None:
                enter(item, inside)
                break
            below[-1] = max(below[-1], known)
        else:
            path.pop()
            height[id(found)] = tall = below.pop() + 1
            below[-1] = max(below[-1], tall)
        if len(path) + below[-1] > MOST:
            raise UnpicklingError(
                "Weights only load failed: containers lie in one another more than "
                f"{MOST} deep, as nothing that was saved does"
            )


def _inside(found: Any) -> Iterable[Any] | None:
    """What a container holds; None for what is none."""
    if isinstance(found, dict):
        state = getattr(found, "__dict__", None)
        return (*found.values(), state) if state else found.values()
    if isinstance(found, (list, tuple)):
        return found
    if isinstance(found, Tensor):
        return (found.__dict__,) if found.__dict__ else None
    return None
