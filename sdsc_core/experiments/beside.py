"""Ours beside the paper's, cell by cell: mean, standard error, difference, and how to open it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sdsc_core.compare import PERCENT
from sdsc_core.datasets import MotionSequence
from sdsc_core.experiments import hopkins, printed
from sdsc_core.experiments.figures_of_paper import GAMMAS, synthetic
from sdsc_core.experiments.figures_of_paper import OF_RATIO as SYNTHETIC
from sdsc_core.experiments.keeping import Row
from sdsc_core.experiments.means import Mean
from sdsc_core.experiments.output import NAMES
from sdsc_core.experiments.registry import EXPERIMENTS
from sdsc_core.experiments.running import MEAN, Options
from sdsc_core.experiments.tables import DIGITS, random_classes

COUNTS = ("inside", "between", "inside_star", "between_star")
# Where the draws of the ratio Q stand in the tables.
OF_RATIO = {"Extended Yale B": ("table2", 10), "USPS": ("table3", 500), "MNIST": ("table4", 500),
            "synthetic": ("figure1", SYNTHETIC)}  # fmt: skip
CLASSES = {"yaleb": 38, "usps": 10, "mnist_scattering": 10}
DATA = {"table2": "yaleb", "figure2": "yaleb", "figure4": "yaleb", "table3": "usps",
        "table4": "mnist_scattering"}  # fmt: skip


@dataclass(frozen=True)
class OursAndPrinted:
    """One cell: ours (None where it was not measured), the paper's, and what is said of it."""

    ours: Mean | None
    paper: float | None
    places: int = 1  # decimals
    statistic: str = MEAN
    message: str = ""
    less_is_better: bool = False
    source: str = "paper"  # who prints the other figure
    over: str = "draws"  # what the mean is over

    @property
    def value(self) -> float | None:
        """Of ours, what stands beside the paper's."""
        if self.ours is None:
            return None
        return {"mean": self.ours.value, "median": self.ours.median}.get(
            self.statistic, self.ours.deviation
        )

    @property
    def difference(self) -> float | None:
        """Ours less the paper's."""
        if self.value is None or self.paper is None:
            return None
        return round(self.value, self.places) - round(self.paper, self.places)


@dataclass(frozen=True)
class Grid:
    """Cells with a name for each line and each column; a missing key is a cell that nobody has."""

    lines: Sequence[str]
    columns: Sequence[str]
    cells: dict[tuple[str, str], OursAndPrinted]


def by_place(name: str, rows: Sequence[Row], figure: str = "acc", statistic: str = MEAN) -> Grid:
    """Methods, as IMC-P, down; sizes across. What the experiment has and the rows lack is there."""
    cells: dict[tuple[str, str], OursAndPrinted] = {}
    places: dict[int | str, None] = {}
    for group in _groups(name, rows):
        places[group[0].where] = None
        cells[group[0].name, _text(group[0].where)] = _cell(name, group, figure, statistic)
    lines = list(dict.fromkeys(line for line, _ in cells))
    return Grid(lines, [_text(place) for place in places], cells)


def by_stage(name: str, rows: Sequence[Row], place: int, figure: str = "acc") -> Grid:
    """Methods down, dense stages across, for one size."""
    here = [group for group in _groups(name, rows) if group[0].where == place]
    cells = {(g[0].method, g[0].stage): _cell(name, g, figure, MEAN) for g in here}
    order = ("none", "PCE", "D1", "D2", "D3")
    stages = sorted({stage for _, stage in cells}, key=order.index)
    return Grid(list(dict.fromkeys(method for method, _ in cells)), stages, cells)


def by_figure(name: str, rows: Sequence[Row]) -> Grid:
    """What the experiment shows across; its sets, or the values that it tries, down."""
    shown = EXPERIMENTS[name].shown
    cells: dict[tuple[str, str], OursAndPrinted] = {}
    for line, own in by_line(rows).items():
        for figure in shown:
            found = _cell(name, own, figure, MEAN)
            places = 0 if figure in COUNTS else found.places
            cells[line, NAMES[figure]] = replace(found, places=places)
    return Grid(list(by_line(rows)), [NAMES[figure] for figure in shown], cells)


