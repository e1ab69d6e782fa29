"""What a custom Function of PyTorch's can do, by running it on an example: `vizgrad.card` and `check`."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from vizgrad.core.errors import class_place
from vizgrad.debugger.check.checks import apart
from vizgrad.debugger.engines.api.capabilities import Capability, CapabilityCard
from vizgrad.debugger.engines.pytorch import abilities
from vizgrad.debugger.engines.pytorch.function_runs import Examined
from vizgrad.debugger.engines.pytorch.torch_names import dtype_of


def card(function: Any, *inputs: Any) -> CapabilityCard:
    """See `vizgrad.card`. Raises what forward raises on the example."""

    def work() -> tuple[Capability, ...]:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings(), torch.enable_grad():
            warnings.simplefilter("ignore")
            examined = Examined(function, inputs)
            first = (examined.forward(), examined.backward(), examined.double_backward())
            return (*first, *abilities.all_of(examined))

    said = ", ".join(map(_said, inputs))
    return CapabilityCard(function.__name__, said, apart(work), class_place(function))


def _said(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{dtype_of(value)}{list(value.shape)}"
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
