"""The command `sdsc`: files in, labels and matrices out, one sentence when something is wrong."""

import csv
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

import sdsc_core
from sdsc_core import METHODS, SDSC, cli, datasets
from sdsc_core.cli import app, benchmark, benchmark_scale
from sdsc_core.cli.paths import home
from sdsc_core.cli.progress import Reporter
from tests.conftest import ROOT

FILES = sorted(p for p in (ROOT / "sample_data").iterdir() if p.suffix in datasets.FORMATS)


def read_labels(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_clusters_a_file_of_each_format(path, tmp_path, capsys):
    names = {name: str(tmp_path / name) for name in ("labels.csv", "W.npz", "Wstar.npz")}
    out, W_file, star_file = names.values()
    argv = ["cluster", str(path), "--output", out, "--save-affinity", W_file]
    assert cli.main([*argv, "--save-dense", star_file]) == 0
    data = datasets.load(path)
    rows = read_labels(out)
    found = np.array([int(row["cluster_W_star"]) for row in rows])
    printed = capsys.readouterr()
    assert f"{data.n_points:,} points" in printed.out
    if data.labels is None:
        assert "needs labels" in printed.out and "suggested by" in printed.out
        assert list(rows[0]) == ["point", "row", "cluster_W", "cluster_W_star"]
    else:
        assert f"{data.n_classes} clusters, one for each class" in printed.out
        assert [row["class"] for row in rows] == [data.class_names[c] for c in data.labels]
    model = SDSC(found.max() + 1).fit(data.X)
    np.testing.assert_array_equal(found, model.labels_)
    for file, matrix in (
        (W_file, model.affinity_matrix_),
        (star_file, model.dense_affinity_matrix_),
    ):
        assert abs(sp.load_npz(file) - matrix).max() == 0


def test_every_format_has_a_file():
    assert {path.suffix for path in FILES} == set(datasets.FORMATS) - {".tsv"}


def test_reads_a_table_as_told(tmp_path, capsys):
    data = datasets.make_subspaces(2, 2, 6, points_each=10)
    table = tmp_path / "points.tsv"
    lines = ["\t".join([*map(str, x), f"s{c}"]) for x, c in zip(data.X, data.labels, strict=True)]
    table.write_text("\n".join(lines) + "\n")
    assert cli.main(["cluster", str(table), "--label-column", "last", "--gamma", "2"]) == 0
    assert "20 points, 6 features. 2 clusters, one for each class" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", ["cluster", "sweep --gamma 3 --figure2", "compare --methods IMC"]
)
def test_units_that_differ_are_told(command, tmp_path, capsys):
    X = np.random.default_rng(0).standard_normal((40, 3)) * [1, 1, 5000]
    lines = [
        "age,dose,cells,kind",
        *(",".join(map(str, row)) + f",{'ab'[k % 2]}" for k, row in enumerate(X)),
    ]
    (tmp_path / "units.csv").write_text("\n".join(lines))
    name, *options = command.split()
    argv = [name, str(tmp_path / "units.csv"), *options]
    for more, told in (([], True), (["--standardise"], False), (["--pca", "2"], False)):
        assert cli.main([*argv, *more]) == 0
        printed = capsys.readouterr()
        said = printed.err if name == "compare" else printed.out  # a table may go into a file
        assert "labels from column kind" in said
        assert ("“cells” varies by" in said and "give --standardise" in said) == told


def test_reads_variables_as_told(tmp_path, capsys):
    data = datasets.make_subspaces(2, 2, 6, points_each=10)
    file = tmp_path / "odd.npz"
    np.savez(file, points=data.X.T, kinds=data.labels, more=np.zeros((30, 30)))
    assert cli.main(["cluster", str(file), "--x", "points", "--y", "kinds", "--transpose"]) == 0
    assert "20 points, 6 features. 2 clusters" in capsys.readouterr().out


