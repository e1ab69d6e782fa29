"""What random sequences of steps found (`test_machine.py`), in one line each."""

from tests.oracle.registry import program


@program(rules="E-51 E-31")
def hooks_of_a_root_that_leads_to_no_input_are_called(torch, see):
    x, other = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    y = x * 2
    seen = []
    x.register_hook(lambda grad: seen.append("leaf"))
    y.register_hook(lambda grad: seen.append("result"))
    y.grad_fn.register_prehook(lambda grads: seen.append("before the node"))
    for root in (x, y):
        torch.autograd.grad(root, other, torch.ones(3), allow_unused=True)
    see("hooks", seen, expect=["leaf", "result"])
    torch.autograd.grad((x, y), other, (torch.ones(3), torch.ones(3)), allow_unused=True)
    see("of several roots", seen)


@program(rules="V-10 V-2")
def copying_a_tensor_to_itself_is_a_write(torch, see):
    x = torch.ones(3, requires_grad=True)
    see.raises("leaf", lambda: x.copy_(x), phrase="a leaf Variable that requires grad")
    y = x * 1
    y.copy_(y)
    see("version", y._version, expect=1)


@program(rules="E-66 E-74")
def post_accumulate_hooks_are_called_whatever_became_of_the_gradient(torch, see):
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return None

    for name, off in (("dropped", True), ("undefined", False)):
        x = torch.ones(2, requires_grad=True)
        seen = []
        x.register_hook(lambda grad, seen=seen: seen.append("hook"))
        x.register_post_accumulate_grad_hook(lambda x, seen=seen: seen.append("after"))
        y = x.exp() if off else Nothing.apply(x)
        if off:
            x.requires_grad_(False)
        y.sum().backward()
        see(name, seen, expect=["hook", "after"])
        see(f"{name}: gradient", x.grad, expect=None)
