"""How one setting that the library has stands: against the paper's tables, and by its name."""

from collections.abc import Sequence

import numpy as np

from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.readings.judging import Confirmed, printed_pair
from sdsc_core.experiments.readings.reading import PRINTED, Reading
from sdsc_core.experiments.readings.wording import words
from sdsc_core.settings import PRESETS


def against_tables(found: Sequence[Confirmed]) -> dict[str, str]:
    """For Table 2 IMC-P, for Table 3 IMC, each in one setting: where it is not below the paper.

    The setting is one that the library has: it reaches the most columns, then lacks the least over
    the others; as printed, if that misses nothing.
    """
    own = [c for c in found if Reading.of(c.text).in_library]
    texts = {}
    for table, name, k in (("Table 2", "yaleb", 1), ("Table 3", "usps", 0)):
        gaps = [(c, gap) for c in own if (gap := _gaps(c, name, k))]
        if gaps:
            best, gap = max(gaps, key=lambda pair: _merit(*pair))
            high, low = (
                ", ".join(f"{place} ({g.value:+.2f} ± {g.error:.2f})"
                          for place, g in gap.items() if (g.value >= 0) == reached)
                for reached in (True, False)
            )  # fmt: skip
            texts[table] = (
                f"{table}, {('IMC', 'IMC-P')[k]} in its best documented setting"
                f" ({words(best.text)}), mean ACC less the paper's in points ± standard error, by"
                f" the number of {'subjects' if k else 'samples'}: at or above the paper at"
                f" {high or 'none'}; below it at {low or 'none'}."
            )
    return texts


def _gaps(found: Confirmed, name: str, k: int) -> dict[str, Mean]:
    """By the size what a reading's mean has more than the paper's."""
    gaps = {}
    for place, mean in (found.sparse, found.dense)[k].items():
        paper = printed_pair(place)
        if place.startswith(name) and paper is not None:
            _, _, size = place.partition(" ")
            gaps[f"{int(size):,}"] = mean._replace(value=mean.value - paper[k])
    return gaps


def _merit(found: Confirmed, gaps: dict[str, Mean]) -> tuple[int, float, bool, float]:
    values = [gap.value for gap in gaps.values()]
    reached, lacking = sum(v >= 0 for v in values), sum(min(v, 0.0) for v in values)
    return reached, lacking, found.text == PRINTED, float(np.mean(values))


def named_presets(found: Sequence[Confirmed]) -> list[str]:
    """Presets by name that are better than as printed on every data set."""
    better = {c.text for c in found if c.better_everywhere}
    return [name for name, run in PRESETS.items() if Reading(**run.changed()).text in better]
