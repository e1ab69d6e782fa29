"""What a view is told of the memory of the whole process."""

from __future__ import annotations

import vizgrad


def test_the_memory_of_the_process_is_about_no_session() -> None:
    from tests.debugger.jupyter.widget.views import View
    from vizgrad.debugger.jupyter.widget import protocol as p

    kept = vizgrad.ones(250, requires_grad=True)
    view = View()
    answer = view.ask(p.GetHeap, 3)
    assert isinstance(answer, p.HeapRead)
    assert answer.seconds > 0
    assert len(answer.heap.held) == min(3, answer.heap.storages)
    whole = view.ask(p.GetHeap, 10_000).heap
    assert any(s.bytes == 1000 and s.use == "parameter" for s in whole.held)
    assert view.ask(p.GetHeap, -1).heap.held == ()
    del kept
