"""Every hook on every kind of tensor, under every way to run a backward: what is called, and with what."""

from tests.oracle.making import function
from tests.oracle.registry import program


class Scene:
    """x -> y -> z -> loss, beside w; `log` notes what hooks see."""

    def __init__(self, torch, build):
        self.torch = torch
        self.log = []
        self.x = torch.tensor([1.0, 2.0], requires_grad=True)
        self.w = torch.tensor([3.0, 4.0], requires_grad=True)
        self.y, self.z = build(torch, self)
        self.loss = (self.z * self.w).sum() + (self.y * 2).sum()

    def note(self, name, *grads):
        self.log.append((name, [None if g is None else g.tolist() for g in grads]))


def _plain(torch, s):
    y = s.x * 2
    return y, y.sin()


def _view(torch, s):
    base = s.x * 2
    y = base[:2]
    return y, base.sum() * y


def _written(torch, s):
    y = s.x * 2
    y.register_hook(lambda g: s.note("before the write", g))
    y.mul_(s.w)
    return y, y.sin()


def _written_view(torch, s):
    base = s.x * 2
    base.register_hook(lambda g: s.note("base, before", g))
    y = base[:1]
    y.register_hook(lambda g: s.note("view, before", g))
    y.mul_(3)
    base.register_hook(lambda g: s.note("base, after", g))
    return y, base * 1


def _custom(torch, s):
    fn = function(torch, lambda ctx, x: (x * 2, x * 3), lambda ctx, a, b: a * 2 + b * 3)
    y, other = fn.apply(s.x)
    return y, y * 1 + other.detach()


def _parts(torch, s):
    first, second = (s.x * 2).unbind()
    return second, first * 5 + second


def _twice(torch, s):
    y = s.x * 2
    return y, y * y


def _unused(torch, s):
    y = s.x * 2
    return y, (s.x * 7).sin()


_BUILDS = {
    "plain": _plain, "view": _view, "written": _written, "written view": _written_view, "custom": _custom,
    "parts": _parts, "twice": _twice, "apart": _unused,
}  # fmt: skip


def _leaf_node(t):
    return t.expand_as(t).grad_fn.next_functions[0][0]


def _multi(s, mode):
    register = s.torch.autograd.graph.register_multi_grad_hook
    if mode == "any":
        return register([s.y, s.z], lambda g: s.note("any", g), mode="any")
    return register([s.y, s.z], lambda grads: s.note("all", *grads))


_HOOKS = {
    "tensor": lambda s: [t.register_hook(lambda g, n=n: s.note(n, g)) for n, t in _named(s)],
    "changing": lambda s: [t.register_hook(lambda g: g * 2) for _, t in _named(s)],
    "retained": lambda s: [s.y.retain_grad(), s.z.retain_grad()],
    "prehook": lambda s: [
        t.grad_fn.register_prehook(lambda g, n=n: s.note(n, *g)) for n, t in _results(s)
    ],
    "changing prehook": lambda s: [
        t.grad_fn.register_prehook(lambda g: tuple(None if p is None else p * 2 for p in g))
        for _, t in _results(s)
    ],
    "posthook": lambda s: [
        t.grad_fn.register_hook(lambda gi, go, n=n: s.note(n, *gi, *go)) for n, t in _results(s)
    ],
    "changing posthook": lambda s: [
        t.grad_fn.register_hook(lambda gi, go: tuple(None if p is None else p * 2 for p in gi))
        for _, t in _results(s)
    ],
    "leaf": lambda s: s.x.register_post_accumulate_grad_hook(lambda t: s.note("stored", t.grad)),
    "leaf's node": lambda s: [_on_leaf_node(s)],
    "all": lambda s: _multi(s, "all"),
    "any": lambda s: _multi(s, "any"),
    "everything": lambda s: [
        _HOOKS[k](s) for k in ("tensor", "prehook", "posthook", "leaf", "retained")
    ],
}


def _on_leaf_node(s):
    s.node = _leaf_node(s.x)
    s.node.register_prehook(lambda g: s.note("pre", *g))
    s.node.register_hook(lambda gi, go: s.note("post", *gi, *go))


def _named(s):
    return (("x", s.x), ("y", s.y), ("z", s.z))


def _results(s):
    return (("y", s.y), ("z", s.z))


_RUNS = {
    "backward": lambda s: s.loss.backward(),
    "backward twice": lambda s: [s.loss.backward(retain_graph=True), s.loss.backward()][:0],
    "with create_graph": lambda s: s.loss.backward(create_graph=True),
    "for the leaf": lambda s: s.loss.backward(inputs=[s.x]),
    "for the other leaf": lambda s: s.loss.backward(inputs=[s.w]),
    "for the result": lambda s: s.loss.backward(inputs=[s.y]),
    "grad of the leaf": lambda s: s.torch.autograd.grad(s.loss, s.x),
    "grad of the result": lambda s: s.torch.autograd.grad(s.loss, s.y),
    "grad of two results": lambda s: s.torch.autograd.grad(s.loss, [s.y, s.z], allow_unused=True),
    "grad of the other leaf": lambda s: s.torch.autograd.grad(s.loss, s.w),
    "grad with create_graph": lambda s: s.torch.autograd.grad(s.loss, s.x, create_graph=True),
    "from the middle": lambda s: s.y.sum().backward(),
}

#: Where rules marked [D] differ: E-27 (nodes of listed results are not run), E-51 (captured before hooks).
_DIFFERENT = {("for the result", hook) for hook in ("prehook", "posthook", "everything")}
_DIFFERENT.add(("grad of two results", "changing"))


@program(rules="E-27 E-30 E-50 E-51 E-70 E-71 E-73 E-74 E-75 E-76 E-78 V-33", each=_BUILDS.items())
def what_hooks_see(torch, see, case):
    for hook, register in _HOOKS.items():
        for run, go in _RUNS.items():
            if (run, hook) in _DIFFERENT:
                continue
            scene = Scene(torch, case[1])
            register(scene)
            where = f"{hook}, {run}"
            see.attempt(where, lambda: go(scene))
            see(f"{where}: log", scene.log)
            see(f"{where}: leaves", (scene.x.grad, scene.w.grad))
            if hook in ("retained", "everything"):
                see(f"{where}: results", (scene.y.grad, scene.z.grad))
