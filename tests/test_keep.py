"""Points that stay, notebooks from scripts, and figures for papers."""

import ast
import io
import json
import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from PIL import Image

from pages.keep import about
from sdsc_core import __version__, changes, figures, run_stages
from sdsc_core.compare import comparison_script
from sdsc_core.datasets import make_subspaces, prepare, spell_rows
from sdsc_core.figures import Paper, figure_file, paper_cells
from sdsc_core.figures.paper_cells import CAUSE, SCALE, cells_of
from sdsc_core.script import composition, notebook, points_of, script
from sdsc_core.settings import RunSettings


@pytest.fixture(scope="module")
def run():
    return run_stages(make_subspaces(3, 2, 8, points_each=12, noise=0.3, random_state=2))


def test_rows_in_a_line_name_the_same_rows():
    rng = np.random.default_rng(0)
    data = make_subspaces(3, 2, 8, points_each=20)
    for n in (1, 2, 7, 40, 60):
        rows = rng.choice(60, n, replace=False) + 1
        text = spell_rows(rows)
        counted = [
            r for part in text.split(".")
            for a, _, b in [part.partition("-")] for r in range(int(a), int(b or a) + 1)
        ]  # fmt: skip
        assert counted == sorted(rows)
        for only in (text, rows.tolist()):
            assert prepare(data, only=only).row_numbers.tolist() == sorted(rows)
    assert spell_rows(range(1, 61)) == "1-60"


def test_points_stay_with_their_classes_and_draws():
    data = make_subspaces(4, 2, 8, points_each=10)
    drawn = prepare(data, classes=[1, 3], per_class=6, random_state=4)
    some = drawn.row_numbers[[0, 3, 7, 8]]
    again = prepare(data, only=spell_rows(some), classes=[1, 3], per_class=6, random_state=4)
    assert again.row_numbers.tolist() == some.tolist()
    assert again.class_names == ("subspace 2", "subspace 4")
    np.testing.assert_array_equal(again.X, drawn.X[[0, 3, 7, 8]])
    # classes are counted in the data as it came, whatever points stay
    only_last = prepare(data, only="31-40", classes=[3])
    assert only_last.class_names == ("subspace 4",) and only_last.n_points == 10


@pytest.mark.parametrize("only", ["5-3", "99", "7-3.99-1000000000000"])
def test_no_point_left_is_said(only):
    with pytest.raises(ValueError, match="only names no row of these points"):
        prepare(make_subspaces(2, 2, 5, 6), only=only)


@pytest.mark.parametrize("only", ["", "a", "1..2", "-3", "1-", "1-2-3", "9" * 40])
def test_what_is_no_row_is_said(only):
    with pytest.raises(ValueError, match="only is no list of row numbers"):
        prepare(make_subspaces(2, 2, 5, 6), only=only)


def test_a_range_is_never_counted_out():
    data = make_subspaces(2, 2, 5, 6)
    assert prepare(data, only="2-999999999999999.1-3").n_points == 12


def test_columns_of_some_points(run):
    points = np.array([3, 20, 35])
    found, whole = points_of(run, points), points_of(run, np.arange(36))
    assert list(found) == ["point", "row", "class", "cluster_W", "cluster_W_star"]
    assert all((found[name] == whole[name][points]).all() for name in found)
    assert found["point"].tolist() == points.tolist()
    assert composition(run.data.labels, points) == [(0, 1, 12), (1, 1, 12), (2, 1, 12)]


STEPS = dict.fromkeys(["only", "classes", "each", "scattering", "pca", "unit", "centre", "draw"])


