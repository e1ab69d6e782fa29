"""What strangers wrote is shown as the characters it consists of, in every tier, and does nothing."""

from __future__ import annotations

import re
import shutil
import subprocess
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.debugger.drawing.hostile import NAMES, events_of, graph_of, run_of
from vizgrad.debugger.drawing import (
    graph_svg,
    graph_text,
    run_text,
    to_dot,
    trace_text,
    versions_svg,
    versions_text,
)
from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.drawing.title_forms import shortened
from vizgrad.debugger.model import Trace

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "style", "rect", "g", "path", "text", "polygon", "polyline"}
ATTRIBUTES = {
    "width", "height", "viewBox", "role", "class", "rx", "x", "y", "points", "d", "text-anchor",
    "transform", "fill", "stroke", "font-family", "font-size",
}  # fmt: skip

any_name = st.text(st.characters(codec=None), max_size=24) | st.sampled_from(NAMES)


def drawn_texts(svg: str) -> list[str]:
    """The texts in an SVG, after checking that there is nothing in it that we did not put there."""
    texts: list[str] = []
    for element in ET.fromstring(svg.encode()).iter():
        assert element.tag.removeprefix(SVG) in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES
        for attribute, value in element.attrib.items():
            assert attribute in ("class", "d", "viewBox", "points", "transform") or len(value) < 12
            assert re.fullmatch(r"[\w .,()#-]*", value)
        if element.tag in (f"{SVG}text", f"{SVG}title"):
            texts.append(element.text or "")
    return texts


@pytest.mark.parametrize("name", NAMES)
def test_svg_shows_the_name_and_nothing_else(name: str) -> None:
    texts = drawn_texts(graph_svg(graph_of(name), run_of(name)))
    shown = plain(name) or "Backward graph"
    assert texts[0] == shown  # the title
    if name:
        assert plain(name, 28) in texts  # the leaf's pin
        assert plain(name, 40) in texts  # the node's card
        assert shortened(name) in texts  # the group's frame
    folded = drawn_texts(graph_svg(graph_of(name), run_of(name), depth=0))
    assert shortened(name) in folded


@pytest.mark.parametrize("name", NAMES)
def test_text_has_one_line_for_each_thing_and_shows_the_name(name: str) -> None:
    graph, run = graph_of(name), run_of(name)
    texts = [
        graph_text(graph),
        graph_text(graph, run),
        run_text(graph, run),
        versions_text(graph.storages, graph),
        trace_text(Trace(graph, (), events_of(name))),
    ]
    for text in texts:
        assert plain(name) in text
        for line in text.split("\n"):
            assert plain(line) in (line, f"\u2068{line}\u2069") or "\u2068" in line
            assert all(c.isprintable() or c in "\u2068\u2069" for c in line)
    assert len(graph_text(graph).split("\n")) == len(graph_text(graph_of("w")).split("\n"))


@pytest.mark.parametrize("name", NAMES)
def test_the_timeline_shows_the_name_and_nothing_else(name: str) -> None:
    graph = graph_of(name)
    texts = drawn_texts(versions_svg(graph.storages, graph))
    assert (plain(name, 40) or "storage 1") in texts
    assert f"{plain(name, 30)} of {plain(name)}" in " ".join(texts)


def labels(source: str) -> list[str]:
    """Quoted and bare label values of DOT source, with DOT's escapes undone."""
    found: list[str] = []
    for quoted, bare in re.findall(r'label=(?:"((?:[^"\\]|\\.)*)"|([^\s\]"]+))', source, re.DOTALL):
        assert not bare.startswith("<")
        text = re.sub(r"\\(.)", lambda m: "\n" if m[1] == "n" else m[1], quoted or bare)
        found.append(text.replace("&amp;", "&"))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_dot_labels_are_the_name(name: str) -> None:
    digraph = to_dot(graph_of(name), run_of(name))
    found = labels(digraph.source)
    assert found[0] == (plain(name) or "Backward graph")
    assert all("\n" not in line for line in found[0].split("\n"))
    if name:
        assert any(text.split("\n")[0] == plain(name) for text in found[1:])
    assert re.search(r"\b(URL|href|shape=none|image)\b", strip_labels(digraph.source)) is None


def strip_labels(source: str) -> str:
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', source, flags=re.DOTALL)


@pytest.mark.skipif(shutil.which("dot") is None, reason="asks Graphviz how it reads our labels")
@pytest.mark.parametrize("name", NAMES)
def test_graphviz_reads_the_labels_as_they_are_meant(name: str) -> None:
    source = to_dot(graph_of(name)).source.encode()
    svg = subprocess.run(
        ["dot", "-Tsvg"], input=source, capture_output=True, check=True, timeout=300
    )
    texts = [
        (element.text or "").replace("\u00a0", " ").strip()
        for element in ET.fromstring(svg.stdout).iter(f"{SVG}text")
    ]
    assert (" ".join(plain(name).split()) or "Backward graph") in [
        " ".join(t.split()) for t in texts
    ]


@given(any_name)
def test_any_text_at_all_gives_well_formed_drawings(name: str) -> None:
    drawn_texts(graph_svg(graph_of(name), run_of(name)))
    assert labels(to_dot(graph_of(name)).source)[0] == (plain(name, 80) or "Backward graph")
    for line in graph_text(graph_of(name)).split("\n"):
        assert all(c.isprintable() or c in "\u2068\u2069" for c in line)
