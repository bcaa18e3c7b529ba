"""One run: equal to its stages called one by one, and after a change only what lies behind it."""

import threading
from dataclasses import replace

import numpy as np
import pytest

from sdsc_core import (
    clustering_accuracy,
    datasets,
    dense_stage,
    imc,
    memory,
    spectral,
    spectral_clustering,
    spectrum,
    summarise,
)
from sdsc_core import run as run_module
from sdsc_core.dense import sparse_pass
from sdsc_core.run import run_stages
from sdsc_core.settings import RunSettings, read_setting, spell_setting
from sdsc_core.sides import cluster_side, n_vectors


@pytest.fixture(scope="module")
def data():
    return datasets.make_subspaces(3, 3, 12, 20, noise=0.05, random_state=1)


@pytest.mark.parametrize("dense", [None, "PCE", "D1", "D2", "D3"])
def test_run_equals_its_stages(data, dense):
    s = RunSettings(gamma=4, dense=dense, theta1=0.7, theta2=0.4, seed=3, residual="centred")
    run = run_stages(data, s)
    W = imc(data.X, 4, residual="centred").affinity()
    star = dense_stage(W, dense, 0.7, 0.4)
    for side, A in ((run.before, W), (run.after, star)):
        assert (side.W != A).nnz == 0
        top = spectrum(A, 16, 3, 3)
        labels = spectral_clustering(A, 3, 3, spectrum_=top)
        assert side.labels.tolist() == labels.tolist()
        assert side.summary.acc == clustering_accuracy(data.labels, labels)
        assert side.summary.ncut == summarise(A, labels, data.labels).ncut


class Memory:
    """Keeps every stage and notes which were computed."""

    def __init__(self):
        self.kept, self.computed = {}, []

    def __call__(self, stage, key, compute):
        if (stage, key) not in self.kept:
            self.computed.append(stage)
            self.kept[stage, key] = compute()
        return self.kept[stage, key]


EVERYTHING = {"IMC", "sparse", "dense", "W* side", "W side"}


@pytest.mark.parametrize(
    ("change", "computed"),
    [
        ({}, set()),
        ({"theta1": 0.7}, {"dense", "W* side"}),
        ({"theta2": 0.5}, {"dense", "W* side"}),
        ({"dense": "D3"}, {"dense", "W* side"}),
        ({"dense": None}, set()),  # W* is W
        ({"gamma": 3}, EVERYTHING),
        ({"residual": "centred"}, EVERYTHING),
        ({"similarity": "pair"}, EVERYTHING),
        ({"seed": 1}, {"W side", "W* side"}),
        ({"n_clusters": 4}, {"W side", "W* side"}),
        ({"method": "LSR"}, EVERYTHING - {"IMC"}),
    ],
)
def test_only_what_lies_after_a_change_is_computed(data, change, computed):
    memory, first = Memory(), RunSettings(gamma=4)
    run_stages(data, first, keep=memory)
    assert set(memory.computed) == EVERYTHING
    memory.computed.clear()
    second = replace(first, **change)
    kept = run_stages(data, second, keep=memory)
    assert sorted(memory.computed) == sorted(computed), "each once"
    fresh = run_stages(data, second)
    assert kept.after.labels.tolist() == fresh.after.labels.tolist()
    assert kept.before.summary.ncut == fresh.before.summary.ncut
    assert abs(kept.after.W - fresh.after.W).max() == 0


@pytest.mark.parametrize(("gamma", "asked"), [(3, []), (5, []), (6, [1]), (9, [4])])
def test_a_path_serves_a_smaller_gamma_and_is_continued_for_a_larger(
    data, gamma, asked, monkeypatch
):
    first = run_stages(data, RunSettings(gamma=5))
    fresh = run_stages(data, RunSettings(gamma=gamma))
    searched = []

    def counted(X, n_iterations, *, start, **rest):
        searched.append(n_iterations - start.picks.shape[1])
        return imc(X, n_iterations, start=start, **rest)

    monkeypatch.setattr(run_module, "imc", counted)
    run = run_stages(data, RunSettings(gamma=gamma), start=(first.path, 100.0))
    assert searched == asked
    assert np.array_equal(run.path.picks[:, :gamma], fresh.path.picks)
    assert abs(run.after.W - fresh.after.W).max() == 0
    assert run.seconds["IMC"] >= 100, "what the beginning took is part of it"


def test_other_data_shares_nothing(data):
    memory = Memory()
    run_stages(data, keep=memory)
    memory.computed.clear()
    renamed = replace(data, labels=data.labels[::-1].copy())
    run_stages(renamed, keep=memory)
    assert set(memory.computed) == EVERYTHING


