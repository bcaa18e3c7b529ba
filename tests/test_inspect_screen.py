"""Inspect, Words, the tour and exercises without a browser, against the paper's transcription."""

import re

import numpy as np
import pytest

from pages.inspect import sums
from pages.shared import settings
from pages.tour.steps import STEPS
from pages.words import drawn, glossary
from sdsc_core import datasets, figures
from sdsc_core.metrics import Analysis
from tests import naive

SMALL = {"data": "noise", "each": "9"}  # 45 points: the transcription takes a second
THETAS = (0.75, 0.5)


@pytest.fixture(scope="module")
def small():
    """The small data set, its W and W* by each rule, all by the transcription."""
    data = datasets.prepare(datasets.sample("noise"), per_class=9)
    C = naive.coefficients(*naive.imc(data.X, 5))
    W = np.maximum(C, C.T)
    stars = {"PCE": naive.pce(W, *THETAS), "D3": naive.densify(W, "D3")}
    return data, W, stars


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def inspect(app, **query):
    app.query_params.update(SMALL | {"theta1": str(THETAS[0]), "theta2": str(THETAS[1])} | query)
    run(app)
    app.switch_page("pages/inspect/page.py")
    return run(app)


def texts(app):
    return " ".join(m.value for m in (*app.markdown, *app.caption))


def rows(app, label):
    """A table of the sums: first cell -> the others."""
    body = next(h.proto.body for h in app.html if f"aria-label='{label}'" in h.proto.body)
    lines = re.findall(r"<tr>(<td.*?)</tr>", body)
    cells = [re.findall(r"<td>(.*?)</td>", line) for line in lines]
    return {c[0].replace("\xa0", " "): c[1:] for c in cells}


def number(text):
    return float(text.replace(",", "").rstrip("%"))


def to_sums(app):
    app.session_state["inspect"] = "In sums"
    return run(app)


@pytest.mark.parametrize("rule", ["PCE", "D3"])
def test_random_rows_of_the_table_equal_the_transcription(app, small, rule):
    data, W, stars = small
    star = stars[rule]
    inspect(app, dense=rule, sort="i")
    raised = int(np.triu(star > W + 1e-12, 1).sum())
    assert f"of {raised:,} changed pairs" in texts(app)
    frame = app.dataframe[0].value
    for row in frame.sample(25, random_state=0).itertuples(index=False):
        i, j, k = row.i, row.j, row.witness
        assert row.before == pytest.approx(W[i, j], abs=1e-9)
        assert row.after == pytest.approx(star[i, j], abs=1e-6) and row.after > row.before
        assert [row[2], row[3]] == [data.class_names[data.labels[p]] for p in (i, j)]
        assert (row.differ == "≠") == (data.labels[i] != data.labels[j])
        if rule == "PCE":
            case = naive.tur_condition(W[i, k], W[k, j], W[i, j], *THETAS)
            assert row.cause == f"condition\xa0{case}"
            a, b = W[i, k], W[k, j]
            offer = {1: (a + b) / 2, 2: min(a, b), 3: max(a, b) / 2}[case]
        else:
            assert row.cause == "D3\xa0path"
            offer = 1 / (1 / W[i, k] + 1 / W[k, j])
        assert row.after == pytest.approx(offer, abs=1e-6)


@pytest.mark.parametrize("rule", ["PCE", "D3"])
def test_why_a_random_pair_has_its_value(app, small, rule):
    _, W, stars = small
    star, rng = stars[rule], np.random.default_rng(1)
    changed = np.argwhere(np.triu(star > W + 1e-12, 1))
    same = np.argwhere(np.triu(np.isclose(star, W), 1))
    inspect(app, dense=rule)
    for i, j in [*rng.permutation(changed)[:4].tolist(), *rng.permutation(same)[:2].tolist()]:
        app.session_state["pair"], app.session_state["point"] = (i, j), i
        run(app)
        words = texts(app)
        assert f"**Pair i = {i}, j = {j}**" in words
        if star[i, j] > W[i, j] + 1e-12:
            assert f"rises from {W[i, j]:.4f} to" in words and f"= {star[i, j]:.4f}$." in words
            k = int(re.search(r"\$k = (\d+)\$ vouches", words)[1])
            assert f"$w_{{ik}} = {W[i, k]:.4f}$ and $w_{{kj}} = {W[k, j]:.4f}$" in words
        else:
            assert f"$w_{{ij}} = {W[i, j]:.4f}$ stays as it is" in words


