"""The paper's tables, measured with this library, beside what it prints."""

from sdsc_core.experiments.tables import EXPERIMENTS, LISTED, run, to_markdown

__all__ = ["EXPERIMENTS", "LISTED", "run", "to_markdown"]
