"""The paper's figures and tables, Hopkins155 and label-free criteria, measured."""

from sdsc_core.experiments import beside, hopkins
from sdsc_core.experiments.keeping import Cell, Row, Store
from sdsc_core.experiments.output import to_csv, to_latex, to_markdown, write
from sdsc_core.experiments.registry import EXPERIMENTS
from sdsc_core.experiments.running import Experiment, Options, run
from sdsc_core.experiments.shipping import Results, lay_out, ship, shipped
from sdsc_core.experiments.verdicts import Claim, claims

__all__ = [
    "EXPERIMENTS",
    "Cell",
    "Claim",
    "Experiment",
    "Options",
    "Results",
    "Row",
    "Store",
    "beside",
    "claims",
    "hopkins",
    "lay_out",
    "run",
    "ship",
    "shipped",
    "to_csv",
    "to_latex",
    "to_markdown",
    "write",
]
