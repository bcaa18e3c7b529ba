"""The screen "Step through" without a browser: what it sends and says is the transcription's."""

import json

import numpy as np
import pytest

from pages.shared.groups import Groups
from pages.shared.text import percent, small_percent
from pages.step import dense_stage, sentences
from sdsc_core import imc
from sdsc_core.datasets import Dataset, make_subspaces
from sdsc_core.dense import DENSE, Offer
from sdsc_core.figures import pair as pair_figures
from sdsc_core.tracing import Piece, trace
from tests import naive

GAMMA = 4
NAMES = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "f4": np.float32}


@pytest.fixture(scope="module")
def data():
    """Small enough for the transcriptions; with a constant sample, and two that stop early."""
    made = make_subspaces(3, 3, 8, points_each=13, noise=0.05, random_state=5)
    X = np.vstack([made.X, np.full((1, 8), 2.0), 3 * made.X[:1]])
    return Dataset(X, np.append(made.labels, [0, 0]), "small", made.class_names)


@pytest.fixture
def step(app, data):
    """Opens the screen on the small data, with settings as an address gives them."""

    def open_screen(**settings):
        app.session_state["loaded"] = {"small": data}
        for name, value in ({"data": "small", "gamma": GAMMA} | settings).items():
            app.query_params[name] = str(value)
        app.switch_page("pages/step/page.py").run()
        assert not app.exception
        return app

    return open_screen


def sent(app, component):
    """What a drawn component was given: its head, and the arrays behind it."""
    found = [e.proto for e in app.main if e.type == "bidi_component"]
    [block] = [p.bytes for p in found if p.component_name.endswith(component)]
    room = int(np.frombuffer(block[:4], np.uint32)[0])
    head = json.loads(block[4 : 4 + room])
    arrays = {
        name: np.frombuffer(block, NAMES[kind], size, start)
        for name, kind, start, size in head["arrays"]
    }
    return head, arrays


def said(app):
    return "\n".join(e.value for e in (*app.markdown, *app.info, *app.caption))


@pytest.mark.parametrize("residual", ["as_printed", "centred"])
@pytest.mark.parametrize("i", [3, 20, 38])
def test_a_points_numbers_are_the_transcriptions(step, data, residual, i):
    head, arrays = sent(step(point=i, residual=residual), "sdsc_step_point")
    [reading] = head["readings"]
    picks, values = naive.imc(data.X, GAMMA, residual)
    n = int((picks[i] >= 0).sum())
    assert [s["pick"] for s in reading["steps"]] == [*picks[i, :n], -1]
    U = data.X - data.X.mean(axis=1, keepdims=True) if residual == "centred" else data.X
    U = U / np.linalg.norm(U, axis=1, keepdims=True).clip(1e-300)
    psi = U[i]
    for gamma, shown in enumerate(reading["steps"]):
        assert shown["norm"] == pytest.approx(np.linalg.norm(psi), abs=1e-9)
        np.testing.assert_allclose(
            arrays["residual0"].reshape(n + 1, -1)[gamma], psi, atol=1e-6
        )  # fmt: skip
        if np.linalg.norm(psi - psi.mean()) > 1e-6:
            rho = [naive.pearson(psi, x) for x in data.X]
            np.testing.assert_allclose(arrays["rho0"].reshape(n + 1, -1)[gamma], rho, atol=1e-5)
        j = shown["pick"]
        if j < 0:
            continue
        C = naive.coefficients(picks[:, : gamma + 1], values[:, : gamma + 1])
        assert shown["kept"] == pytest.approx(C[i, j])
        assert abs(shown["rho"]) == pytest.approx(values[i, gamma])
        assert shown["right"] == (data.labels[i] == data.labels[j])
        assert f"{shown['rho']:.4f}".replace("-", "−") in shown["words"]
        after = psi - (psi @ U[j]) * U[j]
        assert shown["energy"] == pytest.approx(psi @ psi - after @ after, abs=1e-12)
        psi = after


def test_both_readings_stand_side_by_side_and_are_compared(step, data):
    app = step(point=3, beside=1)
    head, _ = sent(app, "sdsc_step_point")
    assert [r["title"] for r in head["readings"]] == ["Residual as printed", "Residual centred"]
    both = (trace(data.X, 3, GAMMA, residual=r) for r in ("as_printed", "centred"))
    assert sentences.compare(*both) in said(app)


