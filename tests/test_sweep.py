"""Sweeps: what each setting gives is what a run gives, nothing is computed twice, a stop loses
nothing, and criteria without labels are what they say."""

import json
from dataclasses import replace
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score, silhouette_score

from sdsc_core import (
    Cancelled,
    Grid,
    RunSettings,
    cli,
    clustering_accuracy,
    connectivity,
    datasets,
    imc,
    ncut,
    nmi,
    run_stages,
    sides,
    spectrum,
    sweep,
    sweeping,
)
from sdsc_core.compare import suggest_clusters
from sdsc_core.experiments import criteria as measured
from sdsc_core.experiments.keeping import Row
from sdsc_core.experiments.sweep_file import SweepFile
from sdsc_core.sweeping import Outcome, Result, criteria, measures, running

SMALL = Grid(
    gamma=(3, 5), theta1=(0.7, 0.8), theta2=(0.5, 0.7), dense=("PCE", None, "D3"),
    similarity=("residual", "pair"),
)  # fmt: skip


@pytest.fixture(scope="module")
def noisy():
    return datasets.make_subspaces(4, 3, 12, 25, noise=0.3)


@pytest.fixture(scope="module")
def swept(noisy):
    return sweep(noisy, SMALL, draws=2, seeds=(0, 1))


def test_a_grid_has_each_setting_once_and_only_those_that_can_be():
    settings = SMALL.settings()
    assert len(settings) == 2 * 2 * (3 + 1 + 1)  # three pairs with θ₁ > θ₂, no θ for the others
    assert len({s.dense_key() for s in settings}) == len(settings)
    assert all(s.theta1 > s.theta2 for s in settings if s.dense == "PCE")
    keys = [s.sparse_key() for s in settings]
    changes = sum(a != b for a, b in pairwise(keys))
    assert changes == len(set(keys)) - 1, "settings of one W stand together"
    lines = {(s.theta1, s.theta2) for s in Grid.figure2().settings()}
    assert lines == {(a, 0.6) for a in sweeping.Grid().theta1} | {
        (0.8, b) for b in sweeping.Grid().theta2
    }
    with pytest.raises(ValueError, match="θ₁ > θ₂"):
        Grid(theta1=(0.4,), theta2=(0.6,)).settings()


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("gamma", "3:x", "whole number"),
        ("gamma", "5:3", "FIRST:LAST:STEP"),
        ("theta1", "0.1:0.9:0", "FIRST:LAST:STEP"),
        ("theta1", "0:1:0.0001", "at most 200"),
        ("theta2", "1.5", "from 0 to 1"),
        ("dense", "D1:D3", "commas"),
        ("dense", "D9", "choose one of"),
    ],
)
def test_axes_that_cannot_be_read_say_why(name, text, wrong):
    with pytest.raises(ValueError, match=wrong):
        sweeping.read_axis(name, text)


def test_axes_are_read_as_they_are_spelt():
    for values in ((3, 4, 5), (0.65, 0.7), (None, "PCE"), (7,)):
        name = {int: "gamma", float: "theta1"}.get(type(values[-1]), "dense")
        assert sweeping.read_axis(name, sweeping.spell_axis(values)) == values
    assert sweeping.read_axis("theta1", "0.65:0.95:0.05") == sweeping.Grid().theta1


def test_every_setting_gives_what_a_run_gives(noisy, swept):
    for outcome in swept[::3]:
        for seed in (0, 1):
            run = run_stages(noisy, replace(outcome.settings, seed=seed), only_dense=True)
            s = run.after.summary
            [found] = [r.figures for r in outcome.results if (r.draw, r.seed) == (0, seed)]
            ours = [found[name] for name in ("acc", "nmi", "conn", "conn_min", "conn_whole")]
            theirs = [s.acc, s.nmi, s.conn.mean, s.conn.min, s.conn.whole]
            assert ours[:4] == theirs[:4] and ours[4] == pytest.approx(theirs[4], abs=1e-6)
            assert found["ncut"] == pytest.approx(s.ncut)
            assert found["density"] == pytest.approx(s.density)
            assert found["components"] == len(s.component_sizes)
            assert found["cut"] == pytest.approx(ncut(run.after.W, run.after.labels))


