"""What single screens keep between reruns: each setting that a picture depends on is in its key.

As in test_keys.py: a change in a session that has drawn before must give what a new session draws.
"""

from dataclasses import fields, is_dataclass, replace
from unittest.mock import MagicMock

import numpy as np
import pytest

from pages.data import preview
from pages.explore import gallery, selected
from pages.keep.choosing import Selection
from pages.server import sessions
from pages.shared import run as stages
from pages.shared.settings import defaults
from pages.step import dense_stage, one_point, whole_stage
from sdsc_core import RunSettings, explain, run_stages
from sdsc_core.datasets import Dataset, make_subspaces
from tests.test_keys import State


def points(seed):
    """Points with pictures, as many for every seed."""
    made = make_subspaces(3, 3, 9, points_each=14, noise=0.4, random_state=seed)
    images = np.random.default_rng(seed).integers(0, 256, (42, 6, 6), np.uint8)
    return Dataset(made.X + 0.2, made.labels, "mine", made.class_names, images=images)


DATA, OTHER = points(0), points(1)
DIGESTS = {DATA.digest, OTHER.digest}


def made(data=DATA, **settings):
    return run_stages(data, RunSettings(**{"gamma": 4} | settings))


@pytest.fixture(scope="module")
def run():
    return made()


@pytest.fixture
def drawn(monkeypatch):
    """Calls something in a session, the same again or a new one; keeps what Streamlit got."""
    screen = MagicMock()
    screen.tabs.side_effect = lambda names: [MagicMock() for _ in names]
    screen.columns.side_effect = lambda n: [MagicMock() for _ in range(n)]

    def begin():
        screen.session_state = State(defaults() | {"run_number": 1, "wanted": None, "hide": False})

    def draw(show, *args, new=False):
        if new:
            begin()
        result = show(*args)
        for key in stages.session_memory()._entries:  # else another screen's may be the same
            assert isinstance(key[0], str) and key[0] not in DIGESTS, "what a key is of is first"
        return result

    for module in (stages, sessions, one_point, dense_stage, whole_stage, preview, selected):
        monkeypatch.setattr(module, "st", screen)
    begin()
    draw.screen = screen
    return draw


def plain(value):
    """Something as text, arrays with all of their numbers."""
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if is_dataclass(value):
        return [plain(getattr(value, f.name)) for f in fields(value)]
    return [plain(v) for v in value] if isinstance(value, list | tuple) else repr(value)


def follows(drawn, show, first, second):
    """A session that has drawn the first draws the second as a new one does."""
    fresh = plain(drawn(show, *second, new=True))
    before = plain(drawn(show, *first, new=True))
    assert before != fresh, "the change must matter here"
    assert plain(drawn(show, *second)) == fresh
    assert plain(drawn(show, *first)) == before


CHANGES = [{"data": OTHER}, {"gamma": 2}, {"residual": "centred"}, {"similarity": "pair"}]


@pytest.mark.parametrize("change", CHANGES)
def test_the_trace_of_a_point(drawn, run, change):
    other = made(**change)
    first, second = ((r, 5, r.settings.residual) for r in (run, other))
    follows(drawn, one_point.traced, first, second)


def test_the_trace_of_another_point(drawn, run):
    follows(drawn, one_point.traced, (run, 5, "centred"), (run, 6, "centred"))


@pytest.mark.parametrize("change", [*CHANGES, {"dense": "D3"}, {"n_clusters": 2}])
def test_the_embedding_to_choose_from(drawn, run, monkeypatch, change):
    shown = MagicMock()
    monkeypatch.setattr(one_point, "points", shown)
    monkeypatch.setattr(one_point, "sheet", lambda *args: None)

    def show(r):
        one_point.by_eye(r, 0)
        return shown.call_args[0][0][0].at

    follows(drawn, show, (run,), (made(**change),))


def test_the_examples_to_choose_from(drawn, run, monkeypatch):
    monkeypatch.setattr(one_point, "by_eye", lambda *args: None)

    def show(r):
        row = drawn.screen.container.return_value
        row.reset_mock()
        one_point.choose(r)
        return [call[1]["args"] for call in row.button.call_args_list]

    follows(drawn, show, (run,), (made(OTHER),))


def over_theta(monkeypatch):
    """What is drawn of a pair for every θ."""
    chart = MagicMock()
    monkeypatch.setattr(dense_stage.figures, "over_theta", chart)

    def show(r, i, j):
        s = r.settings
        e = explain(r.before.W, i, j, s.theta1, s.theta2)
        dense_stage.over_theta(r, e)
        return [pieces for _, _, pieces in chart.call_args[0][0]]

    return show


