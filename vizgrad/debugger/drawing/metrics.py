"""How wide a text will be, estimated without a font: the picture is drawn on another machine.

The sans-serif tables are those of DejaVu Sans, the widest of the usual faces: where there is a narrower one,
boxes have some room to spare, and nowhere does a text leave its box. The fixed-width faces of all systems are
close to 0.6 em.
"""

from __future__ import annotations

import unicodedata

SANS, MONO = "sans", "mono"

# Widths in thousandths of an em, from the space (32) to the tilde (126).
_REGULAR = (
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
    603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,
    635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
)  # fmt: skip
_BOLD = (
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365,
    696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580,
    1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850,
    733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500,
    500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687,
    716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
)  # fmt: skip


def text_width(text: str, size: float, face: str = SANS, *, bold: bool = False) -> float:
    """Width in CSS pixels of `text` at font size `size`."""
    if face == MONO:
        return sum(map(_mono_units, text)) * size / 1000
    table = _BOLD if bold else _REGULAR
    return sum(_sans_units(character, table) for character in text) * size / 1000


def fitted(text: str, room: float, size: float, face: str = SANS, *, bold: bool = False) -> str:
    """As much of `text` as fits into `room`: what is too long loses its middle, where names differ least."""
    if text_width(text, size, face, bold=bold) <= room:
        return text
    low, high = 1, len(text) - 1
    while low < high:
        kept = (low + high + 1) // 2
        if text_width(_without_middle(text, kept), size, face, bold=bold) <= room:
            low = kept
        else:
            high = kept - 1
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    """The first and the last of so many characters."""
    last = kept // 2
    return f"{text[: kept - last]}…{text[len(text) - last :]}"


def _sans_units(character: str, table: tuple[int, ...]) -> float:
    code = ord(character)
    if 32 <= code < 127:
        return table[code - 32]
    return _other_units(character, 838.0)


def _mono_units(character: str) -> float:
    return 602.0 if character.isascii() else _other_units(character, 602.0)


def _other_units(character: str, usual: float) -> float:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0.0
    return 1000.0 if character == "…" or unicodedata.east_asian_width(character) in "WF" else usual
