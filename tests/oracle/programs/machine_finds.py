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
