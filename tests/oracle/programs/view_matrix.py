"""The error matrix of views and in-place writes (V-40 ... V-51): every row, every way to write."""

from tests.oracle.making import function
from tests.oracle.registry import program


def _two(torch):
    return function(torch, lambda ctx, x: (x[:2], x[2:]), lambda ctx, a, b: torch.cat([a, b]))


#: How a view is made: (rule, what from a base, in which mode).
_ROWS = {
    "V-40 slice": (lambda t, b: b[:2], "enable_grad"),
    "V-40 reshape": (lambda t, b: b.view(2, 2), "enable_grad"),
    "V-40 transpose": (lambda t, b: b.view(2, 2).t(), "enable_grad"),
    "V-40 diagonal": (lambda t, b: b.view(2, 2).diagonal(), "enable_grad"),
    "V-40 view of a view": (lambda t, b: b[1:][1:], "enable_grad"),
    "V-40 detached": (lambda t, b: b[:2].detach(), "enable_grad"),
    "V-42 no_grad": (lambda t, b: b[:2], "no_grad"),
    "V-43 split": (lambda t, b: b.split(2)[0], "enable_grad"),
    "V-43 chunk": (lambda t, b: b.chunk(2)[1], "enable_grad"),
    "V-43 unbind": (lambda t, b: b.unbind()[0], "enable_grad"),
    "V-43 iteration": (lambda t, b: next(iter(b)), "enable_grad"),
    "V-43 split under no_grad": (lambda t, b: b.split(2)[0], "no_grad"),
    "V-44 slice of split": (lambda t, b: b.split(2)[0][:1], "enable_grad"),
    "V-44 split of slice": (lambda t, b: b[:2].split(1)[0], "enable_grad"),
    "V-45 custom Function": (
        lambda t, b: function(t, lambda ctx, x: x[:2]).apply(b),
        "enable_grad",
    ),
    "V-45 as is": (lambda t, b: function(t, lambda ctx, x: x).apply(b), "enable_grad"),
    "V-45 slice of it": (lambda t, b: function(t, lambda ctx, x: x).apply(b)[:2], "enable_grad"),
    "V-46 two outputs": (lambda t, b: _two(t).apply(b)[0], "enable_grad"),
    "V-47 inference": (lambda t, b: b[:2], "inference_mode"),
    "V-48 detach": (lambda t, b: b.detach(), "enable_grad"),
    "V-49 tensor_split": (lambda t, b: b.tensor_split(2)[0], "enable_grad"),
    "V-49 narrow": (lambda t, b: b.narrow(0, 0, 2), "enable_grad"),
    "V-49 select": (lambda t, b: b.select(0, 1), "enable_grad"),
}

_BASES = {
    "non-leaf": lambda t: t.arange(4.0, requires_grad=True) * 1,
    "leaf": lambda t: t.arange(4.0, requires_grad=True),
    "constant": lambda t: t.arange(4.0),
}

_WRITES = {
    "a number": lambda t, x: x.mul_(2),
    "an operand": lambda t, x: x.mul_(t.ones((), requires_grad=True) * 3),
    "fill": lambda t, x: x.zero_(),
    "assignment": lambda t, x: x.__setitem__(..., 5.0),
}


def _made(torch, row, base):
    make, mode = row
    with getattr(torch, mode)():
        return make(torch, base)


def _history(see, name, t):
    see.attempt(f"{name}: history", lambda: (t.grad_fn, t.requires_grad, t.is_leaf, t.output_nr))


@program(rules="V-40 V-41 V-42 V-43 V-44 V-45 V-46 V-47 V-48 V-49 V-10 V-11", each=_ROWS.items())
def writing_to_the_view(torch, see, case):
    for base_name, new_base in _BASES.items():
        for name, write in _WRITES.items():
            base = new_base(torch)
            view = _made(torch, case[1], base)
            where = f"{base_name}, {name}"
            see.attempt(where, lambda: (write(torch, view), None)[1])
            _history(see, f"{where}: view", view)
            _history(see, f"{where}: base", base)
            see(f"{where}: values", (base.detach().clone(), view.detach().clone()))
            see.attempt(f"{where}: versions", lambda: (base._version, view._version))


