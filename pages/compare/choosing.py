"""What the Compare screen runs: methods, dense stages, parameters, and about how long it takes."""

import math
from collections.abc import Hashable
from functools import partial
from typing import Any

import streamlit as st

from pages.compare.running import Job, cells, enqueue
from pages.shared.background import background
from pages.shared.counting import others_suggest
from pages.shared.run import ProgressBar, cached, session_memory
from pages.shared.settings import STAGES, apply, keep, locked
from pages.shared.stop import heed_stop
from sdsc_core import METHODS, compare
from sdsc_core.baselines import BASELINES
from sdsc_core.blocks import watched
from sdsc_core.datasets import Dataset
from sdsc_core.estimates import AFFINITY, estimate, in_words
from sdsc_core.methods import KINDS, Parameter

KIND = "kind "  # begins the key of each data set's kind
FEW_REASONS = 2  # why a method is not offered that are said at once


def choose(data: Dataset) -> None:
    """Which methods, baselines and dense stages; what would not fit is not offered."""
    state = st.session_state
    known = (*METHODS, *BASELINES)
    refused = {m: compare.fits(data, m) for m in known}
    offered = [m for m in known if not refused[m]]
    # A method that does not fit is set aside until it does: smaller data brings it back.
    wanted = {*state.methods, *state.get("set_aside", ())}
    state.set_aside = [m for m in known if m in wanted and refused[m]]
    state.methods = [m for m in offered if m in wanted] or offered[:1]
    state.stages = [s for s in STAGES if s in state.stages] or ["none"]
    st.pills(
        "Methods", offered, key="methods", selection_mode="multi",
        help="  \n".join(f"**{m}**: {compare.entry(m).title}" for m in known)
        + "  \nThe last three are baselines: they have no W, so no dense stage applies to them.",
    )  # fmt: skip
    left, right = st.columns([5, 1])
    left.pills(
        "Dense stages", STAGES, key="stages", selection_mode="multi", wrap=True,
        help="*none* is the method as its authors use it; D1, D2, D3 are Table 1, PCE Algorithm 2;"
        " the others go beyond the paper, with their usual parameters.",
    )  # fmt: skip
    right.number_input(
        "Repeats", 1, 100, key="repeats",
        help="Each repeat has its own seed, and its own draw where the Data screen draws samples.",
    )  # fmt: skip
    _say_refused({name: why for name, why in refused.items() if why})


def _say_refused(refused: dict[str, str]) -> None:
    """Why methods are not offered; many reasons would push all else out of sight."""
    spot = st.container()
    if len(refused) > FEW_REASONS:
        spot = st.expander(f"{len(refused)} methods do not fit this data: {', '.join(refused)}")
    for name, why in refused.items():
        spot.caption(f"{name} is not offered: {why}")


def clusters(data: Dataset, spot: Any) -> int:
    """The number of clusters: known, or asked for, with a suggestion."""
    if data.n_classes:
        return data.n_classes
    st.info("This data has no classes: there is CONN and time, but no ACC or NMI.")
    state, key = st.session_state, f"clusters {data.digest}"
    suggested = _suggested(data, spot)
    own = state.k if state.clusters == "own" or suggested is None else suggested
    # The setting holds, whatever stood here before; another number here becomes the setting.
    if state.clusters == "own" or (suggested is not None and not locked("clusters")):
        state[key] = min(own, data.n_points)
    keep(key, min(own, data.n_points))
    st.number_input(
        "Number of clusters", 1, data.n_points, key=key, width=240,
        on_change=lambda: apply({"clusters": "own", "k": state[key]}),
        help="What you set here holds on the other screens too.",
    )  # fmt: skip
    if suggested is not None:
        others = others_suggest(data, suggested, spot)
        st.caption(f"{suggested} is suggested by the eigengap of IMC's affinity. {others}")
    return state[key]


def suggested_number(data: Dataset) -> int | None:
    """What `clusters` offered for data without classes; it only looks, and keeps nothing."""
    key = _suggestion_key(data)
    return cached(key, lambda: None) if key in session_memory() else None


def _suggestion_key(data: Dataset) -> Hashable:
    """What Sweep keeps its suggestion under too: nothing but a number may lie there."""
    return "suggested", data.digest


