"""The rarer members of Function's family."""

from tests.oracle.registry import program


def _double(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    return Double


@program(rules="F-1")
def names_can_be_imported(torch, see):
    module = torch.autograd.function
    see(
        "public",
        [
            hasattr(module, n)
            for n in (
                "Function",
                "FunctionCtx",
                "FunctionMeta",
                "BackwardCFunction",
                "InplaceFunction",
                "NestedIOFunction",
                "once_differentiable",
            )
        ],
        expect=[True] * 7,
    )
    see("mixin", module._ContextMethodMixin is module.FunctionCtx, expect=True)


@program(rules="F-3 F-4")
def the_backward_class(torch, see):
    module = torch.autograd.function
    first, second = _double(torch), _double(torch)
    cls = first._backward_cls
    see(
        "bases",
        (issubclass(cls, module.BackwardCFunction), issubclass(cls, module.FunctionCtx)),
        expect=(True, True),
    )
    numbers = [c._backward_cls._autograd_function_id for c in (first, second)]
    see("numbers rise", numbers[0] < numbers[1], expect=True)


@program(rules="F-40")
def saved_variables_is_deprecated(torch, see):
    node = _double(torch).apply(torch.ones(2, requires_grad=True)).grad_fn
    see("value", see.warns("warning", lambda: node.saved_variables, DeprecationWarning))


@program(rules="F-42")
def save_for_forward_takes_tensors(torch, see):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(3)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    see.raises("a number", lambda: Wrong.apply(torch.ones(1, requires_grad=True)))


@program(rules="F-43")
def saved_tensors_may_be_cleared_on_access(torch, see):
    class Once(_double(torch)):
        clear_saved_tensors_on_access = True

        @staticmethod
        def backward(ctx, grad):
            log.append(len(ctx.saved_tensors))
            try:
                log.append(ctx.saved_tensors)
            except RuntimeError:
                log.append("cleared")
            return grad

    log = []
    Once.apply(torch.ones(1, requires_grad=True)).backward()
    see("log", log, expect=[1, "cleared"])


@program(rules="F-45")
def mark_shared_storage_is_deprecated(torch, see):
    class Sharing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_shared_storage((x, x))
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return grad

    see("result", see.warns("warning", lambda: Sharing.apply(torch.ones(1)), FutureWarning))


@program(rules="F-90")
def instances_are_deprecated(torch, see):
    cls = _double(torch)
    instance = see.warns("making one", cls, DeprecationWarning)
    see.raises("calling it", lambda: instance(torch.ones(1)), phrase="static")


@program(rules="F-22")
def vizgrad_warns_of_opaque_containers(torch, see):
    import warnings

    class Listing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return [x * 2]

        @staticmethod
        def backward(ctx, grad):
            return grad

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Listing.apply(torch.ones(1, requires_grad=True))
        Listing.apply(torch.ones(1, requires_grad=True))
    see.differs("warnings", len(caught), torch=0, vizgrad=1, because="F-22: once per class")


@program(rules="F-56")
def vizgrad_warns_of_unmarked_writes(torch, see):
    import warnings

    class Writing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(1, requires_grad=True) * 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Writing.apply(x)
    see.differs(
        "warnings", len(caught), torch=0, vizgrad=1, because="F-56: the wrong graph is noticed"
    )


@program(rules="F-100")
def vizgrad_nodes_can_be_called(torch, see):
    y = _double(torch).apply(torch.ones(2, requires_grad=True))
    g = torch.ones(2)
    called = see.outcome(lambda: y.grad_fn(g))
    see.differs(
        "custom",
        "an error" if "TypeError" in str(called) else called,
        torch="an error",
        vizgrad=[2, 2],
        because="F-100: all nodes are callable",
    )
    see("built-in", (torch.ones(2, requires_grad=True) * 3).grad_fn(g)[0], expect=[3, 3])


@program(rules="F-110")
def inplace_function_keeps_its_flag(torch, see):
    cls = torch.autograd.function.InplaceFunction
    see("flags", (cls().inplace, cls(inplace=True).inplace), expect=(False, True))


@program(rules="F-126 F-127")
def nested_helpers(torch, see):
    module = torch.autograd.function
    a, b = torch.ones(1), torch.zeros(1)
    see("flat", list(module._iter_tensors((a, [b, None]))))
    see("with None", len(list(module._iter_None_tensors((a, [b, None])))), expect=3)
    see("rebuilt", module._unflatten([1, 2], (a, [b])))
    see.raises("too few", lambda: module._unflatten([1], (a, [b])))
    see.raises("unknown", lambda: list(module._iter_tensors((a, "text"))), phrase="str")
