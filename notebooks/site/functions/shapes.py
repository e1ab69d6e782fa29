# Making, joining, cutting and turning tensors.
import vizgrad as vg

# made
vg.arange(0, 1, 0.25)
vg.as_tensor([1.0, 2.0])
vg.asarray([1.0, 2.0])
vg.bartlett_window(4)
vg.blackman_window(4)
vg.empty(2, 3).shape
vg.empty_like(vg.ones(2)).shape
vg.empty_permuted((2, 3), (1, 0)).stride()
vg.empty_strided((2, 3), (1, 2)).stride()
vg.eye(2)
vg.frombuffer(bytearray([1, 2, 3]), dtype=vg.uint8)
vg.full((2,), 7.0)
vg.full_like(vg.ones(2), 7.0)
vg.hamming_window(4)
vg.hann_window(4)
vg.kaiser_window(4)
vg.linspace(0, 1, 5)
vg.logspace(0, 2, 3)
vg.ones(2, 2)
vg.ones_like(vg.tensor([3, 4]))
vg.range(1, 4)
vg.scalar_tensor(3.0)
vg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
vg.tril_indices(2, 2)
vg.triu_indices(2, 2)
vg.vander(vg.tensor([1.0, 2.0, 3.0]), 3)
vg.zeros(2, 2)
vg.zeros_like(vg.tensor([3, 4]))

import numpy

vg.from_numpy(numpy.array([1.0, 2.0]))

import numpy

vg.from_dlpack(numpy.array([1.0, 2.0]))
vg.to_dlpack(vg.tensor([1.0, 2.0])).__class__

# joined
vg.block_diag(vg.tensor([[1]]), vg.tensor([[2, 3]]))
vg.cartesian_prod(vg.tensor([1, 2]), vg.tensor([3, 4]))
vg.cat([vg.tensor([1, 2]), vg.tensor([3])])
vg.column_stack([vg.tensor([1, 2]), vg.tensor([3, 4])])
vg.combinations(vg.tensor([1, 2, 3]), r=2)
vg.dstack([vg.tensor([1, 2]), vg.tensor([3, 4])]).shape
vg.hstack([vg.tensor([1, 2]), vg.tensor([3])])
vg.meshgrid(vg.tensor([1, 2]), vg.tensor([3, 4]), indexing="ij")
vg.stack([vg.tensor([1, 2]), vg.tensor([3, 4])])
vg.vstack([vg.tensor([1, 2]), vg.tensor([3, 4])])

# cut
vg.chunk(vg.arange(5), 2)
vg.dsplit(vg.zeros(1, 1, 4), 2)[0].shape
vg.hsplit(vg.arange(4), 2)
vg.narrow(vg.arange(5), dim=0, start=1, length=3)
vg.select(vg.tensor([[1, 2], [3, 4]]), dim=0, index=1)
vg.split(vg.arange(5), 2)
vg.split_with_sizes(vg.arange(5), [1, 4])
vg.tensor_split(vg.arange(5), 2)
vg.tril(vg.ones(3, 3))
vg.triu(vg.ones(3, 3))
vg.unbind(vg.tensor([[1, 2], [3, 4]]))
vg.unsafe_chunk(vg.arange(5), 2)
vg.unsafe_split(vg.arange(5), 2)
vg.unsafe_split_with_sizes(vg.arange(5), [1, 4])
vg.vsplit(vg.tensor([[1, 2], [3, 4]]), 2)

# of another shape
vg.as_strided(vg.arange(6), (2, 2), (2, 1))
vg.atleast_1d(vg.tensor(1.0))
vg.atleast_2d(vg.tensor(1.0))
vg.atleast_3d(vg.tensor(1.0))
vg.broadcast_shapes((3, 1), (1, 2))
vg.broadcast_tensors(vg.tensor([1, 2]), vg.tensor([[3], [4]]))
vg.broadcast_to(vg.tensor([1, 2]), (2, 2))
vg.flatten(vg.tensor([[1, 2], [3, 4]]))
vg.movedim(vg.zeros(2, 3, 4), 0, 2).shape
vg.permute(vg.zeros(2, 3, 4), (2, 0, 1)).shape
vg.ravel(vg.tensor([[1, 2], [3, 4]]))
vg.reshape(vg.arange(4), (2, 2))
vg.squeeze(vg.zeros(1, 3, 1), 0).shape
vg.swapaxes(vg.zeros(2, 3), 0, 1).shape
vg.t(vg.tensor([[1, 2], [3, 4]]))
vg.tile(vg.tensor([1, 2]), (2,))
vg.transpose(vg.tensor([[1, 2], [3, 4]]), 0, 1)
vg.unflatten(vg.arange(4), 0, (2, 2))
vg.unsqueeze(vg.tensor([1, 2]), 1)
vg.view_as_complex(vg.tensor([[1.0, 2.0]]))
vg.view_as_real(vg.tensor([1 + 2j]))

# turned and repeated
vg.adjoint(vg.tensor([[1 + 1j, 2 + 0j]]))
vg.constant_pad_nd(vg.tensor([1, 2]), (1, 2), 0)
vg.flip(vg.tensor([[1, 2], [3, 4]]), (0,))
vg.fliplr(vg.tensor([[1, 2], [3, 4]]))
vg.flipud(vg.tensor([[1, 2], [3, 4]]))
vg.repeat_interleave(vg.tensor([1, 2]), 2)
vg.roll(vg.tensor([1, 2, 3]), 1)
vg.rot90(vg.tensor([[1, 2], [3, 4]]))

# diagonals
vg.diag(vg.tensor([1, 2]))
vg.diag_embed(vg.tensor([1, 2]))
vg.diagflat(vg.tensor([1, 2]))
vg.diagonal(vg.tensor([[1, 2], [3, 4]]))

# copies of what is otherwise a view
vg.alias_copy(vg.tensor([1, 2]))
vg.as_strided_copy(vg.arange(6), (2, 2), (2, 1))
vg.detach_copy(vg.tensor([1.0], requires_grad=True))
vg.diagonal_copy(vg.tensor([[1, 2], [3, 4]]))
vg.expand_copy(vg.tensor([[1], [2]]), (2, 2))
vg.narrow_copy(vg.arange(5), 0, 1, 3)
vg.permute_copy(vg.tensor([[1, 2], [3, 4]]), (1, 0))
vg.select_copy(vg.tensor([[1, 2], [3, 4]]), 0, 1)
vg.slice_copy(vg.arange(5), 0, 1, 4)
vg.split_copy(vg.arange(5), 2)
vg.split_with_sizes_copy(vg.arange(5), [1, 4])
vg.squeeze_copy(vg.zeros(1, 3)).shape
vg.t_copy(vg.tensor([[1, 2], [3, 4]]))
vg.transpose_copy(vg.tensor([[1, 2], [3, 4]]), 0, 1)
vg.unbind_copy(vg.tensor([[1, 2], [3, 4]]))
vg.unfold_copy(vg.arange(5), 0, 3, 2)
vg.unsqueeze_copy(vg.tensor([1, 2]), 1)
vg.view_as_complex_copy(vg.tensor([[1.0, 2.0]]))
vg.view_as_real_copy(vg.tensor([1 + 2j]))
vg.view_copy(vg.arange(4), (2, 2))
vg.clone(vg.tensor([1.0, 2.0]))
vg.detach(vg.tensor([1.0], requires_grad=True))