def test_a_point_is_chosen_by_number_and_by_what_happens_to_it(step):
    app = step()
    app.number_input(key="step point").set_value(7).run()
    assert app.session_state.point == 7 and app.query_params["point"] == "7"
    assert sent(app, "sdsc_step_point")[0]["point"] == 7
    titles = {b.label for b in app.button}
    assert {"A wrong pick", "Constant sample", "Early stop", "Picked again"} <= titles
    app.button(key="example constant").click().run()
    head, _ = sent(app, "sdsc_step_point")
    assert head["point"] == 39 and head["readings"][0]["ended"] == "constant"
    assert "no picks and no links" in head["readings"][0]["steps"][0]["words"]
    app.button(key="example early").click().run()
    words = sent(app, "sdsc_step_point")[0]["readings"][0]["steps"][-1]["words"]
    assert words.startswith("Early stop after 1 pick")


def test_random_pairs_show_the_transcriptions_numbers(step, data):
    app = step(step="pair")
    picks, values = naive.imc(data.X, GAMMA)
    C = naive.coefficients(picks, values)
    W = np.maximum(C, C.T)
    star = naive.pce(W, 0.8, 0.6)
    rng = np.random.default_rng(0)
    raised = np.argwhere(np.triu(star - W, 1) > 1e-9)
    pairs = [*rng.permutation(raised)[:6], *rng.integers(0, 39, (4, 2))]
    for i, j in pairs:
        if i == j:
            continue
        app.session_state.pair = (int(i), int(j))
        app.run()
        shown = {m.label: m.value for m in app.metric}
        assert shown["wᵢⱼ before"] == f"{W[i, j]:.4f}"
        assert shown["w*ᵢⱼ after"] == f"{star[i, j]:.4f}"
        tables = [d.value for d in app.dataframe if "offers" in d.value]
        offered = tables[0] if tables else None
        vouch = [k for k in range(len(W)) if W[i, k] > 0 and W[k, j] > 0 and k not in (i, j)]
        assert sorted(vouch) == (sorted(offered["k"]) if offered is not None else [])
        if star[i, j] > W[i, j]:  # the best offer stands first, and wins
            assert offered[""].tolist() == ["★ wins"] + [""] * (len(offered) - 1)
            assert f"{offered['offers'][0]:.4f}" == f"{star[i, j]:.4f}"
        for _, row in offered.iterrows() if offered is not None else ():
            case = naive.tur_condition(W[i, row["k"]], W[row["k"], j], W[i, j], 0.8, 0.6)
            assert row["condition"] == (str(case) if case else "none")
            assert row["wᵢₖ"] == pytest.approx(W[i, row["k"]])


def test_pairs_are_chosen_by_number_example_and_row(step):
    app = step(step="pair")
    app.number_input(key="pair i").set_value(4).run()
    app.number_input(key="pair j").set_value(9).run()
    assert app.session_state.pair == (4, 9)
    app.number_input(key="pair j").set_value(4).run()  # not a pair
    assert app.session_state.pair == (4, 9) and not app.exception
    example = next(b for b in app.button if b.label.startswith("Condition"))
    example.click().run()
    shown = {m.label: m.value for m in app.metric}
    assert shown["Reason"] == example.label.lower()


@pytest.mark.parametrize("rule", ["D1", "D2", "D3"])
def test_distances_are_those_of_table_1(step, data, rule):
    app = step(step="pair", dense=rule)
    picks, values = naive.imc(data.X, GAMMA)
    C = naive.coefficients(picks, values)
    W = np.maximum(C, C.T)
    [offered] = [d.value for d in app.dataframe if "offers" in d.value]
    shown = {m.label: m.value for m in app.metric}
    i, j = app.session_state["pair i"], app.session_state["pair j"]
    assert shown["w*ᵢⱼ after"] == f"{naive.densify(W, rule)[i, j]:.4f}"
    for _, row in offered.iterrows():
        assert row["dᵢₖ"] == pytest.approx(naive.to_distance(W[i, row["k"]], rule))
        way = naive.to_distance(W[i, row["k"]], rule) + naive.to_distance(W[row["k"], j], rule)
        assert row["offers"] == pytest.approx(max(0, naive.to_similarity(way, rule)))
        value = pair_figures.two_hop_value(row["wᵢₖ"], row["wₖⱼ"], rule)
        assert row["offers"] == pytest.approx(value.item())


