"""Prints requirements that pyproject.toml declares, one a line, for `pip install -r`.

    requirements.py build        what builds the project
    requirements.py lab test     what it needs to run, with those extras

pip can install extras only together with the project, and the project can be installed only after the
front end is built, which needs the requirements: so they are read here.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"


def build(project: dict) -> Iterator[str]:
    yield from project["build-system"]["requires"]
    yield from project["tool"]["hatch"]["build"]["hooks"]["jupyter-builder"]["dependencies"]
    yield "editables"  # hatchling asks for it when it makes an editable install


def extra(project: dict, name: str) -> Iterator[str]:
    for requirement in project["project"]["optional-dependencies"][name]:
        if own := re.fullmatch(r"vizgrad\[(.+)\]", requirement):
            for other in own[1].split(","):
                yield from extra(project, other)
        else:
            yield requirement


def main(names: list[str]) -> None:
    project = tomllib.loads(PYPROJECT.read_text())
    if names == ["build"]:
        requirements = [*build(project)]
    else:
        requirements = [*project["project"]["dependencies"]]
        for name in names:
            requirements += extra(project, name)
    print("\n".join(sorted(set(requirements))))


if __name__ == "__main__":
    main(sys.argv[1:])
