"""A script that repeats a sweep with the library alone."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from sdsc_core.sweeping.grid import Grid

TEMPLATE = '''"""Repeats a sweep of SDSC Explorer: writes every result, prints the best settings."""

from pathlib import Path

from sdsc_core import datasets, sweep, sweeping

# The data, as it was read and prepared; further draws show how much is owed to chance.
{load}
draws = {draws}

# Every setting of the grid on every draw.
grid = sweeping.Grid({grid})
outcomes = sweep(draws, grid, seeds={seeds}, n_clusters={n_clusters}{criteria})
Path("sweep.csv").write_text(sweeping.to_csv(outcomes), encoding="utf-8")

# The best by each figure that has a better and a worse.
for name in sweeping.known_figures(outcomes):
    figure = sweeping.FIGURES[name]
    if figure.better:
        top = sweeping.best(outcomes, name)
        print(f"{{figure.title}}: {{top.mean(name):.4f}} at {{sweeping.describe(top.settings)}}")
'''


def sweep_script(
    grid: Grid,
    preparation: Mapping[str, Any],
    *,
    load: str,
    n_clusters: int,
    draws: int = 1,
    seeds: Sequence[int] = (0,),
    criteria: bool = True,
) -> str:
    """The script of a `sweep`; ``load`` is the line that makes ``data``.

    ``preparation`` are the arguments of `datasets.prepare`; where it draws samples of each class,
    each draw is another one of them. ``criteria`` says whether those without labels are computed.

    >>> text = sweep_script(Grid(gamma=(3, 4)), {"pca": 5}, load="data = None", n_clusters=3)
    >>> compile(text, "script", "exec") and "Grid(gamma=(3, 4))" in text
    True
    >>> "criteria=False" in sweep_script(Grid(), {}, load="", n_clusters=3, criteria=False)
    True
    """
    default = Grid()
    given = {f.name: getattr(grid, f.name) for f in fields(grid)}
    changed = {name: v for name, v in given.items() if v != getattr(default, name)}
    steps = {name: v for name, v in preparation.items() if v not in (None, False)}
    first = steps.pop("random_state", 0)
    words = [f"{name}={value!r}" for name, value in steps.items()]
    if steps.get("per_class"):
        made = ", ".join(["data", *words, f"random_state={first} + draw"])
        lines = f"[datasets.prepare({made}) for draw in range({draws})]"
    else:
        made = f"datasets.prepare({', '.join(['data', *words])})" if words else "data"
        lines = f"sweeping.draws_of({made}, {draws})"
    return TEMPLATE.format(
        load=load,
        draws=lines,
        grid=", ".join(f"{name}={value!r}" for name, value in changed.items()),
        seeds=tuple(seeds),
        n_clusters=n_clusters,
        criteria="" if criteria else ", criteria=False",
    )
