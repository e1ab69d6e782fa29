"""Products of vectors, matrices and stacks of them."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first, shaped
from tests.fuzz.values import Code, Given


def sized(*letters: str, types: str = "") -> Any:
    """A tensor whose sizes are letters: the same letter is the same size in one call."""

    def shape(d: Draw, so_far: SoFar) -> tuple[int, ...]:
        sizes = so_far.setdefault("#sizes", {})
        found = []
        for letter in letters:
            if letter not in sizes:
                sizes[letter] = d.size()
            found.append(
                1
                if letter.isupper() and d.chance(0.3)
                else sizes[letter.lower()]
                if letter.lower() in sizes
                else sizes[letter]
            )
        return tuple(found)

    starting = shaped(shape, "any")
    following = shaped(shape, types)

    def kind(d: Draw, so_far: SoFar) -> Given:
        known = any(isinstance(v, Given) for v in so_far.values())
        return following(d, so_far) if known or types else starting(d, so_far)

    return kind


def letters(text: str, types: str = "") -> Any:
    return sized(*text, types=types)


def _times(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """What can be multiplied with the first from the right."""
    x = first(so_far).shape
    inner = x[-1] if x else 1
    if d.chance(0.25):
        return (inner,)
    batch = d.broadcastable(x[:-2]) if len(x) > 2 else d.pick(((), (), (2,)))
    return (*batch, inner, d.size())


def bias_of(d: Draw, so_far: SoFar) -> Given:
    """A result to add to: of its shape, or one that broadcasts to it."""
    sizes = so_far["#sizes"] = {k: d.size() for k in "bnmk"}
    whole = {"addmm": "nm", "baddbmm": "bnm"}
    shape = tuple(sizes[k] for k in d.pick(list(whole.values())))
    return d.tensor(shape, d.dtype("inexact"))


times = shaped(_times)


def summation(d: Draw) -> tuple[list[Any], dict[str, Any]]:
    """An einsum equation, with operands of sizes that fit."""
    pool = "ijkl"[: d.whole(1, 4)]
    sizes = {letter: d.size() for letter in pool}
    dots = d.pick(((), (), (2,), (1, 3)))
    terms, operands = [], []
    dtype = d.dtype("inexact")
    for _ in range(d.whole(1, 3)):
        chosen = [d.pick(pool) for _ in range(d.whole(0, 3))]
        with_dots = bool(dots) and d.chance(0.7)
        shape = tuple(1 if d.chance(0.1) else sizes[c] for c in chosen)
        terms.append(("..." if with_dots else "") + "".join(chosen))
        operands.append(d.tensor((*dots, *shape) if with_dots else shape, dtype))
    used = sorted(set("".join(terms).replace(".", "")))
    text = ",".join(terms)
    if d.chance(0.6):
        out = d.random.sample(used, d.whole(0, len(used)))
        text += "->" + ("..." if "..." in text else "") + "".join(out)
    if d.odd and d.chance(0.4):
        text = d.pick((text + "m", text + ",", text + "->i", text.upper()))
    return [text, *operands], {}


def contraction(d: Draw) -> tuple[list[Any], dict[str, Any]]:
    many = d.whole(0, 2)
    common = tuple(d.size() for _ in range(many))
    dtype = d.dtype("inexact")
    left = d.tensor((*d.shape((0, 2), most=6), *common), dtype)
    if d.chance(0.4):
        return [left, d.tensor((*common, *d.shape((0, 2), most=6)), dtype)], {"dims": many}
    order = d.random.sample(range(many), many)
    rest = d.shape((0, 2), most=6)
    right = d.tensor((*(common[k] for k in order), *rest), dtype)
    dims = (
        [left.rank - many + k for k in order],
        list(range(many)),
    )
    return [left, right], {"dims": dims}


MAKERS = {"einsum": summation, "tensordot": contraction}

TABLE = """
matmul L.matmul : input=t(rank=(1,4)) other=times
mm : input=letters('nk') mat2=letters('km')
bmm : input=letters('bnk') mat2=letters('bkm')
mv : input=letters('nk') vec=letters('k')
dot vdot : input=letters('n') other=letters('n')
inner : input=letters('nk') other=letters('mk')
inner : input=letters('k') other=letters('bmk')
inner : input=t() other=shaped(())
outer ger : input=letters('n') vec2=letters('m')
addmm : input=letters('nm') mat1=letters('nk') mat2=letters('km') *beta=number()? *alpha=number()?
addmm : input=letters('m') mat1=letters('nk') mat2=letters('km') *beta=number()? *alpha=number()?
addmv : input=letters('n') mat=letters('nk') vec=letters('k') *beta=number()? *alpha=number()?
addr : input=letters('nm') vec1=letters('n') vec2=letters('m') *beta=number()? *alpha=number()?
baddbmm : input=letters('bnm') batch1=letters('bnk') batch2=letters('bkm') *beta=number()? *alpha=number()?
addbmm : input=letters('nm') batch1=letters('bnk') batch2=letters('bkm') *beta=number()? *alpha=number()?
chain_matmul : _0=letters('nk') _1=letters('km') _2=letters('mn')?
L.multi_dot : tensors=chain
kron : input=t(rank=(0,3)) other=shaped(small)
cross : input=threes other=same() dim=pick(-1,None)?
L.cross : input=threes other=same() *dim=pick(-1)?
L.vecdot : x=t('inexact',rank=(1,4)) y=same() *dim=dim()?
cdist : x1=letters('bnk','double') x2=letters('bmk') p=pick(0.0,1.0,2.0,3.0,0.5,float('inf'))?
    compute_mode=pick('use_mm_for_euclid_dist','donot_use_mm_for_euclid_dist')??