def _suggested(data: Dataset, spot: Any) -> int | None:
    """None where it was stopped, or IMC cannot work with the data; the methods then say why."""
    key, stopped = _suggestion_key(data), ("suggestion stopped", data.digest)
    if key not in session_memory() and stopped in session_memory():
        return None
    stop = partial(cached, stopped, lambda: None)
    bar = ProgressBar("Suggesting a number of clusters, steps", spot, on_stop=stop)
    suggest = partial(watched, partial(compare.suggest_clusters, data), bar)
    try:
        with heed_stop(stop):
            suggested: int | None = cached(key, suggest)
    except (ValueError, MemoryError):
        suggested = None
    spot.empty()
    return suggested


def parameters(data: Dataset) -> dict[str, dict[str, Any]]:
    """Each method's parameters, preset for the kind of data."""
    default = data.kind if data.kind in KINDS else "faces" if data.images is not None else "digits"
    with st.expander("Parameters of the methods"):
        key = kind_key(data)
        keep(key, default)
        st.segmented_control(
            "Preset for", KINDS, required=True, key=key,
            help="The values that the authors of the methods used on such data.",
        )  # fmt: skip
        kind = st.session_state[key]
        out = {}
        for name in st.session_state.methods:
            method = compare.entry(name)
            if method.parameters:
                st.markdown(f"**{name}**, {method.title}")
            columns = st.columns(4)
            preset = method.presets.get(kind, {})
            out[name] = {
                p.name: _control(columns[i % 4], name, p, preset.get(p.name, p.default), kind)
                for i, p in enumerate(method.parameters)
            }
    return out


def kind_key(data: Dataset) -> str:
    """Where the session keeps for which kind of data the parameters are preset."""
    return f"{KIND}{data.digest}"


def take_parameters(method: str, values: dict[str, Any], kind: str) -> None:
    """A method's parameters are these for such data, whatever somebody chose before."""
    for key in [key for key in st.session_state if str(key).startswith(KIND)]:
        del st.session_state[key]  # each set has its own kind again
    for name, value in values.items():
        st.session_state[parameter_key(method, name, kind)] = value


def parameter_key(method: str, name: str, kind: str) -> str:
    """Where the session keeps a method's parameter for a kind of data."""
    return f"{method} {name} {kind}"


def _control(spot: Any, method: str, p: Parameter, value: Any, kind: str) -> Any:
    """A parameter under the name that `SDSC` takes, with what it means."""
    key = parameter_key(method, p.name, kind)
    options: dict[str, Any] = {"key": key, "help": f"{p.help} {_range(p)}".strip()}
    kind_of = type(p.default)
    keep(key, kind_of(value))
    if p.choices:
        return spot.selectbox(p.name, p.choices, format_func=_spaced, **options)
    if kind_of is bool:
        return spot.checkbox(p.name, **options)
    low, high = (None if v is None else kind_of(v) for v in (p.low, p.high))
    if kind_of is float:
        options["format"] = "%g"
    return spot.number_input(p.name, low, high, **options)


def _spaced(choice: str) -> str:
    return choice.replace("_", " ")


def _range(p: Parameter) -> str:
    return "" if p.low is None or p.high is None else f"From {p.low:g} to {p.high:g}."


def start(data: Dataset, chosen: list[Job]) -> None:
    """How long it may take, and the button."""
    todo = [j for j in chosen if j.key not in cells()]
    left, right = st.columns([1, 5], vertical_alignment="center")
    left.button(
        "Run", type="primary", width="stretch", disabled=not todo, on_click=enqueue, args=(todo,)
    )
    done = len(chosen) - len(todo)
    words = f"{len(chosen)} cell{'s' * (len(chosen) > 1)}"
    if not todo:
        right.markdown(f"{words}, all done.")
        return
    if done:
        words += f", {done} of them done"
    measured = [j for j in todo if j.method not in BASELINES]
    seconds = _expected_seconds(data, chosen, measured)
    if measured and not math.isnan(seconds):  # every method was measured
        words += f"; estimated to take **{in_words(seconds)}** on this machine"
        if len(measured) < len(todo):
            words += ", and the baselines' time"
    if background().busy:
        words += "; what is under way comes first"
    right.markdown(f"{words}.")


def _expected_seconds(data: Dataset, chosen: list[Job], todo: list[Job]) -> float:
    """Of what is to do; the affinity counts once, and not where a cell that is done has it."""
    kind = st.session_state[kind_key(data)]
    known = {j.solve_key for j in chosen if j.key in cells()}
    total = 0.0
    for job in todo:
        parts = [job.dense] if job.solve_key in known else [AFFINITY, job.dense]
        known.add(job.solve_key)
        total += estimate(job.method, data.n_points, data.n_features, kind, parts, job.params)
    return total
