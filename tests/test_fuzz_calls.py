"""Public functions with sound and odd arguments; `python -m tests.fuzz_calls` tries 10,000."""

import numpy as np
import pytest
import scipy.sparse as sp

from sdsc_core import SDSC, advise, dense_stage, fit_subspaces, subspaces
from sdsc_core.datasets import make_subspaces
from tests.fuzz_calls import functions, fuzz

MADE = make_subspaces(2, 2, 8, 6)


def test_a_right_result_or_a_sentence():
    tally, faults = fuzz(6 * len(functions()))
    assert not faults
    assert tally["result"] > tally.total() / 3 and tally["refused"] > 10, tally


def test_a_whole_number_beyond_64_bits_is_a_number():
    """What is as large as a float can be has a result, what is larger a sentence."""
    [one, two] = fit_subspaces(MADE.X, MADE.labels, cost=10**30)
    assert one.dimension == two.dimension == 1, "each direction costs more than it explains"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: SDSC(2, method=sp.csr_array(MADE.X)).fit(MADE.X), "method"),
        (lambda: advise(MADE, np.inf), "seconds"),
        (lambda: fit_subspaces(MADE.X, MADE.labels, cost=10**400), "cost"),
        (lambda: dense_stage(np.zeros((3, 3)), None, n_jobs=MADE.X), "n_jobs"),
        (lambda: subspaces(MADE.X, MADE.labels, dimension=np.array(2.0)), "dimension"),
    ],
    ids=["method", "seconds", "cost", "n_jobs", "dimension"],
)
def test_odd_arguments_that_once_ended_in_a_trace(call, name):
    with pytest.raises(ValueError, match=rf"^{name} is "):
        call()
