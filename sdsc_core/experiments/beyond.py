"""Beyond the paper: further dense stages beside its own, and prediction by the nearest subspace."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from sdsc_core.compare import keep_everything
from sdsc_core.datasets import Dataset, take
from sdsc_core.dense import DENSE_STAGES
from sdsc_core.experiments import hopkins
from sdsc_core.experiments.figures_of_paper import draw_named
from sdsc_core.experiments.keeping import Cell, Row
from sdsc_core.experiments.running import Experiment, Options
from sdsc_core.fitted import fit_subspaces, nearest_subspace
from sdsc_core.methods import METHODS
from sdsc_core.metrics import clustering_accuracy, confusion, nmi
from sdsc_core.run import run_stages
from sdsc_core.settings import RunSettings

HOPKINS = "Hopkins155"
# Whose presets the methods have on each set.
KINDS = {"Extended Yale B": "faces", "USPS": "digits", "MNIST": "digits", "synthetic": "digits",
         HOPKINS: "motion"}  # fmt: skip
DRAWS = 10
SHARES = (0.5, 0.2)  # of the points that are clustered; the rest is predicted


@cache
def _sequences(folder: str | Path | None) -> list[tuple[str, Dataset]]:
    """Hopkins155, read once."""
    return hopkins.sequences(folder)


class Sets(Experiment):
    """Draws of all our sets: where a row is names the set, whose kind has the presets."""

    where, kind, sets = "data set", "digits", tuple(KINDS)
    fixed = ("sizes",)

    def cells(self, options: Options) -> list[Cell]:
        names = ("synthetic",) if options.quick else self.sets
        return [
            Cell(name, options.seed + draw, method, self.text(options, name, method))
            for name in names
            for method in self.chosen_methods(options)
            for draw in range(options.n_draws(usual=DRAWS))
        ]

    def params_on(self, options: Options, name: str, method: str) -> dict[str, Any]:
        """The method's preset for a set; six picks on the synthetic one, as in Figure 1."""
        six = {"IMC": {"n_iterations": 6}, "OMP": {"n_nonzero": 6}}.get(method, {})
        preset = METHODS[method].presets[KINDS[name]] | (six if name == "synthetic" else {})
        return preset | options.params.get(method, {})

    def text(self, options: Options, name: str, method: str) -> str:
        settings = METHODS[method].settings(**self.params_on(options, name, method))
        return " ".join(f"{n}={v}" for n, v in settings.items())

    def data(self, options: Options, cell: Cell) -> Dataset:
        """The draw; of Hopkins155 another sequence each time, of two and of three motions."""
        if cell.where != HOPKINS:
            return draw_named(str(cell.where), options, cell.draw)
        found = _sequences(options.folder)
        return found[np.random.default_rng(cell.draw).integers(len(found))][1]


class DenseRules(Sets):
    """Every dense stage, with its usual parameters, after IMC and a few other methods."""

    title = "All dense stages on all our sets"
    methods = ("IMC", "OMP", "LSR", "KNN")
    shown = ("acc", "conn")

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        data, keep = self.data(options, cell), keep_everything()
        params = self.params_on(options, str(cell.where), cell.method)
        return [
            self.row(cell, data, RunSettings.of_method(cell.method, params, dense=dense,
                                                       n_clusters=data.n_classes), keep)
            for dense in DENSE_STAGES
        ]  # fmt: skip


class NearestSubspace(Sets):
    """A part is clustered, the rest predicted; beside it all clustered, and the true classes.

    ``acc`` is that of the part, ``acc_rest`` that of the others with the same map of clusters to
    classes; ``acc_true`` is that of the others where the part has its true classes: what nearest
    subspaces can do at best. ``acc_all`` clusters everything.
    """

    title = "Prediction by the nearest subspace"
    methods = ("IMC",)
    sets = tuple(name for name in KINDS if name != HOPKINS)
    shown = ("acc", "acc_rest", "acc_true", "acc_all")

    def measure(self, options: Options, cell: Cell) -> list[Row]:
        data = self.data(options, cell)
        params = self.params_on(options, str(cell.where), cell.method)
        settings = RunSettings.of_method(cell.method, params, n_clusters=data.n_classes)
        whole = run_stages(data, settings, only_dense=True).after.summary
        rows = []
        for share in SHARES:
            figures = predicted(data, settings, share, cell.draw)
            figures |= {"acc_all": whole.acc, "nmi_all": whole.nmi}
            rows.append(Row(cell.where, cell.draw, cell.method, "PCE", figures, f"part={share}"))
        return rows


def predicted(
    data: Dataset, settings: RunSettings, share: float, seed: int, **how: Any
) -> dict[str, float | None]:
    """ACC of a part of each class that is clustered, and of the rest by the nearest subspace.

    >>> from sdsc_core.datasets import make_subspaces
    >>> predicted(make_subspaces(2, 4, 20, 40), RunSettings(n_clusters=2), 0.5, 0)["acc_rest"]
    1.0
    """
    assert data.labels is not None, "the sets of an experiment have classes"
    rng = np.random.default_rng(seed)
    drawn = [
        rng.choice(members, max(2, round(share * len(members))), replace=False)
        for members in (np.flatnonzero(data.labels == c) for c in range(data.n_classes))
    ]
    rows = np.sort(np.concatenate(drawn))
    rest = np.setdiff1d(np.arange(data.n_points), rows)
    part = take(data, rows)
    labels = run_stages(part, settings, only_dense=True).after.labels
    found = fit_subspaces(part.X, labels, **how)
    of = nearest_subspace(data.X[rest], found).labels  # numbers of clusters as `confusion` has them
    _, matched = confusion(data.labels[rows], labels)
    to_class = {int(c): k for k, c in enumerate(matched) if c >= 0}
    true = nearest_subspace(data.X[rest], fit_subspaces(part.X, data.labels[rows], **how)).labels
    truth = data.labels[rest]
    right = [to_class.get(int(c)) == t for c, t in zip(of, truth, strict=True)]
    return {
        "acc": clustering_accuracy(data.labels[rows], labels),
        "nmi": nmi(data.labels[rows], labels),
        "acc_rest": float(np.mean(right)),
        "acc_true": float((true == truth).mean()),
        "dimension": float(np.mean([s.dimension for s in found])),
    }


BEYOND: dict[str, Experiment] = {"dense_rules": DenseRules(), "nearest": NearestSubspace()}
