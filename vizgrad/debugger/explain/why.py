"""`vizgrad.why(tensor)`: the answer in words."""

from __future__ import annotations

import linecache
from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import optimizer_faults
from vizgrad.debugger.explain.tensor_cause import cause_of
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.watch.note_recorder import Noting


def answer(noting: Noting | None, tensor: Any, name: str) -> Explanation:
    """Why the value and the `.grad` of `tensor` are as they are, in words; where both are all right, what
    optimizers do wrong with it.
    """
    found = cause_of(noting, tensor, name)
    if not found and found.site is None and noting is not None:
        found = next(optimizer_faults.of_parameter(noting, tensor), found)
    return explain(found, linecache)
