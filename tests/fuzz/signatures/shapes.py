"""Views, reshaping, joining, repeating, turning."""

from __future__ import annotations

from typing import Any

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, dim, first, permutation, shaped, t, tensors
from tests.fuzz.values import Given


def joinable(d: Draw, so_far: SoFar) -> Any:
    """Tensors of equal sizes but along `dim`, which is drawn here."""
    so_far["#dim"] = d.whole(0, 3)
    return tensors(t(rank=(1, 4)), (1, 3), "along")(d, so_far)


def along(d: Draw, so_far: SoFar) -> int:
    rank = first(so_far).rank
    if d.strange(0.2) or not rank:
        return dim()(d, so_far)
    found = so_far["#dim"] % rank
    return found - rank if d.chance(0.3) else found


def along_0(d: Draw, so_far: SoFar) -> Any:
    so_far["#dim"] = 0
    return tensors(t(rank=(0, 4)), (1, 3), "along")(d, so_far)


def along_1(d: Draw, so_far: SoFar) -> Any:
    so_far["#dim"] = 1
    return tensors(t(rank=(2, 4)), (1, 3), "along")(d, so_far)


def moves(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """Some dims; `destination` takes as many."""
    rank = first(so_far).rank
    many = so_far.setdefault("#many", d.whole(0, rank))
    found = d.random.sample(range(rank), many)
    return tuple(n - rank if d.chance(0.3) else n for n in found)


def plane(d: Draw, so_far: SoFar) -> list[int]:
    rank = first(so_far).rank
    return d.random.sample(range(rank), 2) if rank > 1 else [0, 1]


def shifts(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    so_far["#many"] = d.whole(0, first(so_far).rank)
    return tuple(d.whole(-4, 4) for _ in range(so_far["#many"]))


def shifted_dims(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    rank = first(so_far).rank
    many = so_far["#many"] + d.strange(0.3)
    return tuple(d.whole(-rank, rank - 1) if rank else 0 for _ in range(many))


def split_places(d: Draw, so_far: SoFar) -> list[int]:
    return [d.whole(-2, 4) for _ in range(d.whole(0, 3))]


def divisor(d: Draw, so_far: SoFar) -> int:
    return d.pick((1, 1, 2, 3))


def windows(d: Draw, so_far: SoFar) -> tuple[Any, ...]:
    """dimension, size, step of `unfold`."""
    x = first(so_far)
    at = dim()(d, so_far)
    size = x.shape[at] if x.rank and -x.rank <= at < x.rank else 1
    return at, d.whole(0, size + d.strange(0.3)), d.whole(1, 3)


def strided_size(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    so_far["#shape"] = tuple(d.pick((1, 2, 2, 3)) for _ in range(d.whole(0, 3)))
    return so_far["#shape"]


def strided_steps(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return tuple(d.whole(0, 2) for _ in so_far["#shape"])


def _strided_shape(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    return so_far["#shape"]


def factors(d: Draw, so_far: SoFar) -> tuple[int, ...]:
    """Sizes that make up the size along `dim`."""
    x, at = first(so_far), so_far["dim"]
    size = x.shape[at] if x.rank and -x.rank <= at < x.rank else 1
    if d.chance(0.3):
        return (size, 1) if d.chance(0.5) else (-1, max(size, 1))
    small = d.pick([n for n in (1, 2, 3, 4, 5, 7) if size % n == 0])
    return (small, size // small)


def many_repeats(d: Draw, so_far: SoFar) -> Given:
    x, at = first(so_far), so_far.get("#at")
    size = x.count if at is None else (x.shape[at] if x.rank else 1)
    return d.tensor((size,) if d.chance(0.8) else (1,), d.dtype("index"), 0, 3)


def some_dim(d: Draw, so_far: SoFar) -> int:
    so_far["#at"] = d.whole(0, max(0, first(so_far).rank - 1))
    return so_far["#at"]


def as_selected(d: Draw, so_far: SoFar) -> Given:
    """What `select_scatter` puts in: the first without `dim`."""
    shape = list(first(so_far).shape)
    at = so_far["#at"] = d.whole(0, max(0, len(shape) - 1))
    if shape:
        del shape[at]
    return d.tensor(tuple(shape), first(so_far).dtype)


def sliced(d: Draw, so_far: SoFar) -> Given:
    """What `slice_scatter` puts in; start, end and step are drawn here."""
    shape = list(first(so_far).shape)
    at = so_far["#at"] = d.whole(0, max(0, len(shape) - 1))
    size = shape[at] if shape else 1
    start, end, step = d.whole(-2, size), d.whole(-1, size + 2), d.whole(1, 3)
    so_far["#slice"] = (start, end, step)
    if shape:
        shape[at] = len(range(*slice(start, end, step).indices(size)))
    return d.tensor(tuple(shape), first(so_far).dtype)


def slice_part(which: int) -> Any:
    return lambda d, so_far: so_far["#slice"][which]


def at(d: Draw, so_far: SoFar) -> int:
    rank = first(so_far).rank
    return so_far["#at"] - (rank if d.chance(0.3) else 0)


def diagonal_of(d: Draw, so_far: SoFar) -> Given:
    """What `diagonal_scatter` puts on the diagonal of the first two dims."""
    shape = first(so_far).shape
    so_far["#offset"] = offset = d.whole(-1, 2)
    if len(shape) < 2:
        return d.tensor(shape, first(so_far).dtype)
    rows, columns = shape[0] + min(offset, 0), shape[1] - max(offset, 0)
    return d.tensor((*shape[2:], max(0, min(rows, columns))), first(so_far).dtype)


def drawn_offset(d: Draw, so_far: SoFar) -> int:
    return so_far["#offset"]


strided_like = shaped(_strided_shape)
perm = permutation

TABLE = """
reshape : input=t() shape=reshaped
T.reshape T.view : input=t() _=reshaped
T.view : input=t() dtype=dtype()
T.reshape_as T.view_as T.expand_as : input=t() other=same('any')
T.expand_as : input=t() other=meets()
T.expand : input=t() _=expanded
T.expand : input=t() size=expanded
broadcast_to : input=t() size=expanded
flatten : input=t() start_dim=dim()? end_dim=dim()?
flatten ravel : input=t()
unflatten : input=t(rank=(1,4)) dim=dim() sizes=factors
squeeze : input=t() dim=dims()?
unsqueeze : input=t() dim=dim(1)
transpose swapaxes swapdims : input=t() dim0=dim() dim1=dim()
swapaxes : input=t() axis0=dim() axis1=dim()
t : input=t(rank=(0,2))
T.T : input=t(rank=2)
T.H T.mT T.mH adjoint : input=t(rank=(2,4))
T.real T.imag T.T T.H T.mT T.mH T.data T.is_leaf T.requires_grad T.dtype T.shape T.ndim T.itemsize T.nbytes
    T.layout T.device T.grad T.grad_fn T.retains_grad T.output_nr T.is_cuda : input=t()
permute : input=t() dims=perm
T.permute : input=t() _=perm
movedim moveaxis : input=t() source=moves destination=moves
movedim moveaxis : input=t() source=dim() destination=dim()
narrow : input=t(rank=(0,4)) dim=dim() start=count_along() length=integer(0,2)
narrow : input=t(rank=(1,4)) dim=dim() start=shaped((),'long',0,1) length=integer(0,2)
select : input=t(rank=(1,4)) dim=dim() index=place
diagonal : input=t(rank=(2,4)) offset=integer(-2,2)? dim1=dim()? dim2=dim()?
L.diagonal : A=t(rank=(2,4)) *offset=integer(-2,2)? *dim1=dim()? *dim2=dim()?
diag : input=t(rank=(1,2)) diagonal=integer(-2,2)?
diag_embed : input=t(rank=(0,3)) offset=integer(-2,2)? dim1=dim(1)? dim2=dim(1)?
diagflat : input=t(rank=(0,3)) offset=integer(-2,2)?
tril triu : input=t(rank=(2,4)) diagonal=integer(-2,2)?
T.unfold : input=t(rank=(0,4)) _=windows
as_strided : input=t(rank=(1,3),least=3) size=strided_size stride=strided_steps storage_offset=integer(0,1)?
as_strided_scatter : input=t(rank=(1,3),least=3) src=shaped((2,)) size=pick((2,)) stride=pick((1,),(2,))
    storage_offset=integer(0,1)?
select_scatter : input=t(rank=(1,4)) src=as_selected dim=at index=integer(-1,0)
slice_scatter : input=t(rank=(1,4)) src=sliced dim=at start=slice_part(0) end=slice_part(1)
    step=slice_part(2)
diagonal_scatter : input=t(rank=(2,4)) src=diagonal_of offset=drawn_offset
split : input=t() split_size_or_sections=integer(1,3) dim=dim()?
split : input=t(rank=(1,4)) split_size_or_sections=parts
T.split : input=t() split_size=integer(1,3) dim=dim()?
split_with_sizes : input=t(rank=(1,4)) split_sizes=parts
chunk : input=t() chunks=integer(1,4) dim=dim()?
tensor_split : input=t(rank=(1,4)) indices_or_sections=integer(1,4) dim=dim()?
tensor_split : input=t(rank=(1,4)) indices_or_sections=split_places dim=dim()?
hsplit : input=t(rank=(1,4)) indices_or_sections=divisor
vsplit : input=t(rank=(2,4)) indices_or_sections=divisor
dsplit : input=t(rank=(3,4)) indices_or_sections=divisor
hsplit vsplit dsplit : input=t(rank=(1,4)) indices_or_sections=split_places
unbind : input=t() dim=dim()?
cat concat concatenate : tensors=joinable dim=along
cat : tensors=tensors(other='any')
stack : tensors=tensors() dim=dim(1)?
hstack column_stack : tensors=tensors(t(rank=(0,3)))
vstack row_stack dstack : tensors=tensors(t(rank=(0,3)))
hstack : tensors=along_1
column_stack : tensors=along_1
vstack row_stack : tensors=along_0
block_diag : _=tensors(t(rank=(0,2)),other='any')
cartesian_prod : _=tensors(t(rank=1),other='any')
combinations : input=t(rank=1) r=integer(0,3)? with_replacement=flag?
meshgrid : _=tensors(t(rank=(0,1)),other='any') *indexing=pick('ij','xy')
meshgrid : tensors=tensors(t(rank=(0,1)),other='any')
broadcast_tensors : _=tensors(other='meets')
broadcast_shapes : _=shape_list
repeat_interleave : input=t() repeats=integer(0,3) dim=dim()? *output_size=pick(None)??
repeat_interleave : input=t(rank=(1,3)) repeats=many_repeats
repeat_interleave : input=t(rank=(1,3)) repeats=at_repeats dim=at
repeat_interleave : repeats=t('index',rank=1,low=0,high=3)
T.repeat : input=t(rank=(0,3)) _=repeats
tile : input=t(rank=(0,3)) dims=repeats
T.tile : input=t(rank=(0,3)) _=repeats
flip : input=t() dims=dims(single=False)
T.flip : input=t() _=dims(single=False)
fliplr flipud : input=t(rank=(1,4))
roll : input=t() shifts=integer(-4,4) dims=dim()?
roll : input=t() shifts=shifts dims=shifted_dims
rot90 : input=t(rank=(2,4)) k=integer(-4,4)? dims=plane?
T.contiguous T.is_contiguous : input=t() *memory_format=code('torch.contiguous_format')??
T.contiguous : input=t(rank=4) *memory_format=code('torch.channels_last')
clone T.is_contiguous : input=t(rank=4) *memory_format=code('torch.channels_last')
T.size T.stride : input=t() dim=dim()?
T.dim T.ndimension T.nelement T.element_size T.storage_offset T.get_device T.tolist : input=t()
tensordot : a=t(rank=(0,3)) b=same() dims=integer(0,3)?
F.pixel_shuffle pixel_shuffle : input=squares upscale_factor=pick(1,2)
F.pixel_unshuffle pixel_unshuffle : input=squares downscale_factor=pick(1,2)
F.channel_shuffle channel_shuffle : input=squares groups=pick(1,2,4)
F.one_hot : input=t('long',low=0,high=3) num_classes=pick(-1,4,5)?
unravel_index : indices=t('int',low=0,high=5) shape=pick((2,3),(6,),(3,2,1))
"""


def at_repeats(d: Draw, so_far: SoFar) -> Given:
    some_dim(d, so_far)
    return many_repeats(d, so_far)


def squares(d: Draw, so_far: SoFar) -> Given:
    shape = (d.pick((4, 4, 8)), 2, 2)
    return d.tensor(
        (*d.pick(((), (1,), (2,), (0,))), *shape), d.dtype("any" if d.odd else "inexact")
    )


def shape_list(d: Draw, so_far: SoFar) -> list[Any]:
    shape = d.shape()
    return [shape, *(d.broadcastable(shape) for _ in range(d.whole(0, 2)))]
