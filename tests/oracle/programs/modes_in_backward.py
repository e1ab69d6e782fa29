"""Modes that code of the user's switches during a backward, and what runs there (spec 07: X-5, X-6, X-13)."""

import gc
import weakref

from tests.oracle.registry import program

WHERE = ("tensor hook", "prehook", "backward", "posthook", "leaf hook", "unpack hook")


def _hooks(torch, log):
    """A pair that counts what it packs."""
    return torch.autograd.graph.saved_tensors_hooks(
        lambda t: (log.append("packed"), t)[1], lambda t: t
    )


def _state(torch, log):
    before = len(log)
    with torch.enable_grad():
        x = torch.ones(1, requires_grad=True)
        x * x
    return [torch.is_grad_enabled(), torch.is_inference_mode_enabled(), len(log) > before]


def _threads(torch):
    if torch.__name__ == "torch":
        return torch._C._is_multithreading_enabled()
    return torch.autograd.is_multithreading_enabled()


def _forget(torch, kept):
    """Lets go of what was entered and not left: PyTorch's inference_mode puts modes back when it dies."""
    kept.clear()
    torch.set_grad_enabled(True)


def _run(torch, where, switch, look, create_graph=False):
    """A backward through three nodes, with `switch()` in one visit; what `look()` finds in each."""
    seen = []

    def note(name):
        seen.append([name, look()])

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if where == "backward":
                switch()
            note("backward")
            return grad * 2

    x = torch.ones(2, requires_grad=True)
    a = x * 2
    b = Twice.apply(a)
    if where == "tensor hook":
        b.register_hook(lambda g: switch())
        b.register_hook(lambda g: note("second tensor hook"))
    if where == "prehook":
        b.grad_fn.register_prehook(lambda g: switch())
    if where == "posthook":
        b.grad_fn.register_hook(lambda i, o: switch())
        b.grad_fn.register_hook(lambda i, o: note("second posthook"))
    if where == "leaf hook":
        x.register_hook(lambda g: switch())
        x.register_hook(lambda g: note("second leaf hook"))
        x.register_post_accumulate_grad_hook(lambda t: note("post accumulate"))
    c = b * 3
    if where == "unpack hook":
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: (switch(), t)[1]):
            c = b.exp()
    a.register_hook(lambda g: note("next node"))
    x.register_hook(lambda g: note("leaf"))
    c.sum().backward(create_graph=create_graph)
    seen.append(["after", look()])
    return seen


def _switches(torch, log, kept):
    def grad():
        torch.set_grad_enabled(not torch.is_grad_enabled())

    def inference():
        kept.append(torch.inference_mode())
        kept[-1].__enter__()

    def hooks():
        kept.append(_hooks(torch, log))
        kept[-1].__enter__()

    def all_of_them():
        hooks()
        grad()
        inference()

    return {"grad": grad, "inference": inference, "hooks": hooks, "all": all_of_them}


@program(rules="X-6", each=WHERE)
def modes_hold_for_the_rest_of_one_visit(torch, see, where):
    for name in ("grad", "inference", "hooks", "all"):
        for create_graph in (False, True):
            log, kept = [], []
            switch = _switches(torch, log, kept)[name]
            found = _run(torch, where, switch, lambda log=log: _state(torch, log), create_graph)
            see(f"{name}, create_graph={create_graph}", found)
            _forget(torch, kept)


@program(rules="X-6", each=WHERE)
def multithreading_holds_for_the_rest_of_one_visit(torch, see, where):
    switch = lambda: torch.autograd.set_multithreading_enabled(False)  # noqa: E731
    see("seen", _run(torch, where, lambda: (switch(), None)[1], lambda: _threads(torch)))
    see("after", _threads(torch), expect=True)


@program(rules="X-6")
def a_failing_backward_leaves_no_mode_behind(torch, see):
    for name in ("grad", "inference", "hooks", "all"):
        log, kept = [], []
        switch = _switches(torch, log, kept)[name]
        x = torch.ones(1, requires_grad=True)
        y = x * 2

        def fail(grad, switch=switch):
            switch()
            raise ValueError("stop")

        y.register_hook(fail)
        see.raises(f"{name}: error", y.backward, phrase="stop")
        see(f"{name}: after", _state(torch, log), expect=[True, False, False])
        _forget(torch, kept)


