"""Passes over sparse matrices that SciPy does not have, or takes longer for."""