def test_without_labels_figures_go_by_the_found_clusters(noisy):
    blind = datasets.Dataset(noisy.X, None, "no labels")
    settings = [RunSettings(gamma=5)]
    [outcome] = sweep(blind, settings, n_clusters=4)
    s = run_stages(blind, RunSettings(gamma=5, n_clusters=4)).after.summary
    figures = outcome.results[0].figures
    assert figures["acc"] is None and np.isnan(outcome.mean("acc"))
    assert figures["conn"] == pytest.approx(s.conn.mean, abs=1e-6)
    assert figures["ncut"] == figures["cut"] == pytest.approx(s.ncut)
    # A suggestion must not see the labels: all criteria are the same with and without them.
    [labelled] = sweep(noisy, settings, n_clusters=4)
    for name in set(sweeping.CRITERIA) - {"stability", "seed_stability"}:
        assert labelled.results[0].figures[name] == figures[name], name


def test_criteria_can_be_left_out(noisy, swept):
    kept = {}
    found = sweep(noisy, SMALL, draws=2, seeds=(0, 1), criteria=False, kept=kept)
    known = sweeping.known_figures(found)
    assert not {"silhouette", "eigengap"} & set(known)
    assert {"acc", "cut", "stability"} <= set(known)
    assert [o.mean("acc") for o in found] == [o.mean("acc") for o in swept]
    again = sweep(noisy, SMALL, draws=2, seeds=(0, 1), kept=kept)
    assert "silhouette" in sweeping.known_figures(again), "what lacks them does not stand in"


def test_nothing_is_computed_twice(noisy, monkeypatch):
    calls = {"imc": 0, "spectrum": 0, "pair": 0}

    def counted(name, function):
        def call(*args, **kwargs):
            calls[name] += 1
            return function(*args, **kwargs)

        return call

    monkeypatch.setattr(running, "imc", counted("imc", imc))
    monkeypatch.setattr(running, "of_pairs", counted("pair", running.of_pairs))
    monkeypatch.setattr(sides, "spectrum_of", counted("spectrum", sides.spectrum_of))
    found = sweep(noisy, SMALL, seeds=(0, 1, 2))
    assert calls["imc"] == calls["pair"] == 1
    assert calls["spectrum"] <= len(found)
    calls["spectrum"] = 0
    high = Grid(gamma=(4,), theta1=(0.99, 1.0), theta2=(0.97, 0.98), similarity=("pair",))
    W = imc(noisy.X, 4, similarity="pair").affinity()
    assert W.data.max() < 0.97, "so that every pair of θ leaves W as it is"
    again = sweep(noisy, high)
    assert calls["spectrum"] == 1 and len(again) == 4
    assert len({o.mean("acc") for o in again}) == 1


def test_a_stopped_sweep_goes_on(noisy, swept, tmp_path):
    def stop_after(number):
        def tell(done, total):
            if done >= number:
                raise Cancelled

        return tell

    for kept in ({}, SweepFile(tmp_path / "sweep.jsonl")):
        with pytest.raises(Cancelled):
            sweep(noisy, SMALL, draws=2, seeds=(0, 1), kept=kept, progress=stop_after(7))
        assert len(kept) == 7
        told = []
        listen = partial(lambda told, *at: told.append(at), told)
        if isinstance(kept, SweepFile):
            kept = SweepFile(tmp_path / "sweep.jsonl")  # as after a kill
        found = sweep(
            noisy,
            SMALL,
            draws=2,
            seeds=(0, 1),
            kept=kept,
            progress=listen,
        )
        assert told[-1] == (len(swept) - 7,) * 2, "only what is left is counted"
        assert [o.settings for o in found] == [o.settings for o in swept]
        for ours, theirs in zip(found, swept, strict=True):
            assert ours.results == theirs.results and ours.stability == theirs.stability
        other = sweep(noisy, SMALL, draws=2, seeds=(0, 1), kept=kept, n_clusters=3)
        assert other[0].results != found[0].results, "another number of clusters is another cell"


