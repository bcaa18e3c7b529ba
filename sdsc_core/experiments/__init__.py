"""The paper's tables, and Hopkins155, measured with this library, beside what is published."""

from sdsc_core.experiments import hopkins
from sdsc_core.experiments.tables import EXPERIMENTS, LISTED, run, to_markdown

__all__ = ["EXPERIMENTS", "LISTED", "hopkins", "run", "to_markdown"]
