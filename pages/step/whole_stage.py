"""Step through, third part: W and W* as Γ grows, with ACC and CONN."""

import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from pages.components.canvas import stamp
from pages.components.step_stage import step_stage
from pages.shared.groups import groups, lowers
from pages.shared.matrix_view import ORDERS
from pages.shared.run import cached, patiently, whole_path
from pages.shared.stop import heed_stop
from pages.shared.text import percent
from sdsc_core import Summary, dense_stage, figures
from sdsc_core.blocks import Progress, tick, watched
from sdsc_core.checks import Affinity
from sdsc_core.figures.steps import Frames, frames
from sdsc_core.run import Run
from sdsc_core.tracing import stages_at_gamma

PATIENCE = 0.6  # seconds of computing before what is there is shown
HOW = r"""
Press **Play**. With every step of $\Gamma$ each point adds one pick, so **W** fills up. At the end
{star}. The points are sorted by {order}, so good links lie in the squares on the
diagonal, and links outside the squares mislead. Below, for every $\Gamma$ (▲ is the one set in the
sidebar): {acc}**CONN**, how well each {one} hangs together (0 if it falls apart).
"""
OVER = (
    r"**W\*** is laid over it, in a colour of its own: the links that the dense stage adds because"
    " a third point vouches for them"
)
INSTEAD = (
    r"**W\*** takes its place, in a colour of its own, since this stage lowers links as well as"
    " raises them"
)
ACC = "**ACC**, the share of points that end in the right cluster, and "


def show(run: Run, spot: Any) -> None:
    """The animation at once; its curves fill in as they are computed.

    A longer path than the run has may take long; its progress appears in ``spot``.
    """
    run = replace(run, sparse=replace(run.sparse, path=whole_path(run, spot)))
    by = groups(run)
    order = "class" if run.data.labels is not None else "cluster"
    hidden = st.session_state.hide  # in an exercise not even the word
    star = INSTEAD if lowers(run) else OVER
    st.markdown(HOW.format(order=ORDERS[order], one=by.one, acc="" if hidden else ACC, star=star))
    if run.data.labels is None and not hidden:
        st.info("ACC needs the true classes, which are not known here; CONN goes by the clusters.")
    most = _last_gamma(run)
    key = ("grown", _key(run), most, run.before.k, run.n_clusters)
    drawn = patiently(
        "Drawing W and W* for every Γ",
        ("frames", _drawn_key(run, order)),
        lambda tell: _frames(run, order, tell),
    )
    first = patiently("Clustering for Γ = 1", (*key, 1), lambda tell: _figures(run, 1, tell))
    done: list[tuple[Summary, Summary]] = cached(key, lambda: [first])
    at_work = len(done) < most and st.session_state.get("stopped_curves") != key
    above = st.container()
    _go_on(run, done, key, at_work)
    with above:
        st.fragment(_animation, run_every=0.3 if at_work else None)(run, order, done, drawn, key)


def _go_on(run: Run, done: list[Any], key: Hashable, at_work: bool) -> None:
    """Stop the curves, or compute the rest of them.

    A click within the fragment would be heeded only when its run has ended, so this is outside,
    and there before the first of them.
    """
    if at_work:
        st.button("Stop", key="stop curves", on_click=_stop, args=(key,), help="Keep what is done.")
    elif len(done) < _last_gamma(run):
        st.info(f"Stopped. The curves go to Γ = {len(done)} of {_last_gamma(run)}.")
        st.button("Go on", key="go on with curves", on_click=_stop, args=(None,))


def _stop(key: Hashable) -> None:
    st.session_state.stopped_curves = key


def _last_gamma(run: Run) -> int:
    return run.path.picks.shape[1]


def _key(run: Run) -> tuple[Any, ...]:
    """What every Γ depends on."""
    any_gamma = replace(run.settings, gamma=1)
    return (run.data.digest, any_gamma.dense_key(), any_gamma.seed)


def _places(run: Run, order: str) -> NDArray[np.intp]:
    """The points as they are drawn; found clusters, and so their order, are those of the set Γ."""
    return figures.ordering(order, run.data.labels, run.after.labels)


def _drawn_key(run: Run, order: str) -> tuple[Any, ...]:
    """What the picture depends on."""
    return _key(run), _last_gamma(run), stamp(_places(run, order))


