"""What steps of optimizers do to parameters, and how the loss goes: in a few numbers each."""

from __future__ import annotations

import weakref
from typing import Any

from vizgrad.core.arrays.magnitude import size
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.engines.vizgrad.variable_names import names_around
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.grad_history import Gradients, Leaf
from vizgrad.debugger.watch.tensor_adapter import Look

#: Elements of a parameter that are compared before and after a step.
_LOOKED_AT = 64
#: The step of an optimizer at which its parameters are asked for their names.
_NAMED_AT = 2


class Parameter:
    """One parameter of an optimizer."""

    __slots__ = (
        "leaf", "long", "optimizer", "site", "steps", "tensor", "wanted", "without", "worst"
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


class Steps:
    """The steps of one optimizer."""

    __slots__ = ("in_vain", "leaves", "site", "title", "useful")

    def __init__(self, title: str, leaves: list[Leaf]) -> None:
        self.title = title
        self.leaves = leaves
        #: Steps that found a gradient of some parameter, and those that found none.
        self.useful = self.in_vain = 0
        #: Where the last of these was.
        self.site: Site | None = None


class Training:
    def __init__(self, look: Look) -> None:
        #: Optimizer -> its steps.
        self.optimizers: weakref.WeakKeyDictionary[Any, Steps] = weakref.WeakKeyDictionary()
        self._steps: Steps | None = None
        self._look = look
        self.parameters: dict[int, Parameter] = {}
        #: Line of a loss -> the first value that was run backward, the last, and how many.
        self.losses: dict[tuple[int, int], tuple[float, float, int]] = {}
        self._stepping = False

    def before(
        self, optimizer: Any, gradients: Gradients
    ) -> list[tuple[Parameter, Any, Any]] | None:
        """A step begins: samples of its parameters. None within another step."""
        if self._stepping:
            return None
        self._stepping = True
        found: list[tuple[Parameter, Any, Any]] = []
        named = not self.parameters
        for group in optimizer.param_groups:
            for tensor in group["params"]:
                known = self.parameters.get(id(tensor))
                if known is None or known.tensor() is not tensor:
                    leaf, title = gradients.of(tensor), type(optimizer).__name__
                    known = self.parameters[id(tensor)] = Parameter(tensor, leaf, title)
                known.steps += 1
                known.wanted = tensor.requires_grad
                named = named or known.steps != _NAMED_AT
                if self._look.grad(tensor) is None:
                    known.without += 1
                else:
                    found.append((known, tensor, self._sample(tensor)))
        self._steps = self._steps_of(optimizer)
        if not named:
            names = names_around(kinds=self._look.kinds)
            for leaf in gradients.all():
                leaf.name = names.get(leaf.key, "") or leaf.name
        return found

    def _steps_of(self, optimizer: Any) -> Steps:
        known = self.optimizers.get(optimizer)
        if known is None:
            tensors = [tensor for group in optimizer.param_groups for tensor in group["params"]]
            leaves = [self.parameters[id(tensor)].leaf for tensor in tensors]
            known = self.optimizers[optimizer] = Steps(type(optimizer).__name__, leaves)
        return known

    def ended(self) -> None:
        self._stepping = False

    def after(self, before: list[tuple[Parameter, Any, Any]], site: Site | None) -> None:
        if self._steps is not None:
            if before:
                self._steps.useful += 1
            else:
                self._steps.in_vain += 1
                self._steps.site = site
        for known, tensor, was in before:
            now = None if was is None else self._sample(tensor)
            if was is None or now is None or now.shape != was.shape:
                continue
            length, old = size(now - was), size(was)
            # what begins at zero moves by more than its size once
            if 0.0 < old < 2.0 * length < float("inf") and known.steps > 1:
                known.long += 1
                if length / old > known.worst:
                    known.worst, known.site = length / old, site

    def ran(self, run: Run) -> None:
        """A backward began from these roots."""
        for root in run.roots:
            tensor = root.tensor()
            if tensor is None or root.site is None or self._look.kind(tensor) != "f":
                continue
            values = self._look.array(tensor)
            if values.size != 1:
                continue
            key = id(root.site[0]), root.site[1]
            value = float(values.reshape(()))
            first, _, count = self.losses.get(key, (value, value, 0))
            self.losses[key] = first, value, count + 1

    def _sample(self, tensor: Any) -> Any:
        """Some elements, spread evenly: a copy."""
        if self._look.kind(tensor) != "f":
            return None
        return self._look.sample(tensor, _LOOKED_AT)
