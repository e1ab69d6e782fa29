"""How wide a text will be, estimated without a font: the picture is drawn on another machine.

The sans-serif table is that of Helvetica (Arial and Liberation Sans have the same widths) with some
room for wider faces; the fixed-width faces of all systems are close to 0.6 em.
"""

from __future__ import annotations

import unicodedata

SANS, MONO = "sans", "mono"

# Widths in thousandths of an em, from the space (32) to the tilde (126).
_HELVETICA = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
_ROOM = 1.06
_BOLD = 1.06


def text_width(text: str, size: float, face: str = SANS, *, bold: bool = False) -> float:
    """Width in CSS pixels of `text` at font size `size`."""
    units = sum(map(_mono_units if face == MONO else _sans_units, text))
    return units * size * (_BOLD if bold and face == SANS else 1.0) / 1000


def _sans_units(character: str) -> float:
    code = ord(character)
    if 32 <= code < 127:
        return _HELVETICA[code - 32] * _ROOM
    return _other_units(character, 620.0)


def _mono_units(character: str) -> float:
    return 602.0 if character.isascii() else _other_units(character, 602.0)


def _other_units(character: str, usual: float) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0.0
    return 1000.0 if unicodedata.east_asian_width(character) in "WF" else usual
