"""The names that PyTorch has, by list: from `public-names.json` and from the rules about operations."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vizgrad
from tests.rules.text import all_rules

NAMES = Path(__file__).with_name("public-names.json")

#: Rules that list operations. Losses are written there without `_loss`.
OPERATIONS = ("T-30", "T-31", "T-32", "T-33", "T-34", "T-35", "T-36", "T-37", "T-38", "T-39", "T-40",
              "T-41", "T-42", "T-44", "T-53", "T-54")  # fmt: skip
#: Words in those rules that are no operations.
NOT_NAMES = {
    "dtype", "device", "requires_grad", "generator", "_", "linalg", "special", "reduction", "log_target",
    "values", "index", "num_segments", "nn.init",
}  # fmt: skip
_SHORT = {
    "bce": "binary_cross_entropy", "bce_with_logits": "binary_cross_entropy_with_logits",
    "InstanceNorm": "InstanceNorm1d", "segment_sum/mean/max/softmax": "segment_sum",
    "lp_pool": "lp_pool2d", "TransformerEncoderLayer/Encoder": "TransformerEncoderLayer",
    "logical_and/or/xor/not": "logical_and logical_or logical_xor logical_not",
}  # fmt: skip


def public_names() -> dict[str, list[str]]:
    """List -> names, of the parts that are no part of autograd's later milestones."""
    found = json.loads(NAMES.read_text("utf-8"))
    return {key: names for key, names in found.items() if key not in ("note", "autograd")}


def autograd_names() -> dict[str, list[str]]:
    """The same for autograd, whose lists are named after its modules."""
    found = json.loads(NAMES.read_text("utf-8"))["autograd"]
    return {key: names for key, names in found.items() if key.startswith("vizgrad")}


def owner_of(key: str) -> Any:
    """The module or class that a list is about; None when there is none."""
    if key == "Tensor":
        return vizgrad.Tensor
    if key in sys.modules:  # gradcheck is a module and, as an attribute, a function
        return sys.modules[key]
    found: Any = vizgrad
    for part in key.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def missing(key: str, names: list[str]) -> list[str]:
    owner = owner_of(key)
    return [name for name in names if owner is None or not hasattr(owner, name)]


def operations() -> Iterator[tuple[str, str, bool]]:
    """(rule, name, starred) of every operation that the rules list."""
    rules = all_rules()
    for rule in OPERATIONS:
        words = rules[rule].words
        starred = "★" in words
        for quoted in re.findall(r"`([^`]*)`", words):
            for word in re.sub(r"\([^)]*\)", "", quoted).replace(",", " ").split():
                for name in _spelled_out(word):
                    if name not in NOT_NAMES:
                        yield rule, name, starred


def _spelled_out(word: str) -> list[str]:
    """`conv1d/2d` is conv1d and conv2d."""
    word = _SHORT.get(word, word)
    if "/" not in word:
        return word.split()
    first, *others = word.split("/")
    stem = re.sub(r"\d?d?$", "", first)
    return [first, *(stem + other for other in others)]


def exists(name: str) -> bool:
    """Is there such a function, method, module or initialiser? A name may end with a star."""
    nn = vizgrad.nn
    owners = (
        vizgrad,
        vizgrad.Tensor,
        vizgrad.linalg,
        vizgrad.fft,
        vizgrad.special,
        nn.functional,
        nn,
        nn.init,
    )
    for owner in owners:
        if "*" in name:
            stem = name.strip("*").rstrip(".")
            if any(stem in each for each in dir(owner)):
                return True
        elif any(hasattr(owner, each) for each in (name, f"{name}_loss", f"{name}_embedding_loss")):
            return True
    return False
