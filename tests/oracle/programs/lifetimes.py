"""How long gradients and saved values live: what a hook finds alive."""

import gc
import weakref

from tests.oracle.making import function, tanh_in_place
from tests.oracle.registry import program


class Lives:
    """Gradients by name, held weakly: in PyTorch the tensor, in vizgrad its array."""

    def __init__(self):
        self._references = {}

    def follow(self, **tensors):
        for name, tensor in tensors.items():
            self._references[name] = weakref.ref(getattr(tensor, "_array", tensor))

    def alive(self):
        return [name for name, reference in self._references.items() if reference() is not None]


def without_collector(run):
    """Calls `run` with the garbage collector off: only what nobody refers to is gone."""
    gc.disable()
    try:
        return run()
    finally:
        gc.enable()


@program(rules="E-98")
def the_gradients_of_a_visit_are_gone_in_the_next(torch, see):
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    b = a * 3
    c = b.exp()
    lives, seen = Lives(), []

    def in_c(computed, arrived):
        lives.follow(arrived=arrived[0], computed=computed[0])
        seen.append(lives.alive())

    def in_b(grad):
        seen.append(lives.alive())

    def in_a(grad):
        seen.append(lives.alive())

    c.grad_fn.register_hook(in_c)
    b.register_hook(in_b)
    a.register_hook(in_a)
    loss = c.sum()
    del b, c
    without_collector(loss.backward)
    see("in c, b, a", seen, expect=[["arrived", "computed"], ["computed"], []])


@program(rules="E-98")
def a_gradient_that_was_added_to_another_is_gone(torch, see):
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    early, late = a * 3, a * 4
    lives, seen = Lives(), []

    def look(name):
        def hook(computed, arrived):
            lives.follow(**{name: computed[0]})
            seen.append(lives.alive())

        return hook

    early.grad_fn.register_hook(look("early"))
    late.grad_fn.register_hook(look("late"))
    # the first one to arrive may be the sum
    a.register_hook(lambda grad: seen.append("early" in lives.alive()))
    loss = (early.exp() + late.exp()).sum()
    del early, late
    without_collector(loss.backward)
    see("late, early, a", seen, expect=[["late"], ["late", "early"], False])


@program(rules="E-98")
def a_gradient_that_a_hook_replaced_is_gone_in_the_next_stage(torch, see):
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    b = a.exp()
    lives, seen = Lives(), []

    def first(grad):
        lives.follow(arrived=grad)
        seen.append(lives.alive())
        made = grad * 2
        lives.follow(made=made)
        return made

    def second(grad):
        seen.append(lives.alive())

    def before(arrived):
        seen.append(lives.alive())
        made = arrived[0] * 2
        lives.follow(again=made)
        return (made,)

    def after(computed, arrived):
        seen.append(lives.alive())

    b.register_hook(first)
    b.register_hook(second)
    b.grad_fn.register_prehook(before)
    b.grad_fn.register_hook(after)
    a.register_hook(lambda grad: seen.append(lives.alive()))
    loss = (b * 3).sum()
    without_collector(loss.backward)
    see(
        "first, second, before, after, a",
        seen,
        expect=[["arrived"], ["arrived", "made"], ["made"], ["again"], []],
    )


@program(rules="E-98", each=("no post-hook", "a post-hook"))
def what_a_leaf_was_sent_is_gone_in_its_post_accumulate_hook(torch, see, case):
    x = torch.ones(3, requires_grad=True)
    x.grad = torch.ones(3)
    lives, seen = Lives(), []

    def arrived(grad):
        lives.follow(arrived=grad)
        seen.append(lives.alive())

    x.register_hook(arrived)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(lives.alive()))
    first = x * 2
    if case == "a post-hook":  # it is to be given what arrived
        first.grad_fn.next_functions[0][0].register_hook(
            lambda computed, arrived: seen.append(lives.alive())
        )
    y = torch.ones(3, requires_grad=True)
    y.register_post_accumulate_grad_hook(lambda t: seen.append(lives.alive()))
    second = y * first
    del first
    without_collector(second.sum().backward)
    see("in all hooks", seen)


@program(rules="E-98 E-41")
def what_a_function_computed_and_saved(torch, see):
    lives, seen = Lives(), []

    def forward(ctx, x):
        kept = x * 3
        lives.follow(kept=kept)
        ctx.save_for_backward(kept)
        return x * 2

    def backward(ctx, grad):
        (kept,) = ctx.saved_tensors
        seen.append(lives.alive())
        made = grad * kept
        lives.follow(arrived=grad, made=made)
        return made

    x = torch.ones(3, requires_grad=True)
    a = x * 2
    b = a.exp()
    b.register_hook(lambda grad: seen.append(lives.alive()))
    a.register_hook(lambda grad: seen.append(lives.alive()))
    loss = (function(torch, forward, backward).apply(b) * 3).sum()
    del b
    without_collector(loss.backward)
    see("in the function, b, a", seen, expect=[["kept"], ["made"], []])


@program(rules="E-98")
def what_was_captured_before_a_hook_replaced_it(torch, see):
    x = torch.ones(3, requires_grad=True)
    a = x * 2
    b = a.exp()
    lives, seen = Lives(), []

    def replace(grad):
        lives.follow(arrived=grad)
        return grad * 2

    b.register_hook(replace)
    b.grad_fn.register_prehook(lambda grads: seen.append(lives.alive()))
    a.register_hook(lambda grad: seen.append(lives.alive()))
    loss = (b * 3).sum()
    without_collector(lambda: torch.autograd.grad(loss, [x, a]))
    see("before exp, a", seen, expect=[[], []])


@program(rules="F-37 V-23")
def a_function_that_saves_the_view_it_wrote_is_no_cycle(torch, see):
    def left(of_view):
        base = torch.ones(4, requires_grad=True) * 2
        written = tanh_in_place(torch).apply(base[1:] if of_view else base)
        lives = Lives()
        lives.follow(written=written, base=base)
        del written, base
        return lives.alive()

    for of_view in (False, True):
        see(f"view {of_view}", without_collector(lambda view=of_view: left(view)), expect=[])