# of no rows, PyTorch's backward ends the process
F.pdist pdist : input=t('double',rank=2,least=1) p=pick(0.0,1.0,2.0,3.0,0.5,float('inf'))?
F.linear : input=letters('bnk') weight=letters('mk') bias=letters('m')?
F.linear : input=letters('k') weight=letters('mk') bias=letters('m')?
F.linear : input=letters('nk') weight=letters('k')
F.bilinear bilinear : input1=letters('ni') input2=letters('nj') weight=letters('oij') bias=letters('o')?
F.cosine_similarity cosine_similarity : x1=t('float',rank=(1,4)) x2=meets('float') dim=dim()?
    eps=pick(1e-8,0.1)?
F.pairwise_distance pairwise_distance : x1=letters('nk','float') x2=letters('nk')
    p=pick(1.0,2.0,3.0,float('inf'))?
    eps=pick(1e-6,0.1)? keepdim=flag?
vander : x=t(rank=1) N=pick(None,0,1,3)? increasing=flag?
L.vander : x=t(rank=(1,3)) *N=pick(None,1,3)?
F.scaled_dot_product_attention : query=letters('bnk','float') key=letters('bmk') value=letters('bmv')
    attn_mask=masked?
    dropout_p=pick(0.0)? is_causal=pick(False)? *scale=pick(0.5,None)?
F.scaled_dot_product_attention : query=letters('bhnk','float') key=letters('bhmk') value=letters('bhmv')
    *is_causal=pick(True)
"""


def masked(d: Draw, so_far: SoFar) -> Given:
    rows, columns = so_far["query"].shape[-2], so_far["key"].shape[-2]
    if d.chance(0.5):
        return Given((rows, columns), "bool", (True, True, False, True, False))
    return d.tensor((rows, columns), so_far["query"].dtype)


def threes(d: Draw, so_far: SoFar) -> Given:
    return d.tensor((*d.shape((0, 2), most=8), 3), d.dtype())


def small(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return tuple(d.pick((1, 2, 0, 2)) for _ in range(d.whole(0, 2)))


def chain(d: Draw, so_far: SoFar) -> list[Given]:
    sizes = [d.size() for _ in range(d.whole(3, 5))]
    dtype = d.dtype("wide")
    found = [d.tensor(pair, dtype) for pair in pairwise(sizes)]
    if d.chance(0.3):
        found[0] = d.tensor((sizes[1],), dtype)
    if d.chance(0.3):
        found[-1] = d.tensor((sizes[-2],), dtype)
    return found


__all__ = ["MAKERS", "TABLE", "Code"]