def by_line(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by what their line is called.

    >>> list(by_line([Row(10, 0, "IMC", "PCE", {}, "theta1=0.65")]))
    ['θ₁ = 0.65']
    """
    found: dict[str, list[Row]] = {}
    for row in rows:
        text = row.setting.replace("theta1=", "θ₁ = ").replace("theta2=", "θ₂ = ")
        found.setdefault(text or _text(row.where), []).append(row)
    return found


def by_motions(rows: Sequence[Row]) -> Grid:
    """Hopkins155: methods down, clustering error by the number of motions across, in %."""
    cells = {}
    for method in EXPERIMENTS["hopkins"].methods:
        *published, _ = printed.HOPKINS.get(method, (None, None, ""))
        for (n, word), paper in zip(hopkins.MOTIONS.items(), published, strict=True):
            errors = hopkins.errors(rows, method, n)
            cells[method, f"{word} motions"] = OursAndPrinted(
                Mean.of(errors, 1) if errors else None, paper, 2, less_is_better=True,
                source="published", over="sequences",
            )  # fmt: skip
    lines = list(dict.fromkeys(line for line, _ in cells))
    return Grid(lines, [f"{word} motions" for word in hopkins.MOTIONS.values()], cells)


def _groups(name: str, rows: Sequence[Row]) -> list[list[Row]]:
    """The rows of each place, method and stage; a row without figures where there is none.

    In the order of the experiment, then whatever else was measured.
    """
    experiment = EXPERIMENTS[EXPERIMENTS[name].cells_of or name]
    found: dict[tuple[int | str, str, str], list[Row]] = {}
    for where, method in dict.fromkeys((c.where, c.method) for c in experiment.cells(Options())):
        for stage in experiment.stages_at(method, where):
            found[where, method, stage or "none"] = []
    for row in rows:
        found.setdefault((row.where, row.method, row.stage), []).append(row)
    for (where, method, stage), own in found.items():
        if not own:  # left out for its time with every stage, or missing
            out = next((r for r in found.get((where, method, "none"), ()) if r.message), None)
            message = out.message if out and not out.figures else ""
            own.append(Row(where, 0, method, stage, {}, message=message))
    return list(found.values())


def _text(place: int | str) -> str:
    return f"{place:,}" if isinstance(place, int) else place


def _cell(name: str, rows: Sequence[Row], figure: str, statistic: str) -> OursAndPrinted:
    scale, places = (100, 1) if figure in PERCENT else (1, 3)
    values = [v for row in rows if (v := row.figures.get(figure)) is not None and v == v]
    ours = Mean.of(values, scale) if values else None
    paper = EXPERIMENTS[name].printed(rows[0], figure, statistic)
    message = next((row.message for row in rows if row.message), "")
    return OursAndPrinted(
        ours, None if paper is None else scale * paper, places, statistic, message
    )


def state(name: str, place: int | str, draw: int = 0) -> dict[str, Any] | None:
    """How the app loads and prepares the draw of a cell: its settings by their names.

    Of Hopkins155 ``place`` is a sequence. None for an experiment without cells to open.

    >>> state("table3", 500)["each"], state("figure1", 600), state("hopkins", "cars2")
    (100, {'data': 'made:6-6-10-100-0-0'}, {'data': 'hopkins:cars2'})
    """
    if name == "qratio":
        return state(*OF_RATIO[str(place)], draw)
    if name == "figure1":
        return {"data": synthetic(int(place), draw).name}
    if name == "hopkins":
        return {"data": MotionSequence(str(place)).name}
    data = DATA.get(name)
    if data is None or not isinstance(place, int):
        return None
    if data == "yaleb":
        return {"data": data, "classes": random_classes(CLASSES[data], place, draw)}
    chosen = random_classes(CLASSES[data], DIGITS, draw)
    pca = {"pca": 200} if data == "usps" else {}
    return {"data": data, "classes": chosen, "each": place // DIGITS, "draw": draw, **pca}


def chosen(name: str, row: Row) -> dict[str, Any]:
    """What a row has other than the method's settings: θ of Figure 2, Γ of the ratio Q.

    >>> chosen("figure2", Row(10, 0, "IMC", "PCE", {}, "theta2=0.45"))
    {'theta1': 0.8, 'theta2': 0.45}
    """
    if name == "figure2":
        theta, _, value = row.setting.partition("=")
        return printed.BEST_THETA | {theta: float(value)}
    return {"gamma": GAMMAS[str(row.where)]} if name == "qratio" else {}
