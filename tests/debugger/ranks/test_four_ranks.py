"""A GPT on four engines: its gradients are those of one process, and a NaN of one rank is found from another.
(Tests of PyTorch have torch in their names: `make parity` runs these.)
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.debugger.ranks import gpt


def check(view: Any, framework: str) -> None:
    ranks = gpt.begin(view, framework)
    try:
        gpt.check_gradients(view, ranks)
        gpt.check_nan(view, ranks)
    finally:
        view.execute("dist.destroy_process_group()")


def test_a_gpt_on_four_ranks_is_stepped_and_its_nan_found(four: Any) -> None:
    check(four, "vizgrad")


def test_torch_a_gpt_on_four_ranks_is_stepped_and_its_nan_found(four: Any) -> None:
    pytest.importorskip("torch")
    check(four, "torch")
