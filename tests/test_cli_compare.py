"""``sdsc compare``, ``--json``, and the preparation that all subcommands share."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from sdsc_core import METHODS, RunSettings, cli, compare, datasets, run_stages
from sdsc_core.cli.options import as_json


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    data = datasets.make_subspaces(3, 2, 8, points_each=15, noise=0.1)
    path = tmp_path_factory.mktemp("data") / "points.npz"
    np.savez(path, X=data.X, y=data.labels)
    return str(path)


def test_compare_prints_a_table_and_keeps_every_result(file, tmp_path, capsys):
    out = tmp_path / "results.csv"
    argv = ["compare", file, "--methods", "KNN", "k-means", "--dense", "none", "D3", "--repeats"]
    argv += ["2", "--param", "KNN.n_neighbours=4", "--csv", str(out)]
    assert cli.main(argv) == 0
    printed = capsys.readouterr().out
    assert "45 points, 8 features, 3 clusters" in printed and "over 2 repeats" in printed
    assert "KNN (n_neighbours = 4)" in printed and "| k-means |" in printed
    own = compare.compare_methods(
        datasets.load(file), {"KNN": {"n_neighbours": 4}, "k-means": {}}, ["none", "D3"], repeats=2
    )
    assert pd.read_csv(out).acc.tolist() == pytest.approx([r.acc for r in own])
    assert cli.main([*argv[:-2], "--latex", "--figure", "nmi"]) == 0
    assert r"\caption{NMI (\%) of methods" in capsys.readouterr().out


def test_compare_as_json_with_draws_of_their_own(file, capsys):
    argv = ["compare", file, "--methods", "KNN", "--dense", "none", "--repeats", "2", "--json"]
    assert cli.main([*argv, "--per-class", "8", "--draw", "3", "--unit-norm"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["about"]["n_points"] == 24 and len(found["results"]) == 2
    assert found["about"]["prepared"] == (
        "at most 8 points of each class (draw 3), samples of unit norm"
    )
    raw = datasets.load(file)
    for repeat, result in enumerate(found["results"]):
        data = datasets.prepare(raw, per_class=8, unit_norm=True, random_state=3 + repeat)
        settings = RunSettings(method="KNN", dense=None, seed=repeat)
        assert result["acc"] == run_stages(data, settings).after.summary.acc


def test_cluster_as_json_holds_settings_figures_and_labels(file, capsys):
    assert cli.main(["cluster", file, "--json", "--gamma", "3", "--classes", "0", "2"]) == 0
    found = json.loads(capsys.readouterr().out)
    data = datasets.prepare(datasets.load(file), classes=[0, 2])
    run = run_stages(data, RunSettings(gamma=3))
    assert found["settings"]["gamma"] == 3 and found["data"]["points"] == 30
    assert found["data"]["rows"] == data.rows.tolist() != list(range(1, 31))
    assert found["data"]["identifiers"] is None
    for name, side in (("W", run.before), ("W*", run.after)):
        got = found["result"][name]
        assert got["labels"] == side.labels.tolist() and got["ACC"] == side.summary.acc
    assert cli.main(["cluster", file, "--json", "--dense", "none"]) == 0
    assert list(json.loads(capsys.readouterr().out)["result"]) == ["W"]


def test_json_has_no_numbers_that_readers_refuse():
    odd = {"a": np.float64("nan"), "b": [math.inf, np.int64(3)], 4: np.arange(2)}
    assert json.loads(as_json(odd)) == {"a": None, "b": [None, 3], "4": [0, 1]}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--methods", "SVM"], ["--methods", "'SVM'"]),
        (["--dense", "D4"], ["--dense", "'D4'"]),
        (["--repeats", "0"], ["--repeats"]),
        (["--param", "LSR.lam=1"], ["--param", "LSR"]),
        (["--param", "n_neighbours=1"], ["--param", "METHOD.NAME=VALUE"]),
        (["--methods", "KNN", "--param", "KNN.n_neighbours=none"], ["n_neighbours", "'none'"]),
        (["--classes", "blue"], ["--classes", "'blue'"]),
        (["--dense", "PCE", "--theta1", "0.1"], ["theta1", "0.1"]),
        (["--csv", "no/such/folder.csv"], ["no/such/folder.csv"]),
        (["--clusters", "900"], ["--clusters", "900"]),
        (["--clusters", "0"], ["--clusters", "0"]),
    ],
)
def test_what_cannot_be_compared_is_told_in_a_sentence(options, words, capsys):
    argv = ["compare", "sample:motion", *options]
    assert cli.main(argv) == 2
    err = capsys.readouterr().err
    assert err.endswith(".\n") and err.count("\n") == 1, err
    for word in words:
        assert word in err, err


def test_every_preset_and_baseline_can_be_asked_for(file, capsys):
    for preset in ("faces", "motion"):
        argv = ["compare", file, "--methods", "K-subspaces", "Spectral", "KNN", "--preset", preset]
        assert cli.main([*argv, "--dense", "none"]) == 0
        printed = capsys.readouterr().out
        assert f"n_neighbours = {METHODS['KNN'].presets[preset]['n_neighbours']}" in printed
