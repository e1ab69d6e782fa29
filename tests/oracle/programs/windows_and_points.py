"""Names of statistics: windows, Sobol's points, factors of low rank, boxes of points."""

from tests.oracle.data import wave
from tests.oracle.registry import program

WINDOWS = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
           "general_hamming", "hamming", "hann", "kaiser", "nuttall"]  # fmt: skip


@program(rules="T-40", each=WINDOWS)
def a_window_is_symmetric_or_one_period(torch, see, name):
    make = getattr(torch.signal.windows, name)
    more = {"a": [0.4, 0.5, 0.1]} if name == "general_cosine" else {}
    for points in (0, 1, 2, 5, 8):
        for sym in (True, False):
            see(f"{points} {sym}", make(points, sym=sym, dtype=torch.float64, **more))
    see("default type", make(4, **more))
    see("gradient", make(4, requires_grad=True, **more).requires_grad)
    see.raises("negative", lambda: make(-1, **more), phrase="requires non-negative window length")
    see.raises(
        "whole numbers", lambda: make(3, dtype=torch.int64, **more), phrase="expects float32 or"
    )
    see.raises(
        "sparse",
        lambda: make(3, layout=torch.sparse_coo, **more),
        phrase="is implemented for strided tensors only",
    )
    see.raises("a fraction", lambda: make(2.5, **more))
    see.raises("by position", lambda: make(3, True, **more))


@program(rules="T-40")
def parameters_of_windows(torch, see):
    windows = torch.signal.windows
    see("centre", windows.exponential(5, sym=False, center=2.0, tau=0.5))
    see("narrow", windows.gaussian(5, std=0.3))
    see("wide", windows.kaiser(5, beta=0.0))
    see("alpha", windows.general_hamming(5, alpha=0.3))
    see.raises(
        "symmetric", lambda: windows.exponential(5, center=2.0), phrase="Center must be None"
    )
    see.raises("tau", lambda: windows.exponential(5, tau=0.0), phrase="Tau must be positive")
    see.raises(
        "no width", lambda: windows.gaussian(5, std=-1.0), phrase="must be positive, got: -1.0"
    )
    see.raises("beta", lambda: windows.kaiser(5, beta=-1.0), phrase="beta must be non-negative")
    see.raises("none", lambda: windows.general_cosine(5, a=[]), phrase="cannot be empty")
    see.raises("number", lambda: windows.general_cosine(5, a=0.5), phrase="must be a list/tuple")
    see.raises("no a", lambda: windows.general_cosine(5))


@program(rules="T-30")
def points_of_sobol(torch, see):
    engine = torch.quasirandom.SobolEngine(3)
    see("text", (str(engine), str(torch.quasirandom.SobolEngine(2, True, 3))))
    see("first", engine.draw(5))
    see("none", engine.draw(0))
    see("doubles", engine.draw(2, dtype=torch.float64))
    see("drawn", engine.num_generated)
    see("skipped", engine.fast_forward(9).draw(2))
    see("again", engine.reset().draw())
    see("powers", torch.quasirandom.SobolEngine(2).draw_base2(3))
    out = torch.empty(0)
    torch.quasirandom.SobolEngine(40).draw(3, out=out)
    see("written", out)
    see.raises("balance", lambda: engine.draw_base2(2), phrase="n=1+2**2=5")
    for dimension in (0, 21202):
        see.raises(
            str(dimension),
            lambda dimension=dimension: torch.quasirandom.SobolEngine(dimension),
            phrase="Supported range of dimensionality for SobolEngine is [1, 21201]",
        )
    see.raises("fewer than none", lambda: engine.draw(-1))
    see.raises("whole numbers", lambda: engine.draw(2, dtype=torch.int64), phrase="not implemented")


@program(rules="T-30")
def scrambled_points_fill_each_interval_alike(torch, see):
    engine = torch.quasirandom.SobolEngine(4, scramble=True, seed=5)
    points = engine.draw(256)
    for bits in (1, 3, 8):
        parts = (points * 2**bits).long()
        counts = [torch.bincount(parts[:, dim], minlength=2**bits) for dim in range(4)]
        see(f"{bits} bits", torch.stack(counts).unique())
    see("again", bool((engine.reset().draw(256) == points).all()))
    other = torch.quasirandom.SobolEngine(4, scramble=True, seed=5)
    see("skipped", bool((other.fast_forward(7).draw(9) == points[7:16]).all()))
    another = torch.quasirandom.SobolEngine(4, scramble=True, seed=6)
    see("another seed", bool((another.draw(256) == points).any()))
    see("not from 0", bool((points[0] == 0).all()))


