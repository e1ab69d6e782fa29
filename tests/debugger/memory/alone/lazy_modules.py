"""A model that is lazy still, when the memory is read."""

from __future__ import annotations

import vizgrad as vg


def test_memory_counts_nothing_for_what_has_no_sizes() -> None:
    from tests.nn.test_lazy import net

    model = net()
    assert vg.memory().to_text()
    assert model[0].has_uninitialized_params()
