"""How each role looks, in light and in dark: the one style sheet of the static pictures.

The sheet has no variables, imports or addresses, so that it works where a picture is shown as an
image, and in converters that know only a little CSS. Nothing is told by colour alone: a state also
has its word and its mark, a stale value its word and its corners. A state has the colour that it has in the
live view (`extension/style/theme.raw.css`).
"""

from __future__ import annotations

SANS_FAMILY = (
    '-apple-system,BlinkMacSystemFont,"Segoe UI","Helvetica Neue",Arial,'
    '"Liberation Sans",sans-serif'
)
MONO_FAMILY = 'ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace'

#: Name of a colour -> (light, dark).
_COLOURS = {
    "paper": ("#ffffff", "#111418"),
    "ink": ("#1b1f24", "#e8ebef"),
    "soft": ("#5c6570", "#9aa5b1"),
    "line": ("#98a2ae", "#66717d"),
    "rule": ("#cfd6de", "#3a434d"),
    "card": ("#f7f9fb", "#1c2127"),
    "frame": ("#f1f4f8", "#171b20"),
    "frame_rule": ("#d9e0e8", "#2d353e"),
    "call": ("#e2f3f1", "#10302c"),
    "call_rule": ("#4f9c92", "#3f857c"),
    "call_ink": ("#0b5a50", "#9adbd1"),
    "leaf": ("#e3f1fd", "#10293f"),
    "leaf_rule": ("#6db1ea", "#3178b4"),
    "leaf_ink": ("#0b4a7d", "#a5d4fb"),
    "custom": ("#f5effd", "#261d36"),
    "custom_rule": ("#b594e4", "#7f5fb5"),
    "copy": ("#fdf5de", "#2e2612"),
    "copy_rule": ("#d3ab45", "#93752a"),
    "chip": ("#ffffff", "#262c33"),
    "stale": ("#fbe9e9", "#3f1f1f"),
    "stale_rule": ("#c62828", "#ef9a9a"),
    "stale_ink": ("#c62828", "#ef9a9a"),
    "done": ("#ecf4ec", "#1a2a1e"),
    "done_rule": ("#82b385", "#4f7d53"),
    "done_ink": ("#2e7d32", "#81c784"),
    "ready": ("#1976d2", "#64b5f6"),
    "now": ("#b45309", "#ffb74d"),
    "now_fill": ("#f6e9df", "#38291a"),
    "capture": ("#7b1fa2", "#ce93d8"),
    "flow": ("#1a62ad", "#86bdf0"),
    # How far another run is: one hue, more and more of it.
    "differs_0": ("#f1f2f3", "#22272d"),
    "differs_1": ("#efe7f4", "#2c2531"),
    "differs_2": ("#e6d5ee", "#3c2a43"),
    "differs_3": ("#dbbfe7", "#4e3057"),
    "differs_4": ("#cfa6df", "#62376d"),
    "differs_5": ("#c28dd7", "#783f85"),
}

