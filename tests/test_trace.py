"""A trace is IMC seen from inside: the same picks, and the numbers of the transcription."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sdsc_core import clustering_accuracy, connectivity, explain, imc, pce, spectral_clustering
from sdsc_core.blocks import Cancelled
from sdsc_core.datasets import make_subspaces
from sdsc_core.imc_path import ImcPath
from sdsc_core.tracing import examples, level, stages_at_gamma, sweep, trace
from tests import naive
from tests.test_imc import RANDOM, TIED

READINGS = ["as_printed", "centred"]


def unit(X, residual):
    """The samples as Algorithm 1 sees them."""
    X = X - X.mean(axis=1, keepdims=True) if residual == "centred" else X
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms == 0, 1, norms)


@pytest.mark.parametrize("residual", READINGS)
@pytest.mark.parametrize("similarity", ["residual", "pair"])
@settings(max_examples=60)
@given(X=st.one_of(TIED, RANDOM), data=st.data())
def test_is_what_imc_does_to_the_last_bit(residual, similarity, X, data):
    gamma = data.draw(st.integers(1, len(X) - 1))
    path = imc(X, gamma, residual=residual, similarity=similarity)
    for i in range(len(X)):
        t = trace(X, i, gamma, residual=residual, similarity=similarity)
        n = len(t.picks)
        np.testing.assert_array_equal(t.picks, path.picks[i, :n])
        assert (path.picks[i, n:] == -1).all()
        values = [step.coefficient for step in t.steps[:-1]]
        np.testing.assert_array_equal(values, path.correlations[i, :n])


@pytest.mark.parametrize("residual", READINGS)
@pytest.mark.parametrize("shape", [(40, 30), (40, 8)], ids=["gram", "search"])
def test_every_number_is_the_transcriptions(residual, shape):
    X = np.random.default_rng(4).standard_normal(shape) + 0.5
    U = unit(X, residual)
    picks, values = naive.imc(X, 6, residual)
    C = naive.coefficients(picks, values)
    for i in (0, 17, 39):
        t = trace(X, i, 6, residual=residual)
        psi = U[i].copy()
        for step in t.steps:
            np.testing.assert_allclose(step.residual, psi, atol=1e-12)
            assert step.norm == pytest.approx(np.linalg.norm(psi))
            assert step.centred_norm == pytest.approx(np.linalg.norm(psi - psi.mean()))
            rho = [naive.pearson(psi, x) for x in X]
            np.testing.assert_allclose(step.correlations, rho, atol=1e-10)
            if step.pick < 0:
                continue
            assert step.pick == picks[i, step.gamma]
            assert step.coefficient == pytest.approx(values[i, step.gamma])
            after = psi - (psi @ U[step.pick]) * U[step.pick]
            assert step.energy == pytest.approx(psi @ psi - after @ after)
            psi = after
        last = {step.pick: step.kept for step in t.steps[:-1]}
        np.testing.assert_allclose([C[i, j] for j in last], list(last.values()))
        assert t.ended == "gamma" and len(t.steps) == 7


def test_tells_why_it_ends():
    X = np.array([[1, -1, 0, 0.0], [-2, 2, 0, 0], [0, 0, 1, -1], [3, 3, 3, 3], [0, 0, 0, 0]])
    assert [trace(X, i, 3).ended for i in range(5)] == [
        "gone", "gone", "uncorrelated", "constant", "constant",
    ]  # fmt: skip
    assert trace(X, 0, 1).ended == "gamma"
    assert trace(X, 3, 3).picks == []
    assert (trace(X, 3, 3).steps[0].correlations == 0).all()


def test_tells_a_point_picked_again_and_keeps_the_larger_value():
    X = np.random.default_rng(0).standard_normal((12, 4))
    seen = 0
    for i in range(12):
        t, best = trace(X, i, 11), {}
        for step in t.steps[:-1]:
            assert step.again == (step.pick in best)
            best[step.pick] = max(best.get(step.pick, 0), step.coefficient)
            assert step.kept == best[step.pick]
            seen += step.again
    assert seen


def test_examples_are_what_they_are_called():
    data = make_subspaces(3, 3, 6, points_each=20, random_state=1)
    X = np.vstack([data.X, np.ones((1, 6)), 2 * data.X[:1]])
    labels = np.append(data.labels, [0, data.labels[0]])
    path = imc(X, 6)
    found = examples(path, labels, 5)
    assert set(found) == {"wrong", "right", "again", "early", "constant"}
    same = labels[path.picks[:, :5]] == labels[:, None]
    assert not same[found["wrong"]].all() and same[found["right"]].all()
    assert len(set(path.picks[found["again"], :5])) < 5
    assert -1 in path.picks[found["early"], :5] and found["early"] not in path.constant
    assert found["constant"] == 60
    assert set(examples(path, gamma=1)) == {"constant"}


def test_examples_without_any():
    path = ImcPath(np.array([[1], [0]]), np.ones((2, 1)))
    assert examples(path) == {}


def test_levels_hold_their_upper_end():
    values = [0, 0.3, 0.31, 0.6, 0.61, 0.8, 0.81, 1]
    names = ["weak", "weak", "medium", "medium", "strong", "strong"] + 2 * ["extremely strong"]
    assert [level(w, 0.8, 0.6, 0.3) for w in values] == names


def affinity_of(seed, n=9):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.choice([0, 0.2, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 1.0], (n, n)), 1)
    return W + W.T


@pytest.mark.parametrize("moved", ["theta1", "theta2"])
@settings(max_examples=40)
@given(seed=st.integers(0, 10**6))
def test_a_sweep_is_explain_at_every_theta(moved, seed):
    W = affinity_of(seed)
    pieces = sweep(W, 1, 5, 0.8, 0.6, moved)
    low, high = (0.6, 1.0) if moved == "theta1" else (0.0, 0.8)
    assert pieces[0].low == low and pieces[-1].high == high
    for a, b in pairwise(pieces):
        assert a.high == b.low
    for piece in pieces:
        inside = [0.5 * (piece.low + piece.high)] + [piece.low] * (piece.low > low)
        for theta in inside:
            thetas = (theta, 0.6) if moved == "theta1" else (0.8, theta)
            e = explain(W, 1, 5, *thetas)
            assert (e.after, e.condition, e.witness) == (
                piece.value, piece.condition, piece.witness,
            )  # fmt: skip
            assert e.after == pytest.approx(naive.pce(W, *thetas)[1, 5])


def test_growing_gives_the_figures_of_each_gamma():
    data = make_subspaces(3, 3, 12, points_each=15, random_state=2)
    path = imc(data.X, 4)
    for gamma in (1, 2, 4):
        g = stages_at_gamma(path, gamma, 3, data.labels)
        W, star = path.affinity(gamma), pce(path.affinity(gamma))
        np.testing.assert_array_equal(g.W.toarray(), W.toarray())
        np.testing.assert_array_equal(g.W_star.toarray(), star.toarray())
        assert g.before.acc == clustering_accuracy(data.labels, spectral_clustering(W, 3))
        assert g.after.conn.mean == connectivity(star, data.labels).mean
    without = stages_at_gamma(path, 4, 3, dense=None)
    assert without.W_star is without.W and without.after is without.before
    assert without.after.acc is None


@pytest.mark.parametrize("calls", [1, 4])
def test_growing_may_be_cancelled(calls):
    """In the dense stage, and among the products of the search for eigenvectors."""
    data = make_subspaces(3, 4, 12, points_each=70, noise=0.2, random_state=2)
    path, heard = imc(data.X, 3), []

    def stop(done, total):
        heard.append(done)
        if len(heard) == calls:
            raise Cancelled

    with pytest.raises(Cancelled):
        stages_at_gamma(path, 3, 3, data.labels, progress=stop)
    assert len(heard) == calls


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda X: trace(X, 9, 2), "i is 9; give a whole number from 0 to 8"),
        (lambda X: trace(X, 0, 9), "n_iterations is 9"),
        (lambda X: trace(X, 0, 2, residual="none"), "residual is 'none'"),
        (lambda X: sweep(np.eye(3), 0, 1, moved="theta3"), "moved is 'theta3'"),
        (lambda X: sweep(np.eye(3), 1, 1), "i and j are both 1"),
        (lambda X: stages_at_gamma(imc(X, 2), 1, 10), "n_clusters is 10"),
        (lambda X: stages_at_gamma(imc(X, 2), 3, 2), "gamma is 3"),
        (lambda X: examples(imc(X, 2), gamma=3), "gamma is 3"),
    ],
)
def test_bad_input_is_one_sentence(call, words):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as problem:
        call(np.random.default_rng(0).standard_normal((9, 5)))
    assert words in str(problem.value)
