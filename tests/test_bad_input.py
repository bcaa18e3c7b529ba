"""Bad input: one sentence that names the argument and its value, for every public entry."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from sdsc_core import (
    METHODS,
    SDSC,
    RunSettings,
    account,
    affinity,
    analyse,
    changes,
    clustering_accuracy,
    components,
    confusion,
    connectivity,
    cut_vol,
    datasets,
    dense_stage,
    densify,
    diffusion,
    explain,
    fit_subspaces,
    imc,
    inside_share,
    misplaced,
    mutual,
    ncut,
    nmi,
    pce,
    preserving_error,
    rank_changes,
    run_stages,
    sinkhorn,
    spectral_clustering,
    spectrum,
    subspaces,
    suggest_n_clusters,
    summarise,
    tally,
)
from sdsc_core.blocks import n_threads

X = np.random.default_rng(0).standard_normal((12, 5))
PATH = imc(X, 3)
W = PATH.affinity()
STAR = pce(W)
FOUND = changes(W, STAR)
HALF = np.repeat([0, 1], 6)


def spoilt(value):
    bad = X.copy()
    bad[7, 2] = value
    return bad


def edited(value, i=0, j=1, both=True):
    bad = W.toarray()
    bad[i, j] = value
    if both:
        bad[j, i] = value
    return bad


def complex_objects(values):
    """Each a number of NumPy's own, whose imaginary part a cast would drop with a warning."""
    return np.array([[np.complex128(v) for v in row] for row in values], object)


# What is called, and what its sentence must hold: the argument's name and its value or shape.
DATA = {
    "nan": (spoilt(np.nan), ["X", "NaN", "row 7"]),
    "inf": (spoilt(-np.inf), ["X", "infinite", "row 7"]),
    "text": ([["a", "b"], ["c", "d"]], ["X", "not real numbers"]),
    "complex": (X + 1j, ["X", "not real numbers"]),
    "complex objects": (complex_objects(X + 1j), ["X", "not real numbers"]),
    "sparse": (sp.csr_array(X), ["X", "sparse"]),
    "one dimension": (X[0], ["X", "(5,)"]),
    "three dimensions": (X[None], ["X", "(1, 12, 5)"]),
    "no points": (X[:0], ["X", "0 sample"]),
    "one point": (X[:1], ["X", "1 sample"]),
    "one feature": (X[:, :1], ["X", "1 feature"]),
}
HUGE = W.toarray().astype(object)
HUGE[0, 1] = HUGE[1, 0] = 10**400
SQUARE = {  # what no square matrix of numbers is
    "a list": ([1, 2, 3], ["(3,)"]),
    "a number": (3, ["()"]),
    "nothing": (None, []),
    "a word": ("W", ["not real numbers"]),
    "ragged": ([[1], [1, 2]], ["not real numbers"]),
    "a cube": (np.zeros((2, 2, 2)), ["(2, 2, 2)"]),
    "not square, sparse": (sp.csr_array((3, 4)), ["(3, 4)"]),
    "empty": (np.zeros((0, 0)), ["(0, 0)"]),
    "complex": (W.toarray() + 0.5j, ["not real numbers"]),
    "complex objects": (complex_objects(W.toarray() + 0.5j), ["not real numbers"]),
    "complex, sparse": (sp.csr_array(W.toarray() + 0.5j), ["not real numbers"]),
    "too large": (HUGE, ["not real numbers"]),
    "objects": (np.full((3, 3), object()), ["not real numbers"]),
    "dates": (np.zeros((3, 3), "M8[s]"), ["not real numbers"]),
    "not square": (np.zeros((3, 4)), ["(3, 4)"]),
    "a vector": (np.zeros(3), ["(3,)"]),
    "nan": (edited(np.nan), ["NaN"]),
    "inf": (edited(np.inf), ["infinite"]),
    "damaged": (W.copy(), ["damaged"]),
}
SQUARE |= {
    "huge": (1e308 * (1 - np.eye(12)), ["larger than any float", "divide", "largest entry"]),
    "huge, sparse": (sp.csr_array(1e308 * (1 - np.eye(12))), ["larger than any float"]),
}
SQUARE["damaged"][0].indices[0] = 99
DAMAGE = {  # how to spoil a sparse matrix, by its format
    "csc": {"place": lambda W: W.indices.put(0, 99), "begin": lambda W: W.indptr.put(3, 99)},
    "bsr": {"place": lambda W: W.indices.put(0, 99), "begin": lambda W: W.indptr.put(1, -2)},
    "coo": {"place": lambda W: W.coords[0].put(0, 99), "column": lambda W: W.coords[1].put(0, -9)},
    "dia": {"length": lambda W: setattr(W, "offsets", W.offsets[:-1])},
    "lil": {
        "place": lambda W: W.rows[0].append(1),
        "column": lambda W: W.rows[0].__setitem__(0, 99),
    },
    "dok": {"place": lambda W: W._dict.update({(99, 0): 1.0})},
}


