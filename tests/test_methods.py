"""The methods: their optimality conditions, their interface, and what they refuse."""

import inspect
from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import orthogonal_mp

from sdsc_core.blocks import Cancelled, one_thread
from sdsc_core.cli import benchmark
from sdsc_core.methods import METHODS, Solution
from sdsc_core.methods import edsc as edsc_module
from sdsc_core.methods import lrr as lrr_module
from sdsc_core.methods.base import keep_largest, unit_rows
from sdsc_core.methods.bdr import _solve as bdr_solve
from sdsc_core.methods.bdr import bdr
from sdsc_core.methods.edsc import edsc
from sdsc_core.methods.ensc import ensc
from sdsc_core.methods.knn import knn
from sdsc_core.methods.l0ssc import HardThreshold, l0ssc
from sdsc_core.methods.lrr import lrr
from sdsc_core.methods.lrsc import lrsc
from sdsc_core.methods.lrssc import lrssc
from sdsc_core.methods.lsr import lsr
from sdsc_core.methods.msr import msr
from sdsc_core.methods.omp import omp
from sdsc_core.methods.solvers import admm as admm
from sdsc_core.methods.solvers import elastic as elastic
from sdsc_core.methods.solvers import two_norms as two_norms_module
from sdsc_core.methods.solvers.bottom import BottomVectors
from sdsc_core.methods.ssc import LASSO, ssc
from sdsc_core.methods.sssc import sssc