def test_clusters_are_suggested_beyond_fifteen():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.standard_normal((20, 60)), 12, axis=0) + 0.3 * rng.standard_normal((240, 60))
    run = run_stages(datasets.Dataset(X, None, "many"), RunSettings(similarity="pair"))
    assert (run.n_clusters, run.n_clusters_from) == (20, "suggested by the eigengap")
    assert run.after.summary.acc is None


def test_only_the_dense_side(data):
    run = run_stages(data, RunSettings(dense="D3"), only_dense=True)
    assert run.after.summary.acc is not None
    with pytest.raises(ValueError, match="without only_dense"):
        _ = run.before


def test_a_spectrum_that_does_not_fit_is_not_used(data):
    W = imc(data.X, 2).affinity()
    short = spectrum(W, 2, 2)
    assert len(cluster_side(W, 3, found=short).spectrum.eigenvalues) == n_vectors(60, 3)


@pytest.mark.parametrize("apart", [True, False])
def test_progress_is_named_by_stage(data, apart, monkeypatch):
    monkeypatch.setattr(run_module, "APART", 10**9 if apart else 0)
    titles = []

    def report(title):
        titles.append(title)
        return lambda done, total: None

    run_stages(data, report=report)
    assert [t.split(",")[0] for t in titles] == [
        "IMC", "W", "Dense stage", "Eigenvectors of W", "Eigenvectors of W*", "Eigenvectors of W"
    ][: 5 if apart else 6]  # fmt: skip


def test_both_sides_are_computed_at_once_where_progress_is_watched(data, monkeypatch):
    """Where there are many points."""
    monkeypatch.setattr(run_module, "APART", 0)
    both, cluster = threading.Barrier(2, timeout=60), run_module.cluster_side

    def meet(*args, **rest):
        both.wait()  # broken, if one waits for the other's end
        return cluster(*args, **rest)

    alone = run_stages(data)
    monkeypatch.setattr(run_module, "cluster_side", meet)
    run = run_stages(data, report=lambda title: lambda done, total: None)
    for side, same in ((run.before, alone.before), (run.after, alone.after)):
        assert np.array_equal(side.labels, same.labels)
        assert np.array_equal(side.spectrum.vectors, same.spectrum.vectors)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"gamma": 0}, "gamma is 0"),
        ({"gamma": "gap"}, "gamma is 'gap'"),
        ({"gamma": None}, "gamma is None"),
        ({"theta1": np.ones(2)}, "theta1 is array"),
        ({"theta1": 0.5}, "theta"),
        ({"dense": "D9"}, "dense is 'D9'"),
        ({"method": "ABC"}, "method is 'ABC'"),
        ({"n_clusters": 0}, "n_clusters is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"method": "LSR", "params": {"lam": -1.0}}, "lam is -1"),
    ],
)
def test_settings_refuse_in_a_sentence(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        RunSettings(**bad)


def test_settings_are_spelt_and_read_back():
    s = RunSettings(gamma=9, dense=None, theta1=0.95, n_clusters=4, hops=None)
    for name, value in s.changed().items():
        assert read_setting(name, spell_setting(value)) == value
    with pytest.raises(ValueError, match="gamma is 'x'; give a whole number"):
        read_setting("gamma", "x")
    assert read_setting("theta1", "0.5") == 0.5, "with a smaller θ₂ it is a good one"
    for text in ("nan", "1.5", "-0.1"):
        with pytest.raises(ValueError, match="from 0 to 1"):
            read_setting("theta1", text)


def test_gamma_has_no_upper_limit_but_the_points(data):
    assert run_stages(data, RunSettings(gamma=59)).sparse.path.picks.shape == (60, 59)
    with pytest.raises(ValueError, match="gamma is 60"):
        run_stages(data, RunSettings(gamma=60))


def test_labels_are_the_same_for_any_number_of_threads(data):
    one, two = (run_stages(data, n_jobs=n).after.labels for n in (1, 2))
    assert np.array_equal(one, two)


@pytest.mark.parametrize("stage", ["IMC", "the dense stage", "spectral clustering"])
def test_a_stage_that_does_not_fit_is_refused_before_it_starts(data, stage, monkeypatch):
    check = memory.check_memory

    def little_for_one(needed, what, *args, **settings):
        check(needed, what, *args, **settings | {"limit": needed - (what == stage)})

    for module in (run_module, sparse_pass, spectral):
        monkeypatch.setattr(module, "check_memory", little_for_one)
    with pytest.raises(ValueError, match=f"has 60 points, for which {stage} needs about"):
        run_stages(data, RunSettings(gamma=4))


def test_seconds_are_read_from_the_clock_that_is_given():
    ticks = iter(range(0, 1000, 7))
    small, settings = datasets.make_subspaces(2, 2, 20, 10), RunSettings(gamma=2)
    run = run_stages(small, settings, clock=lambda: next(ticks))
    assert run.seconds and set(run.seconds.values()) <= set(range(0, 200, 7))
