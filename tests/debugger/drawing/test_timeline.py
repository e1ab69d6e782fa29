"""The timeline of storages: versions, writes, and the lines of saved values."""

from __future__ import annotations

from tests.debugger.drawing.examples import in_place, timelines
from vizgrad.debugger.drawing import versions_scene
from vizgrad.debugger.drawing.scene import Group, Poly, texts
from vizgrad.debugger.model import SaveMark, Storage, Write


def lane(storage: Storage) -> Group:
    scene = versions_scene([storage], in_place())
    return next(shape for shape in scene.children if isinstance(shape, Group))


def lines(group: Group, role: str) -> list[Poly]:
    return [shape for shape in group.children if isinstance(shape, Poly) and shape.role == role]


def test_a_stale_value_is_held_up_to_the_write_and_broken_from_there() -> None:
    group = lane(timelines()[0])
    (write,) = lines(group, "write")
    broken = write.points[0][0]
    whole = [line for line in lines(group, "hold") if line.points[1][0] == broken]
    (stale,) = lines(group, "hold stale")
    assert len(whole) == 1
    assert stale.points[0][0] == broken < stale.points[1][0]


def test_it_names_lines_versions_and_states() -> None:
    words = list(texts(versions_scene(timelines(), in_place())))
    assert words[:2] == ["Versions", "3 storages · 6 in-place writes · 2 saved values stale"]
    for text in (
        "copy_ (y[0])", "train.py:12", "y[0] = row", "result of ExpBackward0, v0: stale",
        "other of MulBackward0, v2: freed", "state of node 99, v5: packed", "storage 4", "now",
    ):  # fmt: skip
        assert text in words
    assert "[64] f32 · 256 B · 1 earlier event not shown" in words


def test_long_lives_and_many_storages_are_cut() -> None:
    writes = tuple(Write(i, i, "add_", None) for i in range(1, 101))
    saves = (SaveMark(3, "self", 0, 0, "stale"),)
    busy = Storage(1, "w", (2,), "float32", 8, 100, writes, 0, saves)
    words = list(texts(versions_scene([busy] * 20, in_place())))
    assert "… 8 more storages" in words
    assert "[2] f32 · 8 B · 89 earlier events not shown" in words
    assert "v88" in words
    assert "v87" not in words


def test_nothing_to_show_is_said() -> None:
    assert list(texts(versions_scene([])))[1] == "0 storages · 0 in-place writes"
