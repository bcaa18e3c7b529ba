"""A session without a browser: settings that Streamlit dropped, memory, what a figure hangs on."""

import gc
import threading
from types import SimpleNamespace
from unittest.mock import MagicMock
from urllib.parse import parse_qsl

import numpy as np
import pytest
import scipy.sparse as sp
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from pages.compare import running as compare_run
from pages.shared import run as shared_run
from pages.shared import settings, streamlit_inside
from pages.shared.memory import Memory, held
from pages.shared.run import run_key
from sdsc_core import datasets, imc, spectrum, suggest_n_clusters
from sdsc_core.blocks import PAUSE
from sdsc_core.compare import suggest_clusters
from sdsc_core.datasets import Dataset, make_subspaces
from sdsc_core.figures import match_clusters
from sdsc_core.run import Side
from sdsc_core.spectral import MOST_CLUSTERS
from sdsc_core.tracing import examples

SCREENS = ("explore", "data", "compare", "inspect", "step", "subspaces", "words", "tour")


def run(app):
    app.run()
    assert not app.exception, app.exception[0].message
    return app


def drop(app, *names):
    """What Streamlit does with the values of widgets when a page without them begins."""
    for name in names:
        if name in app.session_state:
            del app.session_state[name]


def load(app, data):
    """Put a data set where the Data screen puts it, and choose it."""
    run(app)
    app.session_state["loaded"] = {data.name: data}
    run(app)
    app.selectbox(key="data").set_value(data.name)
    return run(app)


def test_the_links_of_screens_carry_the_settings(app):
    """Else a change of screen is two steps of Back: the bare address, and the settings again."""
    app.query_params.update(data="motion", gamma="4", theta1="0.7")
    run(app)
    app.slider(key="gamma").set_value(3)
    run(app)
    links = app.sidebar.get("page_link")
    assert [link.proto.label for link in links][:2] == ["Explore", "Data"] and len(links) == 10
    for link in links:
        carried = dict(parse_qsl(link.proto.query_string))
        assert carried == {"data": "motion", "gamma": "3", "theta1": "0.7"}


@pytest.mark.parametrize("name", SCREENS)
def test_a_screen_survives_that_all_settings_are_dropped(app, name):
    app.query_params.update(data="motion", gamma="4", step="pair", each="20", dense="D1")
    run(app)
    app.switch_page(f"pages/{name}/page.py")
    drop(app, *settings.SETTINGS)
    app._run(WidgetStates())  # as the browser asks for another page: without any widget's value
    assert not app.exception, app.exception[0].message
    assert app.session_state["gamma"] == 4 and app.session_state["each"] == 20
    assert app.query_params["data"] == "motion" and app.query_params["dense"] == "D1"


@pytest.mark.parametrize("screen, key", [("data", "sample digits"), ("tour", "start 2")])
def test_a_callback_survives_it_too(app, screen, key):
    app.query_params.update(data="motion", theta1="0.9", theta2="0.7", theta3="0.2")
    run(app)
    app.switch_page(f"pages/{screen}/page.py")
    run(app)
    drop(app, "theta1", "theta2", "theta3", "gamma", "sheet")
    app.button(key=key).click()
    run(app)
    assert app.session_state["data"] == {"data": "digits", "tour": "faces"}[screen]
    if screen == "data":
        assert app.session_state["theta2"] == 0.7


@pytest.mark.parametrize("name", ["explore", "inspect", "step", "compare", "sweep", "subspaces"])
def test_data_that_only_the_address_knows_is_asked_for(app, name):
    app.query_params["data"] = "mine.mat"
    app.switch_page(f"pages/{name}/page.py")
    run(app)
    assert "must be loaded again" in app.warning[0].value and not app.metric
    app.button(key="use sample").click()
    run(app)
    assert app.session_state["data"] == "faces" and not app.warning


def unlabelled(name):
    data = datasets.sample(name)
    return Dataset(data.X, None, f"{name}.csv")


def test_the_figures_of_w_do_not_depend_on_the_dense_stage(app):
    load(app, unlabelled("noise"))
    W = app.session_state["last"].before
    found = set()
    for dense in ("D1", "D3", "none"):
        app.segmented_control(key="dense").set_value(dense)
        run(app)
        last = app.session_state["last"]
        found.add(last.n_clusters)
        assert last.before.k == W.k and (last.before.labels == W.labels).all()
        assert last.before.summary.ncut == W.summary.ncut
    assert len(found) > 1, "else nothing was tried: the stages suggest the same number"


def test_examples_without_labels_follow_the_dense_stage(app):
    """They go by the clusters of W*; the key once left the dense stage out."""
    app.query_params["step"] = "point"
    load(app, unlabelled("noise"))
    app.switch_page("pages/step/page.py")
    app.session_state["clusters"], app.session_state["k"] = "own", 5
    shown = {}
    for dense in ("PCE", "D3", "none"):
        app.session_state["dense"] = dense
        run(app)
        last = app.session_state["last"]
        expected = examples(last.path, last.after.labels, last.settings.gamma)
        memory = app.session_state["server session"].results
        key = ("examples", run_key(last))
        assert key in memory
        shown[dense] = memory.get(key, dict)
        assert shown[dense] == expected
    assert len({tuple(v.items()) for v in shown.values()}) > 1, "else the key was not tried"


