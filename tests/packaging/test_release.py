"""A release's files agree: the recipe with pyproject.toml, the versions, the changelog and its fragments."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from vizgrad.version import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
KINDS = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}


def test_one_version_everywhere() -> None:
    for file, pattern in (
        ("CITATION.cff", r"^version: (\S+)$"),
        (".ci/conda/recipe.yaml", r'^  version: "(\S+)"$'),
        ("CHANGELOG.md", r"^## (\d\S+)"),
    ):
        found = re.search(pattern, (ROOT / file).read_text("utf-8"), re.MULTILINE)
        assert found is not None, file
        assert found[1] == __version__, file


def test_the_recipe_requires_what_the_package_requires() -> None:
    recipe = (ROOT / ".ci" / "conda" / "recipe.yaml").read_text("utf-8")
    run = recipe[recipe.index("  run:\n") : recipe.index("  run_constraints:")]
    listed = {line.strip("- ").replace(" ", "") for line in run.splitlines() if "    - " in line}
    wanted = {*PROJECT["project"]["dependencies"], f"python{PROJECT['project']['requires-python']}"}
    assert listed == wanted


def test_each_extra_that_is_told_to_users_exists() -> None:
    extras = PROJECT["project"]["optional-dependencies"]
    readme = (ROOT / "README.md").read_text("utf-8")
    told = {name for group in re.findall(r"\[([a-z0-9,]+)\]'", readme) for name in group.split(",")}
    assert told
    assert told <= {*extras}


def test_the_changelog_is_continued_by_fragments() -> None:
    """`towncrier build` finds its place, and each fragment has a kind and says something."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert changelog.count(PROJECT["tool"]["towncrier"]["start_string"]) == 1
    assert "[Unreleased]" not in changelog
    for path in sorted((ROOT / "news").iterdir()):
        if path.name != "README.md":
            assert re.fullmatch(rf"\+[\w-]+\.({'|'.join(KINDS)})\.md", path.name), path.name
            assert path.read_text("utf-8").strip().endswith("."), path.name


@pytest.mark.parametrize("name", ["build", "fresh", "publish"])
def test_the_workflow_has_its_steps(name: str) -> None:
    """It runs the scripts that `make release` runs; none that is not there."""
    workflow = (ROOT / ".ci" / "workflows" / "release.yml").read_text("utf-8")
    assert f"\n  {name}:\n" in workflow
    for script in re.findall(r"\.ci/[\w/]+\.py", workflow):
        assert (ROOT / script).exists()