def test_a_notebook_does_what_its_script_does(tmp_path, monkeypatch, capsys):
    steps = STEPS | {
        "only": "'1-40'",
        "scattering": False,
        "unit": False,
        "centre": False,
        "draw": 0,
    }
    text = script(RunSettings(gamma=3), steps, load="data = datasets.make_subspaces(2, 2, 9, 30)")
    monkeypatch.chdir(tmp_path)
    exec(text, {})
    labels, said = (tmp_path / "labels.csv").read_text(), capsys.readouterr().out
    (tmp_path / "labels.csv").unlink()
    cells, names = json.loads(notebook(text))["cells"], {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert (tmp_path / "labels.csv").read_text() == labels and labels.count("\n") == 41
    assert capsys.readouterr().out == said
    assert len(cells) > 4  # what belongs together is one cell each
    code = [
        line for c in cells if c["cell_type"] == "code" for line in "".join(c["source"]).split("\n")
    ]
    assert code == [line for line in text.splitlines()[1:] if line]


ODD = '''"""Two
lines."""
import json


def one():

    return """a

b"""

if __name__ == "__main__":

    print(one())
# the end
'''


def test_scripts_of_other_screens_become_notebooks_too():
    text = comparison_script({"IMC": {}}, ["none"], {"only": "1-9", "classes": None,
        "per_class": None, "scattering": False, "pca": None, "unit_norm": False, "centre": False,
        "random_state": 0}, load="data = None", n_clusters=3)  # fmt: skip
    cells = json.loads(notebook(text))["cells"]
    joined = "\n\n".join("".join(c["source"]) for c in cells[1:])
    assert ast.dump(ast.parse(joined)) == ast.dump(ast.Module(ast.parse(text).body[1:], []))
    assert "only='1-9'" in joined and len(cells) > 3


def test_a_notebook_of_any_script_is_valid():
    nbformat = pytest.importorskip("nbformat")
    made = notebook(ODD)
    nbformat.validate(json.loads(made))
    sources = ["".join(c["source"]) for c in json.loads(made)["cells"]]
    assert sources[:2] == ["Two\nlines.", "import json"]
    assert sources[2] == 'def one():\n\n    return """a\n\nb"""' and len(sources) == 4
    assert nbformat.validate(json.loads(notebook("x = 1\n"))) is None


def view_of(run, **options):
    order = figures.ordering("class", run.data.labels, run.after.labels)
    blocks = figures.class_blocks(run.data.labels, order, run.data.class_names)
    options = {"blocks": blocks, "class_of": run.data.labels[order]} | options
    return figures.matrix_view(run.before.W, run.after.W, order, **options)


def test_cells_have_the_colours_of_the_screen(run):
    view = view_of(run)
    for kind, W in (("w", run.before.W), ("star", run.after.W)):
        cells, dense = cells_of(view, kind), W.toarray()[np.ix_(view.index, view.index)]
        assert ((cells[..., 3] == 1) == (dense > 0)).all()
        stops = np.array([to_rgb(stop) for stop in SCALE])
        for value, shown in zip(dense[dense > 0][:50], cells[dense > 0][:50, :3], strict=True):
            at = (0.08 + 0.92 * value) * (len(SCALE) - 1)
            low = min(int(at), len(SCALE) - 2)
            wanted = stops[low] + (at - low) * (stops[low + 1] - stops[low])
            np.testing.assert_allclose(shown, wanted, atol=0.02)
    assert not np.allclose(cells_of(view_of(run, log=True), "w"), cells_of(view, "w"))


@pytest.mark.parametrize("seed", range(5))
def test_a_picture_has_every_entry_of_either_matrix_once(seed):
    rng, n = np.random.default_rng(seed), 7
    W, W_star = (np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1) for _ in range(2))
    view = figures.matrix_view(W + W.T, W_star + W_star.T, np.arange(n))
    found = sorted(zip(view.rows.tolist(), view.cols.tolist(), strict=True))
    assert found == list(zip(*(k.tolist() for k in np.nonzero(W + W_star)), strict=True))
    np.testing.assert_array_equal(view.w, W[view.rows, view.cols].astype(np.float32))
    np.testing.assert_array_equal(view.star, W_star[view.rows, view.cols].astype(np.float32))


def test_a_matrix_too_large_for_its_dots_is_merged_as_on_the_screen(monkeypatch):
    rng = np.random.default_rng(0)
    W = np.triu(rng.random((120, 120)) * (rng.random((120, 120)) < 0.02), 1)
    W += W.T
    monkeypatch.setattr(paper_cells, "MOST_CELLS", 12)
    for merge, held in (("max", "max"), ("mean", "mean"), ("density", "density"), ("auto", "mean")):
        view = figures.matrix_view(W, W, np.arange(120), merge=merge)
        grids, points, shown, top = paper_cells.dots_of(view)
        tiles = W.reshape(12, 10, 12, 10)
        share = {"max": tiles.max(axis=(1, 3)), "mean": tiles.mean(axis=(1, 3)),
                 "density": (tiles > 0).mean(axis=(1, 3))}[held]  # fmt: skip
        np.testing.assert_allclose(grids["star"], share, rtol=1e-5)
        assert (points, shown) == (10, held) and (top == 1) == (held == "max")
        assert (
            figures.paper_matrices(view).subfigs[0].axes[0].get_xlabel().endswith("10×10 entries")
        )


