"""Reading and writing at places: gather, scatter, index and mask operations."""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, dim, first, length, shaped, whole_tensor
from tests.fuzz.values import Given


def _as_index(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """`src` of a scatter: as large as the index, or larger."""
    shape = so_far["index"].shape if isinstance(so_far.get("index"), Given) else ()
    return tuple(n + d.whole(0, 1) for n in shape) if d.chance(0.25) else shape


def _replaced(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """The first's shape, with as many places along `dim` as the index has."""
    x, at, index = first(so_far), so_far["dim"], so_far["index"]
    shape = list(x.shape)
    if shape and isinstance(at, int) and -len(shape) <= at < len(shape):
        shape[at] = index.count
    return tuple(shape)


def _like_index(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return so_far["index"].shape


def anywhere(d: Draw, so_far: SoFar) -> Given:
    """Places in the flattened tensor."""
    return whole_tensor(d, d.shape((0, 3), most=12), first(so_far).count, "long", True)


def _enough(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    count = first(so_far).count
    return (count + d.whole(0, 2),) if d.chance(0.6) else first(so_far).shape


def places(d: Draw, so_far: SoFar) -> list[Given]:
    """Index tensors for the first dims, which broadcast."""
    x = first(so_far)
    many = d.whole(1, max(1, x.rank))
    shape = so_far["#shape"] = d.shape((0, 2), most=8)
    if not x.rank or 0 in x.shape[:many]:
        return [Given((0,), "int64", ())]
    found = [whole_tensor(d, shape, n, "index", True) for n in x.shape[:many]]
    so_far["#left"] = x.shape[many:]
    return found


def _put(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    shape = (*so_far.get("#shape", ()), *so_far.get("#left", ()))
    return d.pick(((), shape, shape[1:]))


def reaching(d: Draw, so_far: SoFar) -> Given:
    """For take_along_dim: broadcasts with the first but along `dim`."""
    so_far["dim"] = dim()(d, so_far)
    x, size, at = first(so_far), length(d, so_far), so_far["dim"]
    shape = [1 if d.chance(0.3) else n for n in x.shape]
    if shape and -x.rank <= at < x.rank:
        shape[at] = d.size() if size else 0
    return whole_tensor(d, tuple(shape), max(1, size), "index", True)


def drawn_dim(d: Draw, so_far: SoFar) -> int:
    return so_far["dim"]


def shuffled(d: Draw, so_far: SoFar) -> Given:
    """Each place along `dim` at most once: for writes whose order is not said."""
    size = length(d, so_far)
    many = d.whole(0, size)
    return Given((many,), d.dtype("index"), tuple(d.random.sample(range(size), many)))


def distinct(d: Draw, so_far: SoFar) -> Given:
    """Of the first's shape, along `dim` each place once: for scatter without reduction."""
    x, at = first(so_far), so_far["dim"]
    if not x.rank:
        return Given((), "int64", (0,))
    if not -x.rank <= at < x.rank:
        return Given(x.shape, "int64", (0,))
    size = x.shape[at]
    order = tuple(d.random.sample(range(size), size))
    # one order for all lines: the values repeat along the dim when it is the last
    shape = [1] * x.rank
    shape[at] = size
    dtype = "int64" if not d.strange(0.3) else d.dtype()
    inner = 1
    for n in x.shape[at % x.rank + 1 :]:
        inner *= n
    values = tuple(v for v in order for _ in range(inner))
    return Given(x.shape, dtype, values)


def once(d: Draw, so_far: SoFar) -> Given:
    count = first(so_far).count
    many = d.whole(0, count)
    chosen = tuple(n - count if d.chance(0.2) else n for n in d.random.sample(range(count), many))
    return Given((many,), "int64", chosen)


source = shaped(_as_index)
replaced = shaped(_replaced)
like_index = shaped(_like_index)
enough = shaped(_enough)
put = shaped(_put)

TABLE = """
gather : input=t(rank=(0,4)) dim=dim() index=gathering(types='index') *sparse_grad=pick(False)??
take_along_dim : input=t(rank=(1,4)) indices=reaching dim=drawn_dim
take_along_dim : input=t(rank=(0,4)) indices=anywhere
scatter : input=t(rank=(0,4)) dim=dim() index=distinct src=source
scatter : input=t(rank=(0,4)) dim=dim() index=gathering(types='index') value=number()
scatter : input=t(rank=(0,4)) dim=dim() index=gathering() src=source *reduce=pick('add','multiply')
scatter : input=t(rank=(0,4)) dim=dim() index=gathering() value=number() *reduce=pick('add','multiply')
scatter_add : input=t(rank=(0,4)) dim=dim() index=gathering(types='index') src=source
scatter_reduce : input=t(rank=(0,4)) dim=dim() index=gathering(types='index') src=source
    reduce=pick('sum','prod','mean','amax','amin') *include_self=flag?
index_select : input=t(rank=(0,4)) dim=dim() index=index()
index_add : input=t(rank=(0,4)) dim=dim() index=index() source=replaced *alpha=number()?
index_copy : input=t(rank=(0,4)) dim=dim() index=shuffled source=replaced
index_fill : input=t(rank=(0,4)) dim=dim() index=index(True) value=number()
index_fill : input=t(rank=(0,4)) dim=dim() index=index(True) value=shaped((),'')
index_reduce : input=t('real',rank=(0,4)) dim=dim() index=index() source=replaced
    reduce=pick('prod','mean','amax','amin') *include_self=flag?
index_put : input=t(rank=(1,4)) indices=places values=put accumulate=pick(True)
take : input=t(rank=(0,4)) index=anywhere
put : input=t(rank=(0,3)) index=once source=like_index accumulate=pick(False)?
put : input=t(rank=(0,3)) index=anywhere source=like_index accumulate=pick(True)
masked_select : input=t() mask=mask()
masked_fill : input=t() mask=mask() value=number()
masked_fill : input=t() mask=mask() value=shaped((),'')
masked_scatter : input=t() mask=mask() source=enough
F.embedding : input=t('index',low=0,high=2) weight=table padding_idx=pick(None,0,-1,2)?
F.embedding : input=t('index',low=0,high=2) weight=table *max_norm=pick(1.0) *norm_type=pick(1.0,2.0)?
F.embedding_bag : input=t('index',rank=2,low=0,high=2) weight=table *mode=pick('sum','mean','max')?
    *padding_idx=pick(0,-1,None)? *per_sample_weights=like_input??
F.embedding_bag : input=t('index',rank=1,low=0,high=2) weight=table offsets=offsets
    *mode=pick('sum','mean','max')? *padding_idx=pick(0,-1,None)?
# a last offset before the end: PyTorch writes behind its memory
F.embedding_bag : input=t('index',rank=1,low=0,high=2) weight=table offsets=closed
    *mode=pick('sum','mean','max')? *include_last_offset=pick(True) *padding_idx=pick(0,-1,None)?
"""


def table(d: Draw, so_far: SoFar) -> Given:
    return d.tensor((3 + d.chance(0.2), d.size(1)), d.dtype("double"))


def like_input(d: Draw, so_far: SoFar) -> Given:
    return d.tensor(so_far["input"].shape, so_far["weight"].dtype)


def offsets(d: Draw, so_far: SoFar) -> Given:
    count = so_far["input"].count
    found = sorted(d.whole(0, count) for _ in range(d.whole(0, 3)))
    return Given((len(found) + 1,), so_far["input"].dtype, (0, *found))


def closed(d: Draw, so_far: SoFar) -> Given:
    """Offsets, the last of which is where the input ends."""
    starts = offsets(d, so_far)
    values = (*starts.values, so_far["input"].count)
    return replace(starts, shape=(len(values),), values=values)
