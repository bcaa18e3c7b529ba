"""From coefficients C to an affinity W: equations 4 and 5."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from sdsc_core.checks import check_choice, check_square
from sdsc_core.sparse.entries import off_diagonal_entries
from sdsc_core.sparse.sound import square_csr


def affinity(C: Any, rule: str = "max") -> sp.csr_array:
    """W from C (N, N), row i the coefficients of point i.

    ``"max"`` is eq. 5, max(|C|, |Cᵀ|), for IMC; ``"sum"`` is eq. 4, |C| + |Cᵀ|, for the others.

    >>> C = np.array([[0, 0.9, 0], [0.5, 0, 0], [0, -0.4, 0]])
    >>> affinity(C).toarray().tolist()
    [[0.0, 0.9, 0.0], [0.9, 0.0, 0.4], [0.0, 0.4, 0.0]]
    """
    check_choice(rule, "rule", ("max", "sum"))
    C = magnitudes(C)
    W = C.maximum(C.T) if rule == "max" else C + C.T
    return sp.csr_array(W)


def unit_affinity(C: Any) -> sp.csr_array:
    """W of eq. 4 in [0, 1], as the dense stage needs it (the paper names the range, not the way).

    Each point's |coefficients| are divided by their maximum, summed with the transpose, and
    divided by the overall maximum. The diagonal is dropped.

    >>> unit_affinity(np.array([[0.0, 8.0], [2.0, 0.0]])).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    C = off_diagonal(magnitudes(C))
    largest = C.max(axis=1).toarray()
    C.data /= np.repeat(largest, np.diff(C.indptr))
    W = affinity(C, "sum")
    if W.nnz:
        W.data /= W.data.max()
    return W


def off_diagonal(W: sp.csr_array, above: float = 0.0) -> sp.csr_array:
    """A copy that holds only the entries off the diagonal and above a value.

    >>> off_diagonal(sp.csr_array(np.array([[1.0, 0.3], [0.7, 1.0]])), above=0.5).toarray().tolist()
    [[0.0, 0.0], [0.7, 0.0]]
    """
    return square_csr(*off_diagonal_entries(W, above))


def magnitudes(C: Any) -> sp.csr_array:
    """|C| as a CSR array of its own.

    >>> magnitudes([[0, -2.0], [1, 0]]).toarray().tolist()
    [[0.0, 2.0], [1.0, 0.0]]
    """
    return abs(sp.csr_array(check_square(C, "C", "a coefficient")))
