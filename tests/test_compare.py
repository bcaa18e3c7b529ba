"""The comparison of methods and dense stages, as a library and as a screen."""

import io

import numpy as np
import pandas as pd
import pytest

from sdsc_core import compare, datasets
from sdsc_core.compare import Result


@pytest.fixture(scope="module")
def results():
    return [
        Result("IMC", "none", 0, 0.5, 0.4, 0.1, 0.0, 0.0, 1.0),
        Result("IMC", "none", 1, 0.7, 0.4, 0.1, 0.0, 0.0, 3.0),
        Result("IMC", "D3", 0, 0.8, 0.4, 0.3, 0.0, 0.0, 1.0),
        Result("LSR", "none", 0, 0.2, None, 0.2, 0.0, 0.0, 9.0, 'said "no", then'),
    ]


def test_rows_are_means_over_repeats(results):
    row = compare.table(results, "acc")[0]
    assert (row.method, row.dense, row.repeats) == ("IMC", "none", 2)
    assert row.mean == pytest.approx(0.6) and row.std == pytest.approx(0.1)
    assert len(compare.table(results, "nmi")) == 2  # a figure that is missing has no row


def test_best_is_highest_but_for_time(results):
    assert compare.best(results, "acc") == ("IMC", "D3")
    assert compare.best(results, "seconds") == ("IMC", "D3")
    assert compare.best([], "acc") is None


def test_the_csv_reads_back(results):
    table = pd.read_csv(io.StringIO(compare.to_csv(results)))
    assert table.acc.tolist() == [0.5, 0.7, 0.8, 0.2]
    assert table.method.tolist() == ["IMC", "IMC", "IMC", "LSR"]
    assert np.isnan(table.nmi[3])


def test_markdown_and_latex_mark_the_best(results):
    text = compare.to_markdown(results)
    assert "| IMC | 60.0 ± 10.0 | **80.0** |" in text and "| LSR | 20.0 | – |" in text
    latex = compare.to_latex(results)
    assert r"IMC & 60.0 $\pm$ 10.0 & \textbf{80.0} \\" in latex and latex.count("&") == 6


def test_a_cell_equals_the_stages_by_hand():
    data = datasets.make_subspaces(3, 3, 20, 30)
    solved = compare.solve(data, "OMP", 3, {"n_nonzero": 3})
    result, star, labels = compare.finish(data, solved, "OMP", "D3", 3)
    assert result.acc == pytest.approx(np.mean(labels == data.labels)) == 1
    assert (star.toarray() >= solved.W.toarray()).all()
    assert result.seconds >= solved.seconds > 0


def test_what_does_not_fit_is_refused_in_a_sentence():
    data = datasets.sample("motion")
    assert compare.fits(data, "BDR") == ""
    assert "GiB" in compare.fits(data, "BDR", limit=1000)


def test_the_screen_runs_what_is_chosen(app):
    app.query_params["data"] = "motion"
    app.query_params["methods"] = "IMC.KNN"
    app.query_params["stages"] = "none.D3"
    app.run()
    app.switch_page("pages/compare.py").run()
    assert not app.exception
    next(b for b in app.button if b.label == "Run").click().run()
    assert not app.exception
    done = [result for result, _ in app.session_state.cells.values()]
    assert [(r.method, r.dense) for r in done] == [
        ("IMC", "none"), ("IMC", "D3"), ("KNN", "none"), ("KNN", "D3"),
    ]  # fmt: skip
    assert app.session_state.queue == []
    data = datasets.sample("motion")
    solved = compare.solve(data, "KNN", 3, {"n_neighbours": 5})
    assert done[3].acc == compare.finish(data, solved, "KNN", "D3", 3)[0].acc
