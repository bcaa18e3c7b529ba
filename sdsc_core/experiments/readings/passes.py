"""Two further readings of Algorithm 2's loop over k, beside the library's maximum."""

import numpy as np

from sdsc_core._jit import kernel
from sdsc_core.dense.rules import two_hop


@kernel
def in_place(W, star, theta1, theta2):
    """W* is W itself: pairs in order, k in order, each update seen by all that follows.

    ``W`` is not read; ``star`` (N, N) begins as W and is changed.
    """
    n = star.shape[0]
    near = np.empty(n, np.int64)
    for i in range(n):
        count = 0
        for k in range(n):
            if star[i, k] > theta2:
                near[count] = k
                count += 1
        for j in range(i + 1, n):
            before = star[i, j]
            for at in range(count):
                k = near[at]
                if k != i and k != j:
                    value = two_hop(0, star[i, k], star[k, j], star[i, j], theta1, theta2)
                    if value > 0:
                        star[i, j] = star[j, i] = value
            if before <= theta2 < star[i, j]:  # from now on j is between i and others
                at = count
                while at > 0 and near[at - 1] > j:
                    near[at] = near[at - 1]
                    at -= 1
                near[at] = j
                count += 1


@kernel
def last_wins(W, star, theta1, theta2):
    """Every k reads W (N, N), and the last one with a condition overwrites those before it."""
    n = W.shape[0]
    near = np.empty(n, np.int64)
    for i in range(n):
        count = 0
        for k in range(n):
            if k != i and W[i, k] > theta2:
                near[count] = k
                count += 1
        for j in range(n):
            if j == i:
                continue
            for at in range(count):
                k = near[at]
                if k != j:
                    value = two_hop(0, W[i, k], W[k, j], W[i, j], theta1, theta2)
                    if value > 0:
                        star[i, j] = value
