"""What one pass over the entries of a sparse matrix tells, in kernels: symmetry, components, sums.

SciPy turns or copies the matrix for most of these, which at 100,000 points took longer than the
eigenvectors, and at a few hundred as long as a hundred calls of Python.
"""

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sdsc_core._jit import kernel

Row = NDArray[np.float64]
Grid = NDArray[np.float64]


def as_csr(W: Any) -> sp.csr_array:
    """W itself where it is such a matrix already: to wrap it anew takes as long as a short pass."""
    return W if isinstance(W, sp.csr_array) else sp.csr_array(W)


def places_of(W: sp.csr_array) -> tuple[NDArray[np.unsignedinteger], NDArray[np.unsignedinteger]]:
    """Where rows begin, and columns, as unsigned numbers.

    A kernel asks of a signed place whether it counts from the end, and a sum over such places is
    none of vector instructions: products take twice as long.

    >>> places_of(sp.csr_array(np.eye(2)))[0].dtype.kind
    'u'
    """
    begins, columns = (a.view(f"u{a.dtype.itemsize}") for a in (W.indptr, W.indices))
    return begins, columns


def is_symmetric(W: sp.csr_array) -> bool:
    """Whether w_ij = w_ji to the last bit, for rows that are sorted.

    >>> is_symmetric(sp.csr_array(np.eye(2))), is_symmetric(sp.csr_array(np.eye(2, k=1)))
    (True, False)
    """
    return bool(_is_symmetric(*places_of(W), W.data))


def components_of(W: Any) -> tuple[int, NDArray[np.int64]]:
    """How many connected components a symmetric W has, and which each point is in, (N,).

    They are numbered in the order in which they first appear.

    >>> components_of(np.kron(np.eye(2), 1 - np.eye(2)))
    (2, array([0, 0, 1, 1]))
    """
    W = as_csr(W)
    count, part = _components(*places_of(W))
    return int(count), part


def sums_by_group(W: Any, group: NDArray[np.int64], n: int) -> tuple[Grid, NDArray[np.int64]]:
    """Sum and number of the entries of W from each group of points to each, (n, n) both.

    >>> sums_by_group(1 - np.eye(3), np.array([0, 0, 1]), 2)[0].tolist()
    [[2.0, 2.0], [2.0, 0.0]]
    """
    W = as_csr(W)
    sums, counts = np.zeros((n, n)), np.zeros((n, n), np.int64)
    _sums(*places_of(W), W.data, group, sums, counts)
    return sums, counts


def cuts_by_group(W: Any, group: NDArray[np.int64], n: int) -> tuple[Row, Row, int, int]:
    """From each of n groups the sum to the others and within; entries in all and between.

    It is what `sums_by_group` tells of them, without its (n, n).

    >>> cuts_by_group(1 - np.eye(3), np.array([0, 0, 1]), 2)
    (array([2., 2.]), array([2., 0.]), 6, 4)
    """
    W = as_csr(W)
    own = np.repeat(group, np.diff(W.indptr))
    inside = own == group[W.indices]
    weighed = (np.bincount(own[some], W.data[some], n) for some in (~inside, inside))
    cut, vol = (np.asarray(sums, np.float64) for sums in weighed)
    return cut, vol, W.nnz, W.nnz - int(inside.sum())


def scaled(W: sp.csr_array, scale: NDArray[np.float64]) -> sp.csr_array:
    """Entry w_ij times the scale of i and that of j.

    >>> scaled(sp.csr_array(np.eye(2)), np.array([2.0, 3.0])).data.tolist()
    [4.0, 9.0]
    """
    values = np.empty(W.nnz)
    _scale(*places_of(W), W.data, scale, values)
    return sp.csr_array((values, W.indices, W.indptr), shape=W.shape)


def off_diagonal_entries(
    W: sp.csr_array, above: float
) -> tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]:
    """Entries off the diagonal and above a value, their columns, and where rows begin.

    >>> off_diagonal_entries(sp.csr_array(np.array([[1.0, 0.3], [0.7, 1.0]])), 0.5)[0].tolist()
    [0.7]
    """
    data, columns, begins = np.empty(W.nnz), np.empty_like(W.indices), np.empty_like(W.indptr)
    kept = _off_diagonal(*places_of(W), W.data, above, data, columns, begins)
    return data[:kept].copy(), columns[:kept].copy(), begins


