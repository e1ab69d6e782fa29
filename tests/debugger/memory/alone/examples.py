"""Examples of the site that go through all objects; test_docs.py tries the others."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_examples_that_go_through_all_objects_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.packaging.test_docs import EXAMPLES, READS_ALL, run

    assert READS_ALL
    monkeypatch.chdir(tmp_path)
    for name in READS_ALL:
        run(EXAMPLES[name], tmp_path, name)
