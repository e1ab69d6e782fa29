"""Numbers that networks are given, the same on both libraries; and one run of a network."""

from __future__ import annotations

import copy
import zlib
from typing import Any

import numpy as np

from tests.fuzz.observe import array, unwarned


def values(shape: Any, seed: int = 0) -> Any:
    return np.random.default_rng([seed, *shape]).standard_normal(shape)


def scope(
    module: Any, seen: dict[str, Any], shaken: int = 0, part: float = 4e-16
) -> dict[str, Any]:
    """The names that a network's program uses. `shaken` changes a `part` of what is given: its last digits."""

    def moved(made: Any) -> Any:
        if shaken:
            signs = np.random.default_rng(shaken).integers(0, 2, made.shape) * 2 - 1
            made = made * (1 + signs * part)
        return made

    def numbers(shape: Any, dtype: Any) -> Any:
        return module.from_numpy(np.asarray(moved(values(shape)))).to(dtype)

    def fixed(like: Any) -> Any:
        """Numbers between 0.5 and 1.5."""
        made = module.from_numpy(np.asarray(1 + 0.5 * np.sin(values(tuple(like.shape), 2) * 9)))
        return made.to(like.dtype)

    def labels(like: Any) -> Any:
        return module.arange(like.shape[0]) % like.shape[1]

    def places(shape: Any, count: int) -> Any:
        return module.from_numpy(np.random.default_rng(7).integers(0, count, shape))

    def fill(net: Any) -> None:
        state = net.state_dict()
        for name, value in state.items():
            if value.is_floating_point():
                made = 0.4 * values(tuple(value.shape), zlib.crc32(name.encode()))
                made = np.abs(made) + 0.5 if name.endswith("running_var") else made
                state[name] = module.from_numpy(np.asarray(moved(made))).to(value.dtype)
        net.load_state_dict(state)

    def last(x: Any) -> Any:
        return x.contiguous(memory_format=module.channels_last) if x.ndim == 4 else x

    def look(what: str, value: Any) -> None:
        """Keeps what is to be compared; of the second step, too."""
        seen[what if what not in seen else f"{what} later"] = (
            None if value is None else array(value)
        )

    return {
        "torch": module, "F": module.nn.functional, "checkpoint": module.utils.checkpoint.checkpoint, "copy": copy, "numbers": numbers, "fixed": fixed,
        "labels": labels, "places": places, "fill": fill, "last": last, "look": look,
    }  # fmt: skip


def observed(module: Any, network: Any, shaken: int = 0, part: float = 4e-16) -> dict[str, Any]:
    """What a network's program leaves, as far as it comes, and what it raises."""
    seen: dict[str, Any] = {}
    module.manual_seed(0)
    with unwarned():
        try:
            exec(
                compile("\n".join(network.source()), "<network>", "exec"),
                scope(module, seen, shaken, part),
            )
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            seen["raises"] = error
    return seen