def damaged(kind, spoil):
    bad = W.copy().asformat(kind)
    spoil(bad)
    return bad


SQUARE |= {
    f"damaged {kind}, {part}": (damaged(kind, spoil), ["damaged"])
    for kind, parts in DAMAGE.items()
    for part, spoil in parts.items()
}
AFFINITY = SQUARE | {
    "not symmetric": (edited(0.987, both=False), ["W", "not symmetric"]),
    "not symmetric, tiny": (1e-9 * edited(0.987, both=False), ["W", "not symmetric"]),
    "negative": (edited(-0.25), ["W", "-0.25"]),
    "text": (np.array([["a", "b"], ["b", "a"]]), ["W", "not real numbers"]),
}
ABOVE_ONE = {"above one": (edited(1.5), ["W", "1.5", "[0, 1]"])}
TAKES_DATA = {"imc": imc, "SDSC": lambda X: SDSC(2).fit(X)} | {
    name: method.solve for name, method in METHODS.items() if not method.needs_clusters
}
TAKES_COEFFICIENTS = {"affinity": affinity, "preserving_error": lambda C: preserving_error(C, HALF)}
TAKES_AFFINITY = {
    "spectrum": lambda W: spectrum(W, 2),
    "spectral_clustering": lambda W: spectral_clustering(W, 2),
    "connectivity": connectivity,
    "components": components,
    "cut_vol": lambda W: cut_vol(W, HALF),
    "ncut": lambda W: ncut(W, HALF),
    "inside_share": lambda W: inside_share(W, HALF),
    "summarise": lambda W: summarise(W, HALF),
    "analyse": lambda A: analyse(A, W, HALF),
    "analyse, W_star": lambda A: analyse(W, A, HALF),
    "changes, W_star": lambda A: changes(W, A),
    "dense_stage, none": lambda W: dense_stage(W, None),
}
TAKES_UNIT_AFFINITY = {
    "pce": pce,
    "densify": densify,
    "densify, all paths": lambda W: densify(W, "D1", None),
    "explain": lambda W: explain(W, 0, 1),
    "changes": lambda W: changes(W, STAR),
    "dense_stage": dense_stage,
}
TAKES_LABELS = {
    "clustering_accuracy, y_true": lambda y: clustering_accuracy(y, HALF),
    "clustering_accuracy, y_pred": lambda y: clustering_accuracy(HALF, y),
    "nmi": lambda y: nmi(y, HALF),
    "confusion": lambda y: confusion(y, HALF),
    "misplaced": lambda y: misplaced(HALF, y),
    "connectivity": lambda y: connectivity(W, y),
    "cut_vol": lambda y: cut_vol(W, y),
    "ncut": lambda y: ncut(W, y),
    "inside_share": lambda y: inside_share(W, y),
    "analyse": lambda y: analyse(W, STAR, y),
    "summarise": lambda y: summarise(W, y),
    "summarise, truth": lambda y: summarise(W, HALF, y),
    "preserving_error": lambda y: preserving_error(W, y),
    "tally": lambda y: tally(FOUND, y),
    "rank_changes": lambda y: rank_changes(FOUND, y),
}
LABELS = {
    "a number": (3, ["()"]),
    "a word": ("abc", ["()"]),
    "a column": (HALF[:, None], ["(12, 1)"]),
    "too few": ([0, 1], ["2"]),
    "empty": ([], []),
    "nan": ([np.nan] * 12, ["NaN"]),
    "text and numbers": ([1, "a"] * 6, ["neither only numbers nor only text"]),
    "gaps": (["a", None] * 6, ["neither only numbers nor only text"]),
    "objects": (np.array([object()] * 12), ["neither only numbers nor only text"]),
    "complex": (HALF + 1j, ["neither only numbers nor only text"]),
    "ragged": ([[1], [1, 2]] * 6, []),
}
CALLS = [
    pytest.param(call, argument, words, id=f"{name}-{case}")
    for callables, cases in (
        (TAKES_DATA, DATA),
        (TAKES_COEFFICIENTS, SQUARE),
        (TAKES_LABELS, LABELS),
        (TAKES_AFFINITY, AFFINITY),
        (TAKES_UNIT_AFFINITY, AFFINITY | ABOVE_ONE),
    )
    for name, call in callables.items()
    for case, (argument, words) in cases.items()
]

