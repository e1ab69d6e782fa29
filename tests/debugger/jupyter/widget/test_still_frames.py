"""Outputs of cells that have moved a session, or displayed it, one after the other."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from vizgrad.debugger.jupyter.widget import still_frames
from vizgrad.debugger.jupyter.widget.query_answers import MIME, bundle
from vizgrad.debugger.session.opening import Cell
from vizgrad.debugger.session.session import Session


class View:
    def __init__(self, session: Session, view_id: str) -> None:
        self.view_id = view_id
        self.frame = bundle(session, view_id)
        self.ended = False

    def end(self) -> None:
        self.ended = True


class Notebook:
    """Cells and what their outputs show: the views that are live, and the frames of those that are still."""

    def __init__(self) -> None:
        self.cell = Cell()
        self.live: list[View] = []
        self.still: dict[str, dict[str, Any]] = {}

    def show(self, session: Session, cell: Cell | None = None) -> None:
        cell = cell or self.cell
        view = View(session, f"{cell.id}.{len(self.live)}")
        self.live.append(view)
        still_frames.shown(session, cell, self.show, view)

    def update(self, data: dict[str, Any], *, display_id: str) -> None:
        self.still[display_id] = data
        self.live = [view for view in self.live if view.view_id != display_id]

    def run(
        self, number: int, cell: str, code: Any = lambda: None, by_views: tuple[Session, ...] = ()
    ) -> None:
        self.cell = Cell(f"In [{number}]", cell)
        still_frames.before_cell()
        code()
        still_frames.after_cell(self.cell, by_views, self.update)


@pytest.fixture
def notebook() -> Notebook:
    return Notebook()


@pytest.fixture
def session() -> Session:
    x = vg.ones(3, requires_grad=True)
    return vg.debug((x.tanh() * 2).sum(), display=False)


def test_the_live_view_comes_along_and_leaves_frames(notebook: Notebook, session: Session) -> None:
    def opens() -> None:
        notebook.show(session)
        session.step()  # the frame is as the cell leaves the session

    notebook.run(1, "a", opens)
    notebook.run(2, "b")  # does nothing with it
    assert [view.view_id for view in notebook.live] == ["a.0"]
    assert not notebook.still

    notebook.run(3, "c", lambda: session.step(2))
    assert [view.view_id for view in notebook.live] == ["c.1"]
    frame = notebook.still["a.0"]
    assert frame[MIME]["position"] == 1
    assert frame[MIME]["still"] == "In [3]"
    assert "1 of 4 nodes done" in frame["image/svg+xml"]
    assert "1 of 4 nodes done" in frame["text/plain"]

    notebook.run(4, "d", lambda: notebook.show(session))  # displayed again, not moved
    assert notebook.still["c.1"][MIME]["position"] == 3
    assert [view.view_id for view in notebook.live] == ["d.1"]


def test_a_view_that_becomes_still_ends(notebook: Notebook, session: Session) -> None:
    notebook.run(1, "a", lambda: notebook.show(session))
    (view,) = notebook.live
    notebook.run(2, "b", session.step)
    assert view.ended
    assert not notebook.live[0].ended


def test_moves_of_a_view_and_of_code_without_a_cell_leave_outputs(
    notebook: Notebook, session: Session
) -> None:
    notebook.run(1, "a", lambda: notebook.show(session))
    session.step()  # by a view, between two cells
    notebook.run(2, "b")
    notebook.run(3, "c", session.step, by_views=(session,))  # while the cell runs
    notebook.run(4, "", session.step)
    notebook.run(5, "d", lambda: (session.back(), session.step()))  # stands where it stood
    notebook.run(6, "e", lambda: session.break_at(op="Tanh*"))
    assert not notebook.still


def test_a_cell_that_is_run_again_replaces_its_own_output(
    notebook: Notebook, session: Session
) -> None:
    notebook.run(1, "a", lambda: notebook.show(session))
    notebook.run(2, "b", session.step)
    notebook.run(3, "b", session.step)
    assert list(notebook.still) == ["a.0"]
    assert notebook.live[-1].frame[MIME]["position"] == 2


def test_a_session_that_no_output_shows_is_left_alone(notebook: Notebook, session: Session) -> None:
    notebook.run(1, "a", lambda: session.step(2))
    assert not notebook.live
    assert not notebook.still
