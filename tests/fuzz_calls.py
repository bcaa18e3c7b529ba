"""Public functions called at random: ``python -m tests.fuzz_calls --count 10000``.

Arguments are drawn by the names of the parameters, most of them sound, some of them odd. A call
gives a right result or a ValueError, whatever it was given, and leaves its arguments as they were.
What a right result is, is said below: w* ≥ w, symmetry, the same in any order of the points and
with any number of threads.
"""

import argparse
import inspect
import sys
import time
import traceback
import warnings
import zlib
from collections import Counter

import numpy as np
import scipy.sparse as sp

import sdsc_core
from sdsc_core import METHODS, SDSC, Grid, RunSettings, datasets
from sdsc_core.datasets import Dataset
from sdsc_core.memory import check_memory, free_room

ODD = 0.12  # share of arguments that are odd
FOUND = ("found", "connectivity")  # a spectrum, elsewhere labels
FILLED = ("kept",)  # a dictionary that results are put into
SKIPPED = ("client", "progress", "start", "spectrum_", "memory_mb", "keep", "report", "clock")


def data(rng, n):
    """Samples (N, D), now and then with a zero, a repeated or a constant one."""
    X = rng.standard_normal((n, int(rng.integers(2, 8))))
    if rng.random() < 0.3:
        X[int(rng.integers(n))] = rng.choice([0.0, 1.0])
        X[int(rng.integers(n))] = X[int(rng.integers(n))]
    return X


def affinity(rng, n):
    """Symmetric, in [0, 1], from empty to full, an array or CSR."""
    W = np.where(rng.random((n, n)) < rng.random(), rng.choice([rng.random((n, n)).round(1)]), 0.0)
    W = np.maximum(W, W.T)
    np.fill_diagonal(W, 0.0)
    return W if rng.random() < 0.5 else sp.csr_array(W)


def odd(rng, n):
    """What nobody should give."""
    X = data(rng, n)
    bad = X.copy()
    bad.flat[0] = rng.choice([np.nan, np.inf, -np.inf, 1e308])
    return [
        None, "x", "", b"x", -1, 0, 1.5, np.nan, np.inf, 10**30, True, [], {}, [1, "a"], object(),
        bad, X.astype(object), X.astype(complex), X[:0], X[:, :0], X[0], X[None], -np.abs(X),
        np.array(5.0), sp.csr_array(X), np.array(["a", "b"]), X.T @ X, np.ma.array(X),
        [[1], [2, 3]], np.datetime64("2020-01-01"), range(3), lambda: 1,
    ][int(rng.integers(32))]  # fmt: skip


def sound(name, rng, n, W):
    """A value that a parameter of this name may have."""
    labels = rng.integers(0, rng.integers(1, 4), n)
    small, share = int(rng.integers(1, 6)), round(rng.random(), 2)
    points = rng.integers(0, n, 2)
    values = {
        "X": lambda: data(rng, n), "C": lambda: W,
        "W": lambda: W, "W_star": lambda: sdsc_core.densify(W, "D3"),
        "data": lambda: Dataset(data(rng, n), labels, "d", ("a", "b", "c")),
        "dataset": lambda: Dataset(data(rng, n), labels, "d", ("a", "b", "c")),
        "settings": lambda: RunSettings(gamma=small, dense=rng.choice(["PCE", "D1"])),
        "i": lambda: int(points[0]), "j": lambda: int(points[1]), "point": lambda: int(points[0]),
        "theta1": lambda: 0.5 + share / 2, "theta2": lambda: share / 2,
        "rule": lambda: str(rng.choice(["PCE", "D1", "D2", "D3"])),
        "transform": lambda: str(rng.choice(["D1", "D2", "D3"])),
        "dense": lambda: rng.choice(["PCE", "D2", None]),
        "residual": lambda: str(rng.choice(["as_printed", "centred"])),
        "similarity": lambda: str(rng.choice(["residual", "pair"])),
        "search": lambda: str(rng.choice(["auto", "tree", "gram", "blocks"])),
        "eigenvalues": lambda: np.sort(rng.random(6))[::-1],
        "changed": lambda: sdsc_core.changes(W, sdsc_core.pce(W)),
        "hops": lambda: rng.choice([1, 2, None]), "n_jobs": lambda: int(rng.integers(1, 3)),
        "random_state": lambda: small, "only_dense": lambda: bool(rng.integers(2)),
        "affine": lambda: bool(rng.integers(2)), "criteria": lambda: bool(rng.integers(2)),
        "share": lambda: 0.5 + share / 2, "seeds": lambda: [small, 0][: int(rng.integers(1, 3))],
        "grid": lambda: Grid(gamma=(1,), theta1=(0.8,), theta2=(share / 2,), dense=("PCE", "D1")),
        "seconds": lambda: 1, "findings": lambda: None, "kept": dict,
        "dimension": lambda: rng.choice([0, 1, None]), "cost": lambda: share,
    }  # fmt: skip
    if name in values:
        return values[name]()
    if name in ("labels", "y_true", "y_pred", "found", "truth"):
        return labels
    return small  # n_clusters, n_iterations, n_vectors and other counts


