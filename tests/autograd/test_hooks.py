"""Hooks on tensors and nodes, multi-grad hooks, callbacks, and what hooks may ask."""

from __future__ import annotations

import gc
import weakref

import pytest

import vizgrad as vg
from vizgrad.autograd import graph


def leaf(*values):
    return vg.tensor(list(values) or [1.0, 1.0], requires_grad=True)


@pytest.mark.rule("E-70")
def test_a_tensor_hook_replaces_the_gradient():
    x = leaf()
    y = x * 2
    handle = y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: None)
    y.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [20, 20]
    handle.remove()
    handle.remove()
    x.grad = None
    y.sum().backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="doesn't require gradient") as caught:
        vg.ones(2).register_hook(print)  # here
    assert caught.value.explanation.culprit.text == "vg.ones(2).register_hook(print)  # here"


@pytest.mark.rule("E-70")
@pytest.mark.parametrize(
    ("result", "kind", "phrase"),
    [
        (5, TypeError, "returned 'int'"),
        (vg.ones(1), RuntimeError, "changed the size"),
        (vg.ones(2, dtype=vg.float64), RuntimeError, "changed the type"),
    ],
)
def test_what_a_tensor_hook_may_not_return(result, kind, phrase):
    x = leaf()

    def mine(g):
        return result  # the line to edit

    x.register_hook(mine)
    with pytest.raises(kind, match=phrase) as caught:
        x.sum().backward()
    assert "mine" in str(caught.value)
    assert caught.value.explanation.kind == "hook-effect"
    assert caught.value.explanation.culprit.text == "return result  # the line to edit"


@pytest.mark.rule("E-71")
def test_retain_grad_stores_what_all_hooks_left():
    x = leaf()
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 3)
    assert vg.autograd.grad(y.sum(), x)[0].tolist() == [6, 6]
    assert y.grad.tolist() == [3, 3]


@pytest.mark.rule("E-72")
def test_strict_hooks_refuse_writes_and_name_the_line():
    x = leaf()
    y = x * 2

    def writing(g):
        g.mul_(0)  # the write
        return g

    y.register_hook(writing)
    before = graph.set_strict_hooks(True)
    try:
        for create_graph in (False, True):
            with pytest.raises(RuntimeError, match="read-only") as caught:
                vg.autograd.grad((y * vg.ones(2)).sum(), x, create_graph=create_graph)
            assert caught.value.explanation.kind == "hook-effect"
            assert caught.value.explanation.culprit.text == "g.mul_(0)  # the write"
    finally:
        assert graph.set_strict_hooks(before) is True


@pytest.mark.rule("E-73")
def test_hooks_stay_with_the_old_value():
    log = []
    x = leaf()
    y = x * 2
    y.register_hook(lambda g: log.append(("old", g.tolist())))
    y.mul_(5)
    y.register_hook(lambda g: log.append(("new", g.tolist())))
    y.sum().backward()
    assert log == [("new", [1, 1]), ("old", [5, 5])]


@pytest.mark.rule("E-74")
def test_post_accumulate_hooks():
    x, log = leaf(), []
    x.register_post_accumulate_grad_hook(lambda p: log.append((p is x, p.grad.tolist())))
    x.sum().backward()
    vg.autograd.grad(x.sum(), x)
    assert log == [(True, [1, 1])]
    with pytest.raises(RuntimeError, match="non-leaf"):
        (x * 2).register_post_accumulate_grad_hook(print)
    with pytest.raises(RuntimeError, match="doesn't require"):
        vg.ones(1).register_post_accumulate_grad_hook(print)
    y = leaf()

    def wrong(p):
        return 5  # the line to edit

    y.register_post_accumulate_grad_hook(wrong)
    with pytest.raises(TypeError, match="return None") as caught:
        y.sum().backward()
    assert caught.value.explanation.culprit.text == "return 5  # the line to edit"


@pytest.mark.rule("E-75", "E-76")
def test_hooks_of_a_leaf_and_its_node_in_order():
    x, log = leaf(), []
    y = x.sum()
    node = y.grad_fn.next_functions[0][0]
    node.register_hook(lambda inputs, outputs: log.append(("post", inputs, outputs[0].tolist())))
    node.register_prehook(lambda outputs: log.append("pre"))
    x.register_post_accumulate_grad_hook(lambda p: log.append("accumulated"))
    x.register_hook(lambda g: log.append("tensor"))
    y.backward()
    assert log == ["tensor", "pre", "accumulated", ("post", (), [1, 1])]


@pytest.mark.rule("E-75")
def test_node_hooks_see_and_replace():
    x = leaf()
    y = x * 2
    seen = []
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] * 10,))
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((len(inputs), outputs[0].tolist())))
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 1, None))
    y.sum().backward()
    assert seen == [(2, [10, 10])]
    assert x.grad.tolist() == [21, 21]


@pytest.mark.rule("E-75")
def test_node_hooks_see_validated_gradients():
    a, b = leaf(), vg.ones(3, 2, requires_grad=True)
    y = a + b
    shapes = []
    y.grad_fn.register_hook(lambda inputs, outputs: shapes.extend(tuple(g.shape) for g in inputs))
    y.sum().backward()
    assert shapes == [(2,), (3, 2)]


@pytest.mark.rule("E-75")
@pytest.mark.parametrize(
    ("result", "kind"), [(vg.ones(2), TypeError), ((), RuntimeError), ((vg.ones(3),), RuntimeError)]
)
def test_what_a_node_hook_may_not_return(result, kind):
    y = leaf() * 2

    def mine(outputs):
        return result  # the line to edit

    y.grad_fn.register_prehook(mine)
    with pytest.raises(kind, match="mine") as caught:
        y.sum().backward()
    assert caught.value.explanation.culprit.text == "return result  # the line to edit"


