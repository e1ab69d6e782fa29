"""The page that a trace is exported as: what is in it, whatever is in the trace."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from pathlib import Path

import vizgrad as vg
from vizgrad.debugger.engines.vizgrad.opener import open_session
from vizgrad.debugger.traces import files

HOSTILE = '"></script><img src=x onerror=alert(1)><!--'


def exported(path: Path, name: str = "x") -> str:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    with vg.scope(name):
        session = open_session(x.tanh().sum(), names={id(x): name}, title=name)
    session.continue_()
    return session.trace.export(path).read_text("utf-8")


def test_the_file_is_in_it(tmp_path: Path) -> None:
    found = re.search(r'<script id="vg-file" type="text/plain">([^<]*)<', exported(tmp_path / "x"))
    assert found
    with vg.load_trace(io.BytesIO(base64.b64decode(found[1]))) as loaded:
        assert loaded.total == 3


def test_names_are_no_markup(tmp_path: Path) -> None:
    text = exported(tmp_path / "x", HOSTILE)
    assert "<img" not in text
    assert "<!--" not in text
    assert "javascript:" not in text
    assert text.count("</script>") == 2
    assert text.count("<script") == 2
    assert "&quot;&gt;&lt;/script&gt;&lt;img" in text


def test_the_policy_names_the_code_that_is_there_and_nothing_else(tmp_path: Path) -> None:
    text = exported(tmp_path / "x")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    code = re.search(r"<script>(.*?)</script>", text, re.DOTALL)
    assert policy
    assert code
    digest = base64.b64encode(hashlib.sha256(code[1].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy[1]
    assert policy[1].startswith("default-src 'none';")
    assert "http" not in policy[1]
    assert "unsafe-eval" not in policy[1]


def test_code_cannot_end_its_element() -> None:
    assert files._harmless('"</script><!--"') == r'"<\/script><\!--"'
