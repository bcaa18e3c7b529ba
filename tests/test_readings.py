"""The study of readings: its own Algorithm 1 and 2 against the transcriptions, design, verdicts."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from sdsc_core import cli, datasets, experiments, imc, pce
from sdsc_core.experiments.keeping import Row
from sdsc_core.experiments.readings import Reading, confirmed, design, effects, judging, reached
from sdsc_core.experiments.readings.reading import (
    Draw,
    accuracy,
    densified,
    measure,
    paths,
    samples,
    weights,
)
from sdsc_core.experiments.readings.standing import against_tables
from sdsc_core.imc_path import unit_rows
from sdsc_core.run import run_stages
from sdsc_core.settings import PRESETS, RunSettings
from tests import naive


@pytest.fixture
def points():
    made = datasets.make_subspaces(3, 2, 8, points_each=9, noise=0.05)
    return Draw(made, unit_rows(made.X))


def test_every_text_gives_its_reading():
    for reading in [*design.screening(60), *design.neighbours([design.CENTRED], 40)]:
        assert Reading.of(reading.text) == reading
        assert reading.theta1 > reading.theta2


@pytest.mark.parametrize("residual", ["as_printed", "centred"])
@pytest.mark.parametrize("similarity", ["residual", "pair"])
def test_a_path_is_the_librarys_and_the_transcriptions(points, residual, similarity):
    X = points.data.X.copy()
    X[4], X[7] = 0.0, X[8]  # nothing to correlate with, and a tie
    draw = Draw(replace(points.data, X=X), X)
    ours = paths(samples(draw, "after", residual), 6)[similarity]
    picks, values = naive.imc(X, 6, residual, similarity)
    assert (ours.picks == picks).all()
    np.testing.assert_allclose(ours.correlations, values, atol=1e-9)
    assert (ours.picks == imc(X, 6, residual=residual).picks).all()


@pytest.mark.parametrize("unit", ["after", "before", "none"])
def test_the_projection_is_step_6s(points, unit):
    """|ψ·x_j|, by the literal loop, on samples of whatever length."""
    X = samples(points, unit, "centred")
    ours = paths(X, 5)["projection"]
    for i in range(len(X)):
        psi = X[i].copy()
        for g in range(5):
            rho = np.array([abs(naive.pearson(psi, x)) for x in X])
            rho[i] = 0
            j = int(rho.argmax())
            assert ours.picks[i, g] == j
            assert ours.correlations[i, g] == pytest.approx(abs(psi @ X[j]), rel=1e-7, abs=1e-9)
            psi = psi - (psi @ X[j]) * X[j]


def random_affinity(seed, n=14):
    rng = np.random.default_rng(seed)
    W = np.triu(
        np.where(rng.random((n, n)) < 0.4, rng.choice([0.3, 0.6, 0.65, 0.8, 0.9], (n, n)), 0), 1
    )
    return W + W.T


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("how", ["in place", "last", "2 passes"])
def test_pce_by_other_loops_is_the_transcriptions(seed, how):
    W = random_affinity(seed)
    reading = Reading(pce=how, theta1=0.7, theta2=0.5)
    ours = densified(reading, sp.csr_array(W)).toarray()
    if how == "2 passes":
        theirs = naive.pce(naive.pce(W, 0.7, 0.5), 0.7, 0.5)
    else:
        theirs = naive.pce_as_it_goes(W, 0.7, 0.5, in_place=how == "in place")
    np.testing.assert_array_equal(ours, theirs)
    assert (ours != W).any()


def test_eq_4_and_row_maxima(points):
    path = paths(samples(points, "after", "as_printed"), 4)["residual"]
    C = naive.coefficients(path.picks, path.correlations)
    sums = C + C.T
    ours = weights(Reading(gamma=4, rule="sum"), path).toarray()
    np.testing.assert_allclose(ours, sums / sums.max())
    ours = weights(Reading(gamma=4, rule="cut sum"), path).toarray()
    np.testing.assert_allclose(ours, np.minimum(sums, 1))
    scaled = C / C.max(axis=1, keepdims=True)
    ours = weights(Reading(gamma=4, coefficients="largest"), path).toarray()
    np.testing.assert_allclose(ours, np.maximum(scaled, scaled.T))


def test_as_printed_is_what_the_library_runs(points):
    [found] = measure(points, [Reading()])
    for dense, ours in ((None, found.sparse), ("PCE", found.dense)):
        run = run_stages(points.data, RunSettings(gamma=5, dense=dense))
        assert run.after.summary.acc == ours


def test_spectral_variants_differ_from_each_other(points):
    W = pce(imc(points.data.X, 5).affinity())
    found = {}
    for vectors in ("n-1", "n", "n+1", "2n"):
        for rows in ("unit", "plain"):
            reading = Reading(vectors=vectors, rows=rows, starts=1)
            found[vectors, rows] = accuracy(reading, W, points.data.labels, 3)
    assert all(1 / 3 < acc <= 1 for acc in found.values()) and len(set(found.values())) > 1


def test_the_design_has_every_level():
    tried = design.screening(110)
    assert {r.gamma for r in tried} == set(range(1, 16))
    for name, levels in design.LEVELS.items():
        assert {getattr(r, name) for r in tried} == set(levels), name


def made_rows(accs, draws=4):
    """Rows of a confirmed study: text → place → (ACC of W, ACC of W*), with a little noise."""
    noise = np.random.default_rng(0).normal(0, 0.001, draws)
    return [
        Row(place, d, "IMC", "PCE", {"acc_sparse": a + noise[d], "acc": b + noise[d]}, text)
        for text, places in accs.items()
        for place, (a, b) in places.items()
        for d in range(draws)
    ]


def test_verdicts_follow_from_the_rows():
    rows = made_rows({
        "as printed": {"yaleb 2": (0.99, 0.99), "usps 500": (0.7, 0.7),
                       "mnist_scattering 500": (0.8, 0.8)},
        "gamma=3": {"yaleb 2": (0.998, 0.999), "usps 500": (0.71, 0.75),
                    "mnist_scattering 500": (0.8, 0.9)},
        "gamma=9": {"yaleb 2": (0.9, 0.97), "usps 500": (0.9, 0.95),
                    "mnist_scattering 500": (0.9, 0.95)},
    })  # fmt: skip
    found = confirmed(rows)
    assert [c.text for c in found] == ["as printed", "gamma=9", "gamma=3"]
    assert [c.better_everywhere for c in found] == [False, False, True]
    assert found[2].gains["usps"].value == pytest.approx(5, abs=1e-6)
    hits = {(r.place, r.name): r for r in reached(found)}
    assert hits["yaleb 2", "IMC-P"].text == "gamma=3" and hits["yaleb 2", "IMC-P"].holds
    assert not reached(found[:1])[2].holds  # 70.0 of 71.21
    text = judging.to_markdown(rows)
    assert "(ii) Best overall: Γ = 9" in text and "(i) Nearest to Tables 2 and 3: Γ = 3" in text
    assert judging.to_markdown([]) == "Nothing was confirmed yet.\n"


def test_all_round_is_by_the_least_gain():
    accs = {
        "as printed": {"yaleb 2": (0, 0.8), "usps 500": (0, 0.7), "mnist_scattering 500": (0, 0.7)},
        "gamma=3": {"yaleb 2": (0, 0.79), "usps 500": (0, 0.9), "mnist_scattering 500": (0, 0.9)},
        "gamma=4": {"yaleb 2": (0, 0.81), "usps 500": (0, 0.72), "mnist_scattering 500": (0, 0.72)},
        "rule=sum": {"yaleb 2": (0, 1), "usps 500": (0, 1), "mnist_scattering 500": (0, 1)},
    }
    assert judging.all_round(made_rows(accs), 1) == [Reading(gamma=4)]  # eq. 4 is no option
    assert judging.all_round([], 1) == []


def test_the_preset_is_what_the_shipped_study_says():
    """A named setting of IMC-P is better than as printed on every set, on fresh draws."""
    found = {c.text: c for c in confirmed(experiments.shipped("readings").rows)}
    named = PRESETS["all-round"]
    text = Reading(**named.changed()).text
    assert found[text].better_everywhere
    assert [t for t, c in found.items() if c.better_everywhere] == [text]
    gains = {name: (round(g.value, 1), round(g.error, 1)) for name, g in found[text].gains.items()}
    assert gains == {"yaleb": (3.2, 0.4), "usps": (3.9, 1.0), "mnist_scattering": (2.9, 1.2)}
    assert len(found) == 11 and {m.draws for c in found.values() for m in c.dense.values()} == {20}


def test_one_setting_is_set_against_each_table():
    """The one that reaches most columns, with what it lacks; as printed if that lacks nothing."""
    accs = {
        "as printed": {"yaleb 2": (0, 0.99), "yaleb 5": (0, 0.97), "usps 500": (0.72, 0)},
        "gamma=4": {"yaleb 2": (0, 0.996), "yaleb 5": (0, 0.5), "usps 500": (0.9, 0)},
        "rule=sum": {"yaleb 2": (0, 1), "yaleb 5": (0, 1), "usps 500": (1, 0)},  # no option
    }
    said = against_tables(confirmed(made_rows(accs)))
    assert "(Γ = 4)" in said["Table 2"] and "(as printed)" in said["Table 3"]
    assert re.search(r"at 2 \(\+0\.\d+ ± 0\.\d+\); below it at 5 \(-47\.\d+ ±", said["Table 2"])
    assert re.search(r"at 500 \(\+0\.\d+ ± 0\.\d+\); below it at none", said["Table 3"])


def test_every_factor_has_twenty_draws():
    assert {e.gain.draws for e in effects(experiments.shipped("readings").rows)} == {20}


def test_what_ships_can_be_gone_on_with(tmp_path):
    """Every cell is found again, though one chooses the next: nothing is left to compute."""
    rows = experiments.shipped("readings").rows
    experiments.lay_out("readings", tmp_path)
    store = experiments.Store(tmp_path / "readings.jsonl")
    kept = [row for cell in store.cells.values() for row in cell.rows]
    assert len(kept) == len(rows)
    study, options = experiments.EXPERIMENTS["readings"], experiments.Options()
    assert len(experiments.run(study, options, store, compute=False)) == len(rows)


def test_a_figure_is_reached_by_any_reading_that_was_tried():
    rows = made_rows({"as printed": {"yaleb 2": (0.99, 0.99)}})
    rows += [replace(r, message="screening")
             for r in made_rows({"gamma=3": {"yaleb 2": (0.9, 0.999)}})]  # fmt: skip
    assert [c.text for c in confirmed(rows)] == ["as printed"]
    hits = {r.name: r for r in reached(judging.compared(rows))}
    assert hits["IMC-P"].holds and hits["IMC-P"].text == "gamma=3" and not hits["IMC"].holds
    assert "(iii) 1 of 2 figures" in judging.answers(rows)[2]


def test_draws_that_only_choose_are_not_counted():
    assert experiments.shipped("readings").n_draws == 20


def test_the_command_line_takes_the_preset(capsys):
    argv = ["cluster", "sample:digits", "--preset", "all-round"]
    assert cli.main([*argv, "--json"]) == 0
    ours = json.loads(capsys.readouterr().out)
    given = ["--gamma", "4", "--theta1", "0.65", "--residual", "centred"]
    assert cli.main(["cluster", "sample:digits", *given, "--json"]) == 0
    theirs = json.loads(capsys.readouterr().out)
    assert (theirs["settings"], theirs["result"]) == (ours["settings"], ours["result"])
    assert cli.main([*argv, "--method", "OMP"]) == 2


def test_effects_are_paired_differences():
    rows = [
        Row("yaleb 2", d, "IMC", "PCE", {"acc_sparse": 0.5, "acc": acc + d / 10}, text, "screening")
        for text, acc in (("as printed", 0.5), ("similarity=pair", 0.6))
        for d in (0, 1)
    ]
    [effect] = effects(rows)
    assert effect.change == "similarity=pair"
    assert effect.gain.value == pytest.approx(10) and effect.gain.error == pytest.approx(0)


def test_the_command_runs_the_quick_study_to_its_end(tmp_path, capsys):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "yaleb_48x42.npz", X=rng.random((32, 30)), y=np.repeat(range(4), 8))
    made = datasets.make_subspaces(6, 3, 60, points_each=110)
    np.savez(tmp_path / "usps.npz", X=2 * made.X - 1, y=made.labels)
    out = tmp_path / "out"
    argv = ["reproduce", "readings", "--quick", "--draws", "2", "--data", str(tmp_path)]
    assert cli.main([*argv, "--out", str(out)]) == 0
    assert "(iii)" in capsys.readouterr().out
    store = experiments.Store(out / "readings.jsonl")
    stages = {key[3].partition(":")[0] for key in store.cells}
    assert stages >= {"screen", "around", "confirm"}
    draws = {key[1] for key in store.cells if key[3].startswith("confirm")}
    assert draws == {0, 1}  # not those that chose
    assert cli.main([*argv, "--sizes", "2"]) == 2


def test_a_figures_standard_error_is_that_of_a_mean_where_it_is_one():
    found = confirmed(experiments.shipped("readings").rows)[0]
    one = found.mean(lambda means: means["yaleb 10"][1])
    assert one.value == pytest.approx(found.dense["yaleb 10"].value)
    assert one.error == pytest.approx(found.dense["yaleb 10"].error) and one.draws == 20
    assert 0 < found.mean(judging.distance).error < 2