def test_missing_values_are_filled_or_dropped(tmp_path, capsys):
    X = datasets.make_subspaces(2, 2, 6, points_each=10).X.copy()
    X[3, 1] = np.nan
    np.save(tmp_path / "gaps.npy", X)
    argv = ["cluster", str(tmp_path / "gaps.npy"), "--clusters", "2"]
    assert cli.main(argv) == 2
    said = capsys.readouterr().err
    assert "first in row 4;" in said  # as --only and --output count
    assert "give --missing mean to fill" in said and "--missing drop" in said
    for how, points in (("mean", 20), ("drop", 19)):
        assert cli.main([*argv, "--missing", how]) == 0
        assert f"{points} points" in capsys.readouterr().out


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dense", ["none", "D3"])
def test_every_method_runs_from_the_command_line(method, dense, tmp_path, capsys):
    data = datasets.make_subspaces(2, 2, 10, points_each=15)
    np.savez(tmp_path / "small.npz", X=data.X, y=data.labels)
    argv = ["cluster", str(tmp_path / "small.npz"), "--method", method, "--dense", dense]
    assert cli.main(argv) == 0
    header = next(line for line in capsys.readouterr().out.splitlines() if line[:1] == " ")
    assert ("W*" in header) == (dense == "D3")


def test_options_reach_the_method(tmp_path):
    results = []
    for options in (
        ["--gamma", "2"],
        ["--param", "n_iterations=2"],
        ["--param", "residual=centred"],
    ):
        file = tmp_path / "W.npz"
        argv = ["cluster", "sample:motion", "--save-affinity", str(file), *options]
        assert cli.main(argv) == 0
        results.append(sp.load_npz(file))
    assert abs(results[0] - results[1]).max() == 0
    assert abs(results[0] - results[2]).max() > 0


MOTION = ["cluster", "sample:motion"]


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], ["COMMAND"]),
        (["dance"], ["'dance'"]),
        (["cluster"], ["FILE"]),
        (["cluster", "none.csv"], ["none.csv"]),
        (["cluster", "notes.txt"], ["notes.txt", ".csv"]),
        (["cluster", "sample:cats"], ["'cats'", "'faces'"]),
        ([*MOTION, "--colour", "red"], ["--colour"]),
        ([*MOTION, "--clusters", "181"], ["--clusters", "181"]),
        ([*MOTION, "--clusters", "two"], ["--clusters", "'two'"]),
        ([*MOTION, "--method", "SVM"], ["--method", "'SVM'", "'IMC'"]),
        ([*MOTION, "--dense", "D4"], ["--dense", "'D4'"]),
        ([*MOTION, "--gamma", "180"], ["--gamma", "180"]),
        ([*MOTION, "--theta1", "0.5"], ["theta1", "0.5"]),
        ([*MOTION, "--residual", "left"], ["residual", "'left'"]),
        ([*MOTION, "--seed", "-1"], ["--seed", "-1"]),
        ([*MOTION, "--param", "n_iterations"], ["--param", "NAME=VALUE"]),
        ([*MOTION, "--param", "n_iterations=many"], ["n_iterations", "'many'"]),
        ([*MOTION, "--param", "colour=red"], ["colour", "IMC"]),
        ([*MOTION, "--method", "KNN", "--gamma", "3"], ["n_iterations", "KNN"]),
        ([*MOTION, "--output", "there/is/no/folder.csv"], ["there/is/no/folder.csv"]),
        ([*MOTION, "--output", "."], ["'.'"]),
        (["app", "--data", "there/is/none"], ["--data", "there/is/none"]),
        (["benchmark", "--only", "nothing"], ["--only", "'nothing'"]),
        (["benchmark", "scale", "--only", "nothing"], ["--only", "k-d tree"]),
    ],
    ids=lambda value: " ".join(value[-2:]) if value and value[0] in ("cluster", "app") else None,
)
def test_bad_input_gives_one_sentence(argv, words, capsys):
    try:
        code = cli.main(argv)
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    err = capsys.readouterr().err
    assert err.endswith(".\n") and err.count("\n") == 1, err
    for word in words:
        assert word in err, err


