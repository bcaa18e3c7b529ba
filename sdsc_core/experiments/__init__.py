"""The paper's figures and tables, Hopkins155 and label-free criteria, measured."""

from sdsc_core.experiments import hopkins
from sdsc_core.experiments.criteria import Criteria
from sdsc_core.experiments.figures_of_paper import EXPERIMENTS as OF_THE_PAPER
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.experiments.output import to_csv, to_latex, to_markdown, write
from sdsc_core.experiments.running import Experiment, Options, run

EXPERIMENTS: dict[str, Experiment] = {**OF_THE_PAPER, "criteria": Criteria()}

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
