"""Calls that once kept more than PyTorch does, refused what it allows, or were spoilt by a write in silence."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.saved import Saved
from tests.fuzz.values import Code, Given

MATRIX = Given((3, 3), "float64", (0.1, 2.0, 0.3, 4.0, 0.5, 0.6, 0.7, 0.8, 9.0), grad=True)
COMPLEX = replace(MATRIX, dtype="complex128", values=tuple(map(complex, MATRIX.values)))
PIVOTS = Given((3,), "int32", (2, 3, 3))
THETA = Given((1, 2, 3), "float64", (1.0, 0.2, 0.3, 0.4, 1.5, 0.6), grad=True)
TALL = Given((32, 2), "float64", tuple(0.1 * k for k in range(64)), grad=True)
SURE = Given((5,), "float64", (-0.1, -0.2, -0.3, -0.4, -0.5), grad=True)
HALVES = Given((4, 8), "float16", tuple(0.5 * k - 3 for k in range(32)), grad=True)
SHARES = Given((4, 8), "float64", tuple(k / 32 for k in range(32)))
WEIGHTS = Given((8,), "float32", tuple(0.5 + k for k in range(8)))
SMALL = Given((2, 2), "float64", (0.5, 1.0, 2.0, 0.3), grad=True)
MANY = Given((5, 2, 2), "float64", (0.5, 1.0, 2.0, 0.3), grad=True)
FEW = Given((2, 1), "float64", (0.5, 1.0), grad=True)
PLANES = Given((1, 2, 2), "float64", (0.5, 1.0, 2.0, 0.3), grad=True)
SIGNAL = Given((16,), "complex64", tuple(complex(k, 1) for k in range(16)), grad=True)
LOGITS = "nn.functional.binary_cross_entropy_with_logits"

FOUND = (
    # the permutation was read without a check
    Saved("L.lu", "function", "linalg.lu", (MATRIX,)),
    # the base of all grids was saved, and so freed
    Saved("F.affine_grid", "function", "nn.functional.affine_grid", (THETA, Code("[1, 1, 2, 2]"))),
    # indices that are a part of the whole order kept all of it
    Saved("topk", "function", "topk", (TALL, 1, 0)),
    Saved("kthvalue", "function", "kthvalue", (TALL, 1, 0)),
    # one 0 was saved for each element
    *(
        Saved(f"F.{name}", "function", f"nn.functional.{name}", (given, 1.0))
        for name, given in (
            ("dropout", TALL),
            ("dropout3d", replace(TALL, shape=(2, 2, 2, 4, 2))),
            ("alpha_dropout", TALL),
        )
    ),
    # what was saved was in the result's type
    *(
        Saved(name, "function", path, (HALVES,), (("dtype", Code("torch.float64")),))
        for name, path in (
            ("nansum", "nansum"),
            ("L.vector_norm", "linalg.vector_norm"),
            ("L.matrix_norm", "linalg.matrix_norm"),
            ("L.norm", "linalg.norm"),
            ("norm", "norm"),
        )
    ),
    *(
        Saved("F.binary_cross_entropy_with_logits", "function", LOGITS, (HALVES, *others), words)
        for others in ((SHARES,), (replace(SHARES, grad=True),))
        for words in ((), (("pos_weight", WEIGHTS),), (("weight", WEIGHTS),))
    ),
    # products of several at once kept them all
    Saved("L.multi_dot", "function", "linalg.multi_dot", ([TALL, SMALL, SMALL],)),
    Saved(
        "L.multi_dot", "function", "linalg.multi_dot", ([replace(SMALL, grad=False), SMALL, SMALL],)
    ),
    # a copy of the matrix was kept, which was as large as all that it stands for
    Saved(
        "triangular_solve", "function", "triangular_solve", (FEW, replace(MANY, memory="expanded"))
    ),
    Saved("triangular_solve", "function", "triangular_solve", (replace(FEW, grad=False), MANY)),
    # a write to everything was recorded as one to a view
    Saved(
        "operator x[i] = v",
        "statement",
        "{}[{}] = {}",
        (FEW, slice(None, None, 1), replace(FEW, grad=False)),
    ),
    # of a window that is none, and of a correction that is 0
    Saved("stft", "function", "stft", (SIGNAL, 8), (("center", False),)),
    Saved(
        "cov",
        "function",
        "cov",
        (MATRIX,),
        (("correction", 0), ("aweights", replace(SURE, shape=(3,), values=(1.0, 2.0, 0.5)))),
    ),
    # indices were kept as an array: a write to those that were given spoilt the gradient in silence, and of
    # those that were returned there was a copy
    *(
        Saved(f"F.max_unpool{n}d", "function", f"nn.functional.max_unpool{n}d", (given, index, 2))
        for n, given, index in (
            (1, FEW, replace(FEW, dtype="int64", values=(1, 0), grad=False)),
            (2, PLANES, replace(PLANES, dtype="int64", values=(0, 3, 9, 12), grad=False)),
        )
    ),
    *(
        Saved(
            name, "function", f"nn.functional.{name[2:]}", (PLANES, 1), (("return_indices", True),)
        )
        for name in ("F.adaptive_max_pool1d", "F.adaptive_max_pool2d")
    ),
    # both operands and two copies were saved
    Saved("F.kl_div", "function", "nn.functional.kl_div", (SURE, SURE), (("log_target", True),)),
    # what was kept was in another type than what was given
    *(
        Saved("cumprod", "function", "cumprod", (given, 0), (("dtype", Code(f"torch.{name}")),))
        for given, name in ((replace(SMALL, dtype="complex64"), "complex128"), (HALVES, "float64"))
    ),
    # a label that the others have with size 1 was summed after the product
    Saved(
        "einsum",
        "function",
        "einsum",
        (
            ",jlk,lj->k",
            replace(SMALL, shape=(), values=(2.0,)),
            replace(SMALL, shape=(1, 1, 2), values=(0.5, 1.0)),
            Given((2, 1), "float64", (0.5, 1.0)),
        ),
    ),
    # written into a view of a copy, whose backward frees what it has used
    Saved(
        "as_strided_scatter",
        "function",
        "as_strided_scatter",
        (SURE, replace(SURE, shape=(2,), values=(1.0, 2.0)), (2,), (2,)),
    ),
    # a number brought to halves, which loses nothing there, was saved as an operand
    Saved(
        "trapz", "function", "trapz", (replace(HALVES, shape=(4,), values=(1.0, 2.0, 3.0, 4.0)),)
    ),
    # the differences of all pairs of rows, and what the steps of a sum saved
    Saved("cdist", "function", "cdist", (TALL, TALL)),
    Saved("F.pdist", "function", "nn.functional.pdist", (TALL,)),
    Saved("F.bilinear", "function", "nn.functional.bilinear", (SMALL, SMALL, MANY)),
    Saved("mvlgamma", "function", "mvlgamma", (replace(WEIGHTS, values=(2.5,), grad=True), 3)),
    # what each triangle, each reflection and the pseudo-inverse gave on the way
    Saved("L.lu_solve", "function", "linalg.lu_solve", (MATRIX, PIVOTS, MATRIX)),
    Saved("lu_solve", "function", "lu_solve", (MATRIX, replace(MATRIX, grad=False), PIVOTS)),
    Saved("cholesky_solve", "function", "cholesky_solve", (COMPLEX, COMPLEX)),
    Saved("cholesky_inverse", "function", "cholesky_inverse", (MATRIX,)),
    Saved("L.lstsq", "function", "linalg.lstsq", (TALL, TALL), (("driver", "gels"),)),
    *(
        Saved(name, "function", path, (TALL, replace(FEW, shape=(2,)), *others))
        for name, path, others in (
            ("L.householder_product", "linalg.householder_product", ()),
            ("orgqr", "orgqr", ()),
            ("ormqr", "ormqr", (TALL,)),
        )
    ),
    # the bag of each index was kept as a long, whatever the indices are
    Saved(
        "F.embedding_bag",
        "function",
        "nn.functional.embedding_bag",
        (Given((3, 3), "int32", (1,)), Given((3, 1), "float64", (-0.4, 1.4, -1.7), grad=True)),
    ),
    Saved(
        "F.embedding_bag",
        "function",
        "nn.functional.embedding_bag",
        (
            Given((2,), "int32", (0,)),
            Given((1, 4), "float64", (-2.5, -1.5, 0.0, 0.5), grad=True),
            Given((4,), "int32", (0, 0, 1, 2)),
        ),
        (("mode", "max"),),
    ),
    # norms and factors, places, masks of all pairs of classes, weighted scores, converted factors
    Saved("renorm", "function", "renorm", (TALL, 2.0, 0, 1.0)),
    Saved("combinations", "function", "combinations", (SURE,)),
    Saved(
        "F.multilabel_margin_loss",
        "function",
        "nn.functional.multilabel_margin_loss",
        (SURE, Given((5,), "int64", (3, 1, -1, 0, 0))),
    ),
    Saved(
        "F.multi_margin_loss",
        "function",
        "nn.functional.multi_margin_loss",
        (TALL, Given((32,), "int64", (0, 1)), 2),
    ),
    Saved(
        "F.cross_entropy",
        "function",
        "nn.functional.cross_entropy",
        (replace(SURE, shape=(1, 5)), replace(SHARES, shape=(1, 5), values=(0.2,), grad=True)),
        (("weight", replace(SHARES, shape=(5,), values=(0.5,))),),
    ),
    Saved("repeat_interleave", "function", "repeat_interleave", (SURE, Given((5,), "int32", (2,)))),
    Saved(
        "gradient",
        "function",
        "gradient",
        (SURE,),
        (("spacing", [Given((5,), "float64", (0.0, 1.0, 3.0, 4.0, 6.0))]), ("edge_order", 2)),
    ),
    Saved("prod", "function", "prod", (HALVES,), (("dtype", Code("torch.float64")),)),
    # each step of the recursion was a node
    Saved(
        "F.ctc_loss",
        "function",
        "nn.functional.ctc_loss",
        (
            Given((3, 1, 2), "float64", (-2.8, -1.1, -0.2, -1.1, -0.8, -1.8), grad=True),
            Given((1, 2), "int64", (1,)),
            (3,),
            (1,),
        ),
    ),
    # a number that halves do not hold was saved as an operand, and so freed
    Saved("trapezoid", "function", "trapezoid", (HALVES,), (("dx", -2.4),)),
    # an index that repeats elements was flattened to a copy
    Saved(
        "put",
        "function",
        "put",
        (TALL, Given((4, 8), "int64", tuple(range(8)), memory="expanded"), SHARES),
    ),
)