def subspaces(n_subspaces=3, dim=3, ambient=12, each=20, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    parts = [
        rng.standard_normal((each, dim)) @ rng.standard_normal((dim, ambient))
        for _ in range(n_subspaces)
    ]
    X = np.vstack(parts)
    return X + noise * rng.standard_normal(X.shape)


@pytest.fixture(scope="module")
def X():
    return subspaces()


@pytest.fixture(scope="module")
def degenerate():
    """A zero row, a constant row, two equal rows and a negated one."""
    X = subspaces(2, 2, 6, 10)
    X[3] = 0.0
    X[4] = 2.5
    X[6] = X[5]
    X[7] = -X[5]
    return X


def dense(C):
    return C.toarray() if sp.issparse(C) else np.asarray(C)


def violation(X, C, t, k):
    """Largest breach of the elastic net's optimality conditions, over t, for each row."""
    G = X @ X.T
    worst = np.zeros(len(X))
    for i in range(len(X)):
        q = G[i] - G @ C[i]
        c = C[i].copy()
        on = c != 0
        breach = np.where(on, np.abs(q - k[i] * c - t[i] * np.sign(c)), np.abs(q) - t[i])
        breach[i] = 0.0
        worst[i] = max(0.0, breach.max()) / t[i]
    return worst


# --- SSC and ENSC -----------------------------------------------------------------------------


@pytest.mark.parametrize(("gamma", "tau"), [(50.0, 0.9), (5.0, 0.3), (300.0, 1.0)])
def test_ensc_is_optimal(X, gamma, tau):
    solution = ensc(X, gamma=gamma, tau=tau)
    Z = unit_rows(X)
    t = elastic.coherences(Z) / gamma
    C = dense(solution.C)
    assert solution.converged
    assert violation(Z, C, t, t * (1 - tau) / tau).max() <= 1e-6
    assert not np.diag(C).any()
    assert (C != 0).any(axis=1).all()


def test_ensc_reaches_scikit_learns_objective(X):
    from sklearn.linear_model import ElasticNet

    tau, gamma = 0.7, 40.0
    Z, C = unit_rows(X), dense(ensc(X, gamma=gamma, tau=tau).C)
    t = elastic.coherences(Z) / gamma
    k = t * (1 - tau) / tau

    def objective(i, c):
        fit = 0.5 * np.sum((Z[i] - c @ Z) ** 2)
        return t[i] * np.abs(c).sum() + k[i] / 2 * np.sum(c**2) + fit

    for i in range(0, len(Z), 7):
        others = np.delete(np.arange(len(Z)), i)
        scale = Z.shape[1]
        net = ElasticNet(
            alpha=(t[i] + k[i]) / scale,
            l1_ratio=t[i] / (t[i] + k[i]),
            fit_intercept=False,
            tol=1e-10,
            max_iter=100_000,
        ).fit(Z[others].T, Z[i])
        theirs = np.zeros(len(Z))
        theirs[others] = net.coef_
        assert objective(i, C[i]) <= objective(i, theirs) + 1e-9


def test_elastic_nets_with_and_without_the_gram_matrix(X, monkeypatch):
    Z = unit_rows(X)
    t = elastic.coherences(Z) / 50
    with_gram = elastic.elastic_nets(Z, t, 0.1 * t)
    monkeypatch.setattr(elastic, "GRAM_BYTES", 0)
    without = elastic.elastic_nets(Z, t, 0.1 * t)
    np.testing.assert_allclose(with_gram.C.toarray(), without.C.toarray(), atol=1e-9)


def test_elastic_nets_end_where_points_are_many_and_alike():
    """As tracks of a motion are: one long direction, few others, more points than dimensions."""
    rng = np.random.default_rng(0)
    X = 1e-3 * rng.normal(size=(60, 8)) + 0.1 * rng.normal(size=(60, 3)) @ rng.normal(size=(3, 8))
    X[:, -1] = 1.0
    t = elastic.lasso_thresholds(X, 100.0)
    found = elastic.elastic_nets(X, t, np.zeros(60))
    pulls = np.abs((X - found.C @ X) @ X.T) / t[:, None]
    np.fill_diagonal(pulls, 0.0)
    assert found.rounds < elastic.ROUNDS and found.violation <= elastic.TOLERANCE
    assert pulls.max() <= 1 + 2 * elastic.TOLERANCE


def test_ssc_is_optimal_by_its_duality_gap(X):
    alpha = 20.0
    C = dense(ssc(X, alpha=alpha).C)
    Z = unit_rows(X)
    lam = alpha / elastic.coherences(Z).min()
    R = Z - C @ Z
    primal = np.abs(C).sum(axis=1) + lam / 2 * np.sum(R**2, axis=1)
    # λR scaled into |x_jᵀθ| ≤ 1, j ≠ i, is feasible for the dual.
    products = np.abs(lam * R @ Z.T)
    np.fill_diagonal(products, 0.0)
    theta = lam * R / np.maximum(1.0, products.max(axis=1))[:, None]
    dual = np.sum(theta * Z, axis=1) - np.sum(theta**2, axis=1) / (2 * lam)
    assert ((primal - dual) / primal).max() < 1e-5


def test_admm_agrees_with_the_exact_lasso(X, monkeypatch):
    monkeypatch.setattr(admm, "TOLERANCE", 1e-9)
    Z = unit_rows(X)
    problem = admm.LassoAdmm(Z, 20.0, affine=False, outliers=False)
    state = problem.start(0, len(Z))
    steps, residual = problem.run(0, state, 20_000)
    assert residual <= 1e-9 and steps < 20_000
    np.testing.assert_allclose(state.C, dense(ssc(X, alpha=20.0).C), atol=1e-4)


@pytest.mark.parametrize("n_features", [12, 40])
def test_ssc_affine_sums_to_one_and_is_optimal(n_features, monkeypatch):
    monkeypatch.setattr(admm, "TOLERANCE", 1e-9)
    X = subspaces(ambient=n_features) + 1.0
    solution = ssc(X, alpha=20.0, affine=True, max_iterations=10_000)
    C, Z = dense(solution.C), unit_rows(X)
    assert solution.converged
    np.testing.assert_allclose(C.sum(axis=1), 1.0, atol=1e-4)
    lam = 20.0 / elastic.coherences(Z).min()
    for i in range(len(Z)):
        # x_jᵀλr − ν = sign(c_j) on the support, and within ±1 off it, for one ν a row.
        pull = lam * (Z @ (Z[i] - C[i] @ Z))
        on = np.abs(C[i]) > 1e-6
        nu = np.mean(pull[on] - np.sign(C[i, on]))
        assert np.abs(pull[on] - nu - np.sign(C[i, on])).max() < 1e-3
        off = np.delete(np.arange(len(Z)), i)
        assert np.abs(pull[off] - nu).max() < 1 + 1e-3


@pytest.mark.parametrize("outliers", [False, True])
def test_a_zero_sample_has_no_links_though_the_others_sum_to_one(outliers):
    X = subspaces() + 1.0
    rest = np.delete(np.arange(len(X)), [3, 40])
    expected = dense(ssc(X[rest], affine=True, outliers=outliers).C)
    X[[3, 40]] = 0.0
    C = dense(ssc(X, affine=True, outliers=outliers).C)
    assert not C[[3, 40]].any() and not C[:, [3, 40]].any()
    np.testing.assert_array_equal(C[np.ix_(rest, rest)], expected)
    np.testing.assert_allclose(C[rest].sum(axis=1), 1.0, atol=1e-2)
    X[1:] = 0.0
    lonely = ssc(X, affine=True, outliers=outliers)
    assert lonely.converged and lonely.C.shape == (len(X),) * 2 and not dense(lonely.C).any()


@pytest.mark.parametrize("params", [{"affine": True}, METHODS["SSSC"].presets["motion"]])
def test_a_zero_sample_has_no_links_in_any_round_of_sssc(params):
    X = subspaces(2, 2, 6, 10, seed=1) + 1.0
    rest = np.delete(np.arange(len(X)), 4)
    X[4] = 0.0
    method = METHODS["SSSC"]
    solution = method.solve(X, n_clusters=2, max_rounds=3, **params)
    C, W = dense(solution.C), dense(method.affinity(solution))
    assert not C[4].any() and not C[:, 4].any() and not W[4].any()
    first = dense(method.solve(X, n_clusters=2, max_rounds=1, **params).C)
    alone = dense(method.solve(X[rest], n_clusters=2, max_rounds=1, **params).C)
    np.testing.assert_array_equal(first[np.ix_(rest, rest)], alone)
    assert (C[rest] != 0).any(axis=1).all()
    X[1:] = 0.0
    lonely = method.solve(X, n_clusters=2, **params)
    assert lonely.converged and lonely.C.shape == (len(X),) * 2 and not dense(lonely.C).any()


def test_ssc_outliers_takes_up_wrong_entries_and_is_optimal(monkeypatch):
    monkeypatch.setattr(admm, "TOLERANCE", 1e-9)
    X = subspaces(noise=0.0, ambient=20)
    X[::4, 5] += 4.0
    Z = unit_rows(X)
    problem = admm.LassoAdmm(Z, 4.0, affine=False, outliers=True)
    state = problem.start(0, len(Z))
    _, residual = problem.run(0, state, 20_000)
    assert residual <= 1e-9
    lam, g = problem.lam, problem.g
    R = Z - state.C @ Z - g * state.E
    for variable, pull in ((state.C, lam * R @ Z.T), (state.E, lam * g * R)):
        on = variable != 0
        if variable is state.C:
            np.fill_diagonal(pull, 0.0)
        assert np.abs(pull[on] - np.sign(variable[on])).max() < 1e-4
        assert np.abs(pull).max() < 1 + 1e-4
    assert np.abs(state.E[::4, 5]).mean() > 5 * np.abs(np.delete(state.E, 5, axis=1)).mean()


def test_ssc_with_outliers_does_not_depend_on_the_scale_of_all_samples(X):
    small = ssc(X, outliers=True, normalise=False)
    large = ssc(1000 * X, outliers=True, normalise=False)
    np.testing.assert_allclose(dense(small.C), dense(large.C), atol=1e-10)


def test_ssc_says_when_it_has_not_converged(X):
    solution = ssc(X, affine=True, max_iterations=3)
    assert not solution.converged
    assert "3 iterations" in solution.message


# --- OMP --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [10, 24])
def test_omp_equals_scikit_learn(n_features):
    X = subspaces(ambient=n_features, each=15)
    K = 4
    C, Z = dense(omp(X, n_nonzero=K).C), unit_rows(X)
    for i in range(len(Z)):
        others = np.delete(np.arange(len(Z)), i)
        theirs = np.zeros(len(Z))
        theirs[others] = orthogonal_mp(Z[others].T, Z[i], n_nonzero_coefs=K)
        assert set(np.flatnonzero(C[i])) == set(np.flatnonzero(theirs))
        np.testing.assert_allclose(C[i], theirs, atol=1e-9)


def test_omp_stops_when_nothing_is_left():
    X = subspaces(2, 2, 8, 10, noise=0.0)
    C = omp(X, n_nonzero=5).C
    assert np.diff(C.indptr).max() == 2
    np.testing.assert_allclose(C @ unit_rows(X), unit_rows(X), atol=1e-3)


# --- closed forms -----------------------------------------------------------------------------


@pytest.mark.parametrize("n_features", [12, 90])
def test_lsr_equals_a_direct_solve(n_features):
    X = subspaces(ambient=n_features)
    lam, Z = 0.3, unit_rows(X)
    C1, C2 = lsr(X, lam=lam).C, lsr(X, lam=lam, variant="LSR2").C
    for i in (0, 17, 41):
        others = np.delete(np.arange(len(Z)), i)
        A = Z[others]
        expected = np.linalg.solve(A @ A.T + lam * np.eye(len(A)), A @ Z[i])
        np.testing.assert_allclose(C1[i, others], expected, atol=1e-10)
    G = Z @ Z.T
    np.testing.assert_allclose(C2, np.linalg.solve(G + lam * np.eye(len(G)), G).T, atol=1e-10)
    assert not np.diag(C1).any()


def test_lsr_projects_first_where_asked(X):
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    expected = lsr(U[:, :6] * s[:6]).C
    np.testing.assert_allclose(lsr(X, pca=2, n_clusters=3).C, expected, atol=1e-10)
    with pytest.raises(ValueError, match="n_clusters is None"):
        lsr(X, pca=2)


def test_lrsc_is_the_minimum(X):
    strength = 50.0
    Z = unit_rows(X)
    tau = strength / np.linalg.norm(Z, 2) ** 2
    C = lrsc(X, strength=strength).C

    def objective(A):
        return np.linalg.norm(A, "nuc") + tau / 2 * np.linalg.norm(Z - A @ Z) ** 2

    # Optimal where τ(Z − CZ)Zᵀ is a subgradient of ‖C‖*.
    S = tau * (Z - C @ Z) @ Z.T
    values, U = np.linalg.eigh(C)
    U = U[:, values > 1e-9]
    np.testing.assert_allclose(U.T @ S @ U, np.eye(U.shape[1]), atol=1e-8)
    assert np.linalg.norm(S, 2) < 1 + 1e-8
    rng = np.random.default_rng(0)
    for _ in range(5):
        A = rng.standard_normal(C.shape)
        assert objective(C) < objective(C + 1e-3 * (A + A.T))


# --- LRR, BDR ---------------------------------------------------------------------------------


def test_lrr_meets_its_constraint_and_is_optimal(X):
    lam, Z = 0.5, unit_rows(X)
    found = lrr_module._solve(Z, lam, 1000, None)
    C = found.Z @ found.Q.T
    s = np.linalg.svd(Z, compute_uv=False)
    E = (Z - C @ Z) @ np.linalg.pinv(Z) @ found.Q * s[: found.Q.shape[1]]
    np.testing.assert_allclose(E, found.E, atol=1e-6)
    assert found.residual <= 1e-8

    def objective(A):
        return np.linalg.norm(A, "nuc") + lam * np.linalg.norm(Z - A @ Z, axis=1).sum()

    # Convex, so no nearby point and no convex mixture may be lower.
    rng = np.random.default_rng(0)
    for scale in (1e-2, 1e-1):
        for _ in range(5):
            step = scale * rng.standard_normal(C.shape) / len(C)
            assert objective(C) <= objective(C + step) + 1e-9
    assert objective(C) <= objective(0.99 * C) + 1e-9
    assert objective(C) <= objective(1.01 * C) + 1e-9


def test_lrr_counts_the_iterations_that_it_took(X):
    told = []
    found = lrr(X, progress=lambda done, total: told.append(done))
    assert found.converged and found.iterations == told[-1] == len(told)
    enough = lrr(X, max_iterations=found.iterations)
    assert enough.converged and enough.iterations == found.iterations
    short = lrr(X, max_iterations=found.iterations - 1)
    assert not short.converged and short.iterations == found.iterations - 1
    np.testing.assert_array_equal(enough.C, found.C)


def test_lrr_similarity_is_that_of_the_skinny_svd(X):
    Z = lrr(X, power=0).C
    U, s, _ = np.linalg.svd(Z)
    kept = s > 1e-4 * s[0]
    M = unit_rows(U[:, kept] * np.sqrt(s[kept]))
    expected = (M @ M.T) ** 4
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(lrr(X, power=4).C, expected, atol=1e-8)


def test_bdr_is_a_fixed_point_within_its_constraints(X):
    lam, gamma, k = 5.0, 0.5, 3
    Z = unit_rows(X)
    C, B, _, residual = bdr_solve(Z, lam, gamma, k, 1000, None)
    assert residual <= 1e-3
    assert (B >= 0).all() and not np.diag(B).any()
    np.testing.assert_array_equal(B, B.T)
    G = Z @ Z.T
    expected = np.linalg.solve(G + lam * np.eye(len(G)), G + lam * B).T
    np.testing.assert_allclose(C, expected, atol=5e-3)
    _, U = np.linalg.eigh(np.diag(B.sum(axis=1)) - B)
    V = U[:, :k] @ U[:, :k].T
    A = C - gamma / lam * (np.diag(V)[:, None] - V)
    new_B = np.maximum(0, (A + A.T) / 2)
    np.fill_diagonal(new_B, 0)
    np.testing.assert_allclose(B, new_B, atol=5e-3)


@pytest.mark.parametrize("ambient", [12, 80])  # thin factors, and one product
@pytest.mark.parametrize(
    "lam, gamma, noise", [(5.0, 0.5, 0.05), (50.0, 1.0, 0.3), (0.1, 0.01, 0.1)]
)
def test_bdr_is_the_plain_alternation(ambient, lam, gamma, noise):
    """To the step, though eigenvectors are warm-started and changes multiplied in float32."""
    Z, k = unit_rows(subspaces(ambient=ambient, each=40, noise=noise)), 3
    with one_thread():
        mine = bdr_solve(Z, lam, gamma, k, 1000, None)
        plain = benchmark.plain_bdr(Z, lam, gamma, k)
    assert mine[2] == plain[2] > 20
    np.testing.assert_allclose(mine[0], plain[0], atol=1e-6)
    np.testing.assert_allclose(mine[1], plain[1], atol=1e-6)
    values = [benchmark.bdr_objective(Z, *found[:2], lam, gamma, k) for found in (mine, plain)]
    np.testing.assert_allclose(*values, rtol=1e-8)


def laplacian(B):
    return np.diag(B.sum(axis=1)) - B


def test_bottom_vectors_follow_a_changing_matrix(monkeypatch):
    """The warm-started ones span what a whole solve finds, and are what is used."""
    rng = np.random.default_rng(0)
    B = np.kron(np.eye(4), np.ones((30, 30))) + 0.1 * rng.random((120, 120))
    B = B + B.T
    vectors, whole = BottomVectors(120, 4), []
    solve = BottomVectors._whole
    monkeypatch.setattr(BottomVectors, "_whole", lambda *a: whole.append(1) or solve(*a))
    for _ in range(10):
        change = rng.random(B.shape)
        B = B + 0.05 * (change + change.T)
        U = vectors(B)
        expected = np.linalg.eigh(laplacian(B))[1][:, :4]
        np.testing.assert_allclose(U @ U.T, expected @ expected.T, atol=1e-7)
    assert len(whole) == 1
    assert vectors.confirm(B)


def test_bottom_vectors_without_a_gap_are_solved_as_a_whole(monkeypatch):
    rng = np.random.default_rng(0)
    vectors = BottomVectors(120, 4)
    for _ in range(3):
        B = rng.random((120, 120))
        B = B + B.T
        U = vectors(B)
        expected = np.linalg.eigh(laplacian(B))[1][:, :4]
        np.testing.assert_allclose(U @ U.T, expected @ expected.T, atol=1e-9)


def test_bottom_vectors_that_missed_one_are_not_confirmed(monkeypatch):
    B = np.kron(np.eye(3), np.ones((40, 40)) - np.eye(40))
    vectors = BottomVectors(120, 3)
    vectors(B)
    others = np.linalg.eigh(laplacian(B))[1][:, 1:]
    monkeypatch.setattr(vectors, "_warm", lambda *args: others)
    assert not vectors.confirm(B)
    U = vectors(B)
    assert np.abs(laplacian(B) @ U).max() < 1e-9
    assert vectors.confirm(B)


def test_bdr_lowers_its_objective(X):
    Z, lam, gamma, k = unit_rows(X), 5.0, 0.5, 3

    def objective(C, B):
        smallest = np.linalg.eigvalsh(np.diag(B.sum(axis=1)) - B)[:k].sum()
        fit = np.linalg.norm(Z - C @ Z) ** 2 / 2
        return fit + lam / 2 * np.linalg.norm(C - B) ** 2 + gamma * smallest

    values = [objective(*bdr_solve(Z, lam, gamma, k, steps, None)[:2]) for steps in (2, 5, 20, 80)]
    assert all(b <= a + 1e-9 for a, b in pairwise(values))


# --- EDSC, LRSSC, MSR, ℓ0-SSC -----------------------------------------------------------------


def soft_breach(pull, variable, weight):
    """How far ``pull`` is from ``weight`` times a subgradient of ‖variable‖₁, over the weight."""
    on = variable != 0
    return (
        max(
            np.abs(pull[on] - weight * np.sign(variable[on])).max(initial=0.0),
            np.abs(pull).max() - weight,
        )
        / weight
    )


@pytest.mark.parametrize("n_features", [12, 90])
def test_edsc_equals_a_direct_solve(n_features):
    X = subspaces(ambient=n_features)
    lam, Z = 20.0, unit_rows(X)
    G = Z @ Z.T
    expected = np.linalg.solve(G + np.eye(len(G)) / lam, G)
    C = edsc(X, lam=lam, power=0).C
    np.testing.assert_allclose(C, expected, atol=1e-10)
    np.testing.assert_allclose(C, lsr(X, lam=1 / lam, variant="LSR2").C, atol=1e-10)


def test_edsc_affinity_is_cut_at_its_rank(X):
    U, s, _ = np.linalg.svd(edsc(X, power=0).C)
    M = unit_rows(U[:, :7] * np.sqrt(s[:7]))
    expected = np.abs(M @ M.T) ** 3
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(edsc(X, dimension=2, n_clusters=3, power=3).C, expected, atol=1e-8)
    with pytest.raises(ValueError, match="n_clusters is None; EDSC with dimension"):
        edsc(X, dimension=2)


@pytest.mark.parametrize("n_features", [20, 90])
def test_edsc_with_outliers_meets_the_optimality_conditions(n_features, monkeypatch):
    monkeypatch.setattr(edsc_module, "TOLERANCE", 1e-10)
    X = subspaces(noise=0.01, ambient=n_features)
    wrong = np.arange(0, len(X), 4)
    X[wrong, np.random.default_rng(1).integers(n_features, size=len(wrong))] += 4.0
    lam, lam_error, Z = 20.0, 0.2, unit_rows(X)
    E, _, residual = edsc_module._errors(
        Z, np.linalg.svd(Z, full_matrices=False), lam, lam_error, 20_000, None
    )
    solution = edsc(X, lam=lam, outliers=True, lam_error=lam_error, power=0, max_iterations=20_000)
    assert residual <= 1e-10 and solution.converged
    pull = lam * (Z - solution.C @ Z - E)
    np.testing.assert_allclose(solution.C, pull @ Z.T, atol=1e-6)
    assert soft_breach(pull, E, lam_error) < 1e-6
    assert 0 < (E != 0).sum() < E.size / 10
    assert np.abs(E[wrong]).sum() > 0.8 * np.abs(E).sum()


@pytest.mark.parametrize("method", ["LRSSC", "MSR"])
@pytest.mark.parametrize("lam", [0.02, 0.3])
def test_both_norms_and_the_error_have_a_dual_certificate(method, lam, monkeypatch):
    X = subspaces(each=12)
    monkeypatch.setattr(two_norms_module, "TOLERANCE", 1e-8)
    kept = []
    original = two_norms_module.two_norms
    monkeypatch.setattr(
        two_norms_module, "two_norms", lambda *a: kept.append(original(*a)) or kept[-1]
    )
    weight = 30.0 if method == "LRSSC" else 1.5
    solution = (
        lrssc(X, lam=lam, gamma=weight, max_iterations=20_000)
        if method == "LRSSC"
        else msr(X, delta=lam, lam=weight, max_iterations=20_000)
    )
    [found] = kept
    Z, C = unit_rows(X), solution.C
    assert solution.converged
    # The constraints: one matrix, a diagonal of zeros, and what it leaves of X.
    np.testing.assert_allclose(found.basis @ found.basis.T, Z @ Z.T, atol=1e-10)
    np.testing.assert_allclose(found.J, C, atol=1e-6)
    np.testing.assert_allclose(found.basis - C @ found.basis, found.E, atol=1e-6)
    assert not np.diag(C).any()
    # ‖·‖*: UᵀYV = I on the rank and ‖Y‖₂ ≤ 1; λ‖·‖₁ off the diagonal.
    U, s, Vt = np.linalg.svd(found.J)
    on = s > 1e-6
    assert 0 < on.sum() < len(X)
    np.testing.assert_allclose(U[:, on].T @ found.pull_J @ Vt[on].T, np.eye(on.sum()), atol=1e-5)
    assert np.linalg.norm(found.pull_J, 2) < 1 + 1e-5
    off = ~np.eye(len(X), dtype=bool)
    assert soft_breach(found.pull_S[off], C[off], lam) < 1e-5
    # The penalty of the error, and the three pulls in balance.
    if method == "LRSSC":
        np.testing.assert_allclose(found.pull_E, weight * found.E, atol=1e-5)
    else:
        norms = np.linalg.norm(found.E, axis=1, keepdims=True)
        assert np.linalg.norm(found.pull_E, axis=1).max() < weight + 1e-5
        on = norms[:, 0] > 1e-6
        assert on.any()
        np.testing.assert_allclose(found.pull_E[on], weight * found.E[on] / norms[on], atol=1e-5)
    np.testing.assert_allclose(found.pull_J + found.pull_S, found.pull_E @ found.basis.T, atol=1e-5)


def test_lrssc_says_when_it_has_not_converged(X):
    solution = lrssc(X, max_iterations=4)
    assert not solution.converged and "4 iterations" in solution.message


@pytest.mark.parametrize("lam", [1e-4, 0.01, 0.1])
@pytest.mark.parametrize("n_features", [12, 90])
def test_l0_ssc_ends_at_a_fixed_point_below_ssc(lam, n_features):
    X = subspaces(ambient=n_features)
    Z, solution = unit_rows(X), l0ssc(X, lam=lam)
    C, start = dense(solution.C), dense(ssc(X).C)
    assert solution.converged and not np.diag(C).any()

    def objective(A):
        return np.sum((Z - A @ Z) ** 2, axis=1) + lam * (A != 0).sum(axis=1)

    assert (objective(C) <= objective(start) + 1e-9).all()
    assert objective(C).sum() < objective(start).sum()
    # Proximal gradient with the step 1/L: the hard threshold gives C back.
    t = 0.5 / np.linalg.norm(Z, 2) ** 2
    moved = C + 2 * t * (Z - C @ Z) @ Z.T
    np.fill_diagonal(moved, 0.0)
    moved[np.abs(moved) <= np.sqrt(2 * t * lam)] = 0.0
    np.testing.assert_allclose(moved, C, atol=1e-9)


def test_l0_ssc_never_raises_its_objective(X):
    lam, ends = 0.02, []
    for rounds in (1, 2, 4, 8, 50):
        C = dense(l0ssc(X, lam=lam, max_iterations=rounds).C)
        problem = HardThreshold(unit_rows(X), lam, 0.0)
        ends.append([problem.objective(i, C[i]) for i in range(len(X))])
    assert all((np.array(b) <= np.array(a) + 1e-12).all() for a, b in pairwise(ends))
    assert ends[0] != ends[-1]


def test_l0_ssc_leaves_fewer_links_at_a_higher_price(X):
    counts = [l0ssc(X, lam=lam).C.nnz for lam in (1e-5, 1e-2, 0.3)]
    assert counts[0] > counts[1] > counts[2]


# --- SSSC, KNN --------------------------------------------------------------------------------


def test_sssc_refuses_what_it_has_no_parameter_for(X):
    with pytest.raises(ValueError, match="max_iterations is not a parameter of SSSC"):
        sssc(X, n_clusters=3, max_iterations=5)
    with pytest.raises(ValueError, match="alpha is 0"):
        sssc(X, n_clusters=3, alpha=0)


@pytest.mark.parametrize("outliers", [False, True])
def test_sssc_starts_as_ssc_and_its_labels_weigh_the_links(X, outliers):
    first = sssc(X, n_clusters=3, max_rounds=1, outliers=outliers)
    np.testing.assert_array_equal(dense(first.C), dense(ssc(X, outliers=outliers).C))
    assert not first.converged and "1 round" in first.message
    settled = sssc(X, n_clusters=3, gamma0=5.0, outliers=outliers)
    assert settled.converged
    labels = np.repeat(np.arange(3), 20)
    across = labels[:, None] != labels
    before, after = np.abs(dense(first.C)), np.abs(dense(settled.C))
    assert after[across].sum() / after.sum() < before[across].sum() / before.sum()


def test_knn_links_the_most_correlated(X):
    k = 4
    R = np.abs(np.corrcoef(X))
    np.fill_diagonal(R, -1)
    C = dense(knn(X, n_neighbours=k).C)
    for i in range(len(X)):
        expected = np.argsort(-R[i])[:k]
        assert set(np.flatnonzero(C[i])) == set(expected)
        np.testing.assert_allclose(C[i, expected], R[i, expected], atol=1e-12)


# --- what all share ---------------------------------------------------------------------------


def test_registry_has_the_papers_order():
    order = [
        "IMC",
        "SSC",
        "OMP",
        "ENSC",
        "LSR",
        "LRR",
        "BDR",
        "SSSC",
        "LRSC",
        "EDSC",
        "LRSSC",
        "MSR",
        "L0-SSC",
        "KNN",
    ]
    assert list(METHODS) == order
    assert METHODS["IMC"].rule == "max"
    assert all(m.rule == "sum" for name, m in METHODS.items() if name != "IMC")


@pytest.mark.parametrize("name", METHODS)
def test_parameters_agree_with_the_function(name):
    method = METHODS[name]
    signature = inspect.signature(method.function).parameters
    for parameter in method.parameters:
        if name != "SSSC" or parameter not in LASSO:  # these it hands on by name
            assert signature[parameter.name].default == parameter.default
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.help.endswith(".")
    for preset in ("faces", "digits", "motion"):
        method.settings(**method.presets[preset])


@pytest.mark.parametrize("name", METHODS)
def test_degenerate_rows_give_no_nan(name, degenerate):
    method = METHODS[name]
    solution = method.solve(degenerate, n_clusters=2)
    C = dense(solution.C)
    assert C.shape == (len(degenerate),) * 2
    assert np.isfinite(C).all()
    assert np.abs(C[3]).max() < 1e-9 and np.abs(C[:, 3]).max() < 1e-9
    W = method.affinity(solution)
    values = dense(W)
    assert values.min() >= 0 and values.max() <= 1 and not np.diag(values).any()
    np.testing.assert_allclose(values, values.T)


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("power", [None, 0])
@pytest.mark.parametrize("name", METHODS)
def test_a_zero_sample_has_no_link_in_w(name, power, normalise, degenerate):
    """Not of rounding either: each point's coefficients are divided by their maximum."""
    method = METHODS[name]
    known = {p.name for p in method.parameters}
    params = {"normalise": normalise} if "normalise" in known else {}
    if power is not None and "power" in known:
        params["power"] = power
    solution = method.solve(degenerate, n_clusters=2, **params)
    C, W = dense(solution.C), dense(method.affinity(solution))
    assert not C[3].any() and not C[:, 3].any() and not W[3].any()


@pytest.mark.parametrize("name", METHODS)
def test_only_zeros_is_answered(name):
    C = dense(METHODS[name].solve(np.zeros((9, 4)), n_clusters=2).C)
    assert np.isfinite(C).all() and np.abs(C).max() < 1e-9


def only_rounding(kind):
    """Twelve points, of which the fifth is rounding beside the others."""
    X = np.random.default_rng(1).standard_normal((12, 5))
    if kind == "centred":
        X[4] = np.delete(X, 4, 0).mean(0)
        return X - X.mean(0)
    X[4] = kind
    return X


@pytest.mark.parametrize("kind", ["centred", 1e-17, 1e-320])
@pytest.mark.parametrize("name", METHODS)
def test_a_sample_of_rounding_alone_is_a_zero_sample(name, kind):
    """It would make λ so large that ADMM could not factor, or infinite."""
    method, X = METHODS[name], only_rounding(kind)
    known = {p.name for p in method.parameters}
    forms = [{"normalise": flag} for flag in (True, False)] if "normalise" in known else [{}]
    few = {p: v for p, v in (("n_iterations", 3), ("max_rounds", 2)) if p in known}
    for params in (*forms, method.presets["motion"]):
        settings = {**params, **few}
        solution = method.solve(X, n_clusters=2, **settings)
        C = dense(solution.C)
        assert np.isfinite(C).all()
        if name not in ("IMC", "KNN"):  # correlation sees no lengths
            X0 = X.copy()
            X0[4] = 0.0
            np.testing.assert_array_equal(C, dense(method.solve(X0, n_clusters=2, **settings).C))


def test_a_point_orthogonal_but_for_rounding_leaves_admm_able_to_factor():
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]
    X = np.vstack([Q[:7], Q[7:], 2 * Q[7:], 3 * Q[7:]])
    for params in ({"affine": True}, METHODS["SSC"].presets["motion"]):
        assert np.isfinite(dense(ssc(X, **params).C)).all()


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_deterministic_whatever_the_threads(name, X):
    method = METHODS[name]
    one = method.solve(X, n_clusters=3, n_jobs=1)
    two = method.solve(X, n_clusters=3, n_jobs=2)
    np.testing.assert_array_equal(dense(one.C), dense(two.C))


