# Methods and attributes of Tensor whose examples do not follow from those of functions.
import vizgrad as vg

# other forms
vg.tensor([[1 + 2j, 3j]]).H
vg.tensor([[1.0, 2.0]]).T
vg.tensor([[1 + 2j, 3j]]).mH
vg.tensor([[1.0, 2.0]]).mT
vg.tensor([1 + 2j, 3 - 1j]).real
vg.tensor([1 + 2j, 3 - 1j]).imag
vg.tensor([1.0, 2.0, 3.0, 4.0]).view(2, 2)
vg.tensor([1.0, 2.0, 3.0, 4.0]).view_as(vg.ones(2, 2))
vg.tensor([[1.0], [2.0]]).expand(2, 3)
vg.tensor([1.0, 2.0]).repeat(2, 2)
vg.tensor([1.0, 2.0, 3.0]).unfold(0, 2, 1)
vg.ones(2, 3, 4).permute(2, 0, 1).shape
vg.ones(2, 3, 4).movedim(0, 2).shape
vg.ones(2, 1, 3).squeeze(1).shape
vg.ones(2, 1, 3).squeeze_(1).shape
vg.ones(1, 1, 4).dsplit(2)
vg.tensor([[1.0, 2.0], [3.0, 4.0]]).t().contiguous()
vg.tensor([[1.0, 2.0], [3.0, 4.0]]).sum_to_size(1, 2)
vg.tensor([1.0, 2.0]).resize_(1)

vg.ones(2, 3).swapaxes(0, 1).shape
vg.ones(2, 3).swapaxes_(0, 1).shape
vg.ones(2, 3).swapdims_(0, 1).shape
vg.tensor([1.0, 2.0]).apply_(lambda value: value * 10)
vg.tensor([1.0, 2.0]).map_(vg.tensor([3.0, 4.0]), lambda a, b: a * b)

# types and devices
vg.tensor([1.5]).to(vg.int64)
vg.tensor([1.5]).type(vg.int64)
vg.tensor([1.5]).bfloat16()
vg.tensor([1.5, 0.0]).bool()
vg.tensor([1.5]).byte()
vg.tensor([1.5]).char()
vg.tensor([1.5]).short()
vg.tensor([1.5]).int()
vg.tensor([1.5]).long()
vg.tensor([1.5]).half()
vg.tensor([1]).float()
vg.tensor([1.5]).double()
vg.tensor([1.5]).cfloat()
vg.tensor([1.5]).cdouble()
vg.tensor([1.5]).get_device()
vg.tensor([1.5]).is_pinned()
vg.tensor([1.5]).is_shared()

# to Python and numpy
vg.tensor([1.5]).item()
vg.tensor([1.0, 2.0]).numpy()
vg.tensor([[1.0, 2.0]]).size()
vg.tensor([[1.0, 2.0]]).stride()
vg.tensor([1.0, 2.0])[1:].storage_offset()
vg.tensor([1.0, 2.0]).storage_type()
vg.tensor([1.0, 2.0]).storage().tolist()
vg.tensor([1.0, 2.0]).untyped_storage().nbytes()
vg.tensor([[1.0, 2.0], [3.0, 4.0]]).t().is_contiguous()

x = vg.tensor([1.0, 2.0])

x.is_set_to(x.detach())

# like another
vg.ones(2, dtype=vg.float64).new([1, 2])
vg.ones(2).new_empty(2, 3).shape
vg.ones(2).new_empty_strided((2, 3), (1, 2)).shape
vg.ones(2).new_full((2,), 7.0)
vg.ones(2).new_ones(3)
vg.ones(2).new_tensor([1, 2])
vg.ones(2).new_zeros(3)

# in place
vg.zeros(2).copy_(vg.tensor([1, 2]))
vg.zeros(2, 2).fill_diagonal_(1.0)
vg.tensor([2.0, 3.0], dtype=vg.float64).float_power_(2)
vg.tensor([1.0]).nextafter(vg.tensor([2.0]))
vg.tensor([1.0]).nextafter_(vg.tensor([2.0]))
vg.tensor([1.0]).polygamma(1)
vg.tensor([1.0]).polygamma_(1)
vg.zeros(2).set_(vg.tensor([1.0, 2.0]))
vg.tensor([1.0, -1.0]).where(vg.tensor([True, False]), vg.tensor([0.0, 9.0]))

# numbers at random
vg.zeros(2).cauchy_().shape
vg.zeros(2).exponential_().shape
vg.zeros(2).geometric_(0.5).shape
vg.zeros(2).log_normal_().shape
vg.zeros(2).random_(0, 1)
vg.zeros(2).uniform_(1.0, 1.0)

# gradients
x = vg.tensor([1.0, 2.0], requires_grad=True)

(x * x).sum().backward()  # now x.grad is [2., 4.]
(vg.tensor([1.0], requires_grad=True) * 2).grad_fn.name()
vg.tensor([1.0], requires_grad=True).is_leaf
vg.tensor([1.0, 2.0]).requires_grad_()

x = vg.tensor([1.0, 2.0], requires_grad=True)

x.data

# sparse
vg.eye(2).to_sparse()
vg.eye(2).to_sparse_coo()
vg.eye(2).to_sparse_csr()
vg.eye(2).to_sparse_csc()
vg.eye(2).to_sparse().to_dense()
vg.eye(2).to_sparse().coalesce().indices()
vg.eye(2).to_sparse().coalesce().values()
vg.eye(2).to_sparse().coalesce()
vg.eye(2).to_sparse().is_coalesced()
vg.eye(2).to_sparse().is_sparse
vg.eye(2).to_sparse().dense_dim()
vg.eye(2).to_sparse().sparse_dim()
vg.ones(2, 2).sparse_mask(vg.eye(2).to_sparse())
vg.eye(2).to_sparse_csr().crow_indices()
vg.eye(2).to_sparse_csr().col_indices()
vg.eye(2).to_sparse_csc().ccol_indices()
vg.eye(2).to_sparse_csc().row_indices()
