"""Forms that neither overflow nor lose what is small (T-78), cross entropies (T-79, T-80)."""

from tests.oracle.points import TYPES, watch
from tests.oracle.registry import program

_NAN, _INF = float("nan"), float("inf")
_FAR = [-1000.0, -100.0, -20.0, 0.0, 20.0, 100.0, 1000.0]

_NO_OVERFLOW = {
    "sigmoid": lambda F, x: x.sigmoid(),
    "tanh": lambda F, x: x.tanh(),
    "silu": lambda F, x: F.silu(x),
    "gelu": lambda F, x: F.gelu(x),
    "gelu, tanh": lambda F, x: F.gelu(x, approximate="tanh"),
    "mish": lambda F, x: F.mish(x),
    "softplus": lambda F, x: F.softplus(x),
    "softplus of beta 2": lambda F, x: F.softplus(x, beta=2.0),
    "logsigmoid": lambda F, x: F.logsigmoid(x),
    "elu": lambda F, x: F.elu(x),
    "celu": lambda F, x: F.celu(x),
    "softsign": lambda F, x: F.softsign(x),
    "erf": lambda F, x: x.erf(),
    "erfc": lambda F, x: x.erfc(),
    "asinh": lambda F, x: x.asinh(),
    "softmax": lambda F, x: F.softmax(x, 0),
    "log_softmax": lambda F, x: F.log_softmax(x, 0),
    "softmin": lambda F, x: F.softmin(x, 0),
    "logsumexp": lambda F, x: x.logsumexp(0),
    "logcumsumexp": lambda F, x: x.logcumsumexp(0),
}


@program(rules="T-78", each=_NO_OVERFLOW)
def no_overflow(torch, see, name):
    fn = _NO_OVERFLOW[name]
    watch(torch, see, name, lambda x: fn(torch.nn.functional, x), _FAR,
          twice=name != "mish",  # PyTorch has NaN far out
          types=["float64"] if name == "logcumsumexp" else TYPES)  # PyTorch loses digits  # fmt: skip


@program(rules="T-78", each=_NO_OVERFLOW)
def at_infinity_and_nan(torch, see, name):
    fn = _NO_OVERFLOW[name]
    types = ["float64"] if name == "gelu" else TYPES  # in float32 PyTorch has NaN for inf
    for at in (-_INF, _INF, _NAN):
        watch(
            torch,
            see,
            f"{at}",
            lambda x: fn(torch.nn.functional, x),
            [at, 1.0],
            twice=False,
            types=types,
        )


@program(rules="T-78")
def softplus_is_linear_above_its_threshold(torch, see):
    F = torch.nn.functional
    watch(torch, see, "at 20", F.softplus, [20.0, 20.5, 30.0])
    watch(torch, see, "above", lambda x: F.softplus(x) - x, [20.5, 1000.0], slope=[[0, 0]])
    watch(torch, see, "its own", lambda x: F.softplus(x, beta=3, threshold=2), [0.6, 0.7, 1.0])


@program(rules="T-78")
def softmaxes_with_infinities(torch, see):
    F = torch.nn.functional
    for name in ("softmax", "log_softmax"):
        fn = getattr(F, name)
        watch(
            torch, see, f"{name}: one -inf", lambda x, f=fn: f(x, 0), [0.0, -_INF, 1.0], twice=False
        )
        watch(torch, see, f"{name}: all -inf", lambda x, f=fn: f(x, 0), [-_INF, -_INF], twice=False)
        watch(torch, see, f"{name}: inf", lambda x, f=fn: f(x, 0), [0.0, _INF], twice=False)
        watch(torch, see, f"{name}: one row", lambda x, f=fn: f(x, 1), [[-_INF, -_INF], [0.0, 1.0]],
              twice=False)  # fmt: skip
    see("a masked entry", F.softmax(torch.tensor([0.0, -_INF]), 0), expect=[1, 0])
    see("nothing but masks", F.softmax(torch.tensor([-_INF, -_INF]), 0), expect=[_NAN, _NAN])


