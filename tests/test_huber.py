"""SSC with outliers, solved exactly: its optimality conditions, and other solvers' answers."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import Lasso

from sdsc_core.methods import METHODS
from sdsc_core.methods.base import unit_rows
from sdsc_core.methods.solvers import admm as admm
from sdsc_core.methods.solvers import huber as huber
from sdsc_core.methods.solvers.elastic import TOLERANCE, Across
from sdsc_core.methods.solvers.huber import HuberLasso
from sdsc_core.methods.ssc import ssc


def samples(n_subspaces=3, each=20, ambient=30, wrong=0.1, seed=0):
    """Points of subspaces of dimension 3, of whose entries some are wrong."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.standard_normal((each, 3)) @ rng.standard_normal((3, ambient))
        for _ in range(n_subspaces)
    ]
    X = np.vstack(parts) + 0.01 * rng.standard_normal((n_subspaces * each, ambient))
    mask = rng.random(X.shape) < wrong
    X[mask] = 3 * rng.standard_normal(mask.sum())
    return unit_rows(X)


def degenerate():
    X = samples(2, 10, 12)
    X[3] = 0.0
    X[4] = X[5]
    X[6] = -X[5]
    X[7] = 0.3
    return X


def objective(problem, C, weights=1.0):
    R = problem.X - C @ problem.X
    E = np.sign(R) * np.maximum(np.abs(R) - problem.slope / problem.lam, 0) / problem.g
    fit = 0.5 * problem.lam * ((R - problem.g * E) ** 2).sum(axis=1)
    return (weights * np.abs(C)).sum(axis=1) + np.abs(E).sum(axis=1) + fit


def violation(problem, C, weights=1.0):
    """How far each row is from optimal, by the conditions as they are written."""
    V = np.clip(problem.lam * (problem.X - C @ problem.X), -problem.slope, problem.slope)
    pull = V @ problem.X.T / weights
    np.fill_diagonal(pull, 0.0)
    on = C != 0
    return max(np.abs(pull - np.sign(C))[on].max(initial=0), np.abs(pull).max() - 1)


@pytest.mark.parametrize("alpha", [1.5, 4.0, 40.0, 400.0])
@pytest.mark.parametrize("X", [samples(), samples(ambient=8), samples(each=60), degenerate()])
def test_meets_the_optimality_conditions(X, alpha):
    problem = HuberLasso(X, alpha)
    found = problem.solve()
    C = found.C.toarray()
    assert not C.diagonal().any() and C[X.any(axis=1)].any()
    assert found.violation <= TOLERANCE
    assert violation(problem, C) <= 2 * TOLERANCE
    assert not C[~X.any(axis=1)].any() and not C[:, ~X.any(axis=1)].any()


def test_scikit_learn_finds_nothing_lower():
    X = samples(ambient=15)
    problem = HuberLasso(X, 20.0)
    C = problem.solve().C.toarray()
    theirs = np.zeros_like(C)
    n, d = X.shape
    for i in range(n):
        atoms = np.vstack([np.delete(X, i, axis=0), problem.g * np.eye(d)])
        lasso = Lasso(1 / (problem.lam * d), fit_intercept=False, tol=1e-8, max_iter=100_000)
        theirs[i, np.arange(n) != i] = lasso.fit(atoms.T, X[i]).coef_[: n - 1]
    np.testing.assert_allclose(objective(problem, C), objective(problem, theirs), rtol=1e-6)


def test_agrees_with_admm_that_is_carried_on(monkeypatch):
    monkeypatch.setattr(admm, "TOLERANCE", 1e-9)
    X = samples()
    other = admm.LassoAdmm(X, 20.0, affine=False, outliers=True)
    state = other.start(0, len(X))
    other.run(0, state, 20_000)
    problem = HuberLasso(X, 20.0)
    assert (problem.lam, problem.g) == pytest.approx((other.lam, other.g))
    np.testing.assert_allclose(problem.solve().C.toarray(), state.C, atol=1e-4)


def test_labels_weigh_the_links_from_any_start():
    X, labels = samples(), np.repeat(np.arange(3), 20)
    problem, across = HuberLasso(X, 20.0), Across(labels, 0.7)
    weights = 0.5 * np.where(labels[:, None] == labels, 1.0, 1.7)
    fresh = problem.solve(scale=0.5, across=across)
    assert violation(problem, fresh.C.toarray(), weights) <= 2 * TOLERANCE
    again = problem.solve(scale=0.5, across=across, start=problem.solve().C)
    np.testing.assert_allclose(again.C.toarray(), fresh.C.toarray(), atol=1e-6)
    here = problem.solve(scale=0.5, across=across, start=fresh.C)
    assert here.rounds == 2  # one to see what is lacking, one to see that nothing is
    np.testing.assert_allclose(here.C.toarray(), fresh.C.toarray(), atol=1e-8)


def test_threads_and_blocks_do_not_matter(monkeypatch):
    X = samples(each=60)
    one, two = (HuberLasso(X, 20.0).solve(n_jobs=n).C.toarray() for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    monkeypatch.setattr(huber, "BLOCK", 7)
    np.testing.assert_allclose(HuberLasso(X, 20.0).solve().C.toarray(), one, atol=1e-6)


def test_samples_of_zeros_alone_have_no_links():
    problem = HuberLasso(np.zeros((4, 3)), 20.0)
    assert problem.solve(start=sp.csr_array((4, 4))).C.nnz == 0


def test_says_when_it_has_not_converged(monkeypatch):
    monkeypatch.setattr(huber, "ROUNDS", 1)
    solution = ssc(samples(), outliers=True)
    assert not solution.converged and "1 iteration" in solution.message


def test_faces_are_solved_as_far_as_rounding_allows(real_data):
    faces = real_data("yaleb_48x42.npz")
    subjects = np.random.default_rng(4).choice(38, 5, replace=False)
    X = faces["X"][np.isin(faces["y"], subjects)].astype(np.float64)
    solution = METHODS["SSC"].function(X, **METHODS["SSC"].presets["faces"])
    assert solution.converged and not solution.message
