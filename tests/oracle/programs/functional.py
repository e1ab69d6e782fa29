"""softmax, losses, linear layers, normalisation: nn.functional without convolutions."""

from tests.oracle.data import wave
from tests.oracle.registry import program

_INF, _NAN = float("inf"), float("nan")
_REDUCTIONS = ("none", "mean", "sum")


@program(rules="T-41 T-78", each=("softmax", "log_softmax", "softmin"))
def softmaxes(torch, see, name):
    fn = getattr(torch.nn.functional, name)
    see.derivatives("rows", lambda x: fn(x, dim=1), wave(2, 3))
    see.derivatives("columns", lambda x: fn(x, dim=0), wave(2, 3))
    see.derivatives("far out", lambda x: fn(x, dim=0), [1000.0, 0.0, -1000.0], twice=False)
    see.derivatives("float32", lambda x: fn(x, dim=-1), wave(2, 3), dtype="float32")


@program(rules="T-78")
def softmax_of_infinities(torch, see):
    def both(values):
        x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        y = x.softmax(0)
        return y.tolist(), torch.autograd.grad(y[0], x)[0].tolist()

    see("one -inf", both([-_INF, 0.0, 0.0]), expect=([0, 0.5, 0.5], [0, 0, 0]))
    see("all -inf", both([-_INF, -_INF])[0], expect=[_NAN, _NAN])


@program(rules="T-42", each=_REDUCTIONS)
def regression_losses(torch, see, reduction):
    F = torch.nn.functional
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        fn = getattr(F, name)
        see.derivatives(
            name,
            lambda a, b, f=fn: f(a, b, reduction=reduction),
            wave(2, 3, low=-3, high=3),
            wave(2, 3, seed=1),
        )


@program(rules="T-42", each=_REDUCTIONS)
def class_losses(torch, see, reduction):
    F = torch.nn.functional
    target = torch.tensor([2, 0, 1])
    weight = torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64)
    ignored = torch.tensor([2, -100, 1])
    for name in ("cross_entropy", "nll_loss"):
        loss = getattr(F, name)
        x = wave(3, 3, low=-2, high=2)
        see.derivatives(name, lambda a, f=loss: f(a, target, reduction=reduction), x)
        see.derivatives(
            f"{name} weighted",
            lambda a, f=loss: f(a, target, weight=weight, reduction=reduction),
            x,
        )
        see.derivatives(f"{name} ignoring", lambda a, f=loss: f(a, ignored, reduction=reduction), x)


@program(rules="T-42 T-80")
def cross_entropy_variants(torch, see):
    F = torch.nn.functional
    x = wave(2, 3, low=-2, high=2)
    target = torch.tensor([2, 0])
    see.derivatives("smoothing", lambda a: F.cross_entropy(a, target, label_smoothing=0.1), x)
    soft = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], dtype=torch.float64)
    see.derivatives("probabilities", lambda a: F.cross_entropy(a, soft), x)
    see.derivatives("one sample", lambda a: F.cross_entropy(a[0], target[0]), x)
    see.derivatives(
        "images", lambda a: F.cross_entropy(a, torch.tensor([[0, 1], [2, 2]])), wave(2, 3, 2)
    )


@program(rules="T-80")
def cross_entropy_with_nothing_left(torch, see):
    x = torch.tensor(wave(2, 3), dtype=torch.float64, requires_grad=True)
    loss = torch.nn.functional.cross_entropy(x, torch.tensor([-100, -100]))
    see("value", loss, expect=_NAN)
    see("gradient", torch.autograd.grad(loss, x)[0], expect=[[0.0] * 3] * 2)
    see.raises(
        "class out of range",
        lambda: torch.nn.functional.cross_entropy(x, torch.tensor([0, 3])),
        phrase="3",
    )


@program(rules="T-42 T-79", each=_REDUCTIONS)
def binary_cross_entropies(torch, see, reduction):
    F = torch.nn.functional
    target = torch.tensor([0.0, 1.0, 0.3], dtype=torch.float64)
    p, z = wave(3, low=0.1, high=0.9), wave(3, low=-3, high=3)
    see.derivatives(
        "of probabilities", lambda a: F.binary_cross_entropy(a, target, reduction=reduction), p
    )
    see.derivatives(
        "of logits", lambda a: F.binary_cross_entropy_with_logits(a, target, reduction=reduction), z
    )


@program(rules="T-79")
def binary_cross_entropy_at_certainty(torch, see):
    x = torch.tensor([0.0, 1.0], dtype=torch.float64, requires_grad=True)
    target = torch.tensor([1.0, 1.0], dtype=torch.float64)
    loss = torch.nn.functional.binary_cross_entropy(x, target, reduction="none")
    see("value", loss, expect=[100, 0])
    see("gradient", torch.autograd.grad(loss.sum(), x)[0], expect=[-1e12, 0])


@program(
    rules="T-42", each=("kl_div", "l1_loss", "mse_loss", "poisson_nll_loss", "soft_margin_loss")
)
def losses_of_input_and_target(torch, see, name):
    target = torch.tensor(wave(2, 3, low=0.1, high=0.9, seed=1), dtype=torch.float64)
    see.derivatives(
        name, lambda a: getattr(torch.nn.functional, name)(a, target, reduction="sum"), wave(2, 3)
    )


@program(rules="T-41")
def linear_of_any_rank(torch, see):
    F = torch.nn.functional
    w, b = wave(4, 3, seed=1), wave(4, seed=2)
    see.derivatives("batch", F.linear, wave(2, 3), w, b)
    see.derivatives("one vector", F.linear, wave(3), w, b)
    see.derivatives("three dims", F.linear, wave(2, 2, 3), w, b)
    see.derivatives("without bias", F.linear, wave(2, 3), w)


@program(rules="T-41")
def normalisations(torch, see):
    F = torch.nn.functional
    see.derivatives(
        "layer_norm", lambda x, w, b: F.layer_norm(x, (3,), w, b), wave(2, 3), wave(3), wave(3)
    )
    see.derivatives("bare layer_norm", lambda x: F.layer_norm(x, (2, 3)), wave(2, 2, 3))
    see.derivatives(
        "batch_norm",
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True),
        wave(4, 2),
        wave(2),
        wave(2),
    )
    see.derivatives("normalize", lambda x: F.normalize(x, dim=1), wave(2, 3))
    see.derivatives("cosine", F.cosine_similarity, wave(2, 3), wave(2, 3, seed=1))


@program(rules="T-86")
def dropout_at_its_ends(torch, see):
    F = torch.nn.functional
    x = torch.tensor(wave(3), requires_grad=True)
    see("off in evaluation", F.dropout(x, 0.5, training=False))
    see("p = 0", F.dropout(x, 0.0).detach())
    see("p = 1", F.dropout(x, 1.0).detach(), expect=[0, 0, 0])
    see.raises("p = 2", lambda: F.dropout(x, 2.0), phrase="between 0 and 1")