THETAS = [
    (0.6, 0.8), (0.7, 0.7), (1.1, 0.6), (0.8, -0.1), (np.nan, 0.6), (0.8, np.nan), ("0.8", 0.6),
    (0.8, None), (0.8j, 0.6), (np.array([0.8, 0.9]), 0.6), (True, 0.6),
]  # fmt: skip
TAKES_THETAS = {
    "pce": lambda a, b: pce(W, a, b),
    "dense_stage": lambda a, b: dense_stage(W, "PCE", a, b),
    "explain": lambda a, b: explain(W, 0, 1, a, b),
    "changes": lambda a, b: changes(W, STAR, "PCE", a, b),
    "SDSC": lambda a, b: SDSC(2, theta1=a, theta2=b).fit(X),
}
SOLVED = {
    name: lambda more, method=method: method.solve(X, n_clusters=2, **more)
    for name, method in METHODS.items()
}
TAKES_SEED = SOLVED | {
    "spectral_clustering": lambda more: spectral_clustering(W, 2, **more),
    "spectrum": lambda more: spectrum(W, 2, **more),
    "SDSC": lambda more: SDSC(2, **more).fit(X),
}
TAKES_JOBS = (
    SOLVED
    | {
        "imc": lambda more: imc(X, 2, **more),
        "pce": lambda more: pce(W, **more),
        "densify": lambda more: densify(W, **more),
        "SDSC": lambda more: SDSC(2, **more).fit(X),
        "subspaces": lambda more: subspaces(X, HALF, **more),
    }
    | {
        name: lambda more, stage=stage: stage(W, **more)
        for name, stage in (("sinkhorn", sinkhorn), ("diffusion", diffusion), ("mutual", mutual))
    }
)

