"""gradcheck and gradgradcheck."""

from tests.oracle.data import wave
from tests.oracle.registry import program


def _wrong(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x**2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    return Wrong.apply


@program(rules="G-1 G-2")
def right_and_wrong_derivatives(torch, see):
    check = torch.autograd.gradcheck
    x = torch.tensor(wave(2, 2), dtype=torch.float64, requires_grad=True)
    see("right", check(torch.exp, (x,)), expect=True)
    see("right twice", torch.autograd.gradgradcheck(torch.exp, (x,)), expect=True)
    see("wrong, quietly", check(_wrong(torch), (x,), raise_exception=False), expect=False)
    see.raises(
        "wrong",
        lambda: check(_wrong(torch), (x,)),
        phrase="Jacobian mismatch for output 0 with respect to input 0",
    )
    see("fast", check(torch.sin, (x,), fast_mode=True), expect=True)


@program(rules="G-3 G-6")
def inputs_of_gradcheck(torch, see):
    check = torch.autograd.gradcheck
    see.raises(
        "nothing requires grad", lambda: check(torch.exp, (torch.ones(1, dtype=torch.float64),))
    )
    single = torch.tensor([0.5], requires_grad=True)
    see.warns(
        "single precision",
        lambda: check(torch.exp, (single,), raise_exception=False),
        phrase="double",
    )
    zero = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    see("a kink passes", check(torch.abs, (zero,)), expect=True)


@program(rules="G-1")
def settings_and_outputs_that_are_refused(torch, see):
    x = torch.tensor([0.5, 1.0], dtype=torch.float64, requires_grad=True)
    check = torch.autograd.gradcheck
    see.raises(
        "batched forward mode without forward mode",
        lambda: check(torch.sin, x, check_batched_forward_grad=True),
        phrase="requires check_forward_ad to be True",
    )

    def sparse(values):
        places = torch.tensor([[0, 2]])
        return torch.sparse_coo_tensor(places, values, (3,), check_invariants=False)

    see.raises("sparse", lambda: check(sparse, x), phrase="Sparse output is not supported")
