"""The Subspaces screen, and the stages beyond the paper on all screens, without a browser."""

import re

import numpy as np
import pytest

from sdsc_core import dense_stage, imc, run_stages, subspaces
from sdsc_core.datasets import prepare, sample
from sdsc_core.dense import DENSE
from sdsc_core.settings import RunSettings

QUERY = {"data": "motion", "each": "20", "gamma": "4"}
BEYOND = [name for name, stage in DENSE.items() if stage.lowers]


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def opened(app, screen, **query):
    app.query_params.update(QUERY | query)
    app.switch_page(f"pages/{screen}/page.py")
    return run(app)


def texts(app):
    return " ".join(m.value for m in (*app.markdown, *app.caption, *app.info))


@pytest.fixture(scope="module")
def found():
    done = run_stages(prepare(sample("motion"), per_class=20), RunSettings(gamma=4))
    return done, subspaces(done.data.X, done.after.labels)


def table(app):
    body = next(h.proto.body for h in app.html if "Subspaces of the found" in h.proto.body)
    return [
        re.findall(r"<td[^>]*>(.*?)</td>", line) for line in re.findall(r"<tr>(<td.*?)</tr>", body)
    ]


def test_the_screen_shows_what_the_library_finds(app, found):
    done, expected = found
    opened(app, "subspaces")
    assert [row[:4] for row in table(app)] == [
        [str(c), str(s.n_points), str(s.suggested), str(s.dimension)]
        for c, s in enumerate(expected.each)
    ]
    worst = int(expected.worst(1)[0])
    line = next(m.value for m in app.markdown if m.value.startswith(f"**Point {worst}** "))
    assert f"own {expected.points.own[worst]:.4g}" in line
    assert f"class {done.data.class_names[done.data.labels[worst]]}" in line.replace("\\", "")
    assert not any(b.disabled for b in app.button if b.label == "Inspect")


def test_dimension_and_affine_are_settings_of_the_address(app, found):
    opened(app, "subspaces", dimension="2", affine="1", cluster="1")
    assert {row[3] for row in table(app)} == {"2"} and app.selectbox(key="cluster").value == 1
    app.number_input(key="dimension").set_value(1)
    run(app)
    assert {row[3] for row in table(app)} == {"1"}
    assert app.query_params["dimension"] == "1" and app.query_params["affine"] == "1"


def test_toggles_outlast_a_look_at_another_screen(app):
    opened(app, "subspaces")
    for key in ("mean angles", "worst of cluster"):
        app.toggle(key=key).set_value(True)
    run(app)
    app.switch_page("pages/words/page.py")
    run(app)
    app.switch_page("pages/subspaces/page.py")
    run(app)
    assert app.toggle(key="mean angles").value and app.toggle(key="worst of cluster").value
    app.toggle(key="mean angles").set_value(False)
    run(app)
    assert not app.toggle(key="mean angles").value


def test_every_picture_has_words(app):
    opened(app, "subspaces", data="faces")
    shown = [picture for e in app.get("image") for picture in e.proto.imgs]
    assert len(shown) > 10
    assert all(p.caption or p.alt.startswith("Picture of point ") for p in shown)


def test_one_click_leads_to_where_a_point_is_explained(app, found):
    worst = int(found[1].worst(1)[0])
    opened(app, "subspaces")
    app.button(key=f"inspect {worst}").click()
    run(app)
    assert app.title[0].value == "Inspect" and app.session_state["pair"][0] == worst
    opened(app, "subspaces")
    app.button(key=f"step {worst}").click()
    run(app)
    assert app.title[0].value == "Step through"
    assert app.session_state["point"] == worst and app.session_state["step"] == "point"


def test_an_exercise_tells_no_class(app):
    opened(app, "subspaces", hide="1")
    lines = [m.value for m in app.main.markdown]
    assert any(line.startswith("**Point ") for line in lines)
    shown = [*lines, *(h.proto.body for h in app.main.html), *(c.value for c in app.main.caption)]
    assert not any(re.search(r"\bclass(es)? ", text) for text in shown)


def test_faces_have_a_basis_of_pictures(app):
    opened(app, "subspaces", data="faces", each="8")
    captions = [image.caption for element in app.get("image") for image in element.proto.imgs]
    assert any("middle grey is 0" in caption for caption in captions)


@pytest.mark.parametrize("rule", BEYOND)
def test_a_stage_beyond_the_paper_is_explained(app, rule):
    opened(app, "inspect", dense=rule, neighbours="3")
    frame = app.dataframe[0].value
    assert "witness" not in frame and set(frame["cause"]) <= {"raised", "lowered"}
    data = prepare(sample("motion"), per_class=20)
    W = imc(data.X, 4).affinity()
    star = dense_stage(W, rule, neighbours=3)
    i, j = frame["i"][0], frame["j"][0]
    assert frame["after"][0] == pytest.approx(star[i, j]) != pytest.approx(W[i, j])
    changed = np.count_nonzero(np.triu((star - W).toarray(), 1))
    assert f"of {changed:,} changed pairs" in texts(app) and f"**{rule}**" in texts(app)
    assert "is not about such a stage" in texts(app)


@pytest.mark.parametrize("rule", BEYOND)
@pytest.mark.parametrize("view", ["pair", "stage"])
def test_a_stage_beyond_the_paper_is_stepped_through(app, rule, view):
    opened(app, "step", dense=rule, step=view, neighbours="3")
    words = "is not of the paper" if view == "pair" else "takes its place"
    assert words in texts(app)
    if view == "pair":
        assert any(m.label == "Reason" and m.value in ("raised", "lowered") for m in app.metric)


@pytest.mark.parametrize("rule", BEYOND)
def test_explore_and_compare_offer_the_stage(app, rule):
    opened(app, "explore", dense=rule, view="change")
    for p in DENSE[rule].parameters:
        slider = app.slider(key=p.name)
        assert slider.value == p.default
        slider.set_value(type(p.default)(p.low))
        run(app)
        assert app.query_params[p.name] == str(p.low)
    app.session_state["stages"] = ["none", rule]
    app.switch_page("pages/compare/page.py")
    run(app)
    assert app.session_state["stages"] == ["none", rule]