@pytest.mark.parametrize("change", [*CHANGES, {"theta1": 0.95}, {"theta2": 0.3}])
def test_a_pair_over_theta(drawn, run, monkeypatch, change):
    show, other = over_theta(monkeypatch), made(**change)
    pairs = [(i, j) for i in range(42) for j in range(i)]
    differs = (p for p in pairs if plain(show(run, *p)) != plain(drawn(show, other, *p, new=True)))
    i, j = next(differs)
    follows(drawn, show, (run, i, j), (other, i, j))


@pytest.mark.parametrize("end", [0, 1])
def test_another_pair_over_theta(drawn, run, monkeypatch, end):
    """Of pairs that share one end, whichever it is."""
    show = over_theta(monkeypatch)
    pairs = [(i, j) for i in range(42) for j in range(i) if (5, i)[end] == (j, 20)[end]]
    first, *others = pairs
    shown = plain(drawn(show, run, *first))
    second = next(p for p in others if plain(drawn(show, run, *p, new=True)) != shown)
    follows(drawn, show, (run, *first), (run, *second))


@pytest.mark.parametrize(
    "change", [{"data": OTHER}, {"dense": "D3"}, {"theta1": 0.95}, {"residual": "centred"},
               {"gamma": 2}, {"n_clusters": 2}]
)  # fmt: skip
def test_the_whole_stage(drawn, run, change):
    """Its picture and its first figures."""

    def show(r):
        whole_stage.show(r, MagicMock())
        _, _, done, frames, _ = drawn.screen.fragment.return_value.call_args[0]
        return done[0], frames

    follows(drawn, show, (run,), (made(**change),))


def test_the_curves_of_the_whole_stage(drawn, run):
    """The seed, which moves them where k-means is undecided; the clusters of either side; Γ."""

    def key(r):
        whole_stage.show(r, MagicMock())
        return drawn.screen.fragment.return_value.call_args[0][-1]

    of_w, of_star = replace(run, side_of_w=replace(run.after, k=2)), replace(run, n_clusters=2)
    found = [drawn(key, r) for r in (run, made(seed=1), of_w, of_star, made(gamma=2))]
    assert len(set(found)) == len(found)
    assert whole_stage._key(run) == whole_stage._key(made(gamma=2))


@pytest.mark.parametrize("change", [{"order": "cluster"}, {"data": OTHER}])
def test_the_order_of_points_in_the_whole_stage(run, change):
    other, order = made(change.get("data", DATA)), change.get("order", "class")
    assert whole_stage._drawn_key(run, "class") != whole_stage._drawn_key(other, order)


@pytest.mark.parametrize(
    "change", [{"data": OTHER}, {"order": [3, 1, 2]}, {"framed": [True, False, True]}, {"at": 2}]
)
def test_the_pictures_of_a_cluster(drawn, change):
    first = {"data": DATA, "order": [1, 2, 3], "framed": [True, False, False], "at": 1}
    first, second = (
        (g["data"], np.array(g["order"]), np.array(g["framed"]), g["at"])
        for g in (first, first | change)
    )
    follows(drawn, gallery._sheet, first, second)


@pytest.mark.parametrize("change", [{"data": OTHER}, {"points": [0, 3]}])
def test_the_pictures_of_the_selected_points(drawn, run, change):
    def show(given):
        r, chosen = given["run"], np.array(given["points"])
        selected._table(r, Selection(r.data.digest, chosen, "mine"))
        return drawn.screen.dataframe.call_args[0][0]["picture"].tolist()

    first = {"run": run, "points": [0, 2]}
    second = {"run": made(change["data"])} if "data" in change else change
    follows(drawn, show, (first,), (first | second,))


def test_what_the_data_looks_like(drawn, monkeypatch):
    """Pictures by class, and the variance that is kept."""
    monkeypatch.setattr(preview, "_first_rows", lambda data: None)
    monkeypatch.setattr(preview.figures, "variance_kept", lambda curve, *args, **_: curve)

    def show(part, data):
        part(data)
        chart = drawn.screen.plotly_chart.call_args[0][0]
        return chart.to_json() if part is preview._samples else chart

    for part in (preview._samples, preview._variance):
        follows(drawn, show, (part, DATA), (part, OTHER))


def test_the_word_on_units(drawn):
    plain_ones = replace(DATA, images=None)
    scaled = replace(plain_ones, X=plain_ones.X * np.r_[np.ones(8), 1e6])
    DIGESTS.update((plain_ones.digest, scaled.digest))

    def show(data):
        drawn.screen.reset_mock()
        preview._units(data)
        return [call[0][0] for call in drawn.screen.warning.call_args_list]

    follows(drawn, show, (plain_ones,), (scaled,))