@program(rules="T-78")
def logarithms_of_sums_with_infinities(torch, see):
    lse = lambda x: x.logsumexp(0)  # noqa: E731
    watch(torch, see, "far", lse, [1000.0, 1000.0], slope=[[0.5, 0.5]], types=["float64"])
    watch(torch, see, "one -inf", lse, [-_INF, 0.0], slope=[[0, 1]], twice=False)
    watch(torch, see, "all -inf", lse, [-_INF, -_INF], slope=[[_NAN, _NAN]], twice=False)
    watch(torch, see, "inf", lse, [_INF, 0.0], twice=False)
    watch(torch, see, "two inf", lse, [_INF, _INF], twice=False)
    watch(
        torch, see, "rows", lambda x: x.logsumexp((0, 1)), [[0.0, -_INF], [1.0, 2.0]], twice=False
    )
    see("empty", torch.logsumexp(torch.zeros(0, dtype=torch.float64), 0), expect=-_INF)
    see("empty rows", torch.logsumexp(torch.zeros(2, 0), 1), expect=[-_INF, -_INF])
    for name in ("logaddexp", "logaddexp2"):
        fn = getattr(torch, name)
        for a, b in ((-_INF, -_INF), (-_INF, 0.0), (0.0, -_INF), (_INF, _INF), (_INF, 0.0), (_INF, -_INF),
                     (1000.0, 1000.0), (1000.0, -1000.0), (_NAN, 0.0)):  # fmt: skip
            watch(torch, see, f"{name} {a} {b}", fn, a, b, twice=False)
    watch(
        torch,
        see,
        "logaddexp of nothing",
        torch.logaddexp,
        -_INF,
        -_INF,
        slope=[_NAN, _NAN],
        twice=False,
    )
    for values in (
        [-_INF, -_INF, 0.0],
        [0.0, -_INF, 1.0],
        [_INF, 0.0],
        [0.0, _INF, 1.0],
        [_NAN, 0.0],
    ):
        watch(
            torch, see, f"logcumsumexp {values}", lambda x: x.logcumsumexp(0), values, twice=False
        )


@program(rules="T-78 T-79")
def bce_of_scores_far_out(torch, see):
    F = torch.nn.functional

    def fn(x, t):
        return F.binary_cross_entropy_with_logits(x, t, reduction="none")

    for t in (0.0, 0.5, 1.0):
        target = [t] * len(_FAR)
        watch(
            torch,
            see,
            f"target {t}",
            lambda x, t=target: fn(x, torch.tensor(t, dtype=x.dtype)),
            _FAR,
        )
    watch(torch, see, "target too", fn, [-1000.0, 0.0, 1000.0], [0.0, 0.5, 0.25])

    def weighted(x):
        return F.binary_cross_entropy_with_logits(
            x, torch.ones_like(x), pos_weight=torch.tensor(3.0, dtype=x.dtype), reduction="none"
        )

    watch(torch, see, "pos_weight", weighted, _FAR)


@program(rules="T-79")
def bce_at_certainty(torch, see):
    F = torch.nn.functional

    def at(target):
        return lambda p: F.binary_cross_entropy(p, torch.full_like(p, target), reduction="none")

    for target in (0.0, 0.5, 1.0):
        watch(torch, see, f"target {target}", at(target), [0.0, 1e-30, 0.5, 1.0], twice=False)
    watch(torch, see, "wrong", at(1.0), [0.0], slope=[[-1e12]], twice=False)
    watch(
        torch,
        see,
        "wrong on the other side",
        at(0.0),
        [1.0],
        slope=[[1e12]],
        twice=False,
        types=["float64"],
    )
    watch(torch, see, "right", at(1.0), [1.0], slope=[[0]], twice=False)
    see("clamped", at(1.0)(torch.tensor([0.0])), expect=[100])

    def of_target(t):
        return F.binary_cross_entropy(
            torch.tensor([0.0, 0.25, 1.0], dtype=t.dtype), t, reduction="none"
        )

    watch(torch, see, "by the target", of_target, [0.0, 0.5, 1.0], twice=False)
    for reduction in ("mean", "sum"):
        watch(torch, see, reduction, lambda p, r=reduction: F.binary_cross_entropy(
            p, torch.tensor([1.0, 0.0], dtype=p.dtype), reduction=r), [0.0, 0.25], twice=False)  # fmt: skip
    for p in (-0.1, 1.1):
        see.raises(f"{p} is no probability", lambda p=p: F.binary_cross_entropy(
            torch.tensor([p]), torch.tensor([1.0])), phrase="between 0 and 1")  # fmt: skip


