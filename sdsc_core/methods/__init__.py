"""The methods of the first stage under one interface; a new one is a file and a line here."""

from sdsc_core.methods import ensc, imc, knn, omp, ssc
from sdsc_core.methods.base import Method, Parameter, Solution

METHODS: dict[str, Method] = {m.METHOD.name: m.METHOD for m in (imc, ssc, omp, ensc, knn)}

__all__ = ["METHODS", "Method", "Parameter", "Solution"]
