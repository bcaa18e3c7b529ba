"""Baselines: clusters straight from the samples, which every method of two stages should beat."""

from sdsc_core.baselines import kmeans, ksubspaces, raw_spectral
from sdsc_core.baselines.base import Baseline, Found

BASELINES: dict[str, Baseline] = {
    module.BASELINE.name: module.BASELINE for module in (kmeans, ksubspaces, raw_spectral)
}

__all__ = ["BASELINES", "Baseline", "Found"]
