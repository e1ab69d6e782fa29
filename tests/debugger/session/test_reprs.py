"""How sessions and their data print: a line, or a short block, with the names of what says more."""

from __future__ import annotations

from pathlib import Path

import vizgrad as vg
from vizgrad.debugger import model


def paused() -> vg.debugger.session.session.Session:
    x = vg.tensor([0.5, 1.0, 2.0], requires_grad=True)
    w = vg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with vg.watch(), vg.scope("layer"):
        loss = ((x * w).tanh() * 2).sum()
    return vg.debug(loss, display=False)


def told(value: object) -> str:
    """Without the folder and the line of this file, which change."""
    line = next(
        n for n, text in enumerate(Path(__file__).read_text().split("\n"), 1) if "loss = ((" in text
    )
    return repr(value).replace(f"{__file__}:{line}", "test.py:1")


def test_a_session_and_its_parts_print_in_a_line() -> None:
    with paused() as session:
        session.step(2)
        source = "place test.py:1: loss = ((x * w).tanh() * 2).sum()"
        node = (
            f"<Node 2: TanhBackward0 [3] float32; edges to 3; saved result; scope layer; {source}>"
        )
        assert told(session) == "<Session loss: 2 of 6 nodes done; next is TanhBackward0 (node 2)>"
        assert told(session.node) == node
        assert told(session.ready) == f"({node},)"
        assert (
            told(session.buffers) == "(<Buffer of node 2, input_nr 0: [3] float32 of norm 3.46>,)"
        )
        assert told(session.trace) == (
            "<Trace loss: 2 steps of a graph of 6 nodes; .save(file), .export(page), .diff(other); "
            "see .graph, .records>"
        )
        assert told(session.trace.records[1]) == (
            "<StepRecord: done, visit <Visit 1 of node 1: incoming [3] float32 of norm 1.73; "
            "routed [3] float32 of norm 3.46>>"
        )
        assert told(session.graph) == (
            "<Graph loss: 6 nodes, 1 group, 4 storages; see .nodes, .groups, .storages>"
        )
        assert told(session.run) == (
            "<Run paused: position 2 of 6 nodes, current node 2; "
            "see .nodes, .ready, .buffers, .edges, .saved>"
        )
        session.break_at("Mul*", condition="grad.norm > 1", log="norm {grad.norm()}", enabled=False)
        assert told(session.breakpoints) == (
            "(<Breakpoint 1: op Mul*, condition grad.norm > 1, log norm {grad.norm()}, enabled False, "
            "hit 0 times>,)"
        )
        session.set_grad(session.node, "g * 2")
        assert told(session.branches) == (
            "(<Branch original: position 2 of 2 recorded>, "
            "<Branch branch 1 (current): position 2 of 2 recorded, "
            "left original after 2 steps, edits gradient of TanhBackward0 = g * 2>)"
        )


def test_saved_tensors_print_as_lines() -> None:
    with paused() as session:
        session.step(2)
        lines = [
            "4 saved tensors, 1 freed",
            "  MulBackward0 (node 1), other: freed",
            "  TanhBackward0 (node 2), result: alive, [3] float32, 12 B",
            "  MulBackward0 (node 3), self: alive, [3] float32, 12 B",
            "  MulBackward0 (node 3), other: alive, [3] float32, 12 B",
        ]
        assert told(session.saved) == "\n".join(lines)
        assert told(session.saved[1][1]) == "<Saved result: alive, [3] float32, 12 B>"


def test_a_stale_one_says_what_wrote_it() -> None:
    w = vg.tensor([1.0, 2.0], requires_grad=True)
    y = w * 1
    loss = (y * y).sum()
    y.add_(1)
    with vg.debug(loss, display=False) as session:
        found = next(saved for _, saved in session.saved if saved.state == "stale")
        culprit = found.culprit
        assert culprit is not None
        assert repr(found) == (
            "<Saved self: stale, [2] float32, 8 B, saved at version 0, now 1, written by add_ at "
            f"{culprit.place}>"
        )
        storage = next(each for each in session.versions if each.writes)
        assert repr(storage) == (
            f"<Storage {storage.id}: {storage.label} [2] float32, 8 B, version 1, 1 write, 2 saves>"
        )


def test_many_of_a_kind_are_counted() -> None:
    parts = [vg.ones(1, requires_grad=True) * n for n in range(30)]
    with vg.debug((vg.cat(parts) * 2).sum(), display=False) as session:
        node = next(each for each in session.graph.nodes if each.name == "CatBackward0")
        first = ", ".join(str(edge.node) for edge in node.edges[:6])
        assert f"; edges to {first}, and 24 more; " in repr(node)
        lines = repr(session.saved).split("\n")
        assert len(lines) == 22
        assert lines[0] == "31 saved tensors"
        assert lines[-1] == "  and 11 more: each is a pair (node, saved)"


def test_an_explanation_prints_as_it_reads() -> None:
    x = vg.tensor([0.0, 4.0], requires_grad=True)
    with vg.watch():
        vg.where(x > 1, x.sqrt(), x).sum().backward()
    found = vg.why(x)
    assert repr(found) == f"NaN or Inf in a masked branch: {found}"
    assert repr(vg.why(vg.ones(1, requires_grad=True))).count("(") == 0


def test_a_trace_of_a_recording_counts_its_events() -> None:
    graph = model.Graph((), ())
    events = (model.Event(0, "write", "w.add_"),)
    assert repr(model.Trace(graph, (), events)) == (
        "<Trace: 0 steps of a graph of 0 nodes, 1 event; .save(file), .export(page), .diff(other); "
        "see .graph, .records>"
    )
