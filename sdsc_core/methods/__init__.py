"""The methods of the first stage under one interface; a new one is a file and a line here."""

from sdsc_core.methods import bdr, ensc, imc, knn, lrr, lrsc, lsr, omp, ssc
from sdsc_core.methods.base import Method, Parameter, Solution

_MODULES = (imc, ssc, omp, ensc, lsr, lrr, bdr, lrsc, knn)
METHODS: dict[str, Method] = {m.METHOD.name: m.METHOD for m in _MODULES}

__all__ = ["METHODS", "Method", "Parameter", "Solution"]
