"""The Explore screen without a browser: what its controls do and what the address holds."""

import contextlib
import inspect
import io
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from pages.explore import downloads, embedding, papers
from pages.keep.entries import difference
from pages.shared import run as stages
from pages.shared import settings
from pages.shared.presets import PRESETS
from sdsc_core import (
    METHODS,
    changes,
    components,
    confusion,
    datasets,
    imc,
    misplaced,
    pce,
    spectral_clustering,
    summarise,
)
from sdsc_core import (
    figures as charts,
)
from sdsc_core.datasets import Dataset, make_subspaces
from sdsc_core.figures import cells


def thetas(app):
    return [app.session_state[f"theta{i}"] for i in (1, 2, 3)]


def choose(app, **values):
    """Set widgets by their keys, as a hand does, and run."""
    for name, value in values.items():
        kinds = (app.slider, app.segmented_control, app.selectbox, app.number_input)
        widget = next(w for kind in kinds for w in kind if w.key == name)
        widget.set_value(value)
    return run(app)


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def figures(app):
    """The large figures by name: value and change."""
    return {m.label.removesuffix(" of W*"): (m.value, m.delta) for m in app.metric}


def table(app):
    """The table of metrics: name -> cells."""
    body = next(h.proto.body for h in app.html if "<table" in h.proto.body)
    rows = re.findall(r"<tr><td[^>]*>(.*?)</td>(.*?)</tr>", body)
    return {name: re.findall(r"<td[^>]*>(.*?)</td>", cells) for name, cells in rows}


def headline(app):
    return app.markdown[0].value


def press(app, label):
    next(b for b in app.button if b.label == label).click()
    return run(app)


def load(app, data):
    """Put a data set where the Data screen puts it, and choose it."""
    run(app)
    app.session_state["loaded"] = {data.name: data}
    run(app)
    return choose(app, data=data.name)


def unlabelled():
    return Dataset(make_subspaces(3, 3, 20, points_each=20).X, None, "no labels")


def test_the_first_picture_is_the_library_s(app):
    run(app)
    data = datasets.sample("faces")
    W = imc(data.X, 6).affinity()
    star = pce(W, 0.8, 0.6)
    before, after = (summarise(A, spectral_clustering(A, 6), data.labels) for A in (W, star))
    shown = figures(app)
    assert shown["ACC"] == (
        f"{100 * after.acc:.1f} %",
        f"{100 * (after.acc - before.acc):+.1f} vs W",
    )
    assert shown["Nonzeros"][0] == f"{star.nnz:,}"
    cells = table(app)
    assert cells["Ncut"][:2] == [f"{before.ncut:.4f}", f"{after.ncut:.4f}"]
    assert cells["CONN, least cluster"][1] == f"{after.conn.min:.4f}"
    assert cells["NMI"][2] == f"{after.nmi - before.nmi:+.4f}"
    assert app.query_params == {}


@pytest.mark.parametrize("moved", ["theta1", "theta2", "theta3"])
def test_thetas_push_each_other(monkeypatch, moved):
    held = {"lock": []}
    monkeypatch.setattr(settings, "st", SimpleNamespace(session_state=held))
    for value in np.linspace(0, 1, 101):
        held.update({"theta1": 0.8, "theta2": 0.6, "theta3": 0.3, moved: float(value)})
        settings.order_thetas(moved)
        found = [held[f"theta{i}"] for i in (1, 2, 3)]
        assert 1 >= found[0] > found[1] > found[2] >= 0
        assert abs(held[moved] - value) <= 0.02 + 1e-9