SETTINGS = [
    (lambda: imc(X, 3, memory_mb="1"), ["memory_mb", "'1'"]),
    (lambda: suggest_n_clusters([]), ["eigenvalues", "(0,)"]),
    (lambda: suggest_n_clusters([1, np.nan]), ["eigenvalues", "NaN"]),
    (lambda: suggest_n_clusters(complex_objects([[1, 2, 3]])[0]), ["eigenvalues", "not real"]),
    (lambda: tally([1], HALF), ["changes", "list"]),
    (lambda: rank_changes(None, HALF), ["changes", "NoneType"]),
    (lambda: rank_changes(FOUND, HALF, conditions=np.array(1)), ["conditions", "array(1)"]),
    (lambda: changes(W, np.zeros((5, 5))), ["W_star", "(5, 5)", "(12, 12)"]),
    (lambda: analyse(W, np.zeros((5, 5)), HALF), ["W_star", "(5, 5)", "(12, 12)"]),
    (lambda: changes(W, STAR, np.array(["PCE", "D1"])), ["rule", "D1"]),
    (lambda: spectrum(W, 2, "x"), ["n_clusters", "'x'"]),
    (lambda: spectrum(W, 2, n_exact="x"), ["n_exact", "'x'"]),
    (lambda: spectrum(W, 2, n_exact=-1), ["n_exact", "-1"]),
    (lambda: spectral_clustering(W, 2, spectrum_=3), ["spectrum_", "int"]),
    (lambda: imc(X, 0), ["n_iterations", "0"]),
    (lambda: imc(X, 12), ["n_iterations", "12"]),
    (lambda: imc(X, 2.5), ["n_iterations", "2.5"]),
    (lambda: imc(X, True), ["n_iterations", "True"]),
    (lambda: imc(X, 3).coefficients(4), ["gamma", "4"]),
    (lambda: imc(X, 4, start=3), ["start", "int", "`imc`"]),
    (lambda: imc(X, 4, start=replace(PATH, picks=1.0 * PATH.picks)), ["start", "no picks"]),
    (lambda: imc(X, 4, start=replace(PATH, picks=PATH.picks[:, 0])), ["start", "no picks"]),
    (lambda: imc(X, 4, start=replace(PATH, picks=PATH.picks.tolist())), ["start", "no picks"]),
    (lambda: imc(X, 4, start=replace(PATH, picks=PATH.picks[:, :1])), ["start", "no picks"]),
    (lambda: imc(X, 4, start=replace(PATH, correlations=None)), ["start", "correlation"]),
    (lambda: imc(X, 3, residual="left"), ["residual", "'left'"]),
    (lambda: imc(X, 3, similarity="both"), ["similarity", "'both'"]),
    (lambda: imc(X, 3, n_jobs=0), ["n_jobs", "0"]),
    (lambda: n_threads(-2), ["n_jobs", "-2"]),
    (lambda: affinity(np.zeros((2, 3))), ["C", "(2, 3)"]),
    (lambda: affinity(np.full((2, 2), np.nan)), ["C", "NaN"]),
    (lambda: affinity(np.eye(2), "mean"), ["rule", "'mean'"]),
    (lambda: pce(W, 0.6, 0.8), ["theta1", "0.6", "theta2", "0.8"]),
    (lambda: pce(W, 0.7, 0.7), ["theta1", "0.7", "theta2"]),
    (lambda: pce(W, 1.1, 0.6), ["theta1", "1.1"]),
    (lambda: pce(W, 0.8, -0.1), ["theta2", "-0.1"]),
    (lambda: pce(W, float("nan"), 0.6), ["theta1", "nan"]),
    (lambda: pce(W, "0.8", 0.6), ["theta1", "'0.8'"]),
    (lambda: densify(W, "D4"), ["transform", "'D4'"]),
    (lambda: densify(W, "D1", 0), ["hops", "0"]),
    (lambda: dense_stage(W, "XYZ"), ["dense", "'XYZ'"]),
    (lambda: explain(W, 0, 12), ["j", "12"]),
    (lambda: explain(W, -1, 3), ["i", "-1"]),
    (lambda: explain(W, 3, 3), ["i", "j", "3"]),
    (lambda: explain(W, 0, 1, rule="D9"), ["rule", "'D9'"]),
    (lambda: spectral_clustering(W, 13), ["n_clusters", "13"]),
    (lambda: spectral_clustering(W, 0), ["n_clusters", "0"]),
    (lambda: spectrum(W, 13), ["n_vectors", "13"]),
    (lambda: connectivity(W, HALF[:5]), ["labels", "(5,)", "12"]),
    (lambda: ncut(W, HALF[:, None]), ["labels", "(12, 1)"]),
    (lambda: analyse(W, W, HALF[:5]), ["labels", "(5,)"]),
    (lambda: analyse(W, W[:3, :4], HALF), ["W_star", "(3, 4)"]),
    (lambda: summarise(W, HALF, HALF[:3]), ["truth", "(3,)"]),
    (lambda: clustering_accuracy(HALF, HALF[:4]), ["y_pred", "(4,)", "12"]),
    (lambda: clustering_accuracy([], []), ["y_true", "empty"]),
    (lambda: clustering_accuracy([0, np.nan], [0, 1]), ["y_true", "NaN"]),
    (lambda: clustering_accuracy(np.ma.array([0, 1], mask=[0, 1]), [0, 1]), ["y_true", "masked"]),
    (lambda: imc(np.ma.array(X, mask=X > 1)), ["X", "masked"]),
    (lambda: fit_subspaces(np.ma.array(X, mask=X > 1), HALF), ["X", "masked"]),
    (lambda: spectrum(np.ma.array(STAR.toarray(), mask=np.eye(12)), 2), ["W", "masked"]),
    (lambda: nmi(HALF, HALF[:4]), ["y_pred", "(4,)"]),
    (lambda: SDSC(13).fit(X), ["n_clusters", "13"]),
    (lambda: SDSC(0).fit(X), ["n_clusters", "0"]),
    (lambda: SDSC(2, "KMEANS").fit(X), ["method", "'KMEANS'", "'IMC'"]),
    (lambda: SDSC(2, dense="P").fit(X), ["dense", "'P'"]),
    (lambda: SDSC(2, theta1=0.5).fit(X), ["theta1", "0.5"]),
    (lambda: SDSC(2, n_iterations=12).fit(X), ["n_iterations", "12"]),
    (lambda: SDSC(2, method_params={"colour": 1}).fit(X), ["colour", "IMC"]),
    (lambda: SDSC(2, method_params=[1]).fit(X), ["method_params", "[1]"]),
    (lambda: SDSC(2, method_params="ab").fit(X), ["method_params", "'ab'"]),
    (lambda: SDSC(2, method_params=0).fit(X), ["method_params", "0"]),
    (lambda: SDSC(2, method_params={1: 2}).fit(X), ["method_params", "1"]),
    (lambda: SDSC(2, "LRR", method_params={1: 2}).fit(X), ["method_params", "1"]),
    (lambda: subspaces(X, HALF).predict(3), ["X", "()"]),
    (lambda: subspaces(X, HALF).predict(np.array(3.0)), ["X", "()"]),
    (lambda: subspaces(X, HALF).predict(None), ["X"]),
    (lambda: subspaces(X, HALF).predict(sp.csr_array(X)), ["X", "sparse"]),
    (lambda: datasets.sample("cats"), ["name", "'cats'", "'faces'"]),
    (lambda: datasets.load("there/is/none.csv"), ["path", "none.csv"]),
    (lambda: datasets.load("picture.gif"), ["picture.gif", ".csv"]),
    (lambda: datasets.load([b"1,2"], name="t.csv"), ["path", "list", "bytes"]),
    (lambda: datasets.inspect(3, name="t.csv"), ["path", "int"]),
    (lambda: datasets.Dataset(X + 1j, None, "x"), ["X", "not real numbers"]),
    (lambda: datasets.Dataset(complex_objects(X + 1j), None, "x"), ["X", "not real numbers"]),
    (lambda: datasets.Dataset(np.ma.array(X, mask=X > 1), None, "x"), ["X", "masked"]),
    (lambda: datasets.Dataset("x", None, "x"), ["X", "not real numbers"]),
    (lambda: datasets.Dataset([[1], [1, 2]], None, "x"), ["X", "not real numbers"]),
    (lambda: datasets.Dataset(sp.csr_array(X), None, "x"), ["X", "sparse"]),
    (lambda: datasets.Dataset(X, [0.0] * 11 + [np.inf], "x", ("a",)), ["labels", "whole numbers"]),
    (lambda: datasets.Dataset(X, [[0], [0, 1]], "x", ("a",)), ["labels", "whole numbers"]),
    (
        lambda: datasets.Dataset(X, np.ma.array(HALF, mask=HALF == 1), "x", ("a", "b")),
        ["labels", "masked"],
    ),
    (lambda: datasets.make_subspaces(dim=11), ["dim", "11"]),
    (lambda: datasets.make_subspaces(noise=-1), ["noise", "-1"]),
]
BLOBS = datasets.make_subspaces(2, 2, 6, 6)
SETTINGS += [  # what is long in its own spelling, or text of NumPy's where a value is asked for
    (lambda: imc(X, W.toarray()), ["n_iterations", "array([["]),
    (lambda: imc(X, W), ["n_iterations", "Compressed Sparse Row"]),
    (lambda: imc(X, ["many words " * 9] * 9), ["n_iterations", "many words"]),
    (lambda: imc(X, 10**5000), ["n_iterations", "int"]),
    (lambda: imc(X, 3, residual=STAR.toarray()), ["residual", "array([["]),
    (lambda: pce(W, X, 0.6), ["theta1", "array([["]),
    (lambda: SDSC(2, method_params=W.toarray()).fit(X), ["method_params", "array([["]),
    (lambda: METHODS["LSR"].solve(X, lam=X), ["lam", "array([["]),
    (lambda: METHODS["LSR"].solve(X, lam=10**400), ["lam", "above 0"]),
    (lambda: METHODS["LSR"].solve(X, normalise=X), ["normalise", "array([["]),
    (lambda: RunSettings(params=X), ["params", "array([["]),
    (lambda: RunSettings(params=0), ["params", "0"]),
    (lambda: run_stages(BLOBS, only_dense=X), ["only_dense", "array([["]),
    (lambda: run_stages(BLOBS, start=X), ["start", "array([["]),
    (lambda: run_stages(BLOBS, start=(3, 4)), ["start", "(3, 4)"]),
    (lambda: run_stages(BLOBS, start=(PATH, None)), ["the time of start", "None"]),
    (lambda: run_stages(BLOBS, start=(imc(X[:9], 6), 0.0)), ["start", "9 points", "12"]),
    (lambda: rank_changes(FOUND, HALF, clusters=np.zeros((12, 0))), ["clusters", "(12, 0)"]),
    (lambda: rank_changes(FOUND, HALF, clusters=[[None], [None]]), ["clusters"]),
    (lambda: rank_changes(FOUND, HALF, clusters=[[1], [1, 2]]), ["clusters"]),
    (lambda: rank_changes(FOUND, HALF, conditions=[[1], [1, 2]]), ["conditions", "[1]"]),
    (lambda: imc(X, client=3), ["client", "3", "distributed.Client"]),
    (lambda: pce(W, client="x"), ["client", "'x'"]),
    (lambda: imc([np.ma.array(x, mask=x > 1) for x in X]), ["X", "masked"]),
    (lambda: components([np.ma.array(w, mask=w > 0) for w in W.toarray()]), ["W", "masked"]),
    (lambda: fit_subspaces(X * np.longdouble("1e400"), HALF), ["X", "infinite"]),
]


