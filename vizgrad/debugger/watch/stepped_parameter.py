"""One parameter of an optimizer: what its steps did to it, in a few numbers."""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.watch.grad_history import Leaf


class Parameter:
    """One parameter of an optimizer."""

    __slots__ = (
        "finite", "frozen", "frozen_at", "leaf", "long", "long_at", "longest", "optimizer", "site", "steps",
        "tensor", "wanted", "without", "worst",
    )  # fmt: skip

    def __init__(self, tensor: Any, leaf: Leaf, optimizer: str) -> None:
        self.tensor = weakref.ref(tensor)
        self.leaf = leaf
        self.optimizer = optimizer
        #: Does it require grad?
        self.wanted = True
        #: Steps, and how many of them found no gradient.
        self.steps = self.without = 0
        #: Steps that changed most of it, where the longest was, and how long.
        self.long = 0
        self.site: Site | None = None
        self.worst = 0.0
        #: The longest in more detail; and when the first of them was.
        self.longest: Long | None = None
        self.long_at = 0
        #: Steps that left it finite.
        self.finite = 0
        #: Steps that changed it though it does not require grad, by a gradient of before.
        self.frozen = 0
        #: Where it was told last to want no gradient, if that was heard.
        self.frozen_at: Site | None = None


class Long(NamedTuple):
    """Step number `step` of an optimizer, from 1, changed a parameter of its group `group`, from 1 (of
    `groups`), by most of its size.
    """

    step: int
    rate: float | None
    group: int
    groups: int
    before: float
    after: float