@pytest.mark.rule("E-77")
def test_handles():
    x, log = leaf(), []
    with x.register_hook(lambda g: log.append("inside")):
        x.sum().backward()

    def once(g):
        log.append("once")
        handle.remove()

    handle = x.register_hook(once)
    x.register_hook(lambda g: log.append("after"))
    x.sum().backward()
    x.sum().backward()
    assert log == ["inside", "once", "after", "after"]


@pytest.mark.rule("E-78")
def test_all_gradients_that_take_part():
    a, b, c, log = leaf(), leaf(), leaf(), []
    handle = graph.register_multi_grad_hook(
        (a, b, c), lambda gs: log.append([None if g is None else g.tolist()[0] for g in gs])
    )
    (a * 2 + b * 3).sum().backward()
    (a * 2).sum().backward()
    leaf().sum().backward()
    assert log == [[2, 3, None], [2, None, None]]
    handle.remove()
    (a * 2).sum().backward()
    assert len(log) == 2


@pytest.mark.rule("E-78")
def test_all_gradients_of_results_under_grad():
    """PyTorch 2.13 cannot do this with a leaf among the tensors."""
    x, log = leaf(), []
    y = x * 2
    z = y * 3
    graph.register_multi_grad_hook(
        (z, x, y), lambda gs: log.append([None if g is None else g.tolist()[0] for g in gs])
    )
    vg.autograd.grad(z.sum(), x, retain_graph=True)
    vg.autograd.grad(z.sum(), y, retain_graph=True)
    z.sum().backward()
    assert log == [[1, 6, 3], [1, None, 3], [1, 6, 3]]


@pytest.mark.rule("E-78")
def test_any_gradient():
    a, b, log = leaf(), leaf(), []
    graph.register_multi_grad_hook((a, b), lambda g: log.append(g.tolist()[0]), mode="any")
    (a * 2 + b * 3).sum().backward()
    (a * 5).sum().backward()
    assert log == [3, 5]
    with pytest.raises(ValueError, match="Expects mode"):
        graph.register_multi_grad_hook((a,), print, mode="some")
    with pytest.raises(AssertionError, match="does not require grad"):
        graph.register_multi_grad_hook((vg.ones(1),), print)


@pytest.mark.rule("E-78", "E-96")
def test_a_multi_grad_hook_keeps_no_graph_alive():
    gc.collect()
    gc.disable()
    try:
        x = leaf()
        y = x * 2
        graph.register_multi_grad_hook((x, y), print)
        node, tensor = weakref.ref(y.grad_fn), weakref.ref(x)
        del y, x
        assert node() is None
        assert tensor() is None
    finally:
        gc.enable()


@pytest.mark.rule("E-79")
def test_an_exception_leaves_what_was_done():
    early, late = leaf(), leaf()
    y = early.exp()

    def fail(g):
        raise KeyError("stop")

    y.register_hook(fail)
    z = (y * late.exp()).sum()
    with pytest.raises(KeyError, match="stop"):
        z.backward()
    assert late.grad is not None
    assert early.grad is None
    assert graph.current_graph_task_id() == -1
    assert vg.is_grad_enabled()


@pytest.mark.rule("E-80")
def test_callbacks_run_when_all_is_done():
    x, log = leaf(), []
    y = x * 2

    def hook(g):
        for name in ("first", "second"):
            graph.queue_callback(lambda name=name: log.append((name, x.grad.tolist())))

    y.register_hook(hook)
    y.sum().backward()
    assert log == [("first", [2, 2]), ("second", [2, 2])]
    with pytest.raises(RuntimeError, match="only be installed during backward"):
        graph.queue_callback(print)
    assert isinstance(vg.ones(1), vg.autograd.Variable)
    y = x * 2
    y.register_hook(
        lambda g: vg.autograd.Variable._execution_engine.queue_callback(lambda: log.append("old"))
    )
    y.sum().backward()
    assert log[-1] == "old"


@pytest.mark.rule("E-80")
def test_what_a_hook_may_ask():
    x, other = leaf(), leaf()
    y = x.exp()
    z = y * 3 + other.exp()
    seen = {}

    def hook(g):
        seen["id"] = graph.current_graph_task_id()
        seen["node"] = graph.current_node()
        seen["runs"] = [graph.will_execute(t.grad_fn) for t in (y, z)]
        seen["order"] = [n.name() for n in graph.execution_order()]

    y.register_hook(hook)
    vg.autograd.grad(z.sum(), x, retain_graph=True)
    assert seen["node"] is y.grad_fn
    assert seen["runs"] == [True, True]
    assert seen["order"] == [
        "SumBackward0", "AddBackward0", "MulBackward0", "ExpBackward0", "AccumulateGrad",
    ]  # fmt: skip
    first = seen["id"]
    z.sum().backward()
    assert seen["id"] > first
    assert len(seen["order"]) == 7
    assert (graph.current_graph_task_id(), graph.current_node()) == (-1, None)
    with pytest.raises(RuntimeError, match="during a backward"):
        graph.will_execute(y.grad_fn)


@pytest.mark.rule("E-80", "E-90")
def test_a_backward_inside_a_backward_has_its_own_task():
    x, ids = leaf(), []
    y = x * 2

    y.register_hook(lambda g: _nested(ids))
    y.sum().backward()
    outer, inner, again = ids
    assert outer == again
    assert inner > outer


def _nested(ids):
    ids.append(graph.current_graph_task_id())
    with vg.enable_grad():
        other = (leaf() * 5).sum()
    other.register_hook(lambda g: ids.append(graph.current_graph_task_id()))
    other.backward()
    ids.append(graph.current_graph_task_id())