@pytest.mark.parametrize("size", [1e-200, 1e-9, 1.0, 1e9])
def test_rounding_makes_no_graph_directed_whatever_its_size(size):
    W = size * (1 - np.eye(4))
    W[0, 1] *= 1 + 1e-9
    assert components(W).tolist() == [4]
    W[0, 1] *= 1 + 1e-7
    assert_refuses(lambda: components(W), ["W", "not symmetric"])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_entries_near_the_largest_float_serve_where_their_sum_is_one(form):
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 4e307
    assert ncut(form(W), [0, 0, 1, 1]) == 0 and components(form(W)).tolist() == [2, 2]
    assert connectivity(form(1e306 * (1 - np.eye(5)))).whole == pytest.approx(1.25)
    assert affinity(form(W), "sum").max() == 8e307


@pytest.mark.parametrize(("call", "argument", "words"), CALLS)
def test_bad_matrices_are_named(call, argument, words):
    assert_refuses(lambda: call(argument), words)


@pytest.mark.parametrize(("call", "words"), SETTINGS)
def test_bad_settings_are_named(call, words):
    assert_refuses(call, words)


@pytest.mark.parametrize("name", TAKES_THETAS)
def test_bad_thetas_are_named(name):
    for pair in THETAS:
        assert_refuses(lambda pair=pair: TAKES_THETAS[name](*pair), ["theta"])


