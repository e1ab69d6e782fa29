"""`python -m tests.architecture.picture`: draws `notebooks/images/architecture.svg` from the imports.

Four bands, one for each part of the house. An arrow points to what a room imports, always down; an
arrow that follows from others is left out. Every band may import from the bands below it, so arrows
between bands are not drawn one by one. The layout is the one that vizgrad draws graphs with.
"""

from __future__ import annotations

from html import escape

from tests.architecture.rooms import PARTS, ROOT, arrows, part, reduced
from vizgrad.debugger.drawing.geometry import curve
from vizgrad.debugger.drawing.layered import Block, Line, Placed, place_blocks

PICTURE = ROOT / "notebooks" / "images" / "architecture.svg"

WIDTH, MARGIN, TITLE, BETWEEN, HEIGHT = 760, 16, 34, 26, 30
COLOURS = ("#7a4fa3", "#2f6db3", "#3c8d5a", "#a8672a")
_NARROW = set("fijlrt.")

_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0L8 4L0 8z" fill="#666"/></marker></defs>'
)


def _width(text: str) -> float:
    """About how wide a text of 13 px is, with room at both ends; fonts differ."""
    return sum(4.6 if c in _NARROW else 7.6 for c in text) + 26


def _layout(names: list[str], titles: list[str], lines: dict[str, set[str]]) -> Placed:
    number = {name: i for i, name in enumerate(names)}
    widths = [_width(title) for title in titles]
    return place_blocks(
        [Block(width, HEIGHT) for width in widths],
        [
            Line(number[name], number[other], head=widths[number[other]] / 2)
            for name in names
            for other in sorted(lines[name])
        ],
    )


def _band(index: int, y: float, graph: dict[str, set[str]]) -> tuple[list[str], float]:
    """The shapes of one part, and how high it is."""
    title, start = PARTS[index]
    colour = COLOURS[index]
    inside = {n: {m for m in to if part(m) == index} for n, to in graph.items() if part(n) == index}
    names = sorted(inside)
    titles = [name.removeprefix(start) for name in names]
    placed = _layout(names, titles, reduced(inside))
    left, top = (WIDTH - placed.width) / 2, y + TITLE
    height = placed.height + TITLE + 14
    band = (
        f'<rect x="{MARGIN}" y="{y:.0f}" width="{WIDTH - 2 * MARGIN}" height="{height:.0f}" rx="8" '
        f'fill="{colour}" fill-opacity="0.08" stroke="{colour}"/>'
    )
    shapes = [
        band,
        f'<text x="{MARGIN + 14}" y="{y + 22:.0f}" font-weight="600" fill="{colour}">{escape(title)}</text>',
    ]
    for hops in placed.hops:
        (x, first), *rest = curve([(x + left, down + top) for x, down in hops])
        way = " ".join(f"{a:.0f} {b:.0f}" for a, b in rest)
        shapes.append(
            f'<path d="M{x:.0f} {first:.0f}C{way}" fill="none" stroke="#666" marker-end="url(#head)"/>'
        )
    for name, right, below in zip(titles, placed.x, placed.y, strict=True):
        x, down, width = right + left, below + top, _width(name)
        shapes.append(
            f'<rect x="{x:.0f}" y="{down:.0f}" width="{width:.0f}" height="{HEIGHT}" rx="5" fill="#fff" '
            f'stroke="{colour}"/><text x="{x + width / 2:.0f}" y="{down + 20:.0f}" text-anchor="middle" '
            f'fill="#222">{escape(name)}</text>'
        )
    return shapes, height


def draw() -> str:
    """The picture as SVG text."""
    graph, shapes, y = arrows(), [], float(MARGIN)
    for index in range(len(PARTS)):
        if index:
            shapes.append(
                f'<path d="M{WIDTH / 2:.0f} {y:.0f}v{BETWEEN - 3}" stroke="#666" stroke-width="3" '
                'marker-end="url(#head)"/>'
            )
            y += BETWEEN
        band, height = _band(index, y, graph)
        shapes += band
        y += height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + MARGIN:.0f}" width="{WIDTH}" '
        'font-family="system-ui, sans-serif" font-size="13" role="img" '
        'aria-label="The rooms of vizgrad: tools for tests above '
        "the debugger above torch's namespaces above the core\">\n"
        f'<rect width="100%" height="100%" fill="#fff"/>{_HEAD}\n'
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), "utf-8")
