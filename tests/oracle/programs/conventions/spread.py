"""Variances (T-81), what is replaced or interpolated (T-82), normalisation and dropout (T-86)."""

from tests.oracle.points import watch
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")


@program(rules="T-81", each=("var", "std", "var_mean", "std_mean"))
def spreads_of_few(torch, see, name):
    def both(made):
        return made[0] + 2 * made[1] if isinstance(made, tuple) else made

    for correction in (0, 1, 2):
        for values in ([2.0], [2.0, 2.0], [1.0, 3.0], [1.0, 2.0, 4.0]):
            fn = lambda x, c=correction: both(getattr(torch, name)(x, 0, correction=c))  # noqa: E731
            defined = len(values) > correction and len({*values}) > 1
            watch(torch, see, f"{correction} of {values}", fn, values, twice=defined)
    watch(torch, see, "rows", lambda x: both(getattr(torch, name)(x, dim=1)), [[1.0, 2.0], [3.0, 3.0]],
          twice=False)  # fmt: skip


@program(rules="T-81")
def spreads_as_the_rule_lists_them(torch, see):
    watch(torch, see, "one", torch.var, [2.0], slope=[[_NAN]], twice=False)
    watch(
        torch,
        see,
        "one, no correction",
        lambda x: x.var(correction=0),
        [2.0],
        slope=[[0]],
        twice=False,
    )
    watch(torch, see, "std of equals", torch.std, [2.0, 2.0, 2.0], slope=[[0, 0, 0]], twice=False)
    watch(
        torch,
        see,
        "std, no correction",
        lambda x: x.std(correction=0),
        [2.0],
        slope=[[0]],
        twice=False,
    )
    for name in ("var", "std", "var_mean", "std_mean"):
        fn = getattr(torch, name)
        see.warns(
            f"{name} of one", lambda f=fn: f(torch.tensor([1.0])), phrase="degrees of freedom"
        )
        see.silent(f"{name} of two", lambda f=fn: f(torch.tensor([1.0, 2.0])))
    nothing = torch.zeros(0)
    see("empty", (nothing.mean(), nothing.sum(), nothing.prod()), expect=(_NAN, 0, 1))
    for name in ("max", "min", "amax", "amin", "argmax", "argmin", "aminmax"):
        see.raises(name, lambda n=name: getattr(torch, n)(nothing))
        see.raises(f"{name} over a dim", lambda n=name: getattr(torch, n)(torch.zeros(0, 3), dim=0))
        see.attempt(f"{name} over the other dim", lambda n=name: list(
            _pair(getattr(torch, n)(torch.zeros(0, 3), dim=1))))  # fmt: skip
    for name in (
        "median",
        "nanmedian",
        "logsumexp",
        "norm",
        "var",
        "nansum",
        "nanmean",
        "mode",
        "quantile",
    ):
        fn = getattr(torch, name)
        more = {"logsumexp": (0,), "mode": (), "quantile": (0.5,)}.get(name, ())
        see.attempt(f"{name} of nothing", lambda f=fn, m=more: list(_pair(f(nothing, *m))))


def _pair(made):
    return made if isinstance(made, tuple) else (made,)


_GONE = {
    "nansum": (lambda torch, x: x.nansum(), [1.0, _NAN, 2.0], [1, 0, 1]),
    "nansum over a dim": (lambda torch, x: x.nansum(0), [1.0, _NAN, 2.0], [1, 0, 1]),
    "nansum of inf": (lambda torch, x: x.nansum(), [1.0, _INF], [1, 1]),
    "nanmean": (lambda torch, x: x.nanmean(), [1.0, _NAN, 2.0], [0.5, 0, 0.5]),
    "nan_to_num": (lambda torch, x: x.nan_to_num(), [1.0, _NAN, _INF, -_INF], [1, 0, 0, 0]),
    "nan_to_num with numbers": (
        lambda torch, x: x.nan_to_num(7, 8, 9),
        [1.0, _NAN, _INF],
        [1, 0, 0],
    ),
    "masked_fill": (lambda torch, x: x.masked_fill(x > 1, 5.0), [1.0, 2.0], [1, 0]),
}


@program(rules="T-82", each=_GONE)
def nothing_flows_to_what_is_replaced(torch, see, name):
    fn, at, slope = _GONE[name]
    watch(torch, see, name, lambda x: fn(torch, x), at, slope=[slope])


@program(rules="T-82")
def losses_at_their_joints(torch, see):
    F = torch.nn.functional
    at = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]

    def none(fn, **options):
        return lambda x: fn(x, torch.zeros_like(x), reduction="none", **options)

    watch(torch, see, "smooth_l1", none(F.smooth_l1_loss), at, slope=[[-1, -1, -0.5, 0, 0.5, 1, 1]])
    watch(torch, see, "smooth_l1, beta 2", none(F.smooth_l1_loss, beta=2.0), at)
    watch(torch, see, "smooth_l1, beta 0", none(F.smooth_l1_loss, beta=0.0), at)
    watch(torch, see, "huber", none(F.huber_loss), at, slope=[[-1, -1, -0.5, 0, 0.5, 1, 1]])
    watch(
        torch,
        see,
        "huber, delta 2",
        none(F.huber_loss, delta=2.0),
        at,
        slope=[[-2, -1, -0.5, 0, 0.5, 1, 2]],
    )

    def hinge(x, sign):
        return F.hinge_embedding_loss(x, torch.full_like(x, sign), reduction="none")

    watch(torch, see, "hinge, same", lambda x: hinge(x, 1.0), [0.0, 1.0], slope=[[1, 1]])
    watch(
        torch, see, "hinge, other", lambda x: hinge(x, -1.0), [0.0, 1.0, 2.0], slope=[[-1, -1, 0]]
    )