def test_eigenvectors_that_did_not_converge_are_told(tmp_path, capsys, unconverged):
    np.save(tmp_path / "points.npy", np.random.default_rng(0).standard_normal((200, 8)))
    assert cli.main(["cluster", str(tmp_path / "points.npy"), "--clusters", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name in ("W", "W*"):
        assert any(line.startswith(f"{name}: The eigenvectors did not converge") for line in lines)
        assert f"{name}: The eigenvalues behind CONN did not converge." in lines


def test_a_sweep_tells_whose_eigenvectors_did_not_converge(tmp_path, capsys, unconverged):
    np.save(tmp_path / "points.npy", np.random.default_rng(0).standard_normal((60, 8)))
    words = ["--clusters", "3", "--gamma", "3:9", "--theta1", "0.8", "--theta2", "0.6"]
    command = ["sweep", str(tmp_path / "points.npy"), *words, "--dense", "PCE"]
    assert cli.main(command) == 0
    out = capsys.readouterr().out
    assert out.count("θ₂ = 0.6: The eigenvectors did not converge") == 5
    assert "2 more settings did not converge." in out
    assert cli.main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["settings"]
    assert len(found) == 7
    assert all(s["message"].startswith("The eigenvectors did not converge") for s in found)


def test_interrupt_has_its_own_exit_code(monkeypatch):
    def interrupted(name):
        raise KeyboardInterrupt

    monkeypatch.setattr(datasets, "sample", interrupted)
    assert cli.main(MOTION) == 130


def test_progress_is_a_line_on_a_terminal_and_rare_elsewhere(monkeypatch, capsys):
    quiet = Reporter()
    quiet(1, 2)
    quiet.clear()
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    live = Reporter()
    live.stage, live._next = "IMC", 0.0
    live(1, 2)
    live.clear()
    assert capsys.readouterr().err == "\rIMC: 50 %\x1b[K\r\x1b[K"
    live._begun -= 40
    for done, left in ((500, "about 40 s"), (999, "less than a second")):
        live._next = 0.0
        live(done, 1000)
        assert f" %, {left} left" in capsys.readouterr().err


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0 and capsys.readouterr().out.strip() == sdsc_core.__version__


def test_app_is_started_with_the_settings_of_its_folder(monkeypatch, tmp_path):
    started = []  # not Streamlit itself, which stays as it is for the tests that follow
    monkeypatch.setattr(app.runpy, "run_path", lambda path, **_: started.append(path))
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setenv("SDSC_DATA", "before")
    argv = ["app", "--port", "8080", "--data", str(tmp_path), "--server.headless", "true"]
    assert cli.main(argv) == 0
    assert started == [str(home() / "pages" / "shared" / "streamlit_inside.py")]
    assert sys.argv[:3] == ["streamlit", "run", str(home() / "app.py")]
    assert sys.argv[-4:] == ["--server.port", "8080", "--server.headless", "true"]
    pairs = dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True))
    assert pairs["--server.showEmailPrompt"] == pairs["--browser.gatherUsageStats"] == "false"
    assert pairs["--server.address"] == "127.0.0.1"
    assert os.environ["SDSC_DATA"] == str(tmp_path)


@pytest.mark.parametrize("given", [["--server.address", "0.0.0.0"], ["--server.address=0.0.0.0"]])
def test_the_app_is_opened_to_others_when_asked(monkeypatch, given):
    monkeypatch.setattr(app.runpy, "run_path", lambda path, **_: None)
    monkeypatch.setattr(sys, "argv", [])
    assert cli.main(["app", *given]) == 0
    pairs = dict(zip(sys.argv[3::2], sys.argv[4::2], strict=True))
    assert pairs["--server.address"] == "0.0.0.0" and sys.argv.count("--server.address") == 1


