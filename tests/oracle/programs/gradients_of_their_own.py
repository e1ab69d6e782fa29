"""A gradient that is asked for is never the tensor that the caller gave (Y-12)."""

from tests.oracle.registry import program

_CHOOSING = (
    "cummax",
    "cummin",
    "sort",
    "msort",
    "max",
    "min",
    "median",
    "nanmedian",
    "kthvalue",
    "mode",
    "topk",
)


@program(rules="Y-12", each=_CHOOSING)
def what_chooses_one_of_one_gives_another_tensor(torch, see, name):
    settings = {
        "cummax": (0,),
        "cummin": (0,),
        "kthvalue": (1,),
        "topk": (1,),
        "msort": (),
        "nanmedian": (0,),
    }
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    settings = settings.get(name, (0,))
    y = torch.msort(x) if name == "msort" else getattr(x, name)(*settings)[0]
    given = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    grad = torch.autograd.grad(y, x, given, create_graph=True)[0]
    see("the same object", grad is given, expect=False)
    see("a leaf", grad.is_leaf, expect=False)
    see("by the gradient given", torch.autograd.grad(grad, given)[0])


@program(rules="Y-12")
def a_view_of_the_same_shape_gives_another_tensor(torch, see):
    for shape in ((), (1,), (2, 3)):
        x = torch.ones(shape, dtype=torch.float64, requires_grad=True)
        for name, view in (
            ("view", lambda t: t.view(t.shape)),
            ("view_as", lambda t: t.view_as(t)),
        ):
            given = torch.ones(shape, dtype=torch.float64, requires_grad=True)
            grad = torch.autograd.grad(view(x), x, given, create_graph=True)[0]
            see(f"{name} of {shape}", (grad is given, grad.is_leaf), expect=(False, False))