@pytest.mark.parametrize("rule", ["PCE", "D3"])
def test_sums_equal_the_transcription(app, small, rule):
    data, W, stars = small
    star, labels = stars[rule], data.labels
    inspect(app, dense=rule)
    to_sums(app)
    inside = labels[:, None] == labels
    raised, new = np.triu(star > W + 1e-12, 1), np.triu((star > 0) & (W == 0), 1)
    counts = rows(app, "Raised pairs by cause")["all" if rule == "PCE" else "D3 path"]
    wanted = [(raised & inside), (raised & ~inside), (new & inside), (new & ~inside)]
    assert [number(c) for c in counts[:4]] == [int(m.sum()) for m in wanted]
    assert number(counts[4]) == pytest.approx(100 * inside[raised].mean(), abs=0.06)
    frame = app.dataframe[0].value
    for c, row in frame.iterrows():
        for name, A in (("W", W), ("W*", star)):
            assert row[f"vol in {name}"] == pytest.approx(naive.vol(A, labels, c), abs=1e-4)
            assert row[f"cut in {name}"] == pytest.approx(naive.cut(A, labels, c), abs=1e-4)
    cuts = rows(app, "Ncut in W and W*")
    eq8, eq9 = [next(v for k, v in cuts.items() if f"eq. {n}" in k) for n in (8, 9)]
    assert [number(v) for v in eq8] == [round(naive.ncut(A, labels), 4) for A in (W, star)]
    ratios = [A[~inside].sum() / A[inside].sum() for A in (W, star)]
    np.testing.assert_allclose([number(v) for v in eq9], ratios, atol=6e-5)
    predicted = rows(app, "Predictions of eq. 9 to 13")
    q = next(v for name, v in predicted.items() if "τ = 0" in name and name.startswith("Q"))
    k, n = np.count_nonzero(W) / len(W), len(W)
    assert number(q[0]) == pytest.approx((n * k**2 - n * k) / (n * k**2), abs=6e-5)
    assert number(q[1]) == pytest.approx(ratios[1] / ratios[0], abs=6e-5)
    quantities = [number(v[0]) for v in rows(app, "Quantities of eq. 13").values()]
    assert quantities == [
        n,
        pytest.approx(k, abs=0.006),
        np.count_nonzero(W[~inside]),
        pytest.approx(n * k**2 - np.count_nonzero(star), abs=0.6),
    ]


def test_filters_sorting_and_pages(app):
    inspect(app, data="subspaces", each="40", dense="D3")
    total = int(re.search(r"of ([\d,]+) changed", texts(app))[1].replace(",", ""))
    assert total > 400
    worst = app.dataframe[0].value
    assert (worst["differ"] == "≠").all() and worst["after"].is_monotonic_decreasing
    app.button(key="page on").click()
    run(app)
    assert "Rows 201–400" in texts(app) and app.query_params["sheet"] == "2"
    app.segmented_control(key="where").set_value("inside")
    run(app)
    assert "Rows 1–200" in texts(app) and (app.dataframe[0].value["differ"] == "").all()
    app.multiselect(key="groups").set_value([2])
    run(app)
    ends = app.dataframe[0].value[["class of i", "class of j"]]
    assert (ends == "subspace 3").any(axis=1).all()
    app.selectbox(key="sort").set_value("j")
    run(app)
    assert app.dataframe[0].value["j"].is_monotonic_increasing


def test_a_filter_by_condition_and_one_that_nothing_passes(app):
    inspect(app, conditions="2")
    assert set(app.dataframe[0].value["cause"]) == {"condition\xa02"}
    app.session_state["where"] = "between"
    app.session_state["conditions"] = [1]
    app.session_state["gamma"] = 1
    run(app)
    assert any("No changed entry passes" in i.value for i in app.info)