@program(rules="X-6", each=("grad()", "leaf root", "callback", "nested"))
def every_kind_of_run_leaves_no_mode_behind(torch, see, kind):
    log, kept = [], []
    switch = _switches(torch, log, kept)["all"]
    x = torch.ones(1, requires_grad=True)
    if kind == "grad()":
        y = x * 2
        y.register_hook(lambda g: switch())
        torch.autograd.grad(y, x)
    elif kind == "leaf root":
        x.register_hook(lambda g: switch())
        x.backward()
    elif kind == "callback":
        y = x * 2
        queue = torch.autograd.Variable._execution_engine.queue_callback
        y.register_hook(lambda g: queue(switch))
        y.backward()
    else:

        def inner(grad):
            with torch.enable_grad():
                z = torch.ones(1, requires_grad=True) * 2
                z.register_hook(lambda g: switch())
                z.backward()
            see("after the inner one", _state(torch, log))

        y = x * 2
        y.register_hook(inner)
        y.backward()
    see("after", _state(torch, log), expect=[True, False, False])
    _forget(torch, kept)


@program(rules="X-6")
def the_caller_keeps_its_modes(torch, see):
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: torch.set_grad_enabled(True) and None)
    with torch.no_grad():
        y.backward(retain_graph=True)
        see("no_grad", torch.is_grad_enabled(), expect=False)
    log = []
    with _hooks(torch, log):
        z = x * x
        z.register_hook(lambda g: _hooks(torch, []).__enter__())
        z.backward()
        see("pair", _state(torch, log), expect=[True, False, True])
    see("outside", _state(torch, log), expect=[True, False, False])


@program(rules="X-6")
def a_pair_left_in_a_hook_is_there_again_outside(torch, see):
    log = []
    outer = _hooks(torch, log)
    y = torch.ones(1, requires_grad=True) * 2
    z = y * 2
    seen = []
    z.register_hook(lambda g: outer.__exit__(None, None, None))
    z.register_hook(lambda g: seen.append(_state(torch, log)))
    y.register_hook(lambda g: seen.append(_state(torch, log)))
    with outer:
        z.backward()
        seen.append(_state(torch, log))
    see("seen", seen)
    see("after", _state(torch, log), expect=[True, False, False])


@program(rules="X-6")
def a_pair_that_is_never_left_is_dropped(torch, see):
    class Pack:
        def __call__(self, tensor):
            return tensor

    pack = Pack()
    alive = weakref.ref(pack)

    def hook(grad, pack=pack):
        torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t).__enter__()

    x = torch.ones(1, requires_grad=True)
    y = x * 2
    handle = y.register_hook(hook)
    y.backward()
    handle.remove()
    hook.__defaults__ = None
    del pack, hook
    gc.collect()
    see("alive", alive() is not None, expect=False)


@program(rules="X-6")
def one_exit_too_many_of_a_pair_is_refused(torch, see):
    pair = torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
    see.raises("never entered", lambda: pair.__exit__(None, None, None))
    with pair:
        pass
    see.raises("left twice", lambda: pair.__exit__(None, None, None))
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: pair.__enter__())
    y.backward()
    see.raises("entered in a visit that is over", lambda: pair.__exit__(None, None, None))


# --- what runs -----------------------------------------------------------------------------------------


def _current(torch):
    if torch.__name__ == "torch":
        node, task = torch._C._current_autograd_node(), torch._C._current_graph_task_id()
    else:
        node, task = (
            torch.autograd.graph.current_node(),
            torch.autograd.graph.current_graph_task_id(),
        )
    return [None if node is None else node.name().rpartition(":")[2], task != -1]


def _watched(torch, log):
    return torch.autograd.graph.saved_tensors_hooks(
        lambda t: t, lambda t: (log.append(_current(torch)), t)[1]
    )


