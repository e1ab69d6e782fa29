# Products, decompositions, distances, signals and pictures.
import vizgrad as vg

vg.addbmm(vg.zeros(2, 2), vg.ones(3, 2, 4), vg.ones(3, 4, 2))
vg.addmm(vg.eye(2), vg.ones(2, 3), vg.ones(3, 2))
vg.addmv(vg.tensor([1.0, 2.0]), vg.eye(2), vg.tensor([10.0, 20.0]))
vg.addr(vg.zeros(2, 2), vg.tensor([1.0, 2.0]), vg.tensor([3.0, 4.0]))
vg.baddbmm(vg.zeros(1, 2, 2), vg.ones(1, 2, 3), vg.ones(1, 3, 2))
vg.bmm(vg.ones(1, 2, 3), vg.ones(1, 3, 2))
vg.cdist(vg.tensor([[0.0, 0.0]]), vg.tensor([[3.0, 4.0], [0.0, 1.0]]))
vg.chain_matmul(vg.ones(2, 3), vg.ones(3, 1), vg.ones(1, 2))
vg.cholesky(vg.tensor([[4.0, 2.0], [2.0, 3.0]]))
vg.cholesky_inverse(vg.tensor([[2.0, 0.0], [1.0, 1.0]]))
vg.cholesky_solve(vg.tensor([[2.0], [3.0]]), vg.tensor([[2.0, 0.0], [1.0, 1.0]]))
vg.cross(vg.tensor([1.0, 0.0, 0.0]), vg.tensor([0.0, 1.0, 0.0]), dim=0)
vg.det(vg.tensor([[1.0, 2.0], [3.0, 4.0]]))
vg.dot(vg.tensor([1.0, 2.0]), vg.tensor([3.0, 4.0]))
vg.einsum("ij,j->i", vg.tensor([[1.0, 2.0], [3.0, 4.0]]), vg.tensor([1.0, 1.0]))
vg.geqrf(vg.tensor([[3.0, 1.0], [4.0, 2.0]]))
vg.inner(vg.tensor([1.0, 2.0]), vg.tensor([3.0, 4.0]))
vg.inverse(vg.tensor([[2.0, 0.0], [0.0, 4.0]]))
vg.kron(vg.tensor([1, 2]), vg.tensor([1, 10]))
vg.logdet(vg.tensor([[2.0, 0.0], [0.0, 4.0]]))
vg.lu(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.matmul(vg.tensor([[1.0, 2.0], [3.0, 4.0]]), vg.tensor([1.0, 1.0]))
vg.matrix_exp(vg.tensor([[0.0, 1.0], [0.0, 0.0]]))
vg.matrix_power(vg.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
vg.mm(vg.tensor([[1.0, 2.0], [3.0, 4.0]]), vg.eye(2))
vg.mv(vg.tensor([[1.0, 2.0], [3.0, 4.0]]), vg.tensor([1.0, 1.0]))
vg.outer(vg.tensor([1.0, 2.0]), vg.tensor([3.0, 4.0]))
vg.pinverse(vg.tensor([[1.0], [1.0]]))
vg.qr(vg.tensor([[3.0, 1.0], [4.0, 2.0]]))
vg.slogdet(vg.tensor([[0.0, 1.0], [2.0, 0.0]]))
vg.svd(vg.tensor([[3.0, 0.0], [0.0, 2.0]]))
vg.svd_lowrank(vg.tensor([[3.0, 0.0], [0.0, 2.0]]), q=2)[1]  # the singular values
vg.pca_lowrank(vg.tensor([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), q=1)[1]
vg.tensordot(vg.ones(2, 3), vg.ones(3, 2), dims=1)
vg.trace(vg.tensor([[1.0, 2.0], [3.0, 4.0]]))
vg.triangular_solve(vg.tensor([[2.0], [3.0]]), vg.tensor([[2.0, 1.0], [0.0, 3.0]]))
vg.vdot(vg.tensor([1 + 1j]), vg.tensor([1 + 1j]))

x = vg.tensor([1.0, 2.0])
vg.addmv_(x, vg.eye(2), vg.tensor([10.0, 20.0]))

factors, pivots = vg.linalg.lu_factor(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.lu_solve(vg.tensor([[10.0], [12.0]]), factors, pivots)

factors, pivots = vg.linalg.lu_factor(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.lu_unpack(factors, pivots)

reflectors, tau = vg.geqrf(vg.tensor([[3.0, 1.0], [4.0, 2.0]]))
vg.orgqr(reflectors, tau)

reflectors, tau = vg.geqrf(vg.tensor([[3.0, 1.0], [4.0, 2.0]]))
vg.ormqr(reflectors, tau, vg.eye(2))

vg.lobpcg(vg.diag(vg.arange(1.0, 7.0)), k=1)[0]

vg.stft(vg.ones(8), n_fft=4, window=vg.ones(4), return_complex=True).shape

pieces = vg.stft(vg.arange(8.0), n_fft=4, window=vg.ones(4), return_complex=True)
vg.istft(pieces, n_fft=4, window=vg.ones(4))

picture = vg.arange(4.0).reshape(1, 1, 2, 2)
vg.grid_sampler(picture, vg.zeros(1, 1, 1, 2), 0, 0, False)

picture = vg.arange(4.0).reshape(1, 1, 2, 2)
vg.grid_sampler_2d(picture, vg.zeros(1, 1, 1, 2), 0, 0, False)

picture = vg.arange(8.0).reshape(1, 1, 2, 2, 2)
vg.grid_sampler_3d(picture, vg.zeros(1, 1, 1, 1, 3), 0, 0, False)

# vizgrad.linalg
vg.linalg.cholesky(vg.tensor([[4.0, 2.0], [2.0, 3.0]]))
vg.linalg.cholesky_ex(vg.tensor([[4.0, 2.0], [2.0, 3.0]]))
vg.linalg.cholesky_inverse(vg.tensor([[2.0, 0.0], [1.0, 1.0]]))
vg.linalg.cholesky_solve(vg.tensor([[2.0], [3.0]]), vg.tensor([[2.0, 0.0], [1.0, 1.0]]))
vg.linalg.cond(vg.tensor([[2.0, 0.0], [0.0, 1.0]]))
vg.linalg.cross(vg.tensor([1.0, 0.0, 0.0]), vg.tensor([0.0, 1.0, 0.0]))
vg.linalg.det(vg.tensor([[1.0, 2.0], [3.0, 4.0]]))
vg.linalg.diagonal(vg.tensor([[1.0, 2.0], [3.0, 4.0]]))
vg.linalg.eig(vg.tensor([[2.0, 0.0], [0.0, 3.0]]))
vg.linalg.eigh(vg.tensor([[2.0, 0.0], [0.0, 3.0]]))
vg.linalg.eigvals(vg.tensor([[0.0, -1.0], [1.0, 0.0]]))
vg.linalg.eigvalsh(vg.tensor([[2.0, 1.0], [1.0, 2.0]]))
vg.linalg.inv(vg.tensor([[2.0, 0.0], [0.0, 4.0]]))
vg.linalg.inv_ex(vg.tensor([[2.0, 0.0], [0.0, 4.0]]))
vg.linalg.inverse(vg.tensor([[2.0, 0.0], [0.0, 4.0]]))
vg.linalg.logdet(vg.tensor([[2.0, 0.0], [0.0, 4.0]]))
vg.linalg.lstsq(vg.tensor([[1.0], [1.0]]), vg.tensor([[1.0], [3.0]])).solution
vg.linalg.lu(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.linalg.lu_factor(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.linalg.lu_factor_ex(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.linalg.matmul(vg.tensor([[1.0, 2.0], [3.0, 4.0]]), vg.tensor([1.0, 1.0]))
vg.linalg.matrix_exp(vg.tensor([[0.0, 1.0], [0.0, 0.0]]))
vg.linalg.matrix_norm(vg.tensor([[3.0, 0.0], [0.0, 4.0]]))
vg.linalg.matrix_power(vg.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
vg.linalg.matrix_rank(vg.tensor([[1.0, 2.0], [2.0, 4.0]]))
vg.linalg.multi_dot([vg.ones(2, 3), vg.ones(3, 1), vg.ones(1, 2)])
vg.linalg.norm(vg.tensor([3.0, 4.0]))
vg.linalg.pinv(vg.tensor([[1.0], [1.0]]))
vg.linalg.qr(vg.tensor([[3.0, 1.0], [4.0, 2.0]]))
vg.linalg.slogdet(vg.tensor([[0.0, 1.0], [2.0, 0.0]]))
vg.linalg.solve(vg.tensor([[2.0, 0.0], [0.0, 4.0]]), vg.tensor([2.0, 8.0]))
vg.linalg.solve_ex(vg.tensor([[2.0, 0.0], [0.0, 4.0]]), vg.tensor([2.0, 8.0]))
vg.linalg.solve_triangular(
    vg.tensor([[2.0, 1.0], [0.0, 4.0]]), vg.tensor([[4.0], [8.0]]), upper=True
)
vg.linalg.svd(vg.tensor([[3.0, 0.0], [0.0, 2.0]]))
vg.linalg.svdvals(vg.tensor([[3.0, 0.0], [0.0, 2.0]]))
vg.linalg.tensorinv(vg.eye(4).reshape(2, 2, 2, 2)).shape
vg.linalg.tensorsolve(vg.eye(4).reshape(2, 2, 2, 2), vg.ones(2, 2))
vg.linalg.vander(vg.tensor([1.0, 2.0, 3.0]))
vg.linalg.vecdot(vg.tensor([1.0, 2.0]), vg.tensor([3.0, 4.0]))
vg.linalg.vector_norm(vg.tensor([3.0, 4.0]))

reflectors, tau = vg.geqrf(vg.tensor([[3.0, 1.0], [4.0, 2.0]]))
vg.linalg.householder_product(reflectors, tau)

factors, pivots = vg.linalg.lu_factor(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.linalg.lu_solve(factors, pivots, vg.tensor([[10.0], [12.0]]))

factors, pivots = vg.linalg.lu_factor(vg.tensor([[4.0, 3.0], [6.0, 3.0]]))
vg.linalg.lu_unpack(factors, pivots)

vg.linalg.LinAlgError("The input is singular.")

# vizgrad.fft
vg.fft.fft(vg.tensor([1.0, 0.0, 0.0, 0.0]))
vg.fft.fft2(vg.eye(2))
vg.fft.fftfreq(4)
vg.fft.fftn(vg.eye(2))
vg.fft.fftshift(vg.tensor([0, 1, -2, -1]))
vg.fft.hfft(vg.tensor([1 + 0j, 2 + 0j, 1 + 0j]))
vg.fft.hfft2(vg.ones(2, 2, dtype=vg.complex64))
vg.fft.hfftn(vg.ones(2, 2, dtype=vg.complex64))
vg.fft.ifft(vg.tensor([1 + 0j, 1 + 0j]))
vg.fft.ifft2(vg.ones(2, 2))
vg.fft.ifftn(vg.ones(2, 2))
vg.fft.ifftshift(vg.tensor([-2, -1, 0, 1]))
vg.fft.ihfft(vg.tensor([1.0, 2.0, 1.0]))
vg.fft.ihfft2(vg.ones(2, 2))
vg.fft.ihfftn(vg.ones(2, 2))
vg.fft.irfft(vg.tensor([3 + 0j, 1 + 0j]))
vg.fft.irfft2(vg.ones(2, 2, dtype=vg.complex64))
vg.fft.irfftn(vg.ones(2, 2, dtype=vg.complex64))
vg.fft.rfft(vg.tensor([1.0, 2.0, 3.0, 4.0]))
vg.fft.rfft2(vg.eye(2))
vg.fft.rfftfreq(4)
vg.fft.rfftn(vg.eye(2))