def test_nothing_raised_and_no_dense_stage_are_said(app):
    inspect(app, theta1="1.0", theta2="0.99")
    assert any("raised no entry" in i.value for i in app.info)
    assert "raised nothing" in texts(app)
    app.segmented_control(key="dense").set_value("none")
    run(app)
    assert any("dense stage is off" in i.value for i in app.info)


def test_without_labels_it_goes_by_found_clusters_and_says_so(app):
    inspect(app, hide="1")
    assert "hidden in this exercise: inside and between go by" in texts(app)
    frame = app.dataframe[0].value
    assert frame["cluster of i"].str.startswith("cluster ").all()
    to_sums(app)
    assert app.dataframe[0].value.columns[0] == "cluster"


def quantities(eta1, eta2, eta1_star, eta2_star):
    zero = dict.fromkeys(Analysis.__dataclass_fields__, 0)
    q = (eta2_star / eta1_star) / (eta2 / eta1) if eta1 and eta2 else float("nan")
    given = {"eta1": eta1, "eta2": eta2, "eta1_star": eta1_star, "eta2_star": eta2_star, "q": q}
    return Analysis(**zero | given)


@pytest.mark.parametrize(
    ("eta", "words"),
    [
        ((10, 2, 30, 2.2), "argument holds** that"),
        ((10, 2, 30, 5), "holds in part"),
        ((10, 2, 20, 6), "fails here"),
        ((10, 0, 20, 0), "holds here"),
        ((10, 0, 20, 1), "appears where there was none"),
        ((10, 2, 10, 2), "raised nothing"),
    ],
)
def test_the_verdict_in_words(eta, words):
    pair = (np.array([1.0]), np.array([2.0]))
    assert words in sums.verdict(quantities(*eta), pair, pair, "classes")


def test_the_graph_around_a_pair_tells_old_links_from_new(small):
    data, W, stars = small
    star = stars["PCE"]
    i, j = np.argwhere(np.triu(star, 1) > np.triu(W, 1))[0]
    k = int(np.argmax([min(W[i, p], W[p, j]) if p not in (i, j) else 0 for p in range(len(W))]))
    figure = figures.neighbourhood(W, star, (i, j), k, data.labels, data.class_names, strong=0.5)
    nodes = figures.around(star, [i, j, k])
    drawn = {}
    for trace in figure.data:
        if trace.mode == "markers" and trace.text is not None:
            for text in trace.text:
                a, b, w, s = re.match(r"(\d+) – (\d+): w = (\S+), w\* = (\S+)", text).groups()
                drawn[int(a), int(b)] = (float(w), float(s))
    assert (i, j) in drawn
    wanted = {(a, b) for a in nodes for b in nodes if star[a, b] > 0}
    assert {frozenset(e) for e in drawn} == {frozenset(e) for e in wanted}
    for (a, b), (w, s) in drawn.items():
        assert (w, s) == (pytest.approx(W[a, b], abs=6e-5), pytest.approx(star[a, b], abs=6e-5))


def raised(run):
    return int(((run.after.W - run.before.W).toarray() > 0).sum()) // 2


