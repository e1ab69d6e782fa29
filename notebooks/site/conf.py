"""The site: Sphinx with MyST. `make docs` lays out what it reads (.ci/docs/stage.py) and runs it."""

from __future__ import annotations

import re

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx

project = "vizgrad"
author = "The vizgrad authors"
copyright = "The vizgrad authors, BSD-3-Clause"
extensions = ["myst_nb"]
root_doc = "index"
exclude_patterns = ["_static/**"]

html_theme = "furo"
html_title = "vizgrad"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0b5cad", "color-brand-content": "#0b5cad"},
    "dark_css_variables": {"color-brand-primary": "#7db8ff", "color-brand-content": "#7db8ff"},
}

# Notebooks come with their outputs; nothing is loaded from elsewhere.
nb_execution_mode = "off"
nb_ipywidgets_js = {}
nb_merge_streams = True
nb_mime_priority_overrides = [("html", "application/vnd.jupyter.widget-view+json", None)]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
html_math_renderer = "mathml"
suppress_warnings = [
    "myst.header",  # the cells of a notebook are read one by one
    "toc.not_included",  # pages that are reached from their text alone
    "mystnb.unknown_mime_type",  # what a browser cannot show has a text beside it
    "misc.highlighting_failure",  # IPython's magics in cells
]


def _math(self: object, node: nodes.Element) -> None:
    """MathML, which browsers draw by themselves."""
    display = "inline" if isinstance(node, nodes.math) else "block"
    self.body.append(convert(node.astext(), display=display))  # type: ignore[attr-defined]  a writer of Sphinx's
    raise nodes.SkipNode


def _ours(_app: Sphinx, _page: str, _template: str, context: dict, _tree: object) -> None:
    """MyST-NB and others ask for scripts of other hosts where a page has widgets: none is loaded."""
    scripts = context.get("script_files", [])
    context["script_files"] = [s for s in scripts if not re.match(r"(https?:)?//", str(s))]
    if "furo_navigation_tree" in context:  # its captions are headings, and say of which level
        tree = context["furo_navigation_tree"]
        context["furo_navigation_tree"] = tree.replace(
            'role="heading"', 'role="heading" aria-level="2"'
        )


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_math, None), (_math, None))
    app.connect("html-page-context", _ours, priority=900)
