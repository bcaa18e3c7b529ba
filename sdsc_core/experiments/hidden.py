"""What the verdict chooses without a look at classes, beside the truth.

    python -m sdsc_core.experiments.hidden --data DIR

writes `hidden.csv`, from which the verdict says how far to trust it.
On each labelled set the classes are hidden while settings and methods are tried; then the ACC of
the one that each rule puts first is set against the best that was tried. The time for each set is
processor time, so that other work beside it changes nothing.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from sdsc_core.datasets import SAMPLES, Dataset
from sdsc_core.experiments.criteria import SAMPLE, draw_set, motions
from sdsc_core.metrics import clustering_accuracy
from sdsc_core.verdict.evidence import FILE, RULES, Tried, regrets, write_hidden
from sdsc_core.verdict.judging import lead, stability
from sdsc_core.verdict.trying import try_out

SETS = ("synthetic, 300 points", "Extended Yale B, 5 subjects", "Extended Yale B, 10 subjects",
        "USPS, 5 digits")  # fmt: skip


def tried(data: Dataset, seconds: float) -> list[Tried]:
    """What `advise` would try on a labelled set with its classes hidden."""
    assert data.labels is not None
    blind = Dataset(data.X, None, data.name, kind=data.kind, images=data.images)
    found = try_out(blind, seconds, n_clusters=data.n_classes, lead=lead, clock=time.process_time)
    made = []
    for candidate in dict.fromkeys(t.candidate for t in found.trials):
        own = [t for t in found.trials if t.candidate == candidate]
        stable = stability(own)
        if stable:
            acc = np.mean([clustering_accuracy(data.labels[t.points], t.labels) for t in own])
            near = np.mean([1.0 - (t.astray or 0.0) for t in own])
            made.append(
                Tried(
                    candidate.title, float(acc), float(np.mean(list(stable.values()))), float(near)
                )
            )
    return made


def main() -> None:
    """Measure and print, set by set and in the mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", help="folder with Extended Yale B, USPS and Hopkins155")
    parser.add_argument("--seconds", type=float, default=10.0, help="of processor time, each set")
    parser.add_argument("--out", type=Path, default=FILE, help="the file to write")
    options = parser.parse_args()
    names = [*(f"{SAMPLE}{name}" for name in SAMPLES), *motions(options.data), *SETS]
    tried(draw_set(names[0], options.data, 0), options.seconds)  # compiles, which is not to count
    found: dict[str, list[Tried]] = {}
    for name in names:
        made = tried(draw_set(name, options.data, 0), options.seconds)
        if not made:
            print(f"{name}: the time did not suffice for anything")
            continue
        found[name] = made
        own = (f"{rule}: {regrets([found[name]], rule)[0]:.1f}" for rule in RULES)
        print(name, f"{len(found[name])} settings", *own, sep="; ", flush=True)
        write_hidden(found, options.out)
    for rule in RULES:
        all_of = regrets(found.values(), rule)
        print(f"{rule}: {np.mean(all_of):.1f} in the mean, {max(all_of):.1f} at worst")


if __name__ == "__main__":
    main()