@pytest.mark.parametrize("name", METHODS)
def test_progress_cancels(name, X):
    calls = []

    def stop(done, total):
        calls.append((done, total))
        raise Cancelled

    with pytest.raises(Cancelled):
        METHODS[name].solve(X, n_clusters=3, progress=stop)
    assert len(calls) == 1


@pytest.mark.parametrize(
    "name, params",
    [("SSC", {"outliers": True}), ("SSC", {"affine": True}), ("SSSC", {"outliers": True}),
     ("EDSC", {"outliers": True})],
)  # fmt: skip
def test_progress_of_the_other_solvers_cancels_too(name, params, X):
    def stop(done, total):
        raise Cancelled

    with pytest.raises(Cancelled):
        METHODS[name].solve(X, n_clusters=3, progress=stop, **params)


@pytest.mark.parametrize("name", METHODS)
def test_memory_is_refused_with_the_figure(name, X):
    with pytest.raises(ValueError, match=rf"{name} needs about .* GiB"):
        METHODS[name].solve(X, n_clusters=3, memory_limit=1000)
    # Growing data needs more, and a million points never fit the dense methods.
    memory = METHODS[name].memory
    assert memory(2000, 50) > memory(1000, 50)
    if METHODS[name].dense or name == "SSSC":
        assert memory(10**6, 50) > 2**40


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        ("SSC", {"alhpa": 3}, "alhpa is not a parameter of SSC; it takes alpha, affine"),
        ("SSC", {"alpha": -1}, "alpha is -1; give a number above 0"),
        ("SSC", {"alpha": float("nan")}, "alpha is nan"),
        ("SSC", {"affine": 1}, "affine is 1; give True or False"),
        ("ENSC", {"tau": 0.0}, "tau is 0.0; give a number above 0 and at most 1"),
        ("OMP", {"n_nonzero": 2.5}, "n_nonzero is 2.5; give a whole number"),
        ("OMP", {"n_nonzero": 60}, "n_nonzero is 60"),
        ("LSR", {"variant": "LSR3"}, "variant is 'LSR3'; choose one of 'LSR1', 'LSR2'"),
    ],
)
def test_bad_parameters_are_named(name, params, message, X):
    with pytest.raises(ValueError, match=message):
        METHODS[name].solve(X, **params)