#: Selector -> properties; ``@name`` stands for a colour.
_RULES: tuple[tuple[str, str], ...] = (
    ("text", f"font-family:{SANS_FAMILY};fill:@ink;stroke:none"),
    ("rect,polygon,polyline,path", "fill:none;stroke:none;stroke-linejoin:round"),
    (".paper", "fill:@paper"),
    (".heading", "font-size:15px;font-weight:600"),
    (".summary", "font-size:12px;fill:@soft"),
    (".note", "font-size:12px;fill:@stale_ink"),
    (".frame", "fill:@frame;stroke:@frame_rule"),
    (".frame.nested", "fill:@paper"),
    (".scope", "font-size:11.5px;font-weight:600;fill:@soft"),
    (".halo", "stroke:@frame;stroke-width:4px;paint-order:stroke;stroke-linejoin:round"),
    (".nested.halo", "stroke:@paper"),
    (".edge", "stroke:@line;stroke-width:1.25px"),
    (".tip", "fill:@line"),
    (".edge.flowed", "stroke:@flow;stroke-width:1.75px"),
    (".edge.strong", "stroke-width:2.5px"),
    (".edge.weak", "stroke-width:1.1px"),
    (".tip.flowed", "fill:@flow"),
    (".edge.odd", "stroke:@stale_rule;stroke-width:3px"),
    (".tip.odd", "fill:@stale_rule"),
    (".edge.undefined", "stroke-dasharray:2 4"),
    (".edge.mark", "stroke:@ink"),
    (".tip.mark", "fill:@ink"),
    (".name", "font-size:13px;font-weight:600"),
    (".caption", "font-size:11px;fill:@soft"),
    (".type", f"font-family:{MONO_FAMILY};font-size:11px;fill:@soft"),
    (".port", "font-size:11px;fill:@soft"),
    (".norm", f"font-family:{MONO_FAMILY};font-size:11px;fill:@flow"),
    (".norm.halo", "stroke:@paper"),
    (".norm.odd,.port.odd", "fill:@stale_ink;font-weight:600"),
    (".body", "fill:@card;stroke:@rule"),
    (".function .body,.function .bar", "fill:@custom;stroke:@custom_rule"),
    (".copy_slices .body,.copy_slices .corner", "fill:@copy;stroke:@copy_rule"),
    (".leaf .body", "fill:@leaf;stroke:@leaf_rule"),
    (".leaf .name", "font-size:12px;fill:@leaf_ink"),
    (".root .body", "stroke:@ink;stroke-width:1.5px"),
    (".result .body", "fill:@ink"),
    (".result .name", "font-size:11.5px;fill:@paper"),
    (".fold .sheet", "fill:@frame;stroke:@rule"),
    (".plot", "fill:@paper;stroke:@rule"),
    (".curve", "stroke:@flow;stroke-width:1.75px"),
    (".dot", "fill:@flow;stroke:none"),
    (".zero", "fill:@ink;stroke:none"),
    (".nonfinite", "fill:@stale_rule;stroke:none"),
    (".trend", "font-size:11px;font-weight:600"),
    (".failing", "font-size:11px"),
    (".chip rect", "fill:@chip;stroke:@rule"),
    (".chip text", f"font-family:{MONO_FAMILY};font-size:11px"),
    (".chip.value text,.chip.more text", "fill:@soft"),
    (".chip.freed rect", "fill:none;stroke-dasharray:3 2"),
    (".chip.freed text", "fill:@soft"),
    (".chip.packed rect", "stroke:@soft"),
    (".chip.stale polygon", "fill:@stale;stroke:@stale_rule;stroke-width:1.25px"),
    (".chip.stale text", "fill:@stale_ink;font-weight:600"),
    (".chip.stale .warning", "fill:@stale_rule;stroke:none"),
    (".chip.stale .bang", "stroke:@paper;stroke-width:1.2px"),
    (".badge text", "font-size:11px;fill:@soft"),
    (".badge .stroke", "stroke:@soft;stroke-width:1.5px;stroke-linecap:round"),
    (".badge .dash", "stroke-dasharray:1.6 1.3"),
    (".badge .fill", "fill:@soft"),
    (".done .body", "fill:@done;stroke:@done_rule"),
    (".done .badge text", "fill:@done_ink"),
    (".done .badge .stroke", "stroke:@done_ink"),
    (".ready .body", "stroke:@ready;stroke-width:1.6px"),
    (".ready .badge text", "fill:@ready;font-weight:600"),
    (".ready .badge .stroke", "stroke:@ready"),
    (".current .badge text", "fill:@now;font-weight:600"),
    (".current .badge .fill", "fill:@now"),
    (".current .body", "fill:@now_fill;stroke:@now;stroke-width:2.5px"),
    (".skipped .body", "fill:none;stroke-dasharray:4 3"),
    (".skipped .name", "fill:@soft"),
    (".captured .body", "stroke:@capture;stroke-dasharray:1 2"),
    (".captured .badge text,.captured .badge .fill", "fill:@capture"),
    (".captured .badge .stroke", "stroke:@capture"),
    (".odd .body", "fill:@stale;stroke:@stale_rule;stroke-width:2.5px"),
    (".odd .badge text", "fill:@stale_ink;font-weight:600"),
    (".odd .badge .stroke", "stroke:@stale_rule"),
    (".frame.odd", "stroke:@stale_rule;stroke-width:1.6px"),
    (".error .body", "fill:@stale;stroke:@stale_rule;stroke-width:2.5px"),
    (".error .badge text", "fill:@stale_ink;font-weight:600"),
    (".error .badge .stroke", "stroke:@stale_rule;stroke-width:2px"),
    (".version", "fill:@frame;stroke:@rule"),
    (".version.odd", "fill:@card"),
    (".number", "font-size:11.5px;font-weight:600"),
    (".by", "font-weight:600;fill:@ink"),
    (".write", "stroke:@line;stroke-dasharray:2 3"),
    (".save", "fill:@flow"),
    (".held.halo", "stroke:@paper"),
    (".held.stale", "font-weight:600;fill:@stale_ink"),
    (".hold", "stroke:@flow;stroke-width:3px"),
    (".hold.freed", "stroke:@rule;stroke-dasharray:5 4"),
    (".hold.packed", "stroke:@soft"),
    (".hold.stale", "stroke:@stale_rule;stroke-width:3px;stroke-dasharray:4 3"),
    (".cross", "stroke:@stale_rule;stroke-width:2px"),
)