def test_counts_beyond_any_size_mean_all():
    for stage in (diffusion, mutual):
        most = stage(W, neighbours=12).toarray()
        np.testing.assert_array_equal(stage(W, neighbours=10**30).toarray(), most)
    for rule in ("Mutual", "Diffusion"):
        most = account(W, 0, 1, rule, neighbours=12)
        assert account(W, 0, 1, rule, neighbours=10**30).after == most.after
    for form in (W, W.toarray()):
        most, beyond = (densify(form, "D2", hops) for hops in (12, 10**30))
        assert abs(beyond - most).max() == 0


def test_thetas_count_for_pce_alone():
    star = densify(W, "D1")
    np.testing.assert_array_equal(
        changes(W, star, "D1", "x", None).after, changes(W, star, "D1").after
    )
    assert explain(W, 0, 1, "x", rule="D1") == explain(W, 0, 1, rule="D1")


@pytest.mark.parametrize("name", TAKES_SEED)
def test_bad_seeds_are_named(name):
    for value in ("x", -1, 1.5, 2**33, np.nan, [1]):
        more = {"random_state": value}
        assert_refuses(lambda more=more: TAKES_SEED[name](more), ["random_state", repr(value)])


@pytest.mark.parametrize("name", TAKES_JOBS)
def test_bad_numbers_of_threads_are_named(name):
    for value in ("2", 0, -2, 1.5, np.nan, [1], True):
        more = {"n_jobs": value}
        assert_refuses(lambda more=more: TAKES_JOBS[name](more), ["n_jobs", repr(value)])


