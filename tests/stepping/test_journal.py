"""What the steps of a run refer to is what was there, whoever writes to it later."""

from __future__ import annotations

from typing import Any

import vizgrad as vg
from vizgrad.stepping.opener import open_session


def arrived(session: Any) -> list[tuple[float | None, ...]]:
    """Norms of what arrived at each visit."""
    return [
        tuple(None if s is None else s.norm for s in visit.incoming)
        for visit in session.trace.visits
    ]


def doubled(grad: Any) -> None:
    with vg.no_grad():
        grad.mul_(2)


def test_a_hook_that_writes_changes_no_earlier_record() -> None:
    """The records of the steps before are made after the hook has written."""
    x = vg.ones(2, 3, requires_grad=True)
    y = x * 1
    y.register_hook(doubled)
    z = y.t() * 3  # hands the hook a view of what it computed
    session = open_session(z.sum(), names={})
    session.continue_()
    first = session.trace.visits[1]
    assert first.routed[0].computed is not None
    assert first.routed[0].computed.norm == (6 * 9) ** 0.5
    assert x.grad is not None
    assert x.grad.tolist() == [[6.0] * 3] * 2


def test_a_write_to_grad_changes_no_record_of_it() -> None:
    w = vg.ones(2, 3, requires_grad=True)
    session = open_session((w.t() * 3).sum(), names={})
    session.continue_()
    assert w.grad is not None
    with vg.no_grad():
        w.grad.zero_()
    assert arrived(session)[-1] == ((6 * 9) ** 0.5,)
    assert arrived(session)[-2] == ((6 * 9) ** 0.5,)


def test_a_sum_leaves_what_waited_before_as_it_was() -> None:
    x = vg.ones(3, requires_grad=True)
    y = x * 1
    session = open_session((y * 2 + y * 3).sum(), names={})
    session.continue_()
    sums = [a for r in session.trace.records for a in r.arrived if a.before is not None]
    assert [(a.before.norm, a.after.norm) for a in sums if a.before] == [(27**0.5, 75**0.5)]