def arguments(function, rng):
    """Keyword arguments, and whether all of them are sound."""
    n = int(rng.integers(2, 15))
    W, given, right = affinity(rng, n), {}, True
    for name, parameter in inspect.signature(function).parameters.items():
        optional = parameter.default is not parameter.empty
        if name in SKIPPED or parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        if optional and (rng.random() < 0.6 or (name, function.__name__) == FOUND):
            continue
        if rng.random() < ODD:
            given[name], right = odd(rng, n), False
        else:
            given[name] = sound(name, rng, n, W)
    return given, right


def frozen(value):
    """What of a value must be the same afterwards."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes() if not value.dtype.hasobject else ""
    if sp.issparse(value):
        return tuple(frozen(a) for a in (value.data, value.indices, value.indptr))
    return repr(value) if isinstance(value, (list, dict, int, float, str)) else ""


def dense(W):
    return W.toarray() if sp.issparse(W) else np.asarray(W)


def check(name, given, result):
    """What makes a result right."""
    if name in ("pce", "densify", "dense_stage"):
        check_star(name, given, result)
    elif name == "imc":
        check_path(given, result)
    elif name in ("clustering_accuracy", "nmi", "inside_share", "preserving_error"):
        assert np.isnan(result) or -1e-12 <= result <= 1 + 1e-12, result
    elif name == "ncut":
        assert result >= 0
    elif name == "connectivity":
        assert -1e-12 <= result.whole <= 2
    elif name == "spectral_clustering":
        assert result.shape == (dense(given["W"]).shape[0],)
        assert result.min() >= 0 and result.max() < given["n_clusters"]
    elif name == "spectrum":
        V = result.vectors
        np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-6)
        assert (np.diff(result.eigenvalues) <= 1e-6).all()
    elif name == "affinity":
        A = dense(result)
        assert (A == A.T).all() and A.min() >= 0


def check_star(name, given, star):
    """No entry falls, symmetry, the same in another order and with another number of threads."""
    W, star = dense(given["W"]).astype(float), dense(star)
    assert (star >= W).all() and star.max(initial=0) <= 1
    np.testing.assert_allclose(star, star.T, rtol=1e-12, atol=0)
    function = getattr(sdsc_core, name)
    again = dense(function(**given | {"n_jobs": 1 if given.get("n_jobs") == 2 else 2}))
    assert np.array_equal(star, again), "threads"
    order = np.random.default_rng(len(W)).permutation(len(W))
    mixed = dense(function(**given | {"W": W[np.ix_(order, order)]}))
    np.testing.assert_allclose(mixed, star[np.ix_(order, order)], atol=1e-6)


def check_path(given, path):
    """No point picks itself; threads; another order, where no two points tie."""
    X = np.asarray(given["X"], float)
    assert path.picks.max(initial=-1) < len(X)
    assert not (path.picks == np.arange(len(X))[:, None]).any()
    assert path.correlations.min() >= 0 and path.correlations.max() <= 1
    again = sdsc_core.imc(**given | {"n_jobs": 1 if given.get("n_jobs") == 2 else 2})
    assert np.array_equal(path.picks, again.picks), "threads"
    exact = np.random.default_rng(0).standard_normal((9, 20))  # no ties in it
    order = np.random.default_rng(len(X)).permutation(9)
    one, two = (sdsc_core.imc(Z, 3).affinity().toarray() for Z in (exact, exact[order]))
    np.testing.assert_allclose(two, one[np.ix_(order, order)], atol=1e-10)


def functions():
    """All that can be called: exported functions, methods, the estimator, making of data."""
    found = {
        name: getattr(sdsc_core, name)
        for name in sdsc_core.__all__
        if inspect.isfunction(getattr(sdsc_core, name))
    }
    found |= {f"METHODS[{name!r}]": method.function for name, method in METHODS.items()}
    for name in ("make_subspaces", "prepare", "fill_missing", "describe"):
        if hasattr(datasets, name):
            found[f"datasets.{name}"] = getattr(datasets, name)
    found["SDSC"] = lambda n_clusters, X, method="IMC", dense="PCE": SDSC(
        n_clusters, method=method, dense=dense
    ).fit_predict(X)
    found["check_memory"] = lambda n_clusters: check_memory(free_room(), "it", n_clusters)
    return found


def fuzz(count, seed=0):
    """Call them in turn: how many calls gave a result or a ValueError, and one of each fault.

    What a call is given depends on its function, its number and the seed alone, so that a new
    function changes nothing for the others.
    """
    tally, faults = Counter(), {}
    every = functions()
    names = sorted(every)
    for k in range(count):
        name, own = names[k % len(names)], k // len(names)
        rng = np.random.default_rng([seed, zlib.crc32(name.encode()), own])
        given, right = arguments(every[name], rng)
        before = {key: frozen(value) for key, value in given.items() if key not in FILLED}
        try:
            try:
                result = every[name](**given)
            except ValueError as problem:
                assert str(problem)
                tally["refused" if not right else "refused, though all arguments are sound"] += 1
            else:
                tally["result"] += 1
                check(name, given, result)
            after = {key: frozen(given[key]) for key in before}
            assert before == after, "an argument was changed"
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = name, type(error).__name__, last.filename, last.lineno
            faults.setdefault(where, f"call {own} of seed {seed}: {name}({given}): {error}")
    return tally, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    begun = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tally, faults = fuzz(options.count, options.seed)
    print(f"{options.count:,} calls in {time.monotonic() - begun:.0f} s: {dict(tally)}")
    for where, call in faults.items():
        print(*where, call, sep="\n    ")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
