"""A round of a session, in a file of its own: a session reads the whole program that made its graph."""

from __future__ import annotations

from collections.abc import Callable

import vizgrad as torch
from vizgrad.debugger.engines.vizgrad.opener import open_session


def a_session_opened_and_closed() -> Callable[[], object]:
    x = torch.ones(3, requires_grad=True)

    def one() -> None:
        loss = (x * 2).exp().sum()
        with open_session(loss, names={}) as session:
            session.step()
            session.step()
        x.grad = None

    return one
