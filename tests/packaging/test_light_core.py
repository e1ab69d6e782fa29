"""Without the packages of the extra `notebook` everything works but the live view, magics and Graphviz."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: Of the extra `notebook`, and what these bring.
ABSENT = ("IPython", "ipywidgets", "anywidget", "graphviz", "traitlets", "comm", "ipyparallel")

WITHOUT = f"""
import sys
for name in {ABSENT!r}:
    sys.modules[name] = None
import vizgrad
x = vizgrad.ones(3, requires_grad=True)
"""

PROGRAMS = {
    "step": "s = vizgrad.debug(x.tanh().sum()); s.step(); s.back(); s.continue_(); s.close()",
    "draw": "assert '<svg' in vizgrad.graph(x.tanh().sum()).to_svg(); str(vizgrad.versions(x))",
    "explain": (
        "with vizgrad.watch() as w:\n    (x.log() * 0).sum().backward()\n"
        "w.findings, str(vizgrad.why(x)), str(vizgrad.memory())"
    ),
    "traces": (
        "s = vizgrad.debug(x.tanh().sum()); s.continue_(); s.trace.save(sys.argv[1] + '/a.vgtrace')\n"
        "vizgrad.load_trace(sys.argv[1] + '/a.vgtrace').step(); s.trace.export(sys.argv[1] + '/a.html')\n"
        "s.trace.save(sys.argv[1] + '/a.rank0.vgtrace'); str(vizgrad.load_traces(sys.argv[1] + '/*rank*'))"
    ),
    "compare": "assert vizgrad.compare(x.tanh().sum(), x.tanh().sum()).same",
    "assert": "vizgrad.testing.assert_same_gradients(x.tanh().sum(), x.tanh().sum())",
    "nn": (
        "net = vizgrad.nn.Linear(3, 2); o = vizgrad.optim.Adam(net.parameters())\n"
        "net(x).sum().backward(); o.step(); vizgrad.save(net.state_dict(), sys.argv[1] + '/w.pt')"
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_works_without(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + PROGRAMS[name], str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_view_without_its_packages_is_a_picture_and_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import vizgrad
    from vizgrad.debugger.jupyter.widget import showing

    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "vizgrad.debugger.jupyter.widget.debugview", raising=False)
    loss = vizgrad.ones(3, requires_grad=True).sum()
    with (
        vizgrad.debug(loss, display=False) as session,
        pytest.warns(UserWarning, match=r"needs anywidget.*pip install 'vizgrad\[notebook\]'"),
    ):
        showing.show(session)
    assert "0 of 2 nodes done" in capsys.readouterr().out
