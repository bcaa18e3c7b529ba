"""A small linear system inside a kernel."""

from sdsc_core._jit import kernel


@kernel
def solve_in_place(A, b):
    """b ← A⁻¹ b for a positive definite A, of which the upper triangle is read and lost.

    Elimination by four rows at a time: a row below is then fetched once for four of them.
    """
    m = A.shape[0]
    for p in range(0, m, 4):
        last = min(p + 4, m)
        for s in range(p, last):
            for a in range(s + 1, last):
                factor = A[s, a] / A[s, s]
                A[a, a:] -= factor * A[s, a:]
                b[a] -= factor * b[s]
        if last == p + 4:
            _eliminate(A, b, p)
    for p in range(m - 1, -1, -1):
        for a in range(p + 1, m):
            b[p] -= A[p, a] * b[a]
        b[p] /= A[p, p]


@kernel
def _eliminate(A, b, p):
    r0, r1, r2, r3 = A[p], A[p + 1], A[p + 2], A[p + 3]
    for a in range(p + 4, A.shape[0]):
        f0, f1 = r0[a] / r0[p], r1[a] / r1[p + 1]
        f2, f3 = r2[a] / r2[p + 2], r3[a] / r3[p + 3]
        row = A[a]
        for d in range(a, A.shape[0]):
            row[d] -= (f0 * r0[d] + f1 * r1[d]) + (f2 * r2[d] + f3 * r3[d])
        b[a] -= (f0 * b[p] + f1 * b[p + 1]) + (f2 * b[p + 2] + f3 * b[p + 3])
