"""Bad input: one sentence that names the argument and its value, for every public entry."""

import numpy as np
import pytest
import scipy.sparse as sp

from sdsc_core import (
    METHODS,
    SDSC,
    affinity,
    analyse,
    clustering_accuracy,
    connectivity,
    cut_vol,
    datasets,
    dense_stage,
    densify,
    explain,
    imc,
    inside_share,
    ncut,
    nmi,
    pce,
    spectral_clustering,
    spectrum,
    summarise,
)
from sdsc_core.blocks import n_threads

X = np.random.default_rng(0).standard_normal((12, 5))
W = imc(X, 3).affinity()
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


# What is called, and what its sentence must hold: the argument's name and its value or shape.
DATA = {
    "nan": (spoilt(np.nan), ["X", "NaN", "row 7"]),
    "inf": (spoilt(-np.inf), ["X", "infinite", "row 7"]),
    "text": ([["a", "b"], ["c", "d"]], ["X", "not real numbers"]),
    "complex": (X + 1j, ["X", "not real numbers"]),
    "sparse": (sp.csr_array(X), ["X", "sparse"]),
    "one dimension": (X[0], ["X", "(5,)"]),
    "three dimensions": (X[None], ["X", "(1, 12, 5)"]),
    "no points": (X[:0], ["X", "0 sample"]),
    "one point": (X[:1], ["X", "1 sample"]),
    "one feature": (X[:, :1], ["X", "1 feature"]),
}
AFFINITY = {
    "not square": (np.zeros((3, 4)), ["W", "(3, 4)"]),
    "a vector": (np.zeros(3), ["W", "(3,)"]),
    "not symmetric": (edited(0.987, both=False), ["W", "not symmetric"]),
    "negative": (edited(-0.25), ["W", "-0.25"]),
    "nan": (edited(np.nan), ["W", "NaN"]),
    "inf": (edited(np.inf), ["W", "infinite"]),
    "text": (np.array([["a", "b"], ["b", "a"]]), ["W", "not real numbers"]),
}
ABOVE_ONE = {"above one": (edited(1.5), ["W", "1.5", "[0, 1]"])}
TAKES_DATA = {"imc": imc, "SDSC": lambda X: SDSC(2).fit(X)} | {
    name: method.solve for name, method in METHODS.items() if not method.needs_clusters
}
TAKES_AFFINITY = {
    "spectrum": lambda W: spectrum(W, 2),
    "spectral_clustering": lambda W: spectral_clustering(W, 2),
    "connectivity": connectivity,
    "cut_vol": lambda W: cut_vol(W, np.zeros(len(W))),
    "ncut": lambda W: ncut(W, np.zeros(len(W))),
    "inside_share": lambda W: inside_share(W, np.zeros(len(W))),
}
TAKES_UNIT_AFFINITY = {
    "pce": pce,
    "densify": densify,
    "explain": lambda W: explain(W, 0, 1),
    "dense_stage": dense_stage,
}
CALLS = [
    pytest.param(call, argument, words, id=f"{name}-{case}")
    for callables, cases in (
        (TAKES_DATA, DATA),
        (TAKES_AFFINITY, AFFINITY),
        (TAKES_UNIT_AFFINITY, AFFINITY | ABOVE_ONE),
    )
    for name, call in callables.items()
    for case, (argument, words) in cases.items()
]

SETTINGS = [
    (lambda: imc(X, 0), ["n_iterations", "0"]),
    (lambda: imc(X, 12), ["n_iterations", "12"]),
    (lambda: imc(X, 2.5), ["n_iterations", "2.5"]),
    (lambda: imc(X, True), ["n_iterations", "True"]),
    (lambda: imc(X, 3).coefficients(4), ["gamma", "4"]),
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
    (lambda: nmi(HALF, HALF[:4]), ["y_pred", "(4,)"]),
    (lambda: SDSC(13).fit(X), ["n_clusters", "13"]),
    (lambda: SDSC(0).fit(X), ["n_clusters", "0"]),
    (lambda: SDSC(2, "KMEANS").fit(X), ["method", "'KMEANS'", "'IMC'"]),
    (lambda: SDSC(2, dense="P").fit(X), ["dense", "'P'"]),
    (lambda: SDSC(2, theta1=0.5).fit(X), ["theta1", "0.5"]),
    (lambda: SDSC(2, n_iterations=12).fit(X), ["n_iterations", "12"]),
    (lambda: SDSC(2, method_params={"colour": 1}).fit(X), ["colour", "IMC"]),
    (lambda: datasets.sample("cats"), ["name", "'cats'", "'faces'"]),
    (lambda: datasets.load("there/is/none.csv"), ["path", "none.csv"]),
    (lambda: datasets.load("picture.gif"), ["picture.gif", ".csv"]),
    (lambda: datasets.make_subspaces(dim=11), ["dim", "11"]),
    (lambda: datasets.make_subspaces(noise=-1), ["noise", "-1"]),
]


@pytest.mark.parametrize(("call", "argument", "words"), CALLS)
def test_bad_matrices_are_named(call, argument, words):
    assert_refuses(lambda: call(argument), words)


@pytest.mark.parametrize(("call", "words"), SETTINGS)
def test_bad_settings_are_named(call, words):
    assert_refuses(call, words)


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
    for word in words:
        assert word in sentence, sentence