class Blocks(NamedTuple):
    """The graphs of all groups, one behind the other: group g has the rows ``first[g]`` to
    ``first[g + 1]`` of a CSR matrix, whose columns count from ``first[g]``."""

    first: NDArray[np.int64]
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    data: NDArray[np.float64]

    def places(self, g: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
        """W among the points of one group: where rows begin, columns, entries."""
        rows = self.indptr[self.first[g] : self.first[g + 1] + 1]
        inside = slice(rows[0], rows[-1])
        columns = self.indices[inside].view(np.uint32)
        return (rows - rows[0]).view(np.uint64), columns, self.data[inside]

    def graph(self, g: int) -> sp.csr_array:
        """W among the points of one group, as a matrix."""
        indptr, indices, data = self.places(g)
        n = len(indptr) - 1
        return sp.csr_array((data, indices.view(np.int32), indptr.view(np.int64)), shape=(n, n))

    def connected(self) -> NDArray[np.bool_]:
        """Which groups are connected graphs of two points at least."""
        return _connected(self.first, self.indptr, self.indices)


def inner_graphs(W: Any, group: NDArray[np.int64], n: int) -> Blocks:
    """The entries of W within each of n groups of points.

    >>> inner_graphs(1 - np.eye(3), np.array([1, 0, 1]), 2).indices.tolist()
    [1, 0]
    """
    W = as_csr(W)
    order = np.argsort(group, kind="stable")
    first = np.concatenate([[0], np.cumsum(np.bincount(group, minlength=n))])
    place = np.empty(len(group), np.int64)
    place[order] = np.arange(len(group)) - first[group[order]]
    indptr = np.zeros(len(group) + 1, np.int64)
    _count_inner(*places_of(W), group, order, indptr)
    indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    _inner(*places_of(W), W.data, group, order, place, indices, data)
    return Blocks(first, indptr, indices, data)


@kernel
def _is_symmetric(indptr, indices, data):
    """Row by row, entry (i, j) must be the next of row j: its columns come in ascending order."""
    n = len(indptr) - 1
    at = indptr[:-1].copy()
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            f = at[j]
            if f == indptr[j + 1] or indices[f] != i or data[f] != data[e]:
                return False
            at[j] = f + 1
    return True


@kernel
def _components(indptr, indices):
    n = len(indptr) - 1
    part = np.full(n, -1, np.int64)
    waiting = np.empty(n, np.int64)
    count = 0
    for start in range(n):
        if part[start] >= 0:
            continue
        part[start] = count
        waiting[0] = start
        left = 1
        while left:
            left -= 1
            i = waiting[left]
            for e in range(indptr[i], indptr[i + 1]):
                j = indices[e]
                if part[j] < 0:
                    part[j] = count
                    waiting[left] = j
                    left += 1
        count += 1
    return count, part


@kernel
def _connected(first, indptr, indices):
    """For each block, whether all its points are reached from the first of them."""
    groups = len(first) - 1
    found = np.zeros(groups, np.bool_)
    seen, waiting = np.zeros(len(indptr), np.bool_), np.empty(len(indptr), np.int64)
    for g in range(groups):
        begin, size = first[g], first[g + 1] - first[g]
        if size < 2:
            continue
        seen[begin] = True
        waiting[0] = begin
        left = reached = 1
        while left:
            left -= 1
            i = waiting[left]
            for e in range(indptr[i], indptr[i + 1]):
                j = begin + indices[e]
                if not seen[j]:
                    seen[j] = True
                    waiting[left] = j
                    left += 1
                    reached += 1
        found[g] = reached == size
    return found


@kernel
def _sums(indptr, indices, data, group, sums, counts):
    for i in range(len(group)):
        own = group[i]
        for e in range(indptr[i], indptr[i + 1]):
            other = group[indices[e]]
            sums[own, other] += data[e]
            counts[own, other] += 1


@kernel
def _scale(indptr, indices, data, scale, values):
    for i in range(len(scale)):
        for e in range(indptr[i], indptr[i + 1]):
            values[e] = data[e] * scale[i] * scale[indices[e]]


@kernel
def _off_diagonal(indptr, indices, data, above, out, columns, begins):
    at = 0
    begins[0] = 0
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            if data[e] > above and indices[e] != i:
                out[at] = data[e]
                columns[at] = indices[e]
                at += 1
        begins[i + 1] = at
    return at


@kernel
def _count_inner(indptr, indices, group, order, out):
    for r in range(len(order)):
        i = order[r]
        inside = 0
        for e in range(indptr[i], indptr[i + 1]):
            inside += group[indices[e]] == group[i]
        out[r + 1] = out[r] + inside


@kernel
def _inner(indptr, indices, data, group, order, place, columns, values):
    at = 0
    for r in range(len(order)):
        i = order[r]
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            if group[j] == group[i]:
                columns[at] = place[j]
                values[at] = data[e]
                at += 1
