"""One HTML page that shows a trace in any browser, from a file or from a server: it asks nobody.

The page holds the view's code, and the file of the trace in base64: no character of that can be markup. Its
policy lets this code alone run, known by its hash, and nothing be loaded or sent, wherever it is served.
"""

from __future__ import annotations

import base64
import hashlib
import tempfile
from html import escape
from pathlib import Path

from vizgrad.debugger import model
from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.jupyter.widget.debugview import STATIC
from vizgrad.debugger.jupyter.widget.trace_contents import FiledBeside
from vizgrad.debugger.model.trace_files import File
from vizgrad.debugger.traces import archive
from vizgrad.debugger.traces.saving import save

#: Bytes of gradients in a page, where each takes a third more.
ARRAYS_IN_PAGE = 8 << 20

_STYLE = (
    "html,body{height:100%;margin:0}"
    "#vg-host{height:100vh;overflow:auto;font:14px system-ui,sans-serif}"
    "h1,h2{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}"
    ".vg-bad-file,noscript{margin:2em;display:block}"
)


def export(trace: model.Trace, path: File, *, beside: tuple[FiledBeside, ...] = ()) -> Path:
    """See `model.Trace.export`. FileNotFoundError where the front end was not built. `beside`: other runs
    that it is compared with.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = save(trace, Path(folder, "trace"), arrays=ARRAYS_IN_PAGE, beside=beside)
        text = page(file.read_bytes(), trace.title or "trace")
    with archive.replacing(path) as made:
        made.write_text(text, "utf-8")
    return Path(path)


def page(file: bytes, title: str) -> str:
    """The page for the file of a trace."""
    code = _harmless((STATIC / "trace.js").read_text("utf-8"))
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join((
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{escape(plain(title))}</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        "<main>",
        f"<h1>{escape(plain(title))}</h1><h2>The backward, step by step</h2>",
        '<div id="vg-host"></div>',
        "</main>",
        "<noscript>This page shows a trace by means of JavaScript.</noscript>",
        f'<script id="vg-file" type="text/plain">{base64.b64encode(file).decode()}</script>',
        f"<script>{code}</script>",
        "</body>",
        "</html>",
        "",
    ))  # fmt: skip


def _harmless(code: str) -> str:
    """In strings of a program `<` before these may be written so; there it ends no element."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")
