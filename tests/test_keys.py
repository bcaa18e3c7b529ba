"""What a session keeps between reruns: each setting that a result depends on is in its key.

The same change is made in a session that has results already, and in one that has none; both must
end with the same result. A key that leaves a setting out gives the old result in the first.
"""

from dataclasses import replace
from unittest.mock import MagicMock

import numpy as np
import pytest
import scipy.sparse as sp

import sdsc_core.run
import sdsc_core.sides
from pages.compare import running
from pages.server import sessions
from pages.shared import ahead, stop
from pages.shared import run as stages
from pages.shared.memory import Memory
from pages.shared.settings import GAMMA_MAX, METHOD, defaults
from sdsc_core import RunSettings, run_stages
from sdsc_core.compare import keep_everything
from sdsc_core.datasets import Dataset, make_subspaces, prepare

SPOT = MagicMock()  # where a bar may appear


class State(dict):
    """As `st.session_state`: names and attributes are the same."""

    __getattr__ = dict.__getitem__
    __setattr__ = dict.__setitem__


def small(seed=0, name="mine"):
    """Too large for a full decomposition, so that the seed decides the last bits of a vector."""
    made = make_subspaces(4, 3, 8, points_each=34, noise=0.3, random_state=seed)
    return Dataset(made.X + 0.2, made.labels, name, made.class_names)


@pytest.fixture
def session(monkeypatch):
    """Begins a session with the defaults and some settings."""

    def begin(data=None, **settings):
        start = {"data": "mine", "loaded": {"mine": data or small()}, "run_number": 1}
        state = State(defaults() | start | settings)
        for module in (stages, sessions, stop):
            monkeypatch.setattr(module, "st", MagicMock(session_state=state))
        return state

    return begin


def arrays(side):
    W = side.W.toarray() if sp.issparse(side.W) else side.W
    return [W, side.spectrum.eigenvalues, side.spectrum.vectors, side.labels, side.summary.conn.min]


def everything(state):
    """All that a screen shows of the present settings."""
    data = stages.current_data()
    run, problem = stages.show_or_last(data, SPOT)
    assert problem == ""
    asked = slice(None), slice(run.settings.gamma)  # the path may be longer
    return [
        data.name, data.X, data.labels, run.n_clusters, run.n_clusters_from, run.path.picks[asked],
        run.path.correlations[asked], *arrays(run.before), *arrays(run.after), *stages.causes(run),
    ]  # fmt: skip


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


CHANGES = {
    "gamma": 3, "theta1": 0.9, "theta2": 0.5, "dense": "D3", "residual": "centred",
    "similarity": "pair", "seed": 3, "clusters": "gap", "classes": [0, 2], "each": 33,
    "pca": 5, "unit": True, "centre": True, "standardise": True, "hide": True,
    "only": "3-120",
}  # fmt: skip


