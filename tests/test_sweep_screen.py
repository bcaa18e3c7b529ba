"""The Sweep screen without a browser: the grid, a run, what is shown of it, and into Explore."""

import re
import threading
import time
from functools import partial

import numpy as np
import pytest
from streamlit.testing.v1.element_tree import Block

from pages.server.turns import Turns
from pages.shared import background
from pages.shared.settings import BEYOND
from pages.shared.text import escape_markdown
from pages.sweep import choosing, running, suggesting
from sdsc_core import RunSettings, datasets, estimates
from sdsc_core.blocks import all_work_within
from sdsc_core.dense import DENSE
from sdsc_core.experiments import criteria
from sdsc_core.figures.sweeps import figure_text
from sdsc_core.sweeping import FIGURES, Grid, Outcome, Result, best, describe


@pytest.fixture
def sweep_app(app):
    """The screen on a small sample with a small grid."""
    small = {"data": "unequal", "grid_gamma": "3:4", "grid_theta1": "0.7,0.8", "grid_theta2": "0.6"}
    for name, value in small.items():
        app.query_params[name] = value
    app.switch_page("pages/sweep/page.py")
    return run(app)


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def press(app, key):
    [button] = [b for b in app.button if b.key == key]
    button.click()
    return run(app)


def until(true):
    for _ in range(400):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come about")


def texts(app):
    return " ".join(m.value for m in (*app.markdown, *app.info, *app.warning, *app.caption))


def test_run_choose_a_figure_and_open_a_setting(sweep_app):
    app = sweep_app
    assert "press Run" in texts(app) and "4 settings" in texts(app)
    press(app, "run sweep")
    assert "4 settings, all done" in texts(app)
    assert len(app.session_state.swept_settings) == 4
    [figure] = [s for s in app.selectbox if s.key == "swept"]
    assert {"ACC", "CONN, least", "Ncut", "density", "components"} <= set(figure.options)
    assert "silhouette" not in figure.options
    next(t for t in app.toggle if t.key == "judge").set_value(True)
    run(app)
    press(app, "run sweep")
    [figure] = [s for s in app.selectbox if s.key == "swept"]
    assert {"silhouette", "distance to subspaces"} <= set(figure.options)
    figure.set_value("ncut")
    run(app)
    assert "Best by Ncut" in " ".join(s.value for s in app.subheader)
    assert "How far to trust it" in texts(app) or not criteria.read()
    chosen = next(o for o in app.session_state.swept_settings.values()
                  if (o.settings.gamma, o.settings.theta1) == (3, 0.7))  # fmt: skip
    app.session_state.chosen_setting = chosen.key
    run(app)
    assert "**Γ = 3, PCE, θ₁ = 0.7, θ₂ = 0.6**" in texts(app)
    before = {k: v if isinstance(v, str) else v[0] for k, v in app.query_params.items()}
    press(app, "take chosen")
    state = app.session_state
    [(place, left)] = state.passed.items()
    assert dict(place[1])["theta1"] == "0.7" and left == before
    assert (state.gamma, state.dense, state.theta1, state.theta2) == (3, "PCE", 0.7, 0.6)
    assert state.clusters == "known"
    assert app.title[0].value == "Explore"
    shown = next(m.value for m in app.metric if m.label.startswith("ACC"))
    assert shown.startswith(f"{100 * chosen.mean('acc'):.1f}")


def test_settings_whose_eigenvectors_did_not_converge_are_told(sweep_app, unconverged):
    assert not any("did not converge" in w.value for w in sweep_app.warning)
    press(sweep_app, "run sweep")
    [warning] = [w.value for w in sweep_app.warning if "did not converge" in w.value]
    assert warning.count("The eigenvectors did not converge") == 4
    assert escape_markdown("Γ = 3, PCE, θ₁ = 0.7, θ₂ = 0.6: The eigenvectors") in warning


def test_more_seeds_and_criteria_are_said_to_take_longer(sweep_app, monkeypatch):
    app = sweep_app
    monkeypatch.setattr(estimates, "speed", lambda: 30.0)  # a slow machine: minutes

    def said():
        run(app)
        return int(re.search(r"take \*\*about (\d+) min\*\*", texts(app))[1])

    one = said()
    app.session_state.seeds = 10
    ten = said()
    app.session_state.judge = True
    assert one < ten < said()


