"""Numbers that leave tensors are followed by their variables, each in its scope."""

from __future__ import annotations

from typing import Any

import vizgrad as vg


def drawn_of(seed: int) -> Any:
    drawn = [float(seed)]
    return vg.tensor(drawn)


def halved(weight: Any) -> None:
    for each in [weight]:
        own = each.detach()
        first = own.sum().item()
        drawn = [first / 2]
        own.copy_(vg.tensor(drawn))


def made_of(number: float) -> Any:
    return vg.tensor([number])


def test_a_name_in_one_function_is_not_the_same_name_in_another() -> None:
    w = vg.ones(1, requires_grad=True)
    b = vg.ones(1, requires_grad=True)
    with vg.watch():
        halved(w)
        (drawn_of(2) * b).sum().backward()
        found = vg.why(w)
    assert found.kind == "unused"  # not that `item()` in `halved` went into `drawn_of`


def test_numbers_go_into_a_function_by_its_parameter() -> None:
    w = vg.ones(1, requires_grad=True)
    b = vg.ones(1, requires_grad=True)
    with vg.watch():
        value = (w * 3).sum().item()
        (made_of(value) * b).sum().backward()
        found = vg.why(w)
    assert found.kind == "cut-detach"
    assert "item()" in str(found)


def test_numbers_go_out_of_a_function_by_a_global() -> None:
    global TOTAL
    w = vg.ones(1, requires_grad=True)
    b = vg.ones(1, requires_grad=True)
    with vg.watch():
        TOTAL = (w * 3).sum().item()
        (of_total() * b).sum().backward()
        found = vg.why(w)
    assert found.kind == "cut-detach"


TOTAL = 0.0


def of_total() -> Any:
    return vg.tensor([TOTAL])
