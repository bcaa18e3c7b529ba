"""Growing the tree of directions: points in the order of their leaves, a cone around each node."""

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core._jit import kernel
from sdsc_core.blocks import Progress, run_blocks

CHILDREN = 16  # of a node: their axes lie side by side, so that bounds are vector instructions
LEAF = 32  # points of a leaf, which lie side by side too
SAMPLE = 64  # points that a split looks at to find its two centres
ROUNDS = 3  # of moving these centres
TURNS = 8  # steps that centre an axis between the points farthest from it
MOST = 2048  # points that one of these steps looks at


class Nodes(NamedTuple):
    """A complete tree with CHILDREN to a node, filled from the left, and its leaves.

    Leaves are numbered first, then groups of children from the bottom; the last is the root.
    ``first`` is the number of a group's first child.
    """

    axes: NDArray[np.float32]  # (groups, r, CHILDREN)
    cosines: NDArray[np.float32]  # (groups, CHILDREN), of the half-angles
    sines: NDArray[np.float32]
    first: NDArray[np.int64]
    points: NDArray[np.float32]  # (leaves, r, LEAF)
    ids: NDArray[np.int64]  # (leaves, LEAF), −1 where a leaf is not full


def grow(
    rows: NDArray[np.float32],
    ids: NDArray[np.int64],
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Nodes:
    """The tree of the given directions (n, r) of unit norm; both arrays are put into its order."""
    n = len(rows)
    values = np.empty(n, np.float32)
    ranges = np.array([[0, -(-n // LEAF)]])  # of leaves, to be split
    ranges = ranges[ranges[:, 1] > 1]
    while len(ranges):
        parts = np.c_[ranges[:, 0], _middles(ranges), ranges[:, 1]]
        work = partial(_split_each, rows, ids, values, np.minimum(parts * LEAF, n))
        run_blocks(work, len(parts), len(parts) // 64 + 1, n_jobs=n_jobs, progress=progress)
        ranges = np.concatenate([parts[:, :2], parts[:, 1:]])
        ranges = ranges[ranges[:, 1] - ranges[:, 0] > 1]
    return _nodes(rows, ids, n_jobs, progress)


def _middles(ranges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each range of leaves is split, so that every node is full but the last of its level."""
    size = ranges[:, 1] - ranges[:, 0]
    unit = np.ones_like(size)
    while (unit * CHILDREN < size).any():
        unit = np.where(unit * CHILDREN < size, unit * CHILDREN, unit)
    return ranges[:, 0] + -(-size // unit) // 2 * unit


def _nodes(rows, ids, n_jobs, progress) -> Nodes:
    n, r = rows.shape
    counts = [-(-n // LEAF)]
    while len(counts) == 1 or counts[-1] > 1:
        counts.append(-(-counts[-1] // CHILDREN))
    offsets = np.concatenate([[0], np.cumsum(counts[1:])])
    shape = (offsets[-1], CHILDREN)
    axes = np.zeros((offsets[-1], r, CHILDREN), np.float32)
    # A child that is not there has a bound of −1.
    cosines, sines = np.full(shape, 2, np.float32), np.full(shape, -1, np.float32)
    first = np.empty(offsets[-1], np.int64)
    size = LEAF
    for level, count in enumerate(counts[:-1]):
        low, high = offsets[level], offsets[level + 1]
        below = 0 if level == 0 else counts[0] + offsets[level - 1]
        first[low:high] = below + CHILDREN * np.arange(high - low)
        work = partial(_cones, rows, size, axes[low:high], cosines[low:high], sines[low:high])
        run_blocks(work, count, count // 64 + 1, n_jobs=n_jobs, progress=progress)
        size *= CHILDREN
    points = np.zeros((counts[0], r, LEAF), np.float32)
    names = np.full((counts[0], LEAF), -1)
    names.reshape(-1)[:n] = ids
    run_blocks(partial(_fill, rows, points), counts[0], counts[0] // 16 + 1, n_jobs=n_jobs)
    return Nodes(axes, cosines, sines, first, points, names)


@kernel
def _fill(rows, points, start, stop):
    for leaf in range(start, stop):
        first = leaf * LEAF
        for c in range(min(LEAF, rows.shape[0] - first)):
            points[leaf, :, c] = rows[first + c]


@kernel
def _product(a, b):
    total = np.float32(0.0)
    for d in range(a.shape[0]):
        total += a[d] * b[d]
    return total


@kernel
def _to_unit(a):
    norm = np.sqrt(_product(a, a))
    if norm > 0:
        a /= norm


@kernel
def _farthest(rows, low, high, step, axis):
    """The row, of every step-th, whose direction is farthest from the axis."""
    at, least = low, np.float32(2.0)
    for i in range(low, high, step):
        t = abs(_product(rows[i], axis))
        if t < least:
            at, least = i, t
    return at


@kernel
def _centres(rows, low, high):
    """Two axes: begun at points far apart, moved to the middles of those nearer to either."""
    step = (high - low) // SAMPLE + 1
    r = rows.shape[1]
    centres, sums = np.empty((2, r), np.float32), np.empty((2, r), np.float32)
    centres[0] = rows[_farthest(rows, low, high, step, rows[low])]
    centres[1] = rows[_farthest(rows, low, high, step, centres[0])]
    for _round in range(ROUNDS):
        sums[:] = 0.0
        for i in range(low, high, step):
            ta, tb = _product(rows[i], centres[0]), _product(rows[i], centres[1])
            if abs(ta) >= abs(tb):
                sums[0] += rows[i] if ta >= 0 else -rows[i]
            else:
                sums[1] += rows[i] if tb >= 0 else -rows[i]
        for c in range(2):
            if _product(sums[c], sums[c]) > 0:
                centres[c] = sums[c]
                _to_unit(centres[c])
    return centres


@kernel
def _swap(rows, ids, values, i, j):
    for d in range(rows.shape[1]):
        rows[i, d], rows[j, d] = rows[j, d], rows[i, d]
    ids[i], ids[j] = ids[j], ids[i]
    values[i], values[j] = values[j], values[i]


@kernel
def _select(rows, ids, values, low, high, middle):
    """Put the smallest values before the middle, by Hoare's method."""
    left, right = low, high - 1
    while left < right:
        a, b, c = values[left], values[(left + right) // 2], values[right]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = left, right
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                _swap(rows, ids, values, i, j)
                i += 1
                j -= 1
        if middle <= j:
            right = j
        elif middle >= i:
            left = i
        else:
            return


@kernel
def _split_each(rows, ids, values, parts, start, stop):
    for p in range(start, stop):
        low, middle, high = parts[p]
        centres = _centres(rows, low, high)
        for i in range(low, high):
            values[i] = abs(_product(rows[i], centres[1])) - abs(_product(rows[i], centres[0]))
        _select(rows, ids, values, low, high, middle)


@kernel
def _axis(rows, low, high, axis):
    """An axis in the middle of the rows, as the centre of the smallest cone is found.

    From their mean, again and again a part of the way to the row farthest from it.
    """
    step = (high - low) // MOST + 1
    axis[:] = rows[low]
    total = np.zeros_like(axis)
    for i in range(low, high, step):
        if _product(rows[i], axis) >= 0:
            total += rows[i]
        else:
            total -= rows[i]
    _to_unit(total)
    if _product(total, total) > 0:
        axis[:] = total
    best, least = axis.copy(), np.float32(-1.0)
    for turn in range(TURNS + 1):
        far = rows[_farthest(rows, low, high, step, axis)]
        t = _product(far, axis)
        if abs(t) > least:
            best[:], least = axis, abs(t)
        part = np.float32(1.0 / (turn + 3))
        for d in range(axis.shape[0]):
            axis[d] += part * ((far[d] if t >= 0 else -far[d]) - axis[d])
        _to_unit(axis)
    axis[:] = best


@kernel
def _cones(rows, size, axes, cosines, sines, start, stop):
    """Axis and half-angle of each node of one level, in groups of CHILDREN.

    The angle is taken in float64 from the axis as it is stored, and widened by 2⁻²² for the
    rounding of rows and axis to float32, at most 2⁻²⁴ of their norms each.
    """
    axis = np.empty(rows.shape[1], np.float32)
    for node in range(start, stop):
        low, high = node * size, min((node + 1) * size, rows.shape[0])
        _axis(rows, low, high, axis)
        square = 0.0
        for d in range(axis.shape[0]):
            square += np.float64(axis[d]) ** 2
        least = 1.0
        for i in range(low, high):
            t = norm = 0.0
            for d in range(axis.shape[0]):
                x = np.float64(rows[i, d])
                t += x * np.float64(axis[d])
                norm += x * x
            least = min(least, abs(t) / np.sqrt(norm * square))
        angle = min(np.arccos(least) + 2.0**-22, np.pi / 2)
        group, child = node // CHILDREN, node % CHILDREN
        axes[group, :, child] = axis
        cosines[group, child], sines[group, child] = np.cos(angle), np.sin(angle)
