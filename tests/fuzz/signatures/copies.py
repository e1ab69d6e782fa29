"""What views show, in memory of its own: `view_copy` and its like, and pieces that may be written."""

from __future__ import annotations

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import SoFar, first, permutation
from tests.fuzz.signatures.elementwise import pairs  # noqa: F401  in the table, as what follows
from tests.fuzz.signatures.shapes import strided_size, strided_steps, windows  # noqa: F401

perm = permutation


TABLE = """
alias_copy detach_copy : input=t()
as_strided_copy : input=t(rank=(1,3),least=3) size=strided_size stride=strided_steps
    storage_offset=integer(0,1)?
diagonal_copy : input=t(rank=(2,4)) offset=integer(-2,2)? dim1=dim()? dim2=dim()?
expand_copy : input=t() size=expanded *implicit=flag??
permute_copy : input=t() dims=perm
select_copy : input=t(rank=(1,4)) dim=dim() index=place
slice_copy : input=t(rank=(1,4)) dim=dim()? start=slice_end? end=slice_end? step=integer(1,3)?
split_copy : input=t(rank=(1,4)) split_size=integer(1,3) dim=dim()?
split_with_sizes_copy : input=t(rank=(1,4)) split_sizes=parts dim=dim()??
squeeze_copy : input=t() dim=dims()?
t_copy : input=t(rank=(0,2))
transpose_copy : input=t() dim0=dim() dim1=dim()
unbind_copy : input=t(rank=(1,4)) dim=dim()?
unfold_copy : input=t(rank=(0,4)) _=windows
unsqueeze_copy : input=t() dim=dim(1)
view_as_complex_copy : input=pairs
view_as_real_copy : input=t('complex')
view_copy : input=t() size=reshaped
view_copy : input=t() dtype=dtype()
narrow_copy : input=t(rank=(0,4)) dim=dim() start=count_along() length=integer(0,2)
unsafe_chunk : input=t(rank=(1,4)) chunks=integer(1,4) dim=dim()?
unsafe_split : input=t(rank=(1,4)) split_size=integer(1,3) dim=dim()?
unsafe_split_with_sizes : input=t(rank=(1,4)) split_sizes=parts dim=dim()??
constant_pad_nd : input=t() pad=padding value=number()?
"""


def slice_end(d: Draw, so_far: SoFar) -> int | None:
    return d.pick((None, 0, 1, 2, -1, -2, 9))


def padding(d: Draw, so_far: SoFar) -> list[int]:
    """Pairs for some of the last dims: rows are put on, or cut off."""
    many = 2 * d.whole(0, first(so_far).rank + d.strange(0.2)) + d.strange(0.2)
    return [d.whole(-1, 2) for _ in range(many)]
