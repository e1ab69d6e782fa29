"""A block of memory that no variable names is named by who made what is in it."""

from __future__ import annotations

import vizgrad as vg


def test_memory_without_a_variable_is_named_by_its_maker() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    scale = vg.tensor([3.0, 4.0])
    loss = ((x.exp() * scale).sin() * 2).sum()
    del scale
    with vg.debug(loss) as session:
        labels = {storage.label for storage in session.versions}
    assert "result of ExpBackward0" in labels or "result of MulBackward0" in labels
    assert all(labels)


def test_a_variable_s_name_comes_first() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    middle = x.exp()
    loss = (middle * middle).sum()
    with vg.debug(loss) as session:
        labels = {storage.label for storage in session.versions}
    assert any("middle" in label for label in labels)