def test_more_than_fifteen_clusters_are_suggested(app):
    many = make_subspaces(20, 3, 100, points_each=20, random_state=1)
    data = Dataset(many.X, None, "many.csv")
    W = imc(data.X, 5).affinity(5)
    expected = suggest_n_clusters(spectrum(W, MOST_CLUSTERS + 1).eigenvalues)
    assert expected == 20 and suggest_clusters(data) == 20
    load(app, data)
    assert app.session_state["last"].before.k == 20


def test_clusters_without_a_match_keep_a_number_of_their_own():
    labels, other = np.array([0, 0, 1, 1, 2, 2]), np.array([1, 1, 0, 0, 0, 0])
    assert match_clusters(labels, other).tolist() == [1, 1, 0, 0, 2, 2]


def test_a_picture_stays_for_a_while_and_a_download_as_before(monkeypatch):
    inactive, now = MediaFileManager._get_inactive_file_ids, [0.0]
    monkeypatch.setattr(MediaFileManager, "_get_inactive_file_ids", inactive)
    monkeypatch.setattr(streamlit_inside, "time", SimpleNamespace(monotonic=lambda: now[0]))
    streamlit_inside._keep_pictures()
    manager = MediaFileManager(MemoryMediaFileStorage("/media"))

    def show(*names):
        """A run that shows these, and what is there after it."""
        manager.clear_session_refs()
        for name in names:
            manager.add(name.encode(), "image/png", name, None, name.startswith("file"))
        manager.remove_orphaned_files()
        return len(manager._file_metadata)

    stays = streamlit_inside.KEPT_PICTURE
    assert show("a", "b", "file") == 3
    assert show("a") == 3 and show("a") == 2, "a file goes with the second run without it"
    now[0] = stays
    assert show("a") == 2 and show("a", "b") == 2, "b is shown again"
    now[0] += stays + 1
    assert show("a") == 2, "since now without b"
    now[0] += stays + 1
    assert show("a") == 1


def test_memory_is_bounded_by_bytes_and_lets_go_of_the_least_used():
    memory = Memory(2_500)
    for run_number, key in enumerate("abac", 1):
        memory.run = run_number
        memory.get(key, lambda: np.zeros(100))  # 800 bytes and the key
    assert "a" in memory and "c" in memory and "b" not in memory
    assert memory.nbytes <= 2_500


def test_memory_keeps_what_the_present_run_uses():
    memory = Memory(1_000)
    memory.run = 1
    for key in "abc":
        memory.get(key, lambda: np.zeros(1000))
    assert len(memory) == 3, "the stages of what is on the screen"
    memory.run = 2
    memory.get("d", lambda: np.zeros(1000))
    assert len(memory) == 1


def test_memory_counts_what_is_shared_once():
    A, W = np.zeros((100, 100)), sp.csr_array(np.eye(50))
    whole = sum(held([A, A[:5], {"again": A}]).values())
    assert 80_000 < whole < 81_000
    assert sum(held(W).values()) > W.data.nbytes + W.indices.nbytes + W.indptr.nbytes
    side = Side(W, spectrum(W.toarray() + 1 - np.eye(50), 3), np.zeros(50, int), None, 3)
    assert sum(held(side).values()) > sum(held(W).values()) + 50 * 3 * 8
    memory = Memory(10**6)
    memory.get("one", lambda: A)
    before = memory.nbytes
    memory.get("two", lambda: (A, "label"))
    assert memory.nbytes < before + 1000


def test_a_setting_does_not_fall_back_to_what_it_was_before_its_widget(app):
    """Streamlit keeps that value and brings it back when the widget goes."""
    run(app)
    run(app)
    app.switch_page("pages/step/page.py")
    run(app)
    app.segmented_control(key="step").set_value("pair")
    run(app)
    app.switch_page("pages/words/page.py")
    widget = app.session_state._state._state._key_id_mapper.get_id_from_key("step")
    state = app.session_state._state._state
    state._compact_state()  # as a fragment's run does, without app.py
    state._old_state.pop(widget)  # as the next change of page does
    app._run(WidgetStates())
    assert app.session_state["step"] == "pair" and app.query_params["step"] == "pair"


def test_matrices_of_a_comparison_are_bounded_by_bytes(app, monkeypatch):
    monkeypatch.setattr(compare_run, "MOST_BYTES", 400_000)  # two of 180² numbers and no more
    app.query_params.update(data="motion", methods="LSR", stages="none.PCE.D1.D3")
    app.switch_page("pages/compare/page.py")
    run(app)
    next(b for b in app.button if b.label == "Run").click()
    run(app)
    kept = app.session_state["matrices"]
    assert len(app.session_state["cells"]) == 4 and 1 <= len(kept) < 4
    assert sum(held(list(kept.values())).values()) <= 400_000 or len(kept) == 1