READS_MATRIX = TAKES_UNIT_AFFINITY | TAKES_AFFINITY | TAKES_COEFFICIENTS


@pytest.mark.parametrize("name", READS_MATRIX)
def test_what_is_given_stays_as_it_is(name):
    turned = W.copy()
    for a, b in zip(W.indptr, W.indptr[1:], strict=False):
        turned.indices[a:b], turned.data[a:b] = W.indices[a:b][::-1], W.data[a:b][::-1]
    kept = turned.copy()
    if name == "changes" or name.endswith("W_star"):
        changes(turned, turned)
    else:
        READS_MATRIX[name](turned)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(turned, part), getattr(kept, part))


@pytest.mark.parametrize("name", [
    name for name, method in METHODS.items() if any(p.name == "power" for p in method.parameters)
])  # fmt: skip
def test_a_power_that_would_overflow_is_named(name):
    C = METHODS[name].solve(X, n_clusters=2, power=1000).C
    assert np.isfinite(C).all()
    for power in (1001, 10**30):
        settings = {"n_clusters": 2, "power": power}
        assert_refuses(lambda more=settings: METHODS[name].solve(X, **more), ["power", "1000"])


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_of_every_method_has_limits(name):
    method = METHODS[name]
    for parameter in method.parameters:
        for value in (object(), float("nan"), None, "no such choice"):
            words = [parameter.name, repr(value)]
            settings = {parameter.name: value}
            assert_refuses(lambda settings=settings: method.settings(**settings), words)
    assert_refuses(lambda: method.solve(X, n_clusters=2, colour=1), ["colour", name])


def assert_refuses(call, words):
    with pytest.raises(ValueError) as caught:
        call()
    sentence = str(caught.value)
    assert sentence.endswith(".") and "\n" not in sentence, sentence
    assert len(sentence) < 400, "long values are cut"
    for word in words:
        assert word in sentence, sentence
