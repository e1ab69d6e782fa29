"""What all tests share: which of them run without being asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).parent

#: Run only when named: `pytest tests/oracle`. `make parity`, `make bench` and `make gpu-test` name them.
ON_REQUEST = {HERE / name for name in ("oracle", "fuzz", "benchmarks", "gpu")}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if collection_path not in ON_REQUEST:
        return None
    asked = (Path(arg.split("::")[0]).resolve() for arg in config.args)
    return True if not any(path.is_relative_to(collection_path) for path in asked) else None