@program(rules="T-39")
def factors_of_low_rank(torch, see):
    left = torch.tensor(wave(6, 2), dtype=torch.float64)
    A = left @ torch.tensor(wave(2, 5, seed=1), dtype=torch.float64)
    for name, matrix in (("tall", A), ("wide", A.mT), ("stack", torch.stack([A, 2 * A]))):
        U, S, V = torch.svd_lowrank(matrix, q=2)
        see(f"{name} shapes", (U.shape, S.shape, V.shape))
        see(f"{name} values", S)
        see(f"{name} product", (U * S.unsqueeze(-2)) @ V.mT)
        U, S, V = torch.pca_lowrank(matrix, q=2)
        see(f"{name} centred", S)
        see(f"{name} centred product", (U * S.unsqueeze(-2)) @ V.mT)
    full = torch.tensor(wave(6, 4), dtype=torch.float64)
    see("all", torch.svd_lowrank(full)[1])
    see("less", torch.svd_lowrank(full, M=full / 2)[1])
    see("not centred", torch.pca_lowrank(full, center=False)[1])
    see("none", [x.shape for x in torch.svd_lowrank(full, q=0)])
    x = A.clone().requires_grad_()
    torch.svd_lowrank(x, q=2)[1].sum().backward()
    see("gradient", x.grad)
    for q in (5, -1):
        see.raises(f"q={q}", lambda q=q: torch.pca_lowrank(full, q=q), phrase="not greater than")
    see.raises("niter", lambda: torch.pca_lowrank(full, niter=-1), phrase="must be non-negative")
    see.raises("vector", lambda: torch.svd_lowrank(full[0], q=1))
    see.raises("fraction", lambda: torch.svd_lowrank(full, q=2.0))


@program(rules="T-38")
def boxes_of_points(torch, see):
    x = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.5, 1.7]])
    weight = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
    edges = (torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 0.3, 2.0]))
    calls = {
        "one number": lambda: torch.histogramdd(x, 3),
        "numbers": lambda: torch.histogramdd(x, [2, 3], weight=weight),
        "densities": lambda: torch.histogramdd(x, [2, 3], density=True),
        "edges": lambda: torch.histogramdd(x, edges, weight=weight, density=True),
        "limits": lambda: torch.histogramdd(x, [2, 2], range=[0.0, 1.0, 0.0, 1.0]),
        "no width": lambda: torch.histogramdd(x, [2, 2], range=[0.0, 0.0, 0.0, 1.0]),
        "stack": lambda: torch.histogramdd(x[:4].reshape(2, 2, 2).double(), [2, 2]),
        "no points": lambda: torch.histogramdd(x[:0], [2, 2]),
    }
    for name, call in calls.items():
        found = call()
        see(name, found.hist)
        see(f"{name}: edges", list(found.bin_edges))
    bad = {
        "too few numbers": ((x, [3]), {}, "The size of bins must be equal"),
        "no bins": ((x, [3, 0]), {}, "bins must be > 0, but got 0 for dimension 1"),
        "a row": ((x[0], 3), {}, "at least 2 dimensions"),
        "short range": ((x, 2), {"range": [0.0, 1.0]}, "range should have 4 elements, but got 2"),
        "turned": ((x, 2), {"range": [1.0, 0.0, 0.0, 1.0]}, "got min 1 max 0 for dimension 0"),
        "nan": ((x * float("nan"), 2), {}, "dimension 0's range [nan, nan] is not finite"),
        "weights": ((x, 2), {"weight": weight[:3]}, "and weight with shape [3]"),
        "double weights": ((x, 2), {"weight": weight.double()}, "should have the same dtype"),
        "integers": ((x.long(), 2), {}, '"histogramdd" not implemented for'),
        "one edge": ((x, edges[:1]), {}, "expected 2 sequences of bin edges"),
        "a matrix": ((x, (edges[0], x)), {}, "in the bins tensor for dimension 1"),
        "double edges": ((x, (edges[0], edges[1].double())), {}, "bins for dimension 1 with dtype"),
        "a text": ((x, "a"), {}, "invalid combination of arguments"),
    }
    for name, (arguments, settings, phrase) in bad.items():
        see.raises(
            name,
            lambda arguments=arguments, settings=settings: torch.histogramdd(
                *arguments, **settings
            ),
            phrase=phrase,
        )
