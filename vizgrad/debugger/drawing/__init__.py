"""Pictures and texts of graphs, runs and traces, drawn from plain data (see README.md)."""

from vizgrad.debugger.drawing.dot import to_dot as to_dot
from vizgrad.debugger.drawing.scene import to_svg as to_svg
from vizgrad.debugger.drawing.static import graph_scene as graph_scene
from vizgrad.debugger.drawing.static import graph_svg as graph_svg
from vizgrad.debugger.drawing.text import graph_text as graph_text
from vizgrad.debugger.drawing.text import run_text as run_text
from vizgrad.debugger.drawing.text import trace_text as trace_text
from vizgrad.debugger.drawing.text import versions_text as versions_text
from vizgrad.debugger.drawing.text import visit_text as visit_text
from vizgrad.debugger.drawing.timeline import versions_scene as versions_scene
from vizgrad.debugger.drawing.timeline import versions_svg as versions_svg
from vizgrad.debugger.drawing.visible import visible_graph as visible_graph
