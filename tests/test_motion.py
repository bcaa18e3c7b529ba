"""Motion: tracks in affine subspaces, the presets for them, and the Hopkins155 experiment."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from sdsc_core import METHODS, cli, clustering_accuracy, datasets, experiments
from sdsc_core.experiments import hopkins
from sdsc_core.methods.base import row_cosines, scaled_rows
from sdsc_core.spectral import spectral_clustering
from tests.conftest import DATA, ROOT


def error(method, data, params):
    chosen = METHODS[method]
    solution = chosen.solve(data.X, n_clusters=data.n_classes, **params)
    labels = spectral_clustering(chosen.affinity(solution), data.n_classes)
    return 1 - clustering_accuracy(data.labels, labels)


@pytest.fixture(scope="module")
def tracks():
    """Two parallel planes of one direction: linear methods see a single subspace."""
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((12, 4)))[0].T
    inside = rng.standard_normal((80, 2)) @ basis[:2]
    y = np.repeat([0, 1], 40)
    return datasets.Dataset(inside + 3 * basis[2 + y], y, "planes", ("a", "b"), kind="motion")


# --- samples keep their lengths ---------------------------------------------------------------


def test_homogeneous_coordinates_make_affine_subspaces_linear(tracks):
    plane = tracks.X[tracks.labels == 0]
    bent = scaled_rows(plane, True)
    assert np.linalg.matrix_rank(bent - bent.mean(axis=0), tol=1e-8) == 3  # a plane no more
    for normalise in (True, False):
        assert np.linalg.matrix_rank(scaled_rows(plane, normalise, affine=True), tol=1e-8) == 3
    with_zero = scaled_rows(np.vstack([plane, np.zeros(12)]), True, affine=True)
    assert not with_zero[-1].any() and np.isfinite(with_zero).all()


def test_scale_of_the_data_changes_nothing(tracks):
    for name in ("LSR", "LRSC", "BDR", "SSC"):
        a, b = (
            METHODS[name].solve(X, n_clusters=2, **METHODS[name].presets["motion"]).C
            for X in (tracks.X, 1024 * tracks.X)
        )
        np.testing.assert_allclose(*(c.toarray() if hasattr(c, "toarray") else c for c in (a, b)))


def test_row_cosines_leave_rounding_without_direction():
    M = np.array([[2.0, 0], [1, 1], [1e-12, 0]])
    np.testing.assert_allclose(row_cosines(M, 4)[:2, :2], [[0, 0.25], [0.25, 0]])
    assert not row_cosines(M, 4)[2].any()


@pytest.mark.parametrize("name", [m for m in METHODS if m not in ("IMC", "KNN", "OMP")])
def test_presets_keep_the_lengths(name):
    # Or, for ENSC, scale them only in homogeneous coordinates, where that bends nothing.
    preset = METHODS[name].presets["motion"]
    assert preset["affine"] and (name == "ENSC" or not preset["normalise"])


def test_not_exact_stops_where_the_constraints_hold(tracks):
    preset = METHODS["SSC"].presets["motion"]
    early = METHODS["SSC"].solve(tracks.X, **preset)
    late = METHODS["SSC"].solve(tracks.X, **preset | {"exact": True, "max_iterations": 10_000})
    assert early.converged and early.iterations < late.iterations
    np.testing.assert_allclose(
        METHODS["SSC"].solve(tracks.X, **preset | {"threshold": 1.0}).C.sum(axis=1), 1, atol=0.02
    )


def test_sssc_starts_as_ssc_with_affine_subspaces(tracks):
    preset = METHODS["SSSC"].presets["motion"]
    first = METHODS["SSSC"].solve(tracks.X, n_clusters=2, **preset, max_rounds=1).C
    same = METHODS["SSC"].solve(tracks.X, **preset, max_iterations=1000).C
    np.testing.assert_array_equal(first.toarray(), same.toarray())


# --- the sample, the reader, the command ------------------------------------------------------


@pytest.mark.parametrize("name", METHODS)
def test_presets_on_the_sample_file(name):
    data = datasets.load(ROOT / "sample_data" / "motion.mat")
    assert error(name, data, METHODS[name].presets["motion"]) <= 0.05


def test_tracks_in_a_file_count_as_motion(tmp_path, tracks):
    x = np.moveaxis(tracks.X.reshape(80, 6, 2), (0, 1, 2), (1, 2, 0))
    x = np.concatenate([x, np.ones((1, 80, 6))])
    savemat(tmp_path / "planes_truth.mat", {"x": x, "s": tracks.labels + 1})
    assert datasets.load(tmp_path / "planes_truth.mat").kind == "motion"
    ((name, data),) = hopkins.sequences(tmp_path)
    assert name == "planes" and data.X.shape == (80, 12) and data.n_classes == 2


def test_the_command_takes_the_preset(tmp_path, capsys):
    out = tmp_path / "labels.csv"
    argv = ["cluster", "sample:motion", "--method", "SSC", "--dense", "none", "--output", str(out)]
    assert cli.main([*argv, "--preset", "motion"]) == 0
    data = datasets.sample("motion")
    solution = METHODS["SSC"].solve(data.X, n_clusters=3, **METHODS["SSC"].presets["motion"])
    expected = spectral_clustering(METHODS["SSC"].affinity(solution), 3)
    header, *lines = out.read_text().splitlines()
    at = header.split(",").index("cluster_W")
    assert [int(line.split(",")[at]) for line in lines] == expected.tolist()


# --- the experiment ---------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, tracks):
    three = datasets.make_motion(3, 12, n_frames=6)
    arrays = {"names": np.array(["planes", "bodies"])}
    for name, data in (("planes", tracks), ("bodies", three)):
        arrays |= {f"X_{name}": data.X, f"y_{name}": data.labels}
    np.savez(tmp_path / "hopkins155.npz", **arrays)
    return tmp_path


def test_a_stopped_run_goes_on(folder, tmp_path, monkeypatch):
    motions, path = experiments.EXPERIMENTS["hopkins"], tmp_path / "hopkins.jsonl"
    options = experiments.Options(folder=folder, methods=["LSR", "KNN"])
    whole = experiments.run(motions, options, experiments.Store(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:9])  # killed while the third was written
    computed = []
    measure = motions.measure
    monkeypatch.setattr(motions, "measure", lambda o, c: computed.append(c.method) or measure(o, c))

    def again(options):
        found = experiments.run(motions, options, experiments.Store(path))
        return [(r.where, r.method, r.figures["error"]) for r in found]

    assert again(options) == [(r.where, r.method, r.figures["error"]) for r in whole]
    assert computed == ["KNN", "KNN"]
    assert len(again(options)) == 4 and len(computed) == 2
    again(replace(options, methods=["KNN"], params={"KNN": {"n_neighbours": 3}}))
    assert len(computed) == 4  # other settings are other cells


def test_it_is_kept_and_written_like_every_experiment(folder, tmp_path):
    out = tmp_path / "out"
    argv = ["reproduce", "hopkins", "--data", str(folder), "--methods", "LSR", "SSC"]
    assert cli.main([*argv, "--out", str(out)]) == 0
    kept = json.loads((out / "hopkins.json").read_text("utf-8"))
    assert kept["runs"][0]["numpy"] == np.__version__ and "machine" in kept["runs"][0]
    assert len(kept["rows"]) == 4 and all(r["figures"]["seconds"] > 0 for r in kept["rows"])
    text = (out / "hopkins.tex").read_text("utf-8")
    assert r"\begin{tabular}" in text and "1.52 &" in text
    ends = {"csv", "json", "jsonl", "md", "tex"}
    charts = {f"hopkins_{word}.{end}" for word in ("two", "three") for end in ("svg", "html")}
    assert {f"hopkins.{end}" for end in ends} | charts <= {path.name for path in out.iterdir()}


def test_quick_gives_slow_methods_the_smallest_sequences(folder):
    options = experiments.Options(folder=folder, quick=True, methods=["KNN", "MSR"])
    arrays = dict(np.load(folder / hopkins.FILE))
    arrays |= {"X_small": arrays["X_planes"][::2], "y_small": arrays["y_planes"][::2]}
    arrays["names"] = np.array(["planes", *["planes"] * (hopkins.QUICK - 1), "small", "bodies"])
    np.savez(folder / hopkins.FILE, **arrays)
    cells = experiments.EXPERIMENTS["hopkins"].cells(options)
    assert [c.where for c in cells if c.method == "KNN"] == ["planes", "small", "bodies"]
    assert [c.where for c in cells if c.method == "MSR"] == ["small", "bodies"]


def test_the_command_prints_the_table(folder, capsys):
    argv = ["reproduce", "hopkins", "--data", str(folder), "--methods", "LSR", "SSC", "--quick"]
    assert cli.main(argv) == 0
    text = capsys.readouterr().out
    assert "1 sequences with two motions, 1 with three" in text
    assert "| 1.52 |" in text and "| LSR | " in text


@pytest.mark.parametrize(
    ("more", "names"),
    [
        (["--draws", "3"], ["--draws", "this experiment"]),
        (["--seed", "3"], ["--seed", "this experiment"]),
        (["--methods", "XYZ"], ["method", "XYZ"]),
        (["--data", "/nowhere"], ["hopkins155.npz", "/nowhere"]),
        (["--out", "/dev/null/at"], ["--out", "/dev/null"]),
    ],
)
def test_bad_input_gets_a_sentence(folder, capsys, more, names):
    assert cli.main(["reproduce", "hopkins", "--data", str(folder), *more]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and all(name in said.err for name in names), said.err


# Sequences on which the presets that scaled samples to unit norm, or had other weights, failed.
@pytest.mark.parametrize(
    ("name", "sequence", "most"),
    [
        ("SSC", "cars2_06_g23", 0.01),
        ("SSC", "cars2_07_g23", 0.01),
        ("SSSC", "cars2_07_g23", 0.01),
        ("ENSC", "cars2_07_g23", 0.01),
        ("LRSC", "cars2_07_g23", 0.03),
        ("LRR", "1R2RCR_g12", 0.01),
        ("EDSC", "cars9_g13", 0.01),
        ("LSR", "1R2RCR_g12", 0.01),
        ("BDR", "cars2_06", 0.1),
        ("KNN", "three-cars_g12", 0.01),
    ],
)
def test_presets_on_real_sequences(name, sequence, most):
    if not (DATA / hopkins.FILE).exists():
        pytest.skip(f"{hopkins.FILE} is not in {DATA}; research data is not shipped")
    data = dict(hopkins.sequences(DATA))[sequence]
    assert error(name, data, METHODS[name].presets["motion"]) <= most


def test_the_measured_table_is_the_readmes():
    found = experiments.shipped("hopkins")
    assert list(dict.fromkeys(r.method for r in found.rows)) == list(METHODS)
    for name in METHODS:
        settings = experiments.EXPERIMENTS["hopkins"].settings_text(experiments.Options(), name)
        own = [r.where for r in found.rows if r.method == name]
        assert len(set(own)) == len(own) == 155
        assert found.settings[name] == settings, "measure again: the preset changed"
    for n, published in ((2, 1.52), (3, 4.40)):
        assert np.mean(hopkins.errors(found.rows, "SSC", n)) <= published + 1
    rows = hopkins.to_markdown(found.rows).splitlines()[2:]
    assert "\n".join(rows) in (ROOT / "README.md").read_text("utf-8")