@pytest.mark.parametrize("name", ["BDR", "SSSC"])
def test_methods_that_need_the_number_of_clusters_say_so(name, X):
    with pytest.raises(ValueError, match="n_clusters is None"):
        METHODS[name].solve(X)


def test_affinity_scales_each_point_first():
    C = np.array([[0, 4, 0], [1, 0, -2], [0, 0, 0.0]])
    W = dense(METHODS["SSC"].affinity(Solution(C)))
    # Rows over their maximum: [0 1 0], [.5 0 1]; summed with the transpose; over 1.5.
    np.testing.assert_allclose(W, np.array([[0, 1.5, 0], [1.5, 0, 1], [0, 1, 0]]) / 1.5)


def test_keep_largest_reaches_the_share():
    rng = np.random.default_rng(0)
    C = rng.standard_normal((5, 40)) * (rng.random((5, 40)) < 0.5)
    C[2] = 0
    kept = dense(keep_largest(C, 0.7))
    for row, short in zip(C, kept, strict=True):
        on = np.flatnonzero(short)
        np.testing.assert_array_equal(short[on], row[on])
        total = np.abs(row).sum()
        assert np.abs(short).sum() >= 0.7 * total - 1e-12
        if on.size:
            assert np.abs(short).sum() - np.abs(short[on]).min() < 0.7 * total
            assert np.abs(short[on]).min() >= np.abs(np.delete(row, on)).max()


def test_bdr_threshold_and_variant(X):
    full = bdr(X, variant="BDR-B", lam=5.0, gamma=0.5, n_clusters=3).C
    cut = bdr(X, variant="BDR-B", lam=5.0, gamma=0.5, n_clusters=3, threshold=0.5).C
    assert (full >= 0).all()
    assert 0 < dense(cut).astype(bool).sum() < full.astype(bool).sum()
