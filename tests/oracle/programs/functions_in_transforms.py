"""Custom Functions under transforms: split style, `vmap` methods, generated rules (D-6 ... D-8, F-84)."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _classes(torch):
    class Old(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx, g):
            return 2 * ctx.saved_tensors[0] * g

        @staticmethod
        def jvp(ctx, t):
            return 2 * ctx.saved_tensors[0] * t

    class Generated(Square):
        generate_vmap_rule = True

    return Old, Square, Generated


def _point(torch, *shape, seed=0):
    return torch.tensor(wave(*shape, seed=seed), dtype=torch.float64)


@program(rules="D-6")
def the_split_style_is_asked_for(torch, see):
    old, square, _ = _classes(torch)
    func, x = torch.func, _point(torch, 3)
    see.raises("grad", lambda: func.grad(lambda t: old.apply(t).sum())(x), phrase="setup_context")
    see.raises("vmap", lambda: func.vmap(old.apply)(x), phrase="setup_context")
    see.raises("jvp", lambda: func.jvp(old.apply, (x,), (x,)), phrase="setup_context")
    see("split", func.grad(lambda t: square.apply(t).sum())(x))
    see("twice", func.grad(func.grad(square.apply))(x[0]))
    see.raises("no rule", lambda: func.vmap(square.apply)(x), phrase="does not have vmap support")


@program(rules="D-6 D-7 F-84")
def a_vmap_of_ones_own(torch, see):
    _, square, generated = _classes(torch)
    told = []

    class Own(square):
        @staticmethod
        def vmap(info, in_dims, x):
            told.append([info.batch_size, info.randomness, len(in_dims), tuple(x.shape)])
            return Own.apply(x), in_dims[0]

    class Both(generated):
        @staticmethod
        def vmap(info, in_dims, x):
            return x, 0

    class Alone(square):
        @staticmethod
        def vmap(info, in_dims, x):
            return x

    class Three(square):
        @staticmethod
        def vmap(info, in_dims, x):
            return x, 0, 0

    func, x = torch.func, _point(torch, 2, 3)
    see("batch", func.vmap(Own.apply)(x))
    see("randomness", func.vmap(Own.apply, randomness="same")(x))
    see("told", told)
    see("gradients", func.vmap(func.grad(lambda t: Own.apply(t).sum()))(x))
    leaf = x.clone().requires_grad_()
    see("through", torch.autograd.grad(func.vmap(Own.apply)(leaf).sum(), leaf))
    see.raises("both", lambda: func.vmap(Both.apply)(x), phrase="generate_vmap_rule=True and")
    see.raises("one return", lambda: func.vmap(Alone.apply)(x), phrase="two returns")
    see.raises("three returns", lambda: func.vmap(Three.apply)(x), phrase="two returns")


@program(rules="D-7 F-84")
def out_dims_of_several_outputs(torch, see):
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k, x.exp()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]
            ctx.save_for_backward(output[1])

        @staticmethod
        def backward(ctx, a, b):
            return a * ctx.k + b * ctx.saved_tensors[0], None

    class Spread(Two):
        @staticmethod
        def vmap(info, in_dims, x, k):
            see("in_dims", [in_dims[0] is None, in_dims[1] is None], expect=[False, True])
            return Two.apply(x, k), 0

    class Each(Two):
        @staticmethod
        def vmap(info, in_dims, x, k):
            return Two.apply(x.movedim(in_dims[0], 1), k), (1, 1)

    x = _point(torch, 2, 3)
    see("a number for both", torch.vmap(lambda t: Spread.apply(t, 3.0))(x))
    see("one for each", torch.vmap(lambda t: Each.apply(t, 3.0))(x))


@program(rules="D-8 F-84", each=["vmap", "grad", "jvp", "jacrev", "jacfwd", "twice"])
def a_generated_rule(torch, see, case):
    _, _, square = _classes(torch)
    func, x, eye = torch.func, _point(torch, 2, 3), torch.eye(3, dtype=torch.float64)
    if case == "vmap":
        see("batch", func.vmap(square.apply)(x))
        see("batch of batches", func.vmap(func.vmap(square.apply))(x.view(2, 3, 1)))
        see("dims", func.vmap(square.apply, in_dims=1, out_dims=1)(x))
    elif case == "grad":
        see("each", func.vmap(func.grad(lambda t: square.apply(t).sum()))(x))
        leaf = x.clone().requires_grad_()
        see("through", torch.autograd.grad(func.vmap(square.apply)(leaf).sum(), leaf))
    elif case == "jvp":
        see("each", func.vmap(lambda t: func.jvp(square.apply, (t,), (t,)))(x))
        see("around", func.jvp(func.vmap(square.apply), (x,), (x,)))
    elif case == "jacrev":
        see("rows", func.jacrev(square.apply)(x[0]))
        see("pulled", func.vmap(func.vjp(square.apply, x[0])[1])(eye))
        see("of a batch", func.vmap(func.jacrev(square.apply))(x))
    elif case == "jacfwd":
        see("columns", func.jacfwd(square.apply)(x[0]))
        see("of a batch", func.vmap(func.jacfwd(square.apply))(x))
    else:
        see("gradient", func.vmap(func.grad(func.grad(square.apply)))(x[0]))
        see("hessian", func.vmap(func.hessian(lambda t: square.apply(t).sum()))(x))


@program(rules="D-8")
def what_is_the_same_for_all_gets_the_sum(torch, see):
    class Product(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, w, k):
            return x * w * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0], inputs[1])
            ctx.k = inputs[2]

        @staticmethod
        def backward(ctx, g):
            x, w = ctx.saved_tensors
            return g * w * ctx.k, g * x * ctx.k, None

    func, x = torch.func, _point(torch, 2, 3)
    w = _point(torch, 3, seed=1).requires_grad_()
    batch = func.vmap(lambda t: Product.apply(t, w, 3))(x)
    see("batch", batch)
    see("summed", torch.autograd.grad(batch.sum(), w))
    each = func.vmap(func.grad(lambda t, w: Product.apply(t, w, 3).sum(), (0, 1)), (0, None))
    see("of each", each(x, w.detach()))
    see("rows", func.jacrev(lambda w: Product.apply(x[0], w, 3))(w.detach()))


@program(rules="A-9 C-3 H-1")
def hooks_of_modules_and_checkpoints_under_transforms(torch, see):
    func, x = torch.func, _point(torch, 2, 3)
    layer = torch.nn.Linear(3, 3, dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(_point(torch, 3, 3, seed=1))
        layer.bias.copy_(_point(torch, 3, seed=2))
    called = []
    hook = layer.register_full_backward_hook(lambda *given: called.append(len(given)))
    see("pushed through a hook", func.jvp(layer, (x,), (x.cos(),)))
    see("batched through a hook", func.vmap(layer)(x))
    see.raises("pulled through a hook", lambda: func.grad(lambda t: layer(t).sum())(x))
    see("called", called)
    hook.remove()

    def kept(t):
        return torch.utils.checkpoint.checkpoint(lambda u: layer(u).sin(), t, use_reentrant=False)

    def again(t):
        return torch.utils.checkpoint.checkpoint(lambda u: layer(u).sin(), t, use_reentrant=True)

    see("pushed through a checkpoint", func.jvp(kept, (x,), (x.cos(),)))
    see("batched through a checkpoint", func.vmap(kept)(x))
    see.raises("pulled through a checkpoint", lambda: func.grad(lambda t: kept(t).sum())(x))
    see.raises("reentrant, pushed", lambda: func.jvp(again, (x,), (x,)))
    see.raises("reentrant, batched", lambda: func.vmap(again)(x))
    see.raises("reentrant, pulled", lambda: func.grad(lambda t: again(t).sum())(x))


@program(rules="D-7 F-84")
def a_generated_rule_of_what_writes_is_refused(torch, see):
    class Twice(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = _point(torch, 2, 3)
    see("alone", torch.func.grad(lambda t: Twice.apply(t.clone()).sum())(x))
    see.raises("batched", lambda: torch.func.vmap(lambda t: Twice.apply(t.clone()))(x))
