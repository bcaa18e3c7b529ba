"""Every file that speaks of points says which row of the data each one is, and what it is called.

The points are drawn at random from a table with names, so that a point's number is not its row.
"""

import csv
import io
import json

import numpy as np
import pytest
import scipy.sparse as sp

from pages.explore import downloads
from pages.shared.settings import defaults
from sdsc_core import changes, cli, datasets, rank_changes, run_stages
from sdsc_core.datasets import load, make_subspaces, prepare
from sdsc_core.script import affinity_npz, changes_csv, columns_of

CLASSES = ("cat", "dog, old")


def table():
    """A table of forty samples: a name, six numbers and a class, the classes in turn."""
    made = make_subspaces(2, 2, 6, points_each=20, noise=0.05, random_state=1)
    at = np.arange(40).reshape(2, 20).T.ravel()
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["who", *"abcdef", "label"])
    for k, p in enumerate(at):
        writer.writerow([f"N{90 - k:03}", *made.X[p].round(6), CLASSES[made.labels[p]]])
    return text.getvalue()


@pytest.fixture(scope="module")
def rows():
    """What the table itself says, by the number that a spreadsheet shows."""
    return dict(enumerate(csv.DictReader(io.StringIO(table())), 2))


@pytest.fixture(scope="module")
def run():
    data = load(io.BytesIO(table().encode()), name="pets.csv")
    return run_stages(prepare(data, per_class=12, random_state=3))


def check(run, rows, columns, end=""):
    """The columns tell the truth of all their points; how many there are."""
    points = [int(p) for p in columns[f"point{end}"]]
    for at, p in enumerate(points):
        told = {name: str(columns[f"{name}{end}"][at]) for name in
                ("row", "identifier", "class", "cluster_W", "cluster_W_star")}  # fmt: skip
        row = rows[int(told["row"])]
        assert (told["identifier"], told["class"]) == (row["who"], row["label"])
        np.testing.assert_allclose(run.data.X[p], [float(row[f]) for f in "abcdef"])
        assert told["cluster_W"] == str(run.before.labels[p])
        assert told["cluster_W_star"] == str(run.after.labels[p])
    return len(points)


def as_columns(text):
    found = list(csv.DictReader(io.StringIO(text)))
    return {name: [row[name] for row in found] for name in found[0]}


def test_the_draw_moves_the_points(run):
    assert (run.data.row_numbers != np.arange(24) + 2).any() and run.data.n_points == 24


def test_labels(run, rows):
    assert check(run, rows, as_columns(downloads.labels_csv(run))) == 24


def test_matrices(run, rows):
    for side in (run.before, run.after):
        file = affinity_npz(side.W, columns_of(run))
        assert abs(sp.load_npz(io.BytesIO(file)) - side.W).max() == 0
        with np.load(io.BytesIO(file)) as found:  # no pickle: anybody may open it
            assert check(run, rows, found) == 24


def test_raised_pairs(run, rows):
    changed = changes(run.before.W, run.after.W)
    order = rank_changes(changed, run.data.labels)[:7]
    found = as_columns(changes_csv(run, changed, order))
    for name, which in (("i", changed.i), ("j", changed.j), ("k", changed.witness)):
        assert list(map(int, found[name])) == which[order].tolist()
        assert check(run, rows, found | {f"point_{name}": found[name]}, f"_{name}") == 7
    assert list(map(float, found["w"])) == changed.before[order].tolist()
    assert list(map(float, found["w_star"])) == changed.after[order].tolist()
    assert list(map(int, found["condition"])) == changed.condition[order].tolist()


def test_a_pair_without_a_witness_has_none_in_the_file(run):
    changed = changes(run.before.W, run.after.W)
    changed.witness[0] = -1
    found = as_columns(changes_csv(run, changed))
    assert {found[f"{name}k"][0] for name in ("", "row_", "identifier_", "class_")} == {""}
    assert found["k"][1] != ""


def titles(run):
    """A line for each point, made from the columns of the table of labels."""
    c = as_columns(downloads.labels_csv(run))
    return [
        f"point {p}, row {row}, {who}, class {label}, cluster {w} of W, {star} of W*"
        for p, row, who, label, w, star in zip(*c.values(), strict=True)
    ]


def test_figures_name_their_points(run):
    html = {
        "affinity": downloads.affinity_html(run, "class"),
        "embedding": downloads.embedding_html(run),
    }
    for name, text in html.items():
        for title in titles(run):
            assert title in text, name


def test_settings_name_the_chosen_points(run):
    chosen = defaults() | {"point": 5, "pair": (5, 9)}
    kept = json.loads(downloads.settings_json(run, chosen, ""))
    assert kept["points"] == [titles(run)[5], titles(run)[9]]


def test_the_script_saves_the_same_labels(run, tmp_path, monkeypatch, capsys):
    (tmp_path / "pets.csv").write_text(table())
    monkeypatch.chdir(tmp_path)
    chosen = defaults() | {"data": "pets.csv", "each": 12, "draw": 3}
    exec(downloads.python_script(run, chosen, downloads.load_lines("pets.csv", {})), {})
    assert (tmp_path / "labels.csv").read_text() == downloads.labels_csv(run)


def test_the_command_line_writes_them_too(rows, tmp_path):
    (tmp_path / "pets.csv").write_text(table())
    files = [str(tmp_path / name) for name in ("pets.csv", "labels.csv", "W.npz", "star.npz")]
    options = ["--output", files[1], "--save-affinity", files[2], "--save-dense", files[3]]
    assert cli.main(["cluster", files[0], *options]) == 0
    run = run_stages(load(files[0]))
    assert check(run, rows, as_columns((tmp_path / "labels.csv").read_text())) == 40
    for path, side in zip(files[2:], (run.before, run.after), strict=True):
        assert abs(sp.load_npz(path) - side.W).max() == 0
        with np.load(path) as found:
            assert check(run, rows, found) == 40


def test_tables_of_the_screens_name_their_points(app, run, rows):
    """A table's own download has what the table has."""
    data = load(io.BytesIO(table().encode()), name="pets.csv")
    app.run()
    app.session_state["loaded"] = {"pets.csv": data}
    app.run()
    app.selectbox(key="data").set_value("pets.csv")
    app.run()
    app.session_state["each"], app.session_state["draw"] = 12, 3
    app.run()
    for screen, points in (("inspect", "ijk"), ("step", "k")):
        app.session_state["step"] = "pair"
        app.switch_page(f"pages/{screen}/page.py")
        app.run()
        assert not app.exception
        shown = app.dataframe[0].value
        assert len(shown)
        for name in points:
            number = "witness" if name == "k" and screen == "inspect" else name
            for p, row, who in zip(
                shown[number], shown[f"row of {name}"], shown[f"identifier of {name}"], strict=True
            ):
                assert row == run.data.row_numbers[p] and who == rows[row]["who"]


def test_pictures_are_called_by_their_files():
    data = datasets.load("sample_data/shaded_faces.zip")
    assert len(set(data.identifiers)) == data.n_points
    for name, label in zip(data.identifiers, data.labels, strict=True):
        assert name.endswith(".png") and name.split("/")[-2] == data.class_names[label]