OTHERS = {
    "data": "yours", "theta3": 0.1, "k": 9, "self_weight": 0.5, "steps": 2, "neighbours": 4,
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_setting_reaches_every_result(session, name):
    changed = {name: CHANGES[name]}
    fresh = everything(session(**changed))
    state = session()
    before = everything(state)
    state.update(changed)
    assert not same(before, fresh), "the change must matter here"
    assert same(everything(state), fresh)
    state.update(defaults(name))
    assert same(everything(state), before)


@pytest.mark.parametrize(
    ("base", "change"),
    [
        ({"clusters": "own", "k": 4}, {"k": 7}),
        ({"dense": "D3"}, {"dense": "D2"}),
        ({"dense": "none"}, {"dense": "PCE"}),
        ({"dense": "none", "seed": 1}, {"seed": 2}),
        ({"dense": "D1"}, {"gamma": 2}),
        ({"dense": "Sinkhorn"}, {"self_weight": 0.1}),
        ({"dense": "Diffusion"}, {"steps": 1}),
        ({"dense": "Diffusion"}, {"neighbours": 3}),
        ({"dense": "Mutual"}, {"neighbours": 3}),
        ({"each": 20}, {"draw": 5}),
        ({"hide": True}, {"draw": 5}),
    ],
)
def test_a_change_from_other_settings_reaches_every_result(session, base, change):
    fresh = everything(session(**base | change))
    state = session(**base)
    before = everything(state)
    state.update(change)
    assert not same(before, fresh), "the change must matter here"
    assert same(everything(state), fresh)


def test_another_data_set_under_the_same_name(session):
    fresh = everything(session(small(1)))
    state = session()
    everything(state)
    state.loaded["mine"] = small(1)
    assert same(everything(state), fresh)


def test_the_same_numbers_under_another_name(session):
    state = session()
    everything(state)
    state.loaded["yours"] = small(name="yours")
    state.data = "yours"
    assert stages.current_data().name == "yours"


def test_the_same_file_read_in_another_way_says_so(session):
    state = session()
    everything(state)
    state.loaded["mine"] = replace(small(), note="Read otherwise.")
    assert stages.current_data().note == "Read otherwise."


def test_rows_that_only_have_a_name_count_once_they_are_known(session):
    state = session(only="~a name")
    assert len(stages.current_data().X) == len(small().X)
    state.long_rows = {"~a name": "3-120"}
    assert len(stages.current_data().X) == 118


def test_only_what_lies_after_a_change_is_computed_again(session, monkeypatch):
    done = []
    for module, stage in (
        (sdsc_core.run, "imc"),
        (sdsc_core.run, "dense_stage"),
        (sdsc_core.sides, "spectrum_of"),
        (stages, "changes"),
    ):
        work = getattr(module, stage)
        monkeypatch.setattr(
            module, stage, lambda *a, s=stage, w=work, **k: done.append(s) or w(*a, **k)
        )
    state = session()
    everything(state)
    assert set(done) == {"imc", "dense_stage", "spectrum_of", "changes"}
    for change, again in (
        ({}, set()),
        ({"theta1": 0.9}, {"dense_stage", "spectrum_of", "changes"}),
        ({"gamma": 4}, {"dense_stage", "spectrum_of", "changes"}),
        ({"seed": 9}, {"spectrum_of", "changes"}),
        ({"residual": "centred"}, {"imc", "dense_stage", "spectrum_of", "changes"}),
    ):
        done.clear()
        state.update(change)
        everything(state)
        assert set(done) - {"changes"} == again - {"changes"}


@pytest.mark.parametrize("name", ["data", *METHOD, "clusters", "k"])
def test_what_was_stopped_stays_stopped_until_a_setting_changes(session, name):
    state = session()
    everything(state)
    stop.stop_wanted()
    run, words = stages.show_or_last(stages.current_data(), SPOT)
    assert run is state.last and words.startswith("Stopped.")
    state.loaded["yours"] = small(1, "yours")
    state[name] = (CHANGES | OTHERS)[name]
    assert stages.show_or_last(stages.current_data(), SPOT)[1] == ""


def test_the_path_goes_ahead_of_the_slider_while_nobody_waits(session, monkeypatch):
    state = session()
    first = stages.show_or_last(stages.current_data(), SPOT)[0]
    state.longest.thread.join()
    whole, seconds = state.longest.found
    assert whole.picks.shape[1] == GAMMA_MAX and seconds > first.seconds["IMC"]
    assert np.array_equal(whole.picks[:, : state.gamma], first.path.picks[:, : state.gamma])
    monkeypatch.setattr(sdsc_core.run, "imc", None)  # nothing is left to search for
    state.gamma = 11
    run, problem = stages.show_or_last(stages.current_data(), SPOT)
    assert problem == "" and run.path is whole and run.seconds["IMC"] >= seconds


def test_a_path_that_is_not_cheap_ends_where_it_was_asked_for(session, monkeypatch):
    monkeypatch.setattr(ahead, "CHEAP", 0)
    state = session()
    run = stages.show_or_last(stages.current_data(), SPOT)[0]
    assert state.longest.thread is None and run.path.picks.shape[1] == state.gamma
    longer = stages.whole_path(run, SPOT)
    assert longer.picks.shape[1] == GAMMA_MAX
    state.gamma = 2
    assert stages.show_or_last(stages.current_data(), SPOT)[0].path is longer


def test_a_stop_leaves_the_path_as_long_as_it_is(session, monkeypatch):
    monkeypatch.setattr(ahead, "CHEAP", 0)
    session()
    run = stages.show_or_last(stages.current_data(), SPOT)[0]
    stop.stop_wanted()
    assert stages.whole_path(run, SPOT) is run.path


# --- the keys of the library's stages ---------------------------------------------------------


def all_of(run):
    vectors = [run.after.spectrum.eigenvalues, run.after.spectrum.vectors]
    W = [A.toarray() if sp.issparse(A) else A for A in (run.sparse.W, run.after.W)]
    return [run.n_clusters, run.n_clusters_from, *W, *vectors, run.after.labels]


TINY = make_subspaces(3, 3, 8, points_each=14, noise=0.4)
UNLABELLED = replace(TINY, labels=None, class_names=())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"gamma": 3}, {"gamma": 5}),
        ({"method": "KNN"}, {"method": "LSR"}),
        ({"method": "KNN", "params": {"n_neighbours": 3}}, {"method": "KNN"}),
        ({"method": "BDR", "n_clusters": 2}, {"method": "BDR", "n_clusters": 5}),
        ({"dense": "D1"}, {"dense": "D2"}),
        ({"dense": "D3"}, {"dense": "D3", "hops": 2}),
        ({"n_clusters": 3}, {"n_clusters": 4}),
        ({"data": TINY}, {"data": make_subspaces(3, 3, 8, points_each=14, random_state=1)}),
        ({"data": UNLABELLED, "dense": None}, {"data": UNLABELLED, "n_clusters": 2, "dense": None}),
    ],
)
def test_what_is_kept_of_one_run_does_not_reach_another(one, other):
    def run(given, keep=None):
        given = dict(given)
        return all_of(run_stages(given.pop("data", TINY), RunSettings(**given), keep=keep))

    for first, second in ((one, other), (other, one)):
        keep = keep_everything()
        assert not same_shapes_and_values(run(first, keep), run(second)), "the change must matter"
        assert same_shapes_and_values(run(second, keep), run(second))


