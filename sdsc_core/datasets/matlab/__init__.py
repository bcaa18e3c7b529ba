"""MATLAB's .mat files: of all versions (`container`), and the elements of version 5 (`mat5`)."""

from sdsc_core.datasets.matlab.container import HDF5_MAGIC, mat_container

__all__ = ["HDF5_MAGIC", "mat_container"]
