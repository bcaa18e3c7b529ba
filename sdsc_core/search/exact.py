"""What decides: products in float64, in one fixed order, and the rule for ties.

A strategy proposes every point whose product may be the largest, given a proved bound of its own
rounding. What is here then decides between the few that are left, so that a pick depends neither
on the strategy nor on blocks, threads or the BLAS. Ties go to the lowest index.
"""

from sdsc_core._jit import kernel

TIE = 1e-12  # products closer than this (times the residual's norm) are tied
NOTHING = 1e-10  # a correlation below this is none
ROUNDING = 2.0**-24  # of one operation in float32, relative


@kernel
def dot(a, b):
    """Product of two vectors in one fixed order, whoever calls it."""
    n = a.shape[0]
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    tail = n - n % 8
    for i in range(0, tail, 8):
        s0 += a[i] * b[i]
        s1 += a[i + 1] * b[i + 1]
        s2 += a[i + 2] * b[i + 2]
        s3 += a[i + 3] * b[i + 3]
        s4 += a[i + 4] * b[i + 4]
        s5 += a[i + 5] * b[i + 5]
        s6 += a[i + 6] * b[i + 6]
        s7 += a[i + 7] * b[i + 7]
    for i in range(tail, n):
        s0 += a[i] * b[i]
    return ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def decide(candidates, products, n, residual, Z, tie):
    """Index and product of the largest |residual · z_k|; ties go to the lowest index."""
    for c in range(n):
        products[c] = dot(residual, Z[candidates[c]])
    return choose(candidates, products, n, tie)


@kernel
def choose(candidates, products, n, tie):
    """The first n candidates' largest |product|: index and product; −1 where there is none."""
    best = 0.0
    for c in range(n):
        best = max(best, abs(products[c]))
    pick, product = -1, 0.0
    for c in range(n):
        k = candidates[c]
        if abs(products[c]) >= best - tie and (pick < 0 or k < pick):
            pick, product = k, products[c]
    return pick, product


@kernel
def offer(value, index, top, candidates, values, n):
    """Keep a candidate and its approximate |product|; the new number of candidates.

    ``top`` holds the largest values so far, descending: as many as there are picks to make.
    """
    candidates[n] = index
    values[n] = value
    last = top.shape[0] - 1
    if value > top[last]:
        at = last
        while at > 0 and top[at - 1] < value:
            top[at] = top[at - 1]
            at -= 1
        top[at] = value
    return n + 1


@kernel
def drop_below(floor, candidates, values, n):
    """Forget candidates that a better one has overtaken; the number that stays."""
    kept = 0
    for c in range(n):
        if values[c] >= floor:
            candidates[kept] = candidates[c]
            values[kept] = values[c]
            kept += 1
    return kept


@kernel
def settle(residual, norm, Z, candidates, n, scratch, picks, products):
    """Make the picks of one residual from its candidates, the best first, each point once."""
    for c in range(n):
        scratch[c] = dot(residual, Z[candidates[c]])
    picks[:] = -1
    products[:] = 0.0
    for k in range(picks.shape[0]):
        pick, product = choose(candidates, scratch, n, TIE * norm)
        if pick < 0 or abs(product) <= NOTHING * norm:
            break
        picks[k], products[k] = pick, product
        for c in range(n):
            if candidates[c] == pick:
                n -= 1
                candidates[c], scratch[c] = candidates[n], scratch[n]
                break
