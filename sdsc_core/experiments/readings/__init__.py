"""The study of readings: where the paper is open, which reading is its own, and which is best."""

from sdsc_core.experiments.readings.judging import (
    Confirmed,
    Effect,
    Reached,
    confirmed,
    effects,
    reached,
)
from sdsc_core.experiments.readings.reading import PRINTED, Reading
from sdsc_core.experiments.readings.study import Readings

__all__ = [
    "PRINTED",
    "Confirmed",
    "Effect",
    "Reached",
    "Reading",
    "Readings",
    "confirmed",
    "effects",
    "reached",
]