def test_moving_a_theta_moves_the_others_on_the_screen(app):
    run(app)
    choose(app, theta1=0.5)
    assert thetas(app) == [0.5, 0.49, 0.3]
    choose(app, theta3=0.9)
    assert thetas(app) == [0.92, 0.91, 0.9]
    assert [app.slider(key=f"theta{i}").value for i in (1, 2, 3)] == thetas(app)
    assert app.query_params == {
        "theta1": "0.92", "theta2": "0.91", "theta3": "0.9", "gamma": "6",
    }  # fmt: skip
    press(app, "Reset to the paper's values")
    assert thetas(app) == [0.8, 0.6, 0.3] and app.query_params == {}


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p.title)
def test_preset_shows_its_state_and_the_script_gives_its_numbers(
    app, preset, monkeypatch, tmp_path
):
    run(app)
    choose(app, theta1=0.9, gamma=3)
    press(app, "Presets")
    press(app, preset.title)
    assert preset.look_for in headline(app)
    wanted = preset.settings()
    assert {name: app.session_state[name] for name in wanted} == wanted
    result = app.session_state["last"]
    chosen = {name: app.session_state[name] for name in settings.SETTINGS}
    printed = io.StringIO()
    monkeypatch.chdir(tmp_path)  # the script writes labels.csv
    with contextlib.redirect_stdout(printed):
        exec(downloads.python_script(result, chosen, downloads.load_lines(chosen["data"], {})), {})
    again = json.loads(printed.getvalue())
    for name, side in (("W", result.before), ("W*", result.after)):
        s, figures = side.summary, again[name]
        assert (figures["ACC"], figures["NMI"], figures["nonzeros"]) == (s.acc, s.nmi, s.nonzeros)
        assert figures["CONN"] == pytest.approx(s.conn.whole, abs=1e-5)
        assert figures["Ncut"] == pytest.approx(s.ncut)


def test_a_preset_s_words_go_with_its_data(app):
    run(app)
    press(app, "Presets")
    press(app, "Noise")
    assert "Faces" not in [b.label for b in app.button]  # the list is closed
    choose(app, data="motion")
    assert headline(app).endswith(datasets.SAMPLES["motion"].sentence)


def test_where_the_number_of_clusters_comes_from(app):
    run(app)
    assert "6 clusters (known)" in headline(app)
    choose(app, clusters="gap")
    assert "suggested by the eigengap" in headline(app)
    choose(app, clusters="own")
    choose(app, k=3)
    assert "3 clusters (chosen)" in headline(app)
    assert app.query_params == {"clusters": "own", "k": "3", "gamma": "6"}


def test_more_clusters_than_points_become_as_many(app):
    load(app, unlabelled())
    app.session_state["k"] = 5000
    choose(app, clusters="own")
    assert app.number_input(key="k").value == 60
    assert "60 clusters (chosen)" in headline(app)


def test_without_labels_everything_goes_by_found_clusters(app):
    load(app, unlabelled())
    assert figures(app)["ACC"] == ("–", "") and figures(app)["NMI"] == ("–", "")
    assert "eigengap" in headline(app)
    assert app.segmented_control(key="order").options == ["found cluster", "as loaded"]
    assert app.segmented_control(key="paint").options == ["cluster"]
    assert "needs the true classes" in app.info[0].value
    assert any("by the found clusters" in c.value for c in app.caption)
    assert table(app)["ACC"] == ["–", "–", "–"]
    for change in ({"view": "change"}, {"dims": "3-D"}, {"order": "loaded"}, {"dense": "none"}):
        choose(app, **change)
    choose(app, data="faces")  # what stood in for the classes goes again
    assert "6 clusters (known)" in headline(app)


