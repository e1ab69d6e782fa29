# Reading and writing by index.
import vizgrad as vg

vg.as_strided_scatter(vg.zeros(4), vg.tensor([1.0, 2.0]), (2,), (2,))
vg.diagonal_scatter(vg.zeros(2, 2), vg.tensor([1.0, 2.0]))
vg.fill(vg.tensor([1.0, 2.0]), 7.0)
vg.gather(vg.tensor([[1, 2], [3, 4]]), 1, vg.tensor([[0], [1]]))
vg.index_add(vg.zeros(3), 0, vg.tensor([0, 0]), vg.tensor([1.0, 2.0]))
vg.index_copy(vg.zeros(3), 0, vg.tensor([2, 0]), vg.tensor([1.0, 2.0]))
vg.index_fill(vg.zeros(3), 0, vg.tensor([0, 2]), 5.0)
vg.index_put(vg.zeros(3), (vg.tensor([0, 2]),), vg.tensor([1.0, 2.0]))
vg.index_reduce(vg.ones(3), 0, vg.tensor([0, 0]), vg.tensor([2.0, 5.0]), "prod")
vg.index_select(vg.tensor([[1, 2], [3, 4]]), 1, vg.tensor([1]))
vg.masked_scatter(vg.zeros(3), vg.tensor([True, False, True]), vg.tensor([1.0, 2.0]))
vg.masked_select(vg.tensor([1, 2, 3]), vg.tensor([True, False, True]))
vg.put(vg.zeros(3), vg.tensor([0, 2]), vg.tensor([1.0, 2.0]))
vg.scatter(vg.zeros(3), 0, vg.tensor([2, 0]), vg.tensor([1.0, 2.0]))
vg.scatter_add(vg.zeros(3), 0, vg.tensor([0, 0]), vg.tensor([1.0, 2.0]))
vg.scatter_reduce(vg.ones(3), 0, vg.tensor([0, 0]), vg.tensor([2.0, 5.0]), "amax")
vg.select_scatter(vg.zeros(2, 2), vg.tensor([1.0, 2.0]), 0, 1)
vg.slice_scatter(vg.zeros(4), vg.tensor([1.0, 2.0]), 0, 1, 3)
vg.take(vg.tensor([[1, 2], [3, 4]]), vg.tensor([0, 3]))
vg.take_along_dim(vg.tensor([[2, 1], [3, 4]]), vg.tensor([[1], [0]]), dim=1)
vg.unravel_index(vg.tensor([5]), (2, 3))

# Sparse tensors. There are none in blocks: sparse_bsc_tensor and sparse_bsr_tensor raise, and say so.
sparse = vg.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2))
vg.crow_indices_copy(sparse)

sparse = vg.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2))
vg.col_indices_copy(sparse)

sparse = vg.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2))
vg.ccol_indices_copy(sparse)

sparse = vg.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2))
vg.row_indices_copy(sparse)

sparse = vg.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], (2, 2)).coalesce()
vg.indices_copy(sparse)

sparse = vg.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], (2, 2)).coalesce()
vg.values_copy(sparse)

vg.sparse_compressed_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2), layout=vg.sparse_csr).to_dense()
vg.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], (2, 2)).to_dense()
vg.sparse_csc_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()
vg.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], (2, 2)).to_dense()
vg.spmm(vg.sparse_coo_tensor([[0, 1], [1, 0]], [3.0, 4.0], (2, 2)), vg.eye(2))
