"""The traces of several ranks as one page for any browser: strips of all ranks, and the steps of one of them.

The page holds the code of the view once, as text, and the file of each rank. A small script puts both
together in a frame for the rank that is chosen. As for a page of one trace, its policy lets these two scripts
run and nothing be loaded or sent.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from vizgrad.debugger import model
from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.ranks.comparison import RankComparison
from vizgrad.debugger.ranks.wording import ranks_text
from vizgrad.debugger.traces import archive
from vizgrad.debugger.traces.files import code_digest, file_for_page, page, page_head

#: Ranks whose steps a page has: those that leave the others, then the lowest.
MOST_STEPPED = 16
#: Bytes of the files of all ranks together, and of one at least.
_ALL, _ONE = 4 << 20, 1 << 17

_SCRIPT = """\
const text = id => document.getElementById(id).textContent;
const bytes = Uint8Array.from(atob(text('vg-page')), one => one.charCodeAt(0));
const whole = new TextDecoder().decode(bytes);
const [before, after] = whole.split('type="text/plain"><\\/script>');
const frame = document.querySelector('iframe');
const chosen = document.querySelector('select');
const show = () => {
  const file = text('vg-rank-' + chosen.value);
  frame.title = 'Rank ' + chosen.value;
  frame.srcdoc = before + 'type="text/plain">' + file + '<\\/script>' + after;
};
chosen.addEventListener('change', show);
show();
"""

_STYLE = (
    ":root{color-scheme:light dark}"
    "html,body{height:100%;margin:0;font:14px system-ui,sans-serif}"
    "main{display:flex;flex-direction:column;min-height:100%}"
    "header{padding:8px 12px}h1{font-size:1.2em;margin:0 0 4px}pre{white-space:pre-wrap;margin:4px 0}"
    "details{padding:0 12px}details div{max-height:45vh;overflow:auto}"
    "form{padding:8px 12px}iframe{flex:1;min-height:60vh;border:0;border-top:1px solid #8888}"
    "noscript{margin:2em;display:block}"
)


def export_ranks(
    traces: Mapping[int, model.Trace], compared: RankComparison, text: str, svg: str, path: File
) -> Path:
    """`compared`: all ranks, also those without a trace; `text` and `svg`: what is shown of them.
    FileNotFoundError where the front end was not built.
    """
    first = [rank for rank in compared.leaving if rank in traces]
    stepped = [*first, *(rank for rank in traces if rank not in first)][:MOST_STEPPED]
    room = max(_ONE, _ALL // len(stepped))
    files = {rank: file_for_page(traces[rank], room) for rank in sorted(stepped)}
    with archive.replacing(path) as made:
        made.write_text(_page(files, first[:1], len(compared.ranks), text, svg), "utf-8")
    return Path(path)


def _page(files: Mapping[int, bytes], first: Sequence[int], count: int, text: str, svg: str) -> str:
    title = f"{count} ranks"
    digest = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}' 'sha256-{code_digest()}'; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    selected = first[0] if first else min(files)
    options = "".join(
        f'<option value="{rank}"{" selected" if rank == selected else ""}>rank {rank}</option>'
        for rank in files
    )
    few = len(files) < count
    which = f" Of {count}, the steps of {ranks_text(list(files))} are here." if few else ""
    view = base64.b64encode(page(b"", title).encode()).decode("ascii")
    told = escape("\n".join(map(plain, text.split("\n"))), quote=True)
    image = base64.b64encode(svg.encode()).decode("ascii")
    return "\n".join((
        *page_head(title, policy, _STYLE),
        "<body>",
        "<main>",
        f"<header><h1>{title}</h1><pre>{told}</pre></header>",
        "<details open><summary>All ranks at each node</summary>",
        '<div tabindex="0" role="region" aria-label="Graph of all ranks">',
        f'<img alt="{told}" src="data:image/svg+xml;base64,{image}"></div>',
        "</details>",
        f"<form><label>Steps of <select>{options}</select></label>{escape(which)}</form>",
        '<iframe title="Rank"></iframe>',
        "</main>",
        "<noscript>The steps of a rank are shown by means of JavaScript.</noscript>",
        *(
            f'<script id="vg-rank-{rank}" type="text/plain">{base64.b64encode(file).decode()}</script>'
            for rank, file in files.items()
        ),
        f'<script id="vg-page" type="text/plain">{view}</script>',
        f"<script>{_SCRIPT}</script>",
        "</body>",
        "</html>",
        "",
    ))  # fmt: skip