def same_shapes_and_values(a, b):
    return len(a) == len(b) and all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def test_a_seed_reaches_the_method_that_draws_and_no_other():
    for method, differ in (("SSSC", True), ("KNN", False)):
        one, other = (RunSettings(method=method, seed=s).sparse_key() for s in (1, 2))
        assert (one != other) == differ
    assert RunSettings(n_clusters=2).sparse_key() == RunSettings(n_clusters=3).sparse_key()


def test_known_and_suggested_clusters_have_spectra_of_their_own():
    """As many clusters, but a suggestion looks at more eigenvalues."""
    keep = keep_everything()
    suggested = run_stages(UNLABELLED, RunSettings(dense=None), keep=keep)
    settings = RunSettings(dense=None, n_clusters=suggested.n_clusters)
    again, fresh = (run_stages(UNLABELLED, settings, keep=k) for k in (keep, None))
    assert len(again.after.spectrum.eigenvalues) == len(fresh.after.spectrum.eigenvalues)
    assert len(suggested.after.spectrum.eigenvalues) > len(fresh.after.spectrum.eigenvalues)


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 4}, {"dense": "D1"}, {"gamma": 4}, {"n_clusters": 5}, {"data": UNLABELLED},
        {"data": make_subspaces(3, 3, 8, points_each=14, noise=0.4, random_state=1)},
    ],
)  # fmt: skip
def test_what_a_screen_keeps_of_a_run_is_of_that_run(change):
    given = {"data": TINY, **change}
    data = given.pop("data")
    one, other = run_stages(TINY), run_stages(data, RunSettings(**given))
    assert stages.run_key(one) == stages.run_key(run_stages(TINY))
    assert stages.run_key(one) != stages.run_key(other)
    for side in ("side_of_w", "after"):  # each may have another number of clusters
        fewer = replace(one, **{side: replace(one.after, k=2)})
        assert stages.run_key(fewer) != stages.run_key(one)


# --- the cells of a comparison ----------------------------------------------------------------

RAW = small()
OPTIONS = {"per_class": 20, "random_state": 0}
JOB = running.Job(
    prepare(RAW, **OPTIONS), RAW, OPTIONS, "SSSC", "PCE", 0, 4, {"gamma0": 0.1}, 0, (0.8, 0.6)
)


@pytest.mark.parametrize(
    ("change", "of_the_method"),
    [
        ({"data": small(1)}, True),
        ({"raw": small(1)}, True),
        ({"options": OPTIONS | {"random_state": 1}}, True),
        ({"options": OPTIONS | {"per_class": 19}}, True),
        ({"method": "BDR"}, True),
        ({"params": {"gamma0": 0.2}}, True),
        ({"n_clusters": 5}, True),
        ({"seed": 1}, True),
        ({"method": "KNN", "seed": 1}, True),
        ({"method": "k-means", "params": {}}, True),
        ({"repeat": 1}, False),
        ({"dense": "D3"}, False),
        ({"thetas": (0.8, 0.5)}, False),
    ],
)
def test_a_cell_is_found_again_by_all_it_depends_on(change, of_the_method):
    other = replace(JOB, **change)
    assert other.key != JOB.key and replace(other).key == other.key
    assert (other.solve_key != JOB.solve_key) == of_the_method


def test_a_seed_counts_for_the_clusters_of_every_method():
    one, other = (replace(JOB, method="KNN", params={}, seed=s) for s in (0, 1))
    assert one.solve_key == other.solve_key and one.key != other.key
    one, other = (replace(JOB, method="k-means", params={}, seed=s) for s in (0, 1))
    assert one.key != other.key
    one, other = (replace(JOB, method=m, params={}) for m in ("KNN", "LSR"))
    assert one.solve_key != other.solve_key, "though neither draws"


def test_each_repeat_and_each_data_set_has_its_own_draw():
    drawn, memory = {}, Memory(10**9)
    for repeat in (1, 2):
        for raw in (RAW, small(1)):
            options = OPTIONS | {"random_state": repeat}
            job = replace(JOB, raw=raw, repeat=repeat, options=options)
            np.testing.assert_array_equal(job.points(memory).X, prepare(raw, **options).X)
            drawn[job.points(memory).digest] = job
    assert len(drawn) == 4 and JOB.points(memory) is JOB.data


def test_the_affinities_of_a_comparison_are_told_apart():
    memory = Memory(10**9)
    for method in ("KNN", "LSR"):
        for stage in ("none", "D1"):
            job = replace(JOB, method=method, params={}, dense=stage, thetas=())
            data = job.points(memory)
            fresh = run_stages(data, job.settings(), only_dense=True)
            keep = running.keep_sparse(memory)
            kept = run_stages(data, job.settings(), only_dense=True, keep=keep)
            assert same_shapes_and_values(all_of(kept), all_of(fresh))
