"""The kernels that notebooks run in: warm ones (`tests/fixtures/warm.py`), and by name those of outside."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.fixtures.warm_kernels import warm_kernels


@pytest.fixture(autouse=True, scope="package")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with (
        warm_kernels(tmp_path_factory.mktemp("warm")) as found,
        pytest.MonkeyPatch.context() as patch,
    ):
        before = os.environ.get("JUPYTER_PATH")
        patch.setenv("JUPYTER_PATH", os.pathsep.join(filter(None, (str(found), before))))
        yield