def test_bad_input_is_one_sentence(noisy):
    with pytest.raises(ValueError, match=r"gamma is 90; give a whole number from 1 to 79"):
        sweep(noisy, Grid(gamma=(3, 90)), draws=2)
    with pytest.raises(ValueError, match="IMC"):
        sweep(noisy, [RunSettings(method="LSR")])
    with pytest.raises(ValueError, match="empty"):
        Grid(dense=())
    with pytest.raises(ValueError, match="a draw and a seed"):
        sweep(noisy, seeds=())
    for name, value in (("gamma", 5), ("dense", "PCE"), ("cross", 0.8), ("cross", (0.8, "x"))):
        with pytest.raises(ValueError, match=rf"^{name} is .*; give .*\.$"):
            Grid(**{name: value})
    with pytest.raises(ValueError, match=r"cross is \(0.8,\); give a pair"):
        Grid(cross=(0.8,))
    with pytest.raises(ValueError, match="gamma is empty"):
        Grid(gamma=np.array([], int))


def test_axes_may_be_arrays():
    grid = Grid(gamma=np.arange(3, 5), theta1=np.array([0.7, 0.8]), dense=iter(["PCE"]))
    assert grid == Grid(gamma=(3, 4), theta1=(0.7, 0.8))
    assert repr(grid.gamma) == "(3, 4)" and len(grid.settings()) == len(grid.settings())


def test_draws_are_parts_that_repeat(noisy):
    whole, one, two = sweeping.draws_of(noisy, 3)
    assert whole is noisy and one.n_points == two.n_points == 80
    assert one.digest == sweeping.resample(noisy, seed=1).digest != two.digest
    np.testing.assert_array_equal(one.X, noisy.X[one.row_numbers - 1])


@pytest.mark.parametrize("seed", range(4))
def test_agreement_and_silhouette_are_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    assert criteria.agreement(a, b) == pytest.approx(adjusted_rand_score(a, b))
    assert criteria.agreement(a, a + 7) == 1.0
    X = rng.standard_normal((60, 3))
    a[:1] = 9  # a cluster of one point
    assert criteria.silhouette(X, a) == pytest.approx(silhouette_score(X, a))
    assert criteria.agreement([0, 0], [0, 0]) == 1.0
    assert np.isnan(criteria.silhouette(X, np.zeros(60)))
    assert criteria.silhouette(np.ones((4, 2)), [0, 0, 1, 1]) == 0.0


def test_draws_agree_on_the_points_they_share():
    rows, labels = np.arange(1, 41), np.arange(40) // 10
    part = np.r_[3:25]
    assert criteria.shared_agreement(rows, labels, rows[part], 3 - labels[part]) == 1.0
    assert np.isnan(criteria.shared_agreement(rows, labels, rows[:5], labels[:5]))
    mixed = np.random.default_rng(0).permutation(labels)
    assert criteria.shared_agreement(rows, labels, rows, mixed) < 0.3


def test_the_eigengap_is_relative():
    W = np.kron(np.eye(3), 1 - np.eye(4)) + 0.01
    np.fill_diagonal(W, 0)
    found = spectrum(W, 4, 3)
    mu = 1 - found.eigenvalues
    assert criteria.relative_eigengap(found, 3) == pytest.approx((mu[3] - mu[2]) / mu[3])
    assert criteria.relative_eigengap(found, 3) > 0.9
    assert np.isnan(criteria.relative_eigengap(found, 4))


