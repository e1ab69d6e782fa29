"""`@pytest.mark.rule("F-37", ...)` names the rules of the spec that a test shows."""

import pytest

from tests.fixtures.modes import modes_are_given_back as modes_are_given_back


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(*ids): the rules of the spec that this test shows")