@program(rules="X-5")
def in_an_unpack_hook_the_node_that_reads_is_the_running_one(torch, see):
    for create_graph in (False, True):
        log = []
        x = torch.arange(1.0, 4.0).requires_grad_()
        with _watched(torch, log):
            y = (x * x).exp()
            y = y[torch.tensor([0, 2])].sin()
            base = y * 1
            base[0].mul_(y[1])
        torch.autograd.grad(base.sum(), x, create_graph=create_graph)
        see(f"create_graph={create_graph}", log)
    see("outside", _current(torch), expect=[None, False])
    log.clear()
    with _watched(torch, log):
        z = x.exp()
    see("value", z.grad_fn._saved_result)
    see("read by hand", log)


@program(rules="X-5")
def hooks_put_on_one_saved_value_are_run_in_its_node(torch, see):
    log = []
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(
        lambda t: t, lambda t: (log.append(_current(torch)), t)[1]
    )
    (y * 2).sum().backward()
    see("seen", log)


@program(rules="X-5")
def an_unpack_hook_can_queue_a_callback(torch, see):
    log = []

    def unpack(t):
        torch.autograd.Variable._execution_engine.queue_callback(lambda: log.append("callback"))
        log.append("unpack")
        return t

    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x.exp()
    y.register_hook(lambda g: log.append("hook"))
    y.sum().backward()
    see("log", log)


@program(rules="X-5")
def backwards_may_nest_in_unpack_hooks(torch, see):
    depths = []

    def make(depth):
        def unpack(t):
            depths.append(depth)
            if depth < 200:
                with torch.enable_grad():
                    make(depth + 1).backward()
            depths.append(_current(torch)[0])
            return t

        x = torch.ones(1, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
            return x.exp()

    make(0).backward()
    see("depths", (len(depths), depths[:3], depths[-2:]))


@program(rules="X-13", each=("tensor hook", "prehook", "unpack hook", "backward", "leaf hook"))
def a_posthook_registered_while_its_node_runs_still_runs(torch, see, where):
    log, held = [], []
    register = lambda: held[0].register_hook(lambda i, o: log.append("posthook")) and None  # noqa: E731

    class Own(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            register()
            return grad

    x = torch.ones(2, requires_grad=True)
    if where == "unpack hook":
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: (register(), t)[1]):
            y = x.exp()
    elif where == "backward":
        y = Own.apply(x)
    else:
        y = x * 2
    held.append(y.grad_fn)
    if where == "tensor hook":
        y.register_hook(lambda g: register())
    elif where == "prehook":
        y.grad_fn.register_prehook(lambda g: register())
    elif where == "leaf hook":
        held[0] = y.grad_fn.next_functions[0][0]
        x.register_hook(lambda g: register())
    y.sum().backward(retain_graph=True)
    see("first visit", log)
    y.sum().backward()
    see("second visit", log)


@program(rules="X-13")
def a_node_is_called_with_one_tensor_for_each_output(torch, see):
    x = torch.ones(2, requires_grad=True)
    one, leaf = (x * 2).grad_fn, (x * 2).grad_fn.next_functions[0][0]
    two = x.unbind()[0].grad_fn
    g = torch.ones(2)
    see("one", one(g))
    see("undefined", (one(None), two(torch.tensor(1.0), None)))
    for name, node, count in (("one", one, 1), ("leaf", leaf, 1), ("two", two, 2)):
        for given in range(4):
            if given != count:
                see.raises(f"{name}: {given}", lambda node=node, given=given: node(*[g] * given),
                           phrase=f"expected {count} arguments, got {given} instead")  # fmt: skip
        for what in (3.0, [g], "a"):
            see.raises(f"{name}: {what!r:.3}", lambda node=node, what=what, n=count: node(*[what] * n),
                       phrase="argument 0 is not a Variable")  # fmt: skip
        see.raises(
            f"{name}: keyword",
            lambda node=node: node(grad=g),
            phrase="keyword arguments are not supported",
        )
    see("leaf's gradient", x.grad, expect=None)
    see("into the leaf", (leaf(g), x.grad))
