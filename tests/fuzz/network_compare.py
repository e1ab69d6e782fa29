"""Where two runs of a network differ; what is rounding; the smallest network that fails."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from tests.fuzz.compare import Difference, agree, off
from tests.fuzz.network_run import observed
from tests.fuzz.networks import Network, simpler

#: Networks tried at most while one is made smaller.
TRIES = 300


def kind_of(found: Difference) -> str:
    """What differs, without names of modules: `gradient of m0.weight later` is `gradient`."""
    return found.kind if "raises" in found.what else found.what.split(" ")[0]


def differences(torch: Any, vizgrad: Any, network: Network) -> list[Difference]:
    """The first that differs and is not rounding."""
    theirs, ours = observed(torch, network), observed(vizgrad, network)
    for what in [*theirs, *(w for w in ours if w not in theirs)]:
        there, here = theirs.get(what), ours.get(what)
        if (
            "raises" in (set(theirs) ^ set(ours))
            and what != "raises"
            and (what in theirs) != (what in ours)
        ):
            continue  # one has come farther; that it was refused is what differs
        if "raises" in theirs and "raises" in ours and (what in theirs) != (what in ours):
            # both are refused, but one has come farther
            refusals = (seen["raises"] if what not in seen else None for seen in (theirs, ours))
            return [Difference("raises", *refusals)]
        if network.autocast and what.startswith("state"):
            continue  # steps by optimizers that look at the sign make much of the last digit of a bfloat16
        # a loss is a sum of terms of about 1
        if agree(
            there,
            here,
            1e-9 if network.dtype == "float64" else 1e-5,
            1.0 if "loss" in what else 1e-3,
        ):
            continue
        found = Difference(what, there, here)
        if not _numbers(found):
            return [] if _allowed(torch, vizgrad, network, found) else [found]
        if _of_noise(network, found, theirs):
            return []  # what comes after it differs, too
        if what.endswith("later") and off(here, there) <= 100 * _stepped_apart(
            network, theirs, ours
        ):
            continue
        if rounding(torch, vizgrad, network, found, theirs, ours):
            continue
        return [] if _written_out(torch, network, found) else [found]
    return []


def _written_out(torch: Any, network: Network, found: Difference) -> bool:
    """PyTorch has what vizgrad has if its batch norm, hardtanh and shrinking functions are written out.

    The second derivative of its batch norm differs from quotients of differences where a channel has few values,
    and reads the memory of a transposed operand wrongly; the derivative of the others at NaN is 0 for those of many
    elements that are taken together, and 1 for the rest.
    """
    functional, hardtanh = torch.nn.functional, ("hardtanh", partial(_hardtanh, torch))
    softshrink, hardshrink = (
        (name, partial(_shrunk, torch, soft))
        for name, soft in (("softshrink", 1), ("hardshrink", 0))
    )
    written = {
        "BatchNorm": ("batch_norm", _batch_norm), "Hardtanh": hardtanh, "ReLU6": hardtanh,
        "Softshrink": softshrink, "Hardshrink": hardshrink,
    }  # fmt: skip
    made = " ".join(each for each, _ in network.layers)
    changed = dict(own for layer, own in written.items() if layer in made)
    before = {name: getattr(functional, name) for name in changed}
    try:
        for name, own in changed.items():
            setattr(functional, name, own)
        there = observed(torch, network).get(found.what) if changed else None
    finally:
        for name, own in before.items():
            setattr(functional, name, own)
    near = 1e-8 if network.dtype == "float64" else 1e-5
    return bool(changed) and agree(there, found.ours, near, 1e-3)


def _hardtanh(
    torch: Any, x: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Any:
    """`F.hardtanh`, whose derivative is 0 beyond the bounds alone."""
    y = torch.where(x <= min_val, min_val, torch.where(x >= max_val, max_val, x))
    return x.copy_(y) if inplace else y


def _shrunk(torch: Any, soft: int, x: Any, lambd: float = 0.5) -> Any:
    """`F.softshrink`, or `F.hardshrink`, whose derivative is 0 between the bounds alone."""
    away = torch.where(x > lambd, x - soft * lambd, x + soft * lambd)
    return torch.where((x >= -lambd) & (x <= lambd), 0.0, away)


def _batch_norm(
    x: Any, running_mean: Any, running_var: Any, weight: Any = None, bias: Any = None,
    training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Any:  # fmt: skip
    """`F.batch_norm` of arithmetic alone (Ioffe and Szegedy 2015, algorithm 1)."""
    dims = [d for d in range(x.ndim) if d != 1]
    wide = [1, -1, *[1] * (x.ndim - 2)]
    if training:
        mean = x.mean(dims)
        var = (x - mean.reshape(wide)).square().mean(dims)
        count = x.numel() / x.shape[1]
        for running, new in (
            (running_mean, mean),
            (running_var, var * (count / max(count - 1, 1))),
        ):
            if running is not None:
                running.copy_((1 - momentum) * running + momentum * new.detach())
    else:
        mean, var = running_mean, running_var
    y = (x - mean.reshape(wide)) / (var.reshape(wide) + eps).sqrt()
    y = y if weight is None else y * weight.reshape(wide)
    return y if bias is None else y + bias.reshape(wide)


def _of_noise(network: Network, found: Difference, theirs: dict[str, Any]) -> bool:
    """Parameters that differ only where their gradient is what is left of a sum that cancels.

    Many optimizers divide a gradient by its size, however small that is.
    """
    name = found.what.removeprefix("state ").removesuffix(" later")
    if name == found.what:
        return False
    near = 1e-9 if network.dtype == "float64" else 1e-5
    unequal = ~np.isclose(found.theirs, found.ours, near, near / 1e3, equal_nan=True)
    return any(bool(where[unequal].all()) for where in _cancelled(network, name, theirs, unequal))


def _cancelled(
    network: Network, name: str, theirs: dict[str, Any], like: Any
) -> list[np.ndarray[Any, Any]]:
    """Where the gradients of parameter `name` are what is left of sums that cancel, one array for each step."""
    nothing = 1e-8 if network.dtype == "float64" else 1e-7
    gradients = [theirs.get(f"gradient of {name}{when}") for when in ("", " later")]
    return [
        np.abs(g) < nothing
        for g in gradients
        if isinstance(g, np.ndarray) and g.shape == like.shape
    ]


def _stepped_apart(network: Network, theirs: dict[str, Any], ours: dict[str, Any]) -> float:
    """How far the first step has moved parameters apart whose gradient is what is left of a sum that cancels."""
    largest = 0.0
    for what, there in theirs.items():
        here, name = ours.get(what), what.removeprefix("state ")
        if name == what or what.endswith("later") or not isinstance(here, np.ndarray):
            continue
        for where in _cancelled(network, name, theirs, there)[:1]:
            largest = max(largest, _step(there[where], here[where]))
    return largest


#: What writes, and the same that does not.
_WRITES = {"inplace=True": "inplace=False", "leaky_relu_(": "leaky_relu(", "tanh_(": "tanh(", "x.mul_(": "x.mul(", "x += 0.1": "x = x + 0.1", "h += x": "h = h + x"}  # fmt: skip


def _unwritten(text: str) -> str:
    for writes, plain in _WRITES.items():
        text = text.replace(writes, plain)
    return text


def _allowed(torch: Any, vizgrad: Any, network: Network, found: Difference) -> bool:
    """PyTorch refuses a write that vizgrad allows, and gradients are those of the network that writes nothing."""
    if "inplace" not in str(found.theirs) or found.ours is not None:
        return False
    layers = tuple((_unwritten(made), _unwritten(line)) for made, line in network.layers)
    plain = replace(network, layers=layers)
    return plain != network and not differences(torch, vizgrad, plain)


def _numbers(found: Difference) -> bool:
    both = (found.theirs, found.ours)
    return (
        all(isinstance(v, np.ndarray) and v.dtype.kind == "f" for v in both)
        and found.theirs.shape == found.ours.shape
    )


def rounding(
    torch: Any, vizgrad: Any, network: Network, found: Difference, theirs: dict[str, Any], ours: dict[str, Any]
) -> bool:  # fmt: skip
    """Do they differ by no more than either does when last digits of what is given change, or from double precision?"""
    what, unit = found.what, 1e-10
    with np.errstate(all="ignore"):
        apart = off(found.ours, found.theirs)
        scale = float(np.abs(found.theirs[np.isfinite(found.theirs)]).max(initial=0.0))
        if network.dtype != "float64":
            truth = observed(torch, replace(network, dtype="float64", autocast=False)).get(what)
            if isinstance(truth, np.ndarray) and truth.shape == found.theirs.shape:
                digits = 8e-3 if network.autocast else 1.2e-7
                # of equal elements a normalization makes their last digit over the root of its eps
                normalized = any("Norm" in made for made, _ in network.layers)
                least = (256 if normalized else 16) * digits * max(scale, 1.0)
                if off(found.ours, truth) <= 10 * off(found.theirs, truth) + least:
                    return True
                if off(found.ours, truth) <= 10 * _usual_error(torch, network, what) + least:
                    return True
        moved = 0.0
        for seed in (1, 2, 3):
            for module, before in ((torch, theirs), (vizgrad, ours)):
                after = observed(
                    module, replace(network, dtype="float64", autocast=False), seed
                ).get(what)
                plain = (
                    before.get(what)
                    if network.dtype == "float64"
                    else observed(module, replace(network, dtype="float64", autocast=False)).get(
                        what
                    )
                )
                moved = max(moved, _step(after, plain))
        # by how much a last digit is larger than those that were changed
        grown = 2e13 if network.autocast else 1.0 if network.dtype == "float64" else 3e8
    return apart <= 100 * moved * grown + unit * scale


def _step(one: Any, other: Any) -> float:
    """How far two arrays are apart; 0 where they cannot be compared, or not by a finite number."""
    both = isinstance(one, np.ndarray) and isinstance(other, np.ndarray)
    apart = off(one, other) if both and one.shape == other.shape else 0.0
    return apart if np.isfinite(apart) else 0.0


def _usual_error(torch: Any, network: Network, what: str) -> float:
    """How far PyTorch is from double precision when last digits of what is given change: it may be exact by chance."""
    wide = replace(network, dtype="float64", autocast=False)
    largest, part = 0.0, 8e-3 if network.autocast else 2e-7
    for seed in (1, 2, 3):
        there, truth = (observed(torch, each, seed, part).get(what) for each in (network, wide))
        largest = max(largest, _step(there, truth))
    return largest


def smallest(torch: Any, vizgrad: Any, network: Network, kind: str) -> Network:
    def fails(smaller: Network) -> bool:
        found = differences(torch, vizgrad, smaller)
        return bool(found) and kind_of(found[0]) == kind

    tries, going = 0, True
    while going:
        going = False
        for smaller in simpler(torch, network):
            tries += 1
            if tries > TRIES:
                return network
            if fails(smaller):
                network, going = smaller, True
                break
    return network


def told(network: Network, found: Difference, seed: object) -> str:
    """A program that runs on both, and what differs."""
    lines = [
        "import torch  # or: import vizgrad as torch",
        "from tests.fuzz.network_run import scope",
        "seen = {}; globals().update(scope(torch, seen))",
    ]
    text = "\n".join([*lines, *network.source(), f"print(seen.get({found.what!r}))"])
    return f"--- network: {kind_of(found)}   (seed {seed})\n{text}\n  differs in {found}\n"
