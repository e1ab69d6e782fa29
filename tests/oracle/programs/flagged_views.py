"""Views that in-place writes are not followed through: what the refusal says, and what is allowed
(spec 07 A: X-3, X-4).
"""

from tests.oracle.registry import program

NO_GRAD = "A view was created in no_grad mode and {done} modified inplace with grad mode enabled"
INFERENCE = "A view was created in inference mode and {done} modified inplace in normal mode"
VIEW_OF = "is a view of a view which was created in {mode} mode and {done} modified inplace"
WRITTEN = "is being"
BY_BASE = "its base or another view of its base has been"


def _function(torch, count=1):
    class Rows(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x[0] if count == 1 else (x[0], x[1])

        @staticmethod
        def backward(ctx, *grads):
            return grads[0]

    return Rows


def _in(torch, mode, make, base):
    with torch.no_grad() if mode == "no_grad" else torch.inference_mode():
        return make(base)


#: name -> (how the view is made of its base, what the refusal opens with).
_KINDS = {
    "no_grad": (lambda t, b: _in(t, "no_grad", lambda b: b[0], b), NO_GRAD),
    "inference mode": (lambda t, b: _in(t, "inference", lambda b: b[0], b), INFERENCE),
    "one of several in no_grad": (lambda t, b: _in(t, "no_grad", lambda b: b.unbind()[0], b), NO_GRAD),
    "a Function's in no_grad": (lambda t, b: _in(t, "no_grad", _function(t).apply, b), NO_GRAD),
    "a Function's in inference mode": (lambda t, b: _in(t, "inference", _function(t).apply, b), NO_GRAD),
    "one of a Function's in no_grad": (
        lambda t, b: _in(t, "no_grad", _function(t, 2).apply, b)[1], NO_GRAD,
    ),
    "a view of a no_grad view": (
        lambda t, b: _in(t, "no_grad", lambda b: b[0], b)[1:], VIEW_OF.replace("{mode}", "no_grad"),
    ),
    "a view of an inference view": (
        lambda t, b: _in(t, "inference", lambda b: b[0], b)[1:], VIEW_OF.replace("{mode}", "inference"),
    ),
    "a no_grad view of an inference view": (
        lambda t, b: _in(t, "no_grad", lambda v: v[1:], _in(t, "inference", lambda b: b[0], b)),
        INFERENCE,
    ),
    "an inference view of a no_grad view": (
        lambda t, b: _in(t, "inference", lambda v: v[1:], _in(t, "no_grad", lambda b: b[0], b)),
        INFERENCE,
    ),
    "a no_grad view of one of several": (
        lambda t, b: _in(t, "no_grad", lambda v: v[1:], b.unbind()[0]), NO_GRAD,
    ),
    "one of several": (
        lambda t, b: b.unbind()[1], ("is a view and {done} modified inplace. This view is the output of a "
        "function that returns multiple views"),
    ),
    "a Function's": (
        lambda t, b: _function(t).apply(b),
        "is a view and {done} modified inplace. This view was created inside a custom Function",
    ),
}  # fmt: skip


@program(rules="X-3", each=_KINDS.items())
def a_write_through_it_is_refused_with_the_cause(torch, see, kind):
    make, opening = kind[1]
    view = make(torch, torch.ones(3, 4, requires_grad=True) * 1)
    w = torch.ones(1, requires_grad=True)
    see.raises("constant", lambda: view.mul_(2), phrase=opening.format(done=WRITTEN))
    see.raises("weight", lambda: view.mul_(w), phrase=opening.format(done=WRITTEN))
    see("not written", view._version, expect=0)
    with torch.no_grad():
        see("in no_grad", view.mul_(3) is view, expect=True)


@program(rules="X-3", each=_KINDS.items())
def after_a_write_to_its_base_it_is_refused_with_the_cause(torch, see, kind):
    make, opening = kind[1]
    base = torch.ones(3, 4, requires_grad=True) * 1
    view = make(torch, base)
    base.mul_(2)
    see.raises("history", lambda: view.grad_fn, phrase=opening.format(done=BY_BASE))
    other = torch.ones(3, 4, requires_grad=True) * 1
    view = make(torch, other)
    other[2].mul_(2)
    see.raises("sibling", lambda: view.grad_fn, phrase=opening.format(done=BY_BASE))


@program(rules="X-3", each=("no_grad", "inference"))
def of_a_tensor_that_requires_no_grad_only_recorded_writes_are_refused(torch, see, mode):
    base = torch.ones(3, 4)
    view = _in(torch, mode, lambda b: b[0], base)
    see("constant", view.mul_(2))
    w = torch.ones(1, requires_grad=True)
    opening = NO_GRAD if mode == "no_grad" else INFERENCE
    see.raises("weight", lambda: view.mul_(w), phrase=opening.format(done=WRITTEN))


@program(rules="X-3", each=("no_grad", "inference"))
def of_a_leaf_the_mode_comes_before_the_leaf(torch, see, mode):
    leaf = torch.ones(3, 4, requires_grad=True)
    view = _in(torch, mode, lambda b: b[0], leaf)
    opening = NO_GRAD if mode == "no_grad" else INFERENCE
    see.raises("write", lambda: view.mul_(2), phrase=opening.format(done=WRITTEN))


# --- changes of shape alone ----------------------------------------------------------------------------

_RESHAPING = {
    "t_": lambda x: x.t_(),
    "transpose_": lambda x: x.transpose_(0, -1),
    "swapaxes_": lambda x: x.swapaxes_(0, -1),
    "swapdims_": lambda x: x.swapdims_(0, -1),
    "squeeze_": lambda x: x.squeeze_(),
    "squeeze_ of a dim": lambda x: x.squeeze_(0),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "as_strided_": lambda x: x.as_strided_((2,), (1,), 1),
}


def _off(torch, mode):
    return torch.no_grad() if mode == "no_grad" else torch.inference_mode()


@program(rules="X-4", each=_RESHAPING.items())
def a_leaf_may_change_its_shape_with_grad_mode_off(torch, see, case):
    for mode in ("no_grad", "inference"):
        for name, leaf in (
            ("tensor", torch.ones(1, 3, requires_grad=True)),
            ("parameter", torch.nn.Parameter(torch.ones(1, 3))),
        ):
            with _off(torch, mode):
                see(f"{mode}: {name}: itself", case[1](leaf) is leaf, expect=True)
            see(f"{mode}: {name}: shape", leaf.shape)
            see(f"{mode}: {name}: version", leaf._version, expect=1)
            see(f"{mode}: {name}: leaf", (leaf.is_leaf, leaf.requires_grad), expect=[True, True])
            (leaf * 3).sum().backward()
            see(f"{mode}: {name}: gradient", leaf.grad)


@program(rules="X-4", each=_RESHAPING.items())
def with_grad_mode_on_a_leaf_keeps_its_shape(torch, see, case):
    leaf = torch.ones(1, 3, requires_grad=True)
    see.raises("leaf", lambda: case[1](leaf), phrase="a leaf Variable that requires grad")
    see.raises("view of it", lambda: case[1](leaf[:]), phrase="a view of a leaf Variable")
    see("unchanged", (leaf.shape, leaf._version))


@program(rules="X-4", each=_KINDS.items())
def a_flagged_view_may_change_its_shape_with_grad_mode_off(torch, see, kind):
    make, opening = kind[1]
    for name, change in _RESHAPING.items():
        for mode in ("no_grad", "inference"):
            view = make(torch, torch.ones(3, 4, requires_grad=True) * 1)
            with _off(torch, mode):
                see(f"{mode} {name}: itself", change(view) is view, expect=True)
            see(f"{mode} {name}: shape", view.shape)
            see(f"{mode} {name}: version", view._version, expect=1)
            see.raises(f"{mode} {name}: history", lambda view=view: view.grad_fn,
                       phrase=opening.format(done=BY_BASE))  # fmt: skip
        view = make(torch, torch.ones(3, 4, requires_grad=True) * 1)
        see.raises(f"{name}: recorded", lambda view=view, change=change: change(view),
                   phrase=opening.format(done=WRITTEN))  # fmt: skip


@program(rules="X-4", each=_RESHAPING.items())
def an_ordinary_view_that_changed_its_shape_finds_its_history_again(torch, see, case):
    for mode in ("no_grad", "inference"):
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        view = (x * 2)[:, 1:]
        with _off(torch, mode):
            case[1](view)
        see(f"{mode}: history", view.grad_fn.name(), expect="AsStridedBackward0")
        (view * view).sum().backward()
        see(f"{mode}: gradient", x.grad)


@program(rules="X-4", each=_RESHAPING.items())
def overlapping_memory_may_be_seen_otherwise(torch, see, case):
    x = torch.ones(3)[:1].expand(3).unsqueeze(0)
    see("shape", case[1](x).shape)
    see("version", x._version, expect=1)


@program(rules="X-4")
def a_graph_made_before_does_not_fit_any_more(torch, see):
    x = torch.ones(2, 3, requires_grad=True)
    older, saving = (x * 2).sum(), (x * x).sum()
    with torch.no_grad():
        x.t_()
    see.raises("older graph", older.backward)
    see.raises("saved", saving.backward, phrase="modified by an inplace operation")
    see.raises("newer, beside it", (x * 3).sum().backward, phrase="invalid gradient")
    del older, saving