def test_presets_set_the_grid_and_figure_2_is_two_lines(sweep_app):
    app = press(sweep_app, "sweep Figure 2")
    state = app.session_state
    assert state.lines and state.grid_gamma == "5" and state.grid_dense == ["PCE"]
    assert "13 settings" in texts(app) and "Two lines" in texts(app)
    press(app, "run sweep")
    assert "13 settings, all done" in texts(app)
    assert app.query_params["lines"] == "1"


def test_a_suggestion_is_one_click_and_comes_first(sweep_app, monkeypatch):
    small = Grid(gamma=(3, 4), theta1=(0.7,), theta2=(0.6,), dense=("PCE", "D1"))
    monkeypatch.setattr(criteria, "GRID", small)
    app = press(run(sweep_app), "sweep Suggest settings")
    assert app.session_state.draws == criteria.DRAWS and not app.session_state.lines
    assert "4 settings × 3 draws × 2 seeds, all done" in texts(app), "it began by itself"
    heads = [s.value for s in app.subheader]
    assert heads[0] == "Suggest settings" and heads.count("Suggest settings") == 1
    chosen = best(list(app.session_state.swept_settings.values()), "astray")
    said = next(m.value for m in app.markdown if m.value.startswith("**Γ = "))
    assert said.startswith(f"**{describe(chosen.settings)}**, by *nearer to another subspace*, the")
    assert f"{figure_text(chosen, 'astray')}, the lowest of all" in said
    assert f"Its ACC is {figure_text(chosen, 'acc')}, at which" in said
    assert not app.warning
    monkeypatch.setattr(suggesting, "MANY_ASTRAY", -1.0)
    run(app)
    assert "no setting of the grid suits this data" in app.warning[0].value
    press(app, "sweep Γ × θ₁ × θ₂")
    assert not app.session_state.suggestion_first


def test_how_many_settings_share_the_first_place():
    made = [
        Outcome(RunSettings(gamma=g), (Result(0, 0, {"astray": v}),))
        for g, v in ((3, 0.1), (4, 0.0), (5, 0.0), (6, 0.0))
    ]
    assert "; 2 other settings have the same" in suggesting._reason(made, made[1], "astray")
    assert "another setting has the same" in suggesting._reason(made[:3], made[1], "astray")
    assert "the same" not in suggesting._reason(made[:2], made[1], "astray")


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("grid_gamma", "3:x*", "Γ is 'x\\*'"),
        ("grid_gamma", "99", "give values up to 20"),
        ("grid_theta1", "0.5", "needs θ₁"),
        ("grid_theta2", "", "θ₂ is ''"),
    ],
)
def test_a_grid_that_cannot_be_is_said_and_nothing_is_lost(sweep_app, field, text, said):
    app = press(sweep_app, "run sweep")
    [box] = [t for t in app.text_input if t.key == field]
    before = box.value
    box.set_value(text)
    run(app)
    assert said in app.warning[0].value.replace("\\'", "'"), app.warning[0].value
    [box] = [t for t in app.text_input if t.key == field]
    box.set_value(before)
    run(app)
    assert "all done" in texts(app)


def test_a_sweep_goes_on_behind_other_screens_and_can_be_stopped_there(sweep_app, monkeypatch):
    """The second setting waits for ``go``; the script does not wait, as after a click."""
    app, go, found = sweep_app, threading.Event(), running.sweep

    def slowly(*args, progress, **options):
        def tell(done, total):
            if done == 2:
                go.wait(600)
            progress(done, total)

        return found(*args, progress=tell, **options)

    monkeypatch.setattr(running, "sweep", slowly)
    monkeypatch.setattr(background, "_watch", lambda back, spot: None)
    before = set(threading.enumerate())
    press(app, "run sweep")
    back = app.session_state.background
    until(lambda: len(app.session_state.swept_settings) == 2 and back.work.step == (1, 4))
    assert next(b for b in app.button if b.key == "run sweep").disabled
    run(app)
    [across] = [s for s in app.selectbox if s.key == "across"]
    assert across.value == "gamma", "though all that is done so far has one Γ"
    app.switch_page("pages/words/page.py")
    run(app)
    told = f"Sweeping {datasets.sample('unequal').name}: 1 of 4 settings, "
    [bar] = app.get("progress")
    assert bar.proto.text.startswith(escape_markdown(told)) and bar.proto.text.endswith(" left")
    press(app, "stop from afar")
    new = set(threading.enumerate()) - before
    until(lambda: not any(t.is_alive() for t in new if t.name == "background"))  # it has heard
    go.set()
    until(lambda: not back.busy)
    app.switch_page("pages/sweep/page.py")
    run(app)
    assert "Press Go on for the rest" in texts(app) and "4 settings, 2 done" in texts(app)
    go.clear()
    press(app, "run sweep")
    app.switch_page("pages/words/page.py")
    run(app)
    go.set()
    until(lambda: not back.busy)
    run(app)
    assert "What ran on Sweep is done." in texts(app)
    app.switch_page("pages/sweep/page.py")
    run(app)
    assert "4 settings, all done" in texts(app) and not back.unseen