def test_all_that_is_large_is_imported_before_the_server_and_in_its_thread():
    """Streamlit and a script that import the same at once can wait for each other for good."""
    code = """if True:
        import runpy, sys, threading
        from sdsc_core import cli
        def server(*_, **__):
            large = ("pandas", "narwhals", "plotly.graph_objects", "sklearn.cluster")
            print(threading.active_count(), *(name in sys.modules for name in large))
        runpy.run_module = server
        cli.main(["app"])
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.split() == ["1", *["True"] * 4], done.stderr


def test_a_first_visit_imports_none_of_what_can_wait_for_each_other():
    """All that a page needs of these is there before the server takes visitors."""
    code = """if True:
        import sys
        from sdsc_core.cli.warm import load_libraries
        load_libraries()
        from streamlit.testing.v1 import AppTest
        before = set(sys.modules)
        app = AppTest.from_file(sys.argv[1], default_timeout=300).run()
        assert not app.exception
        print(*{name.split(".")[0] for name in set(sys.modules) - before})
    """
    done = subprocess.run(
        [sys.executable, "-c", code, ROOT / "app.py"], capture_output=True, text=True, cwd=ROOT
    )
    late = set(done.stdout.split())
    assert "pages" in late, done.stderr
    large = {"pandas", "narwhals", "plotly", "sklearn", "scipy", "cryptography", "pyarrow"}
    assert not late & {*large, "sdsc_core"}


def test_flags_of_nested_and_repeated_settings():
    settings = {"theme": {"light": {"radius": 3}, "colours": ["red", "blue"]}, "on": True}
    assert " ".join(app._flags(settings)) == (
        "--theme.light.radius 3 --theme.colours red --theme.colours blue --on true"
    )


def test_benchmark_prints_a_row_whether_or_not_the_limit_holds(monkeypatch, capsys):
    rows = [
        benchmark.Row("quick", 2.0, "s", lambda: (1.0, "well")),
        benchmark.Row("slow", 2.0, "s", lambda: (3.0, "badly")),
        benchmark.Row("for the record", None, "s", lambda: (7.0, "")),
    ]
    monkeypatch.setattr(benchmark, "ROWS", rows)
    assert cli.main(["benchmark"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0].strip() for line in lines[1:]] == [row.name for row in rows]
    assert "yes" in lines[1] and "NO" in lines[2] and "yes" not in lines[3]
    cli.main(["benchmark", "--only", "SLOW"])
    assert "quick" not in capsys.readouterr().out


def test_rows_are_kept_for_a_table_and_a_plot(monkeypatch, capsys, tmp_path):
    file, picture = tmp_path / "rows.csv", tmp_path / "rows.svg"
    found = {"a": benchmark_scale.Figure(4.0, "well", 1000, 0.5, 2.0)}
    rows = [
        benchmark_scale.Row("k-d tree a", 4, "times", lambda: found["a"], True),
        benchmark_scale.Row("b", None, "s", lambda: benchmark_scale.Figure(7.0, "once")),
    ]
    monkeypatch.setattr(benchmark_scale, "ROWS", rows)
    for only in ("b", "a"):  # kept in the order of the rows, not of the runs
        assert cli.main(["benchmark", "scale", "--only", only, "--save", str(file)]) == 0
    found["a"] = benchmark_scale.Figure(3.0, "badly", 1000, 0.5, 1.5)
    cli.main(["benchmark", "scale", "--only", "k-d", "--save", str(file), "--plot", str(picture)])
    capsys.readouterr()
    assert cli.main(["benchmark", "scale", "--table", str(file)]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == [
        "| k-d tree a | 3 times | 4 times | badly |",
        "| b | 7 s |  | once |",
    ]
    cli.main(["benchmark", "scale", "--table", str(file), "--only", "K-D"])
    assert len(capsys.readouterr().out.splitlines()) == 3
    assert picture.read_text().count("<circle") == 2
    assert cli.main(["benchmark", "scale", "--plot", str(picture)]) != 0
    assert "--save or --table" in capsys.readouterr().err


def test_a_quick_row_of_the_benchmark_measures():
    value, remark = next(r for r in benchmark.ROWS if r.name == "PCE, ten faces").measure()
    assert value > 0 and "640" in remark


def test_the_wheel_holds_the_app(tmp_path):
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    run = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
    package = tmp_path / "unpacked" / "sdsc_core"
    app = package / "_app"
    for place in ("app.py", "pages", "sample_data", ".streamlit/config.toml"):
        ours = ROOT / place
        names = [""] if ours.is_file() else [p.name for p in ours.iterdir() if p.suffix != ".pyc"]
        for name in names:
            assert name == "__pycache__" or (app / place / name).exists(), (place, name)
    look = "from sdsc_core.cli.paths import home; print(home())"
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    run = subprocess.run(
        [sys.executable, "-c", look],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == str(app)


def test_labels_of_an_npz_can_be_left_out(tmp_path, capsys):
    """As the command that the app prints says it."""
    path = tmp_path / "a.npz"
    np.savez(path, X=np.random.default_rng(0).random((30, 4)), y=np.arange(30) % 3)
    assert cli.main(["cluster", str(path), "--y", "none", "--clusters", "2"]) == 0
    assert "needs labels" in capsys.readouterr().out