def test_causes_are_pale_inside_classes(run):
    found = changes(run.before.W, run.after.W)
    view = view_of(run, causes=found, panels=(("cause", "W* − W"),))
    figures.paper_matrices(view)  # its legend names the causes
    cells, place = cells_of(view, "cause"), np.argsort(view.index)
    assert len(found)
    for i, j, condition in zip(found.i, found.j, found.condition, strict=True):
        inside = run.data.labels[i] == run.data.labels[j]
        for a, b in ((i, j), (j, i)):
            shown = cells[place[a], place[b]]
            np.testing.assert_allclose(shown[:3], to_rgb(CAUSE[condition]))
            assert shown[3] == pytest.approx(120 / 255 if inside else 1)


def drawn(run, paper, what):
    at = [(n, figures.projection(s.spectrum, s.k, 2)) for n, s in
          (("W", run.before), ("W*", run.after))]  # fmt: skip
    wrong = [np.arange(36) % 7 == 0] * 2
    values = [("W", run.before.spectrum.eigenvalues, 3), ("W*", run.after.spectrum.eigenvalues, 3)]
    names = ["a $x$", "β_1", "<c>"]
    if what == "matrices":
        return figures.paper_matrices(view_of(run), paper)
    if what == "embedding":
        return figures.paper_embedding(at, run.data.labels, names, wrong=wrong, paper=paper)
    return figures.paper_eigenvalues(values, paper=paper)


@pytest.mark.parametrize("what", ["matrices", "embedding", "eigenvalues"])
def test_files_have_the_size_that_is_asked_for(run, what):
    paper = Paper(width=120, font=7, caption="What $this$ shows: Γ = 6, θ₁ = 0.80. " * 3)
    figure = drawn(run, paper, what)
    svg, pdf = figure_file(figure, "svg").decode(), figure_file(figure, "pdf")
    assert pdf[:5] == b"%PDF-" and pdf.rstrip().endswith(b"%%EOF")
    box = [float(v) for v in re.search(rb"/MediaBox \[([^]]+)\]", pdf)[1].split()]
    assert box[2] == pytest.approx(120 / 25.4 * 72, abs=0.1)
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf  # letters, of a font within
    width = float(re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)[1])
    assert width == pytest.approx(120 / 25.4 * 72, abs=0.1)
    assert ("<image" in svg) == (what == "matrices")  # the rest is lines and letters
    png = Image.open(io.BytesIO(figure_file(figure, "png", 200)))
    assert abs(png.width - 120 / 25.4 * 200) <= 1 and png.info["Description"] == paper.caption
    assert len(np.unique(np.asarray(png.convert("L")))) > 20
    assert figure_file(drawn(run, paper, what), "pdf") == pdf  # the same again, byte for byte


def test_what_cannot_be_printed_is_said(run):
    with pytest.raises(ValueError, match="width is 2 mm"):
        Paper(width=2)
    figure = figures.paper_eigenvalues([("W", [1, 0.5], 1)])
    with pytest.raises(ValueError, match="kind"):
        figure_file(figure, "gif")
    with pytest.raises(ValueError, match="dpi is 9000"):
        figure_file(figure, "png", 9000)


def test_the_menu_says_what_the_citation_file_says():
    yaml = pytest.importorskip("yaml")
    known = yaml.safe_load((about.HOME / "CITATION.cff").read_text())
    paper, told = known["preferred-citation"], about.menu()["About"]
    assert known["version"] in told and __version__ in told
    for text in (paper["title"], paper["url"], str(paper["year"]), paper["journal"]):
        assert text in told
    for author in paper["authors"]:
        assert f"{author['family-names']}, {author['given-names']}" in about.bibtex()
    assert "MIT License" in told and "Tour" in told
