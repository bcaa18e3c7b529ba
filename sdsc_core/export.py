"""Results as files."""

import io

import scipy.sparse as sp

from sdsc_core.checks import Affinity


def affinity_npz(W: Affinity) -> bytes:
    """An affinity (N, N) as the bytes of a file that `scipy.sparse.load_npz` reads.

    >>> data = affinity_npz(sp.csr_array([[0, 0.5], [0.5, 0]]))
    >>> sp.load_npz(io.BytesIO(data)).toarray().tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    buffer = io.BytesIO()
    sp.save_npz(buffer, sp.csr_array(W))
    return buffer.getvalue()