def test_without_a_dense_stage_there_is_a_way_back(step):
    app = step(step="pair", dense="none")
    assert "The dense stage is off" in said(app)
    next(b for b in app.button if b.label == "Use PCE").click().run()
    assert app.session_state.dense == "PCE" and app.metric


def test_the_stage_sends_what_each_gamma_adds(step, data):
    app = step(step="stage")
    head, arrays = sent(app, "sdsc_step_stage")
    n = data.n_points
    order = np.argsort(data.labels, kind="stable")
    for gamma in (1, 5, head["most"]):
        W = imc(data.X, head["most"]).affinity(gamma).toarray()[np.ix_(order, order)]
        grid = np.zeros(n * n, np.uint8)
        stop = arrays["wStarts"][gamma]
        grid[arrays["wAt"][:stop]] = arrays["wValue"][:stop]
        np.testing.assert_allclose(grid.reshape(n, n) / 255, np.triu(W), atol=0.005)
        star = naive.pce(W, 0.8, 0.6)
        grid = np.zeros(n * n, np.uint8)
        stop = arrays["starStarts"][gamma]
        grid[arrays["starAt"][:stop]] = arrays["starValue"][:stop]
        raised = np.triu(np.where(star > W, star, 0))
        np.testing.assert_allclose(grid.reshape(n, n) / 255, raised, atol=0.005)
    titles = [c["title"] for c in head["charts"]]
    assert titles == ["ACC", "CONN, mean over the classes"]
    assert head["computed"] >= 1 and len(head["words"]) == head["most"]


def test_the_stage_is_sorted_by_the_clusters_of_the_set_gamma(step, app, data):
    """Without classes points are sorted by found clusters, which another Γ changes."""
    stamps = []
    for gamma in (1, 8):
        step(hide=1, step="stage", clusters="own", k=5)
        app.session_state.gamma = gamma
        app.run()
        run = app.session_state["last"]
        head, arrays = sent(app, "sdsc_step_stage")
        stamps.append((head["stamp"], run.after.labels))
        order = np.argsort(run.after.labels, kind="stable")
        W = imc(run.data.X, head["most"]).affinity(4).toarray()[np.ix_(order, order)]
        grid = np.zeros(data.n_points**2, np.uint8)
        stop = arrays["wStarts"][4]
        grid[arrays["wAt"][:stop]] = arrays["wValue"][:stop]
        drawn = grid.reshape(data.n_points, -1) / 255
        np.testing.assert_allclose(drawn, np.triu(W), atol=0.005)
    (first, before), (second, after) = stamps
    assert (before != after).any() and first != second


def test_works_without_labels_and_says_so(step, app, data):
    for view in ("point", "pair", "stage"):
        step(hide=1, step=view, clusters="own", k=3)
        app.session_state.step = view
        app.run()
        assert not app.exception
    assert "ACC" not in said(app)  # in an exercise not even the word
    head, _ = sent(app, "sdsc_step_stage")
    assert [c["title"] for c in head["charts"]] == ["CONN, mean over the clusters"]
    app.session_state.step = "point"
    app.run()
    head, _ = sent(app, "sdsc_step_point")
    assert head["one"] == "cluster" and head["name"].startswith("cluster")
    assert "The true classes are not known here" in said(app)


def test_words_tell_right_wrong_again_and_the_sign():
    X = np.random.default_rng(0).standard_normal((12, 4))
    by = Groups(np.repeat([0, 1], 6), ("a", "b"), "class")
    heard = set()
    for i in range(12):
        t = trace(X, i, 8)
        for step, text in zip(t.steps, sentences.of_trace(t, by, "as_printed", "residual")):  # noqa: B905
            if step.pick < 0:
                continue
            right = by.of[i] == by.of[step.pick]
            assert ("a right pick" in text) == right and ("a wrong pick" in text) != right
            assert ("picked before" in text) == step.again
            assert ("sign does not count" in text) == (step.rho < 0)
            heard |= {right, step.again and "again"}
    assert {True, False, "again"} <= heard


def test_readings_are_compared_in_a_sentence():
    X = np.random.default_rng(1).standard_normal((30, 9)) + 0.4
    a, b = (trace(X, 2, 6, residual=r) for r in ("as_printed", "centred"))
    assert "the same points" in sentences.compare(a, a)
    text = sentences.compare(a, b)
    first = next(g for g in range(6) if a.picks[g] != b.picks[g])
    assert f"step {first} " in text and f"point {b.picks[first]}" in text


