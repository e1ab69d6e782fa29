"""Custom Functions, every kind of input by every behaviour of forward, and what may be done afterwards."""

import warnings

from tests.oracle.making import function
from tests.oracle.registry import program

_INPUTS = {
    "leaf": lambda t: t.arange(1.0, 5.0, requires_grad=True),
    "result": lambda t: t.arange(1.0, 5.0, requires_grad=True) * 1,
    "view of a result": lambda t: (t.arange(6.0, requires_grad=True) * 1)[1:5],
    "view of a leaf": lambda t: t.arange(6.0, requires_grad=True)[1:5],
    "piece of a result": lambda t: (t.arange(8.0, requires_grad=True) * 1).split(4)[0],
    "constant": lambda t: t.arange(1.0, 5.0),
    "view of a constant": lambda t: t.arange(6.0)[1:5],
    "detached": lambda t: (t.arange(1.0, 5.0, requires_grad=True) * 1).detach(),
    "integers": lambda t: t.arange(1, 5),
}


def _dirty(ctx, x, *more):
    x.mul_(2)
    ctx.mark_dirty(x)
    return (x, *more) if more else x


def _marked(ctx, out, *marked):
    ctx.mark_non_differentiable(*marked)
    return out


def _all_marked(ctx, out):
    return _marked(ctx, out, out)


def _second_marked(ctx, first, second):
    return _marked(ctx, (first, second), second)


def _twice(y):
    return y, y


def _and_view(y):
    return y, y[:2]


#: What forward returns from x and w (w always requires grad).
_FORWARDS = {
    "fresh": lambda t, ctx, x, w: x * w,
    "as is": lambda t, ctx, x, w: x,
    "the other as is": lambda t, ctx, x, w: w,
    "both as is": lambda t, ctx, x, w: (x, w),
    "as is twice": lambda t, ctx, x, w: (x, x),
    "as is and fresh": lambda t, ctx, x, w: (x, x * w),
    "a view": lambda t, ctx, x, w: x[:2],
    "a detached alias": lambda t, ctx, x, w: x.detach(),
    "two views": lambda t, ctx, x, w: (x[:2], x[2:]),
    "pieces": lambda t, ctx, x, w: x.split(2),
    "a view of a fresh one": lambda t, ctx, x, w: (x * w)[:2],
    "fresh twice": lambda t, ctx, x, w: _twice(x * w),
    "fresh and a view of it": lambda t, ctx, x, w: _and_view(x * w),
    "dirty": lambda t, ctx, x, w: _dirty(ctx, x),
    "dirty and fresh": lambda t, ctx, x, w: _dirty(ctx, x, x * w),
    "dirty and a view of it": lambda t, ctx, x, w: _dirty(ctx, x, x[:2]),
    "dirty twice": lambda t, ctx, x, w: _dirty(ctx, x, x),
    "written, not marked": lambda t, ctx, x, w: x.mul_(2),
    "marked": lambda t, ctx, x, w: _all_marked(ctx, x * w),
    "one of two marked": lambda t, ctx, x, w: _second_marked(ctx, x * w, x * 2),
    "an input, marked": lambda t, ctx, x, w: _marked(ctx, x, x),
    "dirty and marked": lambda t, ctx, x, w: _marked(ctx, _dirty(ctx, x), x),
    "a view, marked": lambda t, ctx, x, w: _all_marked(ctx, x[:2]),
    "integers": lambda t, ctx, x, w: (x * w).long(),
    "fresh and integers": lambda t, ctx, x, w: (x * w, (x * 2).long()),
    "recorded inside": lambda t, ctx, x, w: _with_grad(t, x, w),
    "nothing": lambda t, ctx, x, w: None,
    "no outputs": lambda t, ctx, x, w: (),
}


def _with_grad(torch, x, w):
    with torch.enable_grad():
        return x * w


def _give(torch):
    """As many gradients as arguments, of their size; ones, and twos."""

    def backward(ctx, *grads):
        return torch.ones(4), torch.full((4,), 2.0)

    return backward


def _look(see, name, t):
    def flags():
        return (t.requires_grad, t.grad_fn, t.is_leaf, t.output_nr, t._version, t._is_view())

    see.attempt(name, flags)


@program(rules="F-11 F-20 F-24 F-25 F-26 F-27 F-28 F-29 F-51 F-52 F-54", each=_FORWARDS.items())
def what_apply_gives(torch, see, case):
    for kind, make in _INPUTS.items():
        for mode in ("enable_grad", "no_grad"):
            x, w = make(torch), torch.ones(4, requires_grad=True)
            fn = function(torch, lambda ctx, x, w: case[1](torch, ctx, x, w), _give(torch))
            where = f"{kind}, {mode}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    with getattr(torch, mode)():
                        out = fn.apply(x, w)
                except Exception as error:  # noqa: BLE001 (the class is what is observed)
                    see(f"{where}: refused", error)
                    continue
            outs = out if isinstance(out, tuple) else (out,)
            see(f"{where}: kind", (type(out) is tuple, len(outs)))
            for i, o in enumerate(outs):
                if o is None:
                    see(f"{where}: {i}", None)
                    continue
                see(f"{where}: {i} is", (o is x, o is w, any(o is p for p in outs[:i])))
                _look(see, f"{where}: {i}", o)
                see(f"{where}: {i} value", o.detach().clone())
            _look(see, f"{where}: input", x)


_AFTER = {
    "backward": lambda t, x, outs: sum((o * 3).sum() for o in outs if o.requires_grad).backward(),
    "write": lambda t, x, outs: outs[0].mul_(2),
    "write with history": lambda t, x, outs: outs[0].mul_(
        t.ones(4, requires_grad=True)[: outs[0].shape[0]]
    ),
    "write to the input": lambda t, x, outs: x.mul_(2),
    "write to the base": lambda t, x, outs: (x._base if x._is_view() else x).mul_(2),
    "view of it": lambda t, x, outs: outs[0][:1].mul_(2),
    "detach_": lambda t, x, outs: outs[0].detach_(),
    "requires_grad_": lambda t, x, outs: outs[-1].requires_grad_(),
}


_GIVING = {k: v for k, v in _FORWARDS.items() if k not in ("nothing", "no outputs")}


@program(rules="F-27 F-28 F-29 F-51 F-54 V-45 V-46", each=_GIVING.items())
def what_may_be_done_afterwards(torch, see, case):
    for kind, make in _INPUTS.items():
        for name, act in _AFTER.items():
            x, w = make(torch), torch.ones(4, requires_grad=True)
            fn = function(torch, lambda ctx, x, w: case[1](torch, ctx, x, w), _give(torch))
            where = f"{kind}, {name}"
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    out = fn.apply(x, w)
                except Exception:  # noqa: BLE001 (shown by the program above)
                    continue
                outs = out if isinstance(out, tuple) else (out,)
                see.attempt(where, lambda: (act(torch, x, outs), None)[1])
            for i, o in enumerate(outs):
                _look(see, f"{where}: {i}", o)
            _look(see, f"{where}: input", x)
            see(f"{where}: other", w.grad)
