"""Outputs of cells that have moved a session, or displayed it, one after the other."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad as vg
from tests.debugger.jupyter.widget.views import View as Page
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget import saved_data, still_frames
from vizgrad.debugger.jupyter.widget.labextension_view import LabextensionView
from vizgrad.debugger.jupyter.widget.saved_data import MIME, MOST_PICTURED_AT_ONCE, bundle
from vizgrad.debugger.session.opening import Cell
from vizgrad.debugger.session.session import Session


class View:
    pictured_later = False

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
        #: What outputs that are live hold for who reads the notebook later, where that was replaced.
        self.shown: dict[str, dict[str, Any]] = {}

    def show(self, session: Session, cell: Cell | None = None) -> None:
        cell = cell or self.cell
        view = View(session, f"{cell.id}.{len(self.live)}")
        self.live.append(view)
        still_frames.shown(session, cell, self.show, view)

    def update(self, data: dict[str, Any], *, display_id: str) -> None:
        if data[MIME]["still"]:
            self.still[display_id] = data
            self.live = [view for view in self.live if view.view_id != display_id]
        else:
            self.shown[display_id] = data

    def run(
        self, number: int, cell: str, code: Any = lambda: None, by_views: tuple[Session, ...] = ()
    ) -> None:
        self.cell = Cell(f"In [{number}]", cell)
        still_frames.before_cell(self.update)
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


def test_outputs_of_cells_that_display_it_where_it_stands_are_live_together(
    notebook: Notebook, session: Session
) -> None:
    notebook.run(1, "a", lambda: notebook.show(session))
    session.step()  # by a view, between two cells
    notebook.run(2, "b", lambda: notebook.show(session))
    assert [view.view_id for view in notebook.live] == ["a.0", "b.1"]
    assert not notebook.still
    notebook.run(3, "c", session.step)
    assert [view.view_id for view in notebook.live] == ["c.2"]
    assert notebook.still["a.0"][MIME]["position"] == 0
    assert notebook.still["b.1"][MIME]["position"] == 1


def test_more_than_a_few_are_not_live_together(notebook: Notebook, session: Session) -> None:
    for number in range(still_frames.MOST_LIVE + 2):
        notebook.run(number, f"c{number}", lambda: notebook.show(session))
    assert len(notebook.live) == still_frames.MOST_LIVE
    assert len(notebook.still) == 2
    assert notebook.live[0].view_id.startswith("c2.")
    assert notebook.live[-1].view_id.startswith(f"c{still_frames.MOST_LIVE + 1}.")


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


# --- an output that has its picture later ----------------------------------------------------------


SVG = "image/svg+xml"


@pytest.fixture
def large() -> Session:
    y = vg.ones(3, requires_grad=True)
    for _ in range(MOST_PICTURED_AT_ONCE):
        y = y * 1.01
    return vg.debug(y.sum(), display=False)


def displayed(notebook: Notebook, session: Session) -> LabextensionView:
    """As `showing.show` does for a page with the labextension."""
    view = LabextensionView(session)
    cell = notebook.cell
    assert view._repr_mimebundle_() == view.frame
    still_frames.shown(session, cell, notebook.show, view)
    return view


def test_an_output_begins_with_a_text_that_is_true(large: Session) -> None:
    large.step(2)
    frame = LabextensionView(large).frame
    assert set(frame) == {MIME, "text/plain"}
    assert frame["text/plain"] == repr(large)
    assert "2 of 42 nodes done" in frame["text/plain"]
    assert frame[MIME]["position"] == 2


def test_a_small_graph_is_pictured_at_once(session: Session) -> None:
    view = LabextensionView(session)
    assert view.frame == bundle(session, view.view_id)


def test_before_the_next_cell_the_output_has_its_picture(
    notebook: Notebook, large: Session
) -> None:
    views: list[LabextensionView] = []
    notebook.run(1, "a", lambda: views.append(displayed(notebook, large)))
    (view,) = views
    assert not notebook.shown
    notebook.run(2, "b")  # does nothing with it
    assert notebook.shown[view.view_id] == view.frame == bundle(large, view.view_id)
    notebook.shown.clear()
    notebook.run(3, "c", lambda: large.step(2))
    assert not notebook.shown  # once
    assert "0 of 42 nodes done" in notebook.still[view.view_id][SVG]


def test_the_frame_is_of_where_its_cell_left_the_session(
    notebook: Notebook, large: Session
) -> None:
    def opens() -> None:
        views.append(displayed(notebook, large))
        large.step(3)

    views: list[LabextensionView] = []
    notebook.run(1, "a", opens)
    notebook.run(2, "b", lambda: large.step(5))
    frame = notebook.still[views[0].view_id]
    assert (frame[MIME]["position"], frame[MIME]["still"]) == (3, "In [2]")
    assert "3 of 42 nodes done" in frame[SVG]


def test_a_picture_that_the_page_asks_for_is_the_one_of_the_frame(
    notebook: Notebook, large: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    views: list[LabextensionView] = []
    notebook.run(1, "a", lambda: views.append(displayed(notebook, large)))
    told = Page().ask(p.GetPicture, large.id, True)
    assert views[0].frame[SVG] == told.svg
    monkeypatch.setattr(still_frames, "bundle", None)  # it is not made again
    notebook.run(2, "b", lambda: large.step(5))
    assert notebook.still[views[0].view_id][SVG] == told.svg


def test_the_first_picture_of_an_output_is_made_of_a_larger_graph_too(
    large: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_data, "MOST_PICTURED_AGAIN", 10)
    assert Page().ask(p.GetPicture, large.id).svg == ""
    assert "0 of 42 nodes done" in Page().ask(p.GetPicture, large.id, True).svg
    monkeypatch.setattr(saved_data, "MOST_PICTURED", 10)
    assert Page().ask(p.GetPicture, large.id, True).svg == ""


def test_a_graph_that_is_too_large_for_a_picture_stays_in_words(
    notebook: Notebook, large: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(still_frames, "MOST_PICTURED", 10)
    views: list[LabextensionView] = []
    notebook.run(1, "a", lambda: views.append(displayed(notebook, large)))
    notebook.run(2, "b", lambda: large.step(5))
    assert not notebook.shown
    assert set(notebook.still[views[0].view_id]) == {MIME, "text/plain"}