def test_a_sweep_under_way_can_be_stopped_where_the_grid_is_wrong(sweep_app, monkeypatch):
    app, go = sweep_app, threading.Event()
    monkeypatch.setattr(running, "sweep", lambda *args, progress, **options: go.wait(600))
    monkeypatch.setattr(background, "_watch", lambda back, spot: background._draw(None, spot, back))
    press(app, "run sweep")
    for name, value in (("grid_theta1", "0.5"), ("MOST_POINTS", 100)):
        if name == "MOST_POINTS":
            monkeypatch.setattr(running, name, value)
        else:
            [box] = [t for t in app.text_input if t.key == name]
            box.set_value(value)
        run(app)
        assert app.warning and [b for b in app.button if b.key == "stop comparing"], name
    press(app, "stop comparing")
    go.set()
    assert not app.session_state.background.busy


def test_what_a_stop_says_names_the_button_that_is_there(sweep_app, monkeypatch):
    app, go = sweep_app, threading.Event()

    def work(tell):
        while not go.wait(0.01):
            tell(0, 0)

    monkeypatch.setattr(background, "_watch", lambda back, spot: None)
    back = app.session_state.background
    back.add([background.Task("a cell", "IMC", work)])
    back.stop()
    run(app)
    assert "Stopped; what was done is kept. It stands on Compare." in texts(app)
    assert "Press Go on" not in texts(app)
    monkeypatch.setattr(running, "sweep", lambda *args, progress, **options: work(progress))
    press(app, "run sweep")
    back.stop()
    run(app)
    assert "Stopped; press Run to begin." in texts(app) and "Press Go on" not in texts(app)
    assert next(b for b in app.button if b.key == "run sweep").label == "Run"
    press(app, "run sweep")
    back.stop()
    app.session_state.grid_gamma = "3"
    run(app)
    assert "Choose the same data and grid again" in texts(app)
    go.set()


def test_why_a_sweep_failed_is_said(sweep_app, monkeypatch):
    def fail(*args, **options):
        raise ValueError("No *good*; try another.")

    monkeypatch.setattr(running, "sweep", fail)
    app = press(sweep_app, "run sweep")
    assert app.warning[0].value == escape_markdown("No *good*; try another.")


def test_what_is_done_serves_a_larger_grid_and_other_data_does_not(sweep_app):
    app = press(sweep_app, "run sweep")
    [box] = [t for t in app.text_input if t.key == "grid_gamma"]
    box.set_value("3:5")
    run(app)
    assert "6 settings, 4 done" in texts(app)
    assert next(b for b in app.button if b.key == "run sweep").label == "Go on"
    [seeds] = [n for n in app.number_input if n.key == "seeds"]
    seeds.set_value(2)
    run(app)
    assert "6 settings × 2 seeds; " in texts(app) or "6 settings × 2 seeds." in texts(app)


def test_without_labels_there_is_a_suggestion(app):
    made = datasets.make_subspaces(3, 3, 20, 20, noise=0.05)
    app.session_state.loaded = {"mine": datasets.Dataset(made.X, None, "mine")}
    app.query_params["data"] = "mine"
    app.query_params["grid_gamma"] = "3:4"
    app.query_params["grid_theta1"] = app.query_params["grid_theta2"] = "0.6,0.8"
    app.query_params["draws"] = "2"
    app.switch_page("pages/sweep/page.py")
    run(app)
    assert "3 clusters for every setting, as the eigengap" in texts(app)
    assert "KNN's suggests " in texts(app)
    press(app, "run sweep")
    [figure] = [s for s in app.selectbox if s.key == "swept"]
    assert "ACC" not in figure.options and "stability" in figure.options
    assert any(s.value == "Suggest settings" for s in app.subheader)
    press(app, "take suggested")
    assert app.session_state.clusters == "own" and app.session_state.k == 3


