"""The paper's figures and tables, and Hopkins155, measured, beside what is published."""

from sdsc_core.experiments import hopkins
from sdsc_core.experiments.beyond import BEYOND
from sdsc_core.experiments.figures_of_paper import EXPERIMENTS as OF_PAPER
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.experiments.output import to_csv, to_latex, to_markdown, write
from sdsc_core.experiments.running import Experiment, Options, run

EXPERIMENTS = OF_PAPER | BEYOND

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
