"""Figures 1 to 4 of the paper, and the ratio Q of eq. 9–13 on every data set."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sdsc_core.compare import keep_everything
from sdsc_core.datasets import Dataset, MadeSubspaces
from sdsc_core.experiments.chart import Chart, matrix_svg
from sdsc_core.experiments.keeping import Cell, Row
from sdsc_core.experiments.running import FIGURES, Experiment, Options
from sdsc_core.experiments.tables import TABLES, known_data, random_digits, random_subjects
from sdsc_core.metrics import analyse
from sdsc_core.run import Run, run_stages
from sdsc_core.settings import RunSettings

SIZES = (300, 600, 1200, 3000, 6000, 9000, 30_000, 60_000, 100_002, 300_000, 1_000_002)
LAST_OF_PAPER = 100_002
GAMMAS = {"Extended Yale B": 5, "USPS": 5, "MNIST": 5, "synthetic": 6}  # of the ratio Q
THETA_1 = (0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95)
THETA_2 = (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75)
TITLES = {"acc": "ACC (%)", "nmi": "NMI (%)", "conn": "CONN", "seconds": "CPU time (s)"}
SCALES = {"acc": 100, "nmi": 100}
OF_RATIO = 1200  # points of the synthetic data that the ratio Q is measured on


def synthetic(size: int, seed: int = 0) -> MadeSubspaces:
    """The paper's synthetic data, a draw of so many points: six subspaces of dimension 6 in 10.

    >>> synthetic(600).name
    'made:6-6-10-100-0-0'
    """
    return MadeSubspaces(6, 6, 10, -(-size // 6), seed=seed)


def means(rows: Sequence[Row], figure: str) -> dict[str, list[tuple[float, float]]]:
    """For each name of a row its (where, mean over the draws)."""
    groups: dict[str, dict[float, list[float]]] = {}
    for row in rows:
        value = row.figures.get(figure)
        if value is not None and value == value:
            groups.setdefault(row.name, {}).setdefault(float(row.where), []).append(value)
    scale = SCALES.get(figure, 1)
    return {
        name: [(x, scale * float(np.mean(values))) for x, values in sorted(points.items())]
        for name, points in groups.items()
    }


class Synthetic(Experiment):
    """Six subspaces of dimension 6 in 10 dimensions; of IMC more points than the paper has."""

    title = "Synthetic data: six subspaces of dimension 6 in 10 dimensions (Figure 1)"
    where, kind = "points", "digits"
    methods = ("IMC", "OMP", "ENSC", "LSR", "SSC", "BDR", "SSSC")
    shown = ("acc", "nmi", "conn", "seconds")

    def params(self, options: Options, method: str) -> dict[str, Any]:
        six = {"IMC": {"n_iterations": 6}, "OMP": {"n_nonzero": 6}}.get(method, {})
        return super().params(options, method) | six | options.params.get(method, {})

    def cells(self, options: Options) -> list[Cell]:
        sizes = options.sizes or ((300, 600, 1200) if options.quick else SIZES)
        for size in sizes:
            if size < 6 or size % 6:
                raise ValueError(f"--sizes is {size}; give multiples of 6, the subspaces' number.")
        return [
            Cell(size, options.seed + draw, method, self.settings_text(options, method))
            for size in sizes
            for method in self.chosen_methods(options)
            if method == "IMC" or size <= LAST_OF_PAPER
            for draw in range(options.n_draws(quick=1))
        ]

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        size = int(cell.where)
        data = synthetic(size, cell.draw).load()
        keep, params = keep_everything(), self.params(options, cell.method)
        return [
            self.row(cell, data, RunSettings.of_method(cell.method, params, dense=dense), keep,
                     report=options.report)
            for dense in self.stages_at(cell.method, size)
        ]  # fmt: skip

    def stages_at(self, method: str, where: int | str) -> tuple[str | None, ...]:
        return super().stages_at(method, where) if int(where) <= LAST_OF_PAPER else (None,)

    def charts(self, rows: Sequence[Row]) -> dict[str, Chart]:
        return {
            figure: Chart(title, "number of points", title, means(rows, figure), log_x=True,
                          log_y=figure == "seconds")
            for figure, title in TITLES.items()
        }  # fmt: skip


class Thresholds(Experiment):
    """ACC of IMC-P against θ₁ with θ₂ = 0.6, and against θ₂ with θ₁ = 0.8."""

    title = "ACC of IMC-P by its thresholds, ten subjects of Extended Yale B (Figure 2)"
    where, kind, methods = "subjects", "faces", ("IMC",)
    fixed = ("sizes", "methods")

    def cells(self, options: Options) -> list[Cell]:
        subjects = 2 if options.quick else 10
        text = self.settings_text(options, "IMC")
        return [Cell(subjects, options.seed + k, "IMC", text) for k in range(options.n_draws())]

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        faces = known_data("yaleb", options.folder)
        part = random_subjects(faces, int(cell.where), cell.draw)
        keep, params = keep_everything(), self.params(options, "IMC")
        pairs = [("theta1", t, 0.6) for t in THETA_1] + [("theta2", 0.8, t) for t in THETA_2]
        return [
            self.row(
                cell, part,
                RunSettings.of_method("IMC", params, dense="PCE", theta1=theta1, theta2=theta2),
                keep, f"{name}={theta1 if name == 'theta1' else theta2}", options.report,
            )
            for name, theta1, theta2 in pairs
        ]  # fmt: skip

    def charts(self, rows: Sequence[Row]) -> dict[str, Chart]:
        charts = {}
        for name, sign, fixed in (("theta1", "θ₁", "θ₂ = 0.6"), ("theta2", "θ₂", "θ₁ = 0.8")):
            own = [r for r in rows if r.setting.startswith(name + "=")]
            values = sorted({float(r.setting.partition("=")[2]) for r in own})
            line = [
                (v, 100 * float(np.mean([r.figures["acc"] for r in own
                                         if r.setting == f"{name}={v}"])))
                for v in values
            ]  # fmt: skip
            charts[name] = Chart(f"ACC of IMC-P, {fixed}", sign, "ACC (%)", {"IMC-P": line})
        return charts


class Times(Experiment):
    """Time against the number of subjects: the cells of Table 2 again, by their seconds."""

    title = "Time by the number of subjects of Extended Yale B (Figure 3)"
    where, kind, shown = "subjects", "faces", ("seconds",)
    methods = TABLES["table2"].methods
    cells_of = "table2"

    def cells(self, options: Options) -> list[Cell]:
        return TABLES["table2"].cells(options)

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        return TABLES["table2"].measure(options, cell)

    def charts(self, rows: Sequence[Row]) -> dict[str, Chart]:
        lines = means(rows, "seconds")
        return {"seconds": Chart("Time on Extended Yale B", "subjects", "CPU time (s)", lines,
                                 log_y=True)}  # fmt: skip


class Ratio(Experiment):
    """Ncut before and after PCE: Q measured (eq. 11) beside Q predicted (eq. 13)."""

    title = "The ratio Q of the cut after and before PCE (eq. 9–13)"
    where, kind, methods = "data set", "digits", ("IMC",)
    fixed = ("sizes", "methods", "params")
    shown = ("q", "q_predicted", "q_predicted_no_tau", "tau_share")

    def cells(self, options: Options) -> list[Cell]:
        return [
            Cell(name, options.seed + draw, "IMC", f"gamma={gamma}")
            for name, gamma in GAMMAS.items()
            for draw in range(options.n_draws())
        ]

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        data = draw_named(str(cell.where), options, cell.draw)
        gamma = int(cell.settings.partition("=")[2])
        run = run_stages(data, RunSettings(gamma=gamma, dense="PCE"))
        found = analyse(run.sparse.W, run.after.W, data.labels)
        figures = {name: getattr(found, name) for name in self.shown[:3]}
        figures["tau_share"] = found.tau / (found.n * found.k**2)
        figures |= {name: getattr(run.after.summary, name) for name in FIGURES[:2]}
        return [Row(cell.where, cell.draw, "IMC", "PCE", figures)]


def draw_named(name: str, options: Options, seed: int) -> Dataset:
    """A random draw of one of our sets by its name: ten subjects, five digits × 100, 6 × 200."""
    if name == "synthetic":
        return synthetic(OF_RATIO, seed).load()
    if name == "Extended Yale B":
        return random_subjects(known_data("yaleb", options.folder), 10, seed)
    known, pca = ("usps", 200) if name == "USPS" else ("mnist_scattering", None)
    return random_digits(known_data(known, options.folder), 500, seed, pca)


class Matrices(Experiment):
    """W and W* of six subjects, and how many of their entries lie inside and between classes."""

    title = "W of IMC and W* by PCE, six subjects of Extended Yale B (Figure 4)"
    where, kind, methods = "subjects", "faces", ("IMC",)
    fixed = ("sizes", "methods")
    shown = ("inside", "between", "inside_star", "between_star")

    def cells(self, options: Options) -> list[Cell]:
        text = self.settings_text(options, "IMC")
        return [Cell(6, options.seed + k, "IMC", text) for k in range(options.n_draws())]

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        run = self.run(options, cell.draw)
        found = analyse(run.sparse.W, run.after.W, run.data.labels)
        counts: dict[str, float | None] = {
            "inside": found.k * found.n - found.zeta,
            "between": found.zeta,
            "inside_star": run.after.summary.nonzeros - found.zeta_star,
            "between_star": found.zeta_star,
        }
        return [Row(cell.where, cell.draw, "IMC", "PCE", counts)]

    def run(self, options: Options, draw: int) -> Run:
        part = random_subjects(known_data("yaleb", options.folder), 6, draw)
        params = self.params(options, "IMC")
        return run_stages(part, RunSettings.of_method("IMC", params, dense="PCE"))

    def pictures(self, options: Options) -> dict[str, str]:
        run = self.run(options, options.seed)
        return {"W": matrix_svg(run.sparse.W), "W_star": matrix_svg(run.after.W)}


OF_THE_PAPER: dict[str, Experiment] = {
    "figure1": Synthetic(),
    "figure2": Thresholds(),
    "figure3": Times(),
    "figure4": Matrices(),
    **TABLES,
    "qratio": Ratio(),
}