class TestTour:
    def test_each_step_is_a_state_of_the_app_and_its_numbers_are_the_run_s(self, app):
        app.query_params["tour"] = "1"
        run(app)
        for n, step in enumerate(STEPS, 1):
            assert f"step {n} of 7: {step.title}" in texts(app)
            wanted = step.settings()
            assert {name: app.session_state[name] for name in wanted} == wanted
            spelled = {k: settings.spell(v) for k, v in step.values.items()}
            assert {k: settings.SETTINGS[k].read(v) for k, v in spelled.items()} == step.values
            assert [f.value.strip("$\n") for f in app.latex] == [step.formula]
            last = app.session_state["last"]
            b, a = last.before.summary, last.after.summary
            facts = {
                3: (f"**{len(b.component_sizes)} pieces**", f"{b.nonzeros:,} nonzeros"),
                4: (f"{b.nonzeros:,} to {a.nonzeros:,}",),
                5: (f"**{raised(last):,} pairs**",),
                6: (f"{b.ncut:.2f} (W) to {a.ncut:.2f} (W*)", f"from {b.acc:.0%} to {a.acc:.0%}"),
                7: (f"ACC goes from {b.acc:.1%} to {a.acc:.1%}", "fails here"),
            }
            for fact in facts.get(n, ()):
                assert fact in texts(app)
            app.button(key="tour on").click()
            run(app)
        assert "Tour, step" not in texts(app) and "tour" not in app.query_params

    def test_the_text_follows_a_moved_control(self, app):
        app.query_params["tour"] = "3"
        run(app)
        before = texts(app)
        app.slider(key="gamma").set_value(4)
        run(app)
        assert r"$\Gamma = 4$" in texts(app) and texts(app) != before

    def test_an_address_from_the_middle_of_a_step_keeps_its_settings(self, app):
        app.query_params.update({"tour": "4", "gamma": "7", "view": "change"})
        run(app)
        assert app.session_state["gamma"] == 7

    def test_leave_keeps_the_state(self, app):
        app.query_params["tour"] = "5"
        run(app)
        app.button(key="tour leave").click()
        run(app)
        assert app.session_state["dense"] == "D3" and app.session_state["tour"] == 0

    def test_an_exercise_has_no_tour(self, app):
        app.query_params.update({"tour": "1", "lock": "gamma", "gamma": "9"})
        run(app)
        assert "Tour, step" not in texts(app) and app.session_state["gamma"] == 9

    def test_the_page_starts_a_step(self, app):
        run(app)
        app.switch_page("pages/tour/page.py")
        run(app)
        app.button(key="start 4").click()
        run(app)
        assert app.session_state["tour"] == 4 and app.session_state["view"] == "change"


class TestExercise:
    def lock(self, app, *names, **more):
        app.query_params.update({"lock": ".".join(names)} | more)
        return run(app)

    def test_a_locked_theta_is_not_pushed(self, app):
        self.lock(app, "theta2")
        app.slider(key="theta1").set_value(0.4)
        run(app)
        assert app.session_state["theta1"] == 0.61 and app.session_state["theta2"] == 0.6
        app.slider(key="theta3").set_value(0.9)
        run(app)
        assert app.session_state["theta3"] == 0.59 and app.session_state["theta2"] == 0.6

    def test_what_is_locked_stays_when_the_data_changes(self, app):
        self.lock(app, "each", each="20")
        app.selectbox(key="data").set_value("noise")
        run(app)
        assert app.session_state["each"] == 20

    def test_presets_data_and_the_maker_are_gone(self, app):
        self.lock(app, "gamma")
        labels = [b.label for b in app.button]
        assert not [p for p in labels if p in ("Faces", "Digits", "Where PCE hurts")]
        assert "exercise hide" not in [c.key for c in app.checkbox]


class TestWords:
    def test_each_has_two_sentences_and_a_picture_with_words(self):
        for word in glossary.words():
            plain = re.sub(r"\$.*?\$|eq\. |\d\.\d+", "", word.text)
            assert len(re.findall(r"[.](?:\s|$)", plain)) == 2, word.name
            assert word.alt and len(word.figure.data)

    def test_numbers_are_the_definitions(self):
        words = {word.name: word for word in glossary.words()}
        thread = drawn.links(6, (0, 1), (0, 3), (1, 3), (2, 4), (2, 5), (4, 5), (2, 3))
        assert f"({naive.conn(thread):.2f})" in words["Connectivity"].text
        W = drawn.two_squares(drawn.FULL, drawn.RING, (3, 4), (2, 5), w=0.5)
        assert f"{naive.ncut(W, drawn.TWO.tolist()):.2f} on the left" in words["Ncut"].text
        assert f"{naive.vol(W, drawn.TWO, 0):.0f} for the blue" in words["cut and vol"].text
        star = naive.pce(drawn.triangle(0.9, 0.7), 0.8, 0.6)
        assert f", {star[0, 2]:.2f}," in words["Witness and conditions"].text
        D3 = naive.densify(drawn.triangle(0.9, 0.8), "D3")
        assert f", {D3[0, 2]:.2f}:" in words["D1, D2, D3"].text

    def test_the_page_opens(self, app):
        run(app)
        app.switch_page("pages/words/page.py")
        run(app)
        assert [s.value for s in app.subheader] == [w.name for w in glossary.words()]
