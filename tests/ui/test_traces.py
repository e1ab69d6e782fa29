"""Traces without a kernel: a file opened by a double click, and a page opened from a file."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

import vizgrad as vg
from tests.debugger.shell.recorded import TRAIN, run_in
from tests.ui.conftest import SIZE
from tests.ui.lab import Lab
from tests.ui.parts import part
from tests.ui.pictures import picture
from tests.ui.test_access import axe, axe_in
from tests.ui.themes import DARK, themed
from vizgrad import nn
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.opener import open_session

HOSTILE = "</script><img src=x onerror=alert(1)>"


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(16, 16)
        self.norm = nn.LayerNorm(16)

    def forward(self, x: Any) -> Any:
        return x + self.norm(self.linear(x).tanh())


def trace_of(name: str = "loss", scale: float = 1.0) -> model.Trace:
    """Of a model of three blocks, run to its end from a gradient of `scale`."""
    vg.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, 16), *(Block() for _ in range(3)), nn.Linear(16, 4))
    weight = vg.ones(4, requires_grad=True)
    with vg.scope(name):
        loss = (net(vg.randn(5, 8)) * weight).pow(2).mean()
    with open_session(loss, vg.tensor(scale), names={id(weight): name}, title=name) as session:
        session.continue_()
        return session.trace


def root(view: Locator | Page) -> Locator:
    return view.locator(".vg-root")


def press(view: Locator | Page, name: str) -> None:
    view.get_by_role("button", name=name, exact=True).click()


def stands(view: Locator | Page, position: int) -> None:
    expect(root(view)).to_have_attribute("data-position", str(position))


def walk(view: Locator | Page, total: int) -> None:
    """Forwards and backwards, to the end and to the start."""
    expect(root(view)).to_have_attribute("data-layout", "done")
    stands(view, 0)
    for position in range(1, 5):
        press(view, "Step")
        stands(view, position)
    press(view, "Step back")
    stands(view, 3)
    current = root(view).locator("[data-state=current]").first
    expect(current).to_be_visible()
    inspector = view.get_by_role("region", name="Inspector")
    expect(inspector.get_by_role("heading", name="Incoming gradient")).to_be_visible()
    press(view, "Continue")
    stands(view, total)
    expect(root(view)).to_have_attribute("data-status", "finished")
    press(view, "Step back")
    stands(view, total - 1)
    press(view, "Restart")
    stands(view, 0)


def test_a_double_click_in_the_file_browser_shows_it_without_a_kernel(lab: Lab) -> None:
    trace = trace_of()
    trace.save(lab.server.root / "run.vgtrace")
    lab.page.set_viewport_size({"width": 1600, "height": 950})
    lab.execute("filebrowser:refresh")
    lab.page.get_by_role("listitem", name=re.compile("run.vgtrace")).dblclick()
    view = lab.page.locator(".jp-Document:has(.vg-root)")
    walk(view, len(trace.records))
    assert lab.call("app => [...app.serviceManager.sessions.running()].length") == 0
    press(view, "Step")
    stands(view, 1)
    picture(lab.page, "trace-document")
    assert axe(view) == []
    with themed(lab, DARK):
        picture(lab.page, "trace-document-dark")
        assert axe(view) == []


def test_a_click_saves_a_trace_that_opens_at_the_stop(lab: Lab) -> None:
    notebook = lab.open_notebook(
        "import vizgrad as vg\nx = vg.tensor([0.0, 1.0], requires_grad=True)\n"
        "loss = (x.sqrt() * vg.tensor([0.0, 1.0])).sum()",
        "s = vg.debug(loss)",
    )
    notebook.run()
    view = notebook.output(1)
    press(view, "Continue")
    expect(view.locator(".vg-banner")).to_contain_text("SqrtBackward0 made 1 NaN")
    press(view, "Save the trace")
    said = view.locator(".vg-banner-text").filter(has_text="Saved loss.vgtrace (")
    expect(said).to_be_visible()
    picture(lab, "trace-saved")
    assert (lab.server.root / "loss.vgtrace").is_file()
    lab.execute("filebrowser:refresh")
    lab.execute("docmanager:open", path="loss.vgtrace")
    opened = lab.page.locator(".jp-Document:not(.jp-NotebookPanel):has(.vg-root)")
    stands(opened, 3)
    expect(opened.locator(".vg-banner")).to_contain_text("SqrtBackward0 made 1 NaN")
    chosen = opened.locator("[data-node-id][aria-selected=true]")
    expect(chosen).to_have_attribute("aria-label", re.compile("^SqrtBackward0"))
    expect(opened.get_by_role("button", name="Save the trace")).to_have_count(0)
    picture(lab, "trace-at-its-stop")


def test_the_trace_that_a_script_wrote_opens_where_it_stopped(lab: Lab) -> None:
    """The script of `notebooks/terminal.md`, with PyTorch where it is installed."""
    source = TRAIN if find_spec("torch") else TRAIN.replace("torch", "vizgrad as torch", 1)
    (lab.server.root / "train.py").write_text(source)
    words = ["-m", "vizgrad", "--keep-graphs", "--dump", "nan.vgtrace", "train.py"]
    done = run_in(lab.server.root, words)
    assert done.returncode == 3, done.stderr
    assert (lab.server.root / "nan.vgtrace").stat().st_size < 2e6
    lab.page.set_viewport_size({"width": 1600, "height": 950})
    lab.execute("filebrowser:refresh")
    lab.page.get_by_role("listitem", name=re.compile("nan.vgtrace")).dblclick()
    view = lab.page.locator(".jp-Document:has(.vg-root)")
    expect(root(view)).to_have_attribute("data-layout", "done")
    stands(view, 0)
    press(view, "Continue")
    expect(root(view)).to_contain_text("SqrtBackward0 made 16 inf of 16")
    stands(view, 4)
    picture(lab.page, "trace-of-a-script")
    press(view, "Step back")
    stands(view, 3)
    assert lab.call("app => [...app.serviceManager.sessions.running()].length") == 0


def test_what_is_no_trace_says_so(lab: Lab) -> None:
    (lab.server.root / "broken.vgtrace").write_bytes(b"PK\x03\x04 and nothing more")
    lab.execute("docmanager:open", path="broken.vgtrace")
    expect(lab.page.get_by_role("alert").get_by_text("not a readable trace")).to_be_visible()


#: Opens a file; gives how often the page had its turn while it was read, how many shares it showed, and
#: the last words. With `cancel`, it presses Cancel as soon as it is there.
WHILE_READ = """async (app, path, cancel) => {
  void app.commands.execute('docmanager:open', { path });
  const find = what => document.querySelector(`.jp-Document ${what}`);
  const turn = () => new Promise(resolve => setTimeout(resolve));
  while (!find('progress')) await turn();
  const shares = new Set();
  let turns = 0;
  let said = '';
  for (let bar = find('progress'); bar; bar = find('progress')) {
    said = find('[role=status]').textContent;
    shares.add(bar.value);
    turns += 1;
    if (cancel) [...document.querySelectorAll('button')].find(b => b.textContent === 'Cancel').click();
    await turn();
  }
  return [turns, shares.size, cancel ? find('[role=status]').textContent : said];
}"""


def test_a_trace_of_a_long_loop_is_opened_and_stepped(lab: Lab) -> None:
    x = vg.ones(4, requires_grad=True)
    y = x
    for _ in range(30_000):
        y = y * 1.0001 + 0.1
    with open_session(y.sum(), names={id(x): "x"}) as session:
        session.step(3)
        path = session.trace.save(lab.server.root / "long.vgtrace")
    assert path.stat().st_size < 1_000_000
    # A worker reads it: the page goes on meanwhile, and a click on Cancel is heard.
    turns, shares, cancelled = lab.call(WHILE_READ, "long.vgtrace", True)
    assert cancelled == "Reading was cancelled. Close this tab, and open the file again to read it."
    lab.execute("application:close-all")
    turns, shares, said = lab.call(WHILE_READ, "long.vgtrace", False)
    assert said == "Reading 60,002 nodes and 3 steps…"
    assert turns > 20
    assert shares > 5
    view = lab.page.locator(".jp-Document:has(.vg-root)")
    expect(root(view)).to_have_attribute("data-layout", "done")
    expect(view).to_contain_text("60,002 nodes")
    stands(view, 3)  # where it was saved
    press(view, "Restart")
    stands(view, 0)
    for position in (1, 2, 3):  # into the loop, most of which is in no drawing
        press(view, "Step")
        stands(view, position)
    picture(lab.page, "trace-long")
    press(view, "Restart")
    stands(view, 0)
    assert lab.call("app => app.shell.currentWidget.title.label") == "long.vgtrace"


def test_a_trace_that_is_too_large_for_a_page_says_so(lab: Lab) -> None:
    path = trace_of().save(lab.server.root / "large.vgtrace")
    with zipfile.ZipFile(path) as archive:
        records = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(records["manifest.json"])
    manifest["nodes"] = 1_000_000
    with zipfile.ZipFile(path, "w") as archive:
        for name, record in {**records, "manifest.json": json.dumps(manifest)}.items():
            archive.writestr(name, record)
    lab.execute("docmanager:open", path="large.vgtrace")
    said = lab.page.get_by_role("alert")
    expect(said).to_contain_text("too large for a page: it has 1,000,000 nodes and")
    expect(said).to_contain_text(
        "Open it in Python, where vizgrad.load_trace reads traces of any size"
    )
    picture(lab.page, "trace-too-large")


@pytest.fixture
def alone(browser: Browser) -> Iterator[Page]:
    """A page of its own, offline, that notes what it loads, says and raises."""
    context = browser.new_context(viewport=SIZE, reduced_motion="reduce", offline=True)
    page = context.new_page()
    yield page
    context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_one_page_shows_it_from_a_file_beside_another(
    alone: Page, tmp_path: Path, theme: Any
) -> None:
    trace = trace_of()
    trace.diff(trace_of(scale=1.5)).export(tmp_path / "run.html")
    loaded: list[str] = []
    said: list[str] = []
    alone.on("request", lambda request: loaded.append(request.url))
    alone.on("console", lambda message: said.append(message.text))
    alone.on("pageerror", lambda error: said.append(str(error)))
    alone.emulate_media(color_scheme=theme)
    alone.goto((tmp_path / "run.html").as_uri())
    walk(alone, len(trace.records))
    for _ in range(5):
        press(alone, "Step")
    stands(alone, 5)
    compared(alone)
    picture(alone, f"trace-page-{theme}")
    assert axe_in(alone.locator("html")) == []
    assert loaded == [(tmp_path / "run.html").as_uri()]
    assert said == []


def compared(
    view: Locator | Page, name: str = "the other run", here: str = "original", by: str = "50 %"
) -> None:
    """Colours and words say how another run differs, from the first node on."""
    view.get_by_role("note", name=f"Colours: difference of {name} from {here}").wait_for()
    graph = view.get_by_role("tree", name="Backward graph")
    expect(graph.locator("[data-node-id][data-differs='4']").first).to_contain_text(f"Δ {by}")
    branches = part(view, "Branches")
    expect(branches).to_contain_text(re.compile(f"{name} compared with {here}: .* differ. First: "))
    expect(branches.get_by_role("button", name=name, exact=True)).to_be_disabled()


def test_two_traces_are_compared_in_the_graph(lab: Lab) -> None:
    lab.page.set_viewport_size({"width": 1600, "height": 950})
    trace_of().save(lab.server.root / "one.vgtrace")
    trace_of(scale=1.5).save(lab.server.root / "other.vgtrace")
    notebook = lab.open_notebook(
        "import vizgrad as vg\none, other = map(vg.load_trace, ('one.vgtrace', 'other.vgtrace'))",
        "one.diff(other)",
        "session = vg.debug((vg.ones(3, requires_grad=True) * 2).sum())",
    )
    notebook.run()
    view = notebook.output(1)
    expect(root(view)).to_have_attribute("data-status", "finished")
    compared(view)
    expect(view).to_contain_text("first difference at MeanBackward0")
    assert axe(view) == []
    picture(lab.page, "two-traces")
    with themed(lab, DARK):
        picture(lab.page, "two-traces-dark")
        assert axe(view) == []
    # Beside a run that goes on: as far as that has come.
    live = notebook.output(2)
    notebook.execute(
        "ran = vg.debug((vg.ones(3, requires_grad=True) * 2).sum()); ran.continue_()\n"
        "session.set_grad(0, 'g * 1.5'); session.compare(ran, 'before')"
    )
    press(live, "Step")
    stands(live, 1)
    compared(live, "before", "branch 1", "33.3 %")
    press(live, "Delete before")
    expect(live.get_by_role("note", name="Colours")).to_have_count(0)


def test_a_page_with_hostile_names_does_nothing(alone: Page, tmp_path: Path) -> None:
    trace = trace_of(HOSTILE)
    trace.export(tmp_path / "evil.html")
    text = (tmp_path / "evil.html").read_text()
    assert "<img" not in text
    assert "javascript:" not in text
    assert text.count("</script>") == 2
    dialogs: list[Any] = []
    alone.on("dialog", lambda dialog: (dialogs.append(dialog), dialog.dismiss()))
    alone.goto((tmp_path / "evil.html").as_uri())
    expect(root(alone)).to_have_attribute("data-layout", "done")
    press(alone, "Continue")
    stands(alone, len(trace.records))
    expect(alone).to_have_title(HOSTILE)
    expect(alone.locator("img")).to_have_count(0)
    assert not dialogs


def test_the_policy_of_a_page_lets_nothing_else_run_or_load(alone: Page, tmp_path: Path) -> None:
    trace_of().export(tmp_path / "run.html")
    alone.goto((tmp_path / "run.html").as_uri())
    expect(root(alone)).to_have_attribute("data-layout", "done")
    refused = alone.evaluate(
        """async () => {
          const refused = [];
          document.addEventListener('securitypolicyviolation', event =>
            refused.push(event.effectiveDirective));
          const script = document.createElement('script');
          script.textContent = 'window.evil = 1';
          const button = document.createElement('button');
          button.setAttribute('onclick', 'window.evil = 2');
          document.body.append(script, button);
          button.click();
          new Image().src = 'http://127.0.0.1:9/x.png';
          await fetch('http://127.0.0.1:9/x').catch(() => undefined);
          await new Promise(done => setTimeout(done));
          return [window.evil ?? null, refused.sort()];
        }"""
    )
    assert refused == [None, ["connect-src", "img-src", "script-src-attr", "script-src-elem"]]


def test_a_page_looks_as_its_address_says(alone: Page, tmp_path: Path) -> None:
    """A page around it may have another look than the system: a frame does not inherit it."""
    trace_of().export(tmp_path / "run.html")
    address = (tmp_path / "run.html").as_uri()
    alone.emulate_media(color_scheme="dark")
    alone.goto(f"{address}#light")
    view = alone.locator(".vg-root")
    expect(view).to_have_css("background-color", "rgb(255, 255, 255)")
    alone.evaluate("location.hash = 'dark'")
    expect(view).to_have_css("background-color", "rgb(27, 28, 30)")
    alone.emulate_media(color_scheme="light")
    expect(view).to_have_css("background-color", "rgb(27, 28, 30)")
    alone.goto("about:blank")
    alone.goto(address)
    expect(view).to_have_css("background-color", "rgb(255, 255, 255)")