def test_distance_to_subspaces_is_measured_on_the_other_half():
    """Beside a direct computation by SVD; a point in the wrong cluster is seen."""
    data = datasets.make_subspaces(3, 2, 9, 12, noise=0.1)
    labels = data.labels.copy()
    labels[5] = 2
    X = data.X / np.linalg.norm(data.X, axis=1, keepdims=True)
    own, wrong = [], []
    for c in range(3):
        members = np.flatnonzero(labels == c)
        for side in (0, 1):
            for i in members[1 - side :: 2]:
                far = []
                for other in range(3):
                    half = np.flatnonzero(labels == other)[side::2]
                    basis = np.linalg.svd(X[half], full_matrices=False)[2][:2]
                    far.append(np.linalg.norm(X[i] - X[i] @ basis.T @ basis))
                own.append(far[c])
                wrong.append(far[c] > min(far))
    distance, astray = criteria.subspace_distance(criteria.unit_gram(X), labels, 2)
    assert distance == pytest.approx(np.mean(own)) and astray == pytest.approx(np.mean(wrong))
    assert criteria.subspace_distance(criteria.unit_gram(X), data.labels, 2)[0] < distance
    assert np.isnan(criteria.subspace_distance(np.zeros((4, 4)), [0, 0, 1, 1])[0])


def test_acc_and_nmi_from_one_table():
    rng = np.random.default_rng(0)
    alone = np.zeros(40, np.int64)
    for found in (rng.integers(0, 4, 40), rng.integers(0, 7, 40), alone):
        for truth in (rng.integers(0, 3, 40), alone):
            ours = measures.acc_nmi(truth, found)
            theirs = clustering_accuracy(truth, found), nmi(truth, found)
            np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_figures_where_clusters_fall_apart():
    rng = np.random.default_rng(0)
    W = np.triu(rng.random((50, 50)) * (rng.random((50, 50)) < 0.12), 1)
    W = W + W.T
    labels = np.repeat([0, 1, 2, 3], [20, 20, 9, 1])
    W[7] = W[:, 7] = 0  # without an edge
    W[20:30, 30:40] = W[30:40, 20:30] = 0  # cluster 1 in two parts
    W[41, 42] = W[42, 41] = 0.5
    found = spectrum(sp.csr_array(W), 5, 4)
    [figures] = measures.figures_of(sp.csr_array(W), found, [labels], labels)
    assert figures["ncut"] == pytest.approx(ncut(W, labels), nan_ok=True)
    theirs = connectivity(sp.csr_array(W), labels)
    assert (figures["conn"], figures["conn_min"]) == (theirs.mean, theirs.min)
    assert theirs.per_cluster[[0, 1, 3]].tolist() == [0, 0, 0]


def outcome(gamma, **figures):
    return Outcome(RunSettings(gamma=gamma), (Result(0, 0, figures),))


def test_the_best_and_the_table():
    made = [outcome(3, acc=0.5, cut=0.2), outcome(4, acc=0.9, cut=0.4), outcome(5, acc=0.9)]
    assert sweeping.best(made, "acc").settings.gamma == 4, "of equal ones that with better ranks"
    assert sweeping.best(made, "cut").settings.gamma == 3, "less is better, unknown is worst"
    none = Outcome(RunSettings(gamma=3, dense=None), (Result(0, 0, {"acc": 0.7}),))
    across, down, cells = sweeping.table([*made, none], "theta1", "gamma", "acc")
    assert (across, down) == ([0.8], [3, 4, 5])
    assert cells[0][0] is none, "a stage without θ competes at every θ"
    assert sweeping.table([*made, none], "theta1", "gamma", "acc", dense="PCE")[2][0][0] is made[0]
    assert sweeping.varied([*made, none]) == ["gamma", "dense"]


def test_csv_holds_every_result(swept):
    frame = pd.read_csv(pd.io.common.StringIO(sweeping.to_csv(swept)))
    assert len(frame) == len(swept) * 4 and set(frame.draw) == {0, 1}
    own = frame[(frame.gamma == 3) & (frame.dense == "D3") & (frame.similarity == "pair")]
    [mine] = [o for o in swept if (o.settings.gamma, o.settings.dense, o.settings.similarity)
              == (3, "D3", "pair")]  # fmt: skip
    assert own.acc.mean() == pytest.approx(mine.mean("acc"))
    assert own.stability.iloc[0] == pytest.approx(mine.mean("stability"))
    assert own.theta1.isna().all(), "D3 has no θ"


