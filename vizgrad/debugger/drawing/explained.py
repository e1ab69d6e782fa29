"""Explanations in a notebook: what happened, the person's own lines, the way to the cause, and the fix as a
changed line.

It takes its colours from the page around it, light, dark or of high contrast: text is the page's, and what
is set off is set off by lines and grey. A page that drops the style sheet, as one does that is not trusted,
still reads from top to bottom. Nothing is told by colour alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from vizgrad.core.errors import Explanation, Link, Place, lines_around
from vizgrad.debugger.drawing.describe import place_text, plain

#: Longer texts are cut; of a long chain this many links are listed.
_MOST_TEXT, _MOST_LINE, _MOST_LINKS = 2_000, 160, 12

_STYLE = """\
.vizgrad-why{line-height:1.45;max-width:60em;margin:2px 0}
.vizgrad-why section{border:1px solid rgba(128,128,128,.5);border-left-width:4px;border-radius:3px;\
padding:8px 12px;margin:0 0 8px}
.vizgrad-why p{margin:4px 0}
.vizgrad-why pre{margin:6px 0;padding:4px 0;background:rgba(128,128,128,.1);color:inherit;overflow-x:auto;\
line-height:1.4}
.vizgrad-why pre span{display:block;padding:0 8px;border-left:3px solid transparent}
.vizgrad-why pre .culprit{border-left-color:currentColor;background:rgba(128,128,128,.18);font-weight:600}
.vizgrad-why code{background:none;color:inherit;padding:0}
.vizgrad-why del,.vizgrad-why ins{text-decoration:none;display:block;padding:0 8px}
.vizgrad-why ins{font-weight:600;border-left:3px solid currentColor}
.vizgrad-why del{border-left:3px dotted currentColor}
.vizgrad-why ol{margin:4px 0;padding-left:2em}
"""


def explanations_html(explanations: Sequence[Explanation]) -> str:
    """One below the other, as a part of a page: no ids, links, scripts or addresses."""
    parts = [_section(each) for each in explanations] or ["<p>Nothing to explain.</p>"]
    return f'<div class="vizgrad-why"><style>{_STYLE}</style>{"".join(parts)}</div>'


def _section(explanation: Explanation) -> str:
    if not explanation:
        return f"<p>{_marked(explanation.story or 'There is nothing to explain.')}</p>"
    parts = [f"<p><strong>{_text(explanation.kind)}</strong>"]
    if explanation.tensor:
        parts.append(f" of <code>{_text(explanation.tensor)}</code>")
    parts.append(f"</p><p>{_marked(explanation.story)}</p>")
    if explanation.culprit is not None:
        parts.append(_source(explanation.culprit))
    if len(explanation.chain) > 1:
        parts.append(_chain(explanation.chain))
    if explanation.fix:
        parts.append(f"<p><strong>Fix:</strong> {_marked(explanation.fix)}</p>")
    if explanation.mended and explanation.culprit is not None:
        parts.append(_change(explanation.culprit.text, explanation.mended))
    return f"<section>{''.join(parts)}</section>"


def _source(place: Place) -> str:
    """The line to blame among those beside it, marked by a sign as well."""
    rows: list[str] = []
    lines = lines_around(place)
    width = max((len(str(number)) for number, _ in lines), default=1)
    for number, text in lines:
        blamed = number == place.line
        sign = "▶" if blamed else " "
        row = f"{sign} {number:>{width}}  {_line(text)}".rstrip()
        rows.append(f'<span class="culprit">{row}</span>' if blamed else f"<span>{row}</span>")
    where = f"<p>{_text(place_text(place))}:</p>"
    return f"{where}<pre>{''.join(rows)}</pre>" if rows else f"<p>{_text(place_text(place))}</p>"


def _chain(chain: Sequence[Link]) -> str:
    """From the symptom to the cause; of a long one the beginning and the end."""
    rows = [_link(link) for link in chain]
    rows[0] += " (what was seen)"
    rows[-1] += " (the cause)"
    if len(rows) > _MOST_LINKS:
        half = _MOST_LINKS // 2
        rows[half:-half] = [f"({len(rows) - 2 * half} more)"]
    items = "".join(f"<li>{row}</li>" for row in rows)
    return f"<p>From what was seen to its cause:</p><ol>{items}</ol>"


def _link(link: Link) -> str:
    text = f"<code>{_text(link.text)}</code>"
    if link.place is None:
        return text
    code = f": <code>{_line(link.place.text)}</code>" if link.place.text else ""
    return f"{text}, {_text(place_text(link.place))}{code}"


def _change(before: str, after: str) -> str:
    changed = "".join(f"<ins>+ {_line(line)}</ins>" for line in after.splitlines())
    return f"<pre><del>- {_line(before)}</del>{changed}</pre>"


def _text(text: str) -> str:
    """What a stranger wrote, on one line."""
    return escape(plain(text, _MOST_TEXT))


def _line(text: str) -> str:
    """A line of source: with its indentation."""
    indent = len(text) - len(text.lstrip(" "))
    return " " * min(indent, 40) + escape(plain(text.strip(), _MOST_LINE))


def _marked(text: str) -> str:
    """Words of an explanation, in which code stands between backticks."""
    pieces = re.split(r"`([^`]*)`", plain(text, _MOST_TEXT))
    return "".join(
        f"<code>{escape(piece)}</code>" if nr % 2 else escape(piece)
        for nr, piece in enumerate(pieces)
    )
