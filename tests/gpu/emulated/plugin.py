"""pytest on the emulated device: `python -m pytest -p tests.gpu.emulated.plugin tests/gpu`.

A test fails if a function of CUDA's failed within it or something was written outside of its block.
At the end it is said how much ran, was compared, and was left out, and why.
"""

from __future__ import annotations

import os
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from tests.gpu import emulated
from tests.gpu.comparing import COMPARED
from tests.gpu.emulated import devices, libraries
from tests.gpu.emulated.account import ACCOUNT
from tests.gpu.exceptions import GIVEN

emulated.start(devices=int(os.environ.get("EMULATED_DEVICES", "1")))

_totals: Counter[str] = Counter()
_left_out: Counter[str] = Counter()
_names: dict[str, set[str]] = {"kernels": set(), "rows": set()}
#: Rows of the table that were run in this process.
_rows: set[str] = set()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--portion",
        type=int,
        default=1,
        metavar="N",
        help="run one test of N, the same ones each time",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    of = config.getoption("portion")
    left_out = [item for item in items if zlib.crc32(item.nodeid.encode()) % of]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not zlib.crc32(item.nodeid.encode()) % of]


@pytest.fixture(autouse=True)
def nothing_failed_on_the_device(request: pytest.FixtureRequest) -> Iterator[None]:
    spoiled = devices.spoiled()
    yield
    row = getattr(request.node, "callspec", None) and request.node.callspec.params.get("row")
    if row is not None:
        _rows.add(row.name)
    failures = list(ACCOUNT.failures)
    ACCOUNT.clear()
    assert not failures
    assert devices.spoiled() == spoiled, "something was written outside of its block"


def _own() -> dict[str, Any]:
    ACCOUNT.clear()
    return {
        "counts": {
            "samples compared": COMPARED["samples"],
            "launches": ACCOUNT.launched,
            "products by cuBLAS": libraries.products(),
            "waits": ACCOUNT.waited,
            "bytes copied to the host": ACCOUNT.copied,
            "kernels compiled now": ACCOUNT.built,
            # compilers are children, and so are workers, which have counted themselves
            "s of processor time": round(sum(os.times()[: 2 if _totals else 4])),
        },
        "names": {"kernels": sorted(ACCOUNT.kernels), "rows": sorted(_rows)},
        "left out": dict(GIVEN),
    }


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is None:
        _add(_own())
    else:
        output["emulated"] = _own()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    _add(getattr(node, "workeroutput", {}).get("emulated"))


def _add(found: dict[str, Any] | None) -> None:
    if found is not None:
        _totals.update(found["counts"])
        _left_out.update(found["left out"])
        for kind, names in found["names"].items():
            _names[kind].update(names)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    numbers = [f"{count:,} {name}" for name, count in _totals.items()]
    terminalreporter.section("on the emulated device")
    different = [f"{len(names)} different {kind}" for kind, names in _names.items()]
    terminalreporter.line(", ".join([*different, *numbers]))
    skipped = Counter(each.longrepr[2] for each in terminalreporter.getreports("skipped"))
    for why, count in _left_out.items():
        terminalreporter.line(f"not compared, {count} times: {why}")
    for why, count in skipped.items():
        terminalreporter.line(f"skipped, {count} tests: {why.removeprefix('Skipped: ')}")
