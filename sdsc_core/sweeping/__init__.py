"""Sweeps: all settings of a grid at once, and what tells good ones without labels.

`sweep` computes, `Grid` says what, `Outcome` holds what one setting gave; `criteria` measures
without labels, `best` chooses by a figure or a criterion.
"""

from sdsc_core.sweeping.draws import draws_of, resample
from sdsc_core.sweeping.expected import expected_seconds
from sdsc_core.sweeping.grid import AXES, NAMES, Grid, describe, read_axis, spell_axis
from sdsc_core.sweeping.results import (
    CRITERIA,
    FIGURES,
    TOGETHER,
    Outcome,
    Result,
    as_json,
    axis_values,
    best,
    known_figures,
    notes,
    scores,
    table,
    title_of,
    to_csv,
    varied,
)
from sdsc_core.sweeping.running import grid_settings, key_of, sweep
from sdsc_core.sweeping.script import sweep_script

__all__ = [
    "AXES",
    "CRITERIA",
    "FIGURES",
    "NAMES",
    "TOGETHER",
    "Grid",
    "Outcome",
    "Result",
    "as_json",
    "axis_values",
    "best",
    "describe",
    "draws_of",
    "expected_seconds",
    "grid_settings",
    "key_of",
    "known_figures",
    "notes",
    "read_axis",
    "resample",
    "scores",
    "spell_axis",
    "sweep",
    "sweep_script",
    "table",
    "title_of",
    "to_csv",
    "varied",
]
