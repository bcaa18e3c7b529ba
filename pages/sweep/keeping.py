"""What was swept, for the session file: settings as words, figures as arrays."""

from collections.abc import Hashable
from typing import Any

import numpy as np

from pages.shared.text import counted
from pages.sweep import running
from sdsc_core.session import Part
from sdsc_core.settings import RunSettings
from sdsc_core.sweeping import FIGURES, Outcome, Result

PAIRS = ("stability", "seed_stability")


def pack() -> Part | None:
    """All outcomes with what each depends on; a figure that is not known is NaN."""
    kept = running.swept()
    if not kept:
        return None
    names = list(FIGURES)
    groups: dict[Hashable, int] = {}
    words, rows, figures = [], [], []
    pairs: dict[str, list[float]] = {name: [] for name in PAIRS}
    for number, ((*of, _), outcome) in enumerate(kept.items()):  # type: ignore[misc]
        group = groups.setdefault(tuple(of), len(groups))
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
    groups = [(tuple(map(str, a)), tuple(map(int, b)), int(n)) for a, b, n in told["groups"]]
    names = [name for name in told["figures"] if name in FIGURES]
    columns = [told["figures"].index(name) for name in names]
    results: dict[int, list[Result]] = {}
    for (number, draw, seed), values in zip(
        arrays["rows"].tolist(), arrays["figures"], strict=True
    ):
        known = dict(zip(names, values[columns].tolist(), strict=True))
        clean: dict[str, Any] = {k: None if np.isnan(v) else v for k, v in known.items()}
        results.setdefault(number, []).append(Result(draw, seed, clean))
    found: dict[Hashable, Outcome] = {}
    at = dict.fromkeys(PAIRS, 0)
    for number, (group, changed, message, *lengths) in enumerate(told["outcomes"]):
        agreed = []
        for name, length in zip(PAIRS, lengths, strict=True):
            agreed.append(tuple(arrays[name][at[name] : at[name] + length].tolist()))
            at[name] += length
        settings = RunSettings(**changed)
        key = (*groups[group], settings.dense_key())
        found[key] = Outcome(settings, tuple(results.get(number, ())), *agreed, str(message))
    running.swept().update(found)
    return counted(len(found), "swept setting")