@program(rules="V-40 V-41 V-42 V-43 V-44 V-45 V-46 V-47 V-48 V-49 V-34", each=_ROWS.items())
def writing_to_the_base(torch, see, case):
    for base_name, new_base in _BASES.items():
        for name, write in _WRITES.items():
            base = new_base(torch)
            view = _made(torch, case[1], base)
            where = f"{base_name}, {name}"
            see.attempt(where, lambda: (write(torch, base), None)[1])
            _history(see, f"{where}: view", view)
            _history(see, f"{where}: base", base)
            see.attempt(f"{where}: used", lambda: (view * 2).sum().detach())


@program(rules="V-40 V-42 V-43 V-45 V-46 V-47 V-51", each=_ROWS.items())
def writing_under_no_grad(torch, see, case):
    for base_name, new_base in _BASES.items():
        for target in ("view", "base"):
            base = new_base(torch)
            view = _made(torch, case[1], base)
            where = f"{base_name}, {target}"
            with torch.no_grad():
                see.attempt(where, lambda: ((view if target == "view" else base).mul_(2), None)[1])
            _history(see, f"{where}: view", view)
            _history(see, f"{where}: base", base)
            see.attempt(f"{where}: backward", lambda: (view * base.sum()).sum().backward())


@program(rules="V-30 V-31 V-34", each=_ROWS.items())
def gradients_after_a_write(torch, see, case):
    for base_name in ("non-leaf", "constant"):
        for target in ("view", "base"):
            x = torch.arange(4.0, requires_grad=True)
            w = torch.ones((), requires_grad=True)
            base = x * 1 if base_name == "non-leaf" else torch.arange(4.0)
            where = f"{base_name}, {target}"

            def run():
                view = _made(torch, case[1], base)
                (view if target == "view" else base).mul_(w * 3)
                out = (view * view).sum() + (base * 2).sum()
                return torch.autograd.grad(out, (x, w), allow_unused=True)

            see.attempt(where, run)


@program(rules="V-50", each=_BASES.items())
def flags_of_views_made_without_grad(torch, see, case):
    base = case[1](torch)
    for mode in ("no_grad", "inference_mode"):
        with getattr(torch, mode)():
            view = base[:2]
            inside = view.requires_grad
        see(mode, (inside, view.requires_grad, view.grad_fn, view.is_leaf, view._is_view()))
        see(f"{mode}: base", view._base is base)
        see(f"{mode}: its sum", view.sum())
        see.attempt(f"{mode}: backward", lambda: view.backward(torch.ones(2)))
        see.attempt(f"{mode}: flag", lambda: view.requires_grad_().is_leaf)


@program(rules="V-44")
def a_slice_of_a_view_made_under_no_grad(torch, see):
    base = torch.arange(4.0, requires_grad=True) * 1
    with torch.no_grad():
        view = base[:3]
    part = view[:2]
    _history(see, "slice", part)
    see("base", part._base is base, expect=True)
    see.raises("written", lambda: part.mul_(2), phrase="no_grad")
    base.mul_(2)
    see.attempt("after a write to the base", lambda: part.grad_fn)


@program(rules="V-7")
def writes_to_elements_that_share_memory(torch, see):
    expanded = torch.zeros(3).expand(2, 3)
    see.raises("a product", lambda: expanded.mul_(2), phrase="single memory location")
    see.raises("a copy", lambda: expanded.copy_(torch.ones(2, 3)), phrase="single memory location")
    see.raises("an assignment", lambda: expanded.__setitem__(..., 5.0), phrase="single memory")
    expanded[0] = 5.0
    see("a row of it", expanded, expect=[[5, 5, 5]] * 2)
    see("one number everywhere", expanded.fill_(2), expect=[[2, 2, 2]] * 2)
    see("the same of zero_", expanded.zero_(), expect=[[0, 0, 0]] * 2)
    see("on a diagonal", torch.zeros(1, 1).expand(2, 2).fill_diagonal_(3), expect=[[3, 3]] * 2)
    see.raises(
        "a tensor's number", lambda: expanded.fill_(torch.tensor(1.0)), phrase="single memory"
    )
    see("windows", torch.zeros(4).unfold(0, 2, 1).mul_(2).sum(), expect=0)
    see.differs(
        "indices",
        see.outcome(
            lambda: torch.zeros(3).expand(2, 3).index_fill_(0, torch.tensor([0]), 1.0).sum()
        ),
        torch=6,
        vizgrad=RuntimeError,
        because="V-7: every other write to such memory is refused",
    )