@program(rules="T-79")
def kl_div_of_target_zero(torch, see):
    F = torch.nn.functional
    plain = lambda x, t: F.kl_div(x, t, reduction="none")  # noqa: E731
    watch(torch, see, "term 0", lambda x: plain(x, torch.zeros_like(x)), [-1.0, -_INF], twice=False)
    watch(
        torch,
        see,
        "targets",
        lambda x: plain(x, torch.tensor([0.0, 0.5, 1.0], dtype=x.dtype)),
        [-1.0, -2.0, 0.0],
    )
    watch(torch, see, "by the target", plain, [-1.0, -2.0], [0.0, 0.5], twice=False)
    watch(torch, see, "log_target", lambda x, t: F.kl_div(x, t, reduction="none", log_target=True),
          [-1.0, -2.0], [-3.0, -_INF], twice=False)  # fmt: skip


_SCORES = [[1.0, 2.0, 0.5], [0.0, -1.0, 3.0], [2.0, 2.0, 2.0]]


def _ce(torch, targets, **options):
    def fn(x):
        given = {
            k: torch.tensor(v, dtype=x.dtype) if k == "weight" else v for k, v in options.items()
        }
        return torch.nn.functional.cross_entropy(x, torch.tensor(targets), **given)

    return fn


_CE = {
    "plain": ([0, 2, 1], {}),
    "ignored": ([0, -100, 1], {}),
    "its own ignored": ([0, 2, 1], {"ignore_index": 2}),
    "weights": ([0, 2, 1], {"weight": [0.5, 2.0, 0.0]}),
    "weights and ignored": ([0, -100, 2], {"weight": [0.5, 2.0, 4.0]}),
    "smoothed": ([0, 2, 1], {"label_smoothing": 0.25}),
    "smoothed, weights, ignored": ([0, -100, 2],
                                   {"weight": [0.5, 2.0, 4.0], "label_smoothing": 0.25}),
}  # fmt: skip


@program(rules="T-80", each=_CE)
def cross_entropy_ways(torch, see, name):
    targets, options = _CE[name]
    for reduction in ("mean", "sum", "none"):
        watch(torch, see, reduction, _ce(torch, targets, reduction=reduction, **options), _SCORES)


@program(rules="T-80")
def cross_entropy_with_everything_ignored(torch, see):
    F = torch.nn.functional
    nothing = [[0.0] * 3] * 3
    watch(torch, see, "mean", _ce(torch, [-100] * 3), _SCORES, slope=[nothing], twice=False)
    see("value", F.cross_entropy(torch.tensor(_SCORES), torch.tensor([-100] * 3)), expect=_NAN)
    watch(torch, see, "sum", _ce(torch, [-100] * 3, reduction="sum"), _SCORES, slope=[nothing])
    watch(
        torch,
        see,
        "weights that are all 0",
        _ce(torch, [0, 1, 2], weight=[0.0] * 3),
        _SCORES,
        twice=False,
    )
    watch(torch, see, "smoothed", _ce(torch, [-100] * 3, label_smoothing=0.5), _SCORES, twice=False)


@program(rules="T-80")
def cross_entropy_of_probabilities_and_infinities(torch, see):
    F = torch.nn.functional
    target = [[1.0, 0.0, 0.0], [0.25, 0.5, 0.25], [0.0, 0.0, 0.0]]
    for options in ({}, {"label_smoothing": 0.5}, {"reduction": "sum"}):
        watch(
            torch,
            see,
            f"{options}",
            lambda x, t, o=options: F.cross_entropy(x, t, **o),
            _SCORES,
            target,
        )
    watch(torch, see, "right and certain", _ce(torch, [0]), [[0.0, -_INF, -_INF]], twice=False)
    watch(torch, see, "wrong and certain", _ce(torch, [1]), [[0.0, -_INF, -_INF]], twice=False)
    watch(torch, see, "far apart", _ce(torch, [0, 1]), [[1000.0, -1000.0], [1000.0, -1000.0]])
    for wrong in (3, -1):
        see.raises(f"class {wrong}", lambda w=wrong: _ce(torch, [0, w, 1])(torch.tensor(_SCORES)),
                   phrase="out of bounds")  # fmt: skip
