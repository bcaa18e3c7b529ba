"""What was swept, for the session file: settings as words, figures as arrays."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pages.shared.text import counted
from pages.sweep import running
from sdsc_core.session import Part
from sdsc_core.settings import RunSettings
from sdsc_core.sweeping import FIGURES, Outcome, Result

PAIRS = ("stability", "seed_stability")


def pack() -> Part | None:
    """All outcomes with what each depends on; a figure that is not known is NaN."""
    kept = list(running.swept().items())  # at once: a sweep may be under way
    if not kept:
        return None
    names = list(FIGURES)
    groups: dict[Hashable, int] = {}
    words, rows, figures = [], [], []
    pairs: dict[str, list[float]] = {name: [] for name in PAIRS}
    for number, (key, outcome) in enumerate(kept):
        group = groups.setdefault(_without_setting(key), len(groups))
        lengths = [len(getattr(outcome, name)) for name in PAIRS]
        words.append([group, outcome.settings.changed(), outcome.message, *lengths])
        for name in PAIRS:
            pairs[name] += getattr(outcome, name)
        for result in outcome.results:
            rows.append((number, result.draw, result.seed))
            known = [result.figures.get(name) for name in names]
            figures.append([np.nan if value is None else value for value in known])
    told = {"groups": list(groups), "figures": names, "outcomes": words}
    arrays = {name: np.array(values, np.float64) for name, values in pairs.items()}
    arrays |= {"rows": np.array(rows, np.int64), "figures": np.array(figures, np.float64)}
    return Part(told, arrays)


def unpack(part: Part) -> str:
    """Outcomes come back under what they depend on: they show where the same is swept again."""
    told, arrays = part
    groups = [
        (tuple(map(str, digests)), tuple(map(int, seeds)), int(k), bool(criteria))
        for digests, seeds, k, criteria in told["groups"]
    ]
    results = _results(told["figures"], arrays)
    found: dict[Hashable, Outcome] = {}
    at = dict.fromkeys(PAIRS, 0)
    for number, (group, changed, message, *lengths) in enumerate(told["outcomes"]):
        agreed: dict[str, Any] = {}
        for name, length in zip(PAIRS, lengths, strict=True):
            agreed[name] = tuple(arrays[name][at[name] : at[name] + length].tolist())
            at[name] += length
        settings = RunSettings(**changed)
        *of, criteria = groups[group]
        key = (*of, settings.dense_key(), criteria)
        found[key] = Outcome(
            settings, tuple(results.get(number, ())), message=str(message), **agreed
        )
    running.swept().update(found)
    return counted(len(found), "swept setting")


def _without_setting(key: Any) -> Hashable:
    """What of an outcome's key (`key_of`) many of them share."""
    digests, seeds, n_clusters, _, criteria = key
    return digests, seeds, n_clusters, criteria


def _results(names: list[str], arrays: Mapping[str, NDArray[Any]]) -> dict[int, list[Result]]:
    """The results of each outcome, by its number; figures of another version are left out."""
    columns = [k for k, name in enumerate(names) if name in FIGURES]
    results: dict[int, list[Result]] = {}
    for place, values in zip(arrays["rows"].tolist(), arrays["figures"].tolist(), strict=True):
        number, draw, seed = place
        known = {names[k]: None if np.isnan(values[k]) else values[k] for k in columns}
        results.setdefault(number, []).append(Result(draw, seed, known))
    return results
