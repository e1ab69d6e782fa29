"""`vizgrad.report()` states versions and nothing of the user."""

from __future__ import annotations

import getpass
import platform
import socket
from importlib.metadata import version
from pathlib import Path

import pytest

import vizgrad
from vizgrad.debugger import report


def test_versions_are_stated() -> None:
    facts = vizgrad.report().facts
    assert facts["vizgrad"] == vizgrad.__version__
    assert facts["numpy"] == f"{version('numpy')} (imported)"
    assert facts["Python"].startswith(platform.python_version())
    assert facts["host"] == "Python"
    assert repr(vizgrad.report()).splitlines()[0] == f"vizgrad: {vizgrad.__version__}"


def test_what_is_not_installed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "PACKAGES", ("numpy", "no-such-package"))
    assert list(vizgrad.report().facts)[4:] == ["numpy"]


def test_nothing_of_the_user_is_in_it() -> None:
    text = repr(vizgrad.report())
    for private in (str(Path.home()), str(Path.cwd()), socket.gethostname()):
        assert private not in text
    assert getpass.getuser() not in text or getpass.getuser() in "python system host"
