"""What helps on this data? Tried within a stated time, in the background, and said in sentences."""

from collections import OrderedDict
from collections.abc import Hashable
from functools import partial
from typing import Any

import streamlit as st

from pages.compare.choosing import kind_key, parameter_key, suggested_number
from pages.explore.downloads import load_lines
from pages.shared.background import SECONDS, Task, background
from pages.shared.run import cached, preparation, source
from pages.shared.settings import BEYOND, apply, go_to, locked
from pages.shared.tables import html_table
from pages.shared.text import data_words, duration, escape_markdown
from sdsc_core import verdict as verdicts
from sdsc_core.blocks import Progress
from sdsc_core.cli.options import as_json
from sdsc_core.datasets import Dataset, unequal_units
from sdsc_core.estimates import rounded

TIMES = (30, 120, 600)  # seconds
MOST = 5  # verdicts that a session keeps
FEW_ROWS, TALL = 9, 330  # rows of the table that are shown at once, and their pixels
TITLE = "What helps on this data?"


def ask(data: Dataset, n_clusters: int) -> Any:
    """The question with a time for it, and the answer where there is one.

    Gives the place between them, for progress.
    """
    state = st.session_state
    key = ("verdict", data.digest, n_clusters, state.budget)
    with st.container(border=True, key="advice"):
        row = st.container(horizontal=True, vertical_alignment="center", gap="medium")
        row.markdown(f"**{TITLE}**", width="content")
        times = sorted({*TIMES, state.budget})
        row.segmented_control(
            "Time for it", times, key="budget", required=True, format_func=rounded,
            label_visibility="collapsed",
            help="It ends in this time, whatever is done by then.",
        )  # fmt: skip
        found, at_work = _shown(key), background().has(key)
        again = found is not None and not at_work
        row.button(
            "Try again" if again else "Find out", type="secondary" if again else "primary",
            on_click=_begin, args=(key, data, n_clusters, state.budget), key="find out",
            disabled=at_work,
            help="Tries k-means, nearest neighbours, IMC and as many other methods as the time"
            " allows, plain and with dense stages, on random draws, and says what helps, by how"
            " much, and what to doubt. It goes on while you look at other screens.",
        )  # fmt: skip
        spot = st.empty()
        failed = background().work.failed.get(key)
        if failed:
            st.warning(escape_markdown(failed))
        if found is not None and (found.trials or found.ended):
            _answer(data, verdicts.judge(found))
    return spot


def under_way() -> bool:
    """Whether it is a verdict that is at work."""
    task = background().work.current
    return task is not None and task.unit == SECONDS


def _kept() -> OrderedDict[Hashable, verdicts.Findings]:
    return st.session_state.setdefault("verdicts", OrderedDict())


def _former() -> dict[Hashable, verdicts.Findings]:
    """What was found before a question was asked again."""
    return st.session_state.setdefault("former_verdicts", {})


def _shown(key: Hashable) -> verdicts.Findings | None:
    """What was found last; the former where a stop left less than was there, or it has just begun.

    So a second question, stopped early, loses nothing that was said to be kept.
    """
    found, former = _kept().get(key), _former().get(key)
    if found is None or former is None or found.ended not in ("", "stopped"):
        return found
    return former if len(found.trials) <= len(former.trials) else found


def _begin(key: Hashable, data: Dataset, n_clusters: int, budget: int) -> None:
    if (former := _shown(key)) is not None and former.trials:
        _former()[key] = former
    found, kept = verdicts.Findings(data, budget), _kept()
    kept[key] = found
    kept.move_to_end(key)
    while len(kept) > MOST:
        _former().pop(kept.popitem(last=False)[0], None)
    suggested = data.n_classes or suggested_number(data)
    work = partial(_work, found, None if n_clusters == suggested else n_clusters)
    title = f"Trying what helps on {data.name}"
    background().add([Task(key, title, work, "Trying on", data.name, SECONDS, budget)])


def _work(found: verdicts.Findings, n_clusters: int | None, tell: Progress) -> None:
    """In the thread; what is found is in ``found`` at once, and a stop keeps it."""
    how: dict[str, Any] = {"n_clusters": n_clusters, "findings": found, "progress": tell}
    verdicts.try_out(found.data, found.budget, **how, lead=verdicts.lead)