def test_progress_and_its_stop_appear_within_a_second(monkeypatch):
    """However seldom the work itself tells: `watched` calls the bar after each pause."""
    clock, streamlit, spot = [100.0], MagicMock(), MagicMock()
    monkeypatch.setattr(shared_run, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(shared_run, "session", lambda: SimpleNamespace(place=lambda: 0))
    monkeypatch.setattr(shared_run, "st", streamlit)
    bar = shared_run.ProgressBar("Work", spot)
    clock[0] += 0.1  # so quick that a bar would only flicker
    bar(1, 10)
    assert not streamlit.progress.called
    clock[0] = 101.0 - PAUSE
    bar(1, 10)
    assert streamlit.progress.call_args.args == (0.0, "Work: 1 of 10")
    assert streamlit.button.call_args.args == ("Stop",)


class Hurried(Exception):
    """What a click raises in the script."""


def test_every_long_stage_is_watched(app, monkeypatch):
    """So that progress is shown, and a click or a stop is heeded while it computes."""
    watched, titles = shared_run.watched, set()

    def spy(work, progress):
        titles.add(progress.title)
        return watched(work, progress)

    monkeypatch.setattr(shared_run, "watched", spy)
    app.query_params.update(data="motion", gamma="4", each="20", pca="9", step="stage")
    for screen in ("data", "explore", "inspect", "step", "subspaces"):
        app.switch_page(f"pages/{screen}/page.py")
        run(app)
    assert titles == {
        "Preparing the data", "Measuring the variance that PCA keeps", "Measuring Q",
        "Looking for the cause of every changed pair", "Adding up vol and cut",
        "Sorting the changed pairs", "Drawing W and W* for every Γ", "Clustering for Γ = 1",
        "Fitting subspaces",
    }  # fmt: skip


@pytest.mark.parametrize("stage", ["prepare", "changes"])
def test_a_click_ends_a_long_stage_at_once(app, monkeypatch, stage):
    """The stage itself never ends here; what a click raises comes through, and nothing is kept."""
    forever, begun = threading.Event(), threading.Event()

    def endless(*args, progress, **options):
        begun.set()
        forever.wait(60)
        progress(0, 1)

    clicked = threading.Event()

    def click(bar, done, total):
        if begun.is_set():
            clicked.set()
            raise Hurried

    app.query_params.update(data="motion", gamma="4", pca="9")
    app.switch_page("pages/inspect/page.py")
    with monkeypatch.context() as patch:
        where = shared_run.datasets if stage == "prepare" else shared_run
        patch.setattr(where, stage, endless)
        patch.setattr(shared_run.ProgressBar, "__call__", click)
        app.run()
    assert clicked.is_set() and not forever.is_set() and len(app.exception) == 1
    forever.set()
    run(app)
    assert app.dataframe[0].value.shape[0] > 0


@pytest.mark.parametrize(
    "stage", ["Looking for the cause of every changed pair", "Preparing the data"]
)
def test_what_was_stopped_says_so_until_it_is_asked_for(app, monkeypatch, stage):
    """A press of Stop is its callback and a run."""
    bars = []
    begin = shared_run.ProgressBar.__init__

    def spy(bar, *args, **options):
        begin(bar, *args, **options)
        bars.append(bar)

    monkeypatch.setattr(shared_run.ProgressBar, "__init__", spy)
    app.query_params.update(data="motion", gamma="4", pca="9")
    app.switch_page("pages/inspect/page.py")
    run(app)
    stop = next(bar for bar in bars if bar.title == stage).on_stop
    app.session_state["stopped_one"] = stop.args[0]
    for kept in ("server session", "prepared", "last"):  # as if it had not come to its end
        del app.session_state[kept]
    run(app)
    assert not app.dataframe and "topped" in app.warning[0].value
    next(b for b in app.button if b.label == "Compute").click()
    run(app)
    assert len(app.dataframe[0].value) and not app.warning


def test_garbage_is_not_looked_for_among_the_libraries(app):
    """Streamlit collects it after every run of the script, which takes as long as a move may."""
    run(app)
    assert gc.get_freeze_count() > len(gc.get_objects()) / 2


class TestLogin:
    def test_nobody_passes_without_it(self, app, monkeypatch):
        monkeypatch.setenv("SDSC_LOGIN", "1")
        for name in SCREENS:
            app.switch_page(f"pages/{name}/page.py")
            run(app)
            assert not app.button and not app.selectbox and not app.get("plotly_chart"), name
            assert "no provider is named" in app.error[0].value  # with one: test_browser_login

    def test_none_is_asked_for_by_default(self, app):
        assert "Log in" not in [b.label for b in run(app).button]