def _animation(
    run: Run, order: str, done: list[tuple[Summary, Summary]], drawn: Frames, key: Hashable
) -> None:
    """What is there, and below it the next Γ as they are computed; the next run shows them."""
    most, begun = _last_gamma(run), time.monotonic()
    step_stage(_head(run, order, done, drawn), drawn)
    if len(done) == most or st.session_state.get("stopped_curves") == key:
        return
    bar = st.progress(0.0)

    def tell(step: int, steps: int) -> None:
        text = f"The curves are being computed: Γ = {len(done)} of {most}"
        bar.progress(len(done) / most, f"{text}, step {step:,}" if step else text)

    with heed_stop(partial(_stop, key)):
        while len(done) < most and time.monotonic() - begun < PATIENCE:
            tell(0, 0)
            done.append(watched(partial(_figures, run, len(done) + 1), tell))
    if len(done) == most:
        st.rerun()  # once more, without the clock


def _figures(run: Run, gamma: int, tell: Progress | None) -> tuple[Summary, Summary]:
    s = run.settings
    g = stages_at_gamma(
        run.path, gamma, run.before.k, run.data.labels, n_clusters_star=run.n_clusters,
        dense=s.dense, random_state=s.seed, progress=tell, **s.dense_params(),
    )  # fmt: skip
    return g.before, g.after


def _frames(run: Run, order: str, tell: Progress | None) -> Frames:
    s, most = run.settings, _last_gamma(run)

    def pairs() -> Iterator[tuple[Affinity, Affinity]]:
        for gamma in range(1, most + 1):
            tick(tell, gamma, most)
            W = run.path.affinity(gamma)
            yield W, dense_stage(W, s.dense, **s.dense_params())

    return frames(pairs(), _places(run, order), whole=lowers(run))


def _head(
    run: Run, order: str, done: list[tuple[Summary, Summary]], drawn: Frames
) -> dict[str, Any]:
    by, most = groups(run), _last_gamma(run)
    blocks = figures.class_blocks(by.of, _places(run, order), tuple(map(str, by.names)))
    return {
        "points": run.data.n_points,
        "size": drawn.size,
        "cell": drawn.cell,
        "most": most,
        "set": run.settings.gamma,
        "blocks": [{"start": a, "stop": b, "name": name} for a, b, name in blocks],
        "axis": f"by {ORDERS[order]}",
        "charts": charts(done, by.one),
        "words": words(_last_gamma(run), done),
        "computed": len(done),
        "instead": lowers(run),
        "stamp": stamp(repr(_drawn_key(run, order))),
    }


def charts(done: list[tuple[Summary, Summary]], one: str) -> list[dict[str, Any]]:
    """ACC and CONN of W and W*, as far as they are known."""
    sides = list(zip(*done, strict=True))
    conn = [[s.conn.mean for s in side] for side in sides]
    high = max([0.1, *(v for side in conn for v in side)])
    many = {"class": "classes", "cluster": "clusters"}[one]
    out = [_chart(f"CONN, mean over the {many}", conn, np.ceil(10 * high) / 10, "{:.4f}".format)]
    if done[0][0].acc is not None:
        out.insert(0, _chart("ACC", [[s.acc for s in side] for side in sides], 1.0, percent))
    return out


def _chart(
    title: str, series: list[list[Any]], high: float, spell: Callable[[float], str]
) -> dict[str, Any]:
    return {
        "title": title,
        "series": series,
        "texts": [[spell(v) for v in side] for side in series],
        "high": float(high),
        "ticks": [percent(v, 0) if spell is percent else f"{v:.2f}" for v in (0, high / 2, high)],
    }


def words(most: int, done: list[tuple[Summary, Summary]]) -> list[tuple[str, str]]:
    """For each Γ a sentence on W and one on W*."""
    texts = []
    for gamma in range(1, most + 1):
        if gamma > len(done):
            texts.append((f"Γ = {gamma}: the figures are being computed.", ""))
            continue
        before, after = done[gamma - 1]
        more = (after.nonzeros - before.nonzeros) // 2
        texts.append(
            (
                f"Γ = {gamma}: W has {before.nonzeros // 2:,} links; {percent(before.inside)} of"
                f" its similarity lies inside the {before.by}.{_found(before)}",
                f"W* {'adds' if more >= 0 else 'drops'} {abs(more):,} links; of its similarity"
                f" {percent(after.inside)} lies inside."
                f"{_found(after)}",
            )
        )
    return texts


def _found(s: Summary) -> str:
    parts = len(s.component_sizes)
    falls = f" The graph falls into {parts} parts." if parts > 1 else " All points are connected."
    acc = "" if s.acc is None else f" ACC {percent(s.acc)},"
    return f"{falls}{acc} CONN {s.conn.mean:.4f}."