def _answer(data: Dataset, verdict: verdicts.Verdict) -> None:
    """The sentences, what to take, what to doubt, and the table under it."""
    said, found = verdicts.report(verdict), verdict.findings
    if not found.ended:
        st.caption(f"So far, after {len(found.trials)} trials:")
    first, *rest = map(escape_markdown, said.answer)
    st.markdown(f"**{first}** {' '.join(rest)}")
    if verdict.best is None:
        return
    _take(data, verdict)
    if said.doubts:
        doubts = "\n".join(f"- {escape_markdown(doubt)}" for doubt in said.doubts)
        st.markdown(f"What to doubt:\n{doubts}")
    units = cached(("units", data.digest), lambda: unequal_units(data))
    if data.feature_names and units:
        st.button(
            "Standardise the columns", key="standardise now", on_click=apply,
            args=({"standardise": True},), disabled=locked("standardise"),
            help="As on Data; then ask again.",
        )  # fmt: skip
    with st.container(height=TALL if len(verdict.rows) > FEW_ROWS else "content", border=False):
        html_table(
            verdicts.head(verdict),
            verdicts.table(verdict),
            "Settings that were tried, the best first",
        )
    how = verdicts.TEST if found.labelled else f"{verdicts.STABILITY} {verdicts.TEST}"
    took = f", in {duration(found.seconds)}" if found.ended else ""
    most = max(row.draws for row in verdict.rows)
    draws = "one draw" if most == 1 else f"up to {most} draws"
    st.caption(
        f"{len(verdict.rows)} settings, {draws} of {found.n_drawn:,} of"
        f" {data.n_points:,} points{' each' if most > 1 else ''}{took}. {how}"
    )
    if found.ended:
        _downloads(verdict, source(st.session_state.data))


def _take(data: Dataset, verdict: verdicts.Verdict) -> None:
    """The setting to take: a click for IMC, which Explore shows, and the command for all."""
    best, ours = verdict.best, verdict.ours
    assert best is not None
    raw = source(st.session_state.data)
    words = data_words(raw, preparation(raw))
    k = verdicts.asked_clusters(verdict.findings)
    by_graph = best.candidate.settings() is not None
    where = "" if by_graph else ", where X is the data as it is prepared (Script has all of it)"
    st.markdown(escape_markdown(f"Take {best.candidate.title}{where}:"))
    number = k if by_graph else verdict.findings.n_clusters
    st.code(best.candidate.command(*words, n_clusters=number), language=None, wrap_lines=True)
    row = st.container(horizontal=True)
    if best is ours:
        if row.button("Take this setting to Explore", key="take", type="primary"):
            _explore(best.candidate, k)
        return
    row.button(
        f"Compare {best.candidate.name} below", key="take", on_click=_into_comparison,
        args=(data, best.candidate),
        help="Puts the method with these parameters into the comparison below; Explore shows IMC"
        " alone.",
    )  # fmt: skip
    if ours is not None and row.button(f"Take {ours.candidate.title} to Explore", key="take ours"):
        _explore(ours.candidate, k)


def _explore(candidate: verdicts.Candidate, n_clusters: int | None) -> None:
    """The settings of Explore are those of a candidate of IMC."""
    settings = candidate.settings()
    assert settings is not None
    names = ("gamma", "residual", "similarity", "theta1", "theta2", *BEYOND)
    values = {name: getattr(settings, name) for name in names} | {"dense": candidate.dense}
    known = {"clusters": "known"} if n_clusters is None else {"clusters": "own", "k": n_clusters}
    apply(values | known)
    go_to("pages/explore/page.py")


def _into_comparison(data: Dataset, candidate: verdicts.Candidate) -> None:
    """The comparison has this method, with and without its stage, and these parameters."""
    state = st.session_state
    state.methods = list(dict.fromkeys([candidate.method, "IMC"]))
    state.stages = list(dict.fromkeys(["none", candidate.dense]))
    kind = state[kind_key(data)]
    for name, value in candidate.params:
        state[parameter_key(candidate.method, name, kind)] = value


def _downloads(verdict: verdicts.Verdict, raw: Dataset) -> None:
    state = st.session_state
    load = load_lines(state.data, state.get("read_as", {}))
    script = verdicts.take_script(verdict, preparation(raw), load=load)
    files = [
        ("Trials (.csv)", "trials.csv", "text/csv", verdicts.trials_csv(verdict)),
        ("Script (.py)", "clusters.py", "text/x-python", script),
        ("Clusters (.csv)", "clusters.csv", "text/csv", verdicts.clusters_csv(verdict)),
        ("Verdict (.json)", "verdict.json", "application/json", as_json(verdicts.as_dict(verdict))),
    ]
    row = st.container(horizontal=True)
    for title, name, mime, text in files:
        row.download_button(
            title, text, name, mime, key=f"download {name}", on_click="ignore",
            disabled=not text,
        )  # fmt: skip