@pytest.mark.parametrize(
    ("w_ik", "w_kj", "w_ij", "words"),
    [
        (0.9, 0.5, 0.0, "not above θ₂"),
        (0.9, 0.85, 0.9, "extremely strong already"),
        (0.9, 0.7, 0.65, "strong already"),
        (0.7, 0.65, 0.1, "wᵢⱼ is not 0"),
        (0.9, 0.85, 0.1, "both links extremely strong"),
        (0.9, 0.7, 0.1, "one extremely strong"),
        (0.7, 0.65, 0.0, "both links strong, wᵢⱼ is 0"),
    ],
)
def test_why_a_condition_holds_or_not(w_ik, w_kj, w_ij, words):
    from pages.step.one_pair import because

    case = naive.tur_condition(w_ik, w_kj, w_ij, 0.8, 0.6)
    assert words in because(Offer(1, w_ik, w_kj, case, 0.0), w_ij, 0.8, 0.6)


def test_the_next_flip_of_theta_is_told():
    pieces = [Piece(0.6, 0.7, 0.8, 1, 5), Piece(0.7, 0.9, 0.7, 2, 5), Piece(0.9, 1.0, 0.1, 0, -1)]
    text = dense_stage.flips("θ₁", 0.8, pieces)
    assert "gives condition 2 over k = 5" in text
    assert "Below 0.7000 it would be condition 1" in text
    assert "From 0.9000 on it would be no condition" in text
    assert "No other θ₁" in dense_stage.flips("θ₁", 1.0, pieces[:1])


def test_figures_are_titled_and_hold_the_values():
    W = np.array([[0, 0.9, 0], [0.9, 0, 0.7], [0, 0.7, 0]])
    from sdsc_core import explain
    from sdsc_core.tracing import sweep

    e, groups = explain(W, 0, 2), np.array([0, 0, 1])
    thetas = (0.8, 0.6, 0.3)
    drawn = [
        pair_figures.triangle(e, e.offers[0], groups, ("a", "b"), thetas=thetas),
        pair_figures.scale(e, e.offers[0], thetas),
        pair_figures.paths(e, e.offers[0], "D2"),
        pair_figures.over_theta([("θ₁", 0.8, sweep(W, 0, 2))]),
        pair_figures.transforms("D1", e.offers[0]),
        pair_figures.two_hop_maps("D3", e.offers[0]),
    ]
    assert all(figure.layout.title.text for figure in drawn)
    texts = [a.text for a in drawn[0].layout.annotations]
    assert any("0.9000" in t and "extremely strong" in t for t in texts)
    assert [t.x[0] for t in drawn[1].data if t.mode == "markers+text"] == [0.7, 0.0, 0.7, 0.9]
    assert [t.y[0] for t in drawn[3].data] == [0.8, 0.7, 0.45]
    pair_figures.triangle(explain(np.zeros((3, 3)), 0, 2), None, groups, ("a", "b"), thetas=thetas)


def test_frames_of_a_large_matrix_keep_the_largest_of_merged_cells(monkeypatch):
    from sdsc_core.figures import steps

    monkeypatch.setattr(steps, "MOST_CELLS", 2)
    W = np.zeros((4, 4))
    W[0, 2] = W[2, 0] = 0.2
    W[1, 3] = W[3, 1] = 0.8
    made = steps.frames([(W, W)], np.arange(4))
    assert (made.size, made.cell) == (2, 2)
    assert made.w_at.tolist() == [1] and made.w_value.tolist() == [204]
    assert not len(made.star_at)


def test_percent_is_spelled_one_way():
    assert percent(0.4925) == "49.2 %" and percent(1.0, 0) == "100 %"
    assert small_percent(0.0005) == "0.050 %" and small_percent(0.5) == "50.0 %"
    assert small_percent(1e-7) == "less than 0.001 %" and small_percent(0) == "0.0 %"


@pytest.mark.parametrize("view", ["point", "pair", "whole"])
@pytest.mark.parametrize("dense", [*DENSE, "none"])
def test_every_dense_stage_has_its_controls_beside_every_view(step, dense, view):
    step(dense=dense, step=view)  # which looks for an exception: no two elements share a key