def test_the_script_repeats_the_sweep(noisy, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    grid = Grid(gamma=(4,), theta1=(0.8,), theta2=(0.6,))
    steps = {"pca": 8, "per_class": 20, "random_state": 3, "unit_norm": False}
    load = "data = datasets.make_subspaces(4, 3, 12, 25, noise=0.3)"
    text = sweeping.sweep_script(grid, steps, load=load, n_clusters=4, draws=2, seeds=(0, 1))
    exec(compile(text, "sweep.py", "exec"), {})
    draws = [datasets.prepare(noisy, pca=8, per_class=20, random_state=3 + k) for k in (0, 1)]
    [ours] = sweep(draws, grid, seeds=(0, 1), n_clusters=4)
    theirs = pd.read_csv("sweep.csv")
    assert theirs.acc.mean() == pytest.approx(ours.mean("acc"))
    assert "ACC" in capsys.readouterr().out


# The command line.


def test_the_command_sweeps_keeps_and_suggests(tmp_path, capsys):
    out = tmp_path / "out"
    argv = [
        "sweep",
        "sample:unequal",
        "--gamma",
        "3,5",
        "--theta1",
        "0.8",
        "--theta2",
        "0.5:0.6:0.1",
    ]
    argv += ["--dense", "none,PCE", "--draws", "2", "--out", str(out)]
    assert cli.main(argv) == 0
    text = capsys.readouterr().out
    assert "6 settings, 2 results each" in text and "Suggested without labels" in text
    lines = (out / "sweep.jsonl").read_text().splitlines()
    assert cli.main([*argv, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["settings"]) == 6 and found["settings"][0]["repeats"] == 2
    assert (out / "sweep.jsonl").read_text().splitlines() == lines, "nothing is computed again"
    assert len(pd.read_csv(out / "sweep.csv")) == 12
    assert {"gamma", "dense", "criterion"} <= set(found["suggested"])


def test_the_suggested_command_has_the_number_of_clusters_that_was_swept(tmp_path, capsys):
    path = tmp_path / "unlabelled.npz"
    data = datasets.make_subspaces(3, 3, 8, 15, noise=0.1, random_state=1)
    np.savez(path, X=data.X)
    argv = ["sweep", str(path), "--gamma", "3,5", "--theta1", "0.8", "--theta2", "0.6"]
    assert cli.main(argv) == 0
    *_, head, command = [
        line for line in capsys.readouterr().out.splitlines() if "clusters" in line
    ]
    k = suggest_clusters(data)
    assert f" {k} clusters." in head and f"--clusters {k}" in command
    assert cli.main([*argv, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["clusters"] == k


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        (["--gamma", "0:3"], "--gamma is 0"),
        (["--theta1", "0.5", "--theta2", "0.6"], "θ₁ > θ₂"),
        (["--draws", "0"], "--draws is 0"),
        (["--dense", "D7"], "--dense is 'D7'"),
    ],
)
def test_the_command_says_what_is_wrong(options, wrong, capsys):
    assert cli.main(["sweep", "sample:unequal", *options]) == 2
    assert wrong in capsys.readouterr().err


# What was measured of the criteria.


def test_criteria_are_judged_by_true_acc():
    good = [
        outcome(g, acc=g / 10, silhouette=g / 10, cut=g / 10, eigengap=0.5) for g in (3, 4, 5, 6)
    ]
    found = measured.judge(good)
    assert found["silhouette"]["spearman"] == pytest.approx(1)
    assert found["silhouette"]["regret"] == 0
    assert found["cut"]["spearman"] == pytest.approx(-1) and found["cut"]["kendall"] == -1
    assert found["cut"]["regret"] == pytest.approx(0.3)
    assert found["eigengap"]["spearman"] is None, "all alike rank nothing"
    assert found[measured.USUAL]["acc"] == pytest.approx(0.6)
    assert found[measured.ANY]["regret"] == pytest.approx(0.15)


def test_evidence_is_read_and_the_least_regret_preferred(tmp_path):
    from sdsc_core.experiments import to_csv

    rows = [
        Row("cut", 0, "a", "none", {"regret": 0.2, "spearman": 0.1, "kendall": 0.1, "acc": 0.7}),
        Row("cut", 1, "a", "none", {"regret": 0.4, "spearman": None, "kendall": None, "acc": 0.5}),
        Row(
            "eigengap", 0, "a", "none", {"regret": 0.01, "spearman": 0.9, "kendall": 0.8, "acc": 1}
        ),
    ]
    (tmp_path / "criteria.csv").write_text(to_csv(rows))
    evidence = measured.read(tmp_path / "criteria.csv")
    assert [(e.criterion, e.data) for e in evidence] == [("cut", "a"), ("eigengap", "a")]
    assert evidence[0].regret == pytest.approx(0.3) and evidence[0].spearman == pytest.approx(0.1)
    assert measured.preferred(evidence) == "eigengap"
    assert measured.preferred(evidence, ["cut", "together"]) == "cut"
    assert measured.preferred([], ["cut"]) == "together"
    assert "30.0 points below" in measured.trust(evidence)[1].sentence


def test_regret_is_also_measured_on_sets_that_had_no_part_in_the_choice():
    def line(criterion, data, regret):
        return measured.Evidence(criterion, data, regret, 0.0, 0.0, 1.0)

    made = [line("cut", "a", 0.0), line("cut", "b", 0.2), line("cut", "c", 0.04)]
    made += [line("astray", "a", 0.3), line("astray", "b", 0.0), line("astray", "c", 0.0)]
    made += [line(measured.ANY, "a", 0.0)]  # no criterion
    fair = measured.left_out(made)
    # Without a: cut 0.12, astray 0; without b: cut 0.02, astray 0.15; without c: cut 0.1, 0.15.
    assert fair.chosen == {"astray": 1, "cut": 2} and fair.sets == 3
    assert fair.regret == pytest.approx((0.3 + 0.2 + 0.04) / 3) and fair.worst == 0.3
    assert fair.within == pytest.approx(1 / 3) and "18.0 points below" in fair.sentence
    assert measured.left_out(made, ["cut"]).chosen == {"cut": 3}
    assert measured.left_out(made[:1]) is None
    shipped = measured.read()
    whole = {t.criterion: t for t in measured.trust(shipped)}[measured.preferred(shipped)]
    assert measured.left_out(shipped).regret >= whole.regret


def test_the_shipped_evidence_covers_all_sets():
    evidence = measured.read()
    sets = {e.data for e in evidence}
    assert {f"sample: {name}" for name in datasets.SAMPLES} <= sets
    for name in ("Extended Yale B", "USPS", "MNIST scattering", "MNIST pixels", "Hopkins155"):
        assert any(s.startswith(name) for s in sets), name
    for e in evidence:
        assert 0 <= e.regret <= 1, e
    assert {t.criterion for t in measured.trust(evidence)} >= set(measured.JUDGES)


def test_the_experiment_runs_on_what_is_there(capsys, monkeypatch):
    monkeypatch.setattr(measured, "SAMPLES", {"unequal": datasets.SAMPLES["unequal"]})
    assert cli.main(["reproduce", "criteria", "--quick"]) == 0
    text = capsys.readouterr().out
    assert "| sample: unequal |" in text and "regret" in text


def test_a_file_keeps_the_parameters_of_the_stages(tmp_path):
    few = [
        RunSettings(gamma=3, dense="Mutual", neighbours=2),
        RunSettings(gamma=3, dense="D3", hops=3),
    ]
    data = datasets.make_subspaces(2, 2, 10, 8)
    for _ in range(2):  # the second time from the file
        found = sweep(data, few, kept=SweepFile(tmp_path / "sweep.jsonl"))
        assert [outcome.settings for outcome in found] == few
