"""Estimated times: read from measured runs, scaled by this machine's speed."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest

from sdsc_core import METHODS, RunSettings, cli, datasets, estimates, sides, sweep
from sdsc_core.cli import benchmark_estimates as bench
from sdsc_core.estimates import (
    AFFINITY,
    AGREEMENT,
    CRITERIA,
    PARTS,
    SEED,
    Cell,
    estimate,
    in_words,
)
from sdsc_core.methods import KINDS
from sdsc_core.sweeping import draws_of, expected, expected_seconds, running


@pytest.fixture(autouse=True)
def a_machine_of_speed_one(monkeypatch):
    monkeypatch.setattr(estimates, "speed", lambda: 1.0)


def test_every_method_and_stage_was_measured():
    found = {(c.method, c.kind, c.n_features, c.part) for c in estimates.cells()}
    assert found == {
        (method, *data, part)
        for method, data in itertools.product(METHODS, bench.SIZES)
        for part in bench.parts_of(method, *data)
    }
    assert all(c.seconds > 0 and c.trial > 0 for c in estimates.cells())


def test_a_measured_run_is_estimated_as_it_was_measured():
    for c in estimates.cells():
        given = estimate(
            c.method, c.n_points, c.n_features, c.kind, [c.part], METHODS[c.method].presets[c.kind]
        )
        assert given == pytest.approx(c.seconds / c.trial)


def test_the_trial_sorts_as_fast_on_every_processor(monkeypatch):
    """Sorts that are not stable use AVX-512 where there is one: no measure of the rest."""
    kinds, sort = [], np.sort
    monkeypatch.setattr(np, "sort", lambda A, **how: kinds.append(how["kind"]) or sort(A, **how))
    assert estimates.trial() > 0 and set(kinds) == {"stable"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [2, 50, 3000])
def test_many_more_points_take_longer(method, kind, d):
    sizes = (100, 1000, 10_000, 100_000)
    found = [estimate(method, n, d, kind) for n in sizes]
    assert all(0 < a < b for a, b in itertools.pairwise(found))


def test_between_two_runs_it_lies_on_the_line_of_their_logarithms():
    known, growth = {100: 1.0, 400: 16.0}, (1.0, 3.0)
    assert estimates.at(200, known, growth) == pytest.approx(4)
    assert estimates.at(800, known, growth) == pytest.approx(64)
    assert estimates.at(50, known, growth) == pytest.approx(0.25)
    assert estimates.at(14, {7: 3.0}, growth) == pytest.approx(12)
    for last, at_800 in ((1e6, 8e6), (1.1, 2.2)):  # no faster than N³, no slower than N
        assert estimates.at(800, {100: 1.0, 400: last}, growth) == pytest.approx(at_800)
    assert estimates.at(200, {100: 1.0, 400: 1e6}, growth) == pytest.approx(1e3)


@pytest.fixture
def measured(monkeypatch):
    """Three parts of two methods, measured at few sizes, where `trial` took two seconds."""
    rows = [
        ("IMC", "digits", 10, 100, AFFINITY, 2.0), ("IMC", "digits", 10, 400, AFFINITY, 32.0),
        ("IMC", "faces", 1000, 100, AFFINITY, 8.0), ("IMC", "digits", 10, 100, "none", 1.0),
        ("SSC", "digits", 10, 100, AFFINITY, 6.0), ("SSC", "faces", 1000, 100, AFFINITY, 60.0),
    ]  # fmt: skip
    monkeypatch.setattr(estimates, "cells", lambda: tuple(Cell(*row, 2.0) for row in rows))
    estimates.curves.cache_clear()
    yield
    estimates.curves.cache_clear()


def test_parts_add_up_in_units_of_the_trial(measured):
    assert estimate("IMC", 100, 10, parts=[AFFINITY]) == pytest.approx(1)
    assert estimate("IMC", 100, 10) == pytest.approx(1.5)
    assert estimate("IMC", 200, 10, parts=[AFFINITY]) == pytest.approx(4)


def test_a_kind_counts_where_the_method_is_slow_on_it(measured):
    assert estimate("SSC", 100, 1000, "faces", [AFFINITY]) == pytest.approx(30)
    assert estimate("SSC", 100, 10, "digits", [AFFINITY]) == pytest.approx(3)
    # IMC: the runs of all kinds count for each, with six picks rather than five for faces.
    for kind in KINDS:
        picks = {"n_iterations": 6}
        assert estimate("IMC", 100, 100, kind, [AFFINITY], picks) == pytest.approx(4.8**0.5)


@pytest.mark.parametrize("method", ["IMC", "OMP", "KNN"])
def test_more_picks_take_longer(method):
    six, twelve = (estimate(method, 1000, 10, params={METHODS[method].picks: k}) for k in (6, 12))
    rest = estimate(method, 1000, 10, parts=["none"])
    assert twelve - rest == pytest.approx(2 * (six - rest))


def test_a_method_that_was_never_measured_has_no_estimate(measured):
    assert math.isnan(estimate("KNN", 100, 10)) and math.isnan(estimate("SSC", 100, 10, "motion"))


def test_a_machine_half_as_fast_takes_twice_as_long(monkeypatch):
    before = estimate("LSR", 1000, 10)
    monkeypatch.setattr(estimates, "speed", lambda: 2.0)
    assert estimate("LSR", 1000, 10) == pytest.approx(2 * before)


@pytest.mark.parametrize(
    "given",
    [
        ("IMC", 0, 10),
        ("IMC", 9, 0),
        ("ABC", 9, 9),
        ("IMC", 9, 9, "cats"),
        ("LSR", 9, 9, "faces", "E"),
    ],
)
def test_what_cannot_be_estimated_is_refused(given):
    with pytest.raises(ValueError, match=r"; (give|choose)"):
        estimate(*given)


# --- sweeps -----------------------------------------------------------------------------------


COSTS = {AFFINITY: 1e6, "PCE": 1e4, "none": 1e3, SEED: 100.0, CRITERIA: 10.0, AGREEMENT: 1.0}


@pytest.fixture
def costs(monkeypatch):
    """Each part of a run and of a sweep takes another power of ten, W for every pick."""

    def of_parts(method, n, d, kind, parts, params):
        return sum(COSTS[part] for part in parts) * params.get("n_iterations", 1)

    monkeypatch.setattr(expected, "estimate", of_parts)


@pytest.mark.parametrize("n_draws", [1, 3])
@pytest.mark.parametrize("n_seeds", [1, 5])
@pytest.mark.parametrize("judged", [False, True])
def test_a_sweep_counts_what_it_computes(costs, monkeypatch, n_draws, n_seeds, judged):
    data = datasets.make_subspaces(3, 3, 20, 15)
    draws = draws_of(data, n_draws)
    settings = [RunSettings(gamma=3), RunSettings(gamma=4), RunSettings(gamma=4, dense=None)]
    done = Counter()
    for module, name in (
        (running, "imc"), (sides, "cluster_rows"), (running, "silhouette"), (running, "agreement"),
        (running, "shared_agreement"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, counting(done, name, getattr(module, name)))
    sweep(draws, settings, seeds=range(n_seeds), n_clusters=3, criteria=judged)
    assert done["silhouette"] in ((3 * n_draws, 3 * n_draws * n_seeds) if judged else (0,))
    judgements = judged * 3 * n_draws * (1 + n_seeds) / 2  # how many differ is not known before
    single = n_draws * (2 * COSTS["PCE"] + COSTS["none"])  # has one seed
    assert expected_seconds(draws, settings, n_seeds, 3, judged) == pytest.approx(
        done["imc"] * 4 * COSTS[AFFINITY] + single
        + (done["cluster_rows"] - 3 * n_draws) * 3 * COSTS[SEED] + judgements * COSTS[CRITERIA]
        + (done["agreement"] + done["shared_agreement"]) * COSTS[AGREEMENT]
    )  # fmt: skip


def counting(done, name, work):
    def counted(*args, **options):
        done[name] += 1
        return work(*args, **options)

    return counted


def test_nothing_to_sweep_takes_no_time():
    assert expected_seconds([datasets.make_subspaces(2, 2, 20, 10)], [], 5, 2) == 0


# --- the command ------------------------------------------------------------------------------


def test_the_command_prints_an_estimate_beside_the_measured_time(monkeypatch, capsys):
    small = bench.reference("digits", 10, 60)
    monkeypatch.setattr(bench, "_compared", lambda: iter([("small", small, "digits")]))
    assert cli.main(["benchmark", "estimates", "--only", "lsr"]) == 0
    head, *lines, last = capsys.readouterr().out.splitlines()
    assert head.split()[-3:] == ["estimate", "measured", "ratio"]
    assert [line.split()[4] for line in lines] == list(PARTS[1:])
    near = sum(0.5 <= float(line.split()[-1]) <= 2.0 for line in lines)
    assert last == f"{near} of {len(lines)} within a factor of two."
    for line in lines:
        name, n, d, method, _, guess, _, took, _, ratio = line.split()
        assert (name, n, d, method) == ("small", "60", "10", "LSR")
        assert float(ratio) == pytest.approx(float(guess) / float(took), rel=0.05, abs=0.006)


def test_what_would_take_too_long_is_not_measured(monkeypatch, capsys):
    monkeypatch.setattr(bench, "LONGEST", 0.0)
    ratios: list[float] = []
    lines = bench._lines("small", bench.reference("digits", 10, 60), "LSR", "digits", ratios)
    assert all("not measured" in line for line in lines) and not ratios


def test_measuring_goes_on_where_it_was_stopped(monkeypatch, tmp_path, capsys):
    path = tmp_path / "cells.csv"
    monkeypatch.setattr(bench, "BUSY", math.inf)
    monkeypatch.setattr(bench, "SIZES", {("digits", 10): (60, 120), ("motion", 20): (60,)})
    bench.measure(["ENSC"], anew=False, path=path)
    found = estimates.read(path)
    assert [(c.kind, c.n_points, c.part) for c in found] == [
        (kind, n, part)
        for kind, n in (("digits", 60), ("digits", 120), ("motion", 60))
        for part in PARTS
    ]
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2]))
    capsys.readouterr()
    bench.measure(["ENSC"], anew=False, path=path)
    assert (
        len(capsys.readouterr().out.splitlines()) == 2 and estimates.read(path)[:-2] == found[:-2]
    )
    bench.measure(["ENSC"], anew=True, path=path)
    assert len(capsys.readouterr().out.splitlines()) == len(found)
    bench.measure(["IMC", "LSR"], anew=False, path=path)  # of both less; of IMC what a sweep adds
    counts = Counter((c.method, c.kind) for c in estimates.read(path))
    assert counts == {
        ("IMC", "digits"): 18, ("ENSC", "digits"): 12, ("ENSC", "motion"): 6,
        ("LSR", "digits"): 12, ("LSR", "motion"): 1,
    }  # fmt: skip


def test_measuring_in_portions_comes_to_the_same(monkeypatch, tmp_path, capsys):
    path = tmp_path / "cells.csv"
    monkeypatch.setattr(bench, "BUSY", math.inf)
    monkeypatch.setattr(bench, "SIZES", {("digits", 10): (60,)})
    for done in range(1, len(PARTS) + 1):  # a portion of no time is one part
        bench.measure(["KNN"], anew=done == 1, minutes=0, path=path)
        assert [c.part for c in estimates.read(path)] == list(PARTS[:done])
        assert "goes on" in capsys.readouterr().out
    bench.measure(["KNN"], anew=False, minutes=0, path=path)
    assert not capsys.readouterr().out


def test_what_is_timed_beside_a_busy_machine_is_left_out(monkeypatch, tmp_path, capsys):
    speeds = iter([1.0, 1.0, 1.0, 3.0, 1.0, 1.2, 1.0])
    monkeypatch.setattr(bench, "trial", lambda: next(speeds))
    monkeypatch.setattr(bench, "BUSY", 1.4)
    monkeypatch.setattr(bench, "SIZES", {("digits", 10): (60,)})
    bench.measure(["KNN"], anew=False, path=tmp_path / "cells.csv")
    found = estimates.read(tmp_path / "cells.csv")
    assert [c.part for c in found] == ["W", "none", "D3", "PCE"]  # 3.0 is beside D1 and D2
    assert [c.trial for c in found] == [1, 1, 1.1, 1.1]
    assert capsys.readouterr().out.count("the machine was busy") == 2


def test_a_size_that_would_take_too_long_is_left_out(monkeypatch, tmp_path):
    path = tmp_path / "cells.csv"
    monkeypatch.setattr(bench, "BUSY", math.inf)
    monkeypatch.setattr(bench, "SIZES", {("digits", 10): (60, 120, 10**9)})
    bench.measure(["KNN"], anew=False, path=path)
    assert {c.n_points for c in estimates.read(path)} == {60, 120}


@pytest.mark.parametrize("kind, d, n", [("digits", 10, 61), ("digits", 50, 61), ("motion", 20, 61)])
def test_reference_data_has_the_size_that_is_asked_for(kind, d, n):
    data = bench.reference(kind, d, n)
    assert data.X.shape == (n, d) and data.labels is not None


def test_reference_faces_are_like_the_sample():
    assert bench.reference("faces", 2016, 100).X.shape == (128, 2016)
    assert datasets.sample("faces").X.shape[1] == 2016


def test_an_unknown_method_is_refused(capsys):
    assert cli.main(["benchmark", "estimates", "--only", "nothing"]) == 2
    assert "--only is 'nothing'" in capsys.readouterr().err


def test_what_is_said_of_an_estimate_is_within_a_factor_of_two():
    units = {"s": 1, "min": 60, "h": 3600}
    for seconds in (1.01 * 1.07**k for k in range(200)):  # to nine days
        number, unit = in_words(seconds).removeprefix("about ").split()
        assert 0.5 < float(number) * units[unit] / seconds < 2
    assert {in_words(seconds) for seconds in (0.0, 0.1, 0.99)} == {"less than a second"}


def test_a_first_try_beside_other_work_does_not_stay(monkeypatch):
    monkeypatch.undo()
    clock, taken = iter([0.0, 1.0, 70.0, 71.0]), iter([9.0, 2.0])
    monkeypatch.setattr(estimates, "_tries", [])
    monkeypatch.setattr(estimates, "trial", lambda: next(taken))
    monkeypatch.setattr(estimates.time, "monotonic", lambda: next(clock))
    assert [estimates.speed() for _ in range(4)] == [9, 9, 2, 2]
