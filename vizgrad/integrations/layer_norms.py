"""The numbers that writers write: norms layer by layer, and findings that are new."""

from __future__ import annotations

from collections.abc import Iterable
from math import isinf
from typing import Any

from vizgrad.core.arrays.magnitude import together


def layer_norms(model: Any) -> dict[str, float]:
    """For each module with parameters of its own, "weight_norm/NAME", and "grad_norm/NAME" where there are
    gradients: the norm of all its parameters together. The module itself is called "model".

    `model` is a module of vizgrad or PyTorch. Nothing is recorded or changed.
    """
    found: dict[str, float] = {}
    for name, module in model.named_modules():
        own = list(module.parameters(recurse=False))
        if own:
            found[f"weight_norm/{name or 'model'}"] = _norm(own)
        if grads := [param.grad for param in own if param.grad is not None]:
            found[f"grad_norm/{name or 'model'}"] = _norm(grads)
    return found


def _norm(tensors: Iterable[Any]) -> float:
    """The norm of the elements of all, as the curves of a watch have it."""
    return together([_norm_of(each.detach()) for each in tensors])


def _norm_of(tensor: Any) -> float:
    norm = float(tensor.norm())
    # the squares of large numbers of single precision have no room there
    return float(tensor.double().norm()) if isinf(norm) else norm


class NewFindings:
    """Tells each finding of a watch once."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def of(self, watch: Any) -> list[Any]:
        """The explanations (`vizgrad.core.errors.Explanation`) that were not told before."""
        fresh: list[Any] = []
        for found in () if watch is None else watch.findings:
            key = found.kind, str(found.culprit or found.tensor)
            if key not in self._told:
                self._told.add(key)
                fresh.append(found)
        return fresh