def test_other_draws_of_the_data_screen_are_drawn(sweep_app):
    app = sweep_app
    app.session_state.each, app.session_state.draws = 20, 3
    run(app)
    press(app, "run sweep")
    digests = next(iter(app.session_state.swept_settings))[0]
    raw = datasets.sample("unequal")
    drawn = [datasets.prepare(raw, per_class=20, random_state=k) for k in range(3)]
    assert list(digests) == [part.digest for part in drawn] and len(set(digests)) == 3


def test_too_many_points_are_for_the_command_line(sweep_app, monkeypatch):
    monkeypatch.setattr(running, "MOST_POINTS", 100)
    run(sweep_app)
    assert "sdsc sweep FILE" in sweep_app.warning[0].value


def test_a_setting_is_opened_with_the_parameters_of_its_stage(sweep_app):
    app = sweep_app
    stage = next(s for s in DENSE if set(BEYOND) & {p.name for p in DENSE[s].parameters})
    own = next(p for p in DENSE[stage].parameters if p.name in BEYOND)
    app.session_state.grid_dense = [stage]
    app.session_state[own.name] = own.low if own.low != own.default else own.high
    run(app)
    press(app, "run sweep")
    press(app, "take best 0")
    assert app.session_state.dense == stage and app.session_state[own.name] == own.default


def test_a_sweep_lets_others_go_first_and_finds_the_same(monkeypatch):
    """Somebody's heavy work comes before the last setting, and not a bit of a result changes."""
    data, grid = datasets.sample("unequal"), Grid(gamma=(3, 4), theta1=(0.7, 0.8), theta2=(0.6,))
    line, kept, seen = Turns(1), {}, []
    monkeypatch.setattr(running, "TURNS", line)
    plan = running.Plan(data, [data], grid, grid.settings(), (0,), data.n_classes, True)

    def other():
        with line.turn("other", lambda done, total: None):
            seen.append(len(kept))

    others = threading.Thread(target=other)
    found = running.sweep

    def sweep_beside(*args, progress, **options):
        def tell(done, total):
            if done == 1 and not others.ident:  # it comes while the sweep has its turn
                others.start()
                until(lambda: line.place("other") == 1)
            progress(done, total)

        return found(*args, progress=tell, **options)

    monkeypatch.setattr(running, "sweep", sweep_beside)
    all_work_within(partial(line.turn, "sweep"))
    try:
        running._compute(plan, kept, lambda done, total: None)
    finally:
        all_work_within(None)
    others.join(5)
    assert seen == [1] and len(kept) == 4
    alone = found([data], plan.settings, seeds=(0,), n_clusters=data.n_classes, criteria=True)
    for one, key in zip(alone, plan.keys, strict=True):
        for name in FIGURES:
            assert np.array_equal(one.values(name), kept[key].values(name)), name


def test_words():
    assert choosing.words(1, 1, 1) == "1 setting"
    assert choosing.words(490, 3, 2) == "490 settings × 3 draws × 2 seeds"


def place(app):
    """Where on the page the row of Run stands."""
    parts = {k: p.get("button") for k, p in app.main.children.items() if isinstance(p, Block)}
    return next(k for k, found in parts.items() if any(b.key == "run sweep" for b in found))


def test_projector_mode_leaves_all_in_its_place(sweep_app):
    """What moves stands twice until the script ends, and it watches as long as a sweep runs."""
    before = place(sweep_app)
    sweep_app.query_params["projector"] = "1"
    press(sweep_app, "projector on")
    assert sweep_app.button(key="projector off") and not sweep_app.title
    assert place(sweep_app) == before


def test_what_was_drawn_once_leaves_all_in_its_place(sweep_app):
    sweep_app.number_input(key="draws").set_value(2)
    assert place(run(sweep_app)) == place(run(sweep_app))
