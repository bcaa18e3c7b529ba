"""The paper's figures and tables, and Hopkins155, measured, beside what is published."""

from sdsc_core.experiments import hopkins
from sdsc_core.experiments.figures_of_paper import EXPERIMENTS as OF_THE_PAPER
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.experiments.output import to_csv, to_latex, to_markdown, write
from sdsc_core.experiments.readings import Readings
from sdsc_core.experiments.running import Experiment, Options, run

EXPERIMENTS: dict[str, Experiment] = {**OF_THE_PAPER, "readings": Readings()}

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Experiment",
    "Options",
    "Row",
    "Store",
    "hopkins",
    "run",
    "to_csv",
    "to_latex",
    "to_markdown",
    "write",
]