#: For pictures that show how another run differs. Soft grey is not read on their colours.
_SOFT = (".caption", ".type", ".port", ".chip.value text", ".name")
_DIFFERING: tuple[tuple[str, str], ...] = (
    *((f".differs-{step} .body", f"fill:@differs_{step}") for step in range(6)),
    (".differs-odd .body", "fill:@stale;stroke:@stale_rule;stroke-width:2.5px"),
    (".differs-alone .body", "stroke:@capture;stroke-dasharray:4 3"),
    (".differing", "font-size:11px"),
    *(
        (
            ",".join(f".differs-{step} {part}" for part in _SOFT),
            "fill:@ink",
        )
        for step in (1, 2, 3, 4, 5)
    ),
    *(
        (f".differs-{step} .badge text,.differs-{step} .differing", "fill:@ink;font-weight:600")
        for step in (1, 2, 3, 4, 5)
    ),
    (".differs-odd .badge text,.differs-odd .differing", "fill:@stale_ink;font-weight:600"),
)


#: For pictures with a strip of ranks below each card.
_RANKS: tuple[tuple[str, str], ...] = (
    (".rank .cell", "fill:none;stroke:@rule"),
    (".rank.arrived .cell", "fill:@done_rule;stroke:none"),
    (".rank.leaving .cell", "fill:@now;stroke:none"),
    (".rank.nonfinite .cell", "fill:@stale_rule;stroke:none"),
)


#: For pictures with collectives.
_CALLS: tuple[tuple[str, str], ...] = (
    (".edge.call", "stroke:@call_rule;stroke-dasharray:5 3"),
    (".tip.call", "fill:@call_rule"),
    (".collective .body", "fill:@call;stroke:@call_rule;stroke-width:1.4px"),
    (".collective.begun .body", "fill:none;stroke-dasharray:4 3"),
    (".collective .name", "fill:@call_ink"),
    (".waiting", "font-size:11px"),
)


def style_sheet(*, differing: bool = False, ranks: bool = False, calls: bool = False) -> str:
    """The CSS: all rules in light colours, then the colours again for dark surroundings."""
    rules = _RULES + (_DIFFERING if differing else ()) + (_RANKS if ranks else ())
    rules += _CALLS if calls else ()
    light = "".join(f"{selector}{{{_filled(body, 0)}}}\n" for selector, body in rules)
    dark = "".join(
        f"{selector}{{{';'.join(coloured)}}}\n"
        for selector, body in rules
        if (coloured := [_filled(part, 1) for part in body.split(";") if "@" in part])
    )
    return f"{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n"


def _filled(body: str, scheme: int) -> str:
    for name in sorted(_COLOURS, key=len, reverse=True):  # longest first: leaf_ink before leaf
        body = body.replace(f"@{name}", _COLOURS[name][scheme])
    return body
