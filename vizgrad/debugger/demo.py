"""`vizgrad.demo()`: the course of notebooks, in a folder of the user's."""

from __future__ import annotations

import html
import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

#: A wheel has the course beside this module; a checkout has it at its top.
_PLACES = (Path(__file__).parent / "notebooks", Path(__file__).parents[2] / "notebooks")
FIRST = "00_tour.ipynb"
#: Files that the notebooks read and link to.
_BESIDE = ("commands.md", "data/*.*", "design/0045-*.md")


class Demo:
    """Where the course lies, and how it is opened: a link in a notebook, a command elsewhere."""

    def __init__(self, folder: Path, notebooks: tuple[str, ...]) -> None:
        self.folder = folder
        self.notebooks = notebooks

    @property
    def command(self) -> str:
        """The command that opens the tour, after the one that installs a JupyterLab where there is none."""
        path = str(self.folder / FIRST)
        opened = f"jupyter lab {path}" if " " not in path else f'jupyter lab "{path}"'
        if find_spec("jupyterlab") is None:
            return f"pip install 'vizgrad[lab]'\n{opened}"
        return opened

    def __repr__(self) -> str:
        return (
            f"{len(self.notebooks)} notebooks lie in {self.folder}, with the files that they read and "
            f"link to. To open the tour:\n{self.command}"
        )

    def _repr_html_(self) -> str:
        """Links, which open beside the notebook. They are relative to where the kernel runs, its folder."""
        try:
            base = self.folder.relative_to(Path.cwd())
        except ValueError:  # elsewhere: a page of Jupyter's cannot link there
            return f"<pre>{html.escape(repr(self))}</pre>"
        links = (
            f'<li><a href="{html.escape((base / name).as_posix())}">{html.escape(name)}</a></li>'
            for name in self.notebooks
        )
        return f"<p>Begin with the tour:</p><ol>{''.join(links)}</ol>"


def demo(folder: str | os.PathLike[str] = "vizgrad-course") -> Demo:
    """Copies the course, its notebooks and what they read and link to, into `folder`; says how to open it.

    In a notebook the result shows links; elsewhere it prints the command. Files that are there already stay
    as they are, so that what the user has written into them is kept. FileNotFoundError where the course was
    not installed, OSError where the folder cannot be written.
    """
    source = next((place for place in _PLACES if (place / FIRST).exists()), None)
    if source is None:
        raise FileNotFoundError("this installation of vizgrad has no notebooks: install the wheel")
    made = Path(folder).expanduser().absolute()
    notebooks = tuple(sorted(path.name for path in source.glob("*.ipynb")))
    beside = [path for pattern in _BESIDE for path in sorted(source.glob(pattern))]
    for path in [*(source / name for name in notebooks), *beside]:
        copy = made / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists():
            shutil.copyfile(path, copy)
    shown = Demo(made, notebooks)
    if not hasattr(sys, "ps1") and "IPython" not in sys.modules:
        print(shown)  # noqa: T201  in a script nothing else shows it
    return shown
