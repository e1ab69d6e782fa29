"""Images and volumes at places between their pixels."""

from functools import partial

from tests.oracle.data import wave
from tests.oracle.registry import program

_SETTINGS = {
    f"{dims}d {mode} {padding} {'corners' if corners else 'edges'}": (dims, mode, padding, corners)
    for dims, modes in ((2, ("bilinear", "nearest", "bicubic")), (3, ("bilinear", "nearest")))
    for mode in modes
    for padding in ("zeros", "border", "reflection")
    for corners in (True, False)
}


def _leaves(torch, dims):
    image = torch.tensor(wave(2, 2, *(4, 3, 2)[:dims]), dtype=torch.float64)
    grid = torch.tensor(wave(2, *(3, 2, 2)[:dims], dims, seed=1), dtype=torch.float64)
    # most within, some beyond one side, some reflected twice
    return image.requires_grad_(), (grid * torch.tensor([0.9, 1.8, 4.1][:dims])).requires_grad_()


@program(rules="X-32", each=_SETTINGS)
def a_sampled_image_and_its_derivatives(torch, see, name):
    dims, mode, padding, corners = _SETTINGS[name]
    x, grid = _leaves(torch, dims)
    made = torch.nn.functional.grid_sample(x, grid, mode, padding, corners)
    see("value", made)
    see("one node", made.grad_fn.name(), expect=f"GridSampler{dims}DBackward0")
    see("both are followed", len(made.grad_fn.next_functions), expect=2)
    first = torch.autograd.grad(made.pow(2).sum(), (x, grid), create_graph=True)
    see("gradient", [g.detach() for g in first])
    see("requires grad", [g.requires_grad for g in first], expect=[True, True])
    see("nodes", [g.grad_fn.name() for g in first])
    see("second", torch.autograd.grad(sum(g.pow(2).sum() for g in first), (x, grid)))


@program(rules="X-32 X-42", each=["bilinear", "bicubic"])
def of_a_sum_the_second_derivative_by_the_image_is_undefined(torch, see, mode):
    for which in (0, 1):
        leaves = list(_leaves(torch, 2))
        leaves[1 - which].requires_grad_(False)
        made = torch.nn.functional.grid_sample(*leaves, mode=mode, align_corners=False)
        (first,) = torch.autograd.grad(made.sum(), leaves[which], create_graph=True)
        see(f"{which} requires grad", first.requires_grad, expect=True)
        see(
            f"{which} second",
            torch.autograd.grad(first.pow(2).sum(), leaves[which], allow_unused=True),
        )


@program(rules="X-16")
def samplers_with_their_settings_as_numbers(torch, see):
    for dims in (2, 3):
        x, grid = _leaves(torch, dims)
        for settings in ((0, 0, False), (1, 1, True), (0, 2, False)):
            for name in ("grid_sampler", f"grid_sampler_{dims}d"):
                see(f"{dims}d {name} {settings}", getattr(torch, name)(x, grid, *settings))
    x, grid = _leaves(torch, 2)
    see(
        "by name",
        torch.grid_sampler_2d(x, grid, interpolation_mode=2, padding_mode=0, align_corners=True),
    )
    see.raises("no settings", lambda: torch.grid_sampler_2d(x, grid))
    volume, places = _leaves(torch, 3)
    see.raises(
        "2d of a volume",
        lambda: torch.grid_sampler_2d(volume, places, 0, 0, False),
        phrase="4D input",
    )
    see.raises(
        "3d of an image", lambda: torch.grid_sampler_3d(x, grid, 0, 0, False), phrase="5D input"
    )
    see.raises(
        "cubic", lambda: torch.grid_sampler(volume, places, 2, 0, False), phrase="only supports 4D"
    )


_REFUSED = {
    "coordinates": ((1, 1, 2, 2), (1, 2, 2, 3), {}, "last dimension"),
    "batches": ((1, 1, 2, 2), (2, 2, 2, 2), {}, "same batch size"),
    "ranks": ((1, 1, 2, 2), (1, 2, 2, 2, 2), {}, "same number of dimensions"),
    "one dimension": ((1, 2, 2), (1, 2, 1), {}, "same number of dimensions"),
    "no pixels": ((1, 1, 0, 2), (1, 2, 2, 2), {}, "non-empty spatial dimensions"),
    "mode": ((1, 1, 2, 2), (1, 2, 2, 2), {"mode": "x"}, "expected mode to be"),
    "padding": ((1, 1, 2, 2), (1, 2, 2, 2), {"padding_mode": "x"}, "expected padding_mode to be"),
}


@program(rules="X-32 X-33", each=_REFUSED)
def what_cannot_be_sampled(torch, see, name):
    shape, places, options, phrase = _REFUSED[name]
    call = partial(torch.nn.functional.grid_sample, align_corners=False, **options)
    see.raises("refused", lambda: call(torch.ones(shape), torch.ones(places)), phrase=phrase)


@program(rules="X-32 X-33 X-30")
def types_and_nothing_to_sample(torch, see):
    call = partial(torch.nn.functional.grid_sample, align_corners=False)
    x, grid = torch.ones(1, 1, 2, 2), torch.ones(1, 2, 2, 2) * 0.25
    see.raises("integers", lambda: call(x.long(), grid.long()))
    see.raises("complex", lambda: call(x * 1j, grid * 1j))
    see.raises("two types", lambda: call(x.double(), grid), phrase="expected scalar type")
    for dtype in (torch.float16, torch.bfloat16):
        see(f"{dtype}"[-8:], call(x.to(dtype), grid.to(dtype)))
    for what, (image, places) in {
        "no images": ((0, 1, 2, 2), (0, 2, 2, 2)),
        "no channels": ((1, 0, 2, 2), (1, 2, 2, 2)),
        "no places": ((1, 1, 2, 2), (1, 0, 2, 2)),
    }.items():
        leaves = torch.ones(image).requires_grad_(), torch.ones(places).requires_grad_()
        made = call(*leaves)
        see(what, made)
        see(f"{what}: gradient", torch.autograd.grad(made.sum(), leaves))


@program(rules="X-32", each=["zeros", "border", "reflection"])
def places_that_are_no_numbers(torch, see, padding):
    x = torch.tensor(wave(1, 1, 3, 3), dtype=torch.float64)
    for mode in ("bilinear", "nearest", "bicubic"):
        for value in (float("nan"), float("inf"), -1e20):
            grid = torch.full((1, 1, 1, 2), value, dtype=torch.float64)
            see(f"{mode} {value}", torch.nn.functional.grid_sample(x, grid, mode, padding, False))


@program(rules="X-32")
def a_setting_that_was_not_given_is_warned_of(torch, see):
    F = torch.nn.functional
    x, grid = torch.ones(1, 1, 2, 2), torch.zeros(1, 2, 2, 2)
    see.warns("grid_sample", lambda: F.grid_sample(x, grid), UserWarning, phrase="1.3.0")
    theta = torch.ones(1, 2, 3)
    see.warns(
        "affine_grid", lambda: F.affine_grid(theta, (1, 1, 2, 2)), UserWarning, phrase="1.3.0"
    )
