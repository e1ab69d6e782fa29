"""Views made under no_grad or in inference mode: they require grad, and no gradient gets through."""

from tests.oracle.data import wave
from tests.oracle.registry import program

MODES = ("no_grad", "inference_mode")


def cut_off(torch, mode, leaf=False):
    x = torch.tensor(wave(3), requires_grad=True)
    source = x if leaf else x * 2
    with getattr(torch, mode)():
        view = source[:2]
    return x, source, view


@program(rules="V-50 M-21", each=MODES)
def such_a_view_is_a_leaf_that_requires_grad(torch, see, mode):
    for leaf in (True, False):
        _, source, view = cut_off(torch, mode, leaf)
        see(
            f"view of a leaf: {leaf}",
            (view.requires_grad, view.is_leaf, view.grad_fn, view._is_view(), view._base is source),
            expect=(True, True, None, True, True),
        )


@program(rules="V-50", each=MODES)
def what_is_computed_from_it_is_recorded_without_an_edge(torch, see, mode):
    x, _, view = cut_off(torch, mode)
    y = view * 2
    see("requires grad", y.requires_grad, expect=True)
    see.graph("history", y)
    y.sum().backward()
    see("nothing arrives", (x.grad, view.grad), expect=(None, None))
    see.raises("nor is it found", lambda: torch.autograd.grad((view * 3).sum(), x), phrase="not")


@program(
    rules="V-50",
    each=(
        ("cat", lambda torch, v: torch.cat([v, v])),
        ("stack", lambda torch, v: torch.stack([v, v])),
        ("where", lambda torch, v: torch.where(v > 0, v, v * 2)),
        ("exp", lambda torch, v: v.exp()),
        ("product", lambda torch, v: v * v),
        ("dot", lambda torch, v: v @ v),
        ("clone", lambda torch, v: v.clone()),
        ("view", lambda torch, v: v.view(2, 1)),
        ("expand", lambda torch, v: v.expand(3, 2)),
        ("split", lambda torch, v: v.split(1)[1]),
        ("unbind", lambda torch, v: v.unbind()[0]),
        ("max", lambda torch, v: v.max(0)[0]),
        ("copy_", lambda torch, v: torch.zeros(2).copy_(v)),
        ("mul_", lambda torch, v: torch.ones(2).mul_(v)),
        ("softmax", lambda torch, v: v.softmax(0)),
        ("index", lambda torch, v: v[[0]]),
        ("mask", lambda torch, v: v[v > 0]),
        ("layer norm", lambda torch, v: torch.nn.functional.layer_norm(v, (2,))),
    ),
)
def every_kind_of_operation_on_it(torch, see, case):
    _, operate = case
    _, _, view = cut_off(torch, "no_grad")
    y = operate(torch, view)
    see("result", y)
    y.sum().backward()
    w = torch.ones(2, requires_grad=True)
    see(
        "beside another operand",
        torch.autograd.grad((operate(torch, view).sum() * w).sum(), w, create_graph=True),
    )


@program(rules="V-50 V-42 V-47", each=MODES)
def after_its_base_was_written(torch, see, mode):
    _, source, view = cut_off(torch, mode)
    with torch.no_grad():
        source.add_(1)
    see("version", view._version, expect=1)
    see.raises("reading its history", lambda: view.grad_fn, phrase="base or another view")
    see.raises("using it", lambda: view * 2, phrase="base or another view")


@program(rules="V-44 V-50", each=MODES)
def a_view_of_such_a_view(torch, see, mode):
    _, source, view = cut_off(torch, mode)
    inner = view[:1]
    see("inner", (inner.requires_grad, inner._base is source))
    see.graph("history", inner)
    see.raises("written", lambda: inner.mul_(2), phrase="is being modified inplace")
    see.raises("outer written", lambda: view.mul_(2), phrase="is being modified inplace")


@program(rules="V-50", each=MODES)
def its_own_gradient(torch, see, mode):
    _, _, view = cut_off(torch, mode)
    seen = []
    view.register_hook(seen.append)
    view.retain_grad()
    (view * 3).sum().backward()
    see("hooks", seen, expect=[])
    see("retains", (view.retains_grad, view.grad), expect=(False, None))
    see("detached", (view.detach().requires_grad, view.detach()._is_view()), expect=(False, False))


@program(rules="V-50")
def a_cut_off_view_is_a_leaf_that_nothing_arrives_at(torch, see):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        y = x[:1]
    see("unused", torch.autograd.grad(y.sum(), y, allow_unused=True), expect=(None,))
    see.raises("said", lambda: torch.autograd.grad(y.sum(), y), phrase="not have been used")
    see("False asked of it", y.requires_grad_(False).requires_grad, expect=True)
