"""The layout worker starts from a Blob URL in JupyterLab's page, and fetches nothing."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ui.lab import Lab

WORKER = Path(__file__).parents[2] / "extension" / "generated" / "layoutWorker.txt"

LAY_OUT = """
(app, source, dot) => new Promise((resolve, reject) => {
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  const worker = new Worker(url);
  worker.onerror = event => reject(new Error(event.message));
  worker.onmessage = ({ data }) => {
    if (data.error) reject(new Error(data.error));
    else if (data.id === 0) worker.postMessage({ id: 1, dot });
    else resolve(data.json);
  };
})
"""


def test_it_lays_a_graph_out_without_a_network(lab: Lab) -> None:
    asked: list[str] = []
    lab.page.on("request", lambda request: asked.append(request.url))
    json0 = lab.call(LAY_OUT, WORKER.read_text(), "digraph { a -> b; a -> c }")
    nodes = {node["name"]: node["pos"] for node in json.loads(json0)["objects"]}
    assert set(nodes) == {"a", "b", "c"}
    assert not [url for url in asked if not url.startswith(("blob:", lab.server.url))]
