"""Arrays that store few of their elements: `COO` (places and values) and `Compressed` (CSR, CSC).

They stand where a dense array stands: they have a shape, a dtype and operators, and answer numpy's
functions (NEP 13, NEP 18), so that a kernel written for dense arrays computes on them or raises
`SparseUnsupported`; never does numpy make something else of them. Products and sums of rows are scipy's
(on a device cupyx's), imported when they are first needed.
"""

from vizgrad.core.arrays.sparse import functions as functions
from vizgrad.core.arrays.sparse.base import SparseArray as SparseArray
from vizgrad.core.arrays.sparse.base import SparseUnsupported as SparseUnsupported
from vizgrad.core.arrays.sparse.base import dense as dense
from vizgrad.core.arrays.sparse.base import is_sparse as is_sparse
from vizgrad.core.arrays.sparse.base import stored as stored
