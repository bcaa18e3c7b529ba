"""BDR, Block Diagonal Representation (Lu and others).

min ½‖X − ZX‖² + (λ/2)‖Z − B‖² + γ⟨Diag(B1) − B, V⟩ with B ≥ 0, B = Bᵀ, diag B = 0,
0 ⪯ V ⪯ I, tr V = k: the last term is the sum of the k smallest eigenvalues of B's Laplacian.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks, tick
from sdsc_core.checks import check_data, check_n_clusters
from sdsc_core.methods.base import (
    AFFINE,
    NORMALISE,
    SMALL,
    THRESHOLD,
    Method,
    Parameter,
    Solution,
    iterated,
    keep_largest,
    scaled_rows,
    shifted_inverse,
)
from sdsc_core.methods.solvers.bottom import BottomVectors

Array = NDArray[np.float64]

TOLERANCE = 1e-3
AFRESH = 0.1  # what B may change, in all, between two products that start from B itself
BLOCKS = 16  # of rows, over threads
TILE = 64  # rows and columns that one pass takes at a time


def bdr(
    X: Any,
    *,
    variant: str = "BDR-Z",
    lam: float = 50.0,
    gamma: float = 1.0,
    threshold: float = 1.0,
    normalise: bool = True,
    affine: bool = False,
    max_iterations: int = 1000,
    n_clusters: int,
    progress: Progress | None = None,
) -> Solution:
    """Represent points so that the affinity comes close to ``n_clusters`` blocks.

    ``variant`` says what is returned: Z, the representation, or B, its block diagonal twin.

    >>> X = np.array([[1, 0, 0], [2, 0.1, 0], [0, 0, 1], [0, 0.1, 2.0]])
    >>> (bdr(X, variant="BDR-B", lam=1.0, gamma=0.1, n_clusters=2).C > 0).astype(int).tolist()
    [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    """
    METHOD.settings(
        variant=variant,
        lam=lam,
        gamma=gamma,
        threshold=threshold,
        normalise=normalise,
        affine=affine,
        max_iterations=max_iterations,
    )
    X = scaled_rows(check_data(X), normalise, affine)
    k = check_n_clusters(n_clusters, len(X))
    Z, B, step, residual = _solve(X, lam, gamma, k, max_iterations, progress)
    C = keep_largest(Z if variant == "BDR-Z" else B, threshold)
    return iterated(C, step, residual, TOLERANCE)


def _solve(
    X: Array, lam: float, gamma: float, k: int, max_iterations: int, progress: Progress | None
) -> tuple[Array, Array, int, float]:
    """Alternate the exact minimisers of Z, B and V = UUᵀ, from zeros."""
    n = len(X)
    fit, smallest = _Fit(X, lam), BottomVectors(n, k)
    Z, B = np.zeros((n, n)), np.zeros((n, n))
    change, U = np.zeros((n, n), np.float32), np.zeros((n, k))
    block = TILE * -(-n // (BLOCKS * TILE))
    moved = np.inf
    for step in range(1, max_iterations + 1):
        afresh = moved > AFRESH
        product = fit.of_matrix(B) if afresh else fit.of_change(change)
        U = smallest(B) if step > 1 else U
        turned = np.ascontiguousarray(U.T)
        rows = partial(_advance, Z, B, change, product, afresh, turned, gamma / lam)
        residual = max(run_blocks(rows, n, block)) if n > SMALL else rows(0, n)
        moved = residual if afresh else moved + residual
        tick(progress, step, max_iterations)
        if residual <= TOLERANCE and smallest.confirm(B):
            break
    return Z, B, step, residual


class _Fit:
    """Z = B + (I − B) M, the minimiser for B, with M = G (G + λI)⁻¹ and G = XXᵀ.

    M has the rank of X, so that of few features two thin products take the place of one. Between
    two products in float64 only the change of B is multiplied, in float32: off by 2⁻²⁴ of what
    changed, which stays below AFRESH. TOLERANCE is far above that.
    """

    def __init__(self, X: Array, lam: float):
        n, d = X.shape
        if 2 * d < n:
            H = shifted_inverse(X.T, lam, X.T)
            self.factors = [X, H]
        else:
            P = shifted_inverse(X, lam, np.eye(n))
            self.factors = [np.eye(n) - lam * P]
        self.single = [factor.astype(np.float32) for factor in self.factors]

    def of_matrix(self, B: Array) -> Array:
        """(I − B) M"""
        first = self.factors[0] - B @ self.factors[0]
        return first if len(self.factors) == 1 else first @ self.factors[1]

    def of_change(self, change: NDArray[np.float32]) -> NDArray[np.float32]:
        """The change of B, times M."""
        for factor in self.single:
            change = change @ factor
        return change


# No NaN comes this far, and without it LLVM vectorises a maximum.
@kernel(fastmath={"nnan", "nsz"})
def _new_row(z, b, change, product, afresh, out):
    """A part of a row of Z after a step, in place and in ``out``; its largest change."""
    worst = 0.0
    if afresh:
        for j in range(out.shape[0]):
            out[j] = b[j] + np.float64(product[j])
    else:
        for j in range(out.shape[0]):
            out[j] = z[j] + (np.float64(change[j]) - np.float64(product[j]))
    for j in range(out.shape[0]):
        moved = abs(out[j] - z[j])
        worst = moved if moved > worst else worst
        z[j] = out[j]
    return worst


@kernel(fastmath={"nnan", "nsz"})
def _new_links(b, change, sums, weight, gaps):
    """A part of a row of B after a step, in place; its largest change.

    ``sums`` holds z_ij + z_ji, ``gaps`` v_ii + v_jj − 2 v_ij.
    """
    worst = 0.0
    for j in range(b.shape[0]):
        new = 0.5 * (sums[j] - weight * gaps[j])
        new = new if new > 0.0 else 0.0
        moved = new - b[j]
        b[j] = new
        change[j] = moved
        moved = abs(moved)
        worst = moved if moved > worst else worst
    return worst


@kernel
def _turn(source, target):
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[j, i] = source[i, j]


@kernel
def _gaps(U, i, first, out):
    """v_ii + v_jj − 2 v_ij = |u_i − u_j|² for some j, with V = UUᵀ and U given turned."""
    out[:] = 0.0
    for q in range(U.shape[0]):
        u = U[q, i]
        for j in range(out.shape[0]):
            out[j] += (u - U[q, first + j]) ** 2


@kernel
def _advance(Z, B, change, product, afresh, U, weight, start, stop):
    """A step for some rows, and for the columns that mirror them; the largest change of Z and B.

    A tile and its mirror image at a time, so that both stay in the cache.
    """
    n, worst = Z.shape[0], 0.0
    own, mirror = np.empty((TILE, TILE)), np.empty((TILE, TILE))
    other, gaps = np.empty((TILE, TILE)), np.empty(TILE)
    for i0 in range(start, stop, TILE):
        i1 = min(i0 + TILE, stop)
        for j0 in range(i0, n, TILE):
            j1 = min(j0 + TILE, n)
            for i in range(i0, i1):
                args = Z[i, j0:j1], B[i, j0:j1], change[i, j0:j1], product[i, j0:j1]
                worst = max(worst, _new_row(*args, afresh, own[i - i0, : j1 - j0]))
            if j0 > i0:
                for j in range(j0, j1):
                    args = Z[j, i0:i1], B[j, i0:i1], change[j, i0:i1], product[j, i0:i1]
                    worst = max(worst, _new_row(*args, afresh, other[j - j0, : i1 - i0]))
                _turn(other[: j1 - j0, : i1 - i0], mirror)
            else:
                _turn(own[: j1 - j0, : i1 - i0], mirror)
            for i in range(i0, i1):
                sums = own[i - i0, : j1 - j0]
                for j in range(j1 - j0):
                    sums[j] += mirror[i - i0, j]
                if j0 == i0:
                    sums[i - i0] = 0.0  # |u_i − u_i|² is 0, and so is b_ii
                _gaps(U, i, j0, gaps[: j1 - j0])
                links = B[i, j0:j1], change[i, j0:j1]
                worst = max(worst, _new_links(*links, sums, weight, gaps))
            if j0 > i0:
                _turn(B[i0:i1, j0:j1], B[j0:j1, i0:i1])
                _turn(change[i0:i1, j0:j1], change[j0:j1, i0:i1])
    return worst


METHOD = Method(
    name="BDR",
    title="Block Diagonal Representation",
    function=bdr,
    parameters=(
        Parameter(
            "variant", "BDR-Z", None, None, "Which matrix to cluster.", choices=("BDR-Z", "BDR-B")
        ),
        Parameter("lam", 50.0, 1e-3, 1e4, "How close Z and B are held.", log=True),
        Parameter("gamma", 1.0, 1e-4, 1e3, "Weight of the block diagonal form.", log=True),
        THRESHOLD,
        NORMALISE,
        AFFINE,
        Parameter("max_iterations", 1000, 1, 10000, "Most iterations.", step=50),
    ),
    presets={
        "faces": {"lam": 50.0, "gamma": 1.0, "threshold": 0.4},
        "digits": {"lam": 50.0, "gamma": 1.0, "threshold": 0.4},
        "motion": {
            "lam": 0.001,
            "gamma": 0.0001,
            "threshold": 0.7,
            "normalise": False,
            "affine": True,
        },
    },
    needs_clusters=True,
    dense=True,
    memory=lambda n, d: 8 * (3 * n * d + 12 * n * n),
)
