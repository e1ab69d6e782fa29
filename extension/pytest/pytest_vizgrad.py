"""The pytest plugin of vizgrad: `pytest --vizgrad` runs each test in a watch, whose findings fail it.

It lies beside the package, so that pytest loads it without importing vizgrad: that is done in the first test
that is watched.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from vizgrad.core.errors import Explanation
    from vizgrad.debugger.explain.watch_block import Watch

_FIXTURE, _MARK = "vizgrad_watch", "vizgrad_ignore"
_WATCH = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("vizgrad").addoption(
        "--vizgrad",
        action="store_true",
        help="run each test in vizgrad.watch(); findings fail the test",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{_MARK}(*kinds): findings of these kinds (of all, if none is named) do not fail the test",
    )


@pytest.fixture
def vizgrad_watch(request: pytest.FixtureRequest) -> Watch:
    """The watch that this test runs in, with `--vizgrad` and without; its findings fail the test."""
    return _watch_of(request.node)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    if not (item.config.getoption("vizgrad") or _FIXTURE in getattr(item, "fixturenames", ())):
        return (yield)
    watch = _watch_of(item)
    with watch:
        result = yield
    found = [each for each in watch.findings if not _ignored(item, each)]
    if found:
        pytest.fail(_text(found), pytrace=False)
    return result


def _watch_of(item: pytest.Item) -> Watch:
    if _WATCH not in item.stash:
        import vizgrad

        item.stash[_WATCH] = vizgrad.watch()
    return item.stash[_WATCH]


def _ignored(item: pytest.Item, found: Explanation) -> bool:
    marks = [mark.args for mark in item.iter_markers(_MARK)]
    return any(not kinds or found.kind in kinds for kinds in marks)


def _text(found: list[Explanation]) -> str:
    several = f"{len(found)} findings" if len(found) > 1 else "a finding"
    said = "\n\n".join(f"{each.heading} ({each.kind}):\n{each}" for each in found)
    return f"vizgrad has {several} in this test.\n\n{said}"
