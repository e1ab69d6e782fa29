"""Sessions of scalars that tests share."""

from __future__ import annotations

import vizgrad
from tests.debugger.engines.scalars.scalars import Value
from tests.debugger.jupyter.widget.views import Following
from vizgrad.debugger.session.session import Session


def small() -> tuple[Value, Value, Value, Session]:
    """tanh(a * b + a): a is used twice."""
    a, b = Value(0.5), Value(-2.0)
    out = (a * b + a).tanh()
    return a, b, out, vizgrad.debug(out)


def done(session: Session) -> list[str]:
    nodes = session.graph.nodes
    return [nodes[v.node].label or nodes[v.node].name for v in session.trace.visits]


def agrees(view: Following) -> None:
    view.hear(view.updates())
    view.agrees()
