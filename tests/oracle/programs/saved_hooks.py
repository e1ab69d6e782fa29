"""Hooks on saved tensors."""

from tests.oracle.registry import program


@program(rules="V-60")
def every_saved_tensor_is_packed_and_unpacked(torch, see):
    log = []

    def pack(t):
        log.append(("pack", tuple(t.shape), torch.is_grad_enabled()))
        return len(log), t

    def unpack(packed):
        log.append(("unpack", packed[0], torch.is_grad_enabled()))
        return packed[1]

    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = (x * x).exp().sum()
    y.backward()
    see("log", log)
    see("gradient", x.grad)


@program(rules="V-60")
def unpack_runs_in_the_mode_of_its_reader(torch, see):
    modes = []
    x = torch.tensor(2.0, requires_grad=True)

    def unpack(t):
        modes.append(torch.is_grad_enabled())
        return t

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x**3
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    see("modes", modes, expect=[False, True])


@program(rules="V-60")
def pack_gets_the_object_itself(torch, see):
    x, found = torch.ones(2, requires_grad=True), []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: (found.append(t is x), t)[1], lambda t: t
    ):
        x * x
    see("identity", found)


@program(rules="V-61")
def the_innermost_pair_applies(torch, see):
    hooks = torch.autograd.graph.saved_tensors_hooks
    x, log = torch.tensor(2.0, requires_grad=True), []

    def pair(name):
        return hooks(lambda t: (log.append(name), t)[1], lambda t: t)

    with pair("outer"):
        with pair("inner"):
            x.exp()
        x.sin()
    x.cos()
    see("packed by", log, expect=["inner", "outer"])


@program(rules="V-62")
def what_hooks_may_not_do(torch, see):
    hooks = torch.autograd.graph.saved_tensors_hooks
    x = torch.ones(2, requires_grad=True)

    def save_with(pack):
        def run():
            with hooks(pack, lambda t: t):
                (x * 1).exp()

        return run

    see.raises("pack writes", save_with(lambda t: t.add_(1)), phrase="in place")
    with hooks(lambda t: t, lambda t: 5):
        y = x.exp().sum()
    see.raises("unpack gives a number", y.backward, phrase="int")


@program(rules="V-63")
def there_is_no_version_check_with_hooks(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 1
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = (a * a).sum()
    a.detach().add_(1)
    y.backward()
    see("the changed value is used", x.grad, expect=[4, 4])


@program(rules="V-64")
def hooks_must_be_callable(torch, see):
    def enter():
        with torch.autograd.graph.saved_tensors_hooks(1, 2):
            pass

    see.raises("numbers", enter, phrase="callable")


@program(rules="V-65")
def hooks_on_one_saved_value(torch, see):
    x = torch.tensor([2.0], requires_grad=True)
    y = x.exp()
    log = []
    saved = y.grad_fn._raw_saved_result
    saved.register_hooks(
        lambda t: (log.append("pack"), t * 1)[1], lambda t: (log.append("unpack"), t * 10)[1]
    )
    see("packed at once", list(log), expect=["pack"])
    see.raises("twice", lambda: saved.register_hooks(lambda t: t, lambda t: t))
    y.backward()
    see("unpacked", log, expect=["pack", "unpack"])
    see("the unpacked value is used", x.grad)
    see.raises(
        "after release", lambda: saved.register_hooks(lambda t: t, lambda t: t), phrase="freed"
    )


@program(rules="V-66")
def unpacked_tensors_know_their_history(torch, see):
    x = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: t.tolist(), lambda v: torch.tensor(v, dtype=torch.float64)
    ):
        y = x.exp() * x.sin()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    see("first", g.detach())
    see("second", torch.autograd.grad(g, x)[0])


@program(rules="V-67")
def hooks_can_be_forbidden(torch, see):
    graph = torch.autograd.graph

    def enter():
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            torch.ones(1, requires_grad=True).exp()

    with graph.disable_saved_tensors_hooks("no hooks here"):
        see.raises("inside", enter, phrase="no hooks here")
    enter()
    see("outside again", True)


@program(rules="V-68")
def saving_on_the_cpu_changes_nothing(torch, see):
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    with torch.autograd.graph.save_on_cpu():
        y = (x.exp() * x).sum()
    y.backward()
    see("gradient", x.grad)


@program(rules="V-70")
def mutation_of_saved_tensors_can_be_allowed(torch, see):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        a = x * 1
        y = (a * a).sum()
        a.mul_(100)
        y.backward()
    see("old values are used", x.grad, expect=[4, 6])


@program(rules="V-71")
def limits_of_allowed_mutation(torch, see):
    allow = torch.autograd.graph.allow_mutation_on_saved_tensors
    x = torch.tensor([2.0], requires_grad=True)
    a = x * 1
    early = (a * a).sum()
    with allow():
        a.add_(1)
        see.raises(
            "saved before entering", early.backward, phrase="modified by an inplace operation"
        )
        b = x * 1
        late = (b * b).sum()
        b.add_(1)

        def nested():
            with allow():
                pass

        see.raises("nested", nested, phrase="nested")
    see.raises("backward outside", late.backward)
