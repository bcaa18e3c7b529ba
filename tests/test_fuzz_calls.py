"""Public functions with sound and odd arguments; `python -m tests.fuzz_calls` tries 10,000."""

from tests.fuzz_calls import functions, fuzz


def test_a_right_result_or_a_sentence():
    tally, faults = fuzz(6 * len(functions()))
    assert not faults
    assert tally["result"] > tally.total() / 3 and tally["refused"] > 10, tally