BAD = {
    "NaN": np.full((20, 4), np.nan),
    "one point": np.ones((1, 4)),
    "one feature": np.arange(20.0)[:, None],
    "no point": np.ones((0, 4)),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_data_gets_one_sentence_and_no_figures_of_other_data(app, name):
    run(app)
    load(app, Dataset(BAD[name], None, name))
    assert len(app.warning) == 1 and app.warning[0].value.startswith("X has ")
    assert re.fullmatch(r"[^.]*\.", app.warning[0].value)
    assert not figures(app) and not any("Shaded faces" in m.value for m in app.markdown)
    choose(app, data="motion")
    assert not app.warning and "Rigid motions" in headline(app)


def test_what_cannot_be_prepared_leaves_the_last_result_and_one_sentence(app):
    run(app)
    before = figures(app)
    app.session_state["each"], app.session_state["pca"] = 1, 100
    run(app)
    assert "pca is 100" in app.warning[0].value
    assert figures(app) == before


def test_headline_and_caption_say_how_the_data_of_this_very_result_was_prepared(app, monkeypatch):
    said, caption_of = [], papers.caption_of
    monkeypatch.setattr(papers, "caption_of", lambda *of: said.append(caption_of(*of)) or said[-1])
    app.session_state["more"] = "Download"
    run(app)
    assert f"{datasets.sample('faces').n_features:,} dimensions, " in headline(app)
    assert "dimensions; IMC with" in said[-1]
    state = app.session_state
    state["each"], state["pca"], state["standardise"] = 10, 5, True
    run(app)
    words = "at most 10 points of each class (draw 0), standardised, 5 principal components"
    assert f" 5 dimensions ({words}), " in headline(app)
    assert f" 5 dimensions ({words}); IMC with" in said[-1]
    state["each"], state["pca"], state["standardise"] = 1, 100, False
    run(app)
    assert app.warning and f"({words})" in headline(app) and f"({words})" in said[-1]


@pytest.mark.parametrize(
    "X",
    [
        np.random.default_rng(0).random((2, 5)),
        np.zeros((10, 4)),
        np.vstack([np.ones((5, 8)), np.random.default_rng(0).random((20, 8))]),
        np.tile(np.random.default_rng(0).random((2, 6)), (8, 1)),
        1e200 * np.random.default_rng(0).random((12, 5)),
    ],
    ids=["two points", "zeros", "constant samples", "duplicates", "huge values"],
)
def test_odd_data_is_shown(app, X):
    load(app, Dataset(X, None, "odd"))
    assert not app.warning and "**odd**" in headline(app)
    for change in ({"view": "change"}, {"dims": "3-D"}, {"dense": "D2"}, {"dense": "none"}):
        choose(app, **change)


def test_stopped_work_can_be_taken_up_again(app):
    run(app)
    app.session_state["stopped"] = app.session_state["wanted"]
    run(app)
    assert app.warning[0].value.startswith("Stopped.") and "Shaded faces" in headline(app)
    press(app, "Compute")
    assert not app.warning
    app.session_state["stopped"] = app.session_state["wanted"]
    choose(app, theta1=0.9)
    assert not app.warning


def test_a_pinned_run_is_compared_with_what_comes_after(app):
    run(app)
    press(app, "Pin as A")
    first = table(app)
    choose(app, gamma=2)
    now = table(app)
    assert now["ACC"][3] == first["ACC"][1]
    assert float(now["ACC"][4]) == pytest.approx(
        float(now["ACC"][1]) - float(first["ACC"][1]), abs=1.01e-4
    )
    assert now["Q"][3] == first["Q"][1] and float(now["Q"][4]) == pytest.approx(
        float(now["Q"][1]) - float(first["Q"][1]), abs=1.01e-4
    )
    said = next(c.value for c in app.caption if "A: Shaded faces, Γ = 6, PCE" in c.value)
    assert "residual as printed, similarity with residual, seed 0, 6 clusters" in said
    a, b = (entry.words for entry in app.session_state["history"].values())
    assert (difference(a, b), difference(b, a)) == ("Γ = 6", "Γ = 2")
    assert difference(a, a) == "same settings"
    press(app, "Unpin")
    assert len(table(app)["ACC"]) == 3


ADDRESS = {
    "data": "motion",
    "gamma": "4",
    "theta1": "0.7",
    "dense": "D1",
    "residual": "centred",
    "similarity": "pair",
    "seed": "3",
    "order": "cluster",
    "colour": "log",
    "view": "change",
    "dims": "3-D",
    "paint": "cluster",
    "classes": "0.2",
    "each": "20",
    "unit": "1",
    "centre": "1",
    "draw": "7",
    "point": "3",
}


def test_the_address_brings_everything_back(app):
    app.query_params.update(ADDRESS)
    run(app)
    assert app.query_params == ADDRESS
    assert "40 points" in headline(app) and "2 clusters (known), Γ = 4" in headline(app)
    assert app.session_state["last"].settings.seed == 3
    assert any("Point 3 " in m.value for m in app.markdown)


def test_an_address_made_when_gamma_was_5_by_default_still_means_5(app):
    app.query_params.update(dense="D1")
    run(app)
    assert "Γ = 5." in headline(app)
    assert app.query_params == {"dense": "D1", "gamma": "5"}


def test_the_app_begins_with_the_library_s_gamma(app):
    run(app)
    default = inspect.signature(imc).parameters["n_iterations"].default
    assert app.session_state["gamma"] == default == METHODS["IMC"].settings()["n_iterations"]
    choose(app, dense="D1")
    assert app.query_params == {"dense": "D1", "gamma": str(default)}


def test_eigenvectors_that_did_not_converge_are_told(app, unconverged):
    load(app, Dataset(np.random.default_rng(0).standard_normal((200, 8)), None, "noise alone"))
    vectors, conn = "The eigenvectors did not converge", "The eigenvalues behind CONN did not"
    notes = next(c.value for c in app.caption if "go by the found clusters" in c.value)
    for name in ("W", "W*"):
        assert f"{name}: {vectors}" in notes
    assert f"W and W*: {conn} converge." in notes
    app.session_state["more"] = "Eigenvalues"
    run(app)
    told = [w.value for w in app.warning]
    assert len([t for t in told if vectors in t]) == 2 and any(conn in t for t in told)


OUT_OF_RANGE = {
    "gamma": ("0", "21", "x", "", "1.5", "-3"),
    "theta1": ("1.2", "nan", "0", "-1", "inf"),
    "dense": ("pce", "D4"),
    "k": ("0", "-1", "9999999999"),
    "classes": ("a", "1..2", "-1"),
    "unit": ("2",),
    "seed": ("-1",),
    "order": ("none",),
    "point": ("-2",),
}


@pytest.mark.parametrize("name", OUT_OF_RANGE)
def test_a_reader_refuses_what_is_out_of_range(name):
    for text in OUT_OF_RANGE[name]:
        with pytest.raises(ValueError):
            settings.SETTINGS[name].read(text)


def test_a_value_out_of_range_is_dropped_from_the_address(app):
    app.query_params.update({name: texts[0] for name, texts in OUT_OF_RANGE.items()}, nothing="1")
    run(app)
    assert app.query_params == {}
    assert "6 clusters (known), Γ = 6" in headline(app)


def test_an_address_with_thetas_out_of_order_is_put_in_order(app):
    app.query_params.update(theta1="0.3", theta2="0.9", theta3="0.5")
    run(app)
    assert thetas(app) == [0.3, 0.29, 0.28]


def test_an_address_that_names_somebody_s_file_says_so(app):
    app.query_params["data"] = "mine.csv"
    run(app)
    assert "“mine\\.csv” must be loaded again" in app.warning[0].value
    assert not figures(app) and not any("Shaded faces" in m.value for m in app.markdown)
    assert app.query_params == {"data": "mine.csv", "gamma": "5"}


def test_classes_that_the_data_does_not_have_are_ignored(app):
    app.query_params.update(classes="1.99", point="100000")
    run(app)
    assert "64 points" in headline(app)


def test_an_exercise_hides_the_classes_and_locks_controls(app):
    app.query_params.update(hide="1", lock="gamma.theta1.data", gamma="3")
    run(app)
    assert not {"ACC", "NMI"} & {*figures(app), *table(app)}
    assert app.slider(key="gamma").disabled and app.slider(key="theta1").disabled
    assert "data" not in [w.key for w in app.selectbox]  # its names speak of classes
    assert not app.slider(key="theta2").disabled
    assert next(b for b in app.button if b.label.startswith("Reset")).disabled
    shown = app.session_state["last"].data
    assert shown.labels is None and shown.class_names == ()
    app.session_state["each"] = 10
    assert "each class" not in headline(run(app)) and "draw" not in headline(app)
    whole = datasets.sample("faces").X
    assert not np.array_equal(shown.X, whole)
    assert np.array_equal(np.sort(shown.X[:, 0]), np.sort(whole[:, 0]))


@pytest.mark.parametrize("stage", settings.STAGES)
def test_every_dense_stage(app, stage):
    app.query_params["dense"] = stage
    run(app)
    assert app.slider(key="theta1").disabled == (stage != "PCE")
    nonzeros = table(app)["Nonzeros"]
    assert (nonzeros[0] == nonzeros[1]) == (stage in ("none", "Sinkhorn"))  # which only scales


def test_every_sample_opens(app):
    run(app)
    for name in datasets.SAMPLES:
        choose(app, data=name)
        assert datasets.SAMPLES[name].title in headline(app)


def test_a_point_is_marked_and_unmarked(app):
    app.query_params["point"] = "5"
    run(app)
    press(app, "Unmark")
    assert app.session_state["point"] == -1 and app.query_params == {"gamma": "5"}


def notes(app):
    return next(c.value for c in app.caption if c.value.startswith("CONN per cluster")).split(
        "  \n"
    )


def test_conn_of_0_says_which_class_falls_apart(app):
    run(app)
    assert not any("is 0" in note for note in notes(app))
    choose(app, gamma=1)
    result = app.session_state["last"]
    labels, W = result.data.labels, result.before.W
    parts = [components(W[m][:, m]) for m in (np.flatnonzero(labels == c) for c in range(6))]
    apart = [p for p in parts if len(p) > 1]
    worst = max(parts, key=len)
    name = result.data.class_names[next(c for c, p in enumerate(parts) if p is worst)]
    told = next(n for n in notes(app) if f"inside {len(apart)} of the 6 true classes" in n)
    assert told.startswith("CONN of W ") and f"“{name}” by itself is in {len(worst)} pieces" in told
    assert f"of {worst[0]}, {worst[1]}" in told
    whole = len(result.before.summary.component_sizes)
    assert any(f"CONN of W, whole graph, is 0: it has {whole} comp" in n for n in notes(app))


def test_a_class_of_one_point_explains_its_conn(app):
    data = make_subspaces(2, 3, 20, points_each=20)
    load(app, Dataset(data.X, np.r_[data.labels[:-1], 2], "odd one", ("a", "b", "<i>c</i>")))
    assert any("1 of the 3 true classes: “\\<i\\>c" in n for n in notes(app))
    assert any(n.endswith("has a single point.") for n in notes(app))


def test_no_change_has_no_arrow(app):
    app.query_params["dense"] = "none"
    run(app)
    assert {m.delta for m in app.metric} == {"as in W"}
    assert {m.proto.direction for m in app.metric} == {m.proto.NONE for m in app.metric}


def test_the_embedding_of_each_side_has_its_own_clusters(app, monkeypatch):
    drawn = []
    monkeypatch.setattr(embedding, "points", lambda sides, names, **_: drawn.append((sides, names)))
    app.query_params.update(data="noise", paint="cluster")
    run(app)
    result = app.session_state["last"]
    (before, after), names = drawn[-1]
    assert np.array_equal(after.groups, result.after.labels) and len(names) == result.n_clusters
    assert not np.array_equal(before.groups, result.after.labels)
    table, _ = confusion(result.before.labels, before.groups)
    assert np.trace(table) == result.data.n_points  # W's clusters, renamed
    choose(app, paint="class")
    assert all(np.array_equal(s.groups, result.data.labels) for s in drawn[-1][0])


def test_the_gallery_tells_the_chosen_from_the_misplaced(app):
    app.query_params["point"] = "5"
    run(app)
    app.session_state["more"] = "Gallery"
    run(app)
    result = app.session_state["last"]
    bad = misplaced(result.data.labels, result.after.labels)
    pictures = [image for block in app.get("image") for image in block.proto.imgs]
    assert len(pictures) == 6 and all(
        image.alt.startswith("Pictures. Cluster") for image in pictures
    )
    for image in pictures:
        mine = result.after.labels == int(re.match(r"Cluster (\d+)", image.caption)[1])
        assert f"{mine.sum()} points, {bad[mine].sum()} misplaced" in image.caption
        assert ("(orange frame)" in image.caption) == bad[mine].any()
        assert ("point 5 is marked (blue frame)" in image.caption) == mine[5]


def test_frames_of_a_contact_sheet():
    framed = np.array([True, False, True, False])
    sheet = charts.contact_sheet(np.zeros((4, 6, 6), np.uint8), framed, columns=4, chosen=2)
    orange, blue, white = [0xD5, 0x5E, 0], [0, 0x72, 0xB2], [255] * 3
    assert [sheet[0, 10 * k].tolist() for k in range(4)] == [orange, white, blue, white]
    assert sheet[1, 21].tolist() == orange  # chosen and misplaced: both


def test_class_names_of_the_confusion_matrix_are_taken_literally():
    figure = charts.confusion_matrix(np.eye(2, dtype=int), ("0", "<b>x</b>"), np.arange(2))
    assert figure.layout.yaxis.type == "category"
    assert figure.data[0].y == ("0", "&lt;b&gt;x&lt;/b&gt;")


def naive_cell(block, how):
    if how == "density":
        return (block != 0).mean()
    return block.max() if how == "max" else block.mean()


@pytest.mark.parametrize("how", ["max", "mean", "density"])
def test_cells_hold_what_they_say(how):
    W = sp.random_array((23, 23), density=0.3, rng=np.random.default_rng(0)).toarray()
    cell_of = np.random.default_rng(1).permutation(23) // 5
    grid = cells.by_cell(sp.csr_array(W), cell_of, 5, how)
    for a, b in np.ndindex(5, 5):
        block = W[np.ix_(cell_of == a, cell_of == b)]
        assert grid[a, b] == pytest.approx(naive_cell(block, how), rel=1e-6)


def test_a_matrix_that_looks_full_is_shown_by_its_mean():
    """9,000 points with 12 links each: a density of 0.13 %, in dots of 18 × 18 entries."""
    rng, n = np.random.default_rng(0), 9000
    rows = np.repeat(np.arange(n), 12)
    W = sp.csr_array((np.ones(12 * n), (rows, rng.integers(0, n, 12 * n))), shape=(n, n))
    places = np.arange(n) // 18, 500
    assert cells.resolved("auto", (W, *places)) == "mean"
    assert (cells.by_cell(W, *places) > 0).mean() > 0.3, "by maximum a third is dark"
    for asked in ("max", "density"):
        assert cells.resolved(asked, (W, *places)) == asked
    small = np.arange(n) // 2, n // 2
    assert cells.resolved("auto", (W, *small)) == "max", "few entries in a dot do not fill it"
    full = np.ones((60, 60))
    assert cells.resolved("auto", (full, np.arange(60) // 6, 10)) == "max", "it is full indeed"
    for asked, spots, shown in (
        ("auto", places, "mean"),
        ("auto", small, "max"),
        ("density", places, "density"),
    ):
        how, found = cells.grids(asked, *spots, 0.0 * W, W)
        assert how == shown and not found[0].any()
        np.testing.assert_array_equal(found[1], cells.by_cell(W, *spots, shown))


def test_a_chart_says_by_what_its_cells_are_merged():
    W = make_subspaces(2, 2, 8, points_each=300).X
    W = abs(W @ W.T) * (np.random.default_rng(0).random((600, 600)) < 0.5)
    titles = {how: charts.affinities([("W", W)], merge=how).layout for how in cells.MERGES}
    assert "each cell the largest of 2×2" in titles["auto"].title.text
    assert titles["auto"].coloraxis.cmax == 1
    assert "the mean of 2×2" in titles["mean"].title.text and titles["mean"].coloraxis.cmax < 1
    assert "the share of nonzeros of 2×2" in titles["density"].title.text


def test_merged_cells_tell_links_between_classes_from_those_inside(monkeypatch):
    W = np.zeros((8, 8))
    W[[0, 1, 4, 5, 6], [1, 2, 5, 6, 7]] = 0.9
    W[3, 4] = 0.9  # the only link between the classes
    W = np.maximum(W, W.T)
    star, labels = pce(W).toarray(), np.repeat([0, 1], 4)
    options = {"causes": changes(W, star), "class_of": labels, "classes": ("a", "b")}
    single = charts.matrix_view(W, star, np.arange(8), **options)
    between = labels[single.rows] != labels[single.cols]
    assert np.array_equal(single.cause > charts.matrix.BETWEEN, between & (single.cause > 0))
    assert (single.cause > charts.matrix.BETWEEN).sum() >= 1
    monkeypatch.setattr(charts.matrix, "LIMIT", 1)
    monkeypatch.setattr(charts.matrix, "GRID", 2)
    merged = charts.matrix_view(W, star, np.arange(8), **options)
    codes = dict(zip(zip(merged.rows, merged.cols, strict=True), merged.cause, strict=True))
    assert codes[0, 1] > charts.matrix.BETWEEN and 0 < codes[0, 0] < charts.matrix.BETWEEN


@pytest.mark.parametrize("how", ["mean", "density", "auto"])
def test_a_picture_of_many_entries_holds_the_merging_that_is_asked_for(monkeypatch, how):
    rng = np.random.default_rng(0)
    W = sp.random_array((64, 64), density=0.03, rng=rng).toarray()
    W = np.maximum(W, W.T)
    np.fill_diagonal(W, 0)
    monkeypatch.setattr(charts.matrix, "LIMIT", 10)
    monkeypatch.setattr(charts.matrix, "GRID", 8)
    view = charts.matrix_view(W, W, np.arange(64), merge=how)
    assert (view.cell, view.held, view.merge) == (8, "mean" if how == "auto" else how, how)
    for r, c, w in zip(view.rows, view.cols, view.w, strict=True):
        block = W[8 * r : 8 * r + 8, 8 * c : 8 * c + 8]
        assert w == pytest.approx(naive_cell(block, view.held), rel=1e-6)


def test_every_column_of_many_clusters_keeps_a_head_of_its_own():
    figure = charts.confusion_matrix(np.eye(40, dtype=int), [f"c{k}" for k in range(40)], range(40))
    assert len(set(figure.data[0].x)) == 40 and figure.layout.xaxis.dtick == 1


def test_a_picture_of_many_entries_merges_cells_by_their_maximum(monkeypatch):
    rng = np.random.default_rng(0)
    W = sp.random_array((60, 60), density=0.2, rng=rng).toarray()
    W = np.triu(W, 1) + np.triu(W, 1).T
    star = np.where((W == 0) & (W @ W > 0.5), 0.5, W)
    np.fill_diagonal(star, 0)
    raised, order = changes(W, star, "D1"), rng.permutation(60)
    view = charts.matrix_view(W, star, order, causes=raised)
    monkeypatch.setattr(charts.matrix, "LIMIT", 10)
    monkeypatch.setattr(charts.matrix, "GRID", 8)
    merged = charts.matrix_view(W, star, order, causes=raised, merge="max")
    assert merged.cell == 8 and merged.whole == len(view.rows)
    largest = {}
    for r, c, *values in zip(view.rows, view.cols, view.w, view.star, view.cause, strict=True):
        cell = (r // 8, c // 8)
        largest[cell] = np.maximum(largest.get(cell, [0, 0, 0]), values)
    found = zip(merged.rows, merged.cols, merged.w, merged.star, merged.cause, strict=True)
    assert {(r, c): values for r, c, *values in found} == {k: list(v) for k, v in largest.items()}


def test_more_points_than_a_screen_follows_get_the_command_to_run(app, monkeypatch):
    monkeypatch.setattr(stages, "MOST_POINTS", 100)
    data = make_subspaces(3, 2, 10, points_each=40)
    app.session_state["loaded"] = {"my points.npz": replace(data, name="my points.npz")}
    app.query_params.update(data="my points.npz", gamma="7", dense="D3", pca="5", unit="1")
    app.session_state["read_as"] = {"my points.npz": ("my points.npz", {"transpose": True}, "mean")}
    app.run()
    assert not app.exception and not app.metric
    said = app.warning[0].value
    assert "120 points, more than the 100" in said and "command line" in said
    as_here = "--transpose --missing mean --pca 5 --unit-norm --gamma 7 --dense D3"
    assert f"`sdsc cluster 'my points.npz' {as_here} --output labels.csv" in said
    app.selectbox(key="data").set_value("motion")
    monkeypatch.setattr(stages, "MOST_POINTS", 1000)
    app.run()
    assert not app.warning and app.metric
