"""The betas of Adam: both floats or both tensors; its variants take any numbers."""

from tests.oracle.registry import program


@program(rules="T-60", each=["Adam", "AdamW", "NAdam", "RAdam", "Adamax"])
def betas_that_are_no_floats(torch, see, case):
    make = getattr(torch.optim, case)
    strict = case in ("Adam", "AdamW")

    def made(*betas):
        return lambda: len(make([torch.ones(1, requires_grad=True)], betas=betas).param_groups)

    cases = {
        "an int first": (0, 0.9),
        "an int last": (0.9, 0),
        "a tensor": (0.0, torch.tensor(0.9)),
    }
    for name, betas in cases.items():
        if strict:
            see.raises(
                name, made(*betas), phrase="betas must be either both floats or both Tensors"
            )
        else:
            see(name, made(*betas)())
    see("floats", made(0.0, 0.9)())
    see("tensors", made(torch.tensor(0.5), torch.tensor(0.9))())
    see.raises("too large", made(1, 0.9), phrase="Invalid beta parameter at index 0: 1")
