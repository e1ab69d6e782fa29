"""Which blocks a view is told of is found without going through all of them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from vizgrad.debugger.engines.vizgrad.opener import open_session

#: What a person does between two steps: nothing, or a write to one of the values below.
DONE = st.lists(
    st.tuples(st.sampled_from(["step", "back", "write"]), st.integers(0, 5)), max_size=8
)


def told_by_going_through_all(
    storages: tuple[Any, ...], versions: dict[int, int], nodes: set[int]
) -> tuple[list[int], int]:
    """Numbers of the storages that were written after a save or since they were met, or that one of the
    nodes saved; and how many others there are.
    """
    told = [
        storage.id
        for storage in storages
        if storage.version > versions.get(storage.id, 0)
        or any(save.node in nodes for save in storage.saves)
        or any(write.clock > save.clock for save in storage.saves for write in storage.writes)
    ]
    return told, len(storages) - len(told)


@given(DONE, st.sets(st.integers(0, 7)), st.booleans())
def test_they_are_those_found_by_going_through_all(
    done: list[tuple[str, int]], nodes: set[int], early: bool
) -> None:
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    with vg.no_grad():
        w.mul_(2)  # before anything was saved
    x = vg.tensor([3.0, 4.0])
    a = w * x
    b = a.exp()
    c = b * w
    if early:
        x.add_(1)  # after a save, before the session
    loss = (c * c + b.sigmoid()).sum()
    values = [w, x, a, b, c, vg.zeros(2)]
    session = open_session(loss)
    try:
        look: Any = session._control.state
        versions = {storage.id: storage.version for storage in look.source.timelines()}
        for what, which in done:
            if what == "write":
                with vg.no_grad():
                    values[which].mul_(1)
            elif what == "step" and session.status == "paused":
                with suppress(RuntimeError):  # it saved what was written since
                    session.step()
            elif what == "back" and session.position:
                session.back()
        nodes = {node for node in nodes if node < session.total}
        told, others = look.storages_of(nodes)
        wanted = told_by_going_through_all(look.source.timelines(), versions, nodes)
        assert ([storage.id for storage in told], others) == wanted
    finally:
        session.close()
