"""The names of torch.linalg."""
# T-39

from __future__ import annotations

from vizgrad.core.ops.public.linalg_factors import cholesky_ex as cholesky_ex
from vizgrad.core.ops.public.linalg_factors import cholesky_inverse as cholesky_inverse
from vizgrad.core.ops.public.linalg_factors import cholesky_solve as cholesky_solve
from vizgrad.core.ops.public.linalg_factors import householder_product as householder_product
from vizgrad.core.ops.public.linalg_factors import inv_ex as inv_ex
from vizgrad.core.ops.public.linalg_factors import lu as lu
from vizgrad.core.ops.public.linalg_factors import lu_factor as lu_factor
from vizgrad.core.ops.public.linalg_factors import lu_factor_ex as lu_factor_ex
from vizgrad.core.ops.public.linalg_factors import lu_solve as lu_solve
from vizgrad.core.ops.public.linalg_factors import lu_unpack as lu_unpack
from vizgrad.core.ops.public.linalg_factors import solve_ex as solve_ex
from vizgrad.core.ops.public.linalg_factors import tensorinv as tensorinv
from vizgrad.core.ops.public.linalg_factors import tensorsolve as tensorsolve
from vizgrad.core.ops.public.linalg_factors import vander as vander
from vizgrad.core.ops.public.linalg_functions import LinAlgError as LinAlgError
from vizgrad.core.ops.public.linalg_functions import cholesky as cholesky
from vizgrad.core.ops.public.linalg_functions import cross as cross
from vizgrad.core.ops.public.linalg_functions import det as det
from vizgrad.core.ops.public.linalg_functions import diagonal as diagonal
from vizgrad.core.ops.public.linalg_functions import eig as eig
from vizgrad.core.ops.public.linalg_functions import eigh as eigh
from vizgrad.core.ops.public.linalg_functions import eigvals as eigvals
from vizgrad.core.ops.public.linalg_functions import eigvalsh as eigvalsh
from vizgrad.core.ops.public.linalg_functions import inv as inv
from vizgrad.core.ops.public.linalg_functions import inverse as inverse
from vizgrad.core.ops.public.linalg_functions import logdet as logdet
from vizgrad.core.ops.public.linalg_functions import lstsq as lstsq
from vizgrad.core.ops.public.linalg_functions import matmul as matmul
from vizgrad.core.ops.public.linalg_functions import matrix_exp as matrix_exp
from vizgrad.core.ops.public.linalg_functions import matrix_power as matrix_power
from vizgrad.core.ops.public.linalg_functions import matrix_rank as matrix_rank
from vizgrad.core.ops.public.linalg_functions import multi_dot as multi_dot
from vizgrad.core.ops.public.linalg_functions import pinv as pinv
from vizgrad.core.ops.public.linalg_functions import qr as qr
from vizgrad.core.ops.public.linalg_functions import slogdet as slogdet
from vizgrad.core.ops.public.linalg_functions import solve as solve
from vizgrad.core.ops.public.linalg_functions import solve_triangular as solve_triangular
from vizgrad.core.ops.public.linalg_functions import svd as svd
from vizgrad.core.ops.public.linalg_functions import svdvals as svdvals
from vizgrad.core.ops.public.linalg_functions import vecdot as vecdot
from vizgrad.core.ops.public.linalg_functions import vector_norm as vector_norm
from vizgrad.core.ops.public.linalg_norms import cond as cond
from vizgrad.core.ops.public.linalg_norms import matrix_norm as matrix_norm
from vizgrad.core.ops.public.linalg_norms import norm as norm
