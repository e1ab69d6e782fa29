"""Inference mode."""

from tests.oracle.registry import program


def _inference(torch, *size):
    with torch.inference_mode():
        return torch.ones(*size)


@program(rules="M-20 M-21")
def tensors_made_inside(torch, see):
    normal = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        see(
            "modes",
            (torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
            expect=(False, True),
        )
        made, result, view = torch.ones(2), normal * 2, normal[:1]
        see(
            "are inference tensors",
            [t.is_inference() for t in (made, result, made[:1])],
            expect=[True] * 3,
        )
        see("a view of a normal tensor is not", view.is_inference(), expect=False)
    see("flags", (result.requires_grad, result.grad_fn))
    see("after", torch.is_inference_mode_enabled(), expect=False)

    @torch.inference_mode()
    def decorated():
        return torch.ones(1).is_inference()

    see("decorator", decorated(), expect=True)


@program(rules="M-22 M-23")
def switching_inside(torch, see):
    x = torch.ones(2, requires_grad=True)
    with torch.inference_mode():
        with torch.inference_mode(False):
            see("normal again", (x * 2).requires_grad, expect=True)
        with torch.enable_grad():
            see(
                "enable_grad",
                (torch.is_grad_enabled(), (x * 2).requires_grad),
                expect=(True, False),
            )
        made = torch.ones(2, requires_grad=True)
        see("a factory", (made.requires_grad, made.is_inference(), (made * 2).requires_grad))


@program(rules="M-24 M-26")
def what_works_outside(torch, see):
    i, x = _inference(torch, 2), torch.ones(2, requires_grad=True)
    see("read by add", (i + x).requires_grad, expect=True)
    see("view", i[:1].is_inference(), expect=True)
    see("detach", i.detach().is_inference(), expect=True)
    see("clone", i.clone().is_inference(), expect=False)
    see("operations", (i * 2).is_inference(), expect=False)


@program(rules="M-25 V-5 V-24")
def what_does_not(torch, see):
    i, x = _inference(torch, 2), torch.ones(2, requires_grad=True)
    see.raises("saving", lambda: i * x, phrase="inference tensors cannot be saved for backward")
    see.raises("in-place", lambda: i.add_(1), phrase="inplace update to inference tensor")

    def under_no_grad():
        with torch.no_grad():
            i.add_(1)

    see.raises("in-place under no_grad", under_no_grad, phrase="inplace update to inference tensor")
    see.raises("requires_grad", lambda: i.requires_grad_(True), phrase="inference")
    see.raises(
        "version", lambda: i._version, phrase="inference tensors do not track version counter"
    )
    see("setting False", i.requires_grad_(False) is i, expect=True)


@program(rules="M-27")
def writing_normal_tensors_inside(torch, see):
    x = torch.ones(2, requires_grad=True)
    a = x * 1
    y = (a * a).sum()
    with torch.inference_mode():
        a.add_(1)
        x.mul_(2)
    see("versions", (a._version, x._version), expect=(1, 1))
    see.raises("a saved value is stale", y.backward, phrase="modified by an inplace operation")


@program(rules="M-28 V-47")
def a_view_made_inside_and_written_outside(torch, see):
    base = torch.ones(4, requires_grad=True) * 1
    with torch.inference_mode():
        view, second = base[:2], base[2:]
    see.raises("in-place", lambda: view.mul_(2), phrase="created in inference mode")
    base.mul_(2)
    see.raises("grad_fn after the base changed", lambda: second.grad_fn, phrase="inference mode")


@program(rules="M-29")
def backward_inside(torch, see):
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with torch.inference_mode():
        y.backward()
    see("gradient", x.grad.tolist(), expect=[2, 2])


@program(rules="V-4")
def increment_version_ignores_them(torch, see):
    i = _inference(torch, 2)
    torch.autograd.graph.increment_version(i)
    see("no error", i.is_inference(), expect=True)


@program(rules="M-21")
def detach_does_nothing_in_place_in_inference_mode(torch, see):
    leaf = torch.ones(2, requires_grad=True)
    result = leaf * 2
    with torch.inference_mode():
        see("itself", leaf.detach_() is leaf, expect=True)
        result.detach_()
        see("of a view", leaf[:1].detach_())
    see("requires_grad", (leaf.requires_grad, result.requires_grad), expect=(True, True))
    result.sum().backward()
    see("gradient", leaf.grad, expect=[2, 2])
