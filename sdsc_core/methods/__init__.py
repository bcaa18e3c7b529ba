"""The methods that turn data into a representation, by name, in the paper's order."""

from sdsc_core.methods import bdr, ensc, imc, knn, lrr, lrsc, lsr, omp, ssc, sssc
from sdsc_core.methods.base import Method, Parameter, Solution

METHODS: dict[str, Method] = {
    module.METHOD.name: module.METHOD
    for module in (imc, ssc, omp, ensc, lsr, lrr, bdr, sssc, lrsc, knn)
}
KINDS = ("faces", "digits", "motion")  # of data, for which each method has a preset

__all__ = ["KINDS", "METHODS", "Method", "Parameter", "Solution"]