@program(rules="T-82")
def gaussian_nll_clamps_the_variance(torch, see):
    F = torch.nn.functional

    def fn(x, var, **options):
        return F.gaussian_nll_loss(x, torch.zeros_like(x), var, reduction="none", **options)

    watch(torch, see, "below eps", fn, [1e-4], [0.0], twice=False)
    watch(
        torch,
        see,
        "eps 0.5",
        lambda x, v: fn(x, v, eps=0.5),
        [1.0, 1.0, 1.0],
        [0.25, 0.5, 2.0],
        twice=False,
    )
    watch(torch, see, "full", lambda x, v: fn(x, v, full=True), [1.0], [2.0], twice=False)
    see.raises("negative", lambda: fn(torch.ones(1), -torch.ones(1)), phrase="negative")


@program(rules="T-82")
def one_element_is_found(torch, see):
    values = [4.0, 1.0, 3.0, 1.0]
    watch(torch, see, "median", lambda x: x.median(0)[0], values)
    watch(torch, see, "kthvalue", lambda x: x.kthvalue(3)[0], values, slope=[[0, 0, 1, 0]])
    watch(torch, see, "mode", lambda x: x.mode(0)[0], values)
    for q in (0.0, 0.25, 0.4, 0.5, 1.0):
        for way in ("linear", "lower", "higher", "nearest", "midpoint"):
            watch(torch, see, f"quantile {q} {way}",
                  lambda x, q=q, w=way: x.quantile(q, interpolation=w), [4.0, 1.0, 3.0, 2.0])  # fmt: skip
    watch(torch, see, "quantile of nan", lambda x: x.quantile(0.5), [1.0, _NAN, 2.0], twice=False)
    watch(torch, see, "nanquantile", lambda x: x.nanquantile(0.25), [1.0, _NAN, 2.0, 4.0])
    watch(
        torch,
        see,
        "renorm",
        lambda x: x.renorm(2, 0, 1.0),
        [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]],
        twice=False,
    )
    look = torch.tensor([0, 1, 0, 2])
    padded = lambda w: torch.nn.functional.embedding(look, w, padding_idx=0)  # noqa: E731
    watch(torch, see, "padding_idx", padded, [[1.0], [2.0], [3.0]], slope=[[[0], [1], [1]]])


_NORMS = {
    "layer_norm": lambda F, x: F.layer_norm(x, (4,)),
    "layer_norm of images": lambda F, x: F.layer_norm(x, (2, 4)),
    "group_norm": lambda F, x: F.group_norm(x, 2),
    "instance_norm": lambda F, x: F.instance_norm(x[None]),
    "batch_norm": lambda F, x: F.batch_norm(x, None, None, training=True),
    "batch_norm, no eps": lambda F, x: F.batch_norm(
        x + x.detach() * 0, None, None, training=True, eps=1e-3
    ),
    "rms_norm": lambda F, x: F.rms_norm(x, (4,)),
    "local_response_norm": lambda F, x: F.local_response_norm(x[None], 2),
}


@program(rules="T-86", each=_NORMS)
def normalisation_of_what_does_not_vary(torch, see, name):
    fn = _NORMS[name]
    for at in ([[2.0] * 4] * 2, [[0.0] * 4] * 2):
        watch(torch, see, f"{at[0][0]}", lambda x: fn(torch.nn.functional, x), at,
              types=["float64"], twice=name in ("rms_norm", "local_response_norm"))  # fmt: skip
    if "rms" not in name and "response" not in name:
        watch(torch, see, "no slope", lambda x: fn(torch.nn.functional, x), [[2.0] * 4] * 2,
              slope=[[[0] * 4] * 2], twice=False, types=["float64"])  # fmt: skip
    see.raises("one value a channel", lambda: torch.nn.functional.batch_norm(
        torch.ones(1, 2), None, None, training=True), phrase="more than 1 value per channel")  # fmt: skip


@program(
    rules="T-86",
    each=(
        "dropout",
        "dropout1d",
        "dropout2d",
        "dropout3d",
        "alpha_dropout",
        "feature_alpha_dropout",
    ),
)
def dropout_of_all_or_nothing(torch, see, name):
    drop = getattr(torch.nn.functional, name)
    shape = {"dropout1d": (1, 2, 2), "dropout2d": (1, 2, 1, 2), "dropout3d": (1, 2, 1, 1, 2)}.get(
        name, (2, 2)
    )
    x = torch.ones(*shape, dtype=torch.float64, requires_grad=True)
    for p in (0.0, 1.0):
        for training in (True, False):
            out = drop(x, p, training)
            see(f"{p} {training}", out)
            see(f"{p} {training}: gradient", torch.autograd.grad(out.sum(), x)[0])
    for p in (-0.1, 1.1):
        see.raises(f"p={p}", lambda p=p: drop(x, p), phrase="between 0 and 1")
    see.raises("module", lambda: torch.nn.Dropout(1.5), phrase="between 0 and 1")
