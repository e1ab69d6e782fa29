"""`vizgrad.demo()` copies the course to where the user can run and change it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

import vizgrad
from vizgrad.debugger import demo

ROOT = Path(__file__).parents[2]
COURSE = ROOT / "notebooks"


def test_it_copies_the_course_and_says_how_to_open_it(tmp_path: Path) -> None:
    shown = vizgrad.demo(tmp_path / "here")
    copied = {path.relative_to(shown.folder) for path in shown.folder.rglob("*") if path.is_file()}
    assert {path.relative_to(COURSE) for path in COURSE.glob("*.ipynb")} <= copied
    assert Path("data/digits.npz") in copied
    assert f"jupyter lab {shown.folder / '00_tour.ipynb'}" in repr(shown)


def test_what_the_user_has_changed_stays(tmp_path: Path) -> None:
    vizgrad.demo(tmp_path)
    (tmp_path / "00_tour.ipynb").write_text("mine")
    (tmp_path / "01_debugger.ipynb").unlink()
    vizgrad.demo(tmp_path)
    assert (tmp_path / "00_tour.ipynb").read_text() == "mine"
    assert (tmp_path / "01_debugger.ipynb").exists()


def test_in_a_notebook_it_links_to_each_where_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = vizgrad.demo()
    assert '<a href="vizgrad-course/00_tour.ipynb">' in shown._repr_html_()
    monkeypatch.chdir(tmp_path / "vizgrad-course")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert "href" not in shown._repr_html_()
    assert "jupyter lab" in shown._repr_html_()


def test_a_path_with_a_space_is_quoted_and_a_missing_jupyterlab_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = demo.Demo(tmp_path / "my course", ("00_tour.ipynb",))
    assert shown.command.endswith(f'jupyter lab "{tmp_path / "my course" / "00_tour.ipynb"}"')
    monkeypatch.setattr(demo, "find_spec", lambda _: None)
    assert shown.command.startswith("pip install 'vizgrad[lab]'\n")


def test_an_installation_without_notebooks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_PLACES", ())
    with pytest.raises(FileNotFoundError, match="has no notebooks"):
        vizgrad.demo()


def test_a_wheel_holds_all_that_it_copies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    held = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wanted = [*COURSE.glob("*.ipynb")]
    wanted += [path for pattern in demo._BESIDE for path in COURSE.glob(pattern)]
    for path in wanted:
        source = path if f"notebooks/{path.relative_to(COURSE).as_posix()}" in held else path.parent
        name = source.relative_to(ROOT).as_posix()
        assert held[name] == f"vizgrad/debugger/{name}"
