"""Products and masks in vector registers are those of plain Python."""

import numpy as np
import pytest
from numba import config, njit

from sdsc_core.search import vector
from tests import naive

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="vector instructions are compiled")
WIDTHS = (8, 16, 32)


def numbers(*shape, seed=0):
    """Eighths, so that sums are exact in any order and many of them are equal."""
    drawn = np.random.default_rng(seed).integers(-8, 9, shape)
    return (drawn / 8).astype(np.float32)


@pytest.mark.parametrize("width", WIDTHS)
def test_products_and_the_columns_that_reach_the_floor(width):
    reach = vector.products_from(width)

    @njit
    def compiled(q, blocks, b, floor, out):
        return reach(q, blocks, b, floor, out)

    for seed, r in enumerate((1, 3, 5, 12)):
        q, blocks = numbers(r, seed=seed), numbers(3, r, width, seed=seed + 9)
        for b in range(3):
            expected, out = np.empty(width, np.float32), np.empty(width, np.float32)
            values = np.abs(q @ blocks[b])
            for floor in (np.float32(0), values.max(), np.median(values), np.float32(99)):
                mask = naive.products_from(q, blocks, b, floor, expected)
                assert compiled(q, blocks, b, floor, out) == mask
                np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("width", WIDTHS[:2])
def test_products_and_the_cones_that_reach_the_floor(width):
    reach = vector.within(width)

    @njit
    def compiled(q, axes, g, floor, height, cosines, sines, out):
        return reach(q, axes, g, floor, height, cosines, sines, out)

    for seed, r in enumerate((1, 3, 5, 12)):
        q, axes = numbers(r, seed=seed), numbers(4, r, width, seed=seed + 9)
        cosines, sines = (np.abs(numbers(4, width, seed=s)) for s in (1, 2))
        for g in range(4):
            expected, out = np.empty(width, np.float32), np.empty(width, np.float32)
            for floor, height in ((0, 0), (0.5, 0.25), (1, 0.5), (1, 2), (3, 1), (9, 0)):
                numbers_ = np.float32(floor), np.float32(height), cosines, sines
                mask = naive.within(q, axes, g, *numbers_, expected)
                assert compiled(q, axes, g, *numbers_, out) == mask
                np.testing.assert_array_equal(out, expected)


def test_the_lowest_bit():
    lowest = vector.lowest_bit
    compiled = njit(lambda mask: lowest(mask))
    for mask in (1, 2, 12, 40, 1 << 31, 3 << 62 - 3, 0b1010_0000):
        assert compiled(mask) == naive.lowest_bit(mask)
